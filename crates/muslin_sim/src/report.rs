//! What a run counts: the raw material of its certificate.

use crate::contact::Pinch;
use muslin_collision::detect::DetectionCost;
use muslin_dynamics::{energy::Work, integrators::StepOutcome, limits::LimitReport};
use muslin_model::{Model, State, parallel};
use serde::Serialize;
use std::time::Instant;

/// The stages of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Pins and obstacles.
    Drive,
    /// Forces and time integration.
    Integrate,
    /// Search for pairs that may meet.
    BroadPhase,
    /// Test of those pairs.
    NarrowPhase,
    /// Impulses and impact zones.
    Respond,
    /// Acceptance and counting.
    Commit,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Stage; 6] =
        [Stage::Drive, Stage::Integrate, Stage::BroadPhase, Stage::NarrowPhase, Stage::Respond, Stage::Commit];

    /// One word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Drive => "drive",
            Stage::Integrate => "integrate",
            Stage::BroadPhase => "broad-phase",
            Stage::NarrowPhase => "narrow-phase",
            Stage::Respond => "respond",
            Stage::Commit => "commit",
        }
    }
}

/// What a stage has cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StageCost {
    /// Wall-clock time [s].
    pub wall_seconds: f64,
    /// Processor time of all threads [s].
    pub cpu_seconds: f64,
}

/// Energy of the cloth [J].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Energy {
    /// ½ m v².
    pub kinetic: f64,
    /// Stored in stretch, shear and bending.
    pub elastic: f64,
    /// −m g·x, relative to the origin.
    pub gravity: f64,
}

impl Energy {
    /// The sum [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// Counts and extremes over a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Cost of each stage, in the order of [`Stage::ALL`].
    pub stages: [StageCost; 6],
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Most Newton iterations of a step.
    pub most_newton_iterations: u64,
    /// Conjugate-gradient iterations.
    pub pcg_iterations: u64,
    /// Evaluations of the forces.
    pub force_evaluations: u64,
    /// Largest relative elongation along warp or weft over the run [-].
    pub max_strain: f64,
    /// Largest shear angle over the run [rad].
    pub max_shear: f64,
    /// Largest residual of a free vertex over the mean vertex weight, over all steps [-].
    pub worst_residual: f64,
    /// Solves of all steps: one per step, and one more for each time that contact asked for it.
    pub rounds: u64,
    /// Rounds of the cascade of responses.
    pub response_rounds: u64,
    /// Contacts of all committed steps.
    pub contacts: u64,
    /// Smallest gap of a committed state [m]; infinite without contact.
    pub min_gap: f64,
    /// Pairs of triangles that cross in delivered frames, by the exact judge.
    pub crossings: u64,
    /// Steps that were halved because contact could not be resolved.
    pub step_halvings: u64,
    /// Zones without anything that the scene moves whose motion was scaled back, over all steps.
    pub scaled_back: u64,
    /// Momentum that this took, summed over steps [N·s].
    pub scaled_back_momentum: f64,
    /// Where obstacles or pins left the cloth no room.
    pub pinches: Vec<Pinch>,
    /// Largest magnitude of a coordinate in any frame [m]; counted where contact is handled.
    pub largest_coordinate: f64,
    /// Frames in which contact left a pair alone.
    pub exempt_frames: u64,
    /// Steps that the adaptive policy threw away.
    pub rejected_steps: u64,
    /// Steps that were kept though they stretched cloth faster than the policy allows, because contact forced them.
    pub overstretched_steps: u64,
    /// Passes of the limiter over all edges.
    pub limiter_passes: u64,
    /// Largest elongation beyond the limit that the limiter left, over the rest length [-].
    pub limiter_excess: f64,
    /// Linear solves that ran into their limit of iterations.
    pub unfinished_solves: u64,
    /// Work on the cloth of everything that is not conservative.
    pub work: Work,
}

impl Tally {
    pub(crate) fn count(&mut self, outcome: StepOutcome) {
        self.newton_iterations += outcome.newton_iterations as u64;
        self.most_newton_iterations = self.most_newton_iterations.max(outcome.newton_iterations as u64);
        self.pcg_iterations += outcome.pcg_iterations as u64;
        self.force_evaluations += outcome.force_evaluations as u64;
        self.worst_residual = self.worst_residual.max(outcome.worst_residual);
        self.unfinished_solves += outcome.unfinished_solves as u64;
        self.work += outcome.work;
    }

    pub(crate) fn limited(&mut self, report: LimitReport) {
        self.limiter_passes += report.passes as u64;
        self.limiter_excess = self.limiter_excess.max(report.largest_excess);
    }

    pub(crate) fn strain(&mut self, model: &Model, state: &State) {
        let now = largest_strain(model, state);
        self.max_strain = self.max_strain.max(now.stretch);
        self.max_shear = self.max_shear.max(now.shear);
    }
}

/// Extremes of a state's strain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strain {
    /// Largest relative elongation along warp or weft [-].
    pub stretch: f64,
    /// Largest shear angle [rad].
    pub shear: f64,
}

/// The largest strain of any cloth triangle.
pub fn largest_strain(model: &Model, state: &State) -> Strain {
    let faces = model.cloth_triangles().len();
    // Maxima do not depend on order, so pieces may be of any size.
    let pieces = parallel::map(faces.div_ceil(parallel::CHUNK), |c| {
        let mut most = Strain::default();
        for t in c * parallel::CHUNK..((c + 1) * parallel::CHUNK).min(faces) {
            let [p0, p1, p2] = model.mesh.uv[t];
            let [x0, x1, x2] = model.mesh.triangles[t].map(|v| state.positions[v as usize]);
            let (a, b) = (p1 - p0, p2 - p0);
            let det = a.perp_dot(b);
            let (d1, d2) = (x1 - x0, x2 - x0);
            let fu = (d1 * b.y - d2 * a.y) / det;
            let fv = (d2 * a.x - d1 * b.x) / det;
            let (lu, lv) = (fu.length(), fv.length());
            most.stretch = most.stretch.max(lu - 1.0).max(lv - 1.0);
            // Its sine: the angle grows with it, so that of the largest is asked for once.
            most.shear = most.shear.max((fu.dot(fv) / (lu * lv)).abs());
        }
        most
    });
    let most = pieces
        .into_iter()
        .fold(Strain::default(), |a, b| Strain { stretch: a.stretch.max(b.stretch), shear: a.shear.max(b.shear) });
    Strain { shear: most.shear.min(1.0).asin(), ..most }
}

/// Measures the cost of a stage.
pub(crate) struct Stopwatch {
    wall: Instant,
    cpu: f64,
}

impl Stopwatch {
    pub fn start() -> Self {
        Stopwatch { wall: Instant::now(), cpu: cpu_seconds() }
    }

    /// Adds what detection cost to both of its stages, in the proportion that it tells.
    pub fn split(self, stages: &mut [StageCost], cost: Option<DetectionCost>) {
        let (wall, cpu) = (self.wall.elapsed().as_secs_f64(), cpu_seconds() - self.cpu);
        let [broad, narrow] = cost.map_or([0.0, 1.0], |c| [c.broad, c.narrow].map(|d| d.as_secs_f64()));
        let share = broad / (broad + narrow).max(f64::MIN_POSITIVE);
        for (stage, part) in [(Stage::BroadPhase, share), (Stage::NarrowPhase, 1.0 - share)] {
            stages[stage as usize].wall_seconds += part * wall;
            stages[stage as usize].cpu_seconds += part * cpu;
        }
    }

    pub fn add_to(self, cost: &mut StageCost) {
        cost.wall_seconds += self.wall.elapsed().as_secs_f64();
        cost.cpu_seconds += cpu_seconds() - self.cpu;
    }
}

/// Processor time of this process, all threads [s]; 0 where the system does not tell.
pub fn cpu_seconds() -> f64 {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
    #[cfg(not(unix))]
    0.0
}
