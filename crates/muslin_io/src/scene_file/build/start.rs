//! `[start]`.

use crate::scene_file::reader::Reader;
use muslin_sim::scene::{ExemptSpec, StartSpec};

/// Reads `[start]`; `known` are the names of the scene's bodies, cloths first, and `cloths` how many are cloths.
pub fn start(reader: &Reader<'_>, known: &[&String], cloths: usize) -> StartSpec {
    let exempt = reader.tables("exempt").iter().filter_map(|rule| exempt(rule, known)).collect();
    let inside = reader.texts("inside");
    if let Some(name) = inside.iter().find(|name| !known[..cloths].contains(name)) {
        reader
            .fault(reader.place("inside"), format!("there is no cloth `{name}`"))
            .help(format!("the scene has {}", listed(&known[..cloths])));
    }
    StartSpec { untangle: reader.flag("untangle"), exempt, inside }
}

fn listed(names: &[&String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn exempt(reader: &Reader<'_>, known: &[&String]) -> Option<ExemptSpec> {
    let mut names = reader.texts("bodies");
    if names.len() == 1 {
        names.push(names[0].clone());
    }
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        reader
            .fault(reader.place("bodies"), format!("there is no body `{name}`"))
            .help(format!("the scene has {}", listed(known)));
    }
    let bodies: Result<[String; 2], _> = names.try_into();
    let Ok(bodies) = bodies else {
        if reader.has("bodies") {
            reader.fault(reader.place("bodies"), "`bodies` must be one or two names");
        }
        return None;
    };
    let region = match (reader.optional_vector3("low"), reader.optional_vector3("high")) {
        (None, None) => None,
        (Some(low), Some(high)) if low.cmple(high).all() => Some([low, high]),
        _ => {
            let place = if reader.has("low") { "low" } else { "high" };
            reader.fault(reader.place(place), "`low` and `high` must be two corners of a box, the lower first");
            None
        }
    };
    Some(ExemptSpec { bodies, region })
}
