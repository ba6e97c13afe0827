//! Air that presses on the cloth along its normal, with gusts (V 4.5 with the quadratic law of a fluid).
//!
//! A triangle of area A and unit normal n feels F = ½ ρ c A |w_n| w_n n, w_n = n·(u − v̄), where u is the air's
//! velocity and v̄ the mean of its corners'; each corner takes a third. (V's law is linear in w_n, per vertex,
//! with a free constant; pressure on a plate in air grows with the square, and then ρ and c are measurable.)
//!
//! An implicit step freezes A and n at the start of the step (two-step schemes: at positions extrapolated to
//! its end, to keep their order) and uses v̄ = (x̄ − x̂)/τ. The force then derives from D = τ ½ ρ c A |w_n|³/3, which is convex: no
//! step length lets the wind pump a solver. With moving normals F has a Jacobian that is neither symmetric
//! nor definite, which is why flags in the wind are known to be hard for implicit solvers.

use super::{
    Account, Effort, Force, HessianKind, Layout,
    elements::{Elements, outer, placed_by},
};
use crate::{
    domains::{BlockPart, VertexPart},
    system::Past,
};
use glam::DVec3;
use muslin_model::{Model, Wind as Air, parallel};
use std::ops::Range;

/// What stays constant over an implicit step.
#[derive(Clone, Copy, Debug, Default)]
struct Frozen {
    /// Unit normal [-]; zero for a triangle without area.
    normal: DVec3,
    /// ½ ρ c A [kg/m].
    pressure: f64,
    /// Mean of the corners' reference positions x̂ [m].
    reference: DVec3,
}

/// The wind on all faces given to it.
pub struct Wind {
    air: Air,
    elements: Elements<3>,
    frozen: Vec<Frozen>,
    /// Time of the next explicit force [s].
    time: f64,
    /// Air's velocity at the end of the implicit step [m/s].
    velocity_end: DVec3,
    tau: f64,
}

impl Wind {
    /// The wind of the model's environment on some of its faces.
    pub fn new(model: &Model, faces: &[u32], layout: &Layout) -> Self {
        let stencils: Vec<[u32; 3]> = faces.iter().map(|&f| model.mesh.triangles[f as usize]).collect();
        let (elements, _) = Elements::new(&stencils, layout);
        Wind {
            air: model.environment.wind.clone(),
            frozen: vec![Frozen::default(); elements.len()],
            elements,
            time: 0.0,
            velocity_end: DVec3::ZERO,
            tau: f64::INFINITY,
        }
    }

    /// Relative speed along the normal at the end of an implicit step [m/s].
    #[inline]
    fn normal_speed(&self, triangle: usize, positions: &[DVec3]) -> f64 {
        let frozen = &self.frozen[triangle];
        let velocity = (mean(self.elements.gather(triangle, positions)) - frozen.reference) / self.tau;
        frozen.normal.dot(self.velocity_end - velocity)
    }
}

#[inline]
fn mean([a, b, c]: [DVec3; 3]) -> DVec3 {
    (a + b + c) / 3.0
}

/// Length of this step over that of the last [-], from the weight (1+r)²/(1+2r) of variable-step BDF2.
fn step_ratio(start_weight: f64) -> f64 {
    let excess = start_weight - 1.0;
    excess + (excess * excess + excess).sqrt()
}

/// Unit normal and ½ ρ c A of a triangle.
#[inline]
fn sail(air: &Air, [a, b, c]: [DVec3; 3]) -> (DVec3, f64) {
    let cross = (b - a).cross(c - a);
    let area2 = cross.length();
    let normal = if area2 > 0.0 { cross / area2 } else { DVec3::ZERO };
    (normal, 0.25 * air.density * air.normal_drag * area2)
}

impl Force for Wind {
    fn name(&self) -> &'static str {
        "wind"
    }

    placed_by!(elements);

    fn is_external(&self) -> bool {
        true
    }

    fn account(&self) -> Account {
        Account::Wind
    }

    fn set_time(&mut self, time: f64) {
        self.time = time;
    }

    fn add_force(
        &self,
        elements: Range<usize>,
        positions: &[DVec3],
        velocities: &[DVec3],
        out: &mut VertexPart,
    ) -> f64 {
        let mut power = 0.0;
        let air_velocity = self.air.velocity_at(self.time);
        for t in elements {
            let (normal, pressure) = sail(&self.air, self.elements.gather(t, positions));
            let own = normal.dot(mean(self.elements.gather(t, velocities)));
            let speed = normal.dot(air_velocity) - own;
            let push = pressure * speed.abs() * speed;
            power += push * own;
            let share = normal * (push / 3.0);
            self.elements.scatter(t, [share; 3], out);
        }
        power
    }

    fn begin_step(&mut self, past: &Past) {
        self.tau = past.tau;
        self.velocity_end = self.air.velocity_at(past.time_end);
        let (air, elements) = (&self.air, &self.elements);
        let ratio = step_ratio(past.start_weight);
        parallel::fill(&mut self.frozen, |t| {
            let start = elements.gather(t, past.start);
            if !past.two_steps() {
                let (normal, pressure) = sail(air, start);
                return Frozen { normal, pressure, reference: mean(start) };
            }
            let before = elements.gather(t, past.before);
            let ahead = std::array::from_fn(|k| start[k] + (start[k] - before[k]) * ratio);
            let (normal, pressure) = sail(air, ahead);
            Frozen { normal, pressure, reference: past.combine(mean(start), mean(before)) }
        });
    }

    fn add_gradient(&self, elements: Range<usize>, positions: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut effort = Effort::default();
        for t in elements {
            let (frozen, speed) = (&self.frozen[t], self.normal_speed(t, positions));
            let push = frozen.pressure * speed.abs() * speed;
            if push == 0.0 {
                // Also before the first step, when τ is infinite.
                continue;
            }
            effort.potential += self.tau * push * speed / 3.0;
            effort.power += push * (frozen.normal.dot(self.velocity_end) - speed);
            self.elements.scatter(t, [frozen.normal * (-push / 3.0); 3], out);
        }
        effort
    }

    fn add_hessian(&self, elements: Range<usize>, positions: &[DVec3], _: HessianKind, out: &mut BlockPart) {
        for t in elements {
            let frozen = &self.frozen[t];
            let stiffness = 2.0 * frozen.pressure * self.normal_speed(t, positions).abs() / (9.0 * self.tau);
            let block = outer(frozen.normal, frozen.normal) * stiffness;
            self.elements.scatter_blocks(t, |_, _| block, out);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn step_ratio_inverts_the_weights_of_bdf2() {
        for r in [0.25_f64, 0.5, 1.0, 2.0, 3.0] {
            let weight = (1.0 + r).powi(2) / (1.0 + 2.0 * r);
            assert!((super::step_ratio(weight) - r).abs() < 1e-14);
        }
    }
}
