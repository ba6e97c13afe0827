//! A part of a mesh file as a surface in metres with z up, which still knows the file's numbers.

use super::file_mesh::{FileMesh, UpAxis};
use glam::{DMat3, DVec2, DVec3};
use muslin_model::Mesh;

/// A surface and where its elements stand in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Positions [m] with z up; `uv` in metres, NaN where the file gives none, empty if it gives none at all; `texture` as
    /// the file has it, empty likewise.
    pub mesh: Mesh,
    /// The file's vertex of each vertex.
    pub file_vertices: Vec<u32>,
    /// The file's triangle of each triangle.
    pub file_triangles: Vec<u32>,
}

/// How to take a surface out of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// Names of the parts; empty for the whole file.
    pub parts: Vec<String>,
    /// Length of the file's unit [m]; `None` believes the file, else metres.
    pub metres_per_unit: Option<f64>,
    /// Axis that points up; `None` believes the file, else z.
    pub up: Option<UpAxis>,
}

impl Choice {
    /// Length of the unit that counts [m].
    pub fn unit(&self, file: &FileMesh) -> f64 {
        self.metres_per_unit.or(file.metres_per_unit).unwrap_or(1.0)
    }

    /// The map from the file's units and axes to metres with z up.
    pub fn linear(&self, file: &FileMesh) -> DMat3 {
        let turn = match self.up.or(file.up).unwrap_or(UpAxis::Z) {
            UpAxis::Z => DMat3::IDENTITY,
            // A quarter turn about x: y becomes z, z becomes −y.
            UpAxis::Y => DMat3::from_cols(DVec3::X, DVec3::Z, -DVec3::Y),
        };
        turn * self.unit(file)
    }

    /// Takes the surface out; an unknown part gives its name.
    pub fn surface(&self, file: &FileMesh) -> Result<Surface, String> {
        let known = |name: &&String| !file.parts.iter().any(|p| p.name == **name);
        if let Some(unknown) = self.parts.iter().find(known) {
            return Err(unknown.clone());
        }
        let whole = self.parts.is_empty();
        let parts = file.parts.iter().filter(|p| self.parts.contains(&p.name));
        let file_triangles: Vec<u32> = match whole {
            true => (0..file.triangles.len() as u32).collect(),
            false => parts.flat_map(|p| p.triangles.start as u32..p.triangles.end as u32).collect(),
        };
        // A part takes the vertices that it uses, in the file's order; the whole file takes all.
        let mut number = vec![u32::MAX; file.positions.len()];
        for &t in &file_triangles {
            file.triangles[t as usize].iter().for_each(|&v| number[v as usize] = 0);
        }
        let used = |v: &u32| whole || number[*v as usize] == 0;
        let file_vertices: Vec<u32> = (0..file.positions.len() as u32).filter(used).collect();
        file_vertices.iter().enumerate().for_each(|(k, &v)| number[v as usize] = k as u32);
        let (linear, unit) = (self.linear(file), self.unit(file));
        let exact = linear == DMat3::IDENTITY;
        let place = |&v: &u32| {
            let p = file.positions[v as usize];
            if exact { p } else { linear * p }
        };
        let mut mesh = Mesh {
            positions: file_vertices.iter().map(place).collect(),
            triangles: file_triangles.iter().map(|&t| file.triangles[t as usize].map(|v| number[v as usize])).collect(),
            ..Mesh::default()
        };
        if let Some(uv) = &file.uv {
            let finite = |corners: &[DVec2; 3]| corners.iter().all(|p| p.is_finite());
            mesh.texture = file_triangles.iter().map(|&t| uv.of(t as usize).filter(finite)).collect();
            let corner = |&t: &u32| uv.of(t as usize).unwrap_or([DVec2::NAN; 3]).map(|p| p * unit);
            mesh.uv = file_triangles.iter().map(corner).collect();
        }
        Ok(Surface { mesh, file_vertices, file_triangles })
    }
}
