//! `--set NAME=VALUE`: sets a parameter, or any key by its path (`cloth.0.material.shear`).

use super::{
    diagnostic::Diagnostics,
    key_paths::near_path,
    parameters::Parameters,
    source::{Sources, Span},
    suggest::one_of,
    tree::{self, Entry, Node, Table, Value},
};
use crate::schema::scene::SCENE;

/// One `--set` argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The whole argument, `NAME=VALUE`.
    pub argument: String,
    source: usize,
}

impl Override {
    /// Notes the arguments among the scene's texts, so that faults can point into them.
    pub fn collect(arguments: &[String], sources: &mut Sources) -> Vec<Self> {
        let note =
            |a: &String| Override { argument: a.clone(), source: sources.add(format!("--set '{a}'"), a.as_str()) };
        arguments.iter().map(note).collect()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { source: self.source, start, end }
    }

    /// Whether the argument sets a key by its path, and no parameter.
    pub fn is_path(&self, parameters: &Parameters) -> bool {
        let name = self.argument.split('=').next().unwrap_or_default().trim();
        !parameters.names().any(|p| p == name.strip_prefix("parameters.").unwrap_or(name))
    }

    /// Applies the argument to a file and its parameters.
    pub fn apply(&self, file: &mut Table, parameters: &mut Parameters, diagnostics: &mut Diagnostics) {
        let Some((path, value)) = self.argument.split_once('=') else {
            diagnostics
                .report(self.span(0, self.argument.len()), "`--set` needs NAME=VALUE")
                .help("for example `--set resolution=80` or `--set settings.step=0.005`");
            return;
        };
        let offset = path.len() + 1;
        let node = tree::parse_value(value, self.source, offset, diagnostics)
            .unwrap_or_else(|| Node::new(Value::Text(value.trim().into()), self.span(offset, self.argument.len())));
        let name = path.trim();
        // `parameters.name` is the long way to say `name`.
        if let Some(parameter) = parameters.get_mut(name.strip_prefix("parameters.").unwrap_or(name)) {
            parameter.value = node;
            return;
        }
        let parts: Vec<&str> = name.split('.').collect();
        if parts.iter().any(|p| p.is_empty()) {
            diagnostics.report(self.span(0, path.len()), format!("`{name}` is not a path of keys"));
            return;
        }
        if SCENE.key(parts[0]).is_none() || parts[0] == "parameters" {
            let fault =
                diagnostics.report(self.span(0, path.len()), format!("the scene has no parameter and no key `{name}`"));
            match near_path(name, parameters) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault.help(alternatives(parameters)),
            };
            return;
        }
        let mut place = Place { path: String::new(), diagnostics, span: self.span(0, path.len()) };
        place.set_in_table(file, &parts, node);
    }
}

fn alternatives(parameters: &Parameters) -> String {
    let keys = one_of(SCENE.keys.iter().map(|k| k.name).filter(|&n| n != "parameters"));
    match parameters.list.is_empty() {
        true => format!("paths begin with {keys}"),
        false => format!("the parameters are {}; paths begin with {keys}", one_of(parameters.names())),
    }
}

struct Place<'a> {
    path: String,
    diagnostics: &'a mut Diagnostics,
    span: Span,
}

impl Place<'_> {
    fn enter(&mut self, part: &str) {
        self.path = if self.path.is_empty() { part.into() } else { format!("{}.{part}", self.path) };
    }

    fn set_in_table(&mut self, table: &mut Table, parts: &[&str], value: Node) {
        let (first, rest) = (parts[0], &parts[1..]);
        self.enter(first);
        if rest.is_empty() {
            match table.get_mut(first) {
                Some(node) => *node = value,
                None => table.entries.push(Entry { key: first.into(), key_span: self.span, node: value }),
            }
            return;
        }
        if table.get(first).is_none() {
            if rest[0].parse::<usize>().is_ok() {
                self.refuse(format!("the scene has no `{}` to change", self.path));
                return;
            }
            let node = Node::new(Value::Table(Table::default()), self.span);
            table.entries.push(Entry { key: first.into(), key_span: self.span, node });
        }
        let node = table.get_mut(first).expect("just made");
        // A fabric or a variant by name opens into a table, so that one of its values can be set.
        if let Value::Text(name) = &node.value {
            let key = if first == "material" { "base" } else { "kind" };
            let name = Node::new(Value::Text(name.clone()), node.span);
            let entries = vec![Entry { key: key.into(), key_span: node.span, node: name }];
            *node = Node::new(Value::Table(Table { entries }), node.span);
        }
        self.set_in_node(node, rest, value);
    }

    fn set_in_node(&mut self, node: &mut Node, parts: &[&str], value: Node) {
        let kind = node.kind();
        match &mut node.value {
            Value::Table(table) => self.set_in_table(table, parts, value),
            Value::List(items) => {
                let count = items.len();
                match parts[0].parse::<usize>().ok().and_then(|k| items.get_mut(k)) {
                    Some(item) if parts.len() == 1 => *item = value,
                    Some(item) => {
                        self.enter(parts[0]);
                        self.set_in_node(item, &parts[1..], value);
                    }
                    None => {
                        let valid = match count {
                            0 => "it is empty".to_string(),
                            1 => "it has one entry, number 0".to_string(),
                            n => format!("it has {n} entries, numbers 0 to {}", n - 1),
                        };
                        self.refuse(format!("`{}` has no entry `{}`: {valid}", self.path, parts[0]));
                    }
                }
            }
            _ => self.refuse(format!("`{}` is {kind} and has no key `{}`", self.path, parts[0])),
        }
    }

    fn refuse(&mut self, message: String) {
        self.diagnostics.report(self.span, message);
    }
}
