//! The nearest valid name to a misspelt one.

/// Names less similar than this are not worth suggesting (Jaro–Winkler similarity [-], 1 is equal).
const LEAST_SIMILARITY: f64 = 0.75;

/// The candidate that looks most like `name`.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |s: &str| s.to_lowercase().replace(['-', ' '], "_");
    let wanted = plain(name);
    candidates
        .into_iter()
        .map(|c| (strsim::jaro_winkler(&wanted, &plain(c)), c))
        .filter(|(similarity, _)| *similarity >= LEAST_SIMILARITY)
        // The first of equals wins, so the suggestion does not depend on the sort.
        .fold(None, |best: Option<(f64, &str)>, next| if best.is_none_or(|b| next.0 > b.0) { Some(next) } else { best })
        .map(|(_, c)| c)
}

/// `` `a`, `b` or `c` ``.
pub fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    match names.as_slice() {
        [] => "nothing".into(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} or {last}", head.join(", ")),
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
        assert_eq!(nearest("qqqq", names), None);
    }
}
