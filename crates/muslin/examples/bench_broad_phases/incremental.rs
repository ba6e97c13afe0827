//! Searching again after a response, as impact zones do (I 3, fig. 9).
//!
//! I's scene is not public. Here a response is imitated: every vertex of a pair that meets is taken back to half of its
//! way. Then the pairs around what moved are searched, tested, and so on for four rounds.

use crate::scenes::Scene;
use crate::{head, row};
use muslin_collision::broad_phase::{BroadPhase, SpatialHash};
use muslin_collision::narrow_phase::certified::time_of_impact;
use muslin_collision::{Candidates, PairKind, Sweep};
use muslin_model::parallel;

const ROUNDS: usize = 4;

pub fn table(scenes: &[Scene]) -> String {
    let columns = [
        "scene",
        "round",
        "dynamic triangles",
        "tests, full",
        "tests, incremental",
        "full / incremental",
        "vertices that meet",
    ];
    let mut text = String::from("I: 3.68 times fewer tests over the four rounds of one frame.\n\n") + &head(&columns);
    for scene in scenes {
        let mut end = scene.end.clone();
        let (mut hash, mut moved) = (SpatialHash::default(), Vec::new());
        let mut sums = [0, 0];
        for round in 1..=ROUNDS {
            let sweep = Sweep::new(&scene.surface, &scene.start, &end).expect("a motion");
            let mut pairs = Candidates::default();
            let full = SpatialHash::default().find(&scene.surface, &sweep, 0.0, &mut pairs).expect("a search").tests;
            let again = if round == 1 {
                hash.find(&scene.surface, &sweep, 0.0, &mut pairs)
            } else {
                hash.find_again(&scene.surface, &sweep, 0.0, &moved, &mut pairs)
            };
            let again = again.expect("a search").tests;
            sums = [sums[0] + full, sums[1] + again];
            moved = meeting(scene, &sweep, &pairs);
            text += &row(&[
                scene.name.to_owned(),
                round.to_string(),
                hash.dynamic_items().to_string(),
                full.to_string(),
                again.to_string(),
                format!("{:.1}", full as f64 / again.max(1) as f64),
                moved.len().to_string(),
            ]);
            moved.iter().for_each(|&v| end[v as usize] = scene.start[v as usize].midpoint(end[v as usize]));
            if moved.is_empty() {
                break;
            }
        }
        let ratio = format!("**{:.2}**", sums[0] as f64 / sums[1].max(1) as f64);
        let all =
            [scene.name.into(), "all".into(), "".into(), sums[0].to_string(), sums[1].to_string(), ratio, "".into()];
        text += &row(&all);
    }
    text
}

/// Vertices of the pairs that meet, by the certified test.
fn meeting(scene: &Scene, sweep: &Sweep, pairs: &Candidates) -> Vec<u32> {
    let surface = &scene.surface;
    let pieces = |count: usize| count.div_ceil(parallel::CHUNK);
    let piece =
        |list: &[[u32; 2]], c: usize| list[c * parallel::CHUNK..((c + 1) * parallel::CHUNK).min(list.len())].to_vec();
    let faces = parallel::map(pieces(pairs.vertex_face.len()), |c| {
        let mut out = Vec::new();
        for [v, f] in piece(&pairs.vertex_face, c) {
            if time_of_impact(PairKind::VertexFace, &sweep.vertex_face(surface, v, f), 0.0).is_some() {
                out.push(v);
                out.extend(surface.triangles()[f as usize]);
            }
        }
        out
    });
    let edges = parallel::map(pieces(pairs.edge_edge.len()), |c| {
        let mut out = Vec::new();
        for [a, b] in piece(&pairs.edge_edge, c) {
            if time_of_impact(PairKind::EdgeEdge, &sweep.edge_edge(surface, a, b), 0.0).is_some() {
                out.extend(surface.edges()[a as usize]);
                out.extend(surface.edges()[b as usize]);
            }
        }
        out
    });
    let mut vertices = [faces.concat(), edges.concat()].concat();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}
