//! All collisions between two frames of a mesh.
//!
//! `cargo run --release -p muslin_collision --example two_frames [START.obj END.obj]`
//!
//! Without files: two sheets, the upper falling into the lower. The files are read by a few lines below, which
//! know `v` and triangular `f` only; `muslin collide` reads more.

use glam::DVec3;
use muslin_collision::{DetectSettings, Detector, Surface, Sweep, intersections};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (triangles, start, end) = match &arguments[..] {
        [] => falling_sheets(100),
        [start, end] => {
            let ((triangles, start), (others, end)) = (read(start)?, read(end)?);
            if triangles != others {
                return Err("the two frames have different triangles".into());
            }
            (triangles, start, end)
        }
        _ => return Err("give two OBJ files, or none".into()),
    };

    // The constant part, once; then any number of motions.
    let surface = Surface::new(start.len(), &triangles)?;
    let sweep = Sweep::new(&surface, &start, &end)?;
    let found = Detector::default().detect(&surface, &sweep, &DetectSettings::default());

    println!("{} pairs of a vertex and a face meet, {} pairs of edges", found.vertex_face.len(), found.edge_edge.len());
    let all = found.vertex_face.iter().chain(&found.edge_edge);
    if let Some(first) = all.map(|impact| impact.time).reduce(f64::min) {
        println!("the first at {first:.6} of the step");
    }
    for impact in found.vertex_face.iter().take(3) {
        println!("vertex {} meets face {} at {:.6}", impact.a, impact.b, impact.time);
    }
    for (name, positions) in [("start", &start), ("end", &end)] {
        println!("{} pairs of triangles cross at the {name}", intersections(&surface, positions)?.len());
    }
    Ok(())
}

type Frame = (Vec<[u32; 3]>, Vec<DVec3>);
type Frames = (Vec<[u32; 3]>, Vec<DVec3>, Vec<DVec3>);

/// Two sheets of n × n quads, 1 m wide.
fn falling_sheets(n: u32) -> Frames {
    let (mut triangles, mut start, mut end) = (Vec::new(), Vec::new(), Vec::new());
    for upper in [0.0, 1.0] {
        let first = start.len() as u32;
        for k in 0..(n + 1) * (n + 1) {
            let [x, y] = [k / (n + 1), k % (n + 1)].map(|i| f64::from(i) / f64::from(n));
            let place = DVec3::new(
                x + 0.003 * upper,
                y + 0.002 * upper,
                0.05 * (7.0 * x).sin() * (5.0 * y + upper).cos() + 0.15 * upper,
            );
            start.push(place);
            end.push(place - DVec3::Z * 0.16 * upper);
        }
        for k in (0..n * (n + 1)).filter(|k| k % (n + 1) < n) {
            let [a, b, c, d] = [k, k + n + 1, k + n + 2, k + 1].map(|v| first + v);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (triangles, start, end)
}

fn read(path: &str) -> Result<Frame, Box<dyn Error>> {
    let (mut triangles, mut positions) = (Vec::new(), Vec::new());
    for line in std::fs::read_to_string(path)?.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["v", x, y, z, ..] => positions.push(DVec3::new(x.parse()?, y.parse()?, z.parse()?)),
            ["f", a, b, c] => {
                let vertex = |word: &str| -> Result<u32, Box<dyn Error>> {
                    let index: u32 = word.split('/').next().unwrap_or(word).parse()?;
                    Ok(index.checked_sub(1).ok_or("vertices are numbered from 1")?)
                };
                triangles.push([vertex(a)?, vertex(b)?, vertex(c)?]);
            }
            ["f", ..] => return Err(format!("{path}: a face is no triangle").into()),
            _ => {}
        }
    }
    Ok((triangles, positions))
}
