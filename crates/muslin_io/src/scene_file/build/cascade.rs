//! The cascade of responses within `[settings.contact]`.

use crate::{scene_file::reader::Reader, schema::cascade::RESPONSES};
use muslin_sim::settings::{
    CascadeSettings, ContactMethod, ImpactLaw, IntegratorKind, ResponseKind, Supported, Unresolved,
};

/// The way to handle contact.
pub fn method(reader: &Reader<'_>) -> ContactMethod {
    match reader.variant("method").map_or("implicit", |(kind, _)| kind) {
        "none" => ContactMethod::None,
        "implicit" => ContactMethod::Implicit,
        "bridson" => ContactMethod::Bridson,
        "provot" => ContactMethod::Provot,
        "constraints" => ContactMethod::Constraints,
        "i-cloth" => ContactMethod::ICloth,
        other => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
    }
}

/// What corrects what the solve leaves.
pub fn cascade(reader: &Reader<'_>) -> CascadeSettings {
    CascadeSettings {
        responses: reader.has("responses").then(|| responses(reader)),
        impact: impact(reader),
        damping_ratio: reader.number("damping_ratio"),
        unresolved: match reader.variant("unresolved").map_or("halve", |(kind, _)| kind) {
            "halve" => Unresolved::Halve,
            "accept" => Unresolved::Accept,
            other => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
        },
    }
}

fn responses(reader: &Reader<'_>) -> Vec<ResponseKind> {
    let names = reader.names("responses", &RESPONSES);
    let kind = |name: &String| ResponseKind::NAMED.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
    let kinds: Vec<ResponseKind> = names.iter().filter_map(kind).collect();
    let path = reader.path_of("responses");
    if method(reader) == ContactMethod::None {
        reader
            .fault(reader.place("responses"), format!("`{path}` has nothing to respond to: the method is `none`"))
            .help("give a `method` besides, such as `implicit` or `bridson`");
    }
    for (k, later) in kinds.iter().enumerate() {
        let name = later.name();
        if kinds[..k].contains(later) {
            reader.fault(reader.place("responses"), format!("`{path}` names `{name}` twice"));
        } else if later.acts_first() && kinds[..k].iter().any(|earlier| !earlier.acts_first()) {
            reader
                .fault(reader.place("responses"), format!("`{path}`: `{name}` acts when the step begins"))
                .help(format!("put `{name}` first"));
        }
    }
    kinds
}

fn impact(reader: &Reader<'_>) -> ImpactLaw {
    let Some((kind, keys)) = reader.variant("impact") else { return ImpactLaw::Inelastic };
    match kind {
        "inelastic" => ImpactLaw::Inelastic,
        "restitution" => ImpactLaw::Restitution { dissipation: keys.number("dissipation") },
        "elastic" => ImpactLaw::Elastic,
        other => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
    }
}

/// Refuses a method that needs an implicit solve with a scheme that has none.
pub fn check(settings: &Reader<'_>, contact: &Reader<'_>, method: ContactMethod, integrator: IntegratorKind) {
    let implicit = [IntegratorKind::BackwardEuler, IntegratorKind::LinearBackwardEuler, IntegratorKind::Bdf2]
        .contains(&integrator);
    if method == ContactMethod::Constraints && integrator != IntegratorKind::BaraffWitkin {
        let name = settings.variant("integrator").map_or("", |(name, _)| name);
        let message = format!("`constraints` are those of the modified conjugate gradients, and `{name}` has none");
        contact
            .fault(contact.place("method"), message)
            .help("use `baraff-witkin`, which is also what this method takes if no integrator is named");
    }
    if method.supported() == Supported::Near && !implicit {
        let name = settings.variant("integrator").map_or("", |(name, _)| name);
        contact
            .fault(
                contact.place("method"),
                format!("`i-cloth` puts contact into the implicit solve, and `{name}` has none that knows of it"),
            )
            .help("use `backward-euler`, `linear-backward-euler` or `bdf2`, or the method `bridson`");
    }
}
