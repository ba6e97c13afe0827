//! The separation along a turning normal: its gradient is its slope.

use super::{Random, edge_edge, vertex_face};
use glam::DVec3;
use muslin_collision::{PairKind, Query};
use muslin_contact::{Contact, PairKey, responses::Separation};

/// Four points whose nearest ones lie within face or edges, by trying.
fn stencil(kind: PairKind, random: &mut Random) -> (Contact, [DVec3; 4]) {
    loop {
        let points: [DVec3; 4] = std::array::from_fn(|_| random.vector());
        let query = Query { start: points, end: points };
        let contact = Contact::at(PairKey::new(kind, 0, 1), [0, 1, 2, 3], &query, 0.0, 1.0).unwrap();
        if contact.weights.iter().all(|w| w.abs() > 0.05 && w.abs() < 0.96 || *w == 1.0) {
            return (contact, points);
        }
    }
}

#[test]
fn its_gradient_is_its_slope_and_normals_take_part() {
    let mut random = Random(5);
    for kind in [PairKind::VertexFace, PairKind::EdgeEdge] {
        for _ in 0..50 {
            let (contact, at) = stencil(kind, &mut random);
            // Away from where it was taken, so that r is not along the normal.
            let points = at.map(|p| p + random.vector() * 0.2);
            let separation = Separation::new(&contact, at);
            let (value, gradient) = separation.gradient(&points);
            assert!((value - separation.value(&points)).abs() < 1e-12);
            let mut turning = 0.0f64;
            for corner in 0..4 {
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let at = |by: f64| {
                        let mut moved = points;
                        moved[corner] += axis * by;
                        separation.value(&moved)
                    };
                    let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                    let found = gradient[corner].dot(axis);
                    let scale = gradient.iter().map(|g| g.length()).fold(1.0, f64::max);
                    // The error of the difference grows with the cube of how sharply the normal turns.
                    assert!((slope - found).abs() < 1e-6 * scale.powi(3), "{kind:?}: {slope} and {found}");
                }
                let straight = gradient.iter().sum::<DVec3>();
                assert!(straight.length() < 1e-9, "moving all corners alike changes nothing");
                turning = turning.max((gradient[corner].length() - contact.weights[corner].abs()).abs());
            }
            assert!(turning > 1e-3, "the normal's own change is in the gradient");
        }
    }
}

#[test]
fn it_is_positive_on_the_side_of_the_start_for_either_orientation() {
    let points = super::over_a_face(0.01);
    let corners = [points[0], points[1], points[2], points[3]];
    let flipped = [points[0], points[1], points[3], points[2]];
    for at in [corners, flipped] {
        let contact = vertex_face([0, 1, 2, 3], [1.0 / 3.0; 3], DVec3::Z);
        assert!((Separation::new(&contact, at).value(&at) - 0.01).abs() < 1e-15);
    }
}

#[test]
fn parallel_edges_keep_their_direction() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::Z * 0.1, DVec3::new(1.0, 0.0, 0.1)];
    let contact = edge_edge([0, 1, 2, 3], [0.5, 0.5], -DVec3::Z);
    let (value, gradient) = Separation::new(&contact, points).gradient(&points);
    assert!((value - 0.1).abs() < 1e-15);
    assert_eq!(gradient[0], -DVec3::Z * 0.5);
}
