//! The built-in scenes: all load, and `hang`, `drape`, `twist` have the geometry of the common benchmark,
//! computed here once more from its formulas.

use glam::DVec3;
use muslin_io::{builtin, load};
use muslin_model::{BodyKind, PinMotion};
use muslin_sim::{Scene, Simulation, scene::ClothShape};

fn scene(name: &str, overrides: &[&str]) -> Scene {
    let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
    load(name, &overrides).unwrap_or_else(|e| panic!("{name}: {e}")).scene
}

#[test]
fn every_built_in_scene_loads_under_its_name_without_warnings() {
    for builtin in builtin::SCENES {
        let loaded = load(builtin.name, &[]).unwrap_or_else(|e| panic!("{}: {e}", builtin.name));
        assert_eq!(loaded.scene.name, builtin.name);
        assert!(!loaded.scene.description.is_empty());
        assert_eq!(loaded.warnings, Vec::<String>::new(), "{}", builtin.name);
        for parameter in ["resolution", "step", "material"] {
            assert!(loaded.parameters.iter().any(|p| p.name == parameter), "{}: {parameter}", builtin.name);
        }
    }
}

#[test]
fn every_scene_file_of_the_repository_is_embedded() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let mut count = 0;
    for group in std::fs::read_dir(root).unwrap() {
        let group = group.unwrap();
        for file in std::fs::read_dir(group.path()).unwrap().map(|f| f.unwrap().path()) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let builtin = builtin::find(name).unwrap_or_else(|| panic!("{} is not embedded", file.display()));
            assert_eq!(builtin.group, group.file_name().to_str().unwrap());
            assert_eq!(builtin.text, std::fs::read_to_string(&file).unwrap());
            count += 1;
        }
    }
    assert_eq!(count, builtin::SCENES.len());
}

#[test]
fn resolution_is_the_number_of_vertices_along_the_longer_side_of_each_cloth() {
    for builtin in builtin::SCENES.iter().filter(|s| s.group == "hello") {
        for n in [24, 37] {
            for cloth in scene(builtin.name, &[&format!("resolution={n}")]).cloths {
                let ClothShape::Grid { vertices, size, .. } = cloth.shape else { panic!("{}: not a grid", cloth.name) };
                let longer = if size.y > size.x { 1 } else { 0 };
                assert_eq!(vertices[longer], n, "{}", builtin.name);
                assert!(vertices[1 - longer] <= n);
            }
        }
    }
}

#[test]
fn step_and_material_reach_every_built_in_scene() {
    for builtin in builtin::SCENES {
        let changed = scene(builtin.name, &["step=1/240", "material={ base = \"woven-cotton\", shear = 321 }"]);
        assert_eq!(changed.settings.step, 1.0 / 240.0, "{}", builtin.name);
        assert_eq!(changed.cloths[0].material.shear, 321.0.into(), "{}", builtin.name);
    }
}

/// numpy.linspace(low, high, n): start + i·step with an exact end.
fn linspace(low: f64, high: f64, n: usize) -> Vec<f64> {
    let step = (high - low) / (n - 1) as f64;
    let mut values: Vec<f64> = (0..n).map(|i| i as f64 * step + low).collect();
    values[n - 1] = high;
    values
}

/// The benchmark's triangles: all first halves of the cells, then all second ones.
fn triangles(nx: usize, ny: usize) -> Vec<[u32; 3]> {
    let cells: Vec<u32> = (0..nx - 1).flat_map(|i| (0..ny - 1).map(move |j| (i * ny + j) as u32)).collect();
    let ny = ny as u32;
    let first = cells.iter().map(|&a| [a, a + ny, a + ny + 1]);
    let second = cells.iter().map(|&a| [a, a + ny + 1, a + 1]);
    first.chain(second).collect()
}

/// Mass of each vertex by the benchmark's rule: a third of each triangle's area times the density.
fn masses(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<f64> {
    let mut masses = vec![0.0; positions.len()];
    for tri in triangles {
        let [a, b, c] = tri.map(|v| positions[v as usize]);
        let third = 0.5 * (b - a).cross(c - a).length() * 0.2 / 3.0;
        tri.iter().for_each(|&v| masses[v as usize] += third);
    }
    masses
}

fn assert_same_cloth(simulation: &Simulation, positions: &[DVec3], nx: usize, ny: usize) {
    let model = simulation.model();
    let cloth = model.cloth_vertices();
    assert_eq!(cloth.len(), nx * ny);
    for (v, (found, expected)) in model.mesh.positions[cloth].iter().zip(positions).enumerate() {
        let bits = |p: &DVec3| p.to_array().map(f64::to_bits);
        assert_eq!(bits(found), bits(expected), "vertex {v}: {found} and {expected}");
    }
    assert_eq!(model.mesh.triangles[model.cloth_triangles()], triangles(nx, ny));
    for (v, expected) in masses(positions, &triangles(nx, ny)).into_iter().enumerate() {
        assert!((model.masses[v] - expected).abs() < 1e-12 * expected, "mass of vertex {v}");
    }
}

#[test]
fn hang_is_the_benchmark_scene_to_the_bit() {
    for n in [10, 33] {
        let scene = scene("hang", &[&format!("resolution={n}")]);
        assert_eq!((scene.frames(), scene.frames_per_second, scene.duration), (120, 60.0, 2.0));
        assert_eq!(scene.environment.gravity, DVec3::new(0.0, 0.0, -9.81));
        let simulation = Simulation::new(&scene).unwrap();
        let line = linspace(-0.5, 0.5, n);
        let upright = |&x: &f64| line.iter().map(move |&z| DVec3::new(x, 0.0, z - 0.5)).collect::<Vec<_>>();
        let positions: Vec<DVec3> = line.iter().flat_map(upright).collect();
        assert_same_cloth(&simulation, &positions, n, n);
        let pinned: Vec<u32> = simulation.model().pins.iter().flat_map(|p| p.vertices.clone()).collect();
        assert_eq!(pinned, [n as u32 - 1, (n * n) as u32 - 1]);
        assert!(simulation.model().pins.iter().all(|p| p.motion == PinMotion::Fixed && p.release == f64::INFINITY));
    }
}

#[test]
fn drape_is_the_benchmark_scene_to_the_bit() {
    let n = 21;
    let scene = scene("drape", &[&format!("resolution={n}")]);
    assert_eq!((scene.frames(), scene.frames_per_second, scene.duration), (120, 60.0, 2.0));
    let simulation = Simulation::new(&scene).unwrap();
    let line = linspace(-0.5, 0.5, n);
    let positions: Vec<DVec3> =
        line.iter().flat_map(|&x| line.iter().map(move |&y| DVec3::new(x, y, 0.25 + 0.02))).collect();
    assert_same_cloth(&simulation, &positions, n, n);
    let model = simulation.model();
    assert!(model.pins.is_empty());
    let body = |name: &str| model.bodies.iter().find(|b| b.name == name && b.kind == BodyKind::Obstacle).unwrap();
    // The ball circumscribes a sphere of 0.25 m around the origin; no face cuts into it.
    for t in body("ball").triangles.clone() {
        let [a, b, c] = model.mesh.triangles[t].map(|v| model.mesh.positions[v as usize]);
        let normal = (b - a).cross(c - a).normalize();
        assert!(normal.dot(a) > 0.25 * (1.0 - 1e-12) && normal.dot(a) < 0.26);
    }
    assert!(body("ground").vertices.clone().all(|v| model.mesh.positions[v].z == -0.6));
}

#[test]
fn twist_is_the_benchmark_scene_to_the_bit_and_turns_both_edges_against_each_other() {
    for n in [12, 31] {
        let ny = n / 2;
        let scene = scene("twist", &[&format!("resolution={n}")]);
        assert_eq!((scene.frames(), scene.frames_per_second, scene.duration), (240, 60.0, 4.0));
        assert_eq!(scene.environment.gravity, DVec3::ZERO);
        let simulation = Simulation::new(&scene).unwrap();
        let (xs, ys) = (linspace(-0.5, 0.5, n), linspace(-0.25, 0.25, ny));
        let positions: Vec<DVec3> = xs.iter().flat_map(|&x| ys.iter().map(move |&y| DVec3::new(x, y, 0.0))).collect();
        assert_same_cloth(&simulation, &positions, n, ny);
        let pins = &simulation.model().pins;
        let pinned: Vec<u32> = pins.iter().flat_map(|p| p.vertices.clone()).collect();
        let expected: Vec<u32> = (0..ny).chain((n - 1) * ny..n * ny).map(|v| v as u32).collect();
        assert_eq!(pinned, expected);
        // 180 degrees per second about x: + on the left, − on the right.
        for time in [0.0, 0.37, 1.0, 2.5, 3.99, 4.0] {
            for pin in pins {
                for &v in &pin.vertices {
                    let p = positions[v as usize];
                    let angle = std::f64::consts::PI * time * if p.x < 0.0 { 1.0 } else { -1.0 };
                    let expected = DVec3::new(p.x, p.y * angle.cos(), p.y * angle.sin());
                    assert!((pin.target(p, time) - expected).length() < 1e-14, "vertex {v} at {time} s");
                }
            }
        }
    }
}
