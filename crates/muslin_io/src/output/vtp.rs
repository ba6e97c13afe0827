//! Meshes with their fields as VTK PolyData (`.vtp`): XML with the arrays appended as raw bytes.
//!
//! Points are double precision, fields and normals single. The arrays of a file are listed first with their
//! offsets; each then begins with its length as a 64-bit integer.

use super::{
    cast::{Frame, Group, Site},
    seal::{Weighed, Weighing},
    sequence::{MeshEncoder, PIECE},
    text,
    uv::UvTable,
};
use glam::DVec3;
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// Encodes VTP files.
pub struct VtpEncoder {
    group: Group,
    /// Texture coordinates of each vertex, or, at a seam, of each triangle's corners.
    uv: Option<(Site, Weighed)>,
    /// Number of the body that each triangle belongs to.
    bodies: Weighed,
    /// The bodies' names as an array of texts.
    names: String,
    connectivity: Weighed,
    offsets: Weighed,
}

/// The XML of a file under way, and the arrays that are to stand behind it. Their lengths are known before they are written, so
/// the file is written from front to back.
struct Appended<'a> {
    xml: String,
    arrays: Vec<Raw<'a>>,
    /// Bytes of the arrays.
    length: usize,
}

/// Where the numbers of an array come from.
enum Raw<'a> {
    /// As they stand.
    Bytes(&'a Weighed),
    /// In single precision.
    Singles(&'a [f32]),
    /// Vectors in single precision.
    SingleVectors(&'a [DVec3]),
    /// Vectors in double precision.
    Vectors(&'a [DVec3]),
}

impl Raw<'_> {
    /// Its bytes.
    fn length(&self) -> usize {
        match self {
            Raw::Bytes(bytes) => bytes.len(),
            Raw::Singles(values) => 4 * values.len(),
            Raw::SingleVectors(vectors) => 12 * vectors.len(),
            Raw::Vectors(vectors) => 24 * vectors.len(),
        }
    }

    /// Writes it.
    fn write<W: Write>(&self, out: &mut Weighing<W>) -> io::Result<()> {
        match self {
            Raw::Bytes(bytes) => bytes.write(out),
            Raw::Singles(values) => pieces(values, out, |v| v.to_le_bytes()),
            Raw::SingleVectors(vectors) => pieces(vectors, out, |v| {
                let [x, y, z] = v.as_vec3().to_array().map(f32::to_le_bytes);
                *[x, y, z].as_flattened().first_chunk::<12>().unwrap_or(&[0; 12])
            }),
            Raw::Vectors(vectors) => pieces(vectors, out, |v| {
                let [x, y, z] = v.to_array().map(f64::to_le_bytes);
                *[x, y, z].as_flattened().first_chunk::<24>().unwrap_or(&[0; 24])
            }),
        }
    }
}

/// Writes the bytes of each item, some kilobytes at a time.
fn pieces<T, W: Write, const N: usize>(
    items: &[T],
    out: &mut Weighing<W>,
    bytes_of: impl Fn(&T) -> [u8; N],
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(PIECE);
    for items in items.chunks(PIECE / N) {
        bytes.clear();
        items.iter().for_each(|item| bytes.extend_from_slice(&bytes_of(item)));
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// An array as the XML describes it.
struct Array<'a> {
    kind: &'a str,
    name: &'a str,
    components: &'a [&'a str],
}

const END: &[u8] = b"\n</AppendedData>\n</VTKFile>\n";
const XYZ: &[&str] = &["x", "y", "z"];

impl<'a> Appended<'a> {
    fn array(&mut self, array: &Array<'_>, numbers: Raw<'a>) {
        let Array { kind, name, components } = array;
        let _ = write!(self.xml, "<DataArray type=\"{kind}\" Name=\"{name}\" ");
        if !components.is_empty() {
            let _ = write!(self.xml, "NumberOfComponents=\"{}\" ", components.len());
            for (k, component) in components.iter().enumerate() {
                let _ = write!(self.xml, "ComponentName{k}=\"{component}\" ");
            }
        }
        let _ = writeln!(self.xml, "format=\"appended\" offset=\"{}\"/>", self.length);
        self.length += 8 + numbers.length();
        self.arrays.push(numbers);
    }

    /// Writes the whole file.
    fn write<W: Write>(&self, out: &mut Weighing<W>) -> io::Result<()> {
        out.write_all(self.xml.as_bytes())?;
        for array in &self.arrays {
            out.write_all(&(array.length() as u64).to_le_bytes())?;
            array.write(out)?;
        }
        out.write_all(END)
    }
}

/// An array of texts is a list of its letters' numbers, each text ended by 0.
fn names(group: &Group) -> String {
    let mut codes = String::new();
    for body in &group.bodies {
        body.name.bytes().chain([0]).for_each(|byte| codes.push_str(&format!("{byte} ")));
    }
    let count = group.bodies.len();
    let open = format!("<DataArray type=\"String\" Name=\"body_names\" NumberOfTuples=\"{count}\" format=\"ascii\">");
    format!("{open}{}</DataArray>\n", codes.trim_end())
}

impl MeshEncoder for VtpEncoder {
    const FOLDER: &'static str = "vtk";
    const EXTENSION: &'static str = "vtp";

    fn new(group: Group) -> Self {
        let count = group.vertices.len();
        let floats = |pairs: &mut dyn Iterator<Item = glam::DVec2>| -> Weighed {
            pairs.flat_map(|p| p.as_vec2().to_array()).flat_map(f32::to_le_bytes).collect::<Vec<u8>>().into()
        };
        let table = UvTable::new(count, &group.triangles, &group.uv);
        let uv = match (group.uv.is_empty(), table.is_seamless(count)) {
            (true, _) => None,
            (false, true) => Some((Site::Vertices, floats(&mut table.pairs.iter().copied()))),
            (false, false) => Some((Site::Triangles, floats(&mut group.uv.iter().flat_map(|c| c.unwrap_or_default())))),
        };
        let mut bodies = Vec::with_capacity(4 * group.triangles.len());
        for (b, body) in group.bodies.iter().enumerate() {
            body.triangles.clone().for_each(|_| bodies.extend_from_slice(&(b as i32).to_le_bytes()));
        }
        let connectivity: Vec<u8> = group.triangles.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let offsets: Vec<u8> = (1..=group.triangles.len() as u32).flat_map(|t| (3 * t).to_le_bytes()).collect();
        let names = names(&group);
        let (bodies, connectivity, offsets) = (bodies.into(), connectivity.into(), offsets.into());
        VtpEncoder { uv, bodies, names, connectivity, offsets, group }
    }

    fn group(&self) -> &Group {
        &self.group
    }

    fn ending(&self) -> &[u8] {
        END
    }

    fn encode<W: Write>(&mut self, time: f64, frame: &Frame<'_>, out: &mut Weighing<W>) -> io::Result<()> {
        let (vertices, triangles) = (self.group.vertices.clone(), self.group.triangles.len());
        let mut file = Appended { xml: String::new(), arrays: Vec::new(), length: 0 };
        let _ = write!(
            file.xml,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" \
             NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n{}</FieldData>\n<Piece NumberOfPoints=\"{}\" \
             NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{triangles}\">\n",
            text::double(time),
            self.names,
            vertices.len(),
        );
        // Fields are known of the cloth only.
        let fields = if self.group.name == "cloth" { frame.fields } else { &[] };
        let (pairs, corners): (&[&str], &[&str]) = (&["u", "v"], &["u0", "v0", "u1", "v1", "u2", "v2"]);
        for (site, open, close) in [
            (Site::Vertices, "<PointData Normals=\"normal\" TCoords=\"uv\">\n", "</PointData>\n"),
            (Site::Triangles, "<CellData>\n", "</CellData>\n"),
        ] {
            file.xml.push_str(open);
            match site {
                Site::Vertices => {
                    let array = Array { kind: "Float32", name: "normal", components: XYZ };
                    file.array(&array, Raw::SingleVectors(&frame.normals[vertices.clone()]));
                }
                Site::Triangles => {
                    let array = Array { kind: "Int32", name: "body", components: &[] };
                    file.array(&array, Raw::Bytes(&self.bodies));
                }
            }
            if let Some((_, values)) = self.uv.as_ref().filter(|(at, _)| *at == site) {
                let components = if site == Site::Vertices { pairs } else { corners };
                let array = Array { kind: "Float32", name: "uv", components };
                file.array(&array, Raw::Bytes(values));
            }
            for field in fields.iter().filter(|f| f.site == site) {
                let array = Array { kind: "Float32", name: field.name, components: field.components };
                file.array(&array, Raw::Singles(&field.values));
            }
            file.xml.push_str(close);
        }
        file.xml.push_str("<Points>\n");
        let points = Array { kind: "Float64", name: "Points", components: XYZ };
        file.array(&points, Raw::Vectors(&frame.positions[vertices]));
        file.xml.push_str("</Points>\n<Polys>\n");
        for (name, values) in [("connectivity", &self.connectivity), ("offsets", &self.offsets)] {
            file.array(&Array { kind: "Int32", name, components: &[] }, Raw::Bytes(values));
        }
        file.xml.push_str("</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
        file.write(out)
    }
}
