//! `[parameters]`: named values with defaults that the rest of the file uses as `"$name"` or in arithmetic.
//!
//! A declaration is a plain value, or a table `{ default = …, range = [low, high], doc = "…" }`. Parameters
//! may use each other. Substitution happens on the tree, before anything is read: the schema never sees a `$`.

use super::{
    diagnostic::Diagnostics,
    expression::{self, Number},
    source::Span,
    suggest::nearest,
    tree::{Node, Table, Value},
};
use crate::schema::range::{Plain, Range};

/// A declared parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub doc: String,
    /// Smallest and largest allowed value.
    pub range: Option<[f64; 2]>,
    /// Its value: the default, or what `--set` says.
    pub value: Node,
    /// Whether the scene uses it.
    pub used: bool,
    progress: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Progress {
    Open,
    Busy,
    Done,
}

/// All parameters of a scene.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    /// In the order of the file.
    pub list: Vec<Parameter>,
    /// Values made by substitution so far.
    made: usize,
}

/// Most values that substitution may make: parameters that contain each other twice grow exponentially.
const MOST_VALUES: usize = 4_000_000;

impl Parameters {
    /// Takes the `[parameters]` table out of a file.
    pub fn declare(file: &mut Table, diagnostics: &mut Diagnostics) -> Self {
        let Some(at) = file.entries.iter().position(|e| e.key == "parameters") else {
            return Self::default();
        };
        let section = file.entries.remove(at).node;
        let Value::Table(table) = section.value else {
            diagnostics.report(section.span, format!("`parameters` must be a table, found {}", section.kind()));
            return Self::default();
        };
        let mut list = Vec::new();
        for entry in table.entries {
            let valid = entry.key.chars().all(|c| c.is_alphanumeric() || c == '_')
                && !entry.key.starts_with(|c: char| c.is_ascii_digit());
            if !valid || entry.key.is_empty() {
                diagnostics
                    .report(entry.key_span, format!("`{}` cannot be the name of a parameter", entry.key))
                    .help("use letters, digits and `_`, and begin with a letter");
                continue;
            }
            let mut parameter = Parameter {
                name: entry.key,
                doc: String::new(),
                range: None,
                value: entry.node,
                used: false,
                progress: Progress::Open,
            };
            parameter.read_declaration(diagnostics);
            list.push(parameter);
        }
        Parameters { list, made: 0 }
    }

    /// A parameter by name.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Parameter> {
        self.list.iter_mut().find(|p| p.name == name)
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|p| p.name.as_str())
    }

    /// Gives every parameter its value and checks it against its declared range.
    pub fn resolve(&mut self, diagnostics: &mut Diagnostics) {
        for k in 0..self.list.len() {
            self.resolve_one(k, diagnostics);
        }
    }

    fn resolve_one(&mut self, k: usize, diagnostics: &mut Diagnostics) {
        if self.list[k].progress != Progress::Open {
            return;
        }
        self.list[k].progress = Progress::Busy;
        let mut value = self.list[k].value.clone();
        let before = diagnostics.len();
        self.substitute(&mut value, diagnostics);
        let parameter = &mut self.list[k];
        parameter.progress = Progress::Done;
        if let Some([low, high]) = parameter.range
            && diagnostics.len() == before
        {
            let found = match number(&value) {
                Some(x) if (low..=high).contains(&x.real()) => None,
                Some(x) => Some(Plain(x.real()).to_string()),
                None => Some(value.kind().to_string()),
            };
            if let Some(found) = found {
                let range = Range::between(low, high);
                let message = format!("the parameter `{}` must be {range}, found {found}", parameter.name);
                let fault = diagnostics.report(value.span, message);
                if !parameter.doc.is_empty() {
                    fault.help(format!("`{}`: {}", parameter.name, parameter.doc));
                }
            }
        }
        parameter.value = value;
    }

    /// Replaces every `$` in a value.
    pub fn substitute(&mut self, node: &mut Node, diagnostics: &mut Diagnostics) {
        let replaced = match &mut node.value {
            Value::List(items) => {
                items.iter_mut().for_each(|item| self.substitute(item, diagnostics));
                None
            }
            Value::Table(table) => {
                table.entries.iter_mut().for_each(|entry| self.substitute(&mut entry.node, diagnostics));
                None
            }
            Value::Text(text) if text.contains("$$") => Some(Value::Text(text.replace("$$", "$"))),
            Value::Text(text) if text.contains('$') => {
                let text = text.trim().to_string();
                match text.strip_prefix('$').filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_')) {
                    Some(name) => {
                        if let Some(mut value) = self.value_of(name, node.span, diagnostics) {
                            value.used_at = Some(node.span);
                            *node = value;
                        } else {
                            node.value = Value::Integer(0);
                        }
                        None
                    }
                    None => Some(self.arithmetic(&text, node.span, diagnostics)),
                }
            }
            _ => None,
        };
        if let Some(value) = replaced {
            node.value = value;
        }
    }

    fn value_of(&mut self, name: &str, used: Span, diagnostics: &mut Diagnostics) -> Option<Node> {
        let Some(k) = self.list.iter().position(|p| p.name == name) else {
            let fault = diagnostics.report(used, self.unknown(name));
            if let Some(near) = nearest(name, self.names()) {
                fault.help(format!("did you mean `${near}`?"));
            }
            return None;
        };
        if self.list[k].progress == Progress::Busy {
            diagnostics.report(used, format!("the parameter `{name}` depends on itself"));
            return None;
        }
        self.resolve_one(k, diagnostics);
        self.list[k].used = true;
        self.made += self.list[k].value.size();
        if self.made > MOST_VALUES {
            if self.made - self.list[k].value.size() <= MOST_VALUES {
                diagnostics.report(used, format!("the parameters multiply to more than {MOST_VALUES} values"));
            }
            return None;
        }
        Some(self.list[k].value.clone())
    }

    fn unknown(&self, name: &str) -> String {
        match self.list.is_empty() {
            true => format!("there is no parameter `{name}`: the file has no [parameters]"),
            false => format!("there is no parameter `{name}`"),
        }
    }

    fn arithmetic(&mut self, text: &str, span: Span, diagnostics: &mut Diagnostics) -> Value {
        let mut known = true;
        let result = expression::evaluate(text, &mut |name| match self.value_of(name, span, diagnostics) {
            None => {
                known = false;
                Err(String::new())
            }
            Some(node) => number(&node).ok_or_else(|| format!("`${name}` is {}, not a number", node.kind())),
        });
        match result {
            Ok(Number::Integer(i)) => Value::Integer(i),
            Ok(Number::Real(x)) => Value::Real(x),
            Err(error) => {
                // An unknown name was reported with its suggestion already.
                if known {
                    diagnostics
                        .report(
                            within(diagnostics, span, text, &error.at),
                            format!("in an expression: {}", error.message),
                        )
                        .help("a literal dollar sign is written `$$`");
                }
                Value::Integer(0)
            }
        }
    }
}

impl Parameter {
    fn read_declaration(&mut self, diagnostics: &mut Diagnostics) {
        let Value::Table(table) = &mut self.value.value else { return };
        // A table without `default` is itself the value, such as a material.
        if table.get("default").is_none() {
            return;
        }
        let mut value = None;
        for entry in std::mem::take(&mut table.entries) {
            match (entry.key.as_str(), &entry.node.value) {
                ("default", _) => value = Some(entry.node),
                ("doc", Value::Text(text)) => self.doc = text.clone(),
                ("range", Value::List(items)) => {
                    match items.iter().map(number).collect::<Option<Vec<_>>>().as_deref() {
                        Some([low, high]) if low.real() <= high.real() => self.range = Some([low.real(), high.real()]),
                        _ => {
                            diagnostics.report(entry.node.span, "a parameter's `range` is [smallest, largest]");
                        }
                    }
                }
                ("doc" | "range", _) => {
                    let wanted = if entry.key == "doc" { "a string" } else { "an array [smallest, largest]" };
                    let message =
                        format!("a parameter's `{}` must be {wanted}, found {}", entry.key, entry.node.kind());
                    diagnostics.report(entry.node.span, message);
                }
                (key, _) => {
                    let message = format!("a parameter has no key `{key}`; it may have `default`, `range` and `doc`");
                    diagnostics.report(entry.key_span, message);
                }
            }
        }
        if let Some(value) = value {
            self.value = value;
        }
    }
}

/// A node as a number; a string may be arithmetic without parameters.
pub fn number(node: &Node) -> Option<Number> {
    match &node.value {
        Value::Integer(i) => Some(Number::Integer(*i)),
        Value::Real(x) => Some(Number::Real(*x)),
        Value::Text(text) => expression::evaluate(text, &mut |_| Err(String::new())).ok(),
        _ => None,
    }
}

/// The place of a part of a string; the whole string if it is written with escapes.
fn within(diagnostics: &Diagnostics, span: Span, text: &str, at: &std::ops::Range<usize>) -> Span {
    match diagnostics.sources().text(span).find(text) {
        Some(offset) => {
            Span { source: span.source, start: span.start + offset + at.start, end: span.start + offset + at.end }
        }
        None => span,
    }
}
