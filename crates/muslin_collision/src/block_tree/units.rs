//! Positions in single precision, with a known error.
//!
//! The blocks and the hull filter work on positions that are moved to the middle of the scene, scaled by a
//! power of two into [-1, 1] and rounded to single precision. The difference of two finite numbers has a
//! relative error of 2⁻⁵³, the scaling none, the rounding at most half a spacing: whatever the scene's size
//! and place, a coordinate is off by less than [`COORDINATE_ERROR`].

use super::pages;
use crate::{Surface, Sweep};
use glam::DVec3;
use muslin_model::parallel;

/// The largest error of a coordinate in units [-]: half the spacing of singles below 1, and the rounding of
/// the difference.
pub const COORDINATE_ERROR: f32 = 1.001 / (1u32 << 25) as f32;

/// Vertices per piece of parallel work.
const PIECE: usize = 2048;

/// How the scene is mapped to units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    centre: DVec3,
    scale: f64,
    /// The thickness in units, rounded up [-].
    pub thickness: f32,
    /// What coordinates in units are multiplied with to fill [-1, 1] along the longest side [-]; at least 1 but for
    /// rounding, less than 4.
    pub stretch: f32,
    /// The lowest corner of the scene in units [-].
    pub low: [f32; 3],
}

/// A vertex at both ends of the step, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct UnitVertex {
    /// x, y, z at the start, x, y, z at the end, two unused numbers.
    pub ends: [f32; 8],
}

impl UnitVertex {
    /// The first or the last four of the numbers.
    #[inline(always)]
    pub fn half(&self, k: usize) -> &[f32; 4] {
        &self.ends.as_chunks().0[k]
    }
}

impl Units {
    /// The units that suit a motion.
    pub fn new(sweep: &Sweep, thickness: f64) -> Self {
        let ends = [sweep.start(), sweep.end()];
        let pieces = ends[0].len().div_ceil(PIECE);
        let extents = parallel::map(pieces, |p| {
            let range = p * PIECE..((p + 1) * PIECE).min(ends[0].len());
            ends.iter()
                .flat_map(|points| &points[range.clone()])
                .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)))
        });
        let (low, high) =
            extents.into_iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        if ends[0].is_empty() {
            return Units { centre: DVec3::ZERO, scale: 1.0, thickness: 0.0, stretch: 1.0, low: [0.0; 3] };
        }
        let centre = low * 0.5 + high * 0.5;
        // The thickness counts, so that boxes stay within a few units and their error bounds hold.
        let reach = (high - centre).max(centre - low).max_element().max(thickness);
        let scale = if reach > 0.0 { power_of_two_below(1.0 / reach) } else { 1.0 };
        let scaled = thickness * scale;
        let thickness = if scaled == 0.0 { 0.0 } else { (scaled as f32).next_up() };
        let side = reach * scale;
        let stretch = if side > 0.0 { (1.0 / side) as f32 } else { 1.0 };
        let low = ((low - centre) * scale).as_vec3().to_array();
        Units { centre, scale, thickness, stretch, low }
    }

    /// A position in units.
    pub fn of(&self, position: DVec3) -> [f32; 3] {
        ((position - self.centre) * self.scale).as_vec3().to_array()
    }

    /// The position of a point in units [m].
    pub fn position(&self, units: [f32; 3]) -> DVec3 {
        self.centre + glam::Vec3::from_array(units).as_dvec3() / self.scale
    }

    /// All vertices in units.
    pub fn vertices(&self, surface: &Surface, sweep: &Sweep, out: &mut Vec<UnitVertex>) {
        let (start, end) = (sweep.start(), sweep.end());
        pages::make_room(out, surface.vertex_count());
        parallel::refill(out, surface.vertex_count(), PIECE, |v| {
            let ([a, b, c], [d, e, f]) = (self.of(start[v]), self.of(end[v]));
            UnitVertex { ends: [a, b, c, d, e, f, 0.0, 0.0] }
        });
    }
}

/// The largest power of two that is at most half of `x`, within the range of doubles. Half, so that what it
/// scales stays within [-1, 1] however its reciprocal was rounded.
fn power_of_two_below(x: f64) -> f64 {
    const LARGEST_EXPONENT: f64 = 1000.0;
    (x.log2().floor() - 1.0).clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_lie_within_one_and_err_less_than_they_say() {
        for size in [1e-90, 1e-6, 1.0, 3.7, 1e6, 1e90] {
            for place in [0.0, 1.0, 1e3] {
                let points: Vec<DVec3> = (0..200)
                    .map(|k| {
                        let k = k as f64;
                        (DVec3::new(k.sin(), (2.3 * k).cos(), (k * k).sin()) + place) * size
                    })
                    .collect();
                let surface = Surface::new(points.len(), &[]).unwrap();
                let sweep = Sweep::new(&surface, &points, &points).unwrap();
                let units = Units::new(&sweep, 0.0);
                for &p in &points {
                    let got = units.of(p);
                    assert!(got.iter().all(|x| x.abs() <= 1.0), "{got:?}");
                    // The difference with the part that its rounding loses, by Knuth's exact sum.
                    for k in 0..3 {
                        let (a, c) = (p.to_array()[k], -units.centre.to_array()[k]);
                        let sum = a + c;
                        let part = sum - a;
                        let lost = (a - (sum - part)) + (c - part);
                        let error = (got[k] as f64 - sum * units.scale) - lost * units.scale;
                        assert!(error.abs() <= COORDINATE_ERROR as f64, "{error}");
                    }
                }
            }
        }
    }
}
