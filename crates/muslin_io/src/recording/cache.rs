//! Point caches, PC2 and MDD, with the mesh of each body as an OBJ file beside its cache.
//!
//! A cache that was named itself, `drape.pc2`, has its other bodies beside it under the same name: `drape.cloth-scarf.obj`,
//! `drape.obstacle-ball.obj`, each with a cache if it moves.

use super::{Hints, Recording, RecordingError, clip::add_bodies, told, unfit, unreadable};
use crate::{meshes, output::Cast};
use glam::DVec3;
use muslin_model::BodyKind;
use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// The caches of a directory.
pub struct Caches {
    cast: Cast,
    /// For each mesh: its cache, or where it stands.
    bodies: Vec<Source>,
}

enum Source {
    Cache(Cache),
    Still(Vec<DVec3>),
}

/// An open cache.
struct Cache {
    path: PathBuf,
    file: File,
    points: usize,
    frames: usize,
    /// Where the first frame begins [bytes].
    start: u64,
    big_endian: bool,
    /// Frames per second, if the cache says it.
    rate: Option<f64>,
}

/// How near to a whole number a rate must be to be meant so [-]: times are single precision.
const WHOLE_RATE: f64 = 1e-5;

/// The caches in a directory, sorted; those of one format only.
pub fn in_directory(directory: &Path) -> Result<Vec<PathBuf>, RecordingError> {
    let entries = fs::read_dir(directory).map_err(unreadable(directory))?;
    let files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let of = |ending: &str| {
        let mut chosen: Vec<PathBuf> =
            files.iter().filter(|f| f.extension().is_some_and(|e| e == ending)).cloned().collect();
        chosen.sort();
        chosen
    };
    Ok(Some(of("mdd")).filter(|caches| !caches.is_empty()).unwrap_or_else(|| of("pc2")))
}

impl Caches {
    /// Opens caches; with those of a run come the meshes of the folder that have no cache and so stand still. A mesh whose cache
    /// was not asked for is left out: it would be frozen at its first frame.
    pub fn open(folder: &Path, caches: &[PathBuf], hints: &Hints) -> Result<Self, RecordingError> {
        let mut all = Caches { cast: Cast::default(), bodies: Vec::new() };
        let mut caches = caches.to_vec();
        let moves = |mesh: &PathBuf| ["pc2", "mdd"].iter().any(|cache| mesh.with_extension(cache).exists());
        let mut meshes: Vec<PathBuf> = caches.iter().map(|cache| cache.with_extension("obj")).collect();
        if caches.len() > 1 || folder.file_name().is_some_and(|name| name == "pc2" || name == "mdd") {
            meshes.extend(meshes_in(folder)?.into_iter().filter(|mesh| !moves(mesh)));
        } else if let [cache] = &caches[..] {
            let (cache, first) = (cache.clone(), meshes[0].clone());
            meshes.extend(meshes_in(folder)?.into_iter().filter(|mesh| is_companion(mesh, &first)));
            let others = meshes[1..].iter().map(|mesh| mesh.with_extension(cache.extension().unwrap_or_default()));
            caches.extend(others.filter(|cache| cache.exists()));
        }
        // Cloths come first in a cast, the one that was named before all others.
        let rank = |path: &PathBuf| (role(path).0 == BodyKind::Obstacle, caches[0].with_extension("obj") != *path);
        meshes.sort_by_key(|path| (rank(path), path.clone()));
        meshes.dedup();
        let mut rate = hints.frames_per_second;
        let mut frames = usize::MAX;
        for path in &meshes {
            let (kind, name) = role(path);
            let cache = caches.iter().find(|cache| cache.with_extension("obj") == *path);
            let mesh = meshes::read(path)?;
            let before = all.cast.mesh.positions.len();
            add_bodies(&mut all.cast, &mesh, kind, &name);
            let Some(cache) = cache else {
                all.bodies.push(Source::Still(all.cast.mesh.positions[before..].to_vec()));
                all.cast.moving.last_mut().into_iter().for_each(|moves| *moves = false);
                continue;
            };
            let cache = Cache::open(cache)?;
            if cache.points != mesh.positions.len() {
                let what = format!("it has {} points, its mesh {} vertices", cache.points, mesh.positions.len());
                return Err(unfit(&cache.path, what, "put the mesh beside it that it was made for"));
            }
            rate = rate.or(cache.rate);
            frames = frames.min(cache.frames);
            all.bodies.push(Source::Cache(cache));
        }
        all.cast.frames_per_second = told(folder, &Hints { frames_per_second: rate, ..*hints })?;
        all.cast.frames = frames.saturating_sub(1);
        all.cast.name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(all)
    }
}

/// The OBJ files of a folder.
fn meshes_in(folder: &Path) -> Result<Vec<PathBuf>, RecordingError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder).map_err(unreadable(folder))?;
    Ok(entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "obj")).collect())
}

/// What a mesh is by its name, and the body's name.
fn role(mesh: &Path) -> (BodyKind, String) {
    let stem = mesh.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (named, last) = stem.rsplit_once('.').map_or((None, &*stem), |(first, last)| (Some(first), last));
    match (last.strip_prefix("obstacle-"), named.and_then(|_| last.strip_prefix("cloth-"))) {
        (Some(name), _) => (BodyKind::Obstacle, name.into()),
        (None, Some(name)) => (BodyKind::Cloth, name.into()),
        (None, None) => (BodyKind::Cloth, stem),
    }
}

/// Whether a mesh is another body of a recording whose first mesh this is.
fn is_companion(mesh: &Path, first: &Path) -> bool {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let rest = stem(mesh).strip_prefix(&format!("{}.", stem(first))).map(str::to_owned);
    rest.is_some_and(|rest| rest.starts_with("cloth-") || rest.starts_with("obstacle-"))
}

/// How far from its time a frame may be, in frames [-]. Single precision is coarse after hours; a frame that is missing shifts
/// the next one by a whole frame.
const UNEVEN: f64 = 0.5;

/// Refuses an MDD cache whose times are not evenly spaced.
fn check_times(path: &Path, file: &mut File, frames: usize, rate: f64) -> Result<(), RecordingError> {
    let mut times = vec![0; 4 * frames];
    file.seek(SeekFrom::Start(8)).and_then(|_| file.read_exact(&mut times)).map_err(unreadable(path))?;
    let time =
        |k: usize| f64::from(f32::from_be_bytes([times[4 * k], times[4 * k + 1], times[4 * k + 2], times[4 * k + 3]]));
    let in_time = |k: usize| (time(k) * rate - k as f64).abs() <= UNEVEN;
    match (0..frames).find(|&k| !in_time(k)) {
        None => Ok(()),
        Some(k) => {
            let what = format!("frame {k} is at {} s, so that frames are not evenly spaced from 0 on", time(k));
            Err(unfit(path, what, "export it with every frame"))
        }
    }
}

impl Cache {
    fn open(path: &Path) -> Result<Self, RecordingError> {
        let mut file = File::open(path).map_err(unreadable(path))?;
        let length = file.metadata().map_err(unreadable(path))?.len();
        let mut header = [0; 32];
        let short = || unfit(path, "it is too short for a cache", "write it again");
        let known = length.min(32) as usize;
        file.read_exact(&mut header[..known]).map_err(unreadable(path))?;
        let word = |k: usize| [header[k], header[k + 1], header[k + 2], header[k + 3]];
        let big_endian = header[..11] != *b"POINTCACHE2";
        let (points, frames, start) = match big_endian {
            false => (i32::from_le_bytes(word(16)), i32::from_le_bytes(word(28)), 32),
            true => (i32::from_be_bytes(word(4)), i32::from_be_bytes(word(0)), 8),
        };
        let (Ok(points), Ok(frames)) = (usize::try_from(points), usize::try_from(frames)) else { return Err(short()) };
        let start = start + if big_endian { 4 * frames as u64 } else { 0 };
        if frames == 0 || points == 0 || u128::from(start) + 12 * points as u128 * frames as u128 > u128::from(length) {
            return Err(short());
        }
        let step = (big_endian && frames > 1).then(|| f64::from(f32::from_be_bytes(word(12))));
        let rate = step.filter(|&t| t > 0.0).map(|t| match (1.0 / t).round() {
            whole if (1.0 / t - whole).abs() < WHOLE_RATE * whole => whole,
            _ => 1.0 / t,
        });
        if let Some(rate) = rate {
            check_times(path, &mut file, frames, rate)?;
        }
        Ok(Cache { path: path.into(), file, points, frames, start, big_endian, rate })
    }

    fn read(&mut self, frame: usize, positions: &mut Vec<DVec3>) -> Result<(), RecordingError> {
        let mut bytes = vec![0; 12 * self.points];
        let offset = self.start + (frame * bytes.len()) as u64;
        let read = self.file.seek(SeekFrom::Start(offset)).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(unreadable(&self.path))?;
        let number = |b: &[u8]| {
            let b = [b[0], b[1], b[2], b[3]];
            f64::from(if self.big_endian { f32::from_be_bytes(b) } else { f32::from_le_bytes(b) })
        };
        positions.extend(bytes.chunks_exact(12).map(|p| DVec3::new(number(p), number(&p[4..]), number(&p[8..]))));
        Ok(())
    }
}

impl Recording for Caches {
    fn cast(&self) -> &Cast {
        &self.cast
    }

    fn read(&mut self, frame: usize, positions: &mut Vec<DVec3>) -> Result<(), RecordingError> {
        positions.clear();
        for body in &mut self.bodies {
            match body {
                Source::Cache(cache) => cache.read(frame, positions)?,
                Source::Still(points) => positions.extend_from_slice(points),
            }
        }
        Ok(())
    }
}
