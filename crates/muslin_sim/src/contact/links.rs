//! From the settings to the links of the cascade.

use crate::settings::{ContactSettings, ResponseKind};
use muslin_contact::{
    Cascade, Finder,
    responses::{
        ContactResponse, DampedSprings, Impulses, LinearZones, NonLinearZones, Repulsion, RepulsionSprings, RigidZones,
    },
};
use muslin_model::Model;

/// The cascade that the settings want; `weight` is that of a mean vertex [N].
pub(super) fn cascade(settings: &ContactSettings, model: &Model, finder: &Finder, weight: f64) -> Cascade {
    let chosen = settings.cascade.responses.as_deref().unwrap_or(settings.method.responses());
    let strength = settings.stiffness * weight;
    let link = |kind: &ResponseKind| -> Box<dyn ContactResponse> {
        match kind {
            ResponseKind::Repulsion => Box::new(Repulsion { strength }),
            ResponseKind::DampedSprings => {
                Box::new(DampedSprings { strength, damping_ratio: settings.cascade.damping_ratio })
            }
            ResponseKind::RepulsionSprings => {
                Box::new(RepulsionSprings::new(finder.surface(), &model.mesh.positions, strength))
            }
            ResponseKind::Impulses => Box::new(Impulses { law: settings.cascade.impact }),
            ResponseKind::RigidZones => Box::new(RigidZones),
            ResponseKind::LinearZones => Box::new(LinearZones),
            ResponseKind::NonLinearZones => Box::new(NonLinearZones),
        }
    };
    Cascade::new(chosen.iter().map(link).collect()).on(finder.neighbourhood())
}
