//! One element at a time: its potential, gradient and matrix, and the same by differences.

use super::sheet::Rig;
use glam::DVec3;
use muslin_dynamics::{
    domains::{BlockPart, VertexPart},
    forces::HessianKind,
};

/// U + D and its gradient on the element's vertices.
pub fn gradient(rig: &Rig, e: usize, x: &[DVec3]) -> (f64, Vec<DVec3>) {
    let mut out = vec![DVec3::ZERO; x.len()];
    let potential = rig.force.add_gradient(e..e + 1, x, &mut VertexPart { first: 0, values: &mut out });
    (potential.potential, rig.force.stencil(e).iter().map(|&v| out[v as usize]).collect())
}

/// The true force on the element's vertices.
pub fn force(rig: &Rig, e: usize, x: &[DVec3], v: &[DVec3]) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; x.len()];
    rig.force.add_force(e..e + 1, x, v, &mut VertexPart { first: 0, values: &mut out });
    rig.force.stencil(e).iter().map(|&v| out[v as usize]).collect()
}

/// The power that the element reports with its true force, and with its gradient in the step it was told of [W].
pub fn powers(rig: &Rig, e: usize, x: &[DVec3], v: &[DVec3]) -> [f64; 2] {
    let mut out = vec![DVec3::ZERO; x.len()];
    let part = &mut VertexPart { first: 0, values: &mut out };
    [rig.force.add_force(e..e + 1, x, v, part), rig.force.add_gradient(e..e + 1, x, part).power]
}

/// The element's matrix, 3N × 3N.
pub fn hessian(rig: &Rig, e: usize, x: &[DVec3], kind: HessianKind) -> faer::Mat<f64> {
    let mut blocks = vec![glam::DMat3::ZERO; rig.pattern.columns.len()];
    rig.force.add_hessian(e..e + 1, x, kind, &mut BlockPart { first: 0, blocks: &mut blocks });
    let stencil = rig.force.stencil(e);
    faer::Mat::from_fn(3 * stencil.len(), 3 * stencil.len(), |i, j| {
        let slot = rig.pattern.slot(stencil[i / 3], stencil[j / 3]);
        let block = blocks[slot.index() as usize];
        if slot.transposed() { block.transpose().col(j % 3)[i % 3] } else { block.col(j % 3)[i % 3] }
    })
}

/// Smallest and largest eigenvalue of a symmetric matrix.
pub fn extreme_eigenvalues(matrix: &faer::Mat<f64>) -> (f64, f64) {
    let values = matrix.self_adjoint_eigenvalues(faer::Side::Lower).expect("a finite symmetric matrix");
    (values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

/// ∂value/∂x of one coordinate, by five-point differences extrapolated once more (error O(h⁶)).
pub fn difference<const N: usize>(
    x: &mut [DVec3],
    vertex: u32,
    axis: usize,
    step: f64,
    mut value: impl FnMut(&[DVec3]) -> [f64; N],
) -> [f64; N] {
    let at = x[vertex as usize][axis];
    let mut central = |h: f64| {
        x[vertex as usize][axis] = at + h;
        let high = value(x);
        x[vertex as usize][axis] = at - h;
        let low = value(x);
        x[vertex as usize][axis] = at;
        std::array::from_fn::<f64, N, _>(|k| (high[k] - low[k]) / (2.0 * h))
    };
    let (d1, d2, d4) = (central(step), central(0.5 * step), central(0.25 * step));
    std::array::from_fn(|k| {
        let (r1, r2) = ((4.0 * d2[k] - d1[k]) / 3.0, (4.0 * d4[k] - d2[k]) / 3.0);
        (16.0 * r2 - r1) / 15.0
    })
}
