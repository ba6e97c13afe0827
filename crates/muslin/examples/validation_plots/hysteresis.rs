//! W fig. 4.7 and 4.14: bending loops and what repeated bending leaves, with W's constants.
//!
//! W prints the points of the measurement of fig. 4.7 (a), an acrylic twill on the Kawabata tester, nowhere as numbers; what is known of
//! it is the fit, b₁, b₂ and c₁ in gf and cm. So (a) is that fabric on the virtual tester, and (b) the fit itself on one hinge.

use crate::{
    COLOURS, FORM,
    svg::{Mark, Plot},
};
use muslin::{
    Error, Material,
    dynamics::forces::{
        Hysteresis,
        memory::{BendingLaw, curvature},
    },
    kes_bending::BendingTest,
    model::Crease,
    sim::scene::{BendMemory, BendModel, RestShape},
};

/// b₁, b₂ [gf·cm²/cm] and c₁ [gf·cm³/cm] of W fig. 4.7, and its λ [-].
const FIG_4_7: [f64; 3] = [0.76, 0.26, -0.38];
const LAMBDA: f64 = 0.1;
/// b₁, b₂, c₁, λ and µ of W fig. 4.13 and 4.14.
const FIG_4_14: [f64; 5] = [5.20, 2.51, -4.45, 0.15, 0.1];
/// 1 gf·cm²/cm [N·m], 1 gf·cm/cm [N] and 1 1/cm [1/m].
const RIGIDITY: f64 = 9.80665e-5;
const MOMENT: f64 = 9.80665e-3;
const CURVATURE: f64 = 100.0;
/// Turns of the partial cycles [1/cm].
const TURNS: [f64; 8] = [0.5, 0.2, 1.6, 1.1, 2.2, 1.4, 2.5, 0.3];
/// Points of a curve between two turns.
const POINTS: usize = 60;

/// Bends a hinge of height 1 to angles one after another; its angle and moment on the way.
fn way(law: &Hysteresis, turns: &[f64]) -> Vec<[f64; 2]> {
    let (mut crease, mut points): (Crease, _) = (law.untouched(0.0), vec![[0.0, 0.0]]);
    for &turn in turns {
        let from = crease.angle;
        for n in 1..=POINTS {
            law.commit(&mut crease, 1.0, from + (turn - from) * n as f64 / POINTS as f64);
            points.push([crease.angle, law.moment(&crease, 1.0)]);
        }
    }
    points
}

/// W fig. 4.7 (a, b).
pub fn full() -> Result<Plot, Error> {
    let [b1, b2, c1] = FIG_4_7;
    let law = Hysteresis::of_thesis(b1, b2, c1);
    let rigidity = b2 * RIGIDITY;
    let material = Material {
        bend_warp: rigidity.into(),
        bend_weft: rigidity.into(),
        bend_bias: rigidity.into(),
        bend_hysteresis: (2.0 * law.friction * MOMENT).into(),
        bend_transition: (law.transition * CURVATURE).into(),
        ..Material::woven_cotton()
    };
    let bend = BendModel::Remembering { memory: BendMemory::Hysteresis, rest: RestShape::Flat, substeps: 0 };
    let tested = BendingTest { steps: 25, ..BendingTest::new(material, bend) }.run()?;
    let mut plot = Plot::new(("curvature [1/cm]", [-2.5, 2.5]), ("moment per width [gf·cm/cm]", [-1.0, 1.0]));
    plot.add(Mark::Curve, FORM, "(b) the law on one hinge", &way(&law, &[2.5, -2.5, 2.5]));
    let dots: Vec<[f64; 2]> = tested.points.iter().map(|p| [p.curvature / CURVATURE, p.moment / MOMENT]).collect();
    plot.add(Mark::Dots, COLOURS[0], "(a) a strip on the virtual tester", &dots);
    Ok(plot)
}

/// W fig. 4.7 (c, d).
pub fn partial() -> Result<Plot, Error> {
    let [b1, b2, c1] = FIG_4_7;
    let law = Hysteresis::of_thesis(b1, b2, c1);
    let mut plot = Plot::new(
        ("curvature from the first rest shape [1/cm]", [0.0, 2.5]),
        ("moment per width [gf·cm/cm]", [-0.4, 1.0]),
    );
    plot.add(Mark::Curve, COLOURS[0], "(c) λ = 0", &way(&law, &TURNS));
    plot.add(Mark::Curve, COLOURS[1], "(d) λ = 0.1", &way(&Hysteresis { crease: LAMBDA, ..law }, &TURNS));
    Ok(plot)
}

/// W fig. 4.14.
pub fn cycles() -> Result<Plot, Error> {
    let [b1, b2, c1, crease, fatigue] = FIG_4_14;
    let law = Hysteresis { crease, fatigue, ..Hysteresis::of_thesis(b1, b2, c1) };
    let mut hinge = law.untouched(0.0);
    let mut read: [Vec<[f64; 2]>; 3] = Default::default();
    for cycle in 0..=60 {
        let couple = law.friction * hinge.fresh * hinge.fresh;
        for (list, value) in read.iter_mut().zip([law.initial_rigidity(&hinge) / b1, couple / law.friction, hinge.rest])
        {
            list.push([f64::from(cycle), value]);
        }
        let top = hinge.rest + 1.2;
        law.commit(&mut hinge, 1.0, top);
        while law.moment(&hinge, 1.0) > 0.0 && curvature(&hinge, 1.0) > -1.0 {
            let angle = hinge.angle - 1e-4;
            law.commit(&mut hinge, 1.0, angle);
        }
    }
    let mut plot = Plot::new(("cycles", [0.0, 60.0]), ("part of the first, and angle [rad]", [0.0, 1.25]));
    let names = ["(a) initial stiffness / 5.20", "(b) coercive couple / 0.41", "(c) residual angle [rad]"];
    for ((points, colour), name) in read.iter().zip(COLOURS).zip(names) {
        plot.add(Mark::Curve, colour, name, points);
    }
    plot.add(Mark::Curve, FORM, "b₂/b₁", &[[0.0, b2 / b1], [60.0, b2 / b1]]);
    Ok(plot)
}
