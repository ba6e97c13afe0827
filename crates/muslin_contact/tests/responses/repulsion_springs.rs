//! Repulsion springs between nodes.

use super::{Random, Scene};
use glam::DVec3;
use muslin_collision::Surface;
use muslin_contact::responses::RepulsionSprings;

/// A flat square of cells with edges of 1 cm, each cut along a diagonal.
fn square(cells: u32) -> (Surface, Vec<DVec3>) {
    let side = cells + 1;
    let positions = (0..side * side).map(|v| DVec3::new((v % side) as f64, (v / side) as f64, 0.0) * 0.01).collect();
    let corner = |x: u32, y: u32| y * side + x;
    let cell = |c: u32| {
        let (x, y) = (c % cells, c / cells);
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
        [[a, b, c], [a, c, d]]
    };
    let triangles: Vec<[u32; 3]> = (0..cells * cells).flat_map(cell).collect();
    (Surface::new((side * side) as usize, &triangles).unwrap(), positions)
}

#[test]
fn a_flat_square_at_rest_feels_nothing() {
    let (surface, positions) = square(6);
    let mut springs = RepulsionSprings::new(&surface, &positions, 1.0);
    let still = vec![DVec3::ZERO; positions.len()];
    let scene = Scene::new(positions.clone(), &still, vec![1000.0; positions.len()], 1e-2);
    assert_eq!(scene.respond(&mut springs, &[]).end, positions);
}

#[test]
fn every_short_pair_pushes_as_listing_all_pairs_says_and_momentum_is_kept() {
    let (surface, rest) = square(5);
    let mut springs = RepulsionSprings::new(&surface, &rest, 1e-4);
    let (reach, mut random) = (springs.reach(), Random(3));
    // Crumpled, so that many nodes are near each other.
    let positions: Vec<DVec3> = rest.iter().map(|p| *p * 0.4 + random.vector() * 0.004).collect();
    let inverse_mass: Vec<f64> = (0..positions.len()).map(|v| if v % 7 == 0 { 0.0 } else { 1000.0 }).collect();
    let h = 1e-5;
    let still = vec![DVec3::ZERO; positions.len()];
    let scene = Scene::new(positions.clone(), &still, inverse_mass.clone(), h);
    let after = scene.respond(&mut springs, &[]);
    let mut forces = still.clone();
    let edges: Vec<[u32; 2]> = surface.edges().to_vec();
    let adjacent = |a: usize, b: usize| {
        let joined = |p: usize, q: usize| edges.iter().any(|e| e.contains(&(p as u32)) && e.contains(&(q as u32)));
        // Across a diagonal: two triangles that share the edge between.
        let opposite = surface.triangles().iter().any(|t| {
            surface.triangles().iter().any(|u| {
                let shared = t.iter().filter(|v| u.contains(v)).count();
                shared == 2
                    && t.contains(&(a as u32))
                    && !u.contains(&(a as u32))
                    && u.contains(&(b as u32))
                    && !t.contains(&(b as u32))
            })
        });
        joined(a, b) || opposite
    };
    let mut pairs = 0;
    for a in 0..positions.len() {
        for b in a + 1..positions.len() {
            let away = positions[a] - positions[b];
            if away.length() < reach && !adjacent(a, b) && inverse_mass[a] + inverse_mass[b] > 0.0 {
                let force = away.normalize() * (1e-4 / (0.5 * reach) * (reach - away.length()));
                forces[a] += force;
                forces[b] -= force;
                pairs += 1;
            }
        }
    }
    assert!(pairs > 100, "{pairs}");
    for v in 0..positions.len() {
        // For short steps the implicit spring is the spring; held nodes do not move.
        let expected = forces[v] * (h * inverse_mass[v]);
        let largest = forces.iter().map(|f| f.length()).fold(0.0, f64::max) * h * 1000.0;
        assert!(after.velocities[v].distance(expected) < 1e-3 * largest, "node {v}");
    }
    let free = Scene { inverse_mass: vec![1000.0; positions.len()], ..scene };
    let after = free.respond(&mut springs, &[]);
    let size: f64 = after.velocities.iter().map(|v| v.length() * 1e-3).sum();
    // Ends are rounded to 1e-18 m, and so velocities to 1e-13 m/s, of some 1e-7.
    assert!(free.momentum(&after.velocities).length() < 1e-5 * size);
}

#[test]
fn a_node_is_held_off_the_middle_of_a_face() {
    // A face and a fourth node that falls on its middle: springs to all three corners.
    let positions = super::over_a_face(0.004);
    let surface = Surface::new(4, &[[1, 2, 3]]).unwrap();
    let mut springs = RepulsionSprings::new(&surface, &positions, 1e3);
    assert!(springs.reach() > 0.01);
    let velocities = [DVec3::Z * -1.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
    let scene = Scene::new(positions, &velocities, vec![1000.0, 0.0, 0.0, 0.0], 1e-3);
    let after = scene.respond(&mut springs, &[]);
    assert!(after.velocities[0].z > -0.5, "{}", after.velocities[0].z);
}
