//! A PLY file's header: its elements and their properties.

use crate::{
    input::Input,
    meshes::{
        error::{Fault, FaultKind, Place},
        excerpt,
    },
};

/// How the body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Text, one element per line.
    Ascii,
    /// Little-endian binary.
    Little,
    /// Big-endian binary.
    Big,
}

/// A number's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// 8 bits, signed.
    I8,
    /// 8 bits.
    U8,
    /// 16 bits, signed.
    I16,
    /// 16 bits.
    U16,
    /// 32 bits, signed.
    I32,
    /// 32 bits.
    U32,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl Scalar {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Scalar::I8,
            "uchar" | "uint8" => Scalar::U8,
            "short" | "int16" => Scalar::I16,
            "ushort" | "uint16" => Scalar::U16,
            "int" | "int32" => Scalar::I32,
            "uint" | "uint32" => Scalar::U32,
            "float" | "float32" => Scalar::F32,
            "double" | "float64" => Scalar::F64,
            _ => return None,
        })
    }

    /// Size in a binary file [bytes].
    pub fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    /// The largest value of an integer, which stands for 1 in a colour; 1 for a float.
    pub fn unit(self) -> f64 {
        match self {
            Scalar::I8 => f64::from(i8::MAX),
            Scalar::U8 => f64::from(u8::MAX),
            Scalar::I16 => f64::from(i16::MAX),
            Scalar::U16 => f64::from(u16::MAX),
            Scalar::I32 => f64::from(i32::MAX),
            Scalar::U32 => f64::from(u32::MAX),
            Scalar::F32 | Scalar::F64 => 1.0,
        }
    }

    /// Whether it is an integer.
    pub fn is_integer(self) -> bool {
        !matches!(self, Scalar::F32 | Scalar::F64)
    }
}

/// A property of an element.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// The type of its length, if it is a list.
    pub length: Option<Scalar>,
    /// The type of its values.
    pub scalar: Scalar,
}

/// A table of the file.
#[derive(Clone, Debug)]
pub struct Element {
    /// `vertex`, `face` or another.
    pub name: String,
    /// Rows, as claimed.
    pub count: u64,
    /// Columns.
    pub properties: Vec<Property>,
}

impl Element {
    /// The fewest bytes that one row can take.
    pub fn smallest_row(&self, encoding: Encoding) -> u64 {
        let each = |p: &Property| match encoding {
            // A digit and a separator; the last one may end with the file.
            Encoding::Ascii => 2,
            _ => p.length.unwrap_or(p.scalar).size() as u64,
        };
        self.properties.iter().map(each).sum()
    }
}

/// Longest header [bytes]: a header has a line per property; what is longer is no PLY file.
const LONGEST_HEADER: u64 = 1 << 20;

/// Reads the header.
pub fn read(input: &mut Input) -> Result<(Encoding, Vec<Element>), Fault> {
    let mut line = Vec::new();
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let syntax = |number: u64, message: String, remedy: &str| {
        Fault::new(Place::Line(number), FaultKind::Syntax, message, remedy)
    };
    loop {
        if !input.next_line(&mut line)? {
            return Err(Fault::new(
                Place::Line(input.line()),
                FaultKind::Truncated,
                "the header has no `end_header`",
                "the file is cut short or no PLY file",
            ));
        }
        let number = input.line();
        if input.position() > LONGEST_HEADER {
            return Err(syntax(number, "the header is longer than a megabyte".into(), "check that it is a PLY file"));
        }
        let text = String::from_utf8_lossy(&line).into_owned();
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        if number == 1 && words != ["ply"] {
            return Err(syntax(1, "a PLY file begins with the line `ply`".into(), "check that it is a PLY file"));
        }
        match words.as_slice() {
            ["ply"] if number == 1 => {}
            [] | ["comment", ..] | ["obj_info", ..] => {}
            ["format", name, _version] => {
                encoding = Some(match *name {
                    "ascii" => Encoding::Ascii,
                    "binary_little_endian" => Encoding::Little,
                    "binary_big_endian" => Encoding::Big,
                    _ => {
                        let message = format!("the format `{}` is unknown", excerpt(name.as_bytes()));
                        let remedy = "write `ascii`, `binary_little_endian` or `binary_big_endian`";
                        return Err(syntax(number, message, remedy));
                    }
                });
            }
            ["element", name, count] => {
                let count = count.parse::<u64>().map_err(|_| {
                    syntax(number, format!("`{}` is no number of elements", excerpt(count.as_bytes())), "correct it")
                })?;
                if elements.iter().any(|e| e.name == *name) {
                    let message = format!("the element `{}` is declared twice", excerpt(name.as_bytes()));
                    return Err(syntax(number, message, "join the two"));
                }
                elements.push(Element { name: name.to_string(), count, properties: Vec::new() });
            }
            ["property", rest @ ..] => {
                let property = property(rest).ok_or_else(|| {
                    let message = format!("`{}` declares no property", excerpt(text.trim().as_bytes()));
                    syntax(number, message, "write `property float x` or `property list uchar int vertex_indices`")
                })?;
                let Some(element) = elements.last_mut() else {
                    return Err(syntax(number, "a property stands before any element".into(), "declare an element"));
                };
                if element.properties.iter().any(|p| p.name == property.name) {
                    let name = excerpt(property.name.as_bytes());
                    return Err(syntax(
                        number,
                        format!("the property `{name}` is declared twice"),
                        "rename one of them",
                    ));
                }
                element.properties.push(property);
            }
            ["end_header"] => break,
            _ => {
                let message = format!("`{}` is no line of a PLY header", excerpt(text.trim().as_bytes()));
                return Err(syntax(number, message, "check that it is a PLY file"));
            }
        }
    }
    let encoding = encoding.ok_or_else(|| {
        syntax(input.line(), "the header names no format".into(), "add a line such as `format ascii 1.0`")
    })?;
    Ok((encoding, elements))
}

fn property(words: &[&str]) -> Option<Property> {
    let (length, scalar, name) = match words {
        ["list", length, scalar, name] => {
            (Some(Scalar::parse(length).filter(|l| l.is_integer())?), Scalar::parse(scalar)?, name)
        }
        [scalar, name] => (None, Scalar::parse(scalar)?, name),
        _ => return None,
    };
    Some(Property { name: name.to_string(), length, scalar })
}
