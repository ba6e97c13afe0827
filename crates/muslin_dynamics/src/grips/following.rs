//! Friction of what slides follows its speed: the first of the two rules of [`super`].

use super::{Grips, Hold};
use crate::supports::Supports;
use glam::DVec3;
use muslin_model::FrictionLaw;

/// Iterations for the speed that belongs to a change of friction, and the part to which they find it [-].
const SPEED_ITERATIONS: usize = 8;
const SPEED_EXACT: f64 = 1e-3;
/// The slope of friction counts at most for so much less than inertia [-]: beyond, there is no root nearby.
const LEAST_SLOPE: f64 = 0.25;
/// The slowest sliding that a curve is asked for [m/s]: its slope at rest is infinite.
pub const SLOWEST: f64 = 1e-6;

/// The speed to which friction brings a contact that slid at a speed with some friction over the load, where `c` times a change
/// of that is a change of speed [m/s]; a speed below 0 is one backwards.
pub fn balanced_speed(law: &FrictionLaw, load: f64, speed: f64, used: f64, c: f64) -> f64 {
    let mut v = speed.max(SLOWEST);
    for _ in 0..SPEED_ITERATIONS {
        let error = v - speed + c * (law.at(v, load) - used);
        let steep = f64::max(1.0 + c * law.slope(v, load), LEAST_SLOPE);
        let next = (v - error / steep).max(SLOWEST);
        let settled = (next - v).abs() <= SPEED_EXACT * v;
        v = next;
        if settled {
            break;
        }
    }
    v
}

impl Supports {
    /// Lets the friction of what slides follow its speed at some positions [m], under the load of each support [N], with the
    /// masses of the vertices [kg]; returns the sum of all changes in parts of all friction [-].
    pub fn follow_speeds(&mut self, positions: &[DVec3], masses: &[f64], load: impl Fn(usize) -> f64) -> f64 {
        let Supports { list, grips: Grips { list: grips, loads, .. }, rate, .. } = self;
        if grips.is_empty() {
            return 0.0;
        }
        let (mut changes, mut all) = (0.0, 0.0);
        loads.clear();
        loads.resize(positions.len(), 0.0);
        for (k, support) in list.iter().enumerate() {
            let force = load(k);
            support.movable().for_each(|(v, w)| loads[v as usize] += w.abs() * force);
        }
        for (k, (support, grip)) in list.iter_mut().zip(grips).enumerate() {
            let force = load(k);
            all += support.coefficient * force;
            if grip.hold == Hold::Sticks {
                continue;
            }
            let way = support.across(support.at(positions));
            let speed = grip.speed_after(support, way, *rate);
            // Too much friction may turn a contact round in a solve; less of it will not.
            let speed = if way.dot(grip.velocity) < 0.0 { -speed } else { speed };
            let (before, drag) = (support.coefficient, support.drag);
            // All friction over the load that acted in the solve.
            let used = before + if force > 0.0 { drag * speed / (*rate * force) } else { 0.0 };
            let share = support.movable().map(|(v, w)| w.abs() * loads[v as usize] / masses[v as usize]);
            let c = share.sum::<f64>() / *rate;
            let then = grip.speed.max(SLOWEST);
            grip.speed = match speed {
                0.0 => 0.0,
                _ => balanced_speed(&grip.law, force, speed, used, c),
            };
            if (grip.law.dry(grip.speed) - before) * grip.followed < 0.0 {
                grip.part *= 0.5;
            }
            if grip.part < 1.0 {
                grip.speed = then * (grip.speed.max(SLOWEST) / then).powf(grip.part);
            }
            grip.limit(support, force);
            grip.followed = support.coefficient - before;
            changes += (support.coefficient - before).abs() * force + (support.drag - drag).abs() * speed.abs() / *rate;
            all += support.drag * speed.abs() / *rate;
        }
        if all > 0.0 { changes / all } else { 0.0 }
    }
}
