//! `muslin render` as a user meets it.

use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn muslin(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_muslin")).args(arguments).current_dir(folder).output().unwrap()
}

fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = muslin(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Width, height and bytes of a picture.
fn picture(path: PathBuf) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    (info.width, info.height, bytes)
}

const SCENE: [&str; 5] = ["swing", "--set", "resolution=8", "--set", "duration=0.5"];
const CAMERA: [&str; 2] = ["--camera", "1.5,-4,0.5:0,0,0"];

/// A recording of the scene.
fn record(folder: &Path) {
    succeeds(folder, &[&["run"], &SCENE[..], &["--out", "run", "--format", "npz"]].concat());
}

#[test]
fn a_scene_and_its_recording_give_the_same_picture() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    for colour in ["fabric", "strain", "curvature"] {
        let how = [&CAMERA[..], &["--frame", "20", "--size", "120x90", "--color-by", colour]].concat();
        succeeds(folder.path(), &[&["render", "run", "--out", "a.png"], &how[..]].concat());
        succeeds(folder.path(), &[&["render"], &SCENE[..], &["--out", "b.png"], &how[..]].concat());
        let (a, b) = (picture(folder.path().join("a.png")), picture(folder.path().join("b.png")));
        assert_eq!((a.0, a.1), (120, 90));
        assert!(a == b, "{colour}: the pictures differ");
    }
}

#[test]
fn contacts_of_a_recording_are_drawn_as_the_run_wrote_them() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let scene = ["drape", "--set", "resolution=10", "--set", "duration=0.5"];
    succeeds(here, &[&["run"], &scene[..], &["--out", "whole", "--format", "npz,vtk"]].concat());
    succeeds(here, &[&["run"], &scene[..], &["--out", "bare", "--format", "npz"]].concat());
    let draw = |what: &[&str], how: &[&str]| {
        succeeds(here, &[&["render"], what, &["--out", "a.png", "--size", "80x60"], &CAMERA, how].concat());
        picture(here.join("a.png"))
    };
    // The scene, simulated, is the reference; in a sheet every frame has the contacts of its own time.
    for how in [&["--color-by", "friction", "--frame", "28"][..], &["--color-by", "friction", "--sheet"]] {
        assert!(draw(&["whole"], how) == draw(&scene, how), "{how:?}: the pictures differ");
    }
    let fabric = draw(&["whole"], &["--frame", "28"]);
    for colour in ["gap", "friction", "strain", "shear", "curvature", "velocity"] {
        assert!(draw(&["whole"], &["--color-by", colour, "--frame", "28"]) != fabric, "{colour}");
    }
    for colour in ["gap", "friction"] {
        let output = muslin(here, &["render", "bare", "--color-by", colour]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("--format npz,vtk") && said.contains(colour), "{said}");
    }
}

#[test]
fn bends_that_stay_are_drawn_of_a_recording_as_of_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let scene = ["w-4-ball", "--set", "resolution=8", "--set", "duration=0.7"];
    succeeds(here, &[&["run"], &scene[..], &["--out", "whole", "--format", "npz,vtk"]].concat());
    succeeds(here, &[&["run"], &scene[..], &["--out", "bare", "--format", "npz"]].concat());
    let draw = |what: &[&str], colour: &str| {
        let how = ["--out", "a.png", "--size", "80x60", "--frame", "40", "--color-by", colour];
        succeeds(here, &[&["render"], what, &how, &CAMERA].concat());
        picture(here.join("a.png"))
    };
    assert!(draw(&["whole"], "residual") == draw(&scene, "residual"), "the pictures differ");
    assert!(draw(&["whole"], "residual") != draw(&["whole"], "fabric"));
    let output = muslin(here, &["render", "bare", "--color-by", "residual"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("--format npz,vtk") && said.contains("memory"), "{said}");
}

#[test]
fn colours_viewpoints_and_frames_change_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    let draw = |more: &[&str]| {
        succeeds(folder.path(), &[&["render", "run", "--out", "a.png", "--size", "80x60"], more].concat());
        picture(folder.path().join("a.png")).2
    };
    let pictures = [
        draw(&["--frame", "0"]),
        draw(&[]),
        draw(&["--color-by", "velocity"]),
        draw(&["--camera", "top"]),
        draw(&["--camera", "left"]),
        draw(&CAMERA),
    ];
    for (k, a) in pictures.iter().enumerate() {
        assert!(pictures[..k].iter().all(|b| a != b), "picture {k} is like another");
    }
}

/// Colours are compared with those of another picture, not with numbers: what lies beyond an end, and cloth that has nothing at all.
#[test]
fn a_range_gives_pictures_the_same_colours_and_ends_theirs_to_what_lies_beyond() {
    let folder = tempfile::tempdir().unwrap();
    // The cloth, and the lowest rows with the legend of a range.
    let draw = |frame: &str, range: Option<&str>| {
        let how = ["--out", "a.png", "--size", "80x60", "--color-by", "velocity", "--frame", frame];
        let chosen = range.map_or(vec![], |range| vec!["--color-range", range]);
        let said = succeeds(folder.path(), &[&["render"], &SCENE[..], &how, &CAMERA, &chosen[..]].concat());
        let mut bytes = picture(folder.path().join("a.png")).2;
        let legend = bytes.split_off(3 * 80 * 40);
        (said, bytes, legend)
    };
    // Without a wish each picture goes to a round number above its own largest, and has no legend.
    let (said, own, bare) = draw("20", None);
    let high = said.trim_end().rsplit_once(" to ").unwrap().1.strip_suffix(" m/s").expect("a unit").to_string();
    let (said, same, legend) = draw("20", Some(&format!("0,{high}")));
    assert!(same == own && said.ends_with(&format!("velocity from 0 to {high} m/s\n")), "{said}");
    let (_, wider, other) = draw("20", Some("0,50"));
    assert!(wider != own && legend != bare && other != legend);
    // At the start nothing moves: the colour of the lower end, whatever the upper one, and of any number below a range.
    let (said, still, _) = draw("0", None);
    assert!(said.ends_with("velocity from 0 to 0 m/s\n"), "{said}");
    assert!(draw("0", Some("0,3")).1 == still);
    let (said, below, _) = draw("0", Some("1.25,3"));
    assert!(below == still);
    assert!(said.contains("from 1.25 to 3 m/s; the cloth has 0.00e0 to 0.00e0"), "{said}");
    // The upper end, likewise: numbers above two ranges look the same, and not as the lower end does.
    let above = draw("0", Some("-9,-8")).1;
    assert!(above == draw("0", Some("-3,-0.5")).1 && above != still);
}

#[test]
fn a_sheet_has_eight_panels() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    succeeds(folder.path(), &["render", "run", "--sheet", "--size", "60x40"]);
    let (width, height, _) = picture(folder.path().join("run-sheet.png"));
    // Four in a row, two rows, three free pixels between them.
    assert_eq!((width, height), (4 * 60 + 3 * 3, 2 * 40 + 3));
}

#[test]
fn films_have_every_frame_as_fast_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    succeeds(folder.path(), &["render", "run", "--film", "a.gif", "--size", "64x48"]);
    succeeds(folder.path(), &["render", "run", "--film", "a.png", "--size", "64x48"]);
    // 31 frames at 60 per second are 16 at 30.
    let mut gif = gif::DecodeOptions::new().read_info(File::open(folder.path().join("a.gif")).unwrap()).unwrap();
    let (mut frames, mut hundredths) = (0, 0);
    while let Some(frame) = gif.read_next_frame().unwrap() {
        assert_eq!((frame.width, frame.height), (64, 48));
        frames += 1;
        hundredths += u32::from(frame.delay);
    }
    assert_eq!(frames, 16);
    assert!((f64::from(hundredths) / 100.0 - 16.0 / 30.0).abs() < 0.006, "{hundredths}");
    let reader =
        png::Decoder::new(BufReader::new(File::open(folder.path().join("a.png")).unwrap())).read_info().unwrap();
    assert_eq!(reader.info().animation_control.unwrap().num_frames, 16);
}

/// More pictures than the view of a recording is found from: the largest strain may lie between those.
#[test]
fn a_film_of_a_recording_has_the_same_colours_as_that_of_its_scene() {
    let folder = tempfile::tempdir().unwrap();
    let scene = ["swing", "--set", "resolution=6", "--set", "duration=1.7"];
    succeeds(folder.path(), &[&["run"], &scene[..], &["--out", "run", "--format", "npz"]].concat());
    let film = |what: &[&str], file: &str| {
        let how = ["--film", file, "--size", "48x36", "--color-by", "strain"];
        succeeds(folder.path(), &[&["render"], what, &how, &CAMERA].concat());
        std::fs::read(folder.path().join(file)).unwrap()
    };
    assert!(film(&["run"], "a.png") == film(&scene, "b.png"), "the films differ");
}

#[test]
fn an_mp4_is_what_ffprobe_says() {
    let folder = tempfile::tempdir().unwrap();
    let probe = Command::new("ffprobe").arg("-version").output();
    if !probe.is_ok_and(|output| output.status.success()) {
        println!("skipped: ffmpeg is not installed");
        return;
    }
    record(folder.path());
    succeeds(folder.path(), &["render", "run", "--film", "a.mp4", "--size", "65x48"]);
    let ask = "stream=codec_name,width,height,nb_read_frames,r_frame_rate";
    let output = Command::new("ffprobe")
        .args(["-v", "error", "-count_frames", "-show_entries", ask, "-of", "csv=p=0", "a.mp4"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    // An odd side gets one more row or column, because players want even ones.
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "h264,66,48,60/1,31");
}

#[test]
fn without_ffmpeg_a_film_is_a_gif_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    let output = Command::new(env!("CARGO_BIN_EXE_muslin"))
        .args(["render", "run", "--film", "a.mp4", "--size", "32x24"])
        .current_dir(folder.path())
        .env("PATH", "")
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("ffmpeg is not installed"));
    assert!(folder.path().join("a.gif").exists() && !folder.path().join("a.mp4").exists());
}

#[test]
fn wrong_wishes_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path());
    for (arguments, reason) in [
        (&["render", "run", "--frame", "31"][..], "frames 0 to 30"),
        (&["render", "run", "--film", "a.avi"], ".mp4, .gif or .png"),
        (&["render", "nothing"], "no built-in scene and no file"),
        (&["render", "run", "--color-by", "taste"], "curvature"),
        (&["render", "run", "--size", "0x5"], "1280x720"),
        (&["render", "run", "--color-by", "velocity", "--color-range", "2,1"], "the lower one first"),
        (&["render", "run", "--color-by", "velocity", "--color-range", "0"], "such as 0,0.5"),
        (&["render", "run", "--color-range", "0,1"], "--color-by"),
        (&["render", "run", "--frame", "1", "--sheet"], "cannot be used with"),
        (&["render", "run", "--camera", "0,0,0:0,0,0"], "stands on its target"),
    ] {
        let output = muslin(folder.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains(reason), "{arguments:?}: {message}");
    }
}
