//! Stanford PLY, text or binary of either byte order, with any properties.
//!
//! Known vertex properties are `x y z`, `nx ny nz`, `red green blue` (`alpha`) and `s t` (also `u v`,
//! `texture_u texture_v`); known lists of faces are `vertex_indices` (or `vertex_index`) and `texcoord`, two numbers
//! per corner. Every other plain property becomes an attribute of its name; other lists and elements are skipped
//! and named in [`FileMesh::ignored`]. Tables grow as rows arrive, so a header's claim allocates nothing.

mod header;
mod rows;

use super::{
    error::{Fault, FaultKind, Place},
    file_mesh::{Attribute, Corners, FileMesh},
    polygons::{Cut, MOST_CORNERS, Polygons},
};
use crate::input::Input;
use glam::{DVec2, DVec3};
use header::{Element, Encoding, Property};
use rows::Rows;

/// A column of plain numbers.
struct Column {
    name: String,
    /// What stands for 1 in a colour.
    unit: f64,
    values: Vec<f64>,
}

/// Reads a whole file.
pub fn read(input: &mut Input) -> Result<FileMesh, Fault> {
    let (encoding, elements) = header::read(input)?;
    let has = |name: &str| elements.iter().any(|e| e.name == name);
    if !has("vertex") {
        let remedy = "check that the file is a mesh";
        return Err(Fault::new(Place::File, FaultKind::Syntax, "the header declares no `vertex` element", remedy));
    }
    let rows = Rows::new(input, encoding);
    let mut body = Body { rows, encoding, polygons: Polygons::default(), uv: Vec::new(), texture: Vec::new() };
    let mut mesh = FileMesh::default();
    let mut vertices = Vec::new();
    let mut faces = Vec::new();
    for element in &elements {
        let columns = body.element(element, &mut mesh.ignored)?;
        match element.name.as_str() {
            "vertex" => vertices = columns,
            "face" => faces = columns,
            _ if element.count > 0 => mesh.ignored.push(format!("{} `{}` elements", element.count, element.name)),
            _ => {}
        }
    }
    let Body { polygons, uv, .. } = body;
    let missing = || {
        let message = "the `vertex` element has no plain properties `x`, `y` and `z`";
        Fault::new(Place::File, FaultKind::Syntax, message, "export positions under these names")
    };
    let [x, y, z] = take(&mut vertices, ["x", "y", "z"]).ok_or_else(missing)?;
    mesh.positions = zip3(&x, &y, &z);
    drop((x, y, z));
    if let Some((k, &vertex)) = polygons.corners.iter().enumerate().find(|(_, v)| **v as usize >= mesh.positions.len())
    {
        let face = (0..polygons.len()).find(|&f| polygons.face(f).contains(&k)).unwrap_or(0);
        let count = mesh.positions.len();
        let message = format!("face {face} names vertex {vertex}, but the file has only {count} (from 0)");
        return Err(Fault::new(Place::File, FaultKind::Index, message, "correct the index or complete the file"));
    }
    let cut = polygons.cut(&mesh.positions);
    mesh.triangles = cut.corners.iter().map(|t| t.map(|k| polygons.corners[k as usize])).collect();
    attach(&mut mesh, vertices, faces, &cut, uv);
    mesh.faces = cut.faces;
    Ok(mesh)
}

/// Turns columns into normals, pattern coordinates, colours and attributes.
fn attach(mesh: &mut FileMesh, mut vertices: Vec<Column>, mut faces: Vec<Column>, cut: &Cut, uv: Vec<DVec2>) {
    if let Some([x, y, z]) = take(&mut vertices, ["nx", "ny", "nz"]) {
        mesh.normals = Some(Corners { values: zip3(&x, &y, &z), triangles: mesh.triangles.clone() });
    }
    let pairs = [["s", "t"], ["u", "v"], ["texture_u", "texture_v"]];
    let at_vertices = pairs.into_iter().find_map(|pair| take(&mut vertices, pair));
    if !uv.is_empty() {
        let named = |k: u32| if uv[k as usize].is_nan() { Corners::<DVec2>::NONE } else { k };
        let triangles = cut.corners.iter().map(|t| t.map(named)).collect();
        mesh.uv = Some(Corners { values: uv, triangles });
    } else if let Some([s, t]) = at_vertices {
        let values = s.values.iter().zip(&t.values).map(|(&s, &t)| DVec2::new(s, t)).collect();
        mesh.uv = Some(Corners { values, triangles: mesh.triangles.clone() });
    }
    for (columns, attributes) in [(&mut vertices, &mut mesh.vertex_attributes), (&mut faces, &mut mesh.face_attributes)]
    {
        attributes.extend(colour(columns));
        attributes.extend(columns.drain(..).map(|c| Attribute { name: c.name, components: 1, values: c.values }));
    }
}

struct Body<'a> {
    rows: Rows<'a>,
    encoding: Encoding,
    polygons: Polygons,
    /// `texcoord` of the faces' corners; empty if there are none, NaN where a face has none.
    uv: Vec<DVec2>,
    /// `texcoord` of the face being read.
    texture: Vec<DVec2>,
}

impl Body<'_> {
    /// Reads all rows of an element; returns its plain columns.
    fn element(&mut self, element: &Element, ignored: &mut Vec<String>) -> Result<Vec<Column>, Fault> {
        self.rows.begin_element(&element.name);
        let needed = element.smallest_row(self.encoding).saturating_mul(element.count);
        // The last number of a text file needs no separator after it.
        if needed > self.rows.most_left().saturating_add(1) {
            let message = format!(
                "the header claims {} `{}` elements, at least {needed} bytes, but at most {} are left",
                element.count,
                element.name,
                self.rows.most_left()
            );
            let remedy = "the file is cut short or its header wrong: export it again";
            return Err(Fault::new(Place::File, FaultKind::Truncated, message, remedy));
        }
        if element.count >= u64::from(u32::MAX) {
            let message = format!("the file holds {} `{}` elements", element.count, element.name);
            return Err(Fault::new(Place::File, FaultKind::TooLarge, message, "split it into several files"));
        }
        let keep = matches!(element.name.as_str(), "vertex" | "face");
        let mut columns: Vec<Column> = Vec::new();
        for p in element.properties.iter().filter(|p| keep && p.length.is_none()) {
            columns.push(Column { name: p.name.clone(), unit: p.scalar.unit(), values: Vec::new() });
        }
        let roles: Vec<Role> = element.properties.iter().map(|p| role(element, p)).collect();
        let lists = roles.iter().filter(|r| **r == Role::Corners).count();
        if element.name == "face" && element.count > 0 && lists != 1 {
            let message = format!("the `face` element has {lists} lists of vertices");
            let remedy = "give it one list `vertex_indices`; triangle strips are not read";
            return Err(Fault::new(Place::File, FaultKind::Unsupported, message, remedy));
        }
        for (p, _) in
            element.properties.iter().zip(&roles).filter(|(p, r)| keep && **r == Role::Skip && p.length.is_some())
        {
            ignored.push(format!("the list `{}` of each {}", p.name, element.name));
        }
        // A row without any property takes no bytes; a claim of billions of them says nothing.
        let rows = if element.properties.is_empty() { 0 } else { element.count };
        for index in 0..rows {
            self.rows.begin_row(index, element.count)?;
            self.row(element, &roles, &mut columns)?;
            self.rows.end_row()?;
        }
        Ok(columns)
    }

    fn row(&mut self, element: &Element, roles: &[Role], columns: &mut [Column]) -> Result<(), Fault> {
        let (mut next, mut corners) = (0, 0);
        self.texture.clear();
        for (property, role) in element.properties.iter().zip(roles) {
            match (role, property.length) {
                (Role::Corners, Some(length)) => corners = self.corners(property, length)?,
                (Role::Texture, Some(length)) => self.texture(property, length)?,
                (_, Some(length)) => {
                    for _ in 0..self.rows.length(length)? {
                        self.rows.scalar(property.scalar)?;
                    }
                }
                (_, None) => {
                    let value = self.rows.scalar(property.scalar)?;
                    if let Some(column) = columns.get_mut(next) {
                        column.values.push(value);
                    }
                    next += 1;
                }
            }
        }
        let texture = self.texture.len();
        if texture > 0 && texture != corners {
            let message = format!("this face has {corners} corners but `texcoord` for {texture}");
            return Err(Fault::new(self.rows.place(), FaultKind::Value, message, "give two numbers per corner"));
        }
        if texture > 0 || !self.uv.is_empty() {
            // Faces without `texcoord` among others keep the arrays side by side.
            self.uv.resize(self.polygons.corners.len() - texture, DVec2::NAN);
            self.uv.extend_from_slice(&self.texture);
        }
        Ok(())
    }

    fn corners(&mut self, property: &Property, length: header::Scalar) -> Result<usize, Fault> {
        let count = self.rows.length(length)? as usize;
        if !(3..=MOST_CORNERS).contains(&count) {
            let message = format!("this face has {count} corners");
            let remedy = format!("give every face 3 to {MOST_CORNERS} corners");
            return Err(Fault::new(self.rows.place(), FaultKind::Value, message, remedy));
        }
        for _ in 0..count {
            let vertex = self.rows.scalar(property.scalar)?;
            if !(vertex >= 0.0 && vertex < f64::from(u32::MAX) && vertex.fract() == 0.0) {
                let message = format!("this face names vertex {vertex}");
                return Err(Fault::new(self.rows.place(), FaultKind::Index, message, "count vertices from 0"));
            }
            self.polygons.corners.push(vertex as u32);
        }
        if self.polygons.corners.len() as u64 >= u64::from(u32::MAX) {
            let message = "the file holds more than 4 billion face corners";
            return Err(Fault::new(self.rows.place(), FaultKind::TooLarge, message, "split it into several files"));
        }
        self.polygons.end_face(count);
        Ok(count)
    }

    /// Reads `texcoord` of one face.
    fn texture(&mut self, property: &Property, length: header::Scalar) -> Result<(), Fault> {
        let count = self.rows.length(length)? as usize;
        if !count.is_multiple_of(2) || count > 2 * MOST_CORNERS {
            let message = format!("`texcoord` has {count} numbers");
            return Err(Fault::new(self.rows.place(), FaultKind::Value, message, "give two numbers per corner"));
        }
        for _ in 0..count / 2 {
            let (u, v) = (self.rows.scalar(property.scalar)?, self.rows.scalar(property.scalar)?);
            self.texture.push(DVec2::new(u, v));
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Corners,
    Texture,
    Column,
    Skip,
}

fn role(element: &Element, property: &Property) -> Role {
    match (element.name.as_str(), property.length, property.name.as_str()) {
        ("face", Some(_), "vertex_indices" | "vertex_index") => Role::Corners,
        ("face", Some(_), "texcoord") => Role::Texture,
        ("face" | "vertex", None, _) => Role::Column,
        _ => Role::Skip,
    }
}

/// Takes columns by their names out of the list, if all are there.
fn take<const N: usize>(columns: &mut Vec<Column>, names: [&str; N]) -> Option<[Column; N]> {
    if !names.iter().all(|name| columns.iter().any(|c| c.name == *name)) {
        return None;
    }
    Some(names.map(|name| {
        let k = columns.iter().position(|c| c.name == name).unwrap_or(0);
        columns.remove(k)
    }))
}

fn zip3(x: &Column, y: &Column, z: &Column) -> Vec<DVec3> {
    let xy = x.values.iter().zip(&y.values);
    xy.zip(&z.values).map(|((&x, &y), &z)| DVec3::new(x, y, z)).collect()
}

/// `red green blue` and perhaps `alpha` as one attribute from 0 to 1.
fn colour(columns: &mut Vec<Column>) -> Option<Attribute> {
    let mut channels: Vec<Column> = take(columns, ["red", "green", "blue"])?.into();
    channels.extend(take(columns, ["alpha"]).into_iter().flatten());
    let rows = channels[0].values.len();
    let values = (0..rows).flat_map(|k| channels.iter().map(move |c| c.values[k] / c.unit)).collect();
    Some(Attribute { name: "color".into(), components: channels.len(), values })
}
