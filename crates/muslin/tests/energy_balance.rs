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
    let swing = balance("swing", &["resolution=8", "settings.contact.method=none"], 20);
    assert!(swing.work.pins > 1e-3 && swing.work.damping < 0.0 && swing.work.wind == 0.0);
    let flag = balance("flag", &["resolution=10", "settings.contact.method=none"], 15);
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

/// The balance of a scene given as text.
fn balance_of(text: &str, frames: usize) -> EnergyBalance {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    balance(path.to_str().unwrap(), &[], frames)
}

/// A square metre of 0.2 kg/m², level, every vertex held and driven; `pin` says how, `more` what else.
fn driven(frames_per_second: usize, pin: &str, more: &str) -> String {
    format!(
        "name = \"driven\"\nduration = 1\nframes_per_second = {frames_per_second}\n\
         [settings]\nstep = {}\ncontact = {{ method = \"none\" }}\n\
         [[cloth]]\nname = \"sheet\"\nmaterial = {{ base = \"woven-cotton\", damping_warp = 500 }}\n\
         shape = {{ kind = \"grid\", size = [1, 1], vertices = [5, 4] }}\n\
         [[cloth.pin]]\nbox = {{ low = [-9, -9, -9], high = [9, 9, 9] }}\n{pin}\n{more}\n",
        1.0 / frames_per_second as f64
    )
}

fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{what}: {found} J instead of {expected} J");
}

#[test]
fn a_sheet_carried_upwards_through_the_air_has_the_works_of_the_textbook() {
    // m = 0.2 kg at u = 1.5 m/s for 1 s, in air that rises with 4 m/s, with viscous drag of 0.7 /s.
    let (mass, speed, air, density, drag, g) = (0.2, 1.5, 4.0, 1.3, 0.7, 9.81);
    let more = format!(
        "[environment]\nviscous_drag = {drag}\n[environment.wind]\nvelocity = [0, 0, {air}]\ndensity = {density}\nnormal_drag = 1.1"
    );
    let e = balance_of(&driven(20, &format!("velocity = [0, 0, {speed}]"), &more), 20);
    let lifted = mass * g * speed;
    let wind = 0.5 * density * 1.1 * (air - speed) * (air - speed) * speed;
    let dragged = -drag * mass * speed * speed;
    close("kinetic", e.end.kinetic, 0.5 * mass * speed * speed, 1e-9);
    close("gravity", e.work.gravity, -lifted, 1e-9);
    close("wind", e.work.wind, wind, 1e-9);
    close("drag", e.work.drag, dragged, 1e-9);
    // Setting off within one step costs the pins m u², of which backward Euler takes half.
    close("integrator", e.integrator, -0.5 * mass * speed * speed, 1e-6);
    close("pins", e.work.pins, mass * speed * speed + lifted - wind - dragged, 1e-6);
}

#[test]
fn a_sheet_that_is_pulled_evenly_has_the_works_of_a_visco_elastic_bar() {
    // λ grows from 1 to 1.05 along the warp in n equal steps, the weft is held; E = ½ (λ² − 1).
    let (stretch, n, viscosity) = (0.05, 100, 500.0);
    let modulus = 10_000.0 / (1.0 - 0.2 * 0.2);
    let pin = format!("keyframes = [{{ time = 0 }}, {{ time = 1, scale = [{}, 1, 1] }}]", 1.0 + stretch);
    let e = balance_of(&driven(n, &pin, ""), n);
    let strain = |k: usize| {
        let ratio = 1.0 + stretch * k as f64 / n as f64;
        (ratio, 0.5 * (ratio * ratio - 1.0))
    };
    // Backward Euler: the force at the end of a step times its way.
    let (mut elastic, mut damping) = (0.0, 0.0);
    for k in 0..n {
        let ((_, before), (ratio, after)) = (strain(k), strain(k + 1));
        let way = ratio * stretch / n as f64;
        elastic += modulus * after * way;
        damping += viscosity * (after - before) * n as f64 * way;
    }
    let stored = 0.5 * modulus * strain(n).1.powi(2);
    assert!(damping > 0.05 * stored, "{damping} of {stored}");
    close("elastic", e.end.elastic, stored, 1e-9);
    close("damping", e.work.damping, -damping, 1e-3);
    close("pins", e.work.pins, elastic + damping, 1e-4);
    close("integrator", e.integrator, stored - elastic, 1e-2);
}

#[test]
fn contact_has_an_account_of_its_own_and_takes_energy_from_a_sheet_that_lands() {
    let e = balance("cube", &["resolution=8"], 40);
    assert!(gap(&e).abs() < 1e-9 * e.start.total().abs().max(1.0), "{}", gap(&e));
    assert!(e.work.contact < 0.0, "{}", e.work.contact);
}
