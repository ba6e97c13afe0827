//! The non-linear solve: its work in cloth that buckles, in counts that are the same on every machine, and where numbers end.

use glam::DVec3;
use muslin::{RunOptions, Simulation, load, run};

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

/// A sheet of nearly nothing beside its stiffness, turned so that no coordinate is a round number: from a mesh file with
/// six decimals, or built in.
fn wisp(shape: &str, more: &str) -> muslin::Scene {
    let directory = tempfile::tempdir().unwrap();
    let mut mesh = String::new();
    for (j, i) in (0..9).flat_map(|j| (0..9).map(move |i| (j, i))) {
        mesh.push_str(&format!("v {:.6} {:.6} 0\n", 0.1 * f64::from(i), 0.11 * f64::from(j)));
    }
    for (j, i) in (0..8).flat_map(|j| (1..9).map(move |i| (j, i))) {
        let a = 9 * j + i;
        mesh.push_str(&format!("f {a} {} {}\nf {a} {} {}\n", a + 1, a + 10, a + 10, a + 9));
    }
    std::fs::write(directory.path().join("sheet.obj"), mesh).unwrap();
    let text = format!(
        "duration = 1\n[settings]\ncontact = {{ method = \"none\" }}\n{more}\n[[cloth]]\nshape = {shape}\n\
         rotation_axis = [1, 2, 3]\nrotation_degrees = 37\nvelocity = [0.3, 0, 0.1]\nmaterial.area_density = 1e-9\n"
    );
    let path = directory.path().join("wisp.toml");
    std::fs::write(&path, text).unwrap();
    load(path.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("{error}")).scene
}

const FILE: &str = "{ kind = \"file\", path = \"sheet.obj\" }";
const GRID: &str = "{ kind = \"grid\", size = [1, 1], vertices = [9, 9] }";

#[test]
fn a_weightless_wisp_drifts_straight_on_however_little_its_mass_is() {
    for shape in [FILE, GRID] {
        let mut simulation = Simulation::new(&wisp(shape, "[environment]\ngravity = [0, 0, 0]")).unwrap();
        let start = simulation.state().positions.clone();
        let mut end = Vec::new();
        for frame in 0..30 {
            end = simulation.next_frame().unwrap_or_else(|error| panic!("{shape}, frame {frame}: {error}"));
        }
        let way = DVec3::new(0.3, 0.0, 0.1) * 0.5;
        let off = start.iter().zip(&end).map(|(a, b)| (*b - *a - way).length()).fold(0.0, f64::max);
        println!("{shape}: {off:e} m off after half a second");
        assert!(off < 1e-9, "{shape}: {off} m off");
    }
}

#[test]
fn a_weight_that_round_off_hides_is_told() {
    let mut simulation = Simulation::new(&wisp(FILE, "")).unwrap();
    let error = (0..30).find_map(|_| simulation.next_frame().err()).expect("its weight cannot be told from round-off");
    assert!(error.to_string().contains("forces are only known to"), "{error}");
}
