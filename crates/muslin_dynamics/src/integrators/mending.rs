//! Gaps that a balance left too small, widened where they are.
//!
//! When the forces of all supports and the limits of their friction are right, a few gaps of many thousands may still lie
//! below their floors: contacts whose force was foretold at a gap that they have not come to. Another solve of everything
//! would carry them there, and hardly anything else. They are moved there alone: each support in turn is given its floor
//! by the shortest way, vertices weighted by their inverse masses, which leaves the momentum as it is; those that share a
//! vertex with a moved one are looked at again (Gauss–Seidel's projection of a few linear inequalities). The ways are
//! parts of a gap, far below what the cloth is stretched by in a step; forces stay those of the balance.
//!
//! Where that does not end, or would move something by more than a range, nothing is moved and the next solve has to do it.

use crate::{constraints::Constraints, supports::Supports};
use glam::DVec3;

/// Sweeps over the supports around what was moved.
const MOST_SWEEPS: usize = 24;

/// What projection needs: lists that grow to what the largest step needed.
#[derive(Default)]
pub(super) struct Mending {
    /// One over the mass of each vertex, 0 where it is held [1/kg].
    give: Vec<f64>,
    /// Whether a vertex was moved.
    moved: Vec<bool>,
    /// Moved vertices and where they were [m].
    before: Vec<(u32, DVec3)>,
    /// Supports that have one of those.
    around: Vec<u32>,
}

impl Mending {
    /// Takes the masses of a step [kg] and what is held in it.
    pub fn begin(&mut self, masses: &[f64], held: &Constraints) {
        self.give.clear();
        self.give.extend(masses.iter().map(|m| 1.0 / m));
        held.vertices.iter().for_each(|&v| self.give[v as usize] = 0.0);
        self.moved.clear();
        self.moved.resize(masses.len(), false);
    }

    /// Widens gaps that are below their floors by more than a part of them; says whether none is left. If one is, nothing
    /// has been moved.
    pub fn widen(&mut self, supports: &Supports, part: f64, positions: &mut [DVec3]) -> bool {
        self.around.clear();
        self.around.extend(0..supports.list.len() as u32);
        let mut ended = false;
        for _ in 0..MOST_SWEEPS {
            match self.sweep(supports, part, positions) {
                Sweep::Nothing => {
                    ended = true;
                    break;
                }
                Sweep::Moved => self.look_around(supports),
                Sweep::Stuck => break,
            }
        }
        let range = supports.list.iter().map(|support| support.range).fold(0.0, f64::max);
        ended &= self.before.iter().all(|&(v, before)| positions[v as usize].distance(before) <= range);
        for (v, before) in self.before.drain(..) {
            self.moved[v as usize] = false;
            if !ended {
                positions[v as usize] = before;
            }
        }
        ended
    }

    /// Moves the supports around once, in their order.
    fn sweep(&mut self, supports: &Supports, part: f64, positions: &mut [DVec3]) -> Sweep {
        let mut found = Sweep::Nothing;
        for &k in &self.around {
            let support = &supports.list[k as usize];
            let gap = support.normal.dot(support.at(positions));
            if gap >= (1.0 - part) * support.floor {
                continue;
            }
            let give: f64 = support.movable().map(|(v, w)| w * w * self.give[v as usize]).sum();
            let push = (support.floor - gap) / give;
            for (v, w) in support.movable() {
                let way = push * w * self.give[v as usize];
                if way == 0.0 {
                    continue;
                }
                if !(way.abs() <= support.range) {
                    return Sweep::Stuck;
                }
                if !std::mem::replace(&mut self.moved[v as usize], true) {
                    self.before.push((v, positions[v as usize]));
                }
                positions[v as usize] += support.normal * way;
            }
            found = Sweep::Moved;
        }
        found
    }

    /// The supports that have a moved vertex.
    fn look_around(&mut self, supports: &Supports) {
        let moved = &self.moved;
        self.around.clear();
        let all = (0..).zip(&supports.list);
        self.around.extend(all.filter(|(_, s)| s.movable().any(|(v, _)| moved[v as usize])).map(|(k, _)| k));
    }
}

/// What a sweep did.
enum Sweep {
    /// No gap was too small.
    Nothing,
    /// Some were widened.
    Moved,
    /// One cannot be widened.
    Stuck,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supports::{MOVED_BY_SCENE, Support};
    use glam::DMat3;

    const RANGE: f64 = 5e-4;
    const FLOOR: f64 = 1.25e-4;
    const PART: f64 = 0.25;

    fn support(vertices: [u32; 4], weights: [f64; 4]) -> Support {
        Support {
            vertices,
            weights,
            normal: DVec3::Z,
            constant: DVec3::ZERO,
            reference: DVec3::ZERO,
            begin: DVec3::ZERO,
            range: RANGE,
            floor: FLOOR,
            strength: 2e-6,
            friction: 0.0,
            load: 0.0,
            coefficient: 0.3,
            slip: 1e-5,
            start: DVec3::ZERO,
            drag: 0.0,
        }
    }

    fn over(above: u32, below: u32) -> Support {
        support([above, below, MOVED_BY_SCENE, MOVED_BY_SCENE], [1.0, -1.0, 0.0, 0.0])
    }

    /// Layers of one vertex each, one over the other, every second gap too small.
    fn layers(many: usize, pinned: &[u32]) -> (Mending, Supports, Vec<DVec3>, Vec<f64>) {
        let heights = (0..many).map(|k| (k / 2) as f64 * 1.2 * FLOOR + (k % 2) as f64 * 0.2 * FLOOR);
        let positions: Vec<_> = heights.map(|z| DVec3::new(0.0, 0.0, z)).collect();
        let masses: Vec<_> = (0..many).map(|k| 1e-4 * (1.0 + (k % 3) as f64)).collect();
        let list = (1..many as u32).map(|k| over(k, k - 1)).collect();
        let supports = Supports { list, rate: 60.0, ..Supports::default() };
        let held = Constraints {
            vertices: pinned.to_vec(),
            free: vec![DMat3::ZERO; pinned.len()],
            targets: pinned.iter().map(|&v| positions[v as usize]).collect(),
            velocities: Vec::new(),
        };
        let mut mending = Mending::default();
        mending.begin(&masses, &held);
        (mending, supports, positions, masses)
    }

    #[test]
    fn gaps_that_are_too_small_are_widened_and_momentum_is_kept() {
        let (mut mending, supports, mut x, masses) = layers(9, &[]);
        let centre = |x: &[DVec3]| -> DVec3 { x.iter().zip(&masses).map(|(x, m)| *x * *m).sum() };
        let before = centre(&x);
        assert!(mending.widen(&supports, PART, &mut x));
        for pair in x.windows(2) {
            assert!(pair[1].z - pair[0].z >= (1.0 - PART) * FLOOR, "{x:?}");
        }
        assert!((centre(&x) - before).length() < 1e-12 * FLOOR);
    }

    #[test]
    fn what_is_far_from_a_small_gap_keeps_its_bits() {
        let (mut mending, mut supports, mut x, _) = layers(9, &[]);
        for (k, x) in x.iter_mut().enumerate() {
            x.z = k as f64 * RANGE;
        }
        x[1].z = 0.0;
        supports.list.truncate(8);
        let before = x.clone();
        assert!(mending.widen(&supports, PART, &mut x));
        assert!(x[0] != before[0] && x[1] != before[1]);
        assert_eq!(x[2..], before[2..]);
        // The next time, nothing of the first is remembered.
        let before = x.clone();
        assert!(mending.widen(&supports, PART, &mut x));
        assert_eq!(x, before);
    }

    #[test]
    fn held_vertices_stay_and_the_others_give_way() {
        let (mut mending, supports, mut x, _) = layers(6, &[0, 1]);
        x[1].z = 2.0 * FLOOR;
        x[2].z = 2.1 * FLOOR;
        let before = x.clone();
        assert!(mending.widen(&supports, PART, &mut x));
        assert_eq!(x[..2], before[..2]);
        assert!(x[2].z - x[1].z >= (1.0 - PART) * FLOOR);
    }

    #[test]
    fn where_there_is_no_room_nothing_is_moved() {
        // Between two held vertices a third has no room; and a gap of many ranges is no gap to mend.
        let (mut mending, supports, mut x, _) = layers(3, &[0, 2]);
        (x[1].z, x[2].z) = (0.2 * FLOOR, FLOOR);
        let before = x.clone();
        assert!(!mending.widen(&supports, PART, &mut x));
        assert_eq!(x, before);
        let (mut mending, supports, mut x, _) = layers(4, &[]);
        x[2].z -= 4.0 * RANGE;
        let before = x.clone();
        assert!(!mending.widen(&supports, PART, &mut x));
        assert_eq!(x, before);
        let (mut mending, supports, mut x, _) = layers(2, &[0, 1]);
        assert!(!mending.widen(&supports, PART, &mut x));
    }
}
