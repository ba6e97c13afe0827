//! The lines between held vertices of a grid (V 7.5.1): which vertices lie on them, found as a line is drawn on a raster.

use crate::forces::{GridError, grid_cells::Grid};
use glam::DVec2;
use muslin_model::{Hold, Model};

/// Most lines of a cloth: each pair of held vertices makes one, and this many are a cloth held at some thirty points.
const MOST_LINES: usize = 500;

/// A vertex whose place at rest is this near to its line [-], in lengths of the line, is on it: round-off of places.
const ON_LINE: f64 = 1e-9;

/// Why lines cannot be laid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinesError {
    /// The mesh is no grid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// Too many held vertices.
    #[error(
        "`{body}`: orthogonal resistance joins held vertices pair by pair, and {held} of them make more than {MOST_LINES} lines; hold fewer vertices, or leave out `orthogonal_resistance`, `orthogonal_growth` and `realignment`"
    )]
    TooMany {
        /// Name of the cloth.
        body: String,
        /// Vertices that pins hold exactly.
        held: usize,
    },
}

/// A line of vertices between two held ones.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// The held ends, in the solver's order.
    pub ends: [u32; 2],
    /// L: their distance at rest [m].
    pub length: f64,
    /// The vertices between, from the first end to the second.
    pub inner: Vec<Inner>,
}

/// A vertex between the ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Inner {
    /// In the solver's order.
    pub vertex: u32,
    /// Distance at rest from the first end, and from the nearer one [m].
    pub from_first: f64,
    pub from_nearer: f64,
    /// Whether it lies on the straight line at rest, and not only on the nearest vertices of the grid.
    pub aligned: bool,
}

/// The lines between all vertices of a grid that pins hold exactly in all directions; none that passes a third one.
pub(super) fn find(model: &Model, grid: &Grid, solver_from_model: &[u32]) -> Result<Vec<Line>, LinesError> {
    let mut held: Vec<u32> = model
        .pins
        .iter()
        .filter(|pin| pin.hold == Hold::Exact && pin.held == glam::DMat3::IDENTITY)
        .flat_map(|pin| pin.vertices.iter().copied().filter(|&v| grid.place_of(v).is_some()))
        .collect();
    held.sort_unstable();
    held.dedup();
    let mut lines = Vec::new();
    for (k, &first) in held.iter().enumerate() {
        for &last in &held[k + 1..] {
            let places = [first, last].map(|v| grid.place_of(v).unwrap_or_default());
            let between = raster(places[0], places[1]);
            let passes = |&(i, j): &(usize, usize)| held.binary_search(&grid.vertex(i, j)).is_ok();
            if between.is_empty() || between.iter().any(passes) {
                continue;
            }
            if lines.len() == MOST_LINES {
                return Err(LinesError::TooMany { body: grid.name().into(), held: held.len() });
            }
            let [a, e] = places.map(|(i, j)| grid.uv(i, j));
            let inner = between.iter().map(|&(i, j)| {
                let at = grid.uv(i, j);
                let vertex = solver_from_model[grid.vertex(i, j) as usize];
                inner(vertex, at, [a, e])
            });
            let ends = [first, last].map(|v| solver_from_model[v as usize]);
            lines.push(Line { ends, length: a.distance(e), inner: inner.collect() });
        }
    }
    Ok(lines)
}

fn inner(vertex: u32, at: DVec2, [a, e]: [DVec2; 2]) -> Inner {
    let (along, length) = (e - a, a.distance(e));
    let off = (at - a).perp_dot(along).abs() / length;
    let [from_first, from_last] = [a, e].map(|end| end.distance(at));
    Inner { vertex, from_first, from_nearer: from_first.min(from_last), aligned: off <= ON_LINE * length }
}

/// The places strictly between two on a raster, one for each column or row along the longer way (midpoint rule).
fn raster(a: (usize, usize), b: (usize, usize)) -> Vec<(usize, usize)> {
    let ways = [b.0 as i64 - a.0 as i64, b.1 as i64 - a.1 as i64];
    let steps = ways[0].abs().max(ways[1].abs());
    // Twice the exact place, rounded half up: integers alone, so that no rounding decides.
    let at = |from: usize, way: i64, k: i64| (from as i64 + (2 * k * way + steps).div_euclid(2 * steps)) as usize;
    (1..steps).map(|k| (at(a.0, ways[0], k), at(a.1, ways[1], k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raster_follows_rows_columns_and_diagonals_exactly_and_stays_within_half_a_cell_elsewhere() {
        assert_eq!(raster((0, 2), (4, 2)), [(1, 2), (2, 2), (3, 2)]);
        assert_eq!(raster((3, 4), (3, 1)), [(3, 3), (3, 2)]);
        assert_eq!(raster((0, 4), (4, 0)), [(1, 3), (2, 2), (3, 1)]);
        assert_eq!(raster((0, 0), (1, 1)), []);
        let line = raster((0, 0), (7, 3));
        assert_eq!(line.len(), 6);
        for (k, (i, j)) in line.into_iter().enumerate() {
            assert_eq!(i, k + 1);
            assert!((j as f64 - 3.0 / 7.0 * i as f64).abs() <= 0.5);
        }
    }
}
