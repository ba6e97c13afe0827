//! Animated surfaces against closed forms.

use glam::{DMat3, DVec3};
use muslin_model::{AfterEnd, Animation, Clock, Deformation, FramesError, VertexFrames};
use std::sync::Arc;

fn frames() -> VertexFrames {
    let at = |x: f64| vec![DVec3::new(x, 0.0, 0.0), DVec3::new(0.0, 2.0 * x, 1.0)];
    VertexFrames::new(vec![5.0, 6.0, 8.0], vec![at(0.0), at(1.0), at(4.0)]).unwrap()
}

fn x_at(animation: &Animation, time: f64) -> f64 {
    let mut positions = [DVec3::ZERO; 2];
    animation.place(time, &mut positions);
    positions[0].x
}

#[test]
fn vertices_move_straight_and_evenly_between_frames() {
    let mut positions = [DVec3::ZERO; 2];
    for (time, x) in [(-1.0, 0.0), (0.0, 0.0), (0.25, 0.25), (1.0, 1.0), (2.0, 2.5), (3.0, 4.0), (9.0, 4.0)] {
        frames().evaluate(f64::min(time, 3.0).max(0.0), &mut positions);
        assert_eq!(positions, [DVec3::new(x, 0.0, 0.0), DVec3::new(0.0, 2.0 * x, 1.0)], "{time}");
    }
}

#[test]
fn a_clock_leads_in_starts_late_runs_faster_holds_and_loops() {
    let animation =
        |clock| Animation { deformation: Arc::new(frames()), clock, linear: DMat3::IDENTITY, translation: DVec3::ZERO };
    let hold = animation(Clock { lead_in: 2.0, speed: 2.0, ..Clock::default() });
    assert_eq!([0.0, 2.0, 2.25, 2.5, 3.5, 99.0].map(|t| x_at(&hold, t)), [0.0, 0.0, 0.5, 1.0, 4.0, 4.0]);
    let again = animation(Clock { offset: 0.5, after: AfterEnd::Loop, ..Clock::default() });
    // The end is the end; just after it the clip begins again.
    assert_eq!([0.0, 0.5, 2.5, 2.75, 3.0, 6.0].map(|t| x_at(&again, t)), [0.5, 1.0, 4.0, 0.25, 0.5, 0.5]);
}

#[test]
fn an_animation_stands_where_its_placement_says() {
    let mut animation = Animation {
        deformation: Arc::new(frames()),
        clock: Clock::default(),
        linear: DMat3::from_diagonal(DVec3::splat(0.01)),
        translation: DVec3::Z,
    };
    let mut positions = [DVec3::ZERO; 2];
    animation.place(1.0, &mut positions);
    assert_eq!(positions, [DVec3::new(0.01, 0.0, 1.0), DVec3::new(0.0, 0.02, 1.01)]);
    animation.deformation = animation.deformation.select(&[1]);
    animation.place(3.0, &mut positions[..1]);
    assert_eq!(positions[0], DVec3::new(0.0, 0.08, 1.01));
}

#[test]
fn other_numbers_have_another_fingerprint() {
    let text = |frames: VertexFrames| frames.fingerprint();
    let moved = VertexFrames::new(vec![0.0, 1.0], vec![vec![DVec3::ZERO], vec![DVec3::X]]).unwrap();
    let other = VertexFrames::new(vec![0.0, 1.0], vec![vec![DVec3::ZERO], vec![DVec3::Y]]).unwrap();
    let later = VertexFrames::new(vec![0.0, 2.0], vec![vec![DVec3::ZERO], vec![DVec3::X]]).unwrap();
    let prints = [text(moved), text(other), text(later), frames().fingerprint()];
    assert!((0..4).all(|a| (0..a).all(|b| prints[a] != prints[b])), "{prints:?}");
}

#[test]
fn frames_that_are_no_motion_are_refused() {
    let p = DVec3::ZERO;
    let cases = [
        (vec![], vec![], FramesError::Empty),
        (vec![0.0], vec![vec![p], vec![p]], FramesError::Times { times: 1, frames: 2 }),
        (vec![1.0, 1.0], vec![vec![p], vec![p]], FramesError::Order { frame: 1, time: 1.0 }),
        (vec![0.0, 1.0], vec![vec![p], vec![p, p]], FramesError::Vertices { frame: 1, found: 2, expected: 1 }),
        (vec![0.0, 1.0], vec![vec![p], vec![DVec3::NAN]], FramesError::NotFinite { frame: 1, vertex: 0 }),
    ];
    for (times, frames, error) in cases {
        assert_eq!(VertexFrames::new(times, frames), Err(error));
    }
}
