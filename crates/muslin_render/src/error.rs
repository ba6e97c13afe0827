//! What can go wrong with a picture.

use std::path::PathBuf;

/// Why a picture was not made. Every message says what to change.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A frame has fewer or more vertices than the subject.
    #[error("a frame has {found} positions, but the bodies have {expected} vertices; pass those of all bodies")]
    PositionCount {
        /// Vertices of the subject.
        expected: usize,
        /// Positions given.
        found: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are only {count} vertices (0..{count})")]
    TriangleIndex {
        /// Triangle index.
        triangle: usize,
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A body reaches beyond the arrays.
    #[error("body `{body}` reaches to triangle {end}, but there are only {count}")]
    BodyRange {
        /// Name of the body.
        body: String,
        /// End of its range.
        end: usize,
        /// Number of triangles.
        count: usize,
    },
    /// Colours for a different number of vertices.
    #[error("there are {found} scalars for {expected} vertices; pass one per vertex")]
    ScalarCount {
        /// Vertices of the subject.
        expected: usize,
        /// Scalars given.
        found: usize,
    },
    /// A picture without pixels, or more than a PNG reader takes.
    #[error("a picture of {width} × {height} samples cannot be drawn; each side must be between 1 and {most}")]
    ImageSize {
        /// Width times supersampling.
        width: u64,
        /// Height times supersampling.
        height: u64,
        /// The most of either.
        most: u64,
    },
    /// A camera that sees nothing.
    #[error("the camera {reason}")]
    Camera {
        /// What is wrong and what to do.
        reason: &'static str,
    },
    /// A contact sheet that never got a frame.
    #[error("no frame was added to the contact sheet")]
    NoFrames,
    /// The file system refused.
    #[error("cannot write {path}: {source}; check that the directory exists and may be written")]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A film's name does not say its kind.
    #[error("`{path}` is no film; its name must end in .mp4, .gif or .png")]
    FilmKind {
        /// The file.
        path: PathBuf,
    },
    /// The film's encoder refused.
    #[error("cannot encode {path}: {reason}")]
    Film {
        /// The file.
        path: PathBuf,
        /// The encoder's reason.
        reason: String,
    },
    /// The encoder refused.
    #[error("cannot encode {path} as PNG: {source}")]
    Encode {
        /// The file.
        path: PathBuf,
        /// The encoder's reason.
        source: png::EncodingError,
    },
}
