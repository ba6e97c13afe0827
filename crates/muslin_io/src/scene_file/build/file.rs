//! `shape = { kind = "file", … }`: meshes and animations from files beside the scene.

use super::maps::Maps;
use crate::{
    meshes::{
        self, CHECK_PATH, FileMesh, MeshFileError, UpAxis,
        caches::{read_cache, read_sequence},
        health::{FaultOf, Purpose, faults},
        pattern::{RestShape, purpose},
        repair::{REPAIRS, plan, repair},
        size::doubtful_size,
        surface::{Choice, Surface},
    },
    scene_file::{reader::Reader, suggest::one_of},
};
use glam::DVec3;
use muslin_model::{AfterEnd, Animation, Clock, Deformation, Mesh};
use std::{path::PathBuf, sync::Arc};

/// A cloth's mesh with its rest shape, and the file's values for maps; `None` after a fault.
pub fn cloth(keys: &Reader<'_>) -> Option<(Mesh, Maps)> {
    let file = keys.text("path").map(|path| meshes::read(keys.folder().join(path)));
    let file = accept(keys, "path", file?)?;
    let choice = choice(keys);
    let mut surface = take(keys, &file, &choice)?;
    let repairs = mend(keys, &mut surface);
    let asked = keys.variant("rest").map(|(name, _)| if name == "mesh" { RestShape::Mesh } else { RestShape::Pattern });
    let (purpose, why) = purpose(&surface, asked);
    if let Some(why) = why {
        keys.note(format!("`{}`: {why}", keys.text("path").unwrap_or_default()));
    }
    judge(keys, &(&file, &choice, repairs), &surface, purpose);
    tell_unmoved(keys, &file);
    if purpose == Purpose::ClothByShape {
        surface.mesh.rest_from_positions();
        // Triangles that are flattened one by one make no picture.
        surface.mesh.texture.resize(surface.mesh.triangles.len(), None);
    } else {
        // A pattern's coordinates are lengths, and lengths are written in metres.
        let unit = choice.unit(&file);
        surface.mesh.texture.iter_mut().flatten().flatten().for_each(|p| *p *= unit);
    }
    let maps = Maps::new(file, &surface);
    Some((surface.mesh, maps))
}

/// An obstacle's mesh and animation; `None` after a fault.
pub fn obstacle(keys: &Reader<'_>) -> Option<(Mesh, Option<Animation>)> {
    let path = keys.folder().join(keys.text("path")?);
    let rate = keys.number("frames_per_second");
    let sequence = path.to_string_lossy().contains('*');
    let (file, frames) = if sequence {
        let (file, frames) = accept(keys, "path", read_sequence(&path, rate))?;
        (file, Some(Arc::new(frames) as Arc<dyn Deformation>))
    } else {
        (accept(keys, "path", meshes::read(&path))?, None)
    };
    let choice = choice(keys);
    let mut surface = take(keys, &file, &choice)?;
    let repairs = mend(keys, &mut surface);
    judge(keys, &(&file, &choice, repairs), &surface, Purpose::Obstacle);
    surface.mesh.uv = Vec::new();
    tell_unmoved(keys, &file);
    let deformation = match (keys.text("animation"), frames) {
        (None, frames) => frames,
        (Some(name), _) => Some(animation(keys, &name, &file, rate)?),
    };
    let Some(deformation) = deformation else {
        for key in ["offset", "speed", "lead_in", "after"].into_iter().filter(|k| keys.has(k)) {
            keys.fault(keys.place(key), format!("`{key}` has no effect without an animation"))
                .help("name one with `animation`, or a sequence with `*` in `path`");
        }
        return Some((surface.mesh, None));
    };
    if deformation.vertices() != file.positions.len() {
        let message = format!(
            "the animation moves {} vertices, but the file has {}",
            deformation.vertices(),
            file.positions.len()
        );
        keys.fault(keys.place("animation"), message).help("use the mesh that the cache was made for");
        return None;
    }
    let all = surface.file_vertices.iter().enumerate().all(|(k, &v)| k == v as usize);
    let deformation = if all && surface.file_vertices.len() == file.positions.len() {
        deformation
    } else {
        deformation.select(&surface.file_vertices)
    };
    let clock = Clock {
        offset: keys.number("offset"),
        speed: keys.number("speed"),
        lead_in: keys.number("lead_in"),
        after: if keys.variant("after").is_some_and(|(name, _)| name == "loop") {
            AfterEnd::Loop
        } else {
            AfterEnd::Hold
        },
    };
    if clock.offset > deformation.duration() {
        let message = format!("`offset` must be at most the animation's length {} s", deformation.duration());
        keys.fault(keys.place("offset"), message);
    }
    let animation = Animation { deformation, clock, linear: choice.linear(&file), translation: DVec3::ZERO };
    Some((surface.mesh, Some(animation)))
}

/// The vertices of a drape of a cloth with so many; `None` after a fault.
pub fn drape(keys: &Reader<'_>, vertices: usize) -> Option<Vec<DVec3>> {
    let path = keys.text("wrinkle_drape")?;
    let file = accept(keys, "wrinkle_drape", meshes::read(keys.folder().join(&path)))?;
    if file.positions.len() != vertices {
        let found = file.positions.len();
        let message = format!("`{path}` has {found} vertices, but the cloth has {vertices}");
        keys.fault(keys.place("wrinkle_drape"), message).help("use a frame of a run of this cloth at this resolution");
        return None;
    }
    Some(file.positions)
}

/// Notes motion of a file that is not read.
fn tell_unmoved(keys: &Reader<'_>, file: &FileMesh) {
    let path = keys.text("path").unwrap_or_default();
    for what in &file.unmoved {
        keys.note(format!("`{path}`: not read: {what}; it stands still where it is at first"));
    }
}

fn animation(keys: &Reader<'_>, name: &str, file: &FileMesh, rate: f64) -> Option<Arc<dyn Deformation>> {
    if let Some(clip) = file.clips.iter().find(|c| c.name == name) {
        return Some(clip.deformation.clone());
    }
    let lower = name.to_ascii_lowercase();
    let packed = lower.trim_end_matches(".gz").trim_end_matches(".xz");
    if packed.ends_with(".pc2") || packed.ends_with(".mdd") {
        let frames = accept(keys, "animation", read_cache(&keys.folder().join(name), rate))?;
        return Some(Arc::new(frames));
    }
    let names: Vec<&str> = file.clips.iter().map(|c| c.name.as_str()).collect();
    let mut fault = keys.fault(keys.place("animation"), format!("the file has no animation `{name}`"));
    match names.is_empty() {
        true => fault.help("it has none; name a .pc2 or .mdd file"),
        false => fault.help(format!("it has {}", one_of(names))),
    };
    None
}

/// Reports a file that cannot be read.
fn accept<T>(keys: &Reader<'_>, key: &str, result: Result<T, MeshFileError>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            let MeshFileError { file, place, kind, message, remedy } = error;
            // A scene's paths have a place to start from; other commands' have none.
            let remedy =
                if remedy == CHECK_PATH { format!("{CHECK_PATH}; it is relative to the scene file") } else { remedy };
            let plain = MeshFileError { file, place, kind, message, remedy: String::new() };
            let text = plain.to_string();
            let mut fault = keys.fault(keys.place(key), text.trim_end_matches("; ").to_string());
            fault.help(remedy).mesh_file = Some(plain.file);
            None
        }
    }
}

fn choice(keys: &Reader<'_>) -> Choice {
    let metres_per_unit = keys.variant("unit").map(|(name, _)| match name {
        "cm" => 0.01,
        "mm" => 0.001,
        "inch" => 0.0254,
        _ => 1.0,
    });
    let up = keys.variant("up").map(|(name, _)| if name == "y" { UpAxis::Y } else { UpAxis::Z });
    Choice { parts: keys.texts("parts"), metres_per_unit, up }
}

fn take(keys: &Reader<'_>, file: &FileMesh, choice: &Choice) -> Option<Surface> {
    match choice.surface(file) {
        Ok(surface) => Some(surface),
        Err(unknown) => {
            let mut fault = keys.fault(keys.place("parts"), format!("the file has no part `{unknown}`"));
            match file.parts.is_empty() {
                true => fault.help("it names no parts: leave `parts` out"),
                false => fault.help(format!("it has {}", one_of(file.parts.iter().map(|p| p.name.as_str()).take(20)))),
            };
            None
        }
    }
}

/// Makes the repairs that are asked for; returns their names.
fn mend(keys: &Reader<'_>, surface: &mut Surface) -> Vec<String> {
    let names = keys.names("repair", &REPAIRS);
    let done = repair(surface, &names);
    if !done.is_empty() {
        let path = keys.text("path").unwrap_or_default();
        keys.note(format!("`{path}` was repaired: {}", done.join(", ")));
    }
    names
}

/// A mesh as its file has it, what was chosen of it, and the repairs that were made.
type Taken<'a> = (&'a FileMesh, &'a Choice, Vec<String>);

/// Faults of one kind that are shown; the rest is counted.
const SHOWN: usize = 3;

/// Reports what is wrong with a mesh, and all repairs that it needs together. A size that was declared is not doubted.
fn judge(keys: &Reader<'_>, (mesh, choice, made): &Taken<'_>, surface: &Surface, purpose: Purpose) {
    let mut found = faults(surface, purpose);
    found.retain(|fault| fault.kind != FaultOf::Scale || !keys.has("unit"));
    if let Some(doubt) = doubtful_size(surface).filter(|_| !keys.has("unit")) {
        keys.note(format!("`{}`: {doubt}", keys.text("path").unwrap_or_default()));
    }
    let file = keys.text("path").map(|path| keys.folder().join(path).display().to_string());
    let mut repairs = match found.is_empty() {
        true => None,
        false => choice.surface(mesh).ok().and_then(|whole| plan(&whole, purpose, made)),
    };
    for same in found.chunk_by(|a, b| a.kind == b.kind) {
        for fault in same.iter().take(SHOWN) {
            let mut told = keys.fault(keys.place("path"), fault.to_string());
            (told.mesh, told.mesh_file) = (vec![fault.clone()], file.clone());
            told.help.extend(repairs.take().map(|plan| plan.to_string()));
        }
        if same.len() > SHOWN {
            let message = format!("{} more faults of the kind {}", same.len() - SHOWN, same[0].kind.name());
            let mut rest = keys.fault(keys.place("path"), message);
            rest.help("`muslin check` lists all faults of a mesh").mesh = same[SHOWN..].to_vec();
            rest.mesh_file.clone_from(&file);
        }
    }
}

/// The folder that paths in a scene are relative to.
pub fn folder_of(scene: &str) -> PathBuf {
    std::path::Path::new(scene).parent().map(PathBuf::from).unwrap_or_default()
}
