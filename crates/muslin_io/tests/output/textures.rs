//! Coordinates of pictures that mesh files bring are shown by every format as they came.

use super::motion::{cast, write};
use glam::DVec2;
use muslin_io::{
    output::{Cast, Format},
    recording::{self, Hints},
};
use muslin_model::Mesh;
use muslin_sim::scene::ClothShape;
use std::{fs, path::Path};

type Corners = Option<[DVec2; 3]>;

/// Coordinates that single precision keeps, apart from all others of the cast.
fn corners(k: usize) -> [DVec2; 3] {
    [0, 1, 2].map(|c| DVec2::new(k as f64 + 0.25 * c as f64, 0.5 - k as f64))
}

/// The sheet's two triangles meet in a seam of the picture, the tube has none, the floor's two share their corners.
fn textured() -> Cast {
    let mut cast = cast(true);
    cast.mesh.texture = vec![None; cast.mesh.triangles.len()];
    cast.mesh.texture[..2].copy_from_slice(&[Some(corners(1)), Some(corners(2))]);
    let [a, b, c] = corners(3);
    cast.mesh.texture[8..].copy_from_slice(&[Some([a, b, c]), Some([a, c, b])]);
    cast
}

fn shown(mesh: &Mesh) -> Vec<Corners> {
    (0..mesh.triangles.len()).map(|t| mesh.shown_uv(t)).collect()
}

const SOURCES: [(Format, &str); 8] = [
    (Format::Npz, ""),
    (Format::Obj, "obj"),
    (Format::Usd, "frames.usda"),
    (Format::Gltf, "frames.glb"),
    (Format::Pc2, "pc2"),
    (Format::Mdd, "mdd"),
    (Format::Ply, "ply"),
    (Format::Vtk, "vtk/frames.pvd"),
];

const HINTS: Hints = Hints { frames_per_second: Some(24.0), otherwise: None };

#[test]
fn pictures_survive_every_format_with_their_seams_and_gaps() {
    for (format, place) in SOURCES {
        let (directory, cast) = (tempfile::tempdir().unwrap(), textured());
        write(directory.path(), &[format], &cast, 2);
        let found = recording::open(&directory.path().join(place), &HINTS).unwrap_or_else(|e| panic!("{e}"));
        let mut expected = shown(&cast.mesh);
        if [Format::Ply, Format::Vtk].contains(&format) {
            // All cloths are one mesh there, and it has coordinates everywhere.
            expected[2..8].fill(Some([DVec2::ZERO; 3]));
        }
        assert_eq!(shown(&found.cast().mesh), expected, "{format:?}");
        assert_eq!(found.cast().mesh.triangles, cast.mesh.triangles, "{format:?}: the order of vertices");
    }
}

#[test]
fn cloth_without_a_picture_is_written_without_coordinates() {
    let mut bare = cast(true);
    bare.mesh.texture = vec![None; bare.mesh.triangles.len()];
    for (format, place) in SOURCES {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), &[format], &bare, 2);
        let found = recording::open(&directory.path().join(place), &HINTS).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(shown(&found.cast().mesh), vec![None; 10], "{format:?}");
    }
}

#[test]
fn coordinates_that_are_no_lengths_are_no_rest_shape_of_a_recording() {
    let (directory, cast) = (tempfile::tempdir().unwrap(), textured());
    write(directory.path(), &[Format::Npz, Format::Ply], &cast, 2);
    let from_meshes = recording::open(&directory.path().join("ply"), &HINTS).unwrap();
    assert!(from_meshes.cast().mesh.uv.is_empty());
    let from_archive = recording::open(directory.path(), &HINTS).unwrap();
    assert_eq!(from_archive.cast().mesh.uv, cast.mesh.uv);
}

#[test]
fn a_packed_archive_gives_the_frames_of_the_stored_one_in_any_order() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    let [mut stored, mut packed] =
        ["frames.npz", "packed.npz"].map(|name| recording::open(&corpus.join(name), &HINTS).unwrap());
    assert_eq!(packed.cast().mesh.triangles, stored.cast().mesh.triangles);
    assert_eq!(packed.cast().mesh.uv, stored.cast().mesh.uv);
    assert_eq!(shown(&packed.cast().mesh), [None, Some([DVec2::splat(0.25); 3])]);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for frame in [2, 0, 1, 1, 2] {
        stored.read(frame, &mut a).unwrap();
        packed.read(frame, &mut b).unwrap();
        assert_eq!(a, b, "frame {frame}");
    }
    stored.read(0, &mut a).unwrap();
    assert_ne!(a, b, "the frames differ");
}

#[test]
fn archives_packed_in_another_way_are_refused_by_name() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus/packed.npz");
    let mut bytes = fs::read(corpus).unwrap();
    // The method of the first entry: 14 is LZMA.
    bytes[8] = 14;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("frames.npz");
    fs::write(&path, bytes).unwrap();
    let error = recording::open(&path, &HINTS).err().expect("refused").to_string();
    assert!(error.contains("`F` is packed by a method other than deflate; write it with `np.savez`"), "{error}");
}

/// The mesh of a scene's only cloth, from an OBJ file.
fn cloth(obj: &str, keys: &str) -> Mesh {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.obj"), obj).unwrap();
    let scene = folder.path().join("s.toml");
    let shape = format!("shape = {{ kind = \"file\", path = \"c.obj\", {keys} }}");
    fs::write(&scene, format!("duration = 1\n[[cloth]]\n{shape}\n")).unwrap();
    let loaded = muslin_io::load(&scene.to_string_lossy(), &[]).unwrap_or_else(|e| panic!("{e}"));
    let ClothShape::Mesh(mesh) = loaded.scene.cloths[0].shape.clone() else { panic!("no mesh") };
    mesh
}

/// A sheet of 1 m whose second triangle is wound the other way.
const WOUND: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt .1 .2\nvt .3 .2\nvt .3 .4\nvt .1 .5\n\
                     f 1/1 2/2 3/3\nf 1/1 4/4 3/3\n";

#[test]
fn a_mesh_whose_rest_shape_is_its_own_keeps_its_picture_through_repairs() {
    let mesh = cloth(WOUND, "rest = \"mesh\", repair = [\"flip-winding\"]");
    let pair = |u: f64, v: f64| DVec2::new(u, v);
    let (a, b, c, d) = (pair(0.1, 0.2), pair(0.3, 0.2), pair(0.3, 0.4), pair(0.1, 0.5));
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(shown(&mesh), [Some([a, b, c]), Some([a, c, d])]);
    assert!((mesh.rest_area(0) - 0.5).abs() < 1e-15, "the rest shape is not the picture");
}

#[test]
fn a_pattern_is_shown_in_metres_and_not_mirrored() {
    // 100 cm; the pattern lies on its face.
    let sheet = "v 0 0 0\nv 100 0 0\nv 100 100 0\nvt 0 0\nvt -100 0\nvt -100 100\nf 1/1 2/2 3/3\n";
    let mesh = cloth(sheet, "unit = \"cm\", repair = [\"mirror-uv\"]");
    assert_eq!(mesh.uv, [[DVec2::ZERO, DVec2::new(1.0, 0.0), DVec2::ONE]]);
    assert_eq!(shown(&mesh), [Some([DVec2::ZERO, DVec2::new(-1.0, 0.0), DVec2::new(-1.0, 1.0)])]);
}

#[test]
fn a_mesh_without_coordinates_has_no_picture_and_a_rest_shape() {
    let mesh = cloth("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n", "rest = \"mesh\"");
    assert_eq!((shown(&mesh), mesh.uv.len()), (vec![None], 1));
}
