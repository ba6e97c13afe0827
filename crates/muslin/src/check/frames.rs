//! Judges recorded frames: are all positions finite, and does cloth cross anything in any of them?

use super::{
    CheckFault, Verdict, counted, crossing, sums,
    weld::{Welded, weld},
};
use muslin_io::recording::{self, Hints, Recording};
use muslin_model::BodyKind;
use std::path::Path;

/// Frames per second at which an animation is looked at that does not tell its own [1/s].
const RATE: f64 = 24.0;

/// Judges a run's directory, an archive, a list of VTK files, a directory of mesh files, or a cache with its mesh.
pub(super) fn frames(file: &str) -> Verdict {
    let mut verdict = Verdict::new(file, "frames");
    sums::judge(Path::new(file), &mut verdict);
    if !verdict.faults.is_empty() {
        verdict.warnings.push("frames were not judged, because files of them are damaged".into());
        return verdict;
    }
    if let Err(error) = judge(file, &mut verdict) {
        verdict.faults.push(CheckFault::plain("unreadable", error.to_string()));
    }
    verdict
}

fn judge(file: &str, verdict: &mut Verdict) -> Result<(), recording::RecordingError> {
    let mut recording = recording::open(Path::new(file), &Hints { otherwise: Some(RATE), ..Hints::default() })?;
    let (mesh, frames) = (recording.cast().mesh.clone(), recording.cast().frames + 1);
    verdict.holds = format!(
        "{}, {}, {}, {}",
        counted(recording.cast().bodies.len(), "body"),
        counted(mesh.positions.len(), "vertex"),
        counted(mesh.triangles.len(), "triangle"),
        counted(frames, "frame")
    );
    // Damage first: what crosses in damaged frames tells nothing.
    recording.verify()?;
    let welded = weld(&mut *recording)?;
    verdict.faults.extend(welded.doubled.iter().map(|&pair| doubled(&*recording, pair)));
    let mut positions = Vec::new();
    for frame in 0..frames {
        recording.read(frame, &mut positions)?;
        let before = verdict.faults.len();
        let lost = (0..positions.len()).filter(|&v| !positions[v].is_finite());
        verdict.faults.extend(lost.map(|v| {
            let message =
                format!("vertex {v} has the coordinates {}; simulate it again with a shorter step", positions[v]);
            CheckFault { elements: vec![v as u32], ..CheckFault::plain("not-finite", message) }
        }));
        if verdict.faults.len() == before {
            look_for_crossings(&*recording, &welded, &positions, verdict);
        }
        for fault in &mut verdict.faults[before..] {
            fault.message = format!("frame {frame}: {}", fault.message);
            fault.frame = Some(frame);
        }
    }
    Ok(())
}

/// A triangle of cloth that lies on another in all frames.
fn doubled(recording: &dyn Recording, pair: [u32; 2]) -> CheckFault {
    let [a, b] = pair.map(|t| name(recording, t));
    let message = format!("{a} and {b} lie on each other in every frame; remove one of the two layers");
    let corners =
        recording.cast().mesh.triangles[pair[0] as usize].map(|v| recording.cast().mesh.positions[v as usize]);
    let place =
        Some(((corners[0] + corners[1] + corners[2]) / 3.0).to_array()).filter(|p| p.iter().all(|x| x.is_finite()));
    CheckFault { elements: pair.to_vec(), place, ..CheckFault::plain("duplicate-triangle", message) }
}

/// A triangle by its number within its body.
fn name(recording: &dyn Recording, t: u32) -> String {
    match recording.cast().bodies.iter().find(|b| b.triangles.contains(&(t as usize))) {
        Some(b) => format!("triangle {} of `{}`", t as usize - b.triangles.start, b.name),
        None => format!("triangle {t}"),
    }
}

fn look_for_crossings(recording: &dyn Recording, welded: &Welded, positions: &[glam::DVec3], verdict: &mut Verdict) {
    let bodies = &recording.cast().bodies;
    let original = |t: u32| welded.original[t as usize];
    let body = |t: u32| bodies.iter().find(|b| b.triangles.contains(&(t as usize)));
    // Obstacles may cross each other and themselves: that is no concern of the cloth.
    let concerns = |t: [u32; 2]| t.iter().any(|&t| body(original(t)).is_none_or(|b| b.kind == BodyKind::Cloth));
    let name = |t: u32| name(recording, original(t));
    let before = verdict.faults.len();
    crossing(positions, &welded.triangles, &mut verdict.faults, &concerns, &name);
    verdict.faults[before..].iter_mut().flat_map(|fault| &mut fault.elements).for_each(|t| *t = original(*t));
}
