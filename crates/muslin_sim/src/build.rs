//! From a scene's choices to forces, an integrator and a limiter.

use crate::{
    older::{self, OlderMechanisms},
    scene::{BendMemory, BendModel, ClothSpec, Scene, StretchModel},
    settings::{IntegratorKind, LimiterKind, PreconditionerKind, Settings},
    simulation::SimError,
};
use glam::DVec3;
use muslin_dynamics::{
    System,
    forces::{
        AngularSprings, AngularStiffness, BaraffWitkin, Conditions, Curvature, Drag, Force, GridDamping, GridOptions,
        GridStiffness, HingeLaw, Hinges, Hysteresis, Layout, LoadPoint, Membrane, Plasticity, PushAndCurve, Rate,
        RememberingHinges, Resistance, ShearFriction, SoftPins, Springs, Wind,
    },
    integrators::{
        self, ImplicitScheme, Integrator, Mixed, MixedOrder, Newton, RungeKutta, SymplecticEuler, Tolerances, TwoRate,
        Verlet,
    },
    limits::{LimitedEdges, Limiter, StrainImpulses, SuperElasticity, VelocityRule},
    linear::{BlockJacobi, LaggedCholesky, Multilevel, PcgSettings, Preconditioner, Reach, automatic},
};
use muslin_model::Model;

/// Relative tolerance of the modified conjugate gradients [-]: the error of the one linearisation is larger.
const MODIFIED_CG_TOLERANCE: f64 = 1e-6;

/// Builds the forces that the cloths choose.
pub fn system(scene: &Scene, model: &Model) -> Result<System, SimError> {
    let mut failure = None;
    let system = System::new(model, |layout| {
        forces(scene, model, layout).unwrap_or_else(|error| {
            failure = Some(error);
            Vec::new()
        })
    });
    let mut system = failure.map_or(Ok(system), Err)?;
    older::check(scene)?;
    system.mechanisms = older::mechanisms(scene, model, &system)?;
    Ok(system)
}

/// How a scheme heeds supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heed {
    /// It does not know the end of the step before it is there.
    No,
    /// It linearises the cloth and solves for supports and friction beside it.
    Linearised,
    /// It solves for cloth and supports, with friction limits that are given.
    Solved,
}

/// How a scheme heeds supports.
pub fn heed(integrator: &IntegratorKind) -> Heed {
    match integrator {
        IntegratorKind::BackwardEuler | IntegratorKind::Bdf2 => Heed::Solved,
        IntegratorKind::LinearBackwardEuler => Heed::Linearised,
        _ => Heed::No,
    }
}

fn forces(scene: &Scene, model: &Model, layout: &Layout) -> Result<Vec<Box<dyn Force>>, SimError> {
    // Cloths with the same choice share one force; choices come in the order of the cloths.
    let mut stretches: Vec<(StretchModel, Vec<u32>)> = Vec::new();
    let mut bends: Vec<(BendModel, Vec<u32>)> = Vec::new();
    for (spec, body) in scene.cloths.iter().zip(&model.bodies) {
        let faces = body.triangles.start as u32..body.triangles.end as u32;
        gather(&mut stretches, spec.stretch, faces.clone());
        gather(&mut bends, spec.bend, faces);
    }
    let loads = older::load_points(scene, model)?;
    let mut forces: Vec<Box<dyn Force>> = Vec::new();
    for (choice, faces) in &stretches {
        forces.push(stretch(*choice, model, faces, &loads, layout)?);
        match *choice {
            StretchModel::Hysteresis => forces.push(Box::new(ShearFriction::new(model, faces, layout))),
            StretchModel::GridSprings { older: OlderMechanisms { wrinkles: Some(options), .. }, .. } => {
                forces.push(Box::new(older::wrinkles(scene, model, faces, options, layout)?));
            }
            _ => {}
        }
    }
    for (choice, faces) in &bends {
        forces.extend(bend(*choice, model, faces, layout)?);
    }
    let all: Vec<u32> = (0..model.cloth_triangles().end as u32).collect();
    if model.environment.wind.normal_drag > 0.0 {
        forces.push(Box::new(Wind::new(model, &all, layout)));
    }
    if model.environment.viscous_drag > 0.0 {
        forces.push(Box::new(Drag::new(model, &all, layout)));
    }
    if let Some(load) = older::load(&loads, layout) {
        forces.push(Box::new(load));
    }
    if let Some(soft) = SoftPins::new(&model.pins, &model.mesh.positions, layout) {
        forces.push(Box::new(soft));
    }
    Ok(forces)
}

fn gather<C: PartialEq>(groups: &mut Vec<(C, Vec<u32>)>, choice: C, faces: std::ops::Range<u32>) {
    match groups.iter_mut().find(|(known, _)| *known == choice) {
        Some((_, list)) => list.extend(faces),
        None => groups.push((choice, faces.collect())),
    }
}

fn stretch(
    choice: StretchModel,
    model: &Model,
    faces: &[u32],
    loads: &[LoadPoint],
    layout: &Layout,
) -> Result<Box<dyn Force>, SimError> {
    Ok(match choice {
        StretchModel::Membrane | StretchModel::Hysteresis => Box::new(Membrane::new(model, faces, layout)),
        StretchModel::Tabulated => {
            Box::new(Membrane::tabulated(model, faces, layout).map_err(|face| no_table(model, face, "stretch"))?)
        }
        StretchModel::EdgeSprings { tension_only } => {
            let resistance = if tension_only { Resistance::TensionOnly } else { Resistance::Both };
            Box::new(Springs::on_edges(model, faces, resistance, layout))
        }
        StretchModel::GridSprings { critical_damping, constants, older } => {
            let stiffness = constants.map_or(GridStiffness::Material, |[structural, shear]| GridStiffness::Given {
                structural,
                shear,
                flexion: 0.0,
            });
            let damping = if critical_damping { GridDamping::Critical } else { GridDamping::Material };
            let options = GridOptions { stiffness, damping };
            match older.curve {
                Some(curve) => {
                    let loaded: Vec<u32> = loads.iter().map(|load| load.vertex).collect();
                    Box::new(PushAndCurve::new(model, faces, (options, curve), &loaded, layout)?)
                }
                None => Box::new(Springs::on_grid(model, faces, options, layout)?),
            }
        }
        StretchModel::BaraffWitkin { area_exponent, rest } => {
            Box::new(BaraffWitkin::new(model, faces, Conditions { area_exponent, rest }, layout))
        }
    })
}

fn no_table(model: &Model, face: u32, what: &'static str) -> SimError {
    let body = model.bodies.iter().find(|b| b.triangles.contains(&(face as usize)));
    SimError::NoTable { cloth: body.map(|b| b.name.clone()).unwrap_or_default(), what }
}

fn bend(choice: BendModel, model: &Model, faces: &[u32], layout: &Layout) -> Result<Option<Box<dyn Force>>, SimError> {
    Ok(Some(match choice {
        BendModel::Curvature => Box::new(Curvature::new(model, faces, layout)),
        BendModel::Tabulated => {
            Box::new(Curvature::tabulated(model, faces, layout).map_err(|face| no_table(model, face, "bend"))?)
        }
        BendModel::BaraffWitkin => Box::new(Hinges::new(model, faces, HingeLaw::Angle, layout)),
        BendModel::Modes => Box::new(Hinges::new(model, faces, HingeLaw::HalfSine, layout)),
        BendModel::HingeSprings => Box::new(Springs::across_hinges(model, faces, layout)),
        BendModel::GridFlexion { constant } => {
            let stiffness = constant.map_or(GridStiffness::Material, |flexion| GridStiffness::Given {
                structural: 0.0,
                shear: 0.0,
                flexion,
            });
            let options = GridOptions { stiffness, damping: GridDamping::Material };
            Box::new(Springs::grid_flexion(model, faces, options, layout)?)
        }
        BendModel::GridAngular { constant } => {
            let stiffness = constant.map_or(AngularStiffness::Material, AngularStiffness::Given);
            Box::new(AngularSprings::new(model, faces, stiffness, layout)?)
        }
        BendModel::Remembering { memory, rest, substeps } => {
            let rate = if substeps > 0 { Rate::Explicit } else { Rate::OfScheme };
            match memory {
                BendMemory::Hysteresis => {
                    Box::new(RememberingHinges::<Hysteresis>::new(model, faces, rest, rate, layout))
                }
                BendMemory::Plasticity => {
                    Box::new(RememberingHinges::<Plasticity>::new(model, faces, rest, rate, layout))
                }
            }
        }
        BendModel::None => return Ok(None),
    }))
}

/// Explicit steps of bending within each step: the most that a cloth asks for.
pub fn substeps(scene: &Scene) -> Result<u32, SimError> {
    let asked = |cloth: &ClothSpec| match cloth.bend {
        BendModel::Remembering { substeps, .. } => substeps,
        _ => 0,
    };
    let most = scene.cloths.iter().map(asked).max().unwrap_or(0);
    let able = matches!(scene.settings.integrator, IntegratorKind::BackwardEuler | IntegratorKind::LinearBackwardEuler);
    if most > 0 && !able {
        return Err(SimError::TwoRates);
    }
    Ok(most)
}

/// The explicit bending of a scene alone, as stiff as the steepest branch of its loops: what its short steps have to take.
pub fn steepest_bending(scene: &Scene, model: &Model) -> Result<System, SimError> {
    let mut steep = model.clone();
    // Of a loop twice as wide the first bend has the rigidity 2b₁ − b₂, that of the steepest branch of the loop itself.
    steep.materials.iter_mut().for_each(|material| material.bend_hysteresis *= 2.0);
    let mut failure = None;
    let system = System::new(&steep, |layout| {
        let explicit = scene.cloths.iter().zip(&steep.bodies).filter_map(|(spec, body)| match spec.bend {
            BendModel::Remembering { substeps: 1.., .. } => {
                let faces: Vec<u32> = (body.triangles.start as u32..body.triangles.end as u32).collect();
                bend(spec.bend, &steep, &faces, layout).transpose()
            }
            _ => None,
        });
        explicit.collect::<Result<_, _>>().unwrap_or_else(|error| {
            failure = Some(error);
            Vec::new()
        })
    });
    failure.map_or(Ok(system), Err)
}

/// Builds the integrator, with so many explicit steps of bending within its own if there are any.
pub fn integrator(settings: &Settings, substeps: u32, system: &System, start: &[DVec3]) -> Box<dyn Integrator> {
    let scheme = scheme(settings, system, start);
    if substeps > 0 { Box::new(TwoRate::new(scheme, substeps)) } else { scheme }
}

fn scheme(settings: &Settings, system: &System, start: &[DVec3]) -> Box<dyn Integrator> {
    let tolerances = Tolerances {
        correction: settings.newton.correction,
        residual: settings.newton.residual,
        most_iterations: settings.newton.most_iterations,
        most_linear_iterations: settings.linear.most_iterations,
    };
    let implicit = |scheme| Box::new(Newton::new(scheme, tolerances, preconditioner(settings, system, start)));
    match settings.integrator {
        IntegratorKind::ExplicitEuler => Box::new(RungeKutta::explicit_euler()),
        IntegratorKind::SymplecticEuler => Box::new(SymplecticEuler::default()),
        IntegratorKind::Midpoint => Box::new(RungeKutta::midpoint()),
        IntegratorKind::RungeKutta4 => Box::new(RungeKutta::classical()),
        IntegratorKind::Verlet { epsilon } => Box::new(Verlet::new(epsilon)),
        IntegratorKind::BackwardEuler => implicit(ImplicitScheme::BackwardEuler),
        IntegratorKind::LinearBackwardEuler => implicit(ImplicitScheme::LinearBackwardEuler),
        IntegratorKind::BaraffWitkin => Box::new(integrators::BaraffWitkin::new(PcgSettings {
            relative_tolerance: MODIFIED_CG_TOLERANCE,
            most_iterations: settings.linear.most_iterations,
        })),
        IntegratorKind::Bdf2 => implicit(ImplicitScheme::Bdf2),
        IntegratorKind::ExplicitImplicit => Box::new(Mixed::new(MixedOrder::ExplicitImplicit)),
        IntegratorKind::ImplicitExplicit => Box::new(Mixed::new(MixedOrder::ImplicitExplicit)),
        IntegratorKind::MixedVariable => Box::new(Mixed::new(MixedOrder::Variable)),
    }
}

fn preconditioner(settings: &Settings, system: &System, start: &[DVec3]) -> Box<dyn Preconditioner> {
    // A lagged preconditioner orders its work by where vertices lie; the start is the same after a resume.
    let mut layout = Vec::new();
    system.gather(start, &mut layout);
    match settings.linear.preconditioner {
        PreconditionerKind::BlockJacobi => Box::new(BlockJacobi::default()),
        PreconditionerKind::LaggedCholesky => Box::new(LaggedCholesky::new(Reach::Full, layout)),
        PreconditionerKind::Multilevel => Box::new(Multilevel::new(layout)),
        PreconditionerKind::Automatic => automatic(layout),
    }
}

/// Builds the limiter on the cloths' edges, if the scene wants one.
pub fn limiter(settings: &Settings, model: &Model, system: &System) -> Option<Box<dyn Limiter>> {
    let edges = || LimitedEdges::of_cloths(system, model);
    match settings.limiter {
        LimiterKind::None => None,
        LimiterKind::SuperElasticity { limit, passes, inverse_dynamics } => {
            let rule = if inverse_dynamics { VelocityRule::FollowPositions } else { VelocityRule::Keep };
            Some(Box::new(SuperElasticity::new(edges(), limit, passes, rule)))
        }
        LimiterKind::StrainImpulses { limit, rate_limit, most_sweeps } => {
            Some(Box::new(StrainImpulses::new(edges(), limit, rate_limit, most_sweeps)))
        }
    }
}
