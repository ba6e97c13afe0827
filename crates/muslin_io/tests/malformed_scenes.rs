//! Malformed scene files and the exact words that refuse them.
//!
//! Every `NAME.toml` of `malformed_scenes/` has its message in `NAME.txt`. Run with `MUSLIN_BLESS=1` to renew the
//! messages after a change of words, and read the difference.

use std::{fs, path::Path};

#[test]
fn malformed_scenes_are_refused_in_exactly_these_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/malformed_scenes");
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    assert!(files.len() >= 50, "only {} files", files.len());
    let mut wrong = Vec::new();
    for path in files {
        let message = match muslin_io::load(&path.to_string_lossy(), &[]) {
            Ok(_) => panic!("{} was accepted", path.display()),
            // Messages name the file as it was given; the folder is not theirs to keep.
            Err(error) => error.to_string().replace(&format!("{}/", folder.display()), "") + "\n",
        };
        let snapshot = path.with_extension("txt");
        if std::env::var_os("MUSLIN_BLESS").is_some() {
            fs::write(&snapshot, &message).unwrap();
        }
        let kept = fs::read_to_string(&snapshot).unwrap_or_default();
        if kept != message {
            wrong.push(format!("{}\nkept:\n{kept}\nfound:\n{message}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
