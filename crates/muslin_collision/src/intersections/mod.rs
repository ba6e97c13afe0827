//! Is this state clean? Every pair of triangles that cross, exactly.
//!
//! Two triangles of a mesh *cross* if, as closed sets of exactly the given coordinates, they share more than
//! the vertex or the edge that they have in common. So a pair without a common vertex crosses as soon as it has one
//! common point; a pair with one common vertex, if it shares another point; a pair with a common edge, if it shares a
//! point beside that edge, as in a fold of angle zero; two triangles with the same three vertices, always. There is
//! no tolerance, and nothing is rounded on the way to the verdict. [`Meeting`] says how they cross.
//!
//! Touching counts. A surface can pass through another one along edges that lie exactly in it, and then each
//! single pair of triangles only touches.

mod leaf;
#[cfg(target_arch = "x86_64")]
mod leaf_avx2;
mod planes;
mod tree;

use crate::narrow_phase::triangle_triangle::{Meeting, common_segment, triangles_meet};
use crate::{Surface, Sweep, SweepError};
use glam::DVec3;
use leaf::Kernel;
use muslin_model::parallel;
use planes::are_parted;
use tree::BoxTree;

/// Two triangles that cross.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intersection {
    /// The triangles, the lower index first.
    pub triangles: [u32; 2],
    /// How they cross.
    pub meeting: Meeting,
    /// Two points of what they share, as far from each other as there are, rounded [m]. Equal if they share one point.
    pub witness: [DVec3; 2],
}

/// All pairs of triangles of a surface that cross at these positions [m], in ascending order; none if the state is
/// clean. The result is the same for any number of threads.
pub fn intersections(surface: &Surface, positions: &[DVec3]) -> Result<Vec<Intersection>, SweepError> {
    intersections_of(surface, positions, |_| true)
}

/// The same for the pairs of which at least one triangle is `chosen`: those of cloth, say, where obstacles may stand
/// in each other.
pub fn intersections_of(
    surface: &Surface,
    positions: &[DVec3],
    chosen: impl Fn(u32) -> bool,
) -> Result<Vec<Intersection>, SweepError> {
    Sweep::new(surface, positions, positions)?;
    let triangles = surface.triangles();
    let corners = |t: u32| triangles[t as usize].map(|v| positions[v as usize]);
    let (own, others): (Vec<u32>, Vec<u32>) = (0..triangles.len() as u32).partition(|&t| chosen(t));
    let [own, others] = [own, others].map(|list| BoxTree::new(&list, triangles, positions));
    let kernel = Kernel::detect();
    let tasks = own.leaf_count().div_ceil(LEAVES_PER_TASK);
    let parts = parallel::map(tasks, |task| {
        let mut found = Vec::new();
        let mut test = |a: u32, b: u32| {
            let [a, b] = [a.min(b), a.max(b)];
            if let Some(meeting) = meet(triangles, corners, [a, b]) {
                // Triangles that meet share at least one point.
                let witness = common_segment(corners(a), corners(b)).unwrap_or([corners(a)[0]; 2]);
                found.push(Intersection { triangles: [a, b], meeting, witness });
            }
        };
        for leaf in task * LEAVES_PER_TASK..((task + 1) * LEAVES_PER_TASK).min(own.leaf_count()) {
            own.for_each_pair(leaf, kernel, &mut test);
            own.for_each_pair_with(&others, leaf, kernel, &mut test);
        }
        found
    });
    let mut all: Vec<Intersection> = parts.into_iter().flatten().collect();
    all.sort_unstable_by_key(|pair| pair.triangles);
    Ok(all)
}

/// Leaves of the tree that one task searches for [-]; enough to be worth a task.
const LEAVES_PER_TASK: usize = 64;

/// How two triangles meet, if they do, whatever the quick tests of the leaves said.
fn meet(triangles: &[[u32; 3]], corners: impl Fn(u32) -> [DVec3; 3], [a, b]: [u32; 2]) -> Option<Meeting> {
    let (of_a, of_b) = (triangles[a as usize], triangles[b as usize]);
    let mut shared = [[0; 2]; 3];
    let mut count = 0;
    for (k, v) in of_a.iter().enumerate() {
        if let Some(l) = of_b.iter().position(|w| w == v) {
            shared[count] = [k, l];
            count += 1;
        }
    }
    let (at_a, at_b, shared) = (corners(a), corners(b), &shared[..count]);
    if are_parted(at_a, at_b, shared) { None } else { triangles_meet(at_a, at_b, shared) }
}
