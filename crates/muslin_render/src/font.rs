//! A tiny bitmap font for time labels: digits, point, minus, plus, e, s and space.

use crate::image::Image;

/// Columns and rows of a glyph.
pub(crate) const GLYPH: [usize; 2] = [5, 7];

/// Rows from the top; bit 4 is the leftmost column.
fn glyph(character: char) -> [u8; 7] {
    match character {
        '0' => [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        '1' => [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        '2' => [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        '3' => [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110],
        '4' => [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        '5' => [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        '6' => [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        '7' => [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        '8' => [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        '9' => [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
        '.' => [0, 0, 0, 0, 0, 0b01100, 0b01100],
        '-' => [0, 0, 0, 0b01110, 0, 0, 0],
        '+' => [0, 0b00100, 0b00100, 0b11111, 0b00100, 0b00100, 0],
        'e' => [0, 0, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110],
        's' => [0, 0, 0b01111, 0b10000, 0b01110, 0b00001, 0b11110],
        _ => [0; 7],
    }
}

/// Writes a line with its upper left corner at a place; each dot is a square of `scale` pixels.
pub(crate) fn write(image: &mut Image, text: &str, place: [usize; 2], scale: usize, colour: [u8; 3]) {
    for (k, character) in text.chars().enumerate() {
        for (row, bits) in glyph(character).into_iter().enumerate() {
            for column in (0..GLYPH[0]).filter(|c| bits >> (GLYPH[0] - 1 - c) & 1 == 1) {
                for dot in 0..scale * scale {
                    let x = place[0] + (k * (GLYPH[0] + 1) + column) * scale + dot % scale;
                    let y = place[1] + row * scale + dot / scale;
                    if x < image.width && y < image.height {
                        image.pixels[y * image.width + x] = colour;
                    }
                }
            }
        }
    }
}
