//! Which way triangles face, and whether neighbours can agree.

/// What it takes for all neighbours to face the same way.
pub struct Orientation {
    /// Triangles to turn, so that neighbours agree with the lowest triangle of their piece.
    pub turn: Vec<bool>,
    /// The lowest triangle of each triangle's piece.
    pub piece: Vec<u32>,
    /// For that triangle: whether its piece has two sides. A Möbius strip has one, and its triangles cannot agree.
    pub two_sided: Vec<bool>,
}

/// Walks over the pieces of a mesh. Edges of more than two triangles join nothing; triangles for which `skip` holds
/// are not there.
pub fn orientation(triangles: &[[u32; 3]], skip: impl Fn(usize) -> bool) -> Orientation {
    let mut sides: Vec<(u32, u32, u32, bool)> = Vec::with_capacity(3 * triangles.len());
    for (t, triangle) in triangles.iter().enumerate().filter(|(t, _)| !skip(*t)) {
        for k in 0..3 {
            let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
            sides.push((a.min(b), a.max(b), t as u32, a < b));
        }
    }
    sides.sort_unstable();
    let mut neighbours: Vec<Vec<(u32, bool)>> = vec![Vec::new(); triangles.len()];
    for pair in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter(|users| users.len() == 2) {
        let same = pair[0].3 == pair[1].3;
        neighbours[pair[0].2 as usize].push((pair[1].2, same));
        neighbours[pair[1].2 as usize].push((pair[0].2, same));
    }
    let mut turn: Vec<Option<bool>> = vec![None; triangles.len()];
    let mut piece: Vec<u32> = (0..triangles.len() as u32).collect();
    let mut two_sided = vec![true; triangles.len()];
    for start in 0..triangles.len() {
        if turn[start].is_some() {
            continue;
        }
        turn[start] = Some(false);
        let mut waiting = vec![start];
        while let Some(t) = waiting.pop() {
            for &(other, same) in &neighbours[t] {
                let wanted = turn[t] != Some(same);
                match turn[other as usize] {
                    None => {
                        turn[other as usize] = Some(wanted);
                        piece[other as usize] = start as u32;
                        waiting.push(other as usize);
                    }
                    Some(given) => two_sided[start] &= given == wanted,
                }
            }
        }
    }
    Orientation { turn: turn.into_iter().map(|t| t == Some(true)).collect(), piece, two_sided }
}
