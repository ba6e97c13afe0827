//! The energy balance in the report, against closed forms and for every built-in kind of motion.

use muslin::{EnergyBalance, RunOptions, load, run};

fn balance(name: &str, settings: &[&str], frames: usize) -> EnergyBalance {
    let directory = tempfile::tempdir().unwrap();
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    let scene = load(name, &settings).unwrap_or_else(|e| panic!("{e}")).scene;
    let options = RunOptions {
        out: Some(directory.path().join("run")),
        frames: Some(frames),
        formats: Vec::new(),
        ..Default::default()
    };
    let result = run(&scene, &options, &mut ()).unwrap_or_else(|e| panic!("{e}"));
    assert!(result.failure.is_none(), "{:?}", result.failure);
    let energy = result.report.energy;
    println!("{name} {settings:?}: {}", serde_json::to_string(&energy).unwrap());
    energy
}

/// What the parts add up to besides the change of energy itself.
fn gap(e: &EnergyBalance) -> f64 {
    let work = e.work.pins + e.work.wind + e.work.drag + e.work.damping + e.work.contact + e.work.limiter;
    e.start.total() + work + e.integrator + e.closing_error - e.end.total()
}

#[test]
fn a_falling_sheet_turns_potential_into_kinetic_energy_and_the_integrator_takes_its_textbook_share() {
    let fall = |integrator: &str, step: f64| {
        let set = [format!("integrator={integrator}"), format!("step={step}")];
        balance("free-fall", &[&set[0], &set[1]], 10)
    };
    // 0.2 kg fall for t = 0.5 s: ½ m g² t².
    let kinetic = 0.5 * 0.2 * (9.81 * 0.5_f64).powi(2);
    let exact = fall("verlet", 1e-4);
    assert!((exact.end.kinetic / kinetic - 1.0).abs() < 1e-9, "{} is not {kinetic}", exact.end.kinetic);
    assert!((exact.work.gravity / kinetic - 1.0).abs() < 1e-9);
    assert!(exact.integrator.abs() < 1e-9 * kinetic, "{}", exact.integrator);
    // Backward Euler takes ½ m g² h t.
    let step = 1.0 / 60.0;
    let (euler, expected) = (fall("backward-euler", step), -kinetic * step / 0.5);
    assert!((euler.integrator / expected - 1.0).abs() < 1e-6, "{} is not {expected}", euler.integrator);
    assert!(euler.work.damping.abs() < 1e-9 * kinetic && euler.closing_error.abs() < 1e-6 * kinetic);
}

#[test]
fn an_undamped_pendulum_keeps_its_energy_with_a_symplectic_scheme_and_not_with_backward_euler() {
    let swing = |integrator: &str, step: &str| {
        balance("pendulum", &[&format!("settings.integrator={integrator}"), &format!("step={step}")], 400)
    };
    let (verlet, euler) = (swing("verlet", "0.00002"), swing("backward-euler", "1/60"));
    let at_stake = verlet.work.gravity.abs();
    assert!(at_stake > 1e-6);
    assert!(verlet.integrator.abs() < 1e-3 * at_stake, "{} of {at_stake} J", verlet.integrator);
    assert!(euler.integrator < -10.0 * verlet.integrator.abs(), "{}", euler.integrator);
}

#[test]
fn the_balance_adds_up_and_every_account_moves_in_the_scene_that_has_it() {
    let swing = balance("swing", &["resolution=8"], 20);
    assert!(swing.work.pins > 1e-3 && swing.work.damping < 0.0 && swing.work.wind == 0.0);
    let flag = balance("flag", &["resolution=10"], 15);
    // At first the air brakes the fall.
    assert!(flag.work.wind < -1e-3 && flag.work.pins == 0.0);
    let dragged = balance("hang", &["resolution=8", "environment.viscous_drag=5"], 20);
    assert!(dragged.work.drag < -1e-6);
    let limited = balance("hang", &["resolution=8", "settings.limiter={kind=\"strain-impulses\", limit=0.001}"], 10);
    assert!(limited.work.limiter != 0.0);
    for energy in [swing, flag, dragged, limited] {
        let scale = energy.start.total().abs() + energy.end.kinetic + energy.end.elastic;
        assert!(gap(&energy).abs() < 1e-12 * scale, "{energy:?}");
        assert!(energy.closing_error.abs() < 0.01 * scale, "{energy:?}");
        let parts: f64 = energy.elastic.values().sum();
        assert!((parts - energy.end.elastic).abs() <= 1e-12 * parts, "{energy:?}");
    }
}

#[test]
fn contact_has_an_account_of_its_own_and_takes_energy_from_a_sheet_that_lands() {
    let e = balance("cube", &["resolution=8"], 40);
    assert!(gap(&e).abs() < 1e-9 * e.start.total().abs().max(1.0), "{}", gap(&e));
    assert!(e.work.contact < 0.0, "{}", e.work.contact);
}
