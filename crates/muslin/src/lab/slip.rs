//! The slip test: a small sheet on a plane, and the tilt at which it no longer stays.
//!
//! That is a matter of static friction alone. The sheet is kept from sliding while it settles: what slips once for another reason goes
//! on with kinetic friction.

use crate::{error::Error, simulation::Simulation};
use muslin_io::fabrics::Fabric;
use serde::Serialize;

/// Seconds given to settle, and to slip from then on.
const HOLD: f64 = 0.5;
const TIME: f64 = 1.0;
/// A sheet that has gone further has slipped [m]. Half a degree beyond the angle of friction it goes 4 cm in a second.
const SLIPPED: f64 = 1e-3;
/// Bisections; each halves 45°.
const BISECTIONS: usize = 8;

/// Where a sheet slips.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slip {
    /// Tilt [°].
    pub angle_degrees: f64,
    /// Coefficient of friction of the fabric when it slides [-].
    pub friction: f64,
    /// Coefficient of friction at rest; the same where nobody told them apart [-].
    pub friction_static: f64,
    /// The angle of friction, arctan µ_s [°].
    pub law_degrees: f64,
}

/// Does the test.
pub fn measure(fabric: &Fabric) -> Result<Slip, Error> {
    let friction = fabric.value("friction").unwrap_or(f64::NAN);
    let friction_static = fabric.value("friction_static").unwrap_or(friction);
    let law = super::friction(fabric);
    let (mut stays, mut slips) = (0.0, 60.0);
    for _ in 0..BISECTIONS {
        let angle = 0.5 * (stays + slips);
        if way(fabric, &law, angle)? > SLIPPED { slips = angle } else { stays = angle }
    }
    let law_degrees = friction_static.atan().to_degrees();
    Ok(Slip { angle_degrees: 0.5 * (stays + slips), friction, friction_static, law_degrees })
}

/// How far a sheet goes on a plane with a tilt [°] under a law of friction; the plane stays, gravity tilts [m].
fn way(fabric: &Fabric, law: &str, degrees: f64) -> Result<f64, Error> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let height = 1.2 * fabric.value("thickness").unwrap_or(1e-3);
    let text = format!(
        "duration = {}\nframes_per_second = 2\n[settings]\nstep = \"1/60\"\nintegrator = \"linear-backward-euler\"\n\
         contact = {{ method = \"implicit\", friction_object = {law} }}\n\
         [environment]\ngravity = [{:?}, 0, {:?}]\n[[cloth]]\nname = \"sheet\"\n\
         shape = {{ kind = \"grid\", size = [0.1, 0.1], vertices = [4, 4] }}\ntranslation = [0, 0, {height:?}]\n\
         [[cloth.pin]]\nbox = {{ low = [-1, -1, -1], high = [1, 1, 1] }}\naxes = [\"x\", \"y\"]\nrelease = {HOLD}\n\
         [[obstacle]]\nname = \"plane\"\nshape = {{ kind = \"plane\", size = 9 }}\n",
        HOLD + TIME,
        9.81 * sin,
        -9.81 * cos
    );
    // The plain models: a sheet that lies flat needs no tables.
    let mut scene = super::scene(fabric, &text)?;
    for cloth in &mut scene.cloths {
        (cloth.stretch, cloth.bend) = (muslin_sim::StretchModel::Membrane, muslin_sim::BendModel::Curvature);
    }
    let mut simulation = Simulation::new(&scene)?;
    let start = simulation.state().positions[0].x;
    let mut end = start;
    while simulation.frame() < simulation.frames() {
        end = simulation.next_frame()?[0].x;
    }
    Ok(end - start)
}
