//! Broad phases: which primitives may meet, by their swept boxes.
//!
//! All of them answer the same question. A pair of a vertex and a face, or of two edges, without a common
//! vertex, is a *box pair* if its thickened swept boxes ([`crate::boxes::SweptBoxes`]) overlap. Those called
//! exact give exactly the set of box pairs; the others may drop box pairs that cannot be contacts.

mod brute_force;
mod completion;
mod cones;
mod control_bits;
mod counter_tree;
mod dop;
mod features;
mod grid;
mod hash_table;
mod items;
mod kind;
mod lattice;
mod levels;
mod octree;
mod pieces;
mod spatial_hash;
mod subdivision;
mod tree;
mod uv_tree;
mod virtual_subdivision;
mod workload;
mod zone_boundary;
mod zones;

pub use brute_force::BruteForce;
pub use dop::FeatureCulling;
pub use grid::Grid;
pub use kind::{BroadPhaseKind, UnknownBroadPhase};
pub use octree::Octree;
pub use pieces::InPieces;
pub use spatial_hash::SpatialHash;
pub use tree::Tree;
pub use uv_tree::UvTree;
pub use virtual_subdivision::{Completeness, LAMBDA, LongMotion, Subdivision, VirtualSubdivision};

use crate::{Candidates, Surface, Sweep};

/// Finds the pairs that may meet, for a whole mesh at a time.
///
/// One object serves one surface for a whole run and may keep what does not change the result: the shape of
/// a tree, an order, memory.
pub trait BroadPhase: Send {
    /// Its name in scene files and reports.
    fn name(&self) -> &'static str;

    /// Whether it gives exactly the set of box pairs.
    fn is_exact(&self) -> bool;

    /// Whether [`Self::find_again`] searches only around what moved.
    fn searches_again(&self) -> bool {
        false
    }

    /// Replaces `candidates` by the pairs of a motion, and says what that took.
    fn find(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        candidates: &mut Candidates,
    ) -> Result<Counts, BroadPhaseError>;

    /// The pairs that a change of some vertices' end positions can have changed: all pairs with a vertex that
    /// `moved` since the last call. Nothing else moved. Those that cannot do it incrementally give all pairs.
    fn find_again(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        _moved: &[u32],
        candidates: &mut Candidates,
    ) -> Result<Counts, BroadPhaseError> {
        self.find(surface, sweep, thickness, candidates)
    }
}

/// What a search took, in the words of the papers. A method fills what it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Cells (or tree nodes) in use [-].
    pub cells: u64,
    /// Primitives entered into cells, one per primitive and cell [-].
    pub registrations: u64,
    /// Children made by virtual subdivision [-].
    pub children: u64,
    /// Registrations of a triangle's children beyond the first in a cell, taken out again [-].
    pub redundant_registrations: u64,
    /// Box tests between triangles, nodes or primitives [-]. W's broad-phase tests are these and the duplicates
    /// avoided.
    pub tests: u64,
    /// Those of the tests that only complete the set of box pairs: the pair was met in no cell [-].
    pub completion_tests: u64,
    /// Pairs met again in another cell and not tested again [-].
    pub duplicates_avoided: u64,
}

impl Counts {
    /// The sums of both.
    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            cells: self.cells + other.cells,
            registrations: self.registrations + other.registrations,
            children: self.children + other.children,
            redundant_registrations: self.redundant_registrations + other.redundant_registrations,
            tests: self.tests + other.tests,
            completion_tests: self.completion_tests + other.completion_tests,
            duplicates_avoided: self.duplicates_avoided + other.duplicates_avoided,
        }
    }
}

/// Why a search gave up.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BroadPhaseError {
    /// A swept triangle that virtual subdivision cannot make fit into a cell: it moves too far in one step.
    #[error(
        "triangle {triangle} sweeps {reach} m in one step, more than a cell of {cell} m holds; shorten the step to {fraction} of it"
    )]
    NeedsShorterStep {
        /// The triangle.
        triangle: u32,
        /// How far it sweeps [m].
        reach: f64,
        /// The cell [m].
        cell: f64,
        /// The fraction of the step at which it fits [-].
        fraction: f64,
    },
    /// The search would need more memory than is reasonable for the mesh.
    #[error("{what} would need {count} entries; choose another broad phase for this mesh")]
    TooLarge {
        /// What grew.
        what: &'static str,
        /// How large.
        count: u64,
    },
}
