//! Gravity and air.

use glam::DVec3;

/// What surrounds the cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// Gravitational acceleration [m/s²].
    pub gravity: DVec3,
    /// Moving air.
    pub wind: Wind,
    /// Viscous drag on each vertex: force = −drag · mass · velocity [1/s].
    pub viscous_drag: f64,
}

/// Air that moves and presses on the cloth along its normal.
#[derive(Clone, Debug, PartialEq)]
pub struct Wind {
    /// Mean velocity of the air [m/s].
    pub velocity: DVec3,
    /// Pressure law: force on a triangle = ½ · density · normal_drag · area · |w·n| (w·n) n, where w is the
    /// air's velocity relative to the triangle [kg/m³].
    pub density: f64,
    /// Drag coefficient along the normal [-]; 0 switches the air off.
    pub normal_drag: f64,
    /// Gusts, added to the mean velocity.
    pub gusts: Vec<Gust>,
}

/// A sinusoidal gust: velocity · sin(2π (t/period + phase)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gust {
    /// Amplitude [m/s].
    pub velocity: DVec3,
    /// Period [s].
    pub period: f64,
    /// Phase in turns [-].
    pub phase: f64,
}

impl Default for Environment {
    fn default() -> Self {
        Environment { gravity: DVec3::new(0.0, 0.0, -9.81), wind: Wind::default(), viscous_drag: 0.0 }
    }
}

impl Default for Wind {
    fn default() -> Self {
        Wind { velocity: DVec3::ZERO, density: 1.204, normal_drag: 0.0, gusts: Vec::new() }
    }
}

impl Wind {
    /// Velocity of the air at a time [m/s].
    pub fn velocity_at(&self, time: f64) -> DVec3 {
        self.gusts.iter().fold(self.velocity, |sum, gust| {
            sum + gust.velocity * (std::f64::consts::TAU * (time / gust.period + gust.phase)).sin()
        })
    }
}
