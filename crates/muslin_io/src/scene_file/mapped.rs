//! Material values from maps: `{ map = "color.red", from = 50, to = 500 }`.

use super::{
    build::maps::Map,
    reader::Reader,
    suggest::one_of,
    tree::{Node, Table, Value},
};
use crate::schema::{Range, range::Plain};
use muslin_model::Field;

impl Reader<'_> {
    /// A value that goes from `from` where the attribute is 0 to `to` where it is 1.
    pub fn mapped(&self, table: &Table, node: &Node, range: Range, path: &str, unit: &str) -> Option<Field> {
        let end = |key: &str, otherwise: f64| match table.get(key) {
            Some(node) => self.real(node, range, &format!("{path}.{key}"), unit),
            None => Some(otherwise),
        };
        let (from, to) = (end("from", 0.0)?, end("to", 1.0)?);
        if let Some(entry) = table.entries.iter().find(|e| !["map", "from", "to"].contains(&e.key.as_str())) {
            self.fault(entry.key_span, format!("`{path}` has no key `{}`", entry.key))
                .help("a map takes `map`, `from` and `to`");
            return None;
        }
        let map = self.map(table.get("map")?, path)?;
        let spread = |values: Vec<f64>, what: &str| {
            let values: Vec<f64> = values.into_iter().map(|s| from + (to - from) * s).collect();
            if let Some(k) = values.iter().position(|v| !range.contains(*v)) {
                let message = format!("`{path}` must be {range}, but its map gives {} at {what} {k}", Plain(values[k]));
                self.fault_at(node, message).help("choose `from` and `to` so that the whole map fits");
                return None;
            }
            Some(values)
        };
        match map {
            Map::Vertices(values) => spread(values, "vertex").map(Field::PerVertex),
            Map::Faces(values) => spread(values, "face").map(Field::PerFace),
        }
    }

    /// The attribute that a map names.
    pub fn map(&self, node: &Node, path: &str) -> Option<Map> {
        let Value::Text(name) = &node.value else {
            self.fault_at(node, format!("`{path}.map` must be a string, found {}", node.kind()));
            return None;
        };
        let Some(maps) = self.maps() else {
            self.fault_at(node, format!("`{path}` names a map, but the cloth is from no file"))
                .help("maps are attributes of a mesh file: `shape = { kind = \"file\", … }`");
            return None;
        };
        let found = maps.find(name);
        if found.is_none() {
            let names = maps.names();
            let mut fault = self.fault_at(node, format!("the cloth's file has no attribute `{name}`"));
            match names.is_empty() {
                true => fault.help("it has none"),
                false => fault.help(format!("it has {}", one_of(names.iter().map(String::as_str)))),
            };
        }
        found
    }
}
