//! Cloths and obstacles joined to one model.

use glam::{DMat3, DVec2, DVec3};
use muslin_model::{
    BodyKind, Cloth, Environment, Field, Gust, Hold, Keyframe, Material, Mesh, MeshError, Model, ModelError, Obstacle,
    Pin, PinMotion, State, Track, TrackError, Wind, shapes,
};

fn cloth(name: &str, mesh: Mesh) -> Cloth {
    let (velocity, angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
    Cloth { name: name.into(), mesh, material: Material::default(), pins: Vec::new(), velocity, angular_velocity }
}

fn sheet() -> Mesh {
    shapes::grid(5, 4, DVec2::new(0.8, 0.6), shapes::Triangulation::Irregular { seed: 1, straight_columns: 0 }).unwrap()
}

fn ball(motion: Option<Track>) -> Obstacle {
    Obstacle { name: "ball".into(), mesh: shapes::sphere(0.2, 1).unwrap(), animation: None, motion }
}

fn build(cloths: Vec<Cloth>, obstacles: Vec<Obstacle>) -> Result<Model, ModelError> {
    Model::new(cloths, obstacles, Environment::default())
}

fn fixed(vertices: Vec<u32>) -> Pin {
    Pin { vertices, held: DMat3::IDENTITY, hold: Hold::Exact, motion: PinMotion::Fixed, release: f64::INFINITY }
}

#[test]
fn masses_add_up_to_density_times_area() {
    let model = build(vec![cloth("a", sheet())], vec![ball(None)]).unwrap();
    let total: f64 = model.masses.iter().sum();
    assert!((total - 0.2 * 0.8 * 0.6).abs() < 1e-15, "{total}");
    assert!(model.masses[..20].iter().all(|&m| m > 0.0));
    assert!(model.masses[20..].iter().all(|&m| m == 0.0), "an obstacle has mass");
}

#[test]
fn masses_follow_a_density_given_per_face_and_per_vertex() {
    let mesh = sheet();
    let area: Vec<f64> = (0..mesh.triangles.len()).map(|t| mesh.rest_area(t)).collect();
    let per_face: Vec<f64> = (0..area.len()).map(|t| 0.1 + 0.01 * t as f64).collect();
    let exact: f64 = area.iter().zip(&per_face).map(|(a, d)| a * d).sum();
    let mut heavy = cloth("a", mesh.clone());
    heavy.material.area_density = Field::PerFace(per_face.clone());
    let model = build(vec![heavy], vec![]).unwrap();
    assert!((model.masses.iter().sum::<f64>() - exact).abs() < 1e-15);
    assert!(model.materials.iter().zip(&per_face).all(|(m, &d)| m.area_density == d));

    // A density that is linear in x integrates exactly: mean value times area.
    let mut sloped = cloth("a", mesh.clone());
    sloped.material.area_density = Field::PerVertex(mesh.positions.iter().map(|p| 1.0 + p.x).collect());
    let model = build(vec![sloped], vec![]).unwrap();
    assert!((model.masses.iter().sum::<f64>() - 0.8 * 0.6).abs() < 1e-14);
}

#[test]
fn the_rest_shape_and_not_the_start_shape_has_the_mass() {
    let mut crumpled = sheet();
    crumpled.positions.iter_mut().for_each(|p| *p = DVec3::new(p.x * 0.1, p.y, p.x * p.y));
    let model = build(vec![cloth("a", crumpled)], vec![]).unwrap();
    assert!((model.masses.iter().sum::<f64>() - 0.2 * 0.48).abs() < 1e-15);
}

#[test]
fn bodies_are_ranges_of_one_mesh_with_cloths_first() {
    let disc = shapes::disc(0.3, 3).unwrap();
    let (n, t) = (disc.positions.len(), disc.triangles.len());
    let model = build(vec![cloth("a", sheet()), cloth("b", disc.clone())], vec![ball(None), ball(None)]).unwrap();
    let ranges: Vec<_> = model.bodies.iter().map(|b| (b.kind, b.vertices.clone(), b.triangles.clone())).collect();
    assert_eq!(
        ranges,
        [
            (BodyKind::Cloth, 0..20, 0..24),
            (BodyKind::Cloth, 20..20 + n, 24..24 + t),
            (BodyKind::Obstacle, 20 + n..62 + n, 24 + t..104 + t),
            (BodyKind::Obstacle, 62 + n..104 + n, 104 + t..184 + t),
        ]
    );
    assert_eq!((model.cloth_vertices(), model.cloth_triangles()), (0..20 + n, 0..24 + t));
    assert_eq!(model.mesh.positions.len(), 104 + n);
    assert_eq!((model.masses.len(), model.start_velocities.len()), (104 + n, 104 + n));
    assert_eq!((model.mesh.uv.len(), model.materials.len()), (24 + t, 24 + t));
    for body in &model.bodies {
        for tri in &model.mesh.triangles[body.triangles.clone()] {
            assert!(tri.iter().all(|&v| body.vertices.contains(&(v as usize))));
        }
        for v in body.vertices.clone() {
            assert_eq!(model.body_of_vertex(v), body);
        }
    }
    // The second cloth's triangle is the disc's own, moved on by the vertices before it.
    assert_eq!(model.mesh.triangles[24], disc.triangles[0].map(|v| v + 20));
    assert_eq!(model.mesh.positions[20 + 5], disc.positions[5]);
}

#[test]
fn a_start_rotation_is_about_the_centroid() {
    let mut spinning = cloth("a", sheet());
    spinning.mesh.positions.iter_mut().for_each(|p| *p += DVec3::new(10.0, 0.0, 0.0));
    (spinning.velocity, spinning.angular_velocity) = (DVec3::Y, DVec3::new(0.0, 0.0, 3.0));
    let model = build(vec![spinning], vec![]).unwrap();
    let centre = model.mesh.positions.iter().sum::<DVec3>() / 20.0;
    for (p, v) in model.mesh.positions.iter().zip(&model.start_velocities) {
        let r = *p - centre;
        assert!(v.distance(DVec3::new(-3.0 * r.y, 1.0 + 3.0 * r.x, 0.0)) < 1e-13);
    }
    let state = State::new(&model);
    assert_eq!((state.positions, state.velocities), (model.mesh.positions.clone(), model.start_velocities.clone()));
    assert_eq!((state.time, state.steps), (0.0, 0));
}

#[test]
fn pins_are_renumbered_to_the_model_and_checked_against_their_cloth() {
    let mut second = cloth("b", sheet());
    second.pins = vec![fixed(vec![0, 19])];
    let model = build(vec![cloth("a", sheet()), second.clone()], vec![]).unwrap();
    assert_eq!(model.pins[0].vertices, [20, 39]);
    second.pins = vec![fixed(vec![0, 20])];
    let error = build(vec![cloth("a", sheet()), second], vec![]).unwrap_err();
    assert_eq!(error, ModelError::PinVertex { body: "b".into(), vertex: 20, count: 20 });
}

#[test]
fn obstacles_move_with_their_tracks_and_nothing_else_does() {
    let lift = Keyframe { translation: DVec3::Z * 2.0, ..Keyframe::rest(1.0) };
    let track = Track { pivot: DVec3::ZERO, keys: vec![Keyframe::rest(0.0), lift] };
    let model = build(vec![cloth("a", sheet())], vec![ball(None), ball(Some(track))]).unwrap();
    let mut positions = model.mesh.positions.clone();
    model.place_obstacles(0.25, &mut positions);
    let still = model.bodies[1].vertices.end;
    assert_eq!(positions[..still], model.mesh.positions[..still]);
    for v in model.bodies[2].vertices.clone() {
        assert!(positions[v].distance(model.mesh.positions[v] + DVec3::Z * 0.5) < 1e-15);
    }
}

#[test]
fn material_arrays_of_the_wrong_length_are_refused_with_the_right_ones() {
    for field in [Field::PerVertex(vec![1.0; 24]), Field::PerFace(vec![1.0; 20])] {
        let mut wrong = cloth("a", sheet());
        let found = field.values().len();
        wrong.material.shear = field;
        let error = build(vec![wrong], vec![]).unwrap_err();
        let (body, field) = ("a".into(), "shear");
        assert_eq!(error, ModelError::FieldLength { body, field, found, vertices: 20, faces: 24 });
    }
}

#[test]
fn material_values_that_no_fabric_has_are_refused_with_their_place() {
    let with = |change: &dyn Fn(&mut Material)| {
        let mut wrong = cloth("a", sheet());
        change(&mut wrong.material);
        build(vec![wrong], vec![]).unwrap_err()
    };
    let mut weights = vec![0.2; 24];
    weights[7] = 0.0;
    for (error, name, place) in [
        (with(&|m| m.area_density = Field::PerFace(weights.clone())), "area_density", "face 7"),
        (with(&|m| m.area_density = f64::NAN.into()), "area_density", "the whole cloth"),
        (with(&|m| m.poisson = 1.0.into()), "poisson", "the whole cloth"),
        (with(&|m| m.poisson = (-0.1).into()), "poisson", "the whole cloth"),
        (with(&|m| m.stretch_warp = (-1.0).into()), "stretch_warp", "the whole cloth"),
        (with(&|m| m.damping_bend = Field::PerVertex(vec![f64::INFINITY; 20])), "damping_bend", "vertex 0"),
    ] {
        match error {
            ModelError::FieldRange { field, place: found, .. } => assert_eq!((field, found.as_str()), (name, place)),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn bias_bending_below_the_limit_of_a_positive_twist_is_refused() {
    // With warp B, weft B and no coupling the least bias is B/2; with coupling ν it is B(1 + ν)/2.
    let with = |bias: f64, poisson: f64| {
        let mut stiff = cloth("a", sheet());
        stiff.material.bend_bias = bias.into();
        stiff.material.bend_poisson = poisson.into();
        build(vec![stiff], vec![])
    };
    assert!(with(0.5e-5, 0.0).is_ok());
    assert!(with(0.499e-5, 0.0).is_err());
    assert!(with(0.65e-5, 0.3).is_ok());
    let error = with(0.649e-5, 0.3).unwrap_err();
    assert!(matches!(&error, ModelError::FieldRange { field: "bend_bias", place, .. } if place == "face 0"), "{error}");
}

#[test]
fn a_loop_that_begins_steeper_than_any_rigidity_may_be_is_refused_on_its_face() {
    let with = |width: f64, transition: f64| {
        let mut rubbing = cloth("a", sheet());
        let mut widths = vec![0.0; rubbing.mesh.triangles.len()];
        widths[1] = width;
        rubbing.material.bend_hysteresis = Field::PerFace(widths);
        rubbing.material.bend_transition = transition.into();
        build(vec![rubbing], vec![])
    };
    // b₁ = B + 2HB/K₀, each of them within its own range.
    assert!(with(1e3, 1.001e-9).is_ok());
    let error = with(1e3, 0.999e-9).unwrap_err();
    assert!(
        matches!(&error, ModelError::FieldRange { field: "bend_hysteresis", place, .. } if place == "face 1"),
        "{error}"
    );
}

#[test]
fn a_broken_body_is_named() {
    let mut broken = sheet();
    broken.triangles[3][0] = 99;
    let error = build(vec![cloth("good", sheet()), cloth("bad", broken)], vec![]).unwrap_err();
    let source = MeshError::IndexOutOfRange { triangle: 3, vertex: 99, count: 20 };
    assert_eq!(error, ModelError::Mesh { body: "bad".into(), source });
    let nothing = Obstacle { name: "void".into(), mesh: Mesh::default(), animation: None, motion: None };
    let error = build(vec![cloth("good", sheet())], vec![nothing]).unwrap_err();
    assert_eq!(error, ModelError::Mesh { body: "void".into(), source: MeshError::Empty });
    assert_eq!(build(vec![], vec![ball(None)]).unwrap_err(), ModelError::NoCloth);
}

#[test]
fn motions_that_cannot_be_followed_are_refused_with_their_body() {
    let backwards = Track { pivot: DVec3::ZERO, keys: vec![Keyframe::rest(1.0), Keyframe::rest(0.5)] };
    let source = TrackError::Order { key: 1, time: 0.5, before: 1.0 };
    let error = build(vec![cloth("a", sheet())], vec![ball(Some(backwards.clone()))]).unwrap_err();
    assert_eq!(error, ModelError::Track { body: "ball".into(), source: source.clone() });
    let mut driven = cloth("a", sheet());
    driven.pins = vec![Pin { motion: PinMotion::Keyframes(backwards), ..fixed(vec![0]) }];
    assert_eq!(build(vec![driven], vec![]).unwrap_err(), ModelError::Track { body: "a".into(), source });
}

#[test]
fn an_environment_that_cannot_be_is_refused_by_name() {
    let gust = |period| Gust { velocity: DVec3::X, period, phase: 0.0 };
    let windy = |wind: Wind| Environment { wind, ..Environment::default() };
    for (environment, name) in [
        (Environment { gravity: DVec3::NAN, ..Environment::default() }, "gravity"),
        (Environment { viscous_drag: -1.0, ..Environment::default() }, "viscous_drag"),
        (windy(Wind { velocity: DVec3::INFINITY, ..Wind::default() }), "wind.velocity"),
        (windy(Wind { density: f64::NAN, ..Wind::default() }), "wind.density"),
        (windy(Wind { gusts: vec![gust(1.0), gust(0.0)], ..Wind::default() }), "wind.gusts.period"),
    ] {
        let error = Model::new(vec![cloth("a", sheet())], vec![], environment).unwrap_err();
        assert!(matches!(&error, ModelError::Environment { field, .. } if *field == name), "{error}");
    }
}
