//! Wrong input to the real command: exit code, message, and no trace left behind.

mod common;

use common::muslin;
use std::{path::Path, process::Command};

/// Asserts that the command refuses with code 2, says all parts, prints nothing on standard output and writes
/// no results.
fn refuses(arguments: &[&str], parts: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    refuses_in(directory.path(), arguments, parts);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "{arguments:?} left something behind");
}

fn refuses_in(directory: &Path, arguments: &[&str], parts: &[&str]) {
    let output = muslin(directory, arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed on standard output");
    assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{arguments:?}: `{part}` is not in:\n{message}");
    }
}

#[test]
fn wrong_usage_is_refused() {
    refuses(&["run"], &["<SCENE>"]);
    refuses(&["rum", "hang"], &["unrecognized subcommand", "run"]);
    refuses(&["run", "hang", "--frame", "1"], &["--frames"]);
    refuses(&["run", "hang", "--frames", "0"], &["0 is not in 1.."]);
    refuses(&["run", "hang", "--frames", "-1"], &["-1"]);
    refuses(&["run", "hang", "--frames", "many"], &["many"]);
    refuses(&["run", "hang", "--threads", "0"], &["0 is not in 1..=1024"]);
    refuses(&["run", "hang", "--threads", "99999999"], &["1..=1024"]);
    refuses(&["run", "hang", "--format", "npx"], &["`npx` is not a format", "did you mean `npz`?"]);
    refuses(&["run", "hang", "--format", ""], &["is not a format"]);
    refuses(&["scenes", "hnag"], &["did you mean `hang`?"]);
}

#[test]
fn a_directory_without_frames_is_told_before_its_rate_is_asked_for() {
    refuses(&["convert", ".", "out", "--format", "obj"], &["`.`: it is empty; give a run's directory"]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "").unwrap();
    refuses_in(folder.path(), &["convert", ".", "out", "--format", "obj"], &["it holds no frames"]);
}

#[test]
fn what_is_no_scene_is_refused() {
    refuses(&["run", "drpe"], &["no built-in scene and no file `drpe`", "did you mean `drape`?"]);
    refuses(&["run", "absent.toml"], &["no file `absent.toml`"]);
    refuses(&["run", "."], &["not a file"]);
    refuses(&["run", ""], &["muslin scenes"]);
    #[cfg(unix)]
    refuses(&["run", "/dev/null"], &["not a file"]);
}

#[test]
fn wrong_values_are_refused_with_range_and_place() {
    let set = |value: &str, parts: &[&str]| refuses(&["run", "hang", "--json", "--set", value], parts);
    set("resolution=1", &["from 2 to 2000, found 1", "--set 'resolution=1':1:12", "^"]);
    set("resolution=1e12", &["found 1e12"]);
    set("resolution=nan", &["found NaN"]);
    set("resolutions=9", &["did you mean `resolution`?"]);
    set("step=-0.01", &["from 1e-9 to 10 [s], found -0.01", "used at hang.toml:"]);
    set("step=0", &["found 0"]);
    set("material=wovencotton", &["did you mean `woven-cotton`?"]);
    set("cloth.0.material.area_density=-2", &["greater than 0", "kg/m²"]);
    set("cloth.7.name=x", &["`cloth` has no entry `7`"]);
    set("duration=0", &["greater than 0"]);
    set("frames_per_second=inf", &["found inf"]);
    set("name=a/b", &["cannot be the name of a directory"]);
    set("settings.integrator=eulr", &["`backward-euler`", "found `eulr`"]);
}

#[test]
fn a_faulty_file_is_shown_with_its_line_and_a_mark() {
    let directory = tempfile::tempdir().unwrap();
    let text = "duration = 1\n\n[[cloth]]\nshape = { kind = \"grid\", size = [1, -1], vertices = [4, 4] }\nmaterail = \"woven-cotton\"\n";
    std::fs::write(directory.path().join("my scene.toml"), text).unwrap();
    let expected = [
        "error: `cloth.0.shape.size.1` must be from 1e-6 to 1e6 [m], found -1\n",
        " --> my scene.toml:4:37\n",
        "4 | shape = { kind = \"grid\", size = [1, -1], vertices = [4, 4] }\n",
        "  |                                     ^^\n",
        "error: `cloth.0` has no key `materail`\n",
        " --> my scene.toml:5:1\n",
        "  = help: did you mean `material`?\n",
    ];
    refuses_in(directory.path(), &["run", "my scene.toml"], &expected);
    std::fs::write(directory.path().join("broken.toml"), "duration = 1\n[[cloth\n").unwrap();
    refuses_in(directory.path(), &["run", "broken.toml"], &["not valid TOML", "broken.toml:2:8"]);
    std::fs::write(directory.path().join("binary.toml"), [0xff; 64]).unwrap();
    refuses_in(directory.path(), &["run", "binary.toml"], &["byte 0 is not UTF-8"]);
    assert!(!directory.path().join("runs").exists());
}

#[test]
fn a_scene_that_cannot_be_built_leaves_no_directory() {
    let directory = tempfile::tempdir().unwrap();
    let text = "duration = 1\n[[cloth]]\nshape = { kind = \"disc\", radius = 1, rings = 2 }\n[[cloth.pin]]\nbox = { low = [5, 5, 5], high = [6, 6, 6] }\n";
    std::fs::write(directory.path().join("scene.toml"), text).unwrap();
    refuses_in(directory.path(), &["run", "scene.toml"], &["scene.toml:5:7", "`cloth.0.pin.0.box` holds no vertex"]);
    assert!(!directory.path().join("runs").exists());
}

#[test]
fn a_file_where_a_directory_should_be_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("file"), "mine").unwrap();
    for out in ["file", "file/run"] {
        for more in [&[][..], &["--resume"], &["--overwrite"]] {
            let run = [&["run", "hang", "--set", "resolution=3", "--out", out], more].concat();
            refuses_in(directory.path(), &run, &["`file` is a file", "--out"]);
        }
    }
    assert_eq!(std::fs::read(directory.path().join("file")).unwrap(), b"mine");
}

#[test]
fn a_conversion_that_would_replace_something_is_refused_in_its_own_words() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let run = muslin(here, &["run", "hang", "--set", "resolution=3", "--frames", "2", "--out", "run"]);
    assert!(run.status.success());
    std::fs::write(here.join("there.glb"), "mine").unwrap();
    std::fs::create_dir_all(here.join("out/ply")).unwrap();
    for (out, there) in [
        (&["there.glb"][..], "`there.glb` is there already"),
        (&["out", "--format", "ply"], "`out/ply` is there already"),
    ] {
        let output = muslin(here, &[&["convert", "run"], out].concat());
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(there) && message.contains("OUT"), "{message}");
        assert!(!message.contains("--resume") && !message.contains("--overwrite"), "{message}");
    }
    assert_eq!(std::fs::read(here.join("there.glb")).unwrap(), b"mine");
    // A table is no frames; a conversion that fails leaves nothing behind.
    std::fs::write(here.join("totals.csv"), "frame,time_s\n0,0\n").unwrap();
    refuses_in(here, &["convert", "totals.csv", "new.glb"], &["a table of numbers"]);
    refuses_in(here, &["convert", "run", "new"], &["give `--format`"]);
    refuses_in(here, &["convert", "run", "new.glb", "--format", "ply"], &["`new.glb` is one gltf file"]);
    assert!(!here.join("new.glb").exists() && !here.join("new.glb.parts").exists() && !here.join("new").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn standard_output_without_room_is_a_failure() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_muslin")).args(["scenes", "--json"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
}
