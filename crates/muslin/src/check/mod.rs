//! Judges scenes, meshes and frames without running anything: every fault at once.

mod frames;
pub(crate) mod sums;
mod weld;

use muslin_collision::{Intersection, Surface as Collider, intersections_of};
use muslin_io::{
    meshes::{
        self,
        caches::read_cache,
        health::{MeshFault, Purpose, faults},
        pattern::purpose,
        repair::{plan, repair},
        size::doubtful_size,
        surface::{Choice, Surface},
    },
    scene_file::Diagnostic,
};
use muslin_sim::{SimError, Simulation, StartFault, StartFaultKind};
use serde::Serialize;
use std::path::Path;

/// What was found in one file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The file, or the built-in scene.
    pub file: String,
    /// `scene`, `mesh`, `frames` or `cache`.
    pub kind: &'static str,
    /// What the file holds, in words.
    pub holds: String,
    /// Everything that is wrong.
    pub faults: Vec<CheckFault>,
    /// What is odd but stops nothing.
    pub warnings: Vec<String>,
}

/// A fault with its place and remedy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckFault {
    /// Its kind in one word, such as `non-manifold-edge` or `crossing-triangles`.
    pub kind: String,
    /// Vertices or triangles concerned, in the file's numbers from 0.
    pub elements: Vec<u32>,
    /// Where [m], if it is at one place.
    pub place: Option<[f64; 3]>,
    /// In which file, if it is another than the one that is judged: a scene's mesh, a run's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// In which frame, if the file has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<usize>,
    /// What is wrong and what to do.
    pub message: String,
}

impl CheckFault {
    fn plain(kind: &str, message: impl Into<String>) -> Self {
        let (elements, message) = (Vec::new(), message.into());
        CheckFault { kind: kind.into(), elements, place: None, file: None, frame: None, message }
    }
}

impl From<MeshFault> for CheckFault {
    fn from(fault: MeshFault) -> Self {
        CheckFault {
            kind: fault.kind.name().into(),
            message: fault.to_string(),
            elements: fault.elements,
            file: None,
            frame: None,
            place: fault.place.filter(|p| p.is_finite()).map(|p| p.to_array()),
        }
    }
}

/// What a mesh is to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshUse {
    /// Cloth: it needs connectivity, one side, a rest shape, and may not cross itself.
    #[default]
    Cloth,
    /// An obstacle: cloth only touches it, so it may be open, in many pieces, not manifold, and cross itself.
    Obstacle,
}

/// Judges one file: a scene (`.toml` or the name of a built-in one), frames (a run's directory, `.npz`, `.pvd`, a cache
/// with its mesh beside it, a directory of mesh files, a mesh file that moves) or a mesh.
pub fn check(file: &str, mesh_use: MeshUse) -> Verdict {
    let lower = file.to_ascii_lowercase();
    let unpacked = lower.strip_suffix(".gz").or(lower.strip_suffix(".xz")).unwrap_or(&lower);
    if unpacked.ends_with(".pc2") || unpacked.ends_with(".mdd") {
        if Path::new(file).with_extension("obj").exists() { frames::frames(file) } else { cache(file) }
    } else if unpacked.ends_with(".npz") || unpacked.ends_with(".pvd") || Path::new(file).is_dir() {
        frames::frames(file)
    } else if unpacked.ends_with(".toml") || muslin_io::builtin::find(file).is_some() {
        scene(file)
    } else {
        mesh(file, mesh_use)
    }
}

/// So many of something.
fn counted(count: usize, thing: &str) -> String {
    let many = if thing == "vertex" {
        "vertices".into()
    } else if thing == "body" {
        "bodies".into()
    } else {
        format!("{thing}s")
    };
    format!("{count} {}", if count == 1 { thing } else { &many })
}

/// What a diagnostic of a scene tells: a fault of the text, or those of a mesh that it names.
fn faults_of(diagnostic: &Diagnostic) -> Vec<CheckFault> {
    let file = diagnostic.mesh_file.clone();
    if diagnostic.mesh.is_empty() {
        return vec![CheckFault { file, ..CheckFault::plain("scene", diagnostic.to_string()) }];
    }
    let place = diagnostic.location.as_ref().map_or(String::new(), |at| format!("{at}: "));
    let place = file.as_ref().map_or(place.clone(), |file| format!("{place}`{file}`: "));
    let at = |mut fault: CheckFault| {
        fault.message.insert_str(0, &place);
        CheckFault { file: file.clone(), ..fault }
    };
    diagnostic.mesh.iter().cloned().map(CheckFault::from).map(at).collect()
}

fn scene(file: &str) -> Verdict {
    let mut verdict = Verdict::new(file, "scene");
    let loaded = match muslin_io::load(file, &[]) {
        Ok(loaded) => loaded,
        Err(muslin_io::SceneError::Invalid(found)) => {
            verdict.faults = found.0.iter().flat_map(faults_of).collect();
            return verdict;
        }
        Err(error) => {
            verdict.faults.push(CheckFault::plain("unreadable", error.to_string()));
            return verdict;
        }
    };
    verdict.warnings = loaded.warnings;
    let simulation = match Simulation::new(&loaded.scene) {
        Ok(simulation) => simulation,
        Err(SimError::StartsTooNear { faults, described, .. }) => {
            verdict.faults.extend(faults.iter().zip(described).map(|(fault, words)| starts_badly(fault, words)));
            return verdict;
        }
        Err(error) => {
            verdict.faults.push(CheckFault::plain("model", error.to_string()));
            return verdict;
        }
    };
    verdict.warnings.extend(simulation.warnings());
    let model = simulation.model();
    verdict.holds = format!(
        "{}, {}, {}, {}, {}",
        counted(loaded.scene.cloths.len(), "cloth"),
        counted(loaded.scene.obstacles.len(), "obstacle"),
        counted(model.mesh.positions.len(), "vertex"),
        counted(model.mesh.triangles.len(), "triangle"),
        counted(loaded.scene.frames(), "frame")
    );
    let body = |t: u32| model.bodies.iter().find(|b| b.triangles.contains(&(t as usize)));
    let name = |t: u32| {
        body(t)
            .map_or(format!("triangle {t}"), |b| format!("triangle {} of `{}`", t as usize - b.triangles.start, b.name))
    };
    // What stands still in itself is no concern of the cloth.
    let cloth = model.cloth_triangles();
    let concerns = |t: u32| cloth.contains(&(t as usize));
    crossing(&simulation.state().positions, &model.mesh.triangles, &mut verdict.faults, &concerns, &name);
    verdict
}

/// A place where contact would not let a scene start.
fn starts_badly(fault: &StartFault, words: String) -> CheckFault {
    let kind = match fault.kind {
        StartFaultKind::Crossing => "crossing-triangles",
        StartFaultKind::TooNear => "too-near",
        StartFaultKind::Inside => "inside",
    };
    let message = format!(
        "{words}; move the bodies apart, let `[start] untangle = true` push them apart, or list them in `[[start.exempt]]`"
    );
    let elements = fault.crossing.map_or(fault.sides.concat(), |triangles| triangles.to_vec());
    let place = Some(fault.place.to_array());
    CheckFault { elements, place, ..CheckFault::plain(kind, message) }
}

fn mesh(file: &str, mesh_use: MeshUse) -> Verdict {
    let mut verdict = Verdict::new(file, "mesh");
    let mesh = match meshes::read(Path::new(file)) {
        Ok(mesh) => mesh,
        Err(error) => {
            verdict.faults.push(CheckFault::plain("unreadable", error.to_string()));
            return verdict;
        }
    };
    let mesh_use = if mesh.skinned && mesh_use == MeshUse::Cloth {
        verdict.warnings.push("bones move it, so it was judged as an obstacle, in its rest pose".into());
        MeshUse::Obstacle
    } else {
        mesh_use
    };
    if !mesh.clips.is_empty() && mesh_use == MeshUse::Cloth {
        // What moves by itself is no cloth to begin with, but the frames of one.
        return frames::frames(file);
    }
    verdict.warnings.extend(mesh.ignored.iter().chain(&mesh.unmoved).map(|what| format!("not read: {what}")));
    verdict.holds = format!(
        "{}, {}, {}, {}",
        counted(mesh.positions.len(), "vertex"),
        counted(mesh.triangles.len(), "triangle"),
        counted(mesh.parts.len(), "part"),
        counted(mesh.clips.len(), "animation")
    );
    let Ok(surface) = Choice::default().surface(&mesh) else { return verdict };
    let (purpose, why) = match mesh_use {
        MeshUse::Obstacle => (Purpose::Obstacle, None),
        MeshUse::Cloth => purpose(&surface, None),
    };
    verdict.warnings.extend(why);
    verdict.warnings.extend(doubtful_size(&surface));
    verdict.faults = faults(&surface, purpose).into_iter().map(CheckFault::from).collect();
    verdict.warnings.extend(plan(&surface, purpose, &[]).map(|plan| format!("in a scene, {plan}")));
    if mesh_use == MeshUse::Obstacle {
        return verdict;
    }
    let matter = faults(&surface, Purpose::Obstacle).len();
    if surface.mesh.positions.iter().all(|p| p.is_finite()) {
        crossings_of(surface, &mut verdict.faults);
    }
    if verdict.faults.len() > matter {
        let none = verdict.faults.len() - matter;
        let matter = if none == 1 { "matters" } else { "matter" };
        let text = format!("{none} of these faults {matter} for cloth only; `--obstacle` judges it as an obstacle");
        verdict.warnings.push(text);
    }
    verdict
}

/// Crossing triangles of a mesh. Triangles that only touch because a file repeats their vertices, or that have faults
/// of their own, are put right first in a copy.
fn crossings_of(mut surface: Surface, faults: &mut Vec<CheckFault>) {
    let repairs = ["merge-vertices", "remove-degenerate", "remove-duplicates"].map(String::from);
    repair(&mut surface, &repairs);
    let file = surface.file_triangles.clone();
    let name = |t: u32| format!("triangle {}", file[t as usize]);
    let before = faults.len();
    crossing(&surface.mesh.positions, &surface.mesh.triangles, faults, &|_| true, &name);
    for fault in &mut faults[before..] {
        fault.elements.iter_mut().for_each(|t| *t = file.get(*t as usize).copied().unwrap_or(*t));
    }
}

/// Looks for triangles that cross, of which at least one is a concern of the cloth.
fn crossing(
    positions: &[glam::DVec3],
    triangles: &[[u32; 3]],
    faults: &mut Vec<CheckFault>,
    concerns: &dyn Fn(u32) -> bool,
    name: &dyn Fn(u32) -> String,
) {
    let found = collider(positions.len(), triangles).and_then(|collider| crossings(&collider, positions, concerns));
    tell(found, faults, name);
}

/// A mesh as the judge sees it, or why it cannot.
fn collider(vertices: usize, triangles: &[[u32; 3]]) -> Result<Collider, String> {
    Collider::new(vertices, triangles).map_err(|error| error.to_string())
}

/// What crosses at some positions, or why nobody can tell.
fn crossings(
    collider: &Collider,
    positions: &[glam::DVec3],
    concerns: impl Fn(u32) -> bool,
) -> Result<Vec<Intersection>, String> {
    intersections_of(collider, positions, concerns).map_err(|error| error.to_string())
}

/// Adds what was found to some faults.
fn tell(found: Result<Vec<Intersection>, String>, faults: &mut Vec<CheckFault>, name: &dyn Fn(u32) -> String) {
    match found {
        Ok(found) => faults.extend(found.iter().map(|i| {
            let (place, [a, b]) = (0.5 * (i.witness[0] + i.witness[1]), i.triangles.map(name));
            let message = format!(
                "{a} and {b} cross at ({:.6}, {:.6}, {:.6}) m; move the surfaces apart",
                place.x, place.y, place.z
            );
            let kind = "crossing-triangles".into();
            let (elements, place) = (i.triangles.to_vec(), Some(place.to_array()));
            CheckFault { kind, elements, place, file: None, frame: None, message }
        })),
        Err(message) => {
            faults.push(CheckFault::plain("not-checked", format!("crossings were not looked for: {message}")))
        }
    }
}

/// What is said of a cache that was judged by itself.
const NO_MESH: &str = "only its header, its times and its numbers were judged: a cache has no triangles, so nobody can say whether \
                       they cross or fit a mesh; put its mesh beside it as an OBJ file of the same name to judge both";

/// A cache without its mesh: whether it is whole, its times ascend and all positions are numbers.
fn cache(file: &str) -> Verdict {
    use muslin_model::Deformation;
    let mut verdict = Verdict::new(file, "cache");
    let frames = match read_cache(Path::new(file), 1.0) {
        Ok(frames) => frames,
        Err(error) => {
            verdict.faults.push(CheckFault::plain("unreadable", error.to_string()));
            return verdict;
        }
    };
    verdict.holds = format!("{}, {}", counted(frames.vertices(), "vertex"), counted(frames.frames(), "frame"));
    verdict.warnings.push(NO_MESH.into());
    verdict
}

impl Verdict {
    fn new(file: &str, kind: &'static str) -> Self {
        Verdict { file: file.into(), kind, holds: String::new(), faults: Vec::new(), warnings: Vec::new() }
    }
}
