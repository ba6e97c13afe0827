//! Mesh files: what is read is what was written, and what is broken is refused at its place.

mod caches;
mod gltf;
mod health;
mod obj;
mod packed;
mod ply;
mod shared_data;
mod stl;
mod usda;

use muslin_io::meshes::{FileMesh, MeshFileError, read_bytes};

fn mesh(name: &str, bytes: &[u8]) -> FileMesh {
    read_bytes(name, bytes.to_vec()).unwrap_or_else(|fault| panic!("{fault}"))
}

fn fault(name: &str, bytes: &[u8]) -> MeshFileError {
    match read_bytes(name, bytes.to_vec()) {
        Ok(_) => panic!("this was accepted:\n{}", String::from_utf8_lossy(bytes)),
        Err(fault) => fault,
    }
}
