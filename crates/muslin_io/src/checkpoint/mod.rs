//! Checkpoints: everything that a run needs to go on, in one file that is whole or refused.
//!
//! - [`Checkpoint`] is an [`Archive`] with the [`Identity`] of the run that it belongs to.
//! - [`encode`] and [`decode`] turn it into bytes with a checksum, and back.
//! - [`CheckpointFolder`] keeps the last two of a run on the disk. If the newest is damaged, the one before serves.

mod bytes;
mod folder;
mod identity;

pub use bytes::{Damage, decode, encode};
pub use folder::{CheckpointFolder, FolderError, Found};
pub use identity::{Difference, Identity};

use muslin_model::Archive;

/// A run at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Which run.
    pub identity: Identity,
    /// All arrays.
    pub archive: Archive,
}
