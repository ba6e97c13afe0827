//! Bending forces against closed forms: cylinders, the modes of L 2.1, degenerate hinges, extreme sizes.

mod common;

use common::{
    element,
    sheet::{self, Rig},
};
use glam::{DVec2, DVec3};
use muslin_dynamics::forces::{
    AngularSprings, AngularStiffness, Force, GridDamping, GridOptions, GridStiffness, HessianKind, HingeLaw, Hinges,
    Layout, REFERENCE_BEND, Springs,
};
use muslin_model::{Material, Mesh, Model, shapes::Triangulation};

fn hinges(law: HingeLaw) -> impl Fn(&Model, &[u32], &Layout) -> Box<dyn Force> {
    move |m, f, l| Box::new(Hinges::new(m, f, law, l))
}

/// A fabric with one bending rigidity everywhere.
fn isotropic(rigidity: f64) -> Material {
    Material {
        bend_warp: rigidity.into(),
        bend_weft: rigidity.into(),
        bend_bias: rigidity.into(),
        ..sheet::odd_fabric()
    }
}

/// A strip rolled up along x: each column of cells stays plane and turns by `turn` against the last.
fn rolled(model: &Model, ny: usize, spacing: f64, turn: f64) -> Vec<DVec3> {
    let columns = model.mesh.positions.len() / ny;
    let (mut at, mut path) = (DVec3::ZERO, Vec::new());
    for i in 0..columns {
        path.push(at);
        let (s, c) = (turn * i as f64).sin_cos();
        at += DVec3::new(c, 0.0, s) * spacing;
    }
    model.mesh.positions.iter().enumerate().map(|(v, p)| path[v / ny] + DVec3::Y * p.y).collect()
}

const SPACING: f64 = 0.05;
const WIDTH: f64 = 0.12;

fn strip(material: Material, triangulation: Triangulation) -> Model {
    sheet::grid_of([9, 4], DVec2::new(8.0 * SPACING, WIDTH), triangulation, material)
}

#[test]
fn rolled_strip_stores_half_b_kappa_squared_per_area() {
    let b = 3e-3;
    for triangulation in [Triangulation::RightDiagonal, Triangulation::Alternating] {
        for turn in [0.01_f64, 0.3, 1.5, -2.0] {
            // Seven creases across the width, each W/h of weight: ½ B κ² times their area at small angles.
            let creases = 7.0 * WIDTH / SPACING;
            let angle = creases * 0.5 * b * turn * turn;
            let half_sine = creases * 4.0 * b * (1.0 - (0.5 * turn).cos());
            for (law, exact) in [(HingeLaw::Angle, angle), (HingeLaw::HalfSine, half_sine)] {
                let rig = Rig::new(strip(isotropic(b), triangulation), 2, &hinges(law));
                let x = rig.to_solver(&rolled(&rig.model, 4, SPACING, turn));
                let energy = rig.force.energy(0..rig.count(), &x);
                assert!((energy / exact - 1.0).abs() < 1e-9, "{law:?} at {turn}: {energy}, not {exact}");
            }
        }
    }
}

#[test]
fn both_laws_agree_at_small_angles() {
    let energy = |law: HingeLaw| {
        let rig = Rig::new(strip(isotropic(3e-3), Triangulation::RightDiagonal), 2, &hinges(law));
        rig.force.energy(0..rig.count(), &rig.to_solver(&rolled(&rig.model, 4, SPACING, 1e-3)))
    };
    let (a, h) = (energy(HingeLaw::Angle), energy(HingeLaw::HalfSine));
    assert!(a > 0.0 && (a / h - 1.0).abs() < 1e-6, "{a} {h}");
}

#[test]
fn flexion_springs_match_the_fabric_at_the_reference_bend_only() {
    let b = 3e-3;
    let options = GridOptions { stiffness: GridStiffness::Material, damping: GridDamping::Material };
    let grid_flexion = |m: &Model, f: &[u32], l: &Layout| -> Box<dyn Force> {
        Box::new(Springs::grid_flexion(m, f, options, l).expect("a grid"))
    };
    let ratio = |turn: f64| {
        let rig = Rig::new(strip(isotropic(b), Triangulation::RightDiagonal), 2, &grid_flexion);
        let x = rig.to_solver(&rolled(&rig.model, 4, SPACING, turn));
        rig.force.energy(0..rig.count(), &x) / (7.0 * WIDTH / SPACING * 0.5 * b * turn * turn)
    };
    // The chord shortens by h φ²/4 (1 − φ²/48 …), so a few percent are missing at one radian.
    assert!((ratio(REFERENCE_BEND) - 1.0).abs() < 0.05, "{}", ratio(REFERENCE_BEND));
    assert!((ratio(0.1) / 0.01 - 1.0).abs() < 1e-3, "far below it they are φ² times too soft: {}", ratio(0.1));
}

#[test]
fn hinge_springs_match_the_fabric_at_the_reference_bend() {
    let b = 3e-3;
    let build = |m: &Model, f: &[u32], l: &Layout| -> Box<dyn Force> { Box::new(Springs::across_hinges(m, f, l)) };
    // One hinge, neither symmetric nor right-angled, bent about its edge.
    let uv = [DVec2::new(0.0, 0.0), DVec2::new(0.0, 0.1), DVec2::new(-0.07, 0.02), DVec2::new(0.05, 0.06)];
    let mesh = Mesh {
        positions: uv.map(|p| DVec3::new(p.x, p.y, 0.0)).to_vec(),
        triangles: vec![[0, 1, 2], [0, 3, 1]],
        uv: vec![[uv[0], uv[1], uv[2]], [uv[0], uv[3], uv[1]]],
        texture: Vec::new(),
    };
    let rig = Rig::new(sheet::model_of(mesh, isotropic(b)), 2, &build);
    let energy = |theta: f64| {
        let mut x = rig.model.mesh.positions.clone();
        x[3] = DVec3::new(0.05 * theta.cos(), 0.06, 0.05 * theta.sin());
        rig.force.energy(0..1, &rig.to_solver(&x))
    };
    let area = 0.5 * 0.1 * (0.07 + 0.05);
    let exact = |theta: f64| 0.5 * b * theta * theta * 0.01 / area;
    let small = 0.05;
    let leading = energy(small) / (exact(small) * small * small);
    assert!((leading - 1.0).abs() < 2e-3, "fourth order with the right factor: {leading}");
    assert!((energy(REFERENCE_BEND) / exact(REFERENCE_BEND) - 1.0).abs() < 0.15);
}

#[test]
fn angular_springs_bend_cylinders_like_the_fabric_along_the_grid_and_across_it() {
    // Inner vertices of a large square grid on a cylinder of small curvature, at 0°, 45° and 90°.
    let material = Material { bend_bias: 3.5e-3.into(), ..sheet::odd_fabric() };
    let (n, h, kappa) = (30usize, 0.02, 0.05);
    let side = (n - 1) as f64 * h;
    for (degrees, exact) in [(0.0_f64, 2e-3), (45.0, 3.5e-3), (90.0, 3e-3)] {
        let model = sheet::grid_of([n, n], DVec2::splat(side), Triangulation::RightDiagonal, material.clone());
        let rig = Rig::new(model, 2, &|m: &Model, f: &[u32], l: &Layout| -> Box<dyn Force> {
            Box::new(AngularSprings::new(m, f, AngularStiffness::Material, l).expect("a grid"))
        });
        let x = rig.rolled(degrees, kappa);
        // Springs whose middle is at least two cells from the border carry whole cells.
        let inner = |e: usize| {
            let middle = rig.force.stencil(e)[1];
            let v = rig.solver_from_model.iter().position(|&s| s == middle).expect("a vertex");
            [v / n, v % n].iter().all(|&k| k >= 2 && k + 2 < n)
        };
        let energy: f64 = (0..rig.count()).filter(|&e| inner(e)).map(|e| rig.force.energy(e..e + 1, &x)).sum();
        let area = ((n - 4) * (n - 4)) as f64 * h * h;
        let rigidity = energy / (0.5 * kappa * kappa * area);
        assert!((rigidity / exact - 1.0).abs() < 1e-3, "at {degrees}°: {rigidity} N·m, not {exact}");
    }
}

/// The four modes of L eq. 2, u4 as the errata have it.
fn modes(x: [DVec3; 4]) -> [DVec3; 4] {
    let [x1, x2, x3, x4] = x;
    let (n1, n2, e) = ((x1 - x3).cross(x1 - x4), (x2 - x4).cross(x2 - x3), x4 - x3);
    let (q1, q2, l) = (n1 / n1.length_squared(), n2 / n2.length_squared(), e.length());
    [
        q1 * l,
        q2 * l,
        q1 * ((x1 - x4).dot(e) / l) + q2 * ((x2 - x4).dot(e) / l),
        -q1 * ((x1 - x3).dot(e) / l) - q2 * ((x2 - x3).dot(e) / l),
    ]
}

fn hinge_states() -> Vec<(Rig, Vec<DVec3>, usize)> {
    let mut states = Vec::new();
    for seed in [3, 4, 5] {
        let rig = Rig::new(sheet::irregular(seed), seed, &hinges(HingeLaw::HalfSine));
        let x = rig.deformed(seed);
        let count = rig.count();
        states.push((rig, x, count));
    }
    states
}

#[test]
fn pure_bending_mode_excites_no_rigid_and_no_in_plane_motion() {
    for (rig, x, count) in hinge_states() {
        for e in 0..count {
            let stencil = rig.force.stencil(e);
            let at: [DVec3; 4] = std::array::from_fn(|k| x[stencil[k] as usize]);
            let u = modes(at);
            let scale: f64 = u.iter().map(|m| m.length()).sum();
            let work = |v: &dyn Fn(usize) -> DVec3| (0..4).map(|k| u[k].dot(v(k))).sum::<f64>();
            let sum: DVec3 = u.iter().sum();
            let torque: DVec3 = (0..4).map(|k| (at[k] - at[2]).cross(u[k])).sum();
            assert!(sum.length() < 1e-12 * scale, "hinge {e}: the modes push by {sum}");
            assert!(torque.length() < 1e-12 * scale, "hinge {e}: the modes turn by {torque}");
            // In-plane motions: growing, stretching along the edge, and each wing within its own plane.
            assert!(work(&|k| at[k] - at[2]).abs() < 1e-12 * scale, "growing");
            let along = (at[3] - at[2]).normalize();
            assert!(work(&|k| along * (at[k] - at[2]).dot(along)).abs() < 1e-12 * scale, "along the edge");
            for wing in 0..2 {
                for side in [at[2] - at[wing], at[3] - at[wing]] {
                    assert!(u[wing].dot(side).abs() < 1e-12 * scale, "within wing {wing}");
                }
            }
        }
    }
}

#[test]
fn printed_sign_of_the_fourth_mode_would_push_the_hinge() {
    // The erratum matters: with L's own plus sign the modes do not sum to zero.
    let (rig, x, _) = hinge_states().remove(0);
    let at: [DVec3; 4] = std::array::from_fn(|k| x[rig.force.stencil(0)[k] as usize]);
    let mut u = modes(at);
    let (n1, e) = ((at[0] - at[2]).cross(at[0] - at[3]), at[3] - at[2]);
    u[3] += n1 / n1.length_squared() * (2.0 * (at[0] - at[2]).dot(e) / e.length());
    assert!(u.iter().sum::<DVec3>().length() > 0.1 * u[0].length());
}

#[test]
fn bending_element_is_the_formula_of_the_paper_with_rest_lengths() {
    for (rig, x, count) in hinge_states() {
        let still = vec![DVec3::ZERO; x.len()];
        let velocities = sheet::Random(8).vectors(x.len(), 1.0);
        let mut strongest = 0.0_f64;
        for e in 0..count {
            let stencil = rig.force.stencil(e);
            let (at, rest): ([DVec3; 4], [DVec3; 4]) = {
                let rest = rig.to_solver(&rig.model.mesh.positions);
                (std::array::from_fn(|k| x[stencil[k] as usize]), std::array::from_fn(|k| rest[stencil[k] as usize]))
            };
            let double_area = |p: [DVec3; 4], w: usize| (p[w] - p[2]).cross(p[w] - p[3]).length();
            let edge = (rest[3] - rest[2]).length();
            let weight = edge * edge / (double_area(rest, 0) + double_area(rest, 1));
            let (n1, n2) = ((at[0] - at[2]).cross(at[0] - at[3]), (at[1] - at[3]).cross(at[1] - at[2]));
            let bend = n1.angle_between(n2);
            let sign = n1.cross(n2).dot(at[3] - at[2]).signum();
            // k_e = 4B with the mean of warp and weft.
            let moment = 4.0 * 2.5e-3 * weight * (0.5 * bend).sin() * sign;
            let u = modes(at);
            let force = element::force(&rig, e, &x, &still);
            let damped = element::force(&rig, e, &x, &velocities);
            // k_d ‖E‖ = 2η ‖E‖²/(‖N₁‖+‖N₂‖).
            let rate: f64 = (0..4).map(|k| u[k].dot(velocities[stencil[k] as usize])).sum();
            for k in 0..4 {
                let scale = (u[k] * moment).length() + 1e-6;
                assert!(
                    (force[k] - u[k] * moment).length() < 1e-7 * scale,
                    "hinge {e}: {} {}",
                    force[k],
                    u[k] * moment
                );
                let damping = u[k] * (-2.0 * 1e-4 * weight * rate);
                assert!((damped[k] - force[k] - damping).length() < 1e-9 * (damping.length() + scale), "hinge {e}");
                strongest = strongest.max(force[k].length());
            }
        }
        assert!(strongest > 1e-3);
    }
}

#[test]
fn hinges_do_not_mind_the_size_of_the_scene() {
    // The angle alone counts: energy the same, forces as 1/size, from 1e-8 m to 1e8 m.
    let at_size = |size: f64, law: HingeLaw| {
        let model = sheet::grid_of([3, 3], DVec2::splat(size), Triangulation::RightDiagonal, isotropic(2e-3));
        let rig = Rig::new(model, 2, &hinges(law));
        let x: Vec<DVec3> = rig
            .model
            .mesh
            .positions
            .iter()
            .map(|p| *p + DVec3::Z * (0.3 * size * (p.x / size + 0.4 * p.y / size).powi(2)))
            .collect();
        let x = rig.to_solver(&x);
        let force = element::force(&rig, 2, &x, &vec![DVec3::ZERO; x.len()])[0];
        (rig.force.energy(0..rig.count(), &x), force.length() * size)
    };
    for law in [HingeLaw::Angle, HingeLaw::HalfSine] {
        let (energy, force) = at_size(1.0, law);
        assert!(energy > 1e-6 && force > 1e-6);
        for size in [1e-8, 1e-4, 1e4, 1e8] {
            let (e, f) = at_size(size, law);
            assert!((e / energy - 1.0).abs() < 1e-9 && (f / force - 1.0).abs() < 1e-9, "{law:?} at {size}: {e} {f}");
        }
    }
}

#[test]
fn collapsed_hinges_and_folds_stay_finite() {
    let straight = |m: &Model, f: &[u32], l: &Layout| -> Box<dyn Force> {
        Box::new(AngularSprings::new(m, f, AngularStiffness::Material, l).expect("a grid"))
    };
    let builds: [sheet::Build; 3] = [&hinges(HingeLaw::Angle), &hinges(HingeLaw::HalfSine), &straight];
    for build in builds {
        let model = sheet::grid_of([4, 4], DVec2::ONE, Triangulation::Alternating, isotropic(1e-3));
        let rig = Rig::new(model, 2, build);
        let flat = &rig.model.mesh.positions;
        let states: [Vec<DVec3>; 3] = [
            vec![DVec3::ONE; flat.len()],
            flat.iter().map(|p| DVec3::X * p.x).collect(),
            // Folded back onto itself exactly.
            flat.iter().map(|p| DVec3::new(p.x.abs(), p.y, 0.0)).collect(),
        ];
        for x in states {
            let x = rig.to_solver(&x);
            for e in 0..rig.count() {
                let (potential, gradient) = element::gradient(&rig, e, &x);
                assert!(potential.is_finite() && gradient.iter().all(|g| g.is_finite()), "{} {e}", rig.force.name());
                for kind in [HessianKind::Exact, HessianKind::Projected] {
                    let matrix = element::hessian(&rig, e, &x, kind);
                    let finite = (0..matrix.nrows()).all(|i| (0..matrix.ncols()).all(|j| matrix[(i, j)].is_finite()));
                    assert!(finite, "{} {e} {kind:?}", rig.force.name());
                }
            }
        }
    }
}
