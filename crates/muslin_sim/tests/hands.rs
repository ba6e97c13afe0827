//! What people do to a running simulation.

use glam::{DVec2, DVec3};
use muslin_dynamics::forces::PullPoint;
use muslin_model::{Environment, Material, PinMotion, shapes::Triangulation};
use muslin_sim::{
    ClothShape, ClothSpec, Hands, Scene, Settings, SimError, Simulation,
    scene::{Claims, PinHold, PinSelect, PinSpec, Placement},
};

fn sheet(side: usize) -> Scene {
    let pin = |vertex| PinSpec {
        select: PinSelect::Vertices(vec![vertex]),
        axes: vec![DVec3::X, DVec3::Y, DVec3::Z],
        motion: PinMotion::Fixed,
        release: f64::INFINITY,
        hold: PinHold::Exact,
    };
    let cloth = ClothSpec {
        name: "sheet".into(),
        shape: ClothShape::Grid {
            vertices: [side, side],
            size: DVec2::ONE,
            triangulation: Triangulation::RightDiagonal,
        },
        placement: Placement::default(),
        material: Material::woven_cotton(),
        stretch: muslin_sim::StretchModel::Membrane,
        bend: muslin_sim::BendModel::Curvature,
        loads: Vec::new(),
        wrinkles: Vec::new(),
        pins: vec![pin(0), pin(side as u32 - 1)],
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        warp_angle: 0.0,
        perturbation: 0.0,
        perturbation_seed: 0,
    };
    Scene {
        name: "sheet".into(),
        description: String::new(),
        duration: 1.0,
        frames_per_second: 60.0,
        settings: Settings::default(),
        environment: Environment::default(),
        cloths: vec![cloth],
        obstacles: Vec::new(),
        claims: Claims::default(),
        start: Default::default(),
        camera: None,
    }
}

fn play(simulation: &mut Simulation, frames: usize) {
    (0..frames).for_each(|_| drop(simulation.next_frame().unwrap()));
}

#[test]
fn hands_that_do_nothing_change_no_bit() {
    let (mut alone, mut held) = (Simulation::new(&sheet(6)).unwrap(), Simulation::new(&sheet(6)).unwrap());
    held.set_hands(Hands::default());
    play(&mut alone, 20);
    play(&mut held, 20);
    assert_eq!(alone.state_hash(), held.state_hash());
}

#[test]
fn a_pull_stronger_than_the_weight_carries_a_corner_to_its_target() {
    let mut simulation = Simulation::new(&sheet(6)).unwrap();
    let weight = 0.2 * 9.81;
    let target = DVec3::new(0.3, 0.3, 0.2);
    let pull = PullPoint { vertex: 35, target, stiffness: 200.0 * weight, most_force: 10.0 * weight };
    simulation.set_hands(Hands { pulls: vec![pull], ..Hands::default() });
    play(&mut simulation, 240);
    // At rest the spring carries at most the weight: 1/200 m.
    let distance = simulation.state().positions[35].distance(target);
    assert!(distance < 0.006, "{distance} m");
    simulation.set_hands(Hands::default());
    play(&mut simulation, 60);
    assert!(simulation.state().positions[35].distance(target) > 0.2, "let go, it falls");
}

#[test]
fn a_pull_weaker_than_the_weight_does_not_stretch_the_cloth() {
    let mut simulation = Simulation::new(&sheet(6)).unwrap();
    let pull =
        PullPoint { vertex: 35, target: DVec3::new(50.0, 0.0, 0.0), stiffness: 100.0, most_force: 0.3 * 0.2 * 9.81 };
    simulation.set_hands(Hands { pulls: vec![pull], ..Hands::default() });
    play(&mut simulation, 120);
    assert!(simulation.tally().max_strain < 0.05, "{}", simulation.tally().max_strain);
}

#[test]
fn pins_of_hands_hold_and_pins_of_the_scene_can_be_cut() {
    let mut simulation = Simulation::new(&sheet(6)).unwrap();
    let place = DVec3::new(0.45, 0.45, 0.1);
    simulation.set_hands(Hands { held: vec![(35, place)], cut: vec![0], freed: vec![5], ..Hands::default() });
    play(&mut simulation, 30);
    let positions = &simulation.state().positions;
    assert_eq!(positions[35], place);
    let start = simulation.model().mesh.positions.clone();
    for corner in [0, 5] {
        assert!(positions[corner].distance(start[corner]) > 0.05, "corner {corner} is free");
    }
}

#[test]
fn vertices_that_are_no_cloth_s_are_left_out() {
    let mut simulation = Simulation::new(&sheet(4)).unwrap();
    let pull = PullPoint { vertex: 16, target: DVec3::ZERO, stiffness: 1.0, most_force: 1.0 };
    simulation.set_hands(Hands { pulls: vec![pull], held: vec![(99, DVec3::ZERO)], freed: vec![77], cut: vec![9] });
    play(&mut simulation, 2);
    assert!(simulation.hands().pulls.is_empty() && simulation.hands().held.is_empty());
}

#[test]
fn an_unchanged_scene_carried_on_moves_on_alike() {
    let scene = sheet(6);
    let mut whole = Simulation::new(&scene).unwrap();
    play(&mut whole, 10);
    let mut carried = whole.carried_on(&scene).unwrap();
    assert_eq!(carried.state(), whole.state());
    play(&mut whole, 10);
    play(&mut carried, 10);
    // The solver begins without its memory, so the last digits may differ, within its tolerance.
    let pairs = whole.state().positions.iter().zip(&carried.state().positions);
    let furthest = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(furthest < 1e-3, "{furthest} m");
    assert_eq!(whole.frame(), carried.frame());
}

#[test]
fn heavier_fabric_from_now_on_goes_on_from_the_same_place() {
    let mut scene = sheet(6);
    let mut simulation = Simulation::new(&scene).unwrap();
    play(&mut simulation, 10);
    scene.cloths[0].material.area_density = 2.0.into();
    scene.settings.step = 1.0 / 240.0;
    let mut heavier = simulation.carried_on(&scene).unwrap();
    assert_eq!(heavier.state().positions, simulation.state().positions);
    assert!((heavier.model().masses.iter().sum::<f64>() - 2.0).abs() < 1e-9);
    let steps = heavier.state().steps;
    play(&mut heavier, 1);
    assert_eq!(heavier.state().steps - steps, 4);
    assert!(matches!(heavier.carried_on(&sheet(5)), Err(SimError::OtherMesh { expected: 36, found: 25 })));
}

#[test]
fn soft_pins_hold_until_hands_cut_them() {
    let mut scene = sheet(6);
    for pin in &mut scene.cloths[0].pins {
        pin.hold = PinHold::Soft { stiffness: 1000.0, strengths: Vec::new() };
    }
    let corner = |simulation: &Simulation| simulation.state().positions[0].z;
    let (mut held, mut cut) = (Simulation::new(&scene).unwrap(), Simulation::new(&scene).unwrap());
    cut.set_hands(Hands { cut: vec![0], ..Hands::default() });
    play(&mut held, 30);
    play(&mut cut, 30);
    // Half of 2 N at 1000 N/m, twice for the swing, is 2 mm; half a second of fall is more than a metre.
    assert!(corner(&held).abs() < 0.01, "{}", corner(&held));
    assert!(corner(&cut) < -0.5, "{}", corner(&cut));
    let mut free = Simulation::new(&scene).unwrap();
    free.set_hands(Hands { freed: vec![0], ..Hands::default() });
    play(&mut free, 30);
    assert_eq!(free.state_hash(), cut.state_hash());
}
