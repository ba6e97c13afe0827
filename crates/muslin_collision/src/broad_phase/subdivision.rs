//! Virtual children of swept triangles: pieces that fit the cells of a finer grid (W 5.3.1, 5.3.2).
//!
//! The cell follows the *mean* sphere, 3 λ r_a wide. A triangle whose sphere is larger than a third of a cell is cut into
//! four by the midpoints of its edges (Loop's rule), again and again until the pieces fit. The pieces live only
//! in the search; they stand for their root.
//!
//! A triangle that moves further than a cell never fits, however small its pieces. W halves the time step for the
//! whole mesh. Here the *triangle's* step is halved, virtually like its area: a child is a part of the triangle during a part
//! of the step. One fast triangle then costs its own children, not a second search of everything, and the result is
//! still that of the whole step. W's way is [`LongMotion::Refuse`] with [`super::InPieces`].

use super::control_bits::{ControlBits, LARGEST_RADIUS};
use super::items::Items;
use super::lattice::{self, Ball, Lattice};
use super::{BroadPhaseError, LongMotion};
use crate::boxes::Box3;
use crate::{Surface, Sweep};
use glam::{DVec3, I64Vec3};
use muslin_model::parallel;

/// Radii of the mean sphere, times λ, per cell [-] (W 5.1).
const RADII_PER_CELL: f64 = 3.0;

/// Children that any mesh may have, and further ones per item, by an estimate made beforehand.
const FREE_CHILDREN: f64 = (1u32 << 20) as f64;
const CHILDREN_PER_ITEM: f64 = 4.0;

/// Cuts after which a piece is taken as it is. Sizes halve, so this is far beyond what the estimate lets pass.
const MOST_CUTS: u32 = 48;

/// How often the root of a child was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Not at all: the child is the root.
    Whole,
    /// Once: all siblings are siblings of each other.
    Once,
    /// Again.
    Deeper,
}

/// What is sorted into cells: a piece of an item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    /// The item it stands for.
    pub root: u32,
    /// How its root was cut.
    pub cut: Cut,
    /// Position among its siblings, and how many there are.
    pub position: u32,
    pub siblings: u32,
    /// Home cell and control bits.
    pub home: I64Vec3,
    pub bits: ControlBits,
}

/// All pieces of all items, siblings side by side, and the grid that they fit.
pub(super) struct Pieces {
    pub grid: Lattice,
    pub children: Vec<Child>,
}

/// A part of a triangle during a part of the step.
#[derive(Clone, Copy)]
struct Part {
    start: [DVec3; 3],
    end: [DVec3; 3],
}

impl Part {
    fn ball(&self, grid: &Lattice, thickness: f64) -> Ball {
        let points = self.start.into_iter().chain(self.end);
        Ball::around(&grid.map(&Box3::around(points).grown(0.5 * thickness)))
    }

    /// Longest edge and longest way [m].
    fn size_and_motion(&self) -> (f64, f64) {
        let edge = |p: &[DVec3; 3], k: usize| p[k].distance(p[(k + 1) % 3]);
        let size = (0..3).fold(0.0f64, |s, k| s.max(edge(&self.start, k)).max(edge(&self.end, k)));
        (size, (0..3).fold(0.0, |m, k| m.max(self.start[k].distance(self.end[k]))))
    }

    fn quarters(&self) -> [Part; 4] {
        let cut = |[a, b, c]: [DVec3; 3]| {
            let middle = |p: DVec3, q: DVec3| p * 0.5 + q * 0.5;
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        let (start, end) = (cut(self.start), cut(self.end));
        [0, 1, 2, 3].map(|k| Part { start: start[k], end: end[k] })
    }

    fn halves_of_step(&self) -> [Part; 2] {
        let middle = [0, 1, 2].map(|k| self.start[k] * 0.5 + self.end[k] * 0.5);
        [Part { start: self.start, end: middle }, Part { start: middle, end: self.end }]
    }
}

impl Pieces {
    /// Cuts what does not fit cells of 3 λ mean radii.
    pub fn new(
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        items: &Items,
        (lambda, long_motion): (f64, LongMotion),
    ) -> Result<Self, BroadPhaseError> {
        let (_, mean) = lattice::radii(items);
        let grid = Lattice::new(items.bounds(), RADII_PER_CELL * lambda * mean);
        // A loose point is a triangle of no size.
        let part = |item: u32| {
            let vertices = items.vertices(item);
            let corner = |k: usize| vertices[k.min(vertices.len() - 1)] as usize;
            Part { start: [0, 1, 2].map(|k| sweep.start()[corner(k)]), end: [0, 1, 2].map(|k| sweep.end()[corner(k)]) }
        };
        let fits = |item: u32| Ball::around(&grid.map(items.item_box(item))).radius <= LARGEST_RADIUS;
        if long_motion == LongMotion::Refuse {
            refuse_long_motion(surface, sweep, items, &grid)?;
        }
        // Cut in both ways, a part has about this many pieces.
        let estimate = parallel::sum(items.len(), |item| {
            if fits(item as u32) {
                return 0.0;
            }
            let (size, motion) = part(item as u32).size_and_motion();
            let third = grid.cell / 3.0;
            (1.0 + size / third).powi(2) * (1.0 + motion / third)
        });
        if estimate > FREE_CHILDREN + CHILDREN_PER_ITEM * items.len() as f64 {
            return Err(BroadPhaseError::TooLarge { what: "virtual subdivision", count: estimate as u64 });
        }
        let children = items.gather(|item, out: &mut Vec<Child>| {
            let whole = Ball::around(&grid.map(items.item_box(item)));
            let first = out.len();
            if whole.radius > LARGEST_RADIUS {
                let (mut balls, mut deepest) = (Vec::new(), 0);
                cut(part(item), 0, long_motion, &|part| part.ball(&grid, thickness), &mut balls, &mut deepest);
                let cut = if deepest == 1 { Cut::Once } else { Cut::Deeper };
                out.extend(balls.iter().map(|ball| child(item, cut, ball)));
            } else {
                out.push(child(item, Cut::Whole, &whole));
            }
            let siblings = (out.len() - first) as u32;
            for (position, child) in out[first..].iter_mut().enumerate() {
                (child.position, child.siblings) = (position as u32, siblings);
            }
        });
        Ok(Pieces { grid, children })
    }
}

fn child(root: u32, cut: Cut, ball: &Ball) -> Child {
    let (home, bits) = ControlBits::of(ball);
    Child { root, cut, position: 0, siblings: 1, home, bits }
}

/// Cuts a part until its pieces fit; the smaller of size and motion is left alone.
fn cut(
    part: Part,
    cuts: u32,
    long_motion: LongMotion,
    ball: &impl Fn(&Part) -> Ball,
    out: &mut Vec<Ball>,
    deepest: &mut u32,
) {
    let around = ball(&part);
    *deepest = (*deepest).max(cuts);
    if around.radius <= LARGEST_RADIUS || cuts == MOST_CUTS {
        return out.push(around);
    }
    let (size, motion) = part.size_and_motion();
    if size == 0.0 || (long_motion == LongMotion::HalveItsStep && motion > size) {
        part.halves_of_step().into_iter().for_each(|p| cut(p, cuts + 1, long_motion, ball, out, deepest));
    } else {
        part.quarters().into_iter().for_each(|p| cut(p, cuts + 1, long_motion, ball, out, deepest));
    }
}

/// W's rule: a triangle with a corner whose own way does not fit needs a shorter step.
fn refuse_long_motion(surface: &Surface, sweep: &Sweep, items: &Items, grid: &Lattice) -> Result<(), BroadPhaseError> {
    /// Part of the largest radius at which a moving point counts as fitting [-]; cuts then end soon.
    const ROOM: f64 = 0.9;
    let radius = |v: usize| Ball::around(&grid.map(&items.boxes.vertices[v])).radius;
    let mut shortest: Option<(usize, f64)> = None;
    for (triangle, corners) in surface.triangles().iter().enumerate() {
        let widest = corners.iter().map(|&v| radius(v as usize)).fold(0.0, f64::max);
        if widest > ROOM * LARGEST_RADIUS && shortest.is_none_or(|(_, radius)| widest > radius) {
            shortest = Some((triangle, widest));
        }
    }
    let Some((triangle, widest)) = shortest else { return Ok(()) };
    let way = |&v: &u32| sweep.start()[v as usize].distance(sweep.end()[v as usize]);
    let reach = surface.triangles()[triangle].iter().map(way).fold(0.0, f64::max);
    Err(BroadPhaseError::NeedsShorterStep {
        triangle: triangle as u32,
        reach,
        cell: grid.cell,
        fraction: 0.5f64.powf((widest / (ROOM * LARGEST_RADIUS)).log2().ceil().max(1.0)),
    })
}
