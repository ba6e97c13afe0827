//! What a report warns about, and what it does not.

use muslin::{Format, Report, RunOptions, load, run};

fn report(name: &str, settings: &[&str], frames: usize) -> Report {
    report_with(name, settings, frames, Vec::new())
}

fn report_with(name: &str, settings: &[&str], frames: usize, formats: Vec<Format>) -> Report {
    let directory = tempfile::tempdir().unwrap();
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    let scene = load(name, &settings).unwrap_or_else(|e| panic!("{e}")).scene;
    let out = Some(directory.path().join("run"));
    let options = RunOptions { out, frames: Some(frames), formats, ..Default::default() };
    run(&scene, &options, &mut ()).unwrap_or_else(|e| panic!("{e}")).report
}

fn verlet(step: &str) -> Report {
    report("hang", &["resolution=10", "settings.integrator=verlet", &format!("step={step}")], 4)
}

#[test]
fn an_explicit_scheme_warns_of_a_step_beyond_its_stable_one_and_names_one_that_works() {
    let long = verlet("0.001");
    assert_eq!(long.warnings.len(), 1, "{:?}", long.warnings);
    let advice = long.warnings[0].split("set `step` to ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let short = verlet(advice);
    assert!(short.warnings.is_empty(), "{:?}", short.warnings);
    assert!(short.error.is_none() && short.max_strain < 0.1, "{:?}", short.error);
    // And the warning is right: four frames are enough to tear the cloth.
    assert!(long.error.is_some() || long.max_strain > 1.0, "{}", long.max_strain);
}

#[test]
fn linear_solves_that_run_into_their_limit_are_counted_and_warned_about() {
    let settings = ["resolution=12", "settings.linear={preconditioner=\"block-jacobi\", most_iterations=5}"];
    let starved = report("hang", &settings, 4);
    assert!(starved.unfinished_solves > 0);
    assert!(starved.warnings.iter().any(|w| w.contains("most_iterations")), "{:?}", starved.warnings);
    let fed = report("hang", &["resolution=12"], 4);
    assert_eq!((fed.unfinished_solves, fed.warnings.len()), (0, 0), "{:?}", fed.warnings);
}

#[test]
fn a_scheme_of_one_iteration_says_how_far_its_steps_are_from_solved() {
    let warned = |integrator: &str| {
        let report = report("hang", &["resolution=20", &format!("settings.integrator={integrator}")], 30);
        let told = report.warnings.iter().filter(|w| w.contains("one iteration per step")).count();
        (told, report.worst_residual)
    };
    for integrator in ["linear-backward-euler", "baraff-witkin"] {
        let (told, residual) = warned(integrator);
        assert!(told == 1 && residual > 1.0, "{integrator}: residual {residual}, told {told} times");
    }
    let (told, residual) = warned("backward-euler");
    assert!(told == 0 && residual <= 0.01, "residual {residual}, told {told} times");
}

#[test]
fn an_explicit_scheme_that_diverges_under_contact_ends_soon_and_says_so() {
    // It is stable up to some 4e-5 s.
    for (integrator, step) in [("symplectic-euler", "1/60"), ("explicit-euler", "1/2000"), ("runge-kutta-4", "1/500")] {
        let text = format!(
            "name = \"wild\"\nduration = 1\n[settings]\nstep = \"{step}\"\nintegrator = \"{integrator}\"\ncontact = {{ method = \"bridson\" }}\n\
             [[cloth]]\nname = \"sheet\"\nshape = {{ kind = \"grid\", size = [0.5, 0.5], vertices = [21, 21] }}\ntranslation = [0, 0, 0.12]\n\
             [[obstacle]]\nshape = {{ kind = \"sphere\", radius = 0.1, subdivisions = 3 }}\n"
        );
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("wild.toml");
        std::fs::write(&path, text).unwrap();
        let scene = muslin::load(path.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("{error}")).scene;
        let mut simulation = muslin::sim::Simulation::new(&scene).unwrap();
        let error = (0..60).find_map(|_| simulation.next_frame().err()).expect("it diverges");
        let message = error.to_string();
        assert!(message.contains("unstable") && message.contains("`sheet`"), "{integrator}: {message}");
        // It took minutes to get there when every motion through everything was responded to.
        assert!(simulation.tally().response_rounds < 100, "{integrator}: {}", simulation.tally().response_rounds);
    }
}

#[test]
fn files_without_shapes_are_neither_judged_nor_warned_about() {
    let drape = |formats: &[Format]| {
        let report = report_with("drape", &["resolution=5"], 2, formats.to_vec());
        assert_eq!((report.crossings, report.clean), (Some(0), Some(true)), "the run itself is judged");
        (report.written_crossings, report.warnings)
    };
    for formats in [&[][..], &[Format::Csv]] {
        assert_eq!(drape(formats), (None, Vec::new()), "{formats:?}");
    }
    for formats in [&[Format::Ply][..], &[Format::Csv, Format::Npz]] {
        assert_eq!(drape(formats), (Some(0), Vec::new()), "{formats:?}");
    }
}
