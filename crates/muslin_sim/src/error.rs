//! Why a simulation cannot be built or cannot go on.

use crate::contact::StartFault;
use muslin_contact::FinderError;
use muslin_dynamics::{forces::GridError, integrators::StepError, mechanisms::LinesError};
use muslin_model::{ModelError, shapes::ShapeError};

/// Why a simulation cannot be built or cannot go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimError {
    /// The scene's bodies do not make a model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Springs of a grid on a mesh that is none.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A body's shape cannot be made.
    #[error("`{body}`: {source}")]
    Shape {
        /// Name of the body.
        body: String,
        /// What is wrong with its measures.
        source: ShapeError,
    },
    /// A pin names a place that the cloth does not have.
    #[error("cloth `{cloth}`: a pin names the place `{place}`; only grids have places: {}", crate::places::GRID_PLACES.join(", "))]
    UnknownPlace {
        /// Name of the cloth.
        cloth: String,
        /// The place.
        place: String,
    },
    /// A pin holds no vertex at all.
    #[error("cloth `{cloth}`: a pin selects no vertex; widen its box or remove it")]
    EmptyPin {
        /// Name of the cloth.
        cloth: String,
    },
    /// A load acts on no vertex at all.
    #[error("cloth `{cloth}`: a load selects no vertex; widen its box or remove it")]
    EmptyLoad {
        /// Name of the cloth.
        cloth: String,
    },
    /// A line of wrinkles that no line of the grid crosses.
    #[error(
        "cloth `{cloth}`: wrinkle {place}, from {} to {} m, crosses no row, column or diagonal around an inner vertex; it is measured on the flat cloth from its middle: give it a place within", ends[0], ends[1]
    )]
    EmptyWrinkle {
        /// Name of the cloth.
        cloth: String,
        /// Which of its wrinkles, from 0.
        place: usize,
        /// Its ends [m].
        ends: [glam::DVec2; 2],
    },
    /// A drape without a sharp bend.
    #[error(
        "cloth `{cloth}`: the sharpest bend of its `wrinkle_drape` is {sharpest:.1}°, and only bends beyond {limit}° are remembered; lower `wrinkle_degrees`, or take another drape"
    )]
    FlatDrape {
        /// Name of the cloth.
        cloth: String,
        /// Its sharpest bend [°].
        sharpest: f64,
        /// `wrinkle_degrees` [°].
        limit: f64,
    },
    /// A tabulated model for a fabric without a table.
    #[error(
        "cloth `{cloth}`: `{what} = \"tabulated\"` needs a fabric with a measured table; `muslin fabrics` tells which have one"
    )]
    NoTable {
        /// Name of the cloth.
        cloth: String,
        /// Which of its models.
        what: &'static str,
    },
    /// A step failed.
    #[error(
        "at {time:.6} s, cloth `{body}`, vertex {vertex}: {source}; {}", remedy(source, *step)
    )]
    Step {
        /// Time at the start of the step [s].
        time: f64,
        /// Length of the step [s].
        step: f64,
        /// Vertex of the cloth.
        vertex: usize,
        /// Name of the cloth.
        body: String,
        /// What went wrong; its vertex is in the solver's order.
        source: StepError,
    },
    /// A step was given up because somebody asked; the state is that of its start.
    #[error("interrupted within the step after {time:.6} s")]
    Interrupted {
        /// Time at the start of the step [s].
        time: f64,
    },
    /// A mesh that cannot be searched for contact.
    #[error(transparent)]
    Finder(#[from] FinderError),
    /// A motion that cannot be searched for contact.
    #[error("at {time:.6} s: {source}; shorten `step` or use an implicit integrator")]
    Search {
        /// Time at the start of the step [s].
        time: f64,
        /// What is wrong with it.
        source: FinderError,
    },
    /// The cloth starts nearer to something than contact allows.
    #[error(
        "the scene starts with {pairs} pairs that touch or cross: {vertices}; move the bodies apart, by at least the material's `thickness`, let `[start] untangle = true` push them apart, or list them in `[[start.exempt]]`"
    )]
    StartsTooNear {
        /// How many.
        pairs: usize,
        /// The first, with its elements and its place.
        vertices: String,
        /// Its vertices in the numbers of the model.
        first: [u32; 4],
        /// All of them.
        faults: Vec<StartFault>,
        /// All of them in words.
        described: Vec<String>,
    },
    /// The start could not be untangled.
    #[error(
        "the start could not be untangled: after {strides} strides {pairs} places are still faulty: {what}; move the bodies apart, or list them in `[[start.exempt]]`"
    )]
    StillTangled {
        /// Strides taken.
        strides: usize,
        /// Pairs that are left.
        pairs: usize,
        /// The first.
        what: String,
    },
    /// A pin holds cloth inside an obstacle, so that untangling cannot take it out.
    #[error(
        "the start could not be untangled: a pin holds vertex {vertex} of `{cloth}` at {place} inside the obstacle `{obstacle}`; pin another vertex, move the obstacle, say `inside = [\"{cloth}\"]` in `[start]` if it belongs there, or list the two in `[[start.exempt]]`"
    )]
    PinnedInside {
        /// The vertex in its cloth.
        vertex: usize,
        /// Where it is.
        place: String,
        /// Name of the cloth.
        cloth: String,
        /// Name of the obstacle.
        obstacle: String,
    },
    /// A rule of the start names a body that is not there.
    #[error("`[[start.exempt]]` names the body `{name}`, which the scene does not have")]
    UnknownBody {
        /// The name.
        name: String,
    },
    /// The scene is too far from the origin for the gaps of its cloth.
    #[error(
        "the scene reaches {reach:.1} m from the origin, where numbers in files are {spacing:.1e} m apart: too far for cloth that keeps gaps of {gap:.1e} m; move the scene to the origin, take a material of more `thickness`, or a mesh without slivers"
    )]
    TooFar {
        /// Largest coordinate [m].
        reach: f64,
        /// Distance between two numbers of single precision there [m].
        spacing: f64,
        /// Gap that contact keeps [m].
        gap: f64,
    },
    /// Contacts that no response could resolve within a step.
    #[error(
        "at {time:.6} s, within a step of {step:.3e} s, {pairs} contacts could not be resolved, the first between vertices {vertices}; shorten `step`, slow the obstacles and pins or make room for the cloth"
    )]
    Unresolved {
        /// Time at the start of the step [s].
        time: f64,
        /// Length of the step [s].
        step: f64,
        /// How many.
        pairs: usize,
        /// The vertices of the first.
        vertices: String,
        /// The same in the numbers of the model.
        first: [u32; 4],
    },
    /// A triangle stretches too fast even within the smallest adaptive step.
    #[error(
        "at {time:.6} s the stretch of face {face} of `{body}` changes by {change:.3} within a step of {step:.3e} s; lower `settings.adaptive.smallest_step`, raise `most_stretch` or use an implicit integrator"
    )]
    StretchesTooFast {
        /// Time at the start of the step [s].
        time: f64,
        /// Length of the step [s].
        step: f64,
        /// Face of the cloth.
        face: usize,
        /// Name of the cloth.
        body: String,
        /// Change of its warp or weft stretch [-].
        change: f64,
    },
    /// An explicit scheme has become unstable.
    #[error(
        "at {time:.6} s the stretch of face {face} of `{body}` would change by {change:.3e} within a step of {step:.3e} s: the scheme has become unstable; shorten `step`, soften the material or use an implicit integrator"
    )]
    Diverges {
        /// Time at the start of the step [s].
        time: f64,
        /// Length of the step [s].
        step: f64,
        /// Face of the cloth.
        face: usize,
        /// Name of the cloth.
        body: String,
        /// Change of its warp or weft stretch [-].
        change: f64,
    },
    /// Explicit steps of bending within a scheme that cannot have them.
    #[error(
        "`substeps` of a bending model needs `settings.integrator = \"backward-euler\"` or \"linear-backward-euler\": other schemes \
         have no place for what explicit bending adds to the velocities; set it to 0 to leave bending to the scheme"
    )]
    TwoRates,
    /// A mechanism of explicit steps under another scheme.
    #[error(
        "cloth `{cloth}`: `{key}` acts on the forces of an explicit step; set `settings.integrator` to \"symplectic-euler\", \"explicit-euler\", \"midpoint\", \"runge-kutta-4\" or \"verlet\", or leave `{key}` out: implicit steps do not need it"
    )]
    NeedsExplicit {
        /// Name of the cloth.
        cloth: String,
        /// Key of the mechanism.
        key: &'static str,
    },
    /// Lines between held vertices that cannot be laid.
    #[error(transparent)]
    Lines(#[from] LinesError),
    /// A changed scene has other meshes, so that the motion cannot go on.
    #[error("the changed scene has other meshes ({found} vertices, the running one has {expected}); start it anew")]
    OtherMesh {
        /// Vertices of the running scene.
        expected: usize,
        /// Vertices of the changed one.
        found: usize,
    },
    /// The state is NaN or infinite.
    #[error(
        "at {time:.6} s, `{body}`, vertex {vertex}: no longer finite after the next step; the largest residual is {residual:.3e} vertex weights before it; shorten `step` (now {step:.3e} s) or use an implicit integrator"
    )]
    NotFinite {
        /// Time at the start of the step [s].
        time: f64,
        /// Length of the step [s].
        step: f64,
        /// Vertex of the body.
        vertex: usize,
        /// Name of the body.
        body: String,
        /// Largest residual of the last state that was finite, in mean vertex weights [-].
        residual: f64,
    },
}

/// What to change after a failed step of this length [s].
fn remedy(error: &StepError, step: f64) -> String {
    match error {
        StepError::RoundOff { .. } => {
            "soften the material, bring the cloth closer to the origin or raise `settings.newton.residual`".into()
        }
        _ => format!("shorten `step` (now {step:.3e} s), soften the material or slow the pins"),
    }
}
