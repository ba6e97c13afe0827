//! `muslin check` finds every fault of scenes, meshes and caches, in words and as JSON.

use serde_json::Value;
use std::{fs, path::Path, process::Command};

fn check(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_muslin")).arg("check").args(arguments).current_dir(folder).output();
    let output = output.expect("the command starts");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn clean_files_pass_and_faults_are_listed_with_their_elements() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("clean.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    // Triangle 1 stands across triangle 0; vertex 6 is lonely.
    write("crossing.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv .2 .2 -1\nv .3 .2 1\nv .2 .3 1\nv 9 9 9\nf 1 2 3\nf 4 5 6\n");
    let (code, text) = check(folder.path(), &["clean.obj", "hang"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("clean.obj: mesh (3 vertices, 1 triangle, 0 parts, 0 animations): no faults"), "{text}");
    assert!(text.contains("hang: scene (1 cloth, 0 obstacles,"), "{text}");
    let (code, text) = check(folder.path(), &["--json", "crossing.obj", "clean.obj"]);
    assert_eq!(code, 2);
    let verdicts: Value = serde_json::from_str(&text).unwrap();
    let faults = verdicts[0]["faults"].as_array().unwrap();
    let kinds: Vec<&str> = faults.iter().map(|f| f["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["isolated-vertex", "crossing-triangles"]);
    assert_eq!(faults[0]["elements"], serde_json::json!([6]));
    assert_eq!(faults[1]["elements"], serde_json::json!([0, 1]));
    assert_eq!(verdicts[1]["faults"], serde_json::json!([]));
}

#[test]
fn a_scene_whose_cloth_starts_inside_an_obstacle_is_found_without_running() {
    let folder = tempfile::tempdir().unwrap();
    let text = "duration = 1\n[[cloth]]\nshape = { kind = \"grid\", size = [1, 1], vertices = [4, 4] }\n\
                [[obstacle]]\nshape = { kind = \"sphere\", radius = 0.3, subdivisions = 1 }\n";
    fs::write(folder.path().join("inside.toml"), text).unwrap();
    fs::write(folder.path().join("broken.toml"), "duration = -1\ngravty = 1\n").unwrap();
    let (code, text) = check(folder.path(), &["inside.toml", "broken.toml", "none.pc2"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("of `cloth` and triangle") && text.contains("of `sphere` cross at"), "{text}");
    assert!(text.contains("no key `gravty`") && text.contains("`duration` must be"), "{text}");
    assert!(text.contains("none.pc2: cache: 1 fault"), "{text}");
}

#[test]
fn faults_that_only_cloth_has_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    // Two triangles that repeat the vertices of the edge between them, as a body does at its texture's seams.
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 4 6 5\n";
    fs::write(folder.path().join("body.obj"), text).unwrap();
    let (code, text) = check(folder.path(), &["body.obj"]);
    assert!(code == 2 && text.contains("2 of these faults matter for cloth only; `--obstacle`"), "{text}");
    assert_eq!(check(folder.path(), &["--obstacle", "body.obj"]).0, 0);
}

#[test]
fn a_skinned_body_is_judged_as_an_obstacle() {
    let body = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bodies/gltf/CesiumMan.glb");
    if !body.exists() {
        println!("skipped: the bodies of ../shared/data are absent");
        return;
    }
    let (code, text) = check(Path::new("."), &[&body.to_string_lossy()]);
    assert!(code == 0 && text.contains("bones move it, so it was judged as an obstacle"), "{text}");
}

#[test]
fn a_picture_on_the_cloth_is_told_from_a_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let sheet = |v: f64| {
        format!(
            "v 0 0 0\nv .8 0 0\nv .8 {v} 0\nv 0 {v} 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"
        )
    };
    fs::write(folder.path().join("picture.obj"), sheet(1.2)).unwrap();
    let (code, text) = check(folder.path(), &["picture.obj"]);
    assert!(code == 0 && text.contains("no pattern in metres") && text.contains("rest = \"pattern\""), "{text}");
}

#[test]
fn frames_of_a_run_are_judged_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    // A sheet that falls onto a standing box: nothing crosses at the start, much does later, as nothing stops it.
    let text = "duration = 0.5\nframes_per_second = 20\n[settings]\ncontact = { method = \"none\" }\n\
                [[cloth]]\nshape = { kind = \"grid\", size = [1, 1], vertices = [4, 4] }\ntranslation = [0, 0, 0.3]\n\
                [[obstacle]]\nname = \"block\"\nshape = { kind = \"box\", size = [0.5, 0.5, 0.4] }\n";
    fs::write(folder.path().join("fall.toml"), text).unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_muslin"));
    let run =
        run.args(["run", "fall.toml", "--out", "run", "--format", "npz,vtk,ply"]).current_dir(folder.path()).output();
    assert!(run.unwrap().status.success());
    for place in ["run", "run/frames.npz", "run/vtk/frames.pvd", "run/ply"] {
        let (code, text) = check(folder.path(), &["--json", place]);
        let verdicts: Value = serde_json::from_str(&text).unwrap();
        let faults = verdicts[0]["faults"].as_array().unwrap();
        assert_eq!((code, verdicts[0]["kind"].as_str()), (2, Some("frames")), "{place}");
        // At 9.81 m/s² the sheet is 0.1 m lower, at the upper side of the box, after 0.14 s: between frames 2 and 3.
        let frames: Vec<u64> = faults.iter().map(|f| f["frame"].as_u64().unwrap()).collect();
        assert!(frames[0] == 3 && frames.is_sorted(), "{place}: {frames:?}");
        assert!(faults.iter().all(|f| f["kind"] == "crossing-triangles" && f["place"].is_array()), "{place}");
    }
    let (_, text) = check(folder.path(), &["run"]);
    assert!(text.contains("frame 3: triangle") && text.contains("of `block` cross at"), "{text}");
}

#[test]
fn an_obstacle_may_be_what_a_cloth_may_not() {
    let folder = tempfile::tempdir().unwrap();
    // Three triangles on one edge, an isolated vertex, and a triangle across another.
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv .2 .2 -1\nv .3 .2 1\nv .2 .3 1\nv 9 9 9\n\
                f 1 2 3\nf 2 1 4\nf 1 2 5\nf 6 7 8\n";
    fs::write(folder.path().join("body.obj"), text).unwrap();
    let (code, text) = check(folder.path(), &["body.obj"]);
    assert!(code == 2 && text.contains("belongs to 3 triangles") && text.contains("cross at"), "{text}");
    let (code, text) = check(folder.path(), &["--obstacle", "body.obj"]);
    assert_eq!(code, 0, "{text}");
    // What has no area or no place cannot be touched.
    fs::write(folder.path().join("broken.obj"), "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n").unwrap();
    let (code, text) = check(folder.path(), &["--obstacle", "broken.obj"]);
    assert!(code == 2 && text.contains("has no area"), "{text}");
}

#[test]
fn a_cache_without_its_mesh_says_what_could_not_be_judged() {
    let folder = tempfile::tempdir().unwrap();
    // Two frames of one vertex.
    let mut bytes: Vec<u8> = [2u32, 1].iter().flat_map(|n| n.to_be_bytes()).collect();
    let numbers = [0.0f32, 0.5, 1.0, 2.0, 3.0, 1.0, 2.0, 4.0];
    bytes.extend(numbers.iter().flat_map(|x| x.to_be_bytes()));
    fs::write(folder.path().join("lone.mdd"), &bytes).unwrap();
    let (code, text) = check(folder.path(), &["lone.mdd"]);
    assert!(code == 0 && text.contains("cache (1 vertex, 2 frames): no faults"), "{text}");
    assert!(text.contains("nobody can say whether they cross or fit a mesh; put its mesh beside it"), "{text}");
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&f32::NAN.to_be_bytes());
    fs::write(folder.path().join("lone.mdd"), &bytes).unwrap();
    let (code, text) = check(folder.path(), &["lone.mdd"]);
    assert!(code == 2 && text.contains("vertex 0 of frame 1 is not finite"), "{text}");
}

#[test]
fn a_vertex_that_is_no_number_is_found_by_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("nan.obj"), "v 1 0 0\nv 3 0 0\nv nan 1 0\nf 1 2 3\n").unwrap();
    let (code, text) = check(folder.path(), &["nan.obj"]);
    let expected =
        "vertex 2 has the coordinates [NaN, 1, 0]; its neighbours are at (2.000000, 0.000000, 0.000000) m; correct it";
    assert!(code == 2 && text.contains(expected), "{text}");
}

#[test]
fn the_unit_that_is_advised_makes_the_mesh_as_large_as_people_are() {
    let folder = tempfile::tempdir().unwrap();
    for (height, unit, metres) in
        [(170.0, "cm", "1.70"), (1700.0, "mm", "1.70"), (250.0, "cm", "2.50"), (900.0, "mm", "0.90")]
    {
        let obj = format!("v 0 0 0\nv 50 0 0\nv 0 0 {height}\nf 1 2 3\n");
        fs::write(folder.path().join("tall.obj"), obj).unwrap();
        let (code, text) = check(folder.path(), &["tall.obj"]);
        assert!(code == 2 && text.contains(&format!("it would be {metres} m (`unit = \"{unit}\"`)")), "{text}");
    }
}

#[test]
fn the_faults_of_a_scenes_mesh_come_with_element_and_place() {
    let folder = tempfile::tempdir().unwrap();
    // Vertices 3 to 7 belong to no triangle.
    let lonely: String = (3..8).map(|k| format!("v {k} 2 0\n")).collect();
    let mesh = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{lonely}f 1 2 3\n");
    fs::write(folder.path().join("sheet.obj"), mesh).unwrap();
    let scene = "duration = 1\n[[cloth]]\nshape = { kind = \"file\", path = \"sheet.obj\" }\n";
    fs::write(folder.path().join("s.toml"), scene).unwrap();
    let (code, text) = check(folder.path(), &["--json", "s.toml"]);
    let verdicts: Value = serde_json::from_str(&text).unwrap();
    let faults = verdicts[0]["faults"].as_array().unwrap();
    let lonely: Vec<&Value> = faults.iter().filter(|f| f["kind"] == "isolated-vertex").collect();
    assert_eq!((code, lonely.len()), (2, 5), "{text}");
    for (k, fault) in lonely.iter().enumerate() {
        assert_eq!(fault["elements"], serde_json::json!([k + 3]), "{text}");
        assert_eq!(fault["place"], serde_json::json!([k as f64 + 3.0, 2.0, 0.0]), "{text}");
        let message = fault["message"].as_str().unwrap();
        assert!(message.starts_with("s.toml:3:") && !message.contains('\n'), "{message}");
        assert!(message.contains("`sheet.obj`: ") && fault["file"] == "sheet.obj", "{text}");
    }
}

#[test]
fn repeated_vertices_that_stay_together_are_no_crossing_and_those_that_part_are() {
    let folder = tempfile::tempdir().unwrap();
    // Two triangles that repeat the vertices of the edge between them; the second leaves by so much at frame 1.
    for (name, leaves) in [("together", 0.0), ("torn", 0.5)] {
        fs::create_dir(folder.path().join(name)).unwrap();
        for frame in 0..2 {
            let z = f64::from(frame);
            let other = z + leaves * z;
            let text = format!(
                "v 0 0 {z}\nv 1 0 {z}\nv 0 1 {z}\nv 1 0 {other}\nv 0 1 {other}\nv 1 1 {other}\nf 1 2 3\nf 4 6 5\n"
            );
            fs::write(folder.path().join(name).join(format!("cloth_{frame:04}.obj")), text).unwrap();
        }
    }
    let (code, text) = check(folder.path(), &["together"]);
    assert!(code == 0 && text.contains("no faults"), "{text}");
    let (code, text) = check(folder.path(), &["torn"]);
    assert!(code == 2 && text.contains("frame 0: ") && !text.contains("frame 1: "), "{text}");
}

#[test]
fn cloth_that_lies_on_itself_in_every_frame_is_told() {
    let folder = tempfile::tempdir().unwrap();
    // Two sheets of two triangles at the same place, with vertices of their own.
    let sheet = |z: usize| format!("v 0 0 {z}\nv 1 0 {z}\nv 1 1 {z}\nv 0 1 {z}\n");
    let faces = "f 1 2 3\nf 1 3 4\nf 5 6 7\nf 5 7 8\n";
    for frame in 0..2 {
        let text = format!("{0}{0}{faces}", sheet(frame));
        fs::write(folder.path().join(format!("cloth_{frame:04}.obj")), text).unwrap();
    }
    let (code, text) = check(folder.path(), &["--json", "."]);
    let verdicts: Value = serde_json::from_str(&text).unwrap();
    let faults = verdicts[0]["faults"].as_array().unwrap();
    let doubled: Vec<&Value> =
        faults.iter().filter(|f| f["kind"] == "duplicate-triangle").map(|f| &f["elements"]).collect();
    assert_eq!((code, doubled), (2, vec![&serde_json::json!([0, 2]), &serde_json::json!([1, 3])]), "{text}");
    assert!(faults[0]["message"].as_str().unwrap().contains("lie on each other in every frame"), "{text}");
}

#[test]
fn a_mesh_as_large_as_a_body_in_centimetres_is_doubted() {
    let folder = tempfile::tempdir().unwrap();
    for (height, doubted) in [(19.0, false), (72.0, true)] {
        fs::write(folder.path().join("body.obj"), format!("v 0 0 0\nv 5 0 0\nv 0 0 {height}\nf 1 2 3\n")).unwrap();
        let (code, text) = check(folder.path(), &["body.obj"]);
        assert_eq!((code, text.contains("in centimetres it would be 0.72 m")), (0, doubted), "{text}");
        for (unit, quiet) in [("", false), (", unit = \"m\"", true)] {
            let scene = format!("duration = 1\n[[cloth]]\nshape = {{ kind = \"file\", path = \"body.obj\"{unit} }}\n");
            fs::write(folder.path().join("s.toml"), scene).unwrap();
            let (code, text) = check(folder.path(), &["s.toml"]);
            assert_eq!((code, text.contains("`unit = \"cm\"`")), (0, doubted && !quiet), "{text}");
        }
    }
}

/// A layer with a triangle, and what stands in it and beside it.
fn layer(inside: &str, beside: &str) -> String {
    format!(
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n{beside}\ndef Mesh \"lift\"\n{{\n\
         \x20   int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0, 1, 2]\n\
         \x20   point3f[] points = [(0, 0, -1), (1, 0, -1), (0, 1, -1)]\n{inside}\
         \x20   uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}}\n"
    )
}

#[test]
fn a_run_warns_of_motion_in_a_layer_that_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let still = "    double3 xformOp:translate = (0, 0, 0.5)\n";
    let samples =
        "    double3 xformOp:translate.timeSamples = {\n        0: (0, 0, 0),\n        24: (0, 0, 1),\n    }\n";
    let same = "    double3 xformOp:translate.timeSamples = {\n        0: (0, 0, 2),\n        24: (0, 0, 2),\n    }\n";
    let camera =
        format!("def Camera \"c\"\n{{\n{samples}    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}}\n");
    let cases = [
        (layer(samples, ""), true),
        (layer(&format!("{still}{samples}"), ""), true),
        (layer(&format!("{still}{same}"), ""), false),
        (layer(still, &camera), false),
    ];
    let grid = "{ kind = \"grid\", size = [1, 1], vertices = [3, 3] }";
    let file = "{ kind = \"file\", path = \"lift.usda\" }";
    for (k, (layer, warned)) in cases.into_iter().enumerate() {
        fs::write(folder.path().join("lift.usda"), layer).unwrap();
        for (cloth, obstacle) in [(grid, format!("[[obstacle]]\nshape = {file}\n")), (file, String::new())] {
            let scene =
                format!("duration = 0.1\nsettings.contact.method = \"none\"\n[[cloth]]\nshape = {cloth}\n{obstacle}");
            fs::write(folder.path().join("s.toml"), scene).unwrap();
            let mut run = Command::new(env!("CARGO_BIN_EXE_muslin"));
            let run = run.args(["run", "s.toml", "--out", "run", "--frames", "1", "--overwrite"]);
            let run = run.current_dir(folder.path()).output().unwrap();
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            let report = fs::read(folder.path().join("run/report.json")).unwrap();
            let report: Value = serde_json::from_slice(&report).unwrap();
            let told =
                |w: &Value| w.as_str().is_some_and(|w| w.contains("`lift.usda`") && w.contains("over time of /"));
            let warnings = report["warnings"].as_array().unwrap();
            assert_eq!(warnings.iter().any(told), warned, "layer {k} as {cloth}: {warnings:?}");
        }
    }
}
