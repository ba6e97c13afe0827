//! What all explicit stages share: held vertices on their straight way, accelerations, and the commit.

use super::{Phase, StepError, StepInput};
use crate::{
    constraints::Constraints,
    energy::{Powers, Work},
    system::System,
};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// The motion of held directions within one step: straight, at constant velocity, to the target.
///
/// A pin on a curved path is thus followed to second order only; a fourth-order scheme keeps its order with
/// pins that rest or move uniformly.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldMotion {
    /// Velocity of the held directions of each held vertex, zero in the free ones [m/s].
    velocities: Vec<DVec3>,
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
        self.velocities.clear();
        self.velocities.extend(held.vertices.iter().zip(&held.free).zip(&held.targets).map(
            |((&vertex, &free), &target)| (DMat3::IDENTITY - free) * ((target - start[vertex as usize]) / input.step),
        ));
    }

    /// Puts the held directions of `positions` where they are after `elapsed` seconds.
    pub(super) fn place(&self, held: &Constraints, start: &[DVec3], elapsed: f64, positions: &mut [DVec3]) {
        for ((&vertex, &free), &velocity) in held.vertices.iter().zip(&held.free).zip(&self.velocities) {
            let (begin, x) = (start[vertex as usize], &mut positions[vertex as usize]);
            *x = begin + projected(free, *x - begin) + velocity * elapsed;
        }
    }

    /// Gives the held directions of `velocities` the velocity of their motion.
    pub(super) fn carry(&self, held: &Constraints, velocities: &mut [DVec3]) {
        for ((&vertex, &free), &velocity) in held.vertices.iter().zip(&held.free).zip(&self.velocities) {
            velocities[vertex as usize] = projected(free, velocities[vertex as usize]) + velocity;
        }
    }

    /// Sets `out` to the accelerations of the free directions [m/s²]; held directions get 0.
    pub(super) fn accelerate(&mut self, system: &mut System, held: &Constraints, at: Moment, out: &mut [DVec3]) {
        system.set_time(at.time);
        self.powers = system.force(at.positions, at.velocities, out);
        self.power = held.vertices.iter().zip(&self.velocities).map(|(&vertex, u)| u.dot(out[vertex as usize])).sum();
        let masses = &system.masses;
        parallel::update(out, |i, &f| f / masses[i]);
        held.filter(out);
    }

    /// Counts the forces that were evaluated last, with their weight in the step [-].
    pub(super) fn count(&mut self, weight: f64) {
        self.mean_power += weight * self.power;
        self.mean_powers.damping += weight * self.powers.damping;
        self.mean_powers.wind += weight * self.powers.wind;
        self.mean_powers.drag += weight * self.powers.drag;
    }

    /// Work over the step. Pins change the momentum of their vertices and bear the forces on them; the others
    /// have their mean power. `velocities` are those before the step.
    pub(super) fn work(&self, system: &System, held: &Constraints, velocities: &[DVec3], step: f64) -> Work {
        let momentum =
            |(&vertex, &u): (&u32, &DVec3)| system.masses[vertex as usize] * (u - velocities[vertex as usize]).dot(u);
        let pins = held.vertices.iter().zip(&self.velocities).map(momentum).sum::<f64>() - self.mean_power * step;
        Work { pins, ..self.mean_powers.over(step) }
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
