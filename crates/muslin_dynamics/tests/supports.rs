//! Supports: derivatives, friction's limit, and what the matrix sees of them.

use glam::{DMat3, DVec3};
use muslin_dynamics::{
    Domains, MOVED_BY_SCENE, Support, Supports,
    linear::{BlockMatrix, Pattern},
};
use std::sync::Arc;

/// A support of a vertex off a face, with a gap that puts it into a part of its law.
fn support(gap: f64, slide: f64) -> (Support, Vec<DVec3>) {
    let normal = DVec3::new(0.3, -0.2, 0.9).normalize();
    let across = normal.cross(DVec3::X).normalize();
    let face = [DVec3::new(0.01, 0.0, 0.002), DVec3::new(0.0, 0.012, -0.001), DVec3::new(-0.01, -0.01, 0.003)];
    let weights = [1.0, -0.5, -0.3, -0.2];
    let below = face[0] * 0.5 + face[1] * 0.3 + face[2] * 0.2;
    let positions = vec![below + normal * gap + across * slide, face[0], face[1], face[2]];
    let support = Support {
        vertices: [0, 1, 2, 3],
        weights,
        normal,
        constant: DVec3::ZERO,
        reference: DVec3::ZERO,
        begin: DVec3::ZERO,
        range: 5e-4,
        floor: 1.25e-4,
        strength: 2e-6,
        load: 0.0,
        coefficient: 0.3,
        friction: 3e-3,
        slip: 1e-5,
        start: DVec3::new(2e-5, -3e-5, 1e-5),
        drag: 0.0,
    };
    (support, positions)
}

/// The same with viscous friction that is about as strong as the dry one.
fn viscous(gap: f64, slide: f64) -> (Support, Vec<DVec3>) {
    let (support, positions) = support(gap, slide);
    (Support { drag: 40.0, ..support }, positions)
}

/// Gaps and slides in every part of the laws: free, repelled, beyond the floor; sticking and sliding.
const CASES: [(f64, f64); 6] =
    [(4e-4, 3e-6), (2e-4, 4e-6), (1.4e-4, 5e-5), (1.0e-4, 2e-6), (-3e-4, 6e-5), (6e-4, 4e-5)];

fn gradient(supports: &Supports, positions: &[DVec3]) -> (f64, Vec<DVec3>) {
    let mut out = vec![DVec3::ZERO; positions.len()];
    let (potential, _) = supports.add_gradient(positions, &mut out);
    (potential, out)
}

#[test]
fn the_gradient_of_a_support_is_that_of_its_potential() {
    for (gap, slide) in CASES {
        let (support, positions) = viscous(gap, slide);
        let supports = Supports { list: vec![support], rate: 60.0, ..Supports::default() };
        let (_, g) = gradient(&supports, &positions);
        assert!(g.iter().any(|g| g.length() > 1e-6), "nothing to test at gap {gap}");
        let h = 1e-9;
        for (v, axis) in (0..4).flat_map(|v| (0..3).map(move |a| (v, a))) {
            let moved = |by: f64| {
                let mut x = positions.clone();
                x[v][axis] += by;
                gradient(&supports, &x).0
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * h);
            assert!((slope - g[v][axis]).abs() < 2e-4 * g[0].length(), "{gap} {slide}: {slope} and {}", g[v][axis]);
        }
    }
}

#[test]
fn the_matrix_of_a_support_is_the_derivative_of_its_gradient_links_included() {
    // The vertex is not coupled with the face in the pattern: these blocks must become links.
    let pattern = Arc::new(Pattern::new(Domains::new(4), [[1, 2, 3].as_slice()].into_iter()));
    for (gap, slide) in CASES {
        let (support, positions) = viscous(gap, slide);
        let supports = Supports { list: vec![support], rate: 60.0, ..Supports::default() };
        let mut matrix = BlockMatrix::new(pattern.clone());
        supports.add_hessian(&positions, &mut matrix);
        assert_eq!(matrix.links.len(), 3);
        let h = 1e-10;
        for (v, axis) in (0..4).flat_map(|v| (0..3).map(move |a| (v, a))) {
            let moved = |by: f64| {
                let mut x = positions.clone();
                x[v][axis] += by;
                gradient(&supports, &x).1
            };
            let (plus, minus) = (moved(h), moved(-h));
            let mut unit = vec![DVec3::ZERO; 4];
            unit[v][axis] = 1.0;
            let mut column = vec![DVec3::ZERO; 4];
            matrix.multiply(&unit, &mut column);
            let scale = column.iter().map(|c| c.length()).fold(0.0, f64::max).max(1e-3);
            for i in 0..4 {
                let slope = (plus[i] - minus[i]) / (2.0 * h);
                assert!((slope - column[i]).length() < 1e-3 * scale, "{gap} {slide}: {slope} and {}", column[i]);
            }
        }
    }
}

#[test]
fn friction_never_exceeds_its_limit_and_points_back() {
    for slide in [1e-7, 1e-5, 1e-4, 1e-2] {
        let (support, positions) = support(2e-4, slide);
        let reaction = support.reaction(&positions);
        assert!(reaction.friction.length() <= support.friction * (1.0 + 1e-12));
        assert!(reaction.friction.dot(reaction.way) < 0.0);
        assert!(reaction.friction.dot(support.normal).abs() < 1e-12);
        assert!(reaction.normal > 0.0);
    }
    let (support, positions) = support(6e-4, 1e-4);
    assert_eq!(support.reaction(&positions).normal, 0.0, "beyond its range nothing repels");
}

#[test]
fn viscous_friction_is_in_proportion_to_the_way_within_the_step_and_stands_beside_the_dry_one() {
    let (dry, positions) = support(2e-4, 5e-5);
    let (wet, _) = viscous(2e-4, 5e-5);
    let r: DVec3 = positions.iter().zip(wet.weights).map(|(x, w)| *x * w).sum();
    let away = r - wet.start;
    let across = away - wet.normal * away.dot(wet.normal);
    let difference = wet.reaction(&positions).friction - dry.reaction(&positions).friction;
    assert!((difference + across * 40.0).length() < 1e-12 && across.length() > 1e-5);
}

#[test]
fn momentum_is_conserved_between_vertices_and_none_goes_to_what_the_scene_moves() {
    let (support, positions) = support(2e-4, 5e-5);
    let (_, g) = gradient(&Supports { list: vec![support], rate: 1.0, ..Supports::default() }, &positions);
    let (sum, largest) = (g.iter().sum::<DVec3>(), g[0].length());
    assert!(sum.length() < 1e-12 * largest.max(1.0));
    let held = Support {
        vertices: [0, MOVED_BY_SCENE, MOVED_BY_SCENE, MOVED_BY_SCENE],
        constant: positions[1] * -0.5 + positions[2] * -0.3 + positions[3] * -0.2,
        ..support
    };
    let (_, on_held) = gradient(&Supports { list: vec![held], rate: 1.0, ..Supports::default() }, &positions);
    assert!((on_held[0] - g[0]).length() < 1e-9 * largest);
    assert_eq!(on_held[1..], [DVec3::ZERO; 3]);
}

#[test]
fn couplings_of_two_sides_reach_the_factor_all_or_not_at_all() {
    // One of the three couplings is in the pattern: a factor that saw it alone could be indefinite.
    let pattern = Arc::new(Pattern::new(Domains::new(4), [[1, 2, 3].as_slice(), &[0, 1]].into_iter()));
    let (support, positions) = support(1.4e-4, 0.0);
    let mut matrix = BlockMatrix::new(pattern);
    Supports { list: vec![support], rate: 1.0, ..Supports::default() }.add_hessian(&positions, &mut matrix);
    assert_eq!(matrix.links.len(), 3);
    let slot = matrix.pattern.slot(0, 1).index() as usize;
    assert_eq!(matrix.blocks[slot], DMat3::ZERO);
}
