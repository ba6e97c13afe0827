//! A parsed scene file: TOML values that know where they stand.
//!
//! The parser's own tree borrows the text and cannot be changed; this one can, because `--set` and
//! parameters replace parts of it before it is read.

use super::{diagnostic::Diagnostics, source::Span};
use toml::de::{DeTable, DeValue};

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it is written.
    pub span: Span,
    /// Where it is used, if it came from a parameter.
    pub used_at: Option<Span>,
}

/// A TOML value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// An integer.
    Integer(i64),
    /// A float.
    Real(f64),
    /// A boolean.
    Flag(bool),
    /// A date or a time; nothing in a scene is one.
    Date,
    /// An array.
    List(Vec<Node>),
    /// A table.
    Table(Table),
}

/// A table in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its entries.
    pub entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key is written.
    pub key_span: Span,
    /// The value.
    pub node: Node,
}

impl Table {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|e| e.key == key).map(|e| &e.node)
    }

    /// The value of a key, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|e| e.key == key).map(|e| &mut e.node)
    }
}

impl Node {
    /// A value that stands at a place.
    pub fn new(value: Value, span: Span) -> Self {
        Node { value, span, used_at: None }
    }

    /// What kind of value it is, for messages.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "a string",
            Value::Integer(_) => "an integer",
            Value::Real(_) => "a number",
            Value::Flag(_) => "a boolean",
            Value::Date => "a date",
            Value::List(_) => "an array",
            Value::Table(_) => "a table",
        }
    }

    /// Number of values in it, itself included.
    pub fn size(&self) -> usize {
        1 + match &self.value {
            Value::List(items) => items.iter().map(Node::size).sum(),
            Value::Table(table) => table.entries.iter().map(|e| e.node.size()).sum(),
            _ => 0,
        }
    }
}

/// Parses a whole file; syntax errors go to `diagnostics`.
pub fn parse_file(text: &str, source: usize, diagnostics: &mut Diagnostics) -> Table {
    let (table, errors) = DeTable::parse_recoverable(text);
    // What follows a syntax error is mostly its consequence. An opening that nothing closes is the cause of all
    // of them, but is found last.
    let unclosed = errors.iter().find(|error| error.message().starts_with("unclosed"));
    if let Some(error) = unclosed.or(errors.first()) {
        let span = error.span().unwrap_or(0..0);
        let span = Span { source, start: span.start, end: span.end };
        let message = error.message();
        let fault = diagnostics.report(span, format!("this is not valid TOML: {message}"));
        if message.starts_with("duplicate key") {
            fault.help(
                "a key or table is given once; several cloths, obstacles and pins have double brackets: `[[cloth]]`",
            );
        } else if message.starts_with("unclosed") {
            fault.help("a bracket or a quotation mark before this place is not closed");
        }
    }
    convert_table(table.get_ref(), &Origin { source, offset: 0 }, diagnostics)
}

/// Parses one value that starts at a byte offset of its source; `None` if it is not TOML.
pub fn parse_value(text: &str, source: usize, offset: usize, diagnostics: &mut Diagnostics) -> Option<Node> {
    let value = DeValue::parse(text).ok()?;
    let span = value.span();
    Some(convert(value.get_ref(), span, &Origin { source, offset }, diagnostics))
}

struct Origin {
    source: usize,
    offset: usize,
}

impl Origin {
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span { source: self.source, start: range.start + self.offset, end: range.end + self.offset }
    }
}

fn convert(value: &DeValue<'_>, range: std::ops::Range<usize>, origin: &Origin, diagnostics: &mut Diagnostics) -> Node {
    let span = origin.span(range);
    let value = match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(value) => Value::Integer(value),
            Err(_) => {
                diagnostics.report(span, format!("the integer {digits} does not fit into 64 bits"));
                Value::Integer(0)
            }
        },
        DeValue::Float(digits) => match digits.as_str().parse::<f64>() {
            Ok(value) if value.is_finite() || digits.as_str().contains("inf") || value.is_nan() => Value::Real(value),
            _ => {
                diagnostics.report(span, format!("the number {digits} is too large; the largest is about 1.8e308"));
                Value::Real(0.0)
            }
        },
        DeValue::Array(items) => {
            Value::List(items.iter().map(|item| convert(item.get_ref(), item.span(), origin, diagnostics)).collect())
        }
        DeValue::Table(table) => Value::Table(convert_table(table, origin, diagnostics)),
    };
    Node::new(value, span)
}

fn convert_table(table: &DeTable<'_>, origin: &Origin, diagnostics: &mut Diagnostics) -> Table {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, node)| Entry {
            key: key.get_ref().to_string(),
            key_span: origin.span(key.span()),
            node: convert(node.get_ref(), node.span(), origin, diagnostics),
        })
        .collect();
    entries.sort_by_key(|e| e.key_span.start);
    Table { entries }
}

/// Parses a default of the schema, which stands in no file.
pub fn parse_default(text: &str) -> Option<Node> {
    let mut unused = Diagnostics::new(Default::default());
    let mut node = parse_value(text, Span::NOWHERE.source, 0, &mut unused)?;
    node.span = Span::NOWHERE;
    Some(node)
}
