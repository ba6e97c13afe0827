//! Which responses handle contact: presets by name, and a cascade by hand.
//!
//! | method | within the solve | afterwards |
//! |---|---|---|
//! | `bridson` (W 3.3, L 2.4) | nothing | repulsion, impulses, rigid zones |
//! | `provot` (V 4.1.4) | nothing | impulses, rigid zones |
//! | `constraints` (W 7.3, Baraff and Witkin 1998) | obstacles, as constraints of single vertices | impulses, rigid zones |
//! | `i-cloth` (I 2.4, 2.5, 4) | pairs that are near when the step begins | non-linear zones |
//! | `implicit` (ours) | pairs that the motion brings together, solved again for what was not foreseen | zones |
//!
//! Every preset ends with zones that can move what rigid ones cannot: a cloth between things that the scene moves.

use muslin_contact::responses::ImpactLaw;

/// Ways to handle contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactMethod {
    /// Not at all: everything passes through everything.
    None,
    /// Supports within the implicit solve, found by searching the whole motion; impact zones for the rest.
    Implicit,
    /// Repulsion, impulses and rigid zones after any scheme (Bridson et al. 2002, as W and L have it).
    Bridson,
    /// Impulses and rigid zones after any scheme (Provot 1997, as V has it).
    Provot,
    /// Obstacles hold single vertices in the modified conjugate gradients (W 7.3); impulses and rigid zones for the rest.
    Constraints,
    /// Proximity within the implicit solve, non-linear zones afterwards (I-Cloth).
    ICloth,
}

/// Which pairs the implicit solve itself repels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supported {
    /// None.
    Nothing,
    /// Those within their range when the step begins; one solve.
    Near,
    /// Those that the motion brings within their range; as many solves as it takes.
    Foreseen,
}

/// A link of the cascade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseKind {
    /// Elastic impulses between what is near when the step begins (R1).
    Repulsion,
    /// Damped springs between the same (R7).
    DampedSprings,
    /// Springs between nodes (R7).
    RepulsionSprings,
    /// Impulses between what the motion would bring too near (R2).
    Impulses,
    /// Rigid zones (R3).
    RigidZones,
    /// Zones with fixed normals.
    LinearZones,
    /// Zones with normals that turn (R5).
    NonLinearZones,
}

/// What happens to a step that contact could not resolve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unresolved {
    /// It is thrown away and a shorter one is taken.
    #[default]
    Halve,
    /// It is taken as it is, as the papers do. For comparison: cloth may pass through.
    Accept,
}

/// The cascade in detail.
#[derive(Clone, Debug, PartialEq)]
pub struct CascadeSettings {
    /// Its links; those of the method's preset if absent.
    pub responses: Option<Vec<ResponseKind>>,
    /// What an impulse leaves of an impact.
    pub impact: ImpactLaw,
    /// Damping of the damped springs over the critical one [-].
    pub damping_ratio: f64,
    /// What happens to what is left.
    pub unresolved: Unresolved,
}

impl Default for CascadeSettings {
    fn default() -> Self {
        let (impact, unresolved) = (ImpactLaw::Inelastic, Unresolved::Halve);
        CascadeSettings { responses: None, impact, damping_ratio: 0.5, unresolved }
    }
}

impl ContactMethod {
    /// Which pairs the implicit solve repels.
    pub fn supported(self) -> Supported {
        match self {
            ContactMethod::None | ContactMethod::Bridson | ContactMethod::Provot | ContactMethod::Constraints => {
                Supported::Nothing
            }
            ContactMethod::ICloth => Supported::Near,
            ContactMethod::Implicit => Supported::Foreseen,
        }
    }

    /// The links of its preset.
    pub fn responses(self) -> &'static [ResponseKind] {
        use ResponseKind::{Impulses, LinearZones, NonLinearZones, Repulsion, RigidZones};
        match self {
            ContactMethod::None => &[],
            ContactMethod::Implicit => &[LinearZones],
            ContactMethod::Bridson => &[Repulsion, Impulses, RigidZones, NonLinearZones],
            ContactMethod::Provot | ContactMethod::Constraints => &[Impulses, RigidZones, NonLinearZones],
            ContactMethod::ICloth => &[NonLinearZones],
        }
    }
}

impl ResponseKind {
    /// All kinds with their names in scene files.
    pub const NAMED: [(&'static str, ResponseKind); 7] = [
        ("repulsion", ResponseKind::Repulsion),
        ("damped-springs", ResponseKind::DampedSprings),
        ("repulsion-springs", ResponseKind::RepulsionSprings),
        ("impulses", ResponseKind::Impulses),
        ("rigid-zones", ResponseKind::RigidZones),
        ("linear-zones", ResponseKind::LinearZones),
        ("non-linear-zones", ResponseKind::NonLinearZones),
    ];

    /// Its name in scene files.
    pub fn name(self) -> &'static str {
        let named = ResponseKind::NAMED.iter().find(|(_, kind)| *kind == self);
        named.map_or("", |(name, _)| name)
    }

    /// Whether it acts on what is near when the step begins, before the motion is looked at.
    pub fn acts_first(self) -> bool {
        matches!(self, ResponseKind::Repulsion | ResponseKind::DampedSprings | ResponseKind::RepulsionSprings)
    }
}
