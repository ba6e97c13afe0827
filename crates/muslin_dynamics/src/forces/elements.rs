//! Storage that forces with small stencils share: vertices sorted by domain, and the slots of their blocks.

use super::Layout;
use crate::{
    domains::{BlockPart, ElementRanges, Slot, VertexPart},
    linear::Pattern,
};
use glam::{DMat3, DVec3};

/// The stencils of a force, N vertices each, in storage order.
pub(super) struct Elements<const N: usize> {
    pub ranges: ElementRanges,
    pub stencils: Vec<[u32; N]>,
    /// Slots of the pairs (0,0), (0,1), …, (1,1), … of each element.
    slots: Vec<Slot>,
}

impl<const N: usize> Elements<N> {
    /// Pairs of an element.
    const PAIRS: usize = N * (N + 1) / 2;

    /// Sorts elements, given by vertices of the model, for storage; also returns their order.
    pub fn new(model_stencils: &[[u32; N]], layout: &Layout) -> (Self, Vec<u32>) {
        let unsorted: Vec<[u32; N]> =
            model_stencils.iter().map(|s| s.map(|v| layout.solver_from_model[v as usize])).collect();
        let (order, ranges) = layout.domains.sort_elements(unsorted.iter().map(|s| &s[..]));
        let stencils = order.iter().map(|&k| unsorted[k as usize]).collect();
        (Elements { ranges, stencils, slots: Vec::new() }, order)
    }

    pub fn len(&self) -> usize {
        self.stencils.len()
    }

    pub fn bind(&mut self, pattern: &Pattern) {
        self.slots.clear();
        self.slots.reserve_exact(self.len() * Self::PAIRS);
        for stencil in &self.stencils {
            pattern.stencil_slots(stencil, &mut self.slots);
        }
    }

    /// The values of an element's vertices.
    #[inline]
    pub fn gather(&self, element: usize, values: &[DVec3]) -> [DVec3; N] {
        self.stencils[element].map(|v| values[v as usize])
    }

    /// Adds a value per vertex of an element.
    #[inline]
    pub fn scatter(&self, element: usize, values: [DVec3; N], out: &mut VertexPart) {
        for (&v, value) in self.stencils[element].iter().zip(values) {
            out.add(v, value);
        }
    }

    /// Adds an element's symmetric matrix, given by its blocks (i, j) with i ≤ j.
    #[inline]
    pub fn scatter_blocks(&self, element: usize, block: impl Fn(usize, usize) -> DMat3, out: &mut BlockPart) {
        let slots = &self.slots[element * Self::PAIRS..(element + 1) * Self::PAIRS];
        let mut k = 0;
        for i in 0..N {
            for j in i..N {
                out.add(slots[k], block(i, j));
                k += 1;
            }
        }
    }
}

/// The three methods of [`super::Force`] that say where its elements are, for a force that keeps them in a field of
/// type [`Elements`]. A macro, because a trait cannot borrow a field of its implementors.
macro_rules! placed_by {
    ($field:ident) => {
        fn elements(&self) -> &$crate::domains::ElementRanges {
            &self.$field.ranges
        }

        fn stencil(&self, element: usize) -> &[u32] {
            &self.$field.stencils[element]
        }

        fn bind(&mut self, pattern: &$crate::linear::Pattern) {
            self.$field.bind(pattern);
        }
    };
}
pub(super) use placed_by;

/// a bᵀ.
#[inline]
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
