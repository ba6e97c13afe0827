//! What V adds to the mass-spring model beside forces: mechanisms that change the accelerations of an explicit step.
//!
//! They stand between the sum of all forces and the integrator. Implicit schemes solve for the end of the step and need none
//! of them; whoever builds a system refuses the two together.

mod force_transfer;
mod lines;
mod realignment;
mod resistance;

pub use force_transfer::{ForceTransfer, TransferOptions, cone};
pub use lines::LinesError;
pub use realignment::RealignOptions;
pub use resistance::{OrthogonalResistance, ResistanceOptions, mass_increase};

use crate::system::{Beginning, System};
use glam::DVec3;

/// The mechanisms of a system; the default is none.
#[derive(Default)]
pub struct Mechanisms {
    /// Excessive forces are shared with the vertices in front (D12).
    pub transfer: Option<ForceTransfer>,
    /// Vertices between held ones resist (D14).
    pub resistance: Vec<OrthogonalResistance>,
}

impl Mechanisms {
    /// Learns where a step begins.
    pub fn prepare(&mut self, start: &Beginning) {
        if let Some(transfer) = &mut self.transfer {
            transfer.prepare(start);
        }
        self.resistance.iter_mut().for_each(|resistance| resistance.prepare(start));
    }

    /// Shares excessive forces [N] of a system; returns the power of the change [W].
    pub(crate) fn share(system: &mut System, positions: &[DVec3], velocities: &[DVec3], forces: &mut [DVec3]) -> f64 {
        let Some(mut transfer) = system.mechanisms.transfer.take() else { return 0.0 };
        let power = transfer.share(system, positions, velocities, forces);
        system.mechanisms.transfer = Some(transfer);
        power
    }

    /// Tells a limiter how much vertices between held ones weigh in this step, from true masses [kg] to inverse ones [1/kg].
    pub fn weigh(&self, masses: &[f64], inverse_masses: &mut [f64]) {
        self.resistance.iter().for_each(|resistance| resistance.weigh(masses, inverse_masses));
    }

    /// Lets vertices between held ones resist: changes their accelerations [m/s²]; returns the power of the change [W].
    pub(crate) fn resist(
        &self,
        masses: &[f64],
        positions: &[DVec3],
        velocities: &[DVec3],
        accelerations: &mut [DVec3],
    ) -> f64 {
        let resist = |r: &OrthogonalResistance| r.resist(masses, positions, velocities, accelerations);
        self.resistance.iter().map(resist).sum()
    }
}
