//! Bending hysteresis on cloth: the virtual Kawabata test against the closed form of the loop, energy, threads, resuming.

use muslin::{
    Material,
    kes_bending::{Along, BendingLoop, BendingTest, LARGEST_CURVATURE, LoopPoint},
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

fn denim() -> Material {
    Material {
        bend_warp: RIGIDITY.into(),
        bend_weft: RIGIDITY.into(),
        bend_bias: RIGIDITY.into(),
        bend_hysteresis: HYSTERESIS.into(),
        bend_transition: TRANSITION.into(),
        ..Material::woven_cotton()
    }
}

fn hysteresis(substeps: u32) -> BendModel {
    BendModel::Remembering { memory: BendMemory::Hysteresis, rest: RestShape::Flat, substeps }
}

/// The loop of W 4.2–4.5 in closed form: first bend, way down from the top, way up from the bottom [N].
fn exact(n: usize, first: usize, point: &LoopPoint) -> f64 {
    let (m0, k) = (0.5 * HYSTERESIS, point.curvature);
    let build_up = |way: f64, length: f64| 1.0 - (1.0 - (way / length).min(1.0)).powi(2);
    let friction = if n <= first {
        m0 * build_up(k, TRANSITION)
    } else if n <= 3 * first {
        m0 - 2.0 * m0 * build_up(LARGEST_CURVATURE - k, 2.0 * TRANSITION)
    } else {
        -m0 + 2.0 * m0 * build_up(k + LARGEST_CURVATURE, 2.0 * TRANSITION)
    };
    RIGIDITY * k + friction
}

/// Work per area of the closed loop in closed form [J/m²].
fn exact_area() -> f64 {
    2.0 * HYSTERESIS * (LARGEST_CURVATURE - 2.0 * TRANSITION / 3.0)
}

fn worst(found: &BendingLoop) -> f64 {
    let top = RIGIDITY * LARGEST_CURVATURE + 0.5 * HYSTERESIS;
    let errors = found.points.iter().enumerate().map(|(n, p)| (p.moment - exact(n, found.first, p)).abs() / top);
    errors.skip(1).fold(0.0, f64::max)
}

#[test]
fn the_virtual_kawabata_loop_is_the_materials_at_three_resolutions() {
    for hinges in [5, 10, 20] {
        let found = BendingTest { hinges, ..BendingTest::new(denim(), hysteresis(0)) }.run().unwrap();
        let (error, area) = (worst(&found), found.area() / exact_area());
        let (b, width) = (found.rigidity() / RIGIDITY, found.hysteresis() / HYSTERESIS);
        println!("{hinges} hinges: moment off by {error:.2e}, B {b:.4}, 2HB {width:.4}, area {area:.5}");
        assert!(error < 0.02, "{hinges} hinges: {error}");
        assert!((area - 1.0).abs() < 0.01, "{hinges} hinges: {area}");
        assert!((b - 1.0).abs() < 0.02 && (width - 1.0).abs() < 0.02, "{hinges} hinges: {b} {width}");
    }
}

#[test]
fn warp_and_weft_have_their_own_loops() {
    let material = Material { bend_weft: (2.0 * RIGIDITY).into(), bend_bias: (1.5 * RIGIDITY).into(), ..denim() };
    let test = BendingTest { steps: 50, ..BendingTest::new(material, hysteresis(0)) };
    let [warp, weft] =
        [Along::Warp, Along::Weft].map(|along| BendingTest { along, ..test.clone() }.run().unwrap().rigidity());
    assert!((warp / RIGIDITY - 1.0).abs() < 0.02 && (weft / (2.0 * RIGIDITY) - 1.0).abs() < 0.02, "{warp} {weft}");
}

#[test]
fn the_area_of_the_loop_is_the_energy_that_friction_takes() {
    let errors = [100, 200, 400].map(|steps| {
        let found = BendingTest { steps, ..BendingTest::new(denim(), hysteresis(0)) }.run().unwrap();
        assert!((found.area() / exact_area() - 1.0).abs() < 0.01);
        (found.lost / found.area() - 1.0).abs()
    });
    println!("energy lost against the loop's area: {errors:?}");
    assert!(errors[0] < 0.03 && errors[2] < 0.01, "{errors:?}");
    assert!(errors[0] > 1.5 * errors[1] && errors[1] > 1.5 * errors[2], "first order: {errors:?}");
}

/// A sheet that hangs from two corners, is let fall and swings: bends, turns and lasting creases everywhere.
fn swing(extra: &[&str]) -> muslin::Scene {
    let mut settings = vec![
        "resolution=9".to_string(),
        "cloth.0.velocity=[0.1, 1.5, 0]".into(),
        "cloth.0.bend={ kind = \"hysteresis\" }".into(),
        "cloth.0.stretch=hysteresis".into(),
        "cloth.0.material={ bend_crease = 0.2, bend_fatigue = 0.1, bend_hysteresis = 4e-5, bend_transition = 1 }"
            .into(),
    ];
    settings.extend(extra.iter().map(|s| s.to_string()));
    muslin::load("swing", &settings).unwrap().scene
}

fn run(scene: &muslin::Scene, frames: usize) -> Simulation {
    let mut simulation = Simulation::new(scene).unwrap();
    (0..frames).for_each(|_| drop(simulation.next_frame().unwrap()));
    simulation
}

/// Schemes and models of bending that remember. Two rates have a test of their own.
fn remembering() -> impl Iterator<Item = (&'static str, &'static str)> {
    let schemes = ["backward-euler", "linear-backward-euler", "bdf2"];
    schemes.into_iter().flat_map(|scheme| ["hysteresis", "plasticity"].map(|bend| (scheme, bend)))
}

/// A swing with a scheme and a model.
fn remembering_swing(scheme: &str, bend: &str, extra: &str) -> muslin::Scene {
    swing(&[&format!("settings.integrator={scheme}"), &format!("cloth.0.bend={{ kind = \"{bend}\" }}"), extra])
}

#[test]
fn memories_are_taken_up_again_bit_for_bit() {
    for (scheme, bend) in remembering() {
        let scene = remembering_swing(scheme, bend, "cloth.0.material.bend_yield=1");
        let whole = run(&scene, 24);
        let mut second = Simulation::new(&scene).unwrap();
        second.restore(&run(&scene, 11).save()).unwrap();
        (0..13).for_each(|_| drop(second.next_frame().unwrap()));
        assert!(whole.state() == second.state(), "{scheme} {bend}");
        let creases = &whole.state().creases;
        // One per hinge, of which there are about three for two triangles, and one per triangle for shear.
        assert!(creases.len() > 2 * whole.model().cloth_triangles().len(), "{scheme} {bend}: shear has a memory");
        assert!(creases.iter().any(|c| c.rest.abs() > 1e-5), "{scheme} {bend}: bends stay");
        assert!(bend == "plasticity" || creases.iter().any(|c| c.fresh < 1.0), "{scheme}: wears");
    }
}

#[test]
fn memories_have_the_same_bits_on_any_number_of_threads() {
    for (scheme, bend) in remembering() {
        let scene = remembering_swing(scheme, bend, "resolution=40");
        let [one, three] = [1, 3].map(|threads| parallel::with_threads(threads, || run(&scene, 8).state().clone()));
        assert!(one == three && !one.creases.is_empty(), "{scheme} {bend}");
    }
}

/// Bending with a memory and contact with friction at once.
#[test]
fn a_sheet_that_a_ball_hits_has_the_same_bits_on_two_threads_and_after_a_restart() {
    for integrator in ["integrator=linear-backward-euler", "integrator=backward-euler"] {
        let settings = ["resolution=10".to_string(), integrator.into()];
        let scene = muslin::load("w-4-ball", &settings).unwrap().scene;
        let [one, two] = [1, 2].map(|threads| parallel::with_threads(threads, || run(&scene, 20).state().clone()));
        assert!(one == two, "{integrator}: two threads");
        let mut second = Simulation::new(&scene).unwrap();
        // Within the hit.
        second.restore(&run(&scene, 14).save()).unwrap();
        assert!(!second.state().anchors.is_empty(), "{integrator}: the ball touches");
        (0..6).for_each(|_| drop(second.next_frame().unwrap()));
        assert!(one == *second.state(), "{integrator}: a restart");
    }
}

#[test]
fn every_scheme_bends_with_a_memory() {
    for (integrator, step) in
        [("symplectic-euler", 1e-5), ("runge-kutta-4", 1e-5), ("verlet", 1e-5), ("explicit-implicit", 1e-5)]
    {
        let settings =
            [format!("settings.integrator={integrator}"), format!("settings.step={step}"), "resolution=4".into()];
        let scene = swing(&settings.each_ref().map(|s| s.as_str()));
        let simulation = run(&scene, 2);
        assert!(simulation.state().creases.iter().any(|c| c.friction != 0.0), "{integrator}");
    }
    let scene = swing(&["settings.integrator=bdf2", "cloth.0.bend={ kind = \"hysteresis\", substeps = 2 }"]);
    let error = Simulation::new(&scene).err().expect("two rates within BDF2").to_string();
    assert!(error.contains("backward-euler"), "{error}");
}

#[test]
fn without_hysteresis_it_is_the_plain_hinge() {
    let bent = |bend: &str| {
        let material = "cloth.0.material={ bend_hysteresis = 0 }";
        let settings = ["resolution=9".into(), format!("cloth.0.bend={bend}"), material.into()];
        run(&muslin::load("swing", &settings).unwrap().scene, 30).state().positions.clone()
    };
    let (plain, remembering) = (bent("baraff-witkin"), bent("hysteresis"));
    let worst = plain.iter().zip(&remembering).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn a_free_strip_swings_out_sooner_with_hysteresis_and_the_balance_knows_why() {
    let energies = |width: f64| {
        let settings = [
            "resolution=9".into(),
            "settings.step=1/240".into(),
            "cloth.0.bend=hysteresis".into(),
            format!("cloth.0.material={{ bend_hysteresis = {width}, bend_transition = 5, damping_bend = 0 }}"),
        ];
        let simulation = run(&muslin::load("swing", &settings).unwrap().scene, 60);
        simulation.tally().work.damping
    };
    let (without, with) = (energies(0.0), energies(2e-3));
    assert!(with < without - 1e-6, "{with} and {without}");
}
