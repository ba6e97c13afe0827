//! Broken meshes are refused by the name of what is broken, at any scale.

use glam::{DVec2, DVec3};
use muslin_model::{
    Mesh, MeshError,
    shapes::{Triangulation, grid},
};

/// Two triangles on the square 0..scale, joined at the edge 0–2.
fn square(scale: f64) -> Mesh {
    let plan = [DVec2::ZERO, DVec2::X * scale, DVec2::ONE * scale, DVec2::Y * scale];
    let triangles = vec![[0, 1, 2], [0, 2, 3]];
    let uv = triangles.iter().map(|tri: &[u32; 3]| tri.map(|v| plan[v as usize])).collect();
    Mesh { positions: plan.iter().map(|p| p.extend(0.0)).collect(), triangles, uv, ..Mesh::default() }
}

/// Breaks the square at three scales and returns what is found, which must be the same.
fn broken(damage: impl Fn(&mut Mesh, f64)) -> MeshError {
    let errors = [1e-8, 1.0, 1e8].map(|scale| {
        let mut mesh = square(scale);
        mesh.check_cloth().unwrap();
        damage(&mut mesh, scale);
        mesh.check_cloth().unwrap_err()
    });
    assert_eq!(errors[0], errors[1]);
    assert_eq!(errors[0], errors[2]);
    errors[0].clone()
}

#[test]
fn a_mesh_without_triangles_is_empty() {
    assert_eq!(broken(|mesh, _| mesh.triangles.clear()), MeshError::Empty);
    assert_eq!(Mesh::default().check_geometry(), Err(MeshError::Empty));
}

#[test]
fn an_index_beyond_the_vertices_is_named_with_its_triangle() {
    let error = broken(|mesh, _| mesh.triangles[1][2] = 4);
    assert_eq!(error, MeshError::IndexOutOfRange { triangle: 1, vertex: 4, count: 4 });
    assert!(error.to_string().contains("triangle 1 uses vertex 4"), "{error}");
}

#[test]
fn a_coordinate_that_is_not_finite_is_named() {
    for bad in [f64::NAN, f64::INFINITY] {
        let error = broken(|mesh, _| mesh.positions[2] = DVec3::splat(bad));
        assert!(matches!(error, MeshError::NotFinite { vertex: 2, .. }), "{error}");
    }
}

#[test]
fn a_triangle_without_area_is_named_in_space_and_in_the_pattern() {
    let place = "in space";
    let flat = broken(|mesh, _| mesh.positions[3] = 0.5 * (mesh.positions[0] + mesh.positions[2]));
    assert_eq!(flat, MeshError::ZeroArea { triangle: 1, vertices: [0, 2, 3], place });
    // A sliver that is thin but not degenerate passes: the limit is relative.
    for scale in [1e-8, 1.0, 1e8] {
        let mut mesh = square(scale);
        mesh.positions[3] = 0.5 * (mesh.positions[0] + mesh.positions[2]) + DVec3::new(-1e-6, 1e-6, 0.0) * scale;
        assert_eq!(mesh.check_cloth(), Ok(()));
    }
    let place = "in its material coordinates";
    let thin = broken(|mesh, scale| mesh.uv[1] = [DVec2::ZERO, DVec2::X * scale, DVec2::X * 2.0 * scale]);
    assert_eq!(thin, MeshError::ZeroArea { triangle: 1, vertices: [0, 2, 3], place });
    let none = broken(|mesh, _| mesh.uv[1][0] = DVec2::NAN);
    assert_eq!(none, MeshError::ZeroArea { triangle: 1, vertices: [0, 2, 3], place });
}

#[test]
fn a_mirrored_pattern_is_named() {
    let error = broken(|mesh, _| mesh.uv[1].swap(0, 1));
    assert_eq!(error, MeshError::FoldedUv { triangle: 1, vertices: [0, 2, 3] });
}

#[test]
fn an_edge_of_three_triangles_is_named_with_them() {
    let error = broken(|mesh, scale| {
        mesh.positions.push(DVec3::new(0.5, 0.5, 1.0) * scale);
        mesh.triangles.push([2, 0, 4]);
        mesh.uv.push(mesh.uv[0]);
    });
    assert_eq!(error, MeshError::NonManifoldEdge { edge: [0, 2], count: 3, triangles: vec![0, 1, 2] });
}

#[test]
fn neighbours_wound_against_each_other_are_named() {
    let error = broken(|mesh, _| {
        mesh.triangles[1] = [0, 3, 2];
        mesh.uv[1].swap(1, 2);
        // The pattern is right for the flipped triangle, so only the winding is wrong.
        mesh.uv[1] = mesh.uv[1].map(|p| DVec2::new(p.y, p.x));
    });
    assert_eq!(error, MeshError::InconsistentWinding { edge: [0, 2], triangles: [0, 1] });
}

#[test]
fn a_vertex_without_a_triangle_is_named() {
    let error = broken(|mesh, scale| mesh.positions.push(DVec3::Z * scale));
    assert_eq!(error, MeshError::IsolatedVertex { vertex: 4 });
}

#[test]
fn missing_material_coordinates_are_counted() {
    let error = broken(|mesh, _| mesh.uv.truncate(1));
    assert_eq!(error, MeshError::UvCount { triangles: 2, uv: 1 });
}

#[test]
fn of_several_faults_the_lowest_edge_is_reported() {
    let mut mesh = grid(4, 4, DVec2::ONE, Triangulation::RightDiagonal).unwrap();
    let mirror = |p: DVec2| DVec2::new(p.y, p.x);
    for t in [3, 11] {
        mesh.triangles[t].swap(1, 2);
        mesh.uv[t].swap(1, 2);
        mesh.uv[t] = mesh.uv[t].map(mirror);
    }
    let first = mesh.check_cloth().unwrap_err();
    let MeshError::InconsistentWinding { edge, .. } = first else { panic!("{first}") };
    // By hand: of all edges of the two flipped triangles the lowest inner one.
    let mut lowest = [u32::MAX; 2];
    for t in [3usize, 11] {
        for k in 0..3 {
            let (a, b) = (mesh.triangles[t][k], mesh.triangles[t][(k + 1) % 3]);
            let users = mesh.triangles.iter().filter(|tri| tri.contains(&a) && tri.contains(&b)).count();
            if users == 2 {
                lowest = lowest.min([a.min(b), a.max(b)]);
            }
        }
    }
    assert_eq!(edge, lowest);
    assert!((0..50).all(|_| mesh.check_cloth() == Err(first.clone())), "the report depends on the hash order");
}

#[test]
fn areas_and_edge_lengths_are_those_of_the_square() {
    let mesh = square(3.0);
    assert_eq!(mesh.rest_area(0), 4.5);
    let exact = (4.0 * 3.0 + 2.0 * 18f64.sqrt()) / 6.0;
    assert!((mesh.mean_edge_length_of(0..2) - exact).abs() < 1e-14);
    // Of the second triangle alone.
    let second = (2.0 * 3.0 + 18f64.sqrt()) / 3.0;
    assert!((mesh.mean_edge_length_of(1..2) - second).abs() < 1e-14);
}

#[test]
fn a_large_mesh_is_a_short_text_that_any_bit_changes() {
    let mut mesh = Mesh {
        positions: (0..50_000).map(|v| DVec3::new(f64::from(v), 0.1, -0.0)).collect(),
        triangles: (0..50_000).map(|t| [t, t + 1, t + 2]).collect(),
        uv: vec![[DVec2::ZERO, DVec2::X, DVec2::Y]; 50_000],
        texture: vec![None; 50_000],
    };
    let before = format!("{mesh:?}");
    assert!(before.len() < 400 && before.contains("positions: 50000 elements, hash "), "{before}");
    let mut texts = vec![before];
    mesh.positions[40_000].z = 0.0;
    texts.push(format!("{mesh:?}"));
    mesh.triangles[49_999][2] = 0;
    texts.push(format!("{mesh:?}"));
    mesh.uv[20_000][1].y = f64::MIN_POSITIVE;
    texts.push(format!("{mesh:?}"));
    mesh.texture[3] = Some([DVec2::ZERO; 3]);
    texts.push(format!("{mesh:?}"));
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 5);
    // A small one is shown as it is.
    mesh.positions.truncate(1);
    assert!(format!("{mesh:?}").contains("positions: [DVec3(0.0, 0.1, -0.0)]"), "{mesh:?}");
}

#[test]
fn bodies_without_a_picture_go_on_showing_their_pattern_beside_one_that_has_one() {
    let mut mesh = square(1.0);
    assert_eq!(mesh.shown_uv(0), Some(mesh.uv[0]));
    let (pattern, picture) = (mesh.uv.clone(), [DVec2::splat(0.1), DVec2::splat(0.2), DVec2::splat(0.4)]);
    mesh.triangles.extend([[0, 1, 2], [1, 2, 3]]);
    mesh.append_texture([Some(picture), None].into_iter());
    let shown: Vec<_> = (0..5).map(|t| mesh.shown_uv(t)).collect();
    assert_eq!(shown, [Some(pattern[0]), Some(pattern[1]), Some(picture), None, None]);
}
