//! The two patch tests of a bending model, on every kind of mesh: it measures the curvature of quadratic
//! surfaces exactly, and a constant moment leaves inner vertices in equilibrium.

mod common;

use common::sheet::model_in;
use glam::{DVec2, DVec3};
use muslin_dynamics::{
    System,
    forces::{Curvature, Force},
};
use muslin_model::{Environment, Material, Model, shapes, shapes::Triangulation};

const SIZE: DVec2 = DVec2::new(0.2, 0.12);
const CELLS: [usize; 2] = [20, 12];
/// Curvature of the test surfaces [1/m]: so small that slopes stay below 1e-4 and κ = ∇∇z.
const KAPPA: f64 = 1e-3;
const MESHES: [Triangulation; 3] = [
    Triangulation::RightDiagonal,
    Triangulation::Alternating,
    Triangulation::Irregular { seed: 7, straight_columns: 0 },
];
/// z_xx, z_yy, z_xy of the test surfaces, in units of KAPPA.
const SURFACES: [[f64; 3]; 4] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.7, -0.4, 0.9]];

fn sheet(triangulation: Triangulation) -> (Model, System) {
    let mesh = shapes::grid(CELLS[0] + 1, CELLS[1] + 1, SIZE, triangulation).unwrap();
    let material = Material { bend_weft: 2e-5.into(), bend_bias: 3e-5.into(), ..Material::woven_cotton() };
    let model = model_in(mesh, material, Environment { gravity: DVec3::ZERO, ..Environment::default() });
    let faces: Vec<u32> = (0..model.cloth_triangles().end as u32).collect();
    let system = System::new(&model, |layout| vec![Box::new(Curvature::new(&model, &faces, layout)) as Box<dyn Force>]);
    (model, system)
}

fn surface(model: &Model, [xx, yy, xy]: [f64; 3]) -> Vec<DVec3> {
    let height = |p: DVec3| KAPPA * (0.5 * xx * p.x * p.x + 0.5 * yy * p.y * p.y + xy * p.x * p.y);
    model.mesh.positions.iter().map(|&p| DVec3::new(p.x, p.y, height(p))).collect()
}

/// ½ κᵀDκ with the material above: warp 1e-5, weft 2e-5, bias 3e-5, so twist 3e-5 − (1e-5 + 2e-5)/4.
fn energy_density([xx, yy, xy]: [f64; 3]) -> f64 {
    0.5 * KAPPA * KAPPA * (1e-5 * xx * xx + 2e-5 * yy * yy + 2.25e-5 * (2.0 * xy) * (2.0 * xy))
}

#[test]
fn inner_triangles_store_the_energy_of_every_quadratic_surface_exactly() {
    for mesh in MESHES {
        let (model, system) = sheet(mesh);
        let force = &system.forces[0];
        for curvatures in SURFACES {
            let x = surface(&model, curvatures);
            let mut inner = 0;
            for e in 0..force.elements().crossing.end {
                let corners: Vec<usize> = force.stencil(e)[..3].iter().map(|&v| v as usize).collect();
                let centre = corners.iter().map(|&v| model.mesh.positions[v]).sum::<DVec3>() / 3.0;
                // Two cells from the border no slope is free.
                if centre.x.abs() > 0.5 * SIZE.x - 0.02 || centre.y.abs() > 0.5 * SIZE.y - 0.02 {
                    continue;
                }
                inner += 1;
                let [a, b, c] = [corners[0], corners[1], corners[2]].map(|v| model.mesh.positions[v]);
                let expected = energy_density(curvatures) * 0.5 * (b - a).cross(c - a).length();
                let found = force.energy(e..e + 1, &x);
                assert!((found / expected - 1.0).abs() < 1e-6, "{mesh:?} {curvatures:?}: {found:e}, not {expected:e}");
            }
            assert!(inner > 200);
        }
    }
}

#[test]
fn a_constant_moment_leaves_inner_vertices_in_equilibrium() {
    for mesh in MESHES {
        let (model, system) = sheet(mesh);
        for curvatures in SURFACES {
            let x = surface(&model, curvatures);
            let mut forces = vec![DVec3::ZERO; x.len()];
            system.force(&x, &vec![DVec3::ZERO; x.len()], &mut forces);
            let largest = forces.iter().map(|f| f.length()).fold(0.0, f64::max);
            assert!(largest > 1e-8 * KAPPA, "the border feels the moment");
            let ny = CELLS[1] + 1;
            // Where no stencil of a border triangle reaches: five vertices in on irregular meshes.
            for i in 5..CELLS[0] - 4 {
                for j in 5..CELLS[1] - 4 {
                    let f = forces[i * ny + j].length();
                    // Slope corrections below a millionth are left out, and the surface is not quite flat.
                    assert!(f < 1e-5 * largest, "{mesh:?} {curvatures:?} at {i}, {j}: {:e}", f / largest);
                }
            }
        }
    }
}

#[test]
fn a_free_border_bears_no_moment() {
    // A strip bent along x: the tip columns' own share relaxes, (n − 1)/n of the smooth energy is left.
    for mesh in [Triangulation::RightDiagonal, Triangulation::Alternating] {
        let (model, system) = sheet(mesh);
        let energy = system.elastic_energy(&surface(&model, [1.0, 0.0, 0.0]));
        let smooth = energy_density([1.0, 0.0, 0.0]) * SIZE.x * SIZE.y;
        let expected = (CELLS[0] - 1) as f64 / CELLS[0] as f64;
        assert!((energy / smooth - expected).abs() < 1e-6, "{mesh:?}: {}", energy / smooth);
    }
}
