//! Contact sheets.

use crate::figures::*;
use glam::DVec3;
use muslin_render::{ContactSheet, RenderError, Renderer, SheetSettings, Subject};

const TINY: Renderer = Renderer { width: 40, height: 30, supersampling: 1 };

fn settings(panels: usize, columns: usize) -> SheetSettings {
    SheetSettings { panels, columns, panel: TINY, camera: None }
}

#[test]
fn chosen_frames_are_even_and_include_both_ends() {
    for total in 1..200 {
        for panels in 1..12 {
            let sheet = ContactSheet::new(total, settings(panels, 3));
            let chosen = sheet.chosen();
            assert_eq!(chosen.len(), panels.min(total));
            assert_eq!(chosen.last(), Some(&(total - 1)));
            if chosen.len() > 1 {
                assert_eq!(chosen[0], 0);
                let gap = (total - 1) as f64 / (chosen.len() - 1) as f64;
                for (k, &frame) in chosen.iter().enumerate() {
                    assert!((frame as f64 - k as f64 * gap).abs() <= 0.5 + 1e-9, "{total} {panels}: {chosen:?}");
                }
                assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]), "{chosen:?}");
            }
        }
    }
}

#[test]
fn a_sheet_shows_its_frames_in_a_grid_and_each_where_it_belongs() {
    let model = model(vec![wavy(10)], vec![]);
    let subject = Subject::of(&model);
    let mut sheet = ContactSheet::new(31, settings(6, 3));
    let frame =
        |k: usize| -> Vec<DVec3> { model.mesh.positions.iter().map(|p| *p + DVec3::X * (k as f64 / 40.0)).collect() };
    (0..31).for_each(|k| sheet.add(k, k as f64 / 30.0, &frame(k)));
    let image = sheet.draw(&subject).unwrap();
    let (columns, rows) = (3, 2);
    assert_eq!((image.width, image.height), (columns * 40 + (columns - 1) * 3, rows * 30 + (rows - 1) * 3));
    // The cloth moves to the right from panel to panel: the mean column of its blue pixels grows.
    let mean = |panel: usize| {
        let (left, top) = (panel % 3 * 43, panel / 3 * 33);
        let blue = |x: &usize, y: usize| {
            let [r, _, b] = image.at(left + x, top + y);
            b as i32 - r as i32 > 30
        };
        let all: Vec<usize> = (0..22).flat_map(|y| (0..40).filter(|x| blue(x, y)).collect::<Vec<_>>()).collect();
        assert!(all.len() > 20, "panel {panel} shows {} pixels of cloth", all.len());
        all.iter().sum::<usize>() as f64 / all.len() as f64
    };
    let means: Vec<f64> = (0..6).map(mean).collect();
    assert!(means.windows(2).all(|pair| pair[1] > pair[0] + 0.5), "{means:?}");
}

#[test]
fn a_run_that_ends_early_shows_its_last_frame() {
    let model = model(vec![wavy(6)], vec![]);
    let subject = Subject::of(&model);
    // Frames 0, 50 and 100 are chosen.
    let mut sheet = ContactSheet::new(101, settings(3, 5));
    for k in 0..=70 {
        sheet.add(k, k as f64, &model.mesh.positions);
    }
    assert_eq!(sheet.draw(&subject).unwrap().width, 3 * 43 - 3, "frames 0, 50 and 70");
    let mut sheet = ContactSheet::new(101, settings(3, 5));
    sheet.add(0, 0.0, &model.mesh.positions);
    assert_eq!(sheet.draw(&subject).unwrap().width, 40);
}

#[test]
fn labels_tell_the_time() {
    let model = model(vec![wavy(6)], vec![]);
    let at = |time: f64| {
        let mut sheet = ContactSheet::new(1, settings(1, 1));
        sheet.add(0, time, &model.mesh.positions);
        sheet.draw(&Subject::of(&model)).unwrap()
    };
    let (a, b) = (at(0.0), at(1.0));
    assert_ne!(a, b);
    assert_eq!(at(1.001), b, "two decimals are shown");
    // They differ in the first digit alone: five columns, seven rows, five pixels off the corner.
    for (k, (p, q)) in a.pixels.iter().zip(&b.pixels).enumerate() {
        let (x, y) = (k % 40, k / 40);
        assert!(p == q || ((5..10).contains(&x) && (18..25).contains(&y)), "pixel {x}, {y}");
    }
}

#[test]
fn a_sheet_without_frames_is_refused() {
    let model = model(vec![wavy(6)], vec![]);
    let sheet = ContactSheet::new(0, settings(3, 0));
    assert!(sheet.chosen().is_empty());
    assert!(matches!(sheet.draw(&Subject::of(&model)), Err(RenderError::NoFrames)));
}
