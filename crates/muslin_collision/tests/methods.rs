//! Whatever the broad phase: the same impacts at the same times, on any number of threads.

use glam::DVec3;
use muslin_collision::broad_phase::BroadPhaseKind;
use muslin_collision::detect::{DetectSettings, detect_with};
use muslin_collision::narrow_phase::time_of_impact;
use muslin_collision::{Impact, PairKind, Surface, Sweep};
use muslin_model::parallel::with_threads;

/// Two wavy sheets of n × n quads, the upper one falling through the lower.
fn sheets(n: u32) -> (Surface, Vec<DVec3>, Vec<DVec3>) {
    let (mut start, mut triangles) = (Vec::new(), Vec::new());
    for sheet in 0..2u32 {
        let first = start.len() as u32;
        for i in 0..=n {
            for j in 0..=n {
                let (x, y) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                let wave = 0.05 * (9.0 * x + 4.0 * y + f64::from(sheet)).sin();
                start.push(DVec3::new(x + 0.013 * f64::from(sheet), y, wave + 0.2 * f64::from(sheet)));
            }
        }
        let at = |i: u32, j: u32| first + i * (n + 1) + j;
        for i in 0..n {
            for j in 0..n {
                triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    let upper = start.len() / 2;
    let fall = |(k, p): (usize, &DVec3)| if k < upper { *p } else { *p - DVec3::Z * 0.17 };
    let end = start.iter().enumerate().map(fall).collect();
    (Surface::new(start.len(), &triangles).expect("a surface"), start, end)
}

/// Every pair of the surface, tested one by one.
fn all_pairs(surface: &Surface, sweep: &Sweep, separation: f64) -> [Vec<Impact>; 2] {
    let (mut vertex_face, mut edge_edge) = (Vec::new(), Vec::new());
    for a in 0..surface.vertex_count() as u32 {
        for b in (0..surface.triangles().len() as u32).filter(|&b| !surface.vertex_touches_face(a, b)) {
            let time = time_of_impact(PairKind::VertexFace, &sweep.vertex_face(surface, a, b), separation);
            vertex_face.extend(time.map(|time| Impact { a, b, time }));
        }
    }
    let edges = surface.edges().len() as u32;
    for a in 0..edges {
        for b in (a + 1..edges).filter(|&b| !surface.edges_touch(a, b)) {
            let time = time_of_impact(PairKind::EdgeEdge, &sweep.edge_edge(surface, a, b), separation);
            edge_edge.extend(time.map(|time| Impact { a, b, time }));
        }
    }
    [vertex_face, edge_edge]
}

#[test]
fn every_method_finds_what_testing_every_pair_finds() {
    let (surface, start, end) = sheets(12);
    let sweep = Sweep::new(&surface, &start, &end).expect("a motion");
    for thickness in [0.0, 0.01] {
        let [vertex_face, edge_edge] = all_pairs(&surface, &sweep, thickness);
        assert!(vertex_face.len() > 100 && edge_edge.len() > 200, "{} {}", vertex_face.len(), edge_edge.len());
        let settings = DetectSettings { thickness, ..DetectSettings::default() };
        for kind in BroadPhaseKind::ALL {
            for threads in [1, 3] {
                let found = with_threads(threads, || detect_with(kind, &surface, &sweep, &settings)).expect("found");
                assert_eq!(found.vertex_face, vertex_face, "{kind}, {threads} threads, thickness {thickness}");
                assert_eq!(found.edge_edge, edge_edge, "{kind}, {threads} threads, thickness {thickness}");
            }
        }
    }
}

#[test]
fn a_fine_sheet_at_rest_does_not_collide_with_itself_at_any_thickness() {
    let (surface, start, _) = sheets(12);
    let sweep = Sweep::new(&surface, &start, &start).expect("a motion");
    // Thicker than the mesh is fine, but not than the two sheets are apart.
    let settings = DetectSettings { thickness: 0.1, rest: Some(&start), ..DetectSettings::default() };
    for kind in BroadPhaseKind::ALL {
        let found = detect_with(kind, &surface, &sweep, &settings).expect("found");
        assert_eq!((found.vertex_face.len(), found.edge_edge.len()), (0, 0), "{kind}");
        let without = DetectSettings { rest: None, ..settings };
        let found = detect_with(kind, &surface, &sweep, &without).expect("found");
        assert!(found.vertex_face.len() > 1000, "{kind}: without its rest state the mesh is nearer than 0.1 m");
    }
}
