//! Measured fabric as tables: stiffness over strain and direction, rigidity over curvature and direction (D4).
//!
//! # The data model
//! Wang, Ramamoorthi and O'Brien (2011) give a fabric as a stiffness matrix C that depends on the strain: S = C(E) E with
//! the Green strain E in the warp–weft frame. C is orthotropic: C₁₁, C₂₂, C₁₂ and a shear modulus C₃₃. It is known at
//! rest, and at one larger principal elongation for five directions of the principal axis, 0° to 90° from the warp;
//! between them it is linear, beyond the last elongation it stays. Directions α and −α are the same fabric.
//!
//! # What is added
//! - *Definite.* Fits have entries that no elastic fabric can have: a negative shear modulus, a C₁₂ beyond √(C₁₁C₂₂).
//!   [`StretchTable::new`] replaces each row by its positive semi-definite part. Between rows it then is one too.
//! - *Continuous.* Where both principal elongations are equal there is no principal direction and C would jump. Tests of
//!   strips never come near: their second elongation is a contraction. Between a second elongation of 0 and the
//!   equal one C goes from the directional value to the mean over all directions.
//!
//! # What S = C(E) E is not
//! It is not the derivative of an energy: the fit has a stiffness, not a potential. A potential from the same table (its
//! work along straight paths, [`StretchTable::work`]) would add the derivatives of C, which are those of the noise of the
//! measurement: rows 22.5° apart give the shear modulus a share of ¼ ∂²C₁₁/∂α², of either sign and larger than C₃₃ itself. So
//! the law is kept as measured, and the force says how a step treats it.

use glam::{DVec2, DVec3};
use std::sync::Arc;

/// C₁₁, C₂₂, C₁₂ and the shear modulus C₃₃: shear force per width and unit of γ = 2E₁₂ [N/m].
pub type Stiffness = [f64; 4];

/// Directions of the principal axis in a [`StretchTable`]: multiples of 22.5° from the warp to the weft.
pub const DIRECTIONS: usize = 5;

/// Points and weights of Gauss's rule with four points on [0, 1]: exact to degree 7, and what it is used on is smooth
/// between the nodes of a table.
const GAUSS: [[f64; 2]; 4] = [
    [0.069_431_844_202_973_71, 0.173_927_422_568_726_93],
    [0.330_009_478_207_571_87, 0.326_072_577_431_273_07],
    [0.669_990_521_792_428_1, 0.326_072_577_431_273_07],
    [0.930_568_155_797_026_3, 0.173_927_422_568_726_93],
];

/// Membrane stiffness over principal elongation and direction.
#[derive(Clone, Debug, PartialEq)]
pub struct StretchTable {
    elongation: f64,
    rest: Stiffness,
    strained: [Stiffness; DIRECTIONS],
    mean: Stiffness,
}

impl StretchTable {
    /// From the stiffness at rest and, for each direction, at a principal elongation [-].
    pub fn new(rest: Stiffness, elongation: f64, strained: [Stiffness; DIRECTIONS]) -> Self {
        let (rest, strained) = (definite(rest), strained.map(definite));
        // The trapezoidal rule over the quarter turn.
        let weight = |k: usize| if k == 0 || k + 1 == DIRECTIONS { 0.5 } else { 1.0 } / (DIRECTIONS - 1) as f64;
        let mean = std::array::from_fn(|i| (0..DIRECTIONS).map(|k| weight(k) * strained[k][i]).sum());
        StretchTable { elongation, rest, strained, mean }
    }

    /// Stiffness at rest [N/m].
    pub fn rest(&self) -> Stiffness {
        self.rest
    }

    /// The elongation of the strained rows [-].
    pub fn elongation(&self) -> f64 {
        self.elongation
    }

    /// The strained rows, from the warp to the weft [N/m].
    pub fn strained(&self) -> &[Stiffness; DIRECTIONS] {
        &self.strained
    }

    /// The stiffness at a strain (E₁₁, E₂₂, γ) [N/m].
    pub fn at(&self, strain: DVec3) -> Stiffness {
        let (mean, half) = (0.5 * (strain.x + strain.y), DVec2::new(0.5 * (strain.x - strain.y), 0.5 * strain.z));
        let radius = half.length();
        // Elongation √(1 + 2E) − 1 of a principal strain; a triangle that is flattened has lost its whole length.
        let elongation = |e: f64| (1.0 + 2.0 * e).max(0.0).sqrt() - 1.0;
        let [first, second] = [elongation(mean + radius), elongation(mean - radius)];
        if first <= 0.0 {
            return self.rest;
        }
        let part = (first / self.elongation).min(1.0);
        let directed = 1.0 - (second / first).clamp(0.0, 1.0);
        // Twice the angle of the principal axis is that of (E₁₁ − E₂₂, 2E₁₂); mirror images are the same.
        let place = 0.5 * half.y.abs().atan2(half.x) / std::f64::consts::FRAC_PI_2 * (DIRECTIONS - 1) as f64;
        let row = (place as usize).min(DIRECTIONS - 2);
        let between = place - row as f64;
        std::array::from_fn(|i| {
            let along = self.strained[row][i] * (1.0 - between) + self.strained[row + 1][i] * between;
            let there = self.mean[i] + directed * (along - self.mean[i]);
            self.rest[i] + part * (there - self.rest[i])
        })
    }

    /// Work per area that the law takes along the straight path to a strain (E₁₁, E₂₂, γ) [J/m²].
    pub fn work(&self, strain: DVec3) -> f64 {
        let (mean, radius) = (0.5 * (strain.x + strain.y), (0.5 * (strain.x - strain.y)).hypot(0.5 * strain.z));
        let last = 0.5 * ((1.0 + self.elongation).powi(2) - 1.0);
        // Where the path leaves the table.
        let end = if mean + radius > last { last / (mean + radius) } else { 1.0 };
        let power = |t: f64| stress(self.at(strain * t), strain * t).dot(strain);
        integral(0.0, end, power) + if end < 1.0 { integral(end, 1.0, power) } else { 0.0 }
    }
}

/// S₁₁, S₂₂, S₁₂ of a stiffness and a strain (E₁₁, E₂₂, γ) [N/m].
#[inline]
pub fn stress([c11, c22, c12, c33]: Stiffness, e: DVec3) -> DVec3 {
    DVec3::new(c11 * e.x + c12 * e.y, c12 * e.x + c22 * e.y, c33 * e.z)
}

/// The positive semi-definite part.
fn definite([c11, c22, c12, c33]: Stiffness) -> Stiffness {
    let (mean, half) = (0.5 * (c11 + c22), 0.5 * (c11 - c22));
    let radius = half.hypot(c12);
    let (low, high) = ((mean - radius).max(0.0), (mean + radius).max(0.0));
    if low == mean - radius || radius == 0.0 {
        return [c11.max(0.0), c22.max(0.0), c12, c33.max(0.0)];
    }
    // low + (high − low) e eᵀ with e the eigenvector of `high`.
    let (a, b, c) = (0.5 * (1.0 + half / radius), 0.5 * (1.0 - half / radius), 0.5 * c12 / radius);
    [low + (high - low) * a, low + (high - low) * b, (high - low) * c, c33.max(0.0)]
}

fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    (to - from) * GAUSS.iter().map(|[x, w]| w * f(from + (to - from) * x)).sum::<f64>()
}

/// Bending rigidity over curvature along the warp, at 45° and along the weft.
#[derive(Clone, Debug, PartialEq)]
pub struct BendTable {
    rows: Vec<BendRow>,
}

/// One row of a [`BendTable`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BendRow {
    /// Curvature [1/m].
    pub curvature: f64,
    /// Secant rigidity, moment over curvature, along the warp [N·m].
    pub warp: f64,
    /// At 45° [N·m].
    pub bias: f64,
    /// Along the weft [N·m].
    pub weft: f64,
}

impl BendTable {
    /// From rows with growing curvatures, at least one. A bias below a quarter of warp and weft together is raised to it:
    /// no orthotropic plate without Poisson's effect can have less, its twisting would have a negative stiffness.
    pub fn new(mut rows: Vec<BendRow>) -> Self {
        assert!(!rows.is_empty(), "a table has rows");
        rows.iter_mut().for_each(|row| row.bias = row.bias.max(0.25 * (row.warp + row.weft)));
        BendTable { rows }
    }

    /// Its rows.
    pub fn rows(&self) -> &[BendRow] {
        &self.rows
    }

    /// Rigidity along warp, at 45° and along weft at a curvature [N·m]; linear between rows, constant beyond them.
    pub fn at(&self, curvature: f64) -> DVec3 {
        let value = |row: &BendRow| DVec3::new(row.warp, row.bias, row.weft);
        let k = curvature.abs();
        let next = self.rows.iter().position(|row| row.curvature > k);
        match next {
            Some(0) => value(&self.rows[0]),
            Some(n) => {
                let (low, high) = (&self.rows[n - 1], &self.rows[n]);
                let part = (k - low.curvature) / (high.curvature - low.curvature);
                value(low) * (1.0 - part) + value(high) * part
            }
            None => value(&self.rows[self.rows.len() - 1]),
        }
    }

    /// ∫₀¹ f(t) dt of a function that is smooth wherever the table is at t times a curvature [1/m].
    pub fn along(&self, curvature: f64, f: impl Fn(f64) -> f64) -> f64 {
        let (mut from, mut sum) = (0.0, 0.0);
        for row in &self.rows {
            let to = if row.curvature < curvature.abs() { row.curvature / curvature.abs() } else { 1.0 };
            sum += integral(from, to, &f);
            from = to;
        }
        sum + integral(from, 1.0, &f)
    }
}

/// The tables of a fabric, where it has some.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FabricTables {
    /// Of the membrane.
    pub stretch: Option<Arc<StretchTable>>,
    /// Of bending.
    pub bend: Option<Arc<BendTable>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> StretchTable {
        let strained = [
            [300.0, 80.0, 10.0, 20.0],
            [250.0, 90.0, 20.0, 30.0],
            [200.0, 100.0, 30.0, 40.0],
            [150.0, 160.0, 20.0, 50.0],
            [100.0, 200.0, 10.0, 60.0],
        ];
        StretchTable::new([100.0, 50.0, 5.0, 10.0], 0.2, strained)
    }

    /// Green strain of an elongation along a direction, with a contraction across.
    fn pulled(elongation: f64, across: f64, degrees: f64) -> DVec3 {
        let green = |e: f64| 0.5 * ((1.0 + e) * (1.0 + e) - 1.0);
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (a, b) = (green(elongation), green(across));
        DVec3::new(a * cos * cos + b * sin * sin, a * sin * sin + b * cos * cos, 2.0 * (a - b) * sin * cos)
    }

    #[test]
    fn rows_and_the_middles_between_them_are_found_whatever_the_side() {
        let near = |a: Stiffness, b: Stiffness| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-9);
        for sign in [1.0, -1.0] {
            assert!(near(table().at(pulled(0.2, -0.05, 0.0)), [300.0, 80.0, 10.0, 20.0]));
            assert!(near(table().at(pulled(0.2, -0.05, sign * 45.0)), [200.0, 100.0, 30.0, 40.0]));
            assert!(near(table().at(pulled(0.2, -0.05, sign * 90.0)), [100.0, 200.0, 10.0, 60.0]));
            assert!(near(table().at(pulled(0.2, 0.0, sign * 56.25)), [175.0, 130.0, 25.0, 45.0]));
            assert!(near(table().at(pulled(0.1, -0.02, sign * 45.0)), [150.0, 75.0, 17.5, 25.0]));
        }
        // Beyond the table, compressed, and pulled alike in all directions.
        assert!(near(table().at(pulled(0.7, -0.1, 90.0)), [100.0, 200.0, 10.0, 60.0]));
        assert!(near(table().at(pulled(-0.1, -0.2, 30.0)), table().rest()));
        assert!(near(table().at(pulled(0.2, 0.2, 12.0)), [200.0, 122.5, 20.0, 40.0]));
    }

    #[test]
    fn stiffness_is_continuous_where_the_principal_direction_turns() {
        for e in [0.05, 0.2, 0.4] {
            let [a, b] = [0.0, 90.0].map(|degrees| table().at(pulled(e, e - 1e-9, degrees)));
            assert!(a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-4), "{a:?} {b:?}");
        }
    }

    #[test]
    fn rows_become_the_nearest_that_a_fabric_can_have() {
        let [c11, c22, c12, c33] = definite([48.0, 180.0, 100.0, -3.0]);
        assert!(c33 == 0.0 && c12 * c12 <= c11 * c22 * (1.0 + 1e-12));
        // What is left out is the negative eigenvalue's part alone: trace and determinant tell.
        let radius = 66f64.hypot(100.0);
        assert!((c11 + c22 - (114.0 + radius)).abs() < 1e-9 && (c11 * c22 - c12 * c12).abs() < 1e-9);
        assert_eq!(definite([3.0, 2.0, -1.0, 4.0]), [3.0, 2.0, -1.0, 4.0]);
    }

    #[test]
    fn work_is_the_sum_of_small_steps_along_the_straight_path() {
        for strain in [pulled(0.15, -0.04, 31.0), pulled(0.5, -0.1, 12.0), pulled(0.3, 0.1, 80.0)] {
            let steps = 20_000;
            let at = |k: f64| stress(table().at(strain * (k / steps as f64)), strain * (k / steps as f64)).dot(strain);
            let sum: f64 = (0..steps).map(|k| at(k as f64 + 0.5)).sum::<f64>() / steps as f64;
            assert!((table().work(strain) / sum - 1.0).abs() < 1e-7, "{} {sum}", table().work(strain));
        }
    }

    #[test]
    fn rigidity_is_linear_between_rows_and_the_bias_is_possible() {
        let row = |curvature, warp, bias, weft| BendRow { curvature, warp, bias, weft };
        let table = BendTable::new(vec![row(0.0, 4.0, 3.0, 2.0), row(10.0, 8.0, 1.0, 4.0)]);
        assert_eq!(table.at(0.0), DVec3::new(4.0, 3.0, 2.0));
        assert_eq!(table.at(-5.0), DVec3::new(6.0, 3.0, 3.0));
        assert_eq!(table.at(50.0), DVec3::new(8.0, 3.0, 4.0));
        // ∫ 2t B(tκ) dt for κ = 20: up to the middle B grows from 4 to 8, then stays.
        let by_hand = 4.0 * 0.25 + 8.0 * (2.0 / 3.0) * 0.125 + 8.0 * 0.75;
        assert!((table.along(20.0, |t| 2.0 * t * table.at(20.0 * t).x) - by_hand).abs() < 1e-12);
    }
}
