//! Keys of `[[obstacle]]` and of keyframes.

use super::{
    Absent::{Is, Means, Required},
    Kind::{Integer, Integers2, Number, Scale, Tables, Text, Variant, Vector3},
    Range, TableSchema,
    cloth::{ANGLE, COORDINATE, LENGTH, SCALE},
    key,
};

/// Segments around a curved surface.
const SEGMENTS: Range = Range::between(3.0, 1_000.0);

/// `[[obstacle]]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const OBSTACLE: TableSchema = TableSchema {
    name: "obstacle",
    doc: "An obstacle. It is made around its own origin, then scaled, rotated and moved to its place.",
    keys: &[
        key("name", Text, "-", Means("the shape's name, with a number if there are several"), "Name in messages and files"),
        key("shape", Variant(OBSTACLE_SHAPES), "-", Required, "Shape and mesh; curved meshes circumscribe the true surface"),
        key("translation", Vector3(COORDINATE), "m", Is("[0, 0, 0]"), "Where the shape's origin stands"),
        key("rotation_axis", Vector3(COORDINATE), "-", Is("[0, 0, 1]"), "Axis of the rotation"),
        key("rotation_degrees", Number(ANGLE), "°", Is("0"), "Angle of the rotation; quarter turns about x, y or z are exact"),
        key("scale", Scale(SCALE), "-", Is("1"), "Scale along the shape's own axes"),
        key("friction", super::Kind::Friction, "-", Means("the cloth's `friction_object`, or that of `[settings.contact]`"), "Friction of cloth on this obstacle"),
        key("keyframes", Tables(&KEYFRAME), "-", Means("the obstacle stands still"), "Poses over time"),
        key("pivot", Vector3(COORDINATE), "m", Means("the obstacle's `translation`"), "Centre of the keyframes' rotation and scale"),
    ],
};

/// An entry of `keyframes`.
#[rustfmt::skip] // one line per key, as the table it is
pub const KEYFRAME: TableSchema = TableSchema {
    name: "keyframes",
    doc: "A pose at a time, relative to the start. Between two poses everything moves evenly; before the first and after the last the pose holds.",
    keys: &[
        key("time", Number(Range::between(0.0, 1e6)), "s", Required, "When; times ascend"),
        key("translation", Vector3(COORDINATE), "m", Is("[0, 0, 0]"), "Displacement from the start"),
        key("rotation_axis", Vector3(COORDINATE), "-", Is("[0, 0, 1]"), "Axis of the rotation about the pivot"),
        key("rotation_degrees", Number(ANGLE), "°", Is("0"), "Angle from the start pose, any number of turns"),
        key("scale", Scale(SCALE), "-", Is("1"), "Scale about the pivot"),
    ],
};

/// Choices of an obstacle's `shape`.
#[rustfmt::skip] // one line per key, as the table it is
pub const OBSTACLE_SHAPES: &[TableSchema] = &[
    TableSchema {
        name: "sphere",
        doc: "A sphere around the origin.",
        keys: &[
            key("radius", Number(LENGTH), "m", Required, "Radius"),
            key("subdivisions", Integer(Range::between(0.0, 8.0)), "-", Is("4"), "Subdivisions of the icosahedron: 20 · 4ⁿ triangles"),
        ],
    },
    TableSchema {
        name: "box",
        doc: "A box around the origin.",
        keys: &[key("size", Vector3(LENGTH), "m", Required, "Side lengths")],
    },
    TableSchema {
        name: "torus",
        doc: "A torus around the z axis.",
        keys: &[
            key("radius", Number(LENGTH), "m", Required, "Radius of the centre line"),
            key("tube", Number(LENGTH), "m", Required, "Radius of the tube, smaller than `radius`"),
            key("segments", Integers2(SEGMENTS), "-", Is("[48, 24]"), "Segments around the axis and around the tube"),
        ],
    },
    TableSchema {
        name: "capsule",
        doc: "A capsule along the z axis.",
        keys: &[
            key("radius", Number(LENGTH), "m", Required, "Radius"),
            key("length", Number(LENGTH), "m", Required, "Length of the straight part"),
            key("segments", Integer(SEGMENTS), "-", Is("32"), "Segments around"),
        ],
    },
    TableSchema {
        name: "plane",
        doc: "A square piece of the plane z = 0.",
        keys: &[key("size", Number(LENGTH), "m", Is("10"), "Side length")],
    },
    TableSchema {
        name: "funnel",
        doc: "An open funnel around the z axis: a cone on a pipe.",
        keys: &[
            key("top_radius", Number(LENGTH), "m", Required, "Radius at the top, larger than `pipe_radius`"),
            key("pipe_radius", Number(LENGTH), "m", Required, "Radius of the pipe"),
            key("cone_height", Number(LENGTH), "m", Required, "Height of the cone"),
            key("pipe_length", Number(LENGTH), "m", Required, "Length of the pipe"),
            key("segments", Integer(SEGMENTS), "-", Is("48"), "Segments around"),
        ],
    },
    TableSchema {
        name: "figure",
        doc: "A human-shaped figure that stands on z = 0 with its arms held away, looking along −y.",
        keys: &[
            key("height", Number(LENGTH), "m", Is("1.7"), "Height"),
            key("cells", Integer(Range::between(20.0, 200.0)), "-", Is("40"), "Cells of its grid along the height; 40 make about 9000 triangles"),
        ],
    },
    super::file::OBSTACLE_FILE,
];
