//! `muslin render`: pictures and films without a window.

use crate::exit::{self, complain, say};
use clap::Args;
use glam::DVec3;
use muslin::{
    measure::Measure,
    picture::{Motif, PictureOptions, Viewpoint, draw},
    render::Camera,
};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Draws a frame, a sheet of frames or a film of a scene or a run, without a window.
#[derive(Args)]
pub struct RenderArguments {
    /// A run's directory or a file of frames, or a scene, which is simulated first.
    #[arg(value_name = "DIR|SCENE")]
    input: String,
    /// Draw this frame; 0 is the start [default: the last].
    #[arg(long, value_name = "N", conflicts_with_all = ["film", "sheet"])]
    frame: Option<usize>,
    /// Draw all frames into a film: .mp4 (by ffmpeg; without it a .gif is written instead), .gif, or .png (animated).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sheet", "out"])]
    film: Option<PathBuf>,
    /// Draw several frames in one picture.
    #[arg(long)]
    sheet: bool,
    /// Where to look from: front, back, left, right, top, bottom, or `X,Y,Z:X,Y,Z[:DEGREES]`, the camera's place, its
    /// target and its angle of view [default: as the scene says, or so that everything is seen].
    #[arg(long, value_name = "VIEW", value_parser = viewpoint, allow_hyphen_values = true)]
    camera: Option<Viewpoint>,
    /// What to colour cloth by: fabric, strain, shear, curvature, velocity; gap and friction of a scene with contact, or of
    /// a run of one that was recorded with `--format npz,vtk`; residual, the angle of bends that stay, of a scene whose
    /// bending has a memory.
    #[arg(long, value_name = "NAME", default_value = "fabric", value_parser = measure)]
    color_by: Measure,
    /// The numbers at the two ends of the colours, in the unit of what is coloured by, so that pictures of several runs can be
    /// compared: `--color-range 0,0.5`. What lies beyond has the colour of the end [default: 0 and a round number above the
    /// largest of all frames drawn].
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    color_range: Option<[f64; 2]>,
    /// Size of the picture, or of each frame in a sheet [default: 960x720, in sheets 440x330, in films 640x480].
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<[usize; 2]>,
    /// The picture's file [default: SCENE-FRAME.png or SCENE-sheet.png].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Set a parameter of the scene, or any key by its path, as for `muslin run`.
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
}

pub fn main(arguments: RenderArguments) -> ExitCode {
    let (motif, size) = match (&arguments.film, arguments.sheet) {
        (Some(_), _) => (Motif::Film, [640, 480]),
        (None, true) => (Motif::Sheet, [440, 330]),
        (None, false) => (Motif::Frame(arguments.frame), [960, 720]),
    };
    let name = Path::new(&arguments.input).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let ending = match (&motif, arguments.frame) {
        (Motif::Sheet, _) => "sheet".to_string(),
        (_, Some(frame)) => frame.to_string(),
        _ => "last".to_string(),
    };
    let out = arguments.film.or(arguments.out).unwrap_or_else(|| format!("{name}-{ending}.png").into());
    let options = PictureOptions {
        motif,
        viewpoint: arguments.camera.unwrap_or(Viewpoint::Default),
        measure: arguments.color_by,
        range: arguments.color_range,
        size: arguments.size.unwrap_or(size),
        out,
    };
    match draw(&arguments.input, &arguments.set, &options) {
        Ok(drawn) => {
            if drawn.path != options.out {
                complain("warning: ffmpeg is not installed, so the film is a GIF; install it for mp4");
            }
            let unit = arguments.color_by.unit();
            // Without the noise of single precision: what was not asked for is one digit times a power of ten.
            let end = |v: f64| {
                if arguments.color_range.is_some() { v } else { format!("{v:.0e}").parse().unwrap_or_default() }
            };
            let word = arguments.color_by.name();
            let mut text = if drawn.pictures > 1 { format!("{} frames", drawn.pictures) } else { "picture".into() };
            text += &format!(": {}", drawn.path.display());
            if let Some([low, high]) = drawn.range {
                text += format!(", {word} from {} to {} {unit}", end(low), end(high)).trim_end();
            }
            if let Some([least, most]) = drawn.beyond {
                text += &format!(
                    "; the cloth has {least:.2e} to {most:.2e}, and what lies beyond has the colour of the end"
                );
            }
            say(&format!("{text}\n"))
        }
        Err(error) => exit::show(&error),
    }
}

fn measure(name: &str) -> Result<Measure, String> {
    let names = || Measure::ALL.map(Measure::name).join(", ");
    Measure::find(name).ok_or_else(|| format!("one of {}", names()))
}

/// Largest side of a picture.
const LARGEST: usize = 16_384;

fn size(text: &str) -> Result<[usize; 2], String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    sides
        .filter(|sides: &[usize; 2]| sides.iter().all(|s| (1..=LARGEST).contains(s)))
        .ok_or_else(|| format!("two numbers from 1 to {LARGEST} with an x between them, such as 1280x720"))
}

fn range(text: &str) -> Result<[f64; 2], String> {
    let ends = text.split_once(',').and_then(|(low, high)| Some([low.trim().parse().ok()?, high.trim().parse().ok()?]));
    ends.filter(|[low, high]: &[f64; 2]| low.is_finite() && high.is_finite() && low < high)
        .ok_or_else(|| "two numbers with a comma between them, the lower one first, such as 0,0.5".to_string())
}

fn viewpoint(text: &str) -> Result<Viewpoint, String> {
    // A little from above, where that is not the point.
    let from = |x: f64, y: f64, z: f64| Ok(Viewpoint::From(DVec3::new(x, y, z)));
    match text {
        "front" => return from(0.0, -1.0, 0.15),
        "back" => return from(0.0, 1.0, 0.15),
        "left" => return from(-1.0, 0.0, 0.15),
        "right" => return from(1.0, 0.0, 0.15),
        "top" => return from(0.0, 0.0, 1.0),
        "bottom" => return from(0.0, 0.0, -1.0),
        _ => {}
    }
    let refuse = || "front, back, left, right, top, bottom, or X,Y,Z:X,Y,Z or X,Y,Z:X,Y,Z:DEGREES".to_string();
    let parts: Vec<&str> = text.split(':').collect();
    let (position, target, degrees) = match parts[..] {
        [position, target] => (position, target, "30"),
        [position, target, degrees] => (position, target, degrees),
        _ => return Err(refuse()),
    };
    let point = |text: &str| -> Option<DVec3> {
        let numbers: Vec<f64> = text.split(',').map(|n| n.trim().parse().ok()).collect::<Option<_>>()?;
        <[f64; 3]>::try_from(numbers).ok().map(DVec3::from_array)
    };
    let degrees: f64 = degrees.parse().map_err(|_| refuse())?;
    match (point(position), point(target)) {
        (Some(position), Some(target)) if degrees > 0.0 && degrees < 180.0 => {
            Ok(Viewpoint::Camera(Camera::new(position, target, degrees.to_radians())))
        }
        _ => Err(refuse()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewpoints_sizes_and_ranges_are_read() {
        assert_eq!(viewpoint("top"), Ok(Viewpoint::From(DVec3::Z)));
        let Ok(Viewpoint::Camera(camera)) = viewpoint("1,-2.5,0:0,0,0.5:40") else { panic!("a camera") };
        assert_eq!((camera.position, camera.target), (DVec3::new(1.0, -2.5, 0.0), DVec3::new(0.0, 0.0, 0.5)));
        assert!((camera.field_of_view - 40f64.to_radians()).abs() < 1e-12);
        for wrong in ["", "above", "1,2:3,4,5", "1,2,3", "1,2,3:4,5,6:0", "1,2,3:4,5,6:200", "1,2,x:0,0,0"] {
            assert!(viewpoint(wrong).is_err(), "{wrong}");
        }
        assert_eq!(size("1280x720"), Ok([1280, 720]));
        for wrong in ["", "10", "0x5", "5x0", "1x99999", "axb", "-1x5"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(range("-1e-3, 0.5"), Ok([-1e-3, 0.5]));
        for wrong in ["", "1", "0,", ",1", "1,1", "1,0", "0,nan", "0,inf", "-inf,0", "0,1,2", "0:1"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
