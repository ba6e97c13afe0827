//! Cloth that starts wholly inside a closed obstacle crosses nothing: it is told, taken out, left there, or let through, as the
//! scene says.

use glam::DVec3;
use muslin::sim::{SimError, Simulation};
use muslin::{
    MeshUse, RunOptions, Scene, check,
    collision::{Surface, intersections},
    load, run,
};
use std::path::Path;

const HEAD: &str = "name = \"inside\"\nduration = 1\n";
const UNTANGLE: &str = "[start]\nuntangle = true\n";

/// A sheet of 12 cm, where the next key may place it.
const SHEET: &str =
    "[[cloth]]\nname = \"sheet\"\nshape = { kind = \"grid\", size = [0.12, 0.12], vertices = [7, 7] }\n";
const BALL: &str =
    "[[obstacle]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.2, subdivisions = 3 }\nfriction = 0.3\n";
const BOX: &str = "[[obstacle]]\nname = \"box\"\nshape = { kind = \"box\", size = [0.3, 0.5, 0.4] }\n";

fn load_in(directory: &Path, text: &str) -> Scene {
    let path = directory.join("scene.toml");
    std::fs::write(&path, text).unwrap();
    load(path.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("{error}\n{text}")).scene
}

fn scene(text: &str) -> Scene {
    load_in(tempfile::tempdir().unwrap().path(), text)
}

fn crossings(simulation: &Simulation, positions: &[DVec3]) -> usize {
    let surface = Surface::new(positions.len(), &simulation.model().mesh.triangles).unwrap();
    intersections(&surface, positions).unwrap().len()
}

/// Whether a ray to the side, askew to every edge, goes through a body's surface an odd number of times.
fn is_within(simulation: &Simulation, point: DVec3, name: &str, x: &[DVec3]) -> bool {
    let body = simulation.model().bodies.iter().find(|body| body.name == name).unwrap();
    let ray = DVec3::new(0.8734, 0.3119, 0.3743);
    let through = |corners: &&[u32; 3]| {
        let [a, b, c] = corners.map(|v| x[v as usize] - point);
        let volumes = [a.cross(b).dot(ray), b.cross(c).dot(ray), c.cross(a).dot(ray)];
        let normal = (b - a).cross(c - a);
        let same = volumes.iter().all(|v| *v > 0.0) || volumes.iter().all(|v| *v < 0.0);
        same && normal.dot(a) / normal.dot(ray) > 0.0
    };
    simulation.model().mesh.triangles[body.triangles.clone()].iter().filter(through).count() % 2 == 1
}

/// Vertices of cloth within a body.
fn within(simulation: &Simulation, name: &str, x: &[DVec3]) -> usize {
    simulation.model().cloth_vertices().filter(|&v| is_within(simulation, x[v], name, x)).count()
}

/// The start is outside of some bodies, the strain is none, and some frames are clean.
fn is_taken_out(scene: &Scene, of: &[&str]) -> Simulation {
    let mut simulation = Simulation::new(scene).unwrap_or_else(|error| panic!("{error}"));
    let start = simulation.state().positions.clone();
    assert_eq!(crossings(&simulation, &start), 0);
    of.iter().for_each(|name| assert_eq!(within(&simulation, name, &start), 0, "{name}"));
    let warnings = simulation.warnings();
    assert!(warnings.iter().any(|warning| warning.contains("moved out")), "{warnings:?}");
    for number in 1..=20 {
        let frame = simulation.next_frame().unwrap_or_else(|error| panic!("frame {number}: {error}"));
        assert_eq!(crossings(&simulation, &frame), 0, "frame {number}");
        of.iter().for_each(|name| assert_eq!(within(&simulation, name, &frame), 0, "{name} in frame {number}"));
    }
    assert!(simulation.is_clean());
    simulation
}

#[test]
fn the_count_of_rays_knows_a_sheet_within() {
    let simulation = Simulation::new(&scene(&format!("{HEAD}{SHEET}{BALL}"))).unwrap();
    let x = &simulation.state().positions;
    assert_eq!(within(&simulation, "ball", x), simulation.model().cloth_vertices().len());
}

#[test]
fn a_sheet_inside_a_ball_or_a_box_is_taken_out() {
    for (obstacle, name) in [(BALL, "ball"), (BOX, "box")] {
        for place in [
            "translation = [0, 0, 0]",
            "translation = [0.02, -0.03, 0.05]\nrotation_degrees = 40\nrotation_axis = [1, 2, 0]",
        ] {
            is_taken_out(&scene(&format!("{HEAD}{UNTANGLE}{SHEET}{place}\n{obstacle}")), &[name]);
        }
    }
}

#[test]
fn a_sheet_goes_the_shortest_way_and_keeps_its_shape() {
    // 13 cm above the middle of a ball of 20 cm: up.
    let scene = scene(&format!("{HEAD}{UNTANGLE}{SHEET}translation = [0, 0, 0.13]\n{BALL}"));
    let simulation = Simulation::new(&scene).unwrap();
    let x = &simulation.state().positions;
    let lowest = simulation.model().cloth_vertices().map(|v| x[v].z).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.2 && lowest < 0.21, "{lowest}");
    let edges = simulation.model().topology.edges.iter().map(|edge| edge.map(|v| v as usize));
    for [a, b] in edges.filter(|edge| simulation.model().cloth_vertices().contains(&edge[1])) {
        let before = simulation.model().mesh.positions[a].distance(simulation.model().mesh.positions[b]);
        assert!((x[a].distance(x[b]) - before).abs() < 1e-12);
    }
}

#[test]
fn a_sheet_inside_a_closed_mesh_of_a_file_is_taken_out() {
    // A tetrahedron with long edges, inside out: orientation must not matter.
    let directory = tempfile::tempdir().unwrap();
    let text = "v -0.5 -0.4 -0.3\nv 0.6 -0.4 -0.3\nv 0 0.6 -0.3\nv 0 0 0.5\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n";
    std::fs::write(directory.path().join("rock.obj"), text).unwrap();
    let obstacle = "[[obstacle]]\nname = \"rock\"\nshape = { kind = \"file\", path = \"rock.obj\" }\n";
    let scene = load_in(directory.path(), &format!("{HEAD}{UNTANGLE}{SHEET}translation = [0, 0, -0.1]\n{obstacle}"));
    is_taken_out(&scene, &["rock"]);
}

#[test]
fn a_sheet_is_taken_out_of_one_obstacle_and_not_into_or_through_another() {
    // Another ball right above, and the ground right below: up and down are closed.
    let others = "[[obstacle]]\nname = \"upper\"\nshape = { kind = \"sphere\", radius = 0.2, subdivisions = 3 }\ntranslation = [0, 0, 0.41]\n\
                  [[obstacle]]\nname = \"ground\"\nshape = { kind = \"plane\", size = 3 }\ntranslation = [0, 0, -0.21]\n";
    for height in [0.13, -0.13] {
        let text = format!("{HEAD}{UNTANGLE}{SHEET}translation = [0.01, 0, {height}]\n{BALL}{others}");
        let simulation = is_taken_out(&scene(&text), &["ball", "upper"]);
        let x = &simulation.state().positions;
        assert!(simulation.model().cloth_vertices().all(|v| x[v].z > -0.21));
    }
}

#[test]
fn sheets_inside_nested_obstacles_leave_them_all_and_meet_nothing_outside() {
    let sheets = SHEET.to_owned()
        + &SHEET.replace("\"sheet\"", "\"second\"")
        + "translation = [0, 0, 0.01]\n"
        + &SHEET.replace("\"sheet\"", "\"third\"")
        + "translation = [0, 0, -0.02]\n";
    let around = "[[obstacle]]\nname = \"box\"\nshape = { kind = \"box\", size = [0.6, 0.7, 0.8] }\n";
    is_taken_out(&scene(&format!("{HEAD}{UNTANGLE}{sheets}{BALL}{around}")), &["ball", "box"]);
}

#[test]
fn what_belongs_inside_stays_there_without_a_word() {
    let text = format!("{HEAD}[start]\nuntangle = true\ninside = [\"sheet\"]\n{SHEET}{BALL}");
    let mut simulation = Simulation::new(&scene(&text)).unwrap();
    assert_eq!(simulation.warnings(), [""; 0]);
    for _ in 0..30 {
        let frame = simulation.next_frame().unwrap();
        assert_eq!(within(&simulation, "ball", &frame), simulation.model().cloth_vertices().len());
    }
    assert!(simulation.is_clean());
    // Beside it, one that crosses the ball is pushed out, and what belongs inside is left alone.
    let through = "[[cloth]]\nname = \"through\"\nshape = { kind = \"grid\", size = [0.5, 0.5], vertices = [13, 13] }\ntranslation = [0, 0, 0.12]\n";
    let simulation = Simulation::new(&scene(&format!("{text}{through}"))).unwrap();
    let x = &simulation.state().positions;
    assert_eq!((crossings(&simulation, x), within(&simulation, "ball", x)), (0, 49));
    // What belongs inside and crosses the wall is refused, not pushed out.
    let wide = text.replace("[0.12, 0.12]", "[0.6, 0.6]");
    assert!(matches!(Simulation::new(&scene(&wide)), Err(SimError::StartsTooNear { .. })));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scene.toml");
    std::fs::write(&path, text.replace("[\"sheet\"]", "[\"ball\"]")).unwrap();
    let error = load(path.to_str().unwrap(), &[]).err().unwrap().to_string();
    assert!(error.contains("no cloth `ball`") && error.contains("`sheet`"), "{error}");
}

#[test]
fn a_pin_inside_an_obstacle_is_named() {
    let pinned = format!("{SHEET}translation = [0, 0, 0.02]\npin = [{{ vertices = [5] }}]\n");
    let Err(error) = Simulation::new(&scene(&format!("{HEAD}{UNTANGLE}{pinned}{BALL}"))) else { panic!("accepted") };
    assert!(matches!(error, SimError::PinnedInside { vertex: 5, .. }), "{error}");
    let message = error.to_string();
    assert!(
        ["vertex 5 of `sheet`", "`ball`", "inside = [\"sheet\"]"].iter().all(|part| message.contains(part)),
        "{message}"
    );
    // So is one of a sheet that crosses the ball.
    let wide = pinned.replace("[0.12, 0.12]", "[0.5, 0.5]").replace("vertices = [5]", "vertices = [24]");
    let Err(error) = Simulation::new(&scene(&format!("{HEAD}{UNTANGLE}{wide}{BALL}"))) else { panic!("accepted") };
    assert!(matches!(error, SimError::PinnedInside { vertex: 24, .. }), "{error}");
}

#[test]
fn without_a_word_of_the_scene_it_is_told_with_a_list_and_a_picture() {
    let directory = tempfile::tempdir().unwrap();
    let scene = load_in(directory.path(), &format!("{HEAD}{SHEET}{BALL}"));
    let out = directory.path().join("out");
    let options = RunOptions { out: Some(out.clone()), frames: Some(2), ..RunOptions::default() };
    let report = run(&scene, &options, &mut ()).unwrap().report;
    let told = report.warnings.iter().find(|warning| warning.contains("starts inside the closed obstacle `ball`"));
    assert!(told.is_some_and(|told| told.contains("untangle = true") && told.contains("inside = [\"sheet\"]")));
    let list: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("start.json")).unwrap()).unwrap();
    assert_eq!(list["faults"][0]["kind"], "inside");
    assert_eq!(list["faults"][0]["vertices"][0].as_array().unwrap().len(), 49);
    assert_eq!(&std::fs::read(out.join("start.png")).unwrap()[1..4], b"PNG");
    let verdict = check(directory.path().join("scene.toml").to_str().unwrap(), MeshUse::Cloth);
    assert!(verdict.warnings.iter().any(|warning| warning.contains("starts inside")), "{:?}", verdict.warnings);
}

#[test]
fn an_exemption_lets_cloth_fall_out_of_what_it_is_wholly_inside() {
    let text = format!("{HEAD}[[start.exempt]]\nbodies = [\"sheet\", \"ball\"]\n{SHEET}{BALL}");
    let mut simulation = Simulation::new(&scene(&text)).unwrap();
    assert!(!simulation.state().exemptions.is_empty() && simulation.tally().exempt_frames == 1);
    let mut last = simulation.state().positions.clone();
    for number in 1..=40 {
        last = simulation.next_frame().unwrap_or_else(|error| panic!("frame {number}: {error}"));
    }
    assert!(simulation.state().exemptions.is_empty() && within(&simulation, "ball", &last) == 0);
    assert!(!simulation.is_clean());
}

#[test]
fn the_content_of_an_open_cup_is_not_taken_out() {
    // A box without its lid.
    let directory = tempfile::tempdir().unwrap();
    let corners = "v -0.2 -0.2 -0.2\nv 0.2 -0.2 -0.2\nv 0.2 0.2 -0.2\nv -0.2 0.2 -0.2\nv -0.2 -0.2 0.2\nv 0.2 -0.2 0.2\nv 0.2 0.2 0.2\nv -0.2 0.2 0.2\n";
    let faces = "f 1 3 2\nf 1 4 3\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";
    std::fs::write(directory.path().join("cup.obj"), format!("{corners}{faces}")).unwrap();
    let obstacle = "[[obstacle]]\nname = \"cup\"\nshape = { kind = \"file\", path = \"cup.obj\" }\n";
    let scene = load_in(directory.path(), &format!("{HEAD}{UNTANGLE}{SHEET}{obstacle}"));
    let simulation = Simulation::new(&scene).unwrap();
    assert_eq!(simulation.warnings(), [""; 0]);
    assert_eq!(simulation.state().positions[0].z, 0.0);
}
