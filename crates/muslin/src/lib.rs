//! Muslin simulates cloth that behaves like the measured fabric.
//!
//! The shortest way is a built-in scene:
//!
//! ```
//! use muslin::Simulation;
//!
//! let mut simulation = Simulation::from_scene_with("hang", &["resolution=10"])?;
//! let positions = simulation.next_frame()?; // after 1/60 s
//! assert_eq!(positions.len(), 100);
//! # Ok::<(), muslin::Error>(())
//! ```
//!
//! [`run`] does what the command `muslin run` does: it simulates a scene into a directory with the frames, a
//! picture and a report. A [`Scene`] is plain data; [`load`] reads one from a file, and a program may change
//! it or make its own:
//!
//! ```
//! use muslin::{Material, RunOptions, load, run};
//!
//! # let place = tempfile::tempdir().unwrap();
//! # let directory = place.path().join("hang");
//! let mut scene = load("hang", &["resolution=20".into()])?.scene;
//! scene.cloths[0].material = Material { area_density: 0.15.into(), ..Material::woven_cotton() };
//! let options = RunOptions { out: Some(directory), frames: Some(30), ..Default::default() };
//! let result = run(&scene, &options, &mut ())?;
//! println!("largest strain {:.2} %", 100.0 * result.report.max_strain);
//! assert_eq!(result.report.frames, 30);
//! # Ok::<(), muslin::Error>(())
//! ```
//!
//! The crates beneath are [`model`], [`dynamics`], [`collision`], [`sim`], [`io`] and [`render`].

pub mod card;
mod check;
mod convert;
mod course;
mod directory;
mod energy;
mod error;
pub mod fields;
mod keeper;
pub mod kes_bending;
pub mod lab;
pub mod legend;
pub mod measure;
pub mod memory;
mod observer;
mod one_file;
mod options;
pub mod picture;
mod pinches;
pub mod recorded;
pub mod reel;
mod report;
mod run;
mod simulation;
pub mod slide;
pub mod slider;
mod start_picture;

pub use muslin_collision as collision;
pub use muslin_contact as contact;
pub use muslin_dynamics as dynamics;
pub use muslin_io as io;
pub use muslin_model as model;
pub use muslin_render as render;
pub use muslin_sim as sim;

pub use check::{CheckFault, MeshUse, Verdict, check};
pub use convert::{Converted, convert};
pub use energy::{EnergyBalance, EnergyWork};
pub use error::Error;
pub use keeper::Resumption;
pub use muslin_dynamics::Interrupt;
pub use muslin_io::{LoadedScene, load, output::Format};
pub use muslin_model::{Field, Material, Mesh};
pub use muslin_sim::{Scene, Settings};
pub use observer::{Observer, Progress};
pub use options::{CheckpointPolicy, Existing, RunOptions};
pub use pinches::PinchReport;
pub use report::{ClaimResult, Outcome, Report};
pub use run::{RunResult, run};
pub use simulation::Simulation;
