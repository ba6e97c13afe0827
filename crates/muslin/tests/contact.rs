//! Contact in whole runs: clean, still where it should be, the same on any number of threads and after a restart.

use glam::DVec3;
use muslin::model::parallel::with_threads;
use muslin::sim::{
    PressingContact, Simulation,
    settings::{BroadPhaseKind, CcdMethod, ContactMethod, IntegratorKind},
};
use muslin::{
    Scene,
    collision::{Surface, intersections},
    load,
};

fn scene(text: &str) -> Scene {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    load(path.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("{error}")).scene
}

fn drape(resolution: usize, step: &str) -> Scene {
    let settings = [format!("resolution={resolution}"), format!("step={step}")];
    load("drape", &settings).unwrap_or_else(|error| panic!("{error}")).scene
}

/// Crossing pairs of a frame, those between obstacles left out: the ball stands clear of the ground.
fn crossings(simulation: &Simulation, frame: &[DVec3]) -> usize {
    let mesh = &simulation.model().mesh;
    let surface = Surface::new(frame.len(), &mesh.triangles).unwrap();
    intersections(&surface, frame).unwrap().len()
}

#[test]
fn a_sheet_falls_onto_a_ball_and_never_through_it() {
    for (step, integrator) in [("1/60", "linear"), ("1/20", "linear"), ("1/60", "solved")] {
        let mut scene = drape(14, step);
        if integrator == "solved" {
            scene.settings.integrator = IntegratorKind::BackwardEuler;
            scene.settings.adaptive = None;
        }
        let mut simulation = Simulation::new(&scene).unwrap();
        let cloth = simulation.model().cloth_vertices();
        let mut lowest = f64::INFINITY;
        for number in 1..=50 {
            let frame = simulation.next_frame().unwrap_or_else(|error| panic!("step {step}: {error}"));
            assert_eq!(crossings(&simulation, &frame), 0, "frame {number}, step {step}");
            // The ball of 0.25 m stands at the origin; its mesh circumscribes it.
            let nearest = frame[cloth.clone()].iter().map(|p| p.length()).fold(f64::INFINITY, f64::min);
            assert!(nearest > 0.25, "frame {number}, step {step}: a vertex is {nearest} m from the centre");
            lowest = frame[cloth.clone()].iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        }
        let tally = simulation.tally();
        assert!(lowest < -0.1, "the corners hang down: {lowest}");
        assert!(tally.contacts > 100 && tally.crossings == 0);
        assert!(tally.min_gap > 0.1 * 0.5e-3, "{}", tally.min_gap);
        assert!(tally.max_strain < 0.05, "{}", tally.max_strain);
    }
}

/// The schemes that solve for contact.
const IMPLICIT: [&str; 2] = ["backward-euler", "linear-backward-euler"];

/// A sheet on a plane under gravity that is tilted by so many degrees.
fn slope(degrees: f64, duration: f64, integrator: &str) -> Scene {
    let (sin, cos) = degrees.to_radians().sin_cos();
    scene(&format!(
        "name = \"slope\"\nduration = {duration}\n[settings]\nintegrator = \"{integrator}\"\ncontact = {{ method = \"implicit\" }}\n\
         [environment]\ngravity = [{}, 0, {}]\n\
         [[cloth]]\nname = \"sheet\"\nshape = {{ kind = \"grid\", size = [0.1, 0.1], vertices = [5, 5] }}\n\
         translation = [0, 0, 0.00049]\n[[obstacle]]\nname = \"ground\"\nshape = {{ kind = \"plane\", size = 3 }}\n",
        9.81 * sin,
        -9.81 * cos
    ))
}

fn middle(simulation: &Simulation) -> DVec3 {
    let cloth = simulation.model().cloth_vertices();
    let count = cloth.len() as f64;
    simulation.state().positions[cloth].iter().sum::<DVec3>() / count
}

#[test]
fn a_sheet_on_a_slope_below_the_angle_of_friction_stays_where_it_is() {
    // tan 10° = 0.176 < 0.3
    for integrator in IMPLICIT {
        let mut simulation = Simulation::new(&slope(10.0, 60.0, integrator)).unwrap();
        let mut after_two_seconds = DVec3::ZERO;
        for frame in 1..=3600 {
            simulation.next_frame().unwrap();
            if frame == 120 {
                after_two_seconds = middle(&simulation);
            }
        }
        let drift = middle(&simulation).distance(after_two_seconds);
        assert!(drift < 1e-5, "{integrator}: it drifts by {drift} m from the second to the sixtieth second");
    }
}

#[test]
fn a_sheet_on_a_steeper_slope_slides_as_coulomb_says() {
    // tan 30° = 0.577 > 0.3: it accelerates at g (sin 30° − 0.3 cos 30°).
    for integrator in IMPLICIT {
        let mut simulation = Simulation::new(&slope(30.0, 0.5, integrator)).unwrap();
        (0..30).for_each(|_| _ = simulation.next_frame().unwrap());
        let angle = 30f64.to_radians();
        let wanted = 0.5 * 9.81 * (angle.sin() - 0.3 * angle.cos()) * 0.5f64.powi(2);
        let slid = middle(&simulation).x;
        // Backward Euler is ahead by half a step's share, 1/30; friction acts from the second step on.
        assert!((slid / wanted - 1.0).abs() < 0.08, "{integrator}: {slid} and {wanted}");
    }
}

#[test]
fn contact_gives_the_same_bits_on_one_and_two_threads_and_after_a_restart() {
    let scene = drape(12, "1/60");
    let hash = |threads| {
        with_threads(threads, || {
            let mut simulation = Simulation::new(&scene).unwrap();
            (0..25).for_each(|_| _ = simulation.next_frame().unwrap());
            simulation.state_hash()
        })
    };
    let one = hash(1);
    assert_eq!(one, hash(2));
    let mut first = Simulation::new(&scene).unwrap();
    (0..17).for_each(|_| _ = first.next_frame().unwrap());
    assert!(!first.state().anchors.is_empty(), "there is something to remember");
    let archive = first.save();
    let mut second = Simulation::new(&scene).unwrap();
    second.restore(&archive).unwrap();
    (0..8).for_each(|_| _ = second.next_frame().unwrap());
    assert_eq!(second.state_hash(), one);
}

#[test]
fn a_sheet_that_starts_within_an_obstacle_is_refused_by_name() {
    let text = "name = \"inside\"\nduration = 1\n[settings]\ncontact = { method = \"implicit\" }\n[[cloth]]\nname = \"sheet\"\n\
                shape = { kind = \"grid\", size = [1, 1], vertices = [5, 5] }\n\
                [[obstacle]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.3, subdivisions = 2 }\n";
    let Err(error) = Simulation::new(&scene(text)) else { panic!("it was accepted") };
    let message = error.to_string();
    assert!(message.contains("`sheet`") && message.contains("`ball`") && message.contains("thickness"), "{message}");
}

#[test]
fn contact_carries_the_weight_of_a_sheet_at_rest() {
    for integrator in IMPLICIT {
        let mut simulation = Simulation::new(&slope(0.0, 3.0, integrator)).unwrap();
        (0..120).for_each(|_| _ = simulation.next_frame().unwrap());
        let cloth = simulation.model().cloth_vertices().end as u32;
        let mut force = DVec3::ZERO;
        for contact in simulation.pressing_contacts() {
            let on_cloth = contact.vertices.iter().zip(contact.forces).filter(|(v, _)| **v < cloth);
            force += on_cloth.map(|(_, force)| force).sum::<DVec3>();
            assert!(contact.gap > 0.0 && contact.gap < 0.5e-3, "{}", contact.gap);
        }
        let weight = 0.2 * 0.1 * 0.1 * 9.81;
        assert!((force - DVec3::Z * weight).length() < 0.01 * weight, "{integrator}: {force} and {weight}");
    }
}

#[test]
fn every_broad_phase_gives_the_same_bits() {
    let run = |kind: BroadPhaseKind| {
        let mut scene = drape(8, "1/30");
        scene.settings.collision.broad_phase = kind;
        let mut simulation = Simulation::new(&scene).unwrap();
        let frames: Vec<Vec<DVec3>> = (0..16).map(|_| simulation.next_frame().unwrap()).collect();
        assert!(simulation.tally().contacts > 0, "{kind}: nothing met");
        let warnings = simulation.warnings();
        assert!(warnings.iter().all(|w| w.contains("one iteration per step")), "{kind}: {warnings:?}");
        frames
    };
    let tree = run(BroadPhaseKind::Tree);
    for kind in BroadPhaseKind::ALL {
        assert!(run(kind) == tree, "{kind} differs from the tree");
    }
}

#[test]
fn a_continuous_test_that_misses_contacts_is_used_and_warned_of() {
    for method in [CcdMethod::Cubic, CcdMethod::Bisection] {
        let mut scene = drape(8, "1/30");
        let mut certified = Simulation::new(&scene).unwrap();
        scene.settings.collision.ccd_method = method;
        let mut simulation = Simulation::new(&scene).unwrap();
        let warnings = simulation.warnings();
        assert!(warnings.len() == 1 && warnings[0].contains(method.name()), "{warnings:?}");
        assert!(warnings[0].contains("not certified"), "{warnings:?}");
        // Both see a contact only when its points come into one plane, not when it comes within its range. A step with
        // contacts that cannot be resolved ends the run.
        let differs = (0..16).any(|_| match (simulation.next_frame(), certified.next_frame()) {
            (Ok(frame), Ok(truth)) => frame != truth,
            (Err(_), Ok(_)) => true,
            (_, Err(error)) => panic!("{error}"),
        });
        assert!(differs, "{} is not used", method.name());
        // Without contact nothing is searched, and there is nothing to warn of.
        scene.settings.contact.method = ContactMethod::None;
        assert_eq!(Simulation::new(&scene).unwrap().warnings(), [""; 0]);
    }
}

#[test]
fn the_height_of_the_draped_sheet_hardly_depends_on_the_step() {
    // Above the ground at −0.6 m: the sheet's mean height at the end of the scene, while its corners still swing, and its lowest
    // point when it hangs still.
    let heights = |step: &str| {
        let mut scene = drape(20, step);
        scene.duration = 6.0;
        let mut simulation = Simulation::new(&scene).unwrap();
        let mut play = |frames: usize| {
            (0..frames)
                .for_each(|_| _ = simulation.next_frame().unwrap_or_else(|error| panic!("step {step}: {error}")));
            let cloth = &simulation.state().positions[simulation.model().cloth_vertices()];
            let lowest = cloth.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
            assert_eq!((simulation.tally().crossings, simulation.tally().scaled_back), (0, 0), "step {step}");
            [middle(&simulation).z + 0.6, lowest + 0.6]
        };
        let [mean, _] = play(120);
        let [_, lowest] = play(240);
        println!("step {step}: mean height {mean:.4} m after 2 s, lowest point {lowest:.4} m after 6 s");
        [mean, lowest]
    };
    let fine = heights("1/200");
    for step in ["1/60", "1/20"] {
        let coarse = heights(step);
        for (coarse, fine) in coarse.into_iter().zip(fine) {
            assert!((coarse / fine - 1.0).abs() < 0.02, "step {step}: {coarse} m, with 1/200 s {fine} m");
        }
    }
}

#[test]
fn every_scene_of_contact_stays_clean_and_keeps_its_claims() {
    for (name, resolution, frames) in [
        ("cube", 14, 60),
        ("torus", 14, 60),
        ("sphere", 8, 60),
        ("rotating-ball", 12, 120),
        ("stack", 4, 120),
        ("funnel", 12, 180),
        ("pinch", 12, 150),
    ] {
        let scene = load(name, &[format!("resolution={resolution}")]).unwrap_or_else(|error| panic!("{error}")).scene;
        let mut simulation = Simulation::new(&scene).unwrap();
        for number in 1..=frames {
            let frame = simulation.next_frame().unwrap_or_else(|error| panic!("{name}: {error}"));
            // Obstacles stand clear of each other, so that every crossing is one of cloth.
            if number % 10 == 0 {
                assert_eq!(crossings(&simulation, &frame), 0, "{name}, frame {number}");
            }
        }
        let tally = simulation.tally();
        assert!(tally.contacts > 100 && tally.crossings == 0, "{name}: {} contacts", tally.contacts);
        assert!(tally.min_gap > 0.1 * 0.5e-3, "{name}: {}", tally.min_gap);
        assert!(tally.max_strain < 0.05, "{name}: {}", tally.max_strain);
        let claimed = scene.claims.max_strain_below.unwrap_or(f64::INFINITY);
        assert!(tally.max_strain < claimed, "{name}: {} is not below {claimed}", tally.max_strain);
    }
}

#[test]
fn twist_is_strained_by_no_more_than_it_claims_on_coarse_and_finer_cloth() {
    for resolution in [12, 24] {
        let scene =
            load("twist", &[format!("resolution={resolution}")]).unwrap_or_else(|error| panic!("{error}")).scene;
        let claimed = scene.claims.max_strain_below.expect("twist claims a strain");
        let mut simulation = Simulation::new(&scene).unwrap();
        for _ in 0..simulation.frames() {
            simulation.next_frame().unwrap_or_else(|error| panic!("{error}"));
        }
        let strain = simulation.tally().max_strain;
        println!("{resolution}: {strain}, claimed {claimed}");
        assert!(strain < claimed && strain > 0.5 * claimed, "{resolution}: {strain}, claimed {claimed}");
        assert!(simulation.is_clean());
    }
}

#[test]
fn contacts_with_the_ball_lie_on_it_and_press_along_its_radius() {
    let mut simulation = Simulation::new(&drape(20, "1/60")).unwrap();
    (0..60).for_each(|_| _ = simulation.next_frame().unwrap());
    let model = simulation.model();
    let on_ball = |v: &u32| model.body_of_vertex(*v as usize).name == "ball";
    let all: Vec<_> = simulation.pressing_contacts().collect();
    let with_ball: Vec<_> = all.iter().filter(|contact| contact.vertices.iter().any(on_ball)).collect();
    // The ball of 0.25 m stands at the origin; its mesh circumscribes it by less than a millimetre. Edges of the coarse
    // cloth that lean on a corner of that mesh press aslant, but most of the load is carried along the radius.
    assert!(with_ball.iter().all(|contact| (contact.point.length() - 0.25).abs() < 2e-3));
    let load = |contact: &&PressingContact| {
        let on_cloth = contact.vertices.iter().zip(&contact.forces).filter(|(v, _)| !on_ball(v));
        on_cloth.map(|(_, force)| *force).sum::<DVec3>()
    };
    let whole: f64 = with_ball.iter().map(|contact| load(contact).length()).sum();
    let radial: f64 = with_ball.iter().map(|contact| load(contact).dot(contact.point.normalize())).sum();
    println!(
        "{} of {} contacts are with the ball, {radial} N of {whole} N along its radius",
        with_ball.len(),
        all.len()
    );
    assert!(with_ball.len() > 30 && radial >= 0.95 * whole, "{radial} N of {whole} N");
    // All others are between cloth and cloth, or with the ground, and within their range too.
    assert!(all.iter().all(|contact| contact.gap < 1.1 * simulation.contact_range()));
}

#[test]
fn a_stack_of_ten_sheets_comes_to_rest_without_jitter() {
    // At 4 and 8 the lowest sheet has edges along the diagonal of the ground: their nearest points went from end to end in every
    // step, and shook the stack by 9 µm for ever.
    for resolution in [4, 5, 8] {
        let scene =
            load("stack", &[format!("resolution={resolution}")]).unwrap_or_else(|error| panic!("{error}")).scene;
        let mut simulation = Simulation::new(&scene).unwrap();
        for number in 1..=180 {
            simulation.next_frame().unwrap();
            let fastest = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
            assert!(number < 120 || fastest < 1e-8, "{resolution}: {fastest} m/s in frame {number}");
        }
    }
}
