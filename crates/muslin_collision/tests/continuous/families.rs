//! Random queries that are hard on purpose: most touch at an edge, a corner, an end of the step, or just do not.

use crate::random::Random;
use glam::DVec3;
use muslin_collision::{PairKind, Query};

/// Names of the families, in order.
pub const FAMILIES: [&str; 14] = [
    "uniform",
    "tiny integers",
    "integers",
    "nearly flat",
    "grazing",
    "grazing, disturbed",
    "zero extents",
    "parallel",
    "planar motion",
    "motion on a line",
    "at rest",
    "in a plane of one coordinate",
    "three points of one coordinate",
    "touching at an end",
];

fn integers(random: &mut Random, size: f64) -> DVec3 {
    (random.vector() * (size + 0.5)).round()
}

/// Scales that leave whole numbers whole, and some that do not.
const SCALES: [f64; 10] = [1.0, 1.0, 1.0, 0.125, 1048576.0, 1e-3, 0.1, 7.3e8, 1e-30, 1e40];

/// A query of a family.
pub fn query(family: usize, random: &mut Random) -> (PairKind, Query) {
    let kind = [PairKind::VertexFace, PairKind::EdgeEdge][random.index(2)];
    let size = [1.0, 2.0, 3.0, 10.0, 1000.0, 1e6][random.index(6)];
    let mut q;
    let fill = |random: &mut Random, f: &dyn Fn(&mut Random) -> DVec3| Query {
        start: std::array::from_fn(|_| f(random)),
        end: std::array::from_fn(|_| f(random)),
    };
    match FAMILIES[family] {
        "uniform" => q = fill(random, &|r| r.vector()),
        "tiny integers" => q = fill(random, &|r| integers(r, 2.0)),
        "integers" => q = fill(random, &|r| integers(r, size)),
        "nearly flat" => {
            let thin = 2f64.powi(-(random.index(60) as i32));
            q = fill(random, &|r| r.vector() * DVec3::new(1.0, 1.0, thin));
        }
        "grazing" | "grazing, disturbed" => q = grazing(kind, random, size),
        "zero extents" => {
            q = fill(random, &|r| integers(r, size.min(3.0)));
            let (to, from) = (random.index(4), random.index(4));
            q.start[to] = q.start[from];
            if random.index(2) == 0 {
                q.end[to] = q.end[from];
            }
        }
        "parallel" => {
            q = grazing(kind, random, size);
            for points in [&mut q.start, &mut q.end] {
                points[3] = points[2] + (points[1] - points[0]) * [1.0, -1.0, 2.0][random.index(3)];
            }
        }
        "planar motion" => {
            q = fill(random, &|r| integers(r, size.min(10.0)) * DVec3::new(1.0, 1.0, 0.0));
            shear(&mut q, random);
        }
        "motion on a line" => {
            q = fill(random, &|r| integers(r, 6.0) * DVec3::X);
            shear(&mut q, random);
        }
        "in a plane of one coordinate" | "three points of one coordinate" => {
            // As in grids along the axes that lie on each other; often with steps of one tenth, which round.
            let coarse = random.index(2) == 0;
            q = fill(random, &|r| if coarse { integers(r, 4.0) * 0.1 } else { r.vector() });
            let (axis, free) = (random.index(3), random.index(4));
            let planar = FAMILIES[family] == "in a plane of one coordinate";
            for points in [&mut q.start, &mut q.end] {
                let level = points[(free + 1) % 4][axis];
                for k in (0..4).filter(|&k| planar || k != free) {
                    points[k][axis] = level;
                }
            }
        }
        "at rest" => {
            q = grazing(kind, random, size);
            q.start = std::array::from_fn(|k| (q.start[k] + q.end[k]) * 0.5);
            q.end = q.start;
        }
        _ => {
            // Whole numbers: the middle of the motion becomes its start or its end.
            q = grazing(kind, random, size);
            let middle = std::array::from_fn(|k| (q.start[k] + q.end[k]) * 0.5);
            if random.index(2) == 0 { q.start = middle } else { q.end = middle }
        }
    }
    let scale = SCALES[random.index(SCALES.len())];
    let shift = if random.index(8) == 0 { integers(random, 1e6) * scale } else { DVec3::ZERO };
    for p in q.start.iter_mut().chain(&mut q.end) {
        *p = *p * scale + shift;
    }
    if FAMILIES[family] == "grazing, disturbed" || random.index(8) == 0 {
        disturb(&mut q, random);
    }
    (kind, q)
}

/// Touches at half the step at weights that are often 0, 1/2 or 1; all coordinates are whole numbers.
fn grazing(kind: PairKind, random: &mut Random, size: f64) -> Query {
    let mut middle: [DVec3; 4] = std::array::from_fn(|_| integers(random, size) * 4.0);
    let [mut u, mut v] = [0; 2].map(|_| random.index(5));
    match kind {
        PairKind::VertexFace => {
            if u + v > 4 {
                (u, v) = (4 - u, 4 - v);
            }
            let quarter = |k: usize| (middle[k] - middle[1]) * 0.25;
            middle[0] = middle[1] + quarter(2) * u as f64 + quarter(3) * v as f64;
        }
        PairKind::EdgeEdge => {
            // The second edge's end, so that its point 1/(v+1)… is a whole number: reflect in steps.
            let touch = middle[0] + (middle[1] - middle[0]) * 0.25 * u as f64;
            middle[3] = match v {
                0 => touch,
                1 => touch * 2.0 - middle[2],
                2 => touch * 3.0 - middle[2] * 2.0,
                _ => middle[3],
            };
            if v == 4 {
                middle[2] = touch;
            }
        }
    }
    let velocity: [DVec3; 4] = std::array::from_fn(|_| integers(random, size));
    Query {
        start: std::array::from_fn(|k| middle[k] - velocity[k]),
        end: std::array::from_fn(|k| middle[k] + velocity[k]),
    }
}

/// A linear map with whole numbers: out of the axes, still in one plane or on one line.
fn shear(q: &mut Query, random: &mut Random) {
    let columns: [DVec3; 3] = std::array::from_fn(|_| integers(random, 3.0));
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    for p in q.start.iter_mut().chain(&mut q.end) {
        *p = (0..3).map(|k| (axes[k] + columns[k]) * p[k]).sum();
    }
}

/// Moves one coordinate by a few units in the last place, or by a little more.
fn disturb(q: &mut Query, random: &mut Random) {
    let points = if random.index(2) == 0 { &mut q.start } else { &mut q.end };
    let (point, axis) = (random.index(4), random.index(3));
    let largest = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let mut x = points[point][axis];
    // Beside zero the next number is 5e-324: seldom, because whole numbers of that scale are slow.
    if x == 0.0 && random.index(512) > 0 {
        x = largest * 2f64.powi(-(random.index(70) as i32));
    }
    points[point][axis] = match random.index(3) {
        0 => x.next_up(),
        1 => x.next_down(),
        _ => x * (1.0 + 10f64.powi(-(random.index(14) as i32) - 2)),
    };
}
