//! Random and adversarial queries: the verdict is that of the twin, and the time is never late.

use crate::{
    counting::Until,
    families::{FAMILIES, query},
    random::Random,
    twin::touches,
};
use muslin_collision::narrow_phase::certified::TIME_TOLERANCE;
use muslin_collision::narrow_phase::{CcdCounts, time_of_impact_counted};
use std::ops::Range;

/// Queries in a test run.
const QUERIES: u64 = 100_000;
/// In a soak the time of one query in so many is checked; it costs several times the verdict.
const SOAK_TIMED: u64 = 10;
/// How much earlier than the truth an answer may be, as a part of the step [-], by the promise of the function.
const EARLIEST: f64 = TIME_TOLERANCE;

/// Times with few binary digits are multiples of one over this [-]: two or three in [`EARLIEST`].
const SHORT: f64 = (1u32 << 25) as f64;

/// Times below this are reported as 0 [-].
const SMALLEST: f64 = 9.4e-302;

/// What a batch showed.
#[derive(Default)]
struct Tally {
    touching: [u64; FAMILIES.len()],
    counts: CcdCounts,
}

/// Asks `count` queries. Each verdict is compared with the twin's, and the time of every `timed`-th.
fn check(families: Range<usize>, seed: u64, count: u64, timed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut counts = CcdCounts::default();
    for index in 0..count {
        let mut random = Random((seed + index).wrapping_mul(0x2545_F491_4F6C_DD1D));
        let family = families.start + (index % families.len() as u64) as usize;
        let (kind, query) = query(family, &mut random);
        let answer = time_of_impact_counted(kind, &query, 0.0, &mut counts);
        let says = || format!("{} {}: {kind:?} {query:?} answers {answer:?}", FAMILIES[family], seed + index);
        let Some(time) = answer else {
            assert!(!touches(kind, &query, 1.0, Until::End), "missed: {}", says());
            continue;
        };
        tally.touching[family] += 1;
        assert!((0.0..=1.0).contains(&time), "no time: {}", says());
        if !(index / families.len() as u64).is_multiple_of(timed) {
            assert!(touches(kind, &query, 1.0, Until::End), "false: {}", says());
            continue;
        }
        if time == 0.0 {
            let begins = touches(kind, &query, 0.0, Until::End) || touches(kind, &query, SMALLEST, Until::End);
            assert!(begins, "does not begin touching: {}", says());
            continue;
        }
        assert!(!touches(kind, &query, time, Until::BeforeEnd), "late: {}", says());
        // Few binary digits keep the twin's numbers short.
        let soon = ((time + EARLIEST) * SHORT).floor() / SHORT;
        assert!(touches(kind, &query, soon.min(1.0), Until::End), "false or early: {}", says());
    }
    tally.counts = counts;
    tally
}

fn run(families: Range<usize>) {
    let count = QUERIES / 2;
    let tally = check(families.clone(), 0, count, 1);
    let CcdCounts { aligned, exact, .. } = tally.counts;
    println!("{count} queries, {aligned} decided as aligned grids, {exact} in whole numbers; touching:");
    let each = count / families.len() as u64;
    for family in families {
        let touching = tally.touching[family];
        println!("  {}: {touching} of {each}", FAMILIES[family]);
        assert!(touching > each / 20 && touching < each - each / 20, "{} says little", FAMILIES[family]);
    }
}

#[test]
fn verdicts_are_exact_and_times_never_late_on_spread_flat_and_grazing_queries() {
    run(0..FAMILIES.len() / 2);
}

#[test]
fn verdicts_are_exact_and_times_never_late_on_degenerate_queries() {
    run(FAMILIES.len() / 2..FAMILIES.len());
}

/// A few queries of other seeds; `cargo xtask soak` sets the first seed and the number in the environment.
#[test]
fn verdicts_are_exact_in_a_soak() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed = number("MUSLIN_CCD_SEED").unwrap_or(QUERIES);
    let count = number("MUSLIN_CCD_QUERIES").unwrap_or(QUERIES / 100);
    check(0..FAMILIES.len(), seed, count, SOAK_TIMED);
    println!("{count} queries from seed {seed} agree");
}
