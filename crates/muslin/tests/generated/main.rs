//! Scenes that nobody drew: none of them ends in a crossing, by the project's judge and by a foreign one.
//!
//! `MUSLIN_GENERATED=FIRST:COUNT` chooses seeds, and `MUSLIN_MATRIX=SCENE:RESOLUTION:STEP:PERTURBATION:THREADS` a run of a
//! built-in scene; `cargo xtask soak generated matrix` uses both.

mod foreign;
mod scene;

use foreign::Foreign;
use muslin::model::parallel::with_threads;
use muslin::{Format, Outcome, RunOptions, Scene, load, run};

/// Seeds of a test run.
const SEEDS: u64 = 20;

/// What is wrong with a run of a scene, if anything.
fn judge(scene: &Scene, threads: usize, foreign: Option<&Foreign>) -> Result<String, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = directory.path().join("out");
    let options = RunOptions {
        out: Some(out.clone()),
        threads: Some(threads),
        formats: vec![Format::Npz],
        ..RunOptions::default()
    };
    let result = run(scene, &options, &mut ()).map_err(|error| error.to_string())?;
    let report = result.report;
    if report.outcome != Outcome::Completed {
        return Err(report.error.unwrap_or_default());
    }
    let (crossings, written) = (report.crossings, report.written_crossings);
    if crossings != Some(0) || written != Some(0) || report.clean != Some(true) || report.scaled_back > 0 {
        let pinches = report.pinches.map_or(0, |list| list.len());
        return Err(format!(
            "crossings {crossings:?}, in files {written:?}, {pinches} pinches, {} scaled back",
            report.scaled_back
        ));
    }
    if let Some(foreign) = foreign {
        let found = foreign.crossings(&out.join("frames.npz"))?;
        if found != 0 {
            return Err(format!("the foreign checker finds {found} crossings"));
        }
    }
    Ok(format!("{} contacts, state {}", report.contacts, report.state_hash))
}

fn generated(seed: u64) -> Scene {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scene.toml");
    std::fs::write(&path, scene::text(seed)).unwrap();
    load(path.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("seed {seed}: {error}")).scene
}

#[test]
fn generated_scenes_end_without_a_crossing() {
    let chosen = std::env::var("MUSLIN_GENERATED").unwrap_or(format!("0:{SEEDS}"));
    let (first, count) = chosen.split_once(':').expect("FIRST:COUNT");
    let (first, count): (u64, u64) = (first.parse().unwrap(), count.parse().unwrap());
    let foreign = Foreign::build();
    let mut broken = Vec::new();
    for seed in first..first + count {
        match judge(&generated(seed), 1 + (seed % 2) as usize, foreign.as_ref()) {
            Ok(said) => println!("seed {seed}: {said}"),
            Err(what) => broken.push(format!("seed {seed}: {what}")),
        }
    }
    assert!(broken.is_empty(), "{} of {count}:\n{}", broken.len(), broken.join("\n"));
    println!("{count} generated scenes from seed {first} are clean");
}

#[test]
fn generated_scenes_differ_and_most_of_them_have_contacts() {
    let texts: Vec<String> = (0..50).map(scene::text).collect();
    assert!(texts.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(texts[7], scene::text(7));
}

/// A built-in scene as the matrix wants it.
fn variant(word: &str) -> (Scene, usize) {
    let parts: Vec<&str> = word.split(':').collect();
    let [name, resolution, step, perturbation, threads] = parts[..] else {
        panic!("SCENE:RESOLUTION:STEP:PERTURBATION:THREADS")
    };
    let settings = [format!("resolution={resolution}"), format!("step={step}")];
    let mut scene = load(name, &settings).unwrap_or_else(|error| panic!("{error}")).scene;
    // Out-of-plane noise, other for each number.
    let amplitude = 2e-5 * perturbation.parse::<f64>().unwrap();
    scene.cloths.iter_mut().for_each(|cloth| cloth.perturbation = amplitude);
    (scene, threads.parse().unwrap())
}

#[test]
fn built_in_scenes_are_clean_at_every_step() {
    let few =
        ["drape:10:1/20:1:1", "cube:8:1/20:2:1", "torus:8:1/200:1:2", "crumple:8:1/60:1:1", "fold-flat:8:1/20:0:2"]
            .join(" ");
    let foreign = Foreign::build();
    for word in std::env::var("MUSLIN_MATRIX").unwrap_or(few).split(' ') {
        let (scene, threads) = variant(word);
        match with_threads(threads, || judge(&scene, threads, foreign.as_ref())) {
            Ok(said) => println!("{word} is clean: {said}"),
            Err(what) => panic!("{word}: {what}"),
        }
    }
}
