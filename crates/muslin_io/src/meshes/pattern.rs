//! Texture coordinates as a sewing pattern: are they lengths in metres, and which pieces are turned over?
//!
//! A file does not say what its coordinates mean. A picture's atlas, from 0 to 1, may have nearly the size of a garment
//! and still be stretched differently everywhere; taken for a pattern it would strain the cloth by tens of per cent before
//! it moves. A pattern in metres shows itself: where the cloth is neither stretched nor sewn yet, the three sides of a
//! triangle have the same lengths in the pattern and in space. So coordinates are believed if that holds for
//! half of the pattern, and otherwise only if somebody asks for it.

use super::{health::Purpose, surface::Surface};
use muslin_model::Mesh;

/// Sides of a triangle in the pattern and in space are the same if they differ by less than this part [-]. Woven cloth
/// at rest is stretched less; a picture that happens to fit so well does no harm.
const SAME_LENGTH: f64 = 0.02;

/// Part of the pattern's area that must have its true lengths [-]. Seams that are still open stretch the rest.
const TRUE_SHARE: f64 = 0.5;

/// Where a cloth's rest shape comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestShape {
    /// The file's coordinates.
    Pattern,
    /// The shape in space.
    Mesh,
}

/// How well coordinates fit the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Part of the pattern's area whose triangles have their true lengths [-].
    pub share: f64,
    /// Median of a side's length in the pattern over that in space [-].
    pub ratio: f64,
}

/// Compares the sides of all triangles that have coordinates; `None` if there is nothing to compare.
pub fn fit(mesh: &Mesh) -> Option<Fit> {
    fit_within(mesh, SAME_LENGTH)
}

fn fit_within(mesh: &Mesh, same_length: f64) -> Option<Fit> {
    let (mut area, mut true_area, mut ratios) = (0.0, 0.0, Vec::new());
    for (triangle, uv) in mesh.triangles.iter().zip(&mesh.uv) {
        let corners = triangle.map(|v| mesh.positions[v as usize]);
        let sides = [0, 1, 2].map(|k| {
            let next = (k + 1) % 3;
            (uv[next] - uv[k]).length() / (corners[next] - corners[k]).length()
        });
        let twice = (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]).abs();
        if !(twice.is_finite() && sides.iter().all(|ratio| ratio.is_finite())) {
            continue;
        }
        area += twice;
        if sides.iter().all(|ratio| (ratio - 1.0).abs() <= same_length) {
            true_area += twice;
        }
        ratios.extend(sides);
    }
    let middle = ratios.len() / 2;
    (area > 0.0)
        .then(|| Fit { share: true_area / area, ratio: *ratios.select_nth_unstable_by(middle, f64::total_cmp).1 })
}

/// Cloth of a recording may be stretched by this part in its first frame, and its coordinates still be a pattern [-].
/// Pictures fit by less only by chance.
const STRETCHED: f64 = 0.15;

/// Whether the coordinates of recorded cloth are lengths, and so its rest shape.
pub fn is_pattern(cloth: &Mesh) -> bool {
    fit_within(cloth, STRETCHED).is_some_and(|fit| fit.share >= TRUE_SHARE)
}

/// What a cloth is judged for: the rest shape that was asked for, else the pattern if the coordinates are one. The
/// text says why coordinates are not used.
pub fn purpose(surface: &Surface, asked: Option<RestShape>) -> (Purpose, Option<String>) {
    match asked {
        Some(RestShape::Pattern) => return (Purpose::ClothByPattern, None),
        Some(RestShape::Mesh) => return (Purpose::ClothByShape, None),
        None if surface.mesh.uv.is_empty() => return (Purpose::ClothByShape, None),
        None => {}
    }
    match fit(&surface.mesh) {
        Some(fit) if fit.share < TRUE_SHARE => {
            let text = format!(
                "the texture coordinates are no pattern in metres: {:.0} % of them have the lengths of the mesh, and \
                 half of their edges are shorter than {:.3} times the mesh's; the rest shape is that of the mesh; write \
                 `rest = \"mesh\"` if that is right, or `rest = \"pattern\"` to take the coordinates all the same",
                100.0 * fit.share,
                fit.ratio
            );
            (Purpose::ClothByShape, Some(text))
        }
        // Without any area in the pattern there is nothing to judge by; its faults will be told.
        _ => (Purpose::ClothByPattern, None),
    }
}

/// Whether a triangle is turned over in its pattern.
pub fn turned_over(mesh: &Mesh, triangle: usize) -> bool {
    let uv = &mesh.uv[triangle];
    (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]) < 0.0
}

/// The regions of the pattern that are turned over: connected triangles, over edges whose ends have the same coordinates
/// on both sides, by their lowest triangle. Triangles for which `skip` holds are not there.
pub fn turned_regions(mesh: &Mesh, skip: impl Fn(usize) -> bool) -> Vec<Vec<u32>> {
    /// An edge by its vertices, with the coordinates at both ends and the triangle.
    type Side = ([u32; 2], [[u64; 2]; 2], u32);
    let turned: Vec<u32> = (0..mesh.uv.len()).filter(|&t| turned_over(mesh, t) && !skip(t)).map(|t| t as u32).collect();
    let mut sides: Vec<Side> = Vec::with_capacity(3 * turned.len());
    for &t in &turned {
        let (triangle, uv) = (mesh.triangles[t as usize], mesh.uv[t as usize]);
        for k in 0..3 {
            let (a, b) = ((triangle[k], uv[k]), (triangle[(k + 1) % 3], uv[(k + 1) % 3]));
            let (low, high) = if a.0 < b.0 { (a, b) } else { (b, a) };
            let bits = [low.1, high.1].map(|p| p.to_array().map(f64::to_bits));
            sides.push(([low.0, high.0], bits, t));
        }
    }
    sides.sort_unstable();
    let mut root: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
    for pair in sides.windows(2).filter(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
        let (a, b) = (find(&mut root, pair[0].2), find(&mut root, pair[1].2));
        root[a.max(b) as usize] = a.min(b);
    }
    let mut by_region: Vec<(u32, u32)> = turned.iter().map(|&t| (find(&mut root, t), t)).collect();
    by_region.sort_unstable();
    by_region.chunk_by(|a, b| a.0 == b.0).map(|region| region.iter().map(|r| r.1).collect()).collect()
}

/// The lowest triangle of a region; shortens the way there.
fn find(root: &mut [u32], mut t: u32) -> u32 {
    while root[t as usize] != t {
        root[t as usize] = root[root[t as usize] as usize];
        t = root[t as usize];
    }
    t
}
