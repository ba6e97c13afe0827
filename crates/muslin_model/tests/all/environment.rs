//! Gravity and air.

use glam::DVec3;
use muslin_model::{Environment, Gust, Wind};

#[test]
fn the_default_is_earth_without_air() {
    let environment = Environment::default();
    assert_eq!(environment.gravity, DVec3::new(0.0, 0.0, -9.81));
    assert_eq!((environment.viscous_drag, environment.wind.normal_drag), (0.0, 0.0));
    assert_eq!(environment.wind.velocity_at(1.7), DVec3::ZERO);
}

#[test]
fn gusts_add_up_and_repeat_after_their_periods() {
    let mean = DVec3::new(3.0, 0.0, 0.0);
    let slow = Gust { velocity: DVec3::new(1.0, 0.0, 0.0), period: 4.0, phase: 0.0 };
    let fast = Gust { velocity: DVec3::new(0.0, 0.0, 2.0), period: 0.5, phase: 0.25 };
    let wind = Wind { velocity: mean, gusts: vec![slow, fast], ..Wind::default() };
    // sin of 0, a quarter and a half turn; the fast one is a quarter turn ahead and repeats every half second.
    for (time, x, z) in
        [(0.0, 3.0, 2.0), (1.0, 4.0, 2.0), (2.0, 3.0, 2.0), (3.0, 2.0, 2.0), (0.25, 3.382_683_432_365_09, -2.0)]
    {
        let velocity = wind.velocity_at(time);
        assert!(velocity.distance(DVec3::new(x, 0.0, z)) < 1e-13, "{time}: {velocity}");
    }
    for time in [0.1, 0.77, 3.2] {
        assert!(wind.velocity_at(time).distance(wind.velocity_at(time + 4.0)) < 1e-13);
    }
}

#[test]
fn the_mean_of_a_gust_is_nothing() {
    let gust = Gust { velocity: DVec3::new(0.0, 5.0, 0.0), period: 1.3, phase: 0.4 };
    let wind = Wind { velocity: DVec3::X, gusts: vec![gust], ..Wind::default() };
    let mean = (0..1000).map(|k| wind.velocity_at(1.3 * k as f64 / 1000.0)).sum::<DVec3>() / 1000.0;
    assert!(mean.distance(DVec3::X) < 1e-12, "{mean}");
    let most = (0..1000).map(|k| wind.velocity_at(1.3 * k as f64 / 1000.0).y).fold(0.0, f64::max);
    assert!((most - 5.0).abs() < 1e-4, "{most}");
}
