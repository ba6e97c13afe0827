//! A uniform grid's coordinates, and how rounding is kept from losing pairs.
//!
//! Positions are mapped to *grid coordinates*, in which a cell is 1 wide. The map is one rounded subtraction and one
//! rounded product with a positive number, both monotone: boxes that overlap in space overlap in grid coordinates.
//! All arguments about cells are then made in grid coordinates, where the rounding of what follows is
//! below [`SLACK`] because no coordinate exceeds [`MOST_CELLS`].

use super::items::Items;
use crate::boxes::Box3;
use glam::{DVec3, I64Vec3};
use muslin_model::parallel;

/// Most cells along an axis. Three indices must fit into a key of 64 bits, with a border of one cell.
const MOST_CELLS: f64 = (1u32 << 20) as f64;

/// What all rounding in grid coordinates stays below [cells]: 2⁻³² of it occurs, see above.
pub(super) const SLACK: f64 = 1.0 / (1u32 << 24) as f64;

/// Cells are never smaller [m], so that their inverse is finite.
const SMALLEST_CELL: f64 = 1e-200;

/// The map to grid coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    origin: DVec3,
    cells_per_metre: f64,
    /// Edge of a cell [m].
    pub cell: f64,
}

impl Lattice {
    /// A grid over `bounds` with cells of the given edge [m], or larger ones if they would be too many.
    pub fn new(bounds: Box3, cell: f64) -> Self {
        let extent = bounds.high - bounds.low;
        let cell = cell.max(extent.max_element() / MOST_CELLS).max(SMALLEST_CELL);
        let origin = if bounds.low.is_finite() { bounds.low } else { DVec3::ZERO };
        Lattice { origin, cells_per_metre: 1.0 / cell, cell }
    }

    /// A box in grid coordinates [cells].
    pub fn map(&self, b: &Box3) -> Box3 {
        Box3 { low: (b.low - self.origin) * self.cells_per_metre, high: (b.high - self.origin) * self.cells_per_metre }
    }
}

/// A sphere around a box in grid coordinates: its centre and its radius [cells].
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub centre: DVec3,
    pub radius: f64,
}

impl Ball {
    /// The smallest sphere around a box.
    pub fn around(b: &Box3) -> Self {
        Ball { centre: b.centre(), radius: half_diagonal(b) }
    }

    /// The cell of the centre: the *home* cell.
    pub fn home(&self) -> I64Vec3 {
        self.centre.floor().as_i64vec3()
    }
}

/// Radius of the smallest sphere around a box; the unit is the box's.
pub(super) fn half_diagonal(b: &Box3) -> f64 {
    // Scaled, because squares of extents beyond 1e154 would overflow.
    let extent = b.high - b.low;
    let largest = extent.max_element();
    if largest > 0.0 { 0.5 * largest * (extent / largest).length() } else { 0.0 }
}

/// Radii of the spheres around all items' boxes: the largest and the mean [m].
pub(super) fn radii(items: &Items) -> (f64, f64) {
    let radius = |i: usize| half_diagonal(items.item_box(i as u32));
    let piece = |c: usize| {
        let range = c * parallel::CHUNK..((c + 1) * parallel::CHUNK).min(items.len());
        range.map(radius).fold(0.0f64, f64::max)
    };
    let pieces = parallel::map(items.len().div_ceil(parallel::CHUNK), piece);
    let largest = pieces.into_iter().fold(0.0f64, f64::max);
    (largest, parallel::sum(items.len(), radius) / items.len().max(1) as f64)
}

/// The number of a cell; cells in ascending numbers run along x, then y, then z.
pub(super) fn key(cell: I64Vec3) -> u64 {
    let part = |i: i64| (i + 1) as u64;
    part(cell.z) << 42 | part(cell.y) << 21 | part(cell.x)
}

/// The cell of a number.
pub(super) fn cell_of(key: u64) -> I64Vec3 {
    let part = |shift: u32| ((key >> shift) & ((1 << 21) - 1)) as i64 - 1;
    I64Vec3::new(part(0), part(21), part(42))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_touch_in_space_touch_in_the_grid_at_any_scale() {
        let mut x = 0.123_456_789_f64;
        for scale in [1e-90, 1e-6, 1.0, 1e6, 1e90] {
            for _ in 0..1000 {
                x = (x * 997.0 + 0.1).fract();
                let shared = DVec3::splat(x * scale);
                let a = Box3 { low: DVec3::ZERO, high: shared };
                let b = Box3 { low: shared, high: DVec3::splat(scale) };
                let lattice = Lattice::new(a.join(b), scale * 1e-3 * (1.0 + x));
                assert!(lattice.map(&a).overlaps(&lattice.map(&b)));
                assert!(lattice.map(&b).high.max_element() <= MOST_CELLS * (1.0 + 1e-9));
            }
        }
    }

    #[test]
    fn keys_name_cells() {
        for cell in [I64Vec3::new(-1, 0, 1 << 20), I64Vec3::new(5, -1, 7), I64Vec3::ZERO] {
            assert_eq!(cell_of(key(cell)), cell);
        }
        assert!(key(I64Vec3::new(3, 0, 0)) < key(I64Vec3::new(0, 1, 0)));
    }
}
