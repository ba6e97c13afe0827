//! The one place that knows about threads. Everything here gives the same bits for any number of workers:
//! work is cut into pieces that depend on the data alone, and partial sums are added in their order.

use rayon::prelude::*;

/// Elements per piece of a parallel sum. Fixed: it is part of the result's bits.
pub const CHUNK: usize = 4096;

/// Below this many elements a sum or a sort is not worth a second thread.
const SERIAL_BELOW: usize = 4 * CHUNK;

/// Elements per piece of a parallel loop that writes each of its elements by itself, and below how many it is not worth a second
/// thread: they are no part of any bits.
const PIECE: usize = 2048;
const LOOP_SERIAL_BELOW: usize = 4 * PIECE;

/// Runs `body(k)` for each k in 0..count and returns the results in order.
pub fn map<R: Send>(count: usize, body: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    if count < 2 || rayon::current_num_threads() == 1 {
        return (0..count).map(body).collect();
    }
    // Pieces are dear and uneven: left to itself, the pool would hand out a few long runs of them.
    (0..count).into_par_iter().with_max_len((count / MOST_RUNS).max(1)).map(body).collect()
}

/// Runs of pieces that [`map`] hands out at most, up to twice as many.
const MOST_RUNS: usize = 512;

/// Threads that work is shared among: for how work is cut where that changes no result.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Runs two closures that are independent of each other.
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    if rayon::current_num_threads() == 1 { (a(), b()) } else { rayon::join(a, b) }
}

/// Runs `beside` on whatever threads have nothing to do while `here` runs on this one, and returns when both are done.
pub fn beside<A, B: Send>(here: impl FnOnce() -> A, beside: impl FnOnce() -> B + Send) -> (A, B) {
    let mut result = None;
    let here = rayon::in_place_scope(|scope| {
        scope.spawn(|_| result = Some(beside()));
        here()
    });
    (here, result.expect("a scope ends when all that it spawned has run"))
}

/// Makes `out` hold `value(i)` for all i below `count`, `piece` elements at a time. Nothing is written before,
/// so that fresh memory is first touched by the thread that fills it.
pub fn refill<T: Send>(out: &mut Vec<T>, count: usize, piece: usize, value: impl Fn(usize) -> T + Sync + Send) {
    if count <= piece || rayon::current_num_threads() == 1 {
        out.clear();
        out.extend((0..count).map(value));
    } else {
        (0..count).into_par_iter().with_min_len(piece).map(value).collect_into_vec(out);
    }
}

/// Adds `value(i)` for all i below `count` to the end of `out`, `piece` elements at a time.
pub fn append<T: Send>(out: &mut Vec<T>, count: usize, piece: usize, value: impl Fn(usize) -> T + Sync + Send) {
    if count <= piece || rayon::current_num_threads() == 1 {
        out.extend((0..count).map(value));
    } else {
        out.par_extend((0..count).into_par_iter().with_min_len(piece).map(value));
    }
}

/// Runs `body` on each item, in parallel; the items are independent of each other.
pub fn for_each<T: Send>(items: Vec<T>, body: impl Fn(T) + Sync + Send) {
    if items.len() < 2 || rayon::current_num_threads() == 1 {
        items.into_iter().for_each(body);
    } else {
        items.into_par_iter().for_each(body);
    }
}

/// Fixed-chunk sum of `term(i)` over 0..count.
pub fn sum(count: usize, term: impl Fn(usize) -> f64 + Sync + Send) -> f64 {
    let piece = |c: usize| (c * CHUNK..((c + 1) * CHUNK).min(count)).map(&term).sum::<f64>();
    let chunks = count.div_ceil(CHUNK);
    if count < SERIAL_BELOW {
        return (0..chunks).map(piece).sum();
    }
    map(chunks, piece).into_iter().sum()
}

/// Writes `out[i] = value(i)` for all i.
pub fn fill<T: Send>(out: &mut [T], value: impl Fn(usize) -> T + Sync + Send) {
    if out.len() < LOOP_SERIAL_BELOW || rayon::current_num_threads() == 1 {
        out.iter_mut().enumerate().for_each(|(i, slot)| *slot = value(i));
        return;
    }
    out.par_chunks_mut(PIECE).enumerate().for_each(|(c, chunk)| {
        for (k, slot) in chunk.iter_mut().enumerate() {
            *slot = value(c * PIECE + k);
        }
    });
}

/// Runs `body(first, a, b)` on pieces of two arrays of one length, `first` the index of a piece's first elements, and returns the
/// results in order. The pieces are part of the bits of what is made of the results.
pub fn map_pieces<T: Send, U: Send, R: Send>(
    a: &mut [T],
    b: &mut [U],
    piece: usize,
    body: impl Fn(usize, &mut [T], &mut [U]) -> R + Sync + Send,
) -> Vec<R> {
    if a.len() <= piece || rayon::current_num_threads() == 1 {
        let pieces = a.chunks_mut(piece).zip(b.chunks_mut(piece)).enumerate();
        return pieces.map(|(k, (a, b))| body(k * piece, a, b)).collect();
    }
    let pieces = a.par_chunks_mut(piece).zip(b.par_chunks_mut(piece)).enumerate();
    pieces.map(|(k, (a, b))| body(k * piece, a, b)).collect()
}

/// Sorts values of which equal ones cannot be told apart.
pub fn sort<T: Ord + Send>(values: &mut [T]) {
    if values.len() < SERIAL_BELOW || rayon::current_num_threads() == 1 {
        values.sort_unstable();
    } else {
        values.par_sort_unstable();
    }
}

/// Sorts by keys of which no two are equal.
pub fn sort_by_key<T: Send, K: Ord>(values: &mut [T], key: impl Fn(&T) -> K + Sync) {
    if values.len() < SERIAL_BELOW || rayon::current_num_threads() == 1 {
        values.sort_unstable_by_key(key);
    } else {
        values.par_sort_unstable_by_key(key);
    }
}

/// Runs a closure on a pool with this many threads; everything in this module called from inside uses it.
pub fn with_threads<R: Send>(threads: usize, body: impl FnOnce() -> R + Send) -> R {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(body),
        // Without a pool (no threads on this system) the work is done here, with the same result.
        Err(_) => body(),
    }
}

/// Replaces each `values[i]` by `value(i, &values[i])`.
pub fn update<T: Send>(values: &mut [T], value: impl Fn(usize, &T) -> T + Sync + Send) {
    let run = |first: usize, chunk: &mut [T]| {
        for (k, slot) in chunk.iter_mut().enumerate() {
            *slot = value(first + k, slot);
        }
    };
    if values.len() < LOOP_SERIAL_BELOW || rayon::current_num_threads() == 1 {
        return run(0, values);
    }
    values.par_chunks_mut(PIECE).enumerate().for_each(|(c, chunk)| run(c * PIECE, chunk));
}

/// Replaces each pair `(a[i], b[i])` by `value(i, a[i], b[i])`: two updates in one pass over memory.
pub fn update_pair<T: Send + Copy, U: Send + Copy>(
    a: &mut [T],
    b: &mut [U],
    value: impl Fn(usize, T, U) -> (T, U) + Sync + Send,
) {
    let run = |first: usize, a: &mut [T], b: &mut [U]| {
        for (k, (a, b)) in a.iter_mut().zip(b).enumerate() {
            (*a, *b) = value(first + k, *a, *b);
        }
    };
    if a.len() < LOOP_SERIAL_BELOW || rayon::current_num_threads() == 1 {
        return run(0, a, b);
    }
    let pairs = a.par_chunks_mut(PIECE).zip(b.par_chunks_mut(PIECE));
    pairs.enumerate().for_each(|(c, (a, b))| run(c * PIECE, a, b));
}

/// y += a x.
pub fn zip_axpy(y: &mut [glam::DVec3], a: f64, x: &[glam::DVec3]) {
    update(y, |i, &yi| yi + x[i] * a);
}
