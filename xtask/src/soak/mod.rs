//! `cargo xtask soak [MINUTES]`: the large numbers that a test run has no time for.
//!
//! The jobs form one fixed list: runs killed at a random moment and resumed, every built-in scene at several
//! resolutions, steps and numbers of threads, scene files damaged at random, and ten million continuous collision queries against exact arithmetic. After each
//! job the count is kept in `target/soak.json`, so a soak that was stopped goes on where it was. What it found so far is
//! written to `bench/soak.json`. Afterwards every loader is fuzzed (`fuzz.rs`).

mod fuzz;
mod jobs;
mod kills;
mod mutation;

use crate::{muslin, workspace};
use jobs::{Job, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What is kept between soaks.
#[derive(Debug, Default, PartialEq)]
struct Progress {
    /// Jobs done.
    done: usize,
    /// Fingerprint of the list of jobs and of the program; another one starts from the beginning.
    fingerprint: String,
    /// Descriptions of failures.
    failures: Vec<String>,
    /// Hash of the final state of each run, by what must not change it.
    hashes: BTreeMap<String, String>,
}

/// Goes on until all jobs are done or the time is over.
pub fn run(minutes: Option<&str>) -> Result<(), String> {
    let limit = match minutes.map(str::parse::<u64>) {
        None => Duration::MAX,
        Some(Ok(minutes)) => Duration::from_secs(60 * minutes),
        Some(Err(_)) => return Err("usage: cargo xtask soak [MINUTES]".into()),
    };
    muslin::build()?;
    let jobs = jobs::all()?;
    let fingerprint = fingerprint(&jobs)?;
    let mut progress = Progress::read().filter(|kept| kept.fingerprint == fingerprint).unwrap_or_default();
    progress.fingerprint = fingerprint;
    let folder = workspace::fresh_folder("soak")?;
    let start = Instant::now();
    while progress.done < jobs.len() && start.elapsed() < limit {
        let job = &jobs[progress.done];
        let failure = match job.run(&folder)? {
            Verdict::Held => None,
            Verdict::Broken(why) => Some(format!("{job}: {why}")),
            Verdict::State { key, hash } => {
                let first = progress.hashes.entry(key).or_insert_with(|| hash.clone());
                (*first != hash).then(|| format!("{job}: state {hash} differs from {first}"))
            }
        };
        progress.done += 1;
        println!("{}/{} {job}: {}", progress.done, jobs.len(), failure.as_deref().unwrap_or("ok"));
        progress.failures.extend(failure);
        progress.write()?;
    }
    progress.publish(jobs.len())?;
    fuzz::run(limit.saturating_sub(start.elapsed()))?;
    let failed = progress.failures.len();
    println!("{} passed, {failed} failed, {} to go", progress.done - failed, jobs.len() - progress.done);
    if failed > 0 { Err(progress.failures.join("\n")) } else { Ok(()) }
}

/// The list of jobs and the built program.
fn fingerprint(jobs: &[Job]) -> Result<String, String> {
    let program = muslin::command(&[]).get_program().to_owned();
    let bytes = fs::read(&program).map_err(|error| format!("{}: {error}", program.display()))?;
    let names: String = jobs.iter().map(Job::to_string).collect();
    // FNV-1a: it only has to notice a change.
    let hash = bytes
        .iter()
        .chain(names.as_bytes())
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    Ok(format!("{hash:016x}"))
}

impl Progress {
    fn path() -> PathBuf {
        workspace::target().join("soak.json")
    }

    fn read() -> Option<Self> {
        Self::parse(&serde_json::from_str(&fs::read_to_string(Self::path()).ok()?).ok()?)
    }

    fn parse(value: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Some(Progress {
            done: value["done"].as_u64()? as usize,
            fingerprint: text(&value["fingerprint"])?,
            failures: value["failures"].as_array()?.iter().filter_map(text).collect(),
            hashes: value["hashes"].as_object()?.iter().filter_map(|(k, v)| Some((k.clone(), text(v)?))).collect(),
        })
    }

    fn to_json(&self) -> Value {
        json!({ "done": self.done, "fingerprint": self.fingerprint, "failures": self.failures, "hashes": self.hashes })
    }

    /// Written beside and renamed, so that a kill leaves the old or the new one.
    fn write(&self) -> Result<(), String> {
        let (path, beside) = (Self::path(), Self::path().with_extension("json.new"));
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        fs::write(&beside, self.to_json().to_string()).map_err(failed)?;
        fs::rename(&beside, &path).map_err(failed)
    }

    /// The result that the repository keeps.
    fn publish(&self, jobs: usize) -> Result<(), String> {
        let path = workspace::root().join("bench/soak.json");
        let result = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "jobs": jobs,
            "done": self.done,
            "failed": self.failures.len(),
            "failures": self.failures,
            "distinct_runs": self.hashes.len(),
        });
        let text = serde_json::to_string_pretty(&result).map_err(|error| error.to_string())? + "\n";
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
            fingerprint: "0123".into(),
            failures: vec!["a: \"b\"".into()],
            hashes: [("hang 10".to_owned(), "ff".to_owned())].into(),
        };
        let text = progress.to_json().to_string();
        assert_eq!(Progress::parse(&serde_json::from_str(&text).expect("JSON")), Some(progress));
    }
}
