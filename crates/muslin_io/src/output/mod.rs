//! Files that a run writes: frames in any number of [formats](Format), streamed while it goes on.
//!
//! [`Outputs`] hands each frame to a [`FrameWriter`] per format. A file appears under its name only when it is
//! whole; what the run needs to go on after a kill is all in the files ([`writer`]).

mod atomic;
pub mod cast;
mod format;
mod normals;
mod npy;
mod npz;
mod outputs;
mod ply;
mod sequence;
mod stream;
mod uv;
pub mod writer;
mod zip;

pub use atomic::{AtomicFile, write_whole};
pub use cast::{Cast, FieldArray, Frame, Group, Site};
pub use format::{Format, Needs};
pub use normals::vertex_normals;
pub use outputs::{Measured, Outputs};
pub use writer::{Ending, FrameWriter, OutputError};
