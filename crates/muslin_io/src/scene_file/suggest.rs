//! The nearest valid name to a misspelt one.

/// Names less similar than this are not worth suggesting [-]; 1 is equal.
const LEAST_SIMILARITY: f64 = 0.75;

/// Jaro–Winkler likes a common beginning, the edit distance knows swapped letters in short words; the latter
/// is stricter, and this much [-] makes the two comparable.
const EDIT_BONUS: f64 = 0.1;

fn similarity(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(a, b).max(strsim::normalized_damerau_levenshtein(a, b) + EDIT_BONUS)
}

/// The candidate that looks most like `name`.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |s: &str| s.to_lowercase().replace(['-', ' '], "_");
    let wanted = plain(name);
    candidates
        .into_iter()
        .map(|c| (similarity(&wanted, &plain(c)), c))
        .filter(|(similarity, _)| *similarity >= LEAST_SIMILARITY)
        // The first of equals wins, so the suggestion does not depend on the sort.
        .fold(None, |best: Option<(f64, &str)>, next| if best.is_none_or(|b| next.0 > b.0) { Some(next) } else { best })
        .map(|(_, c)| c)
}

/// `` `a`, `b` or `c` ``.
pub fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    joined(names, "or")
}

/// `` `a`, `b` and `c` ``.
pub fn all_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    joined(names, "and")
}

fn joined<'a>(names: impl IntoIterator<Item = &'a str>, word: &str) -> String {
    let names: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    match names.as_slice() {
        [] => "nothing".into(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} {word} {last}", head.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_finds_its_word_and_nonsense_finds_none() {
        let names = ["radius", "height", "vertices", "woven-cotton"];
        assert_eq!(nearest("raduis", names), Some("radius"));
        assert_eq!(nearest("Woven_Cotton", names), Some("woven-cotton"));
        assert_eq!(nearest("tpo", ["left", "top", "top-left"]), Some("top"));
        assert_eq!(nearest("qqqq", names), None);
    }
}
