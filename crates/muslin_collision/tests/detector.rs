//! Detection in one pass against the plain way: every box pair, one by one, with the certified test.

#[path = "broad_phases/meshes.rs"]
#[expect(dead_code, reason = "others scale and move their meshes")]
mod meshes;
#[path = "broad_phases/random.rs"]
mod random;

use glam::DVec3;
use muslin_collision::block_tree::kernel::Kernel;
use muslin_collision::broad_phase::BruteForce;
use muslin_collision::narrow_phase::{minimum_separation, time_of_impact};
use muslin_collision::{BroadPhase, Candidates, DetectSettings, Detection, Detector, Impact, PairKind, Surface, Sweep};

/// A fixed sequence of numbers in [0, 1).
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A sheet of `n` x `n` vertices, crumpled by `rough` edge lengths at the start and, otherwise, at the end.
fn crumpled(seed: u64, n: u32, rough: f64) -> (Surface, Vec<DVec3>, Vec<DVec3>, Vec<DVec3>) {
    let mut next = numbers(seed);
    let edge = 1.0 / (n - 1) as f64;
    let rest: Vec<DVec3> = (0..n * n).map(|v| DVec3::new((v % n) as f64 * edge, (v / n) as f64 * edge, 0.0)).collect();
    let mut triangles = Vec::new();
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let v = j * n + i;
            triangles.push([v, v + 1, v + n]);
            triangles.push([v + 1, v + n + 1, v + n]);
        }
    }
    let mut shaken = || -> Vec<DVec3> {
        rest.iter().map(|&x| x + (DVec3::new(next(), next(), next()) - 0.5) * (2.0 * rough * edge)).collect()
    };
    let (start, end) = (shaken(), shaken());
    (Surface::new(rest.len(), &triangles).unwrap(), start, end, rest)
}

/// The slow twin: all box pairs, each with the certified test.
fn plainly(surface: &Surface, sweep: &Sweep, settings: &DetectSettings) -> (Vec<Impact>, Vec<Impact>) {
    let mut found = Candidates::default();
    BruteForce::default().find(surface, sweep, settings.thickness, &mut found).unwrap();
    found.sort();
    let decide = |kind, [a, b]: [u32; 2]| {
        let (query, vertices) = match kind {
            PairKind::VertexFace => {
                let [p, q, r] = surface.triangles()[b as usize];
                (sweep.vertex_face(surface, a, b), [a, p, q, r])
            }
            PairKind::EdgeEdge => {
                let ([p, q], [r, s]) = (surface.edges()[a as usize], surface.edges()[b as usize]);
                (sweep.edge_edge(surface, a, b), [p, q, r, s])
            }
        };
        let separation = match settings.rest {
            Some(rest) => minimum_separation(kind, vertices.map(|v| rest[v as usize]), settings.thickness),
            None => settings.thickness,
        };
        time_of_impact(kind, &query, separation).map(|time| Impact { a, b, time })
    };
    let all = |kind, pairs: &[[u32; 2]]| pairs.iter().filter_map(|&p| decide(kind, p)).collect();
    (all(PairKind::VertexFace, &found.vertex_face), all(PairKind::EdgeEdge, &found.edge_edge))
}

#[test]
fn one_pass_finds_exactly_what_testing_every_pair_finds() {
    let mut seen = 0;
    for seed in 0..12 {
        let rough = [0.05, 0.4, 1.0, 3.0][seed as usize % 4];
        let scale = [1.0, 1e-6, 1e6][seed as usize % 3];
        let place = DVec3::new(0.3, -2.0, 1.0) * (seed % 2) as f64;
        let (surface, start, end, rest) = crumpled(seed, 14, rough);
        let moved = |points: Vec<DVec3>| -> Vec<DVec3> { points.into_iter().map(|x| (x + place) * scale).collect() };
        let (start, end, rest) = (moved(start), moved(end), moved(rest));
        let sweep = Sweep::new(&surface, &start, &end).unwrap();
        let edge = scale / 13.0;
        for (thickness, rest) in
            [(0.0, None), (0.05 * edge, None), (0.3 * edge, Some(&rest[..])), (2.0 * edge, Some(&rest[..]))]
        {
            let settings = DetectSettings { thickness, rest, ..DetectSettings::default() };
            let found = Detector::default().detect(&surface, &sweep, &settings);
            let (vertex_face, edge_edge) = plainly(&surface, &sweep, &settings);
            assert_eq!(found.vertex_face, vertex_face, "seed {seed}, thickness {thickness}");
            assert_eq!(found.edge_edge, edge_edge, "seed {seed}, thickness {thickness}");
            seen += vertex_face.len() + edge_edge.len();
        }
    }
    assert!(seen > 10_000, "the sheets hardly meet: {seen} impacts");
}

#[test]
fn a_detector_that_has_seen_a_large_mesh_finds_what_a_fresh_one_finds_in_a_small_one() {
    for kernel in Kernel::all() {
        let mut used = Detector::with_kernel(kernel);
        let mut seen = 0;
        for (seed, n) in [(1, 60), (2, 6), (3, 9), (4, 30), (5, 5)] {
            let (surface, start, end, _) = crumpled(seed, n, 1.0);
            let sweep = Sweep::new(&surface, &start, &end).unwrap();
            let settings = DetectSettings { thickness: 0.2 / f64::from(n), ..DetectSettings::default() };
            let found = used.detect(&surface, &sweep, &settings);
            let fresh = Detector::with_kernel(kernel).detect(&surface, &sweep, &settings);
            seen += fresh.edge_edge.len();
            assert_eq!((&found.vertex_face, &found.edge_edge), (&fresh.vertex_face, &fresh.edge_edge));
            used.give_back(found);
        }
        assert!(seen > 1000, "{seen} impacts");
    }
}

#[test]
fn one_pass_finds_exactly_what_testing_every_pair_finds_on_every_degenerate_mesh() {
    let mut seen = 0;
    for (name, scene) in meshes::all() {
        let sweep = Sweep::new(&scene.surface, &scene.start, &scene.end).unwrap();
        for thickness in [0.0, 0.02] {
            let settings = DetectSettings { thickness, ..DetectSettings::default() };
            let found = Detector::default().detect(&scene.surface, &sweep, &settings);
            let (vertex_face, edge_edge) = plainly(&scene.surface, &sweep, &settings);
            assert_eq!(found.vertex_face, vertex_face, "{name}, thickness {thickness}");
            assert_eq!(found.edge_edge, edge_edge, "{name}, thickness {thickness}");
            seen += vertex_face.len() + edge_edge.len();
        }
    }
    assert!(seen > 10_000, "the meshes hardly meet: {seen} impacts");
}

#[test]
fn a_flat_sheet_finer_than_its_thickness_is_free_with_its_rest_state_and_only_then() {
    let (surface, _, _, rest) = crumpled(1, 12, 0.0);
    let sweep = Sweep::new(&surface, &rest, &rest).unwrap();
    let thickness = 3.0 / 11.0;
    let free = Detector::default().detect(
        &surface,
        &sweep,
        &DetectSettings { thickness, rest: Some(&rest), ..DetectSettings::default() },
    );
    assert_eq!((free.vertex_face.len(), free.edge_edge.len()), (0, 0));
    let held = Detector::default().detect(
        &surface,
        &sweep,
        &DetectSettings { thickness, rest: None, ..DetectSettings::default() },
    );
    assert!(held.vertex_face.len() > 100 && held.edge_edge.len() > 100);
}

fn without_cost(mut detection: Detection) -> Detection {
    detection.cost = Default::default();
    detection
}

#[test]
fn threads_and_vector_instructions_change_no_bit() {
    for thickness in [0.0, 0.002] {
        let (surface, start, end, _) = crumpled(5, 60, 1.5);
        let sweep = Sweep::new(&surface, &start, &end).unwrap();
        let settings = DetectSettings { thickness, rest: None, ..DetectSettings::default() };
        let run = |kernel, threads| {
            let mut detector = Detector::with_kernel(kernel);
            muslin_model::parallel::with_threads(threads, || detector.detect(&surface, &sweep, &settings))
        };
        let one = without_cost(run(Kernel::detect(), 1));
        assert!(one.edge_edge.len() > 1000);
        for threads in [2, 4] {
            assert_eq!(one, without_cost(run(Kernel::detect(), threads)), "{threads} threads");
        }
        for kernel in Kernel::all() {
            assert_eq!(one, without_cost(run(kernel, 1)), "{kernel:?}");
        }
        println!("compared: {:?}", Kernel::all());
        if Kernel::all().len() < 3 {
            println!("skipped: this machine has no AVX-512 or no AVX2, so that fewer than three kernels were compared");
        }
    }
}

#[test]
fn the_tree_holds_less_than_250_bytes_per_triangle() {
    let (surface, start, end, _) = crumpled(9, 120, 0.3);
    let sweep = Sweep::new(&surface, &start, &end).unwrap();
    let found = Detector::default().detect(&surface, &sweep, &DetectSettings::default());
    let bytes = found.cost.bytes / surface.triangles().len();
    assert!((100..250).contains(&bytes), "{bytes}");
}

#[test]
fn the_filters_leave_few_pairs_to_the_certified_test() {
    let (surface, start, end, _) = crumpled(9, 60, 0.3);
    let sweep = Sweep::new(&surface, &start, &end).unwrap();
    let found = Detector::default().detect(&surface, &sweep, &DetectSettings::default());
    let pairs = found.counts.vertex_face_candidates + found.counts.edge_edge_candidates;
    let impacts = (found.vertex_face.len() + found.edge_edge.len()) as u64;
    assert!(pairs > 20_000, "{pairs}");
    let needless = found.counts.refined - impacts;
    assert!(needless * 20 < pairs, "{needless} of {pairs} pairs were left though they do not meet");
}

#[test]
fn a_kept_order_finds_the_same_impacts() {
    let (surface, start, end, rest) = crumpled(3, 40, 1.5);
    let sweep = Sweep::new(&surface, &start, &end).unwrap();
    let fresh = Detector::default().detect(&surface, &sweep, &DetectSettings::default());
    let mut kept = Detector::with_order_of(&surface, &rest).unwrap();
    for _ in 0..2 {
        let found = kept.detect(&surface, &sweep, &DetectSettings::default());
        assert_eq!(fresh.vertex_face, found.vertex_face);
        assert_eq!(fresh.edge_edge, found.edge_edge);
        assert_eq!(fresh.counts.edge_edge_candidates, found.counts.edge_edge_candidates);
        assert_ne!(fresh.counts.broad_phase.tests, found.counts.broad_phase.tests, "the order was not kept");
    }
    assert!(fresh.edge_edge.len() > 100);
}
