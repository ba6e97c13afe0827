//! The policy of the adaptive step, attempt by attempt.

use glam::{DVec2, DVec3};
use muslin_model::{
    Cloth, Environment, Material, Model, State,
    shapes::{Triangulation, grid},
};
use muslin_sim::{
    adaptive::{AdaptiveStep, Attempt, Verdict, largest_correction, largest_stretch_change, largest_turn},
    settings::AdaptiveSettings,
};

const SETTINGS: AdaptiveSettings = AdaptiveSettings {
    most_stretch: 0.1,
    most_turn_degrees: 20.0,
    most_correction: 0.3,
    smallest_step: 0.001,
    successes: 2,
};
const LARGEST: f64 = 0.016;
const GOOD: Attempt = Attempt::Computed { stretch_change: 0.1, turn: 20.0, correction: 0.3 };
const BAD: Attempt = Attempt::Computed { stretch_change: 0.100001, turn: 0.0, correction: 0.0 };

fn model() -> Model {
    let cloth = Cloth {
        name: "sheet".into(),
        mesh: grid(4, 3, DVec2::new(0.3, 0.2), Triangulation::Irregular { seed: 7, straight_columns: 0 }).unwrap(),
        material: Material::woven_cotton(),
        pins: Vec::new(),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    };
    Model::new(vec![cloth], Vec::new(), Environment::default()).unwrap()
}

/// Judges attempts at the proposed step and returns the steps tried with their verdicts.
fn play(state: &mut State, attempts: &[Attempt]) -> Vec<(f64, Verdict)> {
    let policy = AdaptiveStep::new(SETTINGS, LARGEST);
    let mut log = Vec::new();
    for &attempt in attempts {
        let step = policy.propose(state, 1e3 * LARGEST);
        log.push(((step * 1e6).round() / 1e6, policy.judge(state, step, attempt)));
    }
    log
}

#[test]
fn bad_steps_are_halved_and_the_step_doubles_after_enough_successes() {
    use Verdict::{Accept, Retry};
    let mut state = State::new(&model());
    let log = play(&mut state, &[GOOD, BAD, BAD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD]);
    let expected = [
        (0.016, Accept),
        (0.016, Retry),
        (0.008, Retry),
        (0.004, Accept),
        (0.004, Accept),
        (0.008, Accept),
        (0.008, Accept),
        (0.016, Accept),
        (0.016, Accept),
    ];
    assert_eq!(log, expected);
}

#[test]
fn a_failed_growth_waits_twice_as_long_until_one_succeeds() {
    let mut state = State::new(&model());
    // Down to 8 ms; two successes; the growth fails: four successes, then eight.
    let steps = |log: Vec<(f64, Verdict)>| log.iter().map(|l| l.0).collect::<Vec<_>>();
    play(&mut state, &[BAD]);
    assert_eq!(steps(play(&mut state, &[GOOD, GOOD, BAD])), [0.008, 0.008, 0.016]);
    assert_eq!(steps(play(&mut state, &[GOOD, GOOD, GOOD, GOOD, BAD])), [0.008, 0.008, 0.008, 0.008, 0.016]);
    let eight = steps(play(&mut state, &[GOOD; 9]));
    assert_eq!((eight[7], eight[8]), (0.008, 0.016));
    // That growth held, so the next wait is two again.
    play(&mut state, &[BAD]);
    assert_eq!(steps(play(&mut state, &[GOOD, GOOD, GOOD])), [0.008, 0.008, 0.016]);
}

#[test]
fn it_gives_up_only_after_the_smallest_step_itself() {
    let mut state = State::new(&model());
    let log = play(&mut state, &[Attempt::Failed; 5]);
    let steps: Vec<f64> = log.iter().map(|l| l.0).collect();
    assert_eq!(steps, [0.016, 0.008, 0.004, 0.002, 0.001]);
    assert!(log[..4].iter().all(|l| l.1 == Verdict::Retry));
    assert_eq!(log[4].1, Verdict::GiveUp);
}

#[test]
fn nan_is_no_success() {
    let mut state = State::new(&model());
    let log = play(&mut state, &[Attempt::Computed { stretch_change: f64::NAN, turn: 0.0, correction: 0.0 }]);
    assert_eq!(log[0].1, Verdict::Retry);
}

#[test]
fn turns_and_corrections_shorten_a_step_to_a_part_of_the_largest_and_no_further() {
    for (turn, correction) in [(20.1, 0.0), (0.0, 0.301)] {
        let mut state = State::new(&model());
        let policy = AdaptiveStep::new(AdaptiveSettings { smallest_step: 1e-9, ..SETTINGS }, LARGEST);
        let mut steps = Vec::new();
        loop {
            let step = policy.propose(&state, 1e3 * LARGEST);
            steps.push(step / LARGEST);
            let attempt = Attempt::Computed { stretch_change: 0.0, turn, correction };
            if policy.judge(&mut state, step, attempt) == Verdict::Accept {
                break;
            }
        }
        assert_eq!(steps.len(), 7, "{steps:?}");
        assert!((steps[6] - 1.0 / 64.0).abs() < 1e-12, "{steps:?}");
    }
}

#[test]
fn a_correction_counts_by_what_it_takes_away_from_rest() {
    let model = model();
    let rest = model.mesh.positions.clone();
    let along = |part: f64| -> Vec<DVec3> { rest.iter().map(|p| DVec3::new(part * p.x, p.y, p.z)).collect() };
    // Warp runs along x: away from rest by 8 %, from one side to the other by 2 %, and back to rest.
    for (from, to, expected) in [(1.02, 0.9, 0.08), (1.0, 1.08, 0.08), (1.04, 0.94, 0.02), (0.8, 1.0, 0.0)] {
        let found = largest_correction(&model, &along(from), &along(to));
        assert!((found - expected).abs() < 1e-12, "{from} to {to}: {found}");
    }
}

#[test]
fn the_turn_is_that_of_the_triangle_that_turns_farthest() {
    let model = model();
    let start = model.mesh.positions.clone();
    for degrees in [0.0f64, 25.0, 90.0, 170.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let turned: Vec<DVec3> =
            start.iter().map(|p| DVec3::new(p.x, cos * p.y - sin * p.z, sin * p.y + cos * p.z)).collect();
        assert!((largest_turn(&model, &start, &turned) - degrees).abs() < 1e-6);
    }
    // Shifts and stretches within the plane turn nothing; one vertex lifted turns its own triangles.
    let mut moved: Vec<DVec3> = start.iter().map(|p| DVec3::new(1.3 * p.x, p.y, p.z + 2.0)).collect();
    assert!(largest_turn(&model, &start, &moved) < 1e-6);
    moved[0].z += 0.05;
    assert!(largest_turn(&model, &start, &moved) > 10.0);
}

#[test]
fn steps_meet_the_next_frame_without_slivers() {
    let policy = AdaptiveStep::new(SETTINGS, LARGEST);
    let mut state = State::new(&model());
    state.adaptive_step = 0.004;
    for (left, expected) in [(0.016, 0.004), (0.0041, 0.00205), (0.003, 0.003), (0.004 * (1.0 + 1e-12), 0.004)] {
        let step = policy.propose(&state, left);
        assert!((step - expected).abs() < 1e-12, "{left}: {step}");
    }
}

#[test]
fn the_same_history_gives_the_same_steps_after_a_checkpoint() {
    let attempts = [BAD, GOOD, GOOD, BAD, GOOD, GOOD, GOOD, GOOD, GOOD, BAD, BAD, GOOD];
    let (mut whole, mut first) = (State::new(&model()), State::new(&model()));
    let expected = play(&mut whole, &attempts);
    let mut log = play(&mut first, &attempts[..5]);
    let mut resumed = first.clone();
    log.extend(play(&mut resumed, &attempts[5..]));
    assert_eq!((log, resumed), (expected, whole));
}

#[test]
fn stretch_change_is_that_of_the_worst_triangle_along_warp_or_weft() {
    let model = model();
    let start = model.mesh.positions.clone();
    // Warp runs along x. A rotation changes nothing; stretching x by 7 % and y by −12 % changes by those.
    let turned: Vec<DVec3> = start.iter().map(|x| DVec3::new(-x.y, 0.0, x.x)).collect();
    assert!(largest_stretch_change(&model, &start, &turned, f64::INFINITY).0 < 1e-12);
    let scaled: Vec<DVec3> = start.iter().map(|x| DVec3::new(1.07 * x.x, 0.88 * x.y, 1.0)).collect();
    assert!((largest_stretch_change(&model, &start, &scaled, f64::INFINITY).0 - 0.12).abs() < 1e-12);
    assert!((largest_stretch_change(&model, &scaled, &start, f64::INFINITY).0 - 0.12).abs() < 1e-12);
    // Beyond what is far, the way out counts four times, the way back once.
    assert!((largest_stretch_change(&model, &start, &scaled, 0.1).0 - 0.48).abs() < 1e-12);
    assert!((largest_stretch_change(&model, &scaled, &start, 0.1).0 - 0.12).abs() < 1e-12);
    // One vertex pulled along x: only its triangles change, and the worst is one of them.
    let mut pulled = start.clone();
    pulled[0].x -= 0.02;
    let (change, face) = largest_stretch_change(&model, &start, &pulled, f64::INFINITY);
    assert!(change > 0.1 && model.mesh.triangles[face].contains(&0), "{change} at {face}");
    pulled[0].x = f64::NAN;
    assert!(largest_stretch_change(&model, &start, &pulled, f64::INFINITY).0.is_nan());
}
