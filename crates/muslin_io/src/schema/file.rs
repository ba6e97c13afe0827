//! Keys of `shape = { kind = "file", … }` and of maps.

use super::{
    Absent::{Is, Means, Required},
    Kind::{Names, Number, Text, Texts, Variant},
    Range, TableSchema, key,
};
use crate::meshes::repair::REPAIRS;

/// Times and offsets of animations [s].
const TIME: Range = Range::between(0.0, 1e6);

/// A cloth from a file.
#[rustfmt::skip] // one line per key, as the table it is
pub const CLOTH_FILE: TableSchema = TableSchema {
    name: "file",
    doc: "A mesh from an OBJ, PLY, STL, glTF, GLB or USDA file, plain or with `.gz` or `.xz`.",
    keys: &[
        key("path", Text, "-", Required, "The file, relative to the scene file"),
        key("parts", Texts, "-", Means("the whole file"), "Names of the objects to take out of the file, one or several"),
        key("unit", Variant(UNITS), "-", Means("the file's, else `m`"), "Unit of the file's lengths"),
        key("up", Variant(UP_AXES), "-", Means("the file's, else `z`"), "Which of the file's axes points up"),
        key("rest", Variant(RESTS), "-", Means("`pattern` if the file's coordinates have the lengths of its mesh, else `mesh`"), "Where the rest shape comes from"),
        key("repair", Names(&REPAIRS), "-", Is("[]"), "Repairs that are allowed; without them a broken mesh is refused"),
    ],
};

/// An obstacle from a file.
#[rustfmt::skip] // one line per key, as the table it is
pub const OBSTACLE_FILE: TableSchema = TableSchema {
    name: "file",
    doc: "A mesh from an OBJ, PLY, STL, glTF, GLB or USDA file, plain or with `.gz` or `.xz`; a sequence of such files if the name has a `*` for the frame's number.",
    keys: &[
        key("path", Text, "-", Required, "The file, relative to the scene file"),
        key("parts", Texts, "-", Means("the whole file"), "Names of the objects to take out of the file, one or several"),
        key("unit", Variant(UNITS), "-", Means("the file's, else `m`"), "Unit of the file's lengths"),
        key("up", Variant(UP_AXES), "-", Means("the file's, else `z`"), "Which of the file's axes points up"),
        key("repair", Names(&REPAIRS), "-", Is("[]"), "Repairs that are allowed; without them a broken mesh is refused"),
        key("animation", Text, "-", Means("the rest pose, or the frames of a sequence"), "Name of an animation in the file, or a PC2 or MDD cache beside it"),
        key("frames_per_second", Number(Range::between(1e-3, 1e6)), "1/s", Is("24"), "Frames per second of a sequence or a PC2 cache"),
        key("offset", Number(TIME), "s", Is("0"), "Time of the animation at which it begins"),
        key("speed", Number(Range::between(1e-3, 1e3)), "-", Is("1"), "Seconds of the animation per second of the scene"),
        key("lead_in", Number(TIME), "s", Is("0"), "How long the first pose stands before the animation begins"),
        key("after", Variant(AFTER), "-", Is("\"hold\""), "What happens when the animation has ended"),
    ],
};

/// Choices of `unit`.
#[rustfmt::skip] // one line per key, as the table it is
pub const UNITS: &[TableSchema] = &[
    TableSchema { name: "m", doc: "Metres.", keys: &[] },
    TableSchema { name: "cm", doc: "Centimetres.", keys: &[] },
    TableSchema { name: "mm", doc: "Millimetres.", keys: &[] },
    TableSchema { name: "inch", doc: "Inches, 0.0254 m.", keys: &[] },
];

/// Choices of `up`.
#[rustfmt::skip] // one line per key, as the table it is
pub const UP_AXES: &[TableSchema] = &[
    TableSchema { name: "z", doc: "z, as in the scene.", keys: &[] },
    TableSchema { name: "y", doc: "y; the mesh is turned about x by 90°.", keys: &[] },
];

/// Choices of `rest`.
#[rustfmt::skip] // one line per key, as the table it is
pub const RESTS: &[TableSchema] = &[
    TableSchema { name: "pattern", doc: "The file's texture coordinates, as a flat pattern in the file's unit.", keys: &[] },
    TableSchema { name: "mesh", doc: "Every triangle as it stands in space, flattened; the warp runs along x.", keys: &[] },
];

/// Choices of `after`.
#[rustfmt::skip] // one line per key, as the table it is
pub const AFTER: &[TableSchema] = &[
    TableSchema { name: "hold", doc: "The last pose stays.", keys: &[] },
    TableSchema { name: "loop", doc: "The animation begins again.", keys: &[] },
];
