//! The real `muslin lab`: what it refuses, and that it says so before it works for minutes.

mod common;

use common::muslin;
use std::time::{Duration, Instant};

/// The shortest of the laboratory's tests takes seconds, all of them tens of seconds.
const AT_ONCE: Duration = Duration::from_secs(5);

#[test]
fn a_laboratory_that_could_not_write_does_not_begin() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("file"), "").unwrap();
    for arguments in [&["lab", "canvas", "--out", "file/page"][..], &["lab", "--drapes", "file/sheet.png"]] {
        let begun = Instant::now();
        let output = muslin(directory.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
        assert!(message.contains("error: cannot write into `file") && output.stdout.is_empty(), "{message}");
        assert!(begun.elapsed() < AT_ONCE, "{arguments:?} took {:?}", begun.elapsed());
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn fabrics_that_are_not_there_and_both_kinds_of_test_at_once_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    for (arguments, part) in [
        (&["lab"][..], "--drapes <PNG>"),
        (&["lab", "canvas", "--drapes", "sheet.png"], "cannot be used with"),
        (&["lab", "canvsa"], "did you mean `canvas`?"),
        (&["lab", "nope"], "help: `muslin fabrics` lists them"),
        (
            &["lab", "KES"],
            "names with `KES`: `denim-kes-a`, `denim-kes-b`, `denim-kes-c`, `denim-kes-d`, `denim-kes-e` and 1 more;",
        ),
        (&["fabrics", "shirting"], "did you mean `cotton-shirting`?"),
        (&["fabrics", "cotton"], "names with `cotton`: `"),
        (&["lab", "canvas", "--threads", "0"], "1..=1024"),
    ] {
        let output = muslin(directory.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
