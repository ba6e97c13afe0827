//! What the user should know of a run besides its numbers.

use crate::{
    build,
    error::SimError,
    scene::Scene,
    settings::{CcdMethod, IntegratorKind, Settings, Unresolved},
    simulation::Simulation,
};
use muslin_dynamics::integrators::stable_step;

/// RK4 stays stable up to ωh = 2.83, the other explicit schemes up to 2 at best [-].
const RUNGE_KUTTA_REACH: f64 = 1.41;
/// Part of an estimated stable step that is a safe choice [-].
const SAFE_PART: f64 = 0.5;
/// Explicit steps of bending that a scene file may ask for.
const MOST_SUBSTEPS: f64 = 100.0;
/// Elongation beyond the limiter's limit that is worth a word [-].
const NOTABLE_EXCESS: f64 = 1e-3;
/// Residual of a scheme of one iteration that is worth a word, in tolerances of the schemes that iterate [-]. Smooth
/// motion leaves some of them; by a hundred a vertex is pulled by its own weight too much.
const NOTABLE_RESIDUAL: f64 = 100.0;

/// How many times the stable step of symplectic Euler a scheme may take [-]; `None` if it may take any.
pub(crate) fn reach(integrator: IntegratorKind) -> Option<f64> {
    match integrator {
        IntegratorKind::RungeKutta4 => Some(RUNGE_KUTTA_REACH),
        IntegratorKind::ExplicitEuler
        | IntegratorKind::SymplecticEuler
        | IntegratorKind::Midpoint
        | IntegratorKind::Verlet { .. }
        | IntegratorKind::ExplicitImplicit
        | IntegratorKind::ImplicitExplicit
        | IntegratorKind::MixedVariable => Some(1.0),
        IntegratorKind::BackwardEuler
        | IntegratorKind::LinearBackwardEuler
        | IntegratorKind::BaraffWitkin
        | IntegratorKind::Bdf2 => None,
    }
}

/// What a simulation knows of what to warn about.
pub(crate) struct Warnings {
    /// What was found when it was built.
    found: Vec<String>,
    /// The tolerance that a scheme of one iteration per step need not reach but is compared with, in mean vertex
    /// weights [-]; no other scheme has one.
    hoped_for: Option<f64>,
}

impl Warnings {
    /// Nothing found yet.
    pub(crate) fn new(settings: &Settings) -> Self {
        // With a bound on the stretch of a step the error has one too; without it nothing else tells.
        let once = matches!(settings.integrator, IntegratorKind::LinearBackwardEuler | IntegratorKind::BaraffWitkin)
            && settings.adaptive.is_none();
        Warnings { found: Vec::new(), hoped_for: once.then_some(settings.newton.residual) }
    }
}

impl Warnings {
    /// Something found when the simulation was built.
    pub(crate) fn add(&mut self, text: String) {
        self.found.push(text);
    }
}

impl Simulation {
    /// Says before the first step whether an explicit scheme can take it. `step` is the one it will take [s].
    pub(crate) fn check_step(&mut self, settings: &Settings, step: f64) {
        // An adaptive step finds its own length.
        let (Some(reach), None) = (reach(settings.integrator), settings.adaptive) else { return };
        self.drive(step);
        self.system.gather(&self.state.positions, &mut self.phase.positions);
        self.system.gather(&self.state.velocities, &mut self.phase.velocities);
        let longest = reach * stable_step(&self.system, &self.phase, &self.constraints);
        if step > longest {
            self.warnings.found.push(format!(
                "steps of {step:.2e} s are longer than `{}` can take, about {longest:.2e} s in the state at the start: \
                 expect it to blow up; set `step` to {:.1e} or use an implicit integrator",
                self.integrator.name(),
                SAFE_PART * longest,
            ));
        }
    }

    /// Says before the first step whether the short steps of bending are short enough. `step` is the long one that it will
    /// take [s].
    pub(crate) fn check_short_steps(&mut self, scene: &Scene, step: f64) -> Result<(), SimError> {
        let substeps = build::substeps(scene)?;
        // An adaptive step finds its own length.
        if substeps == 0 || scene.settings.adaptive.is_some() {
            return Ok(());
        }
        let mut bending = build::steepest_bending(scene, &self.model)?;
        self.drive(step);
        bending.gather(&self.state.positions, &mut self.phase.positions);
        bending.gather(&self.state.velocities, &mut self.phase.velocities);
        bending.first_creases(&self.phase.positions);
        let longest = stable_step(&bending, &self.phase, &self.constraints);
        let short = step / f64::from(substeps);
        if short > longest {
            let enough = (step / (SAFE_PART * longest)).ceil();
            let remedy = if enough <= MOST_SUBSTEPS {
                format!("set `substeps` to {enough}")
            } else {
                format!("set `step` to {:.1e}", SAFE_PART * longest * f64::from(substeps))
            };
            self.warnings.found.push(format!(
                "explicit steps of bending of {short:.2e} s are longer than the steepest branch of its loop can take, about \
                 {longest:.2e} s in the state at the start: expect it to blow up; {remedy} or leave `substeps` out",
            ));
        }
        Ok(())
    }

    /// Says that nothing is certain with a continuous test that misses contacts.
    pub(crate) fn check_method(&mut self, settings: &Settings) {
        let method = settings.collision.ccd_method;
        if self.has_contact() && method != CcdMethod::Certified {
            self.warnings.found.push(format!(
                "`settings.collision.ccd_method = \"{}\"` misses contacts: cloth may pass through, and this run is not certified; \
                 leave the key out for the test that misses nothing",
                method.name(),
            ));
        }
        self.check_unresolved(settings);
    }

    /// Says that steps are taken whose contacts nothing resolved.
    fn check_unresolved(&mut self, settings: &Settings) {
        if self.has_contact() && settings.contact.cascade.unresolved == Unresolved::Accept {
            self.warnings.found.push(
                "`settings.contact.unresolved = \"accept\"` keeps steps whose contacts nothing resolved: cloth may pass \
                 through, and this run is not certified; leave the key out for steps that are shortened instead"
                    .into(),
            );
        }
    }

    /// What the user should know of the run so far; empty is good.
    pub fn warnings(&self) -> Vec<String> {
        let (mut warnings, tally) = (self.warnings.found.clone(), &self.tally);
        warnings.extend(self.warning_of_reach());
        if tally.unfinished_solves > 0 {
            warnings.push(format!(
                "{} linear solves ran into their limit of iterations: raise `settings.linear.most_iterations`, choose \
                 another `settings.linear.preconditioner` or soften the material",
                tally.unfinished_solves
            ));
        }
        if tally.limiter_excess > NOTABLE_EXCESS {
            warnings.push(format!(
                "the limiter left an elongation of {:.1} % beyond its limit: pins may be too far apart, or it needs more \
                 passes",
                100.0 * tally.limiter_excess
            ));
        }
        if let Some(tolerance) = self.warnings.hoped_for
            && tally.worst_residual > NOTABLE_RESIDUAL * tolerance
        {
            warnings.push(format!(
                "`{}` takes one iteration per step and is not solved to a tolerance: somewhere a vertex was pulled by {:.3e} \
                 vertex weights that the step did not account for, where solved steps stay below {tolerance}; see \
                 `max_strain` for what this does to the cloth, and use shorter steps or `settings.integrator = \
                 \"backward-euler\"` if you need solved ones",
                self.integrator.name(),
                tally.worst_residual,
            ));
        }
        warnings
    }
}
