//! Fabrics in SI units, one value for a whole cloth or one per vertex or face.

use crate::fabric_table::FabricTables;

/// The largest bending rigidity that a fabric may have, given or at the beginning of a bend that rubs [N·m].
pub const LARGEST_RIGIDITY: f64 = 1e12;

/// A material value: the same everywhere, or given per vertex or per face of its cloth.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// One value for the whole cloth.
    Uniform(f64),
    /// One value per vertex; a face takes the mean of its corners.
    PerVertex(Vec<f64>),
    /// One value per face.
    PerFace(Vec<f64>),
}

impl Field {
    /// The value on a face.
    pub fn at_face(&self, face: usize, triangles: &[[u32; 3]]) -> f64 {
        match self {
            Field::Uniform(value) => *value,
            Field::PerFace(values) => values[face],
            Field::PerVertex(values) => triangles[face].iter().map(|&v| values[v as usize]).sum::<f64>() / 3.0,
        }
    }

    /// All values that are stored.
    pub fn values(&self) -> &[f64] {
        match self {
            Field::Uniform(value) => std::slice::from_ref(value),
            Field::PerVertex(values) | Field::PerFace(values) => values,
        }
    }
}

impl From<f64> for Field {
    fn from(value: f64) -> Self {
        Field::Uniform(value)
    }
}

/// A fabric. Stretch and shear follow an orthotropic law in the warp–weft frame; bending has a rigidity
/// along the warp, along the weft and at 45° between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name a scene calls it by.
    pub name: String,
    /// Mass per area [kg/m²].
    pub area_density: Field,
    /// Distance at which two mid-surfaces begin to repel [m].
    pub thickness: Field,
    /// Uniaxial stiffness along the warp: force per width and unit strain [N/m].
    pub stretch_warp: Field,
    /// Uniaxial stiffness along the weft [N/m].
    pub stretch_weft: Field,
    /// Shear stiffness: shear force per width and unit of shear angle [N/m].
    pub shear: Field,
    /// Poisson's ratio, symmetric between warp and weft: the geometric mean of the two directions' [-].
    pub poisson: Field,
    /// Bending rigidity along the warp: moment per width and unit curvature [N·m].
    pub bend_warp: Field,
    /// Bending rigidity along the weft [N·m].
    pub bend_weft: Field,
    /// Bending rigidity of a strip cut at 45° [N·m]. At least (warp + weft)/4·(1 + coupling).
    pub bend_bias: Field,
    /// Poisson's ratio of bending [-]; 0 means that bending one way does not curl the other.
    pub bend_poisson: Field,
    /// Viscosity of stretch along the warp [N·s/m].
    pub damping_warp: Field,
    /// Viscosity of stretch along the weft [N·s/m].
    pub damping_weft: Field,
    /// Viscosity of shear [N·s/m].
    pub damping_shear: Field,
    /// Viscosity of bending [N·m·s].
    pub damping_bend: Field,
    /// Measured tables, for the tabulated models.
    pub tables: FabricTables,
    /// Width of the bending loop, Kawabata's 2HB: twice the moment per width that internal friction bears at most [N].
    pub bend_hysteresis: Field,
    /// Curvature over which internal friction builds up from rest, K₀ of W 4.2 [1/m].
    pub bend_transition: Field,
    /// Part of the curvature left after a full recovery that becomes the new rest shape, λ of W 4.6 [-].
    pub bend_crease: Field,
    /// Part of the internal friction that a full recovery wears off, µ of W 4.9 [-].
    pub bend_fatigue: Field,
    /// Curvature beyond which the comparison model with plasticity yields [1/m].
    pub bend_yield: Field,
    /// Width of the shear loop, Kawabata's 2HG: twice the shear force per width that internal friction bears at most [N/m].
    pub shear_hysteresis: Field,
    /// Shear over which that friction builds up from rest [-].
    pub shear_transition: Field,
}

/// The values of a [`Material`] on one face; units as there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct FaceMaterial {
    pub area_density: f64,
    pub thickness: f64,
    pub stretch_warp: f64,
    pub stretch_weft: f64,
    pub shear: f64,
    pub poisson: f64,
    pub bend_warp: f64,
    pub bend_weft: f64,
    pub bend_bias: f64,
    pub bend_poisson: f64,
    pub damping_warp: f64,
    pub damping_weft: f64,
    pub damping_shear: f64,
    pub damping_bend: f64,
    pub bend_hysteresis: f64,
    pub bend_transition: f64,
    pub bend_crease: f64,
    pub bend_fatigue: f64,
    pub bend_yield: f64,
    pub shear_hysteresis: f64,
    pub shear_transition: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self::woven_cotton()
    }
}

impl Material {
    /// The default fabric, a plain woven cotton. The viscosities are assumed: each gives a relaxation time
    /// (viscosity over stiffness) far below a frame, so that they only calm what cannot be seen. So is the memory of
    /// bending and of shear, which only the models with one use: loops as wide, beside the rigidity, as those of measured
    /// cottons.
    pub fn woven_cotton() -> Self {
        Material {
            name: "woven-cotton".into(),
            area_density: 0.2.into(),
            thickness: 0.5e-3.into(),
            stretch_warp: 10_000.0.into(),
            stretch_weft: 10_000.0.into(),
            shear: 100.0.into(),
            poisson: 0.2.into(),
            bend_warp: 1e-5.into(),
            bend_weft: 1e-5.into(),
            bend_bias: 1e-5.into(),
            bend_poisson: 0.0.into(),
            damping_warp: 1.0.into(),
            damping_weft: 1.0.into(),
            damping_shear: 0.1.into(),
            damping_bend: 1e-7.into(),
            tables: FabricTables::default(),
            bend_hysteresis: 8e-4.into(),
            bend_transition: 50.0.into(),
            bend_crease: 0.0.into(),
            bend_fatigue: 0.0.into(),
            bend_yield: 100.0.into(),
            shear_hysteresis: 2.0.into(),
            // 0.5°, where the Kawabata test reads the width.
            shear_transition: 8.7e-3.into(),
        }
    }

    /// The values on one face of the cloth.
    pub fn at_face(&self, face: usize, triangles: &[[u32; 3]]) -> FaceMaterial {
        let at = |field: &Field| field.at_face(face, triangles);
        FaceMaterial {
            area_density: at(&self.area_density),
            thickness: at(&self.thickness),
            stretch_warp: at(&self.stretch_warp),
            stretch_weft: at(&self.stretch_weft),
            shear: at(&self.shear),
            poisson: at(&self.poisson),
            bend_warp: at(&self.bend_warp),
            bend_weft: at(&self.bend_weft),
            bend_bias: at(&self.bend_bias),
            bend_poisson: at(&self.bend_poisson),
            damping_warp: at(&self.damping_warp),
            damping_weft: at(&self.damping_weft),
            damping_shear: at(&self.damping_shear),
            damping_bend: at(&self.damping_bend),
            bend_hysteresis: at(&self.bend_hysteresis),
            bend_transition: at(&self.bend_transition),
            bend_crease: at(&self.bend_crease),
            bend_fatigue: at(&self.bend_fatigue),
            bend_yield: at(&self.bend_yield),
            shear_hysteresis: at(&self.shear_hysteresis),
            shear_transition: at(&self.shear_transition),
        }
    }

    /// The named fields, for checks and listings.
    pub fn fields(&self) -> [(&'static str, &Field); 21] {
        [
            ("area_density", &self.area_density),
            ("thickness", &self.thickness),
            ("stretch_warp", &self.stretch_warp),
            ("stretch_weft", &self.stretch_weft),
            ("shear", &self.shear),
            ("poisson", &self.poisson),
            ("bend_warp", &self.bend_warp),
            ("bend_weft", &self.bend_weft),
            ("bend_bias", &self.bend_bias),
            ("bend_poisson", &self.bend_poisson),
            ("damping_warp", &self.damping_warp),
            ("damping_weft", &self.damping_weft),
            ("damping_shear", &self.damping_shear),
            ("damping_bend", &self.damping_bend),
            ("bend_hysteresis", &self.bend_hysteresis),
            ("bend_transition", &self.bend_transition),
            ("bend_crease", &self.bend_crease),
            ("bend_fatigue", &self.bend_fatigue),
            ("bend_yield", &self.bend_yield),
            ("shear_hysteresis", &self.shear_hysteresis),
            ("shear_transition", &self.shear_transition),
        ]
    }
}
