//! `muslin collide` as users call it: answers, table, JSON, and what it says to faulty files.

use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn collide(arguments: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_muslin")).arg("collide").args(arguments).output();
    command.expect("the command can be started")
}

fn json(arguments: &[&str]) -> Vec<Value> {
    let output = collide(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    match serde_json::from_slice(&output.stdout) {
        Ok(Value::Array(rows)) => rows,
        other => panic!("no array: {other:?}"),
    }
}

/// A folder with small files.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// A triangle in the plane z = 0 and a second one that falls through it, corner first: the corner meets the face
    /// at 1/4 of the step, and its two sides meet nothing but the inside.
    fn falling(&self) -> [String; 2] {
        let frame = |drop: f64| {
            let corner = |x: f64, y: f64, z: f64| format!("v {x} {y} {}\n", z - drop);
            let fixed = "v -3 -3 0\nv 3 -3 0\nv 0 6 0\n".to_string();
            fixed + &corner(0.0, 0.0, 0.5) + &corner(0.5, 0.0, 1.5) + &corner(-0.5, 0.0, 1.5) + "f 1 2 3\nf 4 5 6\n"
        };
        [self.write("start.obj", &frame(0.0)), self.write("end.obj", &frame(2.0))]
    }
}

#[test]
fn a_corner_that_falls_through_a_triangle_is_found_by_every_method() {
    let files = Files::new();
    let [start, end] = files.falling();
    // Three vertices pass the face; no edges meet.
    let vf = files.write("vf.csv", "vertex,face,collides\n3,0,1\n4,0,1\n5,0,1\n0,1,0\n");
    let ee = files.write("ee.csv", "ea0,ea1,eb0,eb1,collides\n0,1,3,4,0\n");
    let vf_toi = files.write("vf_toi.csv", "index,toi,status\n0,0.25,ok\n1,0.75,ok\n2,0.75,ok\n3,,ok\n");
    let ee_toi = files.write("ee_toi.csv", "index,toi,status\n0,,ok\n");
    let known = ["--truth", &vf, &ee, "--toi", &vf_toi, &ee_toi];
    let rows =
        json(&[&[start.as_str(), end.as_str(), "--broad-phase", "all", "--threads", "1,2"], &known[..]].concat());
    let names: Vec<&str> = rows.iter().filter_map(|row| row["broad_phase"].as_str()).collect();
    assert!(names.contains(&"tree") && names.contains(&"brute-force") && names.len() == rows.len(), "{names:?}");
    for row in &rows {
        assert_eq!((&row["vf_contacts"], &row["ee_contacts"]), (&3.into(), &0.into()), "{row}");
        assert_eq!((&row["missed"], &row["late"]), (&0.into(), &0.into()), "{row}");
    }
    for pair in rows.chunks(2) {
        assert_eq!((&pair[0]["threads"], &pair[1]["threads"]), (&1.into(), &2.into()));
        for key in ["broad_phase", "vf_candidates", "ee_candidates", "tests"] {
            assert_eq!(pair[0][key], pair[1][key], "{key}");
        }
    }
}

#[test]
fn each_object_has_the_promised_keys_and_null_for_what_is_not_known() {
    let files = Files::new();
    let [start, end] = files.falling();
    let rows = json(&[&start, &end]);
    assert_eq!(rows.len(), 1);
    let mut keys: Vec<&str> = rows[0].as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let promised = "broad_ms broad_phase ee_candidates ee_contacts late missed narrow_ms tests threads total_ms \
                    vf_candidates vf_contacts";
    assert_eq!(keys.join(" "), promised);
    assert!(rows[0]["missed"].is_null() && rows[0]["late"].is_null(), "{}", rows[0]);
    assert!(rows[0]["total_ms"].as_f64().unwrap() > 0.0, "{}", rows[0]);
    // Known pairs without times.
    let vf = files.write("vf.csv", "vertex,face,collides\n3,0,1\n");
    let ee = files.write("ee.csv", "ea0,ea1,eb0,eb1,collides\n");
    let rows = json(&[&start, &end, "--truth", &vf, &ee]);
    assert_eq!((&rows[0]["missed"], &rows[0]["late"]), (&0.into(), &Value::Null));
}

#[test]
fn what_is_missed_or_late_is_counted_and_ends_with_code_3() {
    let files = Files::new();
    let [start, end] = files.falling();
    // Two pairs that do not collide, claimed to; one that collides at 1/4, claimed to do so before.
    let vf = files.write("vf.csv", "vertex,face,collides\n3,0,1\n0,1,1\n");
    let ee = files.write("ee.csv", "ea0,ea1,eb0,eb1,collides\n4,3,1,0,1\n");
    let vf_toi = files.write("vf_toi.csv", "index,toi\n0,0.125\n");
    let ee_toi = files.write("ee_toi.csv", "index,toi\n");
    let output = collide(&[&start, &end, "--truth", &vf, &ee, "--toi", &vf_toi, &ee_toi, "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&rows[0]["missed"], &rows[0]["late"]), (&2.into(), &1.into()));
    // The table says the same, and that two of the three pairs have no time.
    let output = collide(&[&start, &end, "--truth", &vf, &ee, "--toi", &vf_toi, &ee_toi]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("2 pairs that collide have no time"), "{said}");
    let text = String::from_utf8(output.stdout).unwrap();
    let last: Vec<&str> = text.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(last[last.len() - 2..], ["2", "1"], "{text}");
    assert!(text.contains("memory MB") && text.contains("6 vertices, 6 edges, 2 triangles"), "{text}");
}

/// Asserts that the command refuses with code 2 and says all parts.
fn refuses(arguments: &[&str], parts: &[&str]) {
    let output = collide(arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(output.stdout.is_empty() && !message.contains("panicked"), "{arguments:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{arguments:?}: `{part}` is not in:\n{message}");
    }
}

#[test]
fn frames_that_are_not_of_one_mesh_are_refused_with_the_first_difference() {
    let files = Files::new();
    let [start, end] = files.falling();
    let few = files.write("few.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    refuses(&[&start, &few], &["start.obj has 6 vertices", "few.obj has 3"]);
    let six = "v 0 0 0\n".repeat(6);
    let one = files.write("one.obj", &format!("{six}f 1 2 3\n"));
    refuses(&[&start, &one], &["start.obj has 2 triangles", "one.obj has 1"]);
    let other = files.write("other.obj", &format!("{six}f 1 2 3\nf 5 4 6\n"));
    refuses(&[&start, &other], &["triangle 1 has the vertices [3, 4, 5]", "[4, 3, 5]"]);
    let nan = std::fs::read_to_string(&end).unwrap().replacen("v 0 6 0", "v 0 nan 0", 1);
    let nan = files.write("nan.obj", &nan);
    refuses(&[&start, &nan], &["nan.obj", "NaN"]);
    let huge = std::fs::read_to_string(&end).unwrap().replacen("v 0 6 0", "v 0 1e200 0", 1);
    let huge = files.write("huge.obj", &huge);
    refuses(&[&start, &huge], &["huge.obj", "vertex 2", "finite and below 1e100"]);
    let cut = files.write("cut.obj", "v 0 0\n");
    refuses(&[&cut, &end], &["cut.obj:1"]);
    refuses(&["absent.ply", &end], &["absent.ply", "cannot read it"]);
    let points = files.write("points.obj", &six);
    refuses(&[&points, &points], &["no triangles"]);
    let twice = files.write("twice.obj", &format!("{six}f 1 2 3\nf 4 4 6\n"));
    refuses(&[&twice, &twice], &["triangle"]);
}

#[test]
fn faulty_tables_are_refused_with_their_line() {
    let files = Files::new();
    let [start, end] = files.falling();
    let ee = files.write("ee.csv", "ea0,ea1,eb0,eb1,collides\n0,1,3,4,0\n");
    let faults = [
        ("vertex,face,collides\n3,0,1\n3,7,1\n", "vf.csv:3: face 7 does not exist; the mesh has 2 triangles"),
        ("vertex,face,collides\n9,0,1\n", "vf.csv:2: vertex 9 does not exist"),
        ("vertex,face,collides\n0,0,1\n", "vf.csv:2: vertex 0 is a corner of face 0"),
        ("vertex,face,collides\n3,0\n", "vf.csv:2: the row has too few columns"),
        ("vertex,face,collides\n3,0,yes\n", "`yes` in column `collides` is neither 0 nor 1"),
        ("vertex,face,collides\n-3,0,1\n", "`-3` in column `vertex` is no index"),
        ("vertex,triangle\n", "vf.csv:1: there is no column `face`; needed are vertex, face, collides"),
        ("", "vf.csv: it is empty"),
    ];
    for (table, message) in faults {
        let vf = files.write("vf.csv", table);
        refuses(&[&start, &end, "--truth", &vf, &ee], &[message]);
    }
    let vf = files.write("vf.csv", "vertex,face,collides\n3,0,1\n");
    let no_edge = files.write("no_edge.csv", "ea0,ea1,eb0,eb1,collides\n0,4,3,4,0\n");
    refuses(&[&start, &end, "--truth", &vf, &no_edge], &["no_edge.csv:2", "no edge between the vertices 0 and 4"]);
    let toi = files.write("toi.csv", "index,toi\n5,0.5\n");
    refuses(&[&start, &end, "--truth", &vf, &ee, "--toi", &toi, &toi], &["toi.csv:2: row 5 does not exist"]);
    let toi = files.write("toi.csv", "index,toi\n0,1.5\n");
    refuses(&[&start, &end, "--truth", &vf, &ee, "--toi", &toi, &toi], &["toi.csv:2", "not between 0 and 1"]);
    refuses(&[&start, &end, "--toi", &toi, &toi], &["--truth"]);
    refuses(&[&start, &end, "--truth", &vf], &["2 values required"]);
    refuses(&[&start, &end, "--broad-phase", "gird"], &["there is no broad phase `gird`", "grid", "all"]);
    refuses(&[&start, &end, "--threads", "1,0"], &["0 is not in 1..=1024"]);
}

/// The public scenes with exact answers, if they are there.
fn scene(folder: &str, files: &[&str]) -> Option<Vec<String>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ccd-scalable").join(folder);
    let paths: Vec<PathBuf> = files.iter().map(|file| data.join(file)).collect();
    if let Some(absent) = paths.iter().find(|path| !path.exists()) {
        println!("skipped: {} is absent", absent.display());
        return None;
    }
    Some(paths.iter().map(|path| path.display().to_string()).collect())
}

fn nothing_is_missed(folder: &str, names: [&str; 2], number: &str, contacts: [u64; 2]) {
    let tables = ["vf_truth", "ee_truth", "vf_toi", "ee_toi"].map(|table| format!("{number}{table}.csv.xz"));
    let files = [&names[..], &tables.each_ref().map(String::as_str)[..]].concat();
    let Some(files) = scene(folder, &files) else { return };
    let [start, end, vf, ee, vf_toi, ee_toi] = std::array::from_fn(|k| files[k].as_str());
    let rows = json(&[start, end, "--truth", vf, ee, "--toi", vf_toi, ee_toi, "--threads", "1,2"]);
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!((&row["missed"], &row["late"]), (&0.into(), &0.into()), "{row}");
        // As many as the lists say collide. Those of the funnel and the rods are complete: one more would be false.
        assert_eq!([row["vf_contacts"].as_u64(), row["ee_contacts"].as_u64()], contacts.map(Some), "{row}");
    }
}

#[test]
fn cloth_funnel_is_found_as_exact_arithmetic_says() {
    nothing_is_missed("cloth-funnel", ["227.ply.xz", "228.ply.xz"], "227", [27, 107]);
}

#[test]
fn cloth_ball_is_found_as_exact_arithmetic_says() {
    nothing_is_missed("cloth-ball", ["cloth_ball92.ply.xz", "cloth_ball93.ply.xz"], "92", [19_032, 94_822]);
}

#[test]
fn rod_twist_is_found_as_exact_arithmetic_says() {
    nothing_is_missed("rod-twist", ["3036.ply.xz", "3037.ply.xz"], "3036", [765, 4179]);
}
