//! Files that a run writes. Each appears under its name only when it is whole.

mod atomic;
mod npz;
mod ply;
mod zip;

pub use atomic::{AtomicFile, write_whole};
pub use npz::NpzWriter;
pub use ply::write_ply;
