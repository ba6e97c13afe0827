//! How far the cloth around each vertex has turned since some earlier state.
//!
//! A factor made for an earlier state is stiff along the cloth and soft across it *as it lay then*. Cloth
//! turns quickly but hardly stretches, so in axes that turn with it the matrix changes little. The rotation
//! of a vertex is the one that best maps the old edges to its neighbours onto the new ones: the rotation R
//! that makes tr(Rᵀ F) largest, F = Σ new oldᵀ. It is found by a few steps of Newton's method from the last
//! known one, which needs no singular values and, unlike a polar decomposition, no F of full rank: around a
//! flat vertex F has rank two.

use super::graph::Graph;
use glam::{DMat3, DQuat, DVec3};
use muslin_model::parallel;

/// Turns per update; each reduces the angle left about quadratically, and a rough rotation only costs a
/// few more conjugate-gradient iterations.
const TURNS: usize = 3;
/// Largest turn at a time [rad].
const LARGEST_TURN: f64 = 1.5;
/// Keeps the quotient of a turn finite where all edges are degenerate, relative to the edges [-].
const TINY: f64 = 1e-9;

/// Rotations of all vertices since a reference state.
#[derive(Clone, Debug, Default)]
pub struct Rotations {
    reference: Vec<DVec3>,
    quaternions: Vec<DQuat>,
    /// The same; empty while nothing has turned.
    matrices: Vec<DMat3>,
}

impl Rotations {
    /// Makes a state the reference: nothing has turned since.
    pub fn restart(&mut self, positions: &[DVec3]) {
        self.reference.clear();
        self.reference.extend_from_slice(positions);
        self.quaternions.clear();
        self.quaternions.resize(positions.len(), DQuat::IDENTITY);
        self.matrices.clear();
    }

    /// Whether anything may have turned.
    pub fn have_turned(&self) -> bool {
        !self.matrices.is_empty()
    }

    /// Follows the cloth to new positions. Vertices in `held` (ascending) do not turn: their held directions
    /// must stay where they are.
    pub fn follow(&mut self, graph: &Graph, positions: &[DVec3], held: &[u32]) {
        let reference = &self.reference;
        parallel::update(&mut self.quaternions, |i, &old| {
            if held.binary_search(&(i as u32)).is_ok() {
                return DQuat::IDENTITY;
            }
            let mut f = DMat3::ZERO;
            let mut scale = 0.0;
            for &j in graph.of(i as u32) {
                let before = reference[j as usize] - reference[i];
                let after = positions[j as usize] - positions[i];
                f += DMat3::from_cols(after * before.x, after * before.y, after * before.z);
                scale += before.length_squared();
            }
            let mut q = old;
            for _ in 0..TURNS {
                // F = R S; where S = exp(ω) S₀ with S₀ symmetric, S − Sᵀ is (tr S₀ − S₀) ω as a vector.
                let s = DMat3::from_quat(q).transpose() * f;
                let skew = DVec3::new(s.y_axis.z - s.z_axis.y, s.z_axis.x - s.x_axis.z, s.x_axis.y - s.y_axis.x);
                let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
                let spread = trace.abs() + TINY * scale + f64::MIN_POSITIVE;
                let symmetric = (s + s.transpose()) * 0.5;
                let turn = (DMat3::from_diagonal(DVec3::splat(spread)) - symmetric).inverse() * skew;
                // Half the turn as a quaternion, to second order; normalising does the rest. Far from the
                // goal a turn may be too large: a quarter turn at a time is enough.
                let turn = turn.clamp_length_max(LARGEST_TURN) * 0.5;
                q = (q * DQuat::from_xyzw(turn.x, turn.y, turn.z, 1.0)).normalize();
            }
            if q.is_finite() { q } else { DQuat::IDENTITY }
        });
        let quaternions = &self.quaternions;
        self.matrices.resize(quaternions.len(), DMat3::IDENTITY);
        parallel::fill(&mut self.matrices, |i| DMat3::from_quat(quaternions[i]));
    }

    /// The reference state and the rotations since, for a checkpoint.
    pub fn memory(&self) -> (&[DVec3], &[DQuat]) {
        (&self.reference, &self.quaternions)
    }

    /// Takes up where another one was.
    pub fn recall(&mut self, reference: Vec<DVec3>, quaternions: Vec<DQuat>) {
        self.matrices = quaternions.iter().map(|&q| DMat3::from_quat(q)).collect();
        (self.reference, self.quaternions) = (reference, quaternions);
    }

    /// The rotation from the reference state to the present one, where things have turned.
    #[inline]
    pub fn matrix(&self, vertex: usize) -> &DMat3 {
        &self.matrices[vertex]
    }
}
