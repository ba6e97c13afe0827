//! Colours for numbers, even to the eye: equal steps of the number look like equal steps of colour.
//!
//! The map is a straight ramp of lightness in the Oklab space while the hue turns from violet over blue and green
//! to yellow at nearly constant chroma. Lightness alone carries the order, so it survives a grey printer and
//! colour blindness.

use glam::Vec3;

/// Lightness at 0 and at 1 [-].
const LIGHTNESS: [f32; 2] = [0.27, 0.93];

/// Hue at 0 and at 1 [rad]: violet and yellow, by way of blue and green.
const HUE: [f32; 2] = [5.15, 1.85];

/// Chroma in the middle [-]; towards the ends it falls, so that all colours exist in sRGB.
const CHROMA: f32 = 0.13;

/// Part of the chroma that is left at the ends [-].
const CHROMA_AT_ENDS: f32 = 0.75;

/// Colour of what has no number.
const NOTHING: Vec3 = Vec3::new(0.25, 0.25, 0.25);

/// Linear colour of a number between 0 and 1; beyond them the ends, grey for NaN.
pub fn colour(value: f32) -> Vec3 {
    if value.is_nan() {
        return NOTHING;
    }
    let t = value.clamp(0.0, 1.0);
    let mix = |[a, b]: [f32; 2]| a + (b - a) * t;
    let bulge = 4.0 * t * (1.0 - t);
    let chroma = CHROMA * (CHROMA_AT_ENDS + (1.0 - CHROMA_AT_ENDS) * bulge);
    let (sin, cos) = mix(HUE).sin_cos();
    linear_from_oklab(Vec3::new(mix(LIGHTNESS), chroma * cos, chroma * sin)).clamp(Vec3::ZERO, Vec3::ONE)
}

/// Linear sRGB of an Oklab colour (Ottosson, "A perceptual color space for image processing", 2020).
fn linear_from_oklab(lab: Vec3) -> Vec3 {
    let l = lab.x + 0.396_337_78 * lab.y + 0.215_803_76 * lab.z;
    let m = lab.x - 0.105_561_346 * lab.y - 0.063_854_17 * lab.z;
    let s = lab.x - 0.089_484_18 * lab.y - 1.291_485_5 * lab.z;
    let (l, m, s) = (l * l * l, m * m * m, s * s * s);
    Vec3::new(
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_93 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oklab_of_white_and_of_the_primaries_comes_back() {
        // Values of the publication's own conversion, to four digits.
        for (lab, rgb) in [
            (Vec3::new(1.0, 0.0, 0.0), Vec3::ONE),
            (Vec3::new(0.6280, 0.2249, 0.1258), Vec3::X),
            (Vec3::new(0.8664, -0.2339, 0.1795), Vec3::Y),
            (Vec3::new(0.4520, -0.0325, -0.3115), Vec3::Z),
        ] {
            assert!(linear_from_oklab(lab).distance(rgb) < 2e-3, "{lab}: {}", linear_from_oklab(lab));
        }
    }

    #[test]
    fn nearly_all_colours_of_the_map_exist() {
        // A clamped channel would bend the even steps; a little in the dark ends cannot be seen.
        for k in 0..=100 {
            let t = k as f32 / 100.0;
            let mix = |[a, b]: [f32; 2]| a + (b - a) * t;
            let chroma = CHROMA * (CHROMA_AT_ENDS + (1.0 - CHROMA_AT_ENDS) * 4.0 * t * (1.0 - t));
            let (sin, cos) = mix(HUE).sin_cos();
            let free = linear_from_oklab(Vec3::new(mix(LIGHTNESS), chroma * cos, chroma * sin));
            assert!(free.distance(colour(t)) < 0.06, "{t}: {free}");
        }
    }
}
