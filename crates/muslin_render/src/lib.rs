//! Pictures of cloth without a window: shaded frames, contact sheets and coloured fields, drawn on the CPU.
//!
//! The way of a frame: `stage` turns it into lit triangles, `sky` and `light` find out what light reaches
//! them, `raster` which one each sample sees, and `renderer` puts the samples together. The same frame gives
//! the same bits for any number of threads.

mod camera;
pub mod colour_map;
mod contact_sheet;
mod depth_map;
mod error;
mod film;
mod font;
mod framing;
mod image;
mod legend;
mod light;
mod pattern;
mod raster;
mod refine;
mod renderer;
mod sky;
pub mod srgb;
mod stage;
mod subject;

pub use camera::Camera;
pub use contact_sheet::{ContactSheet, SheetSettings};
pub use error::RenderError;
pub use film::{Film, FilmKind};
pub use framing::View;
pub use image::{Image, save_png};
pub use legend::draw_legend;
pub use renderer::{Paint, Renderer};
pub use subject::Subject;
