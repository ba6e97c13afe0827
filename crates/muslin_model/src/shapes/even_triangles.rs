//! Makes the triangles of a closed surface alike, for cloth.
//!
//! What marching tetrahedra leave has short edges and vertices with three neighbours or ten. In rounds, as remeshing does: the ends of edges that are
//! too short are put together; edges are turned within their two triangles where that brings the numbers of neighbours closer to six; then every
//! vertex goes to the middle of its neighbours and back onto the surface. All in a fixed order.

use crate::mesh::Mesh;
use glam::DVec3;
use std::collections::{HashMap, HashSet};

/// Rounds of merging and turning; each ends with as many moves as [`MOVES`].
const ROUNDS: usize = 12;
const MOVES: usize = 6;
/// Edges below this part of the mean one are too short [-].
const SHORT: f64 = 0.6;

/// Makes triangles alike; `onto` moves a point near the surface onto it.
pub(super) fn even_triangles(mesh: &mut Mesh, onto: impl Fn(DVec3) -> DVec3) {
    let mean = mean_edge(mesh);
    for _ in 0..ROUNDS {
        merge_short_edges(mesh, SHORT * mean);
        turn_edges(mesh);
        let rings = rings(mesh);
        for _ in 0..MOVES {
            let middle =
                |ring: &Vec<u32>| ring.iter().map(|&v| mesh.positions[v as usize]).sum::<DVec3>() / ring.len() as f64;
            mesh.positions = rings.iter().map(|ring| onto(middle(ring))).collect();
        }
    }
}

/// The neighbours of each vertex: every edge of a closed surface is there once in each direction.
fn rings(mesh: &Mesh) -> Vec<Vec<u32>> {
    let mut rings = vec![Vec::new(); mesh.positions.len()];
    for &[a, b, c] in &mesh.triangles {
        [(a, b), (b, c), (c, a)].into_iter().for_each(|(from, to)| rings[from as usize].push(to));
    }
    rings
}

fn mean_edge(mesh: &Mesh) -> f64 {
    let edges = mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let length = |(a, b): (u32, u32)| mesh.positions[a as usize].distance(mesh.positions[b as usize]);
    edges.map(length).sum::<f64>() / (3 * mesh.triangles.len()) as f64
}

/// Puts the ends of edges below a length [m] together, the shortest first, where the surface stays one: the ends have just the two
/// neighbours in common that the edge's triangles have, and nothing beside was changed in this pass.
fn merge_short_edges(mesh: &mut Mesh, least: f64) {
    let rings: Vec<HashSet<u32>> = rings(mesh).into_iter().map(|ring| ring.into_iter().collect()).collect();
    let mut edges = Vec::new();
    for (from, ring) in rings.iter().enumerate() {
        for &to in ring.iter().filter(|&&to| from < to as usize) {
            let length = mesh.positions[from].distance(mesh.positions[to as usize]);
            if length < least {
                edges.push((length, from as u32, to));
            }
        }
    }
    edges.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut stands_for: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    let mut touched = vec![false; mesh.positions.len()];
    for (_, a, b) in edges {
        let around = || rings[a as usize].iter().chain(&rings[b as usize]);
        let common: Vec<u32> = rings[a as usize].intersection(&rings[b as usize]).copied().collect();
        // A neighbour of three would be left with two.
        let stays_one = common.len() == 2 && common.iter().all(|&v| rings[v as usize].len() > 3);
        if stays_one && !around().any(|&v| touched[v as usize]) {
            around().for_each(|&v| touched[v as usize] = true);
            stands_for[b as usize] = a;
            mesh.positions[a as usize] = 0.5 * (mesh.positions[a as usize] + mesh.positions[b as usize]);
        }
    }
    let mut number = vec![0; mesh.positions.len()];
    let mut kept = Vec::new();
    for (v, &of) in stands_for.iter().enumerate() {
        if of as usize == v {
            number[v] = kept.len() as u32;
            kept.push(mesh.positions[v]);
        }
    }
    mesh.positions = kept;
    let triangles = mesh.triangles.iter().map(|t| t.map(|v| number[stands_for[v as usize] as usize]));
    mesh.triangles = triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect();
}

/// Turns edges within their two triangles where that brings the neighbours of the four vertices closer to six each.
fn turn_edges(mesh: &mut Mesh) {
    let mut valence: Vec<i64> = rings(mesh).iter().map(|ring| ring.len() as i64).collect();
    // The triangle to the left of each directed edge.
    let mut left = HashMap::new();
    for (t, &[a, b, c]) in mesh.triangles.iter().enumerate() {
        [(a, b), (b, c), (c, a)].into_iter().for_each(|edge| {
            left.insert(edge, t);
        });
    }
    let mut edges: Vec<(u32, u32)> = left.keys().copied().filter(|(a, b)| a < b).collect();
    edges.sort_unstable();
    for (a, b) in edges {
        let (Some(&t), Some(&u)) = (left.get(&(a, b)), left.get(&(b, a))) else { continue };
        let apex = |t: usize| mesh.triangles[t].into_iter().find(|&v| v != a && v != b);
        let (Some(c), Some(d)) = (apex(t), apex(u)) else { continue };
        let off = |v: u32, change: i64| (valence[v as usize] + change - 6).pow(2);
        let gain = off(a, 0) + off(b, 0) + off(c, 0) + off(d, 0) - off(a, -1) - off(b, -1) - off(c, 1) - off(d, 1);
        if gain <= 0 || left.contains_key(&(c, d)) || left.contains_key(&(d, c)) || folds(mesh, [a, b, c, d]) {
            continue;
        }
        [(a, -1), (b, -1), (c, 1), (d, 1)].into_iter().for_each(|(v, change)| valence[v as usize] += change);
        (mesh.triangles[t], mesh.triangles[u]) = ([c, a, d], [d, b, c]);
        left.remove(&(a, b));
        left.remove(&(b, a));
        [((c, a), t), ((a, d), t), ((d, c), t), ((d, b), u), ((b, c), u), ((c, d), u)].into_iter().for_each(
            |(edge, t)| {
                left.insert(edge, t);
            },
        );
    }
}

/// Whether the triangles (c, a, d) and (d, b, c) would lie on each other, or across the surface that (a, b, c) and (b, a, d) are.
fn folds(mesh: &Mesh, [a, b, c, d]: [u32; 4]) -> bool {
    let normal = |t: [u32; 3]| {
        let [p, q, r] = t.map(|v| mesh.positions[v as usize]);
        (q - p).cross(r - p).normalize_or_zero()
    };
    let before = normal([a, b, c]) + normal([b, a, d]);
    normal([c, a, d]).dot(before) <= 0.0 || normal([d, b, c]).dot(before) <= 0.0
}
