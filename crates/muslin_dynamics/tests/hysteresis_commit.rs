//! What hinges with a memory keep from one Commit to the next step, and who works on it, changes no bit.

mod common;

use common::sheet::{Random, grid_of, odd_fabric};
use glam::{DVec2, DVec3};
use muslin_dynamics::{
    System,
    forces::{Hysteresis, Rate, RememberingHinges, RestShape},
    system::Past,
};
use muslin_model::{Crease, Material, Model, parallel, shapes::Triangulation};

/// A sheet with more hinges than one thread commits at a time.
fn sheet() -> (Model, System) {
    let fabric = Material {
        bend_hysteresis: 0.3.into(),
        bend_transition: 2.0.into(),
        bend_crease: 0.3.into(),
        bend_fatigue: 0.1.into(),
        damping_bend: 0.01.into(),
        ..odd_fabric()
    };
    let model = grid_of([40, 40], DVec2::splat(1.0), Triangulation::RightDiagonal, fabric);
    let faces: Vec<u32> = (0..model.mesh.triangles.len() as u32).collect();
    let system = System::new(&model, |layout| {
        vec![Box::new(RememberingHinges::<Hysteresis>::new(&model, &faces, RestShape::Flat, Rate::OfScheme, layout))]
    });
    (model, system)
}

/// Positions of a sheet that is bent to and fro at random, sharply enough that hinges pass ±π.
fn bent(model: &Model, system: &System, random: &mut Random) -> Vec<DVec3> {
    let mut positions = Vec::new();
    system.gather(&model.mesh.positions, &mut positions);
    positions.iter_mut().for_each(|x| *x += random.vector() * 0.03);
    positions
}

/// The gradient of a step from `start` at `end`.
fn gradient(system: &mut System, start: &[DVec3], end: &[DVec3]) -> Vec<DVec3> {
    system.begin_step(&Past { start, before: start, start_weight: 1.0, tau: 0.01, time_end: 0.0 });
    let mut gradient = vec![DVec3::ZERO; end.len()];
    system.add_gradient(end, &mut gradient);
    gradient
}

#[test]
fn a_step_from_what_commit_found_has_the_bits_of_one_that_finds_its_angles_anew() {
    let (model, mut system) = sheet();
    let mut random = Random(5);
    let mut start = bent(&model, &system, &mut random);
    let mut creases = system.first_creases(&start);
    let mut turned = 0;
    for _ in 0..30 {
        let end = bent(&model, &system, &mut random);
        let known = gradient(&mut system, &start, &end);
        // As after a restart.
        system.recall(&creases);
        assert_eq!(known, gradient(&mut system, &start, &end));
        assert!(known.iter().any(|g| g.length() > 0.0));
        // From elsewhere, what Commit found must not be taken.
        let elsewhere = bent(&model, &system, &mut random);
        let (moved, there) = (gradient(&mut system, &elsewhere, &end), gradient(&mut system, &start, &end));
        assert_ne!(moved, there);
        assert_eq!(there, known);
        system.remember(&end, &mut creases);
        turned = creases.iter().filter(|crease| crease.angle.abs() > std::f64::consts::PI).count();
        start = end;
    }
    assert!(turned > 0, "some hinge has passed a full turn");
}

#[test]
fn a_commit_where_the_gradient_was_asked_for_has_the_bits_of_one_that_finds_its_angles_anew() {
    let (model, mut system) = sheet();
    let (_, mut anew) = sheet();
    let mut random = Random(7);
    let start = bent(&model, &system, &mut random);
    let (mut creases, mut expected) = (system.first_creases(&start), anew.first_creases(&start));
    for step in 0..30 {
        let [end, elsewhere] = [(); 2].map(|()| bent(&model, &system, &mut random));
        // At the end at last, or at the end and then elsewhere, as a search that was refused.
        let looked = if step % 2 == 0 { [&elsewhere, &end] } else { [&end, &elsewhere] };
        for x in looked {
            gradient(&mut system, &start, x);
        }
        let released = [system.remember(&end, &mut creases), anew.remember(&end, &mut expected)];
        assert_eq!(released[0], released[1]);
        assert_eq!(creases, expected);
    }
    assert!(creases.iter().any(|crease| crease.angle.abs() > std::f64::consts::PI));
}

#[test]
fn commit_has_the_same_bits_on_any_number_of_threads() {
    let run = |threads: usize| {
        parallel::with_threads(threads, || {
            let (model, mut system) = sheet();
            let mut random = Random(9);
            let mut creases: Vec<Crease> = system.first_creases(&bent(&model, &system, &mut random));
            let released: Vec<f64> =
                (0..8).map(|_| system.remember(&bent(&model, &system, &mut random), &mut creases)).collect();
            (creases, released)
        })
    };
    let one = run(1);
    assert!(one.0.len() > 4000 && one.1.iter().any(|&energy| energy != 0.0));
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}
