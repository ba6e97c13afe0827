//! Impact zones on random stacks: gaps kept, momentum kept, little moved.

use super::{RANGE, Random, Scene, over_a_face, vertex_face};
use glam::DVec3;
use muslin_collision::PairKind;
use muslin_contact::{
    Contact, PairKey, TARGET,
    responses::{ContactResponse, LinearZones, NonLinearZones},
};

/// Size of the triangles [m].
const SIZE: f64 = 0.01;

/// Triangles in layers, each vertex of one over a face of the next, some pressed into each other; of a size [m], and
/// moved sideways by 0.1 mm at most.
fn stack(layers: usize, seed: u64, size: f64) -> (Scene, Vec<Contact>) {
    let mut random = Random(seed);
    let corner = [DVec3::new(0.0, 0.0, 0.0), DVec3::new(size, 0.0, 0.0), DVec3::new(0.0, size, 0.0)];
    let sideways = f64::min(0.01 * size, 1e-4);
    let (mut start, mut end, mut contacts) = (Vec::<DVec3>::new(), Vec::new(), Vec::new());
    for layer in 0..layers as u32 {
        for k in 0..3 {
            let mut place = corner[k as usize] * (1.0 + 0.1 * random.next());
            if layer > 0 {
                let (vertex, face) = (3 * layer + k, 3 * (layer - 1));
                // Near the corner below it, within the face.
                let aside = 0.04 + 0.01 * random.next();
                let mut b = [aside; 3];
                b[k as usize] = 1.0 - 2.0 * aside;
                place = (0..3).map(|c| start[(face + c) as usize] * b[c as usize]).sum::<DVec3>() + DVec3::Z * RANGE;
                let below = [face, face + 1, face + 2];
                contacts.push(Contact {
                    key: PairKey::new(PairKind::VertexFace, vertex, layer - 1),
                    vertices: [vertex, below[0], below[1], below[2]],
                    weights: [1.0, -b[0], -b[1], -b[2]],
                    normal: DVec3::Z,
                    time: 0.0,
                    range: RANGE,
                });
            }
            start.push(place);
            end.push(place + DVec3::new(sideways * random.next(), sideways * random.next(), 6e-4 * random.next()));
        }
    }
    let inverse_mass = (0..end.len()).map(|_| 1e5 * (1.5 + random.next())).collect();
    let still = vec![DVec3::ZERO; end.len()];
    let scene = Scene { wanted: end, ..Scene::new(start, &still, inverse_mass, 0.01) };
    (scene, contacts)
}

fn both() -> [Box<dyn ContactResponse>; 2] {
    [Box::new(LinearZones), Box::new(NonLinearZones)]
}

#[test]
fn zones_leave_every_contact_at_its_target_and_held_vertices_where_they_are() {
    for mut response in both() {
        for (seed, held) in (0..40).flat_map(|seed| [(seed, 0), (seed, 3)]) {
            let (mut scene, contacts) = stack(6, seed, SIZE);
            scene.inverse_mass[..held].fill(0.0);
            let gap = |ends: &[DVec3]| contacts.iter().map(|c| c.gap(ends)).fold(f64::INFINITY, f64::min);
            assert!(gap(&scene.wanted) < TARGET * RANGE, "nothing to do for seed {seed}");
            let after = scene.respond(response.as_mut(), &contacts);
            assert_eq!(after.response.left, 0, "{} left contacts, seed {seed}", response.name());
            assert_eq!(after.end[..held], scene.wanted[..held], "held vertices stay");
            // Those of the non-linear ones are measured along normals that have turned.
            assert!(gap(&after.end) >= 0.7 * TARGET * RANGE, "{}, seed {seed}: {}", response.name(), gap(&after.end));
        }
    }
}

#[test]
fn free_zones_conserve_momentum() {
    for mut response in both() {
        for seed in 0..40 {
            let (scene, contacts) = stack(6, seed, SIZE);
            let after = scene.respond(response.as_mut(), &contacts);
            let before = scene.velocities();
            let change = scene.momentum(&after.velocities) - scene.momentum(&before);
            let size: f64 = scene.free().map(|(v, mass)| mass * after.velocities[v].distance(before[v])).sum();
            assert!(size > 0.0 && change.length() < 1e-9 * size, "{}, seed {seed}: {change}", response.name());
        }
    }
}

#[test]
fn velocities_change_by_what_the_ends_move() {
    for mut response in both() {
        let (scene, contacts) = stack(5, 7, SIZE);
        let after = scene.respond(response.as_mut(), &contacts);
        for v in 0..after.end.len() {
            let mean = (after.end[v] - scene.start[v]) / scene.step.length;
            assert!(after.velocities[v].distance(mean) < 1e-9, "{}", response.name());
        }
    }
}

/// A face that turns by 60° within the step, about an axis through its middle, and a vertex over one of its corners.
fn turning_face() -> (Scene, Contact) {
    let start = {
        let mut start = over_a_face(0.0);
        start[0] = DVec3::new(0.007, 0.0, 0.3 * RANGE);
        start
    };
    let turn = glam::DQuat::from_rotation_y(-60f64.to_radians());
    let mut scene = Scene::new(start, &[DVec3::ZERO; 4], vec![1e5; 4], 0.01);
    for v in 1..4 {
        scene.wanted[v] = turn * scene.start[v];
    }
    (scene, Contact { time: 0.0, ..vertex_face([0, 1, 2, 3], [0.8, 0.1, 0.1], DVec3::Z) })
}

/// The true distance of the vertex above the plane of the face.
fn above(ends: &[DVec3]) -> f64 {
    let normal = (ends[2] - ends[1]).cross(ends[3] - ends[1]).normalize();
    normal.dot(ends[0] - ends[1])
}

#[test]
fn a_non_linear_zone_resolves_a_turning_face_that_fixed_normals_leave_crossed() {
    let (scene, contact) = turning_face();
    assert!(above(&scene.start) > 0.0 && above(&scene.wanted) < -4e-3, "it passes: {}", above(&scene.wanted));
    let linear = scene.respond(&mut LinearZones, &[contact]);
    let non_linear = scene.respond(&mut NonLinearZones, &[contact]);
    // One has done what it was asked for, at the contact's old normal; the other is where it should be.
    assert!(contact.gap(&linear.end) > TARGET * RANGE);
    let (fixed, turned) = (above(&linear.end), above(&non_linear.end));
    assert!(turned > TARGET * RANGE, "{turned}");
    let moved = |ends: &[DVec3]| -> f64 { (0..4).map(|v| ends[v].distance_squared(scene.wanted[v])).sum() };
    assert!(fixed < TARGET * RANGE || moved(&linear.end) > 1.2 * moved(&non_linear.end), "{fixed}");
}

/// Solves a small dense system by elimination with pivots; none if it is singular.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        a.swap(k, pivot);
        b.swap(k, pivot);
        if a[k][k].abs() < 1e-9 {
            return None;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            (k..n).for_each(|j| a[i][j] -= factor * a[k][j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    Some(b)
}

/// The nearest end at which all gaps are at least 0.3 ranges, by trying every set of contacts that may press: the one
/// whose multipliers push and whose other gaps are kept is the solution (Karush, Kuhn and Tucker).
fn nearest(wanted: &[DVec3], contacts: &[Contact], inverse_mass: &[f64]) -> Vec<DVec3> {
    let aim = 0.3 * RANGE;
    let weight = |c: usize, v: u32| -> f64 {
        let at = contacts[c].vertices.iter().position(|&u| u == v);
        at.map_or(0.0, |k| contacts[c].weights[k])
    };
    let couple = |c: usize, d: usize| -> f64 {
        // Normals are all vertical.
        (0..wanted.len()).map(|v| weight(c, v as u32) * weight(d, v as u32) * inverse_mass[v]).sum()
    };
    for set in 0..1usize << contacts.len() {
        let pressing: Vec<usize> = (0..contacts.len()).filter(|c| set >> c & 1 == 1).collect();
        let scale = couple(0, 0);
        let matrix = pressing.iter().map(|&c| pressing.iter().map(|&d| couple(c, d) / scale).collect()).collect();
        let lacking = pressing.iter().map(|&c| aim - contacts[c].gap(wanted)).collect();
        let Some(push) = solve(matrix, lacking) else { continue };
        let mut end = wanted.to_vec();
        for (&c, push) in pressing.iter().zip(&push) {
            for (v, x) in end.iter_mut().enumerate() {
                *x += contacts[c].normal * (push / scale * weight(c, v as u32) * inverse_mass[v]);
            }
        }
        let kept = contacts.iter().all(|c| c.gap(&end) >= aim - 1e-12);
        if kept && push.iter().all(|&p| p >= 0.0) {
            return end;
        }
    }
    panic!("a quadratic programme has a solution");
}

#[test]
fn zones_are_near_the_nearest_ends_that_keep_the_gaps() {
    // Of the non-linear ones descent ends when it has slowed down.
    for (mut response, most) in both().into_iter().zip([1.3, 2.2]) {
        let mut compared = 0;
        for seed in 0..40 {
            let (scene, contacts) = stack(4, seed, 1.0);
            let after = scene.respond(response.as_mut(), &contacts);
            let exact = nearest(&scene.wanted, &contacts, &scene.inverse_mass);
            let moved = exact.iter().zip(&scene.wanted).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            if moved < 0.1 * RANGE {
                continue; // hardly anything to do
            }
            compared += 1;
            // The cost of an end is what zones keep small. A solve ends when no contact is off by more than 0.02
            // ranges of 0.3. Triangles of a metre hardly turn, so that fixed and turning normals cost the same.
            let cost = |ends: &[DVec3]| -> f64 {
                scene.free().map(|(v, mass)| 0.5 * mass * ends[v].distance_squared(scene.wanted[v])).sum()
            };
            let ratio = cost(&after.end) / cost(&exact);
            assert!((0.8..most).contains(&ratio), "{}, seed {seed}: {ratio}", response.name());
        }
        assert!(compared > 30, "{compared}");
    }
}
