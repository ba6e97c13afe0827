//! What a force gives besides its gradient: a potential for the line search, a power for the energy balance.

use std::iter::Sum;

/// Whose account a force's power goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// Viscosity inside the cloth.
    Damping,
    /// Moving or still air that presses along the normal.
    Wind,
    /// Viscous drag on each vertex.
    Drag,
    /// Springs of pins that move, and loads.
    Pins,
    /// Supports: repulsion and friction.
    Contact,
}

/// A potential and a power of some elements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// U + D [J].
    pub potential: f64,
    /// Power of what is not elastic, with the velocity (x − x̂)/τ of the implicit step [W]. A viscosity η on a
    /// measure C gives −η Ċ² = −2D/τ.
    pub power: f64,
}

impl std::ops::AddAssign for Effort {
    fn add_assign(&mut self, other: Self) {
        self.potential += other.potential;
        self.power += other.power;
    }
}

impl std::ops::Add for Effort {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sum for Effort {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Effort::default(), |sum, part| sum + part)
    }
}
