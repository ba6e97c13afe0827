//! The stretch and shear conditions of Baraff and Witkin (D3): W 3.5–3.8, V 4.19–4.26.
//!
//! With material coordinates (u, v) along warp and weft and w_u, w_v the columns of ∂x/∂(u, v), a triangle of
//! rest area a has the conditions
//!
//! C_u = a^e(‖w_u‖ − b_u), C_v = a^e(‖w_v‖ − b_v), C_s = a^e w_u·w_v,
//!
//! each with the energy ½ k C² and the dissipation k_d Ċ². The energy of a sheet is proportional to its area,
//! so e = ½ is right, and then k is the fabric's stiffness per width in N/m: `stretch_warp`, `stretch_weft`
//! and `shear` as they are. The conditions know no Poisson effect; at small strain they are the membrane with
//! Poisson's ratio 0, and a strip pulled along the warp shows exactly `stretch_warp`. The papers print e = 1
//! (W, V) and ¾ (V's derivatives); with those the same numbers are read as the papers' k, and the result
//! depends on the mesh.
//!
//! In (w_u, w_v) the Hessian is S⊗I + (k_u − S_uu) ŵ_uŵ_uᵀ + (k_v − S_vv) ŵ_vŵ_vᵀ + k_s g gᵀ, where
//! S = [t_u/‖w_u‖, t_s; t_s, t_v/‖w_v‖] holds the tensions and g = (w_v, w_u). k_u − S_uu = k_u b_u/‖w_u‖ is
//! never negative, and along the normal S acts alone: projecting the 2×2 matrix S is the whole projection.

use super::{
    Effort, Force, HessianKind, Layout,
    elements::{Elements, outer, placed_by},
    membrane::positive_part,
};
use crate::{
    domains::{BlockPart, VertexPart},
    system::Past,
};
use glam::{DMat3, DVec2, DVec3};
use muslin_model::{Model, parallel};
use std::ops::Range;

/// What a scene may choose of the conditions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Exponent of the area that scales the conditions [-]: ½ is right; 1 and ¾ are the papers'.
    pub area_exponent: f64,
    /// b_u, b_v: the lengths of w_u and w_v at rest [-].
    pub rest: [f64; 2],
}

impl Default for Conditions {
    fn default() -> Self {
        Conditions { area_exponent: 0.5, rest: [1.0, 1.0] }
    }
}

/// One triangle.
#[derive(Clone, Copy, Debug)]
struct Triangle {
    /// ∇λ₁ and ∇λ₂ in material coordinates [1/m]; ∇λ₀ is minus their sum.
    gradients: [DVec2; 2],
    /// a^{2e} times the stiffnesses of C_u, C_v, C_s [N·m].
    stiffness: DVec3,
    /// a^{2e} times their viscosities [N·m·s].
    viscosity: DVec3,
}

/// Stretch and shear of all triangles that use the conditions.
pub struct BaraffWitkin {
    rest: DVec3,
    elements: Elements<3>,
    triangles: Vec<Triangle>,
    /// Past values of ‖w_u‖, ‖w_v‖, w_u·w_v [-].
    past: Vec<DVec3>,
    tau: f64,
}

impl BaraffWitkin {
    /// The conditions of some faces of the model.
    pub fn new(model: &Model, faces: &[u32], conditions: Conditions, layout: &Layout) -> Self {
        let stencils: Vec<[u32; 3]> = faces.iter().map(|&f| model.mesh.triangles[f as usize]).collect();
        let (elements, order) = Elements::new(&stencils, layout);
        let triangles: Vec<Triangle> =
            order.iter().map(|&k| Triangle::new(model, faces[k as usize] as usize, conditions.area_exponent)).collect();
        let [bu, bv] = conditions.rest;
        BaraffWitkin {
            rest: DVec3::new(bu, bv, 0.0),
            elements,
            past: vec![DVec3::ZERO; triangles.len()],
            triangles,
            tau: f64::INFINITY,
        }
    }

    /// Tensions: derivatives of U + D by (‖w_u‖, ‖w_v‖, w_u·w_v) [N·m], and U + D.
    #[inline]
    fn tensions(&self, t: usize, now: DVec3) -> (DVec3, Effort) {
        let (triangle, strain, change) = (&self.triangles[t], now - self.rest, now - self.past[t]);
        let (elastic, viscous) = (triangle.stiffness * strain, triangle.viscosity * change / self.tau);
        let lost = viscous.dot(change);
        let potential = 0.5 * (elastic.dot(strain) + lost);
        (elastic + viscous, Effort { potential, power: -lost / self.tau })
    }
}

impl Triangle {
    fn new(model: &Model, face: usize, exponent: f64) -> Self {
        let [p0, p1, p2] = model.mesh.uv[face];
        let (a, b) = (p1 - p0, p2 - p0);
        let det = a.perp_dot(b);
        let m = &model.materials[face];
        let scale = (0.5 * det).powf(2.0 * exponent);
        Triangle {
            gradients: [DVec2::new(b.y, -b.x) / det, DVec2::new(-a.y, a.x) / det],
            stiffness: DVec3::new(m.stretch_warp, m.stretch_weft, m.shear) * scale,
            viscosity: DVec3::new(m.damping_warp, m.damping_weft, m.damping_shear) * scale,
        }
    }

    /// w_u and w_v of positions, or their rates of velocities.
    #[inline]
    fn deformation(&self, x: [DVec3; 3]) -> [DVec3; 2] {
        let [g1, g2] = self.gradients;
        let (d1, d2) = (x[1] - x[0], x[2] - x[0]);
        [d1 * g1.x + d2 * g2.x, d1 * g1.y + d2 * g2.y]
    }

    /// Gradient on the corners of an energy with these tensions.
    #[inline]
    fn gradient(&self, w: [DVec3; 2], tensions: DVec3) -> [DVec3; 3] {
        let [du, dv] = [unit(w[0]), unit(w[1])];
        let (pu, pv) = (du * tensions.x + w[1] * tensions.z, dv * tensions.y + w[0] * tensions.z);
        let [g1, g2] = self.gradients.map(|g| pu * g.x + pv * g.y);
        [-(g1 + g2), g1, g2]
    }
}

/// ‖w_u‖, ‖w_v‖, w_u·w_v.
#[inline]
fn measures([wu, wv]: [DVec3; 2]) -> DVec3 {
    DVec3::new(wu.length(), wv.length(), wu.dot(wv))
}

/// The direction of a vector; a triangle collapsed onto a line has none, and then no force along it.
#[inline]
fn unit(w: DVec3) -> DVec3 {
    w.normalize_or_zero()
}

impl Force for BaraffWitkin {
    fn name(&self) -> &'static str {
        "baraff-witkin"
    }

    placed_by!(elements);

    fn energy(&self, elements: Range<usize>, positions: &[DVec3]) -> f64 {
        elements
            .map(|t| {
                let w = self.triangles[t].deformation(self.elements.gather(t, positions));
                let strain = measures(w) - self.rest;
                0.5 * (self.triangles[t].stiffness * strain).dot(strain)
            })
            .sum()
    }

    fn add_force(
        &self,
        elements: Range<usize>,
        positions: &[DVec3],
        velocities: &[DVec3],
        out: &mut VertexPart,
    ) -> f64 {
        let mut power = 0.0;
        for t in elements {
            let triangle = &self.triangles[t];
            let w @ [wu, wv] = triangle.deformation(self.elements.gather(t, positions));
            let [vu, vv] = triangle.deformation(self.elements.gather(t, velocities));
            let rate = DVec3::new(unit(wu).dot(vu), unit(wv).dot(vv), wu.dot(vv) + wv.dot(vu));
            let tensions = triangle.stiffness * (measures(w) - self.rest) + triangle.viscosity * rate;
            power -= (triangle.viscosity * rate).dot(rate);
            self.elements.scatter(t, triangle.gradient(w, tensions).map(|g| -g), out);
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.tau = past.tau;
        let (elements, triangles) = (&self.elements, &self.triangles);
        parallel::fill(&mut self.past, |t| {
            let at = |x: &[DVec3]| measures(triangles[t].deformation(elements.gather(t, x)));
            if past.two_steps() { past.combine(at(past.start), at(past.before)) } else { at(past.start) }
        });
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        for t in elements {
            let w = self.triangles[t].deformation(self.elements.gather(t, positions));
            let (tensions, stored) = self.tensions(t, measures(w));
            effort += stored;
            self.elements.scatter(t, self.triangles[t].gradient(w, tensions), out);
        }
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        for t in elements {
            let triangle = &self.triangles[t];
            let w @ [wu, wv] = triangle.deformation(self.elements.gather(t, positions));
            let now = measures(w);
            let (tensions, _) = self.tensions(t, now);
            let k = triangle.stiffness + triangle.viscosity / self.tau;
            let over = |tension: f64, length: f64| if length > 0.0 { tension / length } else { 0.0 };
            let mut s = DVec3::new(over(tensions.x, now.x), over(tensions.y, now.y), tensions.z);
            let mut along = DVec2::new(k.x - s.x, k.y - s.y);
            if kind != HessianKind::Exact {
                s = positive_part(s);
                // Negative only when two-step extrapolation overshoots a collapse.
                along = along.max(DVec2::ZERO);
            }
            let (uu, vv) = (outer(unit(wu), unit(wu)) * along.x, outer(unit(wv), unit(wv)) * along.y);
            // Second derivatives by (w_u, w_v).
            let h_uu = DMat3::from_diagonal(DVec3::splat(s.x)) + uu + outer(wv, wv) * k.z;
            let h_vv = DMat3::from_diagonal(DVec3::splat(s.y)) + vv + outer(wu, wu) * k.z;
            let h_uv = DMat3::from_diagonal(DVec3::splat(s.z)) + outer(wv, wu) * k.z;
            let h_vu = h_uv.transpose();
            let [g1, g2] = triangle.gradients;
            let corners = [-(g1 + g2), g1, g2];
            let block = |i: usize, j: usize| {
                let (a, b) = (corners[i], corners[j]);
                h_uu * (a.x * b.x) + h_vv * (a.y * b.y) + h_uv * (a.x * b.y) + h_vu * (a.y * b.x)
            };
            self.elements.scatter_blocks(t, block, out);
        }
    }
}
