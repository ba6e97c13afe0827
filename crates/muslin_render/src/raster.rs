//! Which triangle is seen at which sample.
//!
//! A sample's ray r from the eye meets a triangle v₀v₁v₂ where the three numbers Eᵢ = r·(vⱼ×vₖ) have the
//! sign of v₀·(v₁×v₂); their ratios are the barycentric coordinates in space and their sum gives the depth
//! (homogeneous rasterisation, Olano and Greer 1997). Nothing is clipped or divided by a depth, so triangles
//! that reach behind the camera need no special case. For the two triangles at an edge E is the same number with
//! the opposite sign, to the last bit; with a rule for zero each sample on the edge belongs to exactly one.

use crate::{camera::Axes, framing::View, stage::Stage};
use glam::{DVec2, DVec3, Vec3};
use muslin_model::parallel;
use std::ops::Range;

/// Nothing is seen at this sample.
pub(crate) const NOTHING: u32 = u32::MAX;

/// What is nearer than this is not drawn, in radii of what is shown.
const NEAR: f64 = 0.02;

/// The least positive number.
const LEAST_POSITIVE: f64 = f64::from_bits(1);

/// Rays of a picture's samples, in the units of the stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub eye: DVec3,
    pub axes: Axes,
    /// Columns and rows of samples.
    pub size: [usize; 2],
    /// Half the width and the height of the picture at distance 1.
    tangent: DVec2,
}

impl Screen {
    pub(crate) fn new(view: &View, axes: Axes, size: [usize; 2]) -> Self {
        let y = (0.5 * view.camera.field_of_view).tan();
        let tangent = DVec2::new(y * size[0] as f64 / size[1] as f64, y);
        Screen { eye: (view.camera.position - view.centre) / view.radius, axes, size, tangent }
    }

    /// Right, up and forward of a point from the eye.
    fn seen_from_eye(&self, p: Vec3) -> DVec3 {
        let q = p.as_dvec3() - self.eye;
        DVec3::new(q.dot(self.axes.right), q.dot(self.axes.up), q.dot(self.axes.forward))
    }

    /// Column and row of a point in front of the eye.
    fn project(&self, v: DVec3) -> DVec2 {
        let size = DVec2::new(self.size[0] as f64, self.size[1] as f64);
        (DVec2::new(v.x, -v.y) / (v.z * self.tangent) + 1.0) * 0.5 * size
    }

    /// r·n of the ray through (column, row) is `c[0]·column + c[1]·row + c[2]`.
    fn coefficients(&self, n: DVec3) -> [f64; 3] {
        let a = n.x * (2.0 * self.tangent.x / self.size[0] as f64);
        let b = n.y * (-2.0 * self.tangent.y / self.size[1] as f64);
        [a, b, n.z - n.x * self.tangent.x + n.y * self.tangent.y]
    }
}

/// A triangle on the screen.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Coefficients of E₀, E₁, E₂ over (column, row); all positive inside.
    edges: [[f64; 3]; 3],
    /// E from which on a sample is inside: 0 where the triangle owns the samples on its edge, else the least
    /// positive number.
    least: [f64; 3],
    /// −1 over the slope of each E along a row: times its start, the column where it is zero; 0 if there is none.
    crossing: [f64; 3],
    /// Coefficients of one over the depth.
    depth: [f64; 3],
    columns: Range<usize>,
    rows: Range<usize>,
    /// Its front is seen.
    pub front: bool,
}

fn evaluate(c: &[f64; 3], x: f64, y: f64) -> f64 {
    c[0] * x + (c[1] * y + c[2])
}

impl Shape {
    fn new(screen: &Screen, corners: [Vec3; 3]) -> Self {
        let v = corners.map(|p| screen.seen_from_eye(p));
        let normals = [v[1].cross(v[2]), v[2].cross(v[0]), v[0].cross(v[1])];
        // The screen's axes are left-handed, so the front has a positive volume.
        let volume = v[0].dot(normals[0]);
        let sign = volume.signum();
        let edges = normals.map(|n| screen.coefficients(n).map(|c| c * sign));
        let least = edges.map(|[a, b, _]| if a > 0.0 || (a == 0.0 && b > 0.0) { 0.0 } else { LEAST_POSITIVE });
        let crossing = edges.map(|[a, ..]| if a == 0.0 { 0.0 } else { -1.0 / a });
        let depth = [0, 1, 2].map(|k| (edges[0][k] + edges[1][k] + edges[2][k]) / volume.abs());
        let (columns, rows) = if volume == 0.0 { (0..0, 0..0) } else { extent(screen, v) };
        Shape { edges, least, crossing, depth, columns, rows, front: volume > 0.0 }
    }

    /// Columns that may be inside on the row where the edge functions start with `from`; one more on either side
    /// than the quotients say, since these are rounded.
    fn span(&self, from: &[f64; 3]) -> Range<usize> {
        let (mut low, mut high) = (self.columns.start as f64, self.columns.end as f64);
        for k in 0..3 {
            let zero = from[k] * self.crossing[k];
            low = if self.crossing[k] < 0.0 { low.max(zero - 1.5) } else { low };
            high = if self.crossing[k] > 0.0 { high.min(zero + 1.5) } else { high };
        }
        low as usize..high.max(0.0) as usize
    }

    /// Barycentric coordinates in space at a place on the screen; they add up to 1.
    pub(crate) fn barycentric(&self, column: f64, row: f64) -> Vec3 {
        let e = self.edges.map(|c| evaluate(&c, column, row));
        (DVec3::from_array(e) / (e[0] + e[1] + e[2])).as_vec3()
    }
}

/// Samples that a triangle may cover.
fn extent(screen: &Screen, v: [DVec3; 3]) -> (Range<usize>, Range<usize>) {
    let [width, height] = screen.size;
    let in_front = v.iter().filter(|v| v.z > NEAR).count();
    match in_front {
        0 => (0..0, 0..0),
        3 => {
            let p = v.map(|v| screen.project(v));
            let (low, high) = (p[0].min(p[1]).min(p[2]), p[0].max(p[1]).max(p[2]));
            // Casts saturate, so far outside is an empty range at the border.
            let range = |low: f64, high: f64, size: usize| {
                ((low - 0.5).ceil().max(0.0) as usize).min(size)..((high + 0.5).floor().max(0.0) as usize).min(size)
            };
            (range(low.x, high.x, width), range(low.y, high.y, height))
        }
        _ => (0..width, 0..height),
    }
}

/// The triangles of a stage on the screen, sorted into bands of rows.
pub(crate) struct Shapes {
    pub shapes: Vec<Shape>,
    bands: Vec<Vec<u32>>,
    band_rows: usize,
    size: [usize; 2],
}

impl Shapes {
    /// Bands have `band_rows` rows of samples.
    pub(crate) fn new(screen: &Screen, stage: &Stage, band_rows: usize) -> Self {
        let shapes: Vec<Shape> = parallel::map(stage.triangles.len(), |t| {
            Shape::new(screen, stage.triangles[t].map(|v| stage.positions[v as usize]))
        });
        let mut bands = vec![Vec::new(); screen.size[1].div_ceil(band_rows)];
        for (t, shape) in shapes.iter().enumerate() {
            if !shape.columns.is_empty() && !shape.rows.is_empty() {
                for band in &mut bands[shape.rows.start / band_rows..=(shape.rows.end - 1) / band_rows] {
                    band.push(t as u32);
                }
            }
        }
        Shapes { shapes, bands, band_rows, size: screen.size }
    }

    pub(crate) fn band_count(&self) -> usize {
        self.bands.len()
    }

    /// The nearest triangle at each sample of a band, row by row.
    pub(crate) fn draw_band(&self, band: usize) -> Vec<u32> {
        let width = self.size[0];
        let first = band * self.band_rows;
        let last = (first + self.band_rows).min(self.size[1]);
        let mut seen = vec![NOTHING; (last - first) * width];
        let mut depths = vec![0.0f64; seen.len()];
        for &t in &self.bands[band] {
            let shape = &self.shapes[t as usize];
            for row in shape.rows.start.max(first)..shape.rows.end.min(last) {
                let y = row as f64 + 0.5;
                let line = (row - first) * width;
                let from = [0, 1, 2].map(|k| shape.edges[k][1] * y + shape.edges[k][2]);
                let depth_from = shape.depth[1] * y + shape.depth[2];
                for column in shape.span(&from) {
                    let x = column as f64 + 0.5;
                    // Without a branch per edge: most samples of a box are outside by one of them.
                    let inside = |k: usize| shape.edges[k][0] * x + from[k] >= shape.least[k];
                    if inside(0) & inside(1) & inside(2) {
                        let depth = shape.depth[0] * x + depth_from;
                        if depth > depths[line + column] && depth < 1.0 / NEAR {
                            depths[line + column] = depth;
                            seen[line + column] = t;
                        }
                    }
                }
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;

    /// Rays through a picture of the square from −1 to 1 at distance 1; all numbers are exact.
    fn screen(size: usize) -> Screen {
        let axes = Axes { right: DVec3::X, up: DVec3::Y, forward: DVec3::NEG_Z };
        Screen { eye: DVec3::Z, axes, size: [size, size], tangent: DVec2::ONE }
    }

    fn stage(points: &[Vec2], triangles: &[[u32; 3]]) -> Stage {
        let positions = points.iter().map(|p| p.extend(0.0)).collect();
        Stage { positions, triangles: triangles.to_vec(), ..Stage::default() }
    }

    /// How many of the triangles cover each sample, each drawn alone.
    fn coverage(size: usize, points: &[Vec2], triangles: &[[u32; 3]]) -> Vec<usize> {
        let mut counts = vec![0; size * size];
        for tri in triangles {
            let shapes = Shapes::new(&screen(size), &stage(points, &[*tri]), 5);
            let seen = (0..shapes.band_count()).flat_map(|band| shapes.draw_band(band));
            counts.iter_mut().zip(seen).for_each(|(count, t)| *count += (t == 0) as usize);
        }
        counts
    }

    #[test]
    fn a_triangle_covers_the_samples_inside_it_in_exact_arithmetic() {
        // Corners on a grid of 1/16, samples in the middles of 16 × 16 squares of 1/8: all in units of 1/16.
        let mut state = 1u32;
        let mut random = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) % n) as i64
        };
        let mut covered = 0;
        for _ in 0..300 {
            let corners: [[i64; 2]; 3] = std::array::from_fn(|_| [random(41) - 20, random(41) - 20]);
            let points = corners.map(|[x, y]| Vec2::new(x as f32, y as f32) / 16.0);
            let counts = coverage(16, &points, &[[0, 1, 2]]);
            let cross =
                |a: [i64; 2], b: [i64; 2], p: [i64; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
            for row in 0..16 {
                for column in 0..16 {
                    let p = [2 * column - 15, 15 - 2 * row];
                    let e = [0, 1, 2].map(|k| cross(corners[k], corners[(k + 1) % 3], p));
                    let found = counts[(row * 16 + column) as usize];
                    let (positive, negative) = (e.iter().all(|&e| e > 0), e.iter().all(|&e| e < 0));
                    let outside = e.iter().any(|&e| e > 0) && e.iter().any(|&e| e < 0);
                    match (positive || negative, outside) {
                        (true, _) => assert_eq!(found, 1, "{corners:?} misses {p:?}"),
                        (_, true) => assert_eq!(found, 0, "{corners:?} spills on {p:?}"),
                        _ => {}
                    }
                    covered += found;
                }
            }
        }
        assert!(covered > 3000, "the triangles are too small to test anything: {covered}");
    }

    #[test]
    fn triangles_that_share_edges_cover_each_sample_exactly_once() {
        // A fan and a chess board whose vertices and edges run through the middles of samples.
        let at = |x: i32, y: i32| Vec2::new((2 * x - 15) as f32, (2 * y - 15) as f32) / 16.0;
        let points: Vec<Vec2> = [(0, 0), (8, 0), (15, 0), (15, 8), (15, 15), (8, 15), (0, 15), (0, 8), (5, 8)]
            .map(|(x, y)| at(x, y))
            .to_vec();
        // Every second one is wound the other way: ownership must not depend on it.
        let fan: Vec<[u32; 3]> =
            (0..8).map(|k| if k % 2 == 0 { [8, k, (k + 1) % 8] } else { [8, (k + 1) % 8, k] }).collect();
        let counts = coverage(16, &points, &fan);
        for row in 1..15 {
            for column in 1..15 {
                assert_eq!(counts[row * 16 + column], 1, "sample {column}, {row}");
            }
        }
    }

    #[test]
    fn barycentric_coordinates_are_those_in_space() {
        let corners = [Vec3::new(-0.5, -0.25, 0.25), Vec3::new(0.75, 0.0, -1.5), Vec3::new(0.0, 0.5, -0.5)];
        let shape = Shape::new(&screen(64), corners);
        let weights = Vec3::new(0.2, 0.3, 0.5);
        let p = corners[0] * weights.x + corners[1] * weights.y + corners[2] * weights.z;
        let place = screen(64).project(screen(64).seen_from_eye(p));
        assert!(shape.barycentric(place.x, place.y).distance(weights) < 1e-6);
        assert!(shape.front);
    }
}
