//! Obstacles: closed, outward, of the right topology, and converging to the true volume.

use super::measure::*;
use glam::DVec3;
use muslin_model::{Mesh, shapes::*};
use std::f64::consts::PI;

fn funnel_measures(segments: usize) -> Funnel {
    Funnel { top_radius: 0.5, pipe_radius: 0.1, cone_height: 0.4, pipe_length: 0.3, segments }
}

#[test]
fn closed_shapes_are_closed_outward_and_have_their_genus() {
    let cases: Vec<(&str, Mesh, i64)> = vec![
        ("sphere 0", sphere(0.3, 0).unwrap(), 2),
        ("sphere 3", sphere(0.3, 3).unwrap(), 2),
        ("box", cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap(), 2),
        ("capsule 3", capsule(0.2, 0.0, 3).unwrap(), 2),
        ("capsule 17", capsule(0.2, 1.0, 17).unwrap(), 2),
        ("torus 3x3", torus(1.0, 0.2, [3, 3]).unwrap(), 0),
        ("torus 24x11", torus(1.0, 0.3, [24, 11]).unwrap(), 0),
    ];
    for (name, mesh, genus) in cases {
        mesh.check_geometry().unwrap();
        assert!(mesh.uv.is_empty(), "{name} has a rest shape");
        assert!(is_closed(&mesh), "{name} is not closed");
        assert_eq!(euler_characteristic(&mesh), genus, "{name}");
        assert!(volume(&mesh) > 0.0, "{name} is inside out");
        let mut used = vec![false; mesh.positions.len()];
        mesh.triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
        assert!(used.into_iter().all(|u| u), "{name} has a stray vertex");
    }
}

#[test]
fn open_shapes_have_the_right_boundary_and_face_the_cloth() {
    let ground = plane(4.0, 3).unwrap();
    assert_eq!((euler_characteristic(&ground), boundary_sides(&ground)), (1, 12));
    for t in 0..ground.triangles.len() {
        let [a, b, c] = corners(&ground, t);
        assert!((b - a).cross(c - a).z > 0.0);
    }
    assert!((area(&ground) - 16.0).abs() < 1e-14 * 16.0);
    assert_eq!(plane(4.0, 1).unwrap().triangles.len(), 2);

    let funnel = funnel(&funnel_measures(13)).unwrap();
    funnel.check_geometry().unwrap();
    assert_eq!((euler_characteristic(&funnel), boundary_sides(&funnel)), (0, 26));
    for t in 0..funnel.triangles.len() {
        let [a, b, c] = corners(&funnel, t);
        let middle = (a + b + c) / 3.0;
        let to_axis = -DVec3::new(middle.x, middle.y, 0.0);
        assert!((b - a).cross(c - a).dot(to_axis) > 0.0, "triangle {t} looks away from the axis");
    }
}

#[test]
fn box_is_exact() {
    let size = DVec3::new(0.5, 2.0, 3.0);
    let mesh = cuboid(size).unwrap();
    assert_eq!(volume(&mesh), 3.0);
    assert_eq!(area(&mesh), 2.0 * (0.5 * 2.0 + 2.0 * 3.0 + 3.0 * 0.5));
    for p in &mesh.positions {
        assert_eq!(p.abs(), 0.5 * size);
    }
}

/// The excess of the volume is positive and falls to a quarter when all edges are halved.
fn converges_from_above(name: &str, exact: f64, meshes: [Mesh; 3]) {
    let excess = meshes.map(|mesh| volume(&mesh) / exact - 1.0);
    assert!(excess.iter().all(|&e| e > 0.0), "{name}: {excess:?}");
    assert!(excess[2] < 0.02, "{name}: {excess:?}");
    for (coarse, fine) in [(excess[0], excess[1]), (excess[1], excess[2])] {
        let order = (coarse / fine).log2();
        assert!((1.8..2.2).contains(&order), "{name}: order {order}, {excess:?}");
    }
}

#[test]
fn volumes_converge_to_the_true_ones_at_second_order() {
    let (r, t, l) = (1.3, 0.4, 0.7);
    let ball = 4.0 / 3.0 * PI * r * r * r;
    converges_from_above("sphere", ball, [3, 4, 5].map(|n| sphere(r, n).unwrap()));
    let rod = ball + PI * r * r * l;
    converges_from_above("capsule", rod, [30, 62, 126].map(|n| capsule(r, l, n).unwrap()));
    let ring = 2.0 * PI * PI * r * t * t;
    converges_from_above("torus", ring, [32, 64, 128].map(|n| torus(r, t, [2 * n, n]).unwrap()));
}

#[test]
fn funnel_area_converges_from_below() {
    let (big, small, h, l) = (0.5f64, 0.1f64, 0.4f64, 0.3);
    let exact = PI * (big + small) * ((big - small).powi(2) + h * h).sqrt() + 2.0 * PI * small * l;
    let lack = [16, 32, 64].map(|n| 1.0 - area(&funnel(&funnel_measures(n)).unwrap()) / exact);
    assert!(lack.iter().all(|&e| e > 0.0), "{lack:?}");
    for order in [(lack[0] / lack[1]).log2(), (lack[1] / lack[2]).log2()] {
        assert!((1.9..2.1).contains(&order), "order {order}");
    }
}

#[test]
fn sphere_excess_is_that_of_the_polyhedra_it_comes_from() {
    let excess = |n| sphere(1.0, n).unwrap().positions[0].length() - 1.0;
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    // Icosahedron: ratio of the outer to the inner radius. One subdivision: its worst triangles are the faces
    // of an icosidodecahedron.
    let icosahedron = 3f64.sqrt() * (golden * golden + 1.0).sqrt() / (golden * golden);
    let icosidodecahedron = golden / (golden * golden - 1.0 / 3.0).sqrt();
    assert!((excess(0) - (icosahedron - 1.0)).abs() < 1e-13, "{}", excess(0));
    assert!((excess(1) - (icosidodecahedron - 1.0)).abs() < 1e-13, "{}", excess(1));
    for n in 1..5 {
        let ratio = excess(n) / excess(n + 1);
        assert!((3.8..4.1).contains(&ratio), "{n}: {ratio}");
    }
}
