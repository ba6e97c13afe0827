//! What an impact leaves of the relative velocity of two points: named laws of the papers (R7).
//!
//! With v_N the part along the normal and v_T the rest, both before the impact:
//!
//! | law | after it |
//! |---|---|
//! | [`ImpactLaw::Inelastic`] (W 3.37, 3.38) | v_T shortened by µ ‖Δv_N‖, and nothing along the normal |
//! | [`ImpactLaw::Restitution`] (V 4.16) | v_T shortened by k_f ‖v_N‖, and −k_d v_N |
//! | [`ImpactLaw::Elastic`] (A 10–12) | µ v_T − v_N |
//!
//! A prints V_n = (C_n)² P_n; the normal part is (P_v·C_n) C_n. W's impulses have a factor 2 that would turn v_T into −v_T
//! where friction holds; with the mass of the contact, 1/Σ(wᵢ²/mᵢ), there is none.

use glam::DVec3;

/// A law of impact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ImpactLaw {
    /// The normal part is stopped; Coulomb's friction.
    #[default]
    Inelastic,
    /// The normal part comes back weaker; friction by the velocity before the impact.
    Restitution {
        /// k_d: the part of the normal velocity that comes back [-].
        dissipation: f64,
    },
    /// The normal part comes back whole; the tangential one is multiplied by the coefficient of friction.
    Elastic,
}

/// What a law wants of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Velocity along the normal afterwards [m/s].
    pub along: f64,
    /// Velocity across it that friction works towards [m/s].
    pub across: DVec3,
    /// The most that it may push across, over the push along [-].
    pub grip: f64,
}

impl ImpactLaw {
    /// The part of the push along the normal that counts as a load for friction [-]; `None` where the law of impact
    /// has its own idea of what becomes of the rest.
    pub fn friction_part(self) -> Option<f64> {
        match self {
            ImpactLaw::Inelastic => Some(1.0),
            ImpactLaw::Restitution { dissipation } => Some(1.0 / (1.0 + dissipation)),
            ImpactLaw::Elastic => None,
        }
    }

    /// What becomes of a relative velocity that approaches along a normal, with a coefficient of friction. What
    /// recedes is left alone.
    pub fn impact(self, velocity: DVec3, normal: DVec3, coefficient: f64) -> Impact {
        let along = velocity.dot(normal);
        let across = velocity - normal * along;
        if along >= 0.0 {
            return Impact { along, across, grip: 0.0 };
        }
        match self {
            ImpactLaw::Inelastic => Impact { along: 0.0, across: DVec3::ZERO, grip: coefficient },
            // The push along is (1 + k_d)‖v_N‖, friction's limit k_f ‖v_N‖.
            ImpactLaw::Restitution { dissipation } => {
                Impact { along: -dissipation * along, across: DVec3::ZERO, grip: coefficient / (1.0 + dissipation) }
            }
            ImpactLaw::Elastic => {
                let change = (1.0 - coefficient) * across.length();
                Impact { along: -along, across: across * coefficient, grip: change.abs() / (-2.0 * along) }
            }
        }
    }
}
