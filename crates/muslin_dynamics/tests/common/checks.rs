//! The claims that forces must meet. Each takes how to build the force and panics with what is wrong.

use super::{
    element,
    sheet::{self, CELL, Case, Random, Rig},
};
use glam::{DQuat, DVec3};
use muslin_dynamics::{Domains, Past, forces::HessianKind, linear::BlockMatrix};
use muslin_model::parallel;
use std::sync::Arc;

/// Step of differences, as a part of a cell [-]: truncation h⁶ and round-off ε/h are both far below
/// [`DERIVATIVE`] there.
const STEP: f64 = 2e-3;
/// Largest error of a derivative relative to the element's largest entry [-].
const DERIVATIVE: f64 = 1e-7;
/// Round-off of sums over an element or a sheet, relative to the sum of magnitudes [-].
const ROUND_OFF: f64 = 1e-11;
/// Step length for dissipation potentials [s].
const TAU: f64 = 0.01;
/// Seeds of sheets and states.
const SEEDS: [u64; 2] = [3, 41];

fn largest(values: &[DVec3]) -> f64 {
    values.iter().map(|v| v.length()).fold(0.0, f64::max)
}

/// A past state near `x`, and one more step back.
fn past_states(x: &[DVec3], seed: u64) -> (Vec<DVec3>, Vec<DVec3>) {
    let mut random = Random(seed + 900);
    let start: Vec<DVec3> = x.iter().map(|p| *p + random.vector() * 0.05 * CELL).collect();
    let before = start.iter().map(|p| *p + random.vector() * 0.05 * CELL).collect();
    (start, before)
}

/// Runs `check` on sheets without a past, after backward Euler's begin_step, and after BDF2's.
fn for_each_phase(case: &Case, mut check: impl FnMut(&Rig, &[DVec3], &str)) {
    for seed in SEEDS {
        let mut rig = Rig::new(case.sheet(seed), seed, case.build);
        let x = rig.deformed(seed);
        let (start, before) = past_states(&x, seed);
        check(&rig, &x, "elastic");
        for start_weight in [1.0, 4.0 / 3.0] {
            rig.force.begin_step(&Past { start: &start, before: &before, start_weight, tau: TAU, time_end: 0.7 });
            check(&rig, &x, if start_weight == 1.0 { "one past state" } else { "two past states" });
        }
    }
}

/// The gradient is the slope of the potential, element by element; without a past it is −force and the
/// potential is the energy.
pub fn gradient_is_the_slope_of_the_potential(case: &Case) {
    let mut strongest = 0.0_f64;
    for_each_phase(case, |rig, x, phase| {
        let mut x = x.to_vec();
        let still = vec![DVec3::ZERO; x.len()];
        for e in 0..rig.count() {
            let (potential, gradient) = element::gradient(rig, e, &x);
            let scale = largest(&gradient);
            strongest = strongest.max(scale);
            for (k, &v) in rig.force.stencil(e).to_vec().iter().enumerate() {
                for axis in 0..3 {
                    let [d] = element::difference(&mut x, v, axis, STEP * CELL, |x| [element::gradient(rig, e, x).0]);
                    let error = (d - gradient[k][axis]).abs();
                    assert!(
                        error <= DERIVATIVE * scale.max(1e-9),
                        "{phase}: element {e} vertex {k} axis {axis}: {d} {gradient:?}"
                    );
                }
            }
            // Forces of the air store nothing and have no potential without a past.
            if phase == "elastic" && potential != 0.0 {
                assert!((potential - rig.force.energy(e..e + 1, &x)).abs() <= ROUND_OFF * potential.abs());
                let force = element::force(rig, e, &x, &still);
                let error = (0..force.len()).map(|k| (force[k] + gradient[k]).length()).fold(0.0, f64::max);
                assert!(error <= ROUND_OFF * scale, "element {e}: force {force:?} is not −gradient {gradient:?}");
            }
        }
    });
    assert!(strongest > 1e-3, "nothing was checked: the largest gradient is {strongest} N");
}

/// The exact Hessian is the slope of the gradient.
pub fn hessian_is_the_slope_of_the_gradient(case: &Case) {
    let mut strongest = 0.0_f64;
    for_each_phase(case, |rig, x, phase| {
        let mut x = x.to_vec();
        for e in 0..rig.count() {
            let stencil = rig.force.stencil(e).to_vec();
            let hessian = element::hessian(rig, e, &x, HessianKind::Exact);
            let scale = hessian.norm_max();
            strongest = strongest.max(scale);
            for (k, &v) in stencil.iter().enumerate() {
                for axis in 0..3 {
                    let column: [f64; 48] = element::difference(&mut x, v, axis, STEP * CELL, |x| {
                        let (_, gradient) = element::gradient(rig, e, x);
                        std::array::from_fn(|i| gradient.get(i / 3).map_or(0.0, |g| g[i % 3]))
                    });
                    for i in 0..3 * stencil.len() {
                        let entry = hessian[(i, 3 * k + axis)];
                        assert!(
                            (column[i] - entry).abs() <= DERIVATIVE * scale.max(1e-9),
                            "{phase}: element {e} entry ({i}, {}): {entry}, by differences {}",
                            3 * k + axis,
                            column[i]
                        );
                    }
                }
            }
        }
    });
    assert!(strongest > 1e-2, "nothing was checked: the largest entry is {strongest} N/m");
}

/// The projected Hessian has no negative eigenvalue, and is the exact one where that has none.
pub fn projected_hessian_is_positive_and_exact_where_possible(case: &Case) {
    let mut negative = 0;
    let mut check = |rig: &Rig, x: &[DVec3], phase: &str| {
        let mut agree = 0;
        for e in 0..rig.count() {
            let exact = element::hessian(rig, e, x, HessianKind::Exact);
            let projected = element::hessian(rig, e, x, HessianKind::Projected);
            let scale = exact.norm_max().max(1e-12);
            let (low, _) = element::extreme_eigenvalues(&projected);
            assert!(low >= -ROUND_OFF * scale, "{phase}: element {e}: eigenvalue {low} of {scale}");
            if element::extreme_eigenvalues(&exact).0 >= -ROUND_OFF * scale {
                agree += 1;
                let gap = (&exact - &projected).norm_max();
                assert!(gap <= 1e-9 * scale, "{phase}: element {e}: already positive, but changed by {gap} of {scale}");
            } else {
                negative += 1;
            }
        }
        agree
    };
    for_each_phase(case, |rig, x, phase| {
        check(rig, x, phase);
    });
    // Flat and pulled apart: a state where every force of cloth is convex.
    let rig = Rig::new(case.sheet(1), 1, case.build);
    let pulled: Vec<DVec3> = rig.model.mesh.positions.iter().map(|p| *p * 1.05).collect();
    assert_eq!(check(&rig, &rig.to_solver(&pulled), "pulled"), rig.count(), "elements of a pulled sheet");
    assert!(negative > 0, "the rough states should have shown negative eigenvalues");
}

/// Internal forces, damping included, push and turn nothing as a whole.
pub fn momentum_is_conserved(case: &Case) {
    let mut strongest = 0.0_f64;
    for seed in SEEDS {
        let rig = Rig::new(case.sheet(seed), seed, case.build);
        let x = rig.deformed(seed);
        let v = Random(seed).vectors(x.len(), 2.0);
        for e in 0..rig.count() {
            let force = element::force(&rig, e, &x, &v);
            let at: Vec<DVec3> = rig.force.stencil(e).iter().map(|&v| x[v as usize]).collect();
            let sum: DVec3 = force.iter().sum();
            let torque: DVec3 = force.iter().zip(&at).map(|(f, p)| (*p - at[0]).cross(*f)).sum();
            let scale: f64 = force.iter().map(|f| f.length()).sum();
            strongest = strongest.max(scale);
            assert!(sum.length() <= ROUND_OFF * scale, "element {e}: sum {sum}");
            assert!(torque.length() <= ROUND_OFF * scale * CELL * 10.0, "element {e}: torque {torque} of {scale}");
        }
    }
    assert!(strongest > 1e-3, "nothing was checked: the largest force is {strongest} N");
}

/// Turning and moving the whole sheet changes no energy and only turns the forces.
pub fn rigid_motion_changes_nothing(case: &Case) {
    let rig = Rig::new(case.sheet(8), 8, case.build);
    let x = rig.deformed(8);
    let v = Random(4).vectors(x.len(), 1.0);
    let (turn, shift) = (DQuat::from_scaled_axis(DVec3::new(0.4, -1.1, 2.0)), DVec3::new(3.0, -1.0, 0.5));
    let moved: Vec<DVec3> = x.iter().map(|p| turn * *p + shift).collect();
    let turned: Vec<DVec3> = v.iter().map(|p| turn * *p).collect();
    for e in 0..rig.count() {
        let (a, b) = (rig.force.energy(e..e + 1, &x), rig.force.energy(e..e + 1, &moved));
        assert!((a - b).abs() <= 1e-10 * a.max(1e-9), "element {e}: {a} {b}");
        let (fa, fb) = (element::force(&rig, e, &x, &v), element::force(&rig, e, &moved, &turned));
        for k in 0..fa.len() {
            assert!((turn * fa[k] - fb[k]).length() <= 1e-9 * largest(&fa), "element {e}: {fa:?} {fb:?}");
        }
    }
}

/// The solver's numbering and its domains are bookkeeping only.
pub fn numbering_and_domains_do_not_matter(case: &Case) {
    let totals = |rig: &Rig| {
        let x = rig.to_solver(&sheet::deformed(&rig.model, 6));
        let v = rig.to_solver(&Random(6).vectors(x.len(), 1.0));
        let mut out = vec![DVec3::ZERO; x.len()];
        rig.domains.accumulate(rig.force.elements(), &mut out, |range, part| rig.force.add_force(range, &x, &v, part));
        let ranges = rig.force.elements();
        let energy: f64 = ranges.all().map(|r| rig.force.energy(r.clone(), &x)).sum();
        let mut matrix = BlockMatrix::new(Arc::new(rig.pattern.clone()));
        matrix.accumulate(ranges, |range, part| rig.force.add_hessian(range, &x, HessianKind::Exact, part));
        let mut product = vec![DVec3::ZERO; x.len()];
        matrix.multiply(&rig.to_solver(&Random(9).vectors(x.len(), 1.0)), &mut product);
        (energy, rig.to_model(&out), rig.to_model(&product))
    };
    let model = case.sheet(6);
    let count = model.mesh.positions.len();
    let plain =
        totals(&Rig::with_domains(model.clone(), (0..count as u32).collect(), vec![0, count as u32], case.build));
    assert!(largest(&plain.1) > 0.0 && largest(&plain.2) > 0.0);
    for seed in 0..3 {
        let starts = vec![0, 5, 19, 30, count as u32];
        let other = totals(&Rig::with_domains(model.clone(), Random(seed).permutation(count), starts, case.build));
        assert!((plain.0 - other.0).abs() <= ROUND_OFF * plain.0.abs());
        for v in 0..count {
            assert!((plain.1[v] - other.1[v]).length() <= ROUND_OFF * largest(&plain.1), "force on {v}");
            assert!((plain.2[v] - other.2[v]).length() <= ROUND_OFF * largest(&plain.2), "matrix row {v}");
        }
    }
}

/// Damping takes energy out of every motion but rigid ones, which it does not feel.
pub fn damping_never_adds_energy_and_ignores_rigid_motion(case: &Case) {
    let mut strongest = 0.0_f64;
    for seed in SEEDS {
        let rig = Rig::new(case.sheet(seed), seed, case.build);
        let x = rig.deformed(seed);
        let still = vec![DVec3::ZERO; x.len()];
        let (shift, spin) = (DVec3::new(1.0, 2.0, -1.0), DVec3::new(0.3, -0.8, 0.5));
        let rigid: Vec<DVec3> = x.iter().map(|p| shift + spin.cross(*p)).collect();
        for trial in 0..4 {
            let v = Random(seed * 10 + trial).vectors(x.len(), 1.0);
            for e in 0..rig.count() {
                let elastic = element::force(&rig, e, &x, &still);
                let stencil = rig.force.stencil(e);
                let (all, under_rigid) = (element::force(&rig, e, &x, &v), element::force(&rig, e, &x, &rigid));
                let power: f64 = (0..all.len()).map(|k| (all[k] - elastic[k]).dot(v[stencil[k] as usize])).sum();
                let scale = largest(&all).max(largest(&elastic));
                assert!(power <= ROUND_OFF * scale, "element {e}: power {power}");
                let [reported, _] = element::powers(&rig, e, &x, &v);
                assert!((reported - power).abs() <= ROUND_OFF * 10.0 * scale, "element {e}: {reported} is not {power}");
                strongest = strongest.max(-power);
                for k in 0..all.len() {
                    assert!((under_rigid[k] - elastic[k]).length() <= ROUND_OFF * 10.0 * scale, "element {e}");
                }
            }
        }
    }
    assert!(strongest > 1e-6, "no damping was seen: {strongest} W");
}

/// As the step shrinks, the incremental force tends to the true one, with one past state and with two.
pub fn incremental_force_tends_to_the_true_force(case: &Case) {
    let mut rig = Rig::new(case.sheet(5), 5, case.build);
    let x = rig.deformed(5);
    let v = Random(5).vectors(x.len(), 1.0);
    let truth: Vec<Vec<DVec3>> = (0..rig.count()).map(|e| element::force(&rig, e, &x, &v)).collect();
    let scale = truth.iter().map(|f| largest(f)).fold(0.0, f64::max);
    for (start_weight, per_tau) in [(1.0, 1.0), (4.0 / 3.0, 1.5)] {
        let mut errors = Vec::new();
        for tau in [1e-4, 0.5e-4] {
            // The sheet has moved on straight lines; h = per_tau · τ.
            let back = |steps: f64| -> Vec<DVec3> {
                x.iter().zip(&v).map(|(p, u)| *p - *u * (steps * per_tau * tau)).collect()
            };
            rig.force.begin_step(&Past { start: &back(1.0), before: &back(2.0), start_weight, tau, time_end: 0.0 });
            let worst = (0..rig.count())
                .map(|e| {
                    let (_, gradient) = element::gradient(&rig, e, &x);
                    let gap = (0..gradient.len()).map(|k| (gradient[k] + truth[e][k]).length()).fold(0.0, f64::max);
                    gap / scale
                })
                .fold(0.0, f64::max);
            errors.push(worst);
            let powers: Vec<[f64; 2]> = (0..rig.count()).map(|e| element::powers(&rig, e, &x, &v)).collect();
            let most = powers.iter().map(|p| p[0].abs()).fold(0.0, f64::max);
            let gap = powers.iter().map(|p| (p[0] - p[1]).abs()).fold(0.0, f64::max);
            assert!(most > 0.0 && gap < 0.05 * most, "weight {start_weight}: powers {gap} W apart of {most} W");
        }
        assert!(errors[0] < 0.05, "weight {start_weight}: errors {errors:?} do not vanish");
        assert!(
            errors[1] < 0.6 * errors[0] || errors[0] < 1e-9,
            "weight {start_weight}: errors {errors:?} do not halve"
        );
    }
}

/// One and two threads give the same bits, on a sheet of many domains.
pub fn threads_do_not_change_a_bit(case: &Case) {
    let model = case.large_sheet();
    let count = model.mesh.positions.len();
    let rig = Rig::with_domains(model, (0..count as u32).collect(), Domains::new(count).starts, case.build);
    assert!(rig.domains.count() > 2, "the sheet should have several domains");
    let x = rig.deformed(2);
    let run = |threads: usize| {
        parallel::with_threads(threads, || {
            let mut out = vec![DVec3::ZERO; count];
            let potential = rig
                .domains
                .accumulate(rig.force.elements(), &mut out, |range, part| rig.force.add_gradient(range, &x, part));
            let mut matrix = BlockMatrix::new(Arc::new(rig.pattern.clone()));
            matrix
                .accumulate(rig.force.elements(), |r, part| rig.force.add_hessian(r, &x, HessianKind::Projected, part));
            (potential, out, matrix.blocks)
        })
    };
    let (one, two) = (run(1), run(2));
    assert!(one.0.potential != 0.0 && one == two);
}

/// Makes one test per claim for a case.
#[macro_export]
macro_rules! claims {
    ($module:ident, $case:expr, $($claim:ident),*) => {
        mod $module {
            use super::*;
            $(#[test] fn $claim() { common::checks::$claim(&$case); })*
        }
    };
}

/// All claims for an internal force without dashpots, and further ones.
#[macro_export]
macro_rules! elastic_claims {
    ($module:ident, $case:expr $(, $further:ident)*) => {
        $crate::claims!(
            $module,
            $case,
            gradient_is_the_slope_of_the_potential,
            hessian_is_the_slope_of_the_gradient,
            projected_hessian_is_positive_and_exact_where_possible,
            momentum_is_conserved,
            rigid_motion_changes_nothing,
            numbering_and_domains_do_not_matter,
            threads_do_not_change_a_bit
            $(, $further)*
        );
    };
}

/// All claims for an internal force with dashpots.
#[macro_export]
macro_rules! damped_claims {
    ($module:ident, $case:expr) => {
        $crate::elastic_claims!(
            $module,
            $case,
            damping_never_adds_energy_and_ignores_rigid_motion,
            incremental_force_tends_to_the_true_force
        );
    };
}
