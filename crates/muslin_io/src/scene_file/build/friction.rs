//! Laws of friction.

use crate::{
    scene_file::{reader::Reader, tree::Value},
    schema::{
        Kind,
        friction::{COEFFICIENT, FRICTION},
        range::Plain,
    },
};
use muslin_model::{FrictionLaw, Stribeck, Viscous};
use muslin_sim::settings::{BodyFriction, Friction};

/// The law under a key; `None` if neither the file nor the schema gives one.
pub fn law(reader: &Reader<'_>, name: &str) -> Option<FrictionLaw> {
    let Kind::Friction = reader.key(name).kind else { panic!("`{name}` is not a law of friction") };
    let path = reader.path_of(name);
    match reader.given(name) {
        Some(node) if matches!(node.value, Value::Table(_)) => {
            reader.table_as(node, &FRICTION, path).map(|table| of_table(&table))
        }
        _ => {
            let node = reader.node(name)?;
            let coefficient = reader.real(&node, COEFFICIENT, &path, "-").unwrap_or(0.0);
            Some(FrictionLaw::coulomb(coefficient))
        }
    }
}

/// Adds a body's own laws, if it has any.
pub fn own(reader: &Reader<'_>, body: &str, keys: [Option<&str>; 2], friction: &mut Friction) {
    let [object, cloth] = keys.map(|key| key.and_then(|key| law(reader, key)));
    if object.is_some() || cloth.is_some() {
        friction.bodies.push(BodyFriction { body: body.into(), object, cloth });
    }
}

/// The terms that act.
#[derive(PartialEq, PartialOrd)]
enum Terms {
    Coulomb,
    Stiction,
    Stribeck,
    Viscous,
}

fn of_table(table: &Reader<'_>) -> FrictionLaw {
    let kinetic = table.number("kinetic");
    let given = table.optional_number("static");
    let (speed, exponent) = (table.optional_number("stribeck_speed"), table.number("stribeck_exponent"));
    let viscous = Viscous {
        coefficient: table.number("viscosity"),
        force: table.number("viscous_force"),
        exponent: table.number("viscous_exponent"),
    };
    let sticking = given.unwrap_or(kinetic);
    if sticking < kinetic {
        let path = table.path_of("static");
        let (least, found) = (Plain(kinetic), Plain(sticking));
        table
            .fault(table.place("static"), format!("`{path}` must be from `kinetic` {least} to 10, found {found}"))
            .help("what rests is held at least as firmly as what slides; else friction would pull");
    }
    let named = table.variant("law").map(|(name, _)| name);
    let terms = match named {
        Some("coulomb") => Terms::Coulomb,
        Some("stiction") => Terms::Stiction,
        Some("stribeck") => Terms::Stribeck,
        Some("viscous") | None => Terms::Viscous,
        Some(other) => unreachable!("`{other}` is in the schema but not here; the test over all variants finds this"),
    };
    refuse_missing_terms(table, &terms, named);
    let rises = viscous.coefficient > 0.0 || viscous.force > 0.0;
    FrictionLaw {
        kinetic,
        sticking: if terms >= Terms::Stiction { sticking } else { kinetic },
        stribeck: speed.filter(|_| terms >= Terms::Stribeck).map(|speed| Stribeck { speed, exponent }),
        viscous: (terms >= Terms::Viscous && rises).then_some(viscous),
    }
}

/// Keys that shape a term, the keys any of which makes there be one, and what the first of these says.
const NEEDS: [(&str, &[&str], &str); 3] = [
    ("stribeck_speed", &["static"], "from which friction falls as the speed grows"),
    ("stribeck_exponent", &["stribeck_speed"], "the speed at which friction has fallen"),
    ("viscous_exponent", &["viscosity", "viscous_force"], "whose power of the speed it is"),
];

/// A law that is asked for by name needs its terms, and a key of a law without a name a term that it shapes.
fn refuse_missing_terms(table: &Reader<'_>, terms: &Terms, named: Option<&str>) {
    let Some(name) = named else {
        for (key, any_of, why) in NEEDS {
            if table.has(key) && !any_of.iter().any(|other| table.has(other)) {
                let message = format!("`{}` has no effect without `{}`", table.path_of(key), any_of[0]);
                let help = format!("give `{}` besides, {why}, or leave `{key}` out", any_of[0]);
                table.fault(table.place(key), message).help(help);
            }
        }
        return;
    };
    let need = |from: Terms, keys: &[&str]| {
        if *terms >= from && !keys.iter().any(|key| table.has(key)) {
            let path = table.path_of("law");
            let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            let message = format!("`{path}` is `{name}`, which needs {}", keys.join(" or "));
            table.fault(table.place("law"), message).help(format!("give {} besides", keys[0]));
        }
    };
    need(Terms::Stiction, &["static"]);
    need(Terms::Stribeck, &["stribeck_speed"]);
    need(Terms::Viscous, &["viscosity", "viscous_force"]);
}
