//! `muslin convert` and `muslin check` on the frames of a run: what its report tells, and what is missing.

mod common;

use common::muslin;
use std::{fs, path::Path};

fn succeeds(directory: &Path, arguments: &[&str]) {
    let output = muslin(directory, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Asserts that the command fails with a code and says all parts.
fn fails(directory: &Path, arguments: &[&str], parts: &[&str]) {
    let output = muslin(directory, arguments);
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {:?} {told}", output.status);
    parts.iter().for_each(|part| assert!(told.contains(part), "{arguments:?}: `{part}` is not in:\n{told}"));
}

/// A short run, four frames and the start at 24 per second.
fn run(directory: &Path, formats: &str) {
    let set = ["--set", "resolution=4", "--set", "frames_per_second=24"];
    succeeds(directory, &[&["run", "hang", "--frames", "4", "--format", formats, "--out", "run"], &set[..]].concat());
    // These tests are about what the files themselves tell; the list of checksums would tell it first.
    fs::remove_file(directory.join("run/checksums.sfv")).unwrap();
}

#[test]
fn the_rate_of_a_run_is_read_from_its_report() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    run(here, "ply,pc2");
    for (k, input) in ["run", "run/ply", "run/pc2", "run/pc2/sheet.pc2"].into_iter().enumerate() {
        let out = format!("{k}.usda");
        succeeds(here, &["convert", input, &out]);
        let layer = fs::read_to_string(here.join(out)).unwrap();
        assert!(layer.contains("timeCodesPerSecond = 24\n"), "{input}: {}", &layer[..300]);
    }
    // Whoever says another rate is right.
    succeeds(here, &["convert", "run", "told.usda", "--fps", "30"]);
    assert!(fs::read_to_string(here.join("told.usda")).unwrap().contains("timeCodesPerSecond = 30\n"));
    // A report elsewhere is not about these files.
    fs::rename(here.join("run/ply"), here.join("run/else")).unwrap();
    fails(here, &["convert", "run/else", "other.usda"], &["give `--fps`"]);
}

#[test]
fn a_frame_that_is_missing_is_told_by_its_number() {
    for format in ["ply", "obj"] {
        let place = tempfile::tempdir().unwrap();
        let here = place.path();
        run(here, format);
        let file = |number: usize| here.join(format!("run/{format}/cloth_{number:04}.{format}"));
        succeeds(here, &["check", "run"]);
        fs::rename(file(2), here.join("away")).unwrap();
        for input in ["run".to_string(), format!("run/{format}")] {
            let told = "no file has the number 2 between 1 and 3";
            fails(here, &["convert", &input, "out.glb"], &[told]);
            fails(here, &["check", &input], &[told]);
        }
        fs::rename(here.join("away"), file(2)).unwrap();
        fs::copy(file(3), here.join(format!("run/{format}/cloth_3.{format}"))).unwrap();
        fails(here, &["convert", "run", "out.glb"], &["two files have the number 3"]);
        fs::remove_file(here.join(format!("run/{format}/cloth_3.{format}"))).unwrap();
        // Nothing follows the last frame; only the report tells.
        fs::remove_file(file(4)).unwrap();
        fails(here, &["check", "run"], &["the run wrote frames 0 to 4, the last one here is 3"]);
        assert!(!here.join("out.glb").exists());
    }
}

#[test]
fn an_entry_that_is_missing_from_a_list_is_told() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    run(here, "vtk");
    let list = here.join("run/vtk/frames.pvd");
    let whole = fs::read_to_string(&list).unwrap();
    let kept: Vec<&str> = whole.lines().filter(|line| !line.contains("cloth_0002.vtp")).collect();
    fs::write(&list, kept.join("\n")).unwrap();
    fails(here, &["convert", "run", "out.glb"], &["frame 2 is at 0.125 s", "not evenly spaced"]);
    fails(here, &["check", "run"], &["frame 2 is at 0.125 s"]);
    fs::write(&list, whole).unwrap();
    succeeds(here, &["convert", "run", "out.glb"]);
    // Cut between two lines: all that is left is good.
    let whole = fs::read_to_string(&list).unwrap();
    fs::write(&list, whole.split_inclusive('\n').take(6).collect::<String>()).unwrap();
    fails(here, &["check", "run"], &["frames.pvd`: it is cut off"]);
    fs::write(&list, whole).unwrap();
    let frame = here.join("run/vtk/cloth_0003.vtp");
    let bytes = fs::read(&frame).unwrap();
    fs::write(&frame, &bytes[..bytes.len() - 5]).unwrap();
    fails(here, &["check", "run"], &["cloth_0003.vtp`: it is cut off"]);
    fs::write(&frame, bytes).unwrap();
    fs::remove_file(here.join("run/vtk/cloth_0002.vtp")).unwrap();
    fails(here, &["check", "run"], &["cannot read", "cloth_0002.vtp"]);
}

#[test]
fn json_that_is_no_gltf_is_told_as_that() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    run(here, "none");
    fs::write(here.join("table.gltf"), "{\"rows\": [1, 2]}").unwrap();
    for file in ["run/report.json", "table.gltf"] {
        fails(here, &["check", file], &["this is JSON, but no glTF", "give a mesh file"]);
        fails(here, &["convert", file, "out.glb"], &["this is JSON, but no glTF"]);
    }
    fs::write(here.join("cut.gltf"), "{\"asset\": {").unwrap();
    fails(here, &["check", "cut.gltf"], &["the glTF document is not valid"]);
}

#[test]
fn one_file_of_any_format_is_made_where_one_can_hold_everything() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    run(here, "npz");
    for out in ["a.npz", "b.mdd", "c.pc2", "d.usda", "e.glb", "f.csv"] {
        succeeds(here, &["convert", "run", out]);
        assert!(here.join(out).is_file(), "{out}");
        if out != "f.csv" {
            succeeds(here, &["convert", out, &format!("{out}.usda"), "--fps", "24"]);
            succeeds(here, &["check", out]);
        }
    }
    // The archive loses nothing: it is the same again.
    assert!(fs::read(here.join("a.npz")).unwrap() == fs::read(here.join("run/frames.npz")).unwrap());
    assert!(here.join("b.obj").is_file(), "a cache needs its mesh");
    // A mesh file is one frame.
    fails(here, &["convert", "run", "g.ply"], &["`g.ply` cannot hold all of it: it holds one frame, and there are 5"]);
    fs::create_dir(here.join("still")).unwrap();
    fs::copy(here.join("b.obj"), here.join("still/cloth_0000.obj")).unwrap();
    for out in ["g.ply", "h.obj", "i.npz"] {
        succeeds(here, &["convert", "still", out, "--fps", "24"]);
        succeeds(here, &["check", out]);
    }
    fails(here, &["convert", "run", "a.npz"], &["`a.npz` is there already"]);
    fails(here, &["convert", "run", "h.mdd"], &["`h.obj` is there already"]);
    assert!(!here.join("g.ply.parts").exists() && !here.join("h.mdd").exists());
}

#[test]
fn bodies_that_a_format_keeps_apart_stand_beside_the_file_that_was_named() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    // The ball begins to turn after 0.8 s.
    let set = ["--set", "resolution=6", "--set", "frames_per_second=3"];
    succeeds(here, &[&["run", "rotating-ball", "--frames", "3", "--out", "run"], &set[..]].concat());
    let archive = |name: &str| fs::read(here.join(name)).unwrap();
    for (out, beside) in [
        ("a.npz", &["a.obstacles.npz"][..]),
        ("b.pc2", &["b.obj", "b.obstacle-ball.pc2", "b.obstacle-ball.obj"]),
        ("c.mdd", &["c.obj", "c.obstacle-ball.mdd", "c.obstacle-ball.obj"]),
    ] {
        let output = muslin(here, &["convert", "run", out]);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{out}: {}", String::from_utf8_lossy(&output.stderr));
        for file in [out].iter().chain(beside) {
            assert!(here.join(file).is_file() && told.contains(file), "{file}: {told}");
        }
        // Whoever reads the file finds the others: all bodies come back, the ball as an obstacle that moves, the floor as one
        // that does not.
        let again = format!("again-{}", &out[..1]);
        succeeds(here, &["convert", out, &again, "--format", "npz,usd", "--fps", "60"]);
        let layer = fs::read_to_string(here.join(&again).join("frames.usda")).unwrap();
        assert_eq!(layer.matches("def Mesh").count(), 3, "{out}");
        assert_eq!(layer.matches("muslin:kind = \"obstacle\"").count(), 2, "{out}");
        assert_eq!(layer.matches("points.timeSamples").count(), 2, "{out}");
        succeeds(here, &["check", out]);
        // What is there already is told before anything is written.
        fs::remove_file(here.join(out)).unwrap();
        fails(here, &["convert", "run", out], &[beside[0], "is there already"]);
        assert!(!here.join(out).exists(), "{out}");
    }
    assert!(archive("again-a/frames.npz") == archive("run/frames.npz"));
    assert!(archive("again-a/obstacles.npz") == archive("run/obstacles.npz"));
    // A mesh is of one frame; a ball that stands still has no cache.
    succeeds(here, &["run", "drape", "--frames", "2", "--set", "resolution=6", "--out", "drape"]);
    succeeds(here, &["convert", "drape", "d.pc2"]);
    assert!(here.join("d.obstacle-ball.obj").is_file() && !here.join("d.obstacle-ball.pc2").exists());
    fails(here, &["convert", "run", "e.obj"], &["it holds one frame, and there are 4"]);
}

#[test]
fn frames_that_are_not_as_their_run_wrote_them_are_not_converted() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    for (format, file, input) in [
        ("ply", "ply/cloth_0003.ply", "run"),
        ("obj", "obj/cloth_0000.obj", "run/obj"),
        ("vtk", "vtk/cloth_0002.vtp", "run/vtk/frames.pvd"),
        ("mdd", "mdd/sheet.mdd", "run"),
        ("usd", "frames.usda", "run/frames.usda"),
        ("gltf", "frames.glb", "run"),
    ] {
        succeeds(
            here,
            &[
                "run",
                "hang",
                "--frames",
                "4",
                "--set",
                "resolution=4",
                "--out",
                "run",
                "--format",
                format,
                "--overwrite",
            ],
        );
        let path = here.join("run").join(file);
        let whole = fs::read(&path).unwrap();
        let mut bytes = whole.clone();
        let middle = whole.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let told = [file, "its checksum is", "or remove `run/checksums.sfv` if it was changed on purpose"];
        fails(here, &["convert", input, "out.npz"], &told);
        assert!(!here.join("out.npz").exists() && fs::read_dir(here).unwrap().count() == 1, "nothing is left");
        fs::write(&path, whole).unwrap();
        succeeds(here, &["convert", input, "out.npz"]);
        fs::remove_file(here.join("out.npz")).unwrap();
    }
    // From within the run too.
    succeeds(
        here,
        &["run", "hang", "--frames", "4", "--set", "resolution=4", "--out", "run", "--format", "vtk", "--overwrite"],
    );
    let inside = here.join("run/vtk");
    fs::write(inside.join("cloth_0001.vtp"), "").unwrap();
    fails(&inside, &["check", "frames.pvd"], &["cloth_0001.vtp", "its checksum is 00000000"]);
}

#[test]
fn a_single_file_is_put_together_without_touching_what_stands_beside_it() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    run(here, "npz");
    for name in ["a.npz.parts", "a.npz.parts-1"] {
        fs::create_dir(here.join(name)).unwrap();
        fs::write(here.join(name).join("mine.npz"), "a week of work").unwrap();
    }
    succeeds(here, &["convert", "run", "a.npz"]);
    succeeds(here, &["convert", "run", "deep/er/B.NPZ"]);
    for name in ["a.npz.parts/mine.npz", "a.npz.parts-1/mine.npz"] {
        assert_eq!(fs::read_to_string(here.join(name)).unwrap(), "a week of work");
    }
    assert!(fs::read(here.join("a.npz")).unwrap() == fs::read(here.join("deep/er/B.NPZ")).unwrap());
    assert_eq!(fs::read_dir(here).unwrap().count(), 5);
    // Obstacles of a run do not belong to another archive that stands beside them.
    succeeds(here, &["run", "drape", "--frames", "2", "--set", "resolution=6", "--out", "drape"]);
    fs::copy(here.join("a.npz"), here.join("drape/other.npz")).unwrap();
    succeeds(here, &["convert", "drape/other.npz", "other.glb"]);
    let told = muslin(here, &["check", "drape/other.npz"]);
    assert!(String::from_utf8_lossy(&told.stdout).contains("1 body, 16 vertices"), "{told:?}");
}

#[test]
fn a_mesh_of_a_sequence_that_is_cut_off_among_its_faces_is_told() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    run(here, "obj");
    let file = here.join("run/obj/cloth_0003.obj");
    let text = fs::read_to_string(&file).unwrap();
    let last = text.trim_end().rfind('\n').unwrap();
    fs::write(&file, &text[..last + 1]).unwrap();
    let told = ["cloth_0003.obj", "17 triangles, the first file of the sequence 18", "write it again"];
    fails(here, &["convert", "run", "out.glb"], &told);
    fails(here, &["check", "run"], &told);
}
