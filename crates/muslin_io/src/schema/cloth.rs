//! Keys of `[[cloth]]`.

use super::{
    Absent::{Is, Means, Required},
    Kind::{
        Axes, Field, Flag, Integer, Integers, Integers2, Number, Places, Scale, Table, Tables, Text, Variant, Vector2,
        Vector3,
    },
    Range, TableSchema, key,
};

/// Lengths [m]: anything between a micrometre and a thousand kilometres.
pub(super) const LENGTH: Range = Range::between(1e-6, 1e6);
/// Coordinates [m].
pub(super) const COORDINATE: Range = Range::between(-1e6, 1e6);
/// Numbers of vertices in one direction.
pub(super) const COUNT: Range = Range::between(2.0, 20_000.0);
/// Angles [°], many turns.
pub(super) const ANGLE: Range = Range::between(-1e9, 1e9);
/// Scales [-]: zero would flatten a body, a negative number would turn it inside out.
pub(super) const SCALE: Range = Range::between(1e-6, 1e6);

/// `[[cloth]]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const CLOTH: TableSchema = TableSchema {
    name: "cloth",
    doc: "A cloth. It is made flat from its shape, then scaled, rotated and moved to its place.",
    keys: &[
        key("name", Text, "-", Means("`cloth`, with a number if there are several"), "Name in messages and files"),
        key("shape", Variant(CLOTH_SHAPES), "-", Required, "Shape and mesh"),
        key("translation", Vector3(COORDINATE), "m", Is("[0, 0, 0]"), "Where the shape's origin stands"),
        key("rotation_axis", Vector3(COORDINATE), "-", Is("[0, 0, 1]"), "Axis of the rotation"),
        key("rotation_degrees", Number(ANGLE), "°", Is("0"), "Angle of the rotation; quarter turns about x, y or z are exact"),
        key("scale", Scale(SCALE), "-", Is("1"), "Scale of the start positions; the rest shape keeps its size, so this stretches the cloth"),
        key("material", super::Kind::Material, "-", Is("\"woven-cotton\""), "Fabric: a name that `muslin fabrics` lists, or a table `{ base = \"woven-cotton\", shear = 200 }`"),
        key("friction_object", super::Kind::Friction, "-", Means("that of `[settings.contact]`"), "Friction of this cloth on obstacles that have no `friction` of their own"),
        key("friction_cloth", super::Kind::Friction, "-", Means("that of `[settings.contact]`"), "Friction of this cloth on itself and on other cloth"),
        key("warp_degrees", Number(Range::between(-360.0, 360.0)), "°", Is("0"), "Direction of the warp, as an angle from the shape's x axis"),
        key("stretch", Variant(STRETCH_MODELS), "-", Is("\"membrane\""), "Membrane model"),
        key("bend", Variant(BEND_MODELS), "-", Is("\"curvature\""), "Bending model"),
        key("pin", Tables(&PIN), "-", Means("the cloth is free"), "Vertices that are held"),
        key("load", Tables(&LOAD), "-", Means("no force but those of the scene"), "Forces on single vertices"),
        key("wrinkle", Tables(&WRINKLE), "-", Means("none but those that the run makes"), "Wrinkles that the cloth remembers from the start; for `wrinkle_memory`"),
        key("wrinkle_drape", Text, "-", Means("no drape"), "A file with the shape in which another run of the same cloth ended: its bends beyond `wrinkle_degrees` are remembered from the start; for `wrinkle_memory`"),
        key("velocity", Vector3(Range::between(-1e5, 1e5)), "m/s", Is("[0, 0, 0]"), "Velocity at the start"),
        key("angular_velocity_degrees", Vector3(ANGLE), "°/s", Is("[0, 0, 0]"), "Rotation at the start about the centroid: axis times degrees per second"),
        key("perturbation", Number(Range::between(0.0, 1.0)), "m", Is("0"), "Out-of-plane noise on the start positions that breaks a perfect symmetry"),
        key("perturbation_seed", Integer(Range::between(0.0, 9e15)), "-", Is("0"), "Which noise: 0 is even, every other number another random one"),
    ],
};

/// Choices of a cloth's `shape`.
#[rustfmt::skip] // one line per key, as the table it is
pub const CLOTH_SHAPES: &[TableSchema] = &[
    TableSchema {
        name: "grid",
        doc: "A rectangle in the xy plane around the origin; the warp runs along x.",
        keys: &[
            key("size", Vector2(LENGTH), "m", Required, "Side lengths along x and y"),
            key("vertices", Integers2(COUNT), "-", Required, "Vertices along x and y"),
            key("triangulation", Variant(TRIANGULATIONS), "-", Is("\"right-diagonal\""), "How cells are cut into triangles"),
            key("straight_columns", Integer(Range::between(0.0, 20000.0)), "-", Is("0"), "Columns from low x that stay straight in an irregular triangulation, for a clamp that ends in a line"),
        ],
    },
    TableSchema {
        name: "disc",
        doc: "A disc in the xy plane around the origin.",
        keys: &[
            key("radius", Number(LENGTH), "m", Required, "Radius"),
            key("rings", Integer(Range::between(1.0, 1_000.0)), "-", Required, "Rings of triangles between centre and rim"),
        ],
    },
    TableSchema {
        name: "tube",
        doc: "An open tube around the z axis.",
        keys: &[
            key("radius", Number(LENGTH), "m", Required, "Radius"),
            key("height", Number(LENGTH), "m", Required, "Height"),
            key("vertices", Integers2(Range::between(3.0, 20_000.0)), "-", Required, "Vertices around and along"),
        ],
    },
    TableSchema {
        name: "reef-strand",
        doc: "One of the two ribbons of a loose reef knot around the origin, standing on its edge.",
        keys: &[
            key("strand", Integer(Range::between(1.0, 2.0)), "-", Required, "1 has its ends at −8 sizes along x, 2 goes around it and has them at +9"),
            key("size", Number(LENGTH), "m", Required, "Half of the distance between the legs of the first"),
            key("width", Number(LENGTH), "m", Required, "Width of the ribbon, at most a quarter of `size`"),
            key("vertices", Integers2(Range::between(2.0, 20_000.0)), "-", Required, "Vertices along, at least 10, and across"),
        ],
    },
    TableSchema {
        name: "rabbit",
        doc: "A sitting rabbit, closed and hollow, that stands on z = 0 and looks along −y. Every triangle is at rest as it stands; `rest = \"start\"` of `bend` keeps it round.",
        keys: &[
            key("height", Number(LENGTH), "m", Is("0.2"), "Height with its ears"),
            key("cells", Integer(Range::between(28.0, 200.0)), "-", Is("32"), "Cells of its grid along the height, at least 28 for the ears; 32 make about 10,000 triangles"),
        ],
    },
    super::file::CLOTH_FILE,
];

/// Choices of `triangulation`.
#[rustfmt::skip] // one line per key, as the table it is
pub const TRIANGULATIONS: &[TableSchema] = &[
    TableSchema { name: "right-diagonal", doc: "Every diagonal runs from the low corner to the high one.", keys: &[] },
    TableSchema { name: "alternating", doc: "Diagonals alternate like a chess board.", keys: &[] },
    TableSchema {
        name: "irregular",
        doc: "Vertices are moved by up to 30 % of a cell and each cell takes the diagonal that leaves the rounder triangles.",
        keys: &[key("seed", Integer(Range::between(0.0, 9e15)), "-", Is("1"), "Seed of the pattern")],
    },
];

/// Spring constants.
const SPRING: Range = Range::between(0.0, 1e12);

/// Choices of `stretch`.
#[rustfmt::skip] // one line per key, as the table it is
pub const STRETCH_MODELS: &[TableSchema] = &[
    TableSchema { name: "membrane", doc: "Orthotropic St. Venant–Kirchhoff membrane.", keys: &[] },
    TableSchema { name: "tabulated", doc: "The same membrane with the fabric's measured stiffness over strain and direction; for fabrics with a table.", keys: &[] },
    TableSchema { name: "hysteresis", doc: "The same membrane with friction between the yarns in shear: the loop of the Kawabata shear test.", keys: &[] },
    TableSchema {
        name: "edge-springs",
        doc: "Springs on the mesh's edges.",
        keys: &[key("tension_only", Flag, "-", Is("false"), "Springs resist tension only")],
    },
    TableSchema {
        name: "grid-springs",
        doc: "Structural and shear springs of a rectangular grid.",
        keys: &[
            key("critical_damping", Flag, "-", Is("false"), "Critical damping √(4 m k) instead of the material's"),
            key("constants", Vector2(SPRING), "N/m", Means("from the material"), "Constants of structural and shear springs"),
            key("force_transfer", Flag, "-", Is("false"), "Outside forces that would carry a vertex too far within a step are shared with the vertices in front of it; for explicit integrators"),
            key("transfer_reach", Number(Range::above(0.0, 1.0)), "-", Is("0.5"), "What is too far, in edges"),
            key("curve", Number(Range::between(0.0, 100.0)), "-", Is("0"), "Shortened springs also lift their ends off the surface, this many times as strongly as they push; for explicit integrators"),
            key("curve_range", Number(Range::between(0.0, 1e6)), "m", Is("0"), "How far at rest a vertex's choice of the side to curve to reaches; 0 lets each vertex choose"),
            key("orthogonal_resistance", Number(SPRING), "m³", Is("0"), "EI of the vertices between two held ones that are as far apart as at rest, or further: their mass counts for more by 3 L EI/(A²(L−A)²); for explicit integrators"),
            key("orthogonal_growth", Number(SPRING), "m³", Is("0"), "What EI grows by, per squared elongation between the held vertices"),
            key("realignment", Number(Range::between(0.0, 1e6)), "-", Is("0"), "Steps in which vertices between two held ones are drawn back into line, at least 2; 0 leaves them; for explicit integrators"),
            key("wrinkle_memory", Number(SPRING), "N·m", Is("0"), "Moment per angle with which sharp bends come back where they once were; for explicit integrators"),
            key("wrinkle_degrees", Number(Range::between(1.0, 179.0)), "°", Is("60"), "Bend beyond which it is remembered"),
            key("wrinkle_permanence", Number(Range::above(0.0, 1.0)), "-", Is("1"), "Part of a remembered bend that stays"),
            key("wrinkle_width", Integer(Range::between(2.0, 64.0)), "-", Is("2"), "Edges between the ends of a remembered bend, an even number"),
        ],
    },
    TableSchema {
        name: "baraff-witkin",
        doc: "Baraff and Witkin's stretch and shear conditions.",
        keys: &[
            key("area_exponent", Number(Range::between(0.0, 2.0)), "-", Is("0.5"), "Exponent of the area that scales the conditions; 0.5 makes the result independent of the mesh"),
            key("rest", Vector2(Range::between(1e-3, 1e3)), "-", Is("[1, 1]"), "Rest lengths along warp and weft"),
        ],
    },
];

/// Choices of `bend`.
#[rustfmt::skip] // one line per key, as the table it is
pub const BEND_MODELS: &[TableSchema] = &[
    TableSchema { name: "curvature", doc: "Curvature tensor per triangle.", keys: &[] },
    TableSchema { name: "tabulated", doc: "The same with the fabric's measured rigidity over curvature and direction; for fabrics with a table.", keys: &[] },
    TableSchema { name: "baraff-witkin", doc: "Baraff and Witkin's bend condition on hinges.", keys: &[] },
    TableSchema { name: "modes", doc: "Bending element with elastic and damping modes.", keys: &[] },
    TableSchema { name: "hinge-springs", doc: "Springs across hinges.", keys: &[] },
    TableSchema {
        name: "grid-flexion",
        doc: "Flexion springs of a rectangular grid over two cells.",
        keys: &[key("constant", Number(SPRING), "N/m", Means("from the material"), "Constant of each spring")],
    },
    TableSchema {
        name: "grid-angular",
        doc: "Angular springs of a rectangular grid.",
        keys: &[key("constant", Number(SPRING), "N·m", Means("from the material"), "Constant of each spring")],
    },
    TableSchema {
        name: "hysteresis",
        doc: "Hinges with the loop of the Kawabata test: friction inside the fabric, residual curvature, fatigue.",
        keys: REMEMBERING,
    },
    TableSchema { name: "plasticity", doc: "Hinges that yield beyond the curvature `bend_yield`.", keys: REMEMBERING },
    TableSchema { name: "none", doc: "No resistance to bending.", keys: &[] },
];

/// Keys of the bending models with a memory.
#[rustfmt::skip] // one line per key, as the table it is
const REMEMBERING: &[super::Key] = &[
    key("rest", Variant(REST_SHAPES), "-", Is("\"flat\""), "Shape that the cloth is at rest in before it is bent"),
    key("substeps", Integer(Range::between(0.0, 100.0)), "-", Is("0"), "Explicit steps of bending within each step; 0 leaves bending to the integrator"),
];

/// Choices of `rest`.
#[rustfmt::skip] // one line per key, as the table it is
pub const REST_SHAPES: &[TableSchema] = &[
    TableSchema { name: "flat", doc: "Flat, as the pattern.", keys: &[] },
    TableSchema { name: "start", doc: "As at the start of the scene.", keys: &[] },
];

/// `[[cloth.pin]]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const PIN: TableSchema = TableSchema {
    name: "pin",
    doc: "Held vertices: give exactly one of `places`, `vertices`, `box` and `map`, and at most one of `velocity` and `keyframes`.",
    keys: &[
        key("places", Places, "-", Means("not chosen by place"), "Places of a grid, one name or several"),
        key("vertices", Integers(Range::between(0.0, 4e9)), "-", Means("not chosen by number"), "Vertex numbers of the cloth, from 0"),
        key("box", Table(&PIN_BOX), "-", Means("not chosen by a box"), "All vertices that start inside a box"),
        key("map", Text, "-", Means("not chosen by a map"), "All vertices where this attribute of the cloth's file is at least `above`: a name, or a channel such as `color.red`"),
        key("above", Number(Range::between(-1e9, 1e9)), "-", Means("0.5; with `stiffness`, whatever is greater than 0"), "Least value of `map` that is held"),
        key("stiffness", Number(STIFFNESS), "N/m", Means("the pin holds exactly"), "Makes the pin soft: a spring of this stiffness on each vertex, times the value of `map` if there is one"),
        key("axes", Axes, "-", Is("[\"x\", \"y\", \"z\"]"), "Held directions, one to three: `\"x\"`, `\"y\"`, `\"z\"` or vectors"),
        key("velocity", Vector3(Range::between(-1e5, 1e5)), "m/s", Means("the pin stands still"), "Constant velocity of the pin"),
        key("keyframes", Tables(&super::obstacle::KEYFRAME), "-", Means("the pin stands still"), "Poses over time"),
        key("pivot", Vector3(COORDINATE), "m", Is("[0, 0, 0]"), "Centre of the keyframes' rotation and scale"),
        key("release", Number(Range::NOT_NEGATIVE.or_infinity()), "s", Is("inf"), "When the pin lets go: it is free in every step that ends later"),
    ],
};

/// `[[cloth.load]]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const LOAD: TableSchema = TableSchema {
    name: "load",
    doc: "A constant force on each of some vertices, as something outside would push them: give exactly one of `places`, `vertices` and `box`.",
    keys: &[
        key("places", Places, "-", Means("not chosen by place"), "Places of a grid, one name or several"),
        key("vertices", Integers(Range::between(0.0, 4e9)), "-", Means("not chosen by number"), "Vertex numbers of the cloth, from 0"),
        key("box", Table(&PIN_BOX), "-", Means("not chosen by a box"), "All vertices that start inside a box"),
        key("force", Vector3(Range::between(-1e9, 1e9)), "N", Required, "Force on each of them"),
        key("start", Number(Range::NOT_NEGATIVE), "s", Is("0"), "When it begins"),
        key("end", Number(Range::NOT_NEGATIVE.or_infinity()), "s", Is("inf"), "When it ends: it acts in every step that begins earlier"),
    ],
};

/// `[[cloth.wrinkle]]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const WRINKLE: TableSchema = TableSchema {
    name: "wrinkle",
    doc: "A wrinkle that the cloth remembers from the start, along a straight line on the flat cloth; several make a pattern. It needs `stretch = { kind = \"grid-springs\", wrinkle_memory = … }`.",
    keys: &[
        key("from", Vector2(Range::between(-1e6, 1e6)), "m", Required, "Where it begins, from the middle of the flat cloth along x and y"),
        key("to", Vector2(Range::between(-1e6, 1e6)), "m", Required, "Where it ends"),
        key("degrees", Number(Range::between(-179.0, 179.0)), "°", Required, "Angle by which the cloth is bent across it at rest, not 0: above 0 a crest on the side of the normals, below 0 a trough"),
    ],
};

/// `box` of a pin.
#[rustfmt::skip] // one line per key, as the table it is
pub const PIN_BOX: TableSchema = TableSchema {
    name: "box",
    doc: "A box in space.",
    keys: &[
        key("low", Vector3(COORDINATE), "m", Required, "Low corner"),
        key("high", Vector3(COORDINATE), "m", Required, "High corner"),
    ],
};

const STIFFNESS: Range = Range::between(0.0, 1e12);

/// A material's table. A value may also be an array: `{ per_vertex = […] }` or `{ per_face = […] }`.
#[rustfmt::skip] // one line per key, as the table it is
pub const MATERIAL: TableSchema = TableSchema {
    name: "material",
    doc: "A fabric. What is absent comes from the base. Each value is a number, or one per vertex or face of the cloth: `{ per_vertex = […] }`, `{ per_face = […] }`, or from an attribute of the cloth's file: `{ map = \"color.red\", from = 50, to = 500 }` goes from 50 where the attribute is 0 to 500 where it is 1; without `from` and `to` the attribute is the value.",
    keys: &[
        key("base", super::Kind::Material, "-", Is("\"woven-cotton\""), "Fabric that gives all other values"),
        key("name", Text, "-", Means("the base's name"), "Name in reports"),
        key("area_density", Field(Range::above(0.0, 1e3)), "kg/m²", Means("the base's"), "Mass per area"),
        key("thickness", Field(Range::between(0.0, 1.0)), "m", Means("the base's"), "Distance at which two mid-surfaces begin to repel"),
        key("stretch_warp", Field(STIFFNESS), "N/m", Means("the base's"), "Stiffness along the warp: force per width and unit strain"),
        key("stretch_weft", Field(STIFFNESS), "N/m", Means("the base's"), "Stiffness along the weft"),
        key("shear", Field(STIFFNESS), "N/m", Means("the base's"), "Shear force per width and unit of shear angle"),
        key("poisson", Field(Range::between(0.0, 0.999)), "-", Means("the base's"), "Poisson's ratio, the geometric mean of the two directions'"),
        key("bend_warp", Field(STIFFNESS), "N·m", Means("the base's"), "Bending rigidity along the warp: moment per width and unit curvature"),
        key("bend_weft", Field(STIFFNESS), "N·m", Means("the base's"), "Bending rigidity along the weft"),
        key("bend_bias", Field(STIFFNESS), "N·m", Means("the base's"), "Bending rigidity of a strip cut at 45°"),
        key("bend_poisson", Field(Range::between(0.0, 0.999)), "-", Means("the base's"), "Poisson's ratio of bending"),
        key("damping_warp", Field(STIFFNESS), "N·s/m", Means("the base's"), "Viscosity of stretch along the warp"),
        key("damping_weft", Field(STIFFNESS), "N·s/m", Means("the base's"), "Viscosity of stretch along the weft"),
        key("damping_shear", Field(STIFFNESS), "N·s/m", Means("the base's"), "Viscosity of shear"),
        key("damping_bend", Field(STIFFNESS), "N·m·s", Means("the base's"), "Viscosity of bending"),
        key("bend_hysteresis", Field(STIFFNESS), "N", Means("the base's"), "Width of the bending loop, Kawabata's 2HB (1 gf·cm/cm is 9.80665e-3 N); with `bend = \"hysteresis\"`"),
        key("bend_transition", Field(Range::above(0.0, 1e12)), "1/m", Means("the base's"), "Curvature over which internal friction builds up, K0; with `bend = \"hysteresis\"`"),
        key("bend_initial", Number(Range::above(0.0, 1e12)), "N·m", Means("from `bend_transition`"), "Instead of `bend_transition`: rigidity of a first bend, b1, greater than the mean of `bend_warp` and `bend_weft`"),
        key("bend_crease", Field(Range::between(0.0, 1.0)), "-", Means("the base's"), "Part of the curvature left after a recovery that stays, λ; with `bend = \"hysteresis\"`"),
        key("bend_fatigue", Field(Range::between(0.0, 1.0)), "-", Means("the base's"), "Part of the internal friction that a recovery wears off, µ; with `bend = \"hysteresis\"`"),
        key("bend_yield", Field(Range::above(0.0, 1e12)), "1/m", Means("the base's"), "Curvature beyond which bends stay; with `bend = \"plasticity\"`"),
        key("shear_hysteresis", Field(STIFFNESS), "N/m", Means("the base's"), "Width of the shear loop, Kawabata's 2HG (1 gf/cm is 0.980665 N/m); with `stretch = \"hysteresis\"`"),
        key("shear_transition", Field(Range::above(0.0, 1.0)), "-", Means("the base's"), "Shear over which that friction builds up from rest; with `stretch = \"hysteresis\"`"),
    ],
};
