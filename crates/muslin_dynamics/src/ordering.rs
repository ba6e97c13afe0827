//! The solver's vertex order: neighbours close in memory and mostly in one domain.
//!
//! A generated grid already is in a good order, and keeping it costs nothing. A mesh from a file may be in
//! any order; then a breadth-first (Cuthill–McKee) numbering is used.

use crate::domains::Domains;

/// The given order is kept while at most this part of the triangles crosses a border of domains [-].
const MOST_CROSSING: f64 = 0.25;

/// The model's vertex behind each of the solver's.
pub fn solver_order(vertices: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
    let domains = Domains::new(vertices);
    let crossing = triangles.iter().filter(|t| t.iter().any(|&v| domains.of(v) != domains.of(t[0]))).count();
    if crossing as f64 <= MOST_CROSSING * triangles.len() as f64 {
        return (0..vertices as u32).collect();
    }
    breadth_first(vertices, triangles)
}

fn breadth_first(vertices: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); vertices];
    for t in triangles {
        for k in 0..3 {
            neighbours[t[k] as usize].extend([t[(k + 1) % 3], t[(k + 2) % 3]]);
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let walk = |start: u32, seen: &mut [bool]| {
        let mut order = vec![start];
        seen[start as usize] = true;
        let mut next = 0;
        while next < order.len() {
            let mut found: Vec<u32> =
                neighbours[order[next] as usize].iter().copied().filter(|&v| !seen[v as usize]).collect();
            found.sort_by_key(|&v| (neighbours[v as usize].len(), v));
            found.iter().for_each(|&v| seen[v as usize] = true);
            order.append(&mut found);
            next += 1;
        }
        order
    };
    let mut seen = vec![false; vertices];
    let mut order = Vec::with_capacity(vertices);
    for v in 0..vertices as u32 {
        if seen[v as usize] {
            continue;
        }
        // A first walk finds a far end of this piece; the walk from there gives narrow levels.
        let far = *walk(v, &mut seen.clone()).last().expect("a walk holds its start");
        order.append(&mut walk(far, &mut seen));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_grid_gets_few_crossing_triangles_and_every_vertex_once() {
        let n = 80usize;
        let shuffle = |v: usize| ((v * 2477) % (n * n)) as u32; // 2477 is prime and does not divide 6400
        let mut triangles = Vec::new();
        for i in 0..n - 1 {
            for j in 0..n - 1 {
                let a = i * n + j;
                triangles.push([shuffle(a), shuffle(a + n), shuffle(a + n + 1)]);
                triangles.push([shuffle(a), shuffle(a + n + 1), shuffle(a + 1)]);
            }
        }
        let order = solver_order(n * n, &triangles);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..(n * n) as u32));
        let mut solver_from_model = vec![0; n * n];
        order.iter().enumerate().for_each(|(s, &m)| solver_from_model[m as usize] = s as u32);
        let domains = Domains::new(n * n);
        let crossing = |t: &&[u32; 3]| {
            let d = t.map(|v| domains.of(solver_from_model[v as usize]));
            d[0] != d[1] || d[1] != d[2]
        };
        assert!(triangles.iter().filter(crossing).count() * 5 < triangles.len());
    }

    #[test]
    fn a_grid_keeps_its_own_order() {
        let triangles: Vec<[u32; 3]> = (0..98).map(|v| [v, v + 1, v + 2]).collect();
        assert!(solver_order(100, &triangles).into_iter().eq(0..100));
    }
}
