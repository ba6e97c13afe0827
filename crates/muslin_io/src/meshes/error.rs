//! Why a mesh file cannot be read: where, what, and what to do about it.

use std::{fmt, io};

/// A place in a mesh file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of text, from 1.
    Line(u64),
    /// A byte, from 0.
    Byte(u64),
    /// An element of a binary file by its own count, from 0, and the byte where it begins.
    Element {
        /// What it is, such as `vertex`.
        name: String,
        /// Its number, from 0.
        index: u64,
        /// Where it begins.
        byte: u64,
    },
    /// A named object of a structured file, such as `/World/Cloth` or `mesh 2`.
    Object(String),
}

/// What kind of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The file cannot be opened or read.
    Unreadable,
    /// Nothing here reads this kind of file, or this part of it.
    Unsupported,
    /// The text or the structure is wrong.
    Syntax,
    /// A number that is no number, or not allowed here.
    Value,
    /// An index names something that does not exist.
    Index,
    /// The file ends too early, or claims more than it holds.
    Truncated,
    /// More than this program can hold.
    TooLarge,
}

/// A fault in a mesh file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshFileError {
    /// The file as it was named.
    pub file: String,
    /// Where the fault is.
    pub place: Place,
    /// What kind it is.
    pub kind: FaultKind,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl std::error::Error for MeshFileError {}

impl fmt::Display for MeshFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        match &self.place {
            Place::File => {}
            Place::Line(line) => write!(f, ":{line}")?,
            Place::Byte(byte) => write!(f, ", byte {byte}")?,
            Place::Element { name, index, byte } => write!(f, ", {name} {index} (byte {byte})")?,
            Place::Object(name) => write!(f, ", {name}")?,
        }
        write!(f, ": {}; {}", self.message, self.remedy)
    }
}

/// A fault before its file is known; readers return this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// Kind.
    pub kind: FaultKind,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl Fault {
    /// A fault at a place.
    pub fn new(place: Place, kind: FaultKind, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Fault { place, kind, message: message.into(), remedy: remedy.into() }
    }

    /// The fault with the file's name.
    pub fn in_file(self, file: &str) -> MeshFileError {
        let Fault { place, kind, message, remedy } = self;
        MeshFileError { file: file.to_string(), place, kind, message, remedy }
    }
}

/// What to do about a file that is not there.
pub const CHECK_PATH: &str = "check the path";

/// A failed read. A packed file that is damaged or unpacks to too much shows here too.
impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => CHECK_PATH,
            io::ErrorKind::PermissionDenied => "give yourself the right to read it",
            io::ErrorKind::UnexpectedEof => "the file is cut short: copy it again",
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => "write or pack the file again",
            _ => "check the path and the disk",
        };
        let kind = match error.kind() {
            io::ErrorKind::UnexpectedEof => FaultKind::Truncated,
            _ => FaultKind::Unreadable,
        };
        Fault::new(Place::File, kind, format!("cannot read it: {error}"), remedy)
    }
}
