//! Frames that were written in a format are found again where they were.

use super::motion::{cast, positions, write};
use glam::DVec3;
use muslin_io::{
    output::Format,
    recording::{self, Hints, RecordingError},
};
use muslin_model::BodyKind;

const FRAMES: usize = 10;

/// Half a unit in the last place of single precision, at 4 m and with text read in double precision [m].
const SINGLE: f64 = 4.0 / (1 << 23) as f64;

/// Where to open a format, whether it must be told the rate, and how exact it is [m].
const SOURCES: [(Format, &str, bool, f64); 7] = [
    (Format::Npz, "", false, 0.0),
    (Format::Npz, "frames.npz", false, 0.0),
    (Format::Vtk, "vtk/frames.pvd", false, 0.0),
    (Format::Ply, "ply", true, SINGLE),
    (Format::Obj, "obj", true, SINGLE),
    (Format::Pc2, "pc2", true, SINGLE),
    (Format::Mdd, "mdd", false, SINGLE),
];

fn apart(found: &[DVec3], expected: &[DVec3]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(a, b)| (*a - *b).abs().max_element()).fold(0.0, f64::max)
}

#[test]
fn every_format_gives_back_positions_rate_triangles_and_material_coordinates() {
    for ((format, place, told, tolerance), moves) in SOURCES.iter().flat_map(|s| [(*s, true), (*s, false)]) {
        let (directory, cast) = (tempfile::tempdir().unwrap(), cast(moves));
        write(directory.path(), &[format], &cast, FRAMES);
        let hints = Hints { frames_per_second: told.then_some(24.0) };
        let mut found = recording::open(&directory.path().join(place), &hints).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((found.cast().frames, found.cast().frames_per_second), (FRAMES - 1, 24.0), "{format:?}");
        assert_eq!(found.cast().mesh.triangles, cast.mesh.triangles, "{format:?}");
        let flat = |uv: &[[glam::DVec2; 3]]| uv.iter().flatten().map(|p| p.extend(0.0)).collect::<Vec<_>>();
        assert!(apart(&flat(&found.cast().mesh.uv), &flat(&cast.mesh.uv)) <= SINGLE, "{format:?}");
        let obstacles = |bodies: &[muslin_model::Body]| {
            bodies.iter().filter(|b| b.kind == BodyKind::Obstacle).map(|b| b.vertices.clone()).collect::<Vec<_>>()
        };
        assert_eq!(obstacles(&found.cast().bodies), obstacles(&cast.bodies), "{format:?}");
        assert_eq!(found.cast().moving.last(), Some(&moves), "{format:?}: whether the obstacle moves");
        let mut now = Vec::new();
        for k in [0, 4, FRAMES - 1] {
            found.read(k, &mut now).unwrap();
            let distance = apart(&now, &positions(&cast, k));
            assert!(distance <= tolerance, "{format:?}: frame {k} is {distance} m away");
        }
    }
}

#[test]
fn archives_caches_and_objects_keep_the_names_of_bodies() {
    for (format, place) in [(Format::Npz, ""), (Format::Mdd, "mdd"), (Format::Obj, "obj")] {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), &[format], &cast(true), 3);
        let hints = Hints { frames_per_second: Some(24.0) };
        let found = recording::open(&directory.path().join(place), &hints).unwrap_or_else(|e| panic!("{e}"));
        let names: Vec<&str> = found.cast().bodies.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["sheet", "tube", "floor"], "{format:?}");
    }
}

#[test]
fn a_glb_file_gives_back_its_motion() {
    let (directory, cast) = (tempfile::tempdir().unwrap(), cast(true));
    write(directory.path(), &[Format::Gltf], &cast, FRAMES);
    let hints = Hints { frames_per_second: Some(24.0) };
    let mut found = recording::open(&directory.path().join("frames.glb"), &hints).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(found.cast().frames, FRAMES - 1);
    let (mut now, expected) = (Vec::new(), positions(&cast, FRAMES - 1));
    found.read(FRAMES - 1, &mut now).unwrap();
    // The sheet comes first and has no seam; 16 bits of its motion of less than 0.1 m.
    assert!(apart(&now[..4], &expected[..4]) < 0.1 / 65534.0 + SINGLE);
}

#[test]
fn a_usd_file_gives_back_its_motion_and_its_rate() {
    let (directory, cast) = (tempfile::tempdir().unwrap(), cast(true));
    write(directory.path(), &[Format::Usd], &cast, FRAMES);
    let path = directory.path().join("frames.usda");
    let mut found = recording::open(&path, &Hints::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((found.cast().frames, found.cast().frames_per_second), (FRAMES - 1, 24.0));
    let mut now = Vec::new();
    for k in [0, FRAMES - 1] {
        found.read(k, &mut now).unwrap();
        assert!(apart(&now, &positions(&cast, k)) <= SINGLE, "frame {k}");
    }
}

#[test]
fn pattern_coordinates_of_a_glb_file_are_those_of_the_cloth() {
    let (directory, cast) = (tempfile::tempdir().unwrap(), cast(true));
    write(directory.path(), &[Format::Gltf], &cast, 2);
    let mesh = muslin_io::meshes::read(directory.path().join("frames.glb")).unwrap_or_else(|e| panic!("{e}"));
    let uv = mesh.uv.expect("the sheet has a pattern");
    for (t, corners) in cast.mesh.uv[..2].iter().enumerate() {
        let found = uv.of(t).expect("every corner has a pair");
        assert!(found.iter().zip(corners).all(|(a, b)| (*a - *b).length() < 1e-6), "{found:?} {corners:?}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_a_remedy() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &[Format::Ply, Format::Npz, Format::Pc2], &cast(true), 3);
    let refused = |name: &str| match recording::open(&directory.path().join(name), &Hints::default()).map(drop) {
        Err(error) => error.to_string(),
        Ok(()) => panic!("{name} is not refused"),
    };
    assert!(refused("ply").contains("give `--fps`"));
    assert!(refused("pc2/sheet.pc2").contains("give `--fps`"));
    assert!(refused("absent").contains("no such file"));
    // Cut and claimed: neither is a panic or a large allocation.
    let path = directory.path().join("frames.npz");
    let bytes = std::fs::read(&path).unwrap();
    for length in [0, 3, 29, 31, 200, bytes.len() / 2] {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let opened = recording::open(&path, &Hints::default());
        assert!(
            matches!(opened.map(drop), Err(RecordingError::Unfit { .. } | RecordingError::Read { .. })),
            "{length}"
        );
    }
    let mut claim = Vec::from(*b"POINTCACHE2\0\x01\0\0\0");
    claim.extend_from_slice(&i32::MAX.to_le_bytes());
    claim.extend_from_slice(&[0; 8]);
    claim.extend_from_slice(&i32::MAX.to_le_bytes());
    std::fs::write(directory.path().join("pc2/sheet.pc2"), claim).unwrap();
    assert!(refused("pc2/sheet.pc2").contains("too short"));
}
