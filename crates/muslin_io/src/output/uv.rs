//! Texture coordinates as files want them.
//!
//! A mesh has a pair of coordinates per corner of each triangle, because a seam may join two edges of the pattern.
//! Most cloth has no seam, and one pair per vertex says the same. Formats that have coordinates for all corners or for
//! none get zeros where there are none, as most programs do.

use glam::DVec2;
use std::collections::HashMap;

/// Texture coordinates without repetition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UvTable {
    /// The different pairs [m] or [-]: first those of each vertex's first corner, in the order of vertices, then those
    /// that seams add.
    pub pairs: Vec<DVec2>,
    /// The vertex that each pair belongs to.
    pub vertices: Vec<u32>,
    /// The pair at each triangle's corners.
    pub corners: Vec<[u32; 3]>,
}

impl UvTable {
    /// Finds the different pairs of a mesh with so many vertices.
    pub fn new(count: usize, triangles: &[[u32; 3]], uv: &[Option<[DVec2; 3]>]) -> Self {
        let mut table = UvTable {
            pairs: vec![DVec2::ZERO; count],
            vertices: (0..count as u32).collect(),
            corners: Vec::with_capacity(triangles.len()),
        };
        let mut given = vec![false; count];
        let mut others: HashMap<(u32, [u64; 2]), u32> = HashMap::new();
        for (triangle, uv) in triangles.iter().zip(uv) {
            let (mut corners, uv) = ([0; 3], uv.unwrap_or_default());
            for k in 0..3 {
                let (v, pair) = (triangle[k], uv[k]);
                if !given[v as usize] {
                    given[v as usize] = true;
                    table.pairs[v as usize] = pair;
                }
                corners[k] = match table.pairs[v as usize] == pair {
                    true => v,
                    false => *others.entry((v, pair.to_array().map(f64::to_bits))).or_insert_with(|| {
                        table.pairs.push(pair);
                        table.vertices.push(v);
                        table.pairs.len() as u32 - 1
                    }),
                };
            }
            table.corners.push(corners);
        }
        table
    }

    /// Whether every vertex has one pair only.
    pub fn is_seamless(&self, count: usize) -> bool {
        self.pairs.len() == count
    }
}
