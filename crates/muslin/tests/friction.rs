//! Laws of friction in whole runs: cards on inclines, a slider on a spring, against closed forms; energy, threads, resuming.

use glam::DVec3;
use muslin::{
    card::{CARDS, CardPoint, exact, play},
    load,
    model::{FrictionLaw, Stribeck, Viscous, parallel::with_threads},
    sim::Simulation,
    slider,
};

/// The laws of the cards of W table 7.1.
fn laws() -> [FrictionLaw; 4] {
    let stiction = FrictionLaw { kinetic: 0.1, sticking: 0.2, stribeck: None, viscous: None };
    let stribeck = FrictionLaw { stribeck: Some(Stribeck { speed: 0.4, exponent: 0.2 }), ..stiction };
    let viscous = Some(Viscous { coefficient: 0.0, force: 6e-5, exponent: 1.0 });
    [FrictionLaw::coulomb(0.1), stiction, stribeck, FrictionLaw { viscous, ..stribeck }]
}

/// Mass of a card over its vertices, each of which is one contact [kg].
const VERTEX: f64 = 0.25 * 0.1 * 0.07 / 48.0;

/// Ways to handle friction: settings of the scenes.
const LINEAR: &[&str] = &["integrator=linear-backward-euler"];
const SOLVED: &[&str] = &["integrator=backward-euler"];
const FILTER: &[&str] = &["method=bridson"];
const CONSTRAINTS: &[&str] = &["method=constraints", "integrator=baraff-witkin"];

fn played(way: &[&str], settings: &[&str]) -> [Vec<CardPoint>; 4] {
    play(&[way, settings].concat()).unwrap_or_else(|error| panic!("{way:?} {settings:?}: {error}"))
}

#[test]
fn cards_follow_the_analytic_solution_at_three_tenths() {
    for (way, step, most) in [
        (LINEAR, "step=1/60", 0.025),
        (LINEAR, "step=1/240", 0.01),
        (SOLVED, "step=1/60", 0.025),
        (FILTER, "step=1/240", 0.01),
        (CONSTRAINTS, "step=1/60", 0.025),
        (CONSTRAINTS, "step=1/240", 0.01),
    ] {
        let courses = played(way, &[step]);
        for (k, law) in laws().iter().enumerate() {
            let times: Vec<f64> = courses[k].iter().map(|point| point.time).collect();
            let course = exact(law, 0.3, VERTEX, &times);
            let (last, end) = (courses[k][courses[k].len() - 1], course[course.len() - 1]);
            let (way_off, speed_off) = (last.displacement / end.displacement - 1.0, last.velocity / end.velocity - 1.0);
            assert!(way_off.abs() < most && speed_off.abs() < 0.5 * most, "{way:?} {step} {}", CARDS[k]);
            assert!((last.friction - end.friction).abs() < 0.02 * end.friction, "{way:?} {step} {}", CARDS[k]);
        }
    }
}

#[test]
fn cards_rest_below_static_friction_and_slide_above_it() {
    for (way, step) in [
        (LINEAR, "step=1/60"),
        (LINEAR, "step=1/500"),
        (SOLVED, "step=1/60"),
        (FILTER, "step=1/60"),
        (CONSTRAINTS, "step=1/60"),
    ] {
        // Coulomb's card has its own coefficient, the three others hold up to twice as much.
        for (slope, moving) in [
            ("slope=0.099", [false; 4]),
            ("slope=0.101", [true, false, false, false]),
            ("slope=0.198", [true, false, false, false]),
            ("slope=0.202", [true; 4]),
        ] {
            // What the full solve leaves by default is ten times the pull beyond the limit.
            let residual =
                if way == SOLVED { "settings.newton.residual=1e-3" } else { "settings.newton.residual=1e-2" };
            let courses = played(way, &[slope, step, "duration=2.2", residual]);
            for k in 0..4 {
                let (middle, last) = (courses[k][60], courses[k][120]);
                let moved = last.displacement - middle.displacement;
                assert_eq!(moved > 1e-5, moving[k], "{way:?} {slope} {}: {moved} m", CARDS[k]);
                // What moves has gone at least as far as Stribeck's law lets it: 1 % beyond the limit is slow at first.
                assert!(!moving[k] || last.velocity > 5e-3, "{way:?} {slope} {}", CARDS[k]);
            }
        }
    }
}

#[test]
fn viscosity_ends_at_the_terminal_speed() {
    // tan θ = µ_c + F_v v/N once Stribeck's part is gone: with δ_S = 2 it is.
    // h F_v/m is 0.46, 4.6 and 46. The filter is right to a thousandth of what gravity adds in a step, which is 70 times the last speed.
    let ways = [LINEAR, SOLVED, CONSTRAINTS, FILTER].into_iter();
    for (way, force) in ways.flat_map(|way| [1e-3, 1e-2, 1e-1].map(|force| (way, force))) {
        if way == FILTER && force > 0.05 {
            continue;
        }
        let load = VERTEX * 9.81 / 1.09f64.sqrt();
        let terminal = (0.3 - 0.1) * load / force;
        let scale = format!("stribeck_speed={}", 0.1 * terminal);
        // The full solve ends at a residual of 0.01 weights by default: far more than what the law itself is to be right to.
        let force_setting = format!("viscous_force={force}");
        let mut settings = vec![force_setting.as_str(), "stribeck_exponent=2", &scale, "duration=1.7"];
        settings.extend((way == SOLVED).then_some("settings.newton.residual=1e-6"));
        let courses = played(way, &settings);
        let found = courses[3][courses[3].len() - 1].velocity;
        println!("{way:?} with {force}: {found} and {terminal}");
        let limit = if way == FILTER { 0.01 } else { 1e-6 };
        assert!((found / terminal - 1.0).abs() < limit, "{way:?} with {force}: {found} and {terminal}");
    }
}

#[test]
fn a_slider_on_a_spring_sticks_and_slips_with_the_period_of_the_closed_form() {
    let period = slider::period(0.3, 0.1);
    for way in [LINEAR, FILTER, CONSTRAINTS] {
        let mut simulation = slider::slider(way).unwrap_or_else(|error| panic!("{way:?}: {error}"));
        let (mut starts, mut moving) = (Vec::new(), false);
        for frame in 1..=480 {
            simulation.next_frame().unwrap_or_else(|error| panic!("{error}"));
            let speed = simulation.state().velocities[20].x;
            if speed > 0.05 && !moving {
                starts.push(f64::from(frame) / 60.0);
            }
            moving = if moving { speed > 0.01 } else { speed > 0.05 };
        }
        assert_eq!(starts.len(), 3, "{way:?}: {starts:?}");
        let first = slider::first_slip(0.4, 0.1);
        assert!((starts[0] - first).abs() < 0.06, "{way:?}: it first slips at {} s, not at {first}", starts[0]);
        for pair in starts.windows(2) {
            assert!(((pair[1] - pair[0]) / period - 1.0).abs() < 0.03, "{way:?}: {starts:?}, period {period}");
        }
    }
}

/// The small version of a scene of W 7, with a law and a way.
fn small(name: &str, settings: &[&str]) -> Simulation {
    let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    let scene = load(name, &settings).unwrap_or_else(|error| panic!("{error}")).scene;
    Simulation::new(&scene).unwrap()
}

#[test]
fn a_sheet_slides_as_far_in_every_way_to_handle_friction() {
    let meshes = [["resolution=12", "step=1/240"], ["resolution=12", "step=1/60"], ["resolution=20", "step=1/60"]];
    for (law, mesh) in
        ["law=coulomb", "law=stribeck", "law=viscous"].into_iter().flat_map(|law| meshes.map(|mesh| (law, mesh)))
    {
        let ways = [LINEAR, SOLVED, FILTER, CONSTRAINTS].map(|way| {
            let mut simulation = small("w-7-incline", &[way, &["duration=0.6", law], &mesh].concat());
            while simulation.frame() < simulation.frames() {
                simulation.next_frame().unwrap_or_else(|error| panic!("{way:?} {law}: {error}"));
            }
            if way == CONSTRAINTS && mesh == meshes[0] {
                // Most steps are settled by the second solve; unsettled ones take six.
                let (solves, steps) = (simulation.tally().newton_iterations, simulation.state().steps);
                assert!(solves < 2 * steps, "{law}: {solves} solves in {steps} steps");
            }
            // The centre was above the edge of the incline when it began.
            let cloth = simulation.model().cloth_vertices();
            let mass: f64 = simulation.model().masses[cloth.clone()].iter().sum();
            cloth.map(|v| simulation.state().positions[v].x * simulation.model().masses[v]).sum::<f64>() / mass
        });
        println!("{law} {mesh:?}: {ways:?} m");
        let least = ways.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ways.iter().copied().fold(0.0, f64::max);
        assert!(least > 0.1 && most < 1.12 * least, "{law} {mesh:?}: {ways:?}");
    }
}

/// A filter knows of the ground only after the solve, in which what lies there gives way under what hangs to it.
#[test]
fn what_hangs_to_the_ground_does_not_press_it_together_in_any_way_to_handle_friction() {
    for way in [LINEAR, SOLVED, FILTER, CONSTRAINTS] {
        let mut simulation = small("w-7-stick-slip", &[way, &["duration=3"]].concat());
        let model = simulation.model().clone();
        let area = |x: &[DVec3]| -> f64 {
            let faces = &model.mesh.triangles[model.cloth_triangles()];
            faces
                .iter()
                .map(|f| {
                    0.5 * (x[f[1] as usize] - x[f[0] as usize]).cross(x[f[2] as usize] - x[f[0] as usize]).length()
                })
                .sum()
        };
        let flat = area(&simulation.state().positions);
        let mut least = f64::INFINITY;
        while simulation.frame() < simulation.frames() {
            simulation.next_frame().unwrap_or_else(|error| panic!("{way:?}: {error}"));
            least = least.min(area(&simulation.state().positions) / flat);
        }
        let cloth = model.cloth_vertices();
        let centre = cloth.clone().map(|v| simulation.state().positions[v].x).sum::<f64>() / cloth.len() as f64;
        println!("{way:?}: the centre is at {centre} m, the area was {least} of the flat one at least");
        // Where the upper edge has drawn it; flung by what was pressed together it came to 0.56 m.
        assert!((0.28..0.34).contains(&centre), "{way:?}: {centre} m");
        assert!(least > 0.994, "{way:?}: {least}");
    }
}

/// W fig. 7.8: on a ball that turns faster and faster friction that grows with the slip spins the sheet faster. After 1.5 s CSS and CSSV are
/// within 1 % of each other; the ball then turns 2.25 times a second.
#[test]
fn viscosity_spins_a_sheet_on_a_ball_faster() {
    for mesh in ["resolution=16", "resolution=24"] {
        let [c, css, cssv] = ["law=coulomb", "law=stribeck", "law=viscous"].map(|law| {
            let mut simulation = small("w-7-sphere", &[mesh, law, "duration=2"]);
            while simulation.frame() < simulation.frames() {
                simulation.next_frame().unwrap_or_else(|error| panic!("{mesh} {law}: {error}"));
            }
            let (model, state) = (simulation.model(), simulation.state());
            let spin = |v: usize| model.masses[v] * state.positions[v].cross(state.velocities[v]).z;
            let mass: f64 = model.cloth_vertices().map(|v| model.masses[v]).sum();
            model.cloth_vertices().map(spin).sum::<f64>() / mass
        });
        println!("{mesh}: {c} {css} {cssv} m²/s");
        assert!(c < css && css < cssv && cssv > 1.03 * c, "{mesh}: {c} {css} {cssv} m²/s");
    }
}

#[test]
fn friction_takes_energy_and_never_gives_it() {
    let gravity = 9.81 * 0.3 / 1.09f64.sqrt();
    for way in [LINEAR, SOLVED, FILTER, CONSTRAINTS] {
        for (k, course) in played(way, &[]).iter().enumerate() {
            // Kinetic energy and that of the place along the incline, over the mass.
            let energy = |point: &CardPoint| 0.5 * point.velocity * point.velocity - gravity * point.displacement;
            for pair in course.windows(2) {
                let gained = energy(&pair[1]) - energy(&pair[0]);
                assert!(gained < 1e-9, "{way:?} {} at {} s: {gained} J/kg", CARDS[k], pair[1].time);
            }
            assert!(energy(&course[course.len() - 1]) < -0.05, "{way:?} {}: friction took something", CARDS[k]);
        }
    }
}

#[test]
fn laws_give_the_same_bits_on_one_and_two_threads_and_after_a_restart() {
    for (law, way) in ["coulomb", "stiction", "stribeck", "viscous"]
        .into_iter()
        .flat_map(|law| [LINEAR, SOLVED, FILTER, CONSTRAINTS].map(|way| (law, way)))
    {
        let law = format!("law={law}");
        let start = || small("w-7-incline", &[&["resolution=10", law.as_str()], way].concat());
        let bits = |threads: usize| {
            with_threads(threads, || {
                let mut simulation = start();
                (0..45).for_each(|_| _ = simulation.next_frame().unwrap());
                simulation.state().clone()
            })
        };
        let whole = bits(1);
        assert!(whole == bits(2), "{law} {way:?}: two threads differ");
        assert!(
            whole.anchors.iter().any(|anchor| anchor.slip > 0.0) || way == FILTER,
            "{law} {way:?}: something slides"
        );
        let mut first = start();
        (0..25).for_each(|_| _ = first.next_frame().unwrap());
        let archive = first.save();
        let mut second = start();
        second.restore(&archive).unwrap();
        (0..20).for_each(|_| _ = second.next_frame().unwrap());
        assert!(*second.state() == whole, "{law} {way:?}: a restart differs");
    }
}
