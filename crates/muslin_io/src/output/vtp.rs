//! Meshes with their fields as VTK PolyData (`.vtp`): XML with the arrays appended as raw bytes.
//!
//! Points are double precision, fields and normals single. The arrays of a file are listed first with their
//! offsets; each then begins with its length as a 64-bit integer.

use super::{
    cast::{Frame, Group, Site},
    sequence::MeshEncoder,
    text,
    uv::UvTable,
};
use std::fmt::Write;

/// Encodes VTP files.
pub struct VtpEncoder {
    group: Group,
    /// Texture coordinates of each vertex, or, at a seam, of each triangle's corners.
    uv: Option<(Site, Vec<u8>)>,
    /// Number of the body that each triangle belongs to.
    bodies: Vec<u8>,
    /// The bodies' names as an array of texts.
    names: String,
    connectivity: Vec<u8>,
    offsets: Vec<u8>,
}

/// The XML and the raw arrays of a file under way.
struct Appended {
    xml: String,
    data: Vec<u8>,
}

/// An array as the XML describes it.
struct Array<'a> {
    kind: &'a str,
    name: &'a str,
    components: &'a [&'a str],
}

const END: &[u8] = b"\n</AppendedData>\n</VTKFile>\n";
const XYZ: &[&str] = &["x", "y", "z"];

impl Appended {
    fn array(&mut self, array: &Array<'_>, bytes: impl FnOnce(&mut Vec<u8>)) {
        let Array { kind, name, components } = array;
        let _ = write!(self.xml, "<DataArray type=\"{kind}\" Name=\"{name}\" ");
        if !components.is_empty() {
            let _ = write!(self.xml, "NumberOfComponents=\"{}\" ", components.len());
            for (k, component) in components.iter().enumerate() {
                let _ = write!(self.xml, "ComponentName{k}=\"{component}\" ");
            }
        }
        let _ = writeln!(self.xml, "format=\"appended\" offset=\"{}\"/>", self.data.len());
        let start = self.data.len();
        self.data.extend_from_slice(&[0; 8]);
        bytes(&mut self.data);
        let length = (self.data.len() - start - 8) as u64;
        self.data[start..start + 8].copy_from_slice(&length.to_le_bytes());
    }

    fn singles(&mut self, name: &str, components: &[&str], values: impl Iterator<Item = f64>) {
        self.array(&Array { kind: "Float32", name, components }, |data| {
            values.for_each(|v| data.extend_from_slice(&(v as f32).to_le_bytes()));
        });
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
        let floats = |pairs: &mut dyn Iterator<Item = glam::DVec2>| -> Vec<u8> {
            pairs.flat_map(|p| p.as_vec2().to_array()).flat_map(f32::to_le_bytes).collect()
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
        let connectivity = group.triangles.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let offsets = (1..=group.triangles.len() as u32).flat_map(|t| (3 * t).to_le_bytes()).collect();
        let names = names(&group);
        VtpEncoder { uv, bodies, names, connectivity, offsets, group }
    }

    fn group(&self) -> &Group {
        &self.group
    }

    fn ending(&self) -> &[u8] {
        END
    }

    fn encode(&mut self, time: f64, frame: &Frame<'_>, bytes: &mut Vec<u8>) {
        let (vertices, triangles) = (self.group.vertices.clone(), self.group.triangles.len());
        let mut file = Appended { xml: String::new(), data: std::mem::take(bytes) };
        file.data.clear();
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
                    let normals = frame.normals[vertices.clone()].iter().flat_map(|n| n.to_array());
                    file.singles("normal", XYZ, normals);
                }
                Site::Triangles => {
                    let array = Array { kind: "Int32", name: "body", components: &[] };
                    file.array(&array, |data| data.extend_from_slice(&self.bodies));
                }
            }
            if let Some((_, values)) = self.uv.as_ref().filter(|(at, _)| *at == site) {
                let components = if site == Site::Vertices { pairs } else { corners };
                let array = Array { kind: "Float32", name: "uv", components };
                file.array(&array, |data| data.extend_from_slice(values));
            }
            for field in fields.iter().filter(|f| f.site == site) {
                file.singles(field.name, field.components, field.values.iter().copied());
            }
            file.xml.push_str(close);
        }
        file.xml.push_str("<Points>\n");
        file.array(&Array { kind: "Float64", name: "Points", components: XYZ }, |data| {
            let points = frame.positions[vertices].iter().flat_map(|p| p.to_array());
            points.for_each(|c| data.extend_from_slice(&c.to_le_bytes()));
        });
        file.xml.push_str("</Points>\n<Polys>\n");
        for (name, values) in [("connectivity", &self.connectivity), ("offsets", &self.offsets)] {
            file.array(&Array { kind: "Int32", name, components: &[] }, |data| data.extend_from_slice(values));
        }
        file.xml.push_str("</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
        // The XML goes to the front; one move of the data is cheaper than encoding twice.
        *bytes = file.data;
        bytes.splice(0..0, file.xml.into_bytes());
        bytes.extend_from_slice(END);
    }
}
