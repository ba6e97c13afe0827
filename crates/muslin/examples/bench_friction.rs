//! What friction's laws cost: W table 7.2, for the three ways to handle them.
//!
//! Rewrites `bench/friction.md`. Times are CPU seconds on one thread, best of several rounds that take turns. Two comparisons:
//! whole runs, as in the thesis, in which each law makes its own motion and so has its own contacts; and the steps of one motion, each of
//! which every law answers from the same state with the same contacts, so that nothing but the law differs.

use muslin::{
    load,
    model::parallel,
    sim::{Scene, Simulation, Stage, Tally},
};
use std::{error::Error, fmt::Write, fs, path::Path};

/// The law with all terms may take this many times as long as Coulomb's [-].
const LIMIT: f64 = 1.5;
/// Rounds of which the best counts.
const ROUNDS: usize = 5;
/// No friction, and W's laws.
const LAWS: [&str; 5] = ["none", "coulomb", "stiction", "stribeck", "viscous"];
/// W's own seconds for the same.
const THESIS: [f64; 5] = [0.71, 0.86, 0.90, 1.16, 1.19];
/// Whose motions have the steps that all laws answer.
const DRIVERS: [&str; 2] = ["coulomb", "viscous"];

/// A way to handle friction.
struct Way {
    name: &'static str,
    settings: &'static [&'static str],
    /// Frames are steps in the comparison step by step [1/s].
    steps_per_second: usize,
    /// What responds to contact.
    stages: &'static [Stage],
}

const WAYS: [Way; 3] = [
    Way {
        name: "`bridson` (Respond), 1/240 s",
        settings: &["method=bridson", "step=1/240"],
        steps_per_second: 240,
        stages: &[Stage::Respond],
    },
    Way {
        name: "`constraints` (Integrate and Respond), 1/240 s",
        settings: &["method=constraints", "integrator=baraff-witkin", "step=1/240"],
        steps_per_second: 240,
        stages: &[Stage::Integrate, Stage::Respond],
    },
    Way {
        name: "`implicit` (Integrate and Respond), 1/60 s",
        settings: &[],
        steps_per_second: 60,
        stages: &[Stage::Integrate, Stage::Respond],
    },
];

impl Way {
    /// The sheet on the incline under a law.
    fn scene(&self, law: &str, more: &[String]) -> Result<Scene, String> {
        let mut all: Vec<String> = self.settings.iter().map(|setting| setting.to_string()).collect();
        // The same steps for all laws.
        let steps = "settings.adaptive.most_turn_degrees=180";
        all.extend(["resolution=20".into(), "duration=0.6".into(), steps.into()]);
        all.extend_from_slice(more);
        if law == "none" {
            all.extend(["settings.contact.friction_object=0".into(), "settings.contact.friction_cloth=0".into()]);
        } else {
            all.push(format!("law={law}"));
        }
        Ok(load("w-7-incline", &all).map_err(|error| error.to_string())?.scene)
    }

    /// CPU seconds of the stages that respond [s].
    fn response(&self, tally: &Tally) -> f64 {
        self.stages.iter().map(|&stage| tally.stages[stage as usize].cpu_seconds).sum()
    }

    /// CPU seconds of a whole run [s], and the part of all its time that is [-].
    fn whole(&self, law: &str) -> Result<[f64; 2], String> {
        let mut simulation = Simulation::new(&self.scene(law, &[])?).map_err(|error| error.to_string())?;
        while simulation.frame() < simulation.frames() {
            simulation.next_frame().map_err(|error| error.to_string())?;
        }
        let tally = simulation.tally();
        let time = self.response(tally);
        Ok([time, time / tally.stages.iter().map(|cost| cost.cpu_seconds).sum::<f64>()])
    }

    /// CPU seconds of each law [s] for the steps of the motion that one of them makes.
    fn step_by_step(&self, driver: &str) -> Result<[f64; 5], String> {
        let steps = [format!("frames_per_second={}", self.steps_per_second)];
        let start = |law: &str| -> Result<Simulation, String> {
            Simulation::new(&self.scene(law, &steps)?).map_err(|error| error.to_string())
        };
        let mut driver = start(driver)?;
        let mut laws = LAWS.iter().map(|law| start(law)).collect::<Result<Vec<_>, _>>()?;
        let mut all = [0.0; 5];
        while driver.frame() < driver.frames() {
            let archive = driver.save();
            let mut best = [f64::INFINITY; 5];
            for _ in 0..ROUNDS {
                for (simulation, best) in laws.iter_mut().zip(&mut best) {
                    simulation.restore(&archive).map_err(|error| error.to_string())?;
                    let before = self.response(simulation.tally());
                    simulation.next_frame().map_err(|error| error.to_string())?;
                    *best = best.min(self.response(simulation.tally()) - before);
                }
            }
            all.iter_mut().zip(best).for_each(|(all, best)| *all += best);
            driver.next_frame().map_err(|error| error.to_string())?;
        }
        Ok(all)
    }
}

/// A row of a table, and CSSV over C [-].
fn row(name: &str, times: [f64; 5], part: Option<f64>) -> (String, f64) {
    let ratio = times[4] / times[1];
    let times: Vec<String> = times.iter().map(|time| format!("{time:.3}")).collect();
    let part = part.map_or(String::new(), |part| format!(" {part:.2} |"));
    (format!("| {name} | {} | {ratio:.2} |{part}", times.join(" | ")), ratio)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut page = String::from(
        "# Friction\n\n`cargo xtask bench friction` renews this page.\n\n## W table 7.2\n\nSeconds of CPU time in which contact is responded to, \
         of `w-7-incline` (20 × 20 vertices, 0.6 s: the sheet falls onto the incline and folds), one thread, best of five rounds that take turns. Each \
         law has its own motion, so that some of a difference is that of other folds. W's times are for 5 s of the same scene at 1 ms and 8.1 thousand \
         triangles.\n\n| | no friction | C | CS | CSS | CSSV | CSSV over C | part of all time |\n|---|---|---|---|---|---|---|---|\n",
    );
    let thesis: Vec<String> = THESIS.iter().map(|time| format!("{time:.2}")).collect();
    writeln!(page, "| W | {} | {:.2} | below 0.08 |", thesis.join(" | "), THESIS[4] / THESIS[1])?;
    let mut worst = 0.0f64;
    for way in &WAYS {
        let mut best = [[f64::INFINITY, 0.0]; 5];
        for _ in 0..ROUNDS {
            for (time, law) in best.iter_mut().zip(LAWS) {
                let found = parallel::with_threads(1, || way.whole(law))?;
                if found[0] < time[0] {
                    *time = found;
                }
            }
        }
        let (row, ratio) = row(way.name, best.map(|best| best[0]), Some(best[4][1]));
        worst = worst.max(ratio);
        println!("{row}");
        writeln!(page, "{row}")?;
    }
    page.push_str(
        "\n## The same steps\n\nThe same scene, each step answered by every law from the same state with the same contacts: what a law costs, without the \
         folds that it makes. Two motions, that of C and that of CSSV; best of five rounds for each step.\n\n\
         | steps of | | no friction | C | CS | CSS | CSSV | CSSV over C |\n|---|---|---|---|---|---|---|---|\n",
    );
    for way in &WAYS {
        for driver in DRIVERS {
            let times = parallel::with_threads(1, || way.step_by_step(driver))?;
            let of = if driver == "coulomb" { "C" } else { "CSSV" };
            let (row, ratio) = row(&format!("{of} | {}", way.name), times, None);
            worst = worst.max(ratio);
            println!("{row}");
            writeln!(page, "{row}")?;
        }
    }
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/friction.md"), page)?;
    if worst > LIMIT {
        return Err(format!("friction with all terms takes {worst:.2} times as long as Coulomb's").into());
    }
    Ok(())
}
