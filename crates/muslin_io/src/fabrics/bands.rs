//! Drape coefficients that kinds of cloth are known to have.

use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// The drape coefficients of a kind of cloth.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DrapeBand {
    /// The kind, as fabrics state it in `class`.
    pub class: String,
    /// Smallest [%].
    pub low: f64,
    /// Largest [%].
    pub high: f64,
    /// Who found it.
    pub citation: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BandsFile {
    band: Vec<DrapeBand>,
}

static BANDS: LazyLock<Vec<DrapeBand>> = LazyLock::new(|| {
    let file: BandsFile =
        toml::from_str(include_str!("../../../../fabrics/drape-bands.toml")).expect("the embedded bands are tested");
    file.band
});

/// All bands.
pub fn bands() -> &'static [DrapeBand] {
    &BANDS
}
