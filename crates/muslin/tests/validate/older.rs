//! The older mechanisms of V 7.2.4 and 7.4–7.6 in their scenes: what the thesis says of its figures, as numbers.

use crate::{frames, simulation};
use glam::DVec3;
use muslin::Simulation;
use muslin_model::parallel;

/// Faces of a cloth of a scene whose normal has turned against that of the start, in the plane y = 0.
fn turned(simulation: &Simulation, body: usize, positions: &[DVec3]) -> usize {
    let model = simulation.model();
    let facing = |x: &[DVec3], face: usize| {
        let [a, b, c] = model.mesh.triangles[face].map(|v| x[v as usize]);
        (b - a).cross(c - a).y
    };
    let faces = model.bodies[body].triangles.clone();
    faces.filter(|&face| facing(positions, face) * facing(&model.mesh.positions, face) <= 0.0).count()
}

#[test]
fn a_struck_particle_goes_through_its_neighbours_and_with_force_transfer_it_does_not() {
    // V fig. 7.31. Cloths: coarse, coarse with transfer, fine, fine with transfer.
    println!("strike: most faces turned over, without and with transfer, coarse and fine");
    for strike in [2, 4, 6, 8, 10, 20, 40, 80] {
        let mut simulation = simulation("v-7-transfer", &[&format!("strike={strike}")]);
        let mut most = [0; 4];
        for x in frames(&mut simulation) {
            assert!(x.iter().all(|p| p.y == 0.0), "all of it happens in the plane");
            (0..4).for_each(|body| most[body] = most[body].max(turned(&simulation, body, &x)));
        }
        println!("{strike} c: {} and {}, {} and {}", most[0], most[1], most[2], most[3]);
        assert!(most[0] > 0 && most[2] > 0, "V's left pictures");
        // A weak strike has too little excess to set the particles in front in motion; fewer faces turn over all the same.
        assert!(most[1] <= most[0] && most[3] <= most[2]);
        // One that would carry all in front too far is beyond it.
        assert!((most[1] == 0 && most[3] == 0) || strike < 10 || (strike > 40 && most[1] < 5), "V's right pictures");
    }
}

/// The largest number of faces that are turned over in a frame, of each cloth.
fn most_turned(settings: &[&str]) -> [usize; 4] {
    let mut simulation = simulation("v-7-transfer", settings);
    let all = frames(&mut simulation);
    std::array::from_fn(|body| all.iter().map(|x| turned(&simulation, body, x)).max().unwrap())
}

#[test]
fn a_weak_strike_is_shared_if_less_counts_as_too_far() {
    for strike in ["strike=2", "strike=4", "strike=6", "strike=8"] {
        let most = most_turned(&[strike, "reach=0.05"]);
        println!("{strike} with a reach of 0.05 edges: {most:?}");
        assert!(most[0] > 0 && most[2] > 0 && most[1] == 0 && most[3] == 0);
    }
}

/// The default model and its scheme for some cloths of a scene.
fn modern(cloths: usize) -> Vec<String> {
    let of = |k: usize| [format!("cloth.{k}.stretch=membrane"), format!("cloth.{k}.bend=curvature")];
    let mut settings: Vec<String> = (0..cloths).flat_map(of).collect();
    settings.push("settings.integrator=backward-euler".into());
    settings
}

#[test]
fn the_default_model_is_struck_without_crossovers_and_without_a_mechanism() {
    let settings = modern(4);
    for strike in ["strike=10", "strike=80"] {
        let all: Vec<&str> = settings.iter().map(String::as_str).chain([strike]).collect();
        let most = most_turned(&all);
        println!("default model, {strike}: {most:?}");
        assert_eq!(most, [0; 4]);
    }
}

#[test]
fn the_default_model_curves_and_realigns_by_itself() {
    // The cloth of fig. 7.54–7.59 with a perturbation, which a perfect symmetry needs, and no limiter. At the end its corners stand 1 m
    // further apart than at rest, and its row is off the line by less than 1 % of its length.
    let mut settings = modern(2);
    settings
        .extend(["cloth.0.perturbation=0.01", "cloth.1.perturbation=0.01", "settings.limiter=none"].map(String::from));
    let all = frames(&mut simulation("v-7-realignment", &settings.iter().map(String::as_str).collect::<Vec<_>>()));
    let row = |frame: usize, i: usize| all[frame][8 * i + 7];
    let sag = |frame: usize| {
        let line = |i: usize| row(frame, 0).lerp(row(frame, 7), i as f64 / 7.0);
        (1..7).map(|i| line(i).distance(row(frame, i))).fold(0.0, f64::max)
    };
    let depth = |frame: usize| all[frame].iter().map(|p| p.y.abs()).fold(0.0, f64::max);
    println!(
        "default model: {:.2} m deep at 15 s; off its line {:.2} m at 15 s, {:.3} m at 28 s, {:.3} m at 40 s",
        depth(150),
        sag(150),
        sag(280),
        sag(400)
    );
    assert!(depth(150) > 1.0 && sag(150) > 5.0 && sag(280) < 0.5 && sag(400) < 0.5);
}

/// Out-of-plane places of the rows of a square cloth of `side` particles, from the top [m].
fn rows(positions: &[DVec3], first: usize, side: usize) -> Vec<Vec<f64>> {
    (0..side).rev().map(|j| (0..side).map(|i| positions[first + i * side + j].y).collect()).collect()
}

/// Curves of a row: arcs to one side, told by second differences beyond a part of an edge [m].
fn arcs(row: &[f64], least: f64) -> usize {
    let bends = row.windows(3).map(|w| w[0] - 2.0 * w[1] + w[2]).filter(|bend| bend.abs() > least);
    let sides: Vec<bool> = bends.map(|bend| bend > 0.0).collect();
    if sides.is_empty() { 0 } else { 1 + sides.windows(2).filter(|w| w[0] != w[1]).count() }
}

#[test]
fn corners_brought_together_curve_the_cloth_and_the_strict_theta_rule_makes_more_and_smaller_curves() {
    // V fig. 7.35–7.38: strict and relaxed, 8 × 8 and 16 × 16.
    let end = frames(&mut simulation("v-7-curves", &[])).pop().unwrap();
    let firsts = [(0, 8), (64, 8), (128, 16), (384, 16)];
    let [strict, relaxed, fine_strict, fine_relaxed] = firsts.map(|(first, side)| {
        let rows = rows(&end, first, side);
        let edge = 35.0 / (side - 1) as f64;
        let curves: usize = rows.iter().map(|row| arcs(row, 0.02 * edge)).sum();
        let depth = rows.iter().flatten().map(|y| y.abs()).fold(0.0, f64::max);
        println!("{side}: {:.2} curves a row, {depth:.2} m deep", curves as f64 / side as f64);
        (curves, depth)
    });
    assert!(fine_strict.0 > fine_relaxed.0 && fine_strict.1 < fine_relaxed.1, "more but smaller curves");
    assert!([strict, relaxed, fine_strict, fine_relaxed].iter().all(|(_, depth)| *depth > 1.0));
    // V fig. 7.33: without it nothing leaves the plane.
    let flat = frames(&mut simulation("v-7-curves", &["curve=0"])).pop().unwrap();
    assert!(flat.iter().all(|p| p.y == 0.0) && strict.0 > 0 && relaxed.0 > 0);
}

#[test]
fn a_diagonal_between_held_corners_keeps_its_line_by_the_mass_constraint() {
    // V fig. 7.52 and 7.53: particles 7, 14, … 56 on the diagonal of 8 × 8, held at both ends.
    let end = frames(&mut simulation("v-7-orthogonal", &[])).pop().unwrap();
    let sag = |cloth: usize| {
        let at = |i: usize| end[64 * cloth + 7 * (i + 1)];
        (1..7).map(|i| at(0).lerp(at(7), i as f64 / 7.0).z - at(i).z).fold(0.0, f64::max)
    };
    let (original, resisting) = (sag(0), sag(1));
    println!("sag of a diagonal of 49.5 m after 20 s: {original:.2} m, with the mass constraint {resisting:.2} m");
    assert!(original > 8.0 && resisting < 0.25 * original);
    // The resistance is least in the middle, and V's least value for a line of length 1 is scaled by the cube of the length.
    let weak = frames(&mut simulation("v-7-orthogonal", &["resistance=1000"])).pop().unwrap();
    let middle = weak[64 + 7].lerp(weak[64 + 56], 3.0 / 7.0).z - weak[64 + 28].z;
    assert!(middle > 0.9 * original, "{middle}");
}

#[test]
fn a_top_row_that_was_brought_together_comes_back_only_with_realignment() {
    // V fig. 7.54–7.56 and 7.59: both corners inwards until 15 s, then back and a little further by 28 s.
    let all = frames(&mut simulation("v-7-realignment", &[]));
    let sag = |frame: usize, cloth: usize| {
        let at = |i: usize| all[frame][64 * cloth + 8 * i + 7];
        let line = |i: usize| at(0).lerp(at(7), i as f64 / 7.0);
        (1..7).map(|i| line(i).distance(at(i))).fold(0.0, f64::max)
    };
    println!("largest distance of a top row of 35 m from its line, without and with realignment:");
    for second in [15, 18, 22, 26, 28, 30, 40] {
        println!("{second} s: {:.2} m, {:.2} m", sag(10 * second, 0), sag(10 * second, 1));
    }
    assert!(sag(150, 0) > 5.0 && sag(150, 1) > 5.0, "curved in both while the corners are together");
    assert!(sag(280, 0) > 2.0 && sag(400, 0) > 1.0, "V: excessively slow, and not satisfactory");
    assert!(sag(300, 1) < 0.5 && sag(400, 1) < 0.1);
}

/// Bends of the rows of a strip of 16 × 5 across each inner column, largest first: column and angle [°].
fn sharpest(positions: &[DVec3]) -> Vec<(usize, f64)> {
    let bend = |i: usize| {
        let one = |j: usize| {
            let at = |k: usize| positions[5 * k + j];
            (at(i) - at(i - 1)).angle_between(at(i + 1) - at(i)).to_degrees()
        };
        (0..5).map(one).sum::<f64>() / 5.0
    };
    let mut bends: Vec<(usize, f64)> = (1..15).map(|i| (i, bend(i))).collect();
    bends.sort_by(|a, b| b.1.total_cmp(&a.1));
    bends
}

#[test]
fn a_crease_comes_back_where_it_was_and_without_memory_it_does_not() {
    // V 7.6.3: folded by 120° along the sixth column, flattened, compressed.
    let all = frames(&mut simulation("v-7-wrinkles", &[]));
    let strips = |frame: usize| [sharpest(&all[frame][..80]), sharpest(&all[frame][80..])];
    for (frame, what) in [(40, "folded"), (90, "flattened"), (171, "compressed"), (215, "more"), (300, "and later")] {
        let [forgetful, remembering] = strips(frame);
        println!("{what}: without memory {:.1?}, with {:.1?}", &forgetful[..2], &remembering[..2]);
    }
    let fold = |frame: usize, strip: usize| strips(frame)[strip].iter().find(|(i, _)| *i == 5).unwrap().1;
    assert!([0, 1].iter().all(|strip| (fold(40, *strip) - 120.0).abs() < 1e-6 && fold(90, *strip) < 1e-6));
    // While it is compressed by the first 5 %: the sharpest bend is the old one, and in the other strip there is none.
    let [forgetful, remembering] = strips(171);
    assert!(remembering[0].0 == 5 && remembering[0].1 > 1.5 * remembering[1].1, "{remembering:?}");
    assert!(forgetful[0].0 != 5 && fold(171, 0) < 0.2 * fold(171, 1), "{forgetful:?}");
    assert!(strips(300)[1][0].0 == 5 && strips(300)[0][0].0 != 5);
}

/// How far each inner column of the second piece of `v-7-undulations` stands above the mean of its neighbours [m].
fn crests(positions: &[DVec3]) -> Vec<f64> {
    let height = |i: usize| (0..7).map(|j| positions[112 + 7 * i + j].z).sum::<f64>() / 7.0;
    (1..15).map(|i| height(i) - 0.5 * (height(i - 1) + height(i + 1))).collect()
}

/// Whether crests and troughs are where the scene's lines are: columns 3, 5, 7 and 9; the fifth line runs aslant.
fn undulates(positions: &[DVec3]) -> bool {
    let crests = crests(positions);
    [(3, 1.0), (5, -1.0), (7, 1.0), (9, -1.0)].iter().all(|(column, sign)| {
        let here = sign * crests[column - 1];
        here > 0.1 && here > 2.0 * (sign * crests[column - 2]).max(sign * crests[*column])
    })
}

#[test]
fn a_pattern_of_wrinkles_makes_undulations_and_the_drape_of_that_run_makes_them_again() {
    // V fig. 7.60 and 7.61: the first source of memories, given by the user.
    let all = frames(&mut simulation("v-7-undulations", &[]));
    let end = &all[all.len() - 1];
    println!("{:.2?}", crests(end));
    assert!(end[..112].iter().all(|x| x.z == 0.0), "the other piece stays flat");
    assert!(undulates(end), "{:?}", crests(end));
    // The third: a shape in which a run ended, as a file.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("drape.obj");
    let mut text: String = end[112..].iter().map(|x| format!("v {} {} {}\n", x.x, x.y, x.z)).collect();
    text += "f 1 8 9\n";
    std::fs::write(&file, text).unwrap();
    let drape = format!("cloth.1.wrinkle_drape={}", file.display());
    let stretch = |degrees: usize| {
        format!(
            "cloth.1.stretch={{ kind = \"grid-springs\", constants = [0.005, 0.005], wrinkle_memory = 0.001, wrinkle_degrees = {degrees} }}"
        )
    };
    let settings = [drape.as_str(), &stretch(10), "cloth.1.wrinkle=[]"];
    let again = frames(&mut simulation("v-7-undulations", &settings));
    println!("{:.2?}", crests(&again[again.len() - 1]));
    assert!(undulates(&again[again.len() - 1]), "{:?}", crests(&again[again.len() - 1]));
    // Without either there are none.
    let nothing = frames(&mut simulation("v-7-undulations", &[&stretch(179), "cloth.1.wrinkle=[]"]));
    assert!(!undulates(&nothing[nothing.len() - 1]));
    // A drape with no bend that is sharp enough, and a line beside the cloth, are refused.
    let refusal = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
        let scene = muslin::load("v-7-undulations", &settings).unwrap().scene;
        Simulation::new(&scene).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let flat = refusal(&[&drape, &stretch(170), "cloth.1.wrinkle=[]"]);
    assert!(flat.contains("only bends beyond 170° are remembered"), "{flat}");
    let beside = refusal(&["cloth.1.wrinkle=[{ from = [40, -7], to = [40, 7], degrees = 30 }]"]);
    assert!(beside.contains("wrinkle 0") && beside.contains("crosses no row"), "{beside}");
    std::fs::write(&file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let short = muslin::load("v-7-undulations", &settings.map(String::from)).err().unwrap().to_string();
    assert!(short.contains("has 3 vertices, but the cloth has 112"), "{short}");
}

fn run(scene: &muslin::Scene, frames: usize) -> Simulation {
    let mut simulation = Simulation::new(scene).unwrap();
    (0..frames).for_each(|_| drop(simulation.next_frame().unwrap()));
    simulation
}

const SCENES: [(&str, usize); 6] = [
    ("v-7-transfer", 8),
    ("v-7-curves", 60),
    ("v-7-orthogonal", 30),
    ("v-7-realignment", 300),
    ("v-7-wrinkles", 200),
    ("v-7-undulations", 60),
];

#[test]
fn older_mechanisms_have_the_same_bits_on_one_thread_and_two_and_after_a_resume() {
    for (name, frames) in SCENES {
        let scene = muslin::load(name, &[]).unwrap().scene;
        let [one, two] = [1, 2].map(|threads| parallel::with_threads(threads, || run(&scene, frames).state().clone()));
        assert!(one == two, "{name} on two threads");
        let mut resumed = Simulation::new(&scene).unwrap();
        resumed.restore(&run(&scene, frames / 2).save()).unwrap();
        (frames / 2..frames).for_each(|_| drop(resumed.next_frame().unwrap()));
        assert!(one == *resumed.state(), "{name} resumed");
        let remembers = one.creases.iter().any(|c| c.rest.abs() > 1.0);
        assert_eq!(remembers, ["v-7-wrinkles", "v-7-undulations"].contains(&name), "{name}");
    }
}

#[test]
fn the_work_of_older_mechanisms_is_in_the_energy_balance() {
    // What is left over is the scheme's; forces that switch keep it from vanishing with the step. (Force transfer is a matter of
    // long steps: there is none in short ones.)
    let spans =
        [("v-7-curves", 0, 60), ("v-7-orthogonal", 0, 30), ("v-7-realignment", 0, 60), ("v-7-wrinkles", 100, 200)];
    for (name, first, last) in spans {
        let mut settings = vec!["step=0.001".to_string(), "settings.limiter=none".into()];
        if name == "v-7-orthogonal" {
            // Weak enough for its line to move, and so to do work.
            settings.push("resistance=20000".into());
        }
        let mut simulation = run(&muslin::load(name, &settings).unwrap().scene, first);
        let accounts = |s: &Simulation| {
            let work = s.tally().work;
            [s.energy().total(), work.total(), work.damping + work.pins, work.drag]
        };
        let before = accounts(&simulation);
        (first..last).for_each(|_| drop(simulation.next_frame().unwrap()));
        let after = accounts(&simulation);
        let [gained, work, mechanical, drag] = std::array::from_fn(|k| after[k] - before[k]);
        let size = mechanical.abs() + drag.abs();
        let (left, without) = ((gained - work).abs() / size, mechanical.abs() / size);
        println!("{name}: {left:.5} of all work is left over, {without:.3} would be without damping and pins");
        assert!(left < 0.005 && without > 0.02, "{name}");
    }
}

#[test]
fn older_mechanisms_on_a_cloth_of_many_domains_have_the_same_bits_on_any_number_of_threads() {
    let grid = "cloth.1.shape={ kind = \"grid\", size = [350, 350], vertices = [71, 71] }";
    let stretch = "cloth.1.stretch={ kind = \"grid-springs\", constants = [0.005, 0.005], curve = 0.5, curve_range = 12, \
                   force_transfer = true, orthogonal_resistance = 1e6, realignment = 4, wrinkle_memory = 0.001, wrinkle_degrees = 5 }";
    let load = "cloth.1.load=[{ vertices = [2500], force = [0, 30, -20] }]";
    let scene = muslin::load("v-7-realignment", &[grid.into(), stretch.into(), load.into()]).unwrap().scene;
    let [one, three] = [1, 3].map(|threads| parallel::with_threads(threads, || run(&scene, 12).state().clone()));
    assert!(one == three && one.creases.iter().any(|c| c.rest != 0.0));
}

#[test]
fn implicit_schemes_are_refused_with_the_schemes_that_serve() {
    for key in
        ["force_transfer = true", "curve = 1", "orthogonal_resistance = 1", "realignment = 3", "wrinkle_memory = 1"]
    {
        for integrator in ["backward-euler", "linear-backward-euler", "bdf2", "baraff-witkin", "explicit-implicit"] {
            let settings = [
                format!("settings.integrator={integrator}"),
                format!("cloth.0.stretch={{ kind = \"grid-springs\", {key} }}"),
            ];
            let scene = muslin::load("v-7-stretch", &settings).unwrap().scene;
            let error = Simulation::new(&scene).err().unwrap_or_else(|| panic!("{key} under {integrator}")).to_string();
            let name = key.split(' ').next().unwrap();
            assert!(error.contains(&format!("`{name}`")) && error.contains("symplectic-euler"), "{error}");
        }
    }
}
