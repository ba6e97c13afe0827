//! What a hinge remembers of how it was bent: the history of the bending models that have one.

use crate::archive::{Archive, ArchiveError};

/// The memory of one hinge. It changes in Commit only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crease {
    /// Angle at the last Commit, counted through full turns [rad].
    pub angle: f64,
    /// Angle at which its elastic part is at rest: the start's, and what has stayed since [rad].
    pub rest: f64,
    /// Part of the moment per width that internal friction bears [N].
    pub friction: f64,
    /// Curvature by which it is above the lower end of the range where friction still builds up [1/m].
    pub way: f64,
    /// Moment per width from which a recovery counts that is under way [N].
    pub turn: f64,
    /// Part of a full recovery that has not counted yet [-]; 0 unless friction was overcome before.
    pub open: f64,
    /// Part of the fabric's transition curvature that wear has left [-].
    pub fresh: f64,
}

impl Crease {
    /// Numbers that one has.
    const NUMBERS: usize = 7;

    /// Puts a list into an archive.
    pub fn save(list: &[Crease], archive: &mut Archive) {
        let numbers = |c: &Crease| {
            // Named one by one, so that a new field cannot be forgotten.
            let Crease { angle, rest, friction, way, turn, open, fresh } = *c;
            [angle, rest, friction, way, turn, open, fresh]
        };
        archive.put_reals("state.creases", list.iter().flat_map(numbers).collect::<Vec<_>>());
    }

    /// Takes a list of as many back.
    pub fn restore(archive: &Archive, count: usize) -> Result<Vec<Crease>, ArchiveError> {
        let numbers = archive.reals("state.creases", Self::NUMBERS * count)?;
        if let Some(index) = numbers.iter().position(|x| !x.is_finite()) {
            return Err(ArchiveError::Value { name: "state.creases".into(), index });
        }
        let read = |n: &[f64]| Crease {
            angle: n[0],
            rest: n[1],
            friction: n[2],
            way: n[3],
            turn: n[4],
            open: n[5],
            fresh: n[6],
        };
        Ok(numbers.chunks_exact(Self::NUMBERS).map(read).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_survives_its_archive_and_an_impossible_one_is_refused() {
        let crease = Crease { angle: 0.1, rest: 0.2, friction: -0.3, way: 4.0, turn: 5.0, open: 0.6, fresh: 0.7 };
        let list = [crease, Crease { rest: -1.5, ..crease }];
        let mut archive = Archive::default();
        Crease::save(&list, &mut archive);
        assert_eq!(Crease::restore(&archive, 2), Ok(list.to_vec()));
        assert!(Crease::restore(&archive, 1).is_err(), "another mesh");
        Crease::save(&[Crease { way: f64::NAN, ..crease }], &mut archive);
        assert_eq!(Crease::restore(&archive, 1), Err(ArchiveError::Value { name: "state.creases".into(), index: 3 }));
    }
}
