//! What is wrong with a scene file: a message, the place, and what to do.

use super::source::{Location, Sources, Span};
use crate::meshes::health::MeshFault;
use std::fmt;

/// One fault of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// What is wrong, with the valid range or alternatives.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// Where the faulty value is used, if it came from a parameter.
    pub used_at: Option<Location>,
    /// Suggestions.
    pub help: Vec<String>,
    /// The faults of a mesh that it tells, or counts.
    pub mesh: Vec<MeshFault>,
    /// The mesh file that it is about.
    pub mesh_file: Option<String>,
}

/// Collects the faults of a scene, so that one run of the command shows them all.
#[derive(Debug)]
pub struct Diagnostics {
    sources: Sources,
    found: Vec<Diagnostic>,
    /// What is no fault but worth a word.
    notes: Vec<String>,
}

/// More faults than this are counted, not shown: a broken array would fill the screen.
const SHOWN: usize = 12;

impl Diagnostics {
    /// None yet.
    pub fn new(sources: Sources) -> Self {
        Diagnostics { sources, found: Vec::new(), notes: Vec::new() }
    }

    /// The texts that spans point into.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Reports a fault at a place.
    pub fn report(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let location = self.sources.locate(span);
        self.found.push(Diagnostic {
            message: message.into(),
            location,
            used_at: None,
            help: Vec::new(),
            mesh: Vec::new(),
            mesh_file: None,
        });
        self.found.last_mut().expect("just pushed")
    }

    /// Remembers what is no fault but worth a word.
    pub fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// What was remembered so far.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Where a span is, for a second place of a fault.
    pub fn locate(&self, span: Span) -> Option<Location> {
        self.sources.locate(span)
    }

    /// Faults so far.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// True while nothing was reported.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// What was reported, in the order of the text.
    pub fn finish(mut self) -> Faults {
        let key = |d: &Diagnostic| d.location.as_ref().map(|l| (l.file.clone(), l.line, l.column));
        self.found.sort_by_key(key);
        self.found.dedup();
        Faults(self.found)
    }
}

impl Diagnostic {
    /// Adds a suggestion.
    pub fn help(&mut self, text: impl Into<String>) -> &mut Self {
        self.help.push(text.into());
        self
    }
}

/// All faults of a scene; displays as excerpts of the file with a mark under each place.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults(pub Vec<Diagnostic>);

impl std::error::Error for Faults {}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, fault) in self.0.iter().take(SHOWN).enumerate() {
            write!(f, "{}{fault}", if k > 0 { "\n\n" } else { "" })?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n\nand {more} more"),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        let gutter = match &self.location {
            Some(at) => {
                let pad = " ".repeat(at.line.to_string().len());
                let shown = at.excerpt.chars().count().saturating_sub(at.excerpt_offset).max(1);
                let marks = "^".repeat(at.text.chars().count().clamp(1, shown));
                let lead = " ".repeat(at.excerpt_offset);
                write!(f, "\n{pad}--> {at}\n{pad} |\n{} | {}\n{pad} | {lead}{marks}", at.line, at.excerpt)?;
                pad
            }
            None => String::new(),
        };
        if let Some(at) = &self.used_at {
            write!(f, "\n{gutter} = used at {at}: {}", at.text)?;
        }
        self.help.iter().try_for_each(|help| write!(f, "\n{gutter} = help: {help}"))
    }
}
