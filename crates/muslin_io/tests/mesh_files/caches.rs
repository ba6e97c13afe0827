//! PC2 and MDD caches, and sequences of files.

use glam::DVec3;
use muslin_io::meshes::{
    FaultKind,
    caches::{read_cache_bytes, read_sequence},
};
use muslin_model::{Deformation, VertexFrames};

/// Two vertices, three frames; vertex 0 is at x = frame.
fn bytes(pc2: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    macro_rules! put {
        ($value:expr) => {
            bytes.extend(if pc2 { $value.to_le_bytes() } else { $value.to_be_bytes() })
        };
    }
    if pc2 {
        bytes.extend(b"POINTCACHE2\0");
        put!(1i32);
        put!(2i32);
        put!(5f32);
        put!(1f32);
        put!(3i32);
    } else {
        put!(3i32);
        put!(2i32);
        [0f32, 0.5, 1.0].iter().for_each(|t| put!(*t));
    }
    for frame in 0..3u8 {
        for x in [f32::from(frame), 0.25, -1.0, 0.1, 0.2, 0.3] {
            put!(x);
        }
    }
    bytes
}

fn x_at(frames: &VertexFrames, time: f64) -> f64 {
    let mut positions = [DVec3::ZERO; 2];
    frames.evaluate(time, &mut positions);
    assert_eq!(positions[1], [0.1f32, 0.2, 0.3].map(f64::from).into());
    positions[0].x
}

#[test]
fn caches_have_their_own_times() {
    let pc2 = read_cache_bytes("a.pc2", bytes(true), 2.0).unwrap();
    let mdd = read_cache_bytes("a.mdd", bytes(false), 99.0).unwrap();
    for frames in [pc2, mdd] {
        assert_eq!((frames.vertices(), frames.frames(), frames.duration()), (2, 3, 1.0));
        assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(|t| x_at(&frames, t)), [0.0, 0.5, 1.0, 1.5, 2.0]);
    }
}

#[test]
fn claims_and_truncations_are_refused() {
    for pc2 in [true, false] {
        let whole = bytes(pc2);
        for end in 0..whole.len() {
            assert!(read_cache_bytes("a", whole[..end].to_vec(), 24.0).is_err(), "{end}");
        }
        let mut claim = whole.clone();
        let at = if pc2 { 28 } else { 0 };
        claim[at..at + 4].copy_from_slice(&[0x7f; 4]);
        let fault = read_cache_bytes("a", claim, 24.0).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Truncated);
        assert!(fault.message.starts_with("the header claims 2139062143 frames of 2 vertices"), "{fault}");
    }
}

#[test]
fn a_sequence_is_sorted_by_number_and_must_keep_its_triangles() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, x: u32, face: &str| {
        std::fs::write(folder.path().join(name), format!("v {x} 0 0\nv 9 1 0\nv 9 0 1\nf {face}\n")).unwrap();
    };
    write("body_9.obj", 1, "1 2 3");
    write("body_10.obj", 2, "1 2 3");
    write("body_8.obj", 0, "1 2 3");
    write("body_old.obj", 7, "1 2 3");
    let pattern = folder.path().join("body_*.obj");
    let (mesh, frames) = read_sequence(&pattern, 10.0).unwrap();
    assert_eq!((mesh.triangles.len(), frames.frames()), (1, 3));
    let mut positions = [DVec3::ZERO; 3];
    frames.evaluate(0.15, &mut positions);
    assert!((positions[0].x - 1.5).abs() < 1e-12);
    write("body_11.obj", 3, "1 3 2");
    let fault = read_sequence(&pattern, 10.0).unwrap_err();
    assert!(fault.to_string().contains("body_11.obj: its triangles are not those of the first file"), "{fault}");
    assert!(read_sequence(&folder.path().join("none_*.obj"), 10.0).is_err());
}
