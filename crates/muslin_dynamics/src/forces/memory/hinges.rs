//! The hinges of a cloth under a law that remembers.
//!
//! f = −M ‖e‖ ∇θ with K = (θ − θ_r)/h̄ and h̄ = (A₁+A₂)/‖e‖ of the pattern (errata of W 4.3.1: M is a moment per width, the
//! hinge's work is M ‖e‖ δθ, and each wing has its own weights, which ∇θ has). The rigidity is that of the fabric across
//! the edge, so that strips along warp and weft have their own; friction is the same in all directions. Beside the law
//! there is the fabric's viscosity, as in [`crate::forces::Hinges`].
//!
//! The projected Hessian is Gauss–Newton, as there, with the law's chord instead of its slope, unless the exact one is
//! asked for: a hinge that slid in the first guess and turns back in the solution meets up to 2M₀ that its slope does not
//! foresee. The chord is the steeper of the two lines from the committed moment, to that at the guess and to that of a change as large to the
//! other side. It makes the quadratic model an upper bound, where both are about as steep but for an eighth of friction's part of the chord, which keeps
//! the scheme of one iteration calm at 1/60 s. (The slope at the turn itself would always do, but is twice as stiff as needed in the mean.) The line to the guess alone bounds the way back to the committed state only: beyond it a hinge met no friction, and cloth at rest
//! swung by a tenth of a millimetre, one step there and one step back, for ever.
//!
//! Memories live in the state, in ascending order of edges. What is here is a copy in the order of storage, made when a state
//! is taken up and at every Commit, and what follows from it for the step: 64 bytes per hinge with every factor of it, so that an
//! evaluation divides only where friction is overcome. Commit takes the angles that the step's last gradient found, if that was where the
//! step ends, and the next step, which needs the angles at its start, takes those of Commit: hinges with a memory find no more angles than
//! hinges without.
//!
//! What friction takes is counted by a step's forces, except with explicit steps of bending: those give the vertices velocities
//! that the membrane takes back at the end of the step, and friction on the way there and back is no loss. It is counted at
//! Commit then, over the change that remains, as the law integrates it.

use super::{BendingLaw, Committed, Response, curvature};
use crate::forces::{
    Bend, Layout, dihedral,
    hinges::{Answer, HingeForce, Moments, Neighbours, neighbours},
    springs_mesh::{edge_uv, rigidity_along},
};
use muslin_model::{Crease, Model, parallel};

/// The shape that hinges are at rest in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestShape {
    /// Flat, as the pattern.
    Flat,
    /// As at the start.
    Start,
}

/// Who advances bending within a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// The scheme, as all other forces.
    OfScheme,
    /// Explicit steps within those of the scheme.
    Explicit,
}

/// One hinge.
#[derive(Clone, Copy, Debug)]
struct Hinge<L> {
    law: L,
    /// h̄ [m].
    height: f64,
    /// ‖e‖ [m].
    length: f64,
}

/// What a step reads of a hinge.
#[derive(Clone, Copy, Debug)]
struct Ready<C> {
    /// Angle at the last Commit, counted through full turns [rad].
    angle: f64,
    committed: C,
}

/// The moments of hinges with a memory.
pub struct RememberedMoments<L: BendingLaw> {
    rate: Rate,
    hinges: Vec<Hinge<L>>,
    /// η ‖e‖/h̄ of each [N·m·s].
    viscosities: Vec<f64>,
    /// Memory of each, in the order of storage.
    creases: Vec<Crease>,
    /// What follows from it for a step.
    ready: Vec<Ready<L::Committed>>,
    /// Its place in the state, and what has each place there.
    places: Vec<u32>,
    stored: Vec<u32>,
    /// Angles of rest of an untouched cloth [rad].
    rest: Vec<f64>,
}

/// Hinges that one thread commits at a time. Fixed: sums over them are part of the result's bits.
const PIECE: usize = 1024;

/// The hinges between some faces as one force with a memory.
pub type RememberingHinges<L> = HingeForce<RememberedMoments<L>>;

impl<L: BendingLaw> RememberingHinges<L> {
    /// All hinges between neighbours among some faces of the model, untouched.
    pub fn new(model: &Model, faces: &[u32], shape: RestShape, rate: Rate, layout: &Layout) -> Self {
        let all = neighbours(model, faces);
        HingeForce::place(&all, layout, |places| {
            let hinges: Vec<Hinge<L>> = places.iter().map(|&k| Hinge::new(model, &all[k as usize])).collect();
            let viscous = |(hinge, &k): (&Hinge<L>, &u32)| hinge.viscosity(model, &all[k as usize]);
            let viscosities = hinges.iter().zip(places).map(viscous).collect();
            let at_start =
                |&k: &u32| dihedral::angle(all[k as usize].stencil.map(|v| model.mesh.positions[v as usize]));
            let rest: Vec<f64> = match shape {
                RestShape::Flat => vec![0.0; hinges.len()],
                RestShape::Start => places.iter().map(at_start).collect(),
            };
            let creases: Vec<Crease> =
                hinges.iter().zip(&rest).map(|(hinge, &rest)| hinge.law.untouched(rest)).collect();
            let ready = hinges.iter().zip(&creases).map(|(hinge, crease)| hinge.ready(crease)).collect();
            let mut stored = vec![0; hinges.len()];
            places.iter().enumerate().for_each(|(h, &place)| stored[place as usize] = h as u32);
            RememberedMoments { rate, hinges, viscosities, creases, ready, places: places.to_vec(), stored, rest }
        })
    }
}

impl<L: BendingLaw> Hinge<L> {
    fn new(model: &Model, hinge: &Neighbours) -> Self {
        let sides = hinge.sides;
        let areas = sides.map(|t| model.mesh.rest_area(t as usize));
        let weight = areas[0] / (areas[0] + areas[1]);
        let along = sides.map(|t| edge_uv(model, t, hinge.ends()));
        // The two pattern edges of a seam may differ a little.
        let length = 0.5 * (along[0].length() + along[1].length());
        let materials = sides.map(|t| &model.materials[t as usize]);
        let across = [0, 1].map(|k| rigidity_along(materials[k], along[k].perp().normalize_or_zero()).max(0.0));
        let rigidity = across[0] * weight + across[1] * (1.0 - weight);
        let height = (areas[0] + areas[1]) / length;
        Hinge { law: L::of(rigidity, materials, weight), height, length }
    }

    /// η ‖e‖/h̄ [N·m·s].
    fn viscosity(&self, model: &Model, hinge: &Neighbours) -> f64 {
        let [a, b] = hinge.sides.map(|t| model.mesh.rest_area(t as usize));
        let damping = hinge.sides.map(|t| model.materials[t as usize].damping_bend);
        (damping[0] * a + damping[1] * b) / (a + b) * self.length / self.height
    }

    fn ready(&self, crease: &Crease) -> Ready<L::Committed> {
        Ready { angle: crease.angle, committed: self.law.committed(crease, self.height, self.length) }
    }

    /// Work per area that does not come back from a bend to an angle [J/m²].
    fn lost(&self, crease: &Crease, angle: f64) -> f64 {
        let (start, change) = (curvature(crease, self.height), (angle - crease.angle) / self.height);
        let [before, after] = [0.0, change].map(|change| self.law.respond(crease, start + change, change));
        (after.potential - before.potential) - (after.stored - before.stored)
    }
}

impl<L: BendingLaw> Moments for RememberedMoments<L> {
    fn name(&self) -> &'static str {
        L::NAME
    }

    // Callers need some of the answer only; the rest is left out where this is part of them.
    #[inline(always)]
    fn answer(&self, h: usize, angle: f64) -> Answer {
        let hinge = &self.ready[h];
        let Response { potential, stored, moment, slope, chord, lost } =
            hinge.committed.respond(dihedral::difference(angle, hinge.angle));
        let lost = if self.rate == Rate::Explicit { 0.0 } else { lost };
        Answer { potential, stored, moment, slope, chord, lost }
    }

    #[inline]
    fn viscosity(&self, h: usize) -> f64 {
        self.viscosities[h]
    }

    /// From the committed angle.
    #[inline]
    fn counted(&self, h: usize, angle: f64) -> f64 {
        dihedral::unwound(angle, self.ready[h].angle)
    }

    #[inline]
    fn committed(&self, h: usize) -> Option<f64> {
        Some(self.ready[h].angle)
    }

    fn is_explicit(&self) -> bool {
        self.rate == Rate::Explicit
    }

    fn crease_count(&self) -> usize {
        self.creases.len()
    }

    fn untouched(&self, creases: &mut [Crease]) {
        for (h, hinge) in self.hinges.iter().enumerate() {
            creases[self.places[h] as usize] = hinge.law.untouched(self.rest[h]);
        }
    }

    fn admit(&self, creases: &mut [Crease]) {
        for (hinge, &place) in self.hinges.iter().zip(&self.places) {
            hinge.law.admit(&mut creases[place as usize]);
        }
    }

    fn recall(&mut self, creases: &[Crease]) {
        for (h, &place) in self.places.iter().enumerate() {
            self.creases[h] = creases[place as usize];
            self.ready[h] = self.hinges[h].ready(&self.creases[h]);
        }
    }

    fn remember(&mut self, angle: impl Fn(usize) -> f64 + Sync, creases: &mut [Crease]) -> f64 {
        let (hinges, explicit) = (&self.hinges, self.rate == Rate::Explicit);
        let commit = |first: usize, creases: &mut [Crease], ready: &mut [Ready<L::Committed>]| {
            let mut released = 0.0;
            for (k, (crease, ready)) in creases.iter_mut().zip(ready).enumerate() {
                let hinge = &hinges[first + k];
                let end = dihedral::unwound(angle(first + k), crease.angle);
                let lost = if explicit { hinge.lost(crease, end) } else { 0.0 };
                released += hinge.height * hinge.length * (lost + hinge.law.commit(crease, hinge.height, end));
                *ready = hinge.ready(crease);
            }
            released
        };
        let released = parallel::map_pieces(&mut self.creases, &mut self.ready, PIECE, commit).into_iter().sum();
        let (committed, stored) = (&self.creases, &self.stored);
        parallel::fill(creases, |place| committed[stored[place] as usize]);
        released
    }

    fn bend(&self, h: usize) -> Option<Bend> {
        let (hinge, crease) = (&self.hinges[h], &self.creases[h]);
        let curvature = curvature(crease, hinge.height);
        let moment = hinge.law.respond(crease, curvature, 0.0).moment;
        let residual = crease.rest - self.rest[h];
        // The bend that is seen, from the shape of the start's rest, not from the present one.
        Some(Bend { curvature: curvature + residual / hinge.height, moment, residual })
    }
}
