//! What the page draws of a mesh: vertices split where the pattern or a crease needs it, moving bodies apart from
//! those that stand still.
//!
//! A graphics card wants one pattern coordinate and one normal per vertex. A vertex on a seam has several coordinates,
//! one on the edge of a box several normals; it is drawn as several. Bodies that never move are sent once.

use glam::{DVec3, Vec2, Vec3};
use muslin::model::{Body, BodyKind, Mesh};
use std::collections::BTreeMap;

/// Faces of an obstacle that meet at more than this angle have an edge; its cosine [-].
const CREASE: f64 = 0.8;

/// Drawn vertices and triangles of some bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// The mesh's vertex behind each drawn one.
    pub vertices: Vec<u32>,
    /// Number of the body that each drawn vertex belongs to.
    pub bodies: Vec<u8>,
    /// Pattern coordinates of each drawn vertex [m]; zero where there is no pattern.
    pub uv: Vec<Vec2>,
    /// Drawn triangles, of drawn vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Drawn vertices with the same number share a normal.
    groups: Vec<u32>,
    group_count: usize,
}

/// Everything that is drawn of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// Bodies whose vertices come with every frame.
    pub moving: Part,
    /// Bodies that are sent once.
    pub still: Part,
}

impl Skin {
    /// Splits a mesh; `moves` says of each body whether it moves.
    pub fn new(mesh: &Mesh, bodies: &[Body], moves: &[bool]) -> Self {
        let mut skin = Skin::default();
        for (number, body) in bodies.iter().enumerate() {
            let moves = moves.get(number).copied().unwrap_or(true);
            let part = if moves { &mut skin.moving } else { &mut skin.still };
            match body.kind {
                BodyKind::Cloth => part.add_cloth(mesh, body, number as u8),
                BodyKind::Obstacle => part.add_obstacle(mesh, body, number as u8),
            }
        }
        skin
    }
}

impl Part {
    fn push(&mut self, vertex: u32, body: u8, uv: Vec2, group: u32) -> u32 {
        self.vertices.push(vertex);
        self.bodies.push(body);
        self.uv.push(uv);
        self.groups.push(group);
        self.vertices.len() as u32 - 1
    }

    /// A vertex is drawn once for each of its pattern coordinates; all of them share its normal.
    fn add_cloth(&mut self, mesh: &Mesh, body: &Body, number: u8) {
        let (first, group) = (body.vertices.start as u32, self.group_count as u32);
        let mut known: BTreeMap<(u32, [u32; 2]), u32> = BTreeMap::new();
        for t in body.triangles.clone() {
            let corners = mesh.shown_uv(t);
            let drawn = [0, 1, 2].map(|k| {
                let vertex = mesh.triangles[t][k];
                let uv = corners.map_or(Vec2::ZERO, |uv| uv[k].as_vec2());
                let key = (vertex, uv.to_array().map(f32::to_bits));
                *known.entry(key).or_insert_with(|| self.push(vertex, number, uv, group + vertex - first))
            });
            self.triangles.push(drawn);
        }
        self.group_count += body.vertices.len();
    }

    /// A vertex is drawn once for each smooth group of its faces.
    fn add_obstacle(&mut self, mesh: &Mesh, body: &Body, number: u8) {
        let mut known: BTreeMap<u32, Vec<(DVec3, u32)>> = BTreeMap::new();
        for t in body.triangles.clone() {
            let tri = mesh.triangles[t];
            let [a, b, c] = tri.map(|v| mesh.positions[v as usize]);
            let face = (b - a).cross(c - a);
            let drawn = tri.map(|vertex| {
                let groups = known.entry(vertex).or_default();
                let direction = face.normalize_or_zero();
                if let Some((sum, drawn)) = groups.iter_mut().find(|g| g.0.normalize_or_zero().dot(direction) >= CREASE)
                {
                    *sum += face;
                    return *drawn;
                }
                let group = self.group_count as u32;
                self.group_count += 1;
                let drawn = self.push(vertex, number, Vec2::ZERO, group);
                groups.push((face, drawn));
                drawn
            });
            self.triangles.push(drawn);
        }
    }

    /// Unit normals of all groups, from the positions of all vertices [m]; `out` is room that is kept.
    pub fn normals(&self, positions: &[DVec3], out: &mut Vec<Vec3>) {
        out.clear();
        out.resize(self.group_count, Vec3::ZERO);
        for tri in &self.triangles {
            let [a, b, c] = tri.map(|v| positions[self.vertices[v as usize] as usize]);
            let face = (b - a).cross(c - a).as_vec3();
            if face.is_finite() {
                tri.iter().for_each(|&v| out[self.groups[v as usize] as usize] += face);
            }
        }
        out.iter_mut().for_each(|n| *n = n.normalize_or(Vec3::Z));
    }

    /// The normal of a drawn vertex, among those of [`Part::normals`].
    pub fn normal_of(&self, drawn: usize, normals: &[Vec3]) -> Vec3 {
        normals[self.groups[drawn] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin::model::shapes;

    fn body(mesh: &Mesh, kind: BodyKind) -> Body {
        Body { name: "it".into(), kind, vertices: 0..mesh.positions.len(), triangles: 0..mesh.triangles.len() }
    }

    #[test]
    fn a_tube_is_split_along_its_seam_and_nowhere_else() {
        let mesh = shapes::tube(0.2, 0.5, [12, 5]).unwrap();
        let skin = Skin::new(&mesh, &[body(&mesh, BodyKind::Cloth)], &[true]);
        assert_eq!(skin.moving.vertices.len(), mesh.positions.len() + 5);
        let mut normals = Vec::new();
        skin.moving.normals(&mesh.positions, &mut normals);
        for (k, &v) in skin.moving.vertices.iter().enumerate() {
            let out = mesh.positions[v as usize].truncate().extend(0.0).normalize().as_vec3();
            assert!(skin.moving.normal_of(k, &normals).dot(out).abs() > 0.99, "the seam must not show in the shading");
        }
    }

    #[test]
    fn a_box_keeps_its_edges_and_a_ball_is_smooth() {
        let cube = shapes::cuboid(DVec3::ONE).unwrap();
        let skin = Skin::new(&cube, &[body(&cube, BodyKind::Obstacle)], &[false]);
        assert!(skin.moving.triangles.is_empty());
        assert_eq!(skin.still.vertices.len(), 24, "eight corners with three normals each");
        let ball = shapes::sphere(1.0, 2).unwrap();
        let skin = Skin::new(&ball, &[body(&ball, BodyKind::Obstacle)], &[false]);
        assert_eq!(skin.still.vertices.len(), ball.positions.len());
    }
}
