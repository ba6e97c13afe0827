//! Which way cloth leaves an obstacle that it starts in.

use glam::DVec3;
use muslin_model::{BodyKind, Model, parallel};

/// An open obstacle is flat if its vertices are within this part of its size of one plane [-].
const FLAT: f64 = 1e-9;

/// The direction in which each vertex of cloth leaves an obstacle, once it has been inside.
pub(super) struct Ways<'a> {
    model: &'a Model,
    /// Neighbours along edges.
    neighbours: Vec<Vec<u32>>,
    /// The obstacle and the direction [-].
    way: Vec<Option<(usize, DVec3)>>,
}

impl<'a> Ways<'a> {
    /// No way yet.
    pub fn new(model: &'a Model, edges: &[[u32; 2]]) -> Self {
        let mut neighbours = vec![Vec::new(); model.cloth_vertices().end];
        for &[a, b] in edges {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        Ways { model, way: vec![None; neighbours.len()], neighbours }
    }

    /// Pushes cloth out of a closed obstacle; whether there is any inside.
    pub fn push_out(
        &mut self,
        obstacle: usize,
        inside: &(dyn Fn(usize) -> bool + Sync),
        gravity: DVec3,
        x: &[DVec3],
        push: &mut [DVec3],
    ) -> bool {
        let is_in = parallel::map(self.way.len(), inside);
        let mut seen = vec![false; is_in.len()];
        for first in 0..is_in.len() {
            if !is_in[first] || seen[first] {
                continue;
            }
            // The connected piece; it takes the direction of a part of it that has one.
            let (mut piece, mut next) = (vec![first as u32], 0);
            seen[first] = true;
            while next < piece.len() {
                for &n in &self.neighbours[piece[next] as usize] {
                    if is_in[n as usize] && !std::mem::replace(&mut seen[n as usize], true) {
                        piece.push(n);
                    }
                }
                next += 1;
            }
            let known = piece.iter().chain(piece.iter().flat_map(|&v| &self.neighbours[v as usize]));
            let known = known.filter_map(|&v| self.way[v as usize]).find(|(b, _)| *b == obstacle);
            let way = known.map_or_else(|| self.shortest(obstacle, &piece, gravity, x), |(_, way)| way);
            for v in piece {
                self.way[v as usize] = Some((obstacle, way));
                push[v as usize] += way;
            }
        }
        seen.contains(&true)
    }

    /// The direction with the shortest way out for the deepest vertex of a piece.
    fn shortest(&self, obstacle: usize, piece: &[u32], gravity: DVec3, x: &[DVec3]) -> DVec3 {
        let mut best = (f64::INFINITY, DVec3::Z);
        for direction in self.directions(obstacle, piece, gravity, x) {
            let exits = parallel::map(piece.len(), |k| {
                let exits = self.exits(obstacle, x[piece[k] as usize], direction, x);
                exits.reduce(f64::min).unwrap_or(0.0)
            });
            let deepest = exits.into_iter().fold(0.0, f64::max);
            if deepest < best.0 {
                best = (deepest, direction);
            }
        }
        best.1
    }

    /// Directions in which a piece may leave an obstacle: up, away from its middle, and along the axes.
    pub fn directions(&self, obstacle: usize, piece: &[u32], gravity: DVec3, x: &[DVec3]) -> [DVec3; 8] {
        let up = (-gravity).try_normalize().unwrap_or(DVec3::Z);
        let body = &self.model.bodies[obstacle];
        let middle = |list: &mut dyn Iterator<Item = DVec3>| {
            let (sum, count) = list.fold((DVec3::ZERO, 0.0), |(sum, count), p| (sum + p, count + 1.0));
            sum / f64::max(count, 1.0)
        };
        let own = middle(&mut piece.iter().map(|&v| x[v as usize]));
        let away = (own - middle(&mut x[body.vertices.clone()].iter().copied())).try_normalize().unwrap_or(up);
        let [a, b, c] = [DVec3::X, DVec3::Y, DVec3::Z];
        [up, away, a, b, c, -a, -b, -c]
    }

    /// Longest way along a direction from a vertex of a piece to where it leaves an obstacle for the last time [m].
    pub fn last_exit(&self, obstacle: usize, piece: &[u32], direction: DVec3, x: &[DVec3]) -> f64 {
        let exits = parallel::map(piece.len(), |k| {
            self.exits(obstacle, x[piece[k] as usize], direction, x).fold(0.0, f64::max)
        });
        exits.into_iter().fold(0.0, f64::max)
    }

    /// Ways from a point along a direction to where the surface of an obstacle is [m].
    fn exits(&self, obstacle: usize, point: DVec3, direction: DVec3, x: &[DVec3]) -> impl Iterator<Item = f64> {
        self.model.mesh.triangles[self.model.bodies[obstacle].triangles.clone()].iter().filter_map(move |corners| {
            let [a, b, c] = corners.map(|v| x[v as usize] - point);
            // Möller and Trumbore (1997).
            let (u, v) = (b - a, c - a);
            let across = direction.cross(v);
            let det = u.dot(across);
            if det == 0.0 {
                return None;
            }
            let (s, cross) = (-a.dot(across) / det, (-a).cross(u));
            let (t, way) = (direction.dot(cross) / det, v.dot(cross) / det);
            (s >= 0.0 && t >= 0.0 && s + t <= 1.0 && way > 0.0).then_some(way)
        })
    }

    /// Pushes what sticks through cloth back: where the edges that go through a face cut a cloth in pieces, all but the
    /// largest go where the other ends of those edges are. Whether there is such a piece.
    pub fn push_back(&self, pierced: &[[u32; 2]], x: &[DVec3], push: &mut [DVec3]) -> bool {
        let cut = |a: u32, b: u32| pierced.contains(&[a, b]) || pierced.contains(&[b, a]);
        let (mut piece_of, mut sizes) = (vec![usize::MAX; self.way.len()], Vec::new());
        for first in 0..piece_of.len() {
            if piece_of[first] != usize::MAX {
                continue;
            }
            let (mut piece, mut next, number) = (vec![first as u32], 0, sizes.len());
            piece_of[first] = number;
            while next < piece.len() {
                let v = piece[next];
                for &n in self.neighbours[v as usize].iter().filter(|&&n| !cut(v, n)) {
                    if std::mem::replace(&mut piece_of[n as usize], number) == usize::MAX {
                        piece.push(n);
                    }
                }
                next += 1;
            }
            sizes.push(piece.len());
        }
        let mut ways = vec![DVec3::ZERO; sizes.len()];
        for &[a, b] in pierced {
            let [p, q] = [a, b].map(|v| piece_of[v as usize]);
            // The smaller goes to the larger; of two alike the one with the higher number.
            let (from, to, small) = if (sizes[p], q) < (sizes[q], p) { (a, b, p) } else { (b, a, q) };
            if p != q {
                ways[small] += (x[to as usize] - x[from as usize]).normalize_or_zero();
            }
        }
        for (v, &piece) in piece_of.iter().enumerate() {
            push[v] += ways[piece].normalize_or_zero();
        }
        ways.iter().any(|way| *way != DVec3::ZERO)
    }

    /// Pushes cloth on both sides of a flat open obstacle to the side where most of it is; whether it is flat.
    pub fn push_to_side(&mut self, obstacle: usize, gravity: DVec3, x: &[DVec3], push: &mut [DVec3]) -> bool {
        let body = &self.model.bodies[obstacle];
        let corners = self.model.mesh.triangles[body.triangles.start].map(|v| x[v as usize]);
        let Some(normal) = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize() else {
            return false;
        };
        let height = |p: DVec3| normal.dot(p - corners[0]);
        let size = x[body.vertices.clone()].iter().map(|p| p.distance(corners[0])).fold(0.0, f64::max);
        if x[body.vertices.clone()].iter().any(|p| height(*p).abs() > FLAT * size) {
            return false;
        }
        for cloth in self.model.bodies.iter().filter(|body| body.kind == BodyKind::Cloth) {
            let above = cloth.vertices.clone().filter(|&v| height(x[v]) > 0.0).count();
            let up = match (2 * above).cmp(&cloth.vertices.len()) {
                std::cmp::Ordering::Less => -normal,
                std::cmp::Ordering::Greater => normal,
                std::cmp::Ordering::Equal => normal * -gravity.dot(normal).signum(),
            };
            for v in cloth.vertices.clone().filter(|&v| height(x[v]) * up.dot(normal) <= 0.0) {
                push[v] += up;
            }
        }
        true
    }
}
