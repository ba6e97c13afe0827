//! Maps: values per vertex or face from the attributes of a mesh file.

use crate::meshes::{Attribute, FileMesh, surface::Surface};

/// The attributes of a cloth's file, in the cloth's own numbers.
#[derive(Clone, Debug, Default)]
pub struct Maps {
    vertices: Vec<Attribute>,
    faces: Vec<Attribute>,
}

/// A value per vertex or face of the cloth.
pub enum Map {
    /// Per vertex.
    Vertices(Vec<f64>),
    /// Per face.
    Faces(Vec<f64>),
}

impl Maps {
    /// Attributes of a file for the part of it that became a cloth.
    pub fn new(file: FileMesh, surface: &Surface) -> Self {
        let pick = |attribute: &Attribute, elements: &[usize]| {
            let n = attribute.components;
            let row = |&e: &usize| attribute.values.get(e * n..(e + 1) * n).map_or(vec![f64::NAN; n], <[f64]>::to_vec);
            Attribute { values: elements.iter().flat_map(row).collect(), ..attribute.clone() }
        };
        let vertices: Vec<usize> = surface.file_vertices.iter().map(|&v| v as usize).collect();
        let faces: Vec<usize> = surface.file_triangles.iter().map(|&t| file.face_of(t as usize)).collect();
        Maps {
            vertices: file.vertex_attributes.iter().map(|a| pick(a, &vertices)).collect(),
            faces: file.face_attributes.iter().map(|a| pick(a, &faces)).collect(),
        }
    }

    /// A map by name: an attribute's name, with a channel after a point if it has several numbers
    /// (`color.red`, `weight.2`).
    pub fn find(&self, name: &str) -> Option<Map> {
        let channel = |attributes: &[Attribute]| {
            attributes.iter().find_map(|a| {
                let k = match name.strip_prefix(a.name.as_str())? {
                    "" if a.components == 1 => 0,
                    rest => channel_number(rest.strip_prefix('.')?).filter(|k| *k < a.components)?,
                };
                Some(a.values.iter().skip(k).step_by(a.components).copied().collect::<Vec<f64>>())
            })
        };
        channel(&self.vertices).map(Map::Vertices).or_else(|| channel(&self.faces).map(Map::Faces))
    }

    /// All names, for messages.
    pub fn names(&self) -> Vec<String> {
        let channels = |a: &Attribute| match (a.components, a.name.as_str()) {
            (1, name) => vec![name.to_string()],
            (n @ 3..=4, "color") => {
                ["red", "green", "blue", "alpha"][..n].iter().map(|c| format!("color.{c}")).collect()
            }
            (n, name) => (0..n).map(|k| format!("{name}.{k}")).collect(),
        };
        self.vertices.iter().chain(&self.faces).flat_map(channels).collect()
    }
}

fn channel_number(name: &str) -> Option<usize> {
    match name {
        "red" | "r" | "x" => Some(0),
        "green" | "g" | "y" => Some(1),
        "blue" | "b" | "z" => Some(2),
        "alpha" | "a" | "w" => Some(3),
        _ => name.parse().ok(),
    }
}
