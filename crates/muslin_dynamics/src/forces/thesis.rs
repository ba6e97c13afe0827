//! The default parameters of V's two simulators (tables 7.1 and 7.3), for scenes that reproduce them.
//!
//! V names no units. Read as SI they are consistent among themselves: the damping is √(4mk) with k the
//! largest constant (V 7.1; for the second simulator with k = 0.001). One spring stretches by mg/k = 1.28 m
//! under one particle, so V's cloth must be metres wide for its pictures to be similar.

/// Parameters of a simulator of V.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThesisParameters {
    /// Particles along each side.
    pub side: usize,
    /// Time step [s].
    pub step: f64,
    /// Structural springs, or the stretch condition [N/m].
    pub stretch: f64,
    /// Shear springs, or the shear condition [N/m].
    pub shear: f64,
    /// Flexion springs [N/m], or the bend condition [N·m].
    pub bend: f64,
    /// Viscous damping of each particle [kg/s].
    pub damping: f64,
    /// Mass of a particle [kg].
    pub mass: f64,
    /// Gravity [m/s²].
    pub gravity: f64,
    /// Largest elongation before the limiter acts [-].
    pub most_elongation: f64,
}

/// The first simulator: springs (V table 7.1).
pub const SPRINGS: ThesisParameters = ThesisParameters {
    side: 8,
    step: 0.1,
    stretch: 0.005,
    shear: 0.005,
    bend: 0.005,
    damping: 0.003608,
    mass: 0.000651,
    gravity: 9.8,
    most_elongation: 0.15,
};

/// The second simulator: condition functions (V table 7.3).
pub const CONDITIONS: ThesisParameters = ThesisParameters { shear: 0.0001, bend: 0.0001, damping: 0.001614, ..SPRINGS };
