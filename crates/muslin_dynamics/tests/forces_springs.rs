//! Springs against closed forms: counts, periods, chains, uniform strain, and what grids refuse.

mod common;

use common::sheet::{self, Rig};
use glam::{DVec2, DVec3};
use muslin_dynamics::{
    Domains, System,
    domains::VertexPart,
    forces::{
        AngularSprings, AngularStiffness, Force, GridDamping, GridError, GridOptions, GridStiffness, HessianKind,
        Layout, Resistance, Spring, Springs, critical_damping, thesis,
    },
    linear::{BlockMatrix, Pattern},
};
use muslin_model::{
    Material, Mesh, Model,
    shapes::{Triangulation, grid},
};
use std::sync::Arc;

const FROM_FABRIC: GridOptions = GridOptions { stiffness: GridStiffness::Material, damping: GridDamping::Material };

/// Loose masses with springs between them.
fn masses_and_springs(masses: Vec<f64>, springs: &[Spring], resistance: Resistance) -> System {
    let numbering: Vec<u32> = (0..masses.len() as u32).collect();
    let domains = Domains::new(masses.len());
    let layout = Layout { solver_from_model: &numbering, domains: &domains };
    let mut force: Box<dyn Force> = Box::new(Springs::new("springs", springs, resistance, &layout));
    let stencils: Vec<[u32; 2]> = springs.iter().map(|s| s.ends).collect();
    let pattern = Arc::new(Pattern::new(domains.clone(), stencils.iter().map(|s| &s[..])));
    force.bind(&pattern);
    System {
        model_from_solver: numbering.clone(),
        solver_from_model: numbering,
        masses,
        gravity: DVec3::ZERO,
        edge_length: 1.0,
        domains,
        forces: vec![force],
        mechanisms: Default::default(),
        supports: Default::default(),
        pushes: Vec::new(),
        pattern,
    }
}

fn spring(a: u32, b: u32, rest_length: f64, stiffness: f64, viscosity: f64) -> Spring {
    Spring { ends: [a, b], rest_length, stiffness, viscosity }
}

/// Advances by velocity Verlet; enough for measuring periods of undamped springs.
fn verlet(system: &System, x: &mut [DVec3], v: &mut [DVec3], step: f64) {
    let mut force = vec![DVec3::ZERO; x.len()];
    let kick = |x: &[DVec3], v: &mut [DVec3], force: &mut [DVec3]| {
        system.force(x, v, force);
        (0..x.len()).for_each(|i| v[i] += force[i] * (0.5 * step / system.masses[i]));
    };
    kick(x, v, &mut force);
    (0..x.len()).for_each(|i| x[i] += v[i] * step);
    kick(x, v, &mut force);
}

#[test]
fn one_spring_swings_with_its_analytic_period() {
    let (m1, m2, k) = (0.3, 0.5, 20.0);
    let system = masses_and_springs(vec![m1, m2], &[spring(0, 1, 1.0, k, 0.0)], Resistance::Both);
    let period = std::f64::consts::TAU * (m1 * m2 / (m1 + m2) / k).sqrt();
    let (mut x, mut v) = (vec![DVec3::ZERO, DVec3::new(0.0, 1.2, 0.0)], vec![DVec3::ZERO; 2]);
    let (start, steps) = (x.clone(), 2000);
    for _ in 0..steps {
        verlet(&system, &mut x, &mut v, period / steps as f64);
    }
    // Verlet's period is short by (ωh)²/24, 4e-7 of a turn here; after half of it all is reversed.
    let gap = (x[1] - start[1]).length() + v[1].length() * period;
    assert!(gap < 1e-4 * 0.2, "after one period the mass is off by {gap}");
    for _ in 0..steps / 2 {
        verlet(&system, &mut x, &mut v, period / steps as f64);
    }
    assert!((x[1].y - x[0].y - 0.8).abs() < 1e-4, "half a period later the spring is short by as much");
}

#[test]
fn critical_dashpot_brings_a_spring_to_rest_fastest_without_overshoot() {
    // A mass on a fixed end: C(t) = C₀ (1 + ωt) exp(−ωt).
    let (m, k) = (0.2, 5.0);
    let heavy = 1e15;
    let eta = critical_damping(m, k);
    let system = masses_and_springs(vec![heavy, m], &[spring(0, 1, 1.0, k, eta)], Resistance::Both);
    let omega = (k / m).sqrt();
    let (mut x, mut v) = (vec![DVec3::ZERO, DVec3::X * 1.1], vec![DVec3::ZERO; 2]);
    let (h, mut force) = (1e-5, vec![DVec3::ZERO; 2]);
    for step in 0..40_000 {
        system.force(&x, &v, &mut force);
        v[1] += force[1] * (h / m);
        x[1] += v[1] * h;
        let t = (step + 1) as f64 * h;
        let exact = 0.1 * (1.0 + omega * t) * (-omega * t).exp();
        assert!((x[1].x - 1.0 - exact).abs() < 1e-4 * 0.1, "at {t} s: {} not {exact}", x[1].x - 1.0);
    }
}

#[test]
fn hanging_chain_is_longest_at_the_top() {
    // Spring p carries all masses below: elongation (n − p) m g/k.
    let (n, m, k, g) = (9usize, 0.05, 40.0, 9.81);
    let springs: Vec<Spring> = (0..n as u32).map(|p| spring(p, p + 1, 0.1, k, 0.0)).collect();
    let mut system = masses_and_springs(vec![m; n + 1], &springs, Resistance::TensionOnly);
    system.gravity = DVec3::new(0.0, 0.0, -g);
    let mut x = vec![DVec3::ZERO];
    for p in 0..n {
        x.push(x[p] - DVec3::Z * (0.1 + (n - p) as f64 * m * g / k));
    }
    let mut force = vec![DVec3::ZERO; n + 1];
    system.force(&x, &vec![DVec3::ZERO; n + 1], &mut force);
    assert!(force[1..].iter().all(|f| f.length() < 1e-13), "the chain hangs still: {force:?}");
    assert!((force[0].z + (n + 1) as f64 * m * g).abs() < 1e-12, "its end carries everything");
}

#[test]
fn chain_has_the_modes_of_the_textbook() {
    // Fixed at both ends: ω_p² = 4 k/m sin²(pπ/2(n+1)), shapes sin(pπj/(n+1)).
    let (n, k) = (12usize, 30.0);
    let springs: Vec<Spring> = (0..=n as u32).map(|p| spring(p, p + 1, 0.2, k, 0.0)).collect();
    let system = masses_and_springs(vec![1.0; n + 2], &springs, Resistance::Both);
    let x: Vec<DVec3> = (0..n + 2).map(|j| DVec3::Y * (0.2 * j as f64)).collect();
    let mut matrix = BlockMatrix::new(system.pattern.clone());
    system.add_hessian(&x, HessianKind::Exact, &mut matrix);
    let mut product = vec![DVec3::ZERO; n + 2];
    for p in 1..=n {
        let angle = p as f64 * std::f64::consts::PI / (n + 1) as f64;
        let shape: Vec<DVec3> = (0..n + 2).map(|j| DVec3::Y * (angle * j as f64).sin()).collect();
        matrix.multiply(&shape, &mut product);
        let square = 4.0 * k * (0.5 * angle).sin().powi(2);
        for j in 1..=n {
            assert!((product[j] - shape[j] * square).length() < 1e-12 * k, "mode {p} at mass {j}");
        }
    }
}

#[test]
fn tension_only_springs_are_slack_when_short_and_linear_when_long() {
    let system = masses_and_springs(vec![1.0; 2], &[spring(0, 1, 1.0, 7.0, 3.0)], Resistance::TensionOnly);
    let mut force = vec![DVec3::ZERO; 2];
    let approaching = [DVec3::ZERO, DVec3::NEG_X];
    for (length, expected) in [(0.4, 0.0), (0.999, 0.0), (1.5, 3.5 - 3.0), (2.0, 7.0 - 3.0)] {
        let x = [DVec3::ZERO, DVec3::X * length];
        system.force(&x, &approaching, &mut force);
        assert!((force[0] - DVec3::X * expected).length() < 1e-14, "at length {length}: {}", force[0]);
        let energy = 0.5 * 7.0 * f64::max(length - 1.0, 0.0).powi(2);
        assert!((system.elastic_energy(&x) - energy).abs() < 1e-14);
    }
}

#[test]
fn grids_have_as_many_springs_as_the_paper_counts() {
    // A table 2: structural + shear.
    for (side, expected) in [(50, 9_702), (100, 39_402), (200, 158_802)] {
        let model = sheet::grid_of([side, side], DVec2::ONE, Triangulation::RightDiagonal, sheet::odd_fabric());
        let (faces, numbering, domains) = plain(&model);
        let layout = Layout { solver_from_model: &numbering, domains: &domains };
        let springs = Springs::on_grid(&model, &faces, FROM_FABRIC, &layout).expect("a grid");
        assert_eq!(springs.springs().len(), expected);
        let flexion = Springs::grid_flexion(&model, &faces, FROM_FABRIC, &layout).expect("a grid");
        assert_eq!(flexion.springs().len(), 2 * side * (side - 2));
        let angular = AngularSprings::new(&model, &faces, AngularStiffness::Material, &layout).expect("a grid");
        assert_eq!(angular.elements().crossing.end, 2 * side * (side - 2) + 2 * (side - 2) * (side - 2));
    }
}

fn plain(model: &Model) -> (Vec<u32>, Vec<u32>, Domains) {
    let count = model.mesh.positions.len();
    ((0..model.mesh.triangles.len() as u32).collect(), (0..count as u32).collect(), Domains::new(count))
}

/// Energy per area of a force under a uniform small strain (ε₁₁, ε₂₂, γ) of a grid.
fn energy_density(rig: &Rig, [e1, e2, shear]: [f64; 3]) -> f64 {
    let uv_area: f64 = (0..rig.model.mesh.triangles.len()).map(|t| rig.model.mesh.rest_area(t)).sum();
    let x: Vec<DVec3> = rig
        .model
        .mesh
        .positions
        .iter()
        .map(|p| DVec3::new(p.x * (1.0 + e1) + 0.5 * shear * p.y, p.y * (1.0 + e2) + 0.5 * shear * p.x, 0.0))
        .collect();
    rig.force.energy(0..rig.count(), &rig.to_solver(&x)) / uv_area
}

#[test]
fn grid_springs_show_the_fabrics_uniaxial_and_shear_stiffness() {
    // Cells that are not square, fabric that is not isotropic.
    let model = sheet::grid_of([9, 7], DVec2::new(0.8, 0.9), Triangulation::Alternating, sheet::odd_fabric());
    let rig = Rig::new(model, 1, &|m: &Model, f: &[u32], l: &Layout| -> Box<dyn Force> {
        Box::new(Springs::on_grid(m, f, FROM_FABRIC, l).expect("a grid"))
    });
    let e = 1e-6;
    // Least energy over the lateral strain, of a quadratic form known at three points.
    let uniaxial = |along: usize| {
        let at = |lateral: f64| {
            let mut strain = [lateral * e, lateral * e, 0.0];
            strain[along] = e;
            energy_density(&rig, strain) / (0.5 * e * e)
        };
        let (a, b, c) = (at(-1.0), at(0.0), at(1.0));
        let (slope, curve) = (0.5 * (c - a), a + c - 2.0 * b);
        b - 0.5 * slope * slope / curve
    };
    assert!((uniaxial(0) / 1100.0 - 1.0).abs() < 1e-4, "warp {}", uniaxial(0));
    assert!((uniaxial(1) / 700.0 - 1.0).abs() < 1e-4, "weft {}", uniaxial(1));
    let shear = energy_density(&rig, [0.0, 0.0, e]) / (0.5 * e * e);
    assert!((shear / 130.0 - 1.0).abs() < 1e-4, "shear {shear}");
}

#[test]
fn edge_springs_of_equilateral_triangles_are_an_isotropic_sheet() {
    let height = 0.75_f64.sqrt();
    let uv = [DVec2::ZERO, DVec2::X, DVec2::new(0.5, height)];
    // Young's modulus Y, Poisson's ratio ⅓ and the shear modulus that belongs to them.
    let young = 500.0;
    let material = Material {
        stretch_warp: young.into(),
        stretch_weft: young.into(),
        poisson: (1.0 / 3.0).into(),
        shear: (young / (2.0 * (1.0 + 1.0 / 3.0))).into(),
        ..sheet::odd_fabric()
    };
    let positions = uv.map(|p| DVec3::new(p.x, p.y, 0.0)).to_vec();
    let model =
        sheet::model_of(Mesh { positions, triangles: vec![[0, 1, 2]], uv: vec![uv], ..Mesh::default() }, material);
    let rig = Rig::new(model, 1, &|m: &Model, f: &[u32], l: &Layout| -> Box<dyn Force> {
        Box::new(Springs::on_edges(m, f, Resistance::Both, l))
    });
    let e = 1e-6;
    for [a, b, c] in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, -0.4, 0.7], [0.3, 0.3, -1.0]] {
        let c11 = young / (1.0 - 1.0 / 9.0);
        let exact = 0.5 * e * e * (c11 * (a * a + b * b + 2.0 / 3.0 * a * b) + 0.375 * young * c * c);
        let density = energy_density(&rig, [a * e, b * e, c * e]);
        assert!((density / exact - 1.0).abs() < 1e-4, "strain {a} {b} {c}: {density} {exact}");
    }
}

#[test]
fn given_constants_are_taken_as_they_are() {
    let table = thesis::SPRINGS;
    let model = sheet::grid_of([table.side; 2], DVec2::splat(8.0), Triangulation::RightDiagonal, sheet::odd_fabric());
    let (faces, numbering, domains) = plain(&model);
    let layout = Layout { solver_from_model: &numbering, domains: &domains };
    let given = GridStiffness::Given { structural: table.stretch, shear: 2.0 * table.shear, flexion: 3.0 * table.bend };
    let options = GridOptions { stiffness: given, damping: GridDamping::Critical };
    let springs = Springs::on_grid(&model, &faces, options, &layout).expect("a grid");
    let diagonal = 2.0_f64.sqrt() * 8.0 / 7.0;
    for s in springs.springs() {
        let shear = (s.rest_length - diagonal).abs() < 1e-12;
        assert_eq!(s.stiffness, if shear { 2.0 * table.shear } else { table.stretch });
        let mass = 0.5 * s.ends.iter().map(|&v| model.masses[v as usize]).sum::<f64>();
        assert!((s.viscosity - (4.0 * mass * s.stiffness).sqrt()).abs() < 1e-15);
    }
    let flexion = Springs::grid_flexion(&model, &faces, options, &layout).expect("a grid");
    assert!(flexion.springs().iter().all(|s| s.stiffness == 3.0 * table.bend));
    assert!((critical_damping(table.mass, table.stretch) - table.damping).abs() < 5e-7);
}

#[test]
fn cloths_that_are_no_grids_are_refused_by_name() {
    let mut mesh = grid(5, 4, DVec2::ONE, Triangulation::RightDiagonal).expect("a grid");
    mesh.triangles.swap(2, 3);
    mesh.uv.swap(2, 3);
    let model = sheet::model_of(mesh, sheet::odd_fabric());
    let (faces, numbering, domains) = plain(&model);
    let layout = Layout { solver_from_model: &numbering, domains: &domains };
    let error = Springs::on_grid(&model, &faces, FROM_FABRIC, &layout).err();
    assert_eq!(error, Some(GridError::NotAGrid { body: "sheet".into(), triangle: 2 }));
    let error = Springs::on_grid(&model, &faces[1..], FROM_FABRIC, &layout).err();
    assert_eq!(error, Some(GridError::PartOfACloth { body: "sheet".into(), faces: 24, given: 23 }));

    let crooked = sheet::irregular(1);
    let (faces, numbering, domains) = plain(&crooked);
    let layout = Layout { solver_from_model: &numbering, domains: &domains };
    let error = AngularSprings::new(&crooked, &faces, AngularStiffness::Material, &layout).err();
    assert!(matches!(error, Some(GridError::Crooked { .. })), "{error:?}");
}

#[test]
fn springs_of_no_length_pull_nowhere() {
    let system =
        masses_and_springs(vec![1.0; 2], &[spring(0, 1, 0.0, 7.0, 1.0), spring(1, 0, 1.0, 7.0, 1.0)], Resistance::Both);
    let x = [DVec3::ONE; 2];
    let mut out = vec![DVec3::ZERO; 2];
    let potential = system.forces[0].add_gradient(0..2, &x, &mut VertexPart { first: 0, values: &mut out });
    assert_eq!(out, [DVec3::ZERO; 2]);
    assert!((potential.potential - 3.5).abs() < 1e-15);
    let mut matrix = BlockMatrix::new(system.pattern.clone());
    system.add_hessian(&x, HessianKind::Exact, &mut matrix);
    assert!(matrix.blocks.iter().all(|b| b.is_finite()));
}
