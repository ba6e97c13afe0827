//! A hinge that a page has picked, and how it is bent.
//!
//! A hinge is an inner edge. Its curvature is that across the edge, from the curvature tensors of its two triangles; its
//! moment per length follows by the law of the default bending model, m = D κ + η κ̇, with the change of curvature
//! over the last step, or over the last frame of a recording. Elastic cloth moves on a line; damping opens it to a loop.
//! Cloth whose bending has a memory is asked for both, and draws the loop of the Kawabata test.

use glam::{DVec2, DVec3};
use muslin::{
    model::{Model, topology::NONE, topology::opposite_corner},
    sim::Simulation,
};

/// Why a hinge of some cloth draws nothing.
pub const OTHER_MODEL: &str =
    "This cloth bends by another model than the default one: the moment of a hinge is not defined by it.";

/// What a page has picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The vertex.
    pub vertex: u32,
    /// The other end of the edge that was clicked.
    pub other: Option<u32>,
}

/// How a hinge is bent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bending {
    /// Curvature across the edge [1/m].
    pub curvature: f64,
    /// Moment about the edge per length [N].
    pub moment: f64,
}

/// The bending of an edge of cloth whose bending has a memory: what its law says, without viscosity. None on a border.
pub fn remembered(simulation: &Simulation, ends: [u32; 2]) -> Option<Bending> {
    let system = simulation.system();
    let of = |v: u32| system.solver_from_model.get(v as usize).copied();
    let ends = [of(ends[0])?, of(ends[1])?];
    system.forces.iter().find_map(|force| {
        let is_it = |e: &usize| matches!(force.stencil(*e), [_, _, a, b] if [*a, *b] == ends || [*b, *a] == ends);
        let bend = force.bend((0..force.crease_count()).find(is_it)?)?;
        Some(Bending { curvature: bend.curvature, moment: bend.moment })
    })
}

/// The bending of an edge, from curvature tensors (κ₁₁, κ₂₂, κ₁₂) of all triangles [1/m] and their rates [1/(m·s)]. None
/// on a border.
pub fn bending(model: &Model, ends: [u32; 2], curvatures: &[DVec3], rates: &[DVec3]) -> Option<Bending> {
    let topology = &model.topology;
    let edge = topology.edges.iter().position(|e| *e == ends || *e == [ends[1], ends[0]])?;
    let sides = topology.edge_triangles[edge];
    if sides.contains(&NONE) {
        return None;
    }
    let (mut sum, mut total) = (Bending { curvature: 0.0, moment: 0.0 }, 0.0);
    for face in sides.map(|t| t as usize) {
        let corner = opposite_corner(model.mesh.triangles[face], topology.edges[edge]);
        let uv = model.mesh.uv.get(face)?;
        // Across the edge within the pattern.
        let across: DVec2 = (uv[(corner + 2) % 3] - uv[(corner + 1) % 3]).perp().normalize_or_zero();
        let along = |t: DVec3| t.x * across.x * across.x + t.y * across.y * across.y + 2.0 * t.z * across.x * across.y;
        let (k, rate, m) = (*curvatures.get(face)?, *rates.get(face)?, model.materials.get(face)?);
        let coupling = m.bend_poisson * (m.bend_warp * m.bend_weft).sqrt();
        let twist = (m.bend_bias - 0.25 * (m.bend_warp + m.bend_weft + 2.0 * coupling)).max(0.0);
        let elastic =
            DVec3::new(m.bend_warp * k.x + coupling * k.y, coupling * k.x + m.bend_weft * k.y, 2.0 * twist * k.z);
        let area = model.mesh.rest_area(face);
        sum.curvature += area * along(k);
        sum.moment += area * along(elastic + m.damping_bend * rate);
        total += area;
    }
    Some(Bending { curvature: sum.curvature / total, moment: sum.moment / total })
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin::dynamics::forces::CurvatureProbe;

    #[test]
    fn a_sheet_on_a_cylinder_has_its_curvature_and_the_moment_of_a_plate() {
        let scene = muslin::load("hang", &["resolution=9".into()]).unwrap().scene;
        let simulation = Simulation::new(&scene).unwrap();
        let model = simulation.model();
        let radius = 0.8;
        // Rolled along warp, about a line along weft.
        let mut rolled = model.mesh.positions.clone();
        for (triangle, uv) in model.mesh.triangles.iter().zip(&model.mesh.uv) {
            for (&v, uv) in triangle.iter().zip(uv) {
                let (sin, cos) = (uv.x / radius).sin_cos();
                rolled[v as usize] = DVec3::new(radius * sin, uv.y, radius * (1.0 - cos));
            }
        }
        let mut curvatures = Vec::new();
        CurvatureProbe::new(model).measure(&rolled, &mut curvatures);
        // The middle vertex and its neighbour along weft: the line between them stays straight.
        let uv_of = |v: u32| {
            let found = model.mesh.triangles.iter().zip(&model.mesh.uv);
            found.filter_map(|(t, uv)| t.iter().position(|w| *w == v).map(|k| uv[k])).next().unwrap()
        };
        let middle = 4 * 9 + 4;
        let neighbour = [middle + 1, middle + 9].into_iter().find(|v| uv_of(*v).x == uv_of(middle).x).unwrap();
        let still = vec![DVec3::ZERO; curvatures.len()];
        let found = bending(model, [middle, neighbour], &curvatures, &still).unwrap();
        assert!((found.curvature.abs() * radius - 1.0).abs() < 0.02, "{found:?}");
        let rigidity = model.materials[0].bend_warp;
        assert!((found.moment / found.curvature / rigidity - 1.0).abs() < 1e-6, "{found:?} and {rigidity}");
        // Damping adds η κ̇.
        let rates: Vec<DVec3> = curvatures.iter().map(|k| *k * 3.0).collect();
        let damped = bending(model, [middle, neighbour], &curvatures, &rates).unwrap();
        let expected = 3.0 * found.curvature * model.materials[0].damping_bend;
        assert!((damped.moment - found.moment - expected).abs() < 1e-9 * found.moment.abs());
        assert_eq!(bending(model, [0, 1], &curvatures, &still), None, "a border is no hinge");
    }
}
