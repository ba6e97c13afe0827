//! Angles and gradients of hinges, four at a time.

use super::{
    dihedral::Dihedral,
    lanes::{Four, Lanes, Vectors},
};
use glam::DVec3;
use std::ops::Range;

/// Calls a function with each of some hinges, its angle [rad] and the angle's gradient [1/m].
#[inline(always)]
pub(super) fn each_hinge(
    stencils: &[[u32; 4]],
    hinges: Range<usize>,
    positions: &[DVec3],
    visit: impl FnMut(usize, f64, [DVec3; 4]),
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2.
        return unsafe { each_in_vectors(stencils, hinges, positions, visit) };
    }
    each_by_lanes::<Four>(stencils, hinges, positions, visit);
}

/// The same in vectors of AVX2.
///
/// # Safety
/// The machine has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn each_in_vectors(
    stencils: &[[u32; 4]],
    hinges: Range<usize>,
    positions: &[DVec3],
    visit: impl FnMut(usize, f64, [DVec3; 4]),
) {
    each_by_lanes::<Four>(stencils, hinges, positions, visit);
}

#[inline(always)]
fn each_by_lanes<T: Lanes>(
    stencils: &[[u32; 4]],
    hinges: Range<usize>,
    positions: &[DVec3],
    mut visit: impl FnMut(usize, f64, [DVec3; 4]),
) {
    for first in hinges.clone().step_by(T::COUNT) {
        let count = T::COUNT.min(hinges.end - first);
        // Lanes that are left over do the last hinge again.
        let x = |k: usize| Vectors::<T>::gather(|lane| &positions[stencils[first + lane.min(count - 1)][k] as usize]);
        let local = Dihedral::new([x(0), x(1), x(2), x(3)]);
        let (angles, gradients) = (local.angle.to_array(), local.gradient().map(|g| g.spread()));
        for lane in 0..count {
            visit(first + lane, angles.as_ref()[lane], std::array::from_fn(|k| gradients[k](lane)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Each<'a> = &'a dyn Fn(&mut dyn FnMut(usize, f64, [DVec3; 4]));

    /// The number of each hinge that was visited and the bits of its angle and gradient.
    fn seen(each: Each) -> Vec<(usize, Vec<u64>)> {
        let mut seen = Vec::new();
        each(&mut |h, angle, gradient| {
            let numbers = std::iter::once(angle).chain(gradient.into_iter().flat_map(|g| g.to_array()));
            seen.push((h, numbers.map(f64::to_bits).collect()));
        });
        seen
    }

    #[test]
    fn hinges_four_at_a_time_have_the_bits_of_hinges_one_at_a_time() {
        let mut positions: Vec<DVec3> = (0..17)
            .map(|k| DVec3::new((1.3 * k as f64).sin(), (2.9 * k as f64).cos(), (0.7 * k as f64 * k as f64).sin()))
            .collect();
        // Edges without length, a triangle without area, one that is nearly a line.
        positions[6] = positions[5];
        positions[9] = 0.5 * (positions[10] + positions[11]);
        positions[12] = 0.5 * (positions[10] + positions[11]) + DVec3::splat(1e-160);
        let stencils: Vec<[u32; 4]> = (0..14).map(|k| [k, k + 3, k + 1, k + 2]).collect();
        for first in 0..5 {
            for count in 0..=9 {
                let range = first..first + count;
                let one = seen(&|visit| each_by_lanes::<f64>(&stencils, range.clone(), &positions, visit));
                let four = seen(&|visit| each_hinge(&stencils, range.clone(), &positions, visit));
                assert_eq!(one.len(), count);
                assert_eq!(one, four);
                let numbers = one.iter().flat_map(|(_, numbers)| numbers);
                assert!(numbers.into_iter().all(|&bits| f64::from_bits(bits).is_finite()));
            }
        }
    }
}
