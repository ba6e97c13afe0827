//! Laws of dry and wet friction between two surfaces (W 7.3).
//!
//! | | friction at a speed v > 0 of sliding, over the normal force N | holds at rest up to |
//! |---|---|---|
//! | Coulomb, C (7.1) | µ_c | µ_c N |
//! | with stiction, CS (7.2, 7.3) | µ_c | µ_s N |
//! | with Stribeck's effect, CSS (7.4) | µ_c + (µ_s − µ_c) exp(−(v/v_S)^δ_S) | µ_s N |
//! | with viscosity, CSSV (7.5, 7.7) | the same + c_v v^δ_v, and F_v v^δ_v besides | µ_s N |
//!
//! **Viscosity.** W prints F_v v^δ_v, a force per contact. A mesh twice as fine has four times as many contacts and so
//! four times the force: the printed term is kept ([`Viscous::force`]) to reproduce the paper, and beside it stands one in
//! proportion to the load that a contact carries ([`Viscous::coefficient`]), which any mesh shares out the same way.
//!
//! **At v = 0** Stribeck's curve has an infinite slope for δ_S < 1: rest is never a point on the curve but a case of its
//! own, for which [`FrictionLaw::sticking`] is the limit.

/// A law of friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionLaw {
    /// µ_c: friction of fast sliding over the normal force [-].
    pub kinetic: f64,
    /// µ_s ≥ µ_c: the most that holds at rest over the normal force [-].
    pub sticking: f64,
    /// How friction falls from µ_s to µ_c; at once if absent.
    pub stribeck: Option<Stribeck>,
    /// How it rises with the speed; not at all if absent.
    pub viscous: Option<Viscous>,
}

/// Stribeck's effect (W 7.4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stribeck {
    /// v_S, the speed at which 1/e of the difference between µ_s and µ_c is left [m/s].
    pub speed: f64,
    /// δ_S, the shape of the fall [-].
    pub exponent: f64,
}

/// Viscous friction (W 7.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viscous {
    /// c_v, over the normal force [(s/m)^δ_v].
    pub coefficient: f64,
    /// F_v, per contact, as printed [N·(s/m)^δ_v].
    pub force: f64,
    /// δ_v [-].
    pub exponent: f64,
}

impl FrictionLaw {
    /// Coulomb's law.
    pub const fn coulomb(coefficient: f64) -> Self {
        FrictionLaw { kinetic: coefficient, sticking: coefficient, stribeck: None, viscous: None }
    }

    /// Whether nothing but one coefficient matters.
    pub fn is_coulomb(&self) -> bool {
        self.kinetic == self.sticking && self.viscous.is_none()
    }

    /// Friction at a speed of sliding [m/s] over the normal force, without viscosity [-].
    pub fn dry(&self, speed: f64) -> f64 {
        let mut coefficient = self.kinetic;
        if let Some(Stribeck { speed: scale, exponent }) = self.stribeck {
            coefficient += (self.sticking - self.kinetic) * (-(speed / scale).powf(exponent)).exp();
        }
        coefficient
    }

    /// Viscous friction over the speed of sliding [m/s], under a load [N] [N·s/m]; for speeds above zero. None without a load:
    /// what does not press does not rub.
    pub fn drag(&self, speed: f64, load: f64) -> f64 {
        if !(load > 0.0) {
            return 0.0;
        }
        self.viscous.map_or(0.0, |Viscous { coefficient, force, exponent }| {
            (coefficient * load + force) * if exponent == 1.0 { 1.0 } else { speed.powf(exponent - 1.0) }
        })
    }

    /// Friction at a speed of sliding [m/s] over the normal force, without [`Viscous::force`] [-].
    pub fn sliding(&self, speed: f64) -> f64 {
        let mut coefficient = self.dry(speed);
        if let Some(viscous) = self.viscous {
            coefficient += viscous.coefficient * speed.powf(viscous.exponent);
        }
        coefficient
    }

    /// F_v v^δ_v at a speed of sliding [N].
    pub fn viscous_force(&self, speed: f64) -> f64 {
        self.viscous.map_or(0.0, |viscous| viscous.force * speed.powf(viscous.exponent))
    }

    /// All of the friction at a speed of sliding [m/s] under a load, over that load [-]; without a load what the speed alone
    /// gives.
    pub fn at(&self, speed: f64, load: f64) -> f64 {
        let coefficient = self.sliding(speed);
        if load > 0.0 { coefficient + self.viscous_force(speed) / load } else { coefficient }
    }

    /// How [`FrictionLaw::at`] changes with the speed [s/m]; for speeds above zero.
    pub fn slope(&self, speed: f64, load: f64) -> f64 {
        let mut slope = 0.0;
        if let Some(Stribeck { speed: scale, exponent }) = self.stribeck {
            let part = (speed / scale).powf(exponent);
            slope -= (self.sticking - self.kinetic) * (-part).exp() * part * exponent / speed;
        }
        if let Some(Viscous { coefficient, force, exponent }) = self.viscous {
            let over_load = if load > 0.0 { force / load } else { 0.0 };
            slope += (coefficient + over_load) * exponent * speed.powf(exponent - 1.0);
        }
        slope
    }

    /// The speed at which friction is least, and how much it is there over the normal force: where viscosity outweighs
    /// Stribeck's fall. `None` if friction never rises with the speed.
    pub fn least(&self, load: f64) -> Option<(f64, f64)> {
        let (stribeck, _) = (self.stribeck?, self.viscous?);
        // The slope changes its sign once: both terms are monotonous from their first to their last.
        let (mut low, mut high) = (1e-12 * stribeck.speed, stribeck.speed);
        for _ in 0..200 {
            if self.slope(high, load) > 0.0 {
                break;
            }
            high *= 2.0;
        }
        if !(self.slope(high, load) > 0.0 && self.slope(low, load) < 0.0) {
            return None;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if self.slope(middle, load) < 0.0 { low = middle } else { high = middle }
        }
        Some((low, self.at(low, load)))
    }
}

impl From<f64> for FrictionLaw {
    fn from(coefficient: f64) -> Self {
        FrictionLaw::coulomb(coefficient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The card of W table 7.1.
    fn card() -> FrictionLaw {
        FrictionLaw {
            kinetic: 0.1,
            sticking: 0.2,
            stribeck: Some(Stribeck { speed: 0.4, exponent: 0.2 }),
            viscous: Some(Viscous { coefficient: 0.0, force: 6e-5, exponent: 1.0 }),
        }
    }

    #[test]
    fn the_curve_is_that_of_the_thesis() {
        let load = 1e-4;
        for speed in [1e-3, 0.1, 0.4, 2.0f64] {
            // W 7.7, typed anew.
            let (f_c, f_s) = (0.1 * load, 0.2 * load);
            let thesis = f_c + (f_s - f_c) * f64::exp(-f64::powf(speed / 0.4, 0.2)) + 6e-5 * speed;
            assert!((card().at(speed, load) * load - thesis).abs() < 1e-15 * load, "{speed} m/s");
        }
        assert_eq!(FrictionLaw::coulomb(0.3).at(2.0, load), 0.3);
        let without = FrictionLaw { stribeck: None, viscous: None, ..card() };
        assert_eq!((without.sliding(1e-9), without.sticking), (0.1, 0.2));
    }

    #[test]
    fn the_slope_is_that_of_the_curve() {
        for speed in [1e-3, 0.05, 0.4, 3.0] {
            let step = 1e-6 * speed;
            let difference = (card().at(speed + step, 1e-4) - card().at(speed - step, 1e-4)) / (2.0 * step);
            let slope = card().slope(speed, 1e-4);
            assert!((slope - difference).abs() < 1e-6 * slope.abs() && slope != 0.0, "{slope} and {difference}");
        }
    }

    #[test]
    fn the_stribeck_minimum_is_where_the_curve_is_least() {
        let law = FrictionLaw {
            stribeck: Some(Stribeck { speed: 0.1, exponent: 1.0 }),
            viscous: Some(Viscous { coefficient: 0.05, force: 0.0, exponent: 1.0 }),
            ..card()
        };
        // d/dv of 0.1 exp(−v/0.1) + 0.05 v is zero at v = 0.1 ln 20.
        let (speed, least) = law.least(1.0).expect("it has one");
        assert!((speed - 0.1 * 20f64.ln()).abs() < 1e-12, "{speed}");
        for k in 1..1000 {
            assert!(law.at(1e-3 * f64::from(k), 1.0) >= least);
        }
        assert_eq!(FrictionLaw::coulomb(0.3).least(1.0), None);
        assert_eq!(FrictionLaw { viscous: None, ..law }.least(1.0), None);
    }
}
