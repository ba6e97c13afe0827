//! Placements and keyframes.

use super::unit;
use crate::scene_file::reader::Reader;
use glam::{DMat3, DVec3};
use muslin_model::{Keyframe, Track};
use muslin_sim::scene::Placement;

pub fn placement(reader: &Reader<'_>) -> Placement {
    Placement {
        translation: reader.vector3("translation"),
        rotation: rotation(unit(reader, "rotation_axis"), reader.number("rotation_degrees")),
        scale: reader.scale("scale"),
    }
}

/// Quarter turns about a coordinate axis are exact: a cloth that hangs in the xz plane has y = 0 to the bit.
fn rotation(axis: DVec3, degrees: f64) -> DMat3 {
    let matrix = DMat3::from_axis_angle(axis, degrees.to_radians());
    if degrees % 90.0 == 0.0 && axis.abs().max_element() == 1.0 {
        // Adding zero turns −0 into 0.
        let clean = |column: DVec3| column.round() + DVec3::ZERO;
        return DMat3::from_cols(clean(matrix.x_axis), clean(matrix.y_axis), clean(matrix.z_axis));
    }
    matrix
}

/// The keyframes of a pin or an obstacle; `None` if it has none.
pub fn track(reader: &Reader<'_>, pivot: DVec3) -> Option<Track> {
    if !reader.has("keyframes") {
        return None;
    }
    let mut keys: Vec<Keyframe> = Vec::new();
    for frame in reader.tables("keyframes") {
        let key = Keyframe {
            time: frame.number("time"),
            translation: frame.vector3("translation"),
            rotation: unit(&frame, "rotation_axis") * frame.number("rotation_degrees").to_radians(),
            scale: frame.scale("scale"),
        };
        if let Some(last) = keys.last()
            && key.time <= last.time
        {
            let message = format!("keyframes must ascend in time: {} s follows {} s", key.time, last.time);
            frame.fault(frame.place("time"), message);
        }
        keys.push(key);
    }
    if keys.is_empty() {
        reader.fault(
            reader.place("keyframes"),
            format!("`{}` must have at least one entry", reader.path_of("keyframes")),
        );
        return None;
    }
    Some(Track { pivot, keys })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_are_exact_and_other_angles_are_rotations() {
        let point = DVec3::new(0.3, 0.7, 0.0);
        assert_eq!(rotation(DVec3::X, 90.0) * point, DVec3::new(0.3, 0.0, 0.7));
        assert_eq!(rotation(DVec3::Z, 90.0) * point, DVec3::new(-0.7, 0.3, 0.0));
        assert_eq!(rotation(-DVec3::Y, 180.0) * point, DVec3::new(-0.3, 0.7, 0.0));
        assert_eq!(rotation(DVec3::X, 3690.0) * point, DVec3::new(0.3, 0.0, 0.7));
        let turned = rotation(DVec3::Z, 30.0) * DVec3::X;
        assert!((turned - DVec3::new(0.75f64.sqrt(), 0.5, 0.0)).length() < 1e-15);
    }
}
