//! What a run wrote about its contacts and fabrics, for whoever shows its recording.

use crate::measure::Measure;
use muslin_io::recording::{RecordedFields, RecordingError};
use muslin_model::{Field, Material};
use serde_json::Value;
use std::{fs, path::Path};

/// Formats to record, so that contacts can be shown later.
pub const FORMATS: &str = "npz,vtk";

/// Gap and friction at the vertices of a recording.
pub struct RecordedContacts {
    fields: RecordedFields,
}

impl RecordedContacts {
    /// Those of a run's directory; `None` if it wrote none.
    pub fn open(directory: &Path) -> Option<Self> {
        let told = |fields: &RecordedFields| fields.has("contact_gap") && fields.has("friction_state");
        RecordedFields::open(directory).filter(told).map(|fields| RecordedContacts { fields })
    }

    /// Sets `values` to the gap [m] or to what friction does [-] at a frame, as [`Measure`] has them. Where nothing presses,
    /// the gap is infinite. Other measures leave nothing.
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
            _ => {}
        }
        Ok(())
    }
}

/// A cloth as the report of its run has it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCloth {
    /// Whether it bends by the default model.
    pub bends_by_curvature: bool,
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
            let bends_by_curvature = key("bend")? == "Curvature";
            Some(RecordedCloth { bends_by_curvature, material: material(&|name| key(&format!("material.{name}"))) })
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
