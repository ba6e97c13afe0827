//! Where the energy is and where it goes.
//!
//! Over a run, energy(end) − energy(start) = work of the pins + work of the forces that depend on velocity
//! (internal damping, air) + what the scheme itself adds or takes. The last is what an honest report shows:
//! backward Euler takes a lot at long steps, symplectic schemes nothing on average. The ledger sums the
//! known terms step by step; the rest is the scheme's.

use crate::{integrators::Phase, system::System};
use glam::DVec3;
use muslin_model::parallel;

/// Energy of the cloth [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Σ ½ m v².
    pub kinetic: f64,
    /// Stored in stretch, shear and bending.
    pub elastic: f64,
    /// −Σ m g·x, zero at the origin.
    pub gravity: f64,
}

impl Energies {
    /// Measures a state in the solver's order.
    pub fn of(system: &System, positions: &[DVec3], velocities: &[DVec3]) -> Self {
        let (count, masses) = (positions.len(), &system.masses);
        Energies {
            kinetic: parallel::sum(count, |i| 0.5 * masses[i] * velocities[i].length_squared()),
            elastic: system.elastic_energy(positions),
            gravity: -parallel::sum(count, |i| masses[i] * system.gravity.dot(positions[i])),
        }
    }

    /// The sum [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// Sums the work that changes the energy, step by step.
#[derive(Clone, Debug, Default)]
pub struct EnergyLedger {
    /// Energy at the start.
    pub start: Energies,
    /// Work of the pins so far [J].
    pub pin_work: f64,
    /// Work of the forces that depend on velocity so far [J]; negative for damping.
    pub damping_work: f64,
    /// Their power in the state that the last step ended with [W].
    power: f64,
    moving: Vec<DVec3>,
    still: Vec<DVec3>,
    zero: Vec<DVec3>,
}

impl EnergyLedger {
    /// Opens the ledger in a state.
    pub fn open(system: &System, phase: &Phase) -> Self {
        let mut ledger =
            EnergyLedger { start: Energies::of(system, &phase.positions, &phase.velocities), ..Default::default() };
        ledger.power = ledger.damping_power(system, &phase.positions, &phase.velocities);
        ledger
    }

    /// Power of the forces that depend on velocity, (f(x, v) − f(x, 0))·v [W].
    pub fn damping_power(&mut self, system: &System, positions: &[DVec3], velocities: &[DVec3]) -> f64 {
        for work in [&mut self.moving, &mut self.still, &mut self.zero] {
            work.resize(positions.len(), DVec3::ZERO);
        }
        system.force(positions, velocities, &mut self.moving);
        system.force(positions, &self.zero, &mut self.still);
        let (moving, still) = (&self.moving, &self.still);
        parallel::sum(positions.len(), |i| (moving[i] - still[i]).dot(velocities[i]))
    }

    /// Enters a step that has been taken: `phase` is its end, `step` its length [s], `pin_work` from the
    /// integrator's outcome [J]. Power is taken as linear over the step.
    pub fn enter(&mut self, system: &System, phase: &Phase, step: f64, pin_work: f64) {
        let power = self.damping_power(system, &phase.positions, &phase.velocities);
        self.damping_work += 0.5 * step * (self.power + power);
        self.pin_work += pin_work;
        self.power = power;
    }

    /// What the scheme has added [J], or taken if negative.
    pub fn scheme_work(&self, now: &Energies) -> f64 {
        now.total() - self.start.total() - self.pin_work - self.damping_work
    }
}
