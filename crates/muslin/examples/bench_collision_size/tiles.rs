//! Sheets of cloth, folded and laid side by side.

use glam::DVec3;
use muslin::collision::Surface;

/// A mesh at two times.
pub struct Step {
    pub name: String,
    pub surface: Surface,
    pub start: Vec<DVec3>,
    pub end: Vec<DVec3>,
}

/// Vertices along a side of a tile: 10,082 triangles.
const SIDE: u32 = 72;

/// How the layers of a tile lie on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    /// Wavy, each layer in its own way, as cloth is.
    Natural,
    /// Row exactly on row, each layer moving as one: as meshes are made, and all pairs degenerate.
    Exact,
}

impl Tile {
    /// As the page calls them.
    pub fn name(self) -> &'static str {
        match self {
            Tile::Natural => "folded sheets",
            Tile::Exact => "exactly folded sheets",
        }
    }
}

/// `tiles` x `tiles` sheets side by side, each folded into three layers that slide on each other.
pub fn tiled(kind: Tile, tiles: u32) -> Step {
    let (mut start, mut end, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    let edge = 1.0 / (SIDE - 1) as f64;
    for tile in 0..tiles * tiles {
        let first = start.len() as u32;
        let corner = DVec3::new((tile % tiles) as f64 * 1.1, (tile / tiles) as f64 * 1.1, 0.0);
        for v in 0..SIDE * SIDE {
            let (x, y) = ((v % SIDE) as f64 * edge, (v / SIDE) as f64 * edge);
            // A strip folded twice, as a letter, with waves across.
            let layer = (3.0 * x).min(2.999).floor();
            let along = 3.0 * x - layer;
            let place = if layer != 1.0 { along } else { 1.0 - along } / 3.0;
            let height = 0.4 * edge * layer + 0.3 * edge * (40.0 * y).sin() * (30.0 * x).cos();
            let slide = DVec3::new(0.3 * edge * (layer - 1.0), 0.2 * edge, -0.3 * edge * layer);
            let mut point = corner + DVec3::new(place, y, height);
            let mut way = slide;
            if kind == Tile::Natural {
                point += DVec3::new((13.0 * y + 5.0 * x).sin(), (11.0 * x + 3.0 * y).cos(), 0.2 * (17.0 * x).sin())
                    * (0.3 * edge);
                way *= 1.0 + 0.3 * (7.0 * x + 5.0 * y).sin();
                way += DVec3::new((9.0 * y).cos(), (6.0 * x).sin(), (8.0 * x + 7.0 * y).cos()) * (0.05 * edge);
            }
            start.push(point);
            end.push(point + way);
        }
        for j in 0..SIDE - 1 {
            for i in 0..SIDE - 1 {
                let v = first + j * SIDE + i;
                triangles.push([v, v + 1, v + SIDE]);
                triangles.push([v + 1, v + SIDE + 1, v + SIDE]);
            }
        }
    }
    let surface = Surface::new(start.len(), &triangles).unwrap_or_else(|error| panic!("{error}"));
    Step { name: format!("{tiles} x {tiles} {}", kind.name()), surface, start, end }
}
