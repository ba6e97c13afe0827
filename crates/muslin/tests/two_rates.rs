//! W's two rates (4.3): bending in explicit steps within the implicit ones. Energy against the loop's area, order, threads, resuming.

use muslin::{
    Material,
    kes_bending::{BendingLoop, BendingTest, LARGEST_CURVATURE, Pace},
    model::parallel,
    sim::{
        Simulation,
        scene::{BendMemory, BendModel, RestShape},
    },
};

/// Denim D of the Kawabata values in `data/fabrics/kes_denim_2016.csv`: B and 2HB; the transition curvature is assumed.
const RIGIDITY: f64 = 1.4416e-5;
const HYSTERESIS: f64 = 1.3827e-3;
const TRANSITION: f64 = 50.0;

/// A quick Kawabata test whose cells are as wide as long: a step of 0.05 ms is then stable, and a quarter is
/// slow against the strip's slowest swing of 4 ms.
fn kawabata(steps: usize, substeps: u32) -> BendingLoop {
    let material = Material {
        bend_warp: RIGIDITY.into(),
        bend_weft: RIGIDITY.into(),
        bend_bias: RIGIDITY.into(),
        bend_hysteresis: HYSTERESIS.into(),
        bend_transition: TRANSITION.into(),
        // So stiff that wide cells do not shear; the membrane is implicit, so that its stiffness asks for no shorter step.
        shear: 1e4.into(),
        ..Material::woven_cotton()
    };
    let bend = BendModel::Remembering { memory: BendMemory::Hysteresis, rest: RestShape::Flat, substeps };
    let test = BendingTest {
        hinges: 5,
        cell: 1.0,
        pace: Pace::Gentle,
        steps,
        quarter: 0.1,
        ..BendingTest::new(material, bend)
    };
    test.run().unwrap()
}

/// With α = 1 the error is that of reading moments at the start of steps, first order alone. Within α short steps cloth bends as
/// if it had no membrane, so that forces are those of a place (ωh)² further on: second order, and gone at short steps.
#[test]
fn the_loop_of_two_rates_is_the_materials_and_loses_its_area_to_first_order() {
    let exact = 2.0 * HYSTERESIS * (LARGEST_CURVATURE - 2.0 * TRANSITION / 3.0);
    let error = |steps: usize, substeps: u32| {
        let found = kawabata(steps, substeps);
        let (b, width, area) = (found.rigidity() / RIGIDITY, found.hysteresis() / HYSTERESIS, found.area() / exact);
        let error = ((found.lost + found.kept) / found.area() - 1.0).abs();
        println!("α = {substeps}, {steps} steps: B {b:.4}, 2HB {width:.4}, area {area:.5}, energy off by {error:.2e}");
        assert!((area - 1.0).abs() < 0.03 && (width - 1.0).abs() < 0.03, "{area} {width}");
        error
    };
    let single = [2000, 4000, 8000].map(|steps| error(steps, 1));
    assert!(single[0] < 0.01, "{single:?}");
    assert!(single.windows(2).all(|e| (1.8..2.2).contains(&(e[0] / e[1]))), "first order: {single:?}");
    let triple = [4000, 8000].map(|steps| error(steps, 3));
    assert!(triple[1] < 0.01 && triple[0] > 1.8 * triple[1], "at least first order: {triple:?}");
}

/// A small, soft sheet that swings, with a loop that it goes through within 0.1 s.
fn swing(integrator: &str, step: f64, bend: &str) -> muslin::Scene {
    swing_of(5, integrator, step, bend)
}

/// The same with so many vertices along a side.
fn swing_of(resolution: usize, integrator: &str, step: f64, bend: &str) -> muslin::Scene {
    let settings = [
        format!("resolution={resolution}"),
        "cloth.0.velocity=[0.1, 1.5, 0]".into(),
        format!("settings.integrator={integrator}"),
        format!("settings.step={step:?}"),
        format!("cloth.0.bend={bend}"),
        "cloth.0.material={ bend_hysteresis = 4e-4, bend_transition = 0.5, bend_warp = 1e-3, bend_weft = 1e-3, stretch_warp = 200, stretch_weft = 200, shear = 50 }".into(),
    ];
    muslin::load("swing", &settings).unwrap().scene
}

fn run(scene: &muslin::Scene, frames: usize) -> Simulation {
    let mut simulation = Simulation::new(scene).unwrap();
    (0..frames).for_each(|_| drop(simulation.next_frame().unwrap()));
    simulation
}

fn two_rates(substeps: u32) -> String {
    format!("{{ kind = \"hysteresis\", substeps = {substeps} }}")
}

#[test]
fn two_rates_converge_with_order_one_to_what_a_fine_explicit_scheme_finds() {
    let fine = run(&swing("runge-kutta-4", 2e-5, "hysteresis"), 6);
    assert!(fine.state().creases.iter().any(|c| c.friction.abs() >= 2e-4), "friction was overcome somewhere");
    for substeps in [1, 2, 3] {
        let errors = [1.0, 2.0, 4.0].map(|part| {
            let found = run(&swing("backward-euler", 1.0 / (960.0 * part), &two_rates(substeps)), 6);
            let apart = found.state().positions.iter().zip(&fine.state().positions).map(|(a, b)| a.distance(*b));
            apart.fold(0.0, f64::max)
        });
        println!("alpha {substeps}: {errors:?}");
        assert!(errors.windows(2).all(|e| (1.7..2.3).contains(&(e[0] / e[1]))), "{errors:?}");
    }
}

#[test]
fn two_rates_have_the_same_bits_on_any_number_of_threads_and_after_a_stop() {
    let scene = swing("linear-backward-euler", 1.0 / 960.0, &two_rates(3));
    let [one, three] = [1, 3].map(|threads| parallel::with_threads(threads, || run(&scene, 8)));
    assert!(one.state() == three.state());
    let mut second = Simulation::new(&scene).unwrap();
    second.restore(&run(&scene, 3).save()).unwrap();
    (0..5).for_each(|_| drop(second.next_frame().unwrap()));
    assert!(one.state() == second.state() && one.tally().work.damping == second.tally().work.damping);
}

#[test]
fn short_steps_of_bending_beyond_their_stable_one_are_warned_of_with_how_many_would_do() {
    // Elastic energy after 0.2 s, and what was warned of; where it blows up, bends have a hundred times as much.
    let swung = |bend: &str| {
        let mut simulation = Simulation::new(&swing_of(33, "backward-euler", 1.0 / 60.0, bend)).unwrap();
        let warnings = simulation.warnings();
        let went = (0..12).try_for_each(|_| simulation.next_frame().map(drop));
        (if went.is_ok() { simulation.energy().elastic } else { f64::INFINITY }, warnings)
    };
    let (implicit, silent) = swung("hysteresis");
    assert_eq!(silent, Vec::<String>::new());
    for substeps in [1, 3, 6] {
        let (energy, warnings) = swung(&two_rates(substeps));
        assert!(energy > 100.0 * implicit, "{substeps}: {energy} J for {implicit} J");
        let [warning] = warnings.as_slice() else { panic!("{substeps}: {warnings:?}") };
        assert!(warning.contains("explicit steps of bending"), "{warning}");
        let advice = warning.split("set `substeps` to ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        let advice: u32 = advice.unwrap_or_else(|| panic!("{warning}"));
        // Half the stable step: with half as many it is at its limit.
        assert!((20..30).contains(&advice), "{warning}");
        if substeps == 1 {
            let (energy, silent) = swung(&two_rates(advice));
            assert_eq!(silent, Vec::<String>::new());
            assert!((energy / implicit - 1.0).abs() < 0.2, "{energy} J for {implicit} J");
        }
    }
    let few = Simulation::new(&swing_of(33, "backward-euler", 1.0 / 60.0, &two_rates(15))).unwrap();
    assert_eq!(few.warnings(), Vec::<String>::new());
}
