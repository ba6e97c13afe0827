//! Puts a USD layer together from its constant parts and the samples that were gathered.

use super::{
    atomic::AtomicFile,
    cast::{Cast, Group},
    normals::vertex_normals,
    parts::PartFile,
    seal::{Seal, Weighing},
    text,
    usd::{SAMPLED, extent},
    uv::UvTable,
    writer::{OutputError, fails},
};
use glam::DVec3;
use muslin_model::BodyKind;
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

/// A body of the layer.
pub struct Prim<'a> {
    /// Which body of the cast.
    pub body: usize,
    /// Its samples, in the order of [`SAMPLED`]; `None` if it does not move.
    pub samples: Option<[&'a PartFile; 3]>,
}

/// What ends a layer: the last body, an empty line and the world.
pub const END: &[u8] = b"    }\n\n}\n";
/// What ends a body.
const BODY_END: usize = END.len() - 2;

/// Types of the attributes with samples.
const TYPES: [&str; 3] = ["point3f[]", "normal3f[]", "float3[]"];

/// Writes the layer; it gets its name when it is whole. Returns what it weighs.
pub fn write<'a>(
    target: &Path,
    cast: &Cast,
    frames: usize,
    prims: impl Iterator<Item = Prim<'a>>,
) -> Result<Seal, OutputError> {
    let mut file = AtomicFile::create(target).map_err(fails(target))?;
    let mut out = Weighing::new(target, &mut file.writer);
    // Samples are weighed already, and need not come through this process.
    let copy = |part: &PartFile, out: &mut Weighing<&mut BufWriter<File>>| {
        out.pass(&part.seal(), |file| file.flush().and_then(|()| part.copy_to(file.get_mut())))
    };
    write_to(&mut out, cast, frames, prims, &copy).map_err(fails(target))?;
    let seal = out.seal;
    file.finish().map_err(fails(target))?;
    Ok(seal)
}

/// Bytes of the layer of a run, all but its samples.
pub fn size_without_samples<'a>(cast: &Cast, prims: impl Iterator<Item = Prim<'a>>) -> u64 {
    struct Count(u64);
    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail; no number of frames is longer than this one.
    let _ = write_to(&mut count, cast, usize::MAX, prims, &|_, _| Ok(()));
    count.0
}

fn write_to<'a, W: Write>(
    out: &mut W,
    cast: &Cast,
    frames: usize,
    prims: impl Iterator<Item = Prim<'a>>,
    copy: &dyn Fn(&PartFile, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    let mut normals = Vec::new();
    vertex_normals(&cast.mesh.positions, &cast.mesh.triangles, &mut normals);
    out.write_all(header(cast, frames).as_bytes())?;
    let mut taken = Vec::new();
    for prim in prims {
        let name = identifier(&cast.bodies[prim.body].name, &taken);
        taken.push(name.clone());
        let body = NamedBody { cast, name: &name, normals: &normals };
        write_prim(out, &prim, &body, copy)?;
    }
    out.write_all(&END[BODY_END..])
}

/// What a prim is made of, beside its samples.
struct NamedBody<'a> {
    cast: &'a Cast,
    name: &'a str,
    normals: &'a [DVec3],
}

fn header(cast: &Cast, frames: usize) -> String {
    let rate = text::double(cast.frames_per_second);
    format!(
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"{} by Muslin\"\n    endTimeCode = {}\n    framesPerSecond = {rate}\n    \
         metersPerUnit = 1\n    startTimeCode = 0\n    timeCodesPerSecond = {rate}\n    upAxis = \"Z\"\n)\n\ndef Xform \"World\"\n{{\n",
        quoted(&cast.name),
        frames.saturating_sub(1)
    )
}

fn write_prim<W: Write>(
    out: &mut W,
    prim: &Prim<'_>,
    named: &NamedBody<'_>,
    copy: &dyn Fn(&PartFile, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    let NamedBody { cast, name, normals } = *named;
    let (body, group) = (&cast.bodies[prim.body], cast.alone(prim.body));
    writeln!(out, "    def Mesh \"{name}\" (\n        displayName = \"{}\"\n    )\n    {{", quoted(&body.name))?;
    let kind = if body.kind == BodyKind::Cloth { "cloth" } else { "obstacle" };
    writeln!(out, "        custom uniform token muslin:kind = \"{kind}\"")?;
    writeln!(out, "        uniform bool doubleSided = 1")?;
    writeln!(out, "        uniform token subdivisionScheme = \"none\"")?;
    out.write_all(b"        int[] faceVertexCounts = [")?;
    let three = |t: usize, list: &mut Vec<u8>| list.extend_from_slice(if t == 0 { b"3" } else { b", 3" });
    text::items(group.triangles.len(), three, |list| out.write_all(list))?;
    out.write_all(b"]\n")?;
    indices(out, "faceVertexIndices", &group.triangles)?;
    if !group.uv.is_empty() {
        write_uv(out, &group)?;
    }
    writeln!(out, "        normal3f[] normals (\n            interpolation = \"vertex\"\n        )")?;
    match prim.samples {
        Some(samples) => {
            for ((attribute, kind), part) in SAMPLED.iter().zip(TYPES).zip(samples) {
                writeln!(out, "        {kind} {attribute}.timeSamples = {{")?;
                copy(part, out)?;
                writeln!(out, "        }}")?;
            }
        }
        None => {
            let points = &cast.mesh.positions[group.vertices.clone()];
            let arrays = [points, &normals[group.vertices.clone()], &extent(points)];
            for ((attribute, kind), vectors) in SAMPLED.iter().zip(TYPES).zip(arrays) {
                write!(out, "        {kind} {attribute} = [")?;
                let vector = |k: usize, list: &mut Vec<u8>| {
                    list.extend_from_slice(if k == 0 { b"(" } else { b", (" });
                    text::triple(list, vectors[k].as_vec3().to_array(), b", ");
                    list.push(b')');
                };
                text::items(vectors.len(), vector, |list| out.write_all(list))?;
                writeln!(out, "]")?;
            }
        }
    }
    out.write_all(&END[..BODY_END])
}

fn indices(out: &mut impl Write, name: &str, triangles: &[[u32; 3]]) -> io::Result<()> {
    write!(out, "        int[] {name} = [")?;
    let corners = |t: usize, list: &mut Vec<u8>| {
        for (k, corner) in triangles[t].into_iter().enumerate() {
            list.extend_from_slice(if (t, k) == (0, 0) { b"" } else { b", " });
            text::whole(list, corner);
        }
    };
    text::items(triangles.len(), corners, |list| out.write_all(list))?;
    writeln!(out, "]")
}

/// Texture coordinates: one pair per vertex, or at a seam an index per corner.
fn write_uv(out: &mut impl Write, group: &Group) -> io::Result<()> {
    let count = group.vertices.len();
    let table = UvTable::new(count, &group.triangles, &group.uv);
    let seamless = table.is_seamless(count);
    let mut list = Vec::new();
    for (k, pair) in table.pairs.iter().enumerate() {
        list.extend_from_slice(if k == 0 { b"(" } else { b", (" });
        text::single(&mut list, pair.x as f32);
        list.extend_from_slice(b", ");
        text::single(&mut list, pair.y as f32);
        list.push(b')');
    }
    write!(out, "        texCoord2f[] primvars:st = [")?;
    out.write_all(&list)?;
    let interpolation = if seamless { "vertex" } else { "faceVarying" };
    writeln!(out, "] (\n            interpolation = \"{interpolation}\"\n        )")?;
    if !seamless {
        indices(out, "primvars:st:indices", &table.corners)?;
    }
    Ok(())
}

/// A name that USD allows: letters, digits and `_`, not beginning with a digit.
fn identifier(name: &str, taken: &[String]) -> String {
    let plain = text::plain_name(name, &[]).replace('-', "_");
    let begins_well = plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let plain = if begins_well { plain } else { format!("_{plain}") };
    text::plain_name(&plain, taken)
}

fn quoted(text: &str) -> String {
    let escape = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => " ".to_string(),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}
