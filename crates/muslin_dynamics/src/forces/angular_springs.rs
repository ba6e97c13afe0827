//! D1: the angular springs of A 3.2, between each vertex of a grid and its opposite neighbours, straight at
//! rest. Energy ½ k φ², with φ the angle between the two segments a and b.
//!
//! φ itself has a kink at 0, but φ² does not: everything is written in c = cos φ = â·b̂, with
//! d(½φ²)/dc = −φ/sin φ and d²(½φ²)/dc² = (sin φ − φ cos φ)/sin³φ, both smooth at 0.
//!
//! # From a fabric to constants
//! A has one k_c for all. From a fabric: along the grid a spring k over a node with spacing a and width b adds
//! k a/b to D₁₁. The two diagonals of length d, at ±ψ to the grid, add Q cos⁴ψ to D₁₁, Q sin⁴ψ to D₂₂ and
//! 3Q cos²ψ sin²ψ to D₁₂ + 2D₃₃, with Q = 2k d²/(ab). Q is chosen for the fabric's bias rigidity, the others
//! for warp and weft: cylinders along 0°, 45° and 90° are right on square cells. At the border, where a
//! vertex has no diagonals, the springs along it carry all.
//!
//! A has no damping here, and a rate of φ would have no direction at φ = 0: these springs are elastic only.
//!
//! # Projection
//! Out of the plane of a and b the Hessian has the eigenvalues φ/sin φ (cos φ ± 1) in the scaled coordinates
//! |a|δa, |b|δb: one is never positive. In the plane it is k∇φ∇φᵀ plus an indefinite part. Both losses
//! vanish at φ = 0, where the rest is exact.

use super::{
    Effort, Force, HessianKind, Layout,
    elements::{Elements, outer, placed_by},
    grid_cells::{self, Grid, GridError},
    springs_mesh::rigidity_along,
};
use crate::{
    domains::{BlockPart, VertexPart},
    system::Past,
};
use glam::{DMat3, DVec2, DVec3};
use muslin_model::Model;
use std::ops::Range;

/// Below this angle series replace the quotients [rad]: their next terms are of relative size φ⁶, the
/// quotients' round-off is ε/φ³.
const SMALL_ANGLE: f64 = 0.02;

/// A spring folded back onto itself, with a sine below this, has no direction to unfold in [-]: its
/// derivatives are 0. Round-off leaves seven digits of the direction at this sine.
const FOLDED: f64 = 1e-9;

/// Where the constants of angular springs come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AngularStiffness {
    /// From the fabric's bending rigidities.
    Material,
    /// The same k_c for all (A 3.2) [N·m].
    Given(f64),
}

/// Angular springs of cloths that are grids.
pub struct AngularSprings {
    elements: Elements<3>,
    /// k of each [N·m].
    stiffness: Vec<f64>,
}

impl AngularSprings {
    /// Four springs over each inner vertex (both grid lines, both diagonals), one along each border.
    pub fn new(model: &Model, faces: &[u32], stiffness: AngularStiffness, layout: &Layout) -> Result<Self, GridError> {
        let (mut stencils, mut values) = (Vec::new(), Vec::new());
        for grid in grid_cells::find(model, faces)? {
            let [nx, ny] = grid.size;
            for i in 0..nx {
                for j in 0..ny {
                    let constants = constants(&grid, i, j);
                    for (k, [di, dj]) in [[1, 0], [0, 1], [1, 1], [1, -1]].into_iter().enumerate() {
                        let at = |s: isize| {
                            let (a, b) = (i as isize + s * di, j as isize + s * dj);
                            let inside = (0..nx as isize).contains(&a) && (0..ny as isize).contains(&b);
                            inside.then(|| grid.vertex(a as usize, b as usize))
                        };
                        if let (Some(low), Some(high)) = (at(-1), at(1)) {
                            grid.check_straight(i, j, [di, dj])?;
                            stencils.push([low, grid.vertex(i, j), high]);
                            values.push(match stiffness {
                                AngularStiffness::Material => constants[k.min(2)],
                                AngularStiffness::Given(k_c) => k_c,
                            });
                        }
                    }
                }
            }
        }
        let (elements, order) = Elements::new(&stencils, layout);
        Ok(AngularSprings { stiffness: order.iter().map(|&k| values[k as usize]).collect(), elements })
    }
}

/// Constants at a vertex: along i, along j, of each diagonal.
fn constants(grid: &Grid, i: usize, j: usize) -> [f64; 3] {
    let cells = grid.cells_around(i, j);
    let mean = |value: &dyn Fn(&grid_cells::Cell) -> f64| cells.iter().map(value).sum::<f64>() / cells.len() as f64;
    let [a, b] = [0, 1].map(|axis| mean(&|c| c.sides[axis].length()));
    let rigidity = |direction: &dyn Fn([DVec2; 2]) -> DVec2| {
        mean(&|c| c.mean(|m| rigidity_along(m, direction(c.sides.map(|s| s.normalize())).normalize())))
    };
    let [b1, b2] = [rigidity(&|axes| axes[0]), rigidity(&|axes| axes[1])];
    let bias = 0.5 * (rigidity(&|axes| axes[0] + axes[1]) + rigidity(&|axes| axes[0] - axes[1]));
    let diagonal = a * a + b * b;
    let (c2, s2) = (a * a / diagonal, b * b / diagonal);
    // The model refuses a bias rigidity that would make this negative.
    let q = if cells.len() == 4 { ((4.0 * bias - b1 - b2) / (6.0 * c2 * s2)).max(0.0) } else { 0.0 };
    // At a border only half the width belongs to the spring.
    let (i_inside, j_inside) = (i > 0 && i + 1 < grid.size[0], j > 0 && j + 1 < grid.size[1]);
    let width = |inside: bool| if inside { 1.0 } else { 0.5 };
    [
        (b1 - q * c2 * c2).max(0.0) * b / a * width(j_inside),
        (b2 - q * s2 * s2).max(0.0) * a / b * width(i_inside),
        q * a * b / (2.0 * diagonal),
    ]
}

/// What the derivatives of one spring share; a runs from the first vertex to the middle, b from there on.
struct Bend {
    /// Unit vectors and inverse lengths.
    unit: [DVec3; 2],
    inverse: [f64; 2],
    cosine: f64,
    angle: f64,
    /// φ/sin φ.
    ratio: f64,
}

impl Bend {
    /// A segment without length has no direction: its derivatives are zero.
    #[inline]
    fn new([x0, x1, x2]: [DVec3; 3]) -> Self {
        let unit = [(x1 - x0).normalize_or_zero(), (x2 - x1).normalize_or_zero()];
        let inverse = [x1 - x0, x2 - x1].map(|s| if s == DVec3::ZERO { 0.0 } else { 1.0 / s.length() });
        let (sine, cosine) = (unit[0].cross(unit[1]).length(), unit[0].dot(unit[1]));
        let angle = sine.atan2(cosine);
        let square = angle * angle;
        let ratio = if angle < SMALL_ANGLE {
            1.0 + square / 6.0 + 7.0 * square * square / 360.0
        } else if sine > FOLDED {
            angle / sine
        } else {
            0.0
        };
        Bend { unit, inverse, cosine, angle, ratio }
    }

    /// Derivatives of cos φ by a and b.
    #[inline]
    fn slopes(&self) -> [DVec3; 2] {
        let ([a, b], [ia, ib]) = (self.unit, self.inverse);
        [(b - a * self.cosine) * ia, (a - b * self.cosine) * ib]
    }

    /// Second derivatives of ½φ² by (a, a), (a, b), (b, b).
    fn exact(&self) -> [DMat3; 3] {
        let ([a, b], [ia, ib], c) = (self.unit, self.inverse, self.cosine);
        let [ca, cb] = self.slopes();
        let square = self.angle * self.angle;
        if self.ratio == 0.0 {
            return [DMat3::ZERO; 3];
        }
        let curve = if self.angle < SMALL_ANGLE {
            1.0 / 3.0 + 2.0 * square / 15.0 + 2.0 * square * square / 63.0
        } else {
            (1.0 - self.ratio * c) / self.angle.sin().powi(2)
        };
        let (pa, pb) = (DMat3::IDENTITY - outer(a, a), DMat3::IDENTITY - outer(b, b));
        let own = |u: DVec3, slope: DVec3, p: DMat3, i: f64| -(outer(u, slope) + outer(slope, u) + p * (c * i)) * i;
        let caa = own(a, ca, pa, ia);
        let cbb = own(b, cb, pb, ib);
        let cab = pa * pb * (ia * ib);
        [
            outer(ca, ca) * curve - caa * self.ratio,
            outer(ca, cb) * curve - cab * self.ratio,
            outer(cb, cb) * curve - cbb * self.ratio,
        ]
    }

    /// The positive part that stays exact at φ = 0.
    fn projected(&self) -> [DMat3; 3] {
        let ([a, b], [ia, ib], c) = (self.unit, self.inverse, self.cosine);
        let across = b - a * c;
        let sine = across.length();
        // Unit vectors of ∂φ/∂a and ∂φ/∂b in the plane; any plane will do for a straight spring.
        let (ta, tb, n) = if sine > f64::EPSILON.sqrt() {
            (-across / sine, -(a - b * c).normalize_or_zero(), a.cross(b) / sine)
        } else if a == DVec3::ZERO {
            (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO)
        } else {
            let (t, n) = a.any_orthonormal_pair();
            (-t, t, n)
        };
        let (ga, gb) = (ta * ia, tb * ib);
        let out = outer(n, n) * (0.5 * self.ratio * (1.0 + c));
        [outer(ga, ga) + out * (ia * ia), outer(ga, gb) - out * (ia * ib), outer(gb, gb) + out * (ib * ib)]
    }
}

impl Force for AngularSprings {
    fn name(&self) -> &'static str {
        "angular-springs"
    }

    placed_by!(elements);

    fn energy(&self, elements: Range<usize>, positions: &[DVec3]) -> f64 {
        elements.map(|s| 0.5 * self.stiffness[s] * Bend::new(self.elements.gather(s, positions)).angle.powi(2)).sum()
    }

    fn add_force(&self, elements: Range<usize>, positions: &[DVec3], _: &[DVec3], out: &mut VertexPart) -> f64 {
        for s in elements {
            let bend = Bend::new(self.elements.gather(s, positions));
            let [ga, gb] = bend.slopes().map(|slope| slope * (self.stiffness[s] * bend.ratio));
            self.elements.scatter(s, [-ga, ga - gb, gb], out);
        }
        0.0
    }

    fn begin_step(&mut self, _: &Past) {}

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        for s in elements {
            let bend = Bend::new(self.elements.gather(s, positions));
            effort.potential += 0.5 * self.stiffness[s] * bend.angle * bend.angle;
            let [ga, gb] = bend.slopes().map(|slope| slope * (self.stiffness[s] * bend.ratio));
            self.elements.scatter(s, [ga, gb - ga, -gb], out);
        }
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        // a and b as combinations of the three vertices.
        const A: [f64; 3] = [-1.0, 1.0, 0.0];
        const B: [f64; 3] = [0.0, -1.0, 1.0];
        for s in elements {
            let bend = Bend::new(self.elements.gather(s, positions));
            let second = if kind == HessianKind::Exact { bend.exact() } else { bend.projected() };
            let [aa, ab, bb] = second.map(|h| h * self.stiffness[s]);
            let ba = ab.transpose();
            let block =
                |i: usize, j: usize| aa * (A[i] * A[j]) + ab * (A[i] * B[j]) + ba * (B[i] * A[j]) + bb * (B[i] * B[j]);
            self.elements.scatter_blocks(s, block, out);
        }
    }
}
