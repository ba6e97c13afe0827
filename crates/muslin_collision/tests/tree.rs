//! The block tree: same pairs as brute force, same bits with and without vector instructions.

use glam::DVec3;
use muslin_collision::broad_phase::{BruteForce, Tree};
use muslin_collision::{BroadPhase, Candidates, Surface, Sweep};

/// A fixed sequence of numbers in [0, 1).
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Triangles of random size and place, some sharing vertices, snapped to a lattice when `snap` is not 0.
fn soup(seed: u64, count: usize, snap: f64) -> (Surface, Vec<DVec3>, Vec<DVec3>) {
    let mut next = random(seed);
    let mut point = |scale: f64| {
        let p = DVec3::new(next(), next(), next()) * scale;
        if snap > 0.0 { (p / snap).round() * snap } else { p }
    };
    let (mut start, mut end, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for t in 0..count {
        let place = point(4.0);
        let first = start.len() as u32;
        for _ in 0..3 {
            start.push(place + point(0.5));
            end.push(place + point(0.5));
        }
        triangles.push([first, first + 1, first + 2]);
        if t % 3 == 1 {
            triangles.push([first, first + 1, first - 1]);
        }
    }
    (Surface::new(start.len(), &triangles).unwrap(), start, end)
}

fn pairs(method: &mut dyn BroadPhase, surface: &Surface, sweep: &Sweep, thickness: f64) -> Candidates {
    let mut found = Candidates::default();
    method.find(surface, sweep, thickness, &mut found).unwrap();
    found.sort();
    found
}

#[test]
fn the_tree_finds_exactly_the_box_pairs_of_random_soups() {
    let mut all = 0;
    for seed in 0..40 {
        let count = 5 + 17 * seed as usize;
        let snap = [0.0, 0.25, 0.01][seed as usize % 3];
        let (surface, start, end) = soup(seed, count, snap);
        let sweep = Sweep::new(&surface, &start, &end).unwrap();
        for thickness in [0.0, 0.01, 0.3] {
            let expected = pairs(&mut BruteForce::default(), &surface, &sweep, thickness);
            let found = pairs(&mut Tree::default(), &surface, &sweep, thickness);
            assert_eq!(expected, found, "seed {seed}, thickness {thickness}");
            all += found.len();
        }
    }
    assert!(all > 10_000, "the soups are too thin to show anything: {all} pairs");
}

#[test]
fn an_empty_and_a_single_triangle_surface_have_no_pairs() {
    for triangles in [vec![], vec![[0, 1, 2]]] {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let surface = Surface::new(3, &triangles).unwrap();
        let sweep = Sweep::new(&surface, &points, &points).unwrap();
        assert!(pairs(&mut Tree::default(), &surface, &sweep, 0.1).is_empty());
    }
}

#[test]
fn the_order_of_pairs_does_not_depend_on_threads() {
    let (surface, start, end) = soup(7, 3000, 0.0);
    let sweep = Sweep::new(&surface, &start, &end).unwrap();
    let found = |threads| {
        muslin_model::parallel::with_threads(threads, || {
            let mut found = Candidates::default();
            Tree::default().find(&surface, &sweep, 0.05, &mut found).unwrap();
            found
        })
    };
    let one = found(1);
    assert!(one.len() > 1000);
    for threads in [2, 3, 4] {
        assert_eq!(one, found(threads), "{threads} threads");
    }
}
