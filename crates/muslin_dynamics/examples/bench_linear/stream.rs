//! Time and memory bandwidth of this machine.

use std::{sync::LazyLock, time::Instant};

/// CPU time of this thread [s]; wall time where the system does not tell.
pub fn cpu_seconds() -> f64 {
    let on_cpu = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = on_cpu.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |n| n * 1e-9)
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The least wall time of some runs [s]: for what is shorter than the ticks that CPU time is counted in. A run
/// that nothing interrupts gives it, on a busy machine too.
pub fn best_of(runs: usize, mut body: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        body();
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(time).fold(f64::INFINITY, f64::min)
}

/// CPU time is counted in ticks of some milliseconds; what is shorter than many of them is run more often [s].
const SHORT: f64 = 0.1;
const REPEATS: usize = 10;

/// Mean CPU time of a run [s].
pub fn cpu_time_of(mut body: impl FnMut()) -> f64 {
    let start = cpu_seconds();
    body();
    let once = cpu_seconds() - start;
    if once > SHORT {
        return once;
    }
    let start = cpu_seconds();
    (0..REPEATS).for_each(|_| body());
    (cpu_seconds() - start) / REPEATS as f64
}

/// Numbers per array of the triad: three arrays of 160 MB.
const TRIAD: usize = 20_000_000;

/// Bandwidth of a = b + s c, counted as three arrays [B/s].
pub fn triad() -> f64 {
    let (mut a, b, c) = (vec![0.0_f64; TRIAD], vec![1.0_f64; TRIAD], vec![2.0_f64; TRIAD]);
    let seconds = best_of(5, || {
        a.iter_mut().zip(&b).zip(&c).for_each(|((a, b), c)| *a = b + 3.0 * c);
        std::hint::black_box(&mut a);
    });
    24.0 * TRIAD as f64 / seconds
}

/// Largest memory of the process so far [B]; 0 where the system does not tell.
pub fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).map_or(0.0, |kb| kb * 1024.0)
}
