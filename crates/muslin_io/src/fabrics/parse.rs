//! Reads the library and checks it: every number plausible, every number with an origin.

use super::{
    BendRows, Fabric, FabricValue, How, QUANTITIES, Quantity, Source, StretchRows,
    quantity::{Need, quantity},
};
use muslin_model::{BendRow, BendTable, StretchTable};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};

/// What is wrong with a library.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LibraryError {
    /// Not TOML, or a key that is not known.
    #[error("{0}")]
    Syntax(String),
    /// Two fabrics with one name.
    #[error("there are two fabrics `{0}`; give one of them another name")]
    Twice(String),
    /// A quantity that every fabric must state.
    #[error("fabric `{fabric}` does not state `{key}` [{unit}]")]
    Missing {
        /// Name of the fabric.
        fabric: String,
        /// The quantity.
        key: &'static str,
        /// Its unit.
        unit: &'static str,
    },
    /// A quantity that does not exist.
    #[error("fabric `{fabric}` states `{key}`, which is no quantity of fabrics")]
    Unknown {
        /// Name of the fabric.
        fabric: String,
        /// The key.
        key: String,
    },
    /// A value that no cloth has.
    #[error(
        "fabric `{fabric}`: `{key}` is {value}; of cloth it is between {low} and {high} [{unit}]: is it in another unit?"
    )]
    Range {
        /// Name of the fabric.
        fabric: String,
        /// The quantity.
        key: String,
        /// The value.
        value: f64,
        /// Smallest.
        low: f64,
        /// Largest.
        high: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// A source that is not listed.
    #[error("fabric `{fabric}`: `{key}` is from `{source_name}`, which is not among the sources")]
    Source {
        /// Name of the fabric.
        fabric: String,
        /// The quantity or table.
        key: String,
        /// The source.
        source_name: String,
    },
    /// A table that cannot be used.
    #[error("fabric `{fabric}`: {reason}")]
    Table {
        /// Name of the fabric.
        fabric: String,
        /// Why.
        reason: &'static str,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourcesFile {
    source: Vec<Source>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FabricsFile {
    fabric: Vec<FabricEntry>,
}

#[derive(Deserialize)]
struct FabricEntry {
    name: String,
    description: String,
    class: Option<String>,
    stretch_table: Option<StretchEntry>,
    bend_table: Option<BendEntry>,
    #[serde(flatten)]
    values: BTreeMap<String, ValueEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ValueEntry {
    value: f64,
    how: How,
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StretchEntry {
    how: How,
    source: String,
    elongation: f64,
    rest: [f64; 4],
    strained: [[f64; 4]; 5],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BendEntry {
    how: How,
    source: String,
    rows: Vec<[f64; 4]>,
}

/// Reads a library: the text of its sources and those of its fabrics.
pub fn parse(sources: &str, files: &[&str]) -> Result<Vec<Fabric>, LibraryError> {
    let syntax = |error: toml::de::Error| LibraryError::Syntax(error.to_string());
    let list: SourcesFile = toml::from_str(sources).map_err(syntax)?;
    let sources: BTreeMap<String, Arc<Source>> =
        list.source.into_iter().map(|s| (s.name.clone(), Arc::new(s))).collect();
    let mut fabrics: Vec<Fabric> = Vec::new();
    for text in files {
        let file: FabricsFile = toml::from_str(text).map_err(syntax)?;
        for entry in file.fabric {
            if fabrics.iter().any(|f| f.name == entry.name) {
                return Err(LibraryError::Twice(entry.name));
            }
            fabrics.push(fabric(entry, &sources)?);
        }
    }
    Ok(fabrics)
}

fn fabric(entry: FabricEntry, sources: &BTreeMap<String, Arc<Source>>) -> Result<Fabric, LibraryError> {
    let name = entry.name.clone();
    let source = |key: &str, source_name: &str| {
        let unknown =
            || LibraryError::Source { fabric: name.clone(), key: key.into(), source_name: source_name.into() };
        sources.get(source_name).cloned().ok_or_else(unknown)
    };
    if let Some(key) = entry.values.keys().find(|key| quantity(key).is_none()) {
        return Err(LibraryError::Unknown { fabric: entry.name, key: key.clone() });
    }
    let mut values = Vec::new();
    for quantity in QUANTITIES {
        let Some(ValueEntry { value, how, source: from }) = entry.values.get(quantity.key) else {
            if quantity.need == Need::Always {
                return Err(LibraryError::Missing { fabric: entry.name, key: quantity.key, unit: quantity.unit });
            }
            continue;
        };
        check(&entry.name, quantity.key, *value, quantity)?;
        values.push(FabricValue { quantity, value: *value, how: *how, source: source(quantity.key, from)? });
    }
    let stretch_table = match entry.stretch_table {
        Some(StretchEntry { how, source: from, elongation, rest, strained }) => {
            if !(elongation > 0.0 && elongation < 1.0) {
                let reason = "the elongation of `stretch_table` must be between 0 and 1";
                return Err(LibraryError::Table { fabric: entry.name, reason });
            }
            let stiffness = quantity("stretch_warp").expect("a quantity");
            for value in strained.iter().chain([&rest]).flatten() {
                // Shear moduli of 0 stand for negative ones of the fit.
                check(
                    &entry.name,
                    "stretch_table",
                    *value,
                    &Quantity { range: [0.0, stiffness.range[1]], ..*stiffness },
                )?;
            }
            let table = Arc::new(StretchTable::new(rest, elongation, strained));
            Some(StretchRows { table, how, source: source("stretch_table", &from)? })
        }
        None => None,
    };
    let bend_table = match entry.bend_table {
        Some(BendEntry { how, source: from, rows }) => {
            let grows = rows.windows(2).all(|w| w[0][0] < w[1][0]);
            if !(grows && rows.first().is_some_and(|row| row[0] == 0.0)) {
                let reason = "the curvatures of `bend_table` must begin with 0 and grow";
                return Err(LibraryError::Table { fabric: entry.name, reason });
            }
            let rigidity = quantity("bend_warp").expect("a quantity");
            for value in rows.iter().flat_map(|row| &row[1..]) {
                check(&entry.name, "bend_table", *value, rigidity)?;
            }
            let row = |&[curvature, warp, bias, weft]: &[f64; 4]| BendRow { curvature, warp, bias, weft };
            let given: Vec<BendRow> = rows.iter().map(row).collect();
            let table = Arc::new(BendTable::new(given.clone()));
            Some(BendRows { table, given, how, source: source("bend_table", &from)? })
        }
        None => None,
    };
    Ok(Fabric {
        name: entry.name,
        description: entry.description,
        class: entry.class,
        values,
        stretch_table,
        bend_table,
    })
}

fn check(fabric: &str, key: &str, value: f64, quantity: &Quantity) -> Result<(), LibraryError> {
    let [low, high] = quantity.range;
    match (low..=high).contains(&value) {
        true => Ok(()),
        false => {
            let (fabric, key, unit) = (fabric.to_string(), key.to_string(), quantity.unit);
            Err(LibraryError::Range { fabric, key, value, low, high, unit })
        }
    }
}
