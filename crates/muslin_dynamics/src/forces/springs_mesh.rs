//! D2: springs on the edges of any triangle mesh, and across its hinges.
//!
//! # From a fabric to spring constants
//! An edge of length L and direction φ in a face of area A gets κ A/L² from that face. In a uniform strain ε
//! the three edges then store ½ A Σ κ (nᵀεn)². Averaged over all directions of n this is an isotropic sheet
//! of Young's modulus κ and Poisson's ratio ⅓, so κ is a modulus in N/m. (Van Gelder 1998 has the same
//! rule.) For a woven fabric κ is its uniaxial modulus along the edge itself,
//! 1/Y(φ) = c⁴/Y_warp + s⁴/Y_weft + c²s²(1/G − 2ν/√(Y_warp Y_weft)), c = cos φ, s = sin φ.
//! On a grid this makes strips along warp and weft right; no choice of constants makes springs right in all
//! directions on all meshes (see `tests/forces_mesh_dependence.rs` for by how much they are wrong).
//!
//! A spring across a hinge (W 3.1) feels a bend θ only to second order: it shortens by h₁h₂θ²/(2d), with
//! h₁, h₂ the heights of the two triangles and d its length. Its energy is of fourth order and cannot match
//! ½ B θ² ‖e‖²/(A₁+A₂) of the fabric; the two are made equal at [`REFERENCE_BEND`].

use super::{
    Layout,
    springs::{Resistance, Spring, Springs},
};
use glam::DVec2;
use muslin_model::{FaceMaterial, Model, topology::NONE, topology::opposite_corner};

/// The bend at which a flexion spring stores what the fabric would [rad]. One radian is the middle of what
/// folds of a few edge lengths show; below it a flexion spring is too soft, above too stiff.
pub const REFERENCE_BEND: f64 = 1.0;

/// Uniaxial modulus of an orthotropic sheet along a unit vector of material coordinates [N/m].
pub(super) fn modulus_along(warp: f64, weft: f64, shear: f64, poisson: f64, direction: DVec2) -> f64 {
    let (c2, s2) = (direction.x * direction.x, direction.y * direction.y);
    // A direction that does not load a mode must not see that the mode has no stiffness.
    let term = |weight: f64, modulus: f64| if weight == 0.0 { 0.0 } else { weight / modulus };
    let compliance = term(c2 * c2, warp) + term(s2 * s2, weft) + term(c2 * s2, shear)
        - term(2.0 * poisson * c2 * s2, (warp * weft).sqrt());
    // NaN (all zero) and infinity both mean: nothing resists.
    if compliance > 0.0 { 1.0 / compliance } else { 0.0 }
}

/// Bending rigidity of a fabric about the normal of a unit vector of material coordinates [N·m].
pub(super) fn rigidity_along(m: &FaceMaterial, direction: DVec2) -> f64 {
    let (c2, s2) = (direction.x * direction.x, direction.y * direction.y);
    c2 * c2 * m.bend_warp + s2 * s2 * m.bend_weft + c2 * s2 * (4.0 * m.bend_bias - m.bend_warp - m.bend_weft)
}

impl Springs {
    /// Springs on all edges of some faces.
    pub fn on_edges(model: &Model, faces: &[u32], resistance: Resistance, layout: &Layout) -> Self {
        let member = membership(model, faces);
        let mut springs = Vec::new();
        for (e, &ends) in model.topology.edges.iter().enumerate() {
            let sides = model.topology.edge_triangles[e].into_iter().filter(|&t| t != NONE && member[t as usize]);
            let (mut length, mut count, mut stiffness, mut viscosity) = (0.0, 0, 0.0, 0.0);
            for t in sides {
                let along = edge_uv(model, t, ends);
                let (m, area) = (&model.materials[t as usize], model.mesh.rest_area(t as usize));
                let direction = along.normalize();
                let scale = area / along.length_squared();
                stiffness += scale * modulus_along(m.stretch_warp, m.stretch_weft, m.shear, m.poisson, direction);
                viscosity += scale * modulus_along(m.damping_warp, m.damping_weft, m.damping_shear, 0.0, direction);
                length += along.length();
                count += 1;
            }
            if count > 0 {
                springs.push(Spring { ends, rest_length: length / count as f64, stiffness, viscosity });
            }
        }
        Springs::new("edge-springs", &springs, resistance, layout)
    }

    /// Flexion springs between the opposite corners of each pair of neighbours among some faces.
    pub fn across_hinges(model: &Model, faces: &[u32], layout: &Layout) -> Self {
        let member = membership(model, faces);
        let mut springs = Vec::new();
        for (e, &ends) in model.topology.edges.iter().enumerate() {
            let sides = model.topology.edge_triangles[e];
            if sides.iter().any(|&t| t == NONE || !member[t as usize]) {
                continue;
            }
            let wings = sides.map(|t| Wing::new(model, t, ends));
            let [a, b] = &wings;
            let offset = a.foot - b.foot;
            let length = offset.hypot(a.height + b.height);
            let weight = a.edge * a.edge / (a.area + b.area);
            let second_order = a.height * b.height / (2.0 * length);
            let scale = weight / (second_order * REFERENCE_BEND).powi(2);
            let mean = |f: fn(&Wing) -> f64| (f(a) * a.area + f(b) * b.area) / (a.area + b.area);
            springs.push(Spring {
                ends: [a.vertex, b.vertex],
                rest_length: length,
                stiffness: mean(|w| w.rigidity) * scale,
                // Its rate is second order too: Ċ = 2·(h₁h₂/2d)·θθ̇, hence the quarter.
                viscosity: mean(|w| w.viscosity) * scale / 4.0,
            });
        }
        Springs::new("hinge-springs", &springs, Resistance::Both, layout)
    }
}

/// Which triangles of the model are among the faces.
pub(super) fn membership(model: &Model, faces: &[u32]) -> Vec<bool> {
    let mut member = vec![false; model.mesh.triangles.len()];
    faces.iter().for_each(|&f| member[f as usize] = true);
    member
}

/// An edge in the material coordinates of one of its triangles [m].
pub(super) fn edge_uv(model: &Model, triangle: u32, [a, b]: [u32; 2]) -> DVec2 {
    let tri = model.mesh.triangles[triangle as usize];
    let at = |v: u32| {
        let k = tri.iter().position(|&w| w == v).expect("an edge's ends are corners of its triangles");
        model.mesh.uv[triangle as usize][k]
    };
    at(b) - at(a)
}

/// One side of a hinge at rest.
struct Wing {
    /// The corner off the edge.
    vertex: u32,
    /// Length of the edge, as this side's rest shape has it [m].
    edge: f64,
    /// Where the corner's foot lies along the edge, and its height above it [m].
    foot: f64,
    height: f64,
    area: f64,
    /// Of bending across the edge [N·m], [N·m·s].
    rigidity: f64,
    viscosity: f64,
}

impl Wing {
    fn new(model: &Model, triangle: u32, ends: [u32; 2]) -> Self {
        let tri = model.mesh.triangles[triangle as usize];
        let corner = opposite_corner(tri, ends);
        let along = edge_uv(model, triangle, ends);
        let first = tri.iter().position(|&w| w == ends[0]).expect("an end of the edge");
        let uv = model.mesh.uv[triangle as usize];
        let to_corner = uv[corner] - uv[first];
        let (edge, area) = (along.length(), model.mesh.rest_area(triangle as usize));
        let m = &model.materials[triangle as usize];
        Wing {
            vertex: tri[corner],
            edge,
            foot: to_corner.dot(along) / edge,
            height: 2.0 * area / edge,
            area,
            rigidity: rigidity_along(m, along.perp() / edge),
            viscosity: m.damping_bend,
        }
    }
}
