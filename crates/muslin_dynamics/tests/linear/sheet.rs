//! The matrix of a cotton sheet, written down without the force classes: an independent input for the
//! solver's tests. One square metre, n × n vertices, right-diagonal triangles, bent into waves.

use glam::{DMat3, DVec2, DVec3};
use muslin_dynamics::{
    Constraints, Domains,
    domains::BlockPart,
    linear::{BlockMatrix, Pattern},
};
use std::sync::Arc;

/// Mass per area over the square of the step: 0.2 kg/m² at 1/60 s [N/m³].
const INERTIA: f64 = 0.2 * 3600.0;
/// Warp and weft stiffness [N/m].
const STRETCH: f64 = 10_000.0;
/// Coupling of warp and weft, Poisson 0.2 [N/m].
const COUPLING: f64 = 2_000.0;
/// Shear stiffness [N/m].
const SHEAR: f64 = 100.0;
/// Tension along warp and weft, as of a sheet under its own weight [N/m].
const TENSION: f64 = 1.0;
/// Bending stiffness [N·m].
const BENDING: f64 = 1e-5;

/// A sheet and where its vertices are.
pub struct Sheet {
    /// The matrix, with corners (0, n−1) and (n−1, n−1) held.
    pub matrix: BlockMatrix,
    /// The held vertices.
    pub constraints: Constraints,
    /// Positions [m].
    pub positions: Vec<DVec3>,
    /// Flat positions [m].
    pub rest: Vec<DVec3>,
}

/// A wave of this amplitude [m], two and a half periods along a slanted direction; 0 is flat.
pub fn sheet(n: usize, amplitude: f64) -> Sheet {
    let edge = 1.0 / (n - 1) as f64;
    let at = |i: usize, j: usize| (i * n + j) as u32;
    let rest: Vec<DVec3> = (0..n * n).map(|v| DVec3::new((v / n) as f64 * edge, (v % n) as f64 * edge, 0.0)).collect();
    let positions: Vec<DVec3> = rest
        .iter()
        .map(|p| DVec3::new(p.x, p.y, amplitude * ((p.x * 0.8 + p.y * 0.6) * 2.5 * std::f64::consts::TAU).sin()))
        .collect();
    let mut stencils: Vec<[u32; 6]> = Vec::new();
    for i in 0..n - 1 {
        for j in 0..n - 1 {
            let far = |i: isize, j: isize| {
                let inside = i >= 0 && j >= 0 && (i as usize) < n && (j as usize) < n;
                if inside { at(i as usize, j as usize) } else { u32::MAX }
            };
            let (a, b) = (i as isize, j as isize);
            // Opposite vertices across the edges facing vertex 0, 1, 2.
            stencils.push([at(i, j), at(i + 1, j), at(i + 1, j + 1), far(a + 2, b + 1), far(a, b + 1), far(a, b - 1)]);
            stencils.push([at(i, j), at(i + 1, j + 1), at(i, j + 1), far(a + 1, b + 2), far(a - 1, b), far(a + 1, b)]);
        }
    }
    let lists: Vec<Vec<u32>> =
        stencils.iter().map(|s| s.iter().copied().filter(|&v| v != u32::MAX).collect()).collect();
    let pattern = Arc::new(Pattern::new(Domains::new(n * n), lists.iter().map(Vec::as_slice)));
    let mut matrix = BlockMatrix::new(pattern.clone());
    let boundary = |k: usize| if k == 0 || k == n - 1 { 0.5 } else { 1.0 };
    matrix.set_diagonal(|v| INERTIA * edge * edge * boundary(v / n) * boundary(v % n));
    let mut part = BlockPart { first: 0, blocks: &mut matrix.blocks };
    for stencil in &stencils {
        add_triangle(stencil, &rest, &positions, &pattern, &mut part);
    }
    let held = vec![at(0, n - 1), at(n - 1, n - 1)];
    let constraints = Constraints {
        free: vec![DMat3::ZERO; 2],
        targets: held.iter().map(|&v| positions[v as usize]).collect(),
        vertices: held,
        ..Default::default()
    };
    matrix.constrain(&constraints);
    Sheet { matrix, constraints, positions, rest }
}

/// Adds membrane, tension and bending of one triangle.
fn add_triangle(stencil: &[u32; 6], rest: &[DVec3], positions: &[DVec3], pattern: &Pattern, part: &mut BlockPart) {
    let r: Vec<DVec2> = stencil[..3].iter().map(|&v| rest[v as usize].truncate()).collect();
    let x: Vec<DVec3> = stencil[..3].iter().map(|&v| positions[v as usize]).collect();
    let twice = (r[1] - r[0]).perp_dot(r[2] - r[0]);
    let area = 0.5 * twice;
    let gradient: Vec<DVec2> = (0..3).map(|k| (r[(k + 2) % 3] - r[(k + 1) % 3]).perp() / twice).collect();
    // Fibre directions on the bent sheet, made orthonormal: a state without strain.
    let u = (0..3).map(|k| x[k] * gradient[k].x).sum::<DVec3>().normalize();
    let raw = (0..3).map(|k| x[k] * gradient[k].y).sum::<DVec3>();
    let v = (raw - u * u.dot(raw)).normalize();
    let normal = u.cross(v);
    for a in 0..3 {
        for b in a..3 {
            let (ga, gb) = (gradient[a], gradient[b]);
            let outer = |p: DVec3, q: DVec3| DMat3::from_cols(p * q.x, p * q.y, p * q.z);
            let shear = |g: DVec2| u * g.y + v * g.x;
            let block = outer(u * ga.x, u * gb.x) * STRETCH
                + outer(v * ga.y, v * gb.y) * STRETCH
                + (outer(u * ga.x, v * gb.y) + outer(v * ga.y, u * gb.x)) * COUPLING
                + outer(shear(ga), shear(gb)) * SHEAR
                + DMat3::IDENTITY * (TENSION * ga.dot(gb));
            part.add(pattern.slot(stencil[a], stencil[b]), block * area);
        }
    }
    // Bending: Laplacian of the height per triangle from its three hinges.
    let mut weights = [0.0; 6];
    for k in 0..3 {
        let opposite = stencil[3 + k];
        if opposite == u32::MAX {
            continue;
        }
        let side = r[(k + 2) % 3] - r[(k + 1) % 3];
        let t = (r[k] - r[(k + 1) % 3]).dot(side) / side.length_squared();
        let far = rest[opposite as usize].truncate();
        let s = (far - r[(k + 1) % 3]).dot(side) / side.length_squared();
        let scale = side.length() / twice * side.length() / twice;
        weights[3 + k] += scale;
        weights[k] += scale;
        weights[(k + 1) % 3] -= scale * (2.0 - t - s);
        weights[(k + 2) % 3] -= scale * (t + s);
    }
    let nn = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
    for a in 0..6 {
        for b in a..6 {
            if stencil[a] != u32::MAX && stencil[b] != u32::MAX {
                let slot = pattern.slot(stencil[a], stencil[b]);
                part.add(slot, nn * (BENDING * area * weights[a] * weights[b]));
            }
        }
    }
}

/// A right-hand side with smooth and rough parts, filtered.
pub fn load(sheet: &Sheet) -> Vec<DVec3> {
    let mut seed = 7_u64;
    let mut b: Vec<DVec3> = sheet
        .rest
        .iter()
        .map(|p| {
            let mut next = || {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
            };
            DVec3::new(0.3 * p.y, (3.0 * p.x).sin(), -1.0) + 0.3 * DVec3::new(next(), next(), next())
        })
        .collect();
    sheet.constraints.filter(&mut b);
    b
}
