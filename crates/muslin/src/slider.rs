//! A card on a spring whose other end moves on: it sticks and slips, with a period that is known (beside W fig. 7.5).

use crate::{error::Error, simulation::Simulation};
use muslin_io::scene_file::SceneError;

/// Gravity of the scene [m/s²].
const GRAVITY: f64 = 9.81;

/// The scene. The spring pulls every vertex in proportion to its mass, so that all of the card lets go at once: inner vertices, those of
/// the rim, and the corners, of which two belong to two triangles and two to one.
const SCENE: &str = r#"
name = "slider"
duration = 8
frames_per_second = 60

[parameters]
kinetic = { default = 0.1, range = [0, 10], doc = "coefficient of sliding, µ_c [-]" }
static = { default = 0.4, range = [0, 10], doc = "coefficient of rest, µ_s [-]" }
speed = { default = 0.1, range = [0, 100], doc = "speed of the spring's end [m/s]" }
stiffness = { default = 0.0432, range = [1e-9, 1e9], doc = "spring [N/m]; the card has 1.75 g" }
step = { default = "1/240", doc = "largest step [s]" }
integrator = { default = "linear-backward-euler", doc = "time-stepping scheme" }
method = { default = "implicit", doc = "how contact is handled" }

[settings]
step = "$step"
integrator = "$integrator"
contact = { method = "$method", friction_object = { kinetic = "$kinetic", static = "$static" } }

[[cloth]]
name = "card"
shape = { kind = "grid", size = [0.1, 0.07], vertices = [8, 6] }
translation = [0, 0, 0.00045]
material = { name = "card", area_density = 0.25, thickness = 5e-4, bend_warp = 1e-3, bend_weft = 1e-3 }

# The spring pulls every vertex in proportion to its mass: inner ones, those of the rim, corners.
[[cloth.pin]]
vertices = [7, 8, 9, 10, 13, 14, 15, 16, 19, 20, 21, 22, 25, 26, 27, 28, 31, 32, 33, 34, 37, 38, 39, 40]
stiffness = "$stiffness * 1 / 35"
axes = ["x"]
velocity = ["$speed", 0, 0]

[[cloth.pin]]
vertices = [1, 2, 3, 4, 6, 11, 12, 17, 18, 23, 24, 29, 30, 35, 36, 41, 43, 44, 45, 46]
stiffness = "$stiffness * 0.5 / 35"
axes = ["x"]
velocity = ["$speed", 0, 0]

[[cloth.pin]]
vertices = [0, 47]
stiffness = "$stiffness * 1 / 3 / 35"
axes = ["x"]
velocity = ["$speed", 0, 0]

[[cloth.pin]]
vertices = [5, 42]
stiffness = "$stiffness * 1 / 6 / 35"
axes = ["x"]
velocity = ["$speed", 0, 0]

[[obstacle]]
name = "ground"
shape = { kind = "plane", size = 12 }
translation = [0, 3, 0]
"#;

/// The scene, with some settings.
pub fn slider(settings: &[&str]) -> Result<Simulation, Error> {
    let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    let scene = muslin_io::parse("slider.toml", SCENE, "slider", &settings).map_err(SceneError::from)?.scene;
    Simulation::new(&scene)
}

/// ω of the card on its spring [1/s].
pub fn angular_frequency() -> f64 {
    (0.0432 / (0.25 * 0.1 * 0.07f64)).sqrt()
}

/// When it first lets go, for a static coefficient [-] and a speed of the spring's end [m/s] [s].
pub fn first_slip(sticking: f64, speed: f64) -> f64 {
    sticking * GRAVITY / (angular_frequency().powi(2) * speed)
}

/// Its period, for the difference of static and kinetic coefficients [-] and a speed of the spring's end [m/s] [s].
///
/// Let a = (µ_s − µ_c) m g/k be half the stretch that one slip takes back and ω² = k/m. While it sticks the stretch grows
/// by 2a at the speed V of the end. While it slips, the stretch beyond that of kinetic friction is y = a cos ωt + (V/ω) sin ωt, and
/// it sticks again when dy/dt = V: after (2/ω)(π − arctan(aω/V)).
pub fn period(static_minus_kinetic: f64, speed: f64) -> f64 {
    let w = angular_frequency();
    let a = static_minus_kinetic * GRAVITY / (w * w);
    2.0 * a / speed + 2.0 / w * (std::f64::consts::PI - (a * w / speed).atan())
}
