//! What a step costs with hysteresis and with plain hinges, in whole scenes.

use muslin::{Scene, load, model::parallel, sim::Simulation};
use std::{error::Error, fmt::Write};

/// Hysteresis may cost this much more per step than plain bending with hinges [-].
const LIMIT: f64 = 0.10;
/// A denim: B [N·m], 2HB [N] and K₀ [1/m].
const RIGIDITY: f64 = 1.5e-5;
const WIDTH: f64 = 1.4e-3;
const TRANSITION: f64 = 50.0;

/// A scene whose steps are measured: with one solve per step, and solved to a tolerance.
struct Measured {
    scene: &'static str,
    /// What is set in it, in each scheme.
    settings: [&'static str; 2],
    frames: [usize; 2],
}

/// `hang` is pushed, so that everything bends; the full solve of plain hinges gives up most steps of a push ten times as fast.
const SCENES: [Measured; 7] = [
    Measured {
        scene: "hang",
        settings: ["cloth.0.velocity=[0.5, 0.8, 0.6]", "cloth.0.velocity=[0.05, 0.08, 0.06]"],
        frames: [60, 30],
    },
    Measured { scene: "swing", settings: [""; 2], frames: [60, 60] },
    Measured { scene: "curtain", settings: [""; 2], frames: [60, 30] },
    Measured { scene: "flag", settings: [""; 2], frames: [60, 30] },
    Measured { scene: "drape", settings: ["resolution=40", "resolution=30"], frames: [60, 30] },
    Measured { scene: "w-4-twist", settings: [""; 2], frames: [40, 20] },
    Measured { scene: "crumple", settings: [""; 2], frames: [40, 20] },
];
const SCHEMES: [&str; 2] = ["linear-backward-euler", "backward-euler"];
/// Whole runs with each scheme, each beginning with other noise: folds differ with every bit, so costs are means. The full solve of buckling cloth takes
/// numbers of iterations that scatter so much that whole runs of an hour tell little.
const RUNS: [usize; 2] = [6, 0];
/// The same for the same steps, which scatter less.
const SAME_RUNS: [usize; 2] = [4, 2];
/// How many of the candidates are measured with each scheme: the full solve of the default bending of `hang` takes minutes.
const COMPARED: [usize; 2] = [5, 4];
/// Noise of the first run; the others have multiples of it [m].
const NOISE: f64 = 1e-6;
/// A scene is above the limit if it is by more than this many standard errors of its mean.
const CERTAIN: f64 = 2.0;

/// A fabric to measure.
#[derive(Clone, Copy)]
pub struct Candidate {
    pub name: &'static str,
    pub bend: &'static str,
    /// Width of the loop, 2HB [N].
    pub width: f64,
    /// B [N·m].
    pub rigidity: f64,
}

/// b₁: what hysteresis resists with where it turns.
const STIFF: f64 = RIGIDITY + WIDTH / TRANSITION;
/// Whose steps all of them answer, run by run: hysteresis, and the law alone, which moves as plain hinges do.
const LEADERS: [usize; 2] = [3, 1];
pub const CANDIDATES: [Candidate; 5] = [
    Candidate { name: "plain, B", bend: "baraff-witkin", width: WIDTH, rigidity: RIGIDITY },
    Candidate { name: "loop of no width, B", bend: "hysteresis", width: 0.0, rigidity: RIGIDITY },
    Candidate { name: "plain, b₁", bend: "baraff-witkin", width: WIDTH, rigidity: STIFF },
    Candidate { name: "hysteresis, B to b₁", bend: "hysteresis", width: WIDTH, rigidity: RIGIDITY },
    Candidate { name: "default, B", bend: "curvature", width: WIDTH, rigidity: RIGIDITY },
];

/// What some runs took.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    /// CPU seconds of stepping.
    cpu: f64,
    steps: f64,
    /// Solves and iterations of conjugate gradients.
    iterations: [f64; 2],
}

impl Cost {
    pub fn per_step(&self) -> f64 {
        self.cpu / self.steps
    }

    fn less(&self, other: Cost) -> Cost {
        let iterations = [0, 1].map(|k| self.iterations[k] - other.iterations[k]);
        Cost { cpu: self.cpu - other.cpu, steps: self.steps - other.steps, iterations }
    }

    fn plus(&self, other: Cost) -> Cost {
        Cost {
            cpu: self.cpu + other.cpu,
            steps: self.steps + other.steps,
            iterations: [0, 1].map(|k| self.iterations[k] + other.iterations[k]),
        }
    }
}

/// A scene with a fabric and settings.
pub fn with_fabric(scene: &str, candidate: Candidate, settings: &[String]) -> Result<Scene, Box<dyn Error>> {
    let Candidate { bend, width, rigidity, .. } = candidate;
    let mut all = vec![
        format!("cloth.0.bend={bend}"),
        format!(
            "cloth.0.material={{ area_density = 0.35, bend_warp = {rigidity}, bend_weft = {rigidity}, bend_bias = {rigidity}, bend_hysteresis = {width}, bend_transition = {TRANSITION}, bend_crease = 0.1, bend_fatigue = 0.02 }}"
        ),
    ];
    all.extend_from_slice(settings);
    Ok(load(scene, &all)?.scene)
}

/// A scene with a fabric and settings after some frames.
pub fn simulated(
    scene: &str,
    candidate: Candidate,
    settings: &[String],
    frames: usize,
) -> Result<Simulation, Box<dyn Error>> {
    let scene = with_fabric(scene, candidate, settings)?;
    let run = || {
        let mut simulation = Simulation::new(&scene).map_err(|e| e.to_string())?;
        for _ in 0..frames {
            simulation.next_frame().map_err(|e| e.to_string())?;
        }
        Ok::<_, String>(simulation)
    };
    Ok(parallel::with_threads(1, run)?)
}

pub fn cost(simulation: &Simulation) -> Cost {
    let tally = simulation.tally();
    Cost {
        cpu: tally.stages.iter().map(|stage| stage.cpu_seconds).sum(),
        steps: simulation.state().steps as f64,
        iterations: [tally.newton_iterations, tally.pcg_iterations].map(|count| count as f64),
    }
}

/// A ratio of costs, less one: that of the means over runs, and the standard error over pairs of runs [-].
#[derive(Clone, Copy, Default)]
struct More {
    mean: f64,
    error: f64,
}

impl More {
    /// How much more the first takes than the second, of what a run takes.
    fn of(runs: &[[Cost; 5]], [first, second]: [usize; 2], what: fn(&Cost) -> f64) -> Self {
        let total = |k: usize| runs.iter().fold(Cost::default(), |sum, run| sum.plus(run[k]));
        let ratios: Vec<f64> = runs.iter().map(|run| what(&run[first]) / what(&run[second])).collect();
        let count = ratios.len() as f64;
        let mean = ratios.iter().sum::<f64>() / count;
        let variance = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / (count - 1.0);
        More { mean: what(&total(first)) / what(&total(second)) - 1.0, error: (variance / count).sqrt() }
    }

    /// What it is at least, as far as scatter lets say [-].
    fn at_least(&self) -> f64 {
        self.mean - CERTAIN * self.error
    }
}

/// What hysteresis costs in the scheme that scenes with contact have, and in the one that solves to a tolerance; returns what is
/// above the limit.
pub fn costs(page: &mut String) -> Result<Vec<String>, Box<dyn Error>> {
    write!(
        page,
        "\n## Cost of a step\n\nMilliseconds of CPU time per step, contact included, of built-in scenes on one thread. The fabric is a denim, B = {RIGIDITY:e} N·m and 2HB = {WIDTH:e} N. Compared are plain hinges of \
         rigidity B, a loop of no width (the law alone), plain hinges of b₁ = B + 2HB/K₀, here {:.1} times B, with which hysteresis resists where it turns, hysteresis, and the bending that scenes have by default, curvature per triangle, of rigidity \
         B. Each cell: milliseconds; solves and iterations of conjugate gradients per step. After ± stands the standard error of the mean over runs, which begin with other noise.\n\n\
         *The same steps*: one cloth goes ahead, and in every frame all fabrics answer it from its state, so that they have the same folds and contacts: in every other run one with hysteresis, from whose state plain hinges have to spring, in \
         the others one with the loop of no width, whose state hysteresis finds without friction. The command ends with an error if a \
         comparison is above {:.0} % per step in the mean over the scenes, or the law alone, or hysteresis over plain hinges of B, the same hinges without a memory, or over the default, in a single scene by more than {CERTAIN} of its standard errors.\n\n\
         *Whole runs*: each fabric makes its own motion. Stiffer cloth folds otherwise and takes other numbers of iterations, contacts and steps, as plain hinges of b₁ show, so the limit stands for the mean over scenes only; the last \
         column is per simulated second.\n",
        STIFF / RIGIDITY,
        100.0 * LIMIT
    )?;
    let mut above = Vec::new();
    for (k, scheme) in SCHEMES.iter().enumerate() {
        above.extend(table(page, k, scheme, Kind::SameSteps)?);
        if RUNS[k] > 0 {
            above.extend(table(page, k, scheme, Kind::WholeRuns)?);
        }
    }
    Ok(above)
}

/// What is compared.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    SameSteps,
    WholeRuns,
}

/// One table; returns what is above the limit.
fn table(page: &mut String, k: usize, scheme: &str, kind: Kind) -> Result<Vec<String>, Box<dyn Error>> {
    let runs = if kind == Kind::SameSteps { SAME_RUNS[k] } else { RUNS[k] };
    let title = if kind == Kind::SameSteps { "the same steps" } else { "whole runs" };
    let heads = CANDIDATES.map(|candidate| candidate.name).join(" | ");
    write!(
        page,
        "\n### `{scheme}`, {title} ({runs} runs)\n\n| scene | {heads} | law alone | over plain, b₁ | over plain, B | over the default, B | over plain, B, per second |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    )?;
    let mut above = Vec::new();
    let mut means = [More::default(); 5];
    for Measured { scene, settings, frames } in &SCENES {
        let runs = match kind {
            Kind::SameSteps => same_steps(scene, settings[k], scheme, frames[k], [runs, COMPARED[k]])?,
            Kind::WholeRuns => scene_costs(scene, settings[k], scheme, frames[k], [runs, COMPARED[k]])?,
        };
        let ratios = [
            More::of(&runs, [1, 0], Cost::per_step),
            More::of(&runs, [3, 2], Cost::per_step),
            More::of(&runs, [3, 0], Cost::per_step),
            More::of(&runs, [3, 4], Cost::per_step),
            More::of(&runs, [3, 0], |cost| cost.cpu),
        ];
        for (mean, ratio) in means.iter_mut().zip(ratios) {
            mean.mean += ratio.mean / SCENES.len() as f64;
            // Of independent scenes.
            mean.error = mean.error.hypot(ratio.error / SCENES.len() as f64);
        }
        if kind == Kind::SameSteps {
            // Plain hinges of rigidity b₁ are there to explain.
            let certain = [ratios[0], ratios[2], ratios[3]].into_iter().filter(|ratio| ratio.at_least() > LIMIT);
            above.extend(certain.map(|ratio| format!("{scene} with {scheme}: {}", percent(ratio))));
        }
        let cells = [0, 1, 2, 3, 4].map(|k| {
            let cost = runs.iter().fold(Cost::default(), |sum, run| sum.plus(run[k]));
            if cost.steps == 0.0 {
                return "–".to_string();
            }
            let [solves, iterations] = cost.iterations.map(|count| count / cost.steps);
            format!("{:.2} ms; {solves:.1}, {iterations:.1}", 1e3 * cost.per_step())
        });
        let row = format!("| `{scene}` | {} | {} |", cells.join(" | "), ratios.map(percent).join(" | "));
        println!("{row}");
        writeln!(page, "{row}")?;
    }
    let row = format!("| mean | | | | | | {} |", means.map(percent).join(" | "));
    println!("{scheme}, {title}: {row}");
    writeln!(page, "{row}")?;
    let high = means[..4].iter().filter(|mean| mean.mean > LIMIT);
    above.extend(high.map(|mean| format!("mean with {scheme}, {title}: {}", percent(*mean))));
    Ok(above)
}

/// What all candidates take for the same steps, run by run: those of a leader, from whose state each of them answers every frame.
/// What its own solver remembers for speed, each keeps.
fn same_steps(
    scene: &str,
    setting: &str,
    scheme: &str,
    frames: usize,
    [runs, compared]: [usize; 2],
) -> Result<Vec<[Cost; 5]>, Box<dyn Error>> {
    let measure = |run: usize| -> Result<[Cost; 5], String> {
        let settings = settings(setting, scheme, run);
        let start = |candidate: &Candidate| -> Result<Simulation, String> {
            let scene = with_fabric(scene, *candidate, &settings).map_err(|error| error.to_string())?;
            Simulation::new(&scene).map_err(|error| error.to_string())
        };
        let mut leader = start(&CANDIDATES[LEADERS[run % LEADERS.len()]])?;
        let mut followers = CANDIDATES[..compared].iter().map(start).collect::<Result<Vec<_>, _>>()?;
        let mut costs = [Cost::default(); 5];
        for frame in 0..frames {
            for turn in 0..compared {
                let k = (turn + frame) % compared;
                let follower = &mut followers[k];
                follower.take_motion_of(&leader).map_err(|error| error.to_string())?;
                let before = cost(follower);
                follower.next_frame().map_err(|error| error.to_string())?;
                costs[k] = costs[k].plus(cost(follower).less(before));
            }
            leader.next_frame().map_err(|error| error.to_string())?;
        }
        Ok(costs)
    };
    let found: Result<Vec<_>, String> = parallel::with_threads(1, || (0..runs).map(measure).collect());
    Ok(found?)
}

/// What is set in a run.
fn settings(setting: &str, scheme: &str, run: usize) -> Vec<String> {
    let noise = NOISE * (run + 1) as f64;
    let mut all = vec![format!("settings.integrator={scheme}"), format!("cloth.0.perturbation={noise:e}")];
    all.extend(Some(setting.to_string()).filter(|setting| !setting.is_empty()));
    all
}

/// What was not measured is no number.
fn percent(More { mean, error }: More) -> String {
    if mean.is_nan() { "–".into() } else { format!("{:+.1} ± {:.1} %", 100.0 * mean, 100.0 * error) }
}

/// What all candidates take in a scene with a setting, run by run.
fn scene_costs(
    scene: &str,
    setting: &str,
    scheme: &str,
    frames: usize,
    [runs, compared]: [usize; 2],
) -> Result<Vec<[Cost; 5]>, Box<dyn Error>> {
    let mut found = vec![[Cost::default(); 5]; runs];
    for (run, costs) in found.iter_mut().enumerate() {
        let all = settings(setting, scheme, run);
        // Each run begins with another candidate: what the machine does meanwhile meets all of them alike.
        for turn in 0..compared {
            let k = (turn + run) % compared;
            costs[k] = cost(&simulated(scene, CANDIDATES[k], &all, frames)?);
        }
    }
    Ok(found)
}
