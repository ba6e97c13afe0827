//! All methods on all scenes: counts and times.

use crate::scenes::Scene;
use crate::{head, row};
use muslin::sim::report::cpu_seconds;
use muslin_collision::broad_phase::BroadPhaseKind;
use muslin_collision::{Candidates, Counts};
use muslin_model::parallel;

/// Runs of which the best time counts; an object serves many steps, and its first run makes the constant parts.
const RUNS: usize = 2;

pub fn table(scenes: &[Scene]) -> String {
    let columns = [
        "scene",
        "triangles",
        "method",
        "vertex–face",
        "edge–edge",
        "cells",
        "registrations",
        "children",
        "tests",
        "duplicates avoided",
        "ms",
        "times the tree",
    ];
    let mut text = head(&columns);
    for scene in scenes {
        let mut tree = None;
        for kind in BroadPhaseKind::ALL.into_iter().filter(|kind| *kind != BroadPhaseKind::BruteForce) {
            let (pairs, counts, ms) = parallel::with_threads(1, || timed(kind, scene));
            let tree = *tree.get_or_insert(ms);
            let mut cells = vec![scene.name.to_owned(), scene.surface.triangles().len().to_string(), kind.to_string()];
            let numbers = [pairs[0], pairs[1], counts.cells, counts.registrations, counts.children, counts.tests];
            cells.extend(numbers.iter().chain([&counts.duplicates_avoided]).map(u64::to_string));
            cells.extend([format!("{ms:.0}"), format!("{:.1}", ms / tree)]);
            text += &row(&cells);
        }
    }
    text
}

fn timed(kind: BroadPhaseKind, scene: &Scene) -> ([u64; 2], Counts, f64) {
    let (mut phase, mut candidates, mut best) = (kind.build(), Candidates::default(), f64::INFINITY);
    let mut counts = Counts::default();
    for run in 0..RUNS {
        let begin = cpu_seconds();
        let found = phase.find(&scene.surface, &scene.sweep(), 0.0, &mut candidates).expect("a search");
        best = best.min(1e3 * (cpu_seconds() - begin));
        if run == 0 {
            counts = found;
        }
    }
    ([candidates.vertex_face.len() as u64, candidates.edge_edge.len() as u64], counts, best)
}
