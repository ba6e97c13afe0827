//! Keys at the top of a scene file, and everything around the cloth.

use super::{
    Absent::{Is, Means, Required},
    Kind::{Flag, Formats, Number, Parameters, Table, Tables, Text, Texts, Vector3},
    Range, TableSchema,
    cloth::{CLOTH, COORDINATE},
    key,
    obstacle::OBSTACLE,
    settings::SETTINGS,
};

/// The file itself.
#[rustfmt::skip] // one line per key, as the table it is
pub const SCENE: TableSchema = TableSchema {
    name: "scene",
    doc: "The file itself.",
    keys: &[
        key("name", Text, "-", Means("the name of the file"), "Short name, used for the directory of results"),
        key("description", Text, "-", Is("\"\""), "One line for listings"),
        key("duration", Number(Range::above(0.0, 1e5)), "s", Required, "Simulated time, rounded to whole frames"),
        key("frames_per_second", Number(Range::above(0.0, 1e5)), "1/s", Is("60"), "Output frames per second"),
        key("formats", Formats, "-", Means("`npz`"), "What a run writes of its frames, unless `--format` says otherwise; an empty list writes none"),
        key("parameters", Parameters, "-", Means("no parameters"), "Named values with defaults, used anywhere as `\"$name\"` and set with `--set name=value`"),
        key("settings", Table(&SETTINGS), "-", Means("all defaults"), "How the scene is solved"),
        key("environment", Table(&ENVIRONMENT), "-", Means("all defaults"), "Gravity and air"),
        key("cloth", Tables(&CLOTH), "-", Required, "The cloths, at least one"),
        key("obstacle", Tables(&OBSTACLE), "-", Means("none"), "The obstacles"),
        key("start", Table(&START), "-", Means("a start that is too near is refused"), "What to do where cloth starts crossing something or too near to it"),
        key("claims", Table(&CLAIMS), "-", Means("no promises"), "What the scene promises about its result; checked after the run"),
        key("camera", Table(&CAMERA), "-", Means("a view that shows everything"), "Where pictures look from"),
    ],
};

/// `[environment]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const ENVIRONMENT: TableSchema = TableSchema {
    name: "environment",
    doc: "Gravity and air.",
    keys: &[
        key("gravity", Vector3(Range::between(-1e4, 1e4)), "m/s²", Is("[0, 0, -9.81]"), "Gravitational acceleration"),
        key("viscous_drag", Number(Range::between(0.0, 1e6)), "1/s", Is("0"), "Drag on each vertex: force = −drag · mass · velocity"),
        key("wind", Table(&WIND), "-", Means("still air without drag"), "Moving air that presses on the cloth"),
    ],
};

/// `[environment.wind]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const WIND: TableSchema = TableSchema {
    name: "wind",
    doc: "Air that presses on each triangle along its normal: ½ · density · normal_drag · area · |w·n| (w·n) n, with w the air's velocity relative to the cloth.",
    keys: &[
        key("velocity", Vector3(Range::between(-1e3, 1e3)), "m/s", Is("[0, 0, 0]"), "Mean velocity of the air"),
        key("density", Number(Range::between(0.0, 1e4)), "kg/m³", Is("1.204"), "Density of the air"),
        key("normal_drag", Number(Range::between(0.0, 100.0)), "-", Is("1"), "Drag coefficient along the normal; without `[environment.wind]` it is 0"),
        key("gusts", Tables(&GUST), "-", Means("none"), "Sinusoidal gusts, added to the mean velocity"),
    ],
};

/// An entry of `gusts`.
#[rustfmt::skip] // one line per key, as the table it is
pub const GUST: TableSchema = TableSchema {
    name: "gusts",
    doc: "A gust: velocity · sin(2π (t / period + phase)).",
    keys: &[
        key("velocity", Vector3(Range::between(-1e3, 1e3)), "m/s", Required, "Amplitude"),
        key("period", Number(Range::above(0.0, 1e5)), "s", Required, "Time of one swing"),
        key("phase", Number(Range::between(-1e6, 1e6)), "turns", Is("0"), "Phase at the start"),
    ],
};

/// `[start]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const START: TableSchema = TableSchema {
    name: "start",
    doc: "What to do where cloth starts crossing something, too near to it or inside it. Without it a scene that crosses or is too near is refused, with every place; cloth wholly inside a closed obstacle is told in a warning.",
    keys: &[
        key("untangle", Flag, "-", Is("false"), "Push cloth apart and out of obstacles before time begins"),
        key("inside", Texts, "-", Means("none"), "Cloths that belong inside a closed obstacle, as the content of a bag does: untangling leaves them there, and no warning tells of them"),
        key("exempt", Tables(&EXEMPT), "-", Means("nothing"), "Where contact is switched off until things have separated"),
    ],
};

/// An entry of `start.exempt`.
#[rustfmt::skip] // one line per key, as the table it is
pub const EXEMPT: TableSchema = TableSchema {
    name: "exempt",
    doc: "Two bodies: contact leaves alone what of them starts crossing, inside or too near, until it has separated. The report is not `clean` as long.",
    keys: &[
        key("bodies", Texts, "-", Required, "Names of the two bodies; one name for a cloth and itself"),
        key("low", Vector3(COORDINATE), "m", Means("everywhere"), "Low corner of the box in which this holds; needs `high`"),
        key("high", Vector3(COORDINATE), "m", Means("everywhere"), "High corner of the box"),
    ],
};

/// `[claims]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const CLAIMS: TableSchema = TableSchema {
    name: "claims",
    doc: "What the scene promises about its result. A run that breaks a claim ends with a failure.",
    keys: &[
        key("max_strain_below", Number(Range::above(0.0, 1e6)), "-", Means("no claim"), "Largest warp or weft strain over the run"),
        key("final_speed_below", Number(Range::above(0.0, 1e6)), "m/s", Means("no claim"), "Largest speed of a cloth vertex at the end"),
    ],
};

/// `[camera]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const CAMERA: TableSchema = TableSchema {
    name: "camera",
    doc: "Where pictures look from.",
    keys: &[
        key("position", Vector3(Range::between(-1e6, 1e6)), "m", Required, "Where the camera is"),
        key("target", Vector3(Range::between(-1e6, 1e6)), "m", Is("[0, 0, 0]"), "What it looks at"),
        key("field_of_view_degrees", Number(Range::between(1.0, 150.0)), "°", Is("35"), "Vertical field of view"),
    ],
};
