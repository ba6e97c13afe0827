//! `muslin convert`: frames from one format into others.

use crate::{
    exit::{self, complain, say},
    run::formats,
};
use clap::Args;
use muslin::io::recording::Hints;
use std::{path::PathBuf, process::ExitCode};

/// Converts frames from one format into others.
///
/// IN is a run's directory, an archive (.npz), a list for ParaView (.pvd), a point cache (.pc2, .mdd) with its mesh
/// as OBJ beside it, a glTF or USDA file, or a directory of PLY, OBJ or STL files. OUT is a directory, or a file that ends
/// in .usda, .glb, .csv, .npz, .ply, .obj (one frame), .pc2 or .mdd; bodies that a format keeps apart stand beside it under
/// the same name. What is there already is not replaced.
#[derive(Args)]
pub struct ConvertArguments {
    /// What to read.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Where to write.
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Formats, separated by commas: npz, ply, obj, vtk, pc2, mdd, usd, gltf, csv. Needed unless OUT is a file.
    #[arg(long, value_name = "LIST")]
    format: Option<String>,
    /// Frames per second, for inputs that do not say it: PLY, OBJ, STL, PC2. A glTF or USDA file is looked at so often.
    #[arg(long, value_name = "N", value_parser = rate)]
    fps: Option<f64>,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate <= 1e5 => Ok(rate),
        _ => Err("a number greater than 0 and at most 1e5".into()),
    }
}

pub fn main(arguments: ConvertArguments) -> ExitCode {
    let formats = match arguments.format.as_deref().map_or(Ok(Vec::new()), formats) {
        Ok(formats) => formats,
        Err(message) => {
            complain(&format!("error: --format: {message}"));
            return ExitCode::from(exit::REFUSED);
        }
    };
    let hints = Hints { frames_per_second: arguments.fps, otherwise: None };
    match muslin::convert(&arguments.input, &arguments.out, &formats, hints) {
        Ok(done) => {
            let files: Vec<String> = done.files.iter().map(|f| f.display().to_string()).collect();
            let frames = if done.frames == 1 { "frame" } else { "frames" };
            say(&format!("{} {frames} of {} vertices: {}\n", done.frames, done.vertices, files.join(", ")))
        }
        Err(error) => exit::show(&error),
    }
}
