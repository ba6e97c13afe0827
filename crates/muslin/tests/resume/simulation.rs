//! A simulation saved anywhere and restored on another number of threads has the bits of one that went on.

use muslin::{Scene, load, model::parallel, sim::Simulation, sim::Tally};
use std::cell::Cell;

const FRAMES: usize = 10;

pub fn scene(name: &str, settings: &[&str]) -> Scene {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    load(name, &settings).unwrap_or_else(|e| panic!("{name}: {e}")).scene
}

/// What must not depend on where a run was stopped.
#[derive(Debug, PartialEq)]
struct Trace {
    frames: Vec<u64>,
    state: String,
    tally: Tally,
}

fn trace(simulation: &Simulation, frames: Vec<u64>) -> Trace {
    let tally = Tally { stages: Default::default(), ..simulation.tally().clone() };
    Trace { frames, state: simulation.state_hash(), tally }
}

/// A number that changes with any bit of a frame.
fn digest(frame: &[glam::DVec3]) -> u64 {
    let bits = frame.iter().flat_map(|p| p.to_array()).map(f64::to_bits);
    bits.fold(0xcbf2_9ce4_8422_2325, |hash, bits| (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Simulates frames until there are so many, or until it was asked so often whether to stop.
fn go_on(simulation: &mut Simulation, frames: &mut Vec<u64>, until: usize, questions: usize) {
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > questions
    };
    while frames.len() < until {
        match simulation.next_frame_unless(&stop).unwrap_or_else(|e| panic!("{e}")) {
            Some(frame) => frames.push(digest(&frame)),
            None => return,
        }
    }
}

fn whole(scene: &Scene) -> Trace {
    parallel::with_threads(2, || {
        let (mut simulation, mut frames) = (Simulation::new(scene).unwrap(), Vec::new());
        go_on(&mut simulation, &mut frames, FRAMES, usize::MAX);
        trace(&simulation, frames)
    })
}

/// Stopped when it was asked so often, saved, and finished by another simulation.
fn stopped(scene: &Scene, questions: usize) -> Trace {
    let mut frames = Vec::new();
    let archive = parallel::with_threads(1, || {
        let mut first = Simulation::new(scene).unwrap();
        go_on(&mut first, &mut frames, FRAMES, questions);
        first.save()
    });
    parallel::with_threads(3, || {
        let mut second = Simulation::new(scene).unwrap();
        second.restore(&archive).unwrap();
        assert_eq!(second.frame(), frames.len());
        go_on(&mut second, &mut frames, FRAMES, usize::MAX);
        trace(&second, frames)
    })
}

fn check(name: &str, settings: &[&str], stops: &[usize]) {
    let scene = scene(name, settings);
    let expected = whole(&scene);
    for &questions in stops {
        assert_eq!(stopped(&scene, questions), expected, "{name} {settings:?} stopped at question {questions}");
    }
}

#[test]
fn every_built_in_scene_goes_on_after_a_stop_at_any_frame() {
    for builtin in muslin::io::builtin::SCENES {
        // Scenes with a mesh of their own choice keep it.
        let small: &[&str] = if load(builtin.name, &["resolution=9".into()]).is_ok() { &["resolution=9"] } else { &[] };
        check(builtin.name, small, &[0, 4, 7]);
    }
}

#[test]
fn a_step_that_is_taken_in_parts_may_be_stopped_between_them() {
    let settings = ["resolution=8", "settings.integrator=verlet", "step=1/60", "settings.adaptive={most_stretch=1e-5}"];
    let mut simulation = Simulation::new(&scene("hang", &settings)).unwrap();
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 30
    };
    assert!(simulation.next_frame_unless(&stop).unwrap().is_none(), "no part of the first step was asked for");
    let time = simulation.state().time;
    assert!(time > 0.0 && time < 1.0 / 60.0, "it stands at {time} s");
    check("hang", &settings, &[3, 20, 41, 95]);
}

#[test]
fn every_integrator_goes_on() {
    let explicit = ["explicit-euler", "symplectic-euler", "midpoint", "runge-kutta-4", "verlet", "explicit-implicit"];
    let more = ["implicit-explicit", "mixed-variable"];
    for integrator in explicit.into_iter().chain(more) {
        let integrator = format!("settings.integrator={integrator}");
        check("hang", &["resolution=6", "step=0.00005", &integrator], &[130, 1719]);
    }
    for integrator in ["backward-euler", "linear-backward-euler", "baraff-witkin", "bdf2"] {
        let integrator = format!("settings.integrator={integrator}");
        check("flag", &["resolution=12", "step=0.01", &integrator], &[5, 12]);
    }
}

#[test]
fn every_preconditioner_goes_on() {
    for preconditioner in ["automatic", "block-jacobi", "lagged-cholesky", "multilevel"] {
        let preconditioner = format!("settings.linear.preconditioner={preconditioner}");
        check("swing", &["resolution=12", &preconditioner], &[3, 8]);
    }
}

#[test]
fn frames_that_wait_in_a_long_step_are_not_lost() {
    // Six frames in a step: the third is out, three wait.
    let mut first = Simulation::new(&scene("hang", &["resolution=6", "step=0.1"])).unwrap();
    let early: Vec<u64> = (0..3).map(|_| digest(&first.next_frame().unwrap())).collect();
    let archive = first.save();
    let mut second = Simulation::new(&scene("hang", &["resolution=6", "step=0.1"])).unwrap();
    second.restore(&archive).unwrap();
    assert_eq!((second.frame(), second.state().steps), (3, 1));
    for k in 3..FRAMES {
        let (a, b) = (digest(&first.next_frame().unwrap()), digest(&second.next_frame().unwrap()));
        assert_eq!(a, b, "frame {k}");
        assert!(!early.contains(&b));
    }
}

#[test]
fn adaptive_steps_and_limiters_go_on() {
    let adaptive = "settings.adaptive={most_stretch=0.002}";
    check("hang", &["resolution=8", "settings.integrator=verlet", "step=0.002", adaptive], &[11, 50]);
    check("hang", &["resolution=8", "step=0.1", "settings.integrator=bdf2", adaptive], &[1]);
    check("swing", &["resolution=9", "settings.limiter={kind=\"strain-impulses\",limit=0.01}"], &[2, 7]);
    check("swing", &["resolution=9", "settings.limiter={kind=\"super-elasticity\",limit=0.02,passes=20}"], &[2, 7]);
}
