//! Triangles that contact leaves alone with a body until they have separated: what a state remembers of them.

use crate::archive::{Archive, ArchiveError};

/// Why a triangle is exempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExemptCause {
    /// Something that the scene moves left the cloth no room. Only pairs of primitives with a vertex that the scene
    /// moves are exempt.
    Pinch,
    /// The scene lists it, because it starts too near or crossing. All its pairs of primitives are exempt.
    Start,
}

/// A triangle of cloth and a body between which contact is switched off until they are apart again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exemption {
    /// The triangle of the model.
    pub triangle: u32,
    /// The body of the model; its own, if the cloth meets itself.
    pub body: u32,
    /// Why.
    pub cause: ExemptCause,
}

impl Exemption {
    /// Puts a list into an archive.
    pub fn save(list: &[Exemption], archive: &mut Archive) {
        let numbers = list.iter().flat_map(|e| [e.triangle, e.body, u32::from(e.cause == ExemptCause::Start)]);
        archive.put_counts("state.exemptions", numbers.map(u64::from).collect::<Vec<_>>());
    }

    /// Takes a list back.
    pub fn restore(archive: &Archive) -> Result<Vec<Exemption>, ArchiveError> {
        let numbers = archive.all_counts("state.exemptions")?;
        let impossible = |index| ArchiveError::Value { name: "state.exemptions".into(), index };
        let read = |(k, entry): (usize, &[u64])| match *entry {
            [triangle, body, cause @ 0..=1] if triangle.max(body) <= u64::from(u32::MAX) => {
                let cause = if cause == 0 { ExemptCause::Pinch } else { ExemptCause::Start };
                Ok(Exemption { triangle: triangle as u32, body: body as u32, cause })
            }
            _ => Err(impossible(3 * k)),
        };
        numbers.chunks(3).enumerate().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_survives_its_archive_and_an_impossible_one_is_refused() {
        let list = [
            Exemption { triangle: 2, body: 9, cause: ExemptCause::Pinch },
            Exemption { triangle: 3, body: 0, cause: ExemptCause::Start },
        ];
        let mut archive = Archive::default();
        Exemption::save(&list, &mut archive);
        assert_eq!(Exemption::restore(&archive), Ok(list.to_vec()));
        for bad in [vec![1, 2, 2], vec![u64::MAX, 1, 0], vec![1, 2]] {
            archive.put_counts("state.exemptions", bad);
            assert!(Exemption::restore(&archive).is_err());
        }
    }
}
