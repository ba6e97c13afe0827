//! From a scene's choices to forces and an integrator.

use crate::{
    scene::{BendModel, ClothSpec, Scene, StretchModel},
    settings::{IntegratorKind, PreconditionerKind, Settings},
};
use glam::DVec3;
use muslin_dynamics::{
    System,
    forces::{Curvature, Force, Layout, Membrane},
    integrators::{ImplicitScheme, Integrator, Newton, Tolerances},
    linear::{BlockJacobi, LaggedCholesky, Preconditioner, Reach, automatic},
};
use muslin_model::Model;

/// Builds the forces that the cloths choose.
pub fn system(scene: &Scene, model: &Model) -> System {
    System::new(model, |layout| forces(scene, model, layout))
}

fn forces(scene: &Scene, model: &Model, layout: &Layout) -> Vec<Box<dyn Force>> {
    // Faces of all cloths whose spec passes a test; one force serves them all.
    let faces = |wanted: &dyn Fn(&ClothSpec) -> bool| -> Vec<u32> {
        let chosen = scene.cloths.iter().zip(&model.bodies).filter(|(spec, _)| wanted(spec));
        chosen.flat_map(|(_, body)| body.triangles.start as u32..body.triangles.end as u32).collect()
    };
    let mut forces: Vec<Box<dyn Force>> = Vec::new();
    let membrane = faces(&|spec| spec.stretch == StretchModel::Membrane);
    if !membrane.is_empty() {
        forces.push(Box::new(Membrane::new(model, &membrane, layout)));
    }
    let curvature = faces(&|spec| spec.bend == BendModel::Curvature);
    if !curvature.is_empty() {
        forces.push(Box::new(Curvature::new(model, &curvature, layout)));
    }
    forces
}

/// Builds the integrator.
pub fn integrator(settings: &Settings, system: &System, start: &[DVec3]) -> Box<dyn Integrator> {
    let tolerances = Tolerances {
        correction: settings.newton.correction,
        residual: settings.newton.residual,
        most_iterations: settings.newton.most_iterations,
        most_linear_iterations: settings.linear.most_iterations,
    };
    // A lagged preconditioner orders its work by where vertices lie; the start is the same after a resume.
    let mut layout = Vec::new();
    system.gather(start, &mut layout);
    let preconditioner: Box<dyn Preconditioner> = match settings.linear.preconditioner {
        PreconditionerKind::BlockJacobi => Box::new(BlockJacobi::default()),
        PreconditionerKind::LaggedCholesky => Box::new(LaggedCholesky::new(Reach::Full, layout)),
        PreconditionerKind::Automatic | PreconditionerKind::Multilevel => automatic(layout),
    };
    let implicit = |scheme| Box::new(Newton::new(scheme, tolerances, preconditioner));
    match settings.integrator {
        IntegratorKind::BackwardEuler => implicit(ImplicitScheme::BackwardEuler),
        IntegratorKind::LinearBackwardEuler => implicit(ImplicitScheme::LinearBackwardEuler),
        IntegratorKind::Bdf2 => implicit(ImplicitScheme::Bdf2),
        _ => unimplemented!(),
    }
}
