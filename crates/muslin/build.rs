//! Names the build, so that a checkpoint knows whether the program that reads it is the one that wrote it.
//!
//! The version alone does not tell: between two releases, or with other compiler flags, the same version gives other
//! bits. The name is a hash of what bits depend on: the sources of all crates, the dependencies' versions, the compiler
//! and its flags. It does not depend on where the sources lie.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// What of the compiler's settings bits depend on.
const SETTINGS: [&str; 6] =
    ["CARGO_PKG_VERSION", "TARGET", "OPT_LEVEL", "DEBUG", "CARGO_CFG_TARGET_FEATURE", "CARGO_ENCODED_RUSTFLAGS"];

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let crates = here.parent().map_or_else(|| here.clone(), Path::to_path_buf);
    let mut files = Vec::new();
    // Alone, outside of its workspace, the crate's own sources and its version have to do.
    let folders = if crates.join("muslin_model").is_dir() { fs::read_dir(&crates)? } else { fs::read_dir(&here)? };
    for folder in folders {
        let folder = folder?.path();
        let sources = if folder.ends_with("src") { folder } else { folder.join("src") };
        if sources.is_dir() {
            println!("cargo:rerun-if-changed={}", sources.display());
            collect(&sources, &mut files)?;
        }
    }
    let lock = crates.join("../Cargo.lock");
    if lock.is_file() {
        println!("cargo:rerun-if-changed={}", lock.display());
        files.push(lock);
    }
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    files.sort();
    for file in &files {
        hash.add(file.strip_prefix(&crates).unwrap_or(file).to_string_lossy().as_bytes());
        hash.add(&fs::read(file)?);
    }
    for name in SETTINGS {
        println!("cargo:rerun-if-env-changed={name}");
        hash.add(env::var(name).unwrap_or_default().as_bytes());
    }
    let compiler = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV").output()?;
    hash.add(&compiler.stdout);
    println!("cargo:rustc-env=MUSLIN_BUILD={:016x}", hash.0);
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// FNV-1a: it only has to notice a change.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in bytes.iter().chain(&length) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
