//! The mixed explicit/implicit schemes (V 7.2.3, after Bridson, Marino and Fedkiw 2003): positions leap
//! explicitly, velocities feel their damping implicitly.
//!
//! With a(t, x, v) = M⁻¹ f and h the step:
//!
//! | order | half step | position | half step |
//! |---|---|---|---|
//! | explicit, implicit (V 7.9) | w = v + ½h a(t, x, v) | x′ = x + h w | v′ = w + ½h a(t′, x′, v′) |
//! | implicit, explicit (V 7.10) | w = v + ½h a(t, x, w) | x′ = x + h w | v′ = w + ½h a(t′, x′, w) |
//! | variable | u = v + ½h a(t, x, u) | x′ = x + h u | v′ = v + ½h a(t, x, v) + ½h a(t′, x′, v′) |
//!
//! V prints v′ on both sides of 7.10's last line and still calls it explicit; it is w. V mentions the third
//! without printing it: the position of the second with the velocities of the first.
//!
//! Order 2, all three. x′ = x + h v(t + h/2) + O(h³). In the first and third v follows the trapezium rule. In
//! the second the last half step of one step and the first of the next see the same x and together are the
//! trapezium rule for the staggered w; where the step changes, the halves leave c (h₋² − h²), and such terms
//! cancel in the sum. (V warns that the second loses accuracy when the step varies; its order does not.)
//!
//! Strong damping is where they differ. With z = ½hd, d the damping rate, the first moves the position with
//! (1 − z) v, which throws it far off for z ≫ 1, the other two with v/(1 + z).
//!
//! Without damping all three are velocity Verlet: stable for ωh < 2, bounded energy. V applied the implicit
//! halves to elastic forces as well; that evaluates them at x + ½h w in one half and at x′ in the other,
//! off-centre by h/4, and falls back to order 1, so it is not done here.
//!
//! The strain limits between V's lines are the limiter's business ([`crate::limits`]).

use super::{
    Integrator, Phase, StepError, StepInput, StepOutcome,
    implicit_velocity::{ImplicitVelocity, VelocityCost, VelocityProblem},
    stages::{HeldMotion, Moment, commit, fit},
};
use crate::{interrupt::Interrupt, system::System};
use glam::DVec3;
use muslin_model::parallel;

/// Which half steps are implicit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MixedOrder {
    /// An explicit half step, then an implicit one.
    ExplicitImplicit,
    /// An implicit half step, then an explicit one.
    ImplicitExplicit,
    /// The position from an implicit half step, the velocity by the trapezium rule; for variable steps.
    Variable,
}

/// A mixed scheme with its work arrays.
#[derive(Debug)]
pub struct Mixed {
    order: MixedOrder,
    held: HeldMotion,
    implicit: ImplicitVelocity,
    start: Vec<DVec3>,
    acceleration: Vec<DVec3>,
    half: Vec<DVec3>,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
}

impl Mixed {
    /// A scheme with its half steps in this order.
    pub fn new(order: MixedOrder) -> Self {
        let none = Vec::new;
        Mixed {
            order,
            held: HeldMotion::default(),
            implicit: ImplicitVelocity::default(),
            start: none(),
            acceleration: none(),
            half: none(),
            x: none(),
            v: none(),
        }
    }
}

impl Integrator for Mixed {
    fn name(&self) -> &'static str {
        match self.order {
            MixedOrder::ExplicitImplicit => "explicit-implicit",
            MixedOrder::ImplicitExplicit => "implicit-explicit",
            MixedOrder::Variable => "mixed-variable",
        }
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.implicit.heed(interrupt);
    }

    fn step(&mut self, system: &mut System, phase: &mut Phase, input: &StepInput) -> Result<StepOutcome, StepError> {
        let (count, tau, held) = (phase.positions.len(), 0.5 * input.step, input.constraints);
        for work in [&mut self.start, &mut self.acceleration, &mut self.half, &mut self.x, &mut self.v] {
            fit(work, count);
        }
        let mut cost = VelocityCost::default();
        self.held.begin(&phase.positions, input);
        self.start.copy_from_slice(&phase.velocities);
        self.held.carry(held, &mut self.start);
        let first = VelocityProblem {
            constraints: held,
            time: input.time,
            positions: &phase.positions,
            tau,
            from: &self.start,
        };

        // The velocity that carries the position.
        if self.order == MixedOrder::ExplicitImplicit {
            let at = Moment { time: input.time, positions: &phase.positions, velocities: &self.start };
            self.held.accelerate(system, held, at, &mut self.acceleration);
            cost.force_evaluations += 1;
            let (v, a) = (&self.start, &self.acceleration);
            parallel::fill(&mut self.half, |i| v[i] + a[i] * tau);
        } else {
            self.implicit.solve(system, &mut self.held, &first, &mut self.half, &mut cost)?;
        }
        self.held.count(0.5);
        let (start, half) = (&phase.positions, &self.half);
        parallel::fill(&mut self.x, |i| start[i] + half[i] * input.step);
        held.impose(&mut self.x);

        // The velocity at the end.
        if self.order == MixedOrder::Variable {
            let at = Moment { time: input.time, positions: &phase.positions, velocities: &self.start };
            self.held.accelerate(system, held, at, &mut self.acceleration);
            cost.force_evaluations += 1;
            let (v, a) = (&self.start, &self.acceleration);
            parallel::fill(&mut self.half, |i| v[i] + a[i] * tau);
        }
        let time = input.time + input.step;
        if self.order == MixedOrder::ImplicitExplicit {
            let at = Moment { time, positions: &self.x, velocities: &self.half };
            self.held.accelerate(system, held, at, &mut self.acceleration);
            cost.force_evaluations += 1;
            let (v, a) = (&self.half, &self.acceleration);
            parallel::fill(&mut self.v, |i| v[i] + a[i] * tau);
        } else {
            let last = VelocityProblem { constraints: held, time, positions: &self.x, tau, from: &self.half };
            self.implicit.solve(system, &mut self.held, &last, &mut self.v, &mut cost)?;
        }
        self.held.count(0.5);
        let work = self.held.work(system, held, &phase.velocities, input.step);
        commit(phase, input, &mut self.x, &mut self.v)?;
        Ok(StepOutcome {
            newton_iterations: cost.newton_iterations,
            pcg_iterations: cost.pcg_iterations,
            worst_residual: cost.worst_residual,
            force_evaluations: cost.force_evaluations,
            unfinished_solves: cost.unfinished_solves,
            work,
        })
    }
}
