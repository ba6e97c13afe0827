//! A scene that cannot run, shown with what is wrong: its bodies as they lie, the faulty elements marked.
//!
//! Two kinds of faults have a place. Mesh files are read once more as the scene asks for them and judged; a
//! start where bodies touch is built without contact.

use crate::{
    describe,
    document::{Document, MeshFile},
    faults::{Fault, crossings},
    skin::Skin,
    wire::{self, Caption},
};
use glam::DVec3;
use muslin::{
    Scene,
    io::meshes::{
        self,
        health::{FaultOf, Purpose, faults},
        pattern::{RestShape, purpose},
        repair::repair,
        surface::{Choice, Surface},
    },
    model::{Body, BodyKind, Mesh},
    sim::{SimError, Simulation, settings::ContactMethod},
};
use serde_json::{Value, json};

/// Faults of a mesh that are listed one by one.
const MOST_LISTED: usize = 100;

/// What is shown of a faulty scene.
pub struct Exhibit {
    mesh: Mesh,
    bodies: Vec<Body>,
    skin: Skin,
    /// What is wrong, with elements of the exhibit.
    pub faults: Vec<Fault>,
}

impl Exhibit {
    /// The faulty meshes of a scene file; `None` if no mesh is to blame.
    pub fn of_files(document: &Document) -> Option<Self> {
        let (mut mesh, mut bodies, mut found) = (Mesh::default(), Vec::new(), Vec::new());
        // Cloths first, as everywhere.
        let (cloths, obstacles): (Vec<_>, Vec<_>) =
            document.mesh_files().into_iter().partition(|file| file.kind == BodyKind::Cloth);
        for file in cloths.into_iter().chain(obstacles) {
            let Some((surface, purpose)) = read(&file) else { continue };
            let first = [mesh.positions.len() as u32, mesh.triangles.len() as u32];
            let own = faults(&surface, purpose);
            let listed = own.iter().take(MOST_LISTED).map(|fault| {
                let [vertices, triangles] = elements(&surface, fault.kind, &fault.elements);
                let message = format!("{}: {fault}", file.path.display());
                Fault {
                    message,
                    vertices: vertices.iter().map(|v| v + first[0]).collect(),
                    triangles: triangles.iter().map(|t| t + first[1]).collect(),
                }
            });
            found.extend(listed);
            let Mesh { positions, triangles, .. } = surface.mesh;
            mesh.positions.extend(positions);
            mesh.triangles.extend(triangles.iter().map(|t| t.map(|v| v + first[0])));
            bodies.push(Body {
                name: file.name,
                kind: file.kind,
                vertices: first[0] as usize..mesh.positions.len(),
                triangles: first[1] as usize..mesh.triangles.len(),
            });
        }
        (!found.is_empty() && !mesh.triangles.is_empty()).then(|| Exhibit::new(mesh, bodies, found))
    }

    /// A scene whose start is refused by contact; `None` if that is not its fault.
    pub fn of_start(scene: &Scene, error: &SimError) -> Option<Self> {
        let SimError::StartsTooNear { first, .. } = error else { return None };
        let mut scene = scene.clone();
        scene.settings.contact.method = ContactMethod::None;
        let simulation = Simulation::new(&scene).ok()?;
        let model = simulation.model();
        let mut faults = vec![Fault { message: error.to_string(), vertices: first.to_vec(), triangles: Vec::new() }];
        faults.extend(crossings(model, &simulation.state().positions));
        Some(Exhibit::new(model.mesh.clone(), model.bodies.clone(), faults))
    }

    fn new(mesh: Mesh, bodies: Vec<Body>, faults: Vec<Fault>) -> Self {
        // All in the part that comes with frames: elements are marked there.
        let skin = Skin::new(&mesh, &bodies, &vec![true; bodies.len()]);
        Exhibit { mesh, bodies, skin, faults }
    }

    /// What a page is told of it.
    pub fn describe(&self, name: &str) -> Value {
        let finite: Vec<DVec3> =
            self.mesh.positions.iter().map(|p| if p.is_finite() { *p } else { DVec3::ZERO }).collect();
        json!([{
            "name": name, "description": "This scene cannot run yet", "framesPerSecond": 60, "frames": 0, "faulty": true,
            "bodies": describe::bodies(&self.mesh, &self.bodies),
            "view": describe::view(&self.mesh, &self.bodies, &[&finite], None),
            "vertices": self.mesh.positions.len(), "triangles": self.mesh.triangles.len(),
        }])
    }

    /// What stays the same, as bytes.
    pub fn topology(&self, epoch: u32) -> Vec<u8> {
        let still = wire::frame(&Caption::default(), &self.skin.still, &[], &[], &[]);
        wire::topology(0, epoch, [&self.skin.moving, &self.skin.still], &still)
    }

    /// The only frame.
    pub fn frame(&self, epoch: u32, sequence: u32) -> Vec<u8> {
        let caption = Caption { epoch, sequence, ..Caption::default() };
        let mut normals = Vec::new();
        self.skin.moving.normals(&self.mesh.positions, &mut normals);
        wire::frame(&caption, &self.skin.moving, &self.mesh.positions, &normals, &[])
    }
}

/// A mesh as the scene asks for it, and what for; `None` if it cannot be read at all.
fn read(file: &MeshFile) -> Option<(Surface, Purpose)> {
    let content = meshes::read(&file.path).ok()?;
    let choice = Choice { parts: file.parts.clone(), metres_per_unit: file.metres_per_unit, up: file.up };
    let mut surface = choice.surface(&content).ok()?;
    repair(&mut surface, &file.repair);
    let asked = file.rest.as_deref().map(|rest| if rest == "mesh" { RestShape::Mesh } else { RestShape::Pattern });
    let purpose = match file.kind {
        BodyKind::Cloth => purpose(&surface, asked).0,
        BodyKind::Obstacle => Purpose::Obstacle,
    };
    Some((surface, purpose))
}

/// Vertices and triangles of a surface that a fault names by the file's numbers.
fn elements(surface: &Surface, kind: FaultOf, named: &[u32]) -> [Vec<u32>; 2] {
    let of = |numbers: &[u32]| -> Vec<u32> {
        named.iter().filter_map(|n| numbers.iter().position(|m| m == n)).map(|k| k as u32).collect()
    };
    match kind {
        FaultOf::NotFinite | FaultOf::IsolatedVertex | FaultOf::DuplicateVertex => {
            [of(&surface.file_vertices), Vec::new()]
        }
        FaultOf::NonManifoldEdge => {
            let ends = of(&surface.file_vertices);
            let triangles = surface.mesh.triangles.iter().enumerate();
            let users = triangles.filter(|(_, t)| ends.iter().all(|v| t.contains(v))).map(|(k, _)| k as u32).collect();
            [ends, users]
        }
        _ => [Vec::new(), of(&surface.file_triangles)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Source;

    fn exhibit(obj: &str) -> Option<Exhibit> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("m.obj"), obj).unwrap();
        let scene = folder.path().join("s.toml");
        std::fs::write(&scene, "duration = 1\n[[cloth]]\nshape = { kind = \"file\", path = \"m.obj\" }\n").unwrap();
        let source = Source { name: scene.display().to_string(), settings: Vec::new() };
        Exhibit::of_files(&Document::read(&source).unwrap())
    }

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";

    #[test]
    fn a_third_triangle_at_an_edge_is_marked_with_both_ends_of_the_edge() {
        let exhibit = exhibit(&format!("{SQUARE}v 0.5 0.5 1\nf 1 3 5\n")).unwrap();
        let fault = exhibit.faults.iter().find(|f| f.message.contains("belongs to 3 triangles")).unwrap();
        assert_eq!((&fault.vertices[..], &fault.triangles[..]), (&[0, 2][..], &[0, 1, 2][..]));
    }

    #[test]
    fn a_triangle_given_twice_is_marked() {
        let exhibit = exhibit(&format!("{SQUARE}f 2 3 1\n")).unwrap();
        assert!(exhibit.faults.iter().any(|f| f.triangles == [0, 2]), "{:?}", exhibit.faults);
    }

    #[test]
    fn a_sound_mesh_is_no_exhibit() {
        assert!(exhibit(SQUARE).is_none());
    }
}
