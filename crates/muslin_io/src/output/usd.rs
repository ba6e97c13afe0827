//! `frames.usda`: every body as a mesh whose points, normals and extent have time samples.
//!
//! A layer is text in which all samples of an attribute stand together, but frames come one after the other. So each
//! attribute of each moving body grows in a file of its own under `frames.usda.samples.partial`, one line per frame,
//! and finishing the layer joins them; room for that is held from the start ([`super::room`]). Frame k has the time code k, and the layer says how many of them make a
//! second: no time is ever rounded.

use super::{
    atomic::settle_folder,
    cast::{Cast, Frame},
    parts::{Mark, PartFile, inspect_lines},
    room::Room,
    seal::Seal,
    stream::samples,
    text,
    usd_layer::{self, Prim},
    writer::{Ending, FrameWriter, OutputError, Written, demand, fails},
};
use glam::{DVec3, Vec3};
use std::{
    fs,
    io::ErrorKind,
    ops::Range,
    path::{Path, PathBuf},
};

/// Writes a layer.
pub struct UsdWriter {
    target: PathBuf,
    bodies: Vec<MovingBody>,
    frames: usize,
    room: Room,
    /// Bytes of the layer without samples.
    constant: u64,
}

/// The growing samples of a body.
struct MovingBody {
    body: usize,
    vertices: Range<usize>,
    samples: [PartFile; 3],
    /// Where the samples of the last whole frame end.
    whole: [Mark; 3],
}

/// The attributes with samples.
pub(super) const SAMPLED: [&str; 3] = ["points", "normals", "extent"];

impl UsdWriter {
    /// Writes into a directory.
    pub fn new(directory: &Path) -> Self {
        let target = directory.join("frames.usda");
        UsdWriter { room: Room::beside(&target), target, bodies: Vec::new(), frames: 0, constant: 0 }
    }

    fn parts(&self) -> PathBuf {
        samples(&self.target)
    }

    fn open(
        &mut self,
        cast: &Cast,
        mut part: impl FnMut(&Path) -> Result<PartFile, OutputError>,
    ) -> Result<(), OutputError> {
        let folder = self.parts();
        let mut bodies = Vec::new();
        for body in (0..cast.bodies.len()).filter(|&b| cast.moving[b]) {
            let mut file = |attribute: &str| part(&folder.join(format!("{body}.{attribute}")));
            let [points, normals, extent] = SAMPLED;
            let samples = [file(points)?, file(normals)?, file(extent)?];
            let whole = samples.each_ref().map(PartFile::mark);
            bodies.push(MovingBody { body, vertices: cast.bodies[body].vertices.clone(), samples, whole });
        }
        self.bodies = bodies;
        self.constant = usd_layer::size_without_samples(cast, self.prims(cast));
        self.room.hold(self.layer_size())
    }

    fn prims(&self, cast: &Cast) -> impl Iterator<Item = Prim<'_>> {
        (0..cast.bodies.len()).map(|b| Prim {
            samples: self.bodies.iter().find(|moving| moving.body == b).map(|moving| moving.samples.each_ref()),
            body: b,
        })
    }

    /// Bytes of the layer with the samples so far.
    fn layer_size(&self) -> u64 {
        self.constant + self.bodies.iter().flat_map(|b| &b.samples).map(PartFile::length).sum::<u64>()
    }
}

/// Most bytes of a vector and what stands around it: numbers of single precision have up to 15 characters.
const MOST_OF_VECTOR: usize = 3 * 15 + 8;
/// Most bytes of a line beside its vectors.
const MOST_OF_LINE: usize = 48;

/// Adds the line `number: [(x, y, z), …],`.
fn sample(
    part: &mut PartFile,
    number: usize,
    count: usize,
    vector: impl Fn(usize, &mut Vec<u8>) + Sync + Send,
) -> Result<(), OutputError> {
    part.append(format!("            {number}: [").as_bytes())?;
    let item = |k: usize, out: &mut Vec<u8>| {
        out.extend_from_slice(if k == 0 { b"(" } else { b", (" });
        vector(k, out);
        out.push(b')');
    };
    text::items(count, item, |text| part.append(text))?;
    part.append(b"],\n")
}

/// The box around some points, in the precision that the layer has.
pub(super) fn extent(points: &[DVec3]) -> [DVec3; 2] {
    let single = |p: &DVec3| p.as_vec3();
    let low = points.iter().map(single).fold(Vec3::INFINITY, Vec3::min);
    let high = points.iter().map(single).fold(Vec3::NEG_INFINITY, Vec3::max);
    if points.is_empty() { [DVec3::ZERO; 2] } else { [low.as_dvec3(), high.as_dvec3()] }
}

impl FrameWriter for UsdWriter {
    fn begin(&mut self, cast: &Cast) -> Result<(), OutputError> {
        match fs::remove_file(&self.target) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(fails(&self.target)(error)),
            _ => {}
        }
        let folder = self.parts();
        fs::create_dir_all(&folder).map_err(fails(&folder))?;
        self.frames = 0;
        self.open(cast, PartFile::create)
    }

    fn inspect(&self, cast: &Cast, frames: usize, ending: Ending) -> Result<Vec<Seal>, OutputError> {
        let mut seals = Vec::new();
        if ending == Ending::Complete {
            return demand(&self.target, usd_layer::END).map(|()| seals);
        }
        let folder = self.parts();
        for body in (0..cast.bodies.len()).filter(|&b| cast.moving[b]) {
            for attribute in SAMPLED {
                seals.push(inspect_lines(&folder.join(format!("{body}.{attribute}")), frames)?);
            }
        }
        Ok(seals)
    }

    fn reopen(&mut self, cast: &Cast, frames: usize, seals: Vec<Seal>) -> Result<(), OutputError> {
        self.frames = frames;
        let mut seals = seals.into_iter();
        self.open(cast, |path| PartFile::reopen(seals.next().unwrap_or_else(|| Seal::new(path))))
    }

    fn frame(&mut self, _: &Cast, frame: &Frame<'_>) -> Result<(), OutputError> {
        let vectors = self.bodies.iter().map(|body| 2 * body.vertices.len() + 2).sum::<usize>();
        let most = vectors * MOST_OF_VECTOR + 3 * self.bodies.len() * MOST_OF_LINE;
        self.room.hold(self.layer_size() + most as u64)?;
        for body in &mut self.bodies {
            let (points, turned) = (&frame.positions[body.vertices.clone()], &frame.normals[body.vertices.clone()]);
            let around = extent(points);
            let number = frame.number;
            let [places, normals, extents] = &mut body.samples;
            let exact = |vector: &DVec3, out: &mut Vec<u8>| text::triple(out, vector.as_vec3().to_array(), b", ");
            sample(places, number, points.len(), |k, out| exact(&points[k], out))?;
            sample(normals, number, turned.len(), |k, out| text::unit_triple(out, turned[k].to_array(), b", "))?;
            sample(extents, number, around.len(), |k, out| exact(&around[k], out))?;
        }
        for body in &mut self.bodies {
            body.whole = body.samples.each_ref().map(PartFile::mark);
        }
        self.frames = frame.number + 1;
        Ok(())
    }

    fn sync(&mut self) -> Result<(), OutputError> {
        self.bodies.iter_mut().flat_map(|b| &mut b.samples).try_for_each(PartFile::sync)?;
        let folder = self.parts();
        settle_folder(&folder).map_err(fails(&folder))
    }

    fn seals(&self) -> Vec<Seal> {
        self.bodies.iter().flat_map(|body| &body.samples).map(PartFile::seal).collect()
    }

    fn finish(&mut self, cast: &Cast, _: Ending) -> Result<Written, OutputError> {
        // A frame that failed may have left more lines of one attribute than of another.
        for body in &mut self.bodies {
            body.samples.iter_mut().zip(&body.whole).try_for_each(|(part, whole)| part.back_to(whole))?;
        }
        self.room.give_back()?;
        let seal = usd_layer::write(&self.target, cast, self.frames, self.prims(cast))?;
        self.bodies.clear();
        Ok(Written { paths: vec![self.target.clone()], seals: vec![seal], ledger: None })
    }
}
