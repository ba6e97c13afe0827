//! Recordings, played back.

use crate::page::Page;
use muslin::{Format, RunOptions, model::topology::NONE};
use muslin_viewer::{Playback, Server, ServerOptions, hub::Hub};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

const ANY: fn(&Value) -> bool = |_| true;

fn record(folder: &Path, name: &str, settings: &[&str]) -> PathBuf {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    let scene = muslin::load("swing", &settings).unwrap().scene;
    let options = RunOptions {
        out: Some(folder.join(name)),
        frames: Some(12),
        formats: vec![Format::Npz, Format::Csv],
        ..RunOptions::default()
    };
    muslin::run(&scene, &options, &mut ()).unwrap().directory
}

fn serve(directories: Vec<PathBuf>) -> Server {
    let hub = Arc::new(Hub::default());
    let session = Arc::new(Playback::open(directories, hub.clone()));
    Server::start(&ServerOptions::default(), hub, session).unwrap()
}

fn watch(server: &Server) -> Page {
    let mut page = Page::open(server);
    page.acknowledges = false; // a page asks for the frames of a recording
    page
}

#[test]
fn any_frame_can_be_had_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(vec![record(folder.path(), "a", &["resolution=6"])]);
    let mut page = watch(&server);
    let hello = page.wait_for("hello", ANY);
    assert_eq!((hello["mode"].as_str(), hello["runs"][0]["frames"].as_u64()), (Some("playback"), Some(12)));
    for frame in [7u32, 0, 12, 3, 3] {
        page.want(0, frame);
        page.wait_for_frames(1);
        assert_eq!(page.frame[16..20], frame.to_le_bytes());
        assert!((page.time() - f64::from(frame) / 60.0).abs() < 1e-12);
    }
    page.want(0, 13);
    let missing = page.wait_for("missing", ANY);
    assert!(missing["reason"].as_str().unwrap().contains("0 to 12"), "{missing}");
}

#[test]
fn the_velocity_of_a_recording_is_that_of_its_frames() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(vec![record(folder.path(), "a", &["resolution=6"])]);
    let mut page = watch(&server);
    page.say(json!({ "type": "field", "name": "velocity" }));
    page.want(0, 11);
    page.wait_for_frames(1);
    let before = page.place(0);
    page.want(0, 12);
    page.wait_for_frames(1);
    let after = page.place(0);
    let speed = 60.0 * (0..3).map(|k| (after[k] - before[k]).powi(2)).sum::<f64>().sqrt();
    let count = u32::from_le_bytes(page.frame[20..24].try_into().unwrap()) as usize;
    let values = muslin_viewer::wire::frame_size(count) - count.next_multiple_of(4);
    let high = f32::from_le_bytes(page.frame[64..68].try_into().unwrap());
    let seen = f64::from(page.frame[values]) / 255.0 * f64::from(high);
    // Two 16-bit places a sixtieth of a second apart, and 8 bits of colour.
    assert!((seen - speed).abs() < 0.01 * f64::from(high) + 0.01, "{seen} against {speed} m/s");
}

#[test]
fn two_runs_come_side_by_side_with_their_totals() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (record(folder.path(), "a", &["resolution=5"]), record(folder.path(), "b", &["resolution=7"]));
    let server = serve(vec![a, b]);
    let mut page = watch(&server);
    let hello = page.wait_for("hello", ANY);
    assert_eq!(hello["runs"].as_array().unwrap().len(), 2);
    let series = page.wait_for("series", |s| s["run"] == 1);
    let names: Vec<&str> = series["curves"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    for name in ["kinetic", "strain", "residual", "Newton"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert_eq!(series["time"].as_array().unwrap().len(), 13);
    for run in [0u32, 1] {
        page.want(run, 4);
        page.wait_for_frames(1);
        assert_eq!(page.frame[4..8], run.to_le_bytes());
    }
    page.want(2, 4);
    page.wait_for("refused", ANY);
    page.say(json!({ "type": "play" }));
    page.wait_for("refused", |r| r["reason"].as_str().unwrap().contains("watched"));
}

#[test]
fn an_empty_directory_is_a_fault_that_goes_away_when_frames_come() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(vec![folder.path().join("a")]);
    std::fs::create_dir(folder.path().join("a")).unwrap();
    let mut page = watch(&server);
    let state = page.wait_for("state", ANY);
    assert_eq!(state["faults"].as_array().unwrap().len(), 1);
    std::fs::remove_dir(folder.path().join("a")).unwrap();
    record(folder.path(), "a", &["resolution=5"]);
    page.say(json!({ "type": "reset" }));
    page.wait_for("state", |s| s["faults"] == json!([]));
}

#[test]
fn a_corrupted_frame_is_told_and_the_others_still_come() {
    let folder = tempfile::tempdir().unwrap();
    let run = record(folder.path(), "a", &["resolution=5"]);
    let scene = muslin::load("swing", &["resolution=5".into()]).unwrap().scene;
    let vertices = muslin::sim::Simulation::new(&scene).unwrap().model().cloth_vertices().len();
    // The last frame gets a vertex that is not a number.
    let path = run.join("frames.npz");
    let mut bytes = std::fs::read(&path).unwrap();
    let name = bytes.windows(5).position(|w| w == b"X.npy").unwrap();
    let start = name + bytes[name..].windows(6).position(|w| w == b"\x93NUMPY").unwrap();
    let length = usize::from(u16::from_le_bytes([bytes[start + 8], bytes[start + 9]]));
    let frame = start + 10 + length + 12 * vertices * 24;
    bytes[frame..frame + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let server = serve(vec![run.clone()]);
    let mut page = watch(&server);
    page.want(0, 12);
    page.wait_for_frames(1);
    // Its normal says that the vertex is broken; all others are whole.
    let count = u32::from_le_bytes(page.frame[20..24].try_into().unwrap()) as usize;
    let normals = muslin_viewer::wire::HEADER + (6 * count).next_multiple_of(4);
    let broken = page.frame[normals..normals + 4 * count].chunks(4).filter(|n| *n == [255, 255, 255, 255]).count();
    assert_eq!(broken, 1);
    // Cut off in its middle, the file has lost that frame; the message says so and earlier frames still come.
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(frame as u64 + 100).unwrap();
    page.want(0, 12);
    page.wait_for("missing", |m| m["frame"] == 12);
    page.want(0, 2);
    page.wait_for_frames(1);
}

#[test]
fn contacts_that_a_run_wrote_colour_its_playback() {
    let folder = tempfile::tempdir().unwrap();
    let scene = muslin::load("drape", &["resolution=12".to_string()]).unwrap().scene;
    let options = RunOptions {
        out: Some(folder.path().join("drape")),
        frames: Some(24),
        formats: vec![Format::Npz, Format::Vtk],
        ..RunOptions::default()
    };
    let run = muslin::run(&scene, &options, &mut ()).unwrap().directory;
    let fields = muslin::io::recording::RecordedFields::open(&run).unwrap();
    let (gaps, states) = (fields.read(24, "contact_gap").unwrap(), fields.read(24, "friction_state").unwrap());
    assert!(states.iter().any(|s| *s > 0.0) && states.contains(&0.0), "the sheet touches the ball in part: {states:?}");
    for (gap, state) in gaps.iter().zip(&states) {
        assert_eq!(*gap >= 0.0, *state > 0.0, "friction acts where something presses");
    }
    let server = serve(vec![run]);
    let mut page = watch(&server);
    let hello = page.wait_for("hello", ANY);
    let names: Vec<&str> = hello["fields"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"gap") && names.contains(&"friction"), "{names:?}");
    page.say(json!({ "type": "field", "name": "friction" }));
    page.want(0, 24);
    page.wait_for_frames(1);
    let count = u32::from_le_bytes(page.frame[20..24].try_into().unwrap()) as usize;
    let start = muslin_viewer::wire::frame_size(count) - count.next_multiple_of(4);
    let shown = |byte: u8| [0u8, 128, 255].iter().position(|level| level.abs_diff(byte) <= 1);
    let mut levels = [0; 3];
    page.frame[start..start + states.len()].iter().for_each(|b| levels[shown(*b).expect("three levels")] += 1);
    let expected = [0.0, 1.0, 2.0].map(|level| states.iter().filter(|s| **s == level).count());
    assert_eq!(levels, expected, "free, sticking and slipping vertices");
    // A run that wrote nothing about its contacts does not offer them.
    let server = serve(vec![record(folder.path(), "a", &["resolution=5"])]);
    let hello = watch(&server).wait_for("hello", ANY);
    assert!(!hello["fields"].to_string().contains("gap"), "{hello}");
}

#[test]
fn a_picked_vertex_and_hinge_of_a_recording_have_the_numbers_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    // Bending alike in all directions and without damping: the moment is the rigidity times the curvature.
    let rigidity = 3e-4;
    let fabric = ["bend_warp=3e-4", "bend_weft=3e-4", "bend_bias=3e-4", "damping_bend=0", "area_density=0.31"];
    let settings: Vec<String> = fabric.iter().map(|word| format!("cloth.0.material.{word}")).collect();
    let settings: Vec<&str> = settings.iter().map(String::as_str).chain(["resolution=8"]).collect();
    let run = record(folder.path(), "a", &settings);
    let scene = muslin::load("swing", &settings.iter().map(|s| s.to_string()).collect::<Vec<_>>()).unwrap().scene;
    let simulation = muslin::sim::Simulation::new(&scene).unwrap();
    let server = serve(vec![run.clone()]);
    let mut page = watch(&server);
    // The inner edge in the middle of the list.
    let topology = &simulation.model().topology;
    let inner = topology.edges.iter().zip(&topology.edge_triangles).filter(|(_, sides)| !sides.contains(&NONE));
    let inner: Vec<[u32; 2]> = inner.map(|(edge, _)| *edge).collect();
    let [vertex, other] = inner[inner.len() / 2].map(|v| v as usize);
    page.say(json!({ "type": "pick", "vertex": vertex, "other": other, "run": 0, "frame": 9 }));
    let numbers = page.wait_for("vertex", ANY);
    let mut positions = Vec::new();
    let mut recording = muslin::io::recording::open(&run, &Default::default()).unwrap();
    recording.read(9, &mut positions).unwrap();
    for (k, recorded) in positions[vertex].to_array().into_iter().enumerate() {
        assert!((numbers["position"][k].as_f64().unwrap() - recorded).abs() < 1e-12, "{numbers} and {recorded}");
    }
    let mass = numbers["mass"].as_f64().unwrap();
    assert!((mass / simulation.model().masses[vertex] - 1.0).abs() < 1e-9, "{mass} kg");
    assert_eq!(numbers["time"], 9.0 / 60.0);
    assert!(numbers["strain"].is_number() && numbers["curvature"].is_number(), "{numbers}");
    assert!(numbers["notes"].to_string().contains("--format npz,vtk"), "{numbers}");
    page.say(json!({ "type": "loop", "run": 0, "vertex": vertex, "other": other }));
    let bends = page.wait_for("loop", ANY);
    let of = |name: &str| -> Vec<f64> { bends[name].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
    let (curvatures, moments) = (of("curvature"), of("moment"));
    assert_eq!((curvatures.len(), of("time")[9]), (13, 9.0 / 60.0), "a point per frame");
    assert!(curvatures.iter().any(|k| k.abs() > 1e-3), "the cloth bends: {curvatures:?}");
    for (k, m) in curvatures.iter().zip(&moments) {
        assert!((m - rigidity * k).abs() <= 1e-9 * rigidity * k.abs().max(1e-3), "{m} N at {k} 1/m");
    }
    for wrong in [
        json!({ "type": "pick", "vertex": simulation.model().mesh.positions.len() }),
        json!({ "type": "pick", "vertex": 1, "frame": 13 }),
    ] {
        page.say(wrong);
        page.wait_for("refused", ANY);
    }
    // Without its report nobody knows the fabric.
    std::fs::remove_file(run.join("report.json")).unwrap();
    page.say(json!({ "type": "reset" }));
    page.wait_for("hello", ANY);
    page.wait_for("hello", ANY);
    page.say(json!({ "type": "pick", "vertex": vertex, "other": other }));
    let numbers = page.wait_for("vertex", ANY);
    assert!(numbers["mass"].is_null() && numbers["notes"].to_string().contains("report.json"), "{numbers}");
    page.say(json!({ "type": "loop", "run": 0, "vertex": vertex, "other": other }));
    assert!(page.wait_for("loop", ANY)["note"].to_string().contains("report.json"));
}

#[test]
fn a_hinge_that_remembers_draws_the_loop_that_the_run_went_through() {
    let folder = tempfile::tempdir().unwrap();
    let scene = muslin::load("w-4-ball", &["resolution=8".to_string()]).unwrap().scene;
    let frames = 48;
    let record = |name: &str, formats: Vec<Format>| {
        let out = Some(folder.path().join(name));
        let options = RunOptions { out, frames: Some(frames), formats, ..RunOptions::default() };
        muslin::run(&scene, &options, &mut ()).unwrap().directory
    };
    // The same run once more, looked at step by step: the hinge whose moment changes most counts.
    let mut simulation = muslin::sim::Simulation::new(&scene).unwrap();
    let count = simulation.system().forces.iter().map(|force| force.crease_count()).sum::<usize>();
    let mut bends: Vec<Vec<[f64; 2]>> = vec![Vec::new(); count];
    let mut ends = Vec::new();
    for frame in 0..=frames {
        if frame > 0 {
            simulation.next_frame().unwrap();
        }
        let system = simulation.system();
        let force = system.forces.iter().find(|force| force.crease_count() == count).unwrap();
        for (element, seen) in bends.iter_mut().enumerate() {
            let bend = force.bend(element).unwrap();
            seen.push([bend.curvature, bend.moment]);
        }
        ends = (0..count)
            .map(|e| [2, 3].map(|k| system.model_from_solver[force.stencil(e)[k] as usize]))
            .collect::<Vec<[u32; 2]>>();
    }
    let most = |seen: &[[f64; 2]]| seen.iter().map(|bend| bend[1].abs()).fold(0.0, f64::max);
    let chosen = (0..count).max_by(|a, b| most(&bends[*a]).total_cmp(&most(&bends[*b]))).unwrap();
    let (ends, expected) = (ends[chosen], &bends[chosen]);
    assert!(most(expected) > 1e-5, "it is bent: {expected:?}");
    let run = record("whole", vec![Format::Npz, Format::Vtk]);
    let server = serve(vec![run]);
    let mut page = watch(&server);
    let hello = page.wait_for("hello", ANY);
    assert!(hello["fields"].to_string().contains("residual"), "{hello}");
    page.say(json!({ "type": "loop", "run": 0, "vertex": ends[0], "other": ends[1] }));
    let told = page.wait_for("loop", ANY);
    for (name, which) in [("curvature", 0), ("moment", 1)] {
        let found: Vec<f64> = told[name].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        assert_eq!(found.len(), frames + 1);
        let largest = expected.iter().map(|bend| bend[which].abs()).fold(0.0, f64::max);
        for (found, bend) in found.iter().zip(expected) {
            assert!((found - bend[which]).abs() < 1e-6 * largest, "{name}: {found} and {bend:?}");
        }
    }
    page.say(json!({ "type": "pick", "vertex": ends[0], "other": ends[1], "run": 0, "frame": frames }));
    assert!(page.wait_for("vertex", ANY)["residual"].is_number());
    // Recorded without it, it is said what to record.
    let server = serve(vec![record("bare", vec![Format::Npz])]);
    let mut page = watch(&server);
    assert!(!page.wait_for("hello", ANY)["fields"].to_string().contains("residual"));
    page.say(json!({ "type": "loop", "run": 0, "vertex": ends[0], "other": ends[1] }));
    assert!(page.wait_for("loop", ANY)["note"].to_string().contains("--format npz,vtk"));
}
