//! Starting badly is no dead end: it is told exactly where, pushed apart, or left alone until it has separated.

use glam::DVec3;
use muslin::sim::{SimError, Simulation, StartFaultKind};
use muslin::{
    Error, MeshUse, RunOptions, Scene, check,
    collision::{Surface, intersections},
    load, run,
};

const HEAD: &str = "name = \"badly\"\nduration = 1\n[settings]\nintegrator = \"linear-backward-euler\"\n\
                    adaptive = { most_stretch = 0.05 }\ncontact = { method = \"implicit\" }\n";

/// A sheet through a ball, 4 cm above its middle.
const THROUGH_BALL: &str = "[[cloth]]\nname = \"sheet\"\nshape = { kind = \"grid\", size = [0.5, 0.5], vertices = [13, 13] }\n\
     translation = [0, 0, 0.04]\n[[obstacle]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.1, subdivisions = 2 }\n";

/// A sheet through another one, by a part of it.
const THROUGH_SHEET: &str = "[[cloth]]\nname = \"flat\"\nshape = { kind = \"grid\", size = [0.4, 0.4], vertices = [9, 9] }\n\
     [[cloth]]\nname = \"upright\"\nshape = { kind = \"grid\", size = [0.1, 0.1], vertices = [5, 5] }\n\
     rotation_axis = [1, 0, 0]\nrotation_degrees = 80\ntranslation = [0.013, 0.007, 0.035]\n";

fn text(body: &str, start: &str) -> String {
    format!("{HEAD}{start}\n{body}")
}

fn scene(text: &str) -> Scene {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    load(path.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("{error}")).scene
}

fn crossings(simulation: &Simulation, positions: &[DVec3]) -> usize {
    let surface = Surface::new(positions.len(), &simulation.model().mesh.triangles).unwrap();
    intersections(&surface, positions).unwrap().len()
}

#[test]
fn a_bad_start_is_refused_with_every_place() {
    let scene = scene(&text(THROUGH_BALL, ""));
    let Err(SimError::StartsTooNear { pairs, faults, described, .. }) = Simulation::new(&scene) else {
        panic!("it was accepted")
    };
    assert!(pairs == faults.len() && pairs == described.len() && pairs > 10);
    // The sheet is at z = 0.04 and the ball's radius 0.1: they cross on a circle of radius √(0.1² − 0.04²) = 0.0917 m.
    let crossing: Vec<_> = faults.iter().filter(|fault| fault.kind == StartFaultKind::Crossing).collect();
    assert!(!crossing.is_empty());
    for fault in crossing {
        let radius = fault.place.truncate().length();
        assert!((fault.place.z - 0.04).abs() < 1e-9 && (radius - 0.0917).abs() < 0.01, "{}", fault.place);
    }
    assert!(described[0].contains("`sheet`") && described[0].contains("`ball`") && described[0].contains("cross"));
}

#[test]
fn a_run_that_is_refused_leaves_a_list_and_a_picture_and_check_tells_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("badly.toml");
    std::fs::write(&file, text(THROUGH_BALL, "")).unwrap();
    let scene = load(file.to_str().unwrap(), &[]).unwrap().scene;
    let out = directory.path().join("out");
    let options = RunOptions { out: Some(out.clone()), ..RunOptions::default() };
    let error = run(&scene, &options, &mut ()).unwrap_err();
    assert!(matches!(error, Error::Start { .. }), "{error}");
    assert!(error.to_string().contains("start.png"), "{error}");
    let list: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("start.json")).unwrap()).unwrap();
    let faults = list["faults"].as_array().unwrap();
    let picture = std::fs::read(out.join("start.png")).unwrap();
    assert_eq!(&picture[1..4], b"PNG");
    let verdict = check(file.to_str().unwrap(), MeshUse::Cloth);
    assert_eq!(verdict.faults.len(), faults.len());
    assert!(verdict.faults.iter().any(|fault| fault.kind == "crossing-triangles" && fault.elements.len() == 2));
    assert!(verdict.faults.iter().all(|fault| fault.place.is_some() && fault.message.contains("untangle")));
}

#[test]
fn untangling_pushes_a_sheet_out_of_a_ball_and_the_run_is_clean() {
    let mut simulation = Simulation::new(&scene(&text(THROUGH_BALL, "[start]\nuntangle = true"))).unwrap();
    assert_eq!(crossings(&simulation, &simulation.state().positions), 0);
    assert!(simulation.warnings()[0].contains("untangled"), "{:?}", simulation.warnings());
    for number in 1..=20 {
        let frame = simulation.next_frame().unwrap_or_else(|error| panic!("frame {number}: {error}"));
        assert_eq!(crossings(&simulation, &frame), 0, "frame {number}");
    }
    assert!(simulation.is_clean());
    // The shortest way out was up: the sheet lies on the ball.
    let cloth = simulation.model().cloth_vertices();
    let highest = simulation.state().positions[cloth].iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
    assert!(highest > 0.1, "{highest}");
}

#[test]
fn untangling_parts_two_sheets() {
    let simulation = Simulation::new(&scene(&text(THROUGH_SHEET, "[start]\nuntangle = true"))).unwrap();
    assert_eq!(crossings(&simulation, &simulation.state().positions), 0);
    let Err(error) = Simulation::new(&scene(&text(THROUGH_SHEET, ""))) else { panic!("it was accepted") };
    assert!(error.to_string().contains("`upright`"), "{error}");
}

#[test]
fn untangling_that_cannot_succeed_says_so() {
    // All corners pinned inside the ball.
    let pinned = "[[cloth]]\nname = \"sheet\"\nshape = { kind = \"grid\", size = [0.2, 0.2], vertices = [3, 3] }\n\
                  pin = [{ places = \"corners\" }]\n[[obstacle]]\nname = \"ball\"\n\
                  shape = { kind = \"sphere\", radius = 0.12, subdivisions = 2 }\n";
    let Err(error) = Simulation::new(&scene(&text(pinned, "[start]\nuntangle = true"))) else {
        panic!("it was accepted")
    };
    assert!(matches!(error, SimError::StillTangled { .. }), "{error}");
}

#[test]
fn listed_exemptions_are_switched_off_until_things_have_separated() {
    let rule = "[[start.exempt]]\nbodies = [\"sheet\", \"ball\"]";
    // Nothing holds the sheet: it falls out of the ball, through its lower half.
    let mut simulation = Simulation::new(&scene(&text(THROUGH_BALL, rule))).unwrap();
    assert!(!simulation.state().exemptions.is_empty());
    let mut after = None;
    for number in 1..=60 {
        simulation.next_frame().unwrap_or_else(|error| panic!("frame {number}: {error}"));
        if simulation.state().exemptions.is_empty() {
            after = after.or(Some(number));
            assert_eq!(crossings(&simulation, &simulation.state().positions), 0, "frame {number}");
        }
    }
    assert!(after.is_some_and(|frame| frame > 2), "{after:?}");
    // What crossed is counted: the run is not clean.
    assert!(simulation.tally().crossings > 0 && !simulation.is_clean());
}

#[test]
fn an_exemption_elsewhere_does_not_help() {
    let rule = "[[start.exempt]]\nbodies = [\"sheet\", \"ball\"]\nlow = [1, 1, 1]\nhigh = [2, 2, 2]";
    assert!(matches!(Simulation::new(&scene(&text(THROUGH_BALL, rule))), Err(SimError::StartsTooNear { .. })));
}

#[test]
fn thin_cloth_far_from_the_origin_is_refused() {
    // Cotton keeps 0.055 mm; at 1000 m numbers of single precision are 0.06 mm apart.
    let far = "[[cloth]]\nname = \"sheet\"\nshape = { kind = \"grid\", size = [1, 1], vertices = [3, 3] }\ntranslation = [1000, 0, 0]\n";
    let Err(error) = Simulation::new(&scene(&text(far, ""))) else { panic!("it was accepted") };
    assert!(matches!(error, SimError::TooFar { .. }) && error.to_string().contains("origin"), "{error}");
    let near = far.replace("1000", "100");
    assert!(Simulation::new(&scene(&text(&near, ""))).is_ok());
}

#[test]
fn cloth_wholly_inside_a_closed_obstacle_is_told() {
    let inside = "[[cloth]]\nname = \"sheet\"\nshape = { kind = \"grid\", size = [0.1, 0.1], vertices = [5, 5] }\n\
                  [[obstacle]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.2, subdivisions = 2 }\n";
    let simulation = Simulation::new(&scene(&text(inside, ""))).unwrap();
    let warnings = simulation.warnings();
    assert!(
        warnings.len() == 1 && warnings[0].contains("`sheet` starts inside the closed obstacle `ball`"),
        "{warnings:?}"
    );
    let above = inside.replace("[[obstacle]]", "translation = [0, 0, 0.3]\n[[obstacle]]");
    assert_eq!(Simulation::new(&scene(&text(&above, ""))).unwrap().warnings(), [""; 0]);
}

#[test]
fn an_obstacle_stands_at_the_start_where_its_first_pose_is() {
    // Where its shape is it would cross the sheet; it begins half a metre below and sinks by 1 cm per second.
    let poses = "keyframes = [{ time = 0, translation = [0, 0, -0.5] }, { time = 1, translation = [0, 0, -0.51] }]\n";
    let scene = scene(&text(&format!("{THROUGH_BALL}{poses}"), ""));
    let mut simulation = Simulation::new(&scene).unwrap_or_else(|error| panic!("{error}"));
    let ball = simulation.model().bodies.iter().find(|body| body.name == "ball").unwrap().vertices.clone();
    let height = |positions: &[DVec3]| positions[ball.clone()].iter().map(|p| p.z).sum::<f64>() / ball.len() as f64;
    assert!((height(&simulation.state().positions) + 0.5).abs() < 1e-9);
    assert_eq!(simulation.state().positions, simulation.state().previous_positions);
    let first = simulation.next_frame().unwrap();
    assert!((height(&first) + 0.5 + 0.01 / scene.frames_per_second).abs() < 1e-9, "{}", height(&first));
}
