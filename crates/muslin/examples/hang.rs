//! Runs a built-in scene with a fabric of one's own and looks at the result.

use muslin::{Material, RunOptions, load, run};

fn main() -> Result<(), muslin::Error> {
    let mut scene = load("hang", &["resolution=20".into()])?.scene;
    scene.cloths[0].material = Material { area_density: 0.15.into(), ..Material::woven_cotton() };
    let options = RunOptions { out: std::env::args_os().nth(1).map(Into::into), ..Default::default() };
    let result = run(&scene, &options, &mut ())?;
    println!("largest strain {:.2} %", 100.0 * result.report.max_strain);
    println!("frames, report and picture are in {}", result.directory.display());
    Ok(())
}
