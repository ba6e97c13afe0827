//! Edges and neighbours against a search through all triangles.

use crate::random::Random;
use glam::DVec2;
use muslin_model::{
    Topology,
    shapes::{Triangulation, grid, torus},
    topology::{NONE, opposite_corner},
};

/// Everything about edges by looking at all pairs of corners and triangles.
fn brute_force(triangles: &[[u32; 3]]) -> (Vec<[u32; 2]>, Vec<Vec<u32>>) {
    let vertices = triangles.iter().flatten().max().map_or(0, |v| v + 1);
    let mut edges = Vec::new();
    let mut users = Vec::new();
    for a in 0..vertices {
        for b in a + 1..vertices {
            let both: Vec<u32> = (0..triangles.len() as u32)
                .filter(|&t| triangles[t as usize].contains(&a) && triangles[t as usize].contains(&b))
                .collect();
            if !both.is_empty() {
                edges.push([a, b]);
                users.push(both);
            }
        }
    }
    (edges, users)
}

fn assert_right(triangles: &[[u32; 3]]) {
    let topology = Topology::new(triangles);
    let (edges, users) = brute_force(triangles);
    assert_eq!(topology.edges, edges);
    for (e, users) in users.iter().enumerate() {
        let expected = [users[0], users.get(1).copied().unwrap_or(NONE)];
        assert_eq!(topology.edge_triangles[e], expected, "edge {:?}", edges[e]);
        if users.len() <= 2 {
            assert_eq!(topology.across(e as u32, users[0]), users.get(1).copied());
            if let Some(&other) = users.get(1) {
                assert_eq!(topology.across(e as u32, other), Some(users[0]));
            }
        }
    }
    for (t, tri) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (tri[k], tri[(k + 1) % 3]);
            let edge = edges[topology.triangle_edges[t][k] as usize];
            assert_eq!(edge, [a.min(b), a.max(b)]);
            assert_eq!(opposite_corner(*tri, edge), (k + 2) % 3);
        }
    }
}

/// Renumbers vertices and shuffles triangles and their first corners.
fn shuffled(mut triangles: Vec<[u32; 3]>, random: &mut Random) -> Vec<[u32; 3]> {
    let count = triangles.iter().flatten().max().map_or(0, |v| v + 1) as usize;
    let mut names: Vec<u32> = (0..count as u32).collect();
    for k in (1..count).rev() {
        names.swap(k, random.index(k + 1));
    }
    for tri in &mut triangles {
        *tri = tri.map(|v| names[v as usize]);
        tri.rotate_left(random.index(3));
    }
    for k in (1..triangles.len()).rev() {
        triangles.swap(k, random.index(k + 1));
    }
    triangles
}

#[test]
fn topology_of_random_manifold_meshes_equals_brute_force() {
    let mut random = Random(11);
    for round in 0..40 {
        let size = [2 + random.index(6), 2 + random.index(6)];
        let mut triangles = if round % 4 == 0 {
            torus(1.0, 0.3, [2 + size[0], 2 + size[1]]).unwrap().triangles
        } else {
            grid(size[0], size[1], DVec2::ONE, Triangulation::Irregular { seed: round, straight_columns: 0 })
                .unwrap()
                .triangles
        };
        // Holes and loose pieces.
        triangles.retain(|_| random.unit() < 0.8);
        assert_right(&shuffled(triangles, &mut random));
    }
}

#[test]
fn topology_of_random_soups_keeps_the_first_two_triangles_of_an_edge() {
    let mut random = Random(12);
    let mut crowded = 0;
    for _ in 0..40 {
        let mut triangles = Vec::new();
        while triangles.len() < 20 {
            let tri = [random.index(9) as u32, random.index(9) as u32, random.index(9) as u32];
            if tri[0] != tri[1] && tri[1] != tri[2] && tri[2] != tri[0] {
                triangles.push(tri);
            }
        }
        crowded += brute_force(&triangles).1.iter().filter(|users| users.len() > 2).count();
        assert_right(&triangles);
    }
    assert!(crowded > 100, "the soups are too thin to test anything: {crowded}");
}

#[test]
fn no_triangles_have_no_edges() {
    assert_eq!(Topology::new(&[]), Topology::default());
}
