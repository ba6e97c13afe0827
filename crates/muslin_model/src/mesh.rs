//! A triangle mesh with material coordinates, and the checks that refuse a broken one.

use glam::{DVec2, DVec3};
use std::{collections::HashMap, fmt};

/// A triangle mesh.
///
/// The rest shape of cloth is `uv`, not `positions`: a cloth may start crumpled and still know its flat
/// pattern. Obstacles have no rest shape and leave `uv` empty.
#[derive(Clone, Default, PartialEq)]
pub struct Mesh {
    /// Where the vertices start [m].
    pub positions: Vec<DVec3>,
    /// Vertex indices, counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Material coordinates of each triangle's corners [m]: u runs along the warp, v along the weft.
    /// One entry per triangle and not per vertex, so that a seam may join two pattern edges.
    pub uv: Vec<[DVec2; 3]>,
    /// Coordinates of each triangle's corners in a picture [-], which files show and nothing computes with; `None` where
    /// there are none. Empty if they are the material coordinates.
    pub texture: Vec<Option<[DVec2; 3]>>,
}

/// Lists with more elements than this are shown as a hash.
const MOST_SHOWN: usize = 64;

/// Long lists show their length and a hash of their bits: the text of a scene is compared and hashed, and a million
/// vertices take seconds as decimal numbers.
impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut mesh = f.debug_struct("Mesh");
        let real = |x: f64, bytes: &mut Vec<u8>| bytes.extend_from_slice(&x.to_le_bytes());
        brief(&mut mesh, "positions", &self.positions, |p, bytes| p.to_array().map(|x| real(x, bytes)));
        brief(&mut mesh, "triangles", &self.triangles, |t, bytes| t.map(|v| bytes.extend_from_slice(&v.to_le_bytes())));
        let pairs = |c: &[DVec2; 3], bytes: &mut Vec<u8>| c.map(|p| p.to_array().map(|x| real(x, bytes)));
        brief(&mut mesh, "uv", &self.uv, pairs);
        if !self.texture.is_empty() {
            brief(&mut mesh, "texture", &self.texture, |c, bytes| {
                bytes.push(u8::from(c.is_some()));
                c.map(|c| pairs(&c, bytes))
            });
        }
        mesh.finish()
    }
}

/// Adds a list, short as it is or long as a hash of what `bits` appends for each element.
fn brief<T: fmt::Debug, U>(
    mesh: &mut fmt::DebugStruct<'_, '_>,
    name: &str,
    list: &[T],
    bits: impl Fn(&T, &mut Vec<u8>) -> U,
) {
    if list.len() <= MOST_SHOWN {
        mesh.field(name, &list);
        return;
    }
    let (mut hash, mut bytes) = (blake3::Hasher::new(), Vec::new());
    for piece in list.chunks(PIECE) {
        bytes.clear();
        piece.iter().for_each(|element| drop(bits(element, &mut bytes)));
        hash.update(&bytes);
    }
    mesh.field(name, &format_args!("{} elements, hash {}", list.len(), &hash.finalize().to_hex()[..16]));
}

/// Elements that are hashed at once.
const PIECE: usize = 1 << 14;

/// Why a mesh cannot be simulated. Every message names the element and the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A mesh without triangles.
    #[error("the mesh has no triangles; give it at least one")]
    Empty,
    /// A triangle names a vertex that does not exist.
    #[error(
        "triangle {triangle} uses vertex {vertex}, but there are only {count} vertices (0..{count}); correct the index"
    )]
    IndexOutOfRange {
        /// Triangle index.
        triangle: usize,
        /// The offending vertex index.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a non-finite coordinate {position}; repair it in the program that wrote the mesh")]
    NotFinite {
        /// Vertex index.
        vertex: usize,
        /// Its position as text.
        position: String,
    },
    /// A triangle has no area, in space or in its material coordinates.
    #[error("triangle {triangle} (vertices {vertices:?}) has zero area {place}; remove it or merge its vertices")]
    ZeroArea {
        /// Triangle index.
        triangle: usize,
        /// Its vertices.
        vertices: [u32; 3],
        /// `in space` or `in its material coordinates`.
        place: &'static str,
    },
    /// A triangle whose material coordinates are mirrored.
    #[error(
        "triangle {triangle} (vertices {vertices:?}) is mirrored in its material coordinates; swap two corners or flip its uv"
    )]
    FoldedUv {
        /// Triangle index.
        triangle: usize,
        /// Its vertices.
        vertices: [u32; 3],
    },
    /// More than two triangles share an edge.
    #[error("the edge between vertices {0} and {1} belongs to {count} triangles {triangles:?}; cloth needs at most two: split the mesh there", edge[0], edge[1])]
    NonManifoldEdge {
        /// The edge's vertices.
        edge: [u32; 2],
        /// How many triangles share it.
        count: usize,
        /// The triangles.
        triangles: Vec<u32>,
    },
    /// Two neighbours run along their common edge in the same direction.
    #[error("triangles {triangles:?} run along the edge between vertices {0} and {1} in the same direction; flip one of them", edge[0], edge[1])]
    InconsistentWinding {
        /// The edge's vertices.
        edge: [u32; 2],
        /// The two triangles.
        triangles: [u32; 2],
    },
    /// A vertex that belongs to no triangle would have no mass.
    #[error("vertex {vertex} belongs to no triangle and would have no mass; remove it")]
    IsolatedVertex {
        /// Vertex index.
        vertex: usize,
    },
    /// Arrays of different lengths.
    #[error("the mesh has {triangles} triangles but material coordinates for {uv}; give one triple per triangle")]
    UvCount {
        /// Number of triangles.
        triangles: usize,
        /// Number of uv triples.
        uv: usize,
    },
}

/// A triangle counts as degenerate when twice its area falls below this multiple of its squared longest
/// edge [-]. Below it the inverse of the rest shape loses more than half of an f64's digits.
pub const DEGENERATE_AREA_RATIO: f64 = 1e-8;

/// A direction that shrinks to less than this in a triangle's plane says little about its warp [-].
const LEAST_WARP: f64 = 0.1;

impl Mesh {
    /// Checks that the mesh can be simulated as cloth (a manifold with a rest shape).
    pub fn check_cloth(&self) -> Result<(), MeshError> {
        self.check_geometry()?;
        if self.uv.len() != self.triangles.len() {
            return Err(MeshError::UvCount { triangles: self.triangles.len(), uv: self.uv.len() });
        }
        for (t, uv) in self.uv.iter().enumerate() {
            let (a, b) = (uv[1] - uv[0], uv[2] - uv[0]);
            let longest = a.length_squared().max(b.length_squared()).max((uv[2] - uv[1]).length_squared());
            let area2 = a.perp_dot(b);
            let vertices = self.triangles[t];
            // A NaN coordinate gives a NaN area, which no comparison would refuse.
            if area2.is_nan() || area2.abs() <= DEGENERATE_AREA_RATIO * longest {
                return Err(MeshError::ZeroArea { triangle: t, vertices, place: "in its material coordinates" });
            }
            if area2 < 0.0 {
                return Err(MeshError::FoldedUv { triangle: t, vertices });
            }
        }
        let mut seen = vec![false; self.positions.len()];
        self.triangles.iter().flatten().for_each(|&v| seen[v as usize] = true);
        if let Some(vertex) = seen.iter().position(|s| !s) {
            return Err(MeshError::IsolatedVertex { vertex });
        }
        self.check_manifold()
    }

    /// Checks indices, finite coordinates and areas: what an obstacle needs.
    pub fn check_geometry(&self) -> Result<(), MeshError> {
        if self.triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshError::NotFinite { vertex, position: format!("{}", self.positions[vertex]) });
        }
        let count = self.positions.len();
        for (t, tri) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = tri.iter().find(|&&v| v as usize >= count) {
                return Err(MeshError::IndexOutOfRange { triangle: t, vertex, count });
            }
            let [a, b, c] = tri.map(|v| self.positions[v as usize]);
            let longest = (b - a).length_squared().max((c - a).length_squared()).max((c - b).length_squared());
            if (b - a).cross(c - a).length() <= DEGENERATE_AREA_RATIO * longest {
                return Err(MeshError::ZeroArea { triangle: t, vertices: *tri, place: "in space" });
            }
        }
        Ok(())
    }

    fn check_manifold(&self) -> Result<(), MeshError> {
        // (low, high) vertex -> triangles with their direction along the edge.
        let mut edges: HashMap<[u32; 2], Vec<(u32, bool)>> = HashMap::new();
        for (t, tri) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (tri[k], tri[(k + 1) % 3]);
                edges.entry([a.min(b), a.max(b)]).or_default().push((t as u32, a < b));
            }
        }
        // The lowest faulty edge is reported, whatever the hash order.
        let mut faults: Vec<_> = edges
            .into_iter()
            .filter(|(_, users)| users.len() > 2 || (users.len() == 2 && users[0].1 == users[1].1))
            .collect();
        faults.sort();
        match faults.into_iter().next() {
            None => Ok(()),
            Some((edge, users)) if users.len() == 2 => {
                Err(MeshError::InconsistentWinding { edge, triangles: [users[0].0, users[1].0] })
            }
            Some((edge, users)) => Err(MeshError::NonManifoldEdge {
                edge,
                count: users.len(),
                triangles: users.into_iter().map(|(t, _)| t).collect(),
            }),
        }
    }

    /// Flattens every triangle by itself: its rest shape is its shape in space. The warp runs along x as far as the
    /// triangle's plane allows, and along y where that plane is nearly across x.
    pub fn rest_from_positions(&mut self) {
        let flat = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|v| self.positions[v as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let along = |axis: DVec3| axis - normal * axis.dot(normal);
            let warp = if along(DVec3::X).length() > LEAST_WARP { along(DVec3::X) } else { along(DVec3::Y) };
            let u = warp.normalize_or(DVec3::X);
            let v = normal.cross(u);
            let place = |p: DVec3| DVec2::new((p - a).dot(u), (p - a).dot(v));
            [place(a), place(b), place(c)]
        };
        self.uv = self.triangles.iter().map(flat).collect();
    }

    /// Coordinates of a triangle's corners that files show: those in its picture [-], else the material ones [m]; `None`
    /// if it has neither.
    pub fn shown_uv(&self, triangle: usize) -> Option<[DVec2; 3]> {
        match self.texture.get(triangle) {
            Some(corners) => *corners,
            None => self.uv.get(triangle).copied(),
        }
    }

    /// Gives the last triangles coordinates in a picture; those before go on showing what they show.
    pub fn append_texture(&mut self, texture: impl ExactSizeIterator<Item = Option<[DVec2; 3]>>) {
        let before = self.triangles.len().saturating_sub(texture.len());
        let kept: Vec<_> = (self.texture.len()..before).map(|t| self.shown_uv(t)).collect();
        self.texture.extend(kept);
        self.texture.extend(texture);
    }

    /// Area of a triangle in its material coordinates [m²].
    pub fn rest_area(&self, triangle: usize) -> f64 {
        let uv = self.uv[triangle];
        0.5 * (uv[1] - uv[0]).perp_dot(uv[2] - uv[0])
    }

    /// Mean length of some triangles' sides in their material coordinates [m].
    pub fn mean_edge_length_of(&self, triangles: std::ops::Range<usize>) -> f64 {
        let count = 3 * triangles.len();
        let sides = |t: usize| {
            let uv = self.uv[t];
            (0..3).map(|k| (uv[k] - uv[(k + 1) % 3]).length()).sum::<f64>()
        };
        triangles.map(sides).sum::<f64>() / count as f64
    }
}
