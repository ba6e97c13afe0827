//! A fabric of the library.

use muslin_model::{BendRow, BendTable, FabricTables, Field, Material, StretchTable};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Standard acceleration of gravity [m/s²].
const STANDARD_GRAVITY: f64 = 9.80665;

/// How a number was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// Somebody measured it on this fabric.
    Measured,
    /// Chosen so that a virtual test gives a measured result.
    Fitted,
    /// Neither; the source says why it is plausible.
    Assumed,
}

impl How {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            How::Measured => "measured",
            How::Fitted => "fitted",
            How::Assumed => "assumed",
        }
    }
}

/// Where numbers come from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// What fabrics call it by.
    pub name: String,
    /// A citation, or the reason of an assumption.
    pub text: String,
}

/// A number with its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct FabricValue {
    /// The quantity.
    pub quantity: &'static super::Quantity,
    /// The number, in the quantity's unit.
    pub value: f64,
    /// How it was found.
    pub how: How,
    /// Where it comes from.
    pub source: Arc<Source>,
}

/// A measured stretch table.
#[derive(Clone, Debug, PartialEq)]
pub struct StretchRows {
    /// The table.
    pub table: Arc<StretchTable>,
    /// How it was found.
    pub how: How,
    /// Where it comes from.
    pub source: Arc<Source>,
}

/// A measured bend table.
#[derive(Clone, Debug, PartialEq)]
pub struct BendRows {
    /// The table.
    pub table: Arc<BendTable>,
    /// The rows as given: the table may have raised a bias that no plate can have.
    pub given: Vec<BendRow>,
    /// How it was found.
    pub how: How,
    /// Where it comes from.
    pub source: Arc<Source>,
}

/// A named fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// What scenes call it by.
    pub name: String,
    /// One line.
    pub description: String,
    /// The kind of cloth whose drape is known, such as `denim`.
    pub class: Option<String>,
    /// Its numbers, in the order of [`super::QUANTITIES`].
    pub values: Vec<FabricValue>,
    /// Stiffness over strain and direction, if measured.
    pub stretch_table: Option<StretchRows>,
    /// Rigidity over curvature and direction, if measured.
    pub bend_table: Option<BendRows>,
}

impl Fabric {
    /// A number by its key.
    pub fn value(&self, key: &str) -> Option<f64> {
        self.stated(key).map(|v| v.value)
    }

    /// A number with its origin by its key.
    pub fn stated(&self, key: &str) -> Option<&FabricValue> {
        self.values.iter().find(|v| v.quantity.key == key)
    }

    /// The fabric as scenes use it.
    pub fn material(&self) -> Material {
        let mut material = Material { name: self.name.clone(), ..Material::woven_cotton() };
        let mut set = |field: fn(&mut Material) -> &mut Field, key: &str| {
            if let Some(value) = self.value(key) {
                *field(&mut material) = Field::Uniform(value);
            }
        };
        set(|m| &mut m.area_density, "area_density");
        set(|m| &mut m.thickness, "thickness");
        set(|m| &mut m.stretch_warp, "stretch_warp");
        set(|m| &mut m.stretch_weft, "stretch_weft");
        set(|m| &mut m.shear, "shear");
        set(|m| &mut m.poisson, "poisson");
        set(|m| &mut m.bend_warp, "bend_warp");
        set(|m| &mut m.bend_weft, "bend_weft");
        set(|m| &mut m.bend_bias, "bend_bias");
        set(|m| &mut m.bend_poisson, "bend_poisson");
        set(|m| &mut m.damping_warp, "damping_warp");
        set(|m| &mut m.damping_weft, "damping_weft");
        set(|m| &mut m.damping_shear, "damping_shear");
        set(|m| &mut m.damping_bend, "damping_bend");
        set(|m| &mut m.bend_hysteresis, "bend_hysteresis");
        set(|m| &mut m.shear_hysteresis, "shear_hysteresis");
        material.tables = FabricTables {
            stretch: self.stretch_table.as_ref().map(|t| t.table.clone()),
            bend: self.bend_table.as_ref().map(|t| t.table.clone()),
        };
        material
    }

    /// Peirce's bending length (B/(σg))^⅓ with the mean rigidity of warp and weft [m].
    pub fn bending_length(&self) -> f64 {
        let value = |key| self.value(key).unwrap_or(f64::NAN);
        let rigidity = 0.5 * (value("bend_warp") + value("bend_weft"));
        (rigidity / (value("area_density") * STANDARD_GRAVITY)).cbrt()
    }
}
