//! Light and shadow.

use crate::figures::*;
use glam::{DVec2, DVec3};
use muslin_model::shapes::{Triangulation, grid, plane};
use muslin_render::{Camera, Renderer, View};

#[test]
fn the_shadow_of_a_level_plate_has_the_area_of_the_plate() {
    // Seen from far above, so that near and far are drawn at the same scale.
    let plate = moved(grid(20, 20, DVec2::splat(0.3), Triangulation::RightDiagonal).unwrap(), DVec3::Z * 0.35);
    let both = model(vec![plate.clone()], vec![plane(3.0, 1).unwrap()]);
    let bare = model(vec![moved(plate, DVec3::Z * -100.0)], vec![plane(3.0, 1).unwrap()]);
    let camera = Camera::new(DVec3::Z * 60.0, DVec3::ZERO, 2.0 * (1.0f64 / 60.0).atan());
    let view = View { camera, centre: DVec3::ZERO, radius: 1.0 };
    let renderer = Renderer { width: 200, height: 200, supersampling: 1 };
    let (with, without) = (draw(renderer, &both, &view), draw(renderer, &bare, &view));
    let brightness = |p: [u8; 3]| p.iter().map(|&c| c as i32).sum::<i32>();
    // The plate itself is strongly coloured; the ground and its shadow are nearly grey.
    let grey = |p: [u8; 3]| p.iter().max().unwrap() - p.iter().min().unwrap() < 40;
    let dark =
        with.pixels.iter().zip(&without.pixels).filter(|(a, b)| grey(**a) && brightness(**a) < brightness(**b) - 120);
    let plate = 100.0 * 0.3 * 100.0 * 0.3;
    let ratio = dark.count() as f64 / plate;
    assert!((0.85..1.15).contains(&ratio), "shadow over plate: {ratio}");
}

#[test]
fn open_ground_is_evenly_lit() {
    let far = moved(wavy(4), DVec3::Z * -100.0);
    let bare = model(vec![far], vec![plane(30.0, 1).unwrap()]);
    let camera = Camera::new(DVec3::Z * 60.0, DVec3::ZERO, 2.0 * (1.0f64 / 60.0).atan());
    let view = View { camera, centre: DVec3::ZERO, radius: 1.0 };
    let renderer = Renderer { width: 60, height: 60, supersampling: 1 };
    let image = draw(renderer, &bare, &view);
    for row in 0..60 {
        let line = &image.pixels[row * 60 + 15..row * 60 + 45];
        for channel in 0..3 {
            let (low, high) = line.iter().fold((255, 0), |(l, h), p| (p[channel].min(l), p[channel].max(h)));
            assert!(high - low <= 3, "row {row}: {low}..{high}");
        }
    }
}
