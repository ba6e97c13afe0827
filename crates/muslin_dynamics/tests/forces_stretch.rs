//! Stretch models against closed forms: strips under their own weight, rest stretches, exponents of the area,
//! agreement at small strain, extreme sizes, collapsed triangles.

mod common;

use common::{
    element,
    sheet::{self, Build, Random, Rig},
};
use glam::{DMat3, DQuat, DVec2, DVec3};
use muslin_dynamics::{
    domains::VertexPart,
    forces::{
        BaraffWitkin, Conditions, Force, GridDamping, GridOptions, GridStiffness, HessianKind, Layout, Membrane,
        Resistance, Springs, Wind,
    },
};
use muslin_model::{Material, Mesh, Model, shapes::Triangulation};

const GRID: GridOptions = GridOptions { stiffness: GridStiffness::Material, damping: GridDamping::Material };

fn membrane(m: &Model, f: &[u32], l: &Layout) -> Box<dyn Force> {
    Box::new(Membrane::new(m, f, l))
}

fn conditions(m: &Model, f: &[u32], l: &Layout) -> Box<dyn Force> {
    Box::new(BaraffWitkin::new(m, f, Conditions::default(), l))
}

fn edge_springs(m: &Model, f: &[u32], l: &Layout) -> Box<dyn Force> {
    Box::new(Springs::on_edges(m, f, Resistance::Both, l))
}

fn grid_springs(m: &Model, f: &[u32], l: &Layout) -> Box<dyn Force> {
    Box::new(Springs::on_grid(m, f, GRID, l).expect("a grid"))
}

#[test]
fn strip_under_its_weight_hangs_as_every_stretch_model_predicts() {
    let (warp, load) = (60.0, 2.0); // N/m, and weight per area N/m²
    let [nx, ny] = [9usize, 4];
    let (dx, dy) = (0.05, 0.04);
    // Springs have a Poisson effect that depends on their shear stiffness; without it all models are one line.
    let without_shear =
        Material { stretch_warp: warp.into(), poisson: 0.0.into(), shear: 0.0.into(), ..sheet::odd_fabric() };
    let with_shear = Material { shear: 20.0.into(), ..without_shear.clone() };
    let linear = |tension: f64| 1.0 + tension / warp;
    // St. Venant–Kirchhoff: tension = warp λ(λ² − 1)/2.
    let cubic = |tension: f64| {
        (0..60)
            .fold(1.0, |l: f64, _| l - (0.5 * warp * l * (l * l - 1.0) - tension) / (0.5 * warp * (3.0 * l * l - 1.0)))
    };
    for k in 0..4 {
        let build = [&membrane as Build, &conditions, &edge_springs, &grid_springs][k];
        let material = if k < 2 { &with_shear } else { &without_shear };
        let stretch = |tension: f64| if k == 0 { cubic(tension) } else { linear(tension) };
        let size = DVec2::new((nx - 1) as f64 * dx, (ny - 1) as f64 * dy);
        let rig = Rig::new(sheet::grid_of([nx, ny], size, Triangulation::RightDiagonal, material.clone()), 3, build);
        // Row r carries the weight of all that is below its middle; the top is vertex row 0.
        let tension = |r: usize| load * dx * ((nx - 1 - r) as f64 - 0.5);
        let mut depth = vec![0.0];
        (0..nx - 1).for_each(|r| depth.push(depth[r] + dx * stretch(tension(r))));
        let x: Vec<DVec3> =
            rig.model.mesh.positions.iter().enumerate().map(|(v, p)| DVec3::new(0.0, p.y, -depth[v / ny])).collect();
        let x = rig.to_solver(&x);
        let mut force = vec![DVec3::ZERO; x.len()];
        let part = &mut VertexPart { first: 0, values: &mut force };
        rig.force.add_force(0..rig.count(), &x, &vec![DVec3::ZERO; x.len()], part);
        let force = rig.to_model(&force);
        for v in ny..nx * ny {
            let length = if v / ny == nx - 1 { 0.5 * dx } else { dx };
            let width = if v % ny == 0 || v % ny == ny - 1 { 0.5 * dy } else { dy };
            let gap = force[v] - DVec3::Z * (load * length * width);
            assert!(gap.length() < 1e-12, "{}: vertex {v} is pulled by {} N", rig.force.name(), force[v]);
        }
        // Elongation against the continuum's c = load·L/(2 warp): the membrane's cubic law is 2c stiffer, the
        // others are linear.
        let (elongation, c) = (depth[nx - 1] / size.x - 1.0, 0.5 * load * size.x / warp);
        let (expected, slack) =
            if rig.force.name() == "membrane" { (1.0 - 2.0 * c, 10.0 * c * c) } else { (1.0, 1e-12) };
        assert!((elongation / c - expected).abs() < slack, "{}: {elongation} {c}", rig.force.name());
    }
}

/// One triangle of the fabric, in general position in material coordinates.
fn triangle(material: Material, size: f64, build: Build) -> Rig {
    let uv = [DVec2::new(0.1, -0.2), DVec2::new(0.9, 0.1), DVec2::new(0.3, 0.8)].map(|p| p * size);
    let positions = uv.map(|p| DVec3::new(p.x, p.y, 0.0)).to_vec();
    Rig::new(
        sheet::model_of(Mesh { positions, triangles: vec![[0, 1, 2]], uv: vec![uv], ..Mesh::default() }, material),
        1,
        build,
    )
}

/// Energy under a linear map of the plane, then a rotation.
fn energy_under(rig: &Rig, fu: DVec3, fv: DVec3) -> f64 {
    let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.7, -0.2, 1.9)));
    let x: Vec<DVec3> = rig.model.mesh.positions.iter().map(|p| turn * (fu * p.x + fv * p.y)).collect();
    rig.force.energy(0..rig.count(), &rig.to_solver(&x))
}

#[test]
fn conditions_have_the_energy_of_their_definition_for_every_exponent() {
    let area = 0.5 * DVec2::new(0.8, 0.3).perp_dot(DVec2::new(0.2, 1.0));
    let (fu, fv) = (DVec3::new(1.2, 0.1, 0.3), DVec3::new(-0.2, 0.8, 0.1));
    for exponent in [0.5, 0.75, 1.0] {
        let conditions = Conditions { area_exponent: exponent, rest: [1.05, 0.9] };
        let build =
            |m: &Model, f: &[u32], l: &Layout| -> Box<dyn Force> { Box::new(BaraffWitkin::new(m, f, conditions, l)) };
        let rig = triangle(sheet::odd_fabric(), 1.0, &build);
        let c = [fu.length() - 1.05, fv.length() - 0.9, fu.dot(fv)].map(|c| c * area.powf(exponent));
        let exact = 0.5 * (1100.0 * c[0] * c[0] + 700.0 * c[1] * c[1] + 130.0 * c[2] * c[2]);
        let energy = energy_under(&rig, fu, fv);
        assert!((energy / exact - 1.0).abs() < 1e-13, "exponent {exponent}: {energy} {exact}");
    }
}

#[test]
fn rest_stretches_move_the_state_without_force() {
    let rest = Conditions { rest: [1.2, 0.7], ..Conditions::default() };
    let build = |m: &Model, f: &[u32], l: &Layout| -> Box<dyn Force> { Box::new(BaraffWitkin::new(m, f, rest, l)) };
    let rig = Rig::new(sheet::irregular(5), 5, &build);
    let stretched: Vec<DVec3> =
        rig.model.mesh.positions.iter().map(|p| DVec3::new(1.2 * p.x, 0.7 * p.y, 0.0)).collect();
    let still = vec![DVec3::ZERO; stretched.len()];
    let (at_rest, flat) = (rig.to_solver(&stretched), rig.to_solver(&rig.model.mesh.positions));
    for e in 0..rig.count() {
        assert!(element::force(&rig, e, &at_rest, &still).iter().all(|f| f.length() < 1e-11));
        assert!(element::force(&rig, e, &flat, &still)[0].length() > 0.1, "the flat state is under tension");
    }
}

#[test]
fn conditions_are_the_membrane_without_poisson_effect_at_small_strain() {
    let material = Material { poisson: 0.0.into(), ..sheet::odd_fabric() };
    let (a, b) = (triangle(material.clone(), 1.0, &membrane), triangle(material, 1.0, &conditions));
    let mut random = Random(3);
    for _ in 0..20 {
        let e = 1e-6;
        let (fu, fv) = (DVec3::X + random.vector() * e, DVec3::Y + random.vector() * e);
        let (ea, eb) = (energy_under(&a, fu, fv), energy_under(&b, fu, fv));
        assert!(ea > 0.0 && (ea / eb - 1.0).abs() < 1e-4, "{ea} {eb}");
    }
}

#[test]
fn stretch_models_do_not_mind_the_size_of_the_scene() {
    // Stiffness per width: energy grows with the area, from 1e-8 m to 1e8 m.
    let (fu, fv) = (DVec3::new(1.2, 0.1, 0.3), DVec3::new(-0.2, 0.8, 0.1));
    for build in [&membrane as Build, &conditions, &edge_springs] {
        let unit = energy_under(&triangle(sheet::odd_fabric(), 1.0, build), fu, fv);
        assert!(unit > 1.0);
        for size in [1e-8, 1e-3, 1e3, 1e8] {
            let energy = energy_under(&triangle(sheet::odd_fabric(), size, build), fu, fv) / (size * size);
            assert!((energy / unit - 1.0).abs() < 1e-12, "at {size} m: {energy} {unit}");
        }
    }
}

#[test]
fn collapsed_triangles_stay_finite() {
    let wind = |m: &Model, f: &[u32], l: &Layout| -> Box<dyn Force> {
        let mut model = m.clone();
        (model.environment.wind.velocity, model.environment.wind.normal_drag) = (DVec3::ONE, 1.0);
        Box::new(Wind::new(&model, f, l))
    };
    for build in [&membrane as Build, &conditions, &edge_springs, &wind] {
        let mut rig = triangle(sheet::odd_fabric(), 1.0, build);
        for x in [[DVec3::ONE; 3], [DVec3::ZERO, DVec3::X, DVec3::X * 0.4]] {
            let past = muslin_dynamics::Past { start: &x, before: &x, start_weight: 1.0, tau: 0.1, time_end: 0.1 };
            rig.force.begin_step(&past);
            for e in 0..rig.count() {
                let (potential, gradient) = element::gradient(&rig, e, &x);
                assert!(potential.is_finite() && gradient.iter().all(|g| g.is_finite()), "{}", rig.force.name());
                for kind in [HessianKind::Exact, HessianKind::Projected] {
                    let h = element::hessian(&rig, e, &x, kind);
                    assert!((0..h.nrows()).all(|i| (0..h.ncols()).all(|j| h[(i, j)].is_finite())));
                }
            }
        }
    }
}
