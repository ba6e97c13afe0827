//! A scene file that is changed key by key and stays readable: comments and order are kept.
//!
//! The text is the truth. A changed scene is read from the changed text, so that what is saved is what was seen.

use muslin::{
    Scene,
    io::{builtin, meshes::UpAxis},
    model::BodyKind,
};
use std::path::{Path, PathBuf};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

/// Where a scene comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Name of a built-in scene, or path of a file.
    pub name: String,
    /// `NAME=VALUE` settings.
    pub settings: Vec<String>,
}

/// A scene file's text, with changes.
#[derive(Clone, Debug)]
pub struct Document {
    toml: DocumentMut,
    /// The file's name in messages; relative paths in the scene start from its folder.
    file: String,
    /// The scene's name if it gives none.
    stem: String,
}

impl Document {
    /// Reads a scene's text and writes the settings into it.
    pub fn read(source: &Source) -> Result<Self, String> {
        let (text, file, stem) = match builtin::find(&source.name) {
            Some(scene) => (scene.text.to_string(), format!("{}.toml", scene.name), scene.name.to_string()),
            None => {
                let stem = Path::new(&source.name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let text = std::fs::read_to_string(&source.name).map_err(|e| format!("`{}`: {e}", source.name))?;
                (text, source.name.clone(), stem)
            }
        };
        let toml = text.parse::<DocumentMut>().map_err(|error| error.to_string())?;
        let mut document = Document { toml, file, stem };
        for setting in &source.settings {
            document.apply(setting);
        }
        Ok(document)
    }

    /// The mesh files that bodies are made from.
    pub fn mesh_files(&self) -> Vec<MeshFile> {
        let folder = Path::new(&self.file).parent().unwrap_or(Path::new(""));
        let of = |key: &str, kind: BodyKind| {
            let list = self.toml.get(key).and_then(Item::as_array_of_tables);
            let bodies = list.into_iter().flatten().enumerate();
            bodies.filter_map(|(k, body)| MeshFile::read(body, folder, kind, k)).collect::<Vec<_>>()
        };
        [of("cloth", BodyKind::Cloth), of("obstacle", BodyKind::Obstacle)].concat()
    }

    /// The folder that the scene's mesh files are named from; `None` if it names none that depend on it.
    pub fn folder_of_files(&self) -> Option<String> {
        let folder = Path::new(&self.file).parent().unwrap_or(Path::new(""));
        let depends =
            |file: &MeshFile| file.path.is_relative() || folder.is_absolute() && file.path.starts_with(folder);
        let here = std::path::absolute(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }).ok()?;
        self.mesh_files().iter().any(depends).then(|| here.display().to_string())
    }

    /// The scene that the text says.
    pub fn scene(&self) -> Result<Scene, String> {
        muslin::io::scene_file::parse(&self.file, &self.text(), &self.stem, &[])
            .map(|loaded| loaded.scene)
            .map_err(|faults| faults.to_string())
    }

    /// The text.
    pub fn text(&self) -> String {
        self.toml.to_string()
    }

    /// Writes a `NAME=VALUE` setting into the text, as `muslin run --set` would understand it.
    fn apply(&mut self, setting: &str) {
        let Some((name, text)) = setting.split_once('=') else { return };
        let given = text.trim().parse::<Value>().unwrap_or_else(|_| Value::from(text.trim()));
        let name = name.trim().trim_start_matches("parameters.");
        let parameter =
            self.toml.get_mut("parameters").and_then(|p| p.as_table_like_mut()).and_then(|p| p.get_mut(name));
        match parameter {
            Some(item) => match item.as_table_like_mut() {
                Some(table) if table.contains_key("default") => drop(table.insert("default", value(given))),
                _ => *item = value(given),
            },
            None => self.set(name, value(given)),
        }
    }

    /// Sets a key by its path, such as `cloth.0.material.shear`. Tables on the way are made; a fabric or a variant that
    /// stands by its name opens into a table.
    pub fn set(&mut self, path: &str, new: Item) {
        let parts: Vec<&str> = path.split('.').collect();
        let Some((last, way)) = parts.split_last() else { return };
        let mut place = self.toml.as_item_mut();
        for (k, part) in way.iter().enumerate() {
            place = match (part.parse::<usize>(), way.get(k + 1).or(Some(last)).map(|next| next.parse::<usize>())) {
                (Ok(index), _) => match place.get_mut(index) {
                    Some(item) => item,
                    None => return,
                },
                // A list is not made: its entries would be unknown.
                (Err(_), Some(Ok(_))) if place.get(part).is_none() => return,
                (Err(_), _) => {
                    let Some(table) = place.as_table_like_mut() else { return };
                    if !table.contains_key(part) {
                        table.insert(part, Item::Table(implicit()));
                    }
                    let Some(item) = table.get_mut(part) else { return };
                    open(item, part);
                    item
                }
            };
        }
        match (last.parse::<usize>(), place) {
            (Ok(index), Item::Value(Value::Array(list))) if index < list.len() => {
                if let Ok(new) = new.into_value() {
                    drop(list.replace(index, new));
                }
            }
            (_, place) => {
                if let Some(table) = place.as_table_like_mut() {
                    drop(table.insert(last, new));
                }
            }
        }
    }

    /// The pins of a cloth as separate tables, to be changed; made if there are none.
    pub fn pins(&mut self, cloth: usize) -> Option<&mut ArrayOfTables> {
        let table = self.toml.get_mut("cloth")?.get_mut(cloth)?.as_table_like_mut()?;
        if !table.contains_key("pin") {
            table.insert("pin", Item::ArrayOfTables(ArrayOfTables::new()));
        }
        let item = table.get_mut("pin")?;
        if let Item::Value(Value::Array(list)) = item {
            let tables = list.iter().filter_map(|v| v.as_inline_table().cloned()).map(InlineTable::into_table);
            *item = Item::ArrayOfTables(tables.collect());
        }
        item.as_array_of_tables_mut()
    }
}

/// A mesh file that a scene names, and how it is to be read.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// Name of the body.
    pub name: String,
    /// Cloth or obstacle.
    pub kind: BodyKind,
    /// The file.
    pub path: PathBuf,
    /// Names of parts; empty for all.
    pub parts: Vec<String>,
    /// Repairs that are asked for.
    pub repair: Vec<String>,
    /// Where the rest shape comes from, if that is said.
    pub rest: Option<String>,
    /// Length of the unit [m], if it is said.
    pub metres_per_unit: Option<f64>,
    /// The axis that points up, if it is said.
    pub up: Option<UpAxis>,
}

impl MeshFile {
    fn read(body: &Table, folder: &Path, kind: BodyKind, number: usize) -> Option<Self> {
        let shape = body.get("shape")?;
        let text = |key: &str| shape.get(key).and_then(Item::as_str).map(str::to_string);
        let texts = |key: &str| -> Vec<String> {
            let list = shape.get(key).and_then(Item::as_array).into_iter().flatten();
            list.filter_map(|item| item.as_str().map(str::to_string)).collect()
        };
        let metres_per_unit = text("unit").map(|unit| match unit.as_str() {
            "cm" => 0.01,
            "mm" => 0.001,
            "inch" => 0.0254,
            _ => 1.0,
        });
        Some(MeshFile {
            name: body.get("name").and_then(Item::as_str).map_or(format!("body {number}"), str::to_string),
            kind,
            path: folder.join(text("path").filter(|_| text("kind").as_deref() == Some("file"))?),
            parts: texts("parts"),
            repair: texts("repair"),
            rest: text("rest"),
            metres_per_unit,
            up: text("up").map(|axis| if axis == "y" { UpAxis::Y } else { UpAxis::Z }),
        })
    }
}

/// A table that is written only where it has keys of its own.
fn implicit() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}

fn open(item: &mut Item, key: &str) {
    if let Some(name) = item.as_str().map(str::to_string) {
        let mut table = InlineTable::new();
        table.insert(if key == "material" { "base" } else { "kind" }, name.into());
        *item = value(table);
    }
}

/// A list of numbers.
pub fn list<T: Into<Value>>(numbers: impl IntoIterator<Item = T>) -> Item {
    value(numbers.into_iter().collect::<Array>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str, settings: &[&str]) -> Source {
        Source { name: name.into(), settings: settings.iter().map(|s| s.to_string()).collect() }
    }

    #[test]
    fn settings_in_the_text_mean_what_they_mean_to_run() {
        let cases: [(&str, &[&str]); 6] = [
            ("drape", &["resolution=12", "radius=0.3"]),
            ("drape", &["settings.step=1/200", "cloth.0.material.shear=77"]),
            ("flag", &["wind=7", "cloth.0.material.area_density=0.3", "resolution=9"]),
            ("hang", &["parameters.resolution=5", "environment.wind.velocity=[1,2,3]"]),
            ("curtain", &["environment.gravity=[0,0,-1.5]", "environment.wind.normal_drag=0.5"]),
            ("laundry", &["cloth.1.material.bend_weft=1e-5", "camera.position=[1,1,1]"]),
        ];
        for (name, settings) in cases {
            let source = source(name, settings);
            let expected = muslin::load(name, &source.settings).unwrap().scene;
            let document = Document::read(&source).unwrap();
            assert_eq!(document.scene().unwrap(), expected, "{name} {settings:?}\n{}", document.text());
        }
    }

    #[test]
    fn a_changed_key_leaves_the_rest_of_the_file_alone() {
        let mut document = Document::read(&source("flag", &[])).unwrap();
        let before = document.text();
        document.set("settings.step", value(0.004));
        let after = document.text();
        let changed: Vec<_> = before.lines().zip(after.lines()).filter(|(a, b)| a != b).collect();
        assert_eq!(changed, [("step = \"$step\"", "step = 0.004")]);
        assert_eq!(document.scene().unwrap().settings.step, 0.004);
    }

    #[test]
    fn paths_that_lead_nowhere_change_nothing() {
        let mut document = Document::read(&source("hang", &[])).unwrap();
        let before = document.text();
        for path in ["cloth.7.material.shear", "obstacle.0.name", "cloth.x.y", "name.x"] {
            let mut copy = document.clone();
            copy.set(path, value(1));
            assert!(copy.text() == before || copy.scene().is_err(), "{path}");
        }
        document.set("cloth.0.material.shear", value(55.0));
        assert_eq!(document.scene().unwrap().cloths[0].material.shear, 55.0.into());
    }
}
