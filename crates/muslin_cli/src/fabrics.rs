//! `muslin fabrics`: the library of named fabrics.

use crate::exit::{self, say};
use clap::Args;
use muslin::io::fabrics::{self, Fabric, How};
use serde_json::{Value, json};
use std::{fmt::Write, process::ExitCode};

/// Lists the named fabrics, or shows one with the origin of each number.
#[derive(Args)]
pub struct FabricsArguments {
    /// A fabric's name.
    fabric: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn main(arguments: FabricsArguments) -> ExitCode {
    match &arguments.fabric {
        None if arguments.json => say(&format!("{:#}\n", Value::from_iter(fabrics::all().iter().map(as_json)))),
        None => say(&table()),
        Some(name) => match find(name) {
            Ok(fabric) if arguments.json => say(&format!("{:#}\n", as_json(fabric))),
            Ok(fabric) => say(&page(fabric)),
            Err(code) => code,
        },
    }
}

/// A fabric by its name; says what is wrong with a name that is none.
pub fn find(name: &str) -> Result<&'static Fabric, ExitCode> {
    fabrics::find(name).ok_or_else(|| {
        // A word of a name is meant as it is: what looks like `shirting` is `wool-suiting`.
        let help = match fabrics::with_word(name).as_slice() {
            [] => match fabrics::nearest(name) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`muslin fabrics` lists them".into(),
            },
            [near] => format!("did you mean `{near}`?"),
            names => some_of(names, name),
        };
        exit::complain(&format!("error: there is no fabric `{name}`\n = help: {help}"));
        ExitCode::from(exit::REFUSED)
    })
}

/// Most fabrics that are named for a word.
const NAMED_FOR_A_WORD: usize = 5;

fn some_of(names: &[&str], word: &str) -> String {
    let shown: Vec<String> = names.iter().take(NAMED_FOR_A_WORD).map(|name| format!("`{name}`")).collect();
    match names.len() - shown.len() {
        0 => format!("names with `{word}`: {}", shown.join(", ")),
        more => format!("names with `{word}`: {} and {more} more; `muslin fabrics` lists them", shown.join(", ")),
    }
}

fn count(fabric: &Fabric, how: How) -> usize {
    fabric.values.iter().filter(|v| v.how == how).count()
}

fn table() -> String {
    let width = fabrics::all().iter().map(|f| f.name.len()).max().unwrap_or(0);
    let mut text = format!("{:width$}  kg/m²  bending length  measured fitted assumed  tables\n", "name");
    for f in fabrics::all() {
        let tables = if f.stretch_table.is_some() { "yes" } else { "-" };
        let _ = writeln!(
            text,
            "{:width$}  {:.3}  {:8.1} mm     {:8} {:6} {:7}  {tables:6}  {}",
            f.name,
            f.value("area_density").unwrap_or(f64::NAN),
            1e3 * f.bending_length(),
            count(f, How::Measured),
            count(f, How::Fitted),
            count(f, How::Assumed),
            f.description,
        );
    }
    text
}

fn page(fabric: &Fabric) -> String {
    let mut text = format!("{}: {}\n", fabric.name, fabric.description);
    let mut sources: Vec<_> = Vec::new();
    let mut note = |source: &std::sync::Arc<fabrics::Source>| {
        let at = sources.iter().position(|s| s == source).unwrap_or(sources.len());
        if at == sources.len() {
            sources.push(source.clone());
        }
        at + 1
    };
    for v in &fabric.values {
        let (q, number) = (v.quantity, note(&v.source));
        let _ = writeln!(
            text,
            "  {:16} {:>11} {:6}  {:8} [{number}]  {}",
            q.key,
            figure(v.value),
            q.unit,
            v.how.word(),
            q.doc
        );
    }
    if let Some(t) = &fabric.stretch_table {
        let _ = writeln!(text, "  stretch table, {} [{}]: C11, C22, C12, shear [N/m]", t.how.word(), note(&t.source));
        let _ = writeln!(text, "    at rest        {}", row(&t.table.rest()));
        for (k, strained) in t.table.strained().iter().enumerate() {
            let _ = writeln!(
                text,
                "    {:4.1} %, {:4.1}°  {}",
                100.0 * t.table.elongation(),
                22.5 * k as f64,
                row(strained)
            );
        }
    }
    if let Some(t) = &fabric.bend_table {
        let _ = writeln!(
            text,
            "  bend table, {} [{}]: along warp, at 45°, along weft [N·m]",
            t.how.word(),
            note(&t.source)
        );
        for r in &t.given {
            let _ = writeln!(text, "    {:4} 1/m       {}", r.curvature, row(&[r.warp, r.bias, r.weft]));
        }
    }
    for (k, source) in sources.iter().enumerate() {
        let _ = writeln!(text, "[{}] {}", k + 1, source.text);
    }
    text
}

fn row(values: &[f64]) -> String {
    values.iter().map(|v| format!("{:>11}", figure(*v))).collect::<Vec<_>>().join(" ")
}

fn figure(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-2 { format!("{value:.4e}") } else { format!("{value:.4}") }
}

/// A fabric with everything that the library knows of it.
pub fn as_json(fabric: &Fabric) -> Value {
    let values = fabric.values.iter().map(|v| {
        let origin = json!({
            "value": v.value, "unit": v.quantity.unit, "how": v.how, "source": v.source.name, "citation": v.source.text,
        });
        (v.quantity.key.to_string(), origin)
    });
    let stretch = fabric.stretch_table.as_ref().map(|t| {
        json!({
            "unit": "N/m", "columns": ["c11", "c22", "c12", "shear"], "rest": t.table.rest(),
            "elongation": t.table.elongation(), "directions_degrees": [0.0, 22.5, 45.0, 67.5, 90.0],
            "strained": t.table.strained(), "how": t.how, "source": t.source.name, "citation": t.source.text,
        })
    });
    let bend = fabric.bend_table.as_ref().map(|t| {
        json!({
            "unit": "N·m", "columns": ["curvature [1/m]", "warp", "bias", "weft"],
            "rows": t.given.iter().map(|r| [r.curvature, r.warp, r.bias, r.weft]).collect::<Vec<_>>(),
            "how": t.how, "source": t.source.name, "citation": t.source.text,
        })
    });
    json!({
        "name": fabric.name, "description": fabric.description, "class": fabric.class,
        "bending_length": fabric.bending_length(), "values": Value::Object(values.collect()),
        "stretch_table": stretch, "bend_table": bend,
    })
}
