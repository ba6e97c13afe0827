//! Keys of `[settings.contact]` that say what responds.

use super::{Absent::Is, Kind::Number, Range, TableSchema, key};

/// Choices of `method`.
#[rustfmt::skip] // one line per key, as the table it is
pub const CONTACT_METHODS: &[TableSchema] = &[
    TableSchema { name: "none", doc: "Not at all: everything passes through everything.", keys: &[] },
    TableSchema { name: "implicit", doc: "Repulsion and friction within the implicit solve, for all pairs that the step's motion brings together; impact zones for what is left.", keys: &[] },
    TableSchema { name: "bridson", doc: "After any scheme: repulsion in the thickness, impulses, rigid zones.", keys: &[] },
    TableSchema { name: "provot", doc: "After any scheme: impulses, rigid zones.", keys: &[] },
    TableSchema { name: "constraints", doc: "Obstacles hold vertices as constraints of the modified conjugate gradients (needs `baraff-witkin`): none of their axes is free while they stick, two while they slide; impulses and rigid zones for the rest.", keys: &[] },
    TableSchema { name: "i-cloth", doc: "Repulsion and friction within the implicit solve, for pairs that are near when the step begins; non-linear zones for what is left.", keys: &[] },
];

/// Names in `responses`.
pub const RESPONSES: [&str; 7] =
    ["repulsion", "damped-springs", "repulsion-springs", "impulses", "rigid-zones", "linear-zones", "non-linear-zones"];

/// Choices of `impact`.
#[rustfmt::skip] // one line per key, as the table it is
pub const IMPACT_LAWS: &[TableSchema] = &[
    TableSchema { name: "inelastic", doc: "The approach is stopped; friction shortens the rest by the coefficient times the approach.", keys: &[] },
    TableSchema {
        name: "restitution",
        doc: "A part of the approach comes back; friction as before.",
        keys: &[key("dissipation", Number(Range::between(0.0, 1.0)), "-", Is("0.5"), "The part of the normal velocity that comes back")],
    },
    TableSchema { name: "elastic", doc: "All of the approach comes back, and the rest is multiplied by the coefficient of friction.", keys: &[] },
];

/// Choices of `unresolved`.
#[rustfmt::skip] // one line per key, as the table it is
pub const UNRESOLVED: &[TableSchema] = &[
    TableSchema { name: "halve", doc: "It is thrown away, and a shorter one is taken.", keys: &[] },
    TableSchema { name: "accept", doc: "It is taken as it is. Cloth may pass through, and a run with it warns; for comparison.", keys: &[] },
];
