//! What the tests of forces share: random deformed sheets, element-wise differences, and the claims that
//! every force must meet, as functions of how the force is built.
#![allow(dead_code)]

pub mod checks;
pub mod element;
pub mod sheet;
