//! Cusick's drape of the virtual laboratory against a plate, a regression and bands of the literature.

mod lab_fabrics;

use lab_fabrics::{changed, fabric};
use muslin::{
    io::fabrics::Fabric,
    lab::{self, Bench, Detail, drape},
};

/// Drop of the rim of a plate that is clamped at the discs and free outside, under its weight, without Poisson's effect: the
/// four constants of w = q r⁴/64D + A r² + B ln r + C + E r² ln r by elimination.
fn plate_drop(weight: f64, rigidity: f64) -> f64 {
    let ([a, b], q) = (drape::RADII, weight / rigidity);
    let row = |r: f64, order: usize| {
        let ln = r.ln();
        // Columns: r², ln r, 1, r² ln r; then the load's part.
        match order {
            0 => [r * r, ln, 1.0, r * r * ln, q * r.powi(4) / 64.0],
            1 => [2.0 * r, 1.0 / r, 0.0, 2.0 * r * ln + r, q * r.powi(3) / 16.0],
            2 => [2.0, -1.0 / (r * r), 0.0, 2.0 * ln + 3.0, 3.0 * q * r * r / 16.0],
            // (∇²w)′, the shear force.
            _ => [0.0, 0.0, 0.0, 4.0 / r, q * r / 2.0],
        }
    };
    let mut m = [row(a, 0), row(a, 1), row(b, 2), row(b, 3)];
    for k in 0..4 {
        let pivot = (k..4).max_by(|&i, &j| m[i][k].abs().total_cmp(&m[j][k].abs())).unwrap();
        m.swap(k, pivot);
        for i in 0..4 {
            if i != k {
                let factor = m[i][k] / m[k][k];
                (0..5).for_each(|c| m[i][c] -= factor * m[k][c]);
            }
        }
    }
    let x: [f64; 4] = std::array::from_fn(|k| -m[k][4] / m[k][k]);
    let [p, l, c, s, load] = row(b, 0);
    (p * x[0] + l * x[1] + c * x[2] + s * x[3] + load).abs()
}

#[test]
fn a_stiff_sample_droops_as_a_plate_and_a_limp_one_folds() {
    let mut quiet = |_: &str| {};
    let bend = |value: f64| [("bend_warp", value), ("bend_weft", value), ("bend_bias", value)];
    // So soft within its plane that stretch takes no part of the load.
    let soft = [("stretch_warp", 100.0), ("stretch_weft", 100.0), ("shear", 50.0), ("damping_bend", 5e-5)];
    let plate = changed("woven-cotton", &[&bend(5e-3)[..], &soft].concat());
    let stiff = drape::measure(&mut Bench { fabric: &plate, say: &mut quiet }, Detail::Coarse).unwrap();
    let drop = -stiff.positions.iter().map(|p| p.z).fold(0.0, f64::min);
    let expected = plate_drop(0.2 * 9.81, 5e-3);
    println!("rim drops {drop:e} m, plate {expected:e} m; {} %", stiff.coefficient);
    // The sample starts with noise of 0.02 mm, and its held part keeps it.
    assert!((drop - expected).abs() < 0.05 * expected + 2e-5, "{drop} {expected}");
    assert!((stiff.coefficient - 100.0).abs() < 1.0 && stiff.folds == 0, "{}", stiff.coefficient);
    let limp =
        drape::measure(&mut Bench { fabric: &changed("woven-cotton", &bend(3e-6)), say: &mut quiet }, Detail::Coarse)
            .unwrap();
    println!("limp: {} %, {} folds, {} s, {} m/s", limp.coefficient, limp.folds, limp.time, limp.speed);
    assert!(limp.coefficient < 60.0 && (3..=14).contains(&limp.folds), "{} {}", limp.coefficient, limp.folds);
}

/// Cusick 1965: DC = 35.6 c − 3.61 c² − 2.59 A + 0.0461 A² + 17.0 %, c the bending length [cm], A the angle at which the fabric
/// buckles in shear, next to 0 here. The scatter of such regressions is some per cent.
#[test]
fn drapes_of_fabrics_that_are_stiff_in_shear_follow_cusicks_regression() {
    let mut quiet = |_: &str| {};
    for c in [2.2, 3.0] {
        let rigidity = 0.2 * 9.81 * f64::powi(0.01 * c, 3);
        let bend = [("bend_warp", rigidity), ("bend_weft", rigidity), ("bend_bias", rigidity), ("shear", 1500.0)];
        let stiff = changed("woven-cotton", &bend);
        let found = drape::measure(&mut Bench { fabric: &stiff, say: &mut quiet }, Detail::Coarse).unwrap();
        let expected = 35.6 * c - 3.61 * c * c + 17.0;
        println!("bending length {c} cm: {:.1} %, Cusick {expected:.1} %", found.coefficient);
        assert!((found.coefficient - expected).abs() < 8.0, "{} {expected}", found.coefficient);
    }
}

/// The denims of the study as measured: with B, 2HB, G and 2HG they drape as denim does, with B and G alone they are too limp.
#[test]
fn a_measured_denim_drapes_as_denim_with_its_friction() {
    let mut quiet = |_: &str| {};
    let mut drape =
        |fabric: &Fabric| drape::measure(&mut Bench { fabric, say: &mut quiet }, Detail::Coarse).unwrap().coefficient;
    let denim = fabric("denim-kes-d");
    let mut elastic = denim.clone();
    elastic.values.retain(|v| !v.quantity.key.ends_with("_hysteresis"));
    let [with, without] = [drape(&denim), drape(&elastic)];
    println!("{with:.1} % with friction, {without:.1} % without");
    assert!(lab::band(&denim, with).unwrap().within && without < 60.0, "{with} {without}");
}

#[test]
fn a_band_says_inside_or_why_not() {
    let denim = fabric("denim-11oz");
    assert!(lab::band(&denim, 80.0).unwrap().within);
    let limp = lab::band(&denim, 40.0).unwrap();
    assert!(!limp.within && limp.reason.as_ref().unwrap().contains("limper than its kind"), "{limp:?}");
    let assumed = lab::band(&fabric("cotton-penava"), 10.0).unwrap().reason.unwrap();
    assert!(assumed.contains("nobody measured"), "{assumed}");
    assert!(lab::band(&fabric("canvas"), 50.0).is_none());
}

/// Friction within hinges and triangles holds cloth; it must not rock it. This sample swung by a tenth of a millimetre with every step, for ever.
#[test]
fn a_denim_with_friction_in_bending_and_shear_comes_to_rest() {
    let found = drape::measure(&mut Bench { fabric: &fabric("denim-kes-a"), say: &mut |_| () }, Detail::Full).unwrap();
    println!("{} m/s after {} s", found.speed, found.time);
    assert!(found.speed < drape::RESTING && found.time < 4.0, "{} m/s after {} s", found.speed, found.time);
}

/// The limpest fabrics fold most; in the contact of their folds no triangle passes another.
#[test]
fn the_limpest_fabrics_drape_without_a_crossing() {
    for name in ["wool-lycra-penava", "polyester-penava"] {
        let found = drape::measure(&mut Bench { fabric: &fabric(name), say: &mut |_| () }, Detail::Full).unwrap();
        println!("{name}: {} folds, {} crossings", found.folds, found.crossings);
        assert!(found.folds > 10 && found.crossings == 0, "{name}: {} {}", found.folds, found.crossings);
    }
}

/// What the report says of fabrics outside of their bands, by experiment: another rigidity, or friction, brings them in. On the command's own sample.
#[test]
fn reasons_of_fabrics_outside_of_their_band_hold_in_experiments() {
    let mut quiet = |_: &str| ();
    let mut within = |fabric: &Fabric| {
        let drape = drape::measure(&mut Bench { fabric, say: &mut quiet }, Detail::Full).unwrap();
        let coefficient = drape.coefficient;
        println!("{}: {coefficient:.1} %", fabric.name);
        assert!(drape.crossings == 0 && drape.speed < drape::RESTING, "{}: {}", fabric.name, drape.speed);
        (lab::band(fabric, coefficient).unwrap().within, coefficient)
    };
    let stiffer = |name: &str, factor: f64| {
        let mut fabric = fabric(name);
        let bends =
            fabric.values.iter_mut().filter(|v| ["bend_warp", "bend_weft", "bend_bias"].contains(&v.quantity.key));
        bends.for_each(|v| v.value *= factor);
        fabric
    };
    // Rigidities that nobody measured, within the factor of ten that their source owns.
    for (name, factor) in [("woven-cotton", 1.5), ("silk-heavy", 0.7), ("cotton-penava", 6.0), ("wool-penava", 8.0)] {
        assert!(!within(&stiffer(name, 1.0)).0 && within(&stiffer(name, factor)).0, "{name}");
    }
    // Ten times is not enough here: the formula of a plate says nothing about this cloth.
    assert!(!within(&stiffer("wool-lycra-penava", 10.0)).0 && within(&stiffer("wool-lycra-penava", 80.0)).0);
    // Denim whose tables are elastic: the friction of a like denim holds it up.
    let denim = fabric("denim-11oz");
    let mut straight = denim.clone();
    (straight.bend_table, straight.stretch_table) = (None, None);
    let mut rubbing = straight.clone();
    rubbing.values.push(fabric("denim-kes-a").stated("bend_hysteresis").unwrap().clone());
    let mut sheared = rubbing.clone();
    sheared.values.push(fabric("denim-kes-a").stated("shear_hysteresis").unwrap().clone());
    let found = [denim, straight, rubbing, sheared].map(|fabric| within(&fabric));
    // The last two are at the edge of the band, 70 %.
    assert!(!found[0].0 && !found[1].0 && found[2].1 > 68.0 && found[3].1 > 68.0, "{found:?}");
}
