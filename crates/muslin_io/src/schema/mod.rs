//! What a scene file may contain: one table that drives reading, checking and the reference page.
//!
//! Every key stands once, with its type, unit, range, default and a line of documentation. The reader asks
//! for keys by name and takes type, range and default from here; the reference page prints the same entries.

pub mod cascade;
pub mod cloth;
pub mod file;
pub mod friction;
pub mod obstacle;
pub mod range;
pub mod scene;
pub mod settings;

pub use range::Range;

/// A kind of table.
#[derive(Debug)]
pub struct TableSchema {
    /// The key it stands under, or the name of the variant.
    pub name: &'static str,
    /// One line for the reference.
    pub doc: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// Unit; `-` if it has none.
    pub unit: &'static str,
    /// What holds if it is absent.
    pub default: Absent,
    /// One line for the reference.
    pub doc: &'static str,
}

const fn key(name: &'static str, kind: Kind, unit: &'static str, default: Absent, doc: &'static str) -> Key {
    Key { name, kind, unit, default, doc }
}

/// What holds if a key is absent.
#[derive(Debug, PartialEq, Eq)]
pub enum Absent {
    /// It must be there.
    Required,
    /// This value, as TOML.
    Is(&'static str),
    /// No value; the text says what that means.
    Means(&'static str),
}

/// What a value is.
#[derive(Debug)]
pub enum Kind {
    /// A number.
    Number(Range),
    /// An integer.
    Integer(Range),
    /// `true` or `false`.
    Flag,
    /// A string.
    Text,
    /// Two numbers.
    Vector2(Range),
    /// Three numbers.
    Vector3(Range),
    /// One number for all axes, or three numbers.
    Scale(Range),
    /// Two integers.
    Integers2(Range),
    /// A list of integers.
    Integers(Range),
    /// A string or a list of strings.
    Texts,
    /// Some of these names.
    Names(&'static [&'static str]),
    /// Names of places on a grid: a string or a list of strings.
    Places,
    /// Formats of frames: a string or a list of strings.
    Formats,
    /// Directions: a list of `"x"`, `"y"`, `"z"` or vectors.
    Axes,
    /// A fabric: a name or a table.
    Material,
    /// A law of friction: a number or a table.
    Friction,
    /// A material value: a number, `{ per_vertex = […] }`, `{ per_face = […] }` or `{ map = "…", from = …, to = … }`.
    Field(Range),
    /// A table.
    Table(&'static TableSchema),
    /// A list of tables.
    Tables(&'static TableSchema),
    /// One of several: a name, or a table with `kind = "name"` and that variant's keys.
    Variant(&'static [TableSchema]),
    /// `[parameters]`.
    Parameters,
}

impl TableSchema {
    /// A key by name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|k| k.name == name)
    }
}
