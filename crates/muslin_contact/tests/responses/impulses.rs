//! Impulses: the laws of impact, momentum, friction.

use super::{RANGE, Random, Scene, edge_edge, middle_contact, over_a_face, vertex_face};
use glam::DVec3;
use muslin_contact::{
    Contact, Friction,
    responses::{ImpactLaw, Impulses},
};

/// A vertex of 2 g that flies at a held face with a velocity.
fn at_a_wall(velocity: DVec3, coefficient: f64) -> Scene {
    let velocities = [velocity, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
    let mut scene = Scene::new(over_a_face(0.8 * RANGE), &velocities, vec![500.0, 0.0, 0.0, 0.0], 1e-3);
    scene.step.cloth_end = 1;
    scene.step.friction = Friction::coulomb(coefficient, 9.0);
    scene
}

fn bounced(law: ImpactLaw, velocity: DVec3, coefficient: f64) -> DVec3 {
    at_a_wall(velocity, coefficient).respond(&mut Impulses { law }, &[middle_contact()]).velocities[0]
}

#[test]
fn a_vertex_that_hits_a_wall_leaves_it_as_provot_says() {
    let (k_f, k_d) = (0.4, 0.6);
    let law = ImpactLaw::Restitution { dissipation: k_d };
    // V 4.16, typed anew. Fast along the wall: it slides.
    let (v_t, v_n) = (DVec3::new(3.0, -1.0, 0.0), DVec3::new(0.0, 0.0, -2.0));
    let expected = v_t - v_t.normalize() * (k_f * v_n.length()) - v_n * k_d;
    assert!(bounced(law, v_t + v_n, k_f).distance(expected) < 1e-6);
    // Slow: it stays where it hits.
    let slow = DVec3::new(0.5, 0.2, 0.0);
    assert!(bounced(law, slow + v_n, k_f).distance(-v_n * k_d) < 1e-6);
}

#[test]
fn without_restitution_it_is_coulombs_law_and_full_stick_does_not_turn_it_round() {
    let (v_t, v_n) = (DVec3::new(3.0, -1.0, 0.0), DVec3::new(0.0, 0.0, -2.0));
    // W 3.38 with Δv_n = ‖v_n‖.
    let factor = 1.0 - 0.4 * 2.0 / v_t.length();
    assert!(bounced(ImpactLaw::Inelastic, v_t + v_n, 0.4).distance(v_t * factor) < 1e-6);
    assert!(bounced(ImpactLaw::Inelastic, v_t + v_n, 4.0).length() < 1e-6, "it sticks");
    assert!(bounced(ImpactLaw::Inelastic, v_t + v_n, 0.0).distance(v_t) < 1e-6, "it slides freely");
}

#[test]
fn the_elastic_law_mirrors_the_normal_part_and_scales_the_other() {
    let (v_t, v_n) = (DVec3::new(3.0, -1.0, 0.0), DVec3::new(0.0, 0.0, -2.0));
    assert!(bounced(ImpactLaw::Elastic, v_t + v_n, 0.7).distance(v_t * 0.7 - v_n) < 1e-6);
    let (before, after) = (v_t + v_n, bounced(ImpactLaw::Elastic, v_t + v_n, 1.0));
    assert!((after.length() - before.length()).abs() < 1e-6, "a full elastic bounce keeps the energy");
}

#[test]
fn what_flies_away_is_left_alone() {
    for law in [ImpactLaw::Inelastic, ImpactLaw::Restitution { dissipation: 0.5 }, ImpactLaw::Elastic] {
        let away = DVec3::new(1.0, 0.0, 0.5);
        assert_eq!(bounced(law, away, 0.5), away);
    }
}

/// Two edges that cross and approach, all four vertices free with masses of their own.
fn crossing_edges() -> (Scene, Contact) {
    let z = DVec3::Z * (0.9 * RANGE);
    let start = vec![DVec3::X * -0.01 + z, DVec3::X * 0.01 + z, DVec3::Y * -0.01, DVec3::Y * 0.01];
    let velocities = [DVec3::new(1.0, 0.5, -2.0), DVec3::new(1.0, 0.5, -1.0), DVec3::new(0.0, 0.0, 0.5), DVec3::ZERO];
    let scene = Scene::new(start, &velocities, vec![1000.0, 2000.0, 700.0, 500.0], 1e-3);
    (scene, edge_edge([0, 1, 2, 3], [0.5, 0.5], DVec3::Z))
}

#[test]
fn two_free_edges_end_their_approach_and_keep_their_momentum() {
    let (mut scene, contact) = crossing_edges();
    scene.step.friction.cloth = 100.0.into();
    let after = scene.respond(&mut Impulses::default(), &[contact]);
    // Two points that stick have one velocity: what a mass 1/Σ(wᵢ²/mᵢ) must give.
    assert!(contact.difference(&after.velocities).length() < 1e-6);
    let change = scene.momentum(&after.velocities) - scene.momentum(&scene.velocities());
    assert!(change.length() < 1e-15 && after.velocities[0].distance(scene.velocities()[0]) > 0.1);
}

#[test]
fn a_crowd_of_contacts_keeps_its_momentum_and_gains_no_energy() {
    for seed in 0..30 {
        let mut random = Random(seed);
        // Vertices that fall on one face from both sides, so that its corners have many contacts.
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
        scene.step.friction.cloth = 0.3.into();
        let after = scene.respond(&mut Impulses::default(), &contacts);
        let change = scene.momentum(&after.velocities) - scene.momentum(&velocities);
        assert!(change.length() < 1e-14, "seed {seed}: {change}");
        let (before, now) = (scene.energy(&velocities), scene.energy(&after.velocities));
        assert!(now < 0.9 * before, "seed {seed}: {before} J and {now} J");
        let approach = contacts.iter().map(|c| c.normal.dot(c.difference(&after.velocities))).fold(0.0, f64::min);
        assert!(approach > -0.2, "seed {seed}: {approach} m/s are left of 2");
    }
}

#[test]
fn an_approach_is_stopped_at_the_range_and_not_where_the_step_began() {
    let mut scene = at_a_wall(-DVec3::Z * 10.0, 0.0);
    scene.start[0].z = 5.0 * RANGE;
    scene.wanted[0].z = -20.0 * RANGE;
    let after = scene.respond(&mut Impulses::default(), &[middle_contact()]);
    assert!((after.end[0].z - RANGE).abs() < 1e-3 * RANGE, "{}", after.end[0].z);
}

#[test]
fn a_gap_below_the_target_is_opened_to_it() {
    let mut scene = at_a_wall(-DVec3::Z, 0.0);
    scene.start[0].z = 0.15 * RANGE;
    scene.wanted[0] = scene.start[0] - DVec3::Z * 1e-3;
    let after = scene.respond(&mut Impulses::default(), &[middle_contact()]);
    assert!(after.end[0].z >= 0.25 * RANGE && after.response.left == 0, "{}", after.end[0].z);
}
