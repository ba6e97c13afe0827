//! Counting results, and reading the counts of Rust's test harness.

use crate::process;
use std::fmt;
use std::ops::AddAssign;
use std::process::Command;

/// Real counts of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Checks that held.
    pub passed: usize,
    /// Checks that did not.
    pub failed: usize,
    /// Checks that could not be made here and said so.
    pub skipped: usize,
}

impl Tally {
    /// The count of a single check.
    pub fn one(held: bool) -> Self {
        Tally { passed: usize::from(held), failed: usize::from(!held), skipped: 0 }
    }

    /// Runs a script of checks that prints `ok: …` or `FAILED: …` for each, and shows all but those that hold. One that
    /// breaks off counts as a failed check.
    pub fn of_verdicts(script: &mut Command) -> Result<Self, String> {
        let mut tally = Tally::default();
        let succeeded = process::lines(script, |line| {
            let held = line.starts_with("ok: ");
            if !held {
                println!("{line}");
            }
            tally.passed += usize::from(held);
            tally.failed += usize::from(line.starts_with("FAILED: "));
        })?;
        if !succeeded && tally.failed == 0 {
            tally.failed = 1;
        }
        Ok(tally)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

/// Reads the output of `cargo test -- --show-output` line by line.
///
/// A test that lacks its data passes as far as the harness knows, and says `skipped: why` on a line of its
/// own output. Only `--show-output` brings that line to light; what else passing tests print is left out.
#[derive(Debug, Default)]
pub struct HarnessReader {
    /// Counts so far.
    pub tally: Tally,
    inside_successes: bool,
    inside_skipped_test: bool,
    /// Tests of this binary that said they were skipped; its closing line counts them as passed.
    skipped_here: usize,
}

impl HarnessReader {
    /// Takes a line; returns whether to show it.
    pub fn read(&mut self, line: &str) -> bool {
        if line == "successes:" {
            self.inside_successes = true;
            return false;
        }
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.inside_successes = false;
            let skipped = std::mem::take(&mut self.skipped_here);
            let counts = counts_of(counts);
            self.tally += Tally {
                passed: counts.passed.saturating_sub(skipped),
                skipped: counts.skipped + skipped,
                failed: counts.failed,
            };
            return true;
        }
        if line == "failures:" {
            self.inside_successes = false;
        }
        if !self.inside_successes {
            return true;
        }
        if line.starts_with("---- ") {
            self.inside_skipped_test = false;
        } else if line.starts_with("skipped: ") {
            // Several such lines of one test are still one test.
            if !self.inside_skipped_test {
                self.inside_skipped_test = true;
                self.skipped_here += 1;
            }
            return true;
        }
        false
    }
}

/// The counts of a harness's closing line, `ok. 3 passed; 0 failed; 1 ignored; …`.
fn counts_of(line: &str) -> Tally {
    let count = |name: &str| {
        line.split(['.', ';'])
            .filter_map(|part| part.trim().split_once(' '))
            .find(|(_, word)| *word == name)
            .and_then(|(number, _)| number.parse().ok())
            .unwrap_or(0)
    };
    Tally { passed: count("passed"), failed: count("failed"), skipped: count("ignored") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Tally, Vec<&str>) {
        let mut reader = HarnessReader::default();
        let shown = text.lines().filter(|line| reader.read(line)).collect();
        (reader.tally, shown)
    }

    #[test]
    fn counts_of_several_binaries_add_up() {
        let (tally, _) = read(
            "running 3 tests\n\
             test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n\
             test result: FAILED. 10 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.5s\n",
        );
        assert_eq!(tally, Tally { passed: 13, failed: 2, skipped: 1 });
    }

    #[test]
    fn a_test_that_says_skipped_does_not_count_as_passed() {
        let (tally, shown) = read(
            "test a ... ok\n\nsuccesses:\n\n---- a stdout ----\nnoise\nskipped: no data\nskipped: none at all\n\n\
             ---- b stdout ----\nnoise\n\nsuccesses:\n    a\n    b\n\n\
             test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n",
        );
        assert_eq!(tally, Tally { passed: 1, failed: 0, skipped: 1 });
        assert!(!shown.contains(&"noise"));
        assert!(shown.contains(&"skipped: no data"));
    }

    #[test]
    fn output_of_a_failed_test_is_shown() {
        let (_, shown) = read(
            "successes:\n\n---- a stdout ----\nnoise\n\nsuccesses:\n    a\n\nfailures:\n\n---- b stdout ----\n\
             assertion failed\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n",
        );
        assert!(shown.contains(&"assertion failed"));
        assert!(!shown.contains(&"noise"));
    }

    #[test]
    fn the_closing_line_names_skipped_checks_only_if_there_are_any() {
        assert_eq!(Tally { passed: 3, failed: 0, skipped: 0 }.to_string(), "3 passed, 0 failed");
        assert_eq!(Tally { passed: 3, failed: 1, skipped: 2 }.to_string(), "3 passed, 1 failed, 2 skipped");
    }
}
