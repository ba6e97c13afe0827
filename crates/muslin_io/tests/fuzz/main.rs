//! Fuzzing of every loader: damaged files are refused or read, but nothing panics, hangs or grows without bound.
//!
//! `cargo test` runs a fixed number of cases and replays `corpus/`, where every found case is kept. The environment
//! variable `MUSLIN_FUZZ` sets the number of cases; `cargo xtask soak` runs ten million of each and records them in
//! `bench/fuzz.md`.

use bolero::{ValueGenerator, check, produce};
use muslin_io::meshes::{caches::read_cache_bytes, read_bytes};
use std::{fs, path::Path, sync::OnceLock};

/// Cases of a plain test run.
const CASES: usize = 20_000;

fn cases() -> usize {
    std::env::var("MUSLIN_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES)
}

/// Places, kinds and values of the changes made to a seed.
type Edits = Vec<(u16, u8, u8)>;

fn edits() -> impl ValueGenerator<Output = (u8, Edits)> {
    (produce::<u8>(), produce::<Edits>().with().len(0usize..10))
}

/// The files of the corpus with these endings.
fn corpus(endings: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| endings.iter().any(|e| path.to_string_lossy().ends_with(e)));
    assert!(!paths.is_empty(), "no seeds for {endings:?}");
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Pieces that make numbers and structures go wrong.
const PIECES: [&[u8]; 16] = [
    b"nan",
    b"-1",
    b"4294967295",
    b"99999999999999999999",
    b"1e999",
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\n",
    b" ",
    b"[",
    b"{",
    b"\"",
    b"f 1 2 3\n",
    b"0",
    b"\\\n",
];

fn damage(seed: &[u8], edits: &Edits) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for &(place, kind, value) in edits {
        let at = place as usize % (bytes.len() + 1);
        let end = (at + value as usize % 32).min(bytes.len());
        match kind % 6 {
            0 if at < bytes.len() => bytes[at] = value,
            1 => drop(bytes.splice(at..at, PIECES[value as usize % PIECES.len()].iter().copied())),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            4 => bytes.truncate(at.max(1)),
            _ if at < bytes.len() => bytes[at] ^= 1 << (value % 8),
            _ => {}
        }
    }
    bytes
}

fn fuzz(
    seeds: &'static OnceLock<Vec<Vec<u8>>>,
    endings: &[&str],
    load: impl Fn(Vec<u8>) + std::panic::RefUnwindSafe + Clone,
) {
    let seeds = seeds.get_or_init(|| corpus(endings));
    seeds.iter().for_each(|seed| load(seed.clone()));
    let count = cases();
    check!().with_iterations(count).with_generator(edits()).for_each(|(seed, edits)| {
        load(damage(&seeds[*seed as usize % seeds.len()], edits));
    });
    println!("{count} cases of {endings:?}");
}

/// Memory of a mesh per byte of its file [-]: a vertex of seven bytes of text takes 24, a colour as much again, and
/// a corner of two bytes takes twelve for its triangle and twelve each for coordinates and normals.
const GROWTH: usize = 64;

fn mesh(name: &'static str) -> impl Fn(Vec<u8>) + std::panic::RefUnwindSafe + Clone {
    move |bytes| {
        let size = bytes.len();
        let Ok(mesh) = read_bytes(name, bytes) else { return };
        let held = 24 * mesh.positions.len() + 12 * mesh.triangles.len();
        assert!(held <= GROWTH * (size + 1024), "{size} bytes became {held}");
        assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < mesh.positions.len()));
    }
}

macro_rules! target {
    ($test:ident, $endings:expr, $load:expr) => {
        #[test]
        fn $test() {
            static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
            fuzz(&SEEDS, &$endings, $load);
        }
    };
}

target!(damaged_obj_files_never_panic, [".obj"], mesh("a.obj"));
target!(damaged_ply_files_never_panic, [".ply"], mesh("a.ply"));
target!(damaged_stl_files_never_panic, [".stl"], mesh("a.stl"));
target!(damaged_gltf_files_never_panic, [".gltf", ".glb"], mesh("a.glb"));
target!(damaged_usda_files_never_panic, [".usda"], mesh("a.usda"));
target!(damaged_packed_files_never_panic, [".xz", ".gz"], mesh("a.obj"));
target!(damaged_caches_never_panic, [".pc2", ".mdd"], |bytes: Vec<u8>| {
    let _ = read_cache_bytes("a", bytes, 24.0);
});
target!(damaged_scenes_never_panic, [".toml"], |bytes: Vec<u8>| {
    if let Ok(text) = String::from_utf8(bytes) {
        let _ = muslin_io::parse("a.toml", &text, "a", &[]);
    }
});
