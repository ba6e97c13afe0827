//! The theta rule (V 7.4.3): to which side a vertex curves when a spring on one of its lines is shortened.
//!
//! θ is the angle of the line at the vertex, on the side of its normal. θ ≥ π (straight, or a crest) curves along the
//! normal, θ < π (a trough) against it: what is bent is bent further. That is the *strict* rule, which makes many small curves.
//!
//! V relaxes it by letting vertices take over the decision of one another, beginning nearest to where forces come from
//! outside; the further that reaches, the longer and fewer the curves. V gives no algorithm. Here the vertices of a cloth are
//! visited by their distance at rest from the nearest held or loaded one; the first that still has no leader and has a line
//! on both sides leads itself and everybody without a leader within the range. Who leads whom follows from the rest
//! shape and from who is held, so that it changes only when a pin lets go.

use super::{Layout, fans::Fans, grid_cells::Grid, yarns::Yarns};
use glam::{DVec2, DVec3};

/// A line whose middle leaves its chord by less than this part of its length is straight [-]: far above round-off, far
/// below any curve that one sees.
const STRAIGHT: f64 = 1e-9;

/// The rule for some cloths.
#[derive(Clone, Debug)]
pub(crate) struct ThetaRule {
    pub yarns: Yarns,
    pub fans: Fans,
    /// How far a decision reaches at rest [m]; 0 is the strict rule.
    range: f64,
    /// Vertices of each cloth with their places at rest [m].
    cloths: Vec<Vec<(u32, DVec2)>>,
    /// Vertices that loads act on.
    loaded: Vec<u32>,
    /// Who decides for each vertex, by family; empty under the strict rule.
    leaders: [Vec<u32>; 4],
    /// Held vertices that the leaders were found for.
    held: Option<Vec<u32>>,
}

impl ThetaRule {
    /// The rule on some grids; `loaded` are the solver's vertices that loads act on.
    pub fn new(grids: &[Grid], fans: Fans, range: f64, loaded: Vec<u32>, layout: &Layout) -> Self {
        let places = |grid: &Grid| {
            let at = |(i, j)| (layout.solver_from_model[grid.vertex(i, j) as usize], grid.uv(i, j));
            grid.places().map(at).collect()
        };
        ThetaRule {
            yarns: Yarns::new(grids, layout),
            fans,
            range,
            cloths: grids.iter().map(places).collect(),
            loaded,
            leaders: Default::default(),
            held: None,
        }
    }

    /// Finds out who leads whom if it is not known yet for these held vertices.
    pub fn lead(&mut self, held: &[u32]) {
        if self.range == 0.0 || self.held.as_deref() == Some(held) {
            return;
        }
        let count = self.cloths.iter().flatten().map(|(v, _)| *v as usize + 1).max().unwrap_or(0);
        for family in 0..self.leaders.len() {
            let mut leaders: Vec<u32> = (0..count as u32).collect();
            let mut led = vec![false; count];
            for cloth in &self.cloths {
                for (vertex, place) in self.by_distance(cloth, held) {
                    if led[vertex as usize] || self.yarns.around(family, vertex).is_none() {
                        continue;
                    }
                    for &(other, at) in cloth {
                        if !led[other as usize] && at.distance(place) <= self.range {
                            led[other as usize] = true;
                            leaders[other as usize] = vertex;
                        }
                    }
                }
            }
            self.leaders[family] = leaders;
        }
        self.held = Some(held.to_vec());
    }

    /// The vertices of a cloth by their distance from where forces come from outside, then by number.
    fn by_distance(&self, cloth: &[(u32, DVec2)], held: &[u32]) -> Vec<(u32, DVec2)> {
        let is_source = |v: &u32| held.binary_search(v).is_ok() || self.loaded.contains(v);
        let sources: Vec<DVec2> = cloth.iter().filter(|(v, _)| is_source(v)).map(|(_, at)| *at).collect();
        let nearest = |at: DVec2| sources.iter().map(|s| s.distance(at)).fold(f64::MAX, f64::min);
        let mut order: Vec<(f64, u32, DVec2)> = cloth.iter().map(|&(v, at)| (nearest(at), v, at)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, v, at)| (v, at)).collect()
    }

    /// The side to which a vertex curves on its line of a family, a unit vector along its normal.
    pub fn direction(&self, family: usize, vertex: u32, positions: &[DVec3]) -> DVec3 {
        let leader = self.leaders[family].get(vertex as usize).copied().unwrap_or(vertex);
        let normal = self.fans.normal(vertex, positions);
        let test = if leader == vertex { normal } else { self.fans.normal(leader, positions) };
        normal * self.sign(family, leader, test, positions)
    }

    /// +1 where θ ≥ π, −1 where θ < π; the ends of lines have no angle and count as straight.
    fn sign(&self, family: usize, vertex: u32, normal: DVec3, positions: &[DVec3]) -> f64 {
        let Some(ends) = self.yarns.around(family, vertex) else { return 1.0 };
        let [a, b] = ends.map(|v| positions[v as usize] - positions[vertex as usize]);
        if (a + b).dot(normal) > STRAIGHT * (a.length() + b.length()) { -1.0 } else { 1.0 }
    }
}
