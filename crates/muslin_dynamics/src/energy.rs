//! Where the energy is and where it goes.
//!
//! Over a run, energy(end) − energy(start) = the work of everything that is not conservative + what the
//! scheme itself adds or takes + what the solver has left unbalanced. A step knows its own work: for damping
//! and air the forces hand out their power beside the force itself, so that the balance costs next to
//! nothing; for pins it is their reaction times their way.
//!
//! What is left over is the scheme's: the difference between the discrete law and the continuous one.
//! Backward Euler takes a lot at long steps, symplectic schemes nothing on average. It is the number that
//! says how much of the damping in a picture is the fabric's and how much is the step's.

use crate::{constraints::Constraints, forces::Account, system::System};
use glam::{DMat3, DVec3};
use muslin_model::parallel;

/// Energy of the cloth [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Σ ½ m v².
    pub kinetic: f64,
    /// Stored in stretch, shear, bending and the springs of soft pins.
    pub elastic: f64,
    /// −Σ m g·x, zero at the origin.
    pub gravity: f64,
}

impl Energies {
    /// Measures a state in the solver's order.
    pub fn of(system: &System, positions: &[DVec3], velocities: &[DVec3]) -> Self {
        let [kinetic, gravity] = Self::of_motion(system, positions, velocities);
        Energies { kinetic, elastic: system.elastic_energy(positions), gravity }
    }

    /// Kinetic energy and that of gravity alone [J], of a state in the solver's order.
    pub fn of_motion(system: &System, positions: &[DVec3], velocities: &[DVec3]) -> [f64; 2] {
        let (count, masses) = (positions.len(), &system.masses);
        [
            parallel::sum(count, |i| 0.5 * masses[i] * velocities[i].length_squared()),
            -parallel::sum(count, |i| masses[i] * system.gravity.dot(positions[i])),
        ]
    }

    /// The sum [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// Power of the forces that are not conservative [W]; negative where they take energy from the cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Powers {
    /// Viscosity inside the cloth.
    pub damping: f64,
    /// Air that presses along the normal.
    pub wind: f64,
    /// Viscous drag.
    pub drag: f64,
    /// Springs of pins that move, loads, and mechanisms between held vertices.
    pub pins: f64,
    /// Supports.
    pub contact: f64,
}

impl Powers {
    /// Enters the power of a force [W].
    pub fn add(&mut self, account: Account, power: f64) {
        match account {
            Account::Damping => self.damping += power,
            Account::Wind => self.wind += power,
            Account::Drag => self.drag += power,
            Account::Pins => self.pins += power,
            Account::Contact => self.contact += power,
        }
    }

    /// Their work over a time [s].
    pub fn over(&self, time: f64) -> Work {
        let Powers { damping, wind, drag, pins, contact } = *self;
        let [damping, wind, drag, pins, contact] = [damping, wind, drag, pins, contact].map(|power| power * time);
        Work { damping, wind, drag, pins, contact, ..Work::default() }
    }
}

/// Work on the cloth [J]; negative where energy was taken from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Of held vertices: their reaction times their way, what moving soft pins put into their springs, loads, and mechanisms between
    /// held vertices.
    pub pins: f64,
    /// Of viscosity inside the cloth.
    pub damping: f64,
    /// Of air that presses along the normal.
    pub wind: f64,
    /// Of viscous drag.
    pub drag: f64,
    /// Of contact: repulsion and friction, and the change of energy over the corrections of a response.
    pub contact: f64,
    /// Of a limiter on stretch: the change of energy over its corrections.
    pub limiter: f64,
    /// Of the forces that an implicit solve left unbalanced at free vertices, because it stops at a tolerance.
    pub unbalanced: f64,
}

impl Work {
    /// Enters what is left of inertia minus forces over a step [N]: in held directions it is the reaction of the
    /// pins, in free ones the part of the forces that stayed unbalanced.
    pub fn react(&mut self, held: &Constraints, gradient: &[DVec3], start: &[DVec3], end: &[DVec3]) {
        let all = parallel::sum(end.len(), |i| gradient[i].dot(end[i] - start[i]));
        let of_pin = |(&v, &free): (&u32, &DMat3)| {
            let v = v as usize;
            ((DMat3::IDENTITY - free) * gradient[v]).dot(end[v] - start[v])
        };
        let pins: f64 = held.vertices.iter().zip(&held.free).map(of_pin).sum();
        self.pins += pins;
        self.unbalanced += all - pins;
    }

    /// The sum [J].
    pub fn total(&self) -> f64 {
        self.pins + self.damping + self.wind + self.drag + self.contact + self.limiter + self.unbalanced
    }
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.pins += other.pins;
        self.damping += other.damping;
        self.wind += other.wind;
        self.drag += other.drag;
        self.contact += other.contact;
        self.limiter += other.limiter;
        self.unbalanced += other.unbalanced;
    }
}
