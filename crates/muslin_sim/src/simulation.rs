//! A simulation: a constant model, a state, and what turns one state into the next.

use crate::{
    adaptive::AdaptiveStep,
    advance::Advance,
    bodies, build,
    contact::{ContactStage, Judging, StartFault},
    drive::Held,
    hands::Hands,
    report::{Energy, Stage, Stopwatch, Tally},
    scene::Scene,
    warnings::{self, Warnings},
};
use glam::DVec3;
use muslin_dynamics::{
    Constraints, Interrupt, System,
    energy::Energies,
    integrators::{Integrator, Phase, StepOutcome},
    limits::{LimitReport, Limiter},
};
use muslin_model::{Model, State};
use std::collections::VecDeque;

pub use crate::error::SimError;

/// A frame interval is cut into steps at most this much longer than `step` [-], so that 1/60 s fits into a
/// frame at 60 per second whatever the rounding.
const STEP_SLACK: f64 = 1e-9;

/// Equal steps no longer than `step` that a frame interval is cut into [-].
fn parts(interval: f64, step: f64) -> f64 {
    (interval / step - STEP_SLACK).ceil().max(1.0)
}

/// A running simulation.
pub struct Simulation {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) system: System,
    pub(crate) integrator: Box<dyn Integrator>,
    pub(crate) limiter: Option<Box<dyn Limiter>>,
    pub(crate) adaptive: Option<AdaptiveStep>,
    pub(crate) phase: Phase,
    /// What the limiter did in the attempt under way; counted when it is committed.
    pub(crate) limited: Option<LimitReport>,
    pub(crate) constraints: Constraints,
    /// Work array of Drive.
    pub(crate) held: Vec<Held>,
    /// Whether the last attempt was given up in its middle.
    pub(crate) interrupted: bool,
    pub(crate) obstacles_end: Vec<DVec3>,
    /// Contact, unless the scene has none.
    pub(crate) contact: Option<ContactStage>,
    pub(crate) tally: Tally,
    /// What people do in an interactive session.
    pub(crate) hands: Hands,
    pub(crate) last_outcome: Option<StepOutcome>,
    /// Largest step [s].
    step: f64,
    frames_per_second: f64,
    frames: usize,
    /// Frames delivered so far, without the start.
    pub(crate) frame: usize,
    /// Frames of a long step that wait to be delivered.
    pub(crate) waiting: VecDeque<Vec<DVec3>>,
    start_energy: Energy,
    /// What there is to warn about.
    pub(crate) warnings: Warnings,
    /// When frames are judged.
    pub(crate) judging: Judging,
    /// Whether an explicit scheme of fixed steps handles contact, and is asked in every step whether it diverges.
    pub(crate) may_diverge: bool,
    /// Pieces of cloth that start inside an obstacle without being said to belong there.
    pub(crate) inside_at_start: Vec<StartFault>,
}

impl Simulation {
    /// Builds a simulation at time zero.
    pub fn new(scene: &Scene) -> Result<Self, SimError> {
        let model = bodies::model(scene)?;
        let system = build::system(scene, &model)?;
        let state = State::new(&model);
        let heed = build::heed(&scene.settings.integrator);
        let mut simulation = Simulation {
            integrator: build::integrator(&scene.settings, build::substeps(scene)?, &system, &state.positions),
            limiter: build::limiter(&scene.settings, &model, &system),
            adaptive: scene.settings.adaptive.map(|settings| AdaptiveStep::new(settings, scene.settings.step)),
            phase: Phase::default(),
            limited: None,
            constraints: Constraints::default(),
            held: Vec::new(),
            interrupted: false,
            obstacles_end: Vec::new(),
            hands: Hands::default(),
            last_outcome: None,
            contact: ContactStage::new(&scene.settings, &model, heed, system.mean_weight())?,
            tally: Tally { min_gap: f64::INFINITY, ..Tally::default() },
            step: scene.settings.step,
            frames_per_second: scene.frames_per_second,
            frames: scene.frames(),
            frame: 0,
            waiting: VecDeque::new(),
            start_energy: Energy::default(),
            warnings: Warnings::new(&scene.settings),
            judging: Judging::default(),
            inside_at_start: Vec::new(),
            may_diverge: false,
            model,
            state,
            system,
        };
        simulation.may_diverge = simulation.contact.is_some()
            && scene.settings.adaptive.is_none()
            && warnings::reach(scene.settings.integrator).is_some();
        simulation.check_reach()?;
        simulation.check_start(&scene.start)?;
        let mut start = Vec::new();
        simulation.system.gather(&simulation.state.positions, &mut start);
        simulation.state.creases = simulation.system.first_creases(&start);
        simulation.start_energy = simulation.energy();
        let (interval, longest) = (1.0 / scene.frames_per_second, scene.settings.step);
        let step = if longest > interval { longest } else { interval / parts(interval, longest) };
        simulation.check_step(&scene.settings, step);
        simulation.check_short_steps(scene, step)?;
        simulation.check_method(&scene.settings);
        Ok(simulation)
    }

    /// The constant model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The state after the last step.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The cloth as the solver sees it.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Lets a wish to stop be seen inside of steps: one that is still under way half a second later is given up
    /// with [`SimError::Interrupted`], and the state stays that of its start. What the solver remembers for speed
    /// is then that of the step given up, so that going on from there gives the same motion but not the same bits;
    /// a simulation restored from [`Simulation::save`] has the same bits.
    pub fn heed(&mut self, interrupt: &Interrupt) {
        self.integrator.heed(interrupt);
    }

    /// Counts and extremes so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Frames of the whole run, without the start.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Frames delivered so far.
    pub fn frame(&self) -> usize {
        self.frame
    }

    /// Energy now [J].
    pub fn energy(&self) -> Energy {
        let mut positions = Vec::new();
        self.system.gather(&self.state.positions, &mut positions);
        self.energy_with(self.system.elastic_energy(&positions))
    }

    /// Energy now [J], of somebody who knows its elastic part already [J].
    pub fn energy_with(&self, elastic: f64) -> Energy {
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        self.system.gather(&self.state.positions, &mut positions);
        self.system.gather(&self.state.velocities, &mut velocities);
        let [kinetic, gravity] = Energies::of_motion(&self.system, &positions, &velocities);
        Energy { kinetic, elastic, gravity }
    }

    /// Elastic energy now of each force, with its name [J].
    pub fn elastic_energies(&self) -> Vec<(&'static str, f64)> {
        let mut positions = Vec::new();
        self.system.gather(&self.state.positions, &mut positions);
        self.system.elastic_energies(&positions).filter(|&(_, energy)| energy != 0.0).collect()
    }

    /// Energy at time zero [J].
    pub fn start_energy(&self) -> Energy {
        self.start_energy
    }

    /// Time of a frame [s]; computed from its number, so that it never drifts.
    pub fn frame_time(&self, frame: usize) -> f64 {
        frame as f64 / self.frames_per_second
    }

    /// Simulates to the next frame and returns the positions of all vertices there [m]. A frame interval is
    /// cut into equal steps no longer than the scene's `step`; if `step` is longer than the interval, steps
    /// are that long and frames between are points on their straight motion.
    pub fn next_frame(&mut self) -> Result<Vec<DVec3>, SimError> {
        let frame = self.next_frame_unless(&|| false)?;
        Ok(frame.unwrap_or_else(|| self.state.positions.clone()))
    }

    /// The same, but gives up before the next step, or part of one, as soon as `stop` says so; then there is no frame.
    pub fn next_frame_unless(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<Vec<DVec3>>, SimError> {
        let Some(frame) = self.judging_beside(|sim| sim.simulate_frame(stop))? else { return Ok(None) };
        self.judge(&frame)?;
        Ok(Some(frame))
    }

    /// Simulates to the next frame, without a judge.
    fn simulate_frame(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<Vec<DVec3>>, SimError> {
        let interval = 1.0 / self.frames_per_second;
        let time = self.frame_time(self.frame + 1);
        let parts = parts(interval, self.step);
        if self.step <= interval * (1.0 + STEP_SLACK) {
            for part in 1..=parts as usize {
                let end = (self.frame as f64 + part as f64 / parts) / self.frames_per_second;
                // Parts of a frame that was given up are done already.
                if end <= self.state.time {
                    continue;
                }
                if stop() {
                    return Ok(None);
                }
                if self.advance_to(end, stop)? == Advance::Stopped {
                    return Ok(None);
                }
            }
        } else {
            while self.waiting.is_empty() {
                if stop() {
                    return Ok(None);
                }
                // The next multiple of the step; with an adaptive step the count of steps says nothing.
                let done = (self.state.time / self.step + STEP_SLACK).floor();
                if self.advance_to((done + 1.0) * self.step, stop)? == Advance::Stopped {
                    return Ok(None);
                }
            }
        }
        self.frame += 1;
        let waiting = self.waiting.pop_front();
        Ok(Some(waiting.unwrap_or_else(|| self.positions_at(time))))
    }

    /// Keeps the frames that lie within the step just committed, if steps are longer than frames. A long step
    /// may have been taken in shorter ones, each with a straight motion of its own.
    pub(crate) fn keep_frames(&mut self) {
        if self.step <= (1.0 + STEP_SLACK) / self.frames_per_second {
            return;
        }
        loop {
            let time = self.frame_time(self.frame + self.waiting.len() + 1);
            if time > self.state.time * (1.0 + STEP_SLACK) {
                return;
            }
            self.waiting.push_back(self.positions_at(time));
        }
    }

    /// Positions at a time within the last step [m].
    pub fn positions_at(&self, time: f64) -> Vec<DVec3> {
        let (state, h) = (&self.state, self.state.previous_step);
        let back = if h > 0.0 { (state.time - time) / h } else { 0.0 };
        if back.abs() <= STEP_SLACK {
            return state.positions.clone();
        }
        let between = |(&a, &b): (&DVec3, &DVec3)| b + (a - b) * back;
        state.previous_positions.iter().zip(&state.positions).map(between).collect()
    }

    /// Runs a stage and adds what it costs.
    pub(crate) fn stage<R>(&mut self, stage: Stage, body: impl FnOnce(&mut Self) -> R) -> R {
        let watch = Stopwatch::start();
        let result = body(self);
        watch.add_to(&mut self.tally.stages[stage as usize]);
        result
    }
}
