//! The adaptive step in a running simulation: a scene that diverges at its fixed step recovers.

use glam::{DVec2, DVec3};
use muslin_model::{Environment, Material, PinMotion, shapes::Triangulation};
use muslin_sim::{
    BendModel, ClothShape, ClothSpec, Scene, Settings, SimError, Simulation, StretchModel,
    scene::{Claims, PinHold, PinSelect, PinSpec, Placement},
    settings::{AdaptiveSettings, ContactMethod, ContactSettings, IntegratorKind},
};

fn without_contact() -> ContactSettings {
    ContactSettings { method: ContactMethod::None, ..Default::default() }
}

/// A sheet that hangs by two corners, stepped explicitly with a step some forty times too long.
fn hanging(integrator: IntegratorKind, adaptive: Option<AdaptiveSettings>) -> Scene {
    let cloth = ClothSpec {
        name: "sheet".into(),
        shape: ClothShape::Grid {
            vertices: [7, 7],
            size: DVec2::splat(0.6),
            triangulation: Triangulation::Alternating,
        },
        placement: Placement::default(),
        material: Material::woven_cotton(),
        stretch: StretchModel::Membrane,
        bend: BendModel::Curvature,
        loads: Vec::new(),
        wrinkles: Vec::new(),
        pins: vec![PinSpec {
            select: PinSelect::Vertices(vec![6, 48]),
            axes: vec![DVec3::X, DVec3::Y, DVec3::Z],
            motion: PinMotion::Fixed,
            release: f64::INFINITY,
            hold: PinHold::Exact,
        }],
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        warp_angle: 0.0,
        perturbation: 0.0,
        perturbation_seed: 0,
    };
    Scene {
        name: "hanging".into(),
        description: String::new(),
        duration: 0.2,
        frames_per_second: 60.0,
        // Without contact: what goes to pieces should be refused, not searched.
        settings: Settings { step: 1.0 / 60.0, integrator, adaptive, contact: without_contact(), ..Default::default() },
        environment: Environment { gravity: DVec3::new(0.0, 0.0, -9.81), ..Default::default() },
        cloths: vec![cloth],
        obstacles: Vec::new(),
        claims: Claims::default(),
        start: Default::default(),
        camera: None,
    }
}

const POLICY: AdaptiveSettings =
    AdaptiveSettings { most_stretch: 0.02, smallest_step: 1e-7, successes: 2, ..AdaptiveSettings::ON_STRETCH };

fn run(scene: &Scene) -> Result<Simulation, SimError> {
    let mut simulation = Simulation::new(scene)?;
    for _ in 0..simulation.frames() {
        simulation.next_frame()?;
    }
    Ok(simulation)
}

#[test]
fn a_scene_that_diverges_at_the_fixed_step_rolls_back_and_recovers() {
    let scheme = IntegratorKind::SymplecticEuler;
    let torn = match run(&hanging(scheme, None)) {
        Err(_) => f64::INFINITY,
        Ok(simulation) => simulation.tally().max_strain,
    };
    assert!(torn > 10.0, "the fixed step was to diverge, but stretches by {torn} only");

    let simulation = run(&hanging(scheme, Some(POLICY))).unwrap();
    let (tally, state) = (simulation.tally(), simulation.state());
    println!("{} steps, {} rejected, largest strain {:.4}", state.steps, tally.rejected_steps, tally.max_strain);
    assert!(tally.rejected_steps > 0 && state.steps > 100);
    assert!(tally.max_strain < 0.2, "{}", tally.max_strain);
    assert!((state.time - 0.2).abs() < 1e-12);

    // And it is the right motion: that of the accurate implicit scheme.
    let reference = run(&Scene {
        settings: Settings { step: 1.0 / 960.0, ..hanging(IntegratorKind::Bdf2, None).settings },
        ..hanging(IntegratorKind::Bdf2, None)
    })
    .unwrap();
    let fallen = reference.state().positions.iter().map(|x| -x.z).fold(0.0, f64::max);
    let gap = state.positions.iter().zip(&reference.state().positions).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    println!("fell by {fallen:.3} m, {gap:.4} m from the reference");
    assert!(fallen > 0.05 && gap < 0.1 * fallen, "{gap} of {fallen}");
}

#[test]
fn a_scheme_that_diverges_names_time_vertex_residual_and_remedy() {
    let mut scene = hanging(IntegratorKind::SymplecticEuler, None);
    scene.duration = 2.0;
    let error = run(&scene).err().expect("forty times too long a step");
    let SimError::NotFinite { time, step, vertex, ref body, residual } = error else { panic!("{error}") };
    assert!(time > 0.0 && time < 2.0 && vertex < 49 && body == "sheet", "{error}");
    assert!((step - 1.0 / 60.0).abs() < 1e-12, "{error}");
    // The explicit scheme is far from the law of motion before its numbers overflow.
    assert!(residual > 1e3, "{error}");
    let text = error.to_string();
    for part in [&format!("at {time:.6} s"), &format!("vertex {vertex}"), "vertex weights", "shorten `step`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_calm_scene_keeps_its_largest_step() {
    let simulation =
        run(&hanging(IntegratorKind::BackwardEuler, Some(AdaptiveSettings { most_stretch: 0.5, ..POLICY }))).unwrap();
    assert_eq!((simulation.state().steps, simulation.tally().rejected_steps), (12, 0));
}

#[test]
fn a_hopeless_scene_ends_with_an_error_that_says_what_to_change() {
    let policy =
        AdaptiveSettings { most_stretch: 1e-9, smallest_step: 1e-3, successes: 2, ..AdaptiveSettings::ON_STRETCH };
    let error = run(&hanging(IntegratorKind::BackwardEuler, Some(policy))).err().expect("an error");
    assert!(matches!(error, SimError::StretchesTooFast { .. }), "{error}");
    assert!(error.to_string().contains("smallest_step"), "{error}");
}

#[test]
fn contact_excuses_no_stretch_where_nothing_touches() {
    let policy =
        AdaptiveSettings { most_stretch: 1e-9, smallest_step: 1e-6, successes: 2, ..AdaptiveSettings::ON_STRETCH };
    let mut scene = hanging(IntegratorKind::LinearBackwardEuler, Some(policy));
    scene.settings.contact.method = ContactMethod::Implicit;
    let error = run(&scene).err().expect("an error");
    assert!(matches!(error, SimError::StretchesTooFast { .. }), "{error}");
}
