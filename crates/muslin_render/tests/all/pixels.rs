//! Which pixels show what.

use crate::figures::*;
use glam::{DVec2, DVec3};
use muslin_model::shapes::{plane, sphere};
use muslin_render::{Camera, Paint, Renderer, Subject, View};

const SMALL: Renderer = Renderer { width: 32, height: 32, supersampling: 1 };

/// Middle of a pixel of a 32 × 32 picture seen from above [m].
fn middle(column: usize, row: usize) -> DVec2 {
    DVec2::new(column as f64 + 0.5, 32.0 - (row as f64 + 0.5)) / 16.0 - 1.0
}

#[test]
fn a_triangle_covers_the_pixels_whose_middles_are_inside() {
    let corners = [DVec2::new(-0.71, -0.53), DVec2::new(0.83, -0.22), DVec2::new(-0.17, 0.91)];
    let model = model(vec![loose_triangles(&[corners.map(|c| c.extend(0.0))])], vec![]);
    let covered = covered(SMALL, &model, &from_above());
    let mut count = 0;
    for row in 0..32 {
        for column in 0..32 {
            let p = middle(column, row);
            let inside = (0..3).all(|k| (corners[(k + 1) % 3] - corners[k]).perp_dot(p - corners[k]) > 0.0);
            assert_eq!(covered[row * 32 + column], inside, "pixel {column}, {row}");
            count += inside as usize;
        }
    }
    // The area of the triangle in pixels, to within its outline.
    let area = 0.5 * (corners[1] - corners[0]).perp_dot(corners[2] - corners[0]) * 256.0;
    assert!((count as f64 - area).abs() < 8.0, "{count} pixels for {area}");
}

#[test]
fn the_nearer_triangle_is_seen_and_crossing_ones_meet_on_their_line() {
    // Two sheets that cross where x = 0: one rises to the right, the other falls. From above the higher one shows.
    let sheet = |slope: f64| {
        let at = |x: f64, y: f64| DVec3::new(x, y, slope * x);
        [[at(-0.6, -0.6), at(0.6, -0.6), at(0.6, 0.6)], [at(-0.6, -0.6), at(0.6, 0.6), at(-0.6, 0.6)]]
    };
    let (rising, falling) = (loose_triangles(&sheet(0.3)), loose_triangles(&sheet(-0.3)));
    let model = model(vec![rising, falling], vec![]);
    let values: Vec<f64> = (0..12).map(|v| if v < 6 { 0.0 } else { 1.0 }).collect();
    let paint = Paint::Scalars { values: &values, range: [0.0, 1.0] };
    let image = SMALL.draw(&Subject::of(&model), &model.mesh.positions, &from_above(), paint).unwrap();
    for row in 12..20 {
        for column in 8..24 {
            let [r, g, b] = image.at(column, row).map(i32::from);
            // The first sheet is dark violet, the second bright yellow.
            let second = r + g > 2 * b;
            assert_eq!(second, middle(column, row).x < 0.0, "pixel {column}, {row}: {r} {g} {b}");
        }
    }
}

#[test]
fn a_ball_is_drawn_as_a_disc_of_the_right_size() {
    let renderer = Renderer { width: 128, height: 128, supersampling: 1 };
    let (radius, distance) = (0.4, 1.6);
    let sheet = loose_triangles(&[[DVec3::ZERO, DVec3::X * 0.01, DVec3::Y * 0.01]]);
    let model = model(vec![sheet], vec![sphere(radius, 5).unwrap()]);
    let camera = Camera::new(DVec3::new(0.0, -distance, 0.0), DVec3::ZERO, 1.0);
    let view = View { camera, centre: DVec3::ZERO, radius: 1.0 };
    let covered = covered(renderer, &model, &view);
    // The outline is where rays touch the ball.
    let pixels = 64.0 / 0.5f64.tan() * radius / (distance * distance - radius * radius).sqrt();
    let mut count = 0.0;
    for row in 0..128 {
        for column in 0..128 {
            let away = DVec2::new(column as f64 - 63.5, row as f64 - 63.5).length();
            let seen = covered[row * 128 + column];
            count += seen as usize as f64;
            if (away - pixels).abs() > 0.6 {
                assert_eq!(seen, away < pixels, "pixel {column}, {row} at {away} of {pixels}");
            }
            assert_eq!(seen, covered[row * 128 + 127 - column], "not the same on the left and on the right");
        }
    }
    let area = std::f64::consts::PI * pixels * pixels;
    assert!((count / area - 1.0).abs() < 0.01, "{count} pixels for {area}");
}

#[test]
fn a_sheet_that_reaches_behind_the_camera_fills_the_lower_half() {
    // The camera looks along a plane from half a metre above: the horizon is in the middle.
    let ground = loose_triangles(&[
        [DVec3::new(-2e4, -2e4, -0.5), DVec3::new(2e4, -2e4, -0.5), DVec3::new(2e4, 2e4, -0.5)],
        [DVec3::new(-2e4, -2e4, -0.5), DVec3::new(2e4, 2e4, -0.5), DVec3::new(-2e4, 2e4, -0.5)],
    ]);
    let model = model(vec![ground], vec![]);
    let camera = Camera::new(DVec3::ZERO, DVec3::new(0.3, 1.0, 0.0), 0.9);
    let covered = covered(SMALL, &model, &View { camera, centre: DVec3::ZERO, radius: 1.0 });
    for row in 0..32 {
        for column in 0..32 {
            assert_eq!(covered[row * 32 + column], row >= 16, "pixel {column}, {row}");
        }
    }
}

#[test]
fn a_pixel_half_covered_is_the_mean_of_light_and_not_of_bytes() {
    // A sheet whose edge runs through the middle of a column of pixels.
    let sheet = [
        [DVec3::new(-3.0, -3.0, 0.0), DVec3::new(0.03125, -3.0, 0.0), DVec3::new(0.03125, 3.0, 0.0)],
        [DVec3::new(-3.0, -3.0, 0.0), DVec3::new(0.03125, 3.0, 0.0), DVec3::new(-3.0, 3.0, 0.0)],
    ];
    let model = model(vec![loose_triangles(&sheet)], vec![]);
    let view = from_above();
    let renderer = Renderer { supersampling: 4, ..SMALL };
    let values = vec![1.0; 6];
    let paint = Paint::Scalars { values: &values, range: [0.0, 1.0] };
    let image = renderer.draw(&Subject::of(&model), &model.mesh.positions, &view, paint).unwrap();
    let linear = |byte: u8| {
        let s = byte as f64 / 255.0;
        if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055f64).powf(2.4) }
    };
    let encode = |light: f64| 255.0 * (1.055 * light.powf(1.0 / 2.4) - 0.055);
    let mut differs = false;
    for row in 8..24 {
        // Column 16 is cut in half; its neighbours are pure.
        for channel in 0..3 {
            let [left, cut, right] = [15, 16, 17].map(|column| image.at(column, row)[channel]);
            let mean = encode(0.5 * (linear(left) + linear(right)));
            assert!((cut as f64 - mean).abs() <= 1.5, "row {row}: {left} {cut} {right}, expected {mean}");
            differs |= (0.5 * (left as f64 + right as f64) - mean).abs() > 4.0;
        }
    }
    assert!(differs, "the two means agree here, so nothing was tested");
}

#[test]
fn the_two_sides_of_cloth_have_different_colours() {
    let corners = [DVec3::new(-0.7, -0.7, 0.0), DVec3::new(0.7, -0.7, 0.0), DVec3::new(0.0, 0.8, 0.0)];
    let front = draw(SMALL, &model(vec![loose_triangles(&[corners])], vec![]), &from_above());
    let turned = [corners[0], corners[2], corners[1]];
    let back = draw(SMALL, &model(vec![loose_triangles(&[turned])], vec![]), &from_above());
    let saturation = |[r, g, b]: [u8; 3]| r.max(g).max(b) as i32 - r.min(g).min(b) as i32;
    assert!(saturation(front.at(16, 16)) > saturation(back.at(16, 16)) + 40);
}

#[test]
fn a_ground_far_larger_than_the_cloth_fades_into_the_background() {
    let ground = moved(plane(1000.0, 1).unwrap(), DVec3::Z * -0.5);
    let model = model(vec![wavy(8)], vec![ground]);
    let subject = Subject::of(&model);
    let renderer = Renderer { width: 96, height: 96, supersampling: 1 };
    let camera = Camera::new(DVec3::new(0.0, -6.0, 2.5), DVec3::ZERO, 1.2);
    let view = View::through(camera, &subject, &[&model.mesh.positions]).unwrap();
    let covered = covered(renderer, &model, &view);
    assert!(covered[..96].iter().all(|c| !c), "the ground reaches the upper border");
    assert!(covered[95 * 96..].iter().all(|c| !c), "the ground reaches the lower border");
    assert!(covered.iter().filter(|c| **c).count() > 500, "there is no ground");
}
