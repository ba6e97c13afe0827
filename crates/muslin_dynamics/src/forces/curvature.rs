//! The default bending model (D5b): a curvature tensor per triangle, from a quadratic fit.
//!
//! # Why not hinges
//! On a right-diagonal grid hinges bend 1 : 3 : 1 stiff at 0°, +45°, −45°, at any resolution: a hinge sees
//! curvature across its own edge only, and the edges of a mesh do not point everywhere. Averaging the hinge
//! angles into a tensor per triangle (mid-edge normals) is right only where each pair of neighbours forms a
//! parallelogram. A quadratic fit is exact for every quadratic surface on every mesh.
//!
//! # The curvature
//! A patch is a triangle with the vertices around it, unfolded into the plane of its material coordinates.
//! Interpolate x linearly on the triangle; what the outer vertices deviate from that is fitted by the three
//! second derivatives x_,11, x_,22, x_,12 (least squares, exact for the usual six vertices). They are fixed
//! linear combinations c_a = Σ W_ak x_k of the patch's vertices. With the triangle's unit normal n̂ the
//! curvature is κ_a = n̂·c_a, and the energy is ½ A κᵀDκ over κ = (κ₁₁, κ₂₂, 2κ₁₂).
//!
//! # Derivatives
//! dn̂ = −Σ ∇λ_k (n̂·dx_k), with ∇λ_k the surface gradients of the barycentric coordinates. Hence
//! ∂κ_a/∂x_k = ω_ak n̂ with ω_ak = W_ak − c_a·∇λ_k: every derivative points along the normal. The
//! Gauss–Newton Hessian is a scalar matrix times n̂n̂ᵀ. With the moment m = Dκ, ω_k = Σ m_a ω_ak and
//! c = Σ m_a c_a the rest is −ω_l n̂∇λ_kᵀ − ω_k ∇λ_l n̂ᵀ − (c·n̂)(∇λ_k·∇λ_l) n̂n̂ᵀ; the projected Hessian
//! leaves it out, since it is small next to the membrane's and indefinite.

use super::{Force, HessianKind, Layout, patch::Patch};
use crate::{
    domains::{BlockPart, ElementRanges, Slot, VertexPart},
    linear::Pattern,
    system::Past,
};
use glam::{DMat3, DVec3};
use muslin_model::{Model, parallel};
use std::ops::Range;

/// Rigidity and viscosity of a triangle, times its area.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// D₁₁, D₂₂, D₁₂, D₃₃ [N·m³].
    rigidity: [f64; 4],
    /// Viscosity of each component [N·m³·s].
    viscosity: f64,
}

/// The bending force of all triangles that use it.
pub struct Curvature {
    ranges: ElementRanges,
    elements: Vec<Element>,
    /// First entry of each element in `vertices` and `weights`.
    starts: Vec<u32>,
    /// Patch vertices; the first three of each element are its triangle's corners.
    vertices: Vec<u32>,
    /// W₁₁, W₂₂, 2W₁₂ of each patch vertex [1/m²].
    weights: Vec<DVec3>,
    /// First entry of each element in `slots`.
    slot_starts: Vec<u32>,
    slots: Vec<Slot>,
    past_curvatures: Vec<DVec3>,
    tau: f64,
}

/// The largest patch; a fit near a border gathers vertices until it is well posed, but not more.
pub(super) const MOST_VERTICES: usize = 16;

/// What all derivatives of one triangle share.
struct Local {
    normal: DVec3,
    /// Surface gradients of the barycentric coordinates [1/m].
    barycentric: [DVec3; 3],
    /// Second derivatives x_,11, x_,22, 2x_,12 [1/m].
    second: [DVec3; 3],
    /// κ₁₁, κ₂₂, 2κ₁₂ [1/m].
    curvature: DVec3,
}

impl Curvature {
    /// The bending of some faces of the model. Faces without any neighbour cannot bend and are left out.
    pub fn new(model: &Model, faces: &[u32], layout: &Layout) -> Self {
        let patches: Vec<Patch> = parallel::map(faces.len(), |k| Patch::new(model, faces[k]));
        let bending: Vec<usize> = (0..faces.len()).filter(|&k| patches[k].vertices.len() > 3).collect();
        let unsorted: Vec<Vec<u32>> = bending
            .iter()
            .map(|&k| patches[k].vertices.iter().map(|&v| layout.solver_from_model[v as usize]).collect())
            .collect();
        let (order, ranges) = layout.domains.sort_elements(unsorted.iter().map(|s| &s[..]));
        let mut force = Curvature {
            ranges,
            elements: Vec::with_capacity(order.len()),
            starts: vec![0],
            vertices: Vec::new(),
            weights: Vec::new(),
            slot_starts: vec![0],
            slots: Vec::new(),
            past_curvatures: vec![DVec3::ZERO; order.len()],
            tau: f64::INFINITY,
        };
        for k in order {
            let (k, face) = (k as usize, faces[bending[k as usize]] as usize);
            force.vertices.extend_from_slice(&unsorted[k]);
            force.weights.extend_from_slice(&patches[bending[k]].weights);
            force.starts.push(force.vertices.len() as u32);
            force.elements.push(Element::new(model, face));
        }
        force
    }

    #[inline]
    fn patch(&self, element: usize) -> (&[u32], &[DVec3]) {
        let range = self.starts[element] as usize..self.starts[element + 1] as usize;
        (&self.vertices[range.clone()], &self.weights[range])
    }

    #[inline]
    fn local(&self, element: usize, x: &[DVec3]) -> Local {
        let (vertices, weights) = self.patch(element);
        let corner = x[vertices[0] as usize];
        let (a, b) = (x[vertices[1] as usize] - corner, x[vertices[2] as usize] - corner);
        let cross = a.cross(b);
        let area2 = cross.length();
        let normal = cross / area2;
        let g1 = b.cross(normal) / area2;
        let g2 = normal.cross(a) / area2;
        let mut second = [DVec3::ZERO; 3];
        // Relative to one corner: the weights sum to zero, and the differences keep more digits.
        for (&v, w) in vertices.iter().zip(weights) {
            let d = x[v as usize] - corner;
            second[0] += d * w.x;
            second[1] += d * w.y;
            second[2] += d * w.z;
        }
        let curvature = DVec3::new(normal.dot(second[0]), normal.dot(second[1]), normal.dot(second[2]));
        Local { normal, barycentric: [-(g1 + g2), g1, g2], second, curvature }
    }

    /// Writes ω_k = (ω₁₁, ω₂₂, ω₁₂)_k of each patch vertex.
    #[inline]
    fn derivatives<'a>(&self, element: usize, local: &Local, out: &'a mut [DVec3; MOST_VERTICES]) -> &'a [DVec3] {
        let (_, weights) = self.patch(element);
        out[..weights.len()].copy_from_slice(weights);
        for (omega, g) in out.iter_mut().zip(local.barycentric) {
            *omega -= DVec3::new(local.second[0].dot(g), local.second[1].dot(g), local.second[2].dot(g));
        }
        &out[..weights.len()]
    }
}

impl Element {
    fn new(model: &Model, face: usize) -> Self {
        let m = &model.materials[face];
        let area = model.mesh.rest_area(face);
        let coupling = m.bend_poisson * (m.bend_warp * m.bend_weft).sqrt();
        let twist = (m.bend_bias - 0.25 * (m.bend_warp + m.bend_weft + 2.0 * coupling)).max(0.0);
        Element {
            rigidity: [m.bend_warp * area, m.bend_weft * area, coupling * area, twist * area],
            viscosity: m.damping_bend * area,
        }
    }

    /// Area times the moment of a curvature and its rate [N·m²].
    #[inline]
    fn moment(&self, k: DVec3, rate: DVec3) -> DVec3 {
        let [d11, d22, d12, d33] = self.rigidity;
        DVec3::new(d11 * k.x + d12 * k.y, d12 * k.x + d22 * k.y, d33 * k.z)
            + rate * DVec3::new(self.viscosity, self.viscosity, 0.5 * self.viscosity)
    }

    #[inline]
    fn elastic_energy(&self, k: DVec3) -> f64 {
        0.5 * self.moment(k, DVec3::ZERO).dot(k)
    }
}

impl Force for Curvature {
    fn name(&self) -> &'static str {
        "curvature"
    }

    fn elements(&self) -> &ElementRanges {
        &self.ranges
    }

    fn stencil(&self, element: usize) -> &[u32] {
        self.patch(element).0
    }

    fn bind(&mut self, pattern: &Pattern) {
        (self.slot_starts, self.slots) = (vec![0], Vec::new());
        for e in 0..self.elements.len() {
            let range = self.starts[e] as usize..self.starts[e + 1] as usize;
            pattern.stencil_slots(&self.vertices[range], &mut self.slots);
            self.slot_starts.push(self.slots.len() as u32);
        }
    }

    fn energy(&self, elements: Range<usize>, positions: &[DVec3]) -> f64 {
        elements.map(|e| self.elements[e].elastic_energy(self.local(e, positions).curvature)).sum()
    }

    fn add_force(&self, elements: Range<usize>, positions: &[DVec3], velocities: &[DVec3], out: &mut VertexPart) {
        let mut buffer = [DVec3::ZERO; MOST_VERTICES];
        for e in elements {
            let local = self.local(e, positions);
            let omega = self.derivatives(e, &local, &mut buffer);
            let vertices = self.patch(e).0;
            let mut rate = DVec3::ZERO;
            for (&v, &w) in vertices.iter().zip(omega) {
                rate += w * local.normal.dot(velocities[v as usize]);
            }
            let moment = self.elements[e].moment(local.curvature, rate);
            for (&v, &w) in vertices.iter().zip(omega) {
                out.add(v, local.normal * -w.dot(moment));
            }
        }
    }

    fn begin_step(&mut self, past: &Past) {
        self.tau = past.tau;
        let mut values = std::mem::take(&mut self.past_curvatures);
        parallel::fill(&mut values, |e| {
            let at = |x: &[DVec3]| self.local(e, x).curvature;
            if past.two_steps() { past.combine(at(past.start), at(past.before)) } else { at(past.start) }
        });
        self.past_curvatures = values;
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> f64 {
        let mut buffer = [DVec3::ZERO; MOST_VERTICES];
        let mut potential = 0.0;
        for e in elements {
            let local = self.local(e, positions);
            let omega = self.derivatives(e, &local, &mut buffer);
            let element = &self.elements[e];
            let change = local.curvature - self.past_curvatures[e];
            let moment = element.moment(local.curvature, change / self.tau);
            let viscous = moment - element.moment(local.curvature, DVec3::ZERO);
            potential += element.elastic_energy(local.curvature) + 0.5 * viscous.dot(change);
            for (&v, &w) in self.patch(e).0.iter().zip(omega) {
                out.add(v, local.normal * w.dot(moment));
            }
        }
        potential
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        let mut buffer = [DVec3::ZERO; MOST_VERTICES];
        let rate_scale = 1.0 / self.tau;
        for e in elements {
            let local = self.local(e, positions);
            let omega = self.derivatives(e, &local, &mut buffer);
            let element = &self.elements[e];
            let slots = &self.slots[self.slot_starts[e] as usize..self.slot_starts[e + 1] as usize];
            let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
            let nn = outer(local.normal, local.normal);
            let mut pairs = slots;
            for (k, &wk) in omega.iter().enumerate() {
                // The tangent moment of a unit curvature change, elastic and viscous.
                let dk = element.moment(wk, wk * rate_scale);
                let (row, rest) = pairs.split_at(omega.len() - k);
                pairs = rest;
                for (&slot, &wl) in row.iter().zip(&omega[k..]) {
                    out.add_symmetric(slot, nn * dk.dot(wl));
                }
            }
            if kind == HessianKind::Exact {
                let rate = (local.curvature - self.past_curvatures[e]) / self.tau;
                let m = element.moment(local.curvature, rate);
                let c = (local.second[0] * m.x + local.second[1] * m.y + local.second[2] * m.z).dot(local.normal);
                let gradient = |k: usize| if k < 3 { local.barycentric[k] } else { DVec3::ZERO };
                let mut pairs = slots.iter();
                for k in 0..omega.len() {
                    for l in k..omega.len() {
                        let (gk, gl) = (gradient(k), gradient(l));
                        let block = outer(local.normal, gk) * -omega[l].dot(m)
                            - outer(gl, local.normal) * omega[k].dot(m)
                            - nn * (c * gk.dot(gl));
                        out.add(*pairs.next().expect("one slot per pair"), block);
                    }
                }
            }
        }
    }
}
