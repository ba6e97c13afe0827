//! Point caches for Blender and others: `pc2` and `mdd`.
//!
//! A cache holds positions only; the mesh stands beside it as an OBJ file of the start with the material coordinates.
//! There is one pair of files per body, one OBJ alone for a body that does not move, and a script that loads all
//! of them into Blender.
//!
//! Both formats tell the number of frames before the first. `pc2` has one integer for it, set when the file is
//! finished. `mdd` has a list of all times there: room is left for the planned frames, and a run that ends
//! early gets a copy with a shorter list, for which room is held from the start ([`super::room`]): frames that moved up
//! within the file itself would be lost to a process that is killed meanwhile.

use super::{
    atomic::{settle_folder, write_whole},
    cast::{Cast, Frame},
    normals::vertex_normals,
    obj::ObjEncoder,
    room::Room,
    seal::{Seal, Weighing},
    sequence::MeshEncoder,
    stream::{self, StreamFile},
    text,
    writer::{Ending, FrameWriter, OTHER_BEGINNING, OutputError, Written, damaged, fails, lost},
};
use glam::DVec3;
use muslin_model::BodyKind;
use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
};

/// The two formats of caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// Point Cache 2 of 3ds Max: little-endian, a constant rate.
    Pc2,
    /// Motion Designer of LightWave: big-endian, a list of times.
    Mdd,
}

/// Writes point caches.
pub struct CacheWriter {
    kind: CacheKind,
    directory: PathBuf,
    caches: Vec<Cache>,
    bytes: Vec<u8>,
}

struct Cache {
    vertices: Range<usize>,
    file: StreamFile,
    target: PathBuf,
    frames: usize,
    /// Of the frames, without the header.
    seal: Seal,
    /// For a copy with a shorter header.
    room: Room,
}

/// The script that loads the caches into Blender.
const IMPORT_SCRIPT: &str = include_str!("import_muslin.py");
const SCRIPT_NAME: &str = "import_muslin.py";

impl CacheKind {
    fn extension(self) -> &'static str {
        match self {
            CacheKind::Pc2 => "pc2",
            CacheKind::Mdd => "mdd",
        }
    }

    /// What stands before the frames.
    fn header(self, cast: &Cast, points: usize, frames: usize) -> Vec<u8> {
        match self {
            CacheKind::Pc2 => {
                let mut header = Vec::from(*b"POINTCACHE2\0");
                header.extend_from_slice(&1i32.to_le_bytes());
                header.extend_from_slice(&(points as i32).to_le_bytes());
                // The first sample's frame, and frames per sample.
                header.extend_from_slice(&0f32.to_le_bytes());
                header.extend_from_slice(&1f32.to_le_bytes());
                header.extend_from_slice(&(frames as i32).to_le_bytes());
                header
            }
            CacheKind::Mdd => {
                let mut header = Vec::with_capacity(8 + 4 * frames);
                header.extend_from_slice(&(frames as i32).to_be_bytes());
                header.extend_from_slice(&(points as i32).to_be_bytes());
                (0..frames).for_each(|k| header.extend_from_slice(&(cast.time(k) as f32).to_be_bytes()));
                header
            }
        }
    }

    fn encode(self, positions: &[DVec3], bytes: &mut Vec<u8>) {
        bytes.resize(12 * positions.len(), 0);
        let write = match self {
            CacheKind::Pc2 => f32::to_le_bytes,
            CacheKind::Mdd => f32::to_be_bytes,
        };
        for (out, p) in bytes.as_chunks_mut::<12>().0.iter_mut().zip(positions) {
            out.as_chunks_mut().0.iter_mut().zip(p.as_vec3().to_array()).for_each(|(out, x)| *out = write(x));
        }
    }
}

impl CacheWriter {
    /// Writes into a folder of a directory.
    pub fn new(kind: CacheKind, directory: &Path) -> Self {
        let directory = directory.join(kind.extension());
        CacheWriter { kind, directory, caches: Vec::new(), bytes: Vec::new() }
    }

    /// The moving bodies' vertices and the files of their caches.
    fn files(&self, cast: &Cast) -> Vec<(Range<usize>, PathBuf)> {
        let names = cache_names(cast);
        let moving = (0..cast.bodies.len()).filter(|&b| cast.moving[b]);
        let file = |b: usize| self.directory.join(format!("{}.{}", names[b], self.kind.extension()));
        moving.map(|b| (cast.bodies[b].vertices.clone(), file(b))).collect()
    }

    /// Length of the header of a cache of an earlier run [bytes]; one of other bodies is refused.
    fn header_of(&self, cast: &Cast, points: usize, target: &Path) -> Result<u64, OutputError> {
        let mut file = File::open(stream::existing(target)).map_err(lost(target))?;
        let other = || damaged(target, OTHER_BEGINNING);
        let mut count = [0; 4];
        let place = if self.kind == CacheKind::Pc2 { 28 } else { 0 };
        let cut = |_| damaged(target, "it ends before its first frame");
        file.seek(SeekFrom::Start(place)).and_then(|_| file.read_exact(&mut count)).map_err(cut)?;
        let frames = match self.kind {
            CacheKind::Pc2 => i32::from_le_bytes(count),
            CacheKind::Mdd => i32::from_be_bytes(count),
        };
        let frames = usize::try_from(frames).ok().filter(|n| *n <= cast.frames + 1).ok_or_else(other)?;
        let header = self.kind.header(cast, points, frames);
        let mut there = vec![0; header.len()];
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_exact(&mut there));
        read.map_err(cut)?;
        if there == header { Ok(header.len() as u64) } else { Err(other()) }
    }

    /// Room is left for all planned frames and the start.
    fn planned_header(&self, cast: &Cast, points: usize) -> Vec<u8> {
        self.kind.header(cast, points, cast.frames + 1)
    }
}

impl Cache {
    fn new(vertices: Range<usize>, target: PathBuf, file: StreamFile) -> Self {
        let (seal, room) = (Seal::new(&target), Room::beside(&target));
        Cache { vertices, file, target, frames: 0, seal, room }
    }

    /// Holds room for a copy of so many frames, if a run that ended with them would need one.
    fn hold(&mut self, kind: CacheKind, cast: &Cast, frames: usize) -> Result<(), OutputError> {
        if kind == CacheKind::Pc2 || frames > cast.frames {
            return Ok(());
        }
        self.room.hold((8 + 4 * frames + 12 * self.vertices.len() * frames) as u64)
    }
}

/// File names of the bodies, without extensions. Obstacles are told apart by a prefix, which the script knows.
pub fn cache_names(cast: &Cast) -> Vec<String> {
    let mut names = Vec::new();
    for body in &cast.bodies {
        let prefix = match body.kind {
            BodyKind::Cloth => "",
            BodyKind::Obstacle => "obstacle-",
        };
        let name = text::plain_name(&format!("{prefix}{}", body.name), &names);
        names.push(name);
    }
    names
}

/// Hands on the files beside the caches: the mesh of each body at the start, and the script that loads all.
fn companions(
    directory: &Path,
    cast: &Cast,
    kind: CacheKind,
    mut hand: impl FnMut(&Path, &[u8]) -> Result<(), OutputError>,
) -> Result<(), OutputError> {
    let mut normals = Vec::new();
    vertex_normals(&cast.mesh.positions, &cast.mesh.triangles, &mut normals);
    for (b, name) in cache_names(cast).iter().enumerate() {
        let path = directory.join(format!("{name}.obj"));
        let mut mesh = Weighing::new(&path, Vec::new());
        ObjEncoder::new(cast.alone(b)).write(&cast.mesh.positions, &normals, &mut mesh).map_err(fails(&path))?;
        hand(&path, &mesh.out)?;
    }
    hand(&directory.join(SCRIPT_NAME), script(cast, kind).as_bytes())
}

/// The script with the names of a run.
fn script(cast: &Cast, kind: CacheKind) -> String {
    IMPORT_SCRIPT
        .replace("@CACHE@", kind.extension())
        .replace("@SCENE@", &cast.name.replace(|c: char| c == '"' || c == '\\' || c.is_control(), "_"))
        .replace("@FRAMES_PER_SECOND@", &text::double(cast.frames_per_second))
}

impl FrameWriter for CacheWriter {
    fn begin(&mut self, cast: &Cast) -> Result<(), OutputError> {
        fs::create_dir_all(&self.directory).map_err(fails(&self.directory))?;
        let write = |path: &Path, bytes: &[u8]| write_whole(path, bytes).map_err(fails(path));
        companions(&self.directory, cast, self.kind, write)?;
        self.caches.clear();
        for (vertices, target) in self.files(cast) {
            stream::remove_copies(&target)?;
            let mut file = StreamFile::create(&target)?;
            file.append(&self.planned_header(cast, vertices.len()))?;
            file.commit()?;
            self.caches.push(Cache::new(vertices, target, file));
        }
        Ok(())
    }

    fn inspect(&self, cast: &Cast, frames: usize, ending: Ending) -> Result<Vec<Seal>, OutputError> {
        let mut seals = Vec::new();
        for (vertices, target) in self.files(cast) {
            let header = self.header_of(cast, vertices.len(), &target)?;
            let mut file = File::open(stream::existing(&target)).map_err(lost(&target))?;
            let length = file.metadata().map_err(fails(&target))?.len();
            let found = length.saturating_sub(header).checked_div(12 * vertices.len() as u64).unwrap_or(0) as usize;
            if found < frames {
                return Err(OutputError::TooShort { path: target, found, wanted: frames });
            }
            if ending == Ending::Early {
                seals.push(Seal::read(&target, &mut file, header, 12 * (vertices.len() * frames) as u64)?);
            }
        }
        Ok(seals)
    }

    fn companions(&self, cast: &Cast) -> Vec<PathBuf> {
        let meshes = cache_names(cast).into_iter().map(|name| format!("{name}.obj"));
        meshes.chain([SCRIPT_NAME.to_string()]).map(|name| self.directory.join(name)).collect()
    }

    fn mend(&self, cast: &Cast) -> Result<Vec<PathBuf>, OutputError> {
        let mut mended = Vec::new();
        companions(&self.directory, cast, self.kind, |path, bytes| {
            if fs::read(path).is_ok_and(|there| there == bytes) {
                return Ok(());
            }
            mended.push(path.to_path_buf());
            write_whole(path, bytes).map_err(fails(path))
        })?;
        Ok(mended)
    }

    fn reopen(&mut self, cast: &Cast, frames: usize, seals: Vec<Seal>) -> Result<(), OutputError> {
        self.caches.clear();
        for ((vertices, target), seal) in self.files(cast).into_iter().zip(seals) {
            stream::remove_copies(&target)?;
            let planned = self.planned_header(cast, vertices.len());
            let (there, kept) = (self.header_of(cast, vertices.len(), &target)?, 12 * (vertices.len() * frames) as u64);
            if there != planned.len() as u64 {
                // Only the copy of a run that ended early is left, whose list of times is short.
                let (source, growing) = (stream::existing(&target), stream::partial(&target));
                stream::copy_with_header(&source, there..there + kept, &planned, &growing)?;
                if source == target {
                    fs::remove_file(&target).map_err(fails(&target))?;
                }
            }
            let mut file = StreamFile::reopen(&target)?;
            file.keep(planned.len() as u64 + kept)?;
            let mut cache = Cache { frames, seal, ..Cache::new(vertices, target, file) };
            cache.hold(self.kind, cast, frames)?;
            self.caches.push(cache);
        }
        Ok(())
    }

    fn frame(&mut self, cast: &Cast, frame: &Frame<'_>) -> Result<(), OutputError> {
        for cache in &mut self.caches {
            cache.hold(self.kind, cast, frame.number + 1)?;
            self.kind.encode(&frame.positions[cache.vertices.clone()], &mut self.bytes);
            let added = cache.file.append(&self.bytes).and_then(|()| cache.file.commit());
            if added.is_err() {
                cache.file.drop_unfinished()?;
                return added;
            }
            cache.seal.add(&self.bytes);
            cache.frames = frame.number + 1;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), OutputError> {
        self.caches.iter_mut().try_for_each(|cache| cache.file.sync())?;
        settle_folder(&self.directory).map_err(fails(&self.directory))
    }

    fn seals(&self) -> Vec<Seal> {
        self.caches.iter().map(|cache| cache.seal.clone()).collect()
    }

    fn finish(&mut self, cast: &Cast, ending: Ending) -> Result<Written, OutputError> {
        // What somebody removed or changed meanwhile is written anew when a run goes on, and no reason to fail.
        let beside = self.companions(cast).into_iter().filter_map(|path| Seal::read_whole(&path).ok());
        let mut written = Written { paths: vec![self.directory.clone()], seals: beside.collect(), ledger: None };
        for mut cache in self.caches.drain(..) {
            let points = cache.vertices.len();
            let mut seal = Seal::of(&cache.target, &self.kind.header(cast, points, cache.frames));
            seal.join(&cache.seal);
            written.seals.push(seal);
            cache.room.give_back()?;
            match self.kind {
                CacheKind::Pc2 => {
                    cache.file.patch(0, &self.kind.header(cast, points, cache.frames))?;
                    cache.file.finish()?;
                }
                CacheKind::Mdd if cache.frames == cast.frames + 1 => drop(cache.file.finish()?),
                CacheKind::Mdd => {
                    let header = self.kind.header(cast, points, cache.frames);
                    let from = self.kind.header(cast, points, cast.frames + 1).len() as u64;
                    let (growing, end) = cache.file.committed();
                    stream::copy_with_header(&growing, from..end, &header, &cache.target)?;
                    if ending == Ending::Complete {
                        fs::remove_file(&growing).map_err(fails(&growing))?;
                    }
                }
            }
        }
        Ok(written)
    }
}
