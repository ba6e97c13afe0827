//! Scene files: TOML with parameters, read by the [schema](crate::schema).
//!
//! The text becomes a [`tree`] of values that know their places; `--set` and parameters change the tree;
//! the reader turns it into a plain [`Scene`] and reports every fault with file, line, column, what is
//! allowed and, for a misspelt name, the nearest valid one.

mod build;
mod diagnostic;
pub mod expression;
mod key_paths;
mod mapped;
mod overrides;
mod parameters;
mod reader;
mod source;
mod suggest;
mod tree;
mod values;

pub use diagnostic::{Diagnostic, Faults};
pub use source::Location;
pub use suggest::nearest;

use crate::{builtin, output::Format, schema::scene::SCENE};
use diagnostic::Diagnostics;
use muslin_sim::Scene;
use overrides::Override;
use parameters::Parameters;
use reader::Reader;
use source::Sources;
use std::{cell::RefCell, path::Path};
use tree::Value;

/// Why a scene cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// Neither a built-in scene nor a file.
    #[error("there is no built-in scene and no file `{name}`\n = help: {help}")]
    NotFound {
        /// What was asked for.
        name: String,
        /// The nearest name, or how to list them.
        help: String,
    },
    /// The file cannot be read.
    #[error("cannot read `{path}`: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// The file is faulty.
    #[error("{0}")]
    Invalid(#[from] Faults),
}

/// A scene as read, with what a command wants to know about the file.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// The scene.
    pub scene: Scene,
    /// What it asks to write of the frames; `None` if it does not say.
    pub formats: Option<Vec<Format>>,
    /// Its parameters.
    pub parameters: Vec<ParameterInfo>,
    /// Repairs that were made, and oddities that do not stop a run.
    pub warnings: Vec<String>,
}

/// A parameter of a scene, for listings.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ParameterInfo {
    /// Its name.
    pub name: String,
    /// Its value as written.
    pub value: String,
    /// What it is for.
    pub doc: String,
}

/// Largest scene file [bytes]; anything larger is no scene, and a device file would never end.
const LARGEST_FILE: u64 = 256 << 20;

/// Reads a built-in scene or a file, with `NAME=VALUE` overrides.
pub fn load(name_or_path: &str, overrides: &[String]) -> Result<LoadedScene, SceneError> {
    let path = Path::new(name_or_path);
    if let Some(builtin) = builtin::find(name_or_path) {
        return parse(&format!("{}.toml", builtin.name), builtin.text, builtin.name, overrides).map_err(Into::into);
    }
    if name_or_path.is_empty() || !path.exists() {
        let help = match nearest(name_or_path, builtin::SCENES.iter().map(|s| s.name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`muslin scenes` lists the built-in scenes".into(),
        };
        return Err(SceneError::NotFound { name: name_or_path.into(), help });
    }
    let unreadable = |reason: String| SceneError::Unreadable { path: name_or_path.into(), reason };
    let metadata = std::fs::metadata(path).map_err(|e| unreadable(e.to_string()))?;
    if !metadata.is_file() {
        return Err(unreadable("it is not a file; give a TOML file or the name of a built-in scene".into()));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(unreadable(format!("it has {} bytes, more than any scene needs", metadata.len())));
    }
    let bytes = std::fs::read(path).map_err(|e| unreadable(e.to_string()))?;
    let text = String::from_utf8(bytes)
        .map_err(|e| unreadable(format!("it is not text: byte {} is not UTF-8", e.utf8_error().valid_up_to())))?;
    let stem = path.file_stem().map_or_else(|| "scene".into(), |s| s.to_string_lossy().into_owned());
    parse(name_or_path, &text, &stem, overrides).map_err(Into::into)
}

/// Reads a scene from text. `file` is the name in messages, `stem` the scene's name if it gives none.
pub fn parse(file: &str, text: &str, stem: &str, overrides: &[String]) -> Result<LoadedScene, Faults> {
    let mut sources = Sources::default();
    let source = sources.add(file, text);
    let overrides = Override::collect(overrides, &mut sources);
    let mut faults = Diagnostics::new(sources);
    let mut table = tree::parse_file(text, source, &mut faults);
    if !faults.is_empty() {
        return Err(faults.finish());
    }
    let mut parameters = Parameters::declare(&mut table, &mut faults);
    for one in &overrides {
        one.apply(&mut table, &mut parameters, &mut faults);
    }
    parameters.resolve(&mut faults);
    let mut root = tree::Node::new(Value::Table(table), source::Span { source, start: 0, end: 0 });
    parameters.substitute(&mut root, &mut faults);
    // Reading after a failed substitution would only repeat its faults in other words.
    if !faults.is_empty() {
        return Err(faults.finish());
    }
    let Value::Table(table) = root.value else { return Err(faults.finish()) };
    let faults = RefCell::new(faults);
    let folder = build::file::folder_of(file);
    let reader = Reader::file(&SCENE, &table, &folder, &faults);
    let scene = build::scene(&reader, stem);
    let formats = build::formats(&reader);
    let faults = faults.into_inner();
    if !faults.is_empty() {
        return Err(faults.finish());
    }
    // A key set by its path may replace the only use of a parameter; that is no fault of the file.
    let replaced = overrides.iter().any(|one| one.is_path(&parameters));
    let unused = parameters.list.iter().filter(|p| !p.used && !replaced);
    let mut warnings = faults.notes().to_vec();
    warnings.extend(unused.map(|p| format!("the parameter `{}` is declared but not used", p.name)));
    let info = |p: &parameters::Parameter| ParameterInfo {
        name: p.name.clone(),
        value: faults.sources().text(p.value.span).to_string(),
        doc: p.doc.clone(),
    };
    Ok(LoadedScene { scene, formats, parameters: parameters.list.iter().map(info).collect(), warnings })
}
