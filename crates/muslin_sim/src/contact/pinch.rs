//! Pinches: what the report says where obstacles or pins leave the cloth no room.

use super::ContactStage;
use crate::simulation::Simulation;
use muslin_model::{Archive, ArchiveError, ExemptCause};

/// A time during which pairs of cloth and something that the scene moves were exempt, because no motion of the cloth kept
/// its gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Pinch {
    /// When it began [s].
    pub time: f64,
    /// When the last of its pairs was apart again [s]; infinite while it goes on.
    pub end: f64,
    /// Vertices of cloth in its pairs, of the model, ascending.
    pub vertices: Vec<u32>,
    /// The bodies on the other side of its pairs, ascending: obstacles, and cloths where pins are the cause.
    pub bodies: Vec<u32>,
}

impl Pinch {
    /// Puts a list into an archive.
    pub(crate) fn save(list: &[Pinch], archive: &mut Archive) {
        archive.put_reals("tally.pinch_times", list.iter().flat_map(|p| [p.time, p.end]).collect::<Vec<_>>());
        let numbers = |of: fn(&Pinch) -> &[u32]| {
            list.iter()
                .flat_map(|p| std::iter::once(of(p).len() as u64).chain(of(p).iter().map(|&n| u64::from(n))))
                .collect::<Vec<_>>()
        };
        archive.put_counts("tally.pinch_vertices", numbers(|p| &p.vertices));
        archive.put_counts("tally.pinch_bodies", numbers(|p| &p.bodies));
    }

    /// Takes a list back.
    pub(crate) fn restore(archive: &Archive) -> Result<Vec<Pinch>, ArchiveError> {
        let times = archive.all_reals("tally.pinch_times")?;
        let lists = |name: &str| {
            let mut rest = archive.all_counts(name)?.iter();
            let impossible = || ArchiveError::Value { name: name.into(), index: 0 };
            let mut lists = Vec::new();
            while let Some(&count) = rest.next() {
                let list: Vec<u32> = rest.by_ref().take(count as usize).map(|&n| n as u32).collect();
                if list.len() as u64 != count {
                    return Err(impossible());
                }
                lists.push(list);
            }
            if lists.len() == times.len() / 2 { Ok(lists) } else { Err(impossible()) }
        };
        let (vertices, bodies) = (lists("tally.pinch_vertices")?, lists("tally.pinch_bodies")?);
        let each = times.chunks_exact(2).zip(vertices.into_iter().zip(bodies));
        Ok(each.map(|(t, (vertices, bodies))| Pinch { time: t[0], end: t[1], vertices, bodies }).collect())
    }
}

impl Simulation {
    /// Counts what the last resort has done in the step that was just committed.
    pub(super) fn tally_last_resort(&mut self, stage: &mut ContactStage) {
        let scaled = std::mem::take(&mut stage.scaled);
        self.tally.scaled_back += scaled.zones;
        self.tally.scaled_back_momentum += scaled.momentum;
        if stage.pinched.is_empty() {
            return;
        }
        let began = self.state.time - self.state.previous_step;
        let pinches = &mut self.tally.pinches;
        if pinches.last().is_none_or(|pinch| pinch.end.is_finite()) {
            pinches.push(Pinch { time: began, end: f64::INFINITY, vertices: Vec::new(), bodies: Vec::new() });
        }
        let Some(pinch) = pinches.last_mut() else { return };
        let triangles = stage.finder.surface().triangles();
        for exemption in &stage.pinched {
            pinch.vertices.extend(triangles[exemption.triangle as usize]);
            pinch.bodies.push(exemption.body);
        }
        for list in [&mut pinch.vertices, &mut pinch.bodies] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Closes the pinch under way if none of its pairs is left.
    pub(super) fn end_pinches(&mut self) {
        let left = self.state.exemptions.iter().any(|exemption| exemption.cause == ExemptCause::Pinch);
        if let Some(pinch) = self.tally.pinches.last_mut().filter(|pinch| !left && pinch.end.is_infinite()) {
            pinch.end = self.state.time;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_survives_its_archive() {
        let list = vec![
            Pinch { time: 0.5, end: 0.75, vertices: vec![1, 2], bodies: vec![3] },
            Pinch { time: 1.0, end: f64::INFINITY, vertices: vec![], bodies: vec![0, 1] },
        ];
        let mut archive = Archive::default();
        Pinch::save(&list, &mut archive);
        assert_eq!(Pinch::restore(&archive), Ok(list));
        archive.put_counts("tally.pinch_vertices", [5, 1]);
        assert!(Pinch::restore(&archive).is_err());
    }
}
