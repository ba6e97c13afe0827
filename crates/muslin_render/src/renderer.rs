//! Draws one frame.

use crate::{
    error::RenderError,
    framing::View,
    image::Image,
    light::{Hit, Light, background},
    raster::{NOTHING, Screen, Shapes},
    srgb::bytes_from_linear,
    stage::Stage,
    subject::Subject,
};
use glam::{DVec3, Vec3};
use muslin_model::parallel;

/// A picture's size and quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renderer {
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Samples per pixel along each side; 2 is good, 4 is print.
    pub supersampling: usize,
}

impl Default for Renderer {
    fn default() -> Self {
        Renderer { width: 640, height: 480, supersampling: 2 }
    }
}

/// What cloth is painted with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint<'a> {
    /// A colour per cloth, with stripes along warp and weft.
    Fabric,
    /// A colour per number.
    Scalars {
        /// One per vertex of the subject; NaN is grey.
        values: &'a [f64],
        /// The numbers at the two ends of the colour map.
        range: [f64; 2],
    },
}

impl Paint<'_> {
    /// What is shown at a vertex, 0 to 1.
    pub(crate) fn scalar(&self, vertex: usize) -> f32 {
        match *self {
            Paint::Fabric => 0.0,
            Paint::Scalars { values, range: [low, high] } if high > low => {
                ((values[vertex] - low) / (high - low)) as f32
            }
            // An empty range: all numbers are the middle one.
            Paint::Scalars { values, .. } => {
                if values[vertex].is_nan() {
                    f32::NAN
                } else {
                    0.5
                }
            }
        }
    }
}

/// Most samples along a side of a picture.
const MOST_SAMPLES: u64 = 1 << 15;

/// Rows of pixels that one worker draws at a time. Small pieces keep their depths in the cache.
const BAND_PIXELS: usize = 16;

impl Renderer {
    /// Draws a frame. The result does not depend on the number of threads.
    pub fn draw(
        &self,
        subject: &Subject,
        positions: &[DVec3],
        view: &View,
        paint: Paint,
    ) -> Result<Image, RenderError> {
        self.check()?;
        subject.check(positions)?;
        if let Paint::Scalars { values, .. } = paint
            && values.len() != subject.vertices
        {
            return Err(RenderError::ScalarCount { expected: subject.vertices, found: values.len() });
        }
        let axes = view.camera.axes()?;
        let samples = self.supersampling;
        let stage = Stage::new(subject, positions, view, &paint);
        let screen = Screen::new(view, axes, [self.width * samples, self.height * samples]);
        let light = Light::new(&stage, &screen, view, &paint);
        let shapes = Shapes::new(&screen, &stage, BAND_PIXELS * samples);
        let bands = parallel::map(shapes.band_count(), |band| self.draw_band(&shapes, &light, band));
        let pixels = bands.into_iter().flatten().collect();
        Ok(Image { width: self.width, height: self.height, pixels, left_out: stage.left_out })
    }

    /// Refuses sizes that cannot be drawn.
    fn check(&self) -> Result<(), RenderError> {
        let side = |pixels: usize| (pixels as u64).saturating_mul(self.supersampling as u64);
        let (width, height) = (side(self.width), side(self.height));
        if (1..=MOST_SAMPLES).contains(&width) && (1..=MOST_SAMPLES).contains(&height) {
            Ok(())
        } else {
            Err(RenderError::ImageSize { width, height, most: MOST_SAMPLES })
        }
    }

    fn draw_band(&self, shapes: &Shapes, light: &Light, band: usize) -> Vec<[u8; 3]> {
        let samples = self.supersampling;
        let seen = shapes.draw_band(band);
        let wide = self.width * samples;
        let first = band * BAND_PIXELS;
        let rows = seen.len() / wide / samples;
        let mut pixels = Vec::with_capacity(rows * self.width);
        // The samples of a pixel: triangle, and where in the pixel.
        let mut here: Vec<(u32, usize)> = Vec::with_capacity(samples * samples);
        for row in 0..rows {
            let behind = background((first + row) as f32 / self.height as f32);
            for column in 0..self.width {
                here.clear();
                for k in 0..samples * samples {
                    let at = (row * samples + k / samples) * wide + column * samples + k % samples;
                    here.push((seen[at], k));
                }
                here.sort_unstable();
                let mut sum = Vec3::ZERO;
                // Each triangle in the pixel is lit once, in the middle of its samples.
                for group in here.chunk_by(|a, b| a.0 == b.0) {
                    let colour = match group[0].0 {
                        NOTHING => behind,
                        triangle => {
                            let corner = [column * samples, (first + row) * samples];
                            light.shade(&self.hit(shapes, triangle, group, corner), behind)
                        }
                    };
                    sum += colour * group.len() as f32;
                }
                pixels.push(bytes_from_linear(sum / (samples * samples) as f32));
            }
        }
        pixels
    }

    fn hit(&self, shapes: &Shapes, triangle: u32, group: &[(u32, usize)], corner: [usize; 2]) -> Hit {
        let samples = self.supersampling;
        let count = group.len() as f64;
        let mean =
            |part: fn(usize, usize) -> usize| group.iter().map(|g| part(g.1, samples)).sum::<usize>() as f64 / count;
        let x = corner[0] as f64 + mean(|k, n| k % n) + 0.5;
        let y = corner[1] as f64 + mean(|k, n| k / n) + 0.5;
        let shape = &shapes.shapes[triangle as usize];
        let pixel = samples as f64;
        Hit {
            triangle: triangle as usize,
            front: shape.front,
            barycentric: shape.barycentric(x, y),
            beside: [shape.barycentric(x + pixel, y), shape.barycentric(x, y + pixel)],
        }
    }
}
