//! Supports: points of the cloth that something holds off on one side, with friction.
//!
//! A support watches one weighted sum of vertices, r = Σ wᵢ xᵢ + c; the constant c is the share of what the
//! scene moves. Along its normal n it repels r as soon as the gap g = n·r falls below the range, across n it
//! holds r like a spring that gives way at the friction limit. Both are potentials of the step, so that
//! Newton's method sees them as it sees any force, and a solve without end is one without friction's or
//! contact's fault. Supports live for one step: who makes them decides where they stand.
//!
//! **Repulsion.** With s = (g − floor)/(range − floor) the potential is −κ (1 − s)² ln s for 0 < s < 1 (the
//! barrier of Li et al. 2020, "Incremental Potential Contact", on the gap itself), and below [`STEEPEST`] its
//! second-order expansion, so that a state beyond the floor is pushed back and not infinite. It is C² and
//! convex in r. The stiffness grows with the load: where the cloth merely rests, the matrix hardly feels it.
//!
//! **Friction.** With u = (I − n nᵀ)(r − reference) the potential is ½ F/δ ‖u‖² up to ‖u‖ = δ and F (‖u‖ − δ/2)
//! beyond: force at most F, true stick below. F is known when the step begins (µ times the last normal
//! force), the reference comes from the state. Viscous friction stands beside it: with w = (I − n nᵀ)(r − start) the potential
//! ½ D ‖w‖², which has no limit and is solved for with all else, however strong it is.
//!
//! **The matrix.** Each support adds wᵢ wⱼ H for a positive semi-definite 3×3 H. Vertices of one face share a
//! block of the pattern already; those of two layers do not, and their blocks become links of the matrix. A
//! factor that is not planned for them takes two layers for two separate supports.

use crate::{
    grips::Grips,
    linear::{BlockMatrix, Link, Pattern},
};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// Supports of a piece of parallel work.
const PIECE: usize = 256;

/// Pairs of a support's vertices, each vertex with itself included.
const PAIRS: usize = 10;

/// The slots of a support's pairs in a pattern, in the order of its pairs, or [`NOWHERE`].
pub(crate) type Places = [u32; PAIRS];
const NOWHERE: u32 = u32::MAX;

/// Part of the range at which the barrier goes over into a parabola [-].
pub(crate) const STEEPEST: f64 = 0.1;

/// Where a vertex of a stencil is not one of the solver's: the scene moves it.
pub const MOVED_BY_SCENE: u32 = u32::MAX;

/// One support.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The solver's vertices, or [`MOVED_BY_SCENE`].
    pub vertices: [u32; 4],
    /// Their weights in r [-].
    pub weights: [f64; 4],
    /// Unit vector that points from the support to the cloth [-].
    pub normal: DVec3,
    /// Share of the vertices that the scene moves, at the end of the step [m].
    pub constant: DVec3,
    /// r from which friction measures [m].
    pub reference: DVec3,
    /// r of the solver's vertices alone at the start of the step [m]; for the work.
    pub begin: DVec3,
    /// Gap at which repulsion begins [m].
    pub range: f64,
    /// Gap that repulsion would not let pass, were it not expanded [m].
    pub floor: f64,
    /// κ [J].
    pub strength: f64,
    /// F, the most that friction can hold [N].
    pub friction: f64,
    /// Normal force of the same contact in the step before; 0 if it was none [N].
    pub load: f64,
    /// µ, the most that friction can hold over the normal force [-].
    pub coefficient: f64,
    /// δ, the way at which it gives [m].
    pub slip: f64,
    /// r at the start of the step [m].
    pub start: DVec3,
    /// D, viscous friction per way across the normal within the step [N/m].
    pub drag: f64,
}

/// What a support does at some positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Gap [m].
    pub gap: f64,
    /// Normal force, pushing [N].
    pub normal: f64,
    /// Way across the normal since the reference [m].
    pub way: DVec3,
    /// Friction force on r [N].
    pub friction: DVec3,
}

/// Potential, slope and curvature of −(1 − s)² ln s, expanded below [`STEEPEST`].
pub(crate) fn barrier(s: f64) -> [f64; 3] {
    if s >= 1.0 {
        return [0.0; 3];
    }
    let at = s.max(STEEPEST);
    let (rest, log) = (1.0 - at, at.ln());
    let value = -rest * rest * log;
    let slope = 2.0 * rest * log - rest * rest / at;
    let curvature = -2.0 * log + 4.0 * rest / at + rest * rest / (at * at);
    let beyond = s - at;
    [value + slope * beyond + 0.5 * curvature * beyond * beyond, slope + curvature * beyond, curvature]
}

impl Support {
    pub(crate) fn movable(&self) -> impl Iterator<Item = (u32, f64)> {
        let pairs = self.vertices.into_iter().zip(self.weights);
        pairs.filter(|&(v, w)| v != MOVED_BY_SCENE && w != 0.0)
    }

    /// The share of the solver's vertices in r [m].
    pub fn share(&self, positions: &[DVec3]) -> DVec3 {
        self.movable().map(|(v, w)| positions[v as usize] * w).sum()
    }

    /// r at some positions [m].
    pub(crate) fn at(&self, positions: &[DVec3]) -> DVec3 {
        self.share(positions) + self.constant
    }

    /// Potential of the repulsion [J] at a gap, its slope [N] and curvature [N/m].
    pub(crate) fn repulsion(&self, gap: f64) -> [f64; 3] {
        let width = self.range - self.floor;
        let [value, slope, curvature] = barrier((gap - self.floor) / width);
        [self.strength * value, self.strength * slope / width, self.strength * curvature / (width * width)]
    }

    /// Makes the law so strong that a force [N] is met before the barrier goes over into its expansion.
    pub(crate) fn strengthen(&mut self, force: f64) {
        let least = force * (self.range - self.floor) / -barrier(STEEPEST)[1];
        self.strength = self.strength.max(least);
    }

    pub(crate) fn across(&self, r: DVec3) -> DVec3 {
        let away = r - self.reference;
        away - self.normal * self.normal.dot(away)
    }

    /// How far friction's spring is stretched when the step begins [m].
    pub(crate) fn before(&self) -> DVec3 {
        self.across(self.begin + self.constant)
    }

    /// Way across the normal within the step [m].
    pub(crate) fn moved(&self, r: DVec3) -> DVec3 {
        let away = r - self.start;
        away - self.normal * self.normal.dot(away)
    }

    /// Gap and forces at some positions.
    pub fn reaction(&self, positions: &[DVec3]) -> Reaction {
        let r = self.share(positions) + self.constant;
        let (gap, way) = (self.normal.dot(r), self.across(r));
        let normal = -self.repulsion(gap)[1];
        let length = way.length();
        let pull = if length <= self.slip { self.friction / self.slip } else { self.friction / length };
        let mut friction = if self.friction > 0.0 { way * -pull } else { DVec3::ZERO };
        if self.drag > 0.0 {
            friction -= self.moved(r) * self.drag;
        }
        Reaction { gap, normal, way, friction }
    }

    /// Potential [J] and its gradient by r [N].
    pub(crate) fn gradient(&self, r: DVec3) -> (f64, DVec3) {
        let [mut potential, slope, _] = self.repulsion(self.normal.dot(r));
        let mut gradient = self.normal * slope;
        if self.friction > 0.0 {
            let way = self.across(r);
            let length = way.length();
            if length <= self.slip {
                potential += 0.5 * self.friction / self.slip * length * length;
                gradient += way * (self.friction / self.slip);
            } else {
                potential += self.friction * (length - 0.5 * self.slip);
                gradient += way * (self.friction / length);
            }
        }
        if self.drag > 0.0 {
            let moved = self.moved(r);
            potential += 0.5 * self.drag * moved.length_squared();
            gradient += moved * self.drag;
        }
        (potential, gradient)
    }

    /// Second derivative by r [N/m].
    pub(crate) fn hessian(&self, r: DVec3) -> DMat3 {
        let outer = |a: DVec3| DMat3::from_cols(a * a.x, a * a.y, a * a.z);
        let mut hessian = outer(self.normal) * self.repulsion(self.normal.dot(r))[2];
        if self.friction > 0.0 {
            let way = self.across(r);
            let length = way.length();
            let across = DMat3::IDENTITY - outer(self.normal);
            hessian += if length <= self.slip {
                across * (self.friction / self.slip)
            } else {
                (across - outer(way / length)) * (self.friction / length)
            };
        }
        hessian + self.resistance()
    }

    /// Calls `body` with the pairs of its vertices, the smaller number first: which one it is, the vertices, and their weight.
    #[inline]
    fn for_each_pair(&self, mut body: impl FnMut(usize, [u32; 2], f64)) {
        let counts = |k: usize| self.vertices[k] != MOVED_BY_SCENE && self.weights[k] != 0.0;
        let mut pair = 0;
        for a in (0..4).filter(|&a| counts(a)) {
            for b in (0..4).filter(|&b| counts(b) && self.vertices[a] <= self.vertices[b]) {
                body(pair, [self.vertices[a], self.vertices[b]], self.weights[a] * self.weights[b]);
                pair += 1;
            }
        }
    }

    /// Where its pairs have their blocks.
    fn places(&self, pattern: &Pattern) -> Places {
        let mut places = [NOWHERE; PAIRS];
        let mut whole = true;
        self.for_each_pair(|k, [row, column], w| {
            places[k] = pattern.place(row, column).map_or(NOWHERE, |place| place as u32);
            whole &= w > 0.0 || places[k] != NOWHERE;
        });
        // A factor that sees some couplings between the two sides but not all may be indefinite: all or none.
        if !whole {
            self.for_each_pair(|k, _, w| places[k] = if w > 0.0 { places[k] } else { NOWHERE });
        }
        places
    }

    /// Adds a second derivative by r [N/m] to a matrix: to the pattern's blocks where it has places, else as links.
    fn add_hessian(&self, hessian: DMat3, places: &Places, matrix: &mut BlockMatrix) {
        if hessian == DMat3::ZERO {
            return;
        }
        self.for_each_pair(|k, [row, column], w| match places[k] {
            NOWHERE => matrix.links.push(Link { row, column, block: hessian * w }),
            place => matrix.blocks[place as usize] += hessian * w,
        });
    }

    /// Adds the links of [`Self::add_hessian`].
    fn add_links(&self, hessian: DMat3, places: &Places, links: &mut Vec<Link>) {
        if hessian != DMat3::ZERO {
            self.for_each_pair(|k, [row, column], w| {
                if places[k] == NOWHERE {
                    links.push(Link { row, column, block: hessian * w });
                }
            });
        }
    }

    /// Second derivative of the viscous part by r [N/m].
    pub(crate) fn resistance(&self) -> DMat3 {
        if self.drag > 0.0 {
            let n = self.normal;
            (DMat3::IDENTITY - DMat3::from_cols(n * n.x, n * n.y, n * n.z)) * self.drag
        } else {
            DMat3::ZERO
        }
    }
}

/// All supports of a step, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Supports {
    /// The supports.
    pub list: Vec<Support>,
    /// One over the length of the step [1/s].
    pub rate: f64,
    /// Friction that depends on the speed of sliding; empty where every law is Coulomb's.
    pub grips: Grips,
}

impl Supports {
    /// Adds the gradient to `out` [N]; returns the potential [J] and the power of all supports on the cloth [W].
    pub fn add_gradient(&self, positions: &[DVec3], out: &mut [DVec3]) -> (f64, f64) {
        let (mut potential, mut work) = (0.0, 0.0);
        for support in &self.list {
            let share = support.share(positions);
            let (energy, gradient) = support.gradient(share + support.constant);
            potential += energy;
            work -= gradient.dot(share - support.begin);
            if gradient != DVec3::ZERO {
                support.movable().for_each(|(v, w)| out[v as usize] += gradient * w);
            }
        }
        (potential, work * self.rate)
    }

    /// The potential alone [J].
    pub fn potential(&self, positions: &[DVec3]) -> f64 {
        self.list.iter().map(|support| support.gradient(support.share(positions) + support.constant).0).sum()
    }

    /// How wrong the second-order models of the supports at some positions foretold their forces at others: the sum of all
    /// errors over the sum of all forces, or over a least force [N] if that is larger [-].
    pub fn surprise(&self, from: &[DVec3], to: &[DVec3], least: f64) -> f64 {
        let (mut errors, mut forces) = (0.0, 0.0);
        for support in &self.list {
            let [before, after] = [from, to].map(|x| support.share(x) + support.constant);
            let force = support.gradient(after).1;
            let foretold = support.gradient(before).1 + support.hessian(before) * (after - before);
            errors += (force - foretold).length();
            forces += force.length();
        }
        errors / forces.max(least)
    }

    /// Gives every support the friction limit of its normal force at some positions; returns the largest change [N].
    pub fn renew_friction(&mut self, positions: &[DVec3]) -> f64 {
        self.list.iter_mut().fold(0.0, |most, support| {
            let limit = support.coefficient * support.reaction(positions).normal;
            let change = (limit - support.friction).abs();
            support.friction = limit;
            most.max(change)
        })
    }

    /// Adds the second derivatives [N/m]: to the pattern's blocks where it has them, else as links.
    pub fn add_hessian(&self, positions: &[DVec3], matrix: &mut BlockMatrix) {
        let list = self.list.iter().map(|support| (support, support.hessian(support.at(positions))));
        list.for_each(|(support, hessian)| support.add_hessian(hessian, &support.places(&matrix.pattern), matrix));
    }

    /// Where the pairs of each support's vertices have their blocks.
    pub(crate) fn find_places(&self, pattern: &Pattern, places: &mut Vec<Places>) {
        parallel::refill(places, self.list.len(), PIECE, |k| self.list[k].places(pattern));
    }

    /// Adds second derivatives that somebody else has found for each support [N/m], at their places.
    pub(crate) fn add_hessians(&self, hessians: &[DMat3], places: &[Places], matrix: &mut BlockMatrix) {
        let all = || self.list.iter().zip(hessians).zip(places).map(|((support, &hessian), p)| (support, hessian, p));
        if self.list.len() < PIECE || parallel::threads() == 1 {
            return all().for_each(|(support, hessian, places)| support.add_hessian(hessian, places, matrix));
        }
        // Each thread looks at all and adds what falls into its part, so that every block has its sum in one order.
        let length = matrix.blocks.len().div_ceil(2 * parallel::threads());
        let parts = matrix.blocks.chunks_mut(length).enumerate().collect();
        parallel::for_each(parts, |(k, part): (usize, &mut [DMat3])| {
            let first = k * length;
            for (support, hessian, places) in all().filter(|(_, hessian, _)| *hessian != DMat3::ZERO) {
                support.for_each_pair(|pair, _, w| {
                    if let Some(block) = part.get_mut((places[pair] as usize).wrapping_sub(first)) {
                        *block += hessian * w;
                    }
                });
            }
        });
        for (support, hessian, places) in all().filter(|(_, _, places)| places.contains(&NOWHERE)) {
            support.add_links(hessian, places, &mut matrix.links);
        }
    }
}
