//! `[start]`.

use crate::scene_file::reader::Reader;
use muslin_sim::scene::{ExemptSpec, StartSpec};

/// Reads `[start]`; `known` are the names of the scene's bodies.
pub fn start(reader: &Reader<'_>, known: &[&String]) -> StartSpec {
    let exempt = reader.tables("exempt").iter().filter_map(|rule| exempt(rule, known)).collect();
    StartSpec { untangle: reader.flag("untangle"), exempt }
}

fn exempt(reader: &Reader<'_>, known: &[&String]) -> Option<ExemptSpec> {
    let mut names = reader.texts("bodies");
    if names.len() == 1 {
        names.push(names[0].clone());
    }
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        let list: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        reader
            .fault(reader.place("bodies"), format!("there is no body `{name}`"))
            .help(format!("the scene has {}", list.join(", ")));
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
