//! Keys of `[settings]`.

use super::{
    Absent::{Is, Means},
    Kind::{Flag, Integer, Names, Number, Table, Variant},
    Range, TableSchema,
    cascade::{CONTACT_METHODS, IMPACT_LAWS, RESPONSES, UNRESOLVED},
    key,
};

/// `[settings]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const SETTINGS: TableSchema = TableSchema {
    name: "settings",
    doc: "How the scene is solved.",
    keys: &[
        key("step", Number(Range::between(1e-9, 10.0)), "s", Is("\"1/60\""), "Largest step; a frame interval is cut into equal steps no longer than it"),
        key("integrator", Variant(INTEGRATORS), "-", Means("`linear-backward-euler`; `backward-euler` where contact is not handled, `baraff-witkin` where it is a matter of constraints"), "Time-stepping scheme"),
        key("newton", Table(&NEWTON), "-", Means("all defaults"), "Tolerances of the non-linear solve"),
        key("linear", Table(&LINEAR), "-", Means("all defaults"), "Linear solver of the implicit schemes"),
        key("adaptive", Table(&ADAPTIVE), "-", Means("`{ most_stretch = 0.05 }` where `linear-backward-euler` handles contact; else the step is fixed"), "Halve the step when a triangle stretches too much within it"),
        key("collision", Table(&COLLISION), "-", Means("all defaults"), "How collisions are looked for"),
        key("contact", Table(&CONTACT), "-", Means("all defaults"), "What happens where cloth meets itself or an obstacle"),
        key("limiter", Variant(LIMITERS), "-", Is("\"none\""), "Limit on stretch, applied after each step"),
    ],
};

/// Choices of `integrator`.
#[rustfmt::skip] // one line per key, as the table it is
pub const INTEGRATORS: &[TableSchema] = &[
    TableSchema { name: "backward-euler", doc: "Backward Euler, solved to the tolerance; order 1.", keys: &[] },
    TableSchema {
        name: "linear-backward-euler",
        doc: "One Newton iteration per step (Baraff and Witkin 1998); order 1.",
        keys: &[],
    },
    TableSchema {
        name: "baraff-witkin",
        doc: "The same step as published: for the change of velocity, by modified conjugate gradients; order 1.",
        keys: &[],
    },
    TableSchema { name: "bdf2", doc: "Second-order backward differences, solved to the tolerance.", keys: &[] },
    TableSchema {
        name: "explicit-euler",
        doc: "Positions and velocities both from the start of the step; order 1, unstable without damping.",
        keys: &[],
    },
    TableSchema {
        name: "symplectic-euler",
        doc: "Velocity first, then positions with the new velocity; order 1, bounded energy.",
        keys: &[],
    },
    TableSchema { name: "midpoint", doc: "Midpoint rule; order 2.", keys: &[] },
    TableSchema { name: "runge-kutta-4", doc: "Classical Runge–Kutta; order 4.", keys: &[] },
    TableSchema {
        name: "verlet",
        doc: "Verlet; order 2 without damping.",
        keys: &[key("epsilon", Number(Range::between(0.0, 1.0)), "-", Is("0"), "Part of the displacement that is lost in each step")],
    },
    TableSchema { name: "explicit-implicit", doc: "An explicit half step, then an implicit one.", keys: &[] },
    TableSchema { name: "implicit-explicit", doc: "An implicit half step, then an explicit one.", keys: &[] },
    TableSchema { name: "mixed-variable", doc: "Position from an implicit half step, velocity by the trapezium rule; for steps that vary.", keys: &[] },
];

/// `[settings.newton]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const NEWTON: TableSchema = TableSchema {
    name: "newton",
    doc: "Tolerances of the non-linear solve.",
    keys: &[
        key("correction", Number(Range::above(0.0, 1.0)), "mean edge lengths", Is("1e-4"), "Largest correction of a vertex"),
        key("residual", Number(Range::above(0.0, 1e6)), "mean vertex weights", Is("0.01"), "Largest residual of a free vertex"),
        key("most_iterations", Integer(Range::between(1.0, 1e6)), "-", Is("100"), "Iterations before the step is halved; after eight halvings it is given up"),
    ],
};

/// `[settings.linear]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const LINEAR: TableSchema = TableSchema {
    name: "linear",
    doc: "Linear solver of the implicit schemes: conjugate gradients.",
    keys: &[
        key("preconditioner", Variant(PRECONDITIONERS), "-", Is("\"automatic\""), "Preconditioner"),
        key("most_iterations", Integer(Range::between(1.0, 1e9)), "-", Is("20000"), "Iterations before a solve is given up"),
    ],
};

/// `[settings.collision]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const COLLISION: TableSchema = TableSchema {
    name: "collision",
    doc: "How collisions are looked for, where `settings.contact` handles them. All broad phases find the same, at different speed.",
    keys: &[
        key("broad_phase", Variant(BROAD_PHASES), "-", Is("\"tree\""), "Which method finds the pairs that may meet"),
        key("ccd_method", Variant(CCD_METHODS), "-", Is("\"certified\""), "Which continuous test decides whether a pair meets"),
    ],
};

/// `[settings.contact]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const CONTACT: TableSchema = TableSchema {
    name: "contact",
    doc: "What happens where cloth meets itself or an obstacle. The distance at which that begins is the material's `thickness`.",
    keys: &[
        key("method", Variant(CONTACT_METHODS), "-", Is("\"implicit\""), "How contact is handled"),
        key("friction_object", super::Kind::Friction, "-", Is("0.3"), "Friction between cloth and obstacles"),
        key("friction_cloth", super::Kind::Friction, "-", Is("0.3"), "Friction between cloth and cloth"),
        key("stiffness", Number(Range::above(0.0, 1e6)), "mean vertex weights", Is("20"), "Repulsion of a contact at about half the thickness"),
        key("responses", Names(&RESPONSES), "-", Means("those of the method"), "What corrects what the solve leaves, in turn; those that act when the step begins come first"),
        key("impact", Variant(IMPACT_LAWS), "-", Is("\"inelastic\""), "What impulses leave of an impact"),
        key("damping_ratio", Number(Range::between(0.0, 100.0)), "-", Is("0.5"), "Damping of damped springs, over the critical one"),
        key("unresolved", Variant(UNRESOLVED), "-", Is("\"halve\""), "What happens to a step whose contacts no response resolves"),
        key("smallest_step", Number(Range::above(0.0, 10.0)), "s", Is("1e-4"), "Steps are halved for contact down to this length, or to a 64th of `step` if that is shorter; where obstacles or pins then leave the cloth no room, a pinch is declared and reported"),
    ],
};

/// Choices of `broad_phase`.
#[rustfmt::skip] // one line per key, as the table it is
pub const BROAD_PHASES: &[TableSchema] = &[
    TableSchema { name: "tree", doc: "Tree of boxes; the fastest.", keys: &[] },
    TableSchema { name: "uv-tree", doc: "Tree over zones of the cloth that skips zones of low curvature.", keys: &[] },
    TableSchema { name: "grid", doc: "Uniform grid with control bits.", keys: &[] },
    TableSchema { name: "virtual-subdivision", doc: "Uniform grid of small cells, with large triangles virtually subdivided.", keys: &[] },
    TableSchema { name: "octree", doc: "Octree grid made in one pass.", keys: &[] },
    TableSchema { name: "octree-two-stage", doc: "Octree grid of fewest tests, with a number of levels that follows the scene.", keys: &[] },
    TableSchema { name: "spatial-hash", doc: "Spatial hash that searches again only around what moved.", keys: &[] },
    TableSchema { name: "brute-force", doc: "Every pair, one by one; for comparison.", keys: &[] },
];

/// Choices of `ccd_method`.
#[rustfmt::skip] // one line per key, as the table it is
pub const CCD_METHODS: &[TableSchema] = &[
    TableSchema { name: "certified", doc: "Misses nothing.", keys: &[] },
    TableSchema { name: "cubic", doc: "The textbook's: the cubic solved by formula. It misses contacts, and a run with it warns; for comparison.", keys: &[] },
    TableSchema { name: "bisection", doc: "The cubic's root bisected to an eighth of the step. It misses contacts, and a run with it warns; for comparison.", keys: &[] },
];

/// Choices of `preconditioner`.
#[rustfmt::skip] // one line per key, as the table it is
pub const PRECONDITIONERS: &[TableSchema] = &[
    TableSchema { name: "automatic", doc: "Chosen by the number of vertices.", keys: &[] },
    TableSchema { name: "block-jacobi", doc: "Inverse diagonal blocks.", keys: &[] },
    TableSchema {
        name: "lagged-cholesky",
        doc: "A Cholesky factor of an earlier matrix, renewed when it wears out.",
        keys: &[],
    },
    TableSchema { name: "multilevel", doc: "Smoothed aggregation with the rigid-body modes.", keys: &[] },
];

/// `[settings.adaptive]`.
#[rustfmt::skip] // one line per key, as the table it is
pub const ADAPTIVE: TableSchema = TableSchema {
    name: "adaptive",
    doc: "Halve the step when a triangle stretches too much within it, turns or is corrected too far, double it after enough successes.",
    keys: &[
        key("most_stretch", Number(Range::above(0.0, 100.0)), "-", Is("0.1"), "Largest change of warp or weft stretch within a step"),
        key("most_turn_degrees", Number(Range::above(0.0, 180.0)), "°", Is("180"), "Largest turn of a triangle within a step, for motions that a long step would lay in pleats; shortens steps to 1/64 of the largest at most"),
        key("most_correction", Number(Range::above(0.0, 100.0)), "-", Is("100"), "How far responses after the solve may stretch a triangle, for `bridson` and `provot`, whose cloth gives way where it stands; shortens steps to 1/64 of the largest at most"),
        key("smallest_step", Number(Range::above(0.0, 10.0)), "s", Is("1e-6"), "Smallest step"),
        key("successes", Integer(Range::between(1.0, 1e6)), "-", Is("4"), "Successful steps before the step doubles"),
    ],
};

/// Choices of `limiter`.
#[rustfmt::skip] // one line per key, as the table it is
pub const LIMITERS: &[TableSchema] = &[
    TableSchema { name: "none", doc: "No limit.", keys: &[] },
    TableSchema {
        name: "super-elasticity",
        doc: "Over-long springs are shortened by moving their ends.",
        keys: &[
            key("limit", Number(Range::above(0.0, 100.0)), "-", Is("0.1"), "Largest elongation"),
            key("passes", Integer(Range::between(0.0, 1e6)), "-", Is("1"), "Passes over all springs; 0 repeats until none is beyond the limit"),
            key("inverse_dynamics", Flag, "-", Is("true"), "Velocities follow from the corrected positions"),
        ],
    },
    TableSchema {
        name: "strain-impulses",
        doc: "Momentum-conserving impulses along over-long edges.",
        keys: &[
            key("limit", Number(Range::above(0.0, 100.0)), "-", Is("0.1"), "Largest elongation"),
            key("rate_limit", Number(Range::above(0.0, 1e6).or_infinity()), "-", Is("inf"), "Largest change of strain within a step"),
            key("most_sweeps", Integer(Range::between(1.0, 1e6)), "-", Is("100"), "Sweeps before giving up"),
        ],
    },
];
