//! The border of a zone, and whether its projection stays simple during the whole step.

use crate::{Surface, Sweep};
use glam::{DVec2, DVec3};

/// Lengths below this part of a zone's size count as zero [-]: far above rounding, far below a mesh's edges.
const MARGIN: f64 = 1e-10;

/// Directions in the plane along which two edges may be apart.
const DIRECTIONS: usize = 8;

/// The directed border edges of a set of triangles.
#[derive(Clone, Debug, Default)]
pub(super) struct Border {
    edges: Vec<[u32; 2]>,
    is_tangled: bool,
}

impl Border {
    /// The border of some triangles.
    pub fn of_triangles(surface: &Surface, triangles: &[u32], tangled_edges: &[bool]) -> Self {
        let mut border = Border::default();
        for &t in triangles {
            let (corners, edges) = (surface.triangles()[t as usize], surface.triangle_edges()[t as usize]);
            border.is_tangled |= edges.iter().any(|&edge| tangled_edges[edge as usize]);
            border.edges.extend((0..3).map(|k| [corners[k], corners[(k + 1) % 3]]));
        }
        border.cancel()
    }

    /// The border of a zone from those of its parts.
    pub fn of_parts(parts: impl Iterator<Item = Border>) -> Self {
        let mut border = Border::default();
        for part in parts {
            border.is_tangled |= part.is_tangled;
            border.edges.extend(part.edges);
        }
        border.cancel()
    }

    /// Takes out edges that run both ways: they lie inside.
    fn cancel(mut self) -> Self {
        let key = |e: &[u32; 2]| (e[0].min(e[1]), e[0].max(e[1]));
        self.edges.sort_unstable_by_key(key);
        let runs = self.edges.chunk_by(|a, b| key(a) == key(b));
        self.edges = runs.filter(|run| run.len() == 1).map(|run| run[0]).collect();
        self
    }

    /// The border as one closed line through different vertices.
    pub fn closed_line(&self) -> Option<Vec<u32>> {
        let mut next = self.edges.clone();
        next.sort_unstable();
        if self.is_tangled || next.is_empty() || next.windows(2).any(|w| w[0][0] == w[1][0]) {
            return None;
        }
        let mut line = vec![next[0][0]];
        loop {
            let at = line[line.len() - 1];
            let edge = next.binary_search_by_key(&at, |edge| edge[0]).ok()?;
            let to = next[edge][1];
            if to == line[0] {
                return (line.len() == next.len()).then_some(line);
            }
            if line.len() == next.len() {
                return None;
            }
            line.push(to);
        }
    }
}

/// Whether the border, seen along `axis`, surely crosses and touches itself at no time of the step.
pub(super) fn stays_simple(line: &[u32], sweep: &Sweep, axis: DVec3) -> bool {
    let (across, up) = axis.any_orthonormal_pair();
    // Differences to one vertex of the zone, at the same time: common motion does not matter, and rounding is that of the zone's
    // size.
    let project = |points: &[DVec3], v: u32| {
        let p = points[v as usize] - points[line[0] as usize];
        DVec2::new(p.dot(across), p.dot(up))
    };
    let ends: Vec<[DVec2; 2]> = line.iter().map(|&v| [project(sweep.start(), v), project(sweep.end(), v)]).collect();
    let size = ends.iter().flatten().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let margin = MARGIN * size;
    let count = line.len();
    if !(0..count).all(|k| turns_away(ends[(k + count - 1) % count], ends[k], ends[(k + 1) % count], margin)) {
        return false;
    }
    let swept: Vec<Intervals> = (0..count).map(|k| Intervals::new(&[ends[k], ends[(k + 1) % count]])).collect();
    let neighbours = |i: usize, j: usize| j == i + 1 || (i == 0 && j == count - 1);
    (0..count).all(|i| (i + 1..count).all(|j| neighbours(i, j) || swept[i].is_apart(&swept[j], margin)))
}

/// What an edge sweeps along some directions, relative to the moving frame.
struct Intervals {
    low: [f64; DIRECTIONS],
    high: [f64; DIRECTIONS],
}

impl Intervals {
    fn new(ends: &[[DVec2; 2]]) -> Self {
        let mut intervals = Intervals { low: [f64::INFINITY; DIRECTIONS], high: [f64::NEG_INFINITY; DIRECTIONS] };
        for k in 0..DIRECTIONS {
            let direction = DVec2::from_angle(std::f64::consts::PI * k as f64 / DIRECTIONS as f64);
            for point in ends.iter().flatten() {
                let along = point.dot(direction);
                intervals.low[k] = intervals.low[k].min(along);
                intervals.high[k] = intervals.high[k].max(along);
            }
        }
        intervals
    }

    fn is_apart(&self, other: &Intervals, margin: f64) -> bool {
        (0..DIRECTIONS).any(|k| self.low[k] > other.high[k] + margin || other.low[k] > self.high[k] + margin)
    }
}

/// Whether two edges with a common vertex surely never lie on each other: a line through the vertex separates
/// them, or they never become parallel.
fn turns_away(before: [DVec2; 2], at: [DVec2; 2], after: [DVec2; 2], margin: f64) -> bool {
    let (a, b) = ([0, 1].map(|t| before[t] - at[t]), [0, 1].map(|t| after[t] - at[t]));
    // Products of linear motions are linear and quadratic in time; their Bernstein coefficients bound them.
    let line = (a[0] + a[1] - b[0] - b[1]).normalize_or_zero();
    if a.iter().all(|a| a.dot(line) > margin) && b.iter().all(|b| -b.dot(line) > margin) {
        return true;
    }
    let cross = |p: DVec2, q: DVec2| p.perp_dot(q);
    let coefficients = [cross(a[0], b[0]), 0.5 * (cross(a[0], b[1]) + cross(a[1], b[0])), cross(a[1], b[1])];
    let longest = a.iter().chain(&b).map(|v| v.length()).fold(0.0, f64::max);
    let least = margin * longest;
    coefficients.iter().all(|&c| c > least) || coefficients.iter().all(|&c| -c > least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simple(start: &[[f64; 2]], end: &[[f64; 2]]) -> bool {
        let lift = |points: &[[f64; 2]]| points.iter().map(|p| DVec3::new(p[0], p[1], 0.3 * p[0])).collect::<Vec<_>>();
        let (start, end) = (lift(start), lift(end));
        let surface = Surface::new(start.len(), &[]).unwrap();
        let line: Vec<u32> = (0..start.len() as u32).collect();
        stays_simple(&line, &Sweep::new(&surface, &start, &end).unwrap(), DVec3::Z)
    }

    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];

    #[test]
    fn convex_borders_are_simple_however_far_they_travel() {
        assert!(simple(&SQUARE, &SQUARE));
        assert!(simple(&SQUARE, &SQUARE.map(|[x, y]| [x + 50.0, y - 3.0])));
    }

    #[test]
    fn borders_that_cross_touch_or_fold_at_any_time_are_not() {
        let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert!(!simple(&bow, &bow));
        // A vertex passes through the opposite edge and comes back would need two steps; here it ends beyond it.
        assert!(!simple(&SQUARE, &[[0.0, 0.0], [1.0, 0.0], [-0.5, 0.4], [0.0, 1.0]]));
        // A spike: the edges at vertex 1 lie on each other.
        let spike = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.5, 1.0]];
        assert!(!simple(&spike, &spike));
    }
}
