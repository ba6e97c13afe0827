//! Measured tables in membrane and bending (D4): derivatives, the law at rest, and strips pulled and bent in three
//! directions against references that are computed here from the rows.

mod common;

use common::{
    checks, element,
    sheet::{self, CELL, Case, Rig},
};
use glam::{DMat2, DVec2, DVec3};
use muslin_dynamics::{
    Past,
    forces::{Curvature, Force, Layout, Membrane},
};
use muslin_model::{BendRow, BendTable, FabricTables, Model, StretchTable, shapes::Triangulation};
use std::sync::Arc;

type Built = Box<dyn Force>;

/// C₁₁, C₂₂, C₁₂, C₃₃ at rest and at 0°, 22.5°, 45°, 67.5°, 90° [N/m]: all different, and stiffening threefold.
const REST: [f64; 4] = [400.0, 700.0, 60.0, 50.0];
const ELONGATION: f64 = 1.0 / 6.0;
const STRAINED: [[f64; 4]; 5] = [
    [900.0, 800.0, 100.0, 60.0],
    [850.0, 1000.0, 120.0, 70.0],
    [800.0, 1300.0, 150.0, 90.0],
    [700.0, 1700.0, 170.0, 110.0],
    [600.0, 2100.0, 130.0, 130.0],
];
/// Curvature [1/m], rigidity along warp, bias and weft [N·m].
const BENDING: [[f64; 4]; 4] =
    [[0.0, 2e-3, 3e-3, 3e-3], [2.0, 3e-3, 3.5e-3, 2.5e-3], [5.0, 4e-3, 4.5e-3, 2e-3], [9.0, 2.5e-3, 5e-3, 3.5e-3]];

fn tables() -> FabricTables {
    let row = |&[curvature, warp, bias, weft]: &[f64; 4]| BendRow { curvature, warp, bias, weft };
    FabricTables {
        stretch: Some(Arc::new(StretchTable::new(REST, ELONGATION, STRAINED))),
        bend: Some(Arc::new(BendTable::new(BENDING.iter().map(row).collect()))),
    }
}

fn with_tables(model: &Model) -> Model {
    Model { tables: vec![tables()], ..model.clone() }
}

fn membrane(model: &Model, faces: &[u32], layout: &Layout) -> Built {
    Box::new(Membrane::tabulated(&with_tables(model), faces, layout).expect("all faces have tables"))
}

fn bending(model: &Model, faces: &[u32], layout: &Layout) -> Built {
    Box::new(Curvature::tabulated(&with_tables(model), faces, layout).expect("all faces have tables"))
}

// All claims but that the energy is the potential of a step: the law has no potential, a step makes its own.
claims!(
    tabulated_membrane,
    Case::irregular(&membrane),
    hessian_is_the_slope_of_the_gradient,
    projected_hessian_is_positive_and_exact_where_possible,
    momentum_is_conserved,
    rigid_motion_changes_nothing,
    numbering_and_domains_do_not_matter,
    threads_do_not_change_a_bit,
    damping_never_adds_energy_and_ignores_rigid_motion,
    incremental_force_tends_to_the_true_force
);
claims!(
    tabulated_bending,
    Case::irregular(&bending),
    hessian_is_the_slope_of_the_gradient,
    projected_hessian_is_positive_and_exact_where_possible,
    momentum_is_conserved,
    rigid_motion_changes_nothing,
    numbering_and_domains_do_not_matter,
    threads_do_not_change_a_bit,
    damping_never_adds_energy_and_ignores_rigid_motion,
    incremental_force_tends_to_the_true_force
);

#[test]
fn the_gradient_is_the_slope_of_the_step_s_potential() {
    for build in [membrane as fn(&Model, &[u32], &Layout) -> Built, bending] {
        let mut rig = Rig::new(sheet::irregular(3), 3, &build);
        let mut x = rig.deformed(3);
        let [start, before] = [4, 5].map(|seed| rig.deformed(seed));
        rig.force.begin_step(&Past { start: &start, before: &before, start_weight: 1.0, tau: 0.01, time_end: 0.0 });
        let mut strongest = 0.0_f64;
        for e in 0..rig.count() {
            let (_, gradient) = element::gradient(&rig, e, &x);
            let scale = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
            strongest = strongest.max(scale);
            for (k, v) in rig.force.stencil(e).to_vec().into_iter().enumerate() {
                for axis in 0..3 {
                    let [d] = element::difference(&mut x, v, axis, 2e-3 * CELL, |x| [element::gradient(&rig, e, x).0]);
                    assert!((d - gradient[k][axis]).abs() <= 1e-7 * scale, "element {e}: {d} {gradient:?}");
                }
            }
        }
        assert!(strongest > 1e-3);
    }
}

#[test]
fn a_step_that_begins_at_rest_has_the_force_of_the_law() {
    for build in [membrane as fn(&Model, &[u32], &Layout) -> Built, bending] {
        let mut rig = Rig::new(sheet::irregular(7), 7, &build);
        let x = rig.deformed(7);
        let still = vec![DVec3::ZERO; x.len()];
        let unaware: Vec<Vec<DVec3>> = (0..rig.count()).map(|e| element::gradient(&rig, e, &x).1).collect();
        rig.force.begin_step(&Past { start: &x, before: &x, start_weight: 1.0, tau: 0.01, time_end: 0.0 });
        let mut changed = 0.0_f64;
        for e in 0..rig.count() {
            let (_, gradient) = element::gradient(&rig, e, &x);
            let force = element::force(&rig, e, &x, &still);
            let scale = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
            for k in 0..force.len() {
                assert!((force[k] + gradient[k]).length() <= 1e-11 * scale, "element {e}");
                changed = changed.max((gradient[k] - unaware[e][k]).length() / scale);
            }
        }
        assert!(changed > 0.1, "the table should matter: {changed}");
    }
}

#[test]
fn a_table_of_equal_rows_is_the_plain_membrane() {
    let model = sheet::irregular(2);
    let (ku, kv, nu, shear) = (1100.0, 700.0, 0.23, 130.0);
    let scale = 1.0 / (1.0 - nu * nu);
    let row = [ku * scale, kv * scale, nu * f64::sqrt(ku * kv) * scale, shear];
    let equal = FabricTables { stretch: Some(Arc::new(StretchTable::new(row, 0.1, [row; 5]))), bend: None };
    let flat = Model { tables: vec![equal], ..model.clone() };
    let build = |_: &Model, f: &[u32], l: &Layout| Box::new(Membrane::tabulated(&flat, f, l).unwrap()) as Built;
    let plain = |m: &Model, f: &[u32], l: &Layout| Box::new(Membrane::new(m, f, l)) as Built;
    let [a, b] = [Rig::new(model.clone(), 2, &build), Rig::new(model.clone(), 2, &plain)];
    let x = a.deformed(2);
    for e in 0..a.count() {
        let (fa, fb) = (element::force(&a, e, &x, &x), element::force(&b, e, &x, &x));
        let (ea, eb) = (a.force.energy(e..e + 1, &x), b.force.energy(e..e + 1, &x));
        assert!(fa.iter().zip(&fb).all(|(p, q)| (*p - *q).length() <= 1e-9 * q.length().max(1e-3)));
        assert!((ea - eb).abs() <= 1e-9 * eb);
    }
}

#[test]
fn a_face_without_a_table_is_named() {
    let model = sheet::irregular(1);
    let domains = muslin_dynamics::Domains { starts: vec![0, 42] };
    let order: Vec<u32> = (0..42).collect();
    let layout = Layout { solver_from_model: &order, domains: &domains };
    assert_eq!(Membrane::tabulated(&model, &[5, 6], &layout).err(), Some(5));
    assert_eq!(Curvature::tabulated(&model, &[3], &layout).err(), Some(3));
}

/// The stiffness of the rows at a principal elongation and an angle from the warp, with linear interpolation, for a
/// sheet that contracts across.
fn rows_at(elongation: f64, angle: f64) -> [f64; 4] {
    let part = (elongation / ELONGATION).min(1.0);
    let place = angle / 22.5_f64.to_radians();
    let (row, between) = (place.floor().min(3.0) as usize, place - place.floor().min(3.0));
    std::array::from_fn(|i| {
        let there = STRAINED[row][i] + between * (STRAINED[row + 1][i] - STRAINED[row][i]);
        REST[i] + part * (there - REST[i])
    })
}

/// The strain (E₁₁, E₂₂, γ) and the stress σ of S = σ d⊗d at a principal direction near d, by repeated substitution:
/// the compliance of the present rows gives a strain, which gives new rows.
fn uniaxial(direction: DVec2, stress: f64) -> DVec3 {
    let s = DVec3::new(direction.x * direction.x, direction.y * direction.y, direction.x * direction.y) * stress;
    let mut e = DVec3::ZERO;
    for _ in 0..400 {
        let c = {
            let (mean, half) = (0.5 * (e.x + e.y), DVec2::new(0.5 * (e.x - e.y), 0.5 * e.z));
            let first = (1.0 + 2.0 * (mean + half.length())).sqrt() - 1.0;
            rows_at(first, 0.5 * half.y.abs().atan2(half.x))
        };
        let det = c[0] * c[1] - c[2] * c[2];
        let next = DVec3::new((c[1] * s.x - c[2] * s.y) / det, (c[0] * s.y - c[2] * s.x) / det, s.z / c[3]);
        e = e * 0.5 + next * 0.5;
    }
    e
}

#[test]
fn strips_pulled_at_0_45_and_90_degrees_pull_back_as_the_table_says() {
    let (n, side) = (7, 0.06);
    for degrees in [0.0_f64, 45.0, 90.0] {
        let direction = DVec2::from_angle(degrees.to_radians());
        for stress in [2.0, 15.0, 60.0, 150.0] {
            let e = uniaxial(direction, stress);
            // The stretch U = √(1 + 2E), by its closed form for 2×2 matrices.
            let c = DMat2::from_cols(DVec2::new(1.0 + 2.0 * e.x, e.z), DVec2::new(e.z, 1.0 + 2.0 * e.y));
            let root = c.determinant().sqrt();
            let u = (c + DMat2::IDENTITY * root) * (1.0 / (c.x_axis.x + c.y_axis.y + 2.0 * root).sqrt());
            for triangulation in [Triangulation::Alternating, Triangulation::Irregular { seed: 4, straight_columns: 0 }]
            {
                let model = sheet::grid_of([n, n], DVec2::splat(side), triangulation, sheet::odd_fabric());
                let rig = Rig::new(model, 1, &membrane);
                let flat = &rig.model.mesh.positions;
                let moved: Vec<DVec3> = flat.iter().map(|p| (u * p.truncate()).extend(0.0)).collect();
                let x = rig.to_solver(&moved);
                let still = vec![DVec3::ZERO; x.len()];
                let mut forces = vec![DVec3::ZERO; x.len()];
                for e in 0..rig.count() {
                    let part = element::force(&rig, e, &x, &still);
                    rig.force.stencil(e).iter().zip(part).for_each(|(&v, f)| forces[v as usize] += f);
                }
                let forces = rig.to_model(&forces);
                // Nominal traction on a side with normal N: U S N; the force on its vertices is minus it times the length.
                let s = DMat2::from_cols(direction * direction.x, direction * direction.y) * stress;
                for normal in [DVec2::X, DVec2::Y] {
                    let on_side = |p: &DVec3| (p.truncate().dot(normal) - 0.5 * side).abs() < 1e-9;
                    let corner =
                        |p: &DVec3| on_side(p) && (p.truncate().dot(normal.perp()).abs() - 0.5 * side).abs() < 1e-9;
                    let sum: DVec2 = flat
                        .iter()
                        .zip(&forces)
                        .filter(|(p, _)| on_side(p) && !corner(p))
                        .map(|(_, f)| f.truncate())
                        .sum();
                    // Inner vertices of a side bear all of it but half a cell at each end; only on a regular mesh.
                    if triangulation != Triangulation::Alternating {
                        continue;
                    }
                    let reach = (n - 2) as f64 / (n - 1) as f64;
                    let expected = u * (s * normal) * (-side * reach);
                    let miss = (sum - expected).length() / (stress * side);
                    assert!(miss < 1e-9, "{degrees}°, {stress} N/m: {sum} instead of {expected}");
                }
                // Inside, nothing is left over.
                let inner = |p: &DVec3| p.truncate().abs().max_element() < 0.5 * side - 1e-9;
                let left =
                    flat.iter().zip(&forces).filter(|(p, _)| inner(p)).map(|(_, f)| f.length()).fold(0.0, f64::max);
                assert!(left < 1e-9 * stress * side, "{left}");
            }
        }
    }
}

/// By how much the energy of a rolled sheet of n² vertices differs from the work ∫ B κ dκ of the table's rows [-].
fn miss_of_rolled(n: usize, (column, degrees): (usize, f64), curvature: f64) -> f64 {
    let side = 0.12;
    let model = sheet::grid_of([n, n], DVec2::splat(side), Triangulation::Alternating, sheet::odd_fabric());
    let rig = Rig::new(model, 1, &bending);
    // Elements that no border is near.
    let flat = rig.to_solver(&rig.model.mesh.positions);
    let inner = |v: &u32| flat[*v as usize].truncate().abs().max_element() < 0.3 * side;
    let inside: Vec<usize> = (0..rig.count()).filter(|&e| rig.force.stencil(e).iter().all(inner)).collect();
    assert!(inside.len() > 8);
    let area = (side / (n - 1) as f64).powi(2) / 2.0;
    let x = rig.rolled(degrees, curvature);
    let energy: f64 = inside.iter().map(|&e| rig.force.energy(e..e + 1, &x)).sum::<f64>() / inside.len() as f64;
    // The midpoint rule over many small steps of the rows.
    let rigidity = |k: f64| {
        let next = BENDING.iter().position(|row| row[0] > k).unwrap_or(BENDING.len());
        let (low, high) = (BENDING[next - 1], BENDING[next.min(BENDING.len() - 1)]);
        let part = if high[0] > low[0] { (k - low[0]) / (high[0] - low[0]) } else { 0.0 };
        low[column] + part * (high[column] - low[column])
    };
    let steps = 4000;
    let at = |j: usize| rigidity(curvature * (j as f64 + 0.5) / steps as f64) * (j as f64 + 0.5);
    let work = (0..steps).map(at).sum::<f64>() * (curvature / steps as f64).powi(2);
    energy / (area * work) - 1.0
}

/// A cell that turns by κh shows its curvature to second order in κh: sines and cosines of the turn stand for the turn and its
/// square. So the miss at one resolution is no measure of the law; it must fall fourfold at half the cells, and what two
/// resolutions extrapolate to is the table's work.
#[test]
fn sheets_rolled_at_0_45_and_90_degrees_take_the_work_of_the_bending_table() {
    for direction in [(1, 0.0), (2, 45.0), (3, 90.0)] {
        for curvature in [1.0, 4.0, 8.0, 12.0] {
            let [coarse, fine] = [13, 25].map(|n| miss_of_rolled(n, direction, curvature));
            let left = (4.0 * fine - coarse) / 3.0;
            println!("{}°, {curvature} 1/m: {coarse:.2e}, {fine:.2e}, extrapolated {left:.1e}", direction.1);
            assert!(left.abs() < 1e-4, "{direction:?}, {curvature} 1/m: {coarse} and {fine} lead to {left}");
        }
        let [coarse, fine] = [13, 25].map(|n| miss_of_rolled(n, direction, 12.0));
        assert!((3.5..4.5).contains(&(coarse / fine)), "{direction:?}: {coarse} and {fine} are not of second order");
    }
    checks::rigid_motion_changes_nothing(&Case::straight(&bending));
}
