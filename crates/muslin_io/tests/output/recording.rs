//! Frames that were written in a format are found again where they were.

use super::motion::{cast, positions, write};
use glam::{DVec2, DVec3};
use muslin_io::{
    output::Format,
    recording::{self, Hints, RecordingError},
};
use muslin_model::BodyKind;

const FRAMES: usize = 10;

/// Half a unit in the last place of single precision, at 4 m and with text read in double precision [m].
const SINGLE: f64 = 4.0 / (1 << 23) as f64;

/// Where to open a format, whether it must be told the rate, and how exact it is [m].
const SOURCES: [(Format, &str, bool, f64); 9] = [
    (Format::Usd, "frames.usda", false, SINGLE),
    // 16 bits of a motion of less than 0.1 m.
    (Format::Gltf, "frames.glb", false, 0.1 / 65534.0 + SINGLE),
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
        let hints = Hints { frames_per_second: told.then_some(24.0), otherwise: None };
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
    for (format, place) in [
        (Format::Npz, ""),
        (Format::Mdd, "mdd"),
        (Format::Obj, "obj"),
        (Format::Usd, "frames.usda"),
        (Format::Gltf, "frames.glb"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), &[format], &cast(true), 3);
        let hints = Hints { frames_per_second: Some(24.0), otherwise: None };
        let found = recording::open(&directory.path().join(place), &hints).unwrap_or_else(|e| panic!("{e}"));
        let names: Vec<&str> = found.cast().bodies.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["sheet", "tube", "floor"], "{format:?}");
    }
}

#[test]
fn one_cache_of_a_run_brings_what_stands_still_and_nothing_frozen() {
    for format in [Format::Pc2, Format::Mdd] {
        for (moves, expected) in [(true, &["sheet"][..]), (false, &["sheet", "floor"])] {
            let directory = tempfile::tempdir().unwrap();
            write(directory.path(), &[format], &cast(moves), 3);
            let folder = format!("{format:?}").to_lowercase();
            let file = directory.path().join(&folder).join(format!("sheet.{folder}"));
            let hints = Hints { frames_per_second: Some(24.0), otherwise: None };
            let found = recording::open(&file, &hints).unwrap_or_else(|e| panic!("{e}"));
            let names: Vec<&str> = found.cast().bodies.iter().map(|b| b.name.as_str()).collect();
            assert_eq!(names, expected, "{format:?}, the floor moves: {moves}");
        }
    }
}

#[test]
fn an_obstacle_that_a_file_has_first_comes_last_and_stays_an_obstacle() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("frames.usda");
    let prim = |name: &str, kind: &str, z: f64, more: &str| {
        format!(
            "def Mesh \"{name}\"\n{{\n custom uniform token muslin:kind = \"{kind}\"\n int[] faceVertexCounts = [3]\n \
             int[] faceVertexIndices = [0, 1, 2]\n point3f[] points = [(0, 0, {z}), (1, 0, {z}), (0, 1, {z})]\n{more}}}\n"
        )
    };
    let uv = " texCoord2f[] primvars:st = [(0, 0), (1, 0), (0, 1)] (interpolation = \"vertex\")\n \
              point3f[] points.timeSamples = { 0: [(0, 0, 2), (1, 0, 2), (0, 1, 2)], 1: [(0, 0, 3), (1, 0, 3), (0, 1, 3)] }\n";
    let head = "#usda 1.0\n(\n metersPerUnit = 1\n upAxis = \"Z\"\n timeCodesPerSecond = 30\n)\n";
    std::fs::write(&path, format!("{head}{}{}", prim("floor", "obstacle", 1.0, ""), prim("sheet", "cloth", 2.0, uv)))
        .unwrap();
    let mut found = recording::open(&path, &Hints::default()).unwrap_or_else(|e| panic!("{e}"));
    let cast = found.cast().clone();
    let kinds: Vec<(&str, BodyKind)> = cast.bodies.iter().map(|b| (b.name.as_str(), b.kind)).collect();
    assert_eq!(kinds, [("sheet", BodyKind::Cloth), ("floor", BodyKind::Obstacle)]);
    assert_eq!((cast.mesh.triangles, cast.moving), (vec![[0, 1, 2], [3, 4, 5]], vec![true, false]));
    assert_eq!(cast.mesh.uv, [[DVec2::ZERO, DVec2::X, DVec2::Y]]);
    let mut now = Vec::new();
    found.read(1, &mut now).unwrap();
    assert_eq!((now[0], now[3]), (DVec3::Z * 3.0, DVec3::Z));
}

#[test]
fn a_clip_tells_its_own_rate_unless_another_is_asked_for() {
    let (directory, cast) = (tempfile::tempdir().unwrap(), cast(true));
    write(directory.path(), &[Format::Gltf, Format::Usd], &cast, FRAMES);
    for file in ["frames.glb", "frames.usda"] {
        let rate = |told, otherwise| {
            let hints = Hints { frames_per_second: told, otherwise };
            let found = recording::open(&directory.path().join(file), &hints).unwrap_or_else(|e| panic!("{e}"));
            (found.cast().frames_per_second, found.cast().frames)
        };
        assert_eq!(rate(None, None), (24.0, FRAMES - 1), "{file}");
        assert_eq!(rate(None, Some(60.0)), (24.0, FRAMES - 1), "{file}");
        assert_eq!(rate(Some(48.0), None), (48.0, 2 * (FRAMES - 1)), "{file}");
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

/// The entries of an archive with 64-bit sizes: their names and where their bytes are.
fn entries(archive: &[u8]) -> Vec<(String, std::ops::Range<usize>)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while archive[at..].starts_with(b"PK\x03\x04") {
        let name = usize::from(u16::from_le_bytes([archive[at + 26], archive[at + 27]]));
        let wide = at + 30 + name + 4;
        let size = u64::from_le_bytes(archive[wide..wide + 8].try_into().unwrap()) as usize;
        let start = wide + 16;
        found.push((String::from_utf8_lossy(&archive[at + 30..at + 30 + name]).into_owned(), start..start + size));
        at = start + size;
    }
    assert!(found.len() >= 7, "{found:?}");
    found
}

#[test]
fn a_flipped_bit_in_any_array_of_an_archive_is_told_by_whoever_reads_all_of_it() {
    let (directory, cast) = (tempfile::tempdir().unwrap(), cast(true));
    write(directory.path(), &[Format::Npz], &cast, FRAMES);
    let read_all = || {
        let mut recording = recording::open(directory.path(), &Hints::default())?;
        let mut now = Vec::new();
        // Each frame twice, as whoever wants velocities does.
        (0..FRAMES).flat_map(|k| [k.saturating_sub(1), k]).try_for_each(|k| recording.read(k, &mut now))
    };
    read_all().unwrap_or_else(|e| panic!("{e}"));
    for file in ["frames.npz", "obstacles.npz"] {
        let path = directory.path().join(file);
        let whole = std::fs::read(&path).unwrap();
        for (name, place) in entries(&whole) {
            for at in place.step_by(5) {
                let mut bad = whole.clone();
                bad[at] ^= 1 << (at % 8);
                std::fs::write(&path, &bad).unwrap();
                assert!(read_all().is_err(), "{file}: byte {at}, in {name}, was flipped and nobody says so");
            }
        }
        std::fs::write(&path, &whole).unwrap();
    }
}
