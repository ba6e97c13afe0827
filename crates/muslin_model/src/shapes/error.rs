//! What a shape refuses, and the checks that all shapes share.

use std::ops::RangeInclusive;

/// Why a shape cannot be meshed. Every message names the shape, the parameter and what is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length that is not a number, not positive or absurd.
    #[error("{shape}: `{parameter}` is {value} m; it must be greater than 0 (and within 1e-100 and 1e100)")]
    Length {
        /// The shape.
        shape: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// Its value [m].
        value: f64,
    },
    /// Too few pieces to enclose anything.
    #[error("{shape}: `{parameter}` is {value}; it must be at least {least}")]
    TooFew {
        /// The shape.
        shape: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// Its value.
        value: usize,
        /// The least that works.
        least: usize,
    },
    /// More vertices than a mesh may have.
    #[error("{shape}: it would have more than {most} vertices; ask for a coarser one")]
    TooMany {
        /// The shape.
        shape: &'static str,
        /// [`MOST_VERTICES`].
        most: usize,
    },
    /// Two lengths in the wrong order.
    #[error("{shape}: `{smaller}` is {small} m; it must be smaller than `{larger}`, which is {large} m")]
    Order {
        /// The shape.
        shape: &'static str,
        /// The parameter that must be the smaller one.
        smaller: &'static str,
        /// Its value [m].
        small: f64,
        /// The parameter that must be the larger one.
        larger: &'static str,
        /// Its value [m].
        large: f64,
    },
}

/// Most vertices of one shape: a grid of 4096 × 4096. Beyond it a slip of the finger, not a cloth.
pub const MOST_VERTICES: usize = 1 << 24;

/// Lengths that a shape takes [m]: squares of them, and areas of their pieces, neither overflow nor vanish.
pub const LENGTHS: RangeInclusive<f64> = 1e-100..=1e100;

/// Circumscribing meshes are larger than their touching construction by this part of their size [-]: a few
/// times the rounding of a coordinate, so that rounding never puts a triangle below the true surface.
pub(super) const ROUNDING_MARGIN: f64 = 16.0 * f64::EPSILON;

/// Refuses a length outside [`LENGTHS`]; a NaN too.
pub(super) fn check_length(shape: &'static str, parameter: &'static str, value: f64) -> Result<(), ShapeError> {
    if LENGTHS.contains(&value) { Ok(()) } else { Err(ShapeError::Length { shape, parameter, value }) }
}

/// Refuses a count below the least.
pub(super) fn check_count(
    shape: &'static str,
    parameter: &'static str,
    value: usize,
    least: usize,
) -> Result<(), ShapeError> {
    if value >= least { Ok(()) } else { Err(ShapeError::TooFew { shape, parameter, value, least }) }
}

/// Refuses a mesh of `rows` × `columns` vertices when they are too many.
pub(super) fn check_vertices(shape: &'static str, rows: usize, columns: usize) -> Result<(), ShapeError> {
    match rows.checked_mul(columns) {
        Some(count) if count <= MOST_VERTICES => Ok(()),
        _ => Err(ShapeError::TooMany { shape, most: MOST_VERTICES }),
    }
}
