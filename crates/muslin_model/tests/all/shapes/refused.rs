//! What shapes refuse: a typed error that names the parameter, never a panic.

use glam::{DVec2, DVec3};
use muslin_model::shapes::*;

/// Values that are no length.
const NO_LENGTH: [f64; 6] = [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e200];

#[track_caller]
fn assert_length(result: Result<muslin_model::Mesh, ShapeError>, parameter: &str) {
    match result {
        Err(ShapeError::Length { parameter: found, .. }) => assert_eq!(found, parameter),
        other => panic!("expected a refused `{parameter}`, got {other:?}"),
    }
}

#[track_caller]
fn assert_too_few(result: Result<muslin_model::Mesh, ShapeError>, parameter: &str, least: usize) {
    match result {
        Err(ShapeError::TooFew { parameter: found, least: needed, .. }) => {
            assert_eq!((found, needed), (parameter, least))
        }
        other => panic!("expected too few `{parameter}`, got {other:?}"),
    }
}

#[test]
fn lengths_that_are_none_are_refused_by_name() {
    let right = Triangulation::RightDiagonal;
    let measures = Funnel { top_radius: 0.5, pipe_radius: 0.1, cone_height: 0.4, pipe_length: 0.3, segments: 8 };
    for bad in NO_LENGTH {
        assert_length(grid(3, 3, DVec2::new(bad, 1.0), right), "size along x");
        assert_length(grid(3, 3, DVec2::new(1.0, bad), right), "size along y");
        assert_length(disc(bad, 3), "radius");
        assert_length(tube(bad, 1.0, [5, 5]), "radius");
        assert_length(tube(1.0, bad, [5, 5]), "height");
        assert_length(sphere(bad, 2), "radius");
        assert_length(cuboid(DVec3::new(bad, 1.0, 1.0)), "size along x");
        assert_length(cuboid(DVec3::new(1.0, bad, 1.0)), "size along y");
        assert_length(cuboid(DVec3::new(1.0, 1.0, bad)), "size along z");
        assert_length(torus(bad, 0.1, [8, 8]), "radius");
        assert_length(torus(1.0, bad, [8, 8]), "tube");
        assert_length(capsule(bad, 1.0, 8), "radius");
        assert_length(plane(bad, 1), "size");
        assert_length(funnel(&Funnel { top_radius: bad, ..measures }), "top_radius");
        assert_length(funnel(&Funnel { pipe_radius: bad, ..measures }), "pipe_radius");
        assert_length(funnel(&Funnel { cone_height: bad, ..measures }), "cone_height");
        assert_length(funnel(&Funnel { pipe_length: bad, ..measures }), "pipe_length");
        if bad != 0.0 {
            assert_length(capsule(1.0, bad, 8), "length");
        }
    }
    assert!(capsule(1.0, 0.0, 8).is_ok(), "a capsule without a straight part is a ball");
}

#[test]
fn counts_too_small_to_make_a_shape_are_refused_by_name() {
    let right = Triangulation::RightDiagonal;
    let measures = Funnel { top_radius: 0.5, pipe_radius: 0.1, cone_height: 0.4, pipe_length: 0.3, segments: 8 };
    assert_too_few(grid(1, 3, DVec2::ONE, right), "vertices along x", 2);
    assert_too_few(
        grid(3, 0, DVec2::ONE, Triangulation::Irregular { seed: 1, straight_columns: 0 }),
        "vertices along y",
        2,
    );
    assert_too_few(disc(1.0, 0), "rings", 1);
    assert_too_few(tube(1.0, 1.0, [2, 5]), "vertices around", 3);
    assert_too_few(tube(1.0, 1.0, [5, 1]), "vertices along", 2);
    assert_too_few(torus(1.0, 0.1, [2, 8]), "segments around the axis", 3);
    assert_too_few(torus(1.0, 0.1, [8, 0]), "segments around the tube", 3);
    assert_too_few(capsule(1.0, 1.0, 2), "segments", 3);
    assert_too_few(plane(1.0, 0), "cells", 1);
    assert_too_few(funnel(&Funnel { segments: 2, ..measures }), "segments", 3);
}

#[test]
fn meshes_too_large_to_hold_are_refused_before_they_are_built() {
    let right = Triangulation::RightDiagonal;
    let measures = Funnel { top_radius: 0.5, pipe_radius: 0.1, cone_height: 0.4, pipe_length: 0.3, segments: 8 };
    let huge = usize::MAX;
    for result in [
        grid(huge, 3, DVec2::ONE, right),
        grid(1 << 13, 1 << 13, DVec2::ONE, right),
        disc(1.0, huge),
        tube(1.0, 1.0, [huge, huge]),
        sphere(1.0, 11),
        sphere(1.0, u32::MAX),
        torus(1.0, 0.1, [huge, 3]),
        capsule(1.0, 1.0, huge),
        plane(1.0, huge),
        funnel(&Funnel { segments: huge, ..measures }),
    ] {
        assert!(matches!(result, Err(ShapeError::TooMany { most: MOST_VERTICES, .. })), "{:?}", result.err());
    }
}

#[test]
fn lengths_in_the_wrong_order_are_refused_with_both_names() {
    let measures = Funnel { top_radius: 0.1, pipe_radius: 0.1, cone_height: 0.4, pipe_length: 0.3, segments: 8 };
    assert!(matches!(funnel(&measures), Err(ShapeError::Order { smaller: "pipe_radius", larger: "top_radius", .. })));
    for tube in [1.0, 1.5, 1.0 - f64::EPSILON] {
        let error = torus(1.0, tube, [8, 8]).unwrap_err();
        assert!(matches!(error, ShapeError::Order { smaller: "tube", larger: "radius", .. }), "{error}");
    }
}
