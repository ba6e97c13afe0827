//! A scene as plain data: what a scene file says, with every default filled in.

pub use crate::older::{LoadSpec, OlderMechanisms, WrinkleMark};
pub use crate::scene_shapes::{ClothShape, ObstacleShape};
use crate::settings::Settings;
use glam::{DMat3, DVec3};
pub use muslin_dynamics::forces::RestShape;
use muslin_model::{Animation, Environment, Material, PinMotion, Track};

/// Everything needed to build and run a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Short name.
    pub name: String,
    /// One line for listings.
    pub description: String,
    /// Simulated time [s].
    pub duration: f64,
    /// Output frames per second [1/s].
    pub frames_per_second: f64,
    /// Solver settings.
    pub settings: Settings,
    /// Gravity and air.
    pub environment: Environment,
    /// Cloths, at least one.
    pub cloths: Vec<ClothSpec>,
    /// Obstacles.
    pub obstacles: Vec<ObstacleSpec>,
    /// What to do where it starts too near.
    pub start: StartSpec,
    /// What the scene promises about its result; checked after a run.
    pub claims: Claims,
    /// Where previews look from; `None` frames everything.
    pub camera: Option<Camera>,
}

impl Scene {
    /// Output frames of a whole run, without the start: the duration in whole frames, at least one.
    pub fn frames(&self) -> usize {
        ((self.duration * self.frames_per_second).round() as usize).max(1)
    }

    /// A hash of everything in the scene: the same for the same input, from a file or from a program. It is
    /// taken over the debug text, whose numbers are exact.
    pub fn hash(&self) -> String {
        struct Hash(blake3::Hasher);
        impl std::fmt::Write for Hash {
            fn write_str(&mut self, text: &str) -> std::fmt::Result {
                self.0.update(text.as_bytes());
                Ok(())
            }
        }
        let mut hash = Hash(blake3::Hasher::new());
        // Writing into a hash cannot fail.
        let _ = std::fmt::Write::write_fmt(&mut hash, format_args!("{self:?}"));
        hash.0.finalize().to_hex()[..32].to_string()
    }
}

/// What to do with a start that contact would not accept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartSpec {
    /// Push cloth apart before time begins.
    pub untangle: bool,
    /// Where contact is switched off until things have separated.
    pub exempt: Vec<ExemptSpec>,
    /// Names of cloths that belong inside an obstacle.
    pub inside: Vec<String>,
}

/// Two bodies between which contact leaves alone what starts too near, crossing or inside.
#[derive(Clone, Debug, PartialEq)]
pub struct ExemptSpec {
    /// Their names; the same twice for a cloth and itself.
    pub bodies: [String; 2],
    /// Only what lies in this box, low corner and high corner [m]; `None` for everywhere.
    pub region: Option<[DVec3; 2]>,
}

/// A viewpoint for pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the camera is [m].
    pub position: DVec3,
    /// What it looks at [m].
    pub target: DVec3,
    /// Vertical field of view [rad].
    pub field_of_view: f64,
}

/// Promises that a scene makes about its own run; `None` promises nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// Largest warp or weft strain over the run stays below this [-].
    pub max_strain_below: Option<f64>,
    /// Largest speed of a cloth vertex at the end is below this [m/s].
    pub final_speed_below: Option<f64>,
}

/// Where a shape stands: scaled, then rotated, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Position of the shape's own origin [m].
    pub translation: DVec3,
    /// Orientation. A matrix and not a quaternion, so that quarter turns are exact to the bit.
    pub rotation: DMat3,
    /// Scale along the shape's own axes [-]. For cloth it scales the positions, not the rest shape.
    pub scale: DVec3,
}

impl Default for Placement {
    fn default() -> Self {
        Placement { translation: DVec3::ZERO, rotation: DMat3::IDENTITY, scale: DVec3::ONE }
    }
}

impl Placement {
    /// Where a point of the shape stands [m].
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.rotation * (self.scale * point) + self.translation
    }
}

/// A cloth of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothSpec {
    /// Name in messages and files.
    pub name: String,
    /// Shape.
    pub shape: ClothShape,
    /// Where it stands at the start.
    pub placement: Placement,
    /// Fabric.
    pub material: Material,
    /// Membrane model.
    pub stretch: StretchModel,
    /// Bending model.
    pub bend: BendModel,
    /// Holds.
    pub pins: Vec<PinSpec>,
    /// Forces on single vertices.
    pub loads: Vec<LoadSpec>,
    /// Wrinkles that it remembers from the start, with lines in the shape's own uv plane.
    pub wrinkles: Vec<WrinkleMark>,
    /// Velocity at the start [m/s].
    pub velocity: DVec3,
    /// Rotation at the start, about the centroid [rad/s].
    pub angular_velocity: DVec3,
    /// Direction of the warp in the shape's uv plane, as an angle from u [rad].
    pub warp_angle: f64,
    /// Out-of-plane noise on the start positions [m], to break a perfect symmetry; 0 for none.
    pub perturbation: f64,
    /// Which noise; 0 is even, others are random.
    pub perturbation_seed: u64,
}

/// Membrane models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StretchModel {
    /// Orthotropic St. Venant–Kirchhoff membrane: the default.
    Membrane,
    /// The same with the stiffness of the fabric's measured table over strain and direction (D4).
    Tabulated,
    /// The membrane, with the shear loop of the Kawabata test: friction between the yarns, with a memory.
    Hysteresis,
    /// Springs on the mesh's edges (D2).
    EdgeSprings {
        /// Springs resist tension only.
        tension_only: bool,
    },
    /// Structural and shear springs of a rectangular grid (D1).
    GridSprings {
        /// Critical damping √(4 m k) instead of the material's.
        critical_damping: bool,
        /// Constants of structural and shear springs [N/m]; `None` takes them from the material.
        constants: Option<[f64; 2]>,
        /// What V adds to them (D12–D15).
        older: OlderMechanisms,
    },
    /// Baraff–Witkin stretch and shear conditions (D3).
    BaraffWitkin {
        /// Exponent of the area that scales the conditions: 0.5 is right; 1 and 0.75 are the papers'.
        area_exponent: f64,
        /// Rest lengths along warp and weft [-]: `b_u`, `b_v`.
        rest: [f64; 2],
    },
}

/// Laws of hinges with a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BendMemory {
    /// The loop of the Kawabata test (W 4).
    Hysteresis,
    /// A yield curvature (the comparison of W 4.5.3).
    Plasticity,
}

/// Bending models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BendModel {
    /// Curvature tensor per triangle (D5b): the default.
    Curvature,
    /// The same with the rigidity of the fabric's measured table over curvature and direction (D4).
    Tabulated,
    /// Baraff–Witkin bend condition on hinges (D3).
    BaraffWitkin,
    /// Bending element with elastic and damping modes (D5).
    Modes,
    /// Springs across hinges (D2).
    HingeSprings,
    /// Flexion springs of a rectangular grid over two cells (D1, V).
    GridFlexion {
        /// Constant of each spring [N/m]; `None` takes it from the material.
        constant: Option<f64>,
    },
    /// Angular springs of a rectangular grid (D1, A).
    GridAngular {
        /// Constant of each spring [N·m]; `None` takes it from the material.
        constant: Option<f64>,
    },
    /// Hinges with a memory (D6).
    Remembering {
        /// How their moment follows from the way they were bent.
        memory: BendMemory,
        /// The shape that they are at rest in.
        rest: RestShape,
        /// Explicit steps of bending in each step of the scheme, W's α; 0 leaves bending to the scheme.
        substeps: u32,
    },
    /// None.
    None,
}

/// Which vertices a pin holds, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct PinSpec {
    /// The vertices.
    pub select: PinSelect,
    /// Held directions: unit vectors, one to three; all three axes hold a vertex fully.
    pub axes: Vec<DVec3>,
    /// Where they go.
    pub motion: PinMotion,
    /// When the pin lets go [s]; infinity for never.
    pub release: f64,
    /// How firmly it holds.
    pub hold: PinHold,
}

/// How firmly a pin of a scene holds.
#[derive(Clone, Debug, PartialEq)]
pub enum PinHold {
    /// Exactly.
    Exact,
    /// By a spring on each vertex.
    Soft {
        /// Stiffness of a spring of strength 1 [N/m].
        stiffness: f64,
        /// Strength of each chosen vertex's spring [-]; empty for 1 each.
        strengths: Vec<f64>,
    },
}

/// A choice of a cloth's vertices.
#[derive(Clone, Debug, PartialEq)]
pub enum PinSelect {
    /// By index.
    Vertices(Vec<u32>),
    /// By name of a rectangular grid's corners and sides, see [`crate::places`].
    Named(Vec<String>),
    /// All start positions inside a box [m].
    Box {
        /// Low corner.
        low: DVec3,
        /// High corner.
        high: DVec3,
    },
}

/// An obstacle of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct ObstacleSpec {
    /// Name in messages and files.
    pub name: String,
    /// Shape.
    pub shape: ObstacleShape,
    /// Where it stands at the start.
    pub placement: Placement,
    /// How its shape changes; the placement applies to it too.
    pub animation: Option<Animation>,
    /// How it moves.
    pub motion: Option<Track>,
}
