//! The body of a PLY file, number by number: text lines or binary of either byte order.

use super::header::{Encoding, Scalar};
use crate::{
    input::Input,
    meshes::{
        error::{Fault, FaultKind, Place},
        excerpt, number,
    },
};
use std::io::{self, Read};

/// Hands out the numbers of one row after another.
pub struct Rows<'a> {
    input: &'a mut Input,
    encoding: Encoding,
    line: Vec<u8>,
    /// Where the next number of `line` begins.
    next: usize,
    /// The row being read: element, number, byte.
    element: String,
    index: u64,
    start: u64,
}

impl<'a> Rows<'a> {
    /// The body after the header.
    pub fn new(input: &'a mut Input, encoding: Encoding) -> Self {
        Rows { input, encoding, line: Vec::new(), next: 0, element: String::new(), index: 0, start: 0 }
    }

    /// Most bytes that can still come.
    pub fn most_left(&self) -> u64 {
        self.input.most_left()
    }

    /// Where the row is, for a fault.
    pub fn place(&self) -> Place {
        match self.encoding {
            Encoding::Ascii => Place::Line(self.input.line()),
            _ => Place::Element { name: self.element.clone(), index: self.index, byte: self.start },
        }
    }

    /// The rows that follow belong to this element.
    pub fn begin_element(&mut self, name: &str) {
        self.element = name.to_string();
    }

    /// Begins a row.
    pub fn begin_row(&mut self, index: u64, count: u64) -> Result<(), Fault> {
        (self.index, self.start) = (index, self.input.position());
        if self.encoding != Encoding::Ascii {
            return Ok(());
        }
        loop {
            if !self.input.next_line(&mut self.line)? {
                return Err(self.ends_early(format!("the file ends after {index} of {count} `{}` lines", self.element)));
            }
            self.next = 0;
            if !self.line.trim_ascii().is_empty() {
                return Ok(());
            }
        }
    }

    /// Ends a row: a text line must be used up.
    pub fn end_row(&mut self) -> Result<(), Fault> {
        if self.encoding == Encoding::Ascii && !self.line[self.next..].trim_ascii().is_empty() {
            let rest = excerpt(self.line[self.next..].trim_ascii());
            let message = format!("this `{}` line has more numbers than the header declares: `{rest}`", self.element);
            return Err(Fault::new(self.place(), FaultKind::Syntax, message, "correct the line or the header"));
        }
        Ok(())
    }

    /// The next number; integers of up to 32 bits are exact in an f64.
    pub fn scalar(&mut self, scalar: Scalar) -> Result<f64, Fault> {
        let big = match self.encoding {
            Encoding::Ascii => return self.word(),
            encoding => encoding == Encoding::Big,
        };
        macro_rules! number {
            ($kind:ty) => {{
                let bytes = self.bytes()?;
                f64::from(if big { <$kind>::from_be_bytes(bytes) } else { <$kind>::from_le_bytes(bytes) })
            }};
        }
        Ok(match scalar {
            Scalar::I8 => number!(i8),
            Scalar::U8 => number!(u8),
            Scalar::I16 => number!(i16),
            Scalar::U16 => number!(u16),
            Scalar::I32 => number!(i32),
            Scalar::U32 => number!(u32),
            Scalar::F32 => number!(f32),
            Scalar::F64 => number!(f64),
        })
    }

    /// A list's length.
    pub fn length(&mut self, scalar: Scalar) -> Result<u64, Fault> {
        let value = self.scalar(scalar)?;
        if value >= 0.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX) {
            return Ok(value as u64);
        }
        let message = format!("a list cannot have {value} values");
        Err(Fault::new(self.place(), FaultKind::Value, message, "write the file again"))
    }

    fn word(&mut self) -> Result<f64, Fault> {
        let rest = &self.line[self.next..];
        let start = rest.iter().position(|b| !b.is_ascii_whitespace());
        let Some(start) = start else {
            let message = format!("this `{}` line has fewer numbers than the header declares", self.element);
            return Err(Fault::new(self.place(), FaultKind::Syntax, message, "correct the line or the header"));
        };
        let word = &rest[start..];
        let end = word.iter().position(u8::is_ascii_whitespace).unwrap_or(word.len());
        let value = number(&word[..end], Place::Line(self.input.line()))?;
        self.next += start + end;
        Ok(value)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(self.ends_early(format!("the file ends within this `{}`", self.element)))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn ends_early(&self, message: String) -> Fault {
        Fault::new(self.place(), FaultKind::Truncated, message, "the file is cut short: copy or export it again")
    }
}
