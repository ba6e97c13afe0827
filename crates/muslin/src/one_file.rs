//! Conversions into one file that is named: what its format makes, and what each of these files is called then.
//!
//! `drape.pc2` is the first body's cache. What the format keeps in files of their own stands beside it under the same
//! name: its mesh as `drape.obj`, other bodies as `drape.obstacle-ball.obj`, all obstacles of an archive as
//! `drape.obstacles.npz`. Whoever reads `drape.pc2` or `drape.npz` finds them by these names.

use muslin_io::output::{Cast, Format, cache_names};
use muslin_model::BodyKind;
use std::path::{Path, PathBuf};

/// Endings that mean one file and not a directory.
const ENDINGS: [(&str, Format); 9] = [
    ("usda", Format::Usd),
    ("usd", Format::Usd),
    ("glb", Format::Gltf),
    ("csv", Format::Csv),
    ("npz", Format::Npz),
    ("ply", Format::Ply),
    ("obj", Format::Obj),
    ("pc2", Format::Pc2),
    ("mdd", Format::Mdd),
];

/// The format of a file by its name; `None` if that is to be a directory.
pub(crate) fn format_of(out: &Path) -> Option<Format> {
    let ending = out.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    ENDINGS.iter().find(|(name, _)| *name == ending).map(|(_, format)| *format)
}

/// Why one file of a format cannot hold everything; `None` if it can, with files beside it.
pub(crate) fn too_much(format: Format, cast: &Cast) -> Option<String> {
    let frames = cast.frames + 1;
    let one_frame = matches!(format, Format::Ply | Format::Obj);
    let cache = matches!(format, Format::Pc2 | Format::Mdd);
    match cast.moving.first() {
        _ if one_frame && frames > 1 => Some(format!("it holds one frame, and there are {frames}")),
        Some(false) if cache => Some("it holds what moves, and the first body stands still".into()),
        _ => None,
    }
}

/// What a format makes of a cast, by its place in the directory, and what that is to be called; `out` comes first.
pub(crate) fn targets(out: &Path, format: Format, cast: &Cast) -> Vec<(PathBuf, PathBuf)> {
    let whole = |made: &str| vec![(made.into(), out.into())];
    match format {
        Format::Usd => whole("frames.usda"),
        Format::Gltf => whole("frames.glb"),
        Format::Csv => whole("totals.csv"),
        Format::Vtk => whole("vtk/frames.pvd"),
        Format::Npz => {
            let mut files = whole("frames.npz");
            if cast.group(BodyKind::Obstacle).is_some() {
                files.push(("obstacles.npz".into(), beside(out, "obstacles", "npz")));
            }
            files
        }
        Format::Ply | Format::Obj => {
            let groups = [BodyKind::Cloth, BodyKind::Obstacle].into_iter().filter_map(|kind| cast.group(kind));
            let name = |(k, group)| {
                let made = Path::new(format.name()).join(cast.file_name(&group, 0, format.name()));
                (made, if k == 0 { out.into() } else { beside(out, group.name, format.name()) })
            };
            groups.enumerate().map(name).collect()
        }
        Format::Pc2 | Format::Mdd => caches(out, format.name(), cast),
    }
}

/// Caches and meshes of all bodies. Only what moves has a cache.
fn caches(out: &Path, cache: &str, cast: &Cast) -> Vec<(PathBuf, PathBuf)> {
    let mut files = Vec::new();
    for (b, name) in cache_names(cast).iter().enumerate() {
        let body = match cast.bodies[b].kind {
            BodyKind::Cloth => format!("cloth-{name}"),
            BodyKind::Obstacle => name.clone(),
        };
        for ending in [cache, "obj"].into_iter().filter(|ending| *ending == "obj" || cast.moving[b]) {
            let target = match (b, ending) {
                (0, "obj") => out.with_extension("obj"),
                (0, _) => out.into(),
                _ => beside(out, &body, ending),
            };
            files.push((Path::new(cache).join(format!("{name}.{ending}")), target));
        }
    }
    files
}

/// The name of a file that stands beside another one.
fn beside(out: &Path, what: &str, ending: &str) -> PathBuf {
    let mut name = out.file_stem().unwrap_or_default().to_os_string();
    name.push(format!(".{what}.{ending}"));
    out.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin_model::Body;

    fn cast(bodies: &[(&str, BodyKind)]) -> Cast {
        let body = |(name, kind): &(&str, BodyKind)| Body {
            name: (*name).into(),
            kind: *kind,
            vertices: 0..0,
            triangles: 0..0,
        };
        Cast {
            bodies: bodies.iter().map(body).collect(),
            moving: bodies.iter().map(|b| b.0 != "still").collect(),
            ..Cast::default()
        }
    }

    #[test]
    fn every_body_has_a_place_beside_the_file_that_was_named() {
        use BodyKind::{Cloth, Obstacle};
        let cast = cast(&[("sheet", Cloth), ("scarf", Cloth), ("ball", Obstacle), ("still", Obstacle)]);
        let names = |out: &str, format| -> Vec<String> {
            let targets = targets(Path::new(out), format, &cast);
            targets.iter().map(|(made, target)| format!("{} {}", made.display(), target.display())).collect()
        };
        assert_eq!(names("a/x.npz", Format::Npz), ["frames.npz a/x.npz", "obstacles.npz a/x.obstacles.npz"]);
        assert_eq!(names("x.y.glb", Format::Gltf), ["frames.glb x.y.glb"]);
        assert_eq!(names("x.obj", Format::Obj), ["obj/cloth_0000.obj x.obj", "obj/obstacles_0000.obj x.obstacles.obj"]);
        assert_eq!(
            names("x.pc2", Format::Pc2),
            [
                "pc2/sheet.pc2 x.pc2",
                "pc2/sheet.obj x.obj",
                "pc2/scarf.pc2 x.cloth-scarf.pc2",
                "pc2/scarf.obj x.cloth-scarf.obj",
                "pc2/obstacle-ball.pc2 x.obstacle-ball.pc2",
                "pc2/obstacle-ball.obj x.obstacle-ball.obj",
                "pc2/obstacle-still.obj x.obstacle-still.obj",
            ]
        );
    }
}
