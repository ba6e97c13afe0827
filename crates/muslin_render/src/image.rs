//! A finished picture and its way into a file.

use crate::error::RenderError;
use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
};

/// A picture in 8-bit sRGB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green, blue; rows from the top.
    pub pixels: Vec<[u8; 3]>,
    /// Triangles that were left out because a corner was not finite.
    pub left_out: usize,
}

impl Image {
    /// A picture of one colour.
    pub fn new(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Image { width, height, pixels: vec![colour; width * height], left_out: 0 }
    }

    /// The colour at a column and row.
    pub fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels[y * self.width + x]
    }

    /// Copies another picture to a place; what does not fit is cut off.
    pub fn paste(&mut self, other: &Image, x: usize, y: usize) {
        let width = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let to = (y + row) * self.width + x;
            let from = row * other.width;
            self.pixels[to..to + width].copy_from_slice(&other.pixels[from..from + width]);
        }
        self.left_out += other.left_out;
    }
}

/// Writes a PNG file. It appears whole or not at all: the bytes go to a file beside it, which is renamed at
/// the end.
pub fn save_png(image: &Image, path: &Path) -> Result<(), RenderError> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let result = write_file(image, &partial, path)
        .and_then(|()| fs::rename(&partial, path).map_err(|source| RenderError::Write { path: path.into(), source }));
    if result.is_err() {
        // Nothing to report if it was never created.
        let _ = fs::remove_file(&partial);
    }
    result
}

fn write_file(image: &Image, partial: &Path, path: &Path) -> Result<(), RenderError> {
    let write = |source| RenderError::Write { path: path.into(), source };
    let encode = |source| match source {
        png::EncodingError::IoError(source) => RenderError::Write { path: path.into(), source },
        source => RenderError::Encode { path: path.into(), source },
    };
    let mut file = BufWriter::new(File::create(partial).map_err(write)?);
    let mut encoder = png::Encoder::new(&mut file, image.width as u32, image.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header().map_err(encode)?;
    writer.write_image_data(image.pixels.as_flattened()).map_err(encode)?;
    writer.finish().map_err(encode)?;
    file.flush().map_err(write)
}
