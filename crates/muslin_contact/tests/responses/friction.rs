//! Laws of friction as a velocity filter (W 7.9): cards on inclines against closed forms, momentum, energy, the cone.

use super::{RANGE, Random, Scene, middle_contact, over_a_face, vertex_face};
use glam::DVec3;
use muslin_contact::{
    Contact, Friction,
    responses::{Impulses, Repulsion},
};
use muslin_model::{FrictionLaw, Stribeck, Viscous};

/// C, CS, CSS and CSSV with the numbers of the card in W table 7.1, viscosity over the load.
fn laws() -> [FrictionLaw; 4] {
    let stiction = FrictionLaw { kinetic: 0.1, sticking: 0.2, stribeck: None, viscous: None };
    let stribeck = FrictionLaw { stribeck: Some(Stribeck { speed: 0.4, exponent: 0.2 }), ..stiction };
    let viscous = Some(Viscous { coefficient: 0.1, force: 0.0, exponent: 1.0 });
    [FrictionLaw::coulomb(0.1), stiction, stribeck, FrictionLaw { viscous, ..stribeck }]
}

/// A point of 1 g on a held face, under a law.
fn card(law: FrictionLaw, length: f64) -> Scene {
    let still = [DVec3::ZERO; 4];
    let mut scene = Scene::new(over_a_face(0.5 * RANGE), &still, vec![1000.0, 0.0, 0.0, 0.0], length);
    scene.step.cloth_end = 1;
    scene.step.friction = Friction { object: law, cloth: FrictionLaw::coulomb(9.0), bodies: Vec::new() };
    scene
}

/// Lets a point slide on a plane under gravity that leans by a tangent; returns speed and way at the end.
fn slide(law: FrictionLaw, tangent: f64, length: f64, time: f64) -> (f64, f64) {
    let mut scene = card(law, length);
    let angle = tangent.atan();
    let gravity = DVec3::new(9.81 * angle.sin(), 0.0, -9.81 * angle.cos());
    let (mut velocity, mut way) = (DVec3::ZERO, 0.0);
    for _ in 0..(time / length).round() as usize {
        // The face goes along: contacts of a plane end nowhere.
        scene.start[0].x = 0.0;
        velocity += gravity * length;
        scene.wanted = scene.start.clone();
        scene.wanted[0] += velocity * length;
        let contact = Contact { time: 0.0, ..middle_contact() };
        let after = scene.respond(&mut Impulses::default(), &[contact]);
        way += after.end[0].x;
        velocity = after.velocities[0];
        scene.start[0].z = after.end[0].z;
    }
    (velocity.x, way)
}

/// Speed and way of a point on an incline by Heun's rule with short steps.
fn analytic(law: &FrictionLaw, tangent: f64, time: f64) -> (f64, f64) {
    let (sin, cos) = tangent.atan().sin_cos();
    let weight = 1e-3 * 9.81 * cos;
    let acceleration = |v: f64| 9.81 * (sin - cos * law.at(v.max(1e-12), weight));
    if tangent <= law.sticking {
        return (0.0, 0.0);
    }
    let (steps, mut v, mut x) = (20_000, 0.0, 0.0);
    let h = time / f64::from(steps);
    for _ in 0..steps {
        let first = acceleration(v);
        let next = v + 0.5 * h * (first + acceleration(v + h * first));
        x += 0.5 * h * (v + next);
        v = next;
    }
    (v, x)
}

#[test]
fn cards_on_an_incline_of_three_tenths_follow_the_analytic_solution() {
    for law in laws() {
        let exact = analytic(&law, 0.3, 1.0);
        let of = |length: f64| slide(law, 0.3, length, 1.0);
        let error = |found: (f64, f64)| [(found.0 - exact.0).abs() / exact.0, (found.1 - exact.1).abs() / exact.1];
        let [coarse, fine] = [1.0 / 60.0, 1e-3].map(|length| error(of(length)));
        assert!(coarse[0] < 0.01 && coarse[1] < 0.05, "{law:?}: {coarse:?} of {exact:?}");
        assert!(fine[0] < 1e-3 && fine[1] < 3e-3, "{law:?}: {fine:?} of {exact:?}");
    }
    // As in W 7.5: C and CS go on alike, CSS is slower, CSSV the slowest.
    let ways = laws().map(|law| slide(law, 0.3, 1e-3, 1.0).1);
    assert!(
        (ways[0] - ways[1]).abs() < 0.01 * ways[0] && ways[1] > 1.05 * ways[2] && ways[2] > 1.01 * ways[3],
        "{ways:?}"
    );
}

#[test]
fn a_card_rests_below_static_friction_and_slides_above_it() {
    for law in laws() {
        for length in [1.0 / 60.0, 1e-3] {
            let (speed, way) = slide(law, 0.99 * law.sticking, length, 1.0);
            assert!(way.abs() < 1e-9 && speed.abs() < 1e-9, "{law:?}: {way} m");
            let (speed, way) = slide(law, 1.01 * law.sticking, length, 1.0);
            let (_, exact) = analytic(&law, 1.01 * law.sticking, 1.0);
            assert!(speed > 1e-3 && way > 0.5 * exact, "{law:?}: {way} m of {exact}");
        }
    }
}

#[test]
fn viscosity_leads_to_the_terminal_speed() {
    let viscous = |coefficient: f64| FrictionLaw {
        viscous: Some(Viscous { coefficient, force: 0.0, exponent: 1.0 }),
        ..FrictionLaw::coulomb(0.1)
    };
    for (coefficient, time) in [(0.5, 4.0), (50.0, 1.0)] {
        // tan θ = µ_c + c_v v.
        let exact = (0.3 - 0.1) / coefficient;
        for length in [1.0 / 60.0, 1e-3] {
            let (speed, _) = slide(viscous(coefficient), 0.3, length, time);
            assert!((speed - exact).abs() < 2e-3 * exact, "{coefficient} at {length} s: {speed} and {exact}");
        }
    }
    // The printed term: F_v v beside the weight of 1 g.
    let printed = Viscous { coefficient: 0.0, force: 1e-3, exponent: 1.0 };
    let law = FrictionLaw { viscous: Some(printed), ..FrictionLaw::coulomb(0.1) };
    let exact = (0.3 - 0.1) * 1e-3 * 9.81 * 0.3f64.atan().cos() / 1e-3;
    let (speed, _) = slide(law, 0.3, 1e-2, 8.0);
    assert!((speed - exact).abs() < 2e-3 * exact, "{speed} and {exact}");
}

#[test]
fn crowds_keep_their_momentum_gain_no_energy_and_stay_in_the_cone() {
    for (seed, law) in (0..40).zip(laws().into_iter().cycle()) {
        let mut random = Random(seed);
        let mut start: Vec<DVec3> = over_a_face(0.0)[1..].to_vec();
        let mut velocities = vec![random.vector(), random.vector(), random.vector()];
        let mut contacts = Vec::new();
        for k in 0..9u32 {
            let side = if k % 2 == 0 { 1.0 } else { -1.0 };
            let inner = [0.3 + 0.2 * random.next(), 0.3 + 0.2 * random.next()];
            let weights = [inner[0], inner[1], 1.0 - inner[0] - inner[1]];
            let foot: DVec3 = (0..3).map(|c| start[c] * weights[c]).sum();
            start.push(foot + DVec3::Z * (side * RANGE));
            velocities.push(random.vector() - DVec3::Z * (2.0 * side));
            contacts.push(vertex_face([3 + k, 0, 1, 2], weights, DVec3::Z * side));
        }
        let masses = (0..start.len()).map(|_| 1000.0 * (1.5 + random.next())).collect();
        let mut scene = Scene::new(start, &velocities, masses, 1e-3);
        let frictionless = scene.respond(&mut Impulses::default(), &contacts);
        scene.step.friction.cloth = law;
        let after = scene.respond(&mut Impulses::default(), &contacts);
        let change = scene.momentum(&after.velocities) - scene.momentum(&velocities);
        assert!(change.length() < 1e-14, "seed {seed}: {change}");
        let [without, with] = [&frictionless, &after].map(|after| scene.energy(&after.velocities));
        assert!(with < without, "seed {seed}: {without} J and {with} J");
        for (k, contact) in contacts.iter().enumerate() {
            // Each vertex but the face's corners has one contact: its impulse is the contact's.
            let v = 3 + k;
            let impulse = (after.velocities[v] - velocities[v]) / scene.inverse_mass[v];
            let along = impulse.dot(contact.normal);
            let across = (impulse - contact.normal * along).length();
            let slides = contact.difference(&after.velocities);
            let speed = (slides - contact.normal * slides.dot(contact.normal)).length();
            let most = law.sticking.max(law.at(speed, along / 1e-3));
            assert!(across <= 1.02 * most * along + 1e-12, "seed {seed}, contact {k}: {across} of {}", most * along);
        }
    }
}

#[test]
fn repulsion_feeds_static_friction_too() {
    let law = laws()[2];
    for (sideways, rests) in [(0.19, true), (0.25, false)] {
        let mut scene = card(law, 1e-3);
        scene.wanted[0].z -= 1e-3 * 0.5;
        let pushed = 0.5 + 0.1 * 0.5 * RANGE / 1e-3;
        scene.wanted[0].x += 1e-3 * sideways * pushed;
        let after = scene.respond(&mut Repulsion { strength: 1e9 }, &[middle_contact()]);
        assert_eq!(after.velocities[0].x.abs() < 1e-6, rests, "{sideways}: {}", after.velocities[0].x);
    }
}
