//! Packed files and the bound on what comes out of them.

use crate::mesh;
use flate2::{Compression, write::GzEncoder};
use muslin_io::{
    input::{ALWAYS_ALLOWED, Input, LARGEST_RATIO},
    meshes::{FaultKind, read_bytes},
};
use std::io::{BufRead, Read, Write};

const OBJ: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// `OBJ` packed by `xz -9`, whose dictionary is the largest that a preset asks for.
const OBJ_XZ: &[u8] = include_bytes!("triangle.obj.xz");

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn packed_files_are_told_by_their_content() {
    let plain = mesh("a.obj", OBJ);
    for name in ["a.obj.gz", "a.obj", "a"] {
        assert_eq!(mesh(name, &gzip(OBJ)), plain);
    }
    for name in ["a.obj.xz", "a.obj", "a"] {
        assert_eq!(mesh(name, OBJ_XZ), plain);
    }
}

#[test]
fn a_name_without_an_ending_is_told_by_its_first_line() {
    let commented = [b"# made by hand\n\n# in metres\n", OBJ].concat();
    for name in ["skirt", "skirt.xz", "skirt.gz", "skirt.dat"] {
        assert_eq!(mesh(name, &commented), mesh("a.obj", OBJ), "{name}");
        assert_eq!(mesh(name, &gzip(&commented)), mesh("a.obj", OBJ), "{name}");
    }
}

#[test]
fn what_is_no_mesh_is_told_what_it_is() {
    let said = |name: &str, bytes: &[u8]| read_bytes(name, bytes.to_vec()).expect_err(name).to_string();
    for (name, part) in [
        ("totals.csv", "a table of numbers"),
        ("totals.csv.gz", "a table of numbers"),
        ("run.npz", "made of frames"),
        ("body.fbx", "export it as glTF"),
        ("body.usdc", "export it as .usda"),
        ("body.xz", "neither its name nor its first bytes"),
    ] {
        let text = said(name, b"frame,time_s\n0,0\n");
        assert!(text.starts_with(name) && text.contains(part), "{text}");
    }
}

#[test]
fn several_gzip_members_are_one_file() {
    let (a, b) = OBJ.split_at(11);
    assert_eq!(mesh("a.obj", &[gzip(a), gzip(b)].concat()), mesh("a.obj", OBJ));
}

#[test]
fn damaged_packed_files_are_refused() {
    for packed in [gzip(OBJ), OBJ_XZ.to_vec()] {
        for end in 6..packed.len() - 1 {
            let fault = read_bytes("a.obj", packed[..end].to_vec()).expect_err("cut short");
            assert!(matches!(fault.kind, FaultKind::Unreadable | FaultKind::Truncated), "{end}: {fault}");
        }
        let mut damaged = packed.clone();
        let middle = packed.len() / 2;
        damaged[middle] ^= 0x55;
        assert!(read_bytes("a.obj", damaged).is_err());
    }
}

#[test]
fn a_packed_bomb_is_stopped_at_the_allowed_size() {
    let bomb = gzip(&vec![b'\n'; 64 << 20]);
    let allowed = (bomb.len() as u64 * LARGEST_RATIO).max(ALWAYS_ALLOWED);
    assert!(allowed < 64 << 20);
    let mut input = Input::from_bytes(bomb.clone()).expect("a packed file");
    let mut total = 0;
    let error = loop {
        match input.fill_buf().map(<[u8]>::len) {
            Ok(0) => panic!("the whole bomb came out"),
            Ok(count) => {
                total += count as u64;
                input.consume(count);
            }
            Err(error) => break error,
        }
    };
    assert_eq!(total, allowed);
    assert!(error.to_string().contains("more than 256 times its size"), "{error}");
    let fault = read_bytes("a.obj", bomb).expect_err("a bomb");
    assert_eq!(fault.kind, FaultKind::Unreadable);
}

#[test]
fn tables_of_numbers_open_line_by_line() {
    let mut input = Input::from_bytes(gzip(b"vertex,face\n1,2\n\n3,4")).expect("a packed file");
    let mut line = Vec::new();
    let mut lines = Vec::new();
    while input.next_line(&mut line).expect("text") {
        lines.push((input.line(), String::from_utf8_lossy(&line).into_owned()));
    }
    let expected = [(1, "vertex,face"), (2, "1,2"), (3, ""), (4, "3,4")].map(|(n, text)| (n, text.to_string()));
    assert_eq!(lines, expected);
    let mut text = String::new();
    Input::from_bytes(OBJ_XZ.to_vec()).expect("packed").read_to_string(&mut text).expect("text");
    assert_eq!(text.as_bytes(), OBJ);
}
