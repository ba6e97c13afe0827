//! A leaf of the judge's tree: some triangles side by side, and the quick and certain "no" for one against all of them.
//!
//! Two triangles share no more than their common vertices if all others of one lie strictly on one side of the other's
//! plane. Nearly all pairs of a clean mesh end here, most of them neighbours. All triangles of a leaf are asked at a time, four
//! numbers at once where the machine can (`leaf_avx2.rs`); the normal of each is found once. What is nearer to a plane than
//! rounding could account for is left to the exact test ([`super::planes`] derives the bound).

use super::planes::{Plane, doubt};
use glam::DVec3;

/// Triangles per leaf [-].
pub const LEAF: usize = 4;

/// A number for each triangle of a leaf.
type Lane = [f64; LEAF];

/// A box in single precision that holds a triangle.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    pub low: [f32; 3],
    pub high: [f32; 3],
}

impl Wide {
    /// A box that overlaps nothing.
    pub const EMPTY: Wide = Wide { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// A box around points, rounded outwards: rounding to single precision loses less than half of what is added.
    pub fn around(points: [DVec3; 3]) -> Self {
        let [low, high] = [points[0].min(points[1]).min(points[2]), points[0].max(points[1]).max(points[2])];
        let down = |x: f64| {
            let x = (x as f32).min(f32::MAX);
            x - (x.abs() * f32::EPSILON + f32::MIN_POSITIVE)
        };
        let up = |x: f64| -down(-x);
        Wide { low: [down(low.x), down(low.y), down(low.z)], high: [up(high.x), up(high.y), up(high.z)] }
    }

    pub fn join(mut self, other: &Wide) -> Self {
        for k in 0..3 {
            self.low[k] = self.low[k].min(other.low[k]);
            self.high[k] = self.high[k].max(other.high[k]);
        }
        self
    }

    #[inline]
    pub fn overlaps(&self, other: &Wide) -> bool {
        // Without a branch for each number.
        let apart = |k: usize| (self.low[k] > other.high[k]) | (other.low[k] > self.high[k]);
        !(apart(0) | apart(1) | apart(2))
    }
}

/// Triangles side by side; places without one overlap nothing.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Their numbers.
    pub triangles: [u32; LEAF],
    pub(super) low: [[f32; LEAF]; 3],
    pub(super) high: [[f32; LEAF]; 3],
    pub(super) vertices: [[u32; LEAF]; 3],
    /// Coordinates of the corners, by corner and axis [m].
    pub(super) corners: [[Lane; 3]; 3],
    /// Of the planes: see [`Plane`].
    pub(super) normals: [Lane; 3],
    pub(super) rounding: Lane,
    pub(super) extents: Lane,
}

impl Leaf {
    /// Some triangles, at most [`LEAF`], each with its number, its vertices and its corners [m].
    pub fn new(triangles: impl Iterator<Item = (u32, [u32; 3], [DVec3; 3])>) -> Self {
        let mut leaf = Leaf {
            triangles: [0; LEAF],
            low: [[f32::INFINITY; LEAF]; 3],
            high: [[f32::NEG_INFINITY; LEAF]; 3],
            vertices: [[0; LEAF]; 3],
            corners: [[[0.0; LEAF]; 3]; 3],
            normals: [[0.0; LEAF]; 3],
            rounding: [0.0; LEAF],
            extents: [0.0; LEAF],
        };
        for (place, (triangle, vertices, corners)) in triangles.enumerate() {
            let (wide, plane) = (Wide::around(corners), Plane::new(corners));
            leaf.triangles[place] = triangle;
            for k in 0..3 {
                (leaf.low[k][place], leaf.high[k][place]) = (wide.low[k], wide.high[k]);
                leaf.vertices[k][place] = vertices[k];
                leaf.normals[k][place] = plane.normal[k];
                for axis in 0..3 {
                    leaf.corners[k][axis][place] = corners[k][axis];
                }
            }
            (leaf.rounding[place], leaf.extents[place]) = (plane.rounding, plane.extent);
        }
        leaf
    }

    /// A box around all.
    pub fn wide(&self) -> Wide {
        let mut wide = Wide::EMPTY;
        for place in 0..LEAF {
            for k in 0..3 {
                wide.low[k] = wide.low[k].min(self.low[k][place]);
                wide.high[k] = wide.high[k].max(self.high[k][place]);
            }
        }
        wide
    }

    /// A bit for each triangle whose box overlaps the box of one of another leaf.
    fn overlapping(&self, other: &Leaf, place: usize) -> u32 {
        let mut apart = [false; LEAF];
        for k in 0..3 {
            let (low, high) = (other.low[k][place], other.high[k][place]);
            for lane in 0..LEAF {
                apart[lane] |= (low > self.high[k][lane]) | (self.low[k][lane] > high);
            }
        }
        bits(apart.map(|apart| !apart))
    }

    /// A bit for each triangle of which it is not certain that the one at a place of another leaf shares no more with it than
    /// their common vertices.
    fn in_doubt(&self, other: &Leaf, place: usize) -> u32 {
        // Which vertices are common ones, of these triangles and of the other.
        let (mut of_these, mut of_other, mut common) = ([[false; LEAF]; 3], [[false; LEAF]; 3], [0u32; LEAF]);
        for k in 0..3 {
            for l in 0..3 {
                for lane in 0..LEAF {
                    let same = self.vertices[l][lane] == other.vertices[k][place];
                    of_these[l][lane] |= same;
                    of_other[k][lane] |= same;
                    common[lane] += u32::from(same);
                }
            }
        }
        // These triangles beside the other's plane.
        let origin: [f64; 3] = std::array::from_fn(|axis| other.corners[0][axis][place]);
        let normal: [f64; 3] = std::array::from_fn(|axis| other.normals[axis][place]);
        let mut beside = Beside::NOTHING;
        for l in 0..3 {
            let way = |axis: usize| -> Lane { std::array::from_fn(|lane| self.corners[l][axis][lane] - origin[axis]) };
            beside.add([way(0), way(1), way(2)], normal.map(|n| [n; LEAF]), &of_these[l]);
        }
        let apart = beside.certain(&[other.rounding[place]; LEAF], &[other.extents[place]; LEAF]);
        // The other beside the planes of these.
        let mut beside = Beside::NOTHING;
        for k in 0..3 {
            let way = |axis: usize| -> Lane {
                let corner = other.corners[k][axis][place];
                std::array::from_fn(|lane| corner - self.corners[0][axis][lane])
            };
            beside.add([way(0), way(1), way(2)], self.normals, &of_other[k]);
        }
        let beside = beside.certain(&self.rounding, &self.extents);
        // Where all three vertices are common no plane tells anything.
        bits(std::array::from_fn(|lane| !(apart[lane] | beside[lane]) | (common[lane] == 3)))
    }

    /// The two in turn.
    fn left(&self, other: &Leaf, place: usize) -> u32 {
        match self.overlapping(other, place) {
            0 => 0,
            overlapping => overlapping & self.in_doubt(other, place),
        }
    }

    /// A bit for each triangle that may share more than common vertices with the one at a place of another leaf.
    pub fn left_with(&self, other: &Leaf, place: usize, kernel: Kernel) -> u32 {
        match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Avx2` exists only where the machine has AVX2.
            Kernel::Avx2(_) => unsafe { super::leaf_avx2::left(self, other, place) },
            Kernel::Plain => self.left(other, place),
        }
    }
}

/// Which vector instructions are used. The results are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain Rust.
    Plain,
    /// 256-bit vectors; only [`Kernel::detect`] makes it.
    #[cfg(target_arch = "x86_64")]
    Avx2(Found),
}

/// Says that the machine has what a kernel needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found(());

impl Kernel {
    /// The fastest that this machine runs.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Kernel::Avx2(Found(()));
        }
        Kernel::Plain
    }
}

/// Where corners lie beside planes, for each triangle of a leaf.
struct Beside {
    /// The lowest and the highest one that is not common [m³].
    lowest: Lane,
    highest: Lane,
    /// The farthest along an axis [m].
    reach: Lane,
}

impl Beside {
    const NOTHING: Beside =
        Beside { lowest: [f64::INFINITY; LEAF], highest: [f64::NEG_INFINITY; LEAF], reach: [0.0; LEAF] };

    /// Adds a corner by its way from the plane's [m].
    #[inline(always)]
    fn add(&mut self, way: [Lane; 3], normal: [Lane; 3], common: &[bool; LEAF]) {
        for lane in 0..LEAF {
            let [x, y, z] = way.map(|axis| axis[lane]);
            let height = normal[0][lane] * x + normal[1][lane] * y + normal[2][lane] * z;
            let low = if common[lane] { f64::INFINITY } else { height };
            let high = if common[lane] { f64::NEG_INFINITY } else { height };
            self.lowest[lane] = if low < self.lowest[lane] { low } else { self.lowest[lane] };
            self.highest[lane] = if high > self.highest[lane] { high } else { self.highest[lane] };
            for far in [x.abs(), y.abs(), z.abs()] {
                self.reach[lane] = if far > self.reach[lane] { far } else { self.reach[lane] };
            }
        }
    }

    /// Whether all that were added lie strictly on one side.
    #[inline(always)]
    fn certain(&self, rounding: &Lane, extents: &Lane) -> [bool; LEAF] {
        std::array::from_fn(|lane| {
            let doubt = doubt(rounding[lane], extents[lane], self.reach[lane]);
            (self.lowest[lane] > doubt) | (self.highest[lane] < -doubt)
        })
    }
}

#[inline(always)]
fn bits(lanes: [bool; LEAF]) -> u32 {
    let mut all = 0;
    for (lane, bit) in lanes.into_iter().enumerate() {
        all |= u32::from(bit) << lane;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow_phase::triangle_triangle::triangles_meet;

    #[test]
    fn boxes_in_single_precision_hold_the_exact_ones_at_any_scale() {
        for exponent in [-60, -40, -8, 0, 8, 38, 39, 60] {
            let scale = 10f64.powi(exponent);
            for k in 0..100 {
                let x = scale * (f64::from(k) * 0.618_033_988_75).sin();
                let points = [DVec3::new(x, -x, 0.1 * x), DVec3::new(x, 0.3 * x, x), DVec3::new(-x, x, x)];
                let wide = Wide::around(points);
                for axis in 0..3 {
                    for point in points {
                        assert!(f64::from(wide.low[axis]) <= point[axis], "{x}");
                        assert!(f64::from(wide.high[axis]) >= point[axis], "{x}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_the_quick_test_drops_does_not_meet_and_all_kernels_drop_the_same() {
        let mut seed = 11u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as f64 / (1u64 << 23) as f64 - 1.0
        };
        let (mut dropped, mut met) = ([0; 4], 0);
        for round in 0..20_000 {
            // Few places, so that much coincides, and now and then none does.
            let grid = [2.0, 8.0, 1e9][round % 3];
            let mut point = || DVec3::new(random(), random(), random()).map(|x| (x * grid).round() / grid);
            let points: [DVec3; 8] = std::array::from_fn(|_| point());
            let mut pick = |shift: u32| {
                let first = ((random() + 1.0) * 4.0) as u32 % 8;
                [first, (first + 1 + shift % 3) % 8, (first + 5) % 8]
            };
            let triangles: [[u32; 3]; 5] = std::array::from_fn(|k| pick(k as u32));
            let whole = |k: usize| (k as u32, triangles[k], triangles[k].map(|v| points[v as usize]));
            let (these, other) = (Leaf::new((0..4).map(whole)), Leaf::new([4].into_iter().map(whole)));
            let left = these.left_with(&other, 0, Kernel::detect());
            assert_eq!(left, these.left_with(&other, 0, Kernel::Plain));
            for k in 0..4 {
                let shared: Vec<[usize; 2]> = (0..3)
                    .filter_map(|i| triangles[4].iter().position(|&v| v == triangles[k][i]).map(|l| [i, l]))
                    .collect();
                let meets = triangles_meet(whole(k).2, whole(4).2, &shared).is_some();
                if left >> k & 1 == 0 {
                    assert!(!meets, "{points:?} {:?} {:?}", triangles[k], triangles[4]);
                    dropped[shared.len()] += 1;
                }
                met += usize::from(meets);
            }
        }
        assert!(dropped[0] > 1000 && dropped[1] > 1000 && dropped[2] > 1000 && dropped[3] == 0, "{dropped:?}");
        assert!(met > 1000, "{met}");
    }
}
