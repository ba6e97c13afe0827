//! The catenary.

use crate::{assert_within, column, reference, rest};

#[test]
fn a_strip_held_at_both_ends_hangs_in_a_catenary() {
    let resolution = 49;
    for span in [0.4f64, 0.6, 0.8] {
        let x = rest("catenary", &[&format!("span={span}"), &format!("resolution={resolution}")]);
        let a = reference::catenary(span);
        let height = |x: f64| a * ((x / a).cosh() - (0.5 * span / a).cosh());
        assert_within(
            &format!("catenary of span {span} m, sag [m]"),
            -column(&x, 3, resolution / 2).z,
            -height(0.0),
            2e-3,
        );
        for i in 0..resolution {
            let p = column(&x, 3, i);
            // A chain of 48 links lies within its own sagitta, d² / (8 a), of the curve, steeper at the ends.
            assert!((p.z - height(p.x)).abs() < 4e-3, "column {i} is {} m off", p.z - height(p.x));
        }
    }
}
