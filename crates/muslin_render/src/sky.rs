//! Ambient light: how much of the sky each vertex sees from its front and from its back.
//!
//! The sky is a set of directions spread over the sphere. For each axis one depth map tells which vertices
//! are hidden, on both sides at once. This is the true soft light of an overcast sky with its contact shadows;
//! occlusion guessed from the depths on screen is about as dear and forgets what the picture does not show.

use crate::{
    depth_map::{DepthMap, Towards},
    stage::Stage,
};
use glam::{Vec2, Vec3};
use muslin_model::parallel;

/// Axes of the sky; each gives two directions.
const AXES: usize = 32;

/// Fewest axes.
const FEWEST_AXES: usize = 12;

/// Vertices times axes up to which all axes are looked along. Beyond, the sky is coarser: a mesh of a million triangles
/// has several vertices per pixel, whose mean is as smooth.
const MOST_LOOKS: usize = 6_000_000;

fn axes_for(vertices: usize) -> usize {
    (MOST_LOOKS / vertices.max(1)).clamp(FEWEST_AXES, AXES)
}

/// Texels along a side of a sky map.
const MAP_SIZE: usize = 160;

/// Brightness of the sky at the zenith, at the horizon and at the nadir, for a white surface [-].
const BRIGHTNESS: [f32; 3] = [1.0, 0.62, 0.38];

/// Brightness of what hides the sky: light that bounces off it [-].
const BOUNCE: f32 = 0.16;

/// How far a vertex is lifted off its own surface, in texels, so as not to hide itself.
const LIFT: f32 = 1.6;

/// Turn from one point of an even spiral to the next [rad].
pub(crate) const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// Ambient light at the front and at the back of each vertex [-].
pub(crate) fn ambient(stage: &Stage) -> Vec<[f32; 2]> {
    let axes = axes_for(stage.positions.len());
    let maps: Vec<(Vec3, DepthMap)> = parallel::map(axes, |k| {
        let axis = axis(k, axes);
        (axis, DepthMap::new(axis, MAP_SIZE, &stage.positions, &stage.triangles))
    });
    let mut ambient = parallel::map(stage.positions.len(), |v| {
        let (p, normal) = (stage.positions[v], stage.normals[v]);
        [normal, -normal].map(|n| {
            let (mut light, mut total) = (0.0, 0.0);
            for (axis, map) in &maps {
                let lift = LIFT * map.texel_width();
                let cosine = axis.dot(n);
                // Of the two senses of an axis one is above the surface.
                let (towards, direction) =
                    if cosine >= 0.0 { (Towards::Plus, *axis) } else { (Towards::Minus, -*axis) };
                let free = map.free(map.texel(p + n * lift), 0.5 * lift, towards);
                light += cosine.abs() * (free * brightness(direction.z) + (1.0 - free) * BOUNCE);
                total += cosine.abs();
            }
            light / total
        })
    });
    for _ in 0..SMOOTHING {
        ambient = smoothed(&ambient, &stage.triangles);
    }
    ambient
}

/// Moves each value half way to the mean of its neighbours. Every direction of the sky casts a shadow with a
/// sharp edge; this blurs them, over less than the size of a fold.
fn smoothed(values: &[[f32; 2]], triangles: &[[u32; 3]]) -> Vec<[f32; 2]> {
    let mut sums = vec![(Vec2::ZERO, 0.0f32); values.len()];
    for tri in triangles {
        for k in 0..3 {
            let (a, b) = (tri[k] as usize, tri[(k + 1) % 3] as usize);
            sums[a] = (sums[a].0 + Vec2::from_array(values[b]), sums[a].1 + 1.0);
            sums[b] = (sums[b].0 + Vec2::from_array(values[a]), sums[b].1 + 1.0);
        }
    }
    let half_way = |(&value, &(sum, count)): (&[f32; 2], &(Vec2, f32))| {
        Vec2::from_array(value).midpoint(sum / count.max(1.0)).to_array()
    };
    values.iter().zip(&sums).map(half_way).collect()
}

/// Rounds of smoothing.
const SMOOTHING: usize = 2;

fn brightness(z: f32) -> f32 {
    let [zenith, horizon, nadir] = BRIGHTNESS;
    horizon + if z > 0.0 { (zenith - horizon) * z } else { (nadir - horizon) * -z }
}

/// Axes spread evenly over the upper half sphere, on a spiral of the golden angle.
fn axis(k: usize, axes: usize) -> Vec3 {
    let z = (k as f64 + 0.5) / axes as f64;
    let ring = (1.0 - z * z).sqrt();
    let (sin, cos) = (GOLDEN_ANGLE * k as f64).sin_cos();
    Vec3::new((ring * cos) as f32, (ring * sin) as f32, z as f32)
}

/// Ambient light of a surface from which nothing is hidden [-].
pub(crate) fn open(normal: Vec3) -> f32 {
    let (mut light, mut total) = (0.0, 0.0);
    for k in 0..AXES {
        let cosine = axis(k, AXES).dot(normal);
        light += cosine.abs() * brightness(axis(k, AXES).z * cosine.signum());
        total += cosine.abs();
    }
    light / total
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small square that faces up, and maybe a lid of half side `lid` at a height above it.
    fn stage(lid: Option<(f32, f32)>) -> Stage {
        let square = |half: f32, z: f32| {
            [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| Vec3::new(x * half, y * half, z))
        };
        let mut stage = Stage { positions: square(0.01, -0.3).to_vec(), ..Stage::default() };
        stage.triangles = vec![[0, 1, 2], [0, 2, 3]];
        if let Some((half, height)) = lid {
            stage.positions.extend(square(half, height - 0.3));
            stage.triangles.extend([[4, 5, 6], [4, 6, 7]]);
        }
        stage.normals = vec![Vec3::Z; stage.positions.len()];
        stage
    }

    /// The light on a horizontal surface by a fine sum over the half sphere.
    fn integral(hidden: impl Fn(Vec3) -> bool) -> f32 {
        let (mut light, mut total) = (0.0, 0.0);
        for i in 0..400 {
            for j in 0..400 {
                let z = (i as f32 + 0.5) / 400.0;
                let (sin, cos) = (std::f32::consts::TAU * (j as f32 + 0.5) / 400.0).sin_cos();
                let direction = Vec3::new((1.0 - z * z).sqrt() * cos, (1.0 - z * z).sqrt() * sin, z);
                light += z * if hidden(direction) { BOUNCE } else { brightness(z) };
                total += z;
            }
        }
        light / total
    }

    #[test]
    fn an_open_place_sees_the_whole_sky() {
        let light = ambient(&stage(None));
        assert!((light[0][0] - integral(|_| false)).abs() < 0.01, "{light:?}");
        assert!((light[0][0] - open(Vec3::Z)).abs() < 1e-5);
        assert!(light[0][1] < light[0][0], "the lower side sees the brighter sky");
    }

    #[test]
    fn a_coarse_sky_is_as_bright_as_a_fine_one() {
        assert_eq!([1_000, 100_000, 300_000, 10_000_000].map(axes_for), [32, 32, 20, 12]);
        let light = |normal: Vec3, axes: usize| {
            let looks = (0..axes).map(|k| (axis(k, axes).dot(normal), axis(k, axes).z));
            let total: f32 = looks.clone().map(|(cosine, _)| cosine.abs()).sum();
            looks.map(|(cosine, z)| cosine.abs() * brightness(z * cosine.signum())).sum::<f32>() / total
        };
        for normal in [Vec3::Z, -Vec3::Z, Vec3::X, Vec3::new(0.6, 0.0, 0.8)] {
            assert!((light(normal, FEWEST_AXES) - light(normal, 4000)).abs() < 0.02, "{normal}");
        }
    }

    #[test]
    fn a_lid_hides_its_part_of_the_sky() {
        for (half, height) in [(0.3, 0.2), (0.3, 0.5), (0.6, 0.3)] {
            let light = ambient(&stage(Some((half, height))))[0][0];
            // The vertex is lifted before it looks.
            let height = height - LIFT * 2.0 / MAP_SIZE as f32;
            let exact = integral(|d| (d.x / d.z * height).abs() < half && (d.y / d.z * height).abs() < half);
            assert!((light - exact).abs() < 0.04, "lid {half} at {height}: {light} against {exact}");
            assert!(light < 0.95 * open(Vec3::Z));
        }
    }
}
