//! What cannot be written.

use super::motion::{add, cast, positions};
use muslin_io::{
    output::{Ending, Format, Measured, OutputError, Outputs, write_whole},
    recording::{self, Hints},
};

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

/// A disk of so many KiB, mounted on a directory; gone when dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None` where this user may not mount.
    fn new(kibibytes: usize) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let size = format!("size={kibibytes}k");
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(directory.path());
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        mounted.then_some(SmallDisk(directory))
    }

    fn grow(&self, kibibytes: usize) {
        let size = format!("remount,size={kibibytes}k");
        let grown = std::process::Command::new("mount").args(["-o", &size]).arg(self.0.path()).status();
        assert!(grown.unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0.path()).output();
    }
}

#[test]
fn a_full_disk_is_an_error_and_the_frames_before_it_stay_readable() {
    for (format, place) in [
        (Format::Npz, "frames.npz"),
        (Format::Ply, "ply"),
        (Format::Obj, "obj"),
        (Format::Vtk, "vtk/frames.pvd"),
        (Format::Pc2, "pc2"),
        (Format::Mdd, "mdd"),
        (Format::Usd, "frames.usda"),
        (Format::Gltf, "frames.glb"),
        (Format::Csv, "totals.csv"),
    ] {
        // The times of 20,000 frames take 80 KB of each MDD cache.
        let Some(disk) = SmallDisk::new(if format == Format::Mdd { 512 } else { 256 }) else {
            println!("skipped: mounting a small disk needs root");
            return;
        };
        let mut cast = cast(true);
        cast.frames = 20_000;
        let mut outputs = Outputs::begin(disk.0.path(), &[format], cast.clone()).unwrap();
        let failed = (0..cast.frames).find_map(|k| {
            let added = outputs.add(k, &positions(&cast, k), Measured::default());
            added.err().map(|error| (k, error))
        });
        let (frames, error) = failed.expect("20,000 frames do not fit");
        assert!(matches!(error, OutputError::Write { .. }), "{format:?}: {error}");
        assert!(frames > 0, "{format:?}");
        outputs.finish(Ending::Early).unwrap_or_else(|e| panic!("{format:?}: {e}"));
        let target = disk.0.path().join(place);
        let stray = |name: &String| name.contains(".copy") || name.contains(".room");
        assert!(!super::motion::contents(disk.0.path()).keys().any(stray), "{format:?}");
        if format == Format::Csv {
            let text = std::fs::read_to_string(&target).unwrap();
            assert!(text.ends_with('\n') && text.lines().count() == frames + 1, "{} lines", text.lines().count());
            continue;
        }
        let hints = Hints { frames_per_second: Some(24.0), otherwise: None };
        let holds = |frames: usize| {
            let mut found = recording::open(&target, &hints).unwrap_or_else(|e| panic!("{format:?}: {e}"));
            assert_eq!(found.cast().frames + 1, frames, "{format:?}");
            let mut last = Vec::new();
            found.read(frames - 1, &mut last).unwrap_or_else(|e| panic!("{format:?}: {e}"));
            let off = last.iter().zip(positions(&cast, frames - 1)).map(|(a, b)| (*a - b).length()).fold(0.0, f64::max);
            assert!(off < 1e-3, "{format:?}: the last whole frame is {off} m away");
        };
        holds(frames);
        if format == Format::Mdd {
            // A process that was killed before it finished leaves the growing file alone, with all frames in it.
            let growing: Vec<_> = super::motion::contents(disk.0.path()).into_keys().collect();
            assert!(growing.iter().any(|name| name.ends_with(".mdd.partial")), "{growing:?}");
            for name in growing.iter().filter(|name| name.ends_with(".mdd")) {
                std::fs::remove_file(disk.0.path().join(name)).unwrap();
            }
        }
        // With more room it goes on as if nothing had been.
        disk.grow(64 << 10);
        let mut outputs = Outputs::reopen(disk.0.path(), &[format], cast.clone(), frames).unwrap();
        add(&mut outputs, &cast, frames..frames + 3);
        outputs.finish(Ending::Early).unwrap_or_else(|e| panic!("{format:?}: {e}"));
        holds(frames + 3);
    }
}
