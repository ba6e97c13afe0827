//! The text of a USD layer: prims with their properties, metadata and time samples.
//!
//! Everything is read, so that braces and quotes always match, but only numbers and strings are kept: an array of
//! vectors becomes one flat list. References, variants and payloads are not followed.

use crate::meshes::error::{Fault, FaultKind, Place};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Numbers of a number, a tuple, a list or a list of tuples, one after another.
    Numbers(Vec<f64>),
    /// Strings of a string or a list.
    Texts(Vec<String>),
    /// Values over time codes.
    Samples(Vec<(f64, Vec<f64>)>),
    /// Anything else.
    Other,
}

/// A property of a prim.
#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    pub value: Value,
    /// `interpolation` of its metadata.
    pub interpolation: Option<String>,
}

/// A prim.
#[derive(Clone, Debug, Default)]
pub struct Prim {
    pub kind: String,
    pub path: String,
    pub properties: Vec<Property>,
    pub children: Vec<Prim>,
}

impl Prim {
    /// A property's value by name.
    pub fn get(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|p| p.name == name)
    }

    /// A property's numbers.
    pub fn numbers(&self, name: &str) -> Option<&[f64]> {
        match &self.get(name)?.value {
            Value::Numbers(values) => Some(values),
            _ => None,
        }
    }
}

/// A whole layer.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    pub metadata: Vec<(String, Value)>,
    pub prims: Vec<Prim>,
}

/// Prims and brackets may be nested this deep; more would exhaust the stack.
const DEEPEST: usize = 100;

/// Reads a layer.
pub fn read(text: &str) -> Result<Layer, Fault> {
    let mut parser = Parser { text: text.as_bytes(), at: 0 };
    if !text.starts_with("#usda") {
        return Err(parser.fault("a USD text file begins with `#usda 1.0`", "export it as .usda; .usdc is not read"));
    }
    let mut layer = Layer::default();
    if parser.peek() == Some(b'(') {
        layer.metadata = parser.metadata()?;
    }
    while parser.peek().is_some() {
        let word = parser.word()?;
        match word.as_str() {
            "def" | "over" | "class" => layer.prims.push(parser.prim("", DEEPEST)?),
            // `reorder rootPrims = [...]`
            _ => drop(parser.property(word)?),
        }
    }
    Ok(layer)
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn fault(&self, message: impl Into<String>, remedy: &str) -> Fault {
        let end = self.at.min(self.text.len());
        let line = self.text[..end].iter().filter(|b| **b == b'\n').count() as u64 + 1;
        Fault::new(Place::Line(line), FaultKind::Syntax, message, remedy)
    }

    fn wrong(&self, wanted: &str) -> Fault {
        let rest = &self.text[self.at.min(self.text.len())..];
        let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        let found = if rest.is_empty() {
            "the end of the file".into()
        } else {
            format!("`{}`", crate::meshes::excerpt(&rest[..end]))
        };
        self.fault(format!("expected {wanted}, found {found}"), "correct the file or export it again")
    }

    /// The next byte that is neither space nor comment.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.text.get(self.at)? {
                b'#' => {
                    let rest = &self.text[self.at..];
                    self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                }
                b if b.is_ascii_whitespace() || b == b';' => self.at += 1,
                b => return Some(b),
            }
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.take(byte) { Ok(()) } else { Err(self.wrong(&format!("`{}`", char::from(byte)))) }
    }

    /// An identifier, a type with `[]`, or a name with colons and points.
    fn word(&mut self) -> Result<String, Fault> {
        self.peek();
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || b"_:.!|".contains(b) || *b >= 0x80));
        let mut length = length.unwrap_or(rest.len());
        if length == 0 {
            return Err(self.wrong("a name"));
        }
        if rest[length..].starts_with(b"[]") {
            length += 2;
        }
        let word = String::from_utf8_lossy(&rest[..length]).into_owned();
        self.at += length;
        Ok(word)
    }

    fn string(&mut self) -> Result<String, Fault> {
        let quote = self.peek().filter(|b| matches!(b, b'"' | b'\'' | b'@')).ok_or_else(|| self.wrong("a string"))?;
        let rest = &self.text[self.at..];
        let width = if rest.starts_with(&[quote; 3]) { 3 } else { 1 };
        let mut end = width;
        while end < rest.len() && !rest[end..].starts_with(&[quote; 3][..width]) {
            end += if rest[end] == b'\\' && quote != b'@' { 2 } else { 1 };
        }
        if end >= rest.len() {
            return Err(self.fault("a string has no end", "the file is cut short: export it again"));
        }
        let text = String::from_utf8_lossy(&rest[width..end]).into_owned();
        self.at += end + width;
        Ok(text)
    }

    fn metadata(&mut self) -> Result<Vec<(String, Value)>, Fault> {
        self.expect(b'(')?;
        let mut entries = Vec::new();
        while !self.take(b')') {
            match self.peek() {
                Some(b'"' | b'\'') => drop(self.string()?),
                Some(b'=') => {
                    self.at += 1;
                    let value = self.value(DEEPEST)?;
                    if let Some((_, last)) = entries.last_mut() {
                        *last = value;
                    }
                }
                Some(b',') => self.at += 1,
                _ => entries.push((self.word()?, Value::Other)),
            }
        }
        Ok(entries)
    }

    /// A prim after its `def`.
    fn prim(&mut self, parent: &str, depth: usize) -> Result<Prim, Fault> {
        if depth == 0 {
            return Err(self.fault(format!("prims are nested more than {DEEPEST} deep"), "flatten the scene"));
        }
        let kind = if self.peek() == Some(b'"') { String::new() } else { self.word()? };
        let name = self.string()?;
        let mut prim = Prim { kind, path: format!("{parent}/{name}"), ..Prim::default() };
        if self.peek() == Some(b'(') {
            self.metadata()?;
        }
        self.expect(b'{')?;
        while !self.take(b'}') {
            let word = self.word()?;
            match word.as_str() {
                "def" | "over" | "class" => {
                    let child = self.prim(&prim.path, depth - 1)?;
                    prim.children.push(child);
                }
                "variantSet" => {
                    self.string()?;
                    self.expect(b'=')?;
                    self.skip_block()?;
                }
                _ => prim.properties.extend(self.property(word)?),
            }
        }
        Ok(prim)
    }

    /// A property after its first word.
    fn property(&mut self, first: String) -> Result<Option<Property>, Fault> {
        let mut words = vec![first];
        while self.peek().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_') && words.len() < 6 && !self.line_ended()
        {
            words.push(self.word()?);
        }
        let name = words.pop().unwrap_or_default();
        let value = if self.take(b'=') { self.value(DEEPEST)? } else { Value::Other };
        let mut interpolation = None;
        if self.peek() == Some(b'(') {
            for (key, value) in self.metadata()? {
                if let ("interpolation", Value::Texts(texts)) = (key.as_str(), value) {
                    interpolation = texts.into_iter().next();
                }
            }
        }
        Ok((!words.is_empty()).then_some(Property { name, value, interpolation }))
    }

    /// Whether a line ended between the last token and the next.
    fn line_ended(&self) -> bool {
        let before = self.text[..self.at].iter().rev().take_while(|b| b.is_ascii_whitespace());
        before.into_iter().any(|b| *b == b'\n')
    }

    fn value(&mut self, depth: usize) -> Result<Value, Fault> {
        if depth == 0 {
            return Err(self.fault("brackets are nested too deep", "correct the file"));
        }
        match self.peek() {
            Some(b'"' | b'\'' | b'@') => Ok(Value::Texts(vec![self.string()?])),
            Some(b'<') => {
                let rest = &self.text[self.at..];
                self.at += rest.iter().position(|b| *b == b'>').ok_or_else(|| self.wrong("a path"))? + 1;
                Ok(Value::Other)
            }
            Some(open @ (b'[' | b'(')) => {
                self.at += 1;
                let close = if open == b'[' { b']' } else { b')' };
                let (mut numbers, mut texts) = (Vec::new(), Vec::new());
                while !self.take(close) {
                    match self.peek() {
                        Some(b',') => self.at += 1,
                        Some(b'0'..=b'9' | b'-' | b'+' | b'.') => numbers.push(self.number()?),
                        _ => match self.value(depth - 1)? {
                            Value::Numbers(mut inner) => numbers.append(&mut inner),
                            Value::Texts(mut inner) => texts.append(&mut inner),
                            _ => {}
                        },
                    }
                }
                Ok(if texts.is_empty() { Value::Numbers(numbers) } else { Value::Texts(texts) })
            }
            Some(b'{') => self.samples(depth),
            Some(b'0'..=b'9' | b'-' | b'+' | b'.') => Ok(Value::Numbers(vec![self.number()?])),
            _ => match self.word()?.as_str() {
                "nan" => Ok(Value::Numbers(vec![f64::NAN])),
                "inf" => Ok(Value::Numbers(vec![f64::INFINITY])),
                _ => Ok(Value::Other),
            },
        }
    }

    /// Time samples; another dictionary is skipped.
    fn samples(&mut self, depth: usize) -> Result<Value, Fault> {
        let start = self.at;
        self.expect(b'{')?;
        let mut samples = Vec::new();
        while !self.take(b'}') {
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'0'..=b'9' | b'-' | b'+' | b'.') => {
                    let time = self.number()?;
                    self.expect(b':')?;
                    if let Value::Numbers(values) = self.value(depth - 1)? {
                        samples.push((time, values));
                    }
                }
                _ => {
                    self.at = start;
                    self.skip_block()?;
                    return Ok(Value::Other);
                }
            }
        }
        Ok(Value::Samples(samples))
    }

    fn number(&mut self) -> Result<f64, Fault> {
        let rest = &self.text[self.at..];
        let end = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || b"+-.".contains(b))).unwrap_or(rest.len());
        let text = std::str::from_utf8(&rest[..end]).unwrap_or("");
        let value = text.parse().map_err(|_| self.wrong("a number"))?;
        self.at += end;
        Ok(value)
    }

    /// Skips a block in braces.
    fn skip_block(&mut self) -> Result<(), Fault> {
        self.expect(b'{')?;
        let mut open = 1usize;
        while open > 0 {
            match self.peek() {
                Some(b'{') => open += 1,
                Some(b'}') => open -= 1,
                Some(b'"' | b'\'' | b'@') => {
                    self.string()?;
                    continue;
                }
                Some(_) => {}
                None => return Err(self.wrong("`}`")),
            }
            self.at += 1;
        }
        Ok(())
    }
}
