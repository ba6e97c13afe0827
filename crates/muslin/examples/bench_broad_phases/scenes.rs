//! What is searched: two frames of a mesh.

use glam::DVec3;
use muslin_collision::{Surface, Sweep};
use std::path::Path;

/// A mesh at both ends of a step.
pub struct Scene {
    pub name: &'static str,
    pub surface: Surface,
    pub start: Vec<DVec3>,
    pub end: Vec<DVec3>,
}

impl Scene {
    /// Its motion.
    pub fn sweep(&self) -> Sweep<'_> {
        Sweep::new(&self.surface, &self.start, &self.end).expect("frames of one mesh")
    }
}

/// The UNC scenes that are present, and the generated ones.
pub fn all(root: &Path) -> Vec<Scene> {
    let data = root.join("../shared/data/ccd-scalable");
    let frames = [
        ("UNC cloth-ball", "cloth-ball/cloth_ball92.ply.xz", "cloth-ball/cloth_ball93.ply.xz"),
        ("UNC cloth-funnel", "cloth-funnel/227.ply.xz", "cloth-funnel/228.ply.xz"),
        ("UNC n-body", "n-body-simulation/balls16_18.ply.xz", "n-body-simulation/balls16_19.ply.xz"),
        ("rod-twist", "rod-twist/3036.ply.xz", "rod-twist/3037.ply.xz"),
    ];
    let mut scenes = Vec::new();
    for (name, start, end) in frames {
        let read = |file: &str| muslin_io::meshes::read(data.join(file));
        match (read(start), read(end)) {
            (Ok(start), Ok(end)) => scenes.push(Scene {
                name,
                surface: Surface::new(start.positions.len(), &start.triangles).expect("a surface"),
                start: start.positions,
                end: end.positions,
            }),
            (Err(error), _) | (_, Err(error)) => println!("skipped: {name}: {error}"),
        }
    }
    scenes.extend([even_sheet(), uneven_sizes(), uneven_density(), knot()]);
    scenes
}

/// A sheet of n × m squares placed by a function of two parameters and time.
fn sheet(name: &'static str, [n, m]: [u32; 2], place: impl Fn(f64, f64, f64) -> DVec3) -> Scene {
    let at = |i: u32, j: u32| i * (m + 1) + j;
    let squares = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
    let triangles: Vec<[u32; 3]> = squares
        .flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]])
        .collect();
    let points = |time: f64| {
        let grid = (0..=n).flat_map(|i| (0..=m).map(move |j| (i, j)));
        grid.map(|(i, j)| place(f64::from(i) / f64::from(n), f64::from(j) / f64::from(m), time)).collect::<Vec<_>>()
    };
    let (start, end) = (points(0.0), points(1.0));
    Scene { name, surface: Surface::new(start.len(), &triangles).expect("a surface"), start, end }
}

/// A wavy sheet of even triangles.
fn even_sheet() -> Scene {
    sheet("even sheet", [150, 150], |u, v, t| {
        DVec3::new(u, v, 0.05 * ((20.0 * u + 0.05 * t).sin() + (17.0 * v).cos()) - 0.002 * t)
    })
}

/// A wavy sheet whose triangles differ in length by a factor of 60 along each axis.
fn uneven_sizes() -> Scene {
    let stretch = |u: f64| ((60f64.powf(u)) - 1.0) / 59.0;
    sheet("uneven sizes", [150, 150], move |u, v, t| {
        let (x, y) = (stretch(u), stretch(v));
        DVec3::new(x, y, 0.05 * ((9.0 * x + 0.05 * t).sin() + (7.0 * y).cos()) - 0.001 * t)
    })
}

/// A pile of layers under one half of a large sheet: even triangles, uneven density.
fn uneven_density() -> Scene {
    sheet("uneven density", [600, 40], |u, v, t| {
        // The strip runs straight, then lies in folds on top of each other.
        let length = 12.0 * u;
        let folds = (length - 6.0).max(0.0) / 0.4;
        let (fold, along) = (folds.floor(), folds.fract());
        let back = if fold as i64 % 2 == 0 { along } else { 1.0 - along };
        let x = if folds > 0.0 { 6.0 + 0.4 * back } else { length };
        DVec3::new(x, 0.8 * v, 0.012 * folds - 0.004 * t * folds / 15.0 + 0.002 * (40.0 * v + 9.0 * u).sin())
    })
}

/// A ribbon in a tight trefoil knot with long ends.
fn knot() -> Scene {
    sheet("knotted ribbon", [1200, 8], |u, v, t| {
        let s = 2.0 * std::f64::consts::PI * (1.6 * u - 0.3);
        let loose =
            |s: f64| DVec3::new(s.sin() + 2.0 * (2.0 * s).sin(), s.cos() - 2.0 * (2.0 * s).cos(), -(3.0 * s).sin());
        let clamped = s.clamp(0.0, 2.0 * std::f64::consts::PI);
        let p = loose(clamped) * (0.06 - 0.002 * t) + DVec3::new(s - clamped, 0.0, 0.02 * (s - clamped));
        p + DVec3::new(0.03 * (v - 0.5) * s.cos(), 0.03 * (v - 0.5) * s.sin(), 0.1 * (v - 0.5))
    })
}
