//! Builds the documentation of the crates; any warning is a failure.
//!
//! One lint needs help: rustdoc takes a unit in brackets, `[m]`, for a link to an item called `m`. Escaping
//! every bracket would spoil the sources, so the lint is off for everyday use and forced on here, and only
//! links that are not units count.

use crate::{process, tally::Tally};
use serde_json::Value;

/// Symbols that units are made of. Rustdoc itself leaves out what cannot be a path, such as `N/m`.
const UNIT_SYMBOLS: [&str; 17] =
    ["m", "mm", "s", "ms", "kg", "g", "N", "J", "W", "Pa", "Hz", "K", "rad", "deg", "B", "bytes", "V"];

/// Builds and counts.
pub fn run() -> Result<Tally, String> {
    let mut doc = process::cargo(&["doc", "--quiet", "--release", "--workspace", "--no-deps"]);
    doc.args(["--message-format", "json"]).env("RUSTDOCFLAGS", "--force-warn rustdoc::broken_intra_doc_links");
    let mut faults = 0;
    let built = process::lines(&mut doc, |line| {
        if let Some(fault) = serde_json::from_str(line).ok().and_then(|message: Value| fault_of(&message["message"])) {
            faults += 1;
            println!("{fault}");
        }
    })?;
    Ok(Tally::one(built && faults == 0))
}

/// The text of a message that counts, of a compiler or of rustdoc.
fn fault_of(message: &Value) -> Option<String> {
    let text = message["message"].as_str()?;
    let unit = text
        .strip_prefix("unresolved link to `")
        .and_then(|rest| rest.strip_suffix('`'))
        .is_some_and(|target| UNIT_SYMBOLS.contains(&target.trim_end_matches(['²', '³', '⁴'])));
    // `warning: 3 warnings emitted` sums up what was said before.
    let summary = message["spans"].as_array().is_none_or(|spans| spans.is_empty()) && text.contains("emitted");
    (!unit && !summary).then(|| message["rendered"].as_str().unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_no_broken_link_and_a_lost_item_is() {
        let message = |text: &str| serde_json::json!({ "message": text, "spans": [{}], "rendered": text });
        assert_eq!(fault_of(&message("unresolved link to `kg`")), None);
        assert_eq!(fault_of(&message("unresolved link to `m²`")), None);
        assert!(fault_of(&message("unresolved link to `Mesh::lost`")).is_some());
        assert!(fault_of(&message("missing documentation for a function")).is_some());
        assert_eq!(fault_of(&serde_json::json!({ "message": "3 warnings emitted", "spans": [] })), None);
    }
}
