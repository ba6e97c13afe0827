//! The energy balance of a run: start + work + integrator + closing error = end.

use muslin_sim::{Energy, Simulation};
use serde::Serialize;
use std::collections::BTreeMap;

/// Energy over a run [J].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EnergyBalance {
    /// At the start.
    pub start: Energy,
    /// At the end.
    pub end: Energy,
    /// Elastic energy at the end by force: membrane, curvature, …
    pub elastic: BTreeMap<&'static str, f64>,
    /// Work on the cloth; negative where energy was taken from it.
    pub work: EnergyWork,
    /// What the integrator itself added; negative is numerical dissipation. Everything that the other terms do not
    /// account for is in here.
    pub integrator: f64,
    /// Work of the forces that implicit steps left unbalanced, because they are solved to a tolerance: the part of
    /// the balance that would vanish with tighter ones.
    pub closing_error: f64,
}

/// Work on the cloth over a run [J].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EnergyWork {
    /// Of gravity: `start.gravity − end.gravity`, already part of the energies.
    pub gravity: f64,
    /// Of held vertices.
    pub pins: f64,
    /// Of air that presses along the normal, moving or still.
    pub wind: f64,
    /// Of viscous drag.
    pub drag: f64,
    /// Of viscosity inside the cloth.
    pub damping: f64,
    /// Of contact: repulsion, friction and the corrections of responses.
    pub contact: f64,
    /// Of the limiter on stretch.
    pub limiter: f64,
}

impl EnergyBalance {
    pub(crate) fn of(simulation: &Simulation) -> Self {
        let (start, end, done) = (simulation.start_energy(), simulation.energy(), simulation.tally().work);
        let mut elastic = BTreeMap::new();
        for (force, energy) in simulation.elastic_energies() {
            *elastic.entry(force).or_default() += energy;
        }
        EnergyBalance {
            start,
            end,
            elastic,
            work: EnergyWork {
                gravity: start.gravity - end.gravity,
                pins: done.pins,
                wind: done.wind,
                drag: done.drag,
                damping: done.damping,
                contact: done.contact,
                limiter: done.limiter,
            },
            integrator: end.total() - start.total() - done.total(),
            closing_error: done.unbalanced,
        }
    }
}
