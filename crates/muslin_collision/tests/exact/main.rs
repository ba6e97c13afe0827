//! Proximity and static tests against rational arithmetic.

mod clip;
mod intersections;
mod proximity;
mod random;
mod rational;
mod static_tests;
