//! The virtual textile laboratory: the tests by which cloth is measured, done to a fabric of the library.
//!
//! | test | as in | closed form that it is checked against |
//! |---|---|---|
//! | [`tension`] | strip of 40 × 5 cm between jaws, twice as long as ISO 13934-1's | the membrane's law under uniaxial stress |
//! | [`shear`] | 5 cm between jaws, 20 cm wide, ±8°, Kawabata's FB1 | shear of yarns that keep their length |
//! | [`bending`] | pure bending to ±2.5 1/cm, Kawabata's FB2 | the rigidity of the table or the material |
//! | [`cantilever`] | Peirce's overhang at 41.5° | the heavy elastica: twice the bending length |
//! | [`drape`] | Cusick: a disc of 30 cm on one of 18 cm, BS 5058 | a plate's droop, Cusick's regression, bands of the literature |
//! | [`slip`] | a sheet on a plane that tilts | the angle of friction |
//!
//! Fabrics with measured tables are tested with them (`stretch = "tabulated"`, `bend = "tabulated"`), the others with the
//! default models.

pub mod bending;
pub mod cantilever;
pub mod drape;
mod measured;
mod page;
pub mod picture;
mod plot;
mod report;
pub mod shadow;
pub mod shear;
pub mod slip;
pub mod tension;

pub use page::page;
pub use report::{Band, LabReport, band};

use crate::{error::Error, simulation::Simulation};
use glam::DVec3;
use muslin_io::{fabrics::Fabric, scene_file::SceneError};
use muslin_sim::{
    BendModel, Scene, StretchModel,
    scene::{BendMemory, RestShape},
};

/// A fabric on the bench.
pub struct Bench<'a> {
    /// The fabric.
    pub fabric: &'a Fabric,
    /// Told before each test: its name.
    pub say: &'a mut dyn FnMut(&str),
}

/// How finely the drape test is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Cells of 3.6 mm.
    Full,
    /// Cells of 7 mm, for experiments with many samples.
    Coarse,
}

/// Does all tests.
pub fn examine(bench: &mut Bench, detail: Detail) -> Result<LabReport, Error> {
    let mut pulls = Vec::new();
    for degrees in [0.0, 45.0, 90.0] {
        (bench.say)(&format!("uniaxial tension at {degrees}°"));
        pulls.push(tension::pull(bench.fabric, degrees)?);
    }
    (bench.say)("shear loop");
    let shear = shear::measure(bench.fabric)?;
    (bench.say)("bending loop");
    let bending = bending::measure(bench.fabric)?;
    let mut cantilevers = Vec::new();
    for degrees in [0.0, 90.0] {
        (bench.say)(&format!("Peirce's cantilever at {degrees}°"));
        cantilevers.push(cantilever::measure(bench.fabric, degrees)?);
    }
    (bench.say)("slip on an incline");
    let slip = slip::measure(bench.fabric)?;
    let drape = drape::measure(bench, detail)?;
    Ok(LabReport::new(bench.fabric, pulls, shear, bending, cantilevers, (drape, slip)))
}

/// A scene with the fabric in all of its cloths.
fn scene(fabric: &Fabric, text: &str) -> Result<Scene, Error> {
    let mut scene = muslin_io::parse("laboratory.toml", text, "laboratory", &[]).map_err(SceneError::from)?.scene;
    clothe(fabric, &mut scene);
    Ok(scene)
}

/// Makes all cloths of a scene of the fabric, with the models of its tables if it has them.
fn clothe(fabric: &Fabric, scene: &mut Scene) {
    for cloth in &mut scene.cloths {
        cloth.material = fabric.material();
        if fabric.stretch_table.is_some() {
            cloth.stretch = StretchModel::Tabulated;
        }
        if fabric.bend_table.is_some() {
            cloth.bend = BendModel::Tabulated;
        }
    }
}

/// The fabric's law of friction, as a scene file has it.
fn friction(fabric: &Fabric) -> String {
    let kinetic = fabric.value("friction").unwrap_or(f64::NAN);
    match fabric.value("friction_static") {
        Some(at_rest) if at_rest != kinetic => format!("{{ kinetic = {kinetic}, static = {at_rest} }}"),
        _ => kinetic.to_string(),
    }
}

/// Gives all cloths of a scene the friction inside the fabric that somebody measured: in bending, 2HB, and in shear, 2HG. Tables, which
/// are elastic, have none.
fn rub(fabric: &Fabric, scene: &mut Scene) {
    for cloth in &mut scene.cloths {
        if fabric.value("bend_hysteresis").is_some() && fabric.bend_table.is_none() {
            cloth.bend = BendModel::Remembering { memory: BendMemory::Hysteresis, rest: RestShape::Flat, substeps: 0 };
        }
        if fabric.value("shear_hysteresis").is_some() && fabric.stretch_table.is_none() {
            cloth.stretch = StretchModel::Hysteresis;
        }
    }
}

/// Sum of the cloth's own forces on some vertices at rest [N], gravity included.
fn force_on(simulation: &Simulation, vertices: std::ops::Range<usize>) -> DVec3 {
    let system = simulation.system();
    let mut positions = Vec::new();
    system.gather(&simulation.state().positions, &mut positions);
    let still = vec![DVec3::ZERO; positions.len()];
    let mut forces = still.clone();
    system.force(&positions, &still, &mut forces);
    vertices.map(|v| forces[system.solver_from_model[v] as usize]).sum()
}
