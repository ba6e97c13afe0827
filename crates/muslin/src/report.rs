//! `report.json`, the certificate of a run.

use crate::check::{MeshUse, check};
use crate::energy::EnergyBalance;
use crate::pinches::{PinchReport, pinches};
use muslin_io::output::Format;
use muslin_sim::{Scene, Simulation, Stage, StageCost};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// All frames are there.
    Completed,
    /// It was stopped; the frames so far are there.
    Interrupted,
    /// A step failed; the frames before it are there.
    Failed,
}

/// A promise of the scene and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimResult {
    /// The claim's key.
    pub claim: &'static str,
    /// What was promised.
    pub limit: f64,
    /// What was found.
    pub found: f64,
    /// Whether it holds.
    pub held: bool,
}

/// The certificate of a run. Times are of stepping only, unless the name says `total`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of Muslin.
    pub version: &'static str,
    /// Name of the scene.
    pub scene: String,
    /// Hash of everything in the scene, all settings and parameters included.
    pub scene_hash: String,
    /// How the run ended.
    pub outcome: Outcome,
    /// What went wrong, if it failed.
    pub error: Option<String>,
    /// Threads used.
    pub threads: usize,
    /// Vertices of all cloths.
    pub cloth_vertices: usize,
    /// Triangles of all cloths.
    pub cloth_triangles: usize,
    /// Vertices of all obstacles.
    pub obstacle_vertices: usize,
    /// Frames done, without the start.
    pub frames: usize,
    /// Frames that were asked for.
    pub frames_planned: usize,
    /// Committed steps.
    pub steps: u64,
    /// Time that the steps cover [s].
    pub simulated_seconds: f64,
    /// Wall-clock time of stepping [s].
    pub wall_seconds: f64,
    /// Processor time of stepping, all threads [s].
    pub cpu_seconds: f64,
    /// Wall-clock time of the whole run, building, writing and drawing included [s].
    pub total_wall_seconds: f64,
    /// Largest memory of the process [bytes].
    pub peak_memory_bytes: Option<u64>,
    /// Cost of each stage of the step.
    pub stages: BTreeMap<&'static str, StageCost>,
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Most Newton iterations of a step.
    pub most_newton_iterations: u64,
    /// Conjugate-gradient iterations.
    pub pcg_iterations: u64,
    /// Linear solves that ran into their limit of iterations; the Newton iteration around them may still converge.
    pub unfinished_solves: u64,
    /// Evaluations of the forces.
    pub force_evaluations: u64,
    /// Contacts of all steps: pairs that came within their range.
    pub contacts: u64,
    /// Solves of all steps; one per step without contact.
    pub rounds: u64,
    /// Rounds of impulses and impact zones.
    pub response_rounds: u64,
    /// Steps that were halved because contact could not be resolved within them.
    pub step_halvings: u64,
    /// Zones of free cloth whose motion was scaled back, the very last resort.
    pub scaled_back: u64,
    /// Momentum that this took [N·s].
    pub scaled_back_momentum: f64,
    /// Smallest gap of any committed state, pairs in a pinch or listed by the scene left out [m]; null without contact.
    pub min_gap: Option<f64>,
    /// Pairs of triangles that cross in any frame, by the exact judge; null where contact is not handled.
    pub crossings: Option<u64>,
    /// Pairs that cross in the frames as the files have them, read back in single precision; null where contact is not
    /// handled or no file has shapes that can be read back.
    pub written_crossings: Option<u64>,
    /// Where obstacles or pins left the cloth no room; null where contact is not handled.
    pub pinches: Option<Vec<PinchReport>>,
    /// Whether all frames passed: no crossing, no pinch, and contact was switched off nowhere; null where contact is not handled.
    pub clean: Option<bool>,
    /// Steps that were tried and taken in shorter ones.
    pub rejected_steps: u64,
    /// Steps that were kept though they stretched cloth by more than `settings.adaptive.most_stretch`, because contact forced
    /// them and they were as short as contact takes one.
    pub overstretched_steps: u64,
    /// Largest elongation beyond the limiter's limit that it left, over the rest length [-]; 0 without one.
    pub limiter_excess: f64,
    /// Largest elongation along warp or weft over the run [-].
    pub max_strain: f64,
    /// Largest shear angle over the run [rad].
    pub max_shear: f64,
    /// Largest residual of a free vertex over the run, in mean vertex weights [-].
    pub worst_residual: f64,
    /// Largest speed of a cloth vertex at the end [m/s].
    pub final_speed: f64,
    /// Energy balance.
    pub energy: EnergyBalance,
    /// Hash of the final state, bit for bit.
    pub state_hash: String,
    /// The scene's claims and whether they hold.
    pub claims: Vec<ClaimResult>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Files written, relative to the directory.
    pub files: Vec<String>,
    /// Everything that the result depends on, by key: program, scene, frames and formats. Long lists are hashes.
    pub identity: BTreeMap<String, String>,
}

/// What the simulation itself cannot tell.
pub struct Circumstances {
    pub outcome: Outcome,
    pub error: Option<String>,
    pub threads: usize,
    pub frames_planned: usize,
    pub wall_seconds: f64,
    pub cpu_seconds: f64,
    pub warnings: Vec<String>,
}

impl Report {
    pub(crate) fn new(scene: &Scene, simulation: &Simulation, run: Circumstances) -> Self {
        let (model, state, tally) = (simulation.model(), simulation.state(), simulation.tally());
        let cloth = model.cloth_vertices();
        let final_speed = state.velocities[cloth.clone()].iter().map(|v| v.length()).fold(0.0, f64::max);
        let mut report = Report {
            version: env!("CARGO_PKG_VERSION"),
            scene: scene.name.clone(),
            scene_hash: scene.hash(),
            outcome: run.outcome,
            error: run.error,
            threads: run.threads,
            cloth_vertices: cloth.len(),
            cloth_triangles: model.cloth_triangles().len(),
            obstacle_vertices: model.mesh.positions.len() - cloth.len(),
            frames: simulation.frame(),
            frames_planned: run.frames_planned,
            steps: state.steps,
            simulated_seconds: state.time,
            wall_seconds: run.wall_seconds,
            cpu_seconds: run.cpu_seconds,
            total_wall_seconds: run.wall_seconds,
            peak_memory_bytes: crate::memory::peak_memory_bytes(),
            stages: Stage::ALL.iter().map(|s| (s.name(), tally.stages[*s as usize])).collect(),
            newton_iterations: tally.newton_iterations,
            most_newton_iterations: tally.most_newton_iterations,
            pcg_iterations: tally.pcg_iterations,
            unfinished_solves: tally.unfinished_solves,
            force_evaluations: tally.force_evaluations,
            contacts: tally.contacts,
            rounds: tally.rounds,
            response_rounds: tally.response_rounds,
            step_halvings: tally.step_halvings,
            scaled_back: tally.scaled_back,
            scaled_back_momentum: tally.scaled_back_momentum,
            min_gap: tally.min_gap.is_finite().then_some(tally.min_gap),
            crossings: simulation.has_contact().then_some(tally.crossings),
            written_crossings: None,
            pinches: simulation.has_contact().then(|| pinches(simulation)),
            clean: simulation.has_contact().then(|| simulation.is_clean()),
            rejected_steps: tally.rejected_steps,
            overstretched_steps: tally.overstretched_steps,
            limiter_excess: tally.limiter_excess,
            max_strain: tally.max_strain,
            max_shear: tally.max_shear,
            worst_residual: tally.worst_residual,
            final_speed,
            energy: EnergyBalance::of(simulation),
            state_hash: simulation.state_hash(),
            claims: Vec::new(),
            warnings: run.warnings,
            files: Vec::new(),
            identity: BTreeMap::new(),
        };
        report.check_claims(scene);
        report
    }

    fn check_claims(&mut self, scene: &Scene) {
        let claim = |claim, limit: Option<f64>, found: f64| {
            limit.map(|limit| ClaimResult { claim, limit, found, held: found < limit })
        };
        self.claims.extend(claim("max_strain_below", scene.claims.max_strain_below, self.max_strain));
        // A run that ends early says nothing about the scene's end.
        if self.outcome == Outcome::Completed && self.frames == scene.frames() {
            self.claims.extend(claim("final_speed_below", scene.claims.final_speed_below, self.final_speed));
        }
    }

    /// Reads the written frames back and judges them as the run's own were; without a format that has shapes there is
    /// nothing to judge.
    pub(crate) fn judge_files(&mut self, directory: &Path, formats: &[Format]) {
        let shapes = formats.iter().any(|format| format.holds_shapes());
        let Some(place) = directory.to_str().filter(|_| shapes) else { return };
        let verdict = check(place, MeshUse::Cloth);
        let crossing = |fault: &&crate::CheckFault| fault.kind == "crossing-triangles";
        let crossings = verdict.faults.iter().filter(crossing).count();
        if crossings == verdict.faults.len() {
            self.written_crossings = Some(crossings as u64);
            self.clean = self.clean.map(|clean| clean && crossings == 0);
        } else if let Some(other) = verdict.faults.iter().find(|fault| !crossing(fault)) {
            self.warnings.push(format!("the written frames could not be judged: {}", other.message));
        }
    }

    /// The claims that do not hold.
    pub fn broken_claims(&self) -> Vec<&ClaimResult> {
        self.claims.iter().filter(|c| !c.held).collect()
    }

    /// As JSON text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_else(|e| format!("{{\"error\": \"{e}\"}}"));
        text.push('\n');
        text
    }
}
