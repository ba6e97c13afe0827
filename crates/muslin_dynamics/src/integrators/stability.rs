//! How long a step an explicit scheme can take.
//!
//! For a mode of frequency ω and damping rate d (the equation ẍ + d ẋ + ω² x = 0) symplectic Euler, with its
//! damping taken at the start of the step, is stable while h² ω² + 2 h d ≤ 4: without damping h ≤ 2/ω, the
//! same as for Verlet (which extrapolates its velocity, so that damping counts twice there: 4 h d). The largest ω² and d are the largest eigenvalues of M⁻¹K and M⁻¹C. Power iteration
//! finds them with products by K and C alone, and those are differences of forces: no matrix is needed, and
//! forces without a Hessian count too.

use super::Phase;
use crate::{constraints::Constraints, energy::Powers, system::System};
use glam::DVec3;

/// Iterations; the top modes of a mesh lie close together, so their common value settles long before they
/// are told apart.
const ITERATIONS: usize = 60;
/// Displacement of the difference quotient over the mean edge length [-]: the error of a central difference
/// is of its square, far below what an estimate needs, and its round-off is no larger.
const PROBE: f64 = 1e-5;
/// Velocity of the difference quotient: this part of an edge per second [1/s]. Damping is nearly linear.
const VELOCITY_PROBE: f64 = 1e-3;

/// Estimates the longest stable step of symplectic Euler in a state [s], without damping also that of Verlet; infinite if no force
/// depends on the state. Explicit Euler needs far shorter ones, RK4 takes up to 1.4 times as long.
///
/// It is an estimate for this state: stretched cloth is stiffer. Half of it is a safe choice.
pub fn stable_step(system: &System, phase: &Phase, held: &Constraints) -> f64 {
    let (x, v) = (&phase.positions, &phase.velocities);
    let (length, speed) = (PROBE * system.edge_length, VELOCITY_PROBE * system.edge_length);
    let stiffness = largest_eigenvalue(system, held, length, |probe, out| system.force(probe, v, out), x);
    let damping = largest_eigenvalue(system, held, speed, |probe, out| system.force(x, probe, out), v);
    if stiffness <= 0.0 && damping <= 0.0 {
        return f64::INFINITY;
    }
    // The positive root of h² ω² + 2 h d = 4, in the form that does not cancel.
    4.0 / (damping + (damping * damping + 4.0 * stiffness).sqrt())
}

/// Largest eigenvalue of −M⁻¹ ∂f/∂y at `base`, on the free directions; never below 0.
fn largest_eigenvalue(
    system: &System,
    held: &Constraints,
    probe: f64,
    force: impl Fn(&[DVec3], &mut [DVec3]) -> Powers,
    base: &[DVec3],
) -> f64 {
    let count = base.len();
    let mut direction: Vec<DVec3> = (0..count).map(scattered).collect();
    let (mut plus, mut minus, mut y) = (vec![DVec3::ZERO; count], vec![DVec3::ZERO; count], base.to_vec());
    let mut estimate = 0.0;
    for _ in 0..ITERATIONS {
        held.filter(&mut direction);
        let largest = direction.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        if !(largest > 0.0) {
            return 0.0;
        }
        direction.iter_mut().for_each(|p| *p /= largest);
        (0..count).for_each(|i| y[i] = base[i] + direction[i] * probe);
        force(&y, &mut plus);
        (0..count).for_each(|i| y[i] = base[i] - direction[i] * probe);
        force(&y, &mut minus);
        // Now plus − minus = −2 probe K p; Rayleigh's quotient and its residual in the norm of the masses.
        let (mut pmp, mut pkp, mut kmk) = (0.0, 0.0, 0.0);
        for i in 0..count {
            let kp = (minus[i] - plus[i]) / (2.0 * probe);
            pmp += system.masses[i] * direction[i].length_squared();
            pkp += direction[i].dot(kp);
            y[i] = kp / system.masses[i];
        }
        held.filter(&mut y);
        for i in 0..count {
            kmk += system.masses[i] * y[i].length_squared();
        }
        let quotient = pkp / pmp;
        // The quotient is a lower bound; the residual says how far an eigenvalue may be above it.
        estimate = quotient + (kmk / pmp - quotient * quotient).max(0.0).sqrt();
        std::mem::swap(&mut direction, &mut y);
    }
    estimate.max(0.0)
}

/// A fixed pseudo-random vector per vertex, so that no mode is missed by symmetry.
fn scattered(vertex: usize) -> DVec3 {
    let part = |k: u64| {
        let mut z = (3 * vertex as u64 + k + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    DVec3::new(part(0), part(1), part(2))
}
