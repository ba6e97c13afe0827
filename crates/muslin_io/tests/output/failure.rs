//! What cannot be written.

use super::motion::{add, cast, positions};
use muslin_io::output::{Format, Measured, OutputError, Outputs, write_whole};

#[test]
fn writing_into_a_missing_directory_fails_and_names_the_file() {
    let directory = tempfile::tempdir().unwrap();
    assert!(write_whole(&directory.path().join("absent/report.json"), b"{}").is_err());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    match Outputs::begin(&directory.path().join("absent"), &[Format::Npz], cast(false)).map(drop) {
        Err(error @ OutputError::Write { .. }) => assert!(error.to_string().contains("frames.npz"), "{error}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_frame_of_the_wrong_size_is_refused() {
    let (directory, cast) = (tempfile::tempdir().unwrap(), cast(false));
    let mut outputs = Outputs::begin(directory.path(), &Format::ALL, cast.clone()).unwrap();
    add(&mut outputs, &cast, 0..1);
    match outputs.add(1, &positions(&cast, 1)[1..], Measured::default()) {
        Err(OutputError::FrameSize { number: 1, found: 13, expected: 14 }) => {}
        other => panic!("{other:?}"),
    }
}
