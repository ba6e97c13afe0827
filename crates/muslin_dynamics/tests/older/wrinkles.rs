//! Wrinkle memory: what is recorded, when it acts, and that it is an internal force.

use crate::{faces, particles, sheet::Random, system};
use glam::{DQuat, DVec2, DVec3};
use muslin_dynamics::{
    System,
    forces::{WrinkleMark, WrinkleOptions, Wrinkles},
};
use muslin_model::{Crease, Model};

const OPTIONS: WrinkleOptions = WrinkleOptions { moment: 0.8, sharp: 1.0, permanence: 0.5, width: 2 };

struct Rig {
    system: System,
    creases: Vec<Crease>,
}

impl Rig {
    fn new(model: &Model, options: WrinkleOptions) -> Self {
        Rig::marked(model, options, &[])
    }

    /// A cloth that remembers something from the start.
    fn marked(model: &Model, options: WrinkleOptions, marks: &[WrinkleMark]) -> Self {
        let mut system = system(model, |layout| {
            let mut wrinkles = Wrinkles::new(model, &faces(model), options, layout).unwrap();
            marks.iter().for_each(|mark| assert!(wrinkles.mark(model, 0, mark, layout).relations > 0));
            vec![Box::new(wrinkles)]
        });
        let mut flat = Vec::new();
        system.gather(&model.mesh.positions, &mut flat);
        let creases = system.first_creases(&flat);
        Rig { system, creases }
    }

    fn commit(&mut self, positions: &[DVec3]) {
        let mut x = Vec::new();
        self.system.gather(positions, &mut x);
        self.system.remember(&x, &mut self.creases);
    }

    fn forces(&self, positions: &[DVec3]) -> Vec<DVec3> {
        let (mut x, still) = (Vec::new(), vec![DVec3::ZERO; positions.len()]);
        self.system.gather(positions, &mut x);
        let (mut out, mut result) = (still.clone(), still.clone());
        self.system.force(&x, &still, &mut out);
        self.system.scatter(&out, &mut result);
        result
    }

    /// How many relations remember a bend.
    fn remembered(&self) -> usize {
        self.creases.iter().filter(|c| c.rest != 0.0).count()
    }
}

/// A strip of 7 × 3 folded about the line x = 0 by an angle, up or down, and otherwise flat [m].
fn folded(angle: f64) -> Vec<DVec3> {
    let model = particles([7, 3], 1.0, DVec3::ZERO);
    let turn = |x: DVec3| if x.x > 0.0 { DVec3::new(x.x * angle.cos(), x.y, -x.x * angle.sin()) } else { x };
    model.mesh.positions.iter().map(|x| turn(*x)).collect()
}

#[test]
fn bends_beyond_the_threshold_are_recorded_where_they_are_and_only_sharper_ones_later() {
    let model = particles([7, 3], 1.0, DVec3::ZERO);
    let mut rig = Rig::new(&model, OPTIONS);
    assert_eq!(rig.remembered(), 0);
    rig.commit(&folded(0.9));
    assert_eq!(rig.remembered(), 0, "not sharp enough");
    rig.commit(&folded(1.4));
    // The row of each of three vertices on the line, and of the middle one both diagonals, which bend less: tan = tan 1.4 / √2.
    let rests: Vec<f64> = rig.creases.iter().map(|c| c.rest).filter(|rest| *rest != 0.0).collect();
    println!("{rests:?}");
    assert_eq!(rests.iter().filter(|rest| (**rest - 0.7).abs() < 1e-12).count(), 3, "half of 1.4 stays");
    let first = rig.creases.clone();
    rig.commit(&folded(1.2));
    rig.commit(&folded(0.0));
    let kept: Vec<f64> = rig.creases.iter().map(|c| c.rest).collect();
    assert_eq!(kept, first.iter().map(|c| c.rest).collect::<Vec<_>>(), "flat or bent less, it is remembered");
    rig.commit(&folded(-1.5));
    assert!(
        rig.creases.iter().any(|c| (c.rest + 0.75).abs() < 1e-12),
        "a sharper bend to the other side takes its place"
    );
}

#[test]
fn a_line_on_the_pattern_bends_what_crosses_it_squarely() {
    // 7 × 5 vertices, 1 m apart, around the origin.
    let model = particles([7, 5], 1.0, DVec3::ZERO);
    let line = |from: [f64; 2], to: [f64; 2]| {
        let ends = [from, to].map(DVec2::from_array);
        Rig::marked(&model, OPTIONS, &[WrinkleMark::Line { ends, angle: 0.9 }])
    };
    // Along a column: the rows, around the column's vertices. On the flat cloth κ φ₀ (−1, 2, −1)/1 m on each.
    for x in [-0.4, 0.0, 0.5] {
        let rig = line([x, -2.0], [x, 2.0]);
        assert_eq!(rig.creases.iter().filter(|c| c.rest == 0.9).count(), 5, "at {x}");
        assert_eq!(rig.remembered(), 5);
        for (v, force) in rig.forces(&model.mesh.positions).iter().enumerate() {
            let expected = match model.mesh.positions[v].x {
                0.0 => 2.0,
                x if x.abs() == 1.0 => -1.0,
                _ => 0.0,
            };
            assert!((*force - DVec3::Z * (0.8 * 0.9 * expected)).length() < 1e-12, "vertex {v}: {force}");
        }
    }
    // Half of it: three rows.
    assert_eq!(line([0.0, 0.0], [0.0, 2.0]).remembered(), 3);
    // Along a diagonal: the other diagonals, with s = (y − x)/2 between −½ and ½ and y from −1 to 1.
    assert_eq!(line([-2.0, -2.0], [2.0, 2.0]).remembered(), 6);
}

#[test]
fn a_line_that_crosses_no_relation_is_told() {
    let model = particles([7, 5], 1.0, DVec3::ZERO);
    // Outside, and on the border, which no row crosses.
    for x in [5.0, -3.0] {
        system(&model, |layout| {
            let mut wrinkles = Wrinkles::new(&model, &faces(&model), OPTIONS, layout).unwrap();
            let mark = WrinkleMark::Line { ends: [DVec2::new(x, -2.0), DVec2::new(x, 2.0)], angle: 1.0 };
            assert_eq!(wrinkles.mark(&model, 0, &mark, layout).relations, 0, "at {x}");
            vec![Box::new(wrinkles)]
        });
    }
}

#[test]
fn the_bends_of_a_drape_are_remembered_as_if_the_run_itself_had_made_them() {
    let model = particles([7, 3], 1.0, DVec3::ZERO);
    let mut folding = Rig::new(&model, OPTIONS);
    folding.commit(&folded(1.4));
    // Somewhere else and turned: only the shape counts.
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.8);
    let positions = folded(1.4).iter().map(|x| turn * *x + DVec3::new(3.0, -1.0, 7.0)).collect();
    let draped = Rig::marked(&model, OPTIONS, &[WrinkleMark::Drape { positions }]);
    assert!(draped.remembered() >= 3);
    for (a, b) in folding.creases.iter().zip(&draped.creases) {
        assert!((a.rest - b.rest).abs() < 1e-12, "{} and {}", a.rest, b.rest);
    }
}

#[test]
fn a_remembered_bend_pushes_its_line_out_of_the_plane_and_stretch_silences_it() {
    let model = particles([7, 3], 1.0, DVec3::ZERO);
    let mut rig = Rig::new(&model, OPTIONS);
    rig.commit(&folded(1.4));
    rig.commit(&folded(0.0));
    let flat = rig.forces(&model.mesh.positions);
    // On a flat row of edges of 1 m: κ φ₀ (−1, 2, −1)/1 m, φ₀ = 0.7, on vertices 7, 10 and 13 for the row in the middle; both diagonals add.
    let row = 0.8 * 0.7;
    assert!(flat[10].z >= 2.0 * row - 1e-12 && flat[9].z >= 2.0 * row - 1e-12);
    assert!((flat[9].z - 2.0 * row).abs() < 1e-12 || flat[9].z > 2.0 * row);
    assert!(flat[0].length() < 1e-15, "far from the fold nothing acts");
    let scaled = |by: f64| model.mesh.positions.iter().map(|x| DVec3::new(x.x * by, x.y, x.z)).collect::<Vec<_>>();
    let stretched = rig.forces(&scaled(1.001));
    assert!(stretched.iter().all(|f| f.length() == 0.0), "stretched across the fold");
    assert!(rig.forces(&scaled(0.9))[10].z > 0.5);
    // Bent as it remembers, its row is at rest.
    let half = rig.forces(&folded(0.7));
    assert!(half[9].length() < 0.3 * flat[9].length());
}

#[test]
fn half_of_a_crease_stays_when_the_other_half_is_stretched() {
    // V: "stretched perpendicular only over half of this length, we can still observe the other half".
    let model = particles([7, 5], 1.0, DVec3::ZERO);
    let mut rig = Rig::new(&model, OPTIONS);
    let angle: f64 = 1.4;
    let turn = |x: DVec3| if x.x > 0.0 { DVec3::new(x.x * angle.cos(), x.y, -x.x * angle.sin()) } else { x };
    rig.commit(&model.mesh.positions.iter().map(|x| turn(*x)).collect::<Vec<_>>());
    let half: Vec<DVec3> =
        model.mesh.positions.iter().map(|x| DVec3::new(x.x * if x.y > 0.5 { 1.1 } else { 1.0 }, x.y, 0.0)).collect();
    let forces = rig.forces(&half);
    // Vertex 15 + j is on the fold in row j.
    assert!(forces[15].z > 0.5 && forces[16].z > 0.5);
    assert!(forces[19].length() < 1e-12, "the far end of the stretched half");
}

#[test]
fn forces_change_neither_momentum_nor_angular_momentum() {
    let model = particles([7, 6], 1.0, DVec3::ZERO);
    let mut random = Random(3);
    for width in [2, 4] {
        let mut rig = Rig::new(&model, WrinkleOptions { width, sharp: 0.1, ..OPTIONS });
        rig.commit(&model.mesh.positions.iter().map(|x| *x + random.vector() * 0.4).collect::<Vec<_>>());
        assert!(rig.remembered() > 20);
        let wild: Vec<DVec3> = model.mesh.positions.iter().map(|x| *x * 0.7 + random.vector() * 0.2).collect();
        let forces = rig.forces(&wild);
        let size: f64 = forces.iter().map(|f| f.length()).sum();
        let sum: DVec3 = forces.iter().sum();
        let torque: DVec3 = forces.iter().zip(&wild).map(|(f, x)| x.cross(*f)).sum();
        assert!(size > 1.0 && sum.length() < 1e-13 * size && torque.length() < 1e-12 * size, "{sum} {torque}");
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.7, 1.9, -0.4);
        let turned = rig.forces(&wild.iter().map(|x| turn * *x + DVec3::ONE).collect::<Vec<_>>());
        assert!(forces.iter().zip(&turned).all(|(f, g)| (turn * *f - *g).length() < 1e-11));
    }
}

#[test]
fn the_moment_is_the_slope_of_the_angle() {
    // Where all relations are active the forces are −∂/∂x of Σ ½ κ (φ − φ₀)², with φ measured here between the arms.
    let model = particles([5, 5], 1.0, DVec3::ZERO);
    let mut random = Random(21);
    let mut rig = Rig::new(&model, WrinkleOptions { sharp: 0.05, ..OPTIONS });
    let first: Vec<DVec3> = model.mesh.positions.iter().map(|x| *x * 0.8 + DVec3::Z * (0.5 * random.next())).collect();
    rig.commit(&first);
    let x: Vec<DVec3> = first.iter().map(|x| *x + random.vector() * 0.02).collect();
    // φ₀ is half of the angle at `first`, for relations beyond the threshold; all lines of the 5 × 5 grid.
    let lines = (0..25usize).flat_map(|v| {
        let (i, j) = (v as isize / 5, v as isize % 5);
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().filter_map(move |(a, b)| {
            let inside = |s: isize| (0..5).contains(&(i + s * a)) && (0..5).contains(&(j + s * b));
            let at = |s: isize| ((i + s * a) * 5 + j + s * b) as usize;
            (inside(1) && inside(-1)).then(|| [at(-1), v, at(1)])
        })
    });
    let lines: Vec<[usize; 3]> = lines.collect();
    let angle = |x: &[DVec3], [a, m, c]: [usize; 3]| {
        let bend = (x[m] - x[a]).angle_between(x[c] - x[m]);
        // The sheet is nearly level, so that its normals point up.
        if (x[a] + x[c] - 2.0 * x[m]).z > 0.0 { -bend } else { bend }
    };
    let energy = |x: &[DVec3]| -> f64 {
        let one = |line: &[usize; 3]| {
            let rest = angle(&first, *line);
            if rest.abs() > 0.05 { 0.4 * (angle(x, *line) - 0.5 * rest).powi(2) } else { 0.0 }
        };
        lines.iter().map(one).sum()
    };
    let forces = rig.forces(&x);
    let (mut moved, step) = (x.clone(), 1e-6);
    for v in 0..25 {
        for axis in 0..3 {
            moved[v][axis] = x[v][axis] + step;
            let plus = energy(&moved);
            moved[v][axis] = x[v][axis] - step;
            let slope = (plus - energy(&moved)) / (2.0 * step);
            moved[v][axis] = x[v][axis];
            assert!(
                (forces[v][axis] + slope).abs() < 1e-6 * (1.0 + slope.abs()),
                "{v} {axis}: {} and {slope}",
                forces[v]
            );
        }
    }
    assert!(forces.iter().any(|f| f.length() > 0.1));
}
