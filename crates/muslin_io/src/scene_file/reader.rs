//! Reads one table by its schema. Every getter takes type, range and default from the schema and reports
//! what does not fit; it then returns a value that fits, so that reading goes on and finds the other faults.

use super::build::maps::Maps;
use super::{
    diagnostic::{Diagnostic, Diagnostics},
    source::Span,
    suggest::{all_of, nearest, one_of},
    tree::{self, Node, Table, Value},
};
use crate::schema::{Absent, Key, Kind, TableSchema};
use std::{
    cell::{RefCell, RefMut},
    path::Path,
};

/// A table being read.
pub struct Reader<'a> {
    pub(super) schema: &'static TableSchema,
    table: &'a Table,
    path: String,
    form: Form,
    faults: &'a RefCell<Diagnostics>,
    folder: &'a Path,
    maps: Option<&'a Maps>,
    /// Where the table stands.
    pub span: Span,
}

/// Whether a table chooses a variant by `kind`.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Plain,
    Variant,
}

static EMPTY: Table = Table { entries: Vec::new() };

impl<'a> Reader<'a> {
    /// Begins to read a whole file.
    pub fn file(
        schema: &'static TableSchema,
        table: &'a Table,
        folder: &'a Path,
        faults: &'a RefCell<Diagnostics>,
    ) -> Self {
        let span = Span { source: 0, start: 0, end: 0 };
        Reader { schema, table, path: String::new(), form: Form::Plain, faults, folder, maps: None, span }.checked()
    }

    fn inner(&self, schema: &'static TableSchema, table: &'a Table, span: Span, path: String) -> Self {
        Reader {
            schema,
            table,
            path,
            form: Form::Plain,
            faults: self.faults,
            folder: self.folder,
            maps: self.maps,
            span,
        }
    }

    /// The same table, with the attributes that maps are taken from.
    pub fn with_maps<'b>(&self, maps: &'b Maps) -> Reader<'b>
    where
        'a: 'b,
    {
        let path = self.path.clone();
        let Reader { schema, table, form, faults, folder, span, .. } = *self;
        Reader { schema, table, path, form, faults, folder, maps: Some(maps), span }
    }

    /// The attributes that maps are taken from; `None` if the cloth is from no file.
    pub fn maps(&self) -> Option<&'a Maps> {
        self.maps
    }

    /// The folder that paths are relative to.
    pub fn folder(&self) -> &'a Path {
        self.folder
    }

    fn checked(self) -> Self {
        self.refuse_unknown_keys();
        self
    }

    /// Path of a key, as `--set` would take it.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.into() } else { format!("{}.{key}", self.path) }
    }

    /// Whether anything in the file was refused so far.
    pub fn has_faults(&self) -> bool {
        !self.faults.borrow().is_empty()
    }

    /// Says what is no fault but worth a word: it becomes a warning of the run.
    pub fn note(&self, text: String) {
        self.faults.borrow_mut().note(text);
    }

    /// Whether the file gives this key.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// Where a key's value stands; the table's place if it is absent.
    pub fn place(&self, key: &str) -> Span {
        self.table.get(key).map_or(self.span, |n| n.span)
    }

    /// Reports a fault that no single key shows.
    pub fn fault(&self, span: Span, message: impl Into<String>) -> RefMut<'a, Diagnostic> {
        RefMut::map(self.faults.borrow_mut(), |faults| faults.report(span, message))
    }

    /// Reports a fault of a value.
    pub fn fault_at(&self, node: &Node, message: impl Into<String>) -> RefMut<'a, Diagnostic> {
        RefMut::map(self.faults.borrow_mut(), |faults| {
            let used_at = node.used_at.and_then(|span| faults.locate(span));
            let fault = faults.report(node.span, message);
            fault.used_at = used_at;
            fault
        })
    }

    /// The schema's entry of a key. Asking for a key that the schema does not have is a programming error
    /// that the test over all keys finds.
    pub fn key(&self, name: &str) -> &'static Key {
        self.schema.key(name).unwrap_or_else(|| panic!("`{name}` is not in the schema of `{}`", self.schema.name))
    }

    /// The value of a key, from the file or the schema's default; `None` if neither gives one.
    pub fn node(&self, name: &str) -> Option<Node> {
        if let Some(node) = self.table.get(name) {
            return Some(node.clone());
        }
        match self.key(name).default {
            Absent::Is(text) => tree::parse_default(text),
            Absent::Means(_) => None,
            Absent::Required => {
                let message = format!("`{}` is missing", self.path_of(name));
                self.fault(self.span, message).help(asked_for(self.key(name)));
                None
            }
        }
    }

    /// A table under a key; without one a reader that gives the defaults, and `None` first.
    pub fn table(&self, name: &str) -> (Option<&'a Node>, Reader<'a>) {
        let Kind::Table(schema) = self.key(name).kind else { panic!("`{name}` is not a table") };
        let path = self.path_of(name);
        match self.table.get(name) {
            Some(node) => match &node.value {
                Value::Table(table) => (Some(node), self.inner(schema, table, node.span, path).checked()),
                _ => {
                    self.fault_at(node, format!("`{path}` must be a table, found {}", node.kind()));
                    (None, self.inner(schema, &EMPTY, node.span, path))
                }
            },
            None => (None, self.inner(schema, &EMPTY, self.span, path)),
        }
    }

    /// The tables of a list.
    pub fn tables(&self, name: &str) -> Vec<Reader<'a>> {
        let Kind::Tables(schema) = self.key(name).kind else { panic!("`{name}` is not a list of tables") };
        let path = self.path_of(name);
        let Some(node) = self.table.get(name) else {
            // Reports a required list.
            self.node(name);
            return Vec::new();
        };
        let Value::List(items) = &node.value else {
            let mut fault = self.fault_at(node, format!("`{path}` must be a list of tables, found {}", node.kind()));
            if matches!(node.value, Value::Table(_)) {
                fault.help(format!("write `[[{}]]` with double brackets", self.list_header(name)));
            }
            return Vec::new();
        };
        let mut readers = Vec::new();
        for (k, item) in items.iter().enumerate() {
            match &item.value {
                Value::Table(table) => {
                    readers.push(self.inner(schema, table, item.span, format!("{path}.{k}")).checked());
                }
                _ => drop(self.fault_at(item, format!("`{path}.{k}` must be a table, found {}", item.kind()))),
            }
        }
        readers
    }

    fn list_header(&self, name: &str) -> String {
        // `cloth.0.pin` is written `[[cloth.pin]]`.
        let parts: Vec<&str> = self.path.split('.').filter(|p| !p.is_empty() && p.parse::<usize>().is_err()).collect();
        [parts.as_slice(), &[name]].concat().join(".")
    }

    /// A variant: its name and a reader of its keys. A fault gives the first variant.
    pub fn variant(&self, name: &str) -> Option<(&'static str, Reader<'a>)> {
        let Kind::Variant(variants) = self.key(name).kind else { panic!("`{name}` has no variants") };
        let path = self.path_of(name);
        let given = self.table.get(name);
        let fallback = match given {
            Some(_) => None,
            None => Some(self.node(name)?),
        };
        let node = given.or(fallback.as_ref())?;
        let (chosen, table) = match &node.value {
            Value::Text(_) => (node, &EMPTY),
            Value::Table(table) => match table.get("kind") {
                Some(kind) => (kind, given.map_or(&EMPTY, |_| table_of(given))),
                None => {
                    let names = one_of(variants.iter().map(|v| v.name));
                    self.fault_at(node, format!("`{path}` must say its `kind`: {names}"));
                    return None;
                }
            },
            _ => {
                let names = one_of(variants.iter().map(|v| v.name));
                self.fault_at(node, format!("`{path}` must be {names}, found {}", node.kind()));
                return None;
            }
        };
        let Value::Text(text) = &chosen.value else {
            self.fault_at(chosen, format!("`{path}.kind` must be a string, found {}", chosen.kind()));
            return None;
        };
        match variants.iter().find(|v| v.name == text) {
            Some(schema) => {
                let reader = Reader { form: Form::Variant, ..self.inner(schema, table, node.span, path) };
                Some((schema.name, reader.checked()))
            }
            None => {
                let names = || variants.iter().map(|v| v.name);
                let mut fault = self.fault_at(chosen, format!("`{path}` must be {}, found `{text}`", one_of(names())));
                if let Some(near) = nearest(text, names()) {
                    fault.help(format!("did you mean `{near}`?"));
                }
                None
            }
        }
    }

    /// Reads a table value by another schema, such as a material's.
    pub fn table_as(&self, node: &'a Node, schema: &'static TableSchema, path: String) -> Option<Reader<'a>> {
        match &node.value {
            Value::Table(table) => Some(self.inner(schema, table, node.span, path).checked()),
            _ => None,
        }
    }

    /// A value that the file gives.
    pub fn given(&self, name: &str) -> Option<&'a Node> {
        self.table.get(name)
    }

    fn refuse_unknown_keys(&self) {
        for entry in &self.table.entries {
            // `kind` chose this variant and is no key of its own.
            if self.schema.key(&entry.key).is_some() || (self.form == Form::Variant && entry.key == "kind") {
                continue;
            }
            let place = if self.path.is_empty() { "a scene".to_string() } else { format!("`{}`", self.path) };
            let mut fault = self.fault(entry.key_span, format!("{place} has no key `{}`", entry.key));
            match nearest(&entry.key, self.schema.keys.iter().map(|k| k.name)) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None if self.schema.keys.is_empty() => fault.help(format!("`{}` takes no keys", self.schema.name)),
                None => match elsewhere(self.schema, &entry.key) {
                    Some(path) => fault.help(format!("did you mean `{}`?", self.path_of(&path))),
                    None => fault.help(format!("it has {}", all_of(self.schema.keys.iter().map(|k| k.name)))),
                },
            };
        }
    }
}

fn table_of(node: Option<&Node>) -> &Table {
    match node.map(|n| &n.value) {
        Some(Value::Table(table)) => table,
        _ => &EMPTY,
    }
}

/// A key of a table within a table that looks like a name: its path.
fn elsewhere(schema: &'static TableSchema, name: &str) -> Option<String> {
    schema.keys.iter().find_map(|key| match key.kind {
        Kind::Table(inner) => {
            let near = nearest(name, inner.keys.iter().map(|k| k.name))?;
            Some(format!("{}.{near}", key.name))
        }
        _ => None,
    })
}

/// What to write where a key is missing, with its unit, and what it means unless its name says that.
fn asked_for(key: &Key) -> String {
    let name = if let Kind::Tables(_) = key.kind { format!("[[{}]]", key.name) } else { key.name.to_string() };
    let unit = if key.unit == "-" { String::new() } else { format!(" [{}]", key.unit) };
    let mut letters = key.doc.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_lowercase).collect();
    match first + letters.as_str() {
        doc if doc == key.name => format!("give `{name}`{unit}"),
        doc => format!("give `{name}`{unit}: {doc}"),
    }
}
