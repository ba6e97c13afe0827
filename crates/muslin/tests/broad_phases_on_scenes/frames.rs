//! The public frames of `../shared/data/ccd-scalable` and what is known of them.

use glam::DVec3;
use muslin_collision::{Candidates, Surface, Sweep};
use std::path::{Path, PathBuf};

/// Two frames, and what others found in them.
pub struct Frames {
    pub name: &'static str,
    start: &'static str,
    end: &'static str,
    /// How the names of the lists of exact answers begin; none where nobody made such lists.
    truth: Option<&'static str>,
    /// Vertex–face and edge–edge pairs with overlapping exact swept boxes.
    pub box_pairs: [usize; 2],
}

pub const FUNNEL: Frames = Frames {
    name: "cloth-funnel",
    start: "227.ply.xz",
    end: "228.ply.xz",
    truth: Some("227"),
    box_pairs: [7319, 33_770],
};

pub const ROD: Frames = Frames {
    name: "rod-twist",
    start: "3036.ply.xz",
    end: "3037.ply.xz",
    truth: Some("3036"),
    box_pairs: [448_270, 2_041_334],
};

pub const BALL: Frames = Frames {
    name: "cloth-ball",
    start: "cloth_ball92.ply.xz",
    end: "cloth_ball93.ply.xz",
    truth: Some("92"),
    box_pairs: [1_655_541, 5_197_332],
};

/// IPC Toolkit counts 9 and 20 box pairs more: it rounds boxes outwards.
pub const BODIES: Frames = Frames {
    name: "n-body-simulation",
    start: "balls16_18.ply.xz",
    end: "balls16_19.ply.xz",
    truth: None,
    box_pairs: [9_396_388, 22_366_873],
};

/// A motion that was read.
pub struct Scene {
    pub name: &'static str,
    pub surface: Surface,
    pub start: Vec<DVec3>,
    pub end: Vec<DVec3>,
    pub box_pairs: [usize; 2],
    /// The pairs that collide by exact arithmetic, sorted; empty where there is no list.
    pub colliding: Candidates,
}

impl Frames {
    fn folder(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ccd-scalable").join(self.name)
    }

    /// Reads them; where they are absent, it says so.
    pub fn read(&self) -> Option<Scene> {
        let folder = self.folder();
        if !folder.exists() {
            println!("skipped: {} is not there", folder.display());
            return None;
        }
        let read = |file: &str| muslin_io::meshes::read(folder.join(file)).unwrap();
        let (start, end) = (read(self.start), read(self.end));
        let surface = Surface::new(start.positions.len(), &start.triangles).unwrap();
        let colliding = self.truth.map_or_else(Candidates::default, |truth| {
            let edge = |a: u32, b: u32| surface.edges().binary_search(&[a.min(b), a.max(b)]).unwrap() as u32;
            let rows = |kind: &str| colliding_rows(&folder.join(format!("{truth}{kind}_truth.csv.xz")));
            let edges = |r: &Vec<u32>| {
                let (a, b) = (edge(r[0], r[1]), edge(r[2], r[3]));
                [a.min(b), a.max(b)]
            };
            let mut pairs = Candidates {
                vertex_face: rows("vf").iter().map(|r| [r[0], r[1]]).collect(),
                edge_edge: rows("ee").iter().map(edges).collect(),
            };
            pairs.sort();
            assert!(!pairs.vertex_face.is_empty() && !pairs.edge_edge.is_empty(), "an empty list of {}", self.name);
            pairs
        });
        let (start, end) = (start.positions, end.positions);
        Some(Scene { name: self.name, surface, start, end, box_pairs: self.box_pairs, colliding })
    }
}

impl Scene {
    /// The motion from the start to the end.
    pub fn sweep(&self) -> Sweep<'_> {
        Sweep::new(&self.surface, &self.start, &self.end).unwrap()
    }
}

/// The rows of a packed table whose last column is 1.
fn colliding_rows(path: &Path) -> Vec<Vec<u32>> {
    let mut input = muslin_io::input::Input::open(path).unwrap();
    let (mut rows, mut line) = (Vec::<Vec<u32>>::new(), Vec::new());
    while input.next_line(&mut line).unwrap() {
        let text = String::from_utf8(line.clone()).unwrap();
        if let Ok(row) = text.trim().split(',').map(str::parse).collect() {
            rows.push(row);
        }
    }
    rows.retain(|row| row.last() == Some(&1));
    rows
}
