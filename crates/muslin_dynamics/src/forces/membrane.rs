//! The default stretch model: an orthotropic St. Venant–Kirchhoff membrane on linear triangles.
//!
//! With material coordinates (u, v) along warp and weft, F = ∂x/∂(u, v) has the columns f_u, f_v. The
//! Green strain has E₁₁ = ½(f_u·f_u − 1), E₂₂ = ½(f_v·f_v − 1) and the shear γ = f_u·f_v. Energy per area:
//!
//! ψ = ½ C₁₁E₁₁² + C₁₂E₁₁E₂₂ + ½ C₂₂E₂₂² + ½ C₃₃γ²,
//! C₁₁ = k_u/(1−ν²), C₂₂ = k_v/(1−ν²), C₁₂ = ν√(k_u k_v)/(1−ν²), C₃₃ = shear,
//!
//! so that a strip pulled along the warp shows exactly k_u. Viscosity acts on the rate of each component
//! (Kelvin–Voigt), see [`super`] for its incremental potential. The Hessian is Σ ∂E C ∂E + S⊗I; the first
//! part is positive semi-definite, and the second is exactly when the 2×2 stress S is, because along the
//! normal nothing else acts. Projecting S is therefore the whole projection: no 9×9 eigenproblem.
//!
//! # Measured fabric (D4)
//! [`Membrane::tabulated`] takes C from a table over strain and direction ([`muslin_model::fabric_table`]): S = C(E) E. That
//! law has no potential, so a step makes one: C is that of the past, the mean of the tables at the two last committed
//! states, and constant within the step. All that is said above then holds within a step, Newton's method sees exact
//! derivatives, and at rest, where past and present are the same, S = C(E) E holds exactly. Why two states: at equilibrium
//! a stiffening fabric that takes C from one state overshoots by q = E C′/C, near 1 for knits, and calms down as (−q)ⁿ; the mean of two
//! calms down as √(q/2)ⁿ or faster. The price is owned: C lags by a step and a half, which backward Euler's own damping
//! outweighs for every q < 1 but the second-order scheme's does not; and around a closed loop of strains the law may give
//! work, as the fit itself may. [`Force::energy`] is the work along the straight path from rest.

use super::{Effort, Force, HessianKind, Layout};
use crate::{
    domains::{BlockPart, ElementRanges, Slot, VertexPart},
    linear::Pattern,
    system::Past,
};
use glam::{DMat3, DVec2, DVec3};
use muslin_model::{Model, StretchTable, parallel};
use std::{ops::Range, sync::Arc};

/// One triangle.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// ∇λ₁ and ∇λ₂ in material coordinates [1/m]; ∇λ₀ is minus their sum.
    gradients: [DVec2; 2],
    /// Rest area [m²].
    area: f64,
    /// C₁₁, C₂₂, C₁₂, C₃₃ [N/m].
    stiffness: [f64; 4],
    /// Viscosities of E₁₁, E₂₂, γ [N·s/m].
    viscosity: [f64; 3],
}

/// E₁₁, E₂₂, γ [-].
type Strain = DVec3;

/// The membrane force of all triangles that use it.
pub struct Membrane {
    /// Where each element's stiffness comes from; empty where it is constant.
    tables: Vec<Arc<StretchTable>>,
    ranges: ElementRanges,
    stencils: Vec<[u32; 3]>,
    elements: Vec<Element>,
    slots: Vec<[Slot; 6]>,
    past_strains: Vec<Strain>,
    /// Area times the stress of each element [N·m]: at the start of the step, then what `carry` foretells.
    carried_stresses: Vec<DVec3>,
    tau: f64,
}

impl Membrane {
    /// The membrane of some faces of the model.
    pub fn new(model: &Model, faces: &[u32], layout: &Layout) -> Self {
        let stencil = |face: u32| model.mesh.triangles[face as usize].map(|v| layout.solver_from_model[v as usize]);
        let unsorted: Vec<[u32; 3]> = faces.iter().map(|&f| stencil(f)).collect();
        let (order, ranges) = layout.domains.sort_elements(unsorted.iter().map(|s| &s[..]));
        let elements: Vec<Element> = order.iter().map(|&k| Element::new(model, faces[k as usize] as usize)).collect();
        Membrane {
            tables: Vec::new(),
            stencils: order.iter().map(|&k| unsorted[k as usize]).collect(),
            past_strains: vec![Strain::ZERO; elements.len()],
            carried_stresses: vec![DVec3::ZERO; elements.len()],
            slots: Vec::new(),
            tau: f64::INFINITY,
            ranges,
            elements,
        }
    }

    /// The membrane of some faces whose fabrics have measured tables; the first face without one otherwise.
    pub fn tabulated(model: &Model, faces: &[u32], layout: &Layout) -> Result<Self, u32> {
        let table = |f: &u32| model.tables_of(*f as usize).and_then(|t| t.stretch.clone()).ok_or(*f);
        let tables = faces.iter().map(table).collect::<Result<Vec<_>, u32>>()?;
        let mut membrane = Membrane::new(model, faces, layout);
        let stencil = |face: u32| model.mesh.triangles[face as usize].map(|v| layout.solver_from_model[v as usize]);
        let unsorted: Vec<[u32; 3]> = faces.iter().map(|&f| stencil(f)).collect();
        let (order, _) = layout.domains.sort_elements(unsorted.iter().map(|s| &s[..]));
        membrane.tables = order.iter().map(|&k| tables[k as usize].clone()).collect();
        for (element, table) in membrane.elements.iter_mut().zip(&membrane.tables) {
            element.stiffness = table.rest();
        }
        Ok(membrane)
    }

    /// An element with the stiffness of a strain.
    #[inline]
    fn element_at(&self, e: usize, strain: Strain) -> Element {
        match self.tables.get(e) {
            Some(table) => Element { stiffness: table.at(strain), ..self.elements[e] },
            None => self.elements[e],
        }
    }

    /// Takes the stiffness of the step from the two last states.
    fn follow_tables(&mut self, past: &Past) {
        let (stencils, tables) = (&self.stencils, &self.tables);
        parallel::update(&mut self.elements, |e, element| {
            let at = |x: &[DVec3]| tables[e].at(strain(element.deformation(stencils[e].map(|v| x[v as usize]))));
            let (start, before) = (at(past.start), at(past.before));
            Element { stiffness: std::array::from_fn(|i| 0.5 * (start[i] + before[i])), ..*element }
        });
    }
}

impl Element {
    fn new(model: &Model, face: usize) -> Self {
        let [p0, p1, p2] = model.mesh.uv[face];
        let (a, b) = (p1 - p0, p2 - p0);
        let det = a.perp_dot(b);
        let m = &model.materials[face];
        let scale = 1.0 / (1.0 - m.poisson * m.poisson);
        Element {
            gradients: [DVec2::new(b.y, -b.x) / det, DVec2::new(-a.y, a.x) / det],
            area: 0.5 * det,
            stiffness: [
                m.stretch_warp * scale,
                m.stretch_weft * scale,
                m.poisson * (m.stretch_warp * m.stretch_weft).sqrt() * scale,
                m.shear,
            ],
            viscosity: [m.damping_warp, m.damping_weft, m.damping_shear],
        }
    }

    /// f_u and f_v.
    #[inline]
    fn deformation(&self, x: [DVec3; 3]) -> [DVec3; 2] {
        let [g1, g2] = self.gradients;
        let (d1, d2) = (x[1] - x[0], x[2] - x[0]);
        [d1 * g1.x + d2 * g2.x, d1 * g1.y + d2 * g2.y]
    }

    /// Area times stress (S₁₁, S₂₂, S₁₂) of a strain and a strain rate [N·m].
    #[inline]
    fn stress(&self, strain: Strain, rate: Strain) -> DVec3 {
        let [c11, c22, c12, c33] = self.stiffness;
        let [d1, d2, d3] = self.viscosity;
        self.area
            * DVec3::new(
                c11 * strain.x + c12 * strain.y + d1 * rate.x,
                c12 * strain.x + c22 * strain.y + d2 * rate.y,
                c33 * strain.z + d3 * rate.z,
            )
    }

    #[inline]
    fn elastic_energy(&self, e: Strain) -> f64 {
        0.5 * self.stress(e, Strain::ZERO).dot(e)
    }

    /// Gradients of an energy with these stresses: on corners 1 and 2; corner 0 gets minus their sum.
    #[inline]
    fn gradient(&self, [fu, fv]: [DVec3; 2], s: DVec3) -> [DVec3; 2] {
        let (pu, pv) = (fu * s.x + fv * s.z, fu * s.z + fv * s.y);
        self.gradients.map(|g| pu * g.x + pv * g.y)
    }
}

#[inline]
fn strain([fu, fv]: [DVec3; 2]) -> Strain {
    Strain::new(0.5 * (fu.dot(fu) - 1.0), 0.5 * (fv.dot(fv) - 1.0), fu.dot(fv))
}

/// Derivative of the strain along a motion with gradients `d`.
#[inline]
fn strain_rate([fu, fv]: [DVec3; 2], [du, dv]: [DVec3; 2]) -> Strain {
    Strain::new(fu.dot(du), fv.dot(dv), fu.dot(dv) + fv.dot(du))
}

/// The positive semi-definite part of the symmetric matrix [s.x s.z; s.z s.y].
#[inline]
pub(super) fn positive_part(s: DVec3) -> DVec3 {
    let (mean, half) = (0.5 * (s.x + s.y), 0.5 * (s.x - s.y));
    let radius = half.hypot(s.z);
    let (low, high) = (mean - radius, mean + radius);
    if low >= 0.0 {
        return s;
    }
    if high <= 0.0 {
        return DVec3::ZERO;
    }
    // high · e eᵀ with e the eigenvector of `high`: e eᵀ = ½ I + (S − mean I)/(2 radius).
    let k = high / (2.0 * radius);
    DVec3::new(k * (radius + half), k * (radius - half), k * s.z)
}

impl Force for Membrane {
    fn name(&self) -> &'static str {
        "membrane"
    }

    fn elements(&self) -> &ElementRanges {
        &self.ranges
    }

    fn stencil(&self, element: usize) -> &[u32] {
        &self.stencils[element]
    }

    fn bind(&mut self, pattern: &Pattern) {
        self.slots = self
            .stencils
            .iter()
            .map(|&[a, b, c]| [(a, a), (a, b), (a, c), (b, b), (b, c), (c, c)].map(|(i, j)| pattern.slot(i, j)))
            .collect();
    }

    fn energy(&self, elements: Range<usize>, positions: &[DVec3]) -> f64 {
        elements
            .map(|e| {
                let element = &self.elements[e];
                let now = strain(element.deformation(self.stencils[e].map(|v| positions[v as usize])));
                self.tables.get(e).map_or_else(|| element.elastic_energy(now), |table| element.area * table.work(now))
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
        for e in elements {
            let (element, stencil) = (&self.elements[e], self.stencils[e]);
            let f = element.deformation(stencil.map(|v| positions[v as usize]));
            let rate = strain_rate(f, element.deformation(stencil.map(|v| velocities[v as usize])));
            power -= element.area * (DVec3::from(element.viscosity) * rate).dot(rate);
            let now = strain(f);
            let [g1, g2] = element.gradient(f, self.element_at(e, now).stress(now, rate));
            out.add(stencil[0], g1 + g2);
            out.add(stencil[1], -g1);
            out.add(stencil[2], -g2);
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.tau = past.tau;
        if !self.tables.is_empty() {
            self.follow_tables(past);
        }
        let (elements, stencils) = (&self.elements, &self.stencils);
        parallel::fill(&mut self.past_strains, |e| {
            let at = |x: &[DVec3]| strain(elements[e].deformation(stencils[e].map(|v| x[v as usize])));
            if past.two_steps() { past.combine(at(past.start), at(past.before)) } else { at(past.start) }
        });
        parallel::fill(&mut self.carried_stresses, |e| {
            let now = strain(elements[e].deformation(stencils[e].map(|v| past.start[v as usize])));
            elements[e].stress(now, Strain::ZERO)
        });
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        for e in elements {
            let (element, stencil) = (&self.elements[e], self.stencils[e]);
            let f = element.deformation(stencil.map(|v| positions[v as usize]));
            let now = strain(f);
            let change = now - self.past_strains[e];
            let rate = change / self.tau;
            let [d1, d2, d3] = element.viscosity;
            let dissipation = d1 * change.x * rate.x + d2 * change.y * rate.y + d3 * change.z * rate.z;
            effort.potential += element.elastic_energy(now) + 0.5 * element.area * dissipation;
            effort.power -= element.area * dissipation;
            let [g1, g2] = element.gradient(f, element.stress(now, rate));
            out.add(stencil[0], -(g1 + g2));
            out.add(stencil[1], g1);
            out.add(stencil[2], g2);
        }
        effort.power /= self.tau;
        effort
    }

    fn carry(&mut self, positions: &[DVec3], motion: &[DVec3]) {
        let (elements, stencils, past, tau) = (&self.elements, &self.stencils, &self.past_strains, self.tau);
        parallel::fill(&mut self.carried_stresses, |e| {
            let at = |values: &[DVec3]| elements[e].deformation(stencils[e].map(|v| values[v as usize]));
            let f = at(positions);
            let ahead = strain(f) + strain_rate(f, at(motion));
            elements[e].stress(ahead, (ahead - past[e]) / tau)
        });
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        for e in elements {
            let element = &self.elements[e];
            let f @ [fu, fv] = element.deformation(self.stencils[e].map(|v| positions[v as usize]));
            let now = strain(f);
            let stress = || element.stress(now, (now - self.past_strains[e]) / self.tau);
            let s = match kind {
                HessianKind::Exact => stress(),
                HessianKind::Projected => positive_part(stress()),
                HessianKind::Carried => positive_part(self.carried_stresses[e]),
                HessianKind::CarriedExact => self.carried_stresses[e],
            };
            let (area, [c11, c22, c12, c33]) = (element.area, element.stiffness);
            let [d1, d2, d3] = element.viscosity.map(|d| d / self.tau);
            let (c11, c22, c12, c33) = (area * (c11 + d1), area * (c22 + d2), area * c12, area * (c33 + d3));
            let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
            let (uu, vv, uv) = (outer(fu, fu), outer(fv, fv), outer(fu, fv));
            let vu = uv.transpose();
            let block = |i: DVec2, j: DVec2| {
                let stress = i.x * (s.x * j.x + s.z * j.y) + i.y * (s.z * j.x + s.y * j.y);
                let mut block = uu * (c11 * i.x * j.x + c33 * i.y * j.y)
                    + vv * (c22 * i.y * j.y + c33 * i.x * j.x)
                    + uv * (c12 * i.x * j.y + c33 * i.y * j.x)
                    + vu * (c12 * i.y * j.x + c33 * i.x * j.y);
                block.x_axis.x += stress;
                block.y_axis.y += stress;
                block.z_axis.z += stress;
                block
            };
            let [g1, g2] = element.gradients;
            let (h11, h12, h22) = (block(g1, g1), block(g1, g2), block(g2, g2));
            // Translations cost nothing: the rows of the element's matrix sum to zero.
            let (h01, h02) = (-(h11 + h12.transpose()), -(h12 + h22));
            let h00 = -(h01 + h02);
            for (slot, h) in self.slots[e].into_iter().zip([h00, h01, h02, h11, h12, h22]) {
                out.add(slot, h);
            }
        }
    }
}
