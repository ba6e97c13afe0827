//! `[settings]`.

use super::{
    cascade::{cascade, check, method},
    friction,
};
use crate::scene_file::reader::Reader;
use muslin_model::FrictionLaw;
use muslin_sim::settings::{
    AdaptiveSettings, BroadPhaseKind, CcdMethod, CollisionSettings, ContactMethod, ContactSettings, Friction,
    IntegratorKind, LimiterKind, LinearSettings, NewtonSettings, PreconditionerKind, Settings,
};

pub fn settings(reader: &Reader<'_>) -> Settings {
    let newton = reader.table("newton").1;
    let linear = reader.table("linear").1;
    let (given, adaptive) = reader.table("adaptive");
    let contact_keys = reader.table("contact").1;
    let contact = contact(&contact_keys);
    let integrator = integrator(reader, contact.method);
    check(reader, &contact_keys, contact.method, integrator);
    Settings {
        step: reader.number("step"),
        integrator,
        newton: NewtonSettings {
            correction: newton.number("correction"),
            residual: newton.number("residual"),
            most_iterations: newton.integer("most_iterations") as usize,
        },
        linear: LinearSettings {
            preconditioner: preconditioner(&linear),
            most_iterations: linear.integer("most_iterations") as usize,
        },
        adaptive: match given {
            Some(_) => Some(AdaptiveSettings {
                most_stretch: adaptive.number("most_stretch"),
                most_turn_degrees: adaptive.number("most_turn_degrees"),
                most_correction: adaptive.number("most_correction"),
                smallest_step: adaptive.number("smallest_step"),
                successes: adaptive.integer("successes") as u32,
            }),
            None if contact.method != ContactMethod::None && integrator == IntegratorKind::LinearBackwardEuler => {
                Some(AdaptiveSettings::WITH_CONTACT)
            }
            None => None,
        },
        limiter: limiter(reader),
        collision: collision(&reader.table("collision").1),
        contact,
    }
}

fn collision(reader: &Reader<'_>) -> CollisionSettings {
    CollisionSettings { broad_phase: broad_phase(reader), ccd_method: ccd_method(reader) }
}

fn ccd_method(reader: &Reader<'_>) -> CcdMethod {
    let Some((name, _)) = reader.variant("ccd_method") else { return CcdMethod::default() };
    match CcdMethod::from_name(name) {
        Some(method) => method,
        None => unreachable!("`{name}` is in the schema but not here; the test over all variants finds this"),
    }
}

fn contact(reader: &Reader<'_>) -> ContactSettings {
    ContactSettings {
        method: method(reader),
        cascade: cascade(reader),
        friction: Friction {
            object: friction::law(reader, "friction_object").unwrap_or(FrictionLaw::coulomb(0.3)),
            cloth: friction::law(reader, "friction_cloth").unwrap_or(FrictionLaw::coulomb(0.3)),
            bodies: Vec::new(),
        },
        stiffness: reader.number("stiffness"),
        smallest_step: reader.number("smallest_step"),
    }
}

fn broad_phase(reader: &Reader<'_>) -> BroadPhaseKind {
    let name = reader.variant("broad_phase").map_or("tree", |(kind, _)| kind);
    match name.parse() {
        Ok(kind) => kind,
        Err(error) => unreachable!("{error}; the test over all variants finds this"),
    }
}

/// The scheme; the one that contact is made for where none is named, or the one that solves to a tolerance if there is none.
fn integrator(reader: &Reader<'_>, method: ContactMethod) -> IntegratorKind {
    let Some((kind, keys)) = reader.variant("integrator") else {
        return match method {
            ContactMethod::None => IntegratorKind::BackwardEuler,
            ContactMethod::Constraints => IntegratorKind::BaraffWitkin,
            _ => IntegratorKind::LinearBackwardEuler,
        };
    };
    match kind {
        "explicit-euler" => IntegratorKind::ExplicitEuler,
        "symplectic-euler" => IntegratorKind::SymplecticEuler,
        "midpoint" => IntegratorKind::Midpoint,
        "runge-kutta-4" => IntegratorKind::RungeKutta4,
        "verlet" => IntegratorKind::Verlet { epsilon: keys.number("epsilon") },
        "backward-euler" => IntegratorKind::BackwardEuler,
        "linear-backward-euler" => IntegratorKind::LinearBackwardEuler,
        "baraff-witkin" => IntegratorKind::BaraffWitkin,
        "bdf2" => IntegratorKind::Bdf2,
        "explicit-implicit" => IntegratorKind::ExplicitImplicit,
        "implicit-explicit" => IntegratorKind::ImplicitExplicit,
        "mixed-variable" => IntegratorKind::MixedVariable,
        other => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
    }
}

fn preconditioner(reader: &Reader<'_>) -> PreconditionerKind {
    match reader.variant("preconditioner").map_or("automatic", |(kind, _)| kind) {
        "automatic" => PreconditionerKind::Automatic,
        "block-jacobi" => PreconditionerKind::BlockJacobi,
        "lagged-cholesky" => PreconditionerKind::LaggedCholesky,
        "multilevel" => PreconditionerKind::Multilevel,
        other => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
    }
}

fn limiter(reader: &Reader<'_>) -> LimiterKind {
    let Some((kind, keys)) = reader.variant("limiter") else { return LimiterKind::None };
    match kind {
        "none" => LimiterKind::None,
        "super-elasticity" => LimiterKind::SuperElasticity {
            limit: keys.number("limit"),
            passes: keys.integer("passes") as usize,
            inverse_dynamics: keys.flag("inverse_dynamics"),
        },
        "strain-impulses" => LimiterKind::StrainImpulses {
            limit: keys.number("limit"),
            rate_limit: keys.number("rate_limit"),
            most_sweeps: keys.integer("most_sweeps") as usize,
        },
        other => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
    }
}
