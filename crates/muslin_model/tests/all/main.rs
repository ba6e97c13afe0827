//! Tests of what is simulated; the modules mirror the crate's.

mod random;
mod shapes;
