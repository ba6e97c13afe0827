//! The formats of frames, by name.

use super::{
    cache::{CacheKind, CacheWriter},
    csv::CsvWriter,
    gltf::GltfWriter,
    npz::NpzWriter,
    obj::ObjEncoder,
    ply::PlyEncoder,
    sequence::SequenceWriter,
    usd::UsdWriter,
    vtk::VtkWriter,
    writer::FrameWriter,
};
use std::{path::Path, str::FromStr};

/// A format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// NumPy archives `frames.npz` and `obstacles.npz`.
    Npz,
    /// A sequence of binary PLY files.
    Ply,
    /// A sequence of OBJ files.
    Obj,
    /// VTP files with fields, and a list of them for ParaView.
    Vtk,
    /// Point caches of 3ds Max, with meshes and a script for Blender.
    Pc2,
    /// Point caches of LightWave, with meshes and a script for Blender.
    Mdd,
    /// A USD layer, `frames.usda`.
    Usd,
    /// A GLB file, `frames.glb`.
    Gltf,
    /// Quantities of the whole cloth, `totals.csv`.
    Csv,
}

/// What a writer needs of each frame beyond positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Normals of the vertices.
    pub normals: bool,
    /// Quantities on the cloth.
    pub fields: bool,
    /// Quantities of the whole cloth.
    pub totals: bool,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 9] = [
        Format::Npz,
        Format::Ply,
        Format::Obj,
        Format::Vtk,
        Format::Pc2,
        Format::Mdd,
        Format::Usd,
        Format::Gltf,
        Format::Csv,
    ];

    /// Its name on the command line and in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Format::Npz => "npz",
            Format::Ply => "ply",
            Format::Obj => "obj",
            Format::Vtk => "vtk",
            Format::Pc2 => "pc2",
            Format::Mdd => "mdd",
            Format::Usd => "usd",
            Format::Gltf => "gltf",
            Format::Csv => "csv",
        }
    }

    /// What its writer needs of each frame beyond positions.
    pub fn needs(self) -> Needs {
        match self {
            Format::Ply | Format::Obj | Format::Usd => Needs { normals: true, ..Needs::default() },
            Format::Vtk => Needs { normals: true, fields: true, ..Needs::default() },
            Format::Csv => Needs { totals: true, ..Needs::default() },
            Format::Npz | Format::Pc2 | Format::Mdd | Format::Gltf => Needs::default(),
        }
    }

    /// Whether it has the cloth's shape in each frame, which can be read back and judged.
    pub fn holds_shapes(self) -> bool {
        match self {
            Format::Npz | Format::Ply | Format::Obj | Format::Vtk => true,
            Format::Pc2 | Format::Mdd | Format::Usd | Format::Gltf => true,
            Format::Csv => false,
        }
    }

    /// Files and directories that show that a run has written, or is writing, this format.
    pub fn traces(self) -> &'static [&'static str] {
        match self {
            Format::Npz => &["frames.npz", "frames.npz.partial", "obstacles.npz", "obstacles.npz.partial"],
            Format::Ply => &["ply", "ply.checksums.partial"],
            Format::Obj => &["obj", "obj.checksums.partial"],
            Format::Vtk => &["vtk", "vtk.checksums.partial"],
            Format::Pc2 => &["pc2"],
            Format::Mdd => &["mdd"],
            Format::Usd => {
                &["frames.usda", "frames.usda.partial", "frames.usda.samples.partial", "frames.usda.room.partial"]
            }
            Format::Gltf => {
                &["frames.glb", "frames.glb.partial", "frames.glb.samples.partial", "frames.glb.room.partial"]
            }
            Format::Csv => &["totals.csv"],
        }
    }

    /// What only going on needs, and a complete run does not.
    pub fn leftovers(self) -> &'static [&'static str] {
        match self {
            Format::Ply => &["ply.checksums.partial"],
            Format::Obj => &["obj.checksums.partial"],
            Format::Vtk => &["vtk.checksums.partial"],
            Format::Usd => &["frames.usda.samples.partial", "frames.usda.room.partial"],
            Format::Gltf => &["frames.glb.samples.partial", "frames.glb.room.partial"],
            Format::Npz | Format::Pc2 | Format::Mdd | Format::Csv => &[],
        }
    }

    /// A writer of this format into a directory.
    pub fn writer(self, directory: &Path) -> Box<dyn FrameWriter> {
        match self {
            Format::Npz => Box::new(NpzWriter::new(directory)),
            Format::Ply => Box::new(SequenceWriter::<PlyEncoder>::new(directory)),
            Format::Obj => Box::new(SequenceWriter::<ObjEncoder>::new(directory)),
            Format::Vtk => Box::new(VtkWriter::new(directory)),
            Format::Pc2 => Box::new(CacheWriter::new(CacheKind::Pc2, directory)),
            Format::Mdd => Box::new(CacheWriter::new(CacheKind::Mdd, directory)),
            Format::Usd => Box::new(UsdWriter::new(directory)),
            Format::Gltf => Box::new(GltfWriter::new(directory)),
            Format::Csv => Box::new(CsvWriter::new(directory)),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Format::ALL.map(Format::name);
        Format::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| {
            let hint = crate::scene_file::nearest(name, known).map(|n| format!("; did you mean `{n}`?"));
            format!("`{name}` is not a format; there are {}{}", known.join(", "), hint.unwrap_or_default())
        })
    }
}
