//! Finds what a picture should show and where to stand for it.
//!
//! The cloth decides. Obstacles count when they are of its order of size; a large flat one is the ground,
//! which would otherwise shrink everything else to a dot. Frames count in order as long as the whole stays
//! of the order of the start: cloth that falls away leaves the picture instead of shrinking it.

use crate::{
    camera::{Axes, Camera},
    error::RenderError,
    subject::Subject,
};
use glam::{DVec2, DVec3};
use muslin_model::{Body, BodyKind};

/// A camera and the part of the world that its pictures are about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where the picture is taken from.
    pub camera: Camera,
    /// Middle of what is shown [m].
    pub centre: DVec3,
    /// Radius of what is shown [m]; shadows and patterns are as fine as it asks.
    pub radius: f64,
}

/// Direction from the subject to the default camera [-]: three quarters from the front, a little from above.
const DEFAULT_DIRECTION: DVec3 = DVec3::new(0.62, -1.0, 0.52);

/// Default vertical angle of view [rad]: that of a short telephoto lens, which does not distort.
const DEFAULT_FIELD_OF_VIEW: f64 = 0.52;

/// Part of the picture that is left free on each side [-].
const BORDER: f64 = 0.06;

/// An obstacle larger than this many cloths does not count [-].
const LARGEST_OBSTACLE: f64 = 4.0;

/// A flat obstacle larger than this many cloths is the ground [-].
const LARGEST_FLAT_OBSTACLE: f64 = 1.2;

/// An obstacle is flat when it is thinner than this part of its size [-].
const FLATNESS: f64 = 1e-6;

/// Frames stop counting when all together are this many times larger than the start or any one body [-].
const LARGEST_JOURNEY: f64 = 3.0;

impl View {
    /// Stands where everything in these frames is seen. `aspect` is width over height [-].
    pub fn framing(subject: &Subject, frames: &[&[DVec3]], aspect: f64) -> Result<View, RenderError> {
        View::framing_from(DEFAULT_DIRECTION, subject, frames, aspect)
    }

    /// The same from a given direction, from the subject to the camera [-]; any length but none.
    pub fn framing_from(
        direction: DVec3,
        subject: &Subject,
        frames: &[&[DVec3]],
        aspect: f64,
    ) -> Result<View, RenderError> {
        let points = shown_points(subject, frames)?;
        let (centre, radius) = ball(&points);
        let reason = "has no direction to look from";
        let direction = direction.try_normalize().ok_or(RenderError::Camera { reason })?;
        let mut camera = Camera::new(centre + direction * radius, centre, DEFAULT_FIELD_OF_VIEW);
        let axes = camera.axes()?;
        let (target, distance) = fit(&points, &axes, centre, aspect);
        camera.target = target;
        camera.position = target + direction * distance.max(radius * 0.1);
        Ok(View { camera, centre, radius })
    }

    /// Uses a given camera for these frames.
    pub fn through(camera: Camera, subject: &Subject, frames: &[&[DVec3]]) -> Result<View, RenderError> {
        camera.axes()?;
        let (centre, radius) = ball(&shown_points(subject, frames)?);
        Ok(View { camera, centre, radius })
    }
}

/// Target and distance at which all points are just inside the borders.
fn fit(points: &[DVec3], axes: &Axes, centre: DVec3, aspect: f64) -> (DVec3, f64) {
    let tangent = (0.5 * DEFAULT_FIELD_OF_VIEW).tan() * (1.0 - 2.0 * BORDER);
    let limits = DVec2::new(tangent * aspect, tangent);
    let local: Vec<DVec3> = points
        .iter()
        .map(|&p| DVec3::new((p - centre).dot(axes.right), (p - centre).dot(axes.up), (p - centre).dot(axes.forward)))
        .collect();
    // A point at the depth z is inside when |x − cx| ≤ limit (z + distance). For each pair of opposite sides
    // that gives the centre and the distance at once: x − limit z bounds one side, −x − limit z the other.
    let side = |axis: usize, limit: f64| {
        let most = |sign: f64| local.iter().map(|p| sign * p[axis] - limit * p.z).fold(f64::NEG_INFINITY, f64::max);
        let (high, low) = (most(1.0), most(-1.0));
        (0.5 * (high - low), 0.5 * (high + low) / limit)
    };
    let ((x, dx), (y, dy)) = (side(0, limits.x), side(1, limits.y));
    (centre + axes.right * x + axes.up * y, dx.max(dy))
}

/// Middle and radius of a box around points; a point alone gets a metre.
fn ball(points: &[DVec3]) -> (DVec3, f64) {
    let (low, high) = bounds(points.iter().copied());
    let centre = 0.5 * (low + high);
    let radius = points.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
    (centre, if radius > 0.0 { radius } else { 1.0 })
}

fn bounds(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

/// The diagonal of a box, 0 for an empty one [m].
fn diagonal((low, high): (DVec3, DVec3)) -> f64 {
    if low.x <= high.x { low.distance(high) } else { 0.0 }
}

/// Coordinates beyond this are as lost as infinite ones [m]: their squares must not overflow.
const FARTHEST: f64 = 1e100;

fn finite<'a>(body: &Body, positions: &'a [DVec3]) -> impl Iterator<Item = DVec3> + 'a {
    positions[body.vertices.clone()].iter().copied().filter(|p| p.abs().max_element() < FARTHEST)
}

/// All points that the picture must contain, of the frames that count.
fn shown_points(subject: &Subject, frames: &[&[DVec3]]) -> Result<Vec<DVec3>, RenderError> {
    for positions in frames {
        subject.check(positions)?;
    }
    let Some(first) = frames.first() else { return Err(RenderError::NoFrames) };
    let counts: Vec<bool> = (0..subject.bodies.len()).map(|b| role(subject, first, b) == Role::Shown).collect();
    let shown = |positions: &[DVec3]| -> Vec<DVec3> {
        let bodies = subject.bodies.iter().zip(&counts).filter(|(_, counts)| **counts);
        bodies.flat_map(|(body, _)| finite(body, positions)).collect()
    };
    // The size of the whole at the start, or of one body later.
    let sizes = frames.iter().flat_map(|positions| {
        let bodies = subject.bodies.iter().zip(&counts).filter(|(_, counts)| **counts);
        bodies.map(|(body, _)| diagonal(bounds(finite(body, positions))))
    });
    let largest = sizes.fold(diagonal(bounds(shown(first).into_iter())), f64::max);
    let frames: Vec<Vec<DVec3>> = frames.iter().map(|positions| shown(positions)).collect();
    let mut points: Vec<DVec3> = Vec::new();
    for frame in frames {
        let together = bounds(points.iter().chain(&frame).copied());
        if !points.is_empty() && diagonal(together) > LARGEST_JOURNEY * largest {
            break;
        }
        points.extend(frame);
    }
    // Nothing finite at all: any place will do.
    if points.is_empty() {
        points.push(DVec3::ZERO);
    }
    Ok(points)
}

/// What a body is to the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It must be in the picture.
    Shown,
    /// It is where it is.
    Scenery,
    /// It fades out around what is shown.
    Ground,
}

/// The role of a body.
pub(crate) fn role(subject: &Subject, positions: &[DVec3], body: usize) -> Role {
    let cloths = subject.bodies.iter().filter(|b| b.kind == BodyKind::Cloth);
    let cloth = diagonal(bounds(cloths.flat_map(|b| finite(b, positions))));
    let body = &subject.bodies[body];
    if body.kind == BodyKind::Cloth || cloth == 0.0 {
        return Role::Shown;
    }
    let size = diagonal(bounds(finite(body, positions)));
    let flat = is_flat(&finite(body, positions).collect::<Vec<_>>(), size);
    match (size / cloth, flat) {
        (ratio, true) if ratio > LARGEST_FLAT_OBSTACLE => Role::Ground,
        (ratio, _) if ratio > LARGEST_OBSTACLE => Role::Scenery,
        _ => Role::Shown,
    }
}

/// All points lie in the plane of the first and the two that span the most with it.
fn is_flat(points: &[DVec3], size: f64) -> bool {
    let Some(&origin) = points.first() else { return false };
    let far = points.iter().map(|&p| p - origin).fold(DVec3::ZERO, |a, b| if b.length() > a.length() { b } else { a });
    let normal = points
        .iter()
        .map(|&p| far.cross(p - origin))
        .fold(DVec3::ZERO, |a, b| if b.length() > a.length() { b } else { a })
        .normalize_or_zero();
    normal != DVec3::ZERO && points.iter().all(|&p| (p - origin).dot(normal).abs() <= FLATNESS * size)
}
