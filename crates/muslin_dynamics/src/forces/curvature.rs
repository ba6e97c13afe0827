//! The default bending model (D5b): a curvature tensor per triangle, from slopes across its edges.
//!
//! # Why not hinges, and why not a fit
//! On a right-diagonal grid hinges bend 1 : 3 : 1 stiff at 0°, +45°, −45°, at any resolution: a hinge sees
//! curvature across its own edge only. A bending model must pass two patch tests: it measures the curvature
//! of every quadratic surface exactly, and a constant moment leaves every inner vertex in equilibrium.
//! Averaged hinge angles (mid-edge normals) fail the first on irregular meshes; a quadratic fit per triangle
//! fails the second, and an alternating grid then bends 20 % too far however fine it is. Both are passed by
//! the quadratic of Morley's plate element, whose data are the corners and *one* slope per edge, common to
//! its two triangles, if that slope is exact for quadratics ([`super::slope`]).
//!
//! # The curvature
//! ∫∇∇x over a triangle is the integral of ∇x⊗n over its sides, hence with the slope φ and the edge vector's
//! difference quotient τ of each side A x_,ab = Σ l (φ n_a n_b + τ sym(t_a n_b)). The second derivatives
//! x_,11, x_,22, 2x_,12 are fixed linear combinations c_a = Σ W_ak x_k of nearby vertices. With the
//! triangle's unit normal n̂ the curvature is κ_a = n̂·c_a, and the energy is ½ A κᵀDκ. A side on the border
//! has no second triangle and bears no moment: the energy's minimum over its slope is taken once, which
//! leaves a smaller D for that triangle.
//!
//! # Derivatives
//! dn̂ = −Σ ∇λ_k (n̂·dx_k), with ∇λ_k the surface gradients of the barycentric coordinates. Hence
//! ∂κ_a/∂x_k = ω_ak n̂ with ω_ak = W_ak − c_a·∇λ_k: every derivative points along the normal. The
//! Gauss–Newton Hessian is a scalar matrix times n̂n̂ᵀ. With the moment m = Dκ, ω_k = Σ m_a ω_ak and
//! c = Σ m_a c_a the rest is −ω_l n̂∇λ_kᵀ − ω_k ∇λ_l n̂ᵀ − (c·n̂)(∇λ_k·∇λ_l) n̂n̂ᵀ; the projected Hessian
//! leaves it out, since it is small next to the membrane's and indefinite.

use super::{
    Effort, Force, HessianKind, Layout,
    bend_law::{BendLaw, constant_rigidity, relax},
    patch::Patch,
    slope::{Side, Slope},
};
use crate::{
    domains::{BlockPart, ElementRanges, Slot, VertexPart},
    linear::Pattern,
    system::Past,
};
use glam::{DMat3, DVec3};
use muslin_model::{BendTable, Model, parallel};
use std::{ops::Range, sync::Arc};

/// Rigidity and viscosity of a triangle, times its area.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// D for (κ₁₁, κ₂₂, 2κ₁₂) [N·m³].
    rigidity: DMat3,
    /// The same for the curvature's rate [N·m³·s].
    viscosity: DMat3,
}

/// The bending force of all triangles that use it.
pub struct Curvature {
    ranges: ElementRanges,
    elements: Vec<Element>,
    /// Where each element's rigidity comes from; empty where it is constant.
    laws: Vec<BendLaw>,
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
    /// Vertices of the largest stencil.
    widest: usize,
    tau: f64,
}

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
        Self::with_tables(model, faces, layout, &[])
    }

    /// The bending of some faces whose fabrics have measured tables; the first face without one otherwise.
    pub fn tabulated(model: &Model, faces: &[u32], layout: &Layout) -> Result<Self, u32> {
        let table = |f: &u32| model.tables_of(*f as usize).and_then(|t| t.bend.clone()).ok_or(*f);
        let mut force =
            Self::with_tables(model, faces, layout, &faces.iter().map(table).collect::<Result<Vec<_>, _>>()?);
        for (element, law) in force.elements.iter_mut().zip(&force.laws) {
            element.rigidity = law.now(DVec3::ZERO);
        }
        Ok(force)
    }

    fn with_tables(model: &Model, faces: &[u32], layout: &Layout, tables: &[Arc<BendTable>]) -> Self {
        let all = model.cloth_triangles().len();
        let mut wanted = vec![false; all];
        faces.iter().for_each(|&f| wanted[f as usize] = true);
        let fits: Vec<Option<Patch>> = parallel::map(all, |f| wanted[f].then(|| Patch::new(model, f as u32)));
        let slopes: Vec<Option<Slope>> = parallel::map(model.topology.edges.len(), |e| {
            let [a, b] = model.topology.edge_triangles[e].map(|f| fits.get(f as usize).and_then(Option::as_ref));
            Some(Slope::new(model, e, [a?, b?]))
        });
        let stencils: Vec<Stencil> = parallel::map(faces.len(), |k| Stencil::new(model, faces[k], &slopes));
        let bending: Vec<usize> = (0..faces.len()).filter(|&k| stencils[k].vertices.len() > 3).collect();
        let unsorted: Vec<Vec<u32>> = bending
            .iter()
            .map(|&k| stencils[k].vertices.iter().map(|&v| layout.solver_from_model[v as usize]).collect())
            .collect();
        let (order, ranges) = layout.domains.sort_elements(unsorted.iter().map(|s| &s[..]));
        let mut force = Curvature {
            ranges,
            elements: Vec::with_capacity(order.len()),
            laws: Vec::new(),
            starts: vec![0],
            vertices: Vec::new(),
            weights: Vec::new(),
            slot_starts: vec![0],
            slots: Vec::new(),
            past_curvatures: vec![DVec3::ZERO; order.len()],
            widest: unsorted.iter().map(Vec::len).max().unwrap_or(0),
            tau: f64::INFINITY,
        };
        for k in order {
            let (k, stencil) = (k as usize, &stencils[bending[k as usize]]);
            force.vertices.extend_from_slice(&unsorted[k]);
            force.weights.extend_from_slice(&stencil.weights);
            force.starts.push(force.vertices.len() as u32);
            let (face, borders) = (faces[bending[k]] as usize, &stencil.borders);
            force.elements.push(Element::new(model, face, borders));
            if let Some(table) = tables.get(bending[k]).cloned() {
                let area = model.mesh.rest_area(face);
                force.laws.push(BendLaw { table, area, borders: borders.clone() });
            }
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
    fn derivatives<'a>(&self, element: usize, local: &Local, out: &'a mut [DVec3]) -> &'a [DVec3] {
        let (_, weights) = self.patch(element);
        out[..weights.len()].copy_from_slice(weights);
        for (omega, g) in out.iter_mut().zip(local.barycentric) {
            *omega -= DVec3::new(local.second[0].dot(g), local.second[1].dot(g), local.second[2].dot(g));
        }
        &out[..weights.len()]
    }
}

/// Second derivatives of one triangle as a linear function of its stencil, corners first.
struct Stencil {
    vertices: Vec<u32>,
    weights: Vec<DVec3>,
    /// Curvature per slope of each side on the border.
    borders: Vec<DVec3>,
}

impl Stencil {
    fn new(model: &Model, face: u32, slopes: &[Option<Slope>]) -> Self {
        let mut stencil = Stencil {
            vertices: model.mesh.triangles[face as usize].to_vec(),
            weights: vec![DVec3::ZERO; 3],
            borders: Vec::new(),
        };
        let area = model.mesh.rest_area(face as usize);
        for k in 0..3 {
            let side = Side::new(model, face, k);
            let (t, n) = (side.tangent, side.normal);
            let across = DVec3::new(n.x * n.x, n.y * n.y, 2.0 * n.x * n.y) * (side.length / area);
            let along = DVec3::new(t.x * n.x, t.y * n.y, t.x * n.y + t.y * n.x) / area;
            stencil.add(side.to, along);
            stencil.add(side.from, -along);
            let edge = model.topology.triangle_edges[face as usize][k] as usize;
            let first = model.topology.edge_triangles[edge][0] == face;
            match &slopes[edge] {
                Some(slope) => {
                    let sign = if first { 1.0 } else { -1.0 };
                    slope.terms.iter().for_each(|&(v, w)| stencil.add(v, across * (sign * w)));
                }
                None => {
                    let mut own = Slope::default();
                    side.add_own_slope(1.0, &mut own);
                    own.terms.iter().for_each(|&(v, w)| stencil.add(v, across * w));
                    stencil.borders.push(across);
                }
            }
        }
        // What cancels needs no place in the matrix; relative to 1/area, the size of a weight.
        let kept = |w: &DVec3| w.abs().max_element() * area > NEGLIGIBLE_WEIGHT;
        let (mut vertices, mut weights) = (stencil.vertices[..3].to_vec(), stencil.weights[..3].to_vec());
        for (&v, &w) in stencil.vertices.iter().zip(&stencil.weights).skip(3).filter(|(_, w)| kept(w)) {
            vertices.push(v);
            weights.push(w);
        }
        Stencil { vertices, weights, borders: stencil.borders }
    }

    fn add(&mut self, vertex: u32, weight: DVec3) {
        match self.vertices.iter().position(|&v| v == vertex) {
            Some(k) => self.weights[k] += weight,
            None => {
                self.vertices.push(vertex);
                self.weights.push(weight);
            }
        }
    }
}

/// Weights below this part of 1/area are round-off [-].
const NEGLIGIBLE_WEIGHT: f64 = 1e-9;

impl Element {
    fn new(model: &Model, face: usize, borders: &[DVec3]) -> Self {
        let m = &model.materials[face];
        let area = model.mesh.rest_area(face);
        let viscosity = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.5) * m.damping_bend);
        Element { rigidity: relax(constant_rigidity(m) * area, borders), viscosity: relax(viscosity * area, borders) }
    }

    /// Area times the moment of a curvature and its rate [N·m²].
    #[inline]
    fn moment(&self, k: DVec3, rate: DVec3) -> DVec3 {
        self.rigidity * k + self.viscosity * rate
    }

    #[inline]
    fn elastic_energy(&self, k: DVec3) -> f64 {
        0.5 * (self.rigidity * k).dot(k)
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
        let of = |e: usize| {
            let k = self.local(e, positions).curvature;
            self.laws.get(e).map_or_else(|| self.elements[e].elastic_energy(k), |law| law.work(k))
        };
        elements.map(of).sum()
    }

    fn add_force(
        &self,
        elements: Range<usize>,
        positions: &[DVec3],
        velocities: &[DVec3],
        out: &mut VertexPart,
    ) -> f64 {
        let mut power = 0.0;
        let mut buffer = vec![DVec3::ZERO; self.widest];
        for e in elements {
            let local = self.local(e, positions);
            let omega = self.derivatives(e, &local, &mut buffer);
            let vertices = self.patch(e).0;
            let mut rate = DVec3::ZERO;
            for (&v, &w) in vertices.iter().zip(omega) {
                rate += w * local.normal.dot(velocities[v as usize]);
            }
            let rigidity = self.laws.get(e).map_or(self.elements[e].rigidity, |law| law.now(local.curvature));
            let moment = Element { rigidity, ..self.elements[e] }.moment(local.curvature, rate);
            power -= (self.elements[e].viscosity * rate).dot(rate);
            for (&v, &w) in vertices.iter().zip(omega) {
                out.add(v, local.normal * -w.dot(moment));
            }
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.tau = past.tau;
        if !self.laws.is_empty() {
            let mut elements = std::mem::take(&mut self.elements);
            parallel::update(&mut elements, |e, element| {
                let [start, before] = [past.start, past.before].map(|x| self.local(e, x).curvature);
                Element { rigidity: self.laws[e].after(start, before), ..*element }
            });
            self.elements = elements;
        }
        let mut values = std::mem::take(&mut self.past_curvatures);
        parallel::fill(&mut values, |e| {
            let at = |x: &[DVec3]| self.local(e, x).curvature;
            if past.two_steps() { past.combine(at(past.start), at(past.before)) } else { at(past.start) }
        });
        self.past_curvatures = values;
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut buffer = vec![DVec3::ZERO; self.widest];
        let mut effort = Effort::default();
        for e in elements {
            let local = self.local(e, positions);
            let omega = self.derivatives(e, &local, &mut buffer);
            let element = &self.elements[e];
            let change = local.curvature - self.past_curvatures[e];
            let moment = element.moment(local.curvature, change / self.tau);
            let viscous = (element.viscosity * change).dot(change) / self.tau;
            effort.potential += element.elastic_energy(local.curvature) + 0.5 * viscous;
            effort.power -= viscous;
            for (&v, &w) in self.patch(e).0.iter().zip(omega) {
                out.add(v, local.normal * w.dot(moment));
            }
        }
        effort.power /= self.tau;
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        let mut buffer = vec![DVec3::ZERO; self.widest];
        let rate_scale = 1.0 / self.tau;
        for e in elements {
            let local = self.local(e, positions);
            let omega = self.derivatives(e, &local, &mut buffer);
            let element = &self.elements[e];
            let slots = &self.slots[self.slot_starts[e] as usize..self.slot_starts[e + 1] as usize];
            let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
            let nn = outer(local.normal, local.normal);
            let tangent = element.rigidity + element.viscosity * rate_scale;
            let mut pairs = slots;
            for (k, &wk) in omega.iter().enumerate() {
                let dk = tangent * wk;
                let (row, rest) = pairs.split_at(omega.len() - k);
                pairs = rest;
                for (&slot, &wl) in row.iter().zip(&omega[k..]) {
                    out.add_symmetric(slot, nn * dk.dot(wl));
                }
            }
            if matches!(kind, HessianKind::Exact | HessianKind::CarriedExact) {
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
