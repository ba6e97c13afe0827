//! Depths seen along a direction, from very far: who is in the light, and who sees the sky.

use glam::{Vec2, Vec3};

/// A square picture of depths along an axis, for the ball of radius 1 around the origin. It holds the
/// nearest and the farthest depth per texel, so that one map answers for both senses of its axis.
pub(crate) struct DepthMap {
    size: usize,
    axes: [Vec3; 3],
    /// Largest and smallest distance along the axis per texel.
    depths: Vec<[f32; 2]>,
}

impl DepthMap {
    /// Draws triangles along a unit axis.
    pub(crate) fn new(axis: Vec3, size: usize, positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let (x, y) = axis.any_orthonormal_pair();
        let depths = vec![[f32::NEG_INFINITY, f32::INFINITY]; size * size];
        let mut map = DepthMap { size, axes: [x, y, axis], depths };
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
    fn texel(&self, p: Vec3) -> Vec3 {
        let half = 0.5 * self.size as f32;
        let [x, y, axis] = self.axes;
        Vec3::new((p.dot(x) + 1.0) * half, (p.dot(y) + 1.0) * half, p.dot(axis))
    }

    fn draw(&mut self, [a, b, c]: [Vec3; 3]) {
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let last = self.size as f32 - 1.0;
        let columns = (low.x - 0.5).ceil().max(0.0)..=(high.x - 0.5).floor().min(last);
        let rows = (low.y - 0.5).ceil().max(0.0)..=(high.y - 0.5).floor().min(last);
        if columns.is_empty() || rows.is_empty() {
            return;
        }
        let (u, v) = ((b - a).truncate(), (c - a).truncate());
        let area = u.perp_dot(v);
        // Seen edge on: it hides nothing.
        if area == 0.0 {
            return;
        }
        let mut y = *rows.start();
        while y <= *rows.end() {
            let mut x = *columns.start();
            while x <= *columns.end() {
                let p = Vec2::new(x + 0.5, y + 0.5) - a.truncate();
                let (s, t) = (p.perp_dot(v) / area, u.perp_dot(p) / area);
                if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
                    let depth = a.z + (b.z - a.z) * s + (c.z - a.z) * t;
                    let slot = &mut self.depths[y as usize * self.size + x as usize];
                    *slot = [slot[0].max(depth), slot[1].min(depth)];
                }
                x += 1.0;
            }
            y += 1.0;
        }
    }

    /// Part of a texel-sized spot at `p` that is free towards +axis and towards −axis [-]. Something hides
    /// it only if it is more than `slack` away.
    pub(crate) fn free(&self, p: Vec3, slack: f32) -> [f32; 2] {
        let at = self.texel(p) - Vec3::new(0.5, 0.5, 0.0);
        let (x, y) = (at.x.floor(), at.y.floor());
        let last = self.size as f32 - 1.0;
        if !(x >= 0.0 && y >= 0.0 && x < last && y < last) {
            return [1.0; 2];
        }
        let (fx, fy) = (at.x - x, at.y - y);
        let first = y as usize * self.size + x as usize;
        let mut free = [0.0; 2];
        for (index, weight) in [
            (first, (1.0 - fx) * (1.0 - fy)),
            (first + 1, fx * (1.0 - fy)),
            (first + self.size, (1.0 - fx) * fy),
            (first + self.size + 1, fx * fy),
        ] {
            let [farthest, nearest] = self.depths[index];
            free[0] += if farthest <= at.z + slack { weight } else { 0.0 };
            free[1] += if nearest >= at.z - slack { weight } else { 0.0 };
        }
        free
    }
}
