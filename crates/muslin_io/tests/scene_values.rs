//! What a valid scene file says arrives in the scene.

use glam::{DMat3, DVec2, DVec3};
use muslin_io::{
    parse,
    schema::{Absent, Kind, TableSchema, cloth, scene::SCENE, settings},
};
use muslin_model::{Environment, Field, Gust, Keyframe, Material, PinMotion, Track, shapes::Triangulation};
use muslin_sim::{
    Scene, Settings,
    scene::{BendModel, Camera, Claims, ClothShape, ObstacleShape, PinSelect, StretchModel},
    settings::{AdaptiveSettings, BroadPhaseKind, CcdMethod, IntegratorKind, LimiterKind, PreconditionerKind},
};
use std::f64::consts::PI;

const MINIMAL: &str = "duration = 1\n[[cloth]]\nshape = { kind = \"grid\", size = [1, 2], vertices = [3, 5] }\n";

fn read(text: &str, overrides: &[&str]) -> Scene {
    let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
    parse("test.toml", text, "test", &overrides).unwrap_or_else(|e| panic!("{e}")).scene
}

#[test]
fn a_minimal_scene_has_the_defaults_of_the_library() {
    let scene = read(MINIMAL, &[]);
    assert_eq!(scene.name, "test");
    assert_eq!(scene.settings, Settings::default());
    assert_eq!(scene.environment, Environment::default());
    assert_eq!(scene.claims, Claims::default());
    assert_eq!(scene.camera, None);
    assert_eq!((scene.frames_per_second, scene.frames()), (60.0, 60));
    let cloth = &scene.cloths[0];
    assert_eq!(cloth.material, Material::woven_cotton());
    assert_eq!(cloth.placement, Default::default());
    assert_eq!((cloth.stretch, cloth.bend), (StretchModel::Membrane, BendModel::Curvature));
    let size = DVec2::new(1.0, 2.0);
    let triangulation = Triangulation::RightDiagonal;
    assert_eq!(cloth.shape, ClothShape::Grid { vertices: [3, 5], size, triangulation });
    assert!(cloth.pins.is_empty() && cloth.velocity == DVec3::ZERO && cloth.perturbation == 0.0);
}

/// Every default written out must give the same scene as leaving it out; so the reference page tells the truth.
#[test]
fn every_documented_default_is_the_value_that_holds_without_it() {
    fn check(schema: &TableSchema, prefix: &str, count: &mut usize) {
        for key in schema.keys {
            let path = format!("{prefix}{}", key.name);
            match (&key.default, &key.kind) {
                (Absent::Is(text), _) => {
                    assert_eq!(read(MINIMAL, &[&format!("{path}={text}")]), read(MINIMAL, &[]), "{path} = {text}");
                    *count += 1;
                }
                // An empty `wind` or `adaptive` means something else than none; their keys are checked below.
                (_, Kind::Table(table)) if !matches!(table.name, "wind" | "adaptive" | "camera") => {
                    check(table, &format!("{path}."), count);
                }
                (_, Kind::Tables(table)) if table.name == "cloth" => check(table, &format!("{path}.0."), count),
                _ => {}
            }
        }
    }
    let mut count = 0;
    check(&SCENE, "", &mut count);
    assert!(count > 20, "only {count} defaults were checked");
}

#[test]
fn every_choice_without_required_keys_can_be_named_and_gives_its_own_value() {
    let lists: [(&str, &[TableSchema]); 8] = [
        ("settings.integrator", settings::INTEGRATORS),
        ("settings.limiter", settings::LIMITERS),
        ("settings.linear.preconditioner", settings::PRECONDITIONERS),
        ("settings.collision.broad_phase", settings::BROAD_PHASES),
        ("settings.collision.ccd_method", settings::CCD_METHODS),
        ("cloth.0.stretch", cloth::STRETCH_MODELS),
        ("cloth.0.bend", cloth::BEND_MODELS),
        ("cloth.0.shape.triangulation", cloth::TRIANGULATIONS),
    ];
    for (path, variants) in lists {
        let mut scenes: Vec<Scene> = Vec::new();
        for variant in variants {
            // A fabric that has all that a model may want, tables among it.
            let fabric = "cloth.0.material=denim-11oz";
            let named = read(MINIMAL, &[fabric, &format!("{path}={}", variant.name)]);
            // The same with `kind` and every default written out.
            let keys: Vec<String> = variant
                .keys
                .iter()
                .map(|key| match key.default {
                    Absent::Is(text) => format!(", {} = {text}", key.name),
                    Absent::Means(_) => String::new(),
                    Absent::Required => panic!("{path}: `{}` has a required key", variant.name),
                })
                .collect();
            let spelled = format!("{path}={{ kind = \"{}\"{} }}", variant.name, keys.concat());
            let spelled = read(MINIMAL, &[fabric, &spelled]);
            assert_eq!(named, spelled, "{path} = {}", variant.name);
            assert!(!scenes.contains(&named), "{path} = {} is the same as another choice", variant.name);
            scenes.push(named);
        }
    }
}

#[test]
fn every_shape_of_cloth_and_obstacle_arrives_with_its_measures() {
    let text = r#"
duration = 1
[[cloth]]
name = "disc"
shape = { kind = "disc", radius = 0.5, rings = 7 }
[[cloth]]
name = "tube"
shape = { kind = "tube", radius = 0.3, height = 2, vertices = [12, 9] }
[[cloth]]
name = "rabbit"
shape = { kind = "rabbit", height = 0.4, cells = 30 }
[[obstacle]]
shape = { kind = "sphere", radius = 0.25, subdivisions = 3 }
[[obstacle]]
shape = { kind = "box", size = [1, 2, 3] }
[[obstacle]]
shape = { kind = "torus", radius = 1, tube = 0.2, segments = [10, 6] }
[[obstacle]]
shape = { kind = "capsule", radius = 0.1, length = 1.5, segments = 9 }
[[obstacle]]
shape = { kind = "plane", size = 4 }
[[obstacle]]
shape = { kind = "funnel", top_radius = 1, pipe_radius = 0.2, cone_height = 0.8, pipe_length = 0.5, segments = 16 }
[[obstacle]]
shape = { kind = "figure", height = 1.5, cells = 30 }
"#;
    let scene = read(text, &[]);
    assert_eq!(scene.cloths[0].shape, ClothShape::Disc { radius: 0.5, rings: 7 });
    assert_eq!(scene.cloths[1].shape, ClothShape::Tube { radius: 0.3, height: 2.0, vertices: [12, 9] });
    assert_eq!(scene.cloths[2].shape, ClothShape::Rabbit { height: 0.4, cells: 30 });
    let shapes: Vec<&ObstacleShape> = scene.obstacles.iter().map(|o| &o.shape).collect();
    assert_eq!(
        shapes,
        [
            &ObstacleShape::Sphere { radius: 0.25, subdivisions: 3 },
            &ObstacleShape::Box { size: DVec3::new(1.0, 2.0, 3.0) },
            &ObstacleShape::Torus { radius: 1.0, tube: 0.2, segments: [10, 6] },
            &ObstacleShape::Capsule { radius: 0.1, length: 1.5, segments: 9 },
            &ObstacleShape::Plane { size: 4.0 },
            &ObstacleShape::Funnel {
                top_radius: 1.0,
                pipe_radius: 0.2,
                cone_height: 0.8,
                pipe_length: 0.5,
                segments: 16
            },
            &ObstacleShape::Figure { height: 1.5, cells: 30 },
        ]
    );
    let names: Vec<&str> = scene.obstacles.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["sphere", "box-2", "torus-3", "capsule-4", "plane-5", "funnel-6", "figure-7"]);
}

#[test]
fn settings_air_camera_and_claims_arrive() {
    let text = r#"
name = "all"
description = "everything"
duration = 0.5
frames_per_second = 24
[settings]
step = "1/480"
integrator = { kind = "verlet", epsilon = 0.05 }
newton = { correction = 1e-3, residual = 0.1, most_iterations = 7 }
linear = { preconditioner = "multilevel", most_iterations = 99 }
adaptive = { most_stretch = 0.2, most_turn_degrees = 40, most_correction = 0.3, smallest_step = 1e-5, successes = 3 }
limiter = { kind = "strain-impulses", limit = 0.05, rate_limit = 0.01, most_sweeps = 5 }
collision = { broad_phase = "octree-two-stage", ccd_method = "bisection" }
[environment]
gravity = [1, 2, 3]
viscous_drag = 0.5
[environment.wind]
velocity = [4, 5, 6]
density = 1.3
normal_drag = 0.7
[[environment.wind.gusts]]
velocity = [0, 1, 0]
period = 2
phase = 0.25
[claims]
max_strain_below = 0.1
final_speed_below = 0.2
[camera]
position = [1, -2, 3]
target = [0, 0, 1]
field_of_view_degrees = 90
[[cloth]]
shape = { kind = "grid", size = [1, 1], vertices = [3, 3], straight_columns = 2, triangulation = { kind = "irregular", seed = 42 } }
stretch = { kind = "baraff-witkin", area_exponent = 0.75, rest = [0.9, 1.1] }
bend = "modes"
velocity = [1, 0, 0]
angular_velocity_degrees = [0, 0, 180]
warp_degrees = 45
perturbation = 0.01
perturbation_seed = 7
translation = [1, 2, 3]
rotation_axis = [0, 0, 2]
rotation_degrees = 90
scale = [1, 2, 1]
"#;
    let scene = read(text, &[]);
    assert_eq!((scene.name.as_str(), scene.description.as_str(), scene.frames()), ("all", "everything", 12));
    let s = &scene.settings;
    assert_eq!((s.step, s.integrator), (1.0 / 480.0, IntegratorKind::Verlet { epsilon: 0.05 }));
    assert_eq!((s.newton.correction, s.newton.residual, s.newton.most_iterations), (1e-3, 0.1, 7));
    assert_eq!((s.linear.preconditioner, s.linear.most_iterations), (PreconditionerKind::Multilevel, 99));
    let adaptive = AdaptiveSettings {
        most_stretch: 0.2,
        most_turn_degrees: 40.0,
        most_correction: 0.3,
        smallest_step: 1e-5,
        successes: 3,
    };
    assert_eq!(s.adaptive, Some(adaptive));
    assert_eq!(s.limiter, LimiterKind::StrainImpulses { limit: 0.05, rate_limit: 0.01, most_sweeps: 5 });
    assert_eq!(s.collision.broad_phase, BroadPhaseKind::OctreeTwoStage);
    assert_eq!(s.collision.ccd_method, CcdMethod::Bisection);
    let e = &scene.environment;
    assert_eq!((e.gravity, e.viscous_drag), (DVec3::new(1.0, 2.0, 3.0), 0.5));
    assert_eq!((e.wind.velocity, e.wind.density, e.wind.normal_drag), (DVec3::new(4.0, 5.0, 6.0), 1.3, 0.7));
    assert_eq!(e.wind.gusts, [Gust { velocity: DVec3::Y, period: 2.0, phase: 0.25 }]);
    assert_eq!(scene.claims, Claims { max_strain_below: Some(0.1), final_speed_below: Some(0.2) });
    let camera = Camera { position: DVec3::new(1.0, -2.0, 3.0), target: DVec3::Z, field_of_view: PI / 2.0 };
    assert_eq!(scene.camera, Some(camera));
    let cloth = &scene.cloths[0];
    assert_eq!(cloth.stretch, StretchModel::BaraffWitkin { area_exponent: 0.75, rest: [0.9, 1.1] });
    assert_eq!((cloth.bend, cloth.velocity), (BendModel::Modes, DVec3::X));
    assert_eq!((cloth.perturbation, cloth.perturbation_seed), (0.01, 7));
    assert!((cloth.angular_velocity - DVec3::Z * PI).length() < 1e-15 && (cloth.warp_angle - PI / 4.0).abs() < 1e-15);
    let ClothShape::Grid { triangulation, .. } = cloth.shape else { panic!("not a grid") };
    assert_eq!(triangulation, Triangulation::Irregular { seed: 42, straight_columns: 2 });
    let quarter = DMat3::from_cols(DVec3::Y, -DVec3::X, DVec3::Z);
    assert_eq!((cloth.placement.rotation, cloth.placement.scale), (quarter, DVec3::new(1.0, 2.0, 1.0)));
    // (1, 1, 0) is scaled to (1, 2, 0), turned to (−2, 1, 0) and moved.
    assert_eq!(cloth.placement.apply(DVec3::new(1.0, 1.0, 0.0)), DVec3::new(-1.0, 3.0, 3.0));
}

#[test]
fn pins_hold_by_place_number_or_box_in_one_to_three_directions_and_move() {
    let text = format!(
        "{MINIMAL}{}",
        r#"
pin = [
  { places = "top-left" },
  { vertices = [0, 4, 14], axes = ["z"], velocity = [0, 0, 1], release = 0.5 },
  { box = { low = [-1, -1, -1], high = [0, 1, 1] }, axes = ["x", [0, 3, 4]], pivot = [1, 0, 0], keyframes = [
    { time = 0 },
    { time = 2, translation = [0, 1, 0], rotation_axis = [0, 0, 5], rotation_degrees = 1080, scale = 0.5 },
  ] },
]
"#
    );
    let pins = read(&text, &[]).cloths.remove(0).pins;
    assert_eq!(pins[0].select, PinSelect::Named(vec!["top-left".into()]));
    assert_eq!(pins[0].axes, [DVec3::X, DVec3::Y, DVec3::Z]);
    assert_eq!((&pins[0].motion, pins[0].release), (&PinMotion::Fixed, f64::INFINITY));
    assert_eq!(pins[1].select, PinSelect::Vertices(vec![0, 4, 14]));
    assert_eq!((&pins[1].motion, pins[1].release), (&PinMotion::Velocity(DVec3::Z), 0.5));
    assert_eq!(pins[2].select, PinSelect::Box { low: DVec3::NEG_ONE, high: DVec3::new(0.0, 1.0, 1.0) });
    assert_eq!((pins[2].axes.len(), pins[2].axes[0]), (2, DVec3::X));
    assert!((pins[2].axes[1] - DVec3::new(0.0, 0.6, 0.8)).length() < 1e-15, "directions are made unit vectors");
    let PinMotion::Keyframes(Track { pivot, keys }) = &pins[2].motion else { panic!("no keyframes") };
    assert_eq!((*pivot, keys[0]), (DVec3::X, Keyframe::rest(0.0)));
    assert_eq!((keys[1].time, keys[1].translation, keys[1].scale), (2.0, DVec3::Y, DVec3::splat(0.5)));
    assert!((keys[1].rotation - DVec3::Z * 6.0 * PI).length() < 1e-14, "three turns stay three turns");
}

#[test]
fn an_obstacle_turns_about_its_own_place_unless_told_otherwise() {
    let obstacle = |extra: &str| {
        let text = format!(
            "{MINIMAL}[[obstacle]]\nshape = \"plane\"\ntranslation = [0, 0, 2]\n{extra}keyframes = [{{ time = 1, rotation_degrees = 90 }}]\n"
        );
        read(&text, &[]).obstacles.remove(0).motion.unwrap().pivot
    };
    assert_eq!(obstacle(""), DVec3::new(0.0, 0.0, 2.0));
    assert_eq!(obstacle("pivot = [1, 0, 0]\n"), DVec3::X);
}

#[test]
fn a_material_is_a_name_or_overrides_with_arrays() {
    let material = |value: &str| read(MINIMAL, &[&format!("cloth.0.material={value}")]).cloths.remove(0).material;
    assert_eq!(material("woven-cotton"), Material::woven_cotton());
    let expected = Material { shear: Field::Uniform(200.0), ..Material::woven_cotton() };
    assert_eq!(material("{ base = \"woven-cotton\", shear = 200 }"), expected);
    assert_eq!(material("{ shear = 200 }"), expected);
    let stacked = material("{ base = { shear = 200, name = \"a\" }, poisson = 0.1 }");
    let name = String::from("a");
    assert_eq!(stacked, Material { shear: 200.0.into(), poisson: 0.1.into(), name, ..Material::woven_cotton() });
    // Fifteen vertices and sixteen faces on a grid of 3 × 5.
    let thick: Vec<f64> = (1..=15).map(|k| k as f64 * 1e-4).collect();
    assert_eq!(material(&format!("{{ thickness = {{ per_vertex = {thick:?} }} }}")).thickness, Field::PerVertex(thick));
    let dense: Vec<f64> = (1..=16).map(|k| k as f64 * 0.1).collect();
    assert_eq!(
        material(&format!("{{ area_density = {{ per_face = {dense:?} }} }}")).area_density,
        Field::PerFace(dense)
    );
    // A changed warp takes the bias along; a given bias stays.
    assert_eq!(material("{ bend_warp = 3e-5 }").bend_bias, Field::Uniform(2e-5));
    assert_eq!(material("{ bend_warp = 3e-5, bend_bias = 1.5e-5 }").bend_bias, Field::Uniform(1.5e-5));
    // b₁ = B + 2HB/K₀ with B the mean of warp and weft.
    let given = material("{ bend_warp = 3e-5, bend_initial = 6e-5, bend_hysteresis = 2e-3 }").bend_transition;
    assert!(matches!(given, Field::Uniform(k0) if (k0 - 50.0).abs() < 1e-9), "{given:?}");
}

#[test]
fn every_material_key_reaches_its_own_field() {
    for (k, (name, _)) in Material::woven_cotton().fields().into_iter().enumerate() {
        let value = 0.5 + 0.01 * k as f64;
        let text = format!("cloth.0.material={{ {name} = {value}, bend_bias = 0.9 }}");
        let text = if name == "bend_bias" { format!("cloth.0.material={{ bend_bias = {value} }}") } else { text };
        let material = read(MINIMAL, &[&text]).cloths.remove(0).material;
        for (field, found) in material.fields() {
            if field == name {
                assert_eq!(found, &Field::Uniform(value), "{name}");
            } else if field != "bend_bias" {
                let base = Material::woven_cotton();
                assert_eq!(found, base.fields().iter().find(|f| f.0 == field).unwrap().1, "{name} changed {field}");
            }
        }
    }
}

#[test]
fn parameters_stand_for_values_of_any_type_and_compute() {
    let text = r#"
duration = "$time"
description = "costs 5 $$"
[parameters]
time = { default = "$half * 2", range = [0, 10], doc = "how long" }
half = 1.5
n = 7
fabric = { shear = 50 }
corner = ["$half", 0, "-$half"]
scheme = "bdf2"
[settings]
integrator = "$scheme"
[[cloth]]
shape = { kind = "grid", size = ["$n / 2", 1], vertices = ["2 * ($n - 1)", "floor($n / 2)"] }
material = "$fabric"
translation = "$corner"
"#;
    let scene = read(text, &[]);
    assert_eq!((scene.duration, scene.description.as_str()), (3.0, "costs 5 $"));
    assert_eq!(scene.settings.integrator, IntegratorKind::Bdf2);
    let ClothShape::Grid { vertices, size, .. } = scene.cloths[0].shape else { panic!("not a grid") };
    assert_eq!((vertices, size), ([12, 3], DVec2::new(3.5, 1.0)));
    assert_eq!(scene.cloths[0].material.shear, 50.0.into());
    assert_eq!(scene.cloths[0].placement.translation, DVec3::new(1.5, 0.0, -1.5));
    // `--set` of one parameter moves all that depend on it; an expression needs no quotes there.
    let scene = read(text, &["half=1/4", "n=$half * 36"]);
    assert_eq!(scene.duration, 0.5);
    let ClothShape::Grid { vertices, .. } = scene.cloths[0].shape else { panic!("not a grid") };
    assert_eq!(vertices, [16, 4]);
}

#[test]
fn set_reaches_any_key_by_its_path() {
    let scene = read(
        MINIMAL,
        &[
            "settings.newton.residual=0.5",
            "cloth.0.material.shear=77",
            "cloth.0.shape.size.1=9",
            "cloth.0.name=sheet",
            "environment={ gravity = [0, 0, -1.62] }",
            "settings.integrator.epsilon=0.1",
            "settings.integrator.kind=verlet",
        ],
    );
    assert_eq!(scene.settings.newton.residual, 0.5);
    assert_eq!(scene.settings.integrator, IntegratorKind::Verlet { epsilon: 0.1 });
    assert_eq!(scene.cloths[0].material.shear, 77.0.into());
    assert_eq!(scene.cloths[0].name, "sheet");
    assert_eq!(scene.environment.gravity.z, -1.62);
    let ClothShape::Grid { size, .. } = scene.cloths[0].shape else { panic!("not a grid") };
    assert_eq!(size, DVec2::new(1.0, 9.0));
}

#[test]
fn an_unused_parameter_is_a_warning() {
    let text = format!("{MINIMAL}[parameters]\nspare = 3\n");
    let loaded = parse("test.toml", &text, "test", &[]).unwrap();
    assert_eq!(loaded.warnings, ["the parameter `spare` is declared but not used"]);
    let set = |argument: &str| parse("test.toml", &text, "test", &[argument.into()]).unwrap().warnings.len();
    assert_eq!((set("spare=4"), set("duration=2")), (1, 0));
}
