//! A run resumed from a checkpoint gives the bits of the run that went on, lagged factors and all.

use super::cotton::cotton;
use glam::{DMat3, DVec3};
use muslin_dynamics::{
    Constraints, System,
    integrators::{ImplicitScheme, Integrator, Newton, Phase, StepInput, Tolerances},
    linear::{BlockJacobi, LaggedCholesky, Multilevel, Preconditioner, Reach},
};
use muslin_model::{Archive, ArchiveError, parallel};
use std::ops::Range;

const STEP: f64 = 1.0 / 150.0;

fn system() -> System {
    cotton(SIDE, 0.5).1
}

const SIDE: usize = 14;

/// Every preconditioner with a memory, and the one without.
fn preconditioners(layout: &[DVec3]) -> [(&'static str, Box<dyn Preconditioner>); 5] {
    let layout = || layout.to_vec();
    [
        ("adaptive", Box::new(LaggedCholesky::new(Reach::Adaptive, layout()))),
        ("strong", Box::new(LaggedCholesky::new(Reach::Strong, layout()))),
        ("full", Box::new(LaggedCholesky::new(Reach::Full, layout()))),
        ("multilevel", Box::new(Multilevel::new(layout()))),
        ("block-jacobi", Box::new(BlockJacobi::default())),
    ]
}

fn newton(scheme: ImplicitScheme, preconditioner: Box<dyn Preconditioner>) -> Newton {
    Newton::new(scheme, Tolerances::default(), preconditioner)
}

fn memory_of(newton: &mut Newton) -> &mut dyn Preconditioner {
    newton.memory_mut().expect("a preconditioner")
}

/// A sheet in slight waves, so that it folds and its factor ages.
fn start() -> Phase {
    let edge = 0.5 / (SIDE - 1) as f64;
    let place = |v: usize| DVec3::new((v / SIDE) as f64 * edge, (v % SIDE) as f64 * edge, 0.002 * (v as f64).sin());
    let positions: Vec<DVec3> = (0..SIDE * SIDE).map(place).collect();
    let still = vec![DVec3::ZERO; positions.len()];
    Phase {
        previous_positions: positions.clone(),
        previous_velocities: still.clone(),
        positions,
        velocities: still,
        previous_step: 0.0,
        guess: Vec::new(),
    }
}

/// Held by two corners until step 7, then by one.
fn run(newton: &mut Newton, phase: &mut Phase, steps: Range<usize>) {
    let mut system = system();
    for k in steps {
        let held: Vec<u32> = if k < 7 { vec![0, SIDE as u32 - 1] } else { vec![0] };
        let constraints = Constraints {
            targets: held.iter().map(|&v| phase.positions[v as usize]).collect(),
            free: vec![DMat3::ZERO; held.len()],
            vertices: held,
            ..Default::default()
        };
        let input = StepInput { time: k as f64 * STEP, step: STEP, constraints: &constraints };
        newton.step(&mut system, phase, &input).expect("a step that converges");
    }
}

/// Runs `before` steps, saves, restores into a fresh solver on another number of threads, and goes on.
fn resumed(scheme: ImplicitScheme, kind: usize, before: usize, total: usize, memory: Memory) -> Phase {
    let mut phase = start();
    let layout = phase.positions.clone();
    let fresh = || newton(scheme, preconditioners(&layout).into_iter().nth(kind).expect("a kind").1);
    let mut archive = Archive::default();
    parallel::with_threads(1, || {
        let mut first = fresh();
        run(&mut first, &mut phase, 0..before);
        memory_of(&mut first).save(&mut archive);
    });
    parallel::with_threads(3, || {
        let mut second = fresh();
        if memory == Memory::Kept {
            memory_of(&mut second).restore(&system().pattern, &archive).expect("its own archive");
        }
        run(&mut second, &mut phase, before..total);
    });
    phase
}

#[derive(Clone, Copy, PartialEq)]
enum Memory {
    Kept,
    Lost,
}

#[test]
fn a_resumed_solver_has_the_bits_of_one_that_went_on_wherever_it_stopped() {
    let layout = start().positions;
    let mut memory_matters = 0;
    for scheme in [ImplicitScheme::BackwardEuler, ImplicitScheme::LinearBackwardEuler, ImplicitScheme::Bdf2] {
        for (kind, (name, preconditioner)) in preconditioners(&layout).into_iter().enumerate() {
            let mut whole = start();
            run(&mut newton(scheme, preconditioner), &mut whole, 0..10);
            for before in [0, 1, 4, 7, 8] {
                assert!(
                    resumed(scheme, kind, before, 10, Memory::Kept) == whole,
                    "{name}, {scheme:?}, stopped after {before} steps"
                );
            }
            let shows = |before| resumed(scheme, kind, before, 10, Memory::Lost) != whole;
            memory_matters += usize::from([5, 6, 8].into_iter().any(shows));
        }
    }
    // Otherwise the equalities above would prove nothing.
    assert!(memory_matters >= 6, "{memory_matters}");
}

#[test]
fn an_archive_that_does_not_fit_is_refused_and_never_a_panic() {
    let mut phase = start();
    let mut solver = newton(ImplicitScheme::BackwardEuler, Box::new(LaggedCholesky::new(Reach::Strong, Vec::new())));
    run(&mut solver, &mut phase, 0..3);
    let mut good = Archive::default();
    memory_of(&mut solver).save(&mut good);
    let names: Vec<String> = good.arrays.keys().cloned().collect();
    assert!(names.len() >= 8, "{names:?}");
    for name in names {
        let mut bad = good.clone();
        bad.put_reals(&name, vec![0.0; 7]);
        let error = memory_of(&mut solver).restore(&system().pattern, &bad).expect_err(&name);
        assert!(error.to_string().contains(&name), "{error}");
    }
    let mut bad = good.clone();
    bad.put_counts("factor.held", [0, 400]);
    assert_eq!(
        memory_of(&mut solver).restore(&system().pattern, &bad),
        Err(ArchiveError::Value { name: "factor.held".into(), index: 1 })
    );
    memory_of(&mut solver).restore(&system().pattern, &good).expect("its own archive");
}

#[test]
fn a_step_given_up_leaves_no_trace_in_what_is_saved_for_its_start() {
    for (name, preconditioner) in preconditioners(&start().positions) {
        let mut phase = start();
        let mut solver = newton(ImplicitScheme::BackwardEuler, preconditioner);
        for k in 0..10 {
            let (mut before, mut at_mark, mut after) = (Archive::default(), Archive::default(), Archive::default());
            memory_of(&mut solver).save(&mut before);
            memory_of(&mut solver).mark();
            // To the very end: the worst moment to give up.
            let mut given_up = phase.clone();
            run(&mut solver, &mut given_up, k..k + 1);
            memory_of(&mut solver).save_marked(&mut at_mark);
            memory_of(&mut solver).save(&mut after);
            assert!(at_mark == before, "{name}, step {k}");
            assert!(name == "block-jacobi" || (name == "multilevel" && k > 0) || after != before, "{name}, step {k}");
            phase = given_up;
        }
    }
}
