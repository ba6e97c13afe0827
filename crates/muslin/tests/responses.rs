//! The papers' ways to handle contact, in whole runs.

use glam::DVec3;
use muslin::{
    Scene,
    collision::{Surface, broad_phase::BroadPhaseKind, intersections_of},
    contact::{Finder, Found, Near, Scope, SearchSettings},
    load,
    model::parallel::with_threads,
    sim::{
        Simulation,
        settings::{ContactMethod, ImpactLaw, IntegratorKind, ResponseKind, Unresolved},
    },
};

fn builtin(name: &str, settings: &[&str]) -> Scene {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    load(name, &settings).unwrap_or_else(|error| panic!("{error}")).scene
}

fn scene(text: &str) -> Scene {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    load(path.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("{error}")).scene
}

/// Crossing pairs of triangles with cloth.
fn crossings(simulation: &Simulation, frame: &[DVec3]) -> usize {
    let model = simulation.model();
    let surface = Surface::new(frame.len(), &model.mesh.triangles).unwrap();
    intersections_of(&surface, frame, |t| model.cloth_triangles().contains(&(t as usize))).unwrap().len()
}

/// A square of 10 cm that falls onto a plane, with a scheme, steps of a length and a way to handle contact.
fn falling(integrator: &str, step: &str, contact: &str) -> Scene {
    scene(&format!(
        "name = \"falling\"\nduration = 1\n[settings]\nstep = \"{step}\"\nintegrator = \"{integrator}\"\ncontact = {contact}\n\
         [[cloth]]\nname = \"sheet\"\nshape = {{ kind = \"grid\", size = [0.1, 0.1], vertices = [4, 4] }}\n\
         material = {{ base = \"woven-cotton\", stretch_warp = 100, stretch_weft = 100, shear = 50, damping_warp = 0.02, damping_weft = 0.02, damping_shear = 0.02, damping_bend = 0 }}\n\
         translation = [0, 0, 0.02]\n[[obstacle]]\nname = \"ground\"\nshape = {{ kind = \"plane\", size = 3 }}\n"
    ))
}

fn heights(simulation: &Simulation) -> impl Iterator<Item = f64> {
    simulation.state().positions[simulation.model().cloth_vertices()].iter().map(|p| p.z)
}

#[test]
fn every_preset_holds_a_sheet_on_the_ground_with_every_scheme_that_it_is_for() {
    // Not explicit Euler, which gains energy without damping, contact or not.
    let explicit = ["symplectic-euler", "midpoint", "runge-kutta-4", "verlet", "mixed-variable"];
    let implicit = ["linear-backward-euler", "backward-euler", "bdf2"];
    let others = ["baraff-witkin"];
    let mut runs = Vec::new();
    for preset in ["bridson", "provot"] {
        runs.extend(explicit.map(|scheme| (preset, scheme, "1/2400")));
        runs.extend(implicit.iter().chain(&others).map(|scheme| (preset, *scheme, "1/120")));
    }
    runs.extend(implicit.map(|scheme| ("i-cloth", scheme, "1/120")));
    for (preset, scheme, step) in runs {
        let mut simulation = Simulation::new(&falling(scheme, step, &format!("{{ method = \"{preset}\" }}"))).unwrap();
        for frame in 1..=20 {
            let frame_positions =
                simulation.next_frame().unwrap_or_else(|error| panic!("{preset} with {scheme}, {frame}: {error}"));
            assert_eq!(crossings(&simulation, &frame_positions), 0, "{preset} with {scheme}, frame {frame}");
        }
        // It falls for 64 ms, hits the ground at 0.63 m/s and lies for the rest; BDF2, which remembers the step before, lets it hop and hop.
        let (low, high) = heights(&simulation).fold((1.0f64, 0.0f64), |(low, high), z| (low.min(z), high.max(z)));
        // Here that goes no higher than it fell from, and no faster than it came down.
        let [most, fastest] = if scheme == "bdf2" { [2e-2, 0.63] } else { [1e-2, 0.3] };
        assert!(low > 0.1 * 0.5e-3 && high < most, "{preset} with {scheme}: from {low} m to {high} m");
        let speed = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(speed < fastest, "{preset} with {scheme}: {speed} m/s");
        assert!(simulation.tally().contacts > 0);
    }
}

#[test]
fn a_sheet_bounces_to_the_height_that_restitution_gives() {
    for (law, part) in [("{ kind = \"restitution\", dissipation = 0.6 }", 0.6), ("\"elastic\"", 1.0)] {
        let contact = format!("{{ method = \"provot\", impact = {law}, friction_object = 0 }}");
        let mut simulation = Simulation::new(&falling("symplectic-euler", "1/4800", &contact)).unwrap();
        let (mut bounced, mut highest) = (false, 0.0f64);
        for _ in 0..12 {
            simulation.next_frame().unwrap();
            let (sum, count) = heights(&simulation).fold((0.0, 0.0), |(sum, count), z| (sum + z, count + 1.0));
            let rises = simulation.state().velocities[0].z > 0.0;
            bounced |= rises;
            if bounced {
                highest = highest.max(sum / count);
            }
        }
        // Free fall from 20 mm: it comes back to the square of the coefficient times that. Frames are 1/60 s apart, in
        // which the top of the flight is passed by up to g/8 · (1/60)² = 0.34 mm.
        let expected = part * part * 0.02;
        assert!(bounced && (highest - expected).abs() < 1.2e-3, "{law}: {highest} m and {expected} m");
    }
}

#[test]
fn presets_drape_a_sheet_over_a_ball_without_a_crossing() {
    for preset in ["bridson", "provot", "i-cloth"] {
        let settings = ["resolution=10".to_owned(), format!("settings.contact.method={preset}")];
        let mut simulation = Simulation::new(&load("drape", &settings).unwrap().scene).unwrap();
        for number in 1..=30 {
            let frame = simulation.next_frame().unwrap_or_else(|error| panic!("{preset}, frame {number}: {error}"));
            assert_eq!(crossings(&simulation, &frame), 0, "{preset}, frame {number}");
        }
        let tally = simulation.tally();
        assert!(tally.response_rounds > 0 && tally.crossings == 0, "{preset}");
        assert!(tally.min_gap > 0.1 * 0.5e-3, "{preset}: {}", tally.min_gap);
    }
}

#[test]
fn a_cascade_by_hand_runs_its_links_and_no_others() {
    let mut scene = builtin("drape", &["resolution=8"]);
    scene.settings.contact.method = ContactMethod::Bridson;
    use ResponseKind::{DampedSprings, Impulses, NonLinearZones, RepulsionSprings};
    scene.settings.contact.cascade.responses = Some(vec![DampedSprings, RepulsionSprings, Impulses, NonLinearZones]);
    let mut simulation = Simulation::new(&scene).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let frame = simulation.next_frame().unwrap();
        assert_eq!(crossings(&simulation, &frame), 0);
        seen.extend(simulation.response_rounds().iter().map(|round| round.link));
    }
    assert!(["damped-springs", "repulsion-springs", "impulses"].iter().all(|link| seen.contains(link)), "{seen:?}");
    assert!(!seen.contains("rigid-zones") && !seen.contains("repulsion"), "{seen:?}");
}

#[test]
fn penetrations_fall_from_many_with_nothing_over_some_with_proximity_to_none_with_both() {
    // One step in each of three modes from the same clean states (I fig. 13).
    let both = builtin("sphere", &["resolution=9", "settings.contact.method=i-cloth"]);
    let mut nothing = both.clone();
    nothing.settings.contact.method = ContactMethod::None;
    let mut proximity = both.clone();
    proximity.settings.contact.cascade.responses = Some(Vec::new());
    proximity.settings.contact.cascade.unresolved = Unresolved::Accept;
    let mut clean = Simulation::new(&both).unwrap();
    let mut counts = [0; 3];
    for frame in 0..26 {
        if frame >= 14 {
            for (mode, count) in [&nothing, &proximity, &both].iter().zip(&mut counts) {
                let mut simulation = Simulation::new(mode).unwrap();
                simulation.restore(&clean.save()).unwrap();
                let end = simulation.state().time + 1.0 / 60.0;
                match simulation.step_to(end) {
                    Ok(()) => *count += crossings(&simulation, &simulation.state().positions),
                    // What cannot be resolved in one step is refused, and a run would take a shorter one.
                    Err(error) => assert!(*mode == &both, "{error}"),
                }
            }
        }
        clean.next_frame().unwrap();
    }
    assert!(counts[0] > counts[1] && counts[1] > 0 && counts[2] == 0, "{counts:?}");
}

#[test]
fn accepting_what_is_unresolved_warns() {
    let mut scene = builtin("drape", &["resolution=4"]);
    assert!(Simulation::new(&scene).unwrap().warnings().is_empty());
    scene.settings.contact.cascade.unresolved = Unresolved::Accept;
    assert!(Simulation::new(&scene).unwrap().warnings()[0].contains("not certified"));
}

#[test]
fn searching_around_what_moved_finds_what_searching_everything_finds() {
    let mut simulation = Simulation::new(&builtin("sphere", &["resolution=9"])).unwrap();
    (0..20).for_each(|_| _ = simulation.next_frame().unwrap());
    let (model, start) = (simulation.model(), simulation.state().positions.clone());
    let settings = SearchSettings { broad_phase: BroadPhaseKind::SpatialHash, ..Default::default() };
    let mut finder = Finder::new(model, settings).unwrap();
    let mut end: Vec<DVec3> =
        start.iter().zip(&simulation.state().velocities).map(|(x, v)| *x + *v * (1.0 / 60.0)).collect();
    let mut found = finder.find(&start, &end).unwrap();
    let full_tests = found.counts.broad_phase.tests;
    for round in 0..5u32 {
        let moved: Vec<u32> = (0..model.cloth_vertices().end as u32).filter(|v| v % 11 == round).collect();
        for &v in &moved {
            end[v as usize].z += 1e-3 * f64::from(round + 1) * if v % 2 == 0 { 1.0 } else { -1.0 };
        }
        found = finder.find_again(&start, &end, &moved, found).unwrap();
        let mut fresh = Finder::new(model, settings).unwrap();
        let all = fresh.find(&start, &end).unwrap();
        assert_eq!(found.scope, Scope::Around);
        assert_eq!(found.near, all.near, "round {round}");
        assert!(!found.near.is_empty() && found.counts.broad_phase.tests < full_tests);
    }
}

#[test]
fn a_search_within_a_reach_finds_every_violation_and_the_smallest_gap_below_it() {
    let mut simulation = Simulation::new(&builtin("sphere", &["resolution=11"])).unwrap();
    (0..25).for_each(|_| _ = simulation.next_frame().unwrap());
    let (start, velocities) = (&simulation.state().positions, &simulation.state().velocities);
    let mut finder = Finder::new(simulation.model(), SearchSettings::default()).unwrap();
    let (mut violations, mut left_out) = (0, 0);
    for round in 0..6 {
        // Longer and longer motions, the last of them through everything.
        let step = 4e-3 * f64::from(round * round);
        let end: Vec<DVec3> = start.iter().zip(velocities).map(|(x, v)| *x + *v * step).collect();
        let all = finder.find(start, &end).unwrap();
        let gap = all.smallest_gap(&end).unwrap();
        for part in [0.0, 0.2, 0.5, 1.0] {
            let reach = finder.least_reach().max(part * finder.gaps().largest());
            let found = finder.find_within(start, &end, reach).unwrap();
            assert_eq!(found.violations(start, &end), all_violations(&all, &found, start, &end));
            assert!(found.near.len() <= all.near.len());
            left_out += all.near.len() - found.near.len();
            violations += all.violations(start, &end).len();
            if gap < reach {
                assert_eq!(found.smallest_gap(&end), Some(gap));
            }
        }
    }
    assert!(violations > 0 && left_out > 0, "{violations} violations, {left_out} pairs left out");
}

/// The violations of all pairs, with the times that a search within a reach has for them.
fn all_violations(all: &Found, found: &Found, start: &[DVec3], end: &[DVec3]) -> Vec<(Near, f64)> {
    let time = |near: &Near| found.near.iter().find(|pair| pair.key == near.key).map_or(f64::NAN, |pair| pair.time);
    let told = |(near, at): (Near, f64)| (Near { time: time(&near), ..near }, at);
    all.violations(start, end).into_iter().map(told).collect()
}

#[test]
fn rounds_search_less_than_the_first_search_and_the_last_search_is_of_everything() {
    let settings = ["resolution=10", "settings.contact.method=i-cloth", "settings.collision.broad_phase=spatial-hash"];
    let mut simulation = Simulation::new(&builtin("sphere", &settings)).unwrap();
    let mut less = 0;
    for _ in 0..30 {
        simulation.next_frame().unwrap();
        let rounds = simulation.response_rounds();
        if let [first, later @ ..] = rounds {
            assert!(first.scope == Scope::All && later.iter().all(|round| round.scope == Scope::Around));
            less += later.iter().filter(|round| round.tests < first.tests).count();
            assert!(later.iter().all(|round| round.tests <= first.tests));
        }
    }
    assert!(less > 0);
}

#[test]
fn presets_give_the_same_bits_on_one_and_two_threads_and_with_another_broad_phase() {
    for method in [ContactMethod::Bridson, ContactMethod::Provot, ContactMethod::ICloth] {
        let mut scene = builtin("sphere", &["resolution=7"]);
        scene.settings.contact.method = method;
        let hash = |scene: &Scene, threads| {
            with_threads(threads, || {
                let mut simulation = Simulation::new(scene).unwrap();
                (0..16).for_each(|_| _ = simulation.next_frame().unwrap());
                assert!(simulation.tally().response_rounds > 0);
                simulation.state_hash()
            })
        };
        let one = hash(&scene, 1);
        assert_eq!(one, hash(&scene, 2), "{method:?}");
        scene.settings.collision.broad_phase = BroadPhaseKind::SpatialHash;
        assert_eq!(one, hash(&scene, 1), "{method:?}, around what moved");
    }
}

#[test]
fn settings_of_the_cascade_are_read_from_a_scene() {
    let text = |contact: &str, integrator: &str| {
        format!(
            "name = \"s\"\nduration = 1\n[settings]\nintegrator = \"{integrator}\"\ncontact = {contact}\n[[cloth]]\nname = \"c\"\n\
             shape = {{ kind = \"grid\", size = [1, 1], vertices = [3, 3] }}\n"
        )
    };
    let read = scene(&text(
        "{ method = \"provot\", responses = [\"repulsion\", \"impulses\", \"linear-zones\"], impact = { kind = \"restitution\", dissipation = 0.25 }, damping_ratio = 2, unresolved = \"accept\" }",
        "verlet",
    ));
    let contact = &read.settings.contact;
    assert_eq!(contact.method, ContactMethod::Provot);
    let links = [ResponseKind::Repulsion, ResponseKind::Impulses, ResponseKind::LinearZones];
    assert_eq!(contact.cascade.responses.as_deref(), Some(&links[..]));
    assert_eq!(contact.cascade.impact, ImpactLaw::Restitution { dissipation: 0.25 });
    assert_eq!((contact.cascade.damping_ratio, contact.cascade.unresolved), (2.0, Unresolved::Accept));
    assert_eq!(read.settings.integrator, IntegratorKind::Verlet { epsilon: 0.0 });
}

#[test]
fn cascades_that_make_no_sense_are_refused_with_a_remedy() {
    let refusal = |contact: &str, integrator: &str| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("scene.toml");
        let text = format!(
            "name = \"s\"\nduration = 1\n[settings]\nintegrator = \"{integrator}\"\ncontact = {contact}\n[[cloth]]\nname = \"c\"\n\
             shape = {{ kind = \"grid\", size = [1, 1], vertices = [3, 3] }}\n"
        );
        std::fs::write(&path, text).unwrap();
        match load(path.to_str().unwrap(), &[]) {
            Ok(_) => panic!("{contact} with {integrator} was accepted"),
            Err(error) => error.to_string(),
        }
    };
    let euler = "backward-euler";
    assert!(refusal("{ method = \"none\", responses = [\"impulses\"] }", euler).contains("the method is `none`"));
    let twice = refusal("{ method = \"bridson\", responses = [\"impulses\", \"impulses\"] }", euler);
    assert!(twice.contains("names `impulses` twice"), "{twice}");
    let late = refusal("{ method = \"bridson\", responses = [\"impulses\", \"repulsion\"] }", euler);
    assert!(late.contains("put `repulsion` first"), "{late}");
    let unknown = refusal("{ method = \"bridson\", responses = [\"rigid-zone\"] }", euler);
    assert!(unknown.contains("did you mean `rigid-zones`"), "{unknown}");
    let scheme = refusal("{ method = \"i-cloth\" }", "symplectic-euler");
    assert!(scheme.contains("symplectic-euler") && scheme.contains("bridson"), "{scheme}");
    let law = refusal("{ method = \"provot\", impact = { kind = \"restitution\", dissipation = 2 } }", euler);
    assert!(law.contains("dissipation"), "{law}");
}
