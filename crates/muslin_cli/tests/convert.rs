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
