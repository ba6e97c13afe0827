//! Where things are.

use std::path::PathBuf;

/// The root of the workspace: the folder above this crate's.
pub fn root() -> PathBuf {
    // Asked at run time first, so that a moved checkout with an old build still finds itself.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map_or(env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    manifest.parent().expect("xtask lies inside the workspace").to_path_buf()
}

/// The folder of build products, also when it was moved by `CARGO_TARGET_DIR`.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |moved| root().join(moved))
}

/// An empty folder below `target/xtask`.
pub fn fresh_folder(name: &str) -> Result<PathBuf, String> {
    let folder = target().join("xtask").join(name);
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(failed)?;
    }
    std::fs::create_dir_all(&folder).map_err(failed)?;
    Ok(folder)
}
