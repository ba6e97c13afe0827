//! Switches of `grid-springs` for the older mechanisms, and `[[cloth.load]]`.

use super::{file, pin};
use crate::scene_file::reader::Reader;
use muslin_sim::older::{
    CurveOptions, LoadSpec, OlderMechanisms, RealignOptions, ResistanceOptions, TransferOptions, WrinkleMark,
    WrinkleOptions,
};
use muslin_sim::scene::{ClothShape, PinSelect, StretchModel};

/// Fewest steps of a realignment: fewer would swing ever further.
const FEWEST_STEPS: f64 = 2.0;

pub fn older(keys: &Reader<'_>) -> OlderMechanisms {
    // All are read whether they are switched on or not, so that no fault goes unseen.
    let (reach, range) = (keys.number("transfer_reach"), keys.number("curve_range"));
    let transfer = keys.flag("force_transfer").then_some(TransferOptions { reach });
    let ratio = keys.number("curve");
    let curve = (ratio > 0.0).then_some(CurveOptions { ratio, range });
    OlderMechanisms { transfer, curve, resistance: resistance(keys), wrinkles: wrinkles(keys) }
}

fn resistance(keys: &Reader<'_>) -> Option<ResistanceOptions> {
    let (stiffness, growth) = (keys.number("orthogonal_resistance"), keys.number("orthogonal_growth"));
    let steps = keys.number("realignment");
    if steps > 0.0 && steps < FEWEST_STEPS {
        let path = keys.path_of("realignment");
        keys.fault(keys.place("realignment"), format!("`{path}` must be 0, or at least {FEWEST_STEPS}, found {steps}"))
            .help("realigned faster than in two steps, vertices would swing ever further; 0 switches it off");
    }
    let realign = (steps > 0.0).then_some(RealignOptions { steps });
    let any = stiffness > 0.0 || growth > 0.0 || realign.is_some();
    any.then_some(ResistanceOptions { stiffness, growth, realign })
}

fn wrinkles(keys: &Reader<'_>) -> Option<WrinkleOptions> {
    let width = keys.integer("wrinkle_width") as u32;
    if !width.is_multiple_of(2) {
        let path = keys.path_of("wrinkle_width");
        keys.fault(keys.place("wrinkle_width"), format!("`{path}` must be an even number from 2 to 64, found {width}"))
            .help("a remembered bend has a vertex in its middle");
    }
    let moment = keys.number("wrinkle_memory");
    let sharp = keys.number("wrinkle_degrees").to_radians();
    let permanence = keys.number("wrinkle_permanence");
    (moment > 0.0).then_some(WrinkleOptions { moment, sharp, permanence, width })
}

/// What a cloth of so many vertices remembers from the start.
pub fn marks(reader: &Reader<'_>, stretch: &StretchModel, vertices: Option<usize>) -> Vec<WrinkleMark> {
    let mut marks = Vec::new();
    if let Some(positions) = vertices.and_then(|vertices| file::drape(reader, vertices)) {
        marks.push(WrinkleMark::Drape { positions });
    }
    for table in reader.tables("wrinkle") {
        let (ends, degrees) = ([table.vector2("from"), table.vector2("to")], table.number("degrees"));
        if degrees == 0.0 {
            let path = table.path_of("degrees");
            table
                .fault(table.place("degrees"), format!("`{path}` must not be 0"))
                .help("leave the wrinkle out instead");
        }
        if ends[0] == ends[1] && !table.has_faults() {
            let path = table.path_of("to");
            table.fault(table.place("to"), format!("`{path}` must differ from `from`, {}", ends[0]));
        }
        marks.push(WrinkleMark::Line { ends, angle: degrees.to_radians() });
    }
    let remembers =
        matches!(stretch, StretchModel::GridSprings { older: OlderMechanisms { wrinkles: Some(_), .. }, .. });
    for key in ["wrinkle", "wrinkle_drape"].into_iter().filter(|key| reader.has(key) && !remembers) {
        reader
            .fault(reader.place(key), format!("`{}` has no effect without a memory of wrinkles", reader.path_of(key)))
            .help("give `stretch = { kind = \"grid-springs\", wrinkle_memory = … }`, or leave it out");
    }
    marks
}

pub fn load(reader: &Reader<'_>, shape: &ClothShape, vertices: Option<usize>) -> LoadSpec {
    let span = [reader.number("start"), reader.number("end")];
    if span[1] <= span[0] {
        let message =
            format!("`{}` must be later than `start`, {} s, found {} s", reader.path_of("end"), span[0], span[1]);
        reader.fault(reader.place("end"), message);
    }
    LoadSpec { select: select(reader, shape, vertices), force: reader.vector3("force"), span }
}

fn select(reader: &Reader<'_>, shape: &ClothShape, vertices: Option<usize>) -> PinSelect {
    let given: Vec<&str> = ["places", "vertices", "box"].into_iter().filter(|k| reader.has(k)).collect();
    match given.as_slice() {
        [one] => return pin::choice(reader, shape, vertices, one),
        [] => {
            let path = reader.path_of("");
            let message = format!("`{}` must say which vertices it acts on", path.trim_end_matches('.'));
            reader.fault(reader.span, message).help("give `places`, `vertices` or `box`");
        }
        more => {
            let message = "a load takes exactly one of `places`, `vertices` and `box`";
            reader.fault(reader.place(more[more.len() - 1]), message).help("write one [[cloth.load]] for each");
        }
    }
    PinSelect::Vertices(Vec::new())
}
