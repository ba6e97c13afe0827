//! What a step reads of a hinge that remembers, prepared at Commit, against the table of its law, written down here once more.

mod common;

use common::sheet::Random;
use muslin_dynamics::forces::memory::{BendingLaw, Committed, Hysteresis, Plasticity, Response, curvature};
use muslin_model::Crease;

/// Height of the hinge [m], none of the numbers that could hide a mistake.
const HEIGHT: f64 = 0.7;

/// W's law of fig. 4.7 with a residual bend and fatigue.
fn law(crease: f64, fatigue: f64) -> Hysteresis {
    Hysteresis { crease, fatigue, ..Hysteresis::of_thesis(0.76, 0.26, -0.38) }
}

/// The response per width and area as that of a hinge.
fn of_hinge(per_width: Response, height: f64, length: f64) -> [f64; 6] {
    let (area, weight) = (length * height, length / height);
    let Response { potential, stored, moment, slope, chord, lost } = per_width;
    [area * potential, area * stored, length * moment, weight * slope, weight * chord, length * lost]
}

fn numbers(whole: Response) -> [f64; 6] {
    let Response { potential, stored, moment, slope, chord, lost } = whole;
    [potential, stored, moment, slope, chord, lost]
}

/// Friction by the table of its law, with divisions: what it costs, itself, its slope and that of the line.
fn by_table(law: &Hysteresis, crease: &Crease, change: f64) -> [f64; 4] {
    let (f0, k0) = (law.friction * crease.fresh.powi(2), law.transition * crease.fresh);
    let (sign, length) = if change < 0.0 { (-1.0, crease.way) } else { (1.0, 2.0 * k0 - crease.way) };
    let (size, lack) = (change.abs(), f0 - sign * crease.friction);
    // There is no way left at an end.
    let part = if size < length { (length - size) / length } else { 0.0 };
    let friction = sign * (f0 - lack * part.powi(2));
    let cost = f0 * size - lack * length * (1.0 - part.powi(3)) / 3.0;
    [cost, friction, if part > 0.0 { 2.0 * lack * part / length } else { 0.0 }, (friction - crease.friction) / change]
}

#[test]
fn a_hinge_within_a_step_answers_as_the_table_of_its_law_says() {
    // Hardly worn by the end of two thousand bends.
    let (law, length) = (law(0.3, 1e-4), 0.013);
    let (mut random, mut crease, mut beyond, mut within) = (Random(11), law.untouched(0.2), 0, 0);
    for n in 0..2000 {
        law.commit(&mut crease, HEIGHT, 2.0 * random.next() * HEIGHT);
        let (hinge, start) = (law.committed(&crease, HEIGHT, length), curvature(&crease, HEIGHT));
        let change = [1.5, 0.1, 1e-4][n % 3] * random.next();
        let [cost, friction, slope, on] = by_table(&law, &crease, change);
        let [_, _, _, back] = by_table(&law, &crease, -change);
        let (b, k) = (law.rigidity, start + change);
        let stored = 0.5 * b * k * k;
        let expected = Response {
            potential: stored + cost,
            stored,
            moment: b * k + friction,
            slope: b + slope,
            chord: b + on.max(back),
            lost: friction,
        };
        let found = numbers(hinge.respond(change * HEIGHT));
        let expected = of_hinge(expected, HEIGHT, length);
        for (found, expected) in found.into_iter().zip(expected) {
            // The line's slope is a difference over the change.
            let rounding = 1e-11 * (1.0 + 1e-3 / change.abs());
            assert!((found - expected).abs() <= rounding, "{found} {expected} after {change}");
        }
        *(if slope == 0.0 { &mut beyond } else { &mut within }) += 1;
    }
    assert!(beyond > 100 && within > 100, "{beyond} {within}");
}

#[test]
fn a_hinge_at_the_end_of_its_branch_has_friction_and_no_slope_but_back() {
    let law = law(0.0, 0.0);
    let mut crease = law.untouched(0.0);
    law.commit(&mut crease, HEIGHT, 50.0 * HEIGHT);
    let hinge = law.committed(&crease, HEIGHT, 1.0);
    // As it slides on, there is the elastic part only; the line is that of the way back.
    let elastic = law.rigidity / HEIGHT;
    let line = |change: f64| (hinge.respond(0.0).moment - hinge.respond(-change).moment) / change;
    for change in [1e-300, 1e-9, 0.1, 1.0, 5.0] {
        let Response { potential, slope, chord, lost, .. } = hinge.respond(change);
        assert_eq!([lost, slope], [law.friction, elastic]);
        assert!(potential.is_finite() && chord > 1.1 * slope);
        assert!(change < 0.1 || (chord / line(change) - 1.0).abs() < 1e-12, "{chord} {}", line(change));
    }
    // Back, it is at its steepest, and so it is where it may turn.
    let [here, back] = [0.0, -1e-9].map(|change| hinge.respond(change));
    assert!(back.slope > 1.5 * elastic);
    for slope in [here.slope, here.chord] {
        assert!((slope / back.slope - 1.0).abs() < 1e-8, "{slope} {}", back.slope);
    }
}

#[test]
fn at_a_turn_the_steeper_of_both_ways_counts() {
    let law = law(0.0, 0.0);
    let mut crease = law.untouched(0.0);
    law.commit(&mut crease, HEIGHT, 0.9 * law.transition * HEIGHT);
    let back = 2.0 * (law.friction + crease.friction) / crease.way;
    let on = 2.0 * (law.friction - crease.friction) / (2.0 * law.transition - crease.way);
    assert!(back > 2.0 * on && on > 0.0, "{back} {on}");
    for change in [0.0, -0.0] {
        let response = law.committed(&crease, HEIGHT, 1.0).respond(change);
        for slope in [response.slope, response.chord] {
            assert!((HEIGHT * slope - law.rigidity - back).abs() < 1e-12, "{slope} {back}");
        }
    }
    // At the lower end there is no way back.
    law.commit(&mut crease, HEIGHT, -50.0 * HEIGHT);
    assert_eq!(crease.way, 0.0);
    let on = 2.0 * law.friction / law.transition;
    for change in [0.0, -0.0] {
        let response = law.committed(&crease, HEIGHT, 1.0).respond(change);
        for slope in [response.slope, response.chord] {
            assert!((HEIGHT * slope - law.rigidity - on).abs() < 1e-12, "{slope} {on}");
        }
    }
    assert!(law.committed(&crease, HEIGHT, 1.0).respond(f64::NAN).moment.is_nan(), "what is lost stays lost");
}

#[test]
fn a_plastic_hinge_within_a_step_yields_as_its_law_says() {
    let (law, length) = (Plasticity { rigidity: 0.3, yields: 0.8 }, 0.013);
    let (mut random, mut crease, mut yielded) = (Random(3), law.untouched(0.1), 0);
    for _ in 0..500 {
        law.commit(&mut crease, HEIGHT, 2.0 * random.next());
        let (start, change) = (curvature(&crease, HEIGHT), 2.0 * random.next());
        let (b, k) = (0.3, start + change);
        let elastic = k.clamp(-0.8, 0.8);
        let within = k.abs() <= 0.8;
        // Bends beyond the yield cost the moment there times the way.
        let (stored, flow) = (0.5 * b * elastic * elastic, b * 0.8 * (k.abs() - 0.8).max(0.0));
        let expected = Response {
            potential: stored + flow,
            stored,
            moment: b * elastic,
            slope: if within { b } else { 0.0 },
            // On, or as far back.
            chord: if within {
                b
            } else {
                b * ((elastic - start).abs().max(((start - change).clamp(-0.8, 0.8) - start).abs()) / change.abs())
            },
            lost: flow / change,
        };
        let found = numbers(law.committed(&crease, HEIGHT, length).respond(change * HEIGHT));
        for (found, expected) in found.into_iter().zip(of_hinge(expected, HEIGHT, length)) {
            assert!((found - expected).abs() <= 1e-12, "{found} {expected}");
        }
        yielded += usize::from(!within);
    }
    assert!(yielded > 50 && yielded < 450, "{yielded}");
}
