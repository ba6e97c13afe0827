//! What Muslin notes in its own glTF files beyond the format.
//!
//! `extras` may be anything in the files of others, and may be large. So it is walked and not kept: only our
//! own keys are taken, and what has another shape is passed over.

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use std::fmt;

/// Our own notes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras {
    /// On a node: `cloth` or `obstacle`.
    pub kind: Option<String>,
    /// On the asset: frames per second [1/s].
    pub frames_per_second: Option<f64>,
    /// On a mesh: for each of its last vertices the earlier one that it repeats at a seam.
    pub seams: Vec<u32>,
}

impl<'de> Deserialize<'de> for Extras {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Walk)
    }
}

struct Walk;

impl<'de> Visitor<'de> for Walk {
    type Value = Extras;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Extras, A::Error> {
        let mut extras = Extras::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "muslin_kind" => extras.kind = Some(map.next_value()?),
                "muslin_frames_per_second" => extras.frames_per_second = Some(map.next_value()?),
                "muslin_seams" => extras.seams = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(extras)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Extras, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Extras::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Extras, E> {
        Ok(Extras::default())
    }

    fn visit_unit<E>(self) -> Result<Extras, E> {
        Ok(Extras::default())
    }
}

#[cfg(test)]
mod tests {
    use super::Extras;

    #[test]
    fn extras_of_others_are_passed_over_whatever_they_are() {
        for text in ["null", "1", "-1", "0.5", "true", "\"a\"", "[1, {\"b\": []}]", "{\"mass\": {\"kg\": [1]}}"] {
            assert_eq!(serde_json::from_str::<Extras>(text).unwrap(), Extras::default(), "{text}");
        }
        let own = r#"{"a": 1, "muslin_kind": "cloth", "muslin_seams": [0, 3], "muslin_frames_per_second": 24}"#;
        let expected = Extras { kind: Some("cloth".into()), frames_per_second: Some(24.0), seams: vec![0, 3] };
        assert_eq!(serde_json::from_str::<Extras>(own).unwrap(), expected);
    }
}
