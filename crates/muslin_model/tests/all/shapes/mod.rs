//! Meshes of simple shapes.

mod cloth;
mod measure;
mod obstacles;
mod refused;
mod touching;
