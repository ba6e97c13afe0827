//! What Muslin simulates: meshes, materials, bodies, the constant [`Model`] and the mutable [`State`].
//!
//! Nothing here moves by itself. A [`Model`] never changes during a run; a [`State`] is everything that
//! does. All quantities are in SI units; every field names its unit in brackets, `[-]` if it has none.

pub mod archive;
pub mod body;
pub mod crease;
pub mod deformation;
pub mod environment;
pub mod exemption;
pub mod fabric_table;
pub mod friction;
pub mod keyframes;
pub mod material;
pub mod mesh;
pub mod model;
pub mod motion;
pub mod parallel;
pub mod pins;
pub mod shapes;
pub mod state;
pub mod topology;

pub use archive::{Archive, ArchiveError, Array};
pub use body::{Body, BodyKind};
pub use crease::Crease;
pub use deformation::{AfterEnd, Animation, Clock, Deformation, FramesError, VertexFrames};
pub use environment::{Environment, Gust, Wind};
pub use exemption::{ExemptCause, Exemption};
pub use fabric_table::{BendRow, BendTable, FabricTables, StretchTable};
pub use friction::{FrictionLaw, Stribeck, Viscous};
pub use keyframes::{Keyframe, Track, TrackError};
pub use material::{FaceMaterial, Field, LARGEST_RIGIDITY, Material};
pub use mesh::{Mesh, MeshError};
pub use model::{Cloth, Model, ModelError, Obstacle};
pub use motion::Motion;
pub use pins::{Hold, Pin, PinMotion};
pub use state::{Anchor, PendingStep, State};
pub use topology::Topology;
