//! Judges recorded frames: are all positions finite, and does cloth cross anything in any of them?

use super::{CheckFault, Verdict, collider, counted, crossings, sums, tell, weld::weld};
use glam::DVec3;
use muslin_io::recording::{self, Hints, Recording};
use muslin_model::{BodyKind, parallel};
use std::path::Path;

/// Frames per second at which an animation is looked at that does not tell its own [1/s].
const RATE: f64 = 24.0;

/// Frames that are judged at the same time, one on each thread: so many that they have this many vertices, and so many at most.
const TOGETHER: usize = 1_000_000;
const MOST_TOGETHER: usize = 16;

/// Judges a run's directory, an archive, a list of VTK files, a directory of mesh files, or a cache with its mesh.
pub(super) fn frames(file: &str) -> Verdict {
    let mut verdict = Verdict::new(file, "frames");
    sums::judge(Path::new(file), &mut verdict);
    if !verdict.faults.is_empty() {
        verdict.warnings.push("frames were not judged, because files of them are damaged".into());
        return verdict;
    }
    if let Err(error) = judge(file, &mut verdict) {
        verdict.faults.push(CheckFault::plain("unreadable", error.to_string()));
    }
    verdict
}

fn judge(file: &str, verdict: &mut Verdict) -> Result<(), recording::RecordingError> {
    let mut recording = recording::open(Path::new(file), &Hints { otherwise: Some(RATE), ..Hints::default() })?;
    let (mesh, frames) = (recording.cast().mesh.clone(), recording.cast().frames + 1);
    verdict.holds = format!(
        "{}, {}, {}, {}",
        counted(recording.cast().bodies.len(), "body"),
        counted(mesh.positions.len(), "vertex"),
        counted(mesh.triangles.len(), "triangle"),
        counted(frames, "frame")
    );
    // Damage first: what crosses in damaged frames tells nothing.
    recording.verify()?;
    let welded = weld(&mut *recording)?;
    verdict.faults.extend(welded.doubled.iter().map(|&pair| doubled(&*recording, pair)));
    let collider = collider(mesh.positions.len(), &welded.triangles);
    let bodies = recording.cast().bodies.clone();
    // Obstacles may cross each other and themselves: that is no concern of the cloth.
    let concerns = |t: u32| {
        let t = welded.original[t as usize] as usize;
        bodies.iter().find(|b| b.triangles.contains(&t)).is_none_or(|b| b.kind == BodyKind::Cloth)
    };
    let several = (TOGETHER / mesh.positions.len().max(1)).clamp(1, MOST_TOGETHER);
    let mut together: Vec<Vec<DVec3>> = Vec::new();
    for first in (0..frames).step_by(several) {
        together.resize_with(several.min(frames - first), Vec::new);
        for (k, positions) in together.iter_mut().enumerate() {
            recording.read(first + k, positions)?;
        }
        let found = parallel::map(together.len(), |k| match &collider {
            Err(why) => Err(why.clone()),
            Ok(_) if together[k].iter().any(|p| !p.is_finite()) => Ok(Vec::new()),
            Ok(collider) => crossings(collider, &together[k], concerns),
        });
        for (k, found) in found.into_iter().enumerate() {
            let before = verdict.faults.len();
            verdict.faults.extend(lost(&together[k]));
            if verdict.faults.len() == before {
                tell(found, &mut verdict.faults, &|t| name(&*recording, welded.original[t as usize]));
                let elements = verdict.faults[before..].iter_mut().flat_map(|fault| &mut fault.elements);
                elements.for_each(|t| *t = welded.original[*t as usize]);
            }
            for fault in &mut verdict.faults[before..] {
                fault.message = format!("frame {}: {}", first + k, fault.message);
                fault.frame = Some(first + k);
            }
        }
    }
    Ok(())
}

/// Vertices that are nowhere.
fn lost(positions: &[DVec3]) -> impl Iterator<Item = CheckFault> {
    let lost = (0..positions.len()).filter(|&v| !positions[v].is_finite());
    lost.map(|v| {
        let message = format!("vertex {v} has the coordinates {}; simulate it again with a shorter step", positions[v]);
        CheckFault { elements: vec![v as u32], ..CheckFault::plain("not-finite", message) }
    })
}

/// A triangle of cloth that lies on another in all frames.
fn doubled(recording: &dyn Recording, pair: [u32; 2]) -> CheckFault {
    let [a, b] = pair.map(|t| name(recording, t));
    let message = format!("{a} and {b} lie on each other in every frame; remove one of the two layers");
    let corners =
        recording.cast().mesh.triangles[pair[0] as usize].map(|v| recording.cast().mesh.positions[v as usize]);
    let place =
        Some(((corners[0] + corners[1] + corners[2]) / 3.0).to_array()).filter(|p| p.iter().all(|x| x.is_finite()));
    CheckFault { elements: pair.to_vec(), place, ..CheckFault::plain("duplicate-triangle", message) }
}

/// A triangle by its number within its body.
fn name(recording: &dyn Recording, t: u32) -> String {
    match recording.cast().bodies.iter().find(|b| b.triangles.contains(&(t as usize))) {
        Some(b) => format!("triangle {} of `{}`", t as usize - b.triangles.start, b.name),
        None => format!("triangle {t}"),
    }
}
