//! What all explicit stages share: held vertices on their straight way, accelerations, and the commit.

use super::{Phase, StepError, StepInput};
use crate::{constraints::Constraints, system::System};
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
}

impl HeldMotion {
    /// Learns the step's motion from where the vertices start.
    pub(super) fn begin(&mut self, start: &[DVec3], input: &StepInput) {
        let held = input.constraints;
        self.velocities.clear();
        self.velocities.extend(held.vertices.iter().zip(&held.free).zip(&held.targets).map(
            |((&vertex, &free), &target)| (DMat3::IDENTITY - free) * ((target - start[vertex as usize]) / input.step),
        ));
    }

    /// Puts the held directions of `positions` where they are after `elapsed` seconds.
    pub(super) fn place(&self, held: &Constraints, start: &[DVec3], elapsed: f64, positions: &mut [DVec3]) {
        for ((&vertex, &free), &velocity) in held.vertices.iter().zip(&held.free).zip(&self.velocities) {
            let (begin, x) = (start[vertex as usize], &mut positions[vertex as usize]);
            *x = begin + free * (*x - begin) + velocity * elapsed;
        }
    }

    /// Gives the held directions of `velocities` the velocity of their motion.
    pub(super) fn carry(&self, held: &Constraints, velocities: &mut [DVec3]) {
        for ((&vertex, &free), &velocity) in held.vertices.iter().zip(&held.free).zip(&self.velocities) {
            velocities[vertex as usize] = free * velocities[vertex as usize] + velocity;
        }
    }
}

/// Sets `out` to the accelerations of the free directions at a time [m/s²]; held directions get 0.
pub(super) fn accelerate(
    system: &mut System,
    held: &Constraints,
    time: f64,
    positions: &[DVec3],
    velocities: &[DVec3],
    out: &mut [DVec3],
) {
    system.set_time(time);
    system.force(positions, velocities, out);
    let masses = &system.masses;
    parallel::update(out, |i, &f| f / masses[i]);
    held.filter(out);
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
