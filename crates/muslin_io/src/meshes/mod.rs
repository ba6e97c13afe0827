//! Reads meshes from files: exact numbers, the file's own order, and faults with their place and remedy.
//!
//! [`read`] opens a path, [`read_bytes`] what is in memory; both choose the reader by the file's name, then by its
//! content, and unpack `.gz` and `.xz` on the way. The result is plain data in the file's units ([`FileMesh`]).
//!
//! Why own readers: the crates for OBJ and PLY either hold a whole file next to its mesh, lose the line number of
//! a fault, round to single precision, or allocate what a header claims. Here memory is bounded by the size of
//! the file, whatever a header claims, and nothing a file contains makes the program panic.
//!
//! ```
//! let mesh = muslin_io::meshes::read_bytes("t.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec())?;
//! assert_eq!(mesh.triangles, [[0, 1, 2]]);
//!
//! let fault = muslin_io::meshes::read_bytes("t.obj", b"v 0 0 0\nf 1 2 3\n".to_vec()).unwrap_err();
//! assert_eq!(
//!     fault.to_string(),
//!     "t.obj:2: a face names `v` 3, but the file has only 1; correct the index or complete the file"
//! );
//! # Ok::<(), muslin_io::meshes::MeshFileError>(())
//! ```

pub mod caches;
mod error;
mod file_mesh;
mod gltf;
pub mod health;
mod obj;
pub mod orientation;
pub mod pattern;
mod ply;
pub mod polygons;
pub mod repair;
pub mod size;
mod stl;
pub mod surface;
mod usda;

pub use error::{CHECK_PATH, Fault, FaultKind, MeshFileError, Place};
pub use file_mesh::{Attribute, Clip, Corners, FileMesh, Part, UpAxis};

use crate::input::Input;
use std::path::Path;

/// A kind of mesh file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// Stanford PLY, text or binary.
    Ply,
    /// STL, text or binary.
    Stl,
    /// glTF 2.0, text or GLB.
    Gltf,
    /// USD as text.
    Usda,
}

/// Every format with the ending of its files.
const ENDINGS: [(MeshFormat, &str); 7] = [
    (MeshFormat::Obj, ".obj"),
    (MeshFormat::Ply, ".ply"),
    (MeshFormat::Stl, ".stl"),
    (MeshFormat::Gltf, ".gltf"),
    (MeshFormat::Gltf, ".glb"),
    (MeshFormat::Usda, ".usda"),
    (MeshFormat::Usda, ".usd"),
];

/// Reads a mesh file.
pub fn read(path: impl AsRef<Path>) -> Result<FileMesh, MeshFileError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let read = || {
        let mut input = Input::open(path)?;
        dispatch(&mut input, &name, path.parent())
    };
    read().map_err(|fault: Fault| fault.in_file(&name))
}

/// Reads the bytes of a mesh file; `name` serves messages and the choice of the reader.
pub fn read_bytes(name: &str, bytes: Vec<u8>) -> Result<FileMesh, MeshFileError> {
    let read = || {
        let mut input = Input::from_bytes(bytes)?;
        dispatch(&mut input, name, None)
    };
    read().map_err(|fault: Fault| fault.in_file(name))
}

fn dispatch(input: &mut Input, name: &str, folder: Option<&Path>) -> Result<FileMesh, Fault> {
    match format_of(name, input.peek()?) {
        Some(MeshFormat::Obj) => obj::read(input),
        Some(MeshFormat::Ply) => ply::read(input),
        Some(MeshFormat::Stl) => stl::read(input),
        Some(MeshFormat::Gltf) => gltf::read(input, folder),
        Some(MeshFormat::Usda) => usda::read(input),
        None => Err(unknown(name)),
    }
}

/// Endings of files that people have and that are not read here: what they are, and what to do.
const OTHERS: [(&[&str], &str, &str); 4] = [
    (&[".csv"], "this is a table of numbers and holds no mesh", "give a mesh, or the directory of a run"),
    (&[".npz", ".pvd", ".vtp", ".pc2", ".mdd"], "this is made of frames and is no mesh", FRAMES),
    (&[".usdc", ".usdz"], "this is a binary USD file", "export it as .usda"),
    (
        &[".fbx", ".abc", ".dae", ".blend", ".3mf", ".3ds", ".bvh", ".step", ".stp"],
        "this kind of file is not read",
        "export it as glTF, USDA, OBJ, PLY or STL",
    ),
];
const FRAMES: &str =
    "`muslin convert` makes meshes of frames; a PC2 or MDD cache moves an obstacle by its key `animation`";

/// What is said about a file that no reader knows.
fn unknown(name: &str) -> Fault {
    let lower = name.to_ascii_lowercase();
    let plain = lower.strip_suffix(".gz").or(lower.strip_suffix(".xz")).unwrap_or(&lower);
    let other = OTHERS.iter().find(|(endings, ..)| endings.iter().any(|ending| plain.ends_with(ending)));
    let (message, remedy) = match other {
        Some((_, message, remedy)) => (*message, remedy.to_string()),
        None => {
            let endings: Vec<&str> = ENDINGS.iter().map(|(_, ending)| *ending).collect();
            let remedy = format!("give it one of the endings {}, plain or with .gz or .xz", endings.join(", "));
            ("neither its name nor its first bytes tell what kind of file it is", remedy)
        }
    };
    Fault::new(Place::File, FaultKind::Unsupported, message, remedy)
}

/// The format by the name's ending, else by the first bytes (already unpacked).
pub fn format_of(name: &str, start: &[u8]) -> Option<MeshFormat> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".xz")).unwrap_or(&name);
    let by_name = ENDINGS.iter().find(|(_, ending)| name.ends_with(ending)).map(|(format, _)| *format);
    by_name.or_else(|| {
        let text = start.trim_ascii_start();
        let begins = |words: &[&[u8]]| words.iter().any(|w| text.starts_with(w));
        if begins(&[b"ply\n", b"ply\r"]) {
            Some(MeshFormat::Ply)
        } else if begins(&[b"glTF", b"{"]) {
            Some(MeshFormat::Gltf)
        } else if begins(&[b"#usda", b"PXR-USDC"]) {
            Some(MeshFormat::Usda)
        } else if begins(&[b"solid"]) {
            Some(MeshFormat::Stl)
        } else if begins_like_obj(text) {
            Some(MeshFormat::Obj)
        } else {
            None
        }
    })
}

/// Whether the first line that is no comment begins with a word of OBJ.
fn begins_like_obj(text: &[u8]) -> bool {
    const WORDS: [&[u8]; 9] = [b"v", b"vt", b"vn", b"f", b"o", b"g", b"s", b"mtllib", b"usemtl"];
    let lines = text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(b"#")).unwrap_or_default();
    let mut words = first.split(|b| b.is_ascii_whitespace());
    words.next().is_some_and(|word| WORDS.contains(&word)) && words.next().is_some()
}

/// A number of a text file.
fn number(token: &[u8], place: Place) -> Result<f64, Fault> {
    std::str::from_utf8(token).ok().and_then(|text| text.parse::<f64>().ok()).ok_or_else(|| {
        let remedy = if token.contains(&b',') { "write numbers with a decimal point" } else { "correct it" };
        Fault::new(place, FaultKind::Value, format!("`{}` is no number", excerpt(token)), remedy)
    })
}

/// Longest piece of a file that a message quotes [bytes].
const EXCERPT: usize = 40;

/// A piece of a file, fit for a message.
fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(EXCERPT)]);
    let clean: String = text.chars().map(|c| if c.is_control() || c == '\u{fffd}' { '?' } else { c }).collect();
    if bytes.len() > EXCERPT { format!("{clean}…") } else { clean }
}
