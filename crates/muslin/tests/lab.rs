//! The virtual laboratory against closed forms and the rows of the tables, computed here without it.

mod lab_fabrics;

use glam::{DMat2, DVec2};
use lab_fabrics::{changed, fabric};
use muslin::{
    io::fabrics::{Fabric, How, QUANTITIES, all},
    lab::{self, Bench, Detail, bending, cantilever, shear, slip, tension},
};

/// Load per width of a strip at an elongation of its axis, from the rows: the two strains across it are those that leave no stress there, found by
/// Newton's method with differences.
fn table_load(fabric: &Fabric, degrees: f64, elongation: f64) -> f64 {
    let table = fabric.stretch_table.as_ref().unwrap();
    let (rest, rows) = (table.table.rest(), table.table.strained());
    let d = DVec2::from_angle(degrees.to_radians());
    let p = d.perp();
    // Strain along, across and between (tensor), in axes of the strip; the stress there.
    let stress = |along: f64, across: f64, between: f64| {
        let turned = |a: DVec2, b: DVec2| {
            let mixed = |u: DVec2, v: DVec2| a.dot(u) * b.dot(v);
            along * mixed(d, d) + across * mixed(p, p) + between * (mixed(d, p) + mixed(p, d))
        };
        let e = [turned(DVec2::X, DVec2::X), turned(DVec2::Y, DVec2::Y), turned(DVec2::X, DVec2::Y)];
        let half = DVec2::new(0.5 * (e[0] - e[1]), e[2]);
        let first = (1.0 + e[0] + e[1] + 2.0 * half.length()).sqrt() - 1.0;
        let part = (first * 6.0).clamp(0.0, 1.0);
        let place = half.y.abs().atan2(half.x).to_degrees() / 45.0;
        let row = (place.floor() as usize).min(3);
        let c: [f64; 4] = std::array::from_fn(|i| {
            let there = rows[row][i] + (place - row as f64) * (rows[row + 1][i] - rows[row][i]);
            rest[i] + part * (there - rest[i])
        });
        let s = [c[0] * e[0] + c[2] * e[1], c[2] * e[0] + c[1] * e[1], 2.0 * c[3] * e[2]];
        let seen = |a: DVec2, b: DVec2| s[0] * a.x * b.x + s[1] * a.y * b.y + s[2] * (a.x * b.y + a.y * b.x);
        [seen(d, d), seen(p, p), seen(d, p)]
    };
    let along = elongation + 0.5 * elongation * elongation;
    let mut x = DVec2::new(-0.3 * along, 0.0);
    for _ in 0..200 {
        let at = |x: DVec2| stress(along, x.x, x.y);
        let [_, s, t] = at(x);
        let h = 1e-7;
        let column = |by: DVec2| {
            let ([_, s1, t1], [_, s0, t0]) = (at(x + by), at(x - by));
            DVec2::new(s1 - s0, t1 - t0) / (2.0 * h)
        };
        let slopes = DMat2::from_cols(column(DVec2::new(h, 0.0)), column(DVec2::new(0.0, h)));
        x -= slopes.inverse() * DVec2::new(s, t) * 0.5;
    }
    let [s, across, between] = stress(along, x.x, x.y);
    assert!(across.abs().max(between.abs()) < 1e-6 * s, "{} at {degrees}°", fabric.name);
    s * (1.0 + elongation)
}

#[test]
fn strips_of_every_table_at_0_45_and_90_degrees_pull_as_it_was_measured() {
    let (mut tables, mut soft) = (0, 0);
    for fabric in all().iter().filter(|fabric| fabric.stretch_table.is_some()) {
        tables += 1;
        for degrees in [0.0, 45.0, 90.0] {
            let pull = tension::pull(fabric, degrees).unwrap();
            let mut worst: f64 = 0.0;
            for p in &pull.points {
                let expected = table_load(fabric, degrees, p.elongation);
                let miss = p.load / expected - 1.0;
                worst = worst.max(miss.abs());
                assert!(miss.abs() < 0.01, "{} at {degrees}°, {p:?}: the table says {expected}", fabric.name);
            }
            let last = pull.points.last().unwrap().elongation;
            println!("{} {degrees}°: {:.2} % up to {:.1} %", fabric.name, 100.0 * worst, 100.0 * last);
            // A pull ends before the load falls, and only there.
            let falls = |e: f64| table_load(fabric, degrees, e + 1e-4) < table_load(fabric, degrees, e);
            assert!(pull.points.iter().all(|p| !falls(p.elongation)), "{} at {degrees}°", fabric.name);
            assert!(!pull.softens || (130..165).any(|k| falls(1e-3 * f64::from(k))), "{} at {degrees}°", fabric.name);
            soft += usize::from(pull.softens);
            assert!(pull.points.len() > 6 && last > 0.1, "{} at {degrees}°", fabric.name);
        }
    }
    assert_eq!((tables, soft), (10, 2), "tables, and pulls whose load falls");
}

#[test]
fn a_strip_of_a_linear_fabric_pulls_as_its_closed_form() {
    let cotton = fabric("woven-cotton");
    let pull = tension::pull(&cotton, 0.0).unwrap();
    for p in &pull.points {
        // S = k E along the warp, and the load is λ S.
        let stretch = 1.0 + p.elongation;
        let expected = 10_000.0 * stretch * 0.5 * (stretch * stretch - 1.0);
        assert!((p.load / expected - 1.0).abs() < 0.01, "{p:?} {expected}");
    }
}

#[test]
fn the_shear_loop_has_the_slope_of_the_shear_modulus_and_no_width() {
    let cotton = fabric("woven-cotton");
    let found = shear::measure(&cotton).unwrap();
    println!("{} of {}", found.stiffness, found.law);
    // Yarns that end at the free sides bear less: the two outer cells of 40.
    assert!((found.stiffness / 100.0 - 1.0).abs() < 0.05, "{}", found.stiffness);
    assert!(found.hysteresis_2hg < 1e-3 * found.stiffness);
    assert!(found.points.iter().any(|p| p[0] == 8.0) && found.points.iter().any(|p| p[0] == -8.0));
}

/// The closed form of the loop of yarns that keep their length: C₃₃ γ + F with γ = λ sin φ, and F on the first bend, the way
/// down from +8° and the way up from −8°.
#[test]
fn fabrics_with_a_measured_shear_loop_follow_its_closed_form() {
    // Table 5 of the study: G 2.18 gf/(cm·°) and 2HG 5.012 gf/cm; friction builds up over 0.0087, λ is that of 10 gf/cm.
    let (modulus, width, transition) = (2.18 * 56.19, 5.012 * 0.980665, 8.7e-3);
    let stretch = 1.0 + 9.80665 / 8890.89;
    let found = shear::measure(&fabric("denim-kes-a")).unwrap();
    let gamma = |degrees: f64| stretch * degrees.to_radians().sin();
    let built = |way: f64, over: f64| 1.0 - (1.0 - (way / over).min(1.0)).powi(2);
    let mut worst = 0.0_f64;
    for (n, &[degrees, force]) in found.points.iter().enumerate() {
        let friction = match n {
            0..=16 => 0.5 * width * built(gamma(degrees), transition),
            17..=48 => 0.5 * width - width * built(gamma(8.0) - gamma(degrees), 2.0 * transition),
            _ => -0.5 * width + width * built(gamma(degrees) - gamma(-8.0), 2.0 * transition),
        };
        let expected = modulus * gamma(degrees) + friction;
        worst = worst.max((force - expected).abs() / (modulus * gamma(8.0) + 0.5 * width));
    }
    println!("off by {worst:.4}; G {} of {modulus}, 2HG {} of {width}", found.stiffness, found.hysteresis_2hg);
    // Yarns that end at the free sides bear less: the two outer cells of 40.
    assert!(worst < 0.05, "{worst}");
    assert!((found.hysteresis_2hg / width - 1.0).abs() < 0.05, "{} {width}", found.hysteresis_2hg);
    assert!((found.stiffness / modulus - 1.0).abs() < 0.05, "{} {modulus}", found.stiffness);
}

#[test]
fn pure_bending_shows_the_rigidity_of_material_and_table() {
    for (b, expected) in bending::measure(&changed("woven-cotton", &[("bend_weft", 2e-5), ("bend_bias", 1.7e-5)]))
        .unwrap()
        .iter()
        .zip([1e-5, 1.7e-5, 2e-5])
    {
        assert!((b.rigidity / expected - 1.0).abs() < 0.01, "{}: {} {expected}", b.direction_degrees, b.rigidity);
        assert!((b.rigidity_kawabata / expected - 1.0).abs() < 0.02, "{}", b.rigidity_kawabata);
        assert!(b.hysteresis_2hb < 1e-9 * expected * 100.0);
    }
    let mut tables = 0;
    for fabric in all() {
        let Some(table) = &fabric.bend_table else { continue };
        tables += 1;
        for b in bending::measure(fabric).unwrap() {
            for row in &table.given[1..] {
                let rigidity = match b.direction_degrees {
                    0.0 => row.warp,
                    // No orthotropic plate has less on the bias.
                    45.0 => row.bias.max(0.25 * (row.warp + row.weft)),
                    _ => row.weft,
                };
                let found = b.points.iter().find(|p| (p[0] - row.curvature).abs() < 1e-6).expect("a point at the row");
                let miss = found[1] / (rigidity * row.curvature) - 1.0;
                println!("{} {}°, {} 1/m: {:+.2} %", fabric.name, b.direction_degrees, row.curvature, 100.0 * miss);
                assert!(miss.abs() < 0.01, "{} {}°, {} 1/m: {miss}", fabric.name, b.direction_degrees, row.curvature);
            }
        }
    }
    assert_eq!(tables, 10);
}

#[test]
fn fabrics_with_a_measured_loop_show_its_rigidity_and_width() {
    // Table 5 of the study: B 0.172 gf·cm²/cm and 2HB 0.139 gf·cm/cm.
    let found = bending::measure(&fabric("denim-kes-a")).unwrap();
    for b in [&found[0], &found[2]] {
        println!("{}°: B {:e}, 2HB {:e}", b.direction_degrees, b.rigidity, b.hysteresis_2hb);
        assert!((b.rigidity / (0.172 * 9.80665e-5) - 1.0).abs() < 0.05, "{}", b.rigidity);
        assert!((b.hysteresis_2hb / (0.139 * 9.80665e-3) - 1.0).abs() < 0.05, "{}", b.hysteresis_2hb);
    }
}

/// Marks of a measured loop against slope · x ± width / 2 of the study's printed numbers, and against the nearest way of the
/// simulated loop at the same x; how far the worst is off that [-], in parts of the largest mark.
fn marks_beside(marks: &[[f64; 2]], loop_points: &[[f64; 2]], [slope, width]: [f64; 2], range: [f64; 2]) -> f64 {
    let largest = slope * range[1] + 0.5 * width;
    let mut worst = 0.0_f64;
    for mark in marks {
        assert!(mark[0].abs() >= range[0] && mark[0].abs() <= range[1], "{mark:?}");
        let off = (mark[1] - slope * mark[0]).abs() / (0.5 * width) - 1.0;
        assert!(off.abs() < 1e-3, "{mark:?} is not on the lines");
        let there = loop_points.iter().filter(|p| (p[0] - mark[0]).abs() < 1e-6 * range[1]);
        let near = there.map(|p| (p[1] - mark[1]).abs()).fold(f64::INFINITY, f64::min);
        worst = worst.max(near / largest);
    }
    // Both ends of the range on both sides, on the upper and the lower line.
    for (end, side, way) in (0..8).map(|k| (range[k & 1], [1.0, -1.0][k >> 1 & 1], [1.0, -1.0][k >> 2])) {
        let there = |m: &&[f64; 2]| (m[0] - side * end).abs() < 1e-9 && (m[1] - slope * m[0]) * way > 0.0;
        assert_eq!(marks.iter().filter(there).count(), 1, "{end} {side} {way}");
    }
    worst
}

#[test]
fn marks_of_measured_loops_are_the_lines_of_the_study_and_lie_on_the_simulated_loops() {
    // Table 5 of the study says of denim A: B 0.172 gf·cm²/cm, 2HB 0.139 gf·cm/cm, G 2.18 gf/(cm·°), 2HG 5.012 gf/cm.
    let of_a = ([0.172 * 9.80665e-5, 0.139 * 9.80665e-3], [2.18 * 0.980665, 5.012 * 0.980665]);
    let of_f = ([1.4514e-5, 1.5593e-3], [84.28 * std::f64::consts::PI / 180.0, 3.359]);
    for (name, (bend, shear)) in [("denim-kes-a", of_a), ("denim-kes-f", of_f)] {
        let bends = bending::measure(&fabric(name)).unwrap();
        for at in [0, 2] {
            let worst = marks_beside(&bends[at].measured, &bends[at].points, bend, [50.0, 150.0]);
            println!("{name}, bending {}°: {worst:.4}", bends[at].direction_degrees);
            assert!(worst < 0.02, "{worst}");
        }
        assert!(bends[1].measured.is_empty());
        let sheared = lab::shear::measure(&fabric(name)).unwrap();
        let worst = marks_beside(&sheared.measured, &sheared.points, shear, [0.5, 2.5]);
        println!("{name}, shear: {worst:.4}");
        assert!(worst < 0.03, "{worst}");
    }
    // Nobody measured those of others, and an assumed width makes no mark.
    for name in ["woven-cotton", "denim-11oz"] {
        assert!(bending::measure(&fabric(name)).unwrap().iter().all(|b| b.measured.is_empty()), "{name}");
        assert!(shear::measure(&fabric(name)).unwrap().measured.is_empty(), "{name}");
    }
    let mut assumed = fabric("denim-kes-a");
    assumed.values.iter_mut().filter(|v| v.quantity.key.ends_with("hysteresis")).for_each(|v| v.how = How::Assumed);
    assert!(bending::measure(&assumed).unwrap().iter().all(|b| b.measured.is_empty()));
}

#[test]
fn a_page_draws_measured_loops_as_dots_and_says_so() {
    for (name, dots) in [("denim-kes-a", [20, 40]), ("woven-cotton", [0, 0])] {
        let fabric = fabric(name);
        let report = lab::examine(&mut Bench { fabric: &fabric, say: &mut |_| () }, Detail::Coarse).unwrap();
        let page = lab::page(&fabric, &report);
        for (what, dots) in ["Shear loop", "Pure bending loops"].into_iter().zip(dots) {
            let figure = page.split("<figure>").find(|f| f.contains(what)).expect("a figure");
            assert_eq!(figure.matches("<circle").count(), dots, "{name}: {what}");
            assert_eq!(figure.contains("measured (dots)"), dots > 0, "{name}: {what}");
        }
    }
}

/// Some are so limp that they hang over by a centimetre.
#[test]
fn every_fabric_of_the_library_has_a_cantilever_near_its_law() {
    for fabric in all() {
        let found = cantilever::measure(fabric, 0.0).unwrap_or_else(|error| panic!("{}: {error}", fabric.name));
        let ratio = found.length / found.law;
        // A table's rigidity changes with the bend.
        let off = if fabric.bend_table.is_some() { 0.5 } else { 0.02 };
        assert!((ratio - 1.0).abs() < off, "{}: {ratio}", fabric.name);
    }
}

#[test]
fn the_cantilever_finds_twice_the_bending_length() {
    for (name, rigidity, weight) in [("woven-cotton", 1e-5, 0.2 * 9.81), ("denim-kes-a", 1.6867e-5, 0.34 * 9.81)] {
        let found = cantilever::measure(&fabric(name), 0.0).unwrap();
        let expected = 2.0 * f64::cbrt(rigidity / weight);
        println!("{name}: {} m of {expected}", found.length);
        assert!((found.length / expected - 1.0).abs() < 0.006, "{name}: {} {expected}", found.length);
    }
}

#[test]
fn a_sheet_slips_at_the_angle_of_friction() {
    for friction in [0.2, 0.6] {
        let found = slip::measure(&changed("woven-cotton", &[("friction", friction)])).unwrap();
        let expected = f64::atan(friction).to_degrees();
        assert!((found.angle_degrees - expected).abs() < 0.4, "{found:?} {expected}");
    }
}

#[test]
fn a_sheet_slips_at_the_angle_of_static_friction_where_it_is_told_apart() {
    let mut fabric = changed("woven-cotton", &[("friction", 0.2)]);
    let mut at_rest = fabric.values.iter().find(|v| v.quantity.key == "friction").expect("a quantity").clone();
    at_rest.quantity = QUANTITIES.iter().find(|q| q.key == "friction_static").expect("a quantity");
    at_rest.value = 0.45;
    fabric.values.push(at_rest);
    let found = slip::measure(&fabric).unwrap();
    let expected = f64::atan(0.45).to_degrees();
    assert!((found.angle_degrees - expected).abs() < 0.4 && found.law_degrees == expected, "{found:?} {expected}");
}
