//! Held vertices: the free directions of each and where its held ones go.

use glam::{DMat3, DVec3};

/// The held vertices of a step, in ascending order of vertex, each at most once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraints {
    /// Vertices.
    pub vertices: Vec<u32>,
    /// Projector onto the free directions of each, S in Baraff and Witkin (1998) [-].
    pub free: Vec<DMat3>,
    /// Where each must be at the end of the step [m]; only the held directions count.
    pub targets: Vec<DVec3>,
    /// Velocity of each at the start and at the end of the step [m/s], or `None` for a straight way at constant velocity.
    /// May be empty: all ways are straight. A scheme of order two or less may take them for straight anyway.
    pub velocities: Vec<Option<[DVec3; 2]>>,
}

impl Constraints {
    /// Removes the held directions from a vector: the filter of Baraff and Witkin (1998, section 5.3).
    pub fn filter(&self, values: &mut [DVec3]) {
        for (&v, &free) in self.vertices.iter().zip(&self.free) {
            // No product with zero: a fully held vertex must not catch a neighbour's NaN.
            values[v as usize] = if free == DMat3::ZERO { DVec3::ZERO } else { free * values[v as usize] };
        }
    }

    /// Gives the held directions of `values` those of `from`.
    pub fn keep_held(&self, from: &[DVec3], values: &mut [DVec3]) {
        for (&v, &free) in self.vertices.iter().zip(&self.free) {
            let (old, value) = (from[v as usize], &mut values[v as usize]);
            *value = if free == DMat3::ZERO { old } else { old + free * (*value - old) };
        }
    }

    /// Puts held vertices on their targets, leaving free directions alone.
    pub fn impose(&self, positions: &mut [DVec3]) {
        for ((&v, &free), &target) in self.vertices.iter().zip(&self.free).zip(&self.targets) {
            let x = &mut positions[v as usize];
            *x = if free == DMat3::ZERO { target } else { *x + (DMat3::IDENTITY - free) * (target - *x) };
        }
    }
}
