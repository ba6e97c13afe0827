//! The reference page of scene files, printed from the schema.

use crate::{
    builtin::SCENES,
    schema::{Absent, Key, Kind, TableSchema, cloth::MATERIAL, friction::FRICTION, scene::SCENE},
};
use muslin_model::{Field, Material};
use muslin_sim::places::GRID_PLACES;
use std::fmt::Write;

const INTRODUCTION: &str = r##"# Scene files

*This page is printed by `muslin scenes --reference` from the same table that reads and checks scene files.*

A scene is a [TOML](https://toml.io) file. This is a whole one:

```toml
duration = 2

[parameters]
resolution = 40

[[cloth]]
shape = { kind = "grid", size = [1, 1], vertices = ["$resolution", "$resolution"] }
rotation_axis = [1, 0, 0]
rotation_degrees = 90

[[cloth.pin]]
places = ["top-left", "top-right"]
```

All quantities are in SI units; angles are in degrees and say so in their key. Every key below has its unit in
brackets, `-` if it has none.

**Choices.** A key with choices takes the name of one (`integrator = "bdf2"`), or a table with `kind` and the
choice's own keys (`integrator = { kind = "verlet", epsilon = 0.01 }`).

**Parameters.** `[parameters]` declares names with defaults: `name = value`, or
`name = { default = value, range = [low, high], doc = "text" }`. Anywhere in the file `"$name"` stands for the
value, whatever its type; a string with a `$` may also be arithmetic: `"$resolution / 2 + 1"`, with
`+ - * /`, parentheses, `floor`, `ceil`, `round`, `abs`, `sqrt`, `min`, `max` and `pi`. Where a number is
expected, arithmetic needs no parameter: `step = "1/240"`. A literal dollar sign is written `$$`.

**`--set`.** `muslin run SCENE --set NAME=VALUE` sets a parameter, or any key by its path: `--set settings.step=0.005`,
`--set cloth.0.material.shear=200`. The value is TOML, else a string.
"##;

/// The whole page, as Markdown.
pub fn page() -> String {
    let mut page = String::from(INTRODUCTION);
    section(&mut page, "Top of the file", &SCENE);
    materials(&mut page);
    friction(&mut page);
    places(&mut page);
    let names: Vec<String> = SCENES.iter().map(|s| format!("`{}`", s.name)).collect();
    let _ = writeln!(page, "\n## Built-in scenes\n\n{}: their files under `scenes/` are examples.", names.join(", "));
    page
}

fn section(page: &mut String, title: &str, schema: &'static TableSchema) {
    let _ = writeln!(page, "\n## {title}\n\n{}\n", schema.doc);
    table(page, schema.keys);
    for key in schema.keys {
        let inner = if schema.name == "scene" { key.name.to_string() } else { format!("{title}.{}", key.name) };
        let inner = inner.replace(['`', '[', ']'], "");
        match key.kind {
            Kind::Table(table) => section(page, &format!("`[{inner}]`"), table),
            Kind::Tables(table) => section(page, &format!("`[[{inner}]]`"), table),
            Kind::Variant(variants) => choices(page, &inner, variants),
            _ => {}
        }
    }
}

fn choices(page: &mut String, path: &str, variants: &'static [TableSchema]) {
    let _ = writeln!(page, "\n### Choices of `{path}`\n");
    for variant in variants {
        let _ = writeln!(page, "- `{}`: {}", variant.name, variant.doc);
    }
    for variant in variants.iter().filter(|v| !v.keys.is_empty()) {
        let _ = writeln!(page, "\nKeys of `{path} = {{ kind = \"{}\", … }}`:\n", variant.name);
        table(page, variant.keys);
        for key in variant.keys {
            if let Kind::Variant(inner) = key.kind {
                choices(page, &format!("{path}.{}", key.name), inner);
            }
        }
    }
}

fn table(page: &mut String, keys: &'static [Key]) {
    page.push_str("| key | value | unit | default | |\n|---|---|---|---|---|\n");
    for key in keys {
        let default = match key.default {
            Absent::Required => "**required**".to_string(),
            Absent::Is(value) => format!("`{value}`"),
            Absent::Means(text) => text.to_string(),
        };
        let _ = writeln!(page, "| `{}` | {} | {} | {default} | {} |", key.name, describe(&key.kind), key.unit, key.doc);
    }
}

fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Number(range) => format!("number, {range}"),
        Kind::Integer(range) => format!("integer, {range}"),
        Kind::Flag => "`true` or `false`".into(),
        Kind::Text => "string".into(),
        Kind::Vector2(range) => format!("two numbers, {range}"),
        Kind::Vector3(range) => format!("three numbers, {range}"),
        Kind::Scale(range) => format!("one number or three, {range}"),
        Kind::Integers2(range) => format!("two integers, {range}"),
        Kind::Integers(range) => format!("list of integers, {range}"),
        Kind::Formats => "[names of formats](formats.md)".into(),
        Kind::Texts => "string or list of strings".into(),
        Kind::Names(names) => {
            let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            format!("list of {}", names.join(", "))
        }
        Kind::Places => "[names of places](#places-of-a-grid)".into(),
        Kind::Axes => "list of directions".into(),
        Kind::Material => "[fabric](#materials)".into(),
        Kind::Friction => "[law of friction](#laws-of-friction)".into(),
        Kind::Field(range) => format!("number, array or map, {range}"),
        Kind::Table(_) => "table, below".into(),
        Kind::Tables(_) => "list of tables, below".into(),
        Kind::Variant(_) => "choice, below".into(),
        Kind::Parameters => "table of parameters".into(),
    }
}

fn materials(page: &mut String) {
    let _ = writeln!(page, "\n## Materials\n\n{}\n", MATERIAL.doc);
    page.push_str(
        "`muslin fabrics` lists the named fabrics, [the library](fabrics.md) says where their numbers come from.\n\n",
    );
    page.push_str("If `bend_warp` or `bend_weft` is given and `bend_bias` is not, the bias is their mean.\n\n");
    page.push_str("| key | value | unit | `woven-cotton` | |\n|---|---|---|---|---|\n");
    let cotton = Material::woven_cotton();
    let fields = cotton.fields();
    for key in MATERIAL.keys {
        let value = match fields.iter().find(|(name, _)| *name == key.name) {
            Some((_, Field::Uniform(value))) => match *value {
                v if v != 0.0 && v.abs() < 1e-3 => format!("{v:e}"),
                v => v.to_string(),
            },
            _ => String::new(),
        };
        let _ = writeln!(page, "| `{}` | {} | {} | {value} | {} |", key.name, describe(&key.kind), key.unit, key.doc);
    }
}

fn friction(page: &mut String) {
    let _ = writeln!(page, "\n## Laws of friction\n\n{}\n", FRICTION.doc);
    table(page, FRICTION.keys);
    for key in FRICTION.keys {
        if let Kind::Variant(variants) = key.kind {
            choices(page, key.name, variants);
        }
    }
}

fn places(page: &mut String) {
    let names: Vec<String> = GRID_PLACES.iter().map(|p| format!("`{p}`")).collect();
    let _ = writeln!(
        page,
        "\n## Places of a grid\n\n{}. `left` and `right` are the ends along the grid's x, `bottom` and `top` along its y.",
        names.join(", ")
    );
}
