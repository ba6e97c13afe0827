//! sRGB and the colour map, against f64 formulas of their definitions.

use muslin_render::{colour_map, srgb};

#[test]
fn srgb_follows_the_standard_and_every_byte_comes_back() {
    for byte in 0..=255u8 {
        let s = byte as f64 / 255.0;
        let exact = if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) };
        let linear = srgb::linear_from_byte(byte);
        assert!((linear as f64 - exact).abs() < 1e-6);
        assert_eq!(srgb::byte_from_linear(linear), byte);
    }
    // Half of the light is far above half of the bytes.
    assert_eq!(srgb::byte_from_linear(0.5), 188);
    assert_eq!(srgb::bytes_from_linear(srgb::linear_from_hex(0x12ab07)), [0x12, 0xab, 0x07]);
}

#[test]
fn light_beyond_the_range_is_clamped_and_nothing_panics() {
    let cases = [(-1.0, 0), (2.0, 255), (f32::INFINITY, 255), (f32::NEG_INFINITY, 0), (f32::NAN, 0)];
    for (light, byte) in cases {
        assert_eq!(srgb::byte_from_linear(light), byte, "{light}");
    }
}

/// CIELAB under D65 of a linear sRGB colour.
fn lab(value: f32) -> [f64; 3] {
    let [r, g, b] = colour_map::colour(value).to_array().map(f64::from);
    let xyz = [
        (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047,
        0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
        (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883,
    ];
    let [x, y, z] = xyz.map(|t| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn the_colour_map_gets_steadily_brighter_in_even_steps() {
    let colours: Vec<[f64; 3]> = (0..=20).map(|k| lab(k as f32 / 20.0)).collect();
    let mut steps = Vec::new();
    for pair in colours.windows(2) {
        let difference = |k: usize| pair[1][k] - pair[0][k];
        assert!(difference(0) > 1.5, "lightness rises by {} only", difference(0));
        steps.push((0..3).map(|k| difference(k).powi(2)).sum::<f64>().sqrt());
    }
    let mean = steps.iter().sum::<f64>() / 20.0;
    for (k, step) in steps.iter().enumerate() {
        assert!((0.5..1.7).contains(&(step / mean)), "step {k} is {step}, the mean is {mean}: {steps:?}");
    }
    assert!(colours[20][0] - colours[0][0] > 60.0, "too little contrast");
}

#[test]
fn numbers_beyond_the_map_take_its_ends_and_nan_is_grey() {
    assert_eq!(colour_map::colour(-3.0), colour_map::colour(0.0));
    assert_eq!(colour_map::colour(f32::INFINITY), colour_map::colour(1.0));
    let grey = colour_map::colour(f32::NAN);
    assert!(grey.x == grey.y && grey.y == grey.z);
}
