//! Two rates (W 4.3): bending explicitly in short steps h_e, all else implicitly in long ones, h_i = α h_e.
//!
//! Within a step bending alone moves the cloth in α steps of symplectic Euler. Where they lead is where the implicit scheme
//! takes inertia to lead, and in it bending has no part; what it adds to the way, it adds to the velocity that they ended with.
//! (With their velocity alone, on the old positions, the short steps would gain nothing: the whole one would have to be stable.)
//! Forces that are to be taken so say it themselves ([`crate::forces::Force::is_explicit`]). Their memory stays that of the
//! last Commit over all of the step, and what their friction takes is counted there: within the short steps cloth moves as if it
//! had no membrane, and friction on that way is no loss. Order 1, and stable only while h_e is below the stable step of bending: 2/ω for the fastest
//! bending mode of the mesh, with the rigidity 2b₁ − b₂ of its steepest branch.
//!
//! The scheme within must have one step: a velocity at the start has the weight of a whole step in backward Euler, but not in
//! BDF2.

use super::{
    Integrator, Phase, StepError, StepInput, StepOutcome,
    stages::{HeldMotion, fit},
};
use crate::{
    domains::VertexPart, energy::Powers, forces::Force, interrupt::Interrupt, linear::Preconditioner, system::System,
};
use glam::DVec3;
use muslin_model::parallel;

/// An implicit scheme with explicit bending.
pub struct TwoRate {
    inner: Box<dyn Integrator>,
    /// α.
    substeps: u32,
    held: HeldMotion,
    forces: Vec<DVec3>,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    start: Vec<DVec3>,
}

impl TwoRate {
    /// A backward Euler scheme whose explicit forces take so many steps in each of its own.
    pub fn new(inner: Box<dyn Integrator>, substeps: u32) -> Self {
        let none = Vec::new;
        let held = HeldMotion::default();
        TwoRate { inner, substeps: substeps.max(1), held, forces: none(), x: none(), v: none(), start: none() }
    }

    /// Sets `forces` to the explicit forces at `x` and `v`; returns the powers of what is not conservative.
    fn evaluate(&mut self, system: &System) -> Powers {
        let mut powers = Powers::default();
        self.forces.fill(DVec3::ZERO);
        for force in system.forces.iter().filter(|force| force.is_explicit()) {
            let force: &dyn Force = force.as_ref();
            let (x, v) = (&self.x, &self.v);
            let add = |range, part: &mut VertexPart| force.add_force(range, x, v, part);
            powers.add(force.account(), system.domains.accumulate(force.elements(), &mut self.forces, add));
        }
        powers
    }
}

impl Integrator for TwoRate {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.inner.heed(interrupt);
    }

    fn step(&mut self, system: &mut System, phase: &mut Phase, input: &StepInput) -> Result<StepOutcome, StepError> {
        let (count, held, short) = (phase.positions.len(), input.constraints, input.step / f64::from(self.substeps));
        for work in [&mut self.forces, &mut self.x, &mut self.v, &mut self.start] {
            fit(work, count);
        }
        self.held.begin(&phase.positions, input);
        self.start.copy_from_slice(&phase.velocities);
        self.x.copy_from_slice(&phase.positions);
        self.v.copy_from_slice(&phase.velocities);
        self.held.carry(held, &mut self.v);
        let (mut damping, mut borne) = (0.0, 0.0);
        for _ in 0..self.substeps {
            damping += self.evaluate(system).damping * short;
            borne += self.held.power_of(held, &self.forces) * short;
            let masses = &system.masses;
            parallel::update(&mut self.forces, |i, f| *f / masses[i]);
            held.filter(&mut self.forces);
            parallel::zip_axpy(&mut self.v, short, &self.forces);
            parallel::zip_axpy(&mut self.x, short, &self.v);
        }
        // The mean velocity of the short steps leads the scheme to their end; `forces` has how it differs from their last.
        let (x, v, positions) = (&self.x, &self.v, &phase.positions);
        parallel::fill(&mut phase.velocities, |i| (x[i] - positions[i]) / input.step);
        let mean = &phase.velocities;
        parallel::fill(&mut self.forces, |i| v[i] - mean[i]);
        held.filter(&mut self.forces);
        // What is held began with its own velocity: the scheme counts the work of pins by how they change it.
        held.keep_held(&self.start, &mut phase.velocities);
        let stepped = self.inner.step(system, phase, input);
        let before = if stepped.is_ok() { &mut phase.previous_velocities } else { &mut phase.velocities };
        before.copy_from_slice(&self.start);
        let mut outcome = stepped?;
        parallel::zip_axpy(&mut phase.velocities, 1.0, &self.forces);
        outcome.work.damping += damping;
        outcome.work.pins -= borne;
        outcome.force_evaluations += self.substeps as usize;
        Ok(outcome)
    }

    fn memory(&self) -> Option<&dyn Preconditioner> {
        self.inner.memory()
    }

    fn memory_mut(&mut self) -> Option<&mut dyn Preconditioner> {
        self.inner.memory_mut()
    }
}
