//! The loaders under test. What is read must be consistent in itself.

use muslin_io::{
    ccd_queries, checkpoint,
    meshes::{caches::read_cache_bytes, read_bytes},
    output::{CHECKSUMS, compare_checksums},
    recording::{self, Hints},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn mesh(name: &str, bytes: &[u8]) {
    let Ok(mesh) = read_bytes(name, bytes.to_vec()) else { return };
    assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < mesh.positions.len()));
    assert!(mesh.parts.iter().all(|part| part.triangles.end <= mesh.triangles.len()));
    let mut positions = mesh.positions.clone();
    for clip in &mesh.clips {
        if clip.deformation.vertices() == positions.len() {
            clip.deformation.evaluate(0.25, &mut positions);
        }
    }
}

pub fn obj(bytes: &[u8]) {
    mesh("a.obj", bytes);
}

pub fn ply(bytes: &[u8]) {
    mesh("a.ply", bytes);
}

pub fn stl(bytes: &[u8]) {
    mesh("a.stl", bytes);
}

pub fn gltf(bytes: &[u8]) {
    mesh("a.glb", bytes);
}

pub fn usda(bytes: &[u8]) {
    mesh("a.usda", bytes);
}

pub fn cache(bytes: &[u8]) {
    let _ = read_cache_bytes("a", bytes.to_vec(), 24.0);
}

pub fn scene(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = muslin_io::parse("a.toml", text, "a", &[]);
    }
}

/// Half of the cases get a length and a checksum that fit them: else nothing behind these would ever be read.
pub fn checkpoint(bytes: &[u8]) {
    let _ = checkpoint::decode(bytes);
    if bytes.len() > 52 {
        let mut sealed = bytes.to_vec();
        let end = sealed.len() - 32;
        let length = sealed.len() as u64;
        sealed[..12].copy_from_slice(b"MUSLINCP\x01\0\0\0");
        sealed[12..20].copy_from_slice(&length.to_le_bytes());
        let checksum = blake3::hash(&sealed[..end]);
        sealed[end..].copy_from_slice(checksum.as_bytes());
        let _ = checkpoint::decode(&sealed);
    }
}

thread_local! {
    /// A directory of the thread's own, for loaders that read in place.
    static FOLDER: tempfile::TempDir = folder().expect("a temporary directory");
}

/// In memory where there is such a place: a disk would be slower than the loaders by a hundred.
fn folder() -> std::io::Result<tempfile::TempDir> {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }
}

fn in_file(name: &str, bytes: &[u8], load: impl FnOnce(&Path)) {
    let path: PathBuf = FOLDER.with(|folder| folder.path().join(name));
    // Some systems hand a file that is replaced to the disk at once, but not a new one.
    let _ = fs::remove_file(&path);
    fs::write(&path, bytes).expect("a small file");
    load(&path);
}

fn record(path: &Path) {
    let Ok(mut found) = recording::open(path, &Hints { frames_per_second: Some(24.0), otherwise: None }) else {
        return;
    };
    let count = found.cast().mesh.positions.len();
    let _ = found.verify();
    let mut positions = Vec::new();
    for frame in 0..3.min(found.cast().frames + 1) {
        if found.read(frame, &mut positions).is_ok() {
            assert_eq!(positions.len(), count);
        }
    }
}

pub fn archive(bytes: &[u8]) {
    in_file("frames.npz", bytes, record);
}

pub fn vtk(bytes: &[u8]) {
    in_file("a.vtp", bytes, |path| {
        let list = path.with_file_name("list.pvd");
        if !list.exists() {
            let entry = r#"<DataSet timestep="0" part="0" file="a.vtp"/>"#;
            fs::write(&list, format!("<VTKFile><Collection>{entry}</Collection></VTKFile>")).expect("a small file");
        }
        record(&list);
    });
}

pub fn vtk_list(bytes: &[u8]) {
    in_file("a.pvd", bytes, record);
}

pub fn recorded_cache(bytes: &[u8]) {
    in_file("a.pc2", bytes, |path| {
        let mesh = path.with_extension("obj");
        if !mesh.exists() {
            fs::write(&mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n").expect("a small file");
        }
        record(path);
    });
}

pub fn recorded_clip(bytes: &[u8]) {
    in_file(if bytes.starts_with(b"glTF") { "a.glb" } else { "a.usda" }, bytes, record);
}

/// Half of the cases get a checksum of their lines that fits them: else no line would ever be read.
pub fn checksums(bytes: &[u8]) {
    const LAST: &[u8] = b"; CRC-32 of the lines above: ";
    let compare = |path: &Path| {
        let _ = path.parent().map(|folder| compare_checksums(folder, |name| !name.is_empty()));
    };
    in_file(CHECKSUMS, bytes, compare);
    let lines = bytes.windows(LAST.len()).position(|window| window == LAST).unwrap_or(bytes.len());
    let sealed = [&bytes[..lines], LAST, format!("{:08X}\n", crc32fast::hash(&bytes[..lines])).as_bytes()].concat();
    in_file(CHECKSUMS, &sealed, compare);
}

pub fn queries(bytes: &[u8]) {
    in_file("a.csv", bytes, |path| {
        let _ = ccd_queries::read(path);
    });
}
