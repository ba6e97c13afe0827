//! A legend of the colours, in the lower right corner of a picture: that of a panel of a sheet has its time at the left.

use crate::{colour_map, contact_sheet::LABEL_COLOUR, font, image::Image, srgb::bytes_from_linear};

/// Length and height of the bar, and its distance from what is written below it, in dots of the letters.
const BAR: [usize; 2] = [100, 5];
const APART: usize = 3;

/// Draws the colours from the lower end to the upper one, and below them a line that says what and which numbers: small letters, digits
/// and signs, whose dots are squares of `dot` pixels.
pub fn draw_legend(image: &mut Image, text: &str, dot: usize) {
    let margin = 5 * dot;
    let letters = image.height.saturating_sub(margin + font::GLYPH[1] * dot);
    let from_right = |width: usize| image.width.saturating_sub(margin + width);
    let (written, [length, height]) = (font::width(text) * dot, BAR.map(|dots| dots * dot));
    let (left, start) = (from_right(written), from_right(length));
    font::write(image, text, [left, letters], dot, LABEL_COLOUR);
    let top = letters.saturating_sub(APART * dot + height);
    for x in 0..length.min(image.width - start) {
        let colour = bytes_from_linear(colour_map::colour(x as f32 / (length - 1) as f32));
        for y in top..(top + height).min(image.height) {
            image.pixels[y * image.width + start + x] = colour;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_goes_from_the_colour_of_the_lower_end_to_that_of_the_upper_one() {
        let white = [255; 3];
        let mut image = Image::new(150, 40, white);
        draw_legend(&mut image, "speed 0 to 3 m/s", 1);
        let ends = [0.0, 1.0].map(|t| bytes_from_linear(colour_map::colour(t)));
        // Letters stand on the fifth row from below; the bar is above them.
        let row = 40 - 5 - font::GLYPH[1] - APART - 1;
        assert_eq!([image.at(45, row), image.at(144, row)], ends);
        assert_eq!([image.at(44, row), image.at(145, row)], [white; 2]);
        let inked = |y: usize| (0..150).any(|x| image.at(x, y) != white);
        assert_eq!((0..40).filter(|y| inked(*y)).collect::<Vec<_>>(), (20..25).chain(28..35).collect::<Vec<_>>());
        // A picture that is too small for it is no reason to stop.
        draw_legend(&mut Image::new(3, 2, white), "speed", 2);
    }
}
