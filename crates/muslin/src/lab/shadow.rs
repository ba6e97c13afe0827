//! What a drape meter sees: the shadow of the cloth from above, its area and the waves of its outline.

use glam::DVec3;
use std::f64::consts::TAU;

/// Scan lines across a shadow.
const LINES: usize = 2000;
/// Directions in which the outline is sampled.
pub const DIRECTIONS: usize = 360;
/// Points on each edge of the rim.
const SAMPLES: usize = 16;

/// Area of the union of all triangles seen along z [m²]: exact along each scan line, the midpoint rule across them.
pub fn area(triangles: &[[u32; 3]], positions: &[DVec3]) -> f64 {
    let ys = || triangles.iter().flatten().map(|&v| positions[v as usize].y);
    let (low, high) = (ys().fold(f64::INFINITY, f64::min), ys().fold(f64::NEG_INFINITY, f64::max));
    let line = (high - low) / LINES as f64;
    if !(line > 0.0) {
        return 0.0;
    }
    let mut spans: Vec<Vec<[f64; 2]>> = vec![Vec::new(); LINES];
    for tri in triangles {
        let corners = tri.map(|v| positions[v as usize]);
        let bottom = corners.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let top = corners.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        let first = (((bottom - low) / line - 0.5).ceil().max(0.0)) as usize;
        for k in first..LINES {
            let y = low + (k as f64 + 0.5) * line;
            if y > top {
                break;
            }
            let mut span = [f64::INFINITY, f64::NEG_INFINITY];
            for i in 0..3 {
                let (a, b) = (corners[i], corners[(i + 1) % 3]);
                if (a.y <= y) != (b.y <= y) {
                    let x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
                    span = [span[0].min(x), span[1].max(x)];
                }
            }
            if span[0] < span[1] {
                spans[k].push(span);
            }
        }
    }
    let covered = |spans: &mut Vec<[f64; 2]>| {
        spans.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
        let (mut sum, mut end) = (0.0, f64::NEG_INFINITY);
        for &[from, to] in spans.iter() {
            sum += (to - from.max(end)).max(0.0);
            end = end.max(to);
        }
        sum
    };
    spans.iter_mut().map(covered).sum::<f64>() * line
}

/// Distance of the outermost point of a closed line from the z axis in each direction [m].
pub fn outline(rim: &[DVec3]) -> Vec<f64> {
    let mut radii = vec![0.0_f64; DIRECTIONS];
    for (k, &a) in rim.iter().enumerate() {
        let b = rim[(k + 1) % rim.len()];
        for s in 0..SAMPLES {
            let p = a.lerp(b, s as f64 / SAMPLES as f64);
            let place = p.y.atan2(p.x).rem_euclid(TAU) / TAU * DIRECTIONS as f64;
            let radius = &mut radii[(place as usize).min(DIRECTIONS - 1)];
            *radius = radius.max(p.truncate().length());
        }
    }
    // A direction without a point takes its neighbour's.
    for k in 0..2 * DIRECTIONS {
        let (here, before) = (k % DIRECTIONS, (k + DIRECTIONS - 1) % DIRECTIONS);
        if radii[here] == 0.0 {
            radii[here] = radii[before];
        }
    }
    radii
}

/// Waves of an outline: maxima that stand out by at least `height` [m] from the minima on both sides.
pub fn folds(radii: &[f64], height: f64) -> usize {
    let Some(start) = (0..radii.len()).min_by(|&a, &b| radii[a].total_cmp(&radii[b])) else { return 0 };
    let (mut count, mut extreme, mut rising) = (0, radii[start], true);
    for k in 1..=radii.len() {
        let r = radii[(start + k) % radii.len()];
        if rising {
            extreme = extreme.max(r);
            if r < extreme - height {
                (count, extreme, rising) = (count + 1, r, false);
            }
        } else {
            extreme = extreme.min(r);
            if r > extreme + height {
                (extreme, rising) = (r, true);
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_triangles_count_once() {
        let p = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        // A unit square, and a triangle half over it and half beside it.
        let positions = [
            p(0.0, 0.0, 0.0),
            p(1.0, 0.0, 0.0),
            p(1.0, 1.0, 0.3),
            p(0.0, 1.0, 0.0),
            p(0.5, 0.0, 1.0),
            p(1.5, 0.0, 1.0),
            p(1.0, 1.0, 1.0),
        ];
        let triangles = [[0, 1, 2], [0, 2, 3], [4, 5, 6]];
        assert!((area(&triangles, &positions) - 1.25).abs() < 1e-3);
        // A sheet that hangs straight down has no shadow.
        assert!(area(&[[0, 1, 2]], &[p(0.0, 0.0, 0.0), p(0.0, 1.0, 0.0), p(0.0, 0.5, 1.0)]) < 1e-9);
    }

    #[test]
    fn waves_are_counted_and_ripples_are_not() {
        for waves in [0, 3, 7] {
            let ring = |k: usize| {
                let angle = TAU * k as f64 / 400.0;
                let radius = 0.11 + if waves > 0 { 0.01 * (f64::from(waves) * angle).cos() } else { 0.0 };
                let ripple = 0.0005 * (53.0 * angle).sin();
                DVec3::new(angle.cos(), angle.sin(), -0.02) * (radius + ripple)
            };
            let radii = outline(&(0..400).map(ring).collect::<Vec<_>>());
            assert_eq!(folds(&radii, 0.003), waves as usize);
        }
    }
}
