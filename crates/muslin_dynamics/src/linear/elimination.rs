//! Elimination of one front: by [`small_front`] if it is small, else by the library.

use super::{
    cholesky::{LEAST_PIVOT, Pivots, REPLACED_PIVOT},
    fronts::Front,
    small_front::{self, Before, Shape},
    triangular,
};
use faer::{
    Accum, MatMut, MatRef, Par, Spec,
    dyn_stack::{MemBuffer, MemStack},
    linalg::{
        cholesky::llt::factor::{LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch},
        matmul::triangular::{BlockStructure, matmul},
        triangular_solve::solve_lower_triangular_in_place,
    },
    prelude::{Reborrow, ReborrowMut},
};

/// Most columns of a front that [`small_front`] eliminates; larger ones are dense enough for the library.
const SMALL: usize = 192;

/// Whether all numbers are finite. Without a branch for each, so that several are looked at together.
fn all_finite(numbers: &[f32]) -> bool {
    const EXPONENT: u32 = f32::INFINITY.to_bits();
    numbers.chunks(256).all(|part| !part.iter().fold(false, |lost, x| lost | (x.to_bits() & EXPONENT == EXPONENT)))
}

/// Eliminates a front's own columns: factorises them and subtracts their part from the update, or makes the update if
/// there are no children. Leaves the triangles on the diagonal inverted, as [`triangular`] takes them.
pub fn eliminate(front: &Front, panel: &mut [f32], update: &mut [f32]) -> Pivots {
    let (rows, columns) = (front.rows(), front.columns());
    let before = if front.children.is_empty() { Before::Anything } else { Before::Sums };
    let replaced = if columns <= SMALL && small_front::is_worth_while() {
        small_front::eliminate(Shape { rows, columns }, panel, update, before)
    } else {
        eliminate_large(front, panel, update, before)
    };
    triangular::invert(panel, columns, rows);
    Pivots { replaced, lost_fronts: usize::from(!all_finite(panel)) }
}

/// The same by the library, but for the inverses.
fn eliminate_large(front: &Front, panel: &mut [f32], update: &mut [f32], before: Before) -> usize {
    let (rows, columns, below) = (front.rows(), front.columns(), front.boundary_rows());
    let whole = MatMut::from_column_major_slice_mut(&mut *panel, rows, columns);
    let (mut pivots, mut lower) = whole.split_at_row_mut(columns);
    let mut buffer =
        MemBuffer::new(cholesky_in_place_scratch::<f32>(columns, Par::Seq, Spec::<LltParams, f32>::default()));
    let regularization =
        LltRegularization { dynamic_regularization_delta: REPLACED_PIVOT, dynamic_regularization_epsilon: LEAST_PIVOT };
    let stack = MemStack::new(&mut buffer);
    let Ok(info) = cholesky_in_place(pivots.rb_mut(), regularization, Par::Seq, stack, Spec::default()) else {
        // Only a matrix that is not finite comes here.
        panel.fill(f32::NAN);
        update.fill(0.0);
        return columns;
    };
    if below > 0 {
        solve_lower_triangular_in_place(pivots.rb(), lower.rb_mut().transpose_mut(), Par::Seq);
        let target = MatMut::from_column_major_slice_mut(update, below, below);
        let lower: MatRef<f32> = lower.rb();
        matmul(
            target,
            BlockStructure::TriangularLower,
            if before == Before::Anything { Accum::Replace } else { Accum::Add },
            lower,
            BlockStructure::Rectangular,
            lower.transpose(),
            BlockStructure::Rectangular,
            -1.0_f32,
            Par::Seq,
        );
    }
    info.dynamic_regularization_count
}
