//! What V 7.1.2 says about the structure of the mesh (fig. 7.17–7.26), where a run can show it.

use crate::{frames, simulation};
use glam::DVec3;

/// Particles along each side of V's cloth; particle 8 i + j is the i-th along the row and the j-th from below.
const SIDE: usize = 8;
/// V's second simulator.
const CONDITIONS: [&str; 2] = ["stretch=baraff-witkin", "bend=baraff-witkin"];

/// Smallest and largest of some numbers.
fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)))
}

/// Largest distance of a particle from itself in another run [m].
fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn the_bend_condition_leaves_out_one_particle_at_the_end_of_either_row_beside_a_crease() {
    // V fig. 7.17 and 7.18: of the pairs of triangles across the crease (row 4) the diagonals leave G and H out.
    let all = frames(&mut simulation("v-7-bend", &CONDITIONS));
    // Frame 10 is the release; the next one shows the accelerations.
    let way = |i: usize, j: usize| all[11][SIDE * i + j].distance(all[10][SIDE * i + j]);
    let common = way(3, 3);
    assert!(common > 1e-4, "{common}");
    for (row, left_out, doubled) in [(3, SIDE - 1, 0), (5, 0, SIDE - 1)] {
        println!("row {row}: {:.5?} m", (0..SIDE).map(|i| way(i, row)).collect::<Vec<_>>());
        assert!(way(left_out, row) < 1e-9 * common);
        assert!((1..SIDE - 1).all(|i| (way(i, row) / common - 1.0).abs() < 1e-6));
        // Half the mass, and the whole force.
        assert!((way(doubled, row) / common - 2.0).abs() < 1e-6);
    }
    // V fig. 7.16 e: after eight seconds particles of one row have parted.
    let row = |j: usize| extremes((0..SIDE).map(|i| all[90][SIDE * i + j].y));
    let spread = (0..SIDE).map(|j| row(j).1 - row(j).0).fold(0.0, f64::max);
    println!("particles of one row are up to {spread:.2} m apart in depth");
    assert!(spread > 0.5);
}

#[test]
fn hinges_resist_bending_along_one_diagonal_far_more_than_along_the_other_and_curvature_does_not() {
    // V fig. 7.21: hinges on a mesh with all diagonals one way have no pair across the other diagonal.
    let drops = |settings: &[&str]| {
        let end = frames(&mut simulation("v-7-diagonals", settings)).pop().unwrap();
        let lowest = |x: &[DVec3]| -extremes(x.iter().map(|p| p.z)).0;
        let drops = [lowest(&end[..SIDE * SIDE]), lowest(&end[SIDE * SIDE..])];
        println!("{settings:?}: along {:.2} m, across {:.2} m", drops[0], drops[1]);
        drops
    };
    let ratio = |[along, across]: [f64; 2]| along / across;
    let hinges = ratio(drops(&[]));
    let alternating = ratio(drops(&["triangulation=alternating"]));
    let curvature = ratio(drops(&["bend=curvature"]));
    assert!(hinges > 1.8 && (1.05..1.3).contains(&alternating) && (curvature - 1.0).abs() < 0.02);
}

#[test]
fn flexion_springs_act_in_the_plane_and_the_bend_condition_does_not() {
    // V fig. 7.23, in the sheared cloth of fig. 7.11 and 7.15, half a second and five seconds after its release.
    let run = |settings: &[&str]| frames(&mut simulation("v-7-shear", settings));
    let (with, without) = (run(&[]), run(&["bend=none"]));
    let shortest = extremes((0..SIDE).flat_map(|i| {
        let with = &with[15];
        (2..SIDE).map(move |j| with[SIDE * i + j].distance(with[SIDE * i + j - 2]))
    }))
    .0;
    println!(
        "flexion springs of 10 m shrink to {shortest:.2} m and move particles by {:.2} m",
        apart(&with[15], &without[15])
    );
    assert!(shortest < 9.5 && apart(&with[15], &without[15]) > 0.5);
    assert!(with[15].iter().all(|p| p.y == 0.0), "nothing bends");
    let (with, without) = (run(&CONDITIONS), run(&[CONDITIONS[0], "bend=none"]));
    assert_eq!(apart(&with[60], &without[60]), 0.0);
}

#[test]
fn an_elongated_cloth_narrows_by_its_shear_springs_only() {
    // V fig. 7.25: a quad that is elongated has no shear, yet its diagonal springs pull.
    let widths = |settings: &[&str]| {
        let end = frames(&mut simulation("v-7-elongation", settings)).pop().unwrap();
        [&end[..SIDE * SIDE], &end[SIDE * SIDE..]].map(|x| {
            let (left, right) = extremes(x.iter().map(|p| p.x));
            right - left
        })
    };
    let ([springs, conditions], [without_shear, _]) = (widths(&[]), widths(&["shear=0"]));
    println!("35 m wide, pulled: springs {springs:.2} m, conditions {conditions:.2} m, no shear {without_shear:.2} m");
    assert!(springs < 33.5 && (conditions - 35.0).abs() < 1e-6 && (without_shear - 35.0).abs() < 1e-4);
}

#[test]
fn sides_sag_if_particles_are_equal_and_do_not_if_masses_follow_the_area() {
    // V fig. 7.26: particles at the sides get half the force. At rest, over the rows that are whole in both.
    let end = frames(&mut simulation("v-7-sides", &[])).pop().unwrap();
    let sinking = |cloth: usize, i: usize| {
        let z = |j: usize| end[SIDE * SIDE * cloth + SIDE * i + j].z;
        z(SIDE - 1) - z(1)
    };
    let sag = [0, 1].map(|cloth| {
        let sides = 0.5 * (sinking(cloth, 0) + sinking(cloth, SIDE - 1));
        let middle = 0.5 * (sinking(cloth, 3) + sinking(cloth, 4));
        println!("cloth {cloth}: sides {sides:.2} m long, middle {middle:.2} m");
        sides / middle - 1.0
    });
    assert!(sag[0].abs() < 0.01 && sag[1] > 0.1, "{sag:?}");
}

#[test]
fn undamped_backward_euler_needs_a_bending_force_that_is_bounded() {
    // Triangles turn over within their plane, where the angle of the bend condition jumps.
    let fails = |bend: &str| {
        let settings = ["integrator=backward-euler", "duration=20", bend];
        let mut simulation = simulation("v-7-conditions", &settings);
        std::iter::from_fn(|| (simulation.frame() < simulation.frames()).then(|| simulation.next_frame()))
            .find_map(Result::err)
    };
    assert!(fails("bend=none").is_none() && fails("bend=curvature").is_none());
    let error = fails("bend=baraff-witkin").expect("a typed error").to_string();
    assert!(error.contains("no convergence") && error.contains("vertex"), "{error}");
}
