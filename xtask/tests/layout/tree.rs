//! The files of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold nothing of ours.
const FOREIGN_FOLDERS: [&str; 5] = [".git", "target", "runs", "__pycache__", "node_modules"];

/// A text file of the workspace.
pub struct SourceFile {
    /// Path relative to the root, with forward slashes.
    pub path: String,
    /// Contents.
    pub text: String,
}

impl SourceFile {
    pub fn extension(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// Line number of a byte position, from 1.
    pub fn line_of(&self, position: usize) -> usize {
        self.text[..position].matches('\n').count() + 1
    }
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies inside the workspace").to_path_buf()
}

/// All text files, sorted by path. Pictures and other binary files are left out.
pub fn text_files() -> Vec<SourceFile> {
    let root = root();
    let mut files = Vec::new();
    collect(&root, &root, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.iter().any(|file| file.path == "Cargo.toml"), "the walk must start at the workspace's root");
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).expect("a folder of the workspace can be listed") {
        let path = entry.expect("an entry of the workspace can be read").path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            if !FOREIGN_FOLDERS.contains(&name.as_str()) {
                collect(root, &path, files);
            }
        } else if name != ".git"
            && let Ok(text) = fs::read_to_string(&path)
        {
            let relative = path.strip_prefix(root).expect("the walk stays inside the root");
            files.push(SourceFile { path: relative.to_string_lossy().replace('\\', "/"), text });
        }
    }
}

/// Fails with all faults listed.
pub fn assert_none(faults: Vec<String>) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
