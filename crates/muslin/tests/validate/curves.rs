//! The closed forms against tables of the same curves, where the shared data is present.

use crate::reference;
use std::path::PathBuf;

/// Digits that the tables print, and a little for rounding [-].
const PRINTED: f64 = 2e-6;

/// The rows of a table, or nothing with a plain word where it is absent.
fn table(name: &str) -> Vec<Vec<f64>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/reference").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return Vec::new();
    };
    let lines = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    assert!(rows.len() > 3, "{name} has too few rows");
    rows
}

fn assert_close(name: &str, found: f64, printed: f64) {
    assert!((found - printed).abs() < PRINTED * printed.abs().max(0.1), "{name}: {found} and {printed}");
}

#[test]
fn closed_forms_agree_with_the_tables() {
    for row in table("cantilever_master_curve.csv") {
        let (reach, drop) = reference::cantilever(row[0]);
        assert_close("cantilever reach", reach, row[1]);
        assert_close("cantilever drop", drop, row[2]);
    }
    for row in table("catenary.csv") {
        let a = reference::catenary(row[0]);
        assert_close("catenary", a * ((0.5 * row[0] / a).cosh() - 1.0), row[2]);
    }
    for row in table("pendulum_period.csv") {
        assert_close("pendulum", reference::pendulum_period(row[0].to_radians()) / std::f64::consts::TAU, row[1]);
    }
    for row in table("hanging_chain_modes.csv") {
        assert_close("chain", reference::bessel_zero(row[0] as usize), row[1]);
    }
    for row in table("elastica_postbuckling.csv") {
        // The chord is printed to eight digits, of which a small deflection takes the square root.
        let found = reference::buckled_height(row[2]);
        assert!((found - row[3]).abs() < 1e-5, "buckling: {found} and {}", row[3]);
    }
}

#[test]
fn closed_forms_hold_where_they_are_known_exactly() {
    // J0's first zero, the period of small swings, K(1/√2) = Γ(1/4)²/(4 √π), the stiff cantilever's Γ/8.
    assert_close("zero", reference::bessel_zero(1), 2.404825557695773);
    assert_close("small swing", reference::pendulum_period(1e-6), std::f64::consts::TAU);
    assert_close("lemniscate", reference::elliptic(0.5f64.sqrt()).0, 1.8540746773013719);
    assert_close("stiff cantilever", reference::cantilever(1e-3).1 * 1e3, 0.125);
    assert_close("second kind of modulus 0", 2.0 * reference::elliptic(0.0).1 / std::f64::consts::PI, 1.0);
}
