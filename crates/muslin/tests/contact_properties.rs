//! What contact may not do, whatever happens: move what is at rest, prefer a direction, take momentum, make energy.

use glam::{DMat3, DQuat, DVec3};
use muslin::sim::{Simulation, scene::Placement, settings::IntegratorKind};
use muslin::{Scene, load};

fn scene(text: &str) -> Scene {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    load(path.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("{error}")).scene
}

/// Two sheets that meet in empty space, one turned and thrown against the other.
fn clash() -> Scene {
    scene(
        "name = \"clash\"\nduration = 1\n[settings]\nintegrator = \"linear-backward-euler\"\n\
         adaptive = { most_stretch = 0.05 }\ncontact = { method = \"implicit\" }\n[environment]\ngravity = [0, 0, 0]\n\
         [[cloth]]\nname = \"lower\"\nshape = { kind = \"grid\", size = [0.3, 0.3], vertices = [7, 7] }\n\
         [[cloth]]\nname = \"upper\"\nshape = { kind = \"grid\", size = [0.2, 0.2], vertices = [6, 6] }\n\
         rotation_axis = [0, 1, 0]\nrotation_degrees = 25\ntranslation = [0.03, 0.01, 0.06]\nvelocity = [0.1, 0, -1.5]\n",
    )
}

fn momentum(simulation: &Simulation) -> DVec3 {
    let (model, state) = (simulation.model(), simulation.state());
    model.masses.iter().zip(&state.velocities).map(|(&m, &v)| v * m).sum()
}

#[test]
fn the_zero_motion_of_every_committed_state_passes_the_check() {
    // A simulation that begins in that state checks just this, and refuses what does not pass.
    let scene = load("drape", &["resolution=12".into()]).unwrap_or_else(|error| panic!("{error}")).scene;
    let mut simulation = Simulation::new(&scene).unwrap();
    let mut met = 0;
    for number in 1..=45 {
        simulation.next_frame().unwrap();
        assert_eq!(simulation.violations_at_rest().unwrap(), 0, "frame {number}");
        met += usize::from(simulation.near_pairs() > 0);
    }
    assert!(met > 20, "in {met} frames something was near");
}

#[test]
fn two_sheets_that_clash_in_empty_space_keep_their_momentum_and_gain_no_energy() {
    for integrator in [IntegratorKind::LinearBackwardEuler, IntegratorKind::BackwardEuler] {
        let mut scene = clash();
        scene.settings.integrator = integrator;
        let mut simulation = Simulation::new(&scene).unwrap();
        let (before, energy) = (momentum(&simulation), simulation.energy().total());
        let mut highest = 0.0f64;
        for number in 1..=40 {
            simulation.next_frame().unwrap_or_else(|error| panic!("{integrator:?}, frame {number}: {error}"));
            let lost = momentum(&simulation) - before;
            // Linear solves end at a hundredth of their right side; what they leave is not contact's.
            assert!(lost.length() < 2e-2 * before.length(), "{integrator:?}, frame {number}: {lost} of {before}");
            highest = highest.max(simulation.energy().total());
        }
        assert!(simulation.tally().contacts > 20, "they met");
        // The scheme that linearises the cloth once per step stretches it at the moment of the clash, and gives that back
        // within some frames; the one that solves to a tolerance never has more than there was.
        let last = simulation.energy().total();
        let most = if integrator == IntegratorKind::BackwardEuler { highest } else { last };
        println!("{integrator:?}: {energy:.5} J before, at most {highest:.5} J, {last:.5} J after");
        assert!(most <= energy * (1.0 + 1e-6), "{integrator:?}: {most} J after {energy} J");
        assert_eq!((simulation.tally().scaled_back, simulation.tally().crossings), (0, 0));
    }
}

#[test]
fn a_clash_that_is_turned_and_moved_is_the_same_clash() {
    let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7));
    let (mut other, shift) = (clash(), DVec3::new(0.5, -0.25, 0.125));
    for cloth in &mut other.cloths {
        let placement = &mut cloth.placement;
        *placement = Placement {
            translation: turn * placement.translation + shift,
            rotation: turn * placement.rotation,
            ..*placement
        };
        cloth.velocity = turn * cloth.velocity;
    }
    let (mut here, mut there) = (Simulation::new(&clash()).unwrap(), Simulation::new(&other).unwrap());
    // Rounding differs, and contact amplifies it: compare until shortly after they have met.
    let mut apart = 0.0f64;
    while here.tally().contacts < 20 {
        here.next_frame().unwrap();
        there.next_frame().unwrap();
        let each = here.state().positions.iter().zip(&there.state().positions);
        apart = each.map(|(&a, &b)| (turn * a + shift).distance(b)).fold(apart, f64::max);
        assert!(here.frame() < 40, "they do not meet");
    }
    assert!(there.tally().contacts > 0);
    // Linear solves end at a hundredth of their right side, elsewhere for other roundings: a fiftieth of the thickness.
    assert!(apart < 1e-5, "{apart} m");
}
