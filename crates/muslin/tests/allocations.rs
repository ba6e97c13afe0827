//! A whole step of a simulation, from Drive to Commit, works in memory that it keeps: what it asks the heap for are
//! short lists of pieces of work, never an array over the mesh. Only a new factor takes more. With contact it is the same once
//! cloth has come to rest: as long as new pairs touch, lists of them grow.

#[path = "../../muslin_dynamics/tests/common/heap.rs"]
mod heap;

use glam::DVec3;
use heap::asked_by;
use muslin::{load, sim::Simulation};
use muslin_model::parallel;

/// Factorisations of a simulation so far, as a checkpoint keeps them.
fn factors(simulation: &Simulation) -> u64 {
    simulation.save().counts("factor.counts", 4).map_or(0, |counts| counts[3])
}

/// The largest request of each step of a scene that needed no new factor, and how many steps needed one; over the bytes of
/// a vector over the mesh [-].
fn largest_requests(scene: &str, settings: &[&str], steps: usize) -> (Vec<f64>, usize) {
    let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
    let scene = load(scene, &settings).unwrap_or_else(|e| panic!("{e}")).scene;
    parallel::with_threads(1, || {
        let mut simulation = Simulation::new(&scene).unwrap_or_else(|e| panic!("{e}"));
        let vector = (size_of::<DVec3>() * simulation.state().positions.len()) as f64;
        let (mut requests, mut renewed) = (Vec::new(), 0);
        for k in 0..steps {
            let before = factors(&simulation);
            let mut result = Ok(());
            let [_, largest] = asked_by(|| result = simulation.step_to((k + 1) as f64 * scene.settings.step));
            result.unwrap_or_else(|e| panic!("{e}"));
            // The first two steps make the arrays of a step and of its mark.
            match (k, factors(&simulation) == before) {
                (0 | 1, _) => {}
                (_, true) => requests.push(largest as f64 / vector),
                (_, false) => renewed += 1,
            }
        }
        (requests, renewed)
    })
}

/// A list of pieces of work is this small beside a vector over the mesh [-].
const SHORT: f64 = 0.1;

#[test]
fn a_step_of_the_default_scheme_asks_for_no_array_over_the_mesh() {
    let (requests, renewed) = largest_requests("hang", &["resolution=60"], 30);
    println!("{requests:.4?}, {renewed} steps with a new factor");
    assert!(requests.len() >= 20 && requests.iter().all(|part| *part < SHORT), "{requests:?}");
}

#[test]
fn steps_with_wind_moving_pins_a_limiter_or_an_explicit_scheme_ask_for_no_array_either() {
    for (scene, settings) in [
        ("hang", &["resolution=60", "step=0.005", "environment.wind={velocity=[0, 3, 0]}"][..]),
        ("swing", &["resolution=60", "settings.contact.method=none", "settings.integrator=bdf2"]),
        ("hang", &["resolution=60", "settings.limiter={kind=\"strain-impulses\", limit=0.005}"]),
        ("hang", &["resolution=60", "settings.integrator=symplectic-euler", "step=1e-5"]),
    ] {
        let (requests, renewed) = largest_requests(scene, settings, 12);
        println!("{scene} {settings:?}: {requests:.4?}, {renewed} steps with a new factor");
        assert!(
            !requests.is_empty() && requests.iter().all(|part| *part < SHORT),
            "{scene} {settings:?}: {requests:?}"
        );
    }
}

#[test]
fn steps_of_cloth_that_has_come_to_rest_on_others_ask_for_no_array_either() {
    let scene = load("stack", &["resolution=16".into()]).unwrap_or_else(|e| panic!("{e}")).scene;
    parallel::with_threads(1, || {
        let mut simulation = Simulation::new(&scene).unwrap_or_else(|e| panic!("{e}"));
        let vector = (size_of::<DVec3>() * simulation.state().positions.len()) as f64;
        let mut requests = Vec::new();
        for k in 0..180 {
            let mut result = Ok(());
            let request = asked_by(|| result = simulation.step_to((k + 1) as f64 * scene.settings.step));
            result.unwrap_or_else(|e| panic!("{e}"));
            requests.push(request.map(|bytes| bytes as f64 / vector));
        }
        let supports = simulation.tally().contacts as f64 / simulation.tally().rounds as f64;
        println!("{supports:.0} contacts; all and largest of each step: {:.3?}", &requests[150..]);
        assert!(supports > 1000.0, "{supports}");
        let most = |k: usize| requests[150..].iter().map(|request| request[k]).fold(0.0, f64::max);
        assert!(most(1) < SHORT && most(0) < 1.0, "{} in all, {} at once", most(0), most(1));
    });
}
