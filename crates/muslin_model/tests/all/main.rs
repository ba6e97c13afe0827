//! Tests of what is simulated; the modules mirror the crate's.

mod deformation;
mod environment;
mod keyframes;
mod material;
mod mesh;
mod model;
mod motion;
mod parallel;
mod pins;
mod random;
mod shapes;
mod topology;
