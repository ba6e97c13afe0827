//! What hysteresis does and costs: the virtual Kawabata test, W fig. 4.7 and 4.14 as numbers, and table 4.1.
//!
//! Rewrites `bench/hysteresis.md`. Times are CPU seconds on one thread.

mod costs;

use costs::{CANDIDATES, Candidate, cost, costs, simulated};
use glam::DVec3;
use muslin::{
    Material,
    dynamics::{
        System,
        forces::{
            Force, HingeLaw, Hinges, Hysteresis, Layout, Rate, RememberingHinges,
            memory::{BendingLaw, RestShape as HingesAtRest, curvature},
        },
    },
    kes_bending::BendingTest,
    model::parallel,
    sim::scene::{BendMemory, BendModel, RestShape},
};
use std::{error::Error, fmt::Write, fs, hint::black_box, path::Path, time::Instant};

/// Evaluations of the bending component of which the fastest counts.
const REPEATS: usize = 40;
/// Vertices along each side of W's sheet: 18 000 triangles.
const RESOLUTION: usize = 96;

fn main() -> Result<(), Box<dyn Error>> {
    let mut page = String::from(
        "# Bending hysteresis\n\n`cargo xtask bench hysteresis` renews this page.\n\n## The virtual Kawabata test\n\nDenim D of the \
         Kawabata values of 2016 (B = 1.4416e-5 N·m, 2HB = 1.3827e-3 N, K₀ = 50 1/m assumed), to ±2.5 cm⁻¹ and back. Area is the \
         loop's by trapezia, over the closed form 2·2HB·(K_m − ⅔K₀); lost is what the energy balance counts, over the \
         same.\n\n| hinges | steps | B found | 2HB found | area | lost |\n|---|---|---|---|---|---|\n",
    );
    kawabata(&mut page)?;
    figures(&mut page)?;
    let above = costs(&mut page)?;
    thesis_table(&mut page)?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/hysteresis.md");
    fs::write(&path, page)?;
    match above.is_empty() {
        true => Ok(()),
        false => Err(format!("hysteresis costs too much more per step than plain hinges: {}", above.join("; ")).into()),
    }
}

fn remembering(substeps: u32) -> BendModel {
    BendModel::Remembering { memory: BendMemory::Hysteresis, rest: RestShape::Flat, substeps }
}

fn kawabata(page: &mut String) -> Result<(), Box<dyn Error>> {
    let (b, width, transition) = (1.4416e-5, 1.3827e-3, 50.0);
    let material = Material {
        bend_warp: b.into(),
        bend_weft: b.into(),
        bend_bias: b.into(),
        bend_hysteresis: width.into(),
        bend_transition: transition.into(),
        ..Material::woven_cotton()
    };
    let exact = 2.0 * width * (250.0 - 2.0 * transition / 3.0);
    for (hinges, steps) in [(5, 100), (10, 100), (20, 100), (10, 200), (10, 400)] {
        let found = BendingTest { hinges, steps, ..BendingTest::new(material.clone(), remembering(0)) }.run()?;
        let row = format!(
            "| {hinges} | {steps} | {:.5e} | {:.5e} | {:.5} | {:.5} |",
            found.rigidity(),
            found.hysteresis(),
            found.area() / exact,
            found.lost / exact
        );
        println!("{row}");
        writeln!(page, "{row}")?;
    }
    Ok(())
}

/// W's figures with W's constants and units.
fn figures(page: &mut String) -> Result<(), Box<dyn Error>> {
    let law = Hysteresis { crease: 0.1, ..Hysteresis::of_thesis(0.76, 0.26, -0.38) };
    page.push_str(
        "\n## W fig. 4.7\n\nMoments of one hinge at the turns of partial cycles, b₁ = 0.76, b₂ = 0.26, c₁ = −0.38; (c) without residual \
         curvature, (d) with λ = 0.1, where K counts from the first rest shape.\n\n| K | M (c) | M (d) | residual (d) |\n|---|---|---|---|\n",
    );
    let plain = Hysteresis { crease: 0.0, ..law };
    let (mut c, mut d) = (plain.untouched(0.0), law.untouched(0.0));
    for k in [0.5, 0.2, 1.6, 1.1, 2.2, 1.4, 2.5, 0.3, 2.5] {
        plain.commit(&mut c, 1.0, k);
        law.commit(&mut d, 1.0, k);
        writeln!(page, "| {k} | {:.4} | {:.4} | {:.4} |", plain.moment(&c, 1.0), law.moment(&d, 1.0), d.rest)?;
    }
    let law = Hysteresis { crease: 0.15, fatigue: 0.1, ..Hysteresis::of_thesis(5.20, 2.51, -4.45) };
    page.push_str(
        "\n## W fig. 4.14\n\nOne hinge bent by 1.2 from its rest shape and let go until its moment vanishes, again and again: b₁ = 5.20, b₂ = 2.51, \
         c₁ = −4.45, λ = 0.15, µ = 0.1. W's own curves begin with 5.2 and 0.41 and end with 2.51, 0 and a lasting angle.\n\n| cycles | initial \
         stiffness b₁ | coercive couple M₀ | residual angle |\n|---|---|---|---|\n",
    );
    let mut crease = law.untouched(0.0);
    for cycle in 0..=60 {
        if [0, 1, 2, 3, 5, 10, 20, 40, 60].contains(&cycle) {
            let couple = law.friction * crease.fresh * crease.fresh;
            writeln!(page, "| {cycle} | {:.3} | {couple:.4} | {:.4} |", law.initial_rigidity(&crease), crease.rest)?;
        }
        let rest = crease.rest;
        law.commit(&mut crease, 1.0, rest + 1.2);
        while law.moment(&crease, 1.0) > 0.0 && curvature(&crease, 1.0) > -1.0 {
            let angle = crease.angle - 1e-4;
            law.commit(&mut crease, 1.0, angle);
        }
    }
    Ok(())
}

/// Seconds of the bending component of a step: α evaluations of a force with the short steps that they drive, and what it remembers. The
/// fastest of many.
fn component(system: &mut System, positions: &[DVec3], velocities: &[DVec3], alpha: usize) -> f64 {
    let step = 1.0 / 240.0 / alpha as f64;
    let mut forces = vec![DVec3::ZERO; positions.len()];
    let first = system.first_creases(positions);
    let mut creases = first.clone();
    let mut fastest = f64::INFINITY;
    for _ in 0..REPEATS {
        let (mut x, mut v) = (positions.to_vec(), velocities.to_vec());
        // Each commits the same bend.
        creases.copy_from_slice(&first);
        system.recall(&creases);
        let begun = Instant::now();
        for _ in 0..alpha {
            system.force(&x, &v, &mut forces);
            for (i, force) in forces.iter().enumerate() {
                v[i] += *force * (step / system.masses[i]);
                x[i] += v[i] * step;
            }
        }
        if !creases.is_empty() {
            system.remember(&x, &mut creases);
        }
        fastest = fastest.min(begun.elapsed().as_secs_f64());
        black_box(&x);
    }
    fastest
}

/// W table 4.1: the bending component of a step with two rates, and its part of the step.
fn thesis_table(page: &mut String) -> Result<(), Box<dyn Error>> {
    page.push_str(
        "\n## W table 4.1\n\nThe bending component of a step, in milliseconds and as a part of the step, with α explicit steps of bending \
         within each step of `linear-backward-euler`: forces of all hinges, the short steps, and Commit of what they remember, `hang` at 96 × 96 (18 050 triangles), pushed, 1/240 s, the fastest of \
         many evaluations; the rest of the step is that of the same sheet without bending. Without: plain hinges. W's numbers (GTX 470, 18 000 \
         triangles) for comparison.\n\n| | α = 1 | α = 2 | α = 3 |\n|---|---|---|---|\n",
    );
    let settings = [
        format!("resolution={RESOLUTION}"),
        "settings.integrator=linear-backward-euler".into(),
        "settings.step=1/240".into(),
        "cloth.0.velocity=[0.5, 0.8, 0.6]".into(),
    ];
    let rest = cost(&simulated("hang", Candidate { bend: "none", ..CANDIDATES[0] }, &settings, 1)?).per_step();
    let sheet = simulated("hang", CANDIDATES[3], &settings, 1)?;
    let (model, state) = (sheet.model(), sheet.state());
    let faces: Vec<u32> = (0..model.mesh.triangles.len() as u32).collect();
    let plain = |layout: &Layout| Box::new(Hinges::new(model, &faces, HingeLaw::Angle, layout)) as Box<dyn Force>;
    let remembering = |layout: &Layout| {
        let hinges = RememberingHinges::<Hysteresis>::new(model, &faces, HingesAtRest::Flat, Rate::Explicit, layout);
        Box::new(hinges) as Box<dyn Force>
    };
    type Build<'a> = &'a dyn Fn(&Layout) -> Box<dyn Force>;
    let kinds: [(&str, Build); 2] = [("without", &plain), ("with", &remembering)];
    for (name, force) in kinds {
        let mut system = System::new(model, |layout| vec![force(layout)]);
        let (mut x, mut v) = (Vec::new(), Vec::new());
        system.gather(&state.positions, &mut x);
        system.gather(&state.velocities, &mut v);
        let cells = [1, 2, 3].map(|alpha| {
            let time = parallel::with_threads(1, || component(&mut system, &x, &v, alpha));
            format!("{:.2} ms, {:.1} %", 1e3 * time, 100.0 * time / (time + rest))
        });
        let row = format!("| {name} | {} |", cells.join(" | "));
        println!("{row}");
        writeln!(page, "{row}")?;
    }
    page.push_str(
        "| W, without | 1.35 ms, 11.4 % | 2.70 ms, 20.5 % | 4.04 ms, 27.9 % |\n| W, with | 2.04 ms, 16.3 % | 4.07 ms, 28.0 % | 6.10 ms, 36.9 % |\n",
    );
    Ok(())
}
