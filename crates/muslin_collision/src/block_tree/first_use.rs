//! Edges and vertices in the order in which faces along the curve first use them.
//!
//! Faces that follow each other on the curve are neighbours, and so are their edges and vertices: their blocks are as tight
//! as after a sort of their own, at a third of the cost, and one pass that goes with the faces does not slow down on large
//! meshes as a sort does.

use super::pages;

/// Which primitives were used, one bit each; a work array that is kept.
#[derive(Clone, Debug, Default)]
pub struct FirstUse {
    used: Vec<u64>,
}

impl FirstUse {
    /// Makes `order` the primitives below `count` that faces use, by their first use; `parts` are those of each face, `faces`
    /// the order of the faces.
    pub fn order<const K: usize>(&mut self, count: usize, faces: &[u32], parts: &[[u32; K]], order: &mut Vec<u32>) {
        self.used.clear();
        self.used.resize(count.div_ceil(u64::BITS as usize), 0);
        // Room for one more: each part is written and then kept or not, as branches would be as good as random.
        pages::make_room(order, count + 1);
        order.resize(count + 1, 0);
        let mut kept = 0;
        for &face in faces {
            for part in parts[face as usize] {
                let (word, bit) = (&mut self.used[(part / u64::BITS) as usize], 1 << (part % u64::BITS));
                order[kept] = part;
                kept += usize::from(*word & bit == 0);
                *word |= bit;
            }
        }
        order.truncate(kept);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.used.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_comes_once_where_it_is_first_used() {
        let parts = [[0, 70, 2], [2, 3, 70], [5, 3, 1]];
        let (mut first_use, mut order) = (FirstUse::default(), vec![9; 4]);
        // Twice, so that what the first left behind would show.
        for _ in 0..2 {
            first_use.order(71, &[2, 0, 1], &parts, &mut order);
            assert_eq!(order, [5, 3, 1, 0, 70, 2]);
        }
        first_use.order(71, &[], &parts, &mut order);
        assert!(order.is_empty());
    }
}
