//! The comparisons of W chapters 5 and 6.

use crate::scenes::Scene;
use crate::{head, row};
use muslin_collision::broad_phase::{BroadPhase, Completeness, Grid, Octree, Subdivision, VirtualSubdivision};
use muslin_collision::{Candidates, Counts};

fn counts(phase: &mut dyn BroadPhase, scene: &Scene) -> Counts {
    phase.find(&scene.surface, &scene.sweep(), 0.0, &mut Candidates::default()).expect("a search")
}

/// W's broad-phase tests: all pairs met in cells.
fn met(counts: &Counts) -> u64 {
    counts.tests + counts.duplicates_avoided
}

/// Virtual subdivision as W describes it, without what only completes the box pairs.
fn as_published(lambda: f64) -> VirtualSubdivision {
    VirtualSubdivision::new(Subdivision { lambda, completeness: Completeness::Children, ..Subdivision::default() })
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

pub fn cell_width(scenes: &[Scene]) -> String {
    let lambdas = [1.0, 1.1, 1.2, 1.3, 1.5, 2.0];
    let names: Vec<String> = lambdas.iter().map(|lambda| format!("λ = {lambda}")).collect();
    let mut columns = vec!["scene"];
    columns.extend(names.iter().map(String::as_str));
    let mut text =
        String::from("Pairs of triangles met in cells. W finds the fewest near λ = 1.2 (cloth on ball).\n\n")
            + &head(&columns);
    for scene in scenes {
        let tests = lambdas.map(|lambda| met(&counts(&mut as_published(lambda), scene)).to_string());
        text += &row(&[vec![scene.name.to_owned()], tests.to_vec()].concat());
    }
    text
}

pub fn subdivision(scenes: &[Scene]) -> String {
    let columns = [
        "scene",
        "children",
        "children per triangle",
        "redundant registrations removed",
        "met, subdivided",
        "met, grid",
        "grid / subdivided",
        "tests that complete the box pairs",
    ];
    let mut text = String::from(
        "W: 9 % to 35 % children per triangle; the grid meets up to 12 times as many pairs (N-body), about ten times in several scenes.\n\n",
    ) + &head(&columns);
    for scene in scenes {
        let (published, grid) = (counts(&mut as_published(1.2), scene), counts(&mut Grid::default(), scene));
        let complete = counts(&mut VirtualSubdivision::default(), scene);
        text += &row(&[
            scene.name.to_owned(),
            published.children.to_string(),
            percent(published.children, scene.surface.triangles().len() as u64),
            published.redundant_registrations.to_string(),
            met(&published).to_string(),
            met(&grid).to_string(),
            format!("{:.1}", met(&grid) as f64 / met(&published) as f64),
            complete.completion_tests.to_string(),
        ]);
    }
    text
}

/// Steps after which the number of levels has settled; the same motion is searched again and again.
const SETTLED: usize = 4;

pub fn octrees(scenes: &[Scene]) -> String {
    let columns = [
        "scene",
        "met, subdivided",
        "met, one-stage",
        "met, two-stage",
        "two-stage below subdivided",
        "below one-stage",
    ];
    let mut text = String::from(
        "W: two-stage at least 39 % below virtual subdivision, 64 % for the reef knot; below one-stage by 20 % on average, up to 36 %.\n\n",
    ) + &head(&columns);
    for scene in scenes {
        let published = met(&counts(&mut as_published(1.2), scene));
        let one = met(&counts(&mut Octree::one_stage(), scene));
        let mut octree = Octree::two_stage();
        let two = (0..SETTLED).map(|_| met(&counts(&mut octree, scene))).last().unwrap_or(0);
        let below = |whole: u64| format!("{:.0} %", 100.0 * (1.0 - two as f64 / whole as f64));
        text += &row(&[
            scene.name.to_owned(),
            published.to_string(),
            one.to_string(),
            two.to_string(),
            below(published),
            below(one),
        ]);
    }
    text
}

pub fn levels(scenes: &[Scene]) -> String {
    let names: Vec<String> = (1..=11).map(|level| format!("level {level}")).collect();
    let mut columns = vec!["scene"];
    columns.extend(names.iter().map(String::as_str));
    let mut text = String::from(
        "After the number of levels has settled. W, cloth on ball: 0.05 %, 0.35 %, 2.2 %, 92.7 %, 4.9 % on levels 4 to 8; funnel: 71 % and 29 % on 6 and 7; N-body: 6.5 %, 80 %, 13 % on 6 to 8.\n\n",
    ) + &head(&columns);
    for scene in scenes {
        let mut octree = Octree::two_stage();
        for _ in 0..SETTLED {
            counts(&mut octree, scene);
        }
        let registered = octree.registrations_per_level();
        let total: u64 = registered.iter().sum();
        let share = |level: usize| match registered.get(level) {
            Some(&count) if count > 0 => format!("{:.3} %", 100.0 * count as f64 / total as f64),
            _ => "–".to_owned(),
        };
        text += &row(&[vec![scene.name.to_owned()], (0..11).map(share).collect()].concat());
    }
    text
}
