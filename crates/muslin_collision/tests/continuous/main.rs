//! Continuous tests against whole-number arithmetic and against data with exact answers.

mod counting;
mod families;
mod glance;
#[path = "../exact/random.rs"]
mod random;
mod separation;
mod stages;
mod twin;
mod verdicts;
