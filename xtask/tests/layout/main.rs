//! Checks of the house itself: who may know whom, how long a file may get, what a source may not say, and
//! whether the documents speak of things that exist.
//!
//! Each check is a function from text to a list of faults, so that it can be shown to fail on a bad example
//! beside the test that runs it over the tree.

mod crates;
mod links;
mod markers;
mod papers;
mod readme;
mod scene_reference;
mod sources;
mod tree;
