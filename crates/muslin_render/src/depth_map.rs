//! Depths seen along a direction, from very far: who is in the light, and who sees the sky.

use glam::{Vec2, Vec3};

/// A square picture of depths along an axis, for the ball of radius 1 around the origin. It holds the
/// largest and the smallest depth per texel, so that one map answers for both senses of its axis.
pub(crate) struct DepthMap {
    size: usize,
    axes: [Vec3; 3],
    largest: Vec<f32>,
    smallest: Vec<f32>,
}

/// One of the two senses of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Towards {
    Plus,
    Minus,
}

impl DepthMap {
    /// Draws triangles along a unit axis.
    pub(crate) fn new(axis: Vec3, size: usize, positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let (x, y) = axis.any_orthonormal_pair();
        let (largest, smallest) = (vec![f32::NEG_INFINITY; size * size], vec![f32::INFINITY; size * size]);
        let mut map = DepthMap { size, axes: [x, y, axis], largest, smallest };
        let texels: Vec<Vec3> = positions.iter().map(|&p| map.texel(p)).collect();
        for tri in triangles {
            map.draw(tri.map(|v| texels[v as usize]));
        }
        map
    }

    /// Width of a texel in units of the world.
    pub(crate) fn texel_width(&self) -> f32 {
        2.0 / self.size as f32
    }

    /// Column, row and depth of a point.
    pub(crate) fn texel(&self, p: Vec3) -> Vec3 {
        let half = 0.5 * self.size as f32;
        let [x, y, axis] = self.axes;
        Vec3::new((p.dot(x) + 1.0) * half, (p.dot(y) + 1.0) * half, p.dot(axis))
    }

    fn draw(&mut self, [a, b, c]: [Vec3; 3]) {
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        // Texels whose middles are inside the box; casts saturate at 0.
        let range =
            |low: f32, high: f32| ((low + 0.5).max(0.0) as usize)..((high + 0.5).max(0.0) as usize).min(self.size);
        let (columns, rows) = (range(low.x, high.x), range(low.y, high.y));
        let (u, v) = ((b - a).truncate(), (c - a).truncate());
        let area = u.perp_dot(v);
        // Seen edge on it hides nothing.
        if columns.is_empty() || rows.is_empty() || area == 0.0 {
            return;
        }
        let (u, v) = (u / area, v / area);
        let (slope_u, slope_v) = (b.z - a.z, c.z - a.z);
        for row in rows {
            for column in columns.clone() {
                let p = Vec2::new(column as f32 + 0.5, row as f32 + 0.5) - a.truncate();
                let (s, t) = (p.perp_dot(v), u.perp_dot(p));
                if (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0) {
                    let depth = a.z + slope_u * s + slope_v * t;
                    let at = row * self.size + column;
                    self.largest[at] = self.largest[at].max(depth);
                    self.smallest[at] = self.smallest[at].min(depth);
                }
            }
        }
    }

    /// Part of a spot of one texel around a [`texel`](Self::texel) that is free in one direction [-].
    /// Something hides it only if it is more than `slack` away.
    pub(crate) fn free(&self, texel: Vec3, slack: f32, towards: Towards) -> f32 {
        let (x, y) = (texel.x - 0.5, texel.y - 0.5);
        let last = self.size as f32 - 1.0;
        if !(x >= 0.0 && y >= 0.0 && x < last && y < last) {
            return 1.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (fx, fy) = (x - column as f32, y - row as f32);
        let first = row * self.size + column;
        let open = |at: usize| match towards {
            Towards::Plus => (self.largest[at] <= texel.z + slack) as u8 as f32,
            Towards::Minus => (self.smallest[at] >= texel.z - slack) as u8 as f32,
        };
        let above = open(first) * (1.0 - fx) + open(first + 1) * fx;
        let below = open(first + self.size) * (1.0 - fx) + open(first + self.size + 1) * fx;
        above * (1.0 - fy) + below * fy
    }
}
