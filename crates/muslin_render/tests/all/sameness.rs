//! The same picture for any number of threads, any unit of length and any name of a vertex.

use crate::figures::*;
use glam::DVec3;
use muslin_model::{
    Model, parallel,
    shapes::{cuboid, plane, sphere, torus},
};
use muslin_render::{Image, Paint, Renderer, Subject, View};

const RENDERER: Renderer = Renderer { width: 120, height: 90, supersampling: 2 };

fn scene() -> Model {
    model(
        vec![wavy(24), moved(wavy(9), DVec3::new(0.8, 0.2, 0.3))],
        vec![
            moved(sphere(0.3, 2).unwrap(), DVec3::Z * -0.4),
            moved(torus(0.3, 0.1, [20, 10]).unwrap(), DVec3::X * -0.8),
            moved(cuboid(DVec3::splat(0.3)).unwrap(), DVec3::Y * 0.7),
            moved(plane(50.0, 1).unwrap(), DVec3::Z * -0.8),
        ],
    )
}

fn framed(model: &Model) -> Image {
    let subject = Subject::of(model);
    let view = View::framing(&subject, &[&model.mesh.positions], 4.0 / 3.0).unwrap();
    draw(RENDERER, model, &view)
}

#[test]
fn a_picture_has_the_same_bits_for_any_number_of_threads() {
    let model = scene();
    let images = [1, 2, 3, 7].map(|threads| parallel::with_threads(threads, || framed(&model)));
    assert!(images.iter().all(|image| *image == images[0]));
    let distinct: std::collections::HashSet<_> = images[0].pixels.iter().collect();
    assert!(distinct.len() > 500, "the picture is empty: {} colours", distinct.len());
}

#[test]
fn a_picture_does_not_depend_on_the_unit_of_length() {
    let image = framed(&scene());
    for exponent in [-27, 27] {
        let mut scaled = scene();
        let scale = 2f64.powi(exponent);
        scaled.mesh.positions.iter_mut().for_each(|p| *p *= scale);
        scaled.mesh.uv.iter_mut().flatten().for_each(|p| *p *= scale);
        assert_eq!(framed(&scaled), image, "scale 2^{exponent}");
    }
}

#[test]
fn a_picture_hardly_depends_on_the_order_of_triangles() {
    // Sums of normals are rounded in another order, so a last bit may differ, but not more.
    let image = framed(&scene());
    let mut turned = scene();
    turned.mesh.triangles.iter_mut().zip(&mut turned.mesh.uv).for_each(|(tri, uv)| {
        tri.rotate_left(1);
        uv.rotate_left(1);
    });
    let other = framed(&turned);
    let differ = image.pixels.iter().zip(&other.pixels);
    let worst = differ.flat_map(|(a, b)| (0..3).map(move |k| a[k].abs_diff(b[k]))).max();
    assert!(worst <= Some(2), "{worst:?}");
}

#[test]
fn positions_that_are_not_finite_leave_their_triangles_out_and_nothing_else() {
    let model = scene();
    let subject = Subject::of(&model);
    let view = View::framing(&subject, &[&model.mesh.positions], 4.0 / 3.0).unwrap();
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let mut positions = model.mesh.positions.clone();
        // An inner vertex of an alternating grid has 4 or 8 triangles.
        positions[24 * 10 + 10].y = bad;
        let users = model.mesh.triangles.iter().filter(|tri| tri.contains(&250)).count();
        let image = RENDERER.draw(&subject, &positions, &view, Paint::Fabric).unwrap();
        assert_eq!(image.left_out, users);
        assert!(users == 4 || users == 8);
        assert!(View::framing(&subject, &[&positions], 1.0).is_ok());
    }
    let lost = vec![DVec3::NAN; positions_count(&model)];
    let view = View::framing(&subject, &[&lost], 1.0).unwrap();
    let image = RENDERER.draw(&subject, &lost, &view, Paint::Fabric).unwrap();
    assert_eq!(image.left_out, model.mesh.triangles.len());
}

fn positions_count(model: &Model) -> usize {
    model.mesh.positions.len()
}
