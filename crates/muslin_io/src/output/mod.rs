//! Files that a run writes: frames in any number of [formats](Format), streamed while it goes on.
//!
//! [`Outputs`] hands each frame to a [`FrameWriter`] per format. A file appears under its name only when it is
//! whole; what the run needs to go on after a kill is all in the files ([`writer`]).

mod atomic;
mod cache;
pub mod cast;
mod checksums;
mod csv;
mod format;
mod glb;
mod glb_json;
mod gltf;
mod normals;
mod npy;
mod npz;
mod obj;
mod outputs;
mod parts;
mod ply;
mod room;
mod seal;
mod sequence;
mod settler;
mod stream;
mod text;
mod usd;
mod usd_layer;
mod uv;
mod vtk;
mod vtp;
pub mod writer;
mod zip;

pub use atomic::{AtomicFile, settle_folder, write_lasting, write_whole};
pub use cache::cache_names;
pub use cast::{Cast, FieldArray, Frame, Group, Site};
pub use checksums::{CHECKSUMS, Finished, compare_checksums};
pub use format::{Format, Needs};
pub use normals::vertex_normals;
pub use outputs::{Earlier, Kept, Measured, Outputs, remove_leftovers};
pub use seal::Seal;
pub use writer::{Ending, FrameWriter, OutputError, Written};
