//! What a run leaves, to be compared.

use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path};

/// All files below a run, and of the report what does not depend on time and machine.
pub fn contents(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![run.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path).unwrap();
            if path.ends_with("report.json") {
                let mut report: Value = serde_json::from_slice(&bytes).unwrap();
                let fields = report.as_object_mut().unwrap();
                for key in
                    ["threads", "wall_seconds", "cpu_seconds", "total_wall_seconds", "peak_memory_bytes", "stages"]
                {
                    assert!(fields.remove(key).is_some(), "{key}");
                }
                bytes = report.to_string().into_bytes();
            }
            all.insert(path.strip_prefix(run).unwrap().display().to_string(), bytes);
        }
    }
    all
}

/// Asserts that two runs left the same files, byte for byte.
pub fn assert_same(run: &Path, whole: &Path) {
    let (run, whole) = (contents(run), contents(whole));
    assert_eq!(run.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
    whole.iter().for_each(|(name, bytes)| assert!(run[name] == *bytes, "{name} differs"));
}
