//! Whether the gaps that contact keeps survive in files.
//!
//! Frames are written in single precision. Rounding moves a coordinate by up to half of the distance between two such numbers,
//! which grows with the coordinate; a pair may so come nearer by 2√3 halves of it. What was kept apart by more than four of
//! these distances stays apart. The continuous test itself is right to a millionth of the gap that it is asked for
//! (`muslin_collision::narrow_phase`), plus some units of rounding in double precision, which are less at any coordinate that
//! passes the rule.

use crate::simulation::{SimError, Simulation};
use muslin_contact::CHECK;

/// Distances between two numbers of single precision that the check must exceed [-].
const SPACINGS: f64 = 4.0;

/// Distance between two neighbouring numbers of single precision at a coordinate [m].
pub(crate) fn spacing(coordinate: f64) -> f64 {
    let x = coordinate.abs() as f32;
    f64::from(x.next_up()) - f64::from(x)
}

impl Simulation {
    /// The gap that every committed state keeps between the thinnest cloths [m]; none without contact.
    fn checked_gap(&self) -> Option<f64> {
        self.contact.as_ref().map(|stage| CHECK * stage.finder.gaps().smallest())
    }

    /// Whether files can not tell surfaces apart that contact kept apart, somewhere so far from the origin as the scene came.
    pub(crate) fn is_too_far(&self) -> bool {
        self.checked_gap().is_some_and(|gap| !(gap > SPACINGS * spacing(self.tally.largest_coordinate)))
    }

    /// Refuses a start that is too far from the origin for its thickness.
    pub(crate) fn check_reach(&mut self) -> Result<(), SimError> {
        let reach = self.state.positions.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        self.tally.largest_coordinate = reach;
        match self.checked_gap() {
            Some(gap) if self.is_too_far() => Err(SimError::TooFar { reach, spacing: spacing(reach), gap }),
            _ => Ok(()),
        }
    }

    /// What to say of a run that went too far.
    pub(crate) fn warning_of_reach(&self) -> Option<String> {
        let reach = self.tally.largest_coordinate;
        self.is_too_far().then(|| {
            format!(
                "the scene reached {reach:.1} m from the origin, where numbers in files are {:.1e} m apart: too far for gaps of \
                 {:.1e} m, so that the run is not clean; end it earlier, move it to the origin or take thicker cloth",
                spacing(reach),
                self.checked_gap().unwrap_or(0.0)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_single_precision_are_as_far_apart_as_the_standard_says() {
        // 24 bits of precision: 2^-23 at 1, 2^-16 at 128.
        assert_eq!(spacing(1.0), 2f64.powi(-23));
        assert_eq!(spacing(-128.0), 2f64.powi(-16));
        assert_eq!(spacing(127.9), 2f64.powi(-17));
    }
}
