//! What all explicit stages share: held vertices on their way, accelerations, and the commit.

use super::{Phase, StepError, StepInput};
use crate::{
    constraints::Constraints,
    energy::{Powers, Work},
    mechanisms::Mechanisms,
    system::System,
};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// The motion of held directions within one step: straight, at constant velocity, to the target, unless a scheme asks
/// for more with [`HeldMotion::follow`].
///
/// A straight way follows a curved path to second order. The cubic with the path's velocities at both ends follows its
/// places to fourth order, and so its velocities at the ends and in the middle, which is where the stages of
/// Runge–Kutta schemes are.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldMotion {
    /// Mean velocity over the step of the held directions of each held vertex, zero in the free ones [m/s].
    chords: Vec<DVec3>,
    /// Velocity at the start of the step, and at present [m/s].
    first: Vec<DVec3>,
    velocities: Vec<DVec3>,
    /// Way since the start of the step [m].
    way: Vec<DVec3>,
    /// The last evaluated forces on the held vertices [N].
    pub(super) forces: Vec<DVec3>,
    /// Power of the last evaluated forces on the held motion [W].
    power: f64,
    /// Power of those among them that are not conservative.
    powers: Powers,
    /// Mean power on the held motion over the step so far [W].
    mean_power: f64,
    /// Mean powers of what is not conservative.
    mean_powers: Powers,
}

/// Where and when forces are asked for.
pub(super) struct Moment<'a> {
    /// [s]
    pub time: f64,
    /// [m]
    pub positions: &'a [DVec3],
    /// [m/s]
    pub velocities: &'a [DVec3],
}

impl HeldMotion {
    /// Learns the step's motion from where the vertices start.
    pub(super) fn begin(&mut self, start: &[DVec3], input: &StepInput) {
        let held = input.constraints;
        (self.mean_power, self.mean_powers) = (0.0, Powers::default());
        self.chords.clear();
        self.chords.extend(held.vertices.iter().zip(&held.free).zip(&held.targets).map(
            |((&vertex, &free), &target)| (DMat3::IDENTITY - free) * ((target - start[vertex as usize]) / input.step),
        ));
        self.first.clone_from(&self.chords);
        self.velocities.clone_from(&self.chords);
    }

    /// Goes on to a part of the step [-] on the true path of each held vertex.
    pub(super) fn follow(&mut self, input: &StepInput, part: f64) {
        let (held, step) = (input.constraints, input.step);
        self.way.clear();
        for (k, &chord) in self.chords.iter().enumerate() {
            let [start, end] = match held.velocities.get(k) {
                Some(&Some(ends)) => ends.map(|velocity| velocity - projected(held.free[k], velocity)),
                _ => [chord; 2],
            };
            let (s, t) = (part, 1.0 - part);
            self.way.push((chord * (s * s * (3.0 - 2.0 * s)) + start * (s * t * t) - end * (s * s * t)) * step);
            self.velocities[k] = chord * (6.0 * s * t) + start * (t * (1.0 - 3.0 * s)) + end * (s * (3.0 * s - 2.0));
            if part == 0.0 {
                self.first[k] = start;
            }
        }
    }

    /// Puts the held directions of `positions` where [`HeldMotion::follow`] has come to.
    pub(super) fn place(&self, held: &Constraints, start: &[DVec3], positions: &mut [DVec3]) {
        for ((&vertex, &free), &way) in held.vertices.iter().zip(&held.free).zip(&self.way) {
            let (begin, x) = (start[vertex as usize], &mut positions[vertex as usize]);
            *x = begin + projected(free, *x - begin) + way;
        }
    }

    /// Gives the held directions of `velocities` the present velocity of their motion.
    pub(super) fn carry(&self, held: &Constraints, velocities: &mut [DVec3]) {
        for ((&vertex, &free), &velocity) in held.vertices.iter().zip(&held.free).zip(&self.velocities) {
            velocities[vertex as usize] = projected(free, velocities[vertex as usize]) + velocity;
        }
    }

    /// Sets `out` to the accelerations of the free directions [m/s²]; held directions get 0.
    pub(super) fn accelerate(&mut self, system: &mut System, held: &Constraints, at: Moment, out: &mut [DVec3]) {
        system.set_time(at.time);
        self.powers = system.force(at.positions, at.velocities, out);
        self.powers.damping += Mechanisms::share(system, at.positions, at.velocities, out);
        self.power = self.power_of(held, out);
        self.forces.clear();
        self.forces.extend(held.vertices.iter().map(|&vertex| out[vertex as usize]));
        let masses = &system.masses;
        parallel::update(out, |i, &f| f / masses[i]);
        self.powers.pins += system.mechanisms.resist(masses, at.positions, at.velocities, out);
        held.filter(out);
    }

    /// Power of some forces [N] on the held motion [W].
    pub(super) fn power_of(&self, held: &Constraints, forces: &[DVec3]) -> f64 {
        held.vertices.iter().zip(&self.velocities).map(|(&vertex, u)| u.dot(forces[vertex as usize])).sum()
    }

    /// Counts the forces that were evaluated last, with their weight in the step [-].
    pub(super) fn count(&mut self, weight: f64) {
        self.mean_power += weight * self.power;
        self.mean_powers.damping += weight * self.powers.damping;
        self.mean_powers.wind += weight * self.powers.wind;
        self.mean_powers.drag += weight * self.powers.drag;
        self.mean_powers.pins += weight * self.powers.pins;
    }

    /// Work over the step. Pins change the momentum of their vertices and bear the forces on them; the others
    /// have their mean power. `velocities` are those before the step.
    pub(super) fn work(&self, system: &System, held: &Constraints, velocities: &[DVec3], step: f64) -> Work {
        let ends = self.first.iter().zip(&self.velocities);
        // A jump at the start happens at the new velocity; from there on the kinetic energy follows the path.
        let momentum = |(&vertex, (&first, &last)): (&u32, (&DVec3, &DVec3))| {
            let jump = (first - velocities[vertex as usize]).dot(first);
            system.masses[vertex as usize] * (jump + 0.5 * (last.length_squared() - first.length_squared()))
        };
        let pins = held.vertices.iter().zip(ends).map(momentum).sum::<f64>() - self.mean_power * step;
        let mut work = self.mean_powers.over(step);
        work.pins += pins;
        work
    }
}

/// The free part of a vector. No product with zero: a fully held vertex must not catch a NaN.
fn projected(free: DMat3, value: DVec3) -> DVec3 {
    if free == DMat3::ZERO { DVec3::ZERO } else { free * value }
}

/// Gives a work array the length of the system; allocates in the first step only.
pub(super) fn fit(work: &mut Vec<DVec3>, count: usize) {
    work.resize(count, DVec3::ZERO);
}

/// Puts held vertices on their targets and makes the new state the phase's, if it is finite. The arrays
/// trade places, so that nothing is copied.
pub(super) fn commit(
    phase: &mut Phase,
    input: &StepInput,
    positions: &mut Vec<DVec3>,
    velocities: &mut Vec<DVec3>,
) -> Result<(), StepError> {
    input.constraints.impose(positions);
    if let Some(vertex) = positions.iter().zip(&*velocities).position(|(x, v)| !(x.is_finite() && v.is_finite())) {
        return Err(StepError::NotFinite { vertex: vertex as u32 });
    }
    std::mem::swap(&mut phase.previous_positions, &mut phase.positions);
    std::mem::swap(&mut phase.previous_velocities, &mut phase.velocities);
    std::mem::swap(&mut phase.positions, positions);
    std::mem::swap(&mut phase.velocities, velocities);
    phase.previous_step = input.step;
    Ok(())
}

/// The vertex of the longest vector, and its length; one that is not finite counts as the longest.
pub(super) fn longest(values: &[DVec3]) -> (u32, f64) {
    let mut worst = (0, 0.0);
    for (i, value) in values.iter().enumerate() {
        let length = value.length();
        if !(length <= worst.1) {
            worst = (i as u32, length);
            if !length.is_finite() {
                break;
            }
        }
    }
    worst
}
