//! `cargo xtask pictures`: all pictures of the documents, drawn anew: those of cloth by `muslin render`, the drapes of the
//! library of fabrics by `muslin lab`, the plots of the validation and of friction by the examples that compute them.

use crate::{muslin, process, workspace};
use std::{fs, path::Path};

/// The pictures: name of the file, scene, further arguments.
const PICTURES: [(&str, &str, &[&str]); 42] = [
    ("drape", "drape", &[]),
    ("cube", "cube", &[]),
    ("torus", "torus", &[]),
    ("flag", "flag", &["--set", "resolution=30"]),
    ("curtain", "curtain", &["--set", "resolution=40"]),
    ("swing", "swing", &["--set", "resolution=30"]),
    ("v-7-stretch", "v-7-stretch", &[]),
    ("v-7-damping", "v-7-stretch", &["--set", "damping=0.003608", "--set", "duration=28"]),
    ("v-7-limiter", "v-7-limiter", &["--set", "passes=0"]),
    ("v-7-limiter-alone", "v-7-limiter", &["--set", "inverse_dynamics=false"]),
    ("v-7-wind", "v-7-wind", &["--set", "duration=14"]),
    ("v-7-wind-conditions", "v-7-wind-conditions", &["--set", "duration=14"]),
    ("v-7-wind-conditions-stretched", "v-7-wind-conditions", UNLIMITED),
    ("v-7-conditions", "v-7-conditions", &[]),
    ("v-7-shear", "v-7-shear", &[]),
    ("v-7-bend", "v-7-bend", &[]),
    ("v-7-shear-conditions", "v-7-shear", CONDITIONS),
    ("v-7-bend-conditions", "v-7-bend", CONDITIONS),
    ("v-7-diagonals", "v-7-diagonals", &[]),
    ("v-7-elongation", "v-7-elongation", &[]),
    ("v-7-flexion", "v-7-flexion", &[]),
    ("v-7-sides", "v-7-sides", &[]),
    ("v-7-transfer", "v-7-transfer", &[]),
    ("v-7-curves", "v-7-curves", &[]),
    ("v-7-orthogonal", "v-7-orthogonal", &[]),
    ("v-7-realignment", "v-7-realignment", &[]),
    ("v-7-wrinkles", "v-7-wrinkles", &[]),
    ("v-7-undulations", "v-7-undulations", &[]),
    ("w-4-twist", "w-4-twist", &[]),
    ("w-4-squeeze", "w-4-squeeze", &[]),
    ("w-4-ball", "w-4-ball", &[]),
    ("w-4-arm", "w-4-arm", &[]),
    ("w-4-knee", "w-4-knee", &[]),
    ("w-4-clamp", "w-4-clamp", &[]),
    ("w-7-incline", "w-7-incline", UPRIGHT),
    ("w-7-incline-coulomb", "w-7-incline", UPRIGHT_COULOMB),
    ("w-7-stick-slip", "w-7-stick-slip", &[]),
    ("w-7-stick-slip-coulomb", "w-7-stick-slip", COULOMB),
    ("w-7-card", "w-7-card", &[]),
    ("w-7-slide", "w-7-slide", &[]),
    ("w-7-sphere", "w-7-sphere", &[]),
    ("w-7-sphere-coulomb", "w-7-sphere", COULOMB),
];

/// W's experiments with the frame that their models are compared in.
const EXPERIMENTS: [(&str, &str); 6] = [
    ("w-4-twist", "300"),
    ("w-4-squeeze", "240"),
    ("w-4-ball", "96"),
    ("w-4-arm", "198"),
    ("w-4-knee", "330"),
    ("w-4-clamp", "660"),
];

/// Where what stays is seen in colours, since how a sleeve falls in the end is a matter of where it catches: the scenes and the
/// angles at the two ends of the colours [rad], which are the same for all models, so that they can be compared.
const SLEEVES: [(&str, &str); 2] = [("w-4-arm", "0,0.5"), ("w-4-knee", "0,1")];

/// The models that W compares: no memory of bending, that of a yield curvature, hysteresis that leaves little and much.
const MODELS: [(&str, &[&str]); 4] = [
    ("none", &["--set", "hysteresis=0", "--set", "crease=0"]),
    ("plasticity", &["--set", "bend=plasticity"]),
    ("low", &["--set", "crease=0.08"]),
    ("high", &["--set", "crease=0.25"]),
];

/// Size of the pictures that stand side by side.
const SIDE_BY_SIDE: &str = "400x300";

/// The drapes of all fabrics, on one sheet.
const DRAPES: &str = "fabrics";

/// The plots and the examples that draw them.
const PLOTS: [(&str, &[&str]); 2] = [("validation_plots", VALIDATION), ("friction_plots", FRICTION)];

/// Plots of friction.
const FRICTION: &[&str] =
    &["w-7-card-displacement", "w-7-card-friction", "w-7-card-velocity", "w-7-laws", "w-7-slider", "w-7-stick-slip"];

/// Plots of the validation.
const VALIDATION: &[&str] = &[
    "validate-buckling",
    "validate-cantilever",
    "validate-catenary",
    "validate-chain",
    "validate-free-fall",
    "validate-hysteresis-cycles",
    "validate-hysteresis-loop",
    "validate-hysteresis-partial",
    "validate-mesh",
    "validate-mesh-springs",
    "validate-pendulum",
    "validate-spring",
];

/// V's second simulator in the wind without its limiter.
const UNLIMITED: &[&str] = &["--set", "limiter=none", "--set", "duration=14"];

/// W's experiments with Coulomb's friction.
const COULOMB: &[&str] = &["--set", "law=coulomb"];

/// The sheet falls onto the incline upright, and comes down in folds.
const UPRIGHT: &[&str] = &["--set", "tilt=90"];
const UPRIGHT_COULOMB: &[&str] = &["--set", "tilt=90", "--set", "law=coulomb"];

/// V's second simulator.
const CONDITIONS: &[&str] = &["--set", "stretch=baraff-witkin", "--set", "bend=baraff-witkin", "--set", "duration=25"];

/// Plays and draws each scene, and plots.
pub fn run() -> Result<(), String> {
    muslin::build()?;
    let folder = workspace::fresh_folder("pictures")?;
    let gallery = workspace::root().join("docs/pictures");
    fs::create_dir_all(&gallery).map_err(|error| format!("{}: {error}", gallery.display()))?;
    for (name, scene, arguments) in PICTURES {
        let picture = gallery.join(format!("{name}.png"));
        let mut draw = muslin::command(&["render", scene, "--sheet"]);
        draw.args(arguments).arg("--out").arg(&picture).current_dir(&folder);
        expect(&mut draw)?;
    }
    for (scene, frame) in EXPERIMENTS {
        for (model, arguments) in MODELS {
            let picture = gallery.join(format!("{scene}-{model}.png"));
            let mut draw = muslin::command(&["render", scene, "--frame", frame, "--size", SIDE_BY_SIDE]);
            if let Some((_, range)) = SLEEVES.iter().find(|(sleeve, _)| *sleeve == scene) {
                draw.args(["--color-by", "residual", "--color-range", range]);
            }
            draw.args(arguments).arg("--out").arg(&picture).current_dir(&folder);
            expect(&mut draw)?;
        }
    }
    let mut drape = muslin::command(&["lab", "--drapes"]);
    expect(drape.arg(gallery.join(format!("{DRAPES}.png"))).current_dir(&folder))?;
    plot(&gallery)
}

/// Runs a command that must succeed.
fn expect(command: &mut std::process::Command) -> Result<(), String> {
    if process::succeeds(command)? { Ok(()) } else { Err(format!("`{}` failed", process::line(command))) }
}

/// Runs the examples that draw plots.
fn plot(gallery: &Path) -> Result<(), String> {
    for (example, names) in PLOTS {
        for name in names {
            // One that is not drawn must not stay.
            let _ = fs::remove_file(gallery.join(format!("{name}.svg")));
        }
        let mut command =
            process::cargo(&["run", "--quiet", "--release", "--package", "muslin", "--example", example, "--"]);
        expect(command.arg(gallery))?;
        if let Some(name) = names.iter().find(|name| !gallery.join(format!("{name}.svg")).exists()) {
            return Err(format!("`{}` did not draw {name}.svg", process::line(&command)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_picture_in_the_gallery_is_made_here_and_every_one_made_is_there() {
        let drawn = PICTURES.iter().map(|(name, ..)| *name).chain([DRAPES]).map(|name| format!("{name}.png"));
        let compared =
            EXPERIMENTS.iter().flat_map(|(scene, _)| MODELS.map(|(model, _)| format!("{scene}-{model}.png")));
        let plots = PLOTS.iter().flat_map(|(_, names)| *names).map(|name| format!("{name}.svg"));
        let made: BTreeSet<String> = drawn.chain(compared).chain(plots).collect();
        let gallery = fs::read_dir(workspace::root().join("docs/pictures")).unwrap();
        let there: BTreeSet<String> =
            gallery.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        assert_eq!(made, there);
    }
}
