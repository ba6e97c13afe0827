//! Between linear light and the numbers in a file (IEC 61966-2-1).

use glam::Vec3;

/// Linear light of an 8-bit sRGB value, 0 to 1 [-].
pub fn linear_from_byte(byte: u8) -> f32 {
    let s = byte as f32 / 255.0;
    if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
}

/// The nearest 8-bit sRGB value of a linear light; beyond 0 and 1 it is clamped, NaN is black.
pub fn byte_from_linear(light: f32) -> u8 {
    let s = if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    // A cast saturates, and takes NaN to 0.
    (s * 255.0 + 0.5) as u8
}

/// Linear colour of a hexadecimal one, `0xrrggbb`.
pub fn linear_from_hex(hex: u32) -> Vec3 {
    let [_, r, g, b] = hex.to_be_bytes();
    Vec3::new(linear_from_byte(r), linear_from_byte(g), linear_from_byte(b))
}

/// 8-bit sRGB colour of a linear one.
pub fn bytes_from_linear(colour: Vec3) -> [u8; 3] {
    colour.to_array().map(byte_from_linear)
}
