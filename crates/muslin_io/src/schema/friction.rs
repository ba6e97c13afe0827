//! Keys of a law of friction.

use super::{
    Absent::{Is, Means, Required},
    Kind::{Number, Variant},
    Range, TableSchema, key,
};

/// Coefficients of friction [-].
pub const COEFFICIENT: Range = Range::between(0.0, 10.0);

/// A law of friction as a table.
#[rustfmt::skip] // one line per key, as the table it is
pub const FRICTION: TableSchema = TableSchema {
    name: "friction",
    doc: "A law of friction is a number, the coefficient of Coulomb's law, or a table with the keys below: `friction_object = 0.3`, or `friction_object = { kinetic = 0.2, static = 0.3 }`. Between cloth and an obstacle the obstacle's `friction` holds, else the cloth's `friction_object`, else that of `[settings.contact]`; between cloths the `friction_cloth` of the one that holds more at rest, else that of `[settings.contact]`. [Friction](friction.md) says what the terms do.",
    keys: &[
        key("law", Variant(LAWS), "-", Means("all terms that the other keys give"), "Which terms act; for comparisons, others may be given and then do nothing"),
        key("kinetic", Number(COEFFICIENT), "-", Required, "Coefficient of sliding, µ_c"),
        key("static", Number(COEFFICIENT), "-", Means("`kinetic`"), "Coefficient of rest, µ_s; at least `kinetic`"),
        key("stribeck_speed", Number(Range::between(1e-6, 1e6)), "m/s", Means("no Stribeck effect"), "Speed at which 1/e of the difference between `static` and `kinetic` is left, v_S"),
        key("stribeck_exponent", Number(Range::between(0.01, 10.0)), "-", Is("0.2"), "Shape of that fall, δ_S; the smaller, the steeper it begins"),
        key("viscosity", Number(Range::between(0.0, 1e6)), "(s/m)^δ", Is("0"), "Viscous friction over the normal force, at 1 m/s"),
        key("viscous_force", Number(Range::between(0.0, 1e6)), "N·(s/m)^δ", Is("0"), "Viscous friction of every contact at 1 m/s, F_v as W 7.5 prints it; depends on the mesh"),
        key("viscous_exponent", Number(Range::between(0.1, 4.0)), "-", Is("1"), "Its power of the speed, δ_v"),
    ],
};

/// Choices of `law`.
#[rustfmt::skip] // one line per key, as the table it is
pub const LAWS: &[TableSchema] = &[
    TableSchema { name: "coulomb", doc: "`kinetic` alone, at rest too (C of W 7).", keys: &[] },
    TableSchema { name: "stiction", doc: "`static` at rest, `kinetic` in motion (CS).", keys: &[] },
    TableSchema { name: "stribeck", doc: "From `static` to `kinetic` as the speed grows (CSS).", keys: &[] },
    TableSchema { name: "viscous", doc: "The same, and viscous friction (CSSV).", keys: &[] },
];
