//! What is refused, and files.

use crate::figures::*;
use glam::DVec3;
use muslin_render::{
    Camera, ContactSheet, Image, Paint, RenderError, Renderer, SheetSettings, Subject, View, save_png,
};
use std::{fs, path::PathBuf};

/// A directory of this test alone, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("muslin_render_{name}_{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn gradient() -> Image {
    let mut image = Image::new(33, 21, [0; 3]);
    for (k, pixel) in image.pixels.iter_mut().enumerate() {
        *pixel = [k as u8, (k / 3) as u8, 255 - (k % 33) as u8];
    }
    image
}

#[test]
fn a_saved_picture_reads_back_byte_for_byte() {
    let folder = Folder::new("round_trip");
    let path = folder.0.join("preview.png");
    let image = gradient();
    save_png(&image, &path).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(&path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (33, 21, png::ColorType::Rgb));
    assert_eq!(bytes, image.pixels.as_flattened());
    assert!(reader.info().srgb.is_some(), "the file does not say that it is sRGB");
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "something was left beside the picture");
}

#[test]
fn a_path_that_cannot_be_written_is_named_and_nothing_is_left() {
    let folder = Folder::new("unwritable");
    let missing = folder.0.join("no/such/folder/preview.png");
    let error = save_png(&gradient(), &missing).unwrap_err();
    assert!(matches!(&error, RenderError::Write { path, .. } if *path == missing));
    assert!(error.to_string().contains("preview.png"), "{error}");
    // A directory of the same name: the rename fails after all bytes were written.
    let taken = folder.0.join("taken.png");
    fs::create_dir(&taken).unwrap();
    assert!(matches!(save_png(&gradient(), &taken), Err(RenderError::Write { .. })));
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "the partial file was left");
    assert!(matches!(save_png(&gradient(), "".as_ref()), Err(RenderError::Write { .. })));
}

#[test]
fn a_picture_without_pixels_is_refused_by_the_encoder() {
    let folder = Folder::new("empty");
    let path = folder.0.join("empty.png");
    assert!(matches!(save_png(&Image::new(0, 5, [0; 3]), &path), Err(RenderError::Encode { .. })));
    assert!(!path.exists());
}

#[test]
fn arrays_that_do_not_fit_are_refused() {
    let model = model(vec![wavy(4)], vec![]);
    let good = Subject::of(&model);
    let positions = &model.mesh.positions;
    let draw = |subject: &Subject, positions: &[DVec3], paint| {
        Renderer { width: 8, height: 8, supersampling: 1 }.draw(subject, positions, &from_above(), paint).unwrap_err()
    };
    let error = draw(&good, &positions[..15], Paint::Fabric);
    assert!(matches!(error, RenderError::PositionCount { expected: 16, found: 15 }), "{error}");
    let error = draw(&good, positions, Paint::Scalars { values: &[0.0; 3], range: [0.0, 1.0] });
    assert!(matches!(error, RenderError::ScalarCount { expected: 16, found: 3 }), "{error}");
    let triangles = [[0, 1, 99]];
    let error = draw(&Subject { triangles: &triangles, bodies: &[], ..good }, positions, Paint::Fabric);
    assert!(matches!(error, RenderError::TriangleIndex { triangle: 0, vertex: 99, count: 16 }), "{error}");
    let error = draw(&Subject { triangles: &good.triangles[..3], ..good }, positions, Paint::Fabric);
    assert!(matches!(error, RenderError::BodyRange { end: 18, count: 3, .. }), "{error}");
    assert!(matches!(View::framing(&good, &[], 1.0), Err(RenderError::NoFrames)));
    assert!(matches!(View::framing(&good, &[&positions[..2]], 1.0), Err(RenderError::PositionCount { .. })));
    let mut sheet = ContactSheet::new(1, SheetSettings::default());
    sheet.add(0, 0.0, &positions[..7]);
    assert!(matches!(sheet.draw(&good), Err(RenderError::PositionCount { .. })));
}

#[test]
fn sizes_that_cannot_be_drawn_are_refused() {
    let model = model(vec![wavy(4)], vec![]);
    for (width, height, supersampling) in [(0, 8, 1), (8, 0, 1), (8, 8, 0), (usize::MAX, 8, 2), (20_000, 8, 2)] {
        let renderer = Renderer { width, height, supersampling };
        let result = renderer.draw(&Subject::of(&model), &model.mesh.positions, &from_above(), Paint::Fabric);
        assert!(matches!(result, Err(RenderError::ImageSize { .. })), "{renderer:?}");
    }
}

#[test]
fn cameras_that_see_nothing_are_refused() {
    let model = model(vec![wavy(4)], vec![]);
    let good = from_above().camera;
    for camera in [
        Camera { target: good.position, ..good },
        Camera { up: good.target - good.position, ..good },
        Camera { up: DVec3::ZERO, ..good },
        Camera { field_of_view: 0.0, ..good },
        Camera { field_of_view: 3.2, ..good },
        Camera { field_of_view: f64::NAN, ..good },
        Camera { position: DVec3::NAN, ..good },
        Camera { target: DVec3::INFINITY, ..good },
    ] {
        let result = View::through(camera, &Subject::of(&model), &[&model.mesh.positions]);
        assert!(matches!(result, Err(RenderError::Camera { .. })), "{camera:?}");
    }
}

#[test]
fn an_empty_range_of_scalars_is_the_middle_of_the_map() {
    let model = model(vec![wavy(4)], vec![]);
    let draw = |values: &[f64], range| {
        let paint = Paint::Scalars { values, range };
        let renderer = Renderer { width: 16, height: 16, supersampling: 1 };
        renderer.draw(&Subject::of(&model), &model.mesh.positions, &from_above(), paint).unwrap()
    };
    assert_eq!(draw(&[7.0; 16], [7.0, 7.0]), draw(&[0.5; 16], [0.0, 1.0]));
}
