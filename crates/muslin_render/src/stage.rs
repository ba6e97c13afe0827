//! The triangles of one frame, ready to be lit: in units of what is shown, around its middle, with corners
//! split where a body has a crease, and large triangles of obstacles cut small.
//!
//! Everything after this is in f32 and in these units, so that a picture of a millimetre of cloth and one of
//! a kilometre are the same to the last bit if they differ by a power of two.

use crate::{
    framing::{Role, View, role},
    refine,
    renderer::Paint,
    subject::Subject,
};
use glam::{DVec3, Vec2, Vec3};
use muslin_model::BodyKind;

/// What a triangle is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    /// Cloth, with its number among the cloths.
    Cloth(u16),
    Obstacle,
    Ground,
}

/// Triangles of one frame.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    pub positions: Vec<Vec3>,
    /// Unit, towards the front.
    pub normals: Vec<Vec3>,
    /// What a scalar painting shows, 0 to 1; NaN where there is nothing to show.
    pub scalars: Vec<f32>,
    pub triangles: Vec<[u32; 3]>,
    pub surfaces: Vec<Surface>,
    /// Pattern coordinates of the corners in stripes; empty for bodies without.
    pub uv: Vec<[Vec2; 3]>,
    /// Triangles left out because a corner is not finite.
    pub left_out: usize,
}

/// Stripes of the pattern along the longer side of a cloth.
const STRIPES: f64 = 24.0;

/// Longest edge of an obstacle's triangle in units of the radius: ambient light is computed at vertices.
const LONGEST_EDGE: f32 = 0.09;

/// How far the ground reaches, in radii.
pub(crate) const GROUND_REACH: f32 = 3.2;

/// Faces of an obstacle that meet at more than this angle have an edge; its cosine [-].
const OBSTACLE_CREASE: f32 = 0.8;

/// The same for cloth, which shows an edge only where it is folded sharply.
const CLOTH_CREASE: f32 = 0.0;

impl Stage {
    pub(crate) fn new(subject: &Subject, positions: &[DVec3], view: &View, paint: &Paint) -> Stage {
        let mut stage = Stage::default();
        let local: Vec<Vec3> = positions.iter().map(|&p| ((p - view.centre) / view.radius).as_vec3()).collect();
        let scalar = |v: u32| paint.scalar(v as usize);
        let mut cloths = 0;
        for (index, body) in subject.bodies.iter().enumerate() {
            let surface = match (body.kind, role(subject, positions, index)) {
                (BodyKind::Cloth, _) => Surface::Cloth(cloths),
                (_, Role::Ground) => Surface::Ground,
                _ => Surface::Obstacle,
            };
            cloths += (body.kind == BodyKind::Cloth) as u16;
            let stripe = stripe_width(subject, body.triangles.clone());
            let mut piece = refine::Piece::default();
            // Vertices keep their order; unused ones outside the body cost nothing later.
            let first = body.vertices.start as u32;
            piece.positions.extend_from_slice(&local[body.vertices.clone()]);
            piece.scalars.extend(body.vertices.clone().map(|v| scalar(v as u32)));
            for t in body.triangles.clone() {
                let tri = subject.triangles[t];
                if !tri.iter().all(|&v| local[v as usize].is_finite() && body.vertices.contains(&(v as usize))) {
                    stage.left_out += 1;
                    continue;
                }
                piece.triangles.push(tri.map(|v| v - first));
                piece.uv.push(match subject.shown_uv(t) {
                    Some(uv) => uv.map(|p| (p / stripe).as_vec2()),
                    None => [Vec2::NAN; 3],
                });
            }
            let crease = match surface {
                Surface::Cloth(_) => CLOTH_CREASE,
                Surface::Obstacle | Surface::Ground => OBSTACLE_CREASE,
            };
            if surface == Surface::Ground {
                refine::clip(&mut piece, GROUND_REACH);
            }
            if !matches!(surface, Surface::Cloth(_)) {
                refine::cut(&mut piece, LONGEST_EDGE);
            }
            stage.add(piece, surface, crease);
        }
        stage
    }

    /// Appends a body; each vertex becomes as many as it has smooth groups of faces.
    fn add(&mut self, piece: refine::Piece, surface: Surface, crease: f32) {
        let faces: Vec<Vec3> = piece
            .triangles
            .iter()
            .map(|tri| {
                let [a, b, c] = tri.map(|v| piece.positions[v as usize]);
                (b - a).cross(c - a)
            })
            .collect();
        // Corners of each vertex, by counting.
        let mut starts = vec![0u32; piece.positions.len() + 1];
        piece.triangles.iter().flatten().for_each(|&v| starts[v as usize + 1] += 1);
        (0..piece.positions.len()).for_each(|v| starts[v + 1] += starts[v]);
        let mut next = starts.clone();
        let mut corners = vec![0u32; 3 * piece.triangles.len()];
        for (corner, &v) in piece.triangles.iter().flatten().enumerate() {
            corners[next[v as usize] as usize] = corner as u32;
            next[v as usize] += 1;
        }
        let first = self.triangles.len();
        self.triangles.extend(piece.triangles.iter().map(|_| [0; 3]));
        for v in 0..piece.positions.len() {
            let first_group = self.positions.len();
            for &corner in &corners[starts[v] as usize..starts[v + 1] as usize] {
                let face = faces[corner as usize / 3];
                // The group keeps the sum of its faces, weighted by their areas.
                let fits = |g: &usize| self.normals[*g].normalize_or_zero().dot(face.normalize_or_zero()) >= crease;
                let group = (first_group..self.positions.len()).find(fits).unwrap_or_else(|| {
                    self.positions.push(piece.positions[v]);
                    self.normals.push(Vec3::ZERO);
                    self.scalars.push(piece.scalars[v]);
                    self.positions.len() - 1
                });
                self.normals[group] += face;
                self.triangles[first + corner as usize / 3][corner as usize % 3] = group as u32;
            }
            for normal in &mut self.normals[first_group..] {
                *normal = normal.normalize_or(Vec3::Z);
            }
        }
        self.surfaces.extend(piece.triangles.iter().map(|_| surface));
        self.uv.extend(piece.uv);
    }
}

/// Width of a stripe of a cloth's pattern [m].
fn stripe_width(subject: &Subject, triangles: std::ops::Range<usize>) -> f64 {
    let inside = triangles.filter_map(|t| subject.shown_uv(t)).flatten().filter(|p| p.is_finite());
    let (low, high) = inside.fold((glam::DVec2::INFINITY, glam::DVec2::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    let width = (high - low).max_element() / STRIPES;
    if width > 0.0 && width.is_finite() { width } else { 1.0 }
}
