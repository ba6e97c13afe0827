//! Paths of keys that may have been meant by one that leads nowhere.
//!
//! A path is suggested only if the schema has all of it: one that is right up to its last key would be refused again, and
//! by then the reader believes that the table is the right one.

use super::{parameters::Parameters, suggest::nearest};
use crate::schema::{Key, Kind, TableSchema, cloth::MATERIAL, friction::FRICTION, scene::SCENE};

/// The nearest parameter, or the path of a key with this or a similar name.
pub fn near_path(name: &str, parameters: &Parameters) -> Option<String> {
    if let Some(parameter) = name.strip_prefix("parameters.") {
        return nearest(parameter, parameters.names()).map(Into::into);
    }
    let mut places = Vec::new();
    list_places(&SCENE, "", &mut places);
    let parts: Vec<&str> = name.split('.').collect();
    if parts.len() > 1 {
        return near_chain(name, &parts, &places);
    }
    if let Some(near) = nearest(name, parameters.names()) {
        return Some(near.into());
    }
    let near = nearest(name, places.iter().map(Place::key))?;
    // Of several keys with that name the one nearest to the top.
    let named = places.iter().filter(|place| place.key() == near);
    named.min_by_key(|place| place.path.split('.').count()).map(|place| place.path.clone())
}

/// A key of the schema.
struct Place {
    path: String,
    kind: &'static Kind,
}

impl Place {
    fn key(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    /// The path of what some parts lead to from here, misspelt ones mended.
    fn reach(&self, parts: &[&str]) -> Option<String> {
        follow(self.kind, parts).map(|rest| format!("{}{rest}", self.path))
    }
}

/// A path of several keys that looks like this one.
fn near_chain(name: &str, parts: &[&str], places: &[Place]) -> Option<String> {
    let (first, rest) = parts.split_first()?;
    // The end of a path that is right as far as it goes: `material.shear` of a cloth.
    let ending = format!(".{name}");
    let whole = places.iter().find(|place| place.path.ends_with(&ending)).map(|place| place.path.clone());
    let from = |key: &str| places.iter().filter(|place| place.key() == key).find_map(|place| place.reach(rest));
    let at_top = || {
        let near = nearest(first, SCENE.keys.iter().map(|key| key.name))?;
        places.iter().find(|place| place.path == near)?.reach(rest)
    };
    let below = || from(nearest(first, places.iter().map(Place::key))?);
    whole.or_else(|| from(first)).or_else(at_top).or_else(below)
}

fn list_places(schema: &'static TableSchema, prefix: &str, places: &mut Vec<Place>) {
    for key in schema.keys {
        let path = if prefix.is_empty() { key.name.to_string() } else { format!("{prefix}.{}", key.name) };
        match &key.kind {
            Kind::Table(inner) => list_places(inner, &path, places),
            Kind::Tables(inner) => list_places(inner, &format!("{path}.0"), places),
            // Not deeper: the base of a fabric is a fabric.
            Kind::Material => places.extend(keys_of(&MATERIAL, &path)),
            Kind::Friction => places.extend(keys_of(&FRICTION, &path)),
            _ => {}
        }
        places.push(Place { path, kind: &key.kind });
    }
}

fn keys_of(schema: &'static TableSchema, path: &str) -> impl Iterator<Item = Place> {
    schema.keys.iter().map(move |key| Place { path: format!("{path}.{}", key.name), kind: &key.kind })
}

/// What some parts lead to from a value of a kind, each with a point before it and the nearest key for a misspelt one;
/// `None` if they lead nowhere.
fn follow(kind: &'static Kind, parts: &[&str]) -> Option<String> {
    let Some((&first, rest)) = parts.split_first() else { return Some(String::new()) };
    let index = || first.parse::<usize>().ok();
    match kind {
        Kind::Table(schema) => follow_key(&[schema], first, rest),
        Kind::Material => follow_key(&[&MATERIAL], first, rest),
        Kind::Friction => follow_key(&[&FRICTION], first, rest),
        Kind::Variant(variants) => follow_key(&variants.iter().collect::<Vec<_>>(), first, rest),
        Kind::Tables(schema) => {
            let (entry, (key, rest)) = (index()?, rest.split_first()?);
            follow_key(&[schema], key, rest).map(|rest| format!(".{entry}{rest}"))
        }
        Kind::Vector2(_) | Kind::Vector3(_) | Kind::Scale(_) | Kind::Integers2(_) | Kind::Integers(_)
            if rest.is_empty() =>
        {
            index().map(|entry| format!(".{entry}"))
        }
        _ => None,
    }
}

/// The same from tables of which any may be meant.
fn follow_key(schemas: &[&'static TableSchema], first: &str, rest: &[&str]) -> Option<String> {
    let keys: Vec<&'static Key> = schemas.iter().flat_map(|schema| schema.keys).collect();
    let near = nearest(first, keys.iter().map(|key| key.name))?;
    let named = keys.iter().filter(|key| key.name == near);
    named.filter_map(|key| follow(&key.kind, rest)).next().map(|rest| format!(".{near}{rest}"))
}
