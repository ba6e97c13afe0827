//! Repulsion: the impulse of W 3.36, and stacks that come to rest.

use super::{RANGE, Scene, middle_contact, over_a_face, vertex_face};
use glam::DVec3;
use muslin_contact::{
    Contact,
    responses::{Impulses, Repulsion},
};

/// A vertex of 1 g over a held face.
fn over_a_wall(gap: f64, velocity: f64) -> Scene {
    let velocities = [DVec3::Z * velocity, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
    Scene::new(over_a_face(gap), &velocities, vec![1000.0, 0.0, 0.0, 0.0], 1e-3)
}

fn speed_after(strength: f64, gap: f64, velocity: f64) -> f64 {
    over_a_wall(gap, velocity).respond(&mut Repulsion { strength }, &[middle_contact()]).velocities[0].z
}

#[test]
fn a_soft_one_gives_the_impulse_of_its_spring() {
    let (gap, strength) = (0.6 * RANGE, 1e-6);
    // Δt k_r d over the mass of 1 g, with k_r so that half the range gives the strength.
    let expected = 1e-3 * (strength / (0.5 * RANGE)) * (RANGE - gap) / 1e-3;
    let before = -1e-5;
    assert!((speed_after(strength, gap, before) - before - expected).abs() < 1e-3 * expected, "{expected}");
}

#[test]
fn a_stiff_one_opens_no_more_than_a_tenth_of_the_overlap() {
    let gap = 0.6 * RANGE;
    let most = 0.1 * (RANGE - gap) / 1e-3;
    assert!((speed_after(1e9, gap, -0.5) - most).abs() < 1e-6);
    assert!((speed_after(1e9, gap, 0.5 * most) - most).abs() < 1e-6);
    assert!((speed_after(1e9, gap, 2.0 * most) - 2.0 * most).abs() < 1e-15, "what opens faster is left alone");
    assert_eq!(speed_after(1e9, 1.1 * RANGE, 0.0), 0.0, "beyond the range nothing acts");
}

#[test]
fn its_impulse_feeds_friction() {
    let mut scene = over_a_wall(0.6 * RANGE, -0.5);
    scene.step.friction.cloth = 0.2.into();
    scene.wanted[0].x += 1e-3;
    let after = scene.respond(&mut Repulsion { strength: 1e9 }, &[middle_contact()]);
    let pushed = 0.5 + 0.04 * RANGE / 1e-3;
    assert!((after.velocities[0].x - (1.0 - 0.2 * pushed)).abs() < 1e-6, "{}", after.velocities[0].x);
}

/// Faces on top of each other, a range apart; the lowest is held. Every corner rests on the face below.
fn column(layers: usize) -> (Scene, Vec<Contact>) {
    let corners = &over_a_face(0.0)[1..];
    let start: Vec<DVec3> =
        (0..layers).flat_map(|k| corners.iter().map(move |c| *c + DVec3::Z * (RANGE * k as f64))).collect();
    let mut inverse_mass = vec![1000.0; start.len()];
    inverse_mass[..3].fill(0.0);
    let contacts = (3..start.len() as u32)
        .map(|v| {
            let mut weights = [0.0; 3];
            weights[v as usize % 3] = 1.0;
            let below = v / 3 * 3 - 3;
            vertex_face([v, below, below + 1, below + 2], weights, DVec3::Z)
        })
        .collect();
    let still = vec![DVec3::ZERO; start.len()];
    (Scene::new(start, &still, inverse_mass, 1e-3), contacts)
}

#[test]
fn a_column_of_five_layers_comes_to_rest_and_carries_its_weight() {
    let (mut scene, contacts) = column(5);
    let (h, g) = (scene.step.length, 9.81);
    let weight = 1e-3 * g;
    let mut velocities = vec![DVec3::ZERO; scene.start.len()];
    let (mut highest, mut fastest) = (f64::NEG_INFINITY, 0.0f64);
    let top = scene.start.len() - 1;
    for step in 0..3000 {
        for v in 3..velocities.len() {
            velocities[v].z -= g * h;
            scene.wanted[v] = scene.start[v] + velocities[v] * h;
        }
        let near: Vec<Contact> = contacts.iter().filter(|c| c.gap(&scene.start) < RANGE).copied().collect();
        let mut after = scene.respond(&mut Repulsion { strength: 40.0 * weight }, &near);
        // As in the cascade: what would still pass gets impulses.
        let passes: Vec<Contact> = contacts.iter().filter(|c| c.gap(&after.end) < 0.11 * RANGE).copied().collect();
        if !passes.is_empty() {
            let filtered = Scene { wanted: after.end, ..scene.clone() };
            after = filtered.respond(&mut Impulses::default(), &passes);
        }
        velocities = after.velocities;
        scene.start = after.end;
        highest = highest.max(scene.start[top].z);
        if step >= 2500 {
            fastest = velocities.iter().map(|v| v.length()).fold(fastest, f64::max);
        }
    }
    assert!(highest <= 4.0 * RANGE, "nothing bounces: {highest}");
    assert!(fastest < 1e-4, "it is at rest after two and a half seconds: {fastest} m/s");
    // Statics: the k-th gap from the top carries k weights.
    for (k, contact) in contacts.iter().enumerate() {
        let above = (4 - k / 3) as f64;
        let expected = RANGE - above * weight / (40.0 * weight / (0.5 * RANGE));
        let gap = contact.gap(&scene.start);
        assert!((gap - expected).abs() < 0.02 * RANGE, "contact {k}: {gap} and {expected}");
    }
}
