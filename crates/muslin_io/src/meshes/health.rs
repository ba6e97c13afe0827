//! What is wrong with a mesh: every fault with its element, its place and the remedy.

use super::{
    orientation::orientation,
    pattern::turned_regions,
    size::{LARGEST_SIZE, in_units, size_of},
    surface::Surface,
};
use glam::{DVec2, DVec3};
use muslin_model::mesh::DEGENERATE_AREA_RATIO;
use std::{collections::HashMap, fmt};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultOf {
    /// No triangle at all.
    Empty,
    /// A coordinate is NaN or infinite.
    NotFinite,
    /// A triangle without area in space.
    ZeroArea,
    /// Two triangles with the same vertices.
    DuplicateTriangle,
    /// A vertex that belongs to no triangle.
    IsolatedVertex,
    /// Two vertices at exactly the same place: a cloth comes apart there.
    DuplicateVertex,
    /// An edge of more than two triangles.
    NonManifoldEdge,
    /// Two neighbours face opposite ways.
    InconsistentWinding,
    /// A piece whose neighbours cannot face the same way, such as a Möbius strip.
    OneSided,
    /// A triangle without pattern coordinates.
    UvMissing,
    /// A triangle without area in its pattern.
    UvZeroArea,
    /// A region of the pattern that is turned over: a piece as a whole, or what lies beyond a fold.
    UvFolded,
    /// Pattern coordinates that are no metres.
    UvScale,
    /// A size that looks like millimetres or centimetres.
    Scale,
}

impl FaultOf {
    /// The name in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            FaultOf::Empty => "empty",
            FaultOf::NotFinite => "not-finite",
            FaultOf::ZeroArea => "zero-area",
            FaultOf::DuplicateTriangle => "duplicate-triangle",
            FaultOf::IsolatedVertex => "isolated-vertex",
            FaultOf::DuplicateVertex => "duplicate-vertex",
            FaultOf::NonManifoldEdge => "non-manifold-edge",
            FaultOf::InconsistentWinding => "inconsistent-winding",
            FaultOf::OneSided => "one-sided",
            FaultOf::UvMissing => "uv-missing",
            FaultOf::UvZeroArea => "uv-zero-area",
            FaultOf::UvFolded => "uv-folded",
            FaultOf::UvScale => "uv-scale",
            FaultOf::Scale => "scale",
        }
    }

    /// The repair that removes it, if there is a safe one.
    pub fn repair(self) -> Option<&'static str> {
        match self {
            FaultOf::ZeroArea => Some("remove-degenerate"),
            FaultOf::DuplicateTriangle => Some("remove-duplicates"),
            FaultOf::IsolatedVertex => Some("remove-isolated"),
            FaultOf::DuplicateVertex => Some("merge-vertices"),
            FaultOf::InconsistentWinding => Some("flip-winding"),
            FaultOf::UvFolded => Some("mirror-uv"),
            _ => None,
        }
    }

    /// What to do about it by hand.
    fn remedy(self) -> &'static str {
        match self {
            FaultOf::Empty => "give it at least one triangle",
            FaultOf::NotFinite => "correct it in the program that wrote the mesh",
            FaultOf::ZeroArea => "remove it or merge its vertices",
            FaultOf::DuplicateTriangle => "remove one of them",
            FaultOf::IsolatedVertex => "remove it",
            FaultOf::DuplicateVertex => "merge them, or move one if the surfaces are apart",
            FaultOf::NonManifoldEdge => "split the mesh there",
            FaultOf::InconsistentWinding => "flip one of them",
            FaultOf::OneSided => "cut it open: cloth needs a front and a back",
            FaultOf::UvMissing => "unwrap it, or take the rest shape from the mesh with `rest = \"mesh\"`",
            FaultOf::UvZeroArea => "unwrap it again",
            FaultOf::UvFolded => "mirror that piece, or unwrap it without the fold",
            FaultOf::UvScale => "give the pattern in metres, or use `rest = \"mesh\"`",
            FaultOf::Scale => "write it into the scene",
        }
    }
}

/// A fault of a mesh; numbers are the file's, from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFault {
    /// What kind it is.
    pub kind: FaultOf,
    /// Vertices or triangles concerned, in the file's numbers.
    pub elements: Vec<u32>,
    /// Where [m], if it is at one place.
    pub place: Option<DVec3>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for MeshFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if let Some(p) = self.place.filter(|p| p.is_finite()) {
            write!(f, " at ({:.6}, {:.6}, {:.6}) m", p.x, p.y, p.z)?;
        }
        write!(f, "; {}", self.kind.remedy())?;
        match self.kind.repair() {
            Some(repair) => write!(f, ", or ask for `repair = [\"{repair}\"]`"),
            None => Ok(()),
        }
    }
}

/// What a mesh is judged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Cloth whose rest shape is its pattern.
    ClothByPattern,
    /// Cloth whose rest shape is its shape in space.
    ClothByShape,
    /// Something that cloth may touch: it needs no rest shape and no connectivity.
    Obstacle,
}

/// Edges of a pattern and of the mesh may differ by this factor [-]; texture coordinates from 0 to 1 differ more.
const PATTERN_FACTOR: f64 = 8.0;

/// All faults, by kind and then by element.
pub fn faults(surface: &Surface, purpose: Purpose) -> Vec<MeshFault> {
    let mut judge = Judge { surface, found: Vec::new(), void: vec![false; surface.mesh.triangles.len()] };
    if surface.mesh.triangles.is_empty() {
        judge.add(FaultOf::Empty, Vec::new(), None, "the mesh has no triangle".into());
    }
    judge.vertices();
    judge.triangles();
    if purpose != Purpose::Obstacle {
        judge.connections();
        judge.lonely_vertices();
        judge.shared_places();
    }
    if purpose == Purpose::ClothByPattern {
        judge.pattern();
    }
    judge.size();
    judge.found.sort_by(|a, b| (a.kind, &a.elements).cmp(&(b.kind, &b.elements)));
    judge.found
}

struct Judge<'a> {
    surface: &'a Surface,
    found: Vec<MeshFault>,
    /// Triangles that are no part of the surface: without area, or given before. Their edges are not judged again.
    void: Vec<bool>,
}

impl Judge<'_> {
    fn add(&mut self, kind: FaultOf, elements: Vec<u32>, place: Option<DVec3>, message: String) {
        self.found.push(MeshFault { kind, elements, place, message });
    }

    fn vertex(&self, v: u32) -> u32 {
        self.surface.file_vertices[v as usize]
    }

    fn triangle(&self, t: usize) -> u32 {
        self.surface.file_triangles[t]
    }

    fn centre(&self, t: usize) -> DVec3 {
        let mesh = &self.surface.mesh;
        mesh.triangles[t].iter().map(|&v| mesh.positions[v as usize]).sum::<DVec3>() / 3.0
    }

    fn vertices(&mut self) {
        let (mesh, numbers) = (&self.surface.mesh, &self.surface.file_vertices);
        let lost: Vec<usize> = (0..mesh.positions.len()).filter(|&v| !mesh.positions[v].is_finite()).collect();
        if lost.is_empty() {
            return;
        }
        // Nobody knows where such a vertex should be; its neighbours show where to look.
        let mut around = vec![(DVec3::ZERO, 0.0); mesh.positions.len()];
        for triangle in &mesh.triangles {
            let places = triangle.map(|v| mesh.positions[v as usize]);
            let (sum, count) =
                places.iter().filter(|p| p.is_finite()).fold((DVec3::ZERO, 0.0), |(s, n), p| (s + *p, n + 1.0));
            for &v in triangle {
                around[v as usize].0 += sum;
                around[v as usize].1 += count;
            }
        }
        for v in lost {
            let ((sum, count), p, file) = (around[v], mesh.positions[v], numbers[v]);
            let (place, neighbours) =
                if count > 0.0 { (Some(sum / count), "; its neighbours are") } else { (None, "") };
            let message = format!("vertex {file} has the coordinates {p}{neighbours}");
            self.add(FaultOf::NotFinite, vec![file], place, message);
        }
    }

    fn triangles(&mut self) {
        let mesh = &self.surface.mesh;
        let mut known: HashMap<[u32; 3], usize> = HashMap::new();
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
            let longest = (b - a).length_squared().max((c - a).length_squared()).max((c - b).length_squared());
            let twice = (b - a).cross(c - a).length();
            // A NaN has its own fault.
            if twice <= DEGENERATE_AREA_RATIO * longest {
                let (file, vertices) = (self.triangle(t), triangle.map(|v| self.vertex(v)));
                let message = format!("triangle {file} (vertices {vertices:?}) has no area");
                self.add(FaultOf::ZeroArea, vec![file], Some(self.centre(t)), message);
                self.void[t] = true;
            }
            let mut key = *triangle;
            key.sort_unstable();
            if let Some(&first) = known.get(&key) {
                let pair = vec![self.triangle(first), self.triangle(t)];
                let message = format!("triangles {} and {} have the same vertices", pair[0], pair[1]);
                self.add(FaultOf::DuplicateTriangle, pair, Some(self.centre(t)), message);
                self.void[t] = true;
            } else {
                known.insert(key, t);
            }
        }
    }

    fn connections(&mut self) {
        let mesh = &self.surface.mesh;
        // Low vertex, high vertex, triangle, and whether the triangle runs from low to high.
        let mut sides: Vec<(u32, u32, u32, bool)> = Vec::with_capacity(3 * mesh.triangles.len());
        for (t, triangle) in mesh.triangles.iter().enumerate().filter(|(t, _)| !self.void[*t]) {
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                sides.push((a.min(b), a.max(b), t as u32, a < b));
            }
        }
        sides.sort_unstable();
        let (mut crowded, mut opposed) = (Vec::new(), Vec::new());
        for users in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            match users.len() {
                2 if users[0].3 == users[1].3 => opposed.push([users[0], users[1]]),
                0..=2 => {}
                _ => crowded.push(users.to_vec()),
            }
        }
        for users in crowded {
            let (a, b) = (self.vertex(users[0].0), self.vertex(users[0].1));
            let triangles: Vec<u32> = users.iter().map(|s| self.triangle(s.2 as usize)).collect();
            let message =
                format!("the edge between vertices {a} and {b} belongs to {} triangles {triangles:?}", users.len());
            self.add(FaultOf::NonManifoldEdge, vec![a, b], Some(self.middle(&users[0])), message);
        }
        if opposed.is_empty() {
            return;
        }
        let found = orientation(&mesh.triangles, |t| self.void[t]);
        let mut told = std::collections::BTreeSet::new();
        for [first, second] in opposed {
            let place = Some(self.middle(&first));
            let triangles = vec![self.triangle(first.2 as usize), self.triangle(second.2 as usize)];
            let piece = found.piece[first.2 as usize];
            if !found.two_sided[piece as usize] {
                let message =
                    format!("triangles {triangles:?} belong to a piece with one side only, like a Möbius strip");
                if told.insert(piece) {
                    self.add(FaultOf::OneSided, triangles, place, message);
                }
                continue;
            }
            let (a, b) = (self.vertex(first.0), self.vertex(first.1));
            let message =
                format!("triangles {triangles:?} face opposite ways along the edge between vertices {a} and {b}");
            self.add(FaultOf::InconsistentWinding, triangles, place, message);
        }
    }

    fn middle(&self, side: &(u32, u32, u32, bool)) -> DVec3 {
        let positions = &self.surface.mesh.positions;
        0.5 * (positions[side.0 as usize] + positions[side.1 as usize])
    }

    fn lonely_vertices(&mut self) {
        let mesh = &self.surface.mesh;
        let mut seen = vec![false; mesh.positions.len()];
        mesh.triangles.iter().flatten().for_each(|&v| seen[v as usize] = true);
        for v in (0..seen.len()).filter(|&v| !seen[v]) {
            let file = self.vertex(v as u32);
            let message = format!("vertex {file} belongs to no triangle");
            self.add(FaultOf::IsolatedVertex, vec![file], Some(mesh.positions[v]), message);
        }
    }

    fn shared_places(&mut self) {
        let mesh = &self.surface.mesh;
        let mut known: HashMap<[u64; 3], u32> = HashMap::new();
        for (v, p) in mesh.positions.iter().enumerate().filter(|(_, p)| p.is_finite()) {
            let key = (*p + DVec3::ZERO).to_array().map(f64::to_bits);
            if let Some(&first) = known.get(&key) {
                let pair = vec![self.vertex(first), self.vertex(v as u32)];
                let message = format!("vertices {} and {} stand at the same place", pair[0], pair[1]);
                self.add(FaultOf::DuplicateVertex, pair, Some(*p), message);
            } else {
                known.insert(key, v as u32);
            }
        }
    }

    fn pattern(&mut self) {
        let mesh = &self.surface.mesh;
        if mesh.uv.is_empty() && !mesh.triangles.is_empty() {
            self.add(FaultOf::UvMissing, Vec::new(), None, "the mesh has no pattern coordinates".into());
            return;
        }
        let (mut pattern, mut space) = (0.0, 0.0);
        for (t, uv) in mesh.uv.iter().enumerate() {
            let file = self.triangle(t);
            let place = Some(self.centre(t));
            if uv.iter().any(|p| !p.is_finite()) {
                let message = format!("triangle {file} has no pattern coordinates");
                self.add(FaultOf::UvMissing, vec![file], place, message);
                continue;
            }
            let sides: [DVec2; 3] = [uv[1] - uv[0], uv[2] - uv[0], uv[2] - uv[1]];
            let longest = sides.iter().map(|s| s.length_squared()).fold(0.0, f64::max);
            let twice = sides[0].perp_dot(sides[1]);
            if twice.abs() <= DEGENERATE_AREA_RATIO * longest {
                self.add(FaultOf::UvZeroArea, vec![file], place, format!("triangle {file} has no area in its pattern"));
            }
            let corners = mesh.triangles[t].map(|v| mesh.positions[v as usize]);
            pattern += sides.iter().map(|s| s.length()).sum::<f64>();
            space += (0..3).map(|k| (corners[k] - corners[(k + 1) % 3]).length()).sum::<f64>();
        }
        self.folds();
        let ratio = pattern / space;
        if !(1.0 / PATTERN_FACTOR..=PATTERN_FACTOR).contains(&ratio) && ratio.is_finite() {
            let message =
                format!("edges of the pattern are {ratio:.3} times as long as the mesh's: it is not in metres");
            self.add(FaultOf::UvScale, Vec::new(), None, message);
        }
    }

    fn folds(&mut self) {
        for region in turned_regions(&self.surface.mesh, |t| self.void[t]) {
            let files: Vec<u32> = region.iter().map(|&t| self.triangle(t as usize)).collect();
            let message = match &files[..] {
                [one] => format!("triangle {one} is turned over in the pattern"),
                [first, rest @ ..] => {
                    format!("triangle {first} and {} others around it are turned over in the pattern", rest.len())
                }
                [] => continue,
            };
            self.add(FaultOf::UvFolded, files, Some(self.centre(region[0] as usize)), message);
        }
    }

    fn size(&mut self) {
        let size = size_of(self.surface);
        if size > LARGEST_SIZE {
            let message = format!("the mesh is {size:.1} m large, which looks like another unit: {}", in_units(size));
            self.add(FaultOf::Scale, Vec::new(), None, message);
        }
    }
}
