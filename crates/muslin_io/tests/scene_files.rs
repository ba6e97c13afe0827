//! Scenes that take meshes, animations and maps from files beside them.

use glam::DVec3;
use muslin_io::load;
use muslin_model::{Field, Hold};
use muslin_sim::{Scene, Simulation};
use std::{fs, path::Path};

const SHEET: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float pin\nelement face 2\n\
property list uchar int vertex_indices\nproperty float weight\nend_header\n\
0 0 0 0 0 0 0\n100 0 0 255 0 0 0\n100 100 0 51 0 0 1\n0 100 0 0 0 0 0.75\n3 0 1 2 0.5\n3 0 2 3 0.25\n";

fn scene(folder: &Path, text: &str) -> Result<Scene, String> {
    let path = folder.join("scene.toml");
    fs::write(&path, format!("duration = 0.1\n{text}")).unwrap();
    load(&path.to_string_lossy(), &[]).map(|loaded| loaded.scene).map_err(|error| error.to_string())
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("meshes")).unwrap();
    fs::write(folder.path().join("meshes/sheet.ply"), SHEET).unwrap();
    folder
}

const CLOTH: &str = "[[cloth]]\nshape = { kind = \"file\", path = \"meshes/sheet.ply\", unit = \"cm\", up = \"y\" }\n";

#[test]
fn a_cloth_is_read_beside_its_scene_in_metres_with_z_up() {
    let folder = folder();
    let simulation = Simulation::new(&scene(folder.path(), CLOTH).unwrap()).unwrap();
    let model = simulation.model();
    assert_eq!(model.mesh.positions[2], DVec3::new(1.0, 0.0, 1.0));
    // 0.2 kg/m² of cotton on a square metre.
    assert!((model.masses.iter().sum::<f64>() - 0.2).abs() < 1e-15);
}

#[test]
fn maps_give_material_values_and_pins() {
    let folder = folder();
    let text = format!(
        "{CLOTH}[cloth.material]\nshear = {{ map = \"color.red\", from = 100, to = 200 }}\narea_density = {{ map = \"weight\" }}\n\
         [[cloth.pin]]\nmap = \"pin\"\nabove = 0.7\n"
    );
    let scene = scene(folder.path(), &text).unwrap();
    let cloth = &scene.cloths[0];
    assert_eq!(cloth.material.shear, Field::PerVertex(vec![100.0, 200.0, 120.0, 100.0]));
    assert_eq!(cloth.material.area_density, Field::PerFace(vec![0.5, 0.25]));
    let simulation = Simulation::new(&scene).unwrap();
    assert_eq!(simulation.model().pins[0].vertices, [2, 3]);
    assert!((simulation.model().masses.iter().sum::<f64>() - 0.375).abs() < 1e-15);
}

#[test]
fn a_map_gives_the_strength_of_soft_pins() {
    let folder = folder();
    let text = format!("{CLOTH}[[cloth.pin]]\nmap = \"color.red\"\nstiffness = 40\n");
    let simulation = Simulation::new(&scene(folder.path(), &text).unwrap()).unwrap();
    let pin = &simulation.model().pins[0];
    // Where the map is 0 there is no spring.
    assert_eq!(pin.vertices, [1, 2]);
    assert_eq!(pin.hold, Hold::Springs(vec![40.0, 40.0 * 0.2]));
    let text = format!("{CLOTH}[[cloth.pin]]\nvertices = [0, 3]\nstiffness = 40\n");
    let simulation = Simulation::new(&scene(folder.path(), &text).unwrap()).unwrap();
    assert_eq!(simulation.model().pins[0].hold, Hold::Springs(vec![40.0, 40.0]));
    let nothing = format!("{CLOTH}[[cloth.pin]]\nmap = \"pin\"\nabove = 9\nstiffness = 40\n");
    let message = scene(folder.path(), &nothing).unwrap_err();
    assert!(message.to_string().contains("none reaches 9, the largest is 1"), "{message}");
}

#[test]
fn repairs_that_were_made_are_told_and_others_are_not() {
    let folder = folder();
    let twice = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n";
    fs::write(folder.path().join("meshes/twice.obj"), twice).unwrap();
    let path = folder.path().join("repair.toml");
    let shape = "{ kind = \"file\", path = \"meshes/twice.obj\", repair = [\"merge-vertices\", \"flip-winding\"] }";
    fs::write(&path, format!("duration = 1\n[[cloth]]\nshape = {shape}\n")).unwrap();
    let loaded = muslin_io::load(&path.to_string_lossy(), &[]).unwrap();
    assert_eq!(loaded.warnings, ["`meshes/twice.obj` was repaired: 2 vertices merged with others"]);
}

#[test]
fn faults_of_files_and_maps_stand_at_their_place_in_the_scene() {
    let folder = folder();
    let big = SHEET.replace("100", "1000");
    fs::write(folder.path().join("meshes/big.ply"), big).unwrap();
    fs::write(folder.path().join("meshes/broken.obj"), "v 0 0 0\nf 1 2 x\n").unwrap();
    fs::write(folder.path().join("meshes/lonely.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 3 3 3\nf 1 2 3\n").unwrap();
    let file = |name: &str| format!("[[cloth]]\nshape = {{ kind = \"file\", path = \"meshes/{name}\" }}\n");
    let cases: [(String, &[&str]); 8] = [
        (file("none.obj"), &["scene.toml:3:", "cannot read it", "check the path; it is relative to the scene file"]),
        (file("broken.obj"), &["broken.obj:2: `x` is no index of `v`", "correct the index"]),
        (file("big.ply"), &["unit = \"mm\"", "write it into the scene"]),
        (file("lonely.obj"), &["vertex 3 belongs to no triangle at (3.000000", "repair = [\"remove-isolated\"]"]),
        (
            format!("{CLOTH}material = {{ shear = {{ map = \"color.hue\" }} }}\n"),
            &["no attribute `color.hue`", "`color.red`"],
        ),
        (format!("{CLOTH}material = {{ shear = {{ map = \"pin\", to = -1 }} }}\n"), &["shear.to` must be from 0"]),
        (format!("{CLOTH}material = {{ poisson = {{ map = \"pin\" }} }}\n"), &["its map gives 1 at vertex 2"]),
        (CLOTH.replace("unit", "parts = \"sleeve\", unit"), &["the file has no part `sleeve`", "it names no parts"]),
    ];
    for (text, parts) in cases {
        let message = scene(folder.path(), &text).expect_err(&text);
        parts.iter().for_each(|part| assert!(message.contains(part), "`{part}` is not in:\n{message}"));
    }
    let repaired = file("lonely.obj").replace(" }", ", repair = [\"remove-isolated\"] }");
    assert_eq!(Simulation::new(&scene(folder.path(), &repaired).unwrap()).unwrap().model().mesh.positions.len(), 3);
}

#[test]
fn a_sequence_moves_an_obstacle_between_its_frames_at_sub_steps() {
    let folder = folder();
    for frame in 0..3 {
        let text = format!("v {frame} 0 0\nv {frame} 1 0\nv {frame} 0 1\nf 1 2 3\n");
        fs::write(folder.path().join(format!("meshes/wall.{frame:04}.obj")), text).unwrap();
    }
    let text = format!(
        "frames_per_second = 50\n{CLOTH}[[obstacle]]\ntranslation = [0, 0, 5]\nshape = {{ kind = \"file\", path = \"meshes/wall.*.obj\", \
         frames_per_second = 10, lead_in = 0.02, after = \"loop\" }}\nkeyframes = [{{ time = 0 }}, {{ time = 1, translation = [0, 1, 0] }}]\n"
    );
    let scene = scene(folder.path(), &text).unwrap();
    let mut simulation = Simulation::new(&scene).unwrap();
    for frame in 1..=5 {
        let positions = simulation.next_frame().unwrap();
        let time = f64::from(frame) / 50.0;
        let expected = DVec3::new(10.0 * (time - 0.02f64).max(0.0), time, 5.0);
        assert!((positions[4] - expected).length() < 1e-12, "{time}: {} {expected}", positions[4]);
    }
    // Another motion is another scene.
    let faster = text.replace("frames_per_second = 10", "frames_per_second = 11");
    assert_ne!(scene.hash(), self::scene(folder.path(), &faster).unwrap().hash());
}

#[test]
fn a_sequence_without_one_of_its_frames_is_refused_and_one_of_every_second_frame_is_not() {
    let folder = folder();
    let text = "v 0 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
    let write = |number: &str| fs::write(folder.path().join(format!("meshes/wall.{number}.obj")), text).unwrap();
    let sequence = || {
        let shape = "{ kind = \"file\", path = \"meshes/wall.*.obj\", frames_per_second = 10 }";
        scene(folder.path(), &format!("{CLOTH}[[obstacle]]\ntranslation = [0, 0, 5]\nshape = {shape}\n"))
    };
    ["0010", "0012", "0014"].iter().for_each(|number| write(number));
    assert!(sequence().is_ok());
    write("0015");
    let error = sequence().unwrap_err();
    assert!(error.contains("no file has the number 11 between 10 and 12"), "{error}");
    assert!(error.contains("export it again, or number the files evenly"), "{error}");
    ["0011", "0013"].iter().for_each(|number| write(number));
    assert!(sequence().is_ok());
    write("13");
    let error = sequence().unwrap_err();
    assert!(error.contains("two files have the number 13"), "{error}");
}

#[test]
fn animations_that_do_not_exist_are_refused() {
    let folder = folder();
    let obstacle = |keys: &str| {
        let text = format!(
            "{CLOTH}[[obstacle]]\nshape = {{ kind = \"file\", path = \"meshes/sheet.ply\", unit = \"cm\", {keys} }}\n"
        );
        scene(folder.path(), &text).unwrap_err()
    };
    assert!(obstacle("animation = \"walk\"").contains("the file has no animation `walk`"));
    assert!(obstacle("animation = \"walk.pc2\"").contains("walk.pc2: cannot read it"));
    assert!(obstacle("lead_in = 1").contains("`lead_in` has no effect without an animation"));
    let mut cache = b"POINTCACHE2\0".to_vec();
    [1u32, 1].iter().for_each(|w| cache.extend(w.to_le_bytes()));
    [0f32, 1.0].iter().for_each(|w| cache.extend(w.to_le_bytes()));
    cache.extend(1u32.to_le_bytes());
    cache.extend([0; 12]);
    fs::write(folder.path().join("one.pc2"), cache).unwrap();
    assert!(obstacle("animation = \"one.pc2\"").contains("the animation moves 1 vertices, but the file has 4"));
}

#[test]
fn a_dancing_body_runs_as_an_obstacle() {
    let body =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bodies/makehuman/makehuman_body_cmu.glb");
    if !body.exists() {
        println!("skipped: ../shared/data/bodies is absent");
        return;
    }
    let folder = folder();
    fs::copy(body, folder.path().join("meshes/body.glb")).unwrap();
    let text = format!(
        "{CLOTH}translation = [2, 0, 0]\n[[obstacle]]\nshape = {{ kind = \"file\", path = \"meshes/body.glb\", animation = \"dance_cmu_05_05\", offset = 3 }}\n"
    );
    let mut simulation = Simulation::new(&scene(folder.path(), &text).unwrap()).unwrap();
    let start = simulation.model().mesh.positions.clone();
    let frame = simulation.next_frame().unwrap();
    let moved = start.iter().zip(&frame).skip(4).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    assert!((1e-4..0.2).contains(&moved), "{moved}");
    // y up became z up: the body stands 1.67 m tall on z = 0, and dances.
    let high = start[4..].iter().map(|p| p.z).fold(f64::MIN, f64::max);
    assert!((1.0..2.2).contains(&high), "{high}");
}
