//! Texts that a scene is made of, and places in them: the scene file and every `--set` argument.

use std::fmt;

/// A piece of one of the [`Sources`], as byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Index of the source; [`Span::NOWHERE`] has none.
    pub source: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The place of values that no text holds, such as defaults.
    pub const NOWHERE: Span = Span { source: usize::MAX, start: 0, end: 0 };
}

/// A text with the name that messages call it by.
#[derive(Clone, Debug)]
pub struct Source {
    /// A path, a built-in scene's name, or `--set`.
    pub name: String,
    /// The text.
    pub text: String,
}

/// All texts of one scene.
#[derive(Clone, Debug, Default)]
pub struct Sources(Vec<Source>);

/// A place for people: 1-based line and column, with the line itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Name of the text.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The offending text.
    pub text: String,
    /// The line, cut to a window around the place if it is long.
    pub excerpt: String,
    /// Characters of the excerpt before the place.
    pub excerpt_offset: usize,
}

/// Longest excerpt [characters]; a material array may stand on one very long line.
const EXCERPT: usize = 110;

impl Sources {
    /// Adds a text; returns its index.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        self.0.push(Source { name: name.into(), text: text.into() });
        self.0.len() - 1
    }

    /// The text of a span; empty for [`Span::NOWHERE`].
    pub fn text(&self, span: Span) -> &str {
        self.0.get(span.source).and_then(|s| s.text.get(span.start..span.end)).unwrap_or("")
    }

    /// Where a span is, for people; `None` for [`Span::NOWHERE`].
    pub fn locate(&self, span: Span) -> Option<Location> {
        let source = self.0.get(span.source)?;
        let text = source.text.as_str();
        // A parser may point one past the end, or into a character of a broken file.
        let start = (0..=span.start.min(text.len())).rev().find(|&k| text.is_char_boundary(k))?;
        let line_start = text[..start].rfind('\n').map_or(0, |k| k + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |k| start + k);
        let before: Vec<char> = text[line_start..start].chars().collect();
        let after: Vec<char> = text[start..line_end].trim_end_matches('\r').chars().collect();
        let skip = before.len().saturating_sub(EXCERPT * 2 / 3);
        let (lead, dots) = if skip > 0 { (&before[skip..], "…") } else { (&before[..], "") };
        let room = EXCERPT.saturating_sub(lead.len());
        let tail = if after.len() > room { "…" } else { "" };
        let clean = |chars: &[char]| chars.iter().map(|c| if c.is_control() { ' ' } else { *c }).collect::<String>();
        Some(Location {
            file: source.name.clone(),
            line: text[..start].matches('\n').count() + 1,
            column: before.len() + 1,
            text: self.text(span).lines().next().unwrap_or("").to_string(),
            excerpt: format!("{dots}{}{}{tail}", clean(lead), clean(&after[..after.len().min(room)])),
            excerpt_offset: lead.len() + dots.chars().count(),
        })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
