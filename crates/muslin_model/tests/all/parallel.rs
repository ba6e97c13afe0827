//! The same bits for any number of threads.

use crate::random::Random;
use muslin_model::parallel::{self, CHUNK};

const THREADS: [usize; 4] = [1, 2, 3, 7];

/// Numbers of very different size, so that any other order of additions shows in the bits.
fn numbers(count: usize) -> Vec<f64> {
    let mut random = Random(count as u64);
    (0..count).map(|_| (random.unit() - 0.5) * 10f64.powf(random.unit() * 16.0 - 8.0)).collect()
}

#[test]
fn sums_have_the_same_bits_for_any_number_of_threads() {
    for count in [0, 1, 5, CHUNK - 1, CHUNK, CHUNK + 1, 4 * CHUNK - 1, 4 * CHUNK, 9 * CHUNK + 17, 100_003] {
        let values = numbers(count);
        let bits = THREADS.map(|n| parallel::with_threads(n, || parallel::sum(count, |i| values[i])).to_bits());
        // The definition: chunks of a fixed size, each added in order, then added in order.
        let chunks: Vec<f64> = values.chunks(CHUNK).map(|chunk| chunk.iter().sum()).collect();
        let defined = chunks.iter().sum::<f64>();
        assert!(bits.iter().all(|&b| b == defined.to_bits()), "{count}: {bits:x?}");
    }
    let values = numbers(100_003);
    let forwards = values.iter().sum::<f64>();
    assert_ne!(forwards.to_bits(), parallel::sum(values.len(), |i| values[i]).to_bits(), "the numbers are too tame");
}

#[test]
fn maps_keep_their_order_on_any_number_of_threads() {
    for threads in THREADS {
        for count in [0, 1, 2, 1000, 50_000] {
            let squares = parallel::with_threads(threads, || parallel::map(count, |k| k * k));
            assert_eq!(squares, (0..count).map(|k| k * k).collect::<Vec<_>>());
        }
    }
}

#[test]
fn fills_and_updates_reach_every_element_once() {
    for threads in THREADS {
        for count in [0, 1, CHUNK, 4 * CHUNK, 6 * CHUNK + 5] {
            let mut values = vec![0usize; count];
            parallel::with_threads(threads, || {
                parallel::fill(&mut values, |i| 3 * i);
                parallel::update(&mut values, |i, &old| old + i);
            });
            assert!(values.iter().enumerate().all(|(i, &v)| v == 4 * i), "{count} on {threads}");
        }
    }
}

#[test]
fn scaled_additions_have_the_same_bits_for_any_number_of_threads() {
    let mut random = Random(8);
    let (x, y): (Vec<_>, Vec<_>) = (0..30_000).map(|_| (random.vector(), random.vector())).unzip();
    for threads in THREADS {
        let mut sum = y.clone();
        parallel::with_threads(threads, || parallel::zip_axpy(&mut sum, 0.3, &x));
        assert!(sum.iter().zip(&x).zip(&y).all(|((s, x), y)| *s == *y + *x * 0.3));
    }
}

#[test]
fn independent_items_are_each_visited_once() {
    for threads in THREADS {
        let mut seen = vec![0u8; 777];
        parallel::with_threads(threads, || parallel::for_each(seen.iter_mut().collect(), |slot| *slot += 1));
        assert!(seen.iter().all(|&count| count == 1));
    }
}
