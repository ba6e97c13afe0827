//! Scenes that nobody drew: none of them ends in a crossing, by the project's judge and by a foreign one.
//!
//! `MUSLIN_GENERATED=FIRST:COUNT` chooses seeds, and `MUSLIN_MATRIX=SCENE:RESOLUTION:STEP:START:THREADS` a run of a
//! built-in scene; `cargo xtask soak generated matrix` uses both.

mod foreign;
mod scene;

use foreign::{Foreign, Found};
use muslin::model::parallel::with_threads;
use muslin::{Format, Outcome, RunOptions, Scene, load, run};
use serde_json::json;

/// Amplitude of the noise on the starts of the matrix [m]: a fifth of cotton's thickness, less than any start's gaps.
const NOISE: f64 = 1e-4;

/// Seeds of a test run.
const SEEDS: u64 = 20;

/// What a run must be.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    /// Clean in every frame.
    Clean,
    /// Pinched by obstacles that leave no room: told, not clean, and no cloth through cloth.
    Pinched,
}

/// What is wrong with a run of a scene, if anything.
fn judge(scene: &Scene, threads: usize, foreign: Option<&Foreign>, wanted: Wanted) -> Result<Judged, String> {
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
    let pinches = report.pinches.as_ref().map_or(0, |list| list.len());
    let thinnest =
        scene.cloths.iter().map(|cloth| cloth.material.thickness.at_face(0, &[[0; 3]])).fold(f64::INFINITY, f64::min);
    let said = json!({
        "contacts": report.contacts,
        "crossings": report.crossings,
        "written_crossings": report.written_crossings,
        "pinches": pinches,
        "scaled_back": report.scaled_back,
        "step_halvings": report.step_halvings,
        "gap_over_thickness": report.min_gap.map(|gap| gap / thinnest),
        "max_strain": report.max_strain,
        "cpu_seconds": report.cpu_seconds,
        "state": report.state_hash,
    })
    .to_string();
    let held = match wanted {
        Wanted::Clean => {
            (report.crossings, report.written_crossings, report.clean) == (Some(0), Some(0), Some(true)) && pinches == 0
        }
        Wanted::Pinched => report.clean == Some(false) && pinches > 0,
    };
    // Where there is no room at all, scaling back is what is left.
    let scaled_back = wanted == Wanted::Clean && report.scaled_back > 0;
    // A tenth of the thickness is promised.
    if !held || scaled_back || report.min_gap.is_some_and(|gap| gap < 0.1 * thinnest) {
        return Err(said);
    }
    if let Some(foreign) = foreign {
        let found = foreign.judge(&out)?;
        let allowed = match wanted {
            Wanted::Clean => Found::default(),
            Wanted::Pinched => Found { cloths: 0, ..found },
        };
        if found != allowed {
            return Err(format!("the foreign checker finds {found:?}"));
        }
    }
    Ok(Judged { contacts: report.contacts, said })
}

/// A run that held.
struct Judged {
    contacts: u64,
    /// What it was, as JSON.
    said: String,
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
    let (mut broken, mut met) = (Vec::new(), 0);
    for seed in first..first + count {
        match judge(&generated(seed), 1 + (seed % 2) as usize, foreign.as_ref(), Wanted::Clean) {
            Ok(judged) => {
                println!("seed {seed} holds: {}", judged.said);
                met += u64::from(judged.contacts > 0);
            }
            Err(what) => broken.push(format!("seed {seed}: {what}")),
        }
    }
    assert!(broken.is_empty(), "{} of {count}:\n{}", broken.len(), broken.join("\n"));
    // A scene in which nothing meets says nothing.
    assert!(count < SEEDS || 10 * met >= 8 * count, "in {met} of {count} something met");
    println!("{count} generated scenes from seed {first} are clean; in {met} something met");
}

#[test]
fn generated_scenes_differ_and_stay_the_same() {
    let texts: Vec<String> = (0..50).map(scene::text).collect();
    assert!(texts.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(texts[7], scene::text(7));
}

/// A built-in scene as the matrix wants it.
fn variant(word: &str) -> (Scene, usize) {
    let parts: Vec<&str> = word.split(':').collect();
    let [name, resolution, step, start, threads] = parts[..] else { panic!("SCENE:RESOLUTION:STEP:START:THREADS") };
    let settings = [format!("resolution={resolution}"), format!("step={step}")];
    let mut scene = load(name, &settings).unwrap_or_else(|error| panic!("{error}")).scene;
    // Out-of-plane noise, other for each number; none for 0.
    let seed: u64 = start.parse().unwrap();
    for cloth in scene.cloths.iter_mut().filter(|_| seed > 0) {
        (cloth.perturbation, cloth.perturbation_seed) = (NOISE, seed);
    }
    (scene, threads.parse().unwrap())
}

#[test]
fn built_in_scenes_are_clean_at_every_step() {
    let few = [
        "drape:10:1/20:1:1",
        "cube:8:1/20:2:1",
        "torus:8:1/200:1:2",
        "crumple:8:1/60:3:1",
        "fold-flat:8:1/20:0:2",
        "pinch-impossible:6:1/60:1:1",
        "ribbon-knot:40:1/60:0:1",
    ]
    .join(" ");
    let foreign = Foreign::build();
    for word in std::env::var("MUSLIN_MATRIX").unwrap_or(few).split(' ') {
        let (scene, threads) = variant(word);
        let wanted = if scene.name == "pinch-impossible" { Wanted::Pinched } else { Wanted::Clean };
        match with_threads(threads, || judge(&scene, threads, foreign.as_ref(), wanted)) {
            Ok(judged) => println!("{word} holds: {}", judged.said),
            Err(what) => panic!("{word}: {what}"),
        }
    }
}
