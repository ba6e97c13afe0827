//! Proximity and static tests against rational arithmetic.

mod proximity;
mod random;
mod rational;
