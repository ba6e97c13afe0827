//! Numbers as text, fast: the shortest digits that read back to the same number.
//!
//! Text formats spend their time here, so lines are made in parallel, piece by piece, and joined in order. A few pieces at a
//! time: their memory is then used again, while that of a whole frame would be fetched from the system anew each time.

use muslin_model::parallel;

/// Items of a piece.
const PIECE: usize = 1024;
/// Pieces at a time.
const ABREAST: usize = 16;
/// Bytes of an item at most, as a rule: three numbers of single precision with what is between them.
const USUAL: usize = 48;

/// Adds a number of single precision.
pub fn single(out: &mut Vec<u8>, value: f32) {
    out.extend_from_slice(zmij::Buffer::new().format(value).as_bytes());
}

/// A number of double precision.
pub fn double(value: f64) -> String {
    let text = zmij::Buffer::new().format(value).to_string();
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

/// Adds three numbers, separated.
pub fn triple(out: &mut Vec<u8>, values: [f32; 3], separator: &[u8]) {
    for (k, value) in values.into_iter().enumerate() {
        if k > 0 {
            out.extend_from_slice(separator);
        }
        single(out, value);
    }
}

/// Adds what `item` writes for each of so many items, in order.
pub fn items(out: &mut Vec<u8>, count: usize, item: impl Fn(usize, &mut Vec<u8>) + Sync + Send) {
    let pieces = count.div_ceil(PIECE);
    for first in (0..pieces).step_by(ABREAST) {
        let texts = parallel::map(ABREAST.min(pieces - first), |k| {
            let mut text = Vec::with_capacity(PIECE * USUAL);
            let start = (first + k) * PIECE;
            (start..(start + PIECE).min(count)).for_each(|k| item(k, &mut text));
            text
        });
        texts.iter().for_each(|text| out.extend_from_slice(text));
    }
}

/// Text as a name in files: letters, digits, `-` and `_`; `taken` are names that it must differ from.
pub fn plain_name(name: &str, taken: &[String]) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let plain: String = name.chars().map(allowed).collect();
    let plain = if plain.is_empty() { "body".to_string() } else { plain };
    let numbered = (2..).map(|n| format!("{plain}_{n}"));
    let mut candidates = std::iter::once(plain.clone()).chain(numbered);
    candidates.find(|candidate| !taken.contains(candidate)).unwrap_or(plain)
}
