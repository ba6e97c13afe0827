//! Closed forms and their numerical evaluation, independent of the simulator.

use std::f64::consts::{FRAC_PI_2, PI};

/// Where a decreasing or increasing function is zero between two arguments, by bisection.
pub fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let sign = f(low).signum();
    assert!(sign != f(high).signum(), "no root between {low} and {high}");
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle).signum() == sign { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Complete elliptic integrals (K, E) of the modulus k by the arithmetic–geometric mean.
pub fn elliptic(k: f64) -> (f64, f64) {
    let (mut a, mut b, mut c, mut sum, mut power) = (1.0, (1.0 - k * k).sqrt(), k, 0.5 * k * k, 0.5);
    while c > 1e-16 {
        (a, b, c) = (0.5 * (a + b), (a * b).sqrt(), 0.5 * (a - b));
        power *= 2.0;
        sum += power * c * c;
    }
    let complete = FRAC_PI_2 / a;
    (complete, complete * (1.0 - sum))
}

/// Period of a pendulum of unit length under unit gravity that swings to an angle [rad].
pub fn pendulum_period(angle: f64) -> f64 {
    4.0 * elliptic((0.5 * angle).sin()).0
}

/// Bessel's J0 by the midpoint rule on (1/π) ∫ cos(x sin t) dt over half a turn; the integrand is periodic, so the
/// rule converges faster than any power.
pub fn bessel_j0(x: f64) -> f64 {
    let n = 200;
    (0..n).map(|i| (x * (PI * (i as f64 + 0.5) / n as f64).sin()).cos()).sum::<f64>() / n as f64
}

/// The n-th zero of J0, from 1; McMahon's first term brackets it.
pub fn bessel_zero(n: usize) -> f64 {
    let middle = (n as f64 - 0.25) * PI;
    root(middle - 0.5, middle + 0.5, bessel_j0)
}

/// Parameter a of the catenary y = a cosh(x/a) of unit length over a span.
pub fn catenary(span: f64) -> f64 {
    root(0.01, 100.0, |a| 2.0 * a * (0.5 * span / a).sinh() - 1.0)
}

/// Mid deflection of the pinned elastica of unit length at a chord.
pub fn buckled_height(chord: f64) -> f64 {
    let k = root(1e-6, 0.95, |k| {
        let (complete, second) = elliptic(k);
        2.0 * second / complete - 1.0 - chord
    });
    k / elliptic(k).0
}

/// Tip of the heavy elastica of unit length clamped horizontally: (reach, drop) at Γ = σ g L³/B, by shooting.
pub fn cantilever(gamma: f64) -> (f64, f64) {
    // From the free end back to the clamp, at σ = 1 − s: θ'' = −Γ σ cos θ for the downward angle θ, with θ' = 0 at the
    // tip. Shots that pass the horizontal too early stop there; that way the shots are ordered by the tip's angle.
    let slope = |s: f64, y: [f64; 4]| [y[1], -gamma * s * y[0].cos(), y[0].cos(), y[0].sin()];
    let ahead = |y: [f64; 4], k: [f64; 4], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let shoot = |angle: f64| {
        let n = 1000;
        let h = 1.0 / n as f64;
        let mut y = [angle, 0.0, 0.0, 0.0];
        for i in 0..n {
            let s = i as f64 * h;
            let k1 = slope(s, y);
            let k2 = slope(s + 0.5 * h, ahead(y, k1, 0.5 * h));
            let k3 = slope(s + 0.5 * h, ahead(y, k2, 0.5 * h));
            let k4 = slope(s + h, ahead(y, k3, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
            if y[0] < 0.0 {
                break;
            }
        }
        y
    };
    let tip = shoot(root(0.0, FRAC_PI_2, |angle| if angle == 0.0 { -1.0 } else { shoot(angle)[0] }));
    (tip[2], tip[3])
}
