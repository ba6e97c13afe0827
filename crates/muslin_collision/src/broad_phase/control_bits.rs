//! Control bits: in which of up to eight cells a pair is tested, by bit operations alone (W 3.3.1).
//!
//! A cell is three times as wide as the largest sphere's radius, so a sphere meets at most two cells along each
//! axis, eight in all. A cell's *type* is the parity of its three indices, and the eight cells of a block all
//! differ in type. An item is registered in the cells that its sphere meets; the cell of its centre is its
//! *home*. A pair is tested in the home of one of the two, where both are registered; if there are two such cells,
//! in the one of lower type.
//!
//! **Two deviations from the text, which loses pairs as printed** (see the errata in the book).
//!
//! 1. *Spheres are taken √2 larger when they are registered.* With the sphere itself, two of them can overlap in a cell that
//!    is home to neither while both miss the other's home: centres (−0.05, −0.4) and (0.4, 0.05) with radius ⅓,
//!    cells' corner at 0. With √2 this cannot be. Along the axes in which the homes differ let g and g′ be the
//!    distances of the centres to the other's home. If both spheres miss, |g| > √2 r and |g′| > √2 r′, so the
//!    centres are further apart than √(|g|² + |g′|²) > √2·√(r² + r′²) ≥ r + r′: the spheres are apart. The
//!    enlarged radius √2/3 is still below half a cell.
//! 2. *Three more bits say on which side the block lies.* Two items registered in one cell may both have "type 5"
//!    and mean cells on opposite sides. The text argues that such items are too far apart to collide; that holds for the
//!    sphere itself, not for the enlarged one.
//!
//! The sphere is the one around the thickened swept box, not around the triangle: boxes that overlap then have
//! spheres that overlap, and no box pair is lost.

use super::lattice::{Ball, SLACK};
use glam::I64Vec3;

/// Factor on a sphere's radius when it is registered [-]: √2, rounded up.
const ENLARGED: f64 = std::f64::consts::SQRT_2;

/// A sphere fits into the scheme if its radius is at most this [cells]; a hair above ⅓ for rounding.
pub(super) const LARGEST_RADIUS: f64 = 1.0 / 3.0 + SLACK;

/// Home type (bits 0–2), parity of the block's lowest cell (3–5), registered types (8–15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ControlBits(pub u16);

/// The type of a cell: the parity of its indices.
pub(super) fn cell_type(cell: I64Vec3) -> u16 {
    ((cell.x & 1) | (cell.y & 1) << 1 | (cell.z & 1) << 2) as u16
}

impl ControlBits {
    /// The home cell of a sphere in grid coordinates, its control bits, and the step from home to the block's
    /// other side.
    pub fn of(ball: &Ball) -> (I64Vec3, ControlBits) {
        let home = ball.home();
        let reach = ball.radius * ENLARGED + SLACK;
        let inside = (ball.centre - home.as_dvec3()).to_array();
        let home_type = cell_type(home);
        let mut low = home_type;
        // Squared distance from the centre to the nearer neighbour along each axis.
        let mut gaps = [0.0; 3];
        for axis in 0..3 {
            let below = inside[axis] < 0.5;
            let gap = if below { inside[axis] } else { 1.0 - inside[axis] };
            gaps[axis] = gap * gap;
            if below {
                low ^= 1 << axis;
            }
        }
        let mut types = 0;
        for axes in 0..8u16 {
            let distance: f64 = (0..3).filter(|axis| axes >> axis & 1 == 1).map(|axis| gaps[axis]).sum();
            if distance <= reach * reach {
                types |= 1 << (home_type ^ axes);
            }
        }
        (home, ControlBits(home_type | low << 3 | types << 8))
    }

    /// Type of the home cell.
    pub fn home_type(self) -> u16 {
        self.0 & 7
    }

    /// Whether a cell of this type in the block is registered.
    pub fn has(self, cell_type: u16) -> bool {
        self.0 >> (8 + cell_type) & 1 == 1
    }

    /// The registered cells; the home is `home`.
    pub fn cells(self, home: I64Vec3) -> impl Iterator<Item = I64Vec3> {
        let toward = |axis: u16| if self.0 >> (3 + axis) & 1 == self.0 >> axis & 1 { 1 } else { -1 };
        let step = [toward(0), toward(1), toward(2)];
        (0..8u16).filter(move |axes| self.has(self.home_type() ^ axes)).map(move |axes| {
            let along = |axis: usize| step[axis] * i64::from(axes >> axis & 1);
            home + I64Vec3::new(along(0), along(1), along(2))
        })
    }

    /// Whether the item with these bits and this home is registered in a cell.
    pub fn registered_in(self, home: I64Vec3, cell: I64Vec3) -> bool {
        let offset = cell - home;
        let step = |axis: u16| if self.0 >> (3 + axis) & 1 == self.0 >> axis & 1 { 1 } else { -1 };
        let fits = |axis: u16, d: i64| d == 0 || d == step(axis);
        fits(0, offset.x) && fits(1, offset.y) && fits(2, offset.z) && self.has(cell_type(cell))
    }

    /// Whether the pair, met in a cell of type `here`, is tested in another cell.
    pub fn tested_elsewhere(self, other: ControlBits, here: u16) -> bool {
        // Axes along which the two blocks extend to the same side of this cell.
        let same_side = !((self.0 ^ other.0) >> 3);
        let common = |home: u16, registered: ControlBits| {
            home < here && registered.has(home) && (home ^ here) & !same_side & 7 == 0
        };
        common(self.home_type(), other) || common(other.home_type(), self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn ball(x: f64, y: f64, z: f64, radius: f64) -> Ball {
        Ball { centre: DVec3::new(x, y, z), radius }
    }

    /// In how many cells a pair is met with a home and not deferred.
    fn times_tested(a: &Ball, b: &Ball) -> usize {
        let ((home_a, bits_a), (home_b, bits_b)) = (ControlBits::of(a), ControlBits::of(b));
        let cells: Vec<I64Vec3> = bits_b.cells(home_b).collect();
        bits_a
            .cells(home_a)
            .filter(|cell| cells.contains(cell) && (*cell == home_a || *cell == home_b))
            .filter(|cell| !bits_a.tested_elsewhere(bits_b, cell_type(*cell)))
            .count()
    }

    #[test]
    fn overlapping_spheres_are_tested_in_exactly_one_cell() {
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut overlapping = 0;
        for k in 0..200_000 {
            let largest = if k % 2 == 0 { 1.0 / 3.0 } else { random() / 3.0 };
            let mut centre = || 10.0 + 1.5 * random();
            let (a, b) =
                (ball(centre(), centre(), centre(), largest), ball(centre(), centre(), centre(), largest * random()));
            let times = times_tested(&a, &b);
            assert!(times <= 1, "{a:?} {b:?}");
            if a.centre.distance(b.centre) <= a.radius + b.radius {
                assert_eq!(times, 1, "{a:?} {b:?}");
                overlapping += 1;
            }
        }
        assert!(overlapping > 10_000);
    }

    #[test]
    fn as_printed_the_scheme_would_lose_this_pair() {
        // The spheres overlap, but neither reaches the other's home cell unless it is enlarged.
        let (a, b) = (ball(9.95, 9.6, 10.5, 1.0 / 3.0), ball(10.4, 10.05, 10.5, 1.0 / 3.0));
        assert!(a.centre.distance(b.centre) < a.radius + b.radius);
        let distance_to_home_of_b = (a.centre - DVec3::new(10.0, 10.0, 10.5)).length();
        let distance_to_home_of_a = (b.centre - DVec3::new(10.0, 10.0, 10.5)).length();
        assert!(distance_to_home_of_b > a.radius && distance_to_home_of_a > b.radius);
        assert_eq!(times_tested(&a, &b), 1);
    }

    #[test]
    fn no_sphere_is_registered_in_more_than_eight_cells_and_the_list_matches_the_bits() {
        let (home, bits) = ControlBits::of(&ball(4.2, 7.7, 2.5, 1.0 / 3.0));
        let cells: Vec<I64Vec3> = bits.cells(home).collect();
        assert!(cells.len() <= 8 && cells.contains(&home) && cells.contains(&I64Vec3::new(3, 8, 2)));
        for x in 2..=6 {
            for y in 5..=9 {
                for z in 1..=4 {
                    let cell = I64Vec3::new(x, y, z);
                    assert_eq!(bits.registered_in(home, cell), cells.contains(&cell), "{cell}");
                }
            }
        }
    }
}
