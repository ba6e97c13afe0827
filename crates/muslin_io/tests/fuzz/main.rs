//! Fuzzing of every loader: damaged files are refused or read, but nothing panics, hangs or grows without bound.
//!
//! `cargo test` runs a fixed number of cases and replays `corpus/`, where every found case is kept. The environment
//! variable `MUSLIN_FUZZ` sets the number of cases, and `MUSLIN_FUZZ_SECONDS` a time after which fewer are enough; `cargo xtask
//! soak fuzz` runs ten million of each or ten minutes, and records them in `bench/fuzz.md`.

mod damage;
#[path = "../../../muslin_dynamics/tests/common/heap.rs"]
mod heap;
mod loaders;

use bolero::{ValueGenerator, check, produce};
use damage::{Edits, damage};
use muslin_sim::report::cpu_seconds;
use std::{
    fs,
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Cases of a plain test run.
const CASES: usize = 20_000;
/// Slower than this is an endless loop: the files have a few hundred bytes.
const LONGEST: Duration = Duration::from_secs(10);

/// A loader and what it may use.
struct Target {
    /// Endings of its files in the corpus.
    endings: &'static [&'static str],
    /// Reads the bytes of a file.
    load: fn(&[u8]),
    /// Most memory per byte of the file [-].
    growth: usize,
    /// Memory that even an empty file may use [bytes].
    allowed: usize,
}

fn cases() -> usize {
    std::env::var("MUSLIN_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES)
}

/// The time after which fewer cases are enough.
fn patience() -> Option<Duration> {
    std::env::var("MUSLIN_FUZZ_SECONDS").ok().and_then(|n| n.parse().ok()).map(Duration::from_secs)
}

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

impl Target {
    /// Reads one file; returns the memory that it took [bytes].
    fn judge(&self, bytes: &[u8]) -> usize {
        let (start, worked) = (Instant::now(), cpu_seconds());
        let peak = heap::peak_of(|| (self.load)(bytes));
        // A process that was stopped for a while did not work meanwhile.
        let loops = start.elapsed() > LONGEST && cpu_seconds() - worked > LONGEST.as_secs_f64();
        assert!(!loops, "it took {:?}", start.elapsed());
        let limit = self.growth * bytes.len() + self.allowed;
        assert!(peak <= limit, "{} bytes of file took {peak} bytes of memory, at most {limit} are right", bytes.len());
        peak
    }

    /// Reads the corpus, and damaged copies of it.
    fn fuzz(&self, seeds: &'static OnceLock<Vec<Vec<u8>>>) {
        let seeds = seeds.get_or_init(|| corpus(self.endings));
        let (done, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        for seed in seeds {
            most.fetch_max(self.judge(seed), Relaxed);
        }
        let (start, patience) = (Instant::now(), patience());
        let check = check!().with_iterations(cases());
        let check = if let Some(patience) = patience { check.with_test_time(patience) } else { check };
        check.with_generator(edits()).for_each(|(seed, edits)| {
            let bytes = damage(&seeds[*seed as usize % seeds.len()], edits);
            most.fetch_max(self.judge(&bytes), Relaxed);
            done.fetch_add(1, Relaxed);
        });
        let patient = patience.is_none_or(|patience| start.elapsed() < patience);
        assert!(done.load(Relaxed) == cases() || !patient, "only {} cases", done.load(Relaxed));
        println!(
            "fuzz: {} cases of {:?}, {} bytes of memory at most",
            done.load(Relaxed),
            self.endings,
            most.load(Relaxed)
        );
    }
}

macro_rules! target {
    ($test:ident, $endings:expr, $load:expr, $growth:expr, $allowed:expr) => {
        #[test]
        fn $test() {
            static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
            Target { endings: &$endings, load: $load, growth: $growth, allowed: $allowed }.fuzz(&SEEDS);
        }
    };
}

/// Buffers of a reader, whatever its file's size [bytes].
const BUFFERS: usize = 1 << 19;
/// The library of fabrics, which is read once, with the first scene that names one [bytes].
const LIBRARY: usize = 1 << 20;
/// What unpacks: the dictionary of `xz -9`, and a mesh of the mebibyte that even a tiny packed file may hold [bytes].
const UNPACKING: usize = (66 << 20) + MESH * (1 << 20);
/// Memory of a mesh per byte of its file [-]: a corner of two bytes takes twelve for its triangle and twelve each for
/// coordinates and normals, and a list that grows exists twice while it moves.
const MESH: usize = 128;

target!(damaged_obj_files_never_panic, [".obj"], loaders::obj, MESH, BUFFERS);
target!(damaged_ply_files_never_panic, [".ply"], loaders::ply, MESH, BUFFERS);
target!(damaged_stl_files_never_panic, [".stl"], loaders::stl, MESH, BUFFERS);
target!(damaged_gltf_files_never_panic, [".gltf", ".glb"], loaders::gltf, MESH, BUFFERS);
target!(damaged_usda_files_never_panic, [".usda"], loaders::usda, MESH, BUFFERS);
target!(damaged_packed_files_never_panic, [".xz", ".gz"], loaders::obj, MESH, UNPACKING);
target!(damaged_caches_never_panic, [".pc2", ".mdd"], loaders::cache, MESH, BUFFERS);
target!(damaged_scenes_never_panic, [".toml"], loaders::scene, MESH, BUFFERS + LIBRARY);
target!(damaged_checkpoints_never_panic, [".checkpoint"], loaders::checkpoint, MESH, BUFFERS);
target!(damaged_archives_never_panic, [".npz"], loaders::archive, MESH, BUFFERS);
target!(damaged_vtk_files_never_panic, [".vtp"], loaders::vtk, MESH, BUFFERS);
target!(damaged_vtk_lists_never_panic, [".pvd"], loaders::vtk_list, MESH, BUFFERS);
target!(damaged_recorded_caches_never_panic, [".pc2", ".mdd"], loaders::recorded_cache, MESH, BUFFERS);
target!(damaged_query_files_never_panic, [".csv"], loaders::queries, MESH, BUFFERS);
target!(damaged_checksum_lists_never_panic, [".sfv"], loaders::checksums, MESH, BUFFERS);
target!(damaged_recorded_clips_never_panic, [".glb", ".usda"], loaders::recorded_clip, MESH, BUFFERS);
