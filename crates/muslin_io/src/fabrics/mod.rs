//! The library of named fabrics. Its numbers are data: the TOML files of `fabrics/`, embedded. Every number stands with how
//! it was found (measured, fitted, assumed) and where it comes from.

mod bands;
mod fabric;
mod parse;
mod quantity;

pub use bands::{DrapeBand, bands};
pub use fabric::{BendRows, Fabric, FabricValue, How, Source, StretchRows};
pub use parse::{LibraryError, parse};
pub use quantity::{QUANTITIES, Quantity};

use std::sync::LazyLock;

/// The files of the library, in the order of listings, after that of the sources.
const FILES: [&str; 5] = [
    include_str!("../../../../fabrics/default.toml"),
    include_str!("../../../../fabrics/wang-2011.toml"),
    include_str!("../../../../fabrics/kes-denim-2016.toml"),
    include_str!("../../../../fabrics/codim-ipc.toml"),
    include_str!("../../../../fabrics/drape-classes.toml"),
];

static LIBRARY: LazyLock<Vec<Fabric>> = LazyLock::new(|| {
    parse(include_str!("../../../../fabrics/sources.toml"), &FILES).expect("the embedded library is tested")
});

/// All fabrics.
pub fn all() -> &'static [Fabric] {
    &LIBRARY
}

/// A fabric by its name.
pub fn find(name: &str) -> Option<&'static Fabric> {
    all().iter().find(|f| f.name == name)
}

/// The fabric whose name looks most like this one.
pub fn nearest(name: &str) -> Option<&'static str> {
    crate::scene_file::nearest(name, all().iter().map(|f| f.name.as_str()))
}

/// Names of the fabrics that have a word in them, in the library's order.
pub fn with_word(word: &str) -> Vec<&'static str> {
    let word = word.to_lowercase().replace(['_', ' '], "-");
    all().iter().map(|f| f.name.as_str()).filter(|name| !word.is_empty() && name.contains(&word)).collect()
}

/// Names of the fabrics that have measured tables.
pub fn with_tables() -> Vec<&'static str> {
    all().iter().filter(|f| f.stretch_table.is_some() && f.bend_table.is_some()).map(|f| f.name.as_str()).collect()
}
