//! What a live session does when it is told to.

use crate::page::{Page, live};
use muslin_viewer::Beginning;
use serde_json::{Value, json};

const ANY: fn(&Value) -> bool = |_| true;

fn paused(scene: &str, settings: &[&str]) -> (muslin_viewer::Server, Page) {
    let server = live(scene, settings, Beginning::Paused);
    let mut page = Page::open(&server);
    page.wait_for_frames(1);
    (server, page)
}

/// The scene that `save` gives.
fn saved(page: &mut Page) -> muslin::Scene {
    page.say(json!({ "type": "save" }));
    let text = page.wait_for("saved", ANY)["text"].as_str().unwrap().to_string();
    muslin::io::parse("saved.toml", &text, "saved", &[]).unwrap_or_else(|e| panic!("{e}\n{text}")).scene
}

#[test]
fn time_runs_stands_steps_and_begins_again() {
    let (_server, mut page) = paused("hang", &["resolution=6"]);
    assert_eq!(page.time(), 0.0);
    page.say(json!({ "type": "step" }));
    page.wait_for_frames(1);
    assert!((page.time() - 1.0 / 60.0).abs() < 1e-12);
    page.say(json!({ "type": "play" }));
    page.wait_for("state", |s| s["playing"] == true);
    page.wait_for_frames(10);
    page.say(json!({ "type": "pause" }));
    page.wait_for("state", |s| s["playing"] == false);
    assert!(page.time() > 0.1);
    page.say(json!({ "type": "restart" }));
    while page.time() > 0.0 {
        page.wait_for_frames(1);
    }
}

#[test]
fn a_live_scene_moves_as_the_same_scene_in_a_run() {
    let (_server, mut page) = paused("swing", &["resolution=8"]);
    let scene = muslin::load("swing", &["resolution=8".into()]).unwrap().scene;
    let mut simulation = muslin::sim::Simulation::new(&scene).unwrap();
    for _ in 0..20 {
        page.say(json!({ "type": "step" }));
        page.wait_for_frames(1);
        simulation.next_frame().unwrap();
    }
    // A grid has no seams: drawn vertices are all of the model's, in the order that triangles name them.
    let model = simulation.model();
    let mut order: Vec<u32> = Vec::new();
    for &v in model.mesh.triangles[model.cloth_triangles()].iter().flatten() {
        if !order.contains(&v) {
            order.push(v);
        }
    }
    let furthest = order
        .iter()
        .enumerate()
        .map(|(drawn, v)| {
            let (seen, true_place) = (page.place(drawn), simulation.state().positions[*v as usize].to_array());
            (0..3).map(|k| (seen[k] - true_place[k]).abs()).fold(0.0, f64::max)
        })
        .fold(0.0, f64::max);
    // Half a step of sixteen bits over a box of some metres, and the rounding of its corners.
    assert!(furthest < 5e-5, "{furthest} m");
}

#[test]
fn a_grab_pulls_the_cloth_there_and_letting_go_lets_it_swing_back() {
    let (_server, mut page) = paused("hang", &["resolution=10"]);
    let scene = muslin::load("hang", &["resolution=10".into()]).unwrap().scene;
    let model = muslin::sim::Simulation::new(&scene).unwrap().model().clone();
    let lowest = |a: &u32, b: &u32| model.mesh.positions[*a as usize].z.total_cmp(&model.mesh.positions[*b as usize].z);
    let vertex = model.cloth_vertices().map(|v| v as u32).min_by(lowest).unwrap();
    let start = model.mesh.positions[vertex as usize];
    let target = [start.x, start.y - 0.2, start.z + 0.1];
    page.say(json!({ "type": "grab", "id": 1, "vertex": vertex, "target": start.to_array() }));
    page.wait_for("state", |s| s["grabs"].as_array().is_some_and(|g| g.len() == 1));
    page.say(json!({ "type": "move", "id": 1, "target": target }));
    page.say(json!({ "type": "pick", "vertex": vertex }));
    let distance = |numbers: &Value| {
        let p = |k: usize| numbers["position"][k].as_f64().unwrap();
        (0..3).map(|k| (p(k) - target[k]).powi(2)).sum::<f64>().sqrt()
    };
    page.say(json!({ "type": "speed", "value": 16.0 }));
    page.say(json!({ "type": "play" }));
    page.wait_for("vertex", |numbers| distance(numbers) < 0.03);
    page.say(json!({ "type": "release", "id": 1 }));
    page.wait_for("state", |s| s["grabs"].as_array().is_some_and(|g| g.is_empty()));
    page.wait_for("vertex", |numbers| distance(numbers) > 0.1);
}

#[test]
fn a_pin_set_by_hand_holds_and_is_saved() {
    let (_server, mut page) = paused("drape", &["resolution=5"]);
    page.say(json!({ "type": "pin", "vertex": 0 }));
    page.wait_for("state", |s| s["held"] == json!([0]) && s["changed"] == true);
    page.say(json!({ "type": "pick", "vertex": 0 }));
    let before = page.wait_for("vertex", ANY)["position"].clone();
    for _ in 0..5 {
        page.say(json!({ "type": "step" }));
    }
    page.wait_for_frames(1);
    page.say(json!({ "type": "pick", "vertex": 0 }));
    assert_eq!(page.wait_for("vertex", ANY)["position"], before);
    let pins = &saved(&mut page).cloths[0].pins;
    assert_eq!(pins.len(), 1);
    assert_eq!(pins[0].select, muslin::sim::scene::PinSelect::Vertices(vec![0]));
    page.say(json!({ "type": "unpin", "vertex": 0 }));
    page.wait_for("state", |s| s["held"] == json!([]));
    assert!(saved(&mut page).cloths[0].pins.is_empty());
    page.say(json!({ "type": "unpin", "vertex": 0 }));
    page.wait_for("refused", |r| r["reason"].as_str().unwrap().contains("not held"));
}

#[test]
fn a_pin_that_is_cut_lets_go_now_and_in_the_saved_scene() {
    let (_server, mut page) = paused("hang", &["resolution=5"]);
    let pins = page.wait_for("state", ANY)["pins"].as_array().unwrap().len();
    assert!(pins > 0);
    page.say(json!({ "type": "step" }));
    page.wait_for_frames(1);
    for pin in 0..pins {
        page.say(json!({ "type": "cut", "pin": pin }));
    }
    page.wait_for("state", |s| s["pins"].as_array().unwrap().iter().all(|p| p["cut"] == true));
    let before = page.place(0)[2];
    for _ in 0..30 {
        page.say(json!({ "type": "step" }));
        page.wait_for_frames(1);
    }
    // Half a second of free fall is 1.2 m.
    let fallen = before - page.place(0)[2];
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 0.1, "{fallen} m");
    assert!(saved(&mut page).cloths[0].pins.iter().all(|pin| (pin.release - 1.0 / 60.0).abs() < 1e-9));
}

#[test]
fn vertices_let_go_one_by_one_leave_their_pin() {
    let (_server, mut page) = paused("flag", &["resolution=6"]);
    let held: Vec<u64> = page.wait_for("state", ANY)["pins"][0]["vertices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_u64().unwrap())
        .collect();
    page.say(json!({ "type": "unpin", "vertex": held[1] }));
    page.wait_for("state", |s| s["pins"][0]["vertices"].as_array().unwrap().len() == held.len() - 1);
    let pins = saved(&mut page).cloths[0].pins.clone();
    let left: Vec<u32> = held.iter().filter(|v| **v != held[1]).map(|v| *v as u32).collect();
    assert_eq!(pins[0].select, muslin::sim::scene::PinSelect::Vertices(left));
}

#[test]
fn sliders_change_the_running_scene_and_reset_brings_the_file_back() {
    let (_server, mut page) = paused("hang", &["resolution=6"]);
    for _ in 0..3 {
        page.say(json!({ "type": "step" }));
        page.wait_for_frames(1);
    }
    let time = page.time();
    page.say(json!({ "type": "set", "values": { "cloth.0.shear": 300.0, "wind.y": 5.0, "step": 0.004 } }));
    page.wait_for("state", |s| s["changed"] == true);
    let scene = saved(&mut page);
    assert_eq!(scene.cloths[0].material.shear, 300.0.into());
    assert_eq!(scene.environment.wind.velocity.y, 5.0);
    assert!(scene.environment.wind.normal_drag > 0.0);
    assert_eq!(scene.settings.step, 0.004);
    page.say(json!({ "type": "step" }));
    page.wait_for_frames(1);
    assert!((page.time() - time - 1.0 / 60.0).abs() < 1e-9, "time goes on");
    // What is saved is what moves: the same edits from the start give the same frame.
    page.say(json!({ "type": "restart" }));
    while page.time() > 0.0 {
        page.wait_for_frames(1);
    }
    page.say(json!({ "type": "step" }));
    page.wait_for_frames(1);
    let mut simulation = muslin::sim::Simulation::new(&scene).unwrap();
    simulation.next_frame().unwrap();
    let first = simulation.model().mesh.triangles[0][0] as usize;
    assert!((page.place(0)[2] - simulation.state().positions[first].z).abs() < 1e-4);
    page.say(json!({ "type": "reset" }));
    page.wait_for("state", |s| s["changed"] == false);
    assert_eq!(saved(&mut page), muslin::load("hang", &["resolution=6".into()]).unwrap().scene);
    page.say(json!({ "type": "set", "values": { "step": 1e9 } }));
    page.wait_for("refused", |r| r["reason"].as_str().unwrap().contains("step"));
}

#[test]
fn a_faulty_scene_is_shown_with_its_faults_and_can_be_mended() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml");
    std::fs::write(
        &file,
        "duration = 1\n[[cloth]]\nshape = { kind = \"grid\", size = [1, 1], vertices = [5, 5] }\nmaterail = 1\n",
    )
    .unwrap();
    let server = live(file.to_str().unwrap(), &[], Beginning::Playing);
    let mut page = Page::open(&server);
    let faults = page.wait_for("state", ANY)["faults"].clone();
    let message = faults[0]["message"].as_str().unwrap();
    assert!(message.contains("materail") && message.contains("4:"), "{message}");
    page.say(json!({ "type": "play" }));
    page.wait_for("refused", |r| r["reason"].as_str().unwrap().contains("faulty"));
    std::fs::write(&file, "duration = 1\n[[cloth]]\nshape = { kind = \"grid\", size = [1, 1], vertices = [5, 5] }\n")
        .unwrap();
    page.say(json!({ "type": "reset" }));
    page.wait_for("state", |s| s["faults"] == json!([]));
    page.wait_for_frames(1);
}

#[test]
fn crossing_triangles_of_a_scene_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml");
    let text = "duration = 1\n[[cloth]]\nshape = { kind = \"grid\", size = [1, 1], vertices = [3, 3] }\n\
                [[obstacle]]\nshape = { kind = \"sphere\", radius = 0.2 }\ntranslation = [0.1, 0.15, 0]\n";
    std::fs::write(&file, text).unwrap();
    let server = live(file.to_str().unwrap(), &[], Beginning::Paused);
    let mut page = Page::open(&server);
    let faults = page.wait_for("state", ANY)["faults"].as_array().unwrap().clone();
    // First that contact refuses the start, then every pair that crosses.
    assert!(faults.len() > 1 && faults[0]["message"].as_str().unwrap().contains("untangle"), "{}", faults[0]);
    for fault in &faults[1..] {
        let triangles = fault["triangles"].as_array().unwrap();
        assert!(triangles.iter().any(|t| t.as_u64().unwrap() < 8), "a triangle of the cloth is among {triangles:?}");
    }
}

#[test]
fn a_scene_that_names_files_says_where_it_is_to_be_saved() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n").unwrap();
    let file = folder.path().join("scene.toml");
    std::fs::write(&file, "duration = 1\n[[cloth]]\nshape = { kind = \"file\", path = \"m.obj\" }\n").unwrap();
    let beside = |scene: &str| {
        let server = live(scene, &[], Beginning::Paused);
        Page::open(&server).wait_for("state", ANY)["beside"].clone()
    };
    assert_eq!(beside(file.to_str().unwrap()), json!(folder.path().display().to_string()));
    assert_eq!(beside("hang"), Value::Null);
}

/// A corner of the scarf in each hand: half a turn around each other, which wraps the ends, then apart.
#[test]
fn two_corners_of_the_scarf_wrap_around_each_other_and_nothing_crosses() {
    const LONG: u32 = 25;
    let (_server, mut page) = paused("scarf", &["resolution=25"]);
    let hello = page.wait_for("hello", ANY);
    let stat = |page: &Page, name: &str| {
        let k = hello["stats"].as_array().unwrap().iter().position(|s| s["name"] == name).unwrap();
        f32::from_le_bytes(page.frame[72 + 4 * k..76 + 4 * k].try_into().unwrap())
    };
    let step = |page: &mut Page| {
        page.say(json!({ "type": "step" }));
        page.wait_for_frames(1);
    };
    // Over the rail first.
    (0..30).for_each(|_| step(&mut page));
    for (id, vertex) in [(1, 0), (2, LONG - 1)] {
        page.say(json!({ "type": "grab", "id": id, "vertex": vertex, "target": [0, 0, 0] }));
    }
    let mut most_near = 0.0f32;
    for k in 0..90 {
        let (turn, apart) =
            (std::f64::consts::PI * (f64::from(k) / 50.0).min(1.0), 0.06 + 0.004 * f64::from((k - 50).max(0)));
        for (id, sign) in [(1, -1.0), (2, 1.0)] {
            let (x, y) = (sign * apart * turn.cos(), sign * apart * turn.sin());
            page.say(json!({ "type": "move", "id": id, "target": [x, y, -0.35] }));
        }
        step(&mut page);
        assert_eq!(stat(&page, "crossings"), 0.0, "frame {k}");
        most_near = most_near.max(stat(&page, "near"));
    }
    page.say(json!({ "type": "pick", "vertex": 0 }));
    let place = page.wait_for("vertex", ANY)["position"].clone();
    let x = place[0].as_f64().unwrap();
    assert!(x > 0.1 && most_near > 10.0, "the left corner is on the right: {place}; {most_near} contacts");
    page.say(json!({ "type": "pause" }));
    page.wait_for("state", |s| {
        s["playing"] == false && s["grabs"].as_array().unwrap().len() == 2 && s["faults"] == json!([])
    });
}

/// Faulty triangles are numbered through the whole model: where some are marked, the part that comes with frames has them all.
#[test]
fn what_crosses_is_in_the_part_that_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml");
    let cloth = "duration = 1\n[[cloth]]\nshape = { kind = \"grid\", size = [1, 1], vertices = [3, 3] }\n";
    let ball = |height: f64| {
        format!("[[obstacle]]\nshape = {{ kind = \"sphere\", radius = 0.2 }}\ntranslation = [0.1, 0.15, {height}]\n")
    };
    for (height, together) in [(0.0, true), (3.0, false)] {
        std::fs::write(&file, format!("{cloth}{}", ball(height))).unwrap();
        let server = live(file.to_str().unwrap(), &[], Beginning::Paused);
        let mut page = Page::open(&server);
        let hello = page.wait_for("hello", ANY);
        let all = hello["runs"][0]["triangles"].as_u64().unwrap();
        page.wait_for_frames(1);
        let moving = u32::from_le_bytes(page.topology[16..20].try_into().unwrap());
        assert_eq!(u64::from(moving), if together { all } else { 8 }, "of {all} triangles");
    }
}

#[test]
fn colours_change_while_time_stands() {
    let (_server, mut page) = paused("hang", &["resolution=6"]);
    for (number, name) in ["fabric", "strain", "shear", "curvature", "velocity"].iter().enumerate() {
        page.say(json!({ "type": "field", "name": name }));
        page.wait_for_frames(1);
        assert_eq!(page.frame[56..60], (number as u32).to_le_bytes(), "{name}");
    }
    page.say(json!({ "type": "field", "name": "taste" }));
    page.wait_for("refused", |r| r["reason"].as_str().unwrap().contains("taste"));
}
