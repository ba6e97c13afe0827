//! Rigid impact zones (W 3.3.3, V 4.1.4, after Provot 1997): the vertices of a zone move on as one rigid body.
//!
//! Within a zone nothing can meet any more, if nothing did when the step began. With the masses of its vertices, the zone
//! keeps its momentum and its angular momentum: v = v_cm + ω × r with ω = I⁻¹ L. Both papers take velocities from
//! the new positions, and V takes the unweighted mean; the chord of a turn is shorter than its arc, so that angular
//! momentum would shrink by sin φ/φ. Here positions turn by ω Δt about the axis, and the velocity at the end is that of
//! the turned body with the same angular momentum.
//!
//! Detection sees each vertex move along the chord, and chords bring a turning body together in the middle of
//! the step, by 1 − cos(φ/2). So a zone that turns by more than 30° asks for a shorter step.
//!
//! A zone with a vertex that the scene moves is no free body. It is solved as a non-linear zone.

use super::{ContactResponse, Motion, NonLinearZones, Response, Takes};
use crate::{
    contact::Contact,
    zones::{Zone, zones},
};
use glam::{DMat3, DQuat, DVec3};

/// The largest turn of a zone in a step [rad]: 30°.
pub const LARGEST_TURN: f64 = std::f64::consts::PI / 6.0;

/// Rounds before the next link gets what is left. A zone that turns may stay a little too near by its chords.
const MOST_ROUNDS: usize = 12;

/// Points on a line have no inertia about it; this part of the trace is added there [-].
const LEAST_INERTIA: f64 = 1e-12;

/// Rigid impact zones.
#[derive(Clone, Copy, Debug, Default)]
pub struct RigidZones;

impl ContactResponse for RigidZones {
    fn name(&self) -> &'static str {
        "rigid-zones"
    }

    fn takes(&self) -> Takes {
        Takes::Accumulated
    }

    fn most_rounds(&self) -> usize {
        MOST_ROUNDS
    }

    fn respond(&mut self, motion: &mut Motion, contacts: &[Contact]) -> Response {
        let (free, bound): (Vec<Zone>, Vec<Zone>) =
            zones(contacts, motion.inverse_mass).into_iter().partition(|zone| !zone.kinematic);
        let mut response = NonLinearZones.respond_in(motion, contacts, &bound);
        for zone in &free {
            let turn = move_rigidly(motion, &zone.vertices);
            response.turned_too_far += usize::from(turn > LARGEST_TURN);
        }
        response.zones += free.len();
        response
    }
}

/// Moves vertices as one body; returns by how much it turns [rad].
fn move_rigidly(motion: &mut Motion, vertices: &[u32]) -> f64 {
    let h = motion.step.length;
    let mass = |v: u32| 1.0 / motion.inverse_mass[v as usize];
    let velocity = |v: u32| (motion.wanted[v as usize] - motion.start[v as usize]) / h;
    let whole: f64 = vertices.iter().map(|&v| mass(v)).sum();
    let mean = |of: &dyn Fn(u32) -> DVec3| vertices.iter().map(|&v| of(v) * mass(v)).sum::<DVec3>() / whole;
    let centre = mean(&|v| motion.start[v as usize]);
    let speed = mean(&velocity);
    let (mut inertia, mut angular) = (DMat3::ZERO, DVec3::ZERO);
    for &v in vertices {
        let r = motion.start[v as usize] - centre;
        inertia += (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer(r)) * mass(v);
        angular += r.cross(velocity(v) - speed) * mass(v);
    }
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    if !(trace > 0.0) {
        // One point, or several at one place.
        for &v in vertices {
            motion.place(v, motion.start[v as usize] + speed * h);
        }
        return 0.0;
    }
    inertia += DMat3::from_diagonal(DVec3::splat(LEAST_INERTIA * trace));
    let spin = inertia.inverse() * angular;
    let turn = DQuat::from_scaled_axis(spin * h);
    let turned = DMat3::from_quat(turn);
    let spin_end = turned * (inertia.inverse() * (turned.transpose() * angular));
    for &v in vertices {
        let r = turn * (motion.start[v as usize] - centre);
        let rest = motion.wanted_velocities[v as usize] - velocity(v);
        motion.end[v as usize] = centre + speed * h + r;
        // What the scheme's velocity differs from the mean of the step stays.
        motion.velocities[v as usize] = speed + spin_end.cross(r) + rest;
    }
    spin.length() * h
}

fn outer(r: DVec3) -> DMat3 {
    DMat3::from_cols(r * r.x, r * r.y, r * r.z)
}
