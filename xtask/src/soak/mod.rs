//! `cargo xtask soak [FAMILY…] [MINUTES]`: the large numbers that a test run has no time for.
//!
//! The jobs of a family form one fixed list: `kills` (runs killed at a random moment and resumed), `scenes` (every
//! built-in scene at several resolutions, steps and numbers of threads), `damaged` (scene files damaged at random),
//! `frames` (every broad phase on the public frames, pair by pair, the slow twin included), `queries` (ten million
//! continuous collision queries against exact arithmetic), `generated` (two hundred scenes made at random), `matrix` (every scene of
//! contact at three steps, with three starts, on one and two threads), `peers` (every scene of contact judged by the independent checker itself,
//! `peers.rs`), `fuzz` (every loader, `fuzz.rs`) and `page`
//! (ten pages for five minutes and damaged messages, `page.rs`).
//! After each job the count is kept in `target/soak-FAMILY.json`, so a soak that was stopped goes on where it was.
//! What was found so far is written to `bench/soak.json`, and for `fuzz` to `bench/fuzz.md`.

mod contact;
mod fuzz;
mod jobs;
mod kills;
mod mutation;
mod page;
mod peers;

use crate::workspace;
use jobs::{Family, Job, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is kept between soaks.
#[derive(Debug, Default, PartialEq)]
struct Progress {
    /// Jobs done.
    done: usize,
    /// Fingerprint of the list of jobs and of the program; another one starts from the beginning.
    fingerprint: String,
    /// Time that they took [s].
    seconds: u64,
    /// Descriptions of failures.
    failures: Vec<String>,
    /// Hash of the final state of each run, by what must not change it.
    hashes: BTreeMap<String, String>,
    /// What each run said of itself, by its job.
    notes: BTreeMap<String, String>,
}

const USAGE: &str = "usage: cargo xtask soak [kills] [scenes] [damaged] [frames] [queries] [generated] [matrix] [peers] [fuzz] [page] [MINUTES]";

/// Goes on until all jobs of the families (all of them if none is named) are done or the time is over.
pub fn run(words: &[&str]) -> Result<(), String> {
    let (minutes, named): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.parse::<u64>().is_ok());
    let limit = match minutes.as_slice() {
        [] => Duration::MAX,
        [minutes] => Duration::from_secs(60 * minutes.parse::<u64>().unwrap_or(0)),
        _ => return Err(USAGE.into()),
    };
    let known = |word: &str| {
        ["peers", "fuzz", "page"].contains(&word) || Family::ALL.iter().any(|family| family.name() == word)
    };
    if let Some(unknown) = named.iter().find(|word| !known(word)) {
        return Err(format!("no family `{unknown}`; {USAGE}"));
    }
    let wanted = |name: &str| named.is_empty() || named.contains(&name);
    let start = Instant::now();
    let mut failures = Vec::new();
    for family in Family::ALL.into_iter().filter(|family| wanted(family.name())) {
        failures.extend(soak(family, start, limit)?);
    }
    if wanted("peers") && start.elapsed() < limit {
        peers::run(limit.saturating_sub(start.elapsed()))?;
    }
    if wanted("fuzz") {
        fuzz::run(limit.saturating_sub(start.elapsed()))?;
    }
    if wanted("page") && start.elapsed() < limit {
        page::run()?;
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Goes on with one family; returns its failures so far.
fn soak(family: Family, start: Instant, limit: Duration) -> Result<Vec<String>, String> {
    let jobs = family.jobs()?;
    let program = family.program()?;
    let fingerprint = fingerprint(&program, &jobs)?;
    let mut progress = Progress::read(family).filter(|kept| kept.fingerprint == fingerprint).unwrap_or_default();
    progress.fingerprint = fingerprint;
    let lanes = lanes(family, &program)?;
    let began = Instant::now();
    let before = progress.seconds;
    while progress.done < jobs.len() && start.elapsed() < limit {
        let group = &jobs[progress.done..jobs.len().min(progress.done + lanes.len())];
        for (job, verdict) in group.iter().zip(side_by_side(group, &lanes)) {
            let failure = match verdict? {
                Verdict::Held => None,
                Verdict::Broken(why) => Some(format!("{job}: {why}")),
                Verdict::State { key, hash, note } => {
                    progress.notes.extend(note.map(|note| (job.to_string(), note)));
                    let first = progress.hashes.entry(key).or_insert_with(|| hash.clone());
                    (*first != hash).then(|| format!("{job}: state {hash} differs from {first}"))
                }
            };
            progress.done += 1;
            println!("{}/{} {job}: {}", progress.done, jobs.len(), failure.as_deref().unwrap_or("ok"));
            progress.failures.extend(failure);
        }
        progress.seconds = before + began.elapsed().as_secs();
        progress.write(family)?;
        progress.publish(family, jobs.len())?;
        if matches!(family, Family::Generated | Family::Matrix) {
            let counts = [progress.done, jobs.len()];
            contact::publish(family.name(), &progress.notes, counts, &progress.failures)?;
        }
    }
    let failed = progress.failures.len();
    let (name, passed, left) = (family.name(), progress.done - failed, jobs.len() - progress.done);
    println!("{name}: {passed} passed, {failed} failed, {left} to go");
    Ok(progress.failures)
}

/// A folder for each job that runs at a time.
fn lanes(family: Family, program: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = workspace::fresh_folder(&format!("soak-{}", family.name()))?;
    let lanes: Vec<PathBuf> = (0..family.at_a_time()).map(|lane| folder.join(lane.to_string())).collect();
    for lane in &lanes {
        let failed = |error: std::io::Error| format!("{}: {error}", lane.display());
        fs::create_dir_all(lane).map_err(failed)?;
        if matches!(family, Family::Queries | Family::Frames | Family::Generated | Family::Matrix) {
            // A copy, so that the sources may change meanwhile.
            fs::copy(program, lane.join(jobs::COPY)).map_err(failed)?;
        }
    }
    Ok(lanes)
}

/// Does some jobs at the same time, each in its folder; their verdicts in the order of the jobs.
fn side_by_side(jobs: &[Job], lanes: &[PathBuf]) -> Vec<Result<Verdict, String>> {
    std::thread::scope(|scope| {
        let under_way: Vec<_> = jobs.iter().zip(lanes).map(|(job, lane)| scope.spawn(move || job.run(lane))).collect();
        let crashed = |_| Err("a job ended without a verdict".to_owned());
        under_way.into_iter().map(|job| job.join().unwrap_or_else(crashed)).collect()
    })
}

/// The list of jobs and the built program.
fn fingerprint(program: &Path, jobs: &[Job]) -> Result<String, String> {
    let bytes = fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let names: String = jobs.iter().map(Job::to_string).collect();
    // FNV-1a: it only has to notice a change.
    let hash = bytes
        .iter()
        .chain(names.as_bytes())
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    Ok(format!("{hash:016x}"))
}

impl Progress {
    fn path(family: Family) -> PathBuf {
        workspace::target().join(format!("soak-{}.json", family.name()))
    }

    fn read(family: Family) -> Option<Self> {
        Self::parse(&serde_json::from_str(&fs::read_to_string(Self::path(family)).ok()?).ok()?)
    }

    fn parse(value: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let texts = |value: &Value| -> Option<BTreeMap<String, String>> {
            Some(value.as_object()?.iter().filter_map(|(k, v)| Some((k.clone(), text(v)?))).collect())
        };
        Some(Progress {
            done: value["done"].as_u64()? as usize,
            seconds: value["seconds"].as_u64()?,
            fingerprint: text(&value["fingerprint"])?,
            failures: value["failures"].as_array()?.iter().filter_map(text).collect(),
            hashes: texts(&value["hashes"])?,
            notes: texts(&value["notes"])?,
        })
    }

    fn to_json(&self) -> Value {
        json!({
            "done": self.done,
            "seconds": self.seconds,
            "fingerprint": self.fingerprint,
            "failures": self.failures,
            "hashes": self.hashes,
            "notes": self.notes,
        })
    }

    /// Written beside and renamed, so that a kill leaves the old or the new one.
    fn write(&self, family: Family) -> Result<(), String> {
        let (path, beside) = (Self::path(family), Self::path(family).with_extension("json.new"));
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        fs::write(&beside, self.to_json().to_string()).map_err(failed)?;
        fs::rename(&beside, &path).map_err(failed)
    }

    /// The result that the repository keeps, beside those of the other families.
    fn publish(&self, family: Family, jobs: usize) -> Result<(), String> {
        let path = workspace::root().join("bench/soak.json");
        let mut all: Value = fs::read_to_string(&path)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .filter(Value::is_object)
            .unwrap_or_else(|| json!({}));
        all[family.name()] = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "jobs": jobs,
            "done": self.done,
            "seconds": self.seconds,
            "failed": self.failures.len(),
            "failures": self.failures,
            "distinct_runs": self.hashes.len(),
        });
        let text = serde_json::to_string_pretty(&all).map_err(|error| error.to_string())? + "\n";
        fs::create_dir_all(workspace::root().join("bench"))
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_survives_its_file() {
        let progress = Progress {
            done: 7,
            seconds: 9,
            fingerprint: "0123".into(),
            failures: vec!["a: \"b\"".into()],
            hashes: [("hang 10".to_owned(), "ff".to_owned())].into(),
            notes: [("a".to_owned(), "{}".to_owned())].into(),
        };
        let text = progress.to_json().to_string();
        assert_eq!(Progress::parse(&serde_json::from_str(&text).expect("JSON")), Some(progress));
    }
}
