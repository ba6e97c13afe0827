//! What a run wrote about its contacts, creases and fabrics, for whoever shows its recording.

use crate::{
    fields::{HINGE_CURVATURE, HINGE_MOMENT, RESIDUAL},
    measure::Measure,
};
use muslin_io::recording::{RecordedFields, RecordingError};
use muslin_model::{Field, Material};
use serde_json::Value;
use std::{fs, path::Path};

/// Formats to record, so that contacts and creases can be shown later.
pub const FORMATS: &str = "npz,vtk";

/// What a recording tells beyond positions.
pub struct RecordedMeasures {
    fields: RecordedFields,
    has_contacts: bool,
    has_creases: bool,
}

impl RecordedMeasures {
    /// Those of a run's directory; `None` if it wrote none.
    pub fn open(directory: &Path) -> Option<Self> {
        let fields = RecordedFields::open(directory)?;
        let has = |names: &[&str]| names.iter().all(|name| fields.has(name));
        let (has_contacts, has_creases) = (has(&["contact_gap", "friction_state"]), has(&[RESIDUAL]));
        (has_contacts || has_creases).then_some(RecordedMeasures { fields, has_contacts, has_creases })
    }

    /// Whether a measure that positions do not tell was recorded.
    pub fn tells(&self, measure: Measure) -> bool {
        (measure.needs_contacts() && self.has_contacts) || (measure.needs_creases() && self.has_creases)
    }

    /// Sets `values` to the gap [m], to what friction does [-] or to the residual angle [rad] at a frame, as [`Measure`] has
    /// them. Where nothing presses, the gap is infinite. Other measures leave nothing.
    pub fn read(&self, measure: Measure, frame: usize, values: &mut Vec<f32>) -> Result<(), RecordingError> {
        values.clear();
        match measure {
            Measure::Gap => {
                let gaps = self.fields.read(frame, "contact_gap")?;
                values.extend(gaps.into_iter().map(|gap| if gap < 0.0 { f32::INFINITY } else { gap }));
            }
            Measure::Friction => {
                // Recorded are 0, 1 and 2.
                values.extend(self.fields.read(frame, "friction_state")?.into_iter().map(|state| 0.5 * state));
            }
            Measure::Residual => *values = self.fields.read(frame, RESIDUAL)?,
            _ => {}
        }
        Ok(())
    }

    /// Curvature [1/m] and moment per length [N] of a side of a triangle at a frame, where bending has a memory; `None` if
    /// that was not recorded.
    pub fn hinge(&self, frame: usize, triangle: usize, side: usize) -> Result<Option<[f64; 2]>, RecordingError> {
        if !self.has_creases {
            return Ok(None);
        }
        let [curvatures, moments] = self.fields.read_some(frame, [HINGE_CURVATURE, HINGE_MOMENT])?;
        let of = |values: &[f32]| values.get(3 * triangle + side).map(|value| f64::from(*value));
        Ok(of(&curvatures).zip(of(&moments)).map(|(curvature, moment)| [curvature, moment]))
    }
}

/// How a cloth of a recording bends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedBending {
    /// By the default model, whose moments follow from curvatures.
    Curvature,
    /// With a memory: moments depend on what was before.
    Remembering,
    /// By another model.
    Other,
}

/// A cloth as the report of its run has it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCloth {
    /// Its bending model.
    pub bending: RecordedBending,
    /// Its fabric; `None` if the report does not tell one that is the same everywhere.
    pub material: Option<Material>,
}

impl RecordedCloth {
    /// The cloths of a run's directory in their order; none if there is no whole report.
    pub fn all(directory: &Path) -> Vec<Self> {
        let report: Value = fs::read_to_string(directory.join("report.json"))
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let keys = &report["identity"];
        let cloth = |number: usize| {
            let key = |name: &str| keys[format!("cloth.{number}.{name}")].as_str();
            let bending = match key("bend")? {
                "Curvature" => RecordedBending::Curvature,
                model if model.starts_with("Remembering") => RecordedBending::Remembering,
                _ => RecordedBending::Other,
            };
            Some(RecordedCloth { bending, material: material(&|name| key(&format!("material.{name}"))) })
        };
        (0..).map_while(cloth).collect()
    }
}

/// A fabric from the words of a report: each value is a list of one number where it is the same everywhere.
fn material<'a>(word: &dyn Fn(&str) -> Option<&'a str>) -> Option<Material> {
    let number = |name: &str| -> Option<Field> {
        let number: f64 = word(name)?.strip_prefix('[')?.strip_suffix(']')?.trim().parse().ok()?;
        number.is_finite().then_some(Field::Uniform(number))
    };
    Some(Material {
        name: word("name")?.trim_matches('"').into(),
        area_density: number("area_density")?,
        thickness: number("thickness")?,
        stretch_warp: number("stretch_warp")?,
        stretch_weft: number("stretch_weft")?,
        shear: number("shear")?,
        poisson: number("poisson")?,
        bend_warp: number("bend_warp")?,
        bend_weft: number("bend_weft")?,
        bend_bias: number("bend_bias")?,
        bend_poisson: number("bend_poisson")?,
        damping_warp: number("damping_warp")?,
        damping_weft: number("damping_weft")?,
        damping_shear: number("damping_shear")?,
        damping_bend: number("damping_bend")?,
        // Recordings of bending without a memory may lack the rest.
        ..Material::woven_cotton()
    })
}
