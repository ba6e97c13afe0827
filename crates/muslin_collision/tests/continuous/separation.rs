//! A minimum separation: never late, and not much too early.

use crate::{
    families::{FAMILIES, query},
    random::Random,
};
use glam::DVec3;
use muslin_collision::narrow_phase::{Proximity, time_of_impact};
use muslin_collision::{PairKind, Query};

/// Queries in a test run, and times sampled in each.
const QUERIES: u64 = 20_000;
const SAMPLES: u32 = 24;
/// Rounding of a sampled distance, relative to the largest coordinate [-].
const ROUNDING: f64 = 1e-13;
/// How much farther than the separation a pair may be when it is called near [-]: ten times the tolerance of the test.
const TIGHT: f64 = 1e-5;
/// Of so many pairs that come near at most one may be called so before it is: it hovers above the separation until its
/// steps are used up.
const EARLY_ONE_IN: u64 = 1000;

fn distance(kind: PairKind, query: &Query, time: f64) -> f64 {
    Proximity::new(kind, query.at(time)).distance
}

#[test]
fn a_falling_vertex_is_near_when_the_closed_form_says() {
    let at = |z| [DVec3::new(0.2, 0.2, z), DVec3::ZERO, DVec3::X, DVec3::Y];
    let query = Query { start: at(1.0), end: at(-1.0) };
    for separation in [0.5, 0.1, 1e-3, 1e-9] {
        let truth = (1.0 - separation) / 2.0;
        let time = time_of_impact(PairKind::VertexFace, &query, separation).expect("near");
        assert!(time <= truth && time > truth - 1e-6, "{separation}: {time} for {truth}");
    }
    // It stops above the face.
    let query = Query { start: at(1.0), end: at(0.1) };
    assert_eq!(time_of_impact(PairKind::VertexFace, &query, 0.0999), None);
    assert!(time_of_impact(PairKind::VertexFace, &query, 0.1001).is_some_and(|t| t > 0.99));
    // It begins within.
    assert_eq!(time_of_impact(PairKind::VertexFace, &query, 1.0), Some(0.0));
    assert_eq!(time_of_impact(PairKind::VertexFace, &query, 2.0), Some(0.0));
}

#[test]
fn two_edges_that_pass_each_other_are_near_when_the_closed_form_says() {
    // Parallel edges on opposite courses, 3 apart sideways: the distance is √(9 + (5 − 10t)²) until they are level.
    let at = |x: f64| [DVec3::new(x, 0.0, 0.0), DVec3::new(x, 0.0, 1.0), DVec3::Y * 3.0, DVec3::new(0.0, 3.0, 1.0)];
    let query = Query { start: at(-5.0), end: at(5.0) };
    let time = time_of_impact(PairKind::EdgeEdge, &query, 5.0).expect("near");
    assert!(time <= 0.1 && time > 0.1 - 1e-5, "{time}");
    assert_eq!(time_of_impact(PairKind::EdgeEdge, &query, 2.9999), None);
    assert!(time_of_impact(PairKind::EdgeEdge, &query, 3.0).is_some_and(|t| t <= 0.5 && t > 0.499));
}

#[test]
fn no_pair_is_nearer_than_the_separation_before_the_answer() {
    let (mut near, mut early) = (0, 0);
    for index in 0..QUERIES {
        let mut random = Random(index.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0x5eba);
        let (kind, query) = query((index % FAMILIES.len() as u64) as usize, &mut random);
        let first = distance(kind, &query, 0.0);
        let largest = query.start.iter().chain(&query.end).map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let separation = first * random.unit() + largest * 1e-3 * random.unit();
        if !(separation > 0.0) {
            continue;
        }
        let answer = time_of_impact(kind, &query, separation);
        let says = || format!("{index}: {kind:?} {query:?} at {separation} answers {answer:?}");
        let slack = ROUNDING * largest;
        let before = answer.unwrap_or(1.0);
        for sample in 0..SAMPLES {
            let time = before * f64::from(sample) / f64::from(SAMPLES);
            let clear = distance(kind, &query, time) >= separation - slack;
            assert!(clear || before == 0.0, "late, near at {time}: {}", says());
        }
        // The last moment counts most: an answer that is late by a thousandth passes all samples before.
        let clear = distance(kind, &query, before) >= separation - slack;
        assert!(clear || before == 0.0, "late, near at {before}: {}", says());
        if let Some(time) = answer {
            near += 1;
            let reached = distance(kind, &query, time);
            if reached > separation * (1.0 + TIGHT) + slack {
                println!("early by {:e}: {}", reached / separation - 1.0, says());
                early += 1;
            }
        }
    }
    println!("{near} of {QUERIES} come near, {early} of them are called so early");
    assert!(early * EARLY_ONE_IN <= near, "{early} of {near} are called near before they are");
    assert!(near > QUERIES / 10 && near < QUERIES * 9 / 10);
}
