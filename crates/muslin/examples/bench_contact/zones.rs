//! I 4.3 and fig. 5–6: the three kinds of zones, each on the same motions.
//!
//! A run with the preset `i-cloth` gives clean states. From each, one step with proximity but without zones gives the
//! motion that zones have to correct: the same for all three. Each has 60 rounds of response and search.

use crate::scene;
use muslin::{
    contact::{
        Candidate, Cascade, Contact, Finder, Friction, FrictionLaws, SearchSettings,
        responses::{ContactResponse, LinearZones, Motion, NonLinearZones, Response, RigidZones, StepFacts, Takes},
    },
    sim::Simulation,
};
use std::{error::Error, fmt::Write, time::Duration};

/// Scenes, with how many frames are skipped and how many looked at.
const RUNS: [(&str, &[&str], usize, usize); 2] =
    [("sphere", &["resolution=14"], 10, 30), ("funnel", &["resolution=14"], 60, 40)];

/// Step of the motions [s].
const STEP: f64 = 1.0 / 60.0;

/// A link that is given more rounds than it would take in a cascade.
struct Patient<R>(R);

impl<R: ContactResponse> ContactResponse for Patient<R> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn takes(&self) -> Takes {
        self.0.takes()
    }

    fn most_rounds(&self) -> usize {
        60
    }

    fn respond(&mut self, motion: &mut Motion, contacts: &[Contact]) -> Response {
        self.0.respond(motion, contacts)
    }
}

/// Sums over the motions of a scene.
#[derive(Default)]
struct Sums {
    motions: usize,
    resolved: usize,
    rounds: usize,
    iterations: usize,
    most_iterations: usize,
    /// Rounds by their iterations: up to 10, 25, 50, 100, more.
    classes: [usize; 5],
    time: Duration,
}

pub fn table() -> Result<String, Box<dyn Error>> {
    let mut table = String::from(
        "Motions of one step of 1/60 s with proximity in the solve and nothing after it, from clean states. Iterations are those of \
         the zone with the most, summed over rounds; times without searches.\n\n\
         | scene | zones | motions | resolved | rounds | iterations per motion | most in a round | ms per motion | rounds by iterations: ≤ 10, ≤ 25, ≤ 50, ≤ 100, more |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for (name, settings, skipped, looked_at) in RUNS {
        let of = |contact: &str| scene(name, &[settings, &[contact]].concat());
        let mut clean = Simulation::new(&of("settings.contact.method=i-cloth")?)?;
        let mut open = of("settings.contact={method=\"i-cloth\", responses=[], unresolved=\"accept\"}")?;
        open.settings.adaptive = None;
        let mut sums: [Sums; 3] = Default::default();
        for frame in 0..skipped + looked_at {
            if frame >= skipped {
                let mut candidate = Simulation::new(&open)?;
                candidate.restore(&clean.save())?;
                candidate.step_to(clean.state().time + STEP)?;
                for (kind, sums) in sums.iter_mut().enumerate() {
                    solve(kind, &clean, &candidate, sums)?;
                }
            }
            clean.next_frame()?;
        }
        for (kind, sums) in ["rigid", "linear", "non-linear"].iter().zip(&sums) {
            let per = |total: f64| total / sums.motions.max(1) as f64;
            writeln!(
                table,
                "| {name} | {kind} | {} | {} | {} | {:.1} | {} | {:.2} | {} |",
                sums.motions,
                sums.resolved,
                sums.rounds,
                per(sums.iterations as f64),
                sums.most_iterations,
                per(1e3 * sums.time.as_secs_f64()),
                sums.classes.map(|c| c.to_string()).join(", "),
            )?;
        }
    }
    Ok(table)
}

/// Lets one kind of zones correct the motion from one state to another.
fn solve(kind: usize, from: &Simulation, to: &Simulation, sums: &mut Sums) -> Result<(), Box<dyn Error>> {
    let link: Box<dyn ContactResponse> = match kind {
        0 => Box::new(Patient(RigidZones)),
        1 => Box::new(Patient(LinearZones)),
        _ => Box::new(Patient(NonLinearZones)),
    };
    let (model, start) = (from.model(), &from.state().positions);
    let (mut end, mut velocities) = (to.state().positions.clone(), to.state().velocities.clone());
    let mut finder = Finder::new(model, SearchSettings::default())?;
    let mut found = finder.find(start, &end)?;
    if found.violations(start, &end).is_empty() {
        return Ok(());
    }
    let inverse_mass: Vec<f64> = model.masses.iter().map(|m| if *m > 0.0 { 1.0 / m } else { 0.0 }).collect();
    let laws = FrictionLaws::new(&Friction::default(), model);
    let step = StepFacts { length: STEP, friction: &laws };
    let outcome = Cascade::new(vec![link]).resolve(
        &mut Candidate { start, end: &mut end, velocities: &mut velocities, inverse_mass: &inverse_mass, step },
        &mut found,
        &mut |end, request| request.fulfil(&mut finder, start, end),
    )?;
    sums.motions += 1;
    sums.resolved += usize::from(outcome.violations.is_empty());
    for round in &outcome.rounds[1..] {
        let iterations = round.response.iterations;
        sums.rounds += 1;
        sums.iterations += iterations;
        sums.most_iterations = sums.most_iterations.max(iterations);
        sums.time += round.cost;
        let class = [10, 25, 50, 100].iter().position(|most| iterations <= *most).unwrap_or(4);
        sums.classes[class] += 1;
    }
    Ok(())
}
