//! Changes a built-in scene in a program and runs it into a directory.

use muslin::{RunOptions, load, run};

fn main() -> Result<(), muslin::Error> {
    let mut scene = load("hang", &["resolution=30".into()])?.scene;
    scene.name = "soft-cotton".into();
    scene.cloths[0].material.shear = 20.0.into(); // N/m

    let options = RunOptions { frames: Some(60), ..RunOptions::default() };
    let result = run(&scene, &options, &mut ())?;

    println!("results in {}", result.directory.display());
    println!("largest strain {:.2} %", 100.0 * result.report.max_strain);
    Ok(())
}
