//! What V adds to the mass-spring grid (D12–D15): switches of a scene, and what they become.

use crate::{
    bodies,
    scene::{ClothSpec, PinSelect, Scene, StretchModel},
    settings::IntegratorKind,
    simulation::SimError,
};
use glam::{DVec2, DVec3};
use muslin_dynamics::{
    System,
    forces::{Layout, Load, LoadPoint, Marked, Wrinkles},
    mechanisms::{ForceTransfer, Mechanisms, OrthogonalResistance},
};
pub use muslin_dynamics::{
    forces::{CurveOptions, WrinkleMark, WrinkleOptions},
    mechanisms::{RealignOptions, ResistanceOptions, TransferOptions},
};
use muslin_model::Model;

/// Mechanisms on a spring grid; the default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OlderMechanisms {
    /// Force transfer (V 7.2.4).
    pub transfer: Option<TransferOptions>,
    /// Proximity-induced curvature (V 7.4).
    pub curve: Option<CurveOptions>,
    /// Orthogonal resistance (V 7.5).
    pub resistance: Option<ResistanceOptions>,
    /// Wrinkle memory (V 7.6.3).
    pub wrinkles: Option<WrinkleOptions>,
}

impl OlderMechanisms {
    /// The switches of a cloth.
    pub fn of(cloth: &ClothSpec) -> Self {
        match cloth.stretch {
            StretchModel::GridSprings { older, .. } => older,
            _ => OlderMechanisms::default(),
        }
    }

    /// The key of the first one that is on.
    fn first_key(&self) -> Option<&'static str> {
        let keys = [
            (self.transfer.is_some(), "force_transfer"),
            (self.curve.is_some(), "curve"),
            (self.resistance.is_some_and(|r| r.stiffness > 0.0 || r.growth > 0.0), "orthogonal_resistance"),
            (self.resistance.is_some(), "realignment"),
            (self.wrinkles.is_some(), "wrinkle_memory"),
        ];
        keys.into_iter().find(|(on, _)| *on).map(|(_, key)| key)
    }
}

/// Forces on vertices of a cloth during a span of time.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadSpec {
    /// The vertices.
    pub select: PinSelect,
    /// Force on each [N].
    pub force: DVec3,
    /// When it begins and ends [s].
    pub span: [f64; 2],
}

/// Refuses mechanisms under a scheme that has no place for them.
pub fn check(scene: &Scene) -> Result<(), SimError> {
    let explicit = matches!(
        scene.settings.integrator,
        IntegratorKind::ExplicitEuler
            | IntegratorKind::SymplecticEuler
            | IntegratorKind::Midpoint
            | IntegratorKind::RungeKutta4
            | IntegratorKind::Verlet { .. }
    );
    for cloth in scene.cloths.iter().filter(|_| !explicit) {
        if let Some(key) = OlderMechanisms::of(cloth).first_key() {
            return Err(SimError::NeedsExplicit { cloth: cloth.name.clone(), key });
        }
    }
    Ok(())
}

/// All loads of a scene, on vertices of the model.
pub fn load_points(scene: &Scene, model: &Model) -> Result<Vec<LoadPoint>, SimError> {
    let mut points = Vec::new();
    for (spec, body) in scene.cloths.iter().zip(&model.bodies) {
        for load in &spec.loads {
            let chosen = bodies::chosen(spec, &load.select).map_err(|error| match error {
                SimError::EmptyPin { cloth } => SimError::EmptyLoad { cloth },
                other => other,
            });
            for v in chosen? {
                points.push(LoadPoint { vertex: body.vertices.start as u32 + v, force: load.force, span: load.span });
            }
        }
    }
    Ok(points)
}

/// The loads as one force; `None` if there are none.
pub fn load(points: &[LoadPoint], layout: &Layout) -> Option<Load> {
    (!points.is_empty()).then(|| Load::new(points, layout))
}

/// The memory of wrinkles of all cloths with some switches, given by their faces, with what they remember from the start.
pub fn wrinkles(
    scene: &Scene,
    model: &Model,
    faces: &[u32],
    options: WrinkleOptions,
    layout: &Layout,
) -> Result<Wrinkles, SimError> {
    let mut wrinkles = Wrinkles::new(model, faces, options, layout)?;
    for (index, (spec, body)) in scene.cloths.iter().zip(&model.bodies).enumerate() {
        if !faces.contains(&(body.triangles.start as u32)) {
            continue;
        }
        for (place, mark) in spec.wrinkles.iter().enumerate() {
            let cloth = spec.name.clone();
            match mark {
                WrinkleMark::Line { ends, angle } => {
                    let turn = DVec2::from_angle(-spec.warp_angle);
                    let turned = WrinkleMark::Line { ends: ends.map(|end| turn.rotate(end)), angle: *angle };
                    if wrinkles.mark(model, index, &turned, layout).relations == 0 {
                        return Err(SimError::EmptyWrinkle { cloth, place, ends: *ends });
                    }
                }
                WrinkleMark::Drape { .. } => {
                    let Marked { relations, sharpest } = wrinkles.mark(model, index, mark, layout);
                    if relations == 0 {
                        let (sharpest, limit) = (sharpest.to_degrees(), options.sharp.to_degrees());
                        return Err(SimError::FlatDrape { cloth, sharpest, limit });
                    }
                }
            }
        }
    }
    Ok(wrinkles)
}

/// The mechanisms that are no forces.
pub fn mechanisms(scene: &Scene, model: &Model, system: &System) -> Result<Mechanisms, SimError> {
    let mut mechanisms = Mechanisms::default();
    for (spec, body) in scene.cloths.iter().zip(&model.bodies) {
        let faces: Vec<u32> = (body.triangles.start as u32..body.triangles.end as u32).collect();
        let older = OlderMechanisms::of(spec);
        if let Some(options) = older.transfer {
            let transfer = mechanisms.transfer.get_or_insert_with(ForceTransfer::default);
            transfer.add(model, &faces, options, system)?;
        }
        if let Some(options) = older.resistance {
            mechanisms.resistance.push(OrthogonalResistance::new(model, &faces, options, system)?);
        }
    }
    Ok(mechanisms)
}
