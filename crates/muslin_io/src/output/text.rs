//! Numbers as text, fast: the shortest digits that read back to the same number.
//!
//! Text formats spend their time here, so lines are made in parallel, piece by piece, and handed on in order. A few pieces at a
//! time: they are still near the processor when they are weighed and written, and their memory is used again.

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

/// Adds three components of a unit vector with six decimals: a normal is a mean over triangles, and no reader needs
/// more of it. Faster than [`triple`], and shorter.
pub fn unit_triple(out: &mut Vec<u8>, values: [f64; 3], separator: &[u8]) {
    for (k, value) in values.into_iter().enumerate() {
        if k > 0 {
            out.extend_from_slice(separator);
        }
        // Rounded by hand: the library's `round` is a call.
        millionths(out, (value * 1e6 + 0.5_f64.copysign(value)) as i32);
    }
}

/// Adds a number of millionths below ten, without zeros at its end.
fn millionths(out: &mut Vec<u8>, count: i32) {
    let n = count.unsigned_abs();
    let mut text = *b"-0.000000";
    text[1] = b'0' + (n / 1_000_000) as u8;
    let decimals = n % 1_000_000;
    if decimals == 0 {
        // Without decimals there is no point either.
        return out.extend_from_slice(&text[usize::from(count >= 0)..2]);
    }
    for (place, part) in [(3, decimals / 10_000), (5, decimals / 100 % 100), (7, decimals % 100)] {
        text[place] = b'0' + (part / 10) as u8;
        text[place + 1] = b'0' + (part % 10) as u8;
    }
    let zeros = text.iter().rev().take_while(|digit| **digit == b'0').count();
    out.extend_from_slice(&text[usize::from(count >= 0)..text.len() - zeros]);
}

/// Adds a whole number.
pub fn whole(out: &mut Vec<u8>, mut number: u32) {
    let mut text = [0; 10];
    let mut start = text.len();
    loop {
        start -= 1;
        text[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&text[start..]);
}

/// Hands on what `item` writes for each of so many items, in order, some kilobytes at a time.
pub fn items<E>(
    count: usize,
    item: impl Fn(usize, &mut Vec<u8>) + Sync + Send,
    mut hand: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let pieces = count.div_ceil(PIECE);
    for first in (0..pieces).step_by(ABREAST) {
        let texts = parallel::map(ABREAST.min(pieces - first), |k| {
            let mut text = Vec::with_capacity(PIECE * USUAL);
            let start = (first + k) * PIECE;
            (start..(start + PIECE).min(count)).for_each(|k| item(k, &mut text));
            text
        });
        texts.iter().try_for_each(|text| hand(text))?;
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_of_normals_read_back_to_half_a_millionth() {
        let text = |value: f64| {
            let mut out = Vec::new();
            unit_triple(&mut out, [value, -value, 0.0], b" ");
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(1.0), "1 -1 0");
        assert_eq!(text(0.25), "0.25 -0.25 0");
        assert_eq!(text(1e-6), "0.000001 -0.000001 0");
        assert_eq!(text(-4e-7), "0 0 0");
        assert_eq!(text(0.999_999_9), "1 -1 0");
        for k in 0..2000 {
            let value = (f64::from(k) * 0.7).sin();
            let read: Vec<f64> = text(value).split(' ').map(|word| word.parse().unwrap()).collect();
            assert!((read[0] - value).abs() <= 5.0001e-7 && read[1] == -read[0] && read[2] == 0.0, "{value}");
        }
    }

    #[test]
    fn whole_numbers_are_those_of_the_standard_library() {
        for number in (0..32).flat_map(|k| [1_u32 << k, (1 << k) - 1]).chain([10, 99, 100, u32::MAX]) {
            let mut out = Vec::new();
            whole(&mut out, number);
            assert_eq!(out, number.to_string().into_bytes());
        }
    }
}
