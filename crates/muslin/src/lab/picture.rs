//! Pictures of draped samples.

use super::drape::Drape;
use crate::error::Error;
use glam::DVec3;
use muslin_io::fabrics::Fabric;
use muslin_model::{Body, BodyKind};
use muslin_render::{ContactSheet, Image, Paint, Renderer, Subject, View, save_png};
use std::path::Path;

/// From the sample to the camera [-].
const FROM: DVec3 = DVec3::new(0.5, -1.6, 1.1);
/// Pictures per row of a sheet, and their size [px].
const COLUMNS: usize = 4;
const TILE: [usize; 2] = [304, 228];
/// Size of a dot of the letters [px]: they are still read when a page shows the sheet at two thirds of its size.
const DOT: usize = 2;

/// Draws a drape, seen as all others are.
pub fn draw(drape: &Drape, [width, height]: [usize; 2]) -> Result<Image, Error> {
    let vertices = drape.positions.len();
    let uv: Vec<_> = drape.triangles.iter().map(|tri| tri.map(|v| drape.rest[v as usize].truncate())).collect();
    let bodies = [Body {
        name: "sample".into(),
        kind: BodyKind::Cloth,
        vertices: 0..vertices,
        triangles: 0..drape.triangles.len(),
    }];
    let subject = Subject { vertices, triangles: &drape.triangles, uv: &uv, texture: &[], bodies: &bodies };
    // The flat sample and one that hangs straight down are in the frame too: pictures of all fabrics have one scale.
    let low: Vec<DVec3> = drape.rest.iter().map(|p| *p * 0.6 - DVec3::Z * 0.06).collect();
    let view = View::framing_from(FROM, &subject, &[&drape.rest, &low], width as f64 / height as f64)?;
    Ok(Renderer { width, height, supersampling: 3 }.draw(&subject, &drape.positions, &view, Paint::Fabric)?)
}

/// Draws one drape into a file.
pub fn save(drape: &Drape, path: &Path) -> Result<(), Error> {
    Ok(save_png(&draw(drape, [640, 480])?, path)?)
}

/// Draws the drapes of several fabrics into one file, with the fabrics' names and the drape coefficients.
pub fn save_sheet(drapes: &[(&Fabric, Drape)], path: &Path) -> Result<(), Error> {
    let panels = drapes.iter().map(|(fabric, drape)| Ok((label(fabric, drape.coefficient), draw(drape, TILE)?)));
    Ok(save_png(&ContactSheet::compose_labelled(panels.collect::<Result<_, Error>>()?, COLUMNS, DOT)?, path)?)
}

/// What is written into a tile: the fabric and its drape coefficient [%].
fn label(fabric: &Fabric, coefficient: f64) -> String {
    format!("{} {coefficient:.0} %", fabric.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin_io::fabrics::all;

    const WHITE: [u8; 3] = [255; 3];

    /// A tile's label on white, with more room than a tile has.
    fn written(text: String) -> Image {
        let paper = Image::new(2 * TILE[0], TILE[1], WHITE);
        ContactSheet::compose_labelled(vec![(text, paper)], 1, DOT).unwrap()
    }

    /// Columns with letters in them, from the first to behind the last.
    fn columns(image: &Image) -> std::ops::Range<usize> {
        let inked = |x: &usize| (0..image.height).any(|y| image.at(*x, y) != WHITE);
        let inked: Vec<usize> = (0..image.width).filter(inked).collect();
        inked.first().map_or(0..0, |first| *first..inked[inked.len() - 1] + 1)
    }

    #[test]
    fn the_name_and_the_coefficient_of_every_fabric_fit_into_its_tile_with_all_their_characters() {
        for fabric in all() {
            let text = label(fabric, 99.6);
            assert!(text.starts_with(&fabric.name) && text.ends_with(" 100 %"), "{text}");
            let end = columns(&written(text.clone())).end;
            assert!(end <= TILE[0] - DOT, "{text} ends at {end} of {}", TILE[0]);
            // A character without a form of its own would leave nothing.
            for character in text.chars().filter(|c| *c != ' ') {
                assert!(!columns(&written(character.into())).is_empty(), "`{character}` of {text} is blank");
            }
        }
        // The check sees a name that is too long, and a character without a form.
        assert!(columns(&written("a-name-that-does-not-fit 100 %".into())).end > TILE[0]);
        assert!(columns(&written("Ä".into())).is_empty());
    }
}
