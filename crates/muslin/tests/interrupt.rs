//! A run stops soon when it is asked to, also in the middle of a long step.

use muslin::{Interrupt, Observer, Outcome, RunOptions, load, run};
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// An answer that comes within this time is no whole step of minutes. On an idle machine it takes a tenth; a busy one gives
/// a test a part of its cores.
const SOON: Duration = Duration::from_secs(45);

/// Asks to stop a while after the run began, from another thread, as a signal does.
struct AskAfter(Duration, Interrupt);

impl Observer for AskAfter {
    fn begins(&mut self, _: &Path, _: usize) {
        let (delay, interrupt) = (self.0, self.1.clone());
        std::thread::spawn(move || {
            std::thread::sleep(delay);
            interrupt.ask();
        });
    }

    fn interrupt(&self) -> Interrupt {
        self.1.clone()
    }
}

fn settings(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| s.to_string()).collect()
}

#[test]
fn a_step_that_would_last_for_minutes_is_given_up_soon_after_it_was_asked_to() {
    let directory = tempfile::tempdir().unwrap();
    // Twenty thousand iterations per solve that block Jacobi cannot finish, and a hundred such solves.
    let slow = ["resolution=120", "settings.linear={preconditioner=\"block-jacobi\"}", "settings.newton.residual=1e-8"];
    let scene = load("hang", &settings(&slow)).unwrap().scene;
    let options = RunOptions { out: Some(directory.path().join("run")), formats: Vec::new(), ..Default::default() };
    let ask = Duration::from_secs(1);
    let began = Instant::now();
    let result = run(&scene, &options, &mut AskAfter(ask, Interrupt::default())).unwrap();
    let took = began.elapsed();
    assert_eq!(result.report.outcome, Outcome::Interrupted);
    assert!(result.failure.is_none() && result.report.error.is_none());
    // The step under way left nothing: whole steps only.
    assert_eq!(result.report.simulated_seconds * 60.0, result.report.steps as f64);
    println!("asked after {ask:?}, ended after {took:?}, {} steps", result.report.steps);
    assert!(took < SOON, "it took {took:?}");
}

#[test]
fn a_run_that_could_be_interrupted_and_is_not_has_the_same_bits() {
    let scene = load("hang", &settings(&["resolution=10"])).unwrap().scene;
    let hash = |observer: &mut dyn Observer| {
        let directory = tempfile::tempdir().unwrap();
        let out = Some(directory.path().join("run"));
        let options = RunOptions { out, frames: Some(10), formats: Vec::new(), ..Default::default() };
        run(&scene, &options, observer).unwrap().report.state_hash
    };
    assert_eq!(hash(&mut ()), hash(&mut AskAfter(Duration::from_secs(3600), Interrupt::default())));
}

#[test]
fn a_cloth_stiffer_than_numbers_can_tell_ends_in_an_error_that_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let stiff = ["resolution=25", "cloth.0.material.stretch_warp=1e12", "cloth.0.material.stretch_weft=1e12"];
    let scene = load("hang", &settings(&stiff)).unwrap().scene;
    let options = RunOptions { out: Some(directory.path().join("run")), frames: Some(2), ..Default::default() };
    let began = Instant::now();
    let report = run(&scene, &options, &mut ()).unwrap().report;
    println!("{:?} after {:?}", report.error, began.elapsed());
    let error = report.error.expect("1e12 N/m cannot be solved to a hundredth of a vertex weight");
    assert!(error.contains("vertex weights") && error.contains("newton.residual"), "{error}");
}
