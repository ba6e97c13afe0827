//! Contact within the step: what repels while the step is solved, what corrects it afterwards, and the check that
//! every committed motion has passed.
//!
//! # How
//! 1. Of the pairs that come within their range on the way to a first guess those that stand for a contact become *supports*: the implicit solve
//!    itself sees repulsion and friction, so elastic forces and contact forces balance each other and nothing is
//!    stretched afterwards.
//! 2. The motion that comes out is searched as a whole, from the committed start to the candidate end. Pairs that
//!    violate the check are what the first guess did not foresee: they become supports too, and the step is
//!    solved again from where it was. Most steps need one or two rounds.
//! 3. What still violates after that goes to the cascade of responses: impact zones that move the end of the motion. The
//!    presets of the papers leave out the first two, or take pairs near the start and solve once (`cascade_settings.rs`).
//! 4. If that does not end either, the step is halved, for everything, obstacles and pins included.
//! 5. A step that contact may not make any shorter goes on without the pairs for which what the scene moves leaves no
//!    room, or with the motion of zones scaled back (`last_resort.rs`).
//!
//! A motion is accepted only when the search over *all* pairs, on the bits that are then kept, found no
//! violation. That search is the last thing that happens to the positions.
//!
//! # Why not the obvious way
//! The papers correct positions after an unconstrained solve. At 1/60 s and cotton's stiffness such a correction
//! is a stretch of many percent, which the next step turns into a shock. A barrier with a line search that
//! stops at the first touch (incremental potential contact) has no such shock, but stops *all* vertices for the
//! sake of one, and learns of one contact per iteration. A search of the whole motion learns of all contacts at
//! once.

mod attempt;
mod constraints;
mod enclosed;
mod exemptions;
mod grips;
mod inside;
mod judge;
mod last_resort;
mod links;
mod look;
mod pinch;
mod precision;
mod respond;
mod start;
mod supports;
mod untangle;
mod ways;

pub(crate) use judge::Judging;
pub use look::{Grip, PressingContact};
pub use pinch::Pinch;
pub use start::{StartFault, StartFaultKind};

use crate::build::Heed;
use crate::settings::{ContactMethod, ContactSettings, Settings, Supported, Unresolved};
use constraints::{HeldContact, Holds};
use exemptions::Around;
use glam::DVec3;
use last_resort::ScaledBack;
use muslin_contact::{
    Cascade, Contact, Finder, FinderError, Found, FrictionLaws, Near, Normals, Round, SearchSettings, Turning,
};
use muslin_dynamics::{SupportGrip, integrators::StepOutcome};
use muslin_model::{Exemption, Model};

/// Everything that contact keeps between steps for speed, and of the attempt under way.
pub(crate) struct ContactStage {
    pub settings: ContactSettings,
    pub finder: Finder,
    /// What corrects what the solve leaves.
    pub cascade: Cascade,
    /// Its rounds in the last attempt that needed it.
    pub rounds: Vec<Round>,
    /// How the integrator heeds supports.
    pub heed: Heed,
    /// Which pairs become supports.
    pub supported: Supported,
    /// Laws of friction between the bodies.
    pub laws: FrictionLaws,
    /// Inverse masses without pins [1/kg].
    pub inverse_mass: Vec<f64>,
    /// κ over a contact's range [N].
    pub strength: f64,
    /// Supports of the attempt: contacts in ascending order, with the factor of their strength.
    pub active: Vec<Active>,
    /// Work array: the contact of each pair, where it has one.
    pub arriving: Vec<Option<Active>>,
    /// The surface when the step began.
    pub normals: Normals,
    /// Which contacts turn the motion aside that was foreseen.
    pub turning: Turning,
    /// Vertices that obstacles hold in the attempt.
    pub constrained: Vec<HeldContact>,
    /// What the solves with them share.
    pub holds: Holds,
    /// Pairs of the accepted motion; where the solve holds contacts off only those that came nearer than any before.
    pub found: Found,
    /// Positions that a guess or the integrator wants [m].
    pub wanted: Vec<DVec3>,
    /// Velocities of all vertices while the cascade works [m/s].
    pub velocities: Vec<DVec3>,
    /// Inverse masses with pins [1/kg].
    pub held_inverse_mass: Vec<f64>,
    /// Where the solve of the attempt ended before responses [m]; empty if there were none.
    pub integrated: Vec<DVec3>,
    /// Vertices of each impact zone of the last attempt.
    pub zones: Vec<Vec<u32>>,
    /// A step no longer than this is not halved for contact [s].
    pub smallest_step: f64,
    /// Neighbourhoods of the mesh.
    pub around: Around,
    /// What the attempt under way had to exempt, ascending.
    pub pinched: Vec<Exemption>,
    /// What scaling back took from the attempt under way.
    pub scaled: ScaledBack,
    /// Pairs that the last failed attempt left too near.
    pub left: Vec<Near>,
    /// What the solves of the attempt under way have done.
    pub outcome: StepOutcome,
}

/// A contact that repels in the step under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Active {
    pub contact: Contact,
    /// Factor of its strength [-].
    pub boost: f64,
    /// Normal force in the step before, or in the last solve of this one [N].
    pub load: f64,
    /// Friction limit [N].
    pub friction: f64,
    /// Vector from side b to side a at which friction's spring is slack [m].
    pub reference: DVec3,
    /// Its friction, where that depends on the speed of sliding.
    pub grip: Option<SupportGrip>,
}

impl ContactStage {
    /// Contact for a model, if the settings want it.
    pub fn new(settings: &Settings, model: &Model, heed: Heed, weight: f64) -> Result<Option<Self>, FinderError> {
        let smallest_step = smallest_step(settings);
        let (settings, collision) = (settings.contact.clone(), settings.collision);
        if settings.method == ContactMethod::None {
            return Ok(None);
        }
        let search = SearchSettings { broad_phase: collision.broad_phase, method: collision.ccd_method };
        let inverse_mass: Vec<f64> = model.masses.iter().map(|&m| if m > 0.0 { 1.0 / m } else { 0.0 }).collect();
        let finder = Finder::new(model, search)?;
        let supported = settings.method.supported();
        let heed = if supported == Supported::Nothing { Heed::No } else { heed };
        Ok(Some(ContactStage {
            laws: FrictionLaws::new(&settings.friction, model),
            cascade: links::cascade(&settings, model, &finder, weight),
            rounds: Vec::new(),
            velocities: Vec::new(),
            around: Around::new(model, finder.surface()),
            smallest_step,
            pinched: Vec::new(),
            scaled: ScaledBack::default(),
            left: Vec::new(),
            outcome: StepOutcome::default(),
            heed,
            held_inverse_mass: inverse_mass.clone(),
            inverse_mass,
            strength: settings.stiffness * weight,
            supported,
            finder,
            settings,
            active: Vec::new(),
            arriving: Vec::new(),
            normals: Normals::default(),
            turning: Turning::default(),
            constrained: Vec::new(),
            holds: Holds::default(),
            found: Found::default(),
            wanted: Vec::new(),
            integrated: Vec::new(),
            zones: Vec::new(),
        }))
    }

    /// Where the solve of the last attempt ended, if responses moved that [m].
    pub fn integrated(&self) -> Option<&[DVec3]> {
        (!self.integrated.is_empty()).then_some(&self.integrated)
    }

    /// Whether what contact could not resolve is kept.
    pub fn accepts(&self) -> bool {
        self.settings.cascade.unresolved == Unresolved::Accept
    }

    /// Whether the solve of the attempt under way has contacts to hold.
    pub fn holds_contacts(&self) -> bool {
        self.heed != Heed::No && !self.active.is_empty()
    }

    /// Solves of a step before the responses get what is left.
    pub fn most_solves(&self) -> usize {
        match (self.heed, self.supported) {
            (Heed::No, _) | (_, Supported::Nothing | Supported::Near) => 0,
            (_, Supported::Foreseen) => attempt::MOST_ROUNDS,
        }
    }

    /// Contacts of the last attempt: those that the solve was given; without one the pairs that came within their range.
    pub fn near_pairs(&self) -> usize {
        if self.heed == Heed::No { self.found.near.len() } else { self.active.len() }
    }

    /// The active contact of a pair.
    pub fn active(&mut self, pair: &Near) -> Option<&mut Active> {
        let k = self.active.binary_search_by_key(&pair.key, |active| active.contact.key).ok()?;
        Some(&mut self.active[k])
    }
}

/// Contact halves a step at most to this part of the scene's [-], if its smallest step is no shorter.
const SMALLEST_PART: f64 = 1.0 / 64.0;

/// A step no longer than this is not halved for contact [s].
fn smallest_step(settings: &Settings) -> f64 {
    let of_policy = settings.adaptive.map_or(0.0, |adaptive| adaptive.smallest_step);
    settings.contact.smallest_step.min(SMALLEST_PART * settings.step).max(of_policy)
}
