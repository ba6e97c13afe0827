//! Keeping an order of elimination while other vertices become coupled.
//!
//! Cutting a whole cloth anew takes longer than planning its fronts, and from step to step of a fold one coupling in a
//! hundred changes. In a tree of separators two vertices may be coupled if one belongs to an ancestor of the other's piece, or
//! to the same piece. Where a new pair is not so, one of the two moves up into the piece that parts them. All that it was
//! coupled with lies below or above its old piece, and so below or above the new one: the tree is one of the new graph.
//! Separators grow that way; who keeps an order has to watch what it costs.

use super::dissection::{Dissection, Piece};

/// A tree of pieces, each with its way up.
struct Tree {
    /// The first piece of each sub-tree; the last is its root.
    first: Vec<u32>,
    parent: Vec<u32>,
}

impl Tree {
    fn of(pieces: &[Piece]) -> Self {
        let mut tree = Tree { first: (0..pieces.len() as u32).collect(), parent: vec![u32::MAX; pieces.len()] };
        for (index, piece) in pieces.iter().enumerate() {
            for &child in &piece.children {
                tree.parent[child] = index as u32;
                tree.first[index] = tree.first[index].min(tree.first[child]);
            }
        }
        tree
    }

    /// The lowest piece that has both pieces in its sub-tree; none where they are in different trees.
    fn join(&self, a: u32, b: u32) -> Option<u32> {
        let (low, mut up) = (a.min(b), a.max(b));
        while self.first[up as usize] > low {
            up = self.parent[up as usize];
            if up == u32::MAX {
                return None;
            }
        }
        Some(up)
    }
}

impl Dissection {
    /// The piece of each vertex.
    fn pieces_of_vertices(&self) -> Vec<u32> {
        let mut of = vec![0; self.order.len()];
        for (index, piece) in self.pieces.iter().enumerate() {
            self.order[piece.range.clone()].iter().for_each(|&v| of[v as usize] = index as u32);
        }
        of
    }

    /// The same tree with some vertices moved up so that pairs may be coupled, beside what it was made for.
    pub fn with_pairs(&self, pairs: &[[u32; 2]]) -> Self {
        let tree = Tree::of(&self.pieces);
        let mut piece = self.pieces_of_vertices();
        let mut moved = Vec::new();
        for &[u, v] in pairs {
            let (a, b) = (piece[u as usize], piece[v as usize]);
            match tree.join(a, b) {
                Some(up) if up != a.max(b) => {
                    piece[u as usize] = up;
                    moved.push(u);
                }
                _ => {}
            }
        }
        let mut arrivals = vec![Vec::new(); self.pieces.len()];
        moved.sort_unstable();
        moved.dedup();
        moved.iter().for_each(|&v| arrivals[piece[v as usize] as usize].push(v));
        let mut order = Vec::with_capacity(self.order.len());
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for (index, old) in self.pieces.iter().enumerate() {
            let first = order.len();
            let own = self.order[old.range.clone()].iter().filter(|&&v| piece[v as usize] as usize == index);
            order.extend(own.filter(|v| moved.binary_search(v).is_err()));
            order.append(&mut arrivals[index]);
            pieces.push(Piece { range: first..order.len(), children: old.children.clone() });
        }
        Dissection { order, pieces }
    }

    /// Whether all pairs may be coupled.
    pub fn serves(&self, mut pairs: impl Iterator<Item = [u32; 2]>) -> bool {
        let (tree, piece) = (Tree::of(&self.pieces), self.pieces_of_vertices());
        pairs.all(|[u, v]| {
            let (a, b) = (piece[u as usize], piece[v as usize]);
            tree.join(a, b) == Some(a.max(b))
        })
    }

    /// The tree as two numbers per piece: its vertices and its children, which are the roots last seen.
    pub fn shape(&self) -> impl Iterator<Item = u64> {
        self.pieces.iter().flat_map(|piece| [piece.range.len() as u64, piece.children.len() as u64])
    }

    /// An order with the tree of a shape; or the place of the first number that makes no sense, of the order or of the shape.
    pub fn of_shape(order: Vec<u32>, shape: &[u64]) -> Result<Self, Misshapen> {
        let mut seen = vec![false; order.len()];
        for (k, &v) in order.iter().enumerate() {
            match seen.get_mut(v as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return Err(Misshapen::Order(k)),
            }
        }
        let (mut pieces, mut roots, mut first) = (Vec::new(), Vec::new(), 0);
        for (k, numbers) in shape.chunks_exact(2).enumerate() {
            let [own, children] = [numbers[0], numbers[1]];
            if own > (order.len() - first) as u64 {
                return Err(Misshapen::Shape(2 * k));
            }
            if children > roots.len() as u64 {
                return Err(Misshapen::Shape(2 * k + 1));
            }
            let children = roots.split_off(roots.len() - children as usize);
            pieces.push(Piece { range: first..first + own as usize, children });
            roots.push(k);
            first += own as usize;
        }
        if first == order.len() && roots.len() <= 1 && shape.len().is_multiple_of(2) {
            Ok(Dissection { order, pieces })
        } else {
            Err(Misshapen::Shape(shape.len()))
        }
    }
}

/// What is wrong with a stored tree: the place of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misshapen {
    /// In the order.
    Order(usize),
    /// In the shape.
    Shape(usize),
}

#[cfg(test)]
mod tests {
    use super::{super::dissection::dissect, super::graph::Graph, *};
    use crate::{domains::Domains, linear::Pattern};

    /// A grid of some vertices along a side.
    fn grid(side: u32) -> Graph {
        let at = |i, j| i * side + j;
        let across = (0..side).flat_map(|i| (1..side).map(move |j| [at(i, j - 1), at(i, j)]));
        let along = (1..side).flat_map(|i| (0..side).map(move |j| [at(i - 1, j), at(i, j)]));
        let edges: Vec<[u32; 2]> = across.chain(along).collect();
        let pattern = Pattern::new(Domains::new((side * side) as usize), edges.iter().map(|edge| edge.as_slice()));
        Graph::new(&pattern, |_| true)
    }

    fn edges(graph: &Graph) -> impl Iterator<Item = [u32; 2]> {
        (0..graph.vertices() as u32).flat_map(|v| graph.of(v).iter().filter(move |w| v < **w).map(move |w| [v, *w]))
    }

    #[test]
    fn a_tree_with_further_pairs_is_one_of_the_graph_that_has_them() {
        let graph = grid(17);
        let plain = dissect(&graph, &[], 4);
        assert!(plain.serves(edges(&graph)));
        let mut random = 7_u64;
        let mut next = || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) as u32 % 289
        };
        let mut kept = plain.clone();
        for round in 1..6 {
            let mut pairs: Vec<[u32; 2]> = (0..40 * round).map(|_| [next(), next()]).collect();
            pairs.retain(|[a, b]| a < b);
            pairs.sort_unstable();
            pairs.dedup();
            assert!(!plain.serves(pairs.iter().copied()), "nothing to do");
            let bridged = graph.bridged(&pairs);
            assert_eq!(edges(&bridged).filter(|pair| !edges(&graph).any(|edge| edge == *pair)).collect::<Vec<_>>(), {
                let mut new = pairs.clone();
                new.retain(|pair| !edges(&graph).any(|edge| edge == *pair));
                new
            });
            kept = kept.with_pairs(&pairs);
            assert!(kept.serves(edges(&bridged)), "round {round}");
            let mut all = kept.order.clone();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..289), "no vertex is lost");
        }
    }

    #[test]
    fn pairs_that_may_be_coupled_change_nothing() {
        let graph = grid(9);
        let plain = dissect(&graph, &[], 4);
        assert_eq!(plain.with_pairs(&edges(&graph).collect::<Vec<_>>()), plain);
    }

    #[test]
    fn a_stored_tree_comes_back_and_a_damaged_one_is_refused() {
        let plain = dissect(&grid(9), &[], 4);
        let (order, shape) = (plain.order.clone(), plain.shape().collect::<Vec<_>>());
        assert_eq!(Dissection::of_shape(order.clone(), &shape).as_ref(), Ok(&plain));
        let mut twice = order.clone();
        twice[5] = twice[3];
        assert_eq!(Dissection::of_shape(twice, &shape), Err(Misshapen::Order(5)));
        let mut beyond = order.clone();
        beyond[80] = 81;
        assert_eq!(Dissection::of_shape(beyond, &shape), Err(Misshapen::Order(80)));
        let mut greedy = shape.clone();
        greedy[1] = 1;
        assert_eq!(Dissection::of_shape(order.clone(), &greedy), Err(Misshapen::Shape(1)));
        let mut large = shape.clone();
        large[2] = u64::MAX;
        assert_eq!(Dissection::of_shape(order.clone(), &large), Err(Misshapen::Shape(2)));
        assert!(Dissection::of_shape(order.clone(), &shape[..shape.len() - 2]).is_err());
        assert!(Dissection::of_shape(order, &shape[..shape.len() - 1]).is_err());
    }
}
