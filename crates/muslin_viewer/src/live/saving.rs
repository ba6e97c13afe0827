//! The changed scene as a file.
//!
//! Sliders have changed the text already. Pins are added here: one set by hand becomes a pin of the scene's start, with
//! its vertices by number; one that was cut lets go at the time it was cut; vertices let go one by one leave their pin.

use super::hold::Holds;
use crate::document::{Document, list};
use muslin::{Scene, model::Model};
use toml_edit::{Table, value};

/// The text of the scene with what hands did.
pub fn text(document: &Document, scene: &Scene, model: &Model, holds: &Holds) -> String {
    let mut document = document.clone();
    // Pins are numbered through all cloths in their order.
    let mut first = 0;
    for (cloth, (spec, body)) in scene.cloths.iter().zip(&model.bodies).enumerate() {
        let local = |v: u32| i64::from(v) - body.vertices.start as i64;
        let numbers = first..first + spec.pins.len();
        first = numbers.end;
        let own: Vec<i64> = holds.pinned().filter(|v| body.vertices.contains(&(*v as usize))).map(local).collect();
        let touched = |number: &usize| {
            holds.cuts().contains_key(number) || model.pins[*number].vertices.iter().any(|v| holds.freed().contains(v))
        };
        if own.is_empty() && !numbers.clone().any(|number| touched(&number)) {
            continue;
        }
        let Some(pins) = document.pins(cloth) else { continue };
        for (k, number) in numbers.clone().enumerate().collect::<Vec<_>>().into_iter().rev() {
            let left: Vec<i64> =
                model.pins[number].vertices.iter().filter(|v| !holds.freed().contains(v)).map(|v| local(*v)).collect();
            if left.is_empty() {
                pins.remove(k);
                continue;
            }
            let Some(pin) = pins.get_mut(k) else { continue };
            if left.len() < model.pins[number].vertices.len() {
                ["places", "box", "map", "above"].iter().for_each(|key| drop(pin.remove(key)));
                pin.insert("vertices", list(left));
            }
            if let Some(time) = holds.cuts().get(&number) {
                pin.insert("release", value(*time));
            }
        }
        if !own.is_empty() {
            let mut pin = Table::new();
            pin.insert("vertices", list(own));
            pins.push(pin);
        }
    }
    document.text()
}
