//! Pictures of draped samples.

use super::drape::Drape;
use crate::error::Error;
use glam::DVec3;
use muslin_model::{Body, BodyKind};
use muslin_render::{ContactSheet, Image, Paint, Renderer, Subject, View, save_png};
use std::path::Path;

/// From the sample to the camera [-].
const FROM: DVec3 = DVec3::new(0.5, -1.6, 1.1);
/// Pictures per row of a sheet.
const COLUMNS: usize = 8;

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

/// Draws several drapes into one file, numbered from 1.
pub fn save_sheet(drapes: &[Drape], path: &Path) -> Result<(), Error> {
    let panels = drapes.iter().enumerate().map(|(k, d)| Ok(((k + 1).to_string(), draw(d, [180, 135])?)));
    Ok(save_png(&ContactSheet::compose_labelled(panels.collect::<Result<_, Error>>()?, COLUMNS)?, path)?)
}
