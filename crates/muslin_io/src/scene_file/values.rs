//! Plain values of a table: numbers, vectors, flags, strings and lists, with the schema's checks.

use super::{
    expression::{self, Number},
    reader::Reader,
    suggest::one_of,
    tree::{Node, Value},
};
use crate::schema::{Kind, Range, range::Plain};
use glam::{DVec2, DVec3};
use muslin_model::Field;

impl Reader<'_> {
    /// A number; a fault gives NaN, which never reaches a scene.
    pub fn number(&self, name: &str) -> f64 {
        self.optional_number(name).unwrap_or(f64::NAN)
    }

    /// A number that may be absent.
    pub fn optional_number(&self, name: &str) -> Option<f64> {
        let Kind::Number(range) = self.key(name).kind else { panic!("`{name}` is not a number") };
        let node = self.node(name)?;
        self.real(&node, range, &self.path_of(name), self.key(name).unit)
    }

    /// An integer.
    pub fn integer(&self, name: &str) -> u64 {
        let Kind::Integer(range) = self.key(name).kind else { panic!("`{name}` is not an integer") };
        let path = self.path_of(name);
        self.node(name).and_then(|node| self.whole(&node, range, &path)).unwrap_or(0)
    }

    /// A flag.
    pub fn flag(&self, name: &str) -> bool {
        let Some(node) = self.node(name) else { return false };
        match node.value {
            Value::Flag(flag) => flag,
            _ => {
                let path = self.path_of(name);
                self.fault_at(&node, format!("`{path}` must be `true` or `false`, found {}", node.kind()));
                false
            }
        }
    }

    /// A string.
    pub fn text(&self, name: &str) -> Option<String> {
        let node = self.node(name)?;
        match node.value {
            Value::Text(text) => Some(text),
            _ => {
                self.fault_at(&node, format!("`{}` must be a string, found {}", self.path_of(name), node.kind()));
                None
            }
        }
    }

    /// Two numbers.
    pub fn vector2(&self, name: &str) -> DVec2 {
        self.optional_vector2(name).unwrap_or(DVec2::NAN)
    }

    /// Two numbers that may be absent.
    pub fn optional_vector2(&self, name: &str) -> Option<DVec2> {
        let Kind::Vector2(range) = self.key(name).kind else { panic!("`{name}` is not a vector") };
        self.reals::<2>(name, range).map(DVec2::from_array)
    }

    /// Three numbers.
    pub fn vector3(&self, name: &str) -> DVec3 {
        self.optional_vector3(name).unwrap_or(DVec3::NAN)
    }

    /// Three numbers that may be absent.
    pub fn optional_vector3(&self, name: &str) -> Option<DVec3> {
        let Kind::Vector3(range) = self.key(name).kind else { panic!("`{name}` is not a vector") };
        self.reals::<3>(name, range).map(DVec3::from_array)
    }

    /// One number for all axes, or three.
    pub fn scale(&self, name: &str) -> DVec3 {
        let Kind::Scale(range) = self.key(name).kind else { panic!("`{name}` is not a scale") };
        let Some(node) = self.node(name) else { return DVec3::NAN };
        match node.value {
            Value::List(_) => self.reals::<3>(name, range).map_or(DVec3::NAN, DVec3::from_array),
            _ => DVec3::splat(self.real(&node, range, &self.path_of(name), self.key(name).unit).unwrap_or(f64::NAN)),
        }
    }

    /// Two integers.
    pub fn integers2(&self, name: &str) -> [usize; 2] {
        let Kind::Integers2(range) = self.key(name).kind else { panic!("`{name}` is not a pair of integers") };
        let path = self.path_of(name);
        match self.node(name).and_then(|node| self.items(&node, Some(2), &path)).as_deref() {
            Some([a, b]) => {
                let read = |node, k| self.whole(node, range, &format!("{path}.{k}")).unwrap_or(2) as usize;
                [read(a, 0), read(b, 1)]
            }
            _ => [2, 2],
        }
    }

    /// A list of integers.
    pub fn integers(&self, name: &str) -> Vec<u64> {
        let Kind::Integers(range) = self.key(name).kind else { panic!("`{name}` is not a list of integers") };
        let path = self.path_of(name);
        let items = self.node(name).and_then(|node| self.items(&node, None, &path)).unwrap_or_default();
        let read = |(k, node)| self.whole(node, range, &format!("{path}.{k}"));
        items.iter().enumerate().filter_map(read).collect()
    }

    /// A string or a list of strings.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let Some(node) = self.node(name) else { return Vec::new() };
        let items = match &node.value {
            Value::List(items) => items.clone(),
            _ => vec![node],
        };
        let read = |item: &Node| match &item.value {
            Value::Text(text) => Some(text.clone()),
            _ => {
                self.fault_at(item, format!("`{}` must be strings, found {}", self.path_of(name), item.kind()));
                None
            }
        };
        items.iter().filter_map(read).collect()
    }

    /// Strings out of a list of allowed ones; one string stands for a list of one.
    pub fn names(&self, name: &str, allowed: &[&str]) -> Vec<String> {
        let Some(node) = self.node(name) else { return Vec::new() };
        let path = self.path_of(name);
        let items = match &node.value {
            Value::List(items) => items.clone(),
            _ => vec![node],
        };
        let read = |item: &Node| match &item.value {
            Value::Text(text) if allowed.contains(&text.as_str()) => Some(text.clone()),
            Value::Text(text) => {
                let names = || allowed.iter().copied();
                let mut fault = self.fault_at(item, format!("`{path}` must be {}, found `{text}`", one_of(names())));
                if let Some(near) = super::suggest::nearest(text, names()) {
                    fault.help(format!("did you mean `{near}`?"));
                }
                None
            }
            _ => {
                self.fault_at(item, format!("`{path}` must be names, found {}", item.kind()));
                None
            }
        };
        items.iter().filter_map(read).collect()
    }

    /// A material value; `None` if absent.
    pub fn field(&self, name: &str) -> Option<Field> {
        let Kind::Field(range) = self.key(name).kind else { panic!("`{name}` is not a material value") };
        let (path, unit) = (self.path_of(name), self.key(name).unit);
        let node = self.given(name)?;
        let Value::Table(table) = &node.value else {
            return self.real(node, range, &path, unit).map(Field::Uniform);
        };
        if table.get("map").is_some() {
            return self.mapped(table, node, range, &path, unit);
        }
        match table.entries.as_slice() {
            [entry] if matches!(entry.key.as_str(), "per_vertex" | "per_face") => {
                let path = format!("{path}.{}", entry.key);
                let items = self.items(&entry.node, None, &path)?;
                let values: Vec<f64> = items
                    .iter()
                    .enumerate()
                    .filter_map(|(k, item)| self.real(item, range, &format!("{path}.{k}"), unit))
                    .collect();
                Some(if entry.key == "per_face" { Field::PerFace(values) } else { Field::PerVertex(values) })
            }
            _ => {
                self.fault_at(
                    node,
                    format!(
                        "`{path}` must be a number, or one table `{{ per_vertex = [...] }}`, `{{ per_face = [...] }}` or `{{ map = \"...\" }}`"
                    ),
                );
                None
            }
        }
    }

    /// The items of a list of a given length.
    pub fn items(&self, node: &Node, length: Option<usize>, path: &str) -> Option<Vec<Node>> {
        let wanted = length.map_or("a list".to_string(), |n| format!("a list of {n}"));
        match &node.value {
            Value::List(items) if length.is_none_or(|n| items.len() == n) => Some(items.clone()),
            Value::List(items) => {
                self.fault_at(node, format!("`{path}` must be {wanted}, found {} values", items.len()));
                None
            }
            _ => {
                self.fault_at(node, format!("`{path}` must be {wanted}, found {}", node.kind()));
                None
            }
        }
    }

    fn reals<const N: usize>(&self, name: &str, range: Range) -> Option<[f64; N]> {
        let path = self.path_of(name);
        let items = self.items(&self.node(name)?, Some(N), &path)?;
        let mut values = [f64::NAN; N];
        for (k, item) in items.iter().enumerate() {
            values[k] = self.real(item, range, &format!("{path}.{k}"), self.key(name).unit).unwrap_or(f64::NAN);
        }
        Some(values)
    }

    /// A vector's items as numbers, for lists that are not simple vectors.
    pub fn direction(&self, node: &Node, path: &str) -> Option<DVec3> {
        let items = self.items(node, Some(3), path)?;
        let mut values = [f64::NAN; 3];
        for (k, item) in items.iter().enumerate() {
            values[k] = self.real(item, Range::between(-1e6, 1e6), &format!("{path}.{k}"), "-")?;
        }
        Some(DVec3::from_array(values))
    }

    pub(super) fn real(&self, node: &Node, range: Range, path: &str, unit: &str) -> Option<f64> {
        let x = self.arithmetic(node, "a number", path)?.real();
        if range.contains(x) {
            return Some(x);
        }
        let unit = if unit == "-" { String::new() } else { format!(" [{unit}]") };
        let mut fault = self.fault_at(node, format!("`{path}` must be {range}{unit}, found {}", Plain(x)));
        // Items of a list have numbers for names.
        let name = path.rsplit('.').find(|part| part.parse::<usize>().is_err());
        if let Some(key) = name.and_then(|name| self.schema.key(name)) {
            fault.help(format!("`{}`: {}", key.name, key.doc));
        }
        None
    }

    fn whole(&self, node: &Node, range: Range, path: &str) -> Option<u64> {
        let value = self.arithmetic(node, "an integer", path)?;
        let x = value.real();
        // 1e3 is as good as 1000; beyond 2⁵³ a float has no last digit.
        let integer = x.fract() == 0.0 && x.abs() < 9.0e15;
        if !integer {
            let mut fault = self.fault_at(node, format!("`{path}` must be an integer {range}, found {}", Plain(x)));
            fault.help("`floor(…)`, `ceil(…)` and `round(…)` make an integer of an expression");
            return None;
        }
        if !range.contains(x) {
            self.fault_at(node, format!("`{path}` must be an integer {range}, found {}", Plain(x)));
            return None;
        }
        Some(x as u64)
    }

    fn arithmetic(&self, node: &Node, wanted: &str, path: &str) -> Option<Number> {
        match &node.value {
            Value::Integer(i) => Some(Number::Integer(*i)),
            Value::Real(x) => Some(Number::Real(*x)),
            Value::Text(text) => match expression::evaluate(text, &mut |_| Err("no parameter".into())) {
                Ok(value) => Some(value),
                Err(error) => {
                    let mut fault =
                        self.fault_at(node, format!("`{path}` must be {wanted}, found the string `{text}`"));
                    fault.help(format!("as arithmetic it fails: {}", error.message));
                    None
                }
            },
            _ => {
                self.fault_at(node, format!("`{path}` must be {wanted}, found {}", node.kind()));
                None
            }
        }
    }
}
