//! A stream that was stopped and taken up again ends with the same bytes.

use super::motion::{add, cast, complete, contents, write};
use muslin_io::output::{Ending, Format, Kept, OutputError, Outputs, remove_leftovers};
use std::{fs, path::Path};

const FRAMES: usize = 10;

fn names(directory: &Path) -> Vec<String> {
    contents(directory).into_keys().collect()
}

#[test]
fn a_stream_taken_up_after_a_kill_ends_with_the_same_bytes_as_one_that_never_stopped() {
    for (format, moves) in Format::ALL.into_iter().flat_map(|f| [(f, false), (f, true)]) {
        let cast = cast(moves);
        let whole = tempfile::tempdir().unwrap();
        write(whole.path(), &[format], &cast, FRAMES);
        for (written, kept) in [(1, 1), (6, 6), (6, 2), (10, 7), (10, 10)] {
            let stopped = tempfile::tempdir().unwrap();
            let mut outputs = Outputs::begin(stopped.path(), &[format], cast.clone()).unwrap();
            add(&mut outputs, &cast, 0..written);
            // A kill: nothing is finished, nothing is dropped.
            std::mem::forget(outputs);
            let mut outputs = Outputs::reopen(stopped.path(), &[format], cast.clone(), kept).unwrap();
            add(&mut outputs, &cast, kept..FRAMES);
            complete(outputs, stopped.path(), &[format]);
            assert_eq!(names(stopped.path()), names(whole.path()), "{format:?}");
            assert!(contents(stopped.path()) == contents(whole.path()), "{format:?} from {written} to {kept}");
        }
    }
}

#[test]
fn half_a_frame_at_the_end_of_a_killed_stream_is_dropped() {
    for format in Format::ALL {
        let cast = cast(true);
        let whole = tempfile::tempdir().unwrap();
        write(whole.path(), &[format], &cast, FRAMES);
        let stopped = tempfile::tempdir().unwrap();
        let mut outputs = Outputs::begin(stopped.path(), &[format], cast.clone()).unwrap();
        add(&mut outputs, &cast, 0..6);
        std::mem::forget(outputs);
        for name in names(stopped.path()).iter().filter(|n| n.contains(".partial")) {
            let path = stopped.path().join(name);
            let mut bytes = fs::read(&path).unwrap();
            bytes.extend_from_slice(&[b'7'; 13]);
            fs::write(&path, bytes).unwrap();
        }
        let mut outputs = Outputs::reopen(stopped.path(), &[format], cast.clone(), 6).unwrap();
        add(&mut outputs, &cast, 6..FRAMES);
        complete(outputs, stopped.path(), &[format]);
        assert!(contents(stopped.path()) == contents(whole.path()), "{format:?}");
    }
}

#[test]
fn a_stream_that_its_user_stopped_is_whole_and_can_be_taken_up() {
    for format in Format::ALL {
        let cast = cast(true);
        let (whole, short) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let files = write(whole.path(), &[format], &cast, FRAMES);
        let stopped = tempfile::tempdir().unwrap();
        let mut outputs = Outputs::begin(stopped.path(), &[format], cast.clone()).unwrap();
        add(&mut outputs, &cast, 0..5);
        assert_eq!(outputs.finish(Ending::Early).unwrap().files, files, "{format:?}");
        // What a reader would open has exactly the frames so far.
        write(short.path(), &[format], &cast, 5);
        let there = contents(stopped.path());
        for (name, bytes) in contents(short.path()) {
            assert!(there.get(&name) == Some(&bytes), "{format:?}: {name}");
        }
        let mut outputs = Outputs::reopen(stopped.path(), &[format], cast.clone(), 5).unwrap();
        add(&mut outputs, &cast, 5..FRAMES);
        complete(outputs, stopped.path(), &[format]);
        assert!(contents(stopped.path()) == contents(whole.path()), "{format:?}");
    }
}

#[test]
fn a_cache_whose_list_of_times_was_cut_and_that_did_not_get_its_name_can_be_taken_up() {
    let (cast, formats) = (cast(true), [Format::Mdd]);
    let [whole, short, stopped] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    write(whole.path(), &formats, &cast, FRAMES);
    write(short.path(), &formats, &cast, 5);
    let mut outputs = Outputs::begin(stopped.path(), &formats, cast.clone()).unwrap();
    add(&mut outputs, &cast, 0..5);
    std::mem::forget(outputs);
    // A disk without room for a copy, and then a disk that refuses to rename, or a kill.
    for name in names(short.path()).iter().filter(|name| name.ends_with(".mdd")) {
        fs::copy(short.path().join(name), stopped.path().join(format!("{name}.partial"))).unwrap();
    }
    let mut outputs = Outputs::reopen(stopped.path(), &formats, cast.clone(), 5).unwrap();
    add(&mut outputs, &cast, 5..FRAMES);
    complete(outputs, stopped.path(), &formats);
    assert!(contents(stopped.path()) == contents(whole.path()));
}

#[test]
fn an_archive_that_lost_the_room_for_its_end_can_be_taken_up() {
    let (cast, formats) = (cast(true), [Format::Npz]);
    let [whole, stopped] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    write(whole.path(), &formats, &cast, FRAMES);
    let mut outputs = Outputs::begin(stopped.path(), &formats, cast.clone()).unwrap();
    add(&mut outputs, &cast, 0..5);
    let seals = outputs.seals();
    std::mem::forget(outputs);
    // A full disk, on which somebody else took the room while a frame that did not fit made way.
    for name in ["frames.npz", "obstacles.npz"] {
        let finished = fs::read(whole.path().join(name)).unwrap();
        let directory = finished.len() - finished.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
        let path = stopped.path().join(format!("{name}.partial"));
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - directory]).unwrap();
    }
    let kept = |frames| Kept { frames, seals: Some(&seals) };
    assert!(Outputs::earlier(stopped.path(), &formats, cast.clone(), kept(6)).is_err(), "one more is not there");
    let mut outputs = Outputs::reopen(stopped.path(), &formats, cast.clone(), kept(5)).unwrap();
    add(&mut outputs, &cast, 5..FRAMES);
    complete(outputs, stopped.path(), &formats);
    assert!(contents(stopped.path()) == contents(whole.path()));
}

#[test]
fn a_stream_with_too_few_frames_is_refused_with_their_number() {
    for format in Format::ALL {
        let cast = cast(true);
        let directory = tempfile::tempdir().unwrap();
        let mut outputs = Outputs::begin(directory.path(), &[format], cast.clone()).unwrap();
        add(&mut outputs, &cast, 0..3);
        std::mem::forget(outputs);
        let before = contents(directory.path());
        match Outputs::reopen(directory.path(), &[format], cast, 5).map(drop) {
            Err(OutputError::TooShort { found: 3, wanted: 5, .. }) => {}
            Err(OutputError::Missing { path }) => assert!(path.to_string_lossy().contains("cloth_0003."), "{path:?}"),
            other => panic!("{format:?}: {other:?}"),
        }
        assert!(contents(directory.path()) == before, "{format:?}: a refusal changes nothing");
    }
}

/// Which files a format cannot do without, one of each kind.
const NEEDED: [(Format, &str); 11] = [
    (Format::Npz, "frames.npz"),
    (Format::Npz, "obstacles.npz"),
    (Format::Ply, "ply/cloth_0001.ply"),
    (Format::Ply, "ply/obstacles_0002.ply"),
    (Format::Obj, "obj/cloth_0000.obj"),
    (Format::Vtk, "vtk/cloth_0001.vtp"),
    (Format::Pc2, "pc2/sheet.pc2"),
    (Format::Mdd, "mdd/tube.mdd"),
    (Format::Usd, "frames.usda"),
    (Format::Gltf, "frames.glb"),
    (Format::Csv, "totals.csv"),
];

#[test]
fn a_lost_file_of_any_format_is_named_and_nothing_is_changed() {
    for ((format, lost), ending) in NEEDED.iter().flat_map(|n| [(*n, Ending::Early), (*n, Ending::Complete)]) {
        let mut cast = cast(true);
        cast.frames = if ending == Ending::Complete { 4 } else { 9 };
        let directory = tempfile::tempdir().unwrap();
        let mut outputs = Outputs::begin(directory.path(), &Format::ALL, cast.clone()).unwrap();
        add(&mut outputs, &cast, 0..5);
        outputs.finish(ending).unwrap();
        if ending == Ending::Complete {
            remove_leftovers(directory.path(), &Format::ALL).unwrap();
        }
        if ending == Ending::Complete {
            Outputs::inspect(directory.path(), &Format::ALL, cast.clone()).unwrap_or_else(|e| panic!("{e}"));
        }
        let path = directory.path().join(lost);
        fs::remove_file(&path).unwrap();
        // What only grows is kept beside the file of a stream that ended early; then it is the growing one that counts.
        let growing = |path: &Path| Path::new(&format!("{}.samples.partial", path.display())).to_path_buf();
        let growing = if format == Format::Mdd && lost.ends_with(".mdd") {
            path.with_extension("mdd.partial")
        } else {
            growing(&path)
        };
        if growing.is_dir() {
            fs::remove_dir_all(&growing).unwrap();
        } else if growing.exists() {
            fs::remove_file(&growing).unwrap();
        }
        let before = contents(directory.path());
        let refused = match ending {
            Ending::Early => Outputs::reopen(directory.path(), &Format::ALL, cast, 5).map(drop),
            Ending::Complete => Outputs::inspect(directory.path(), &Format::ALL, cast).map(drop),
        };
        let text = refused.expect_err(lost).to_string();
        let name = lost.split('.').next().unwrap();
        assert!(text.contains(name) && text.contains("missing") && text.contains("--overwrite"), "{lost}: {text}");
        assert!(contents(directory.path()) == before, "{lost}: a refusal changes nothing");
    }
}

#[test]
fn beginning_anew_replaces_what_an_earlier_run_left() {
    for format in Format::ALL {
        let cast = cast(true);
        let (fresh, used) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(fresh.path(), &[format], &cast, 4);
        write(used.path(), &[format], &cast, FRAMES);
        let mut outputs = Outputs::begin(used.path(), &[format], cast.clone()).unwrap();
        add(&mut outputs, &cast, 0..7);
        std::mem::forget(outputs);
        write(used.path(), &[format], &cast, 4);
        assert_eq!(names(used.path()), names(fresh.path()), "{format:?}");
        assert!(contents(used.path()) == contents(fresh.path()), "{format:?}");
    }
}

#[test]
fn a_file_beside_the_frames_that_was_removed_or_edited_is_written_anew() {
    let cast = cast(true);
    let whole = tempfile::tempdir().unwrap();
    let formats = [Format::Pc2, Format::Mdd];
    write(whole.path(), &formats, &cast, FRAMES);
    let stopped = tempfile::tempdir().unwrap();
    let mut outputs = Outputs::begin(stopped.path(), &formats, cast.clone()).unwrap();
    add(&mut outputs, &cast, 0..6);
    std::mem::forget(outputs);
    let spoil = || {
        fs::write(stopped.path().join("pc2/import_muslin.py"), "# mine").unwrap();
        fs::remove_file(stopped.path().join("mdd/tube.obj")).unwrap();
    };
    spoil();
    let earlier = Outputs::earlier(stopped.path(), &formats, cast.clone(), 6).unwrap();
    let (mut outputs, mended) = earlier.take_up().unwrap();
    assert_eq!(mended, ["pc2/import_muslin.py", "mdd/tube.obj"]);
    add(&mut outputs, &cast, 6..FRAMES);
    complete(outputs, stopped.path(), &formats);
    assert!(contents(stopped.path()) == contents(whole.path()));
    // Of a complete run too.
    spoil();
    assert_eq!(Outputs::inspect(stopped.path(), &formats, cast.clone()).unwrap(), mended);
    assert!(contents(stopped.path()) == contents(whole.path()));
    assert!(Outputs::inspect(stopped.path(), &formats, cast).unwrap().is_empty());
}

#[test]
fn what_a_sequence_weighs_takes_as_much_room_after_a_thousand_frames_as_after_one() {
    let mut cast = cast(true);
    cast.frames = 1000;
    let directory = tempfile::tempdir().unwrap();
    let mut outputs = Outputs::begin(directory.path(), &Format::ALL, cast.clone()).unwrap();
    add(&mut outputs, &cast, 0..1);
    let first = outputs.seals();
    add(&mut outputs, &cast, 1..1000);
    assert_eq!(outputs.seals().len(), first.len());
    assert!(outputs.seals() != first);
}

#[test]
fn a_damaged_list_of_checksums_is_made_anew_and_a_damaged_frame_is_named_by_a_whole_one() {
    let cast = cast(true);
    let directory = tempfile::tempdir().unwrap();
    let mut outputs = Outputs::begin(directory.path(), &[Format::Ply], cast.clone()).unwrap();
    add(&mut outputs, &cast, 0..6);
    let seals = outputs.seals();
    std::mem::forget(outputs);
    let reopen = || {
        let kept = Kept { frames: 6, seals: Some(&seals) };
        Outputs::reopen(directory.path(), &[Format::Ply], cast.clone(), kept).map(|outputs| outputs.seals())
    };
    let list = directory.path().join("ply.checksums.partial");
    let whole = fs::read(&list).unwrap();
    for damaged in [&b""[..], &whole[..40], &[b'x'; 400]] {
        fs::write(&list, damaged).unwrap();
        assert_eq!(reopen().unwrap(), seals);
        assert_eq!(fs::read(&list).unwrap(), whole);
    }
    let frame = directory.path().join("ply/obstacles_0004.ply");
    let mut bytes = fs::read(&frame).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&frame, &bytes).unwrap();
    let text = reopen().unwrap_err().to_string();
    assert!(text.contains("ply/obstacles_0004.ply` is damaged"), "{text}");
}
