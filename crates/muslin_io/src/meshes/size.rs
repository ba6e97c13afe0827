//! Whether a mesh is as large as it says, or in another unit.

use super::surface::Surface;
use glam::DVec3;

/// A size beyond this is a wrong unit [m]: a garment in millimetres is about two thousand.
pub const LARGEST_SIZE: f64 = 100.0;
/// A larger mesh is doubted [m]: a garment or body in centimetres is larger, all that is usually draped smaller.
const LARGE_SIZE: f64 = 20.0;
/// What clothes people, and people, are about as large as [m]; of two units the one that comes nearer is meant.
const USUAL_SIZE: f64 = 1.5;

/// The longest side of the box around a surface [m].
pub(super) fn size_of(surface: &Surface) -> f64 {
    let finite = surface.mesh.positions.iter().filter(|p| p.is_finite());
    let (low, high) = finite.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    (high - low).max_element()
}

/// How large a mesh would be in smaller units, the likely one first.
pub(super) fn in_units(size: f64) -> String {
    let (cm, mm) = (1e-2 * size, 1e-3 * size);
    let (unit, name, length, other) = match cm / USUAL_SIZE < USUAL_SIZE / mm {
        true => ("cm", "centimetres", cm, format!("millimetres {mm:.2} m")),
        false => ("mm", "millimetres", mm, format!("centimetres {cm:.2} m")),
    };
    format!("in {name} it would be {length:.2} m (`unit = \"{unit}\"`), in {other}")
}

/// What is to be said of a mesh that may well be as large as it is, and may be in another unit.
pub fn doubtful_size(surface: &Surface) -> Option<String> {
    let size = size_of(surface);
    let text = || format!("the mesh is {size:.1} m large; {}; write `unit = \"m\"` if it is so large", in_units(size));
    (size > LARGE_SIZE && size <= LARGEST_SIZE).then(text)
}
