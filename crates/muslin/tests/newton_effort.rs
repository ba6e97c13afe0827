//! The work of the non-linear solve in cloth that buckles, in counts that are the same on every machine.

use muslin::{RunOptions, load, run};

#[test]
fn wringing_a_strip_takes_fewer_than_ten_newton_iterations_per_step() {
    let directory = tempfile::tempdir().unwrap();
    let solved = ["resolution=24", "settings.integrator=backward-euler", "settings.contact.method=none"];
    let mut scene = load("twist", &solved.map(String::from)).unwrap().scene;
    scene.settings.adaptive = None;
    let options = RunOptions {
        out: Some(directory.path().join("run")),
        frames: Some(40),
        formats: Vec::new(),
        ..Default::default()
    };
    let result = run(&scene, &options, &mut ()).unwrap();
    assert!(result.failure.is_none(), "{:?}", result.failure);
    let report = result.report;
    println!("{} Newton iterations in {} steps", report.newton_iterations, report.steps);
    assert_eq!((report.steps, report.rejected_steps), (40, 0), "a step did not converge");
    assert!(report.worst_residual <= 0.01, "residual {}", report.worst_residual);
    // A line search with every compressed element projected takes 815.
    assert!(report.newton_iterations < 400, "{} iterations", report.newton_iterations);
}
