//! All results of a fabric's tests.

use super::{bending::Bending, cantilever::Cantilever, drape::Drape, shear::Shear, slip::Slip, tension::Tension};
use muslin_io::fabrics::{Fabric, How, bands};
use serde::Serialize;

/// The drape coefficients that a kind of cloth is known to have, and how this fabric compares.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Band {
    /// The kind.
    pub class: String,
    /// Smallest and largest coefficient [%].
    pub range: [f64; 2],
    /// Who found them.
    pub citation: String,
    /// Whether the fabric's lies between them.
    pub within: bool,
    /// Why not, if it does not.
    pub reason: Option<String>,
}

/// What the laboratory found of a fabric. The first keys are the readings, the others the curves behind them.
#[derive(Clone, Debug, Serialize)]
pub struct LabReport {
    /// Name of the fabric.
    pub fabric: String,
    /// Slope of moment over curvature up to 0.2 1/cm, mean of warp and weft [N·m].
    pub bending_rigidity: f64,
    /// The same between 0.5 and 1.5 1/cm, as Kawabata reads it [N·m].
    pub bending_rigidity_kawabata: f64,
    /// Width of the bending loop, mean of warp and weft [N]; 0 where nobody measured one, for bending is elastic then.
    pub hysteresis_2hb: f64,
    /// What somebody measured [N].
    pub measured_2hb: Option<f64>,
    /// Shear force per width and angle [N/m].
    pub shear_stiffness: f64,
    /// Width of the shear loop [N/m]; 0 where nobody measured one, for shear is elastic then.
    pub hysteresis_2hg: f64,
    /// What somebody measured [N/m].
    pub measured_2hg: Option<f64>,
    /// Peirce's overhang, mean of warp and weft [m].
    pub cantilever_length: f64,
    /// Cusick's drape coefficient [%].
    pub drape_coefficient: f64,
    /// Folds of the drape.
    pub drape_folds: usize,
    /// The drape of its kind of cloth.
    pub drape_band: Option<Band>,
    /// Tilt at which a sheet slips [°].
    pub slip_angle: f64,
    /// Uniaxial tension at 0°, 45°, 90°.
    pub tension: Vec<Tension>,
    /// The shear loop.
    pub shear: Shear,
    /// Bending loops at 0°, 45°, 90°.
    pub bending: Vec<Bending>,
    /// Cantilevers along warp and weft.
    pub cantilever: Vec<Cantilever>,
    /// The drape.
    pub drape: Drape,
    /// The slip test.
    pub slip: Slip,
    /// What the models do not show.
    pub notes: Vec<String>,
}

impl LabReport {
    /// Puts the results together.
    pub(super) fn new(
        fabric: &Fabric,
        tension: Vec<Tension>,
        shear: Shear,
        bending: Vec<Bending>,
        cantilever: Vec<Cantilever>,
        (drape, slip): (Drape, Slip),
    ) -> Self {
        let yarns = |of: fn(&Bending) -> f64| 0.5 * (of(&bending[0]) + of(&bending[2]));
        let mut notes = Vec::new();
        let (measured_2hb, measured_2hg) = (fabric.value("bend_hysteresis"), fabric.value("shear_hysteresis"));
        notes.push(match (measured_2hb, measured_2hg) {
            (None, None) => "Bending and shear are elastic here: their loops have no width.".to_string(),
            _ => "Loops and drape have the friction that was measured; over which curvature and shear it builds up is assumed. Tension and cantilever are elastic.".to_string(),
        });
        if drape.speed > super::drape::RESTING {
            notes.push(format!("The drape still moved at {:.1} mm/s when it was read.", 1e3 * drape.speed));
        }
        if drape.crossings > 0 {
            notes.push(format!("The drape's folds pass through each other in {} places.", drape.crossings));
        }
        for pull in tension.iter().filter(|pull| pull.softens) {
            let last = pull.points.last().map_or(0.0, |p| 100.0 * p.elongation);
            notes.push(format!(
                "At {}° the pull ends at {last:.0} %: the fabric's law bears less load beyond, and a strip gives way in one place.",
                pull.direction_degrees
            ));
        }
        if let Some(last) = fabric.bend_table.as_ref().and_then(|t| t.given.last()) {
            notes
                .push(format!("The bending table ends at {} 1/m; beyond it the rigidity is constant.", last.curvature));
        }
        LabReport {
            fabric: fabric.name.clone(),
            bending_rigidity: yarns(|b| b.rigidity),
            bending_rigidity_kawabata: yarns(|b| b.rigidity_kawabata),
            hysteresis_2hb: yarns(|b| b.hysteresis_2hb),
            measured_2hb,
            shear_stiffness: shear.stiffness,
            hysteresis_2hg: shear.hysteresis_2hg,
            measured_2hg,
            cantilever_length: cantilever.iter().map(|c| c.length).sum::<f64>() / cantilever.len() as f64,
            drape_coefficient: drape.coefficient,
            drape_folds: drape.folds,
            drape_band: band(fabric, drape.coefficient),
            slip_angle: slip.angle_degrees,
            tension,
            shear,
            bending,
            cantilever,
            drape,
            slip,
            notes,
        }
    }
}

/// Where a fabric's measured moment falls although the curvature grows [1/m].
fn softening(fabric: &Fabric) -> Option<[f64; 2]> {
    let rows = &fabric.bend_table.as_ref()?.given;
    let moment = |row: &muslin_model::BendRow| 0.5 * (row.warp + row.weft) * row.curvature;
    let falls = rows.windows(2).find(|w| moment(&w[1]) < moment(&w[0]))?;
    Some([falls[0].curvature, falls[1].curvature])
}

/// How a drape coefficient [%] compares with that of the fabric's kind.
pub fn band(fabric: &Fabric, coefficient: f64) -> Option<Band> {
    let band = bands().iter().find(|b| Some(&b.class) == fabric.class.as_ref())?;
    let within = (band.low..=band.high).contains(&coefficient);
    let reason = (!within).then(|| {
        let length = 1e3 * fabric.bending_length();
        let side = if coefficient < band.low { "limper" } else { "stiffer" };
        let bend = fabric.stated("bend_warp");
        match bend.map(|b| (b.how, &b.source.text)) {
            Some((How::Measured, _)) => {
                let kinks = softening(fabric)
                    .map_or(String::new(), |[from, _]| format!(", beyond {from} 1/m its measured moment falls"));
                let rubs = match fabric.value("bend_hysteresis") {
                    None if coefficient < band.low => ", and its friction (2HB), which would hold it up, was not measured",
                    _ => "",
                };
                format!(
                    "its measured rigidity at rest and its weight give a bending length of {length:.1} mm{kinks}{rubs}: it is {side} than its kind in the literature"
                )
            }
            Some((_, text)) => format!(
                "its bending length of {length:.1} mm rests on a rigidity that nobody measured on this cloth ({text})"
            ),
            None => "its rigidity is not known".into(),
        }
    });
    let (class, range, citation) = (band.class.clone(), [band.low, band.high], band.citation.clone());
    Some(Band { class, range, citation, within, reason })
}
