//! Scene files damaged at random, the same way every time.

/// A small generator of random numbers (SplitMix64), so that a seed names a file for ever.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Values that programs trip over.
const NASTY: [&str; 14] = [
    "0",
    "-1",
    "1e308",
    "-1e-308",
    "nan",
    "inf",
    "1e9",
    "\"\"",
    "[]",
    "{}",
    "true",
    "\"$\"",
    "[1, \"a\"]",
    "99999999999999999999",
];

/// One to three damages: a line lost, doubled or moved, a value replaced, a character changed.
pub fn damaged(text: &str, seed: u64) -> String {
    let mut random = Random(seed);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + random.below(3) {
        if lines.is_empty() {
            break;
        }
        let (at, other) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(5) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(other, lines[at].clone()),
            2 => lines.swap(at, other),
            3 => {
                if let Some((key, _)) = lines[at].split_once('=') {
                    lines[at] = format!("{key}= {}", NASTY[random.below(NASTY.len())]);
                }
            }
            _ => {
                let mut characters: Vec<char> = lines[at].chars().collect();
                if !characters.is_empty() {
                    let place = random.below(characters.len());
                    characters[place] = char::from(b' ' + random.below(95) as u8);
                    lines[at] = characters.into_iter().collect();
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_one_damage_and_seeds_differ() {
        let text = "name = \"a\"\nduration = 2\n\n[[cloth]]\nshape = \"grid\"\nsize = [1, 1]\n";
        let all: Vec<String> = (0..50).map(|seed| damaged(text, seed)).collect();
        assert_eq!(all, (0..50).map(|seed| damaged(text, seed)).collect::<Vec<_>>());
        assert!(all.iter().filter(|other| *other != text).count() > 40);
        assert!(all.iter().filter(|other| *other != &all[0]).count() > 40);
    }
}
