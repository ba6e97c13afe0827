//! Scene files, built-in scenes and the files that a run writes.
//!
//! - [`scene_file`] reads TOML into a plain [`muslin_sim::Scene`]: [`load`] by name or path, [`parse`] from
//!   text. Faults come with file, line, column, what is allowed and the nearest valid name.
//! - [`schema`] is the one table of all keys; [`mod@reference`] prints it as `docs/scene-file.md`.
//! - [`builtin`] embeds the scenes of `scenes/`.
//! - [`meshes`] reads mesh files ([`meshes::read`]); [`input`] opens any file, plain or packed.
//! - [`ccd_queries`] reads single collision queries with exact answers.
//! - [`fabrics`] is the library of named fabrics, each number with its source.
//! - [`checkpoint`] keeps what a run needs to go on.
//! - [`output`] writes NumPy archives and PLY files; each is whole or absent.
//!
//! ```
//! let text = r#"
//! duration = "2 * $half"
//! [parameters]
//! half = 0.5
//! [[cloth]]
//! shape = { kind = "grid", size = [1, 1], vertices = [10, 10] }
//! "#;
//! let scene = muslin_io::parse("sheet.toml", text, "sheet", &["half=0.25".into()])?.scene;
//! assert_eq!((scene.duration, scene.frames()), (0.5, 30));
//!
//! let faults = muslin_io::parse("sheet.toml", text, "sheet", &["hafl=0.25".into()]).unwrap_err();
//! assert_eq!(faults.0[0].help, ["did you mean `half`?"]);
//! # Ok::<(), muslin_io::scene_file::Faults>(())
//! ```

pub mod builtin;
pub mod ccd_queries;
pub mod checkpoint;
pub mod fabrics;
pub mod input;
pub mod meshes;
pub mod output;
pub mod recording;
pub mod reference;
pub mod scene_file;
pub mod schema;

pub use scene_file::{LoadedScene, ParameterInfo, SceneError, load, parse};
