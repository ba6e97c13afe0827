//! Straight-line motion and the state at the start.

use glam::DVec3;
use muslin_model::Motion;

#[test]
fn motion_is_straight_and_exact_at_its_start() {
    let motion = Motion { start: vec![DVec3::X, DVec3::ONE], end: vec![DVec3::X * 3.0, DVec3::new(1.0, 2.0, -3.0)] };
    assert_eq!(motion.at(0.0), motion.start);
    assert_eq!(motion.at(1.0), motion.end);
    assert_eq!(motion.at(0.25), [DVec3::X * 1.5, DVec3::new(1.0, 1.25, 0.0)]);
}
