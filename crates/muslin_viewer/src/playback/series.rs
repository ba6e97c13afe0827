//! Curves over time of a recording, from the table of totals that its run wrote, and words about what it did not write.

use serde_json::{Value, json};
use std::{fs, path::Path};

/// Largest table of totals [bytes]; a longer one is not plotted.
const LARGEST_TABLE: u64 = 32 << 20;

/// What becomes of a column.
enum Curve {
    /// Its numbers, times a factor.
    Plain(f64),
    /// What was added within each frame: the column counts from the start.
    PerFrame,
}

/// Columns of `totals.csv` worth a plot: end of the name, what is left of it on the plot, group, unit.
const PLOTTED: [(&str, &str, &str, &str, Curve); 11] = [
    ("_energy_J", "", "Energy", "J", Curve::Plain(1.0)),
    ("_work_J", "", "Work", "J", Curve::Plain(1.0)),
    ("worst_residual", "residual", "Residual", "vertex weights", Curve::Plain(1.0)),
    ("newton_iterations", "Newton", "Iterations", "per frame", Curve::PerFrame),
    ("max_strain", "strain", "Largest strain", "%", Curve::Plain(100.0)),
    ("max_speed_m_s", "speed", "Largest speed", "m/s", Curve::Plain(1.0)),
    ("near_contacts", "near", "Contacts", "-", Curve::Plain(1.0)),
    ("pressing_contacts", "pressing", "Contacts", "-", Curve::Plain(1.0)),
    ("contact_solves", "solves", "Contact rounds", "per frame", Curve::PerFrame),
    ("contact_responses", "responses", "Contact rounds", "per frame", Curve::PerFrame),
    ("crossings", "crossings", "Crossings so far", "-", Curve::Plain(1.0)),
];

/// The curves of a run, and notes on what it did not record.
pub fn of(directory: &Path) -> Value {
    let path = directory.join("totals.csv");
    let fits = fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= LARGEST_TABLE);
    let text = if fits { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
    let (time, mut curves) = curves(&text);
    let mut notes: Vec<String> = Vec::new();
    let has = |group: &str| curves.iter().any(|curve| curve["group"] == group);
    let missing: Vec<&str> = ["Energy", "Residual", "Contacts"].into_iter().filter(|group| !has(group)).collect();
    if !missing.is_empty() {
        let what = missing.join(", ").to_lowercase();
        notes.push(format!("Not recorded over time: {what}. Run the scene with --format npz,csv to have it here."));
    }
    let is_zero = |curve: &Value| curve["values"].as_array().into_iter().flatten().all(|v| v.as_f64() == Some(0.0));
    if has("Contacts") && curves.iter().filter(|curve| of_contact(curve)).all(is_zero) {
        curves.retain(|curve| !of_contact(curve));
        notes.push("There were no contacts in this run.".into());
    }
    notes.push(stage_costs(directory));
    json!({ "curves": curves, "time": time, "notes": notes })
}

fn of_contact(curve: &Value) -> bool {
    ["Contacts", "Contact rounds", "Crossings so far"].iter().any(|group| curve["group"] == *group)
}

/// The times of the lines [s], and the curves.
fn curves(text: &str) -> (Vec<f64>, Vec<Value>) {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()).collect();
    let column = |k: usize| rows.iter().map(move |row| row.get(k).copied().unwrap_or(f64::NAN));
    let time = names.iter().position(|name| name.starts_with("time")).map_or(Vec::new(), |k| column(k).collect());
    let curves = names.iter().enumerate().filter_map(|(k, name)| {
        let (ending, short, group, unit, curve) = PLOTTED.iter().find(|(ending, ..)| name.ends_with(ending))?;
        let values: Vec<f64> = match curve {
            Curve::Plain(factor) => column(k).map(|value| value * factor).collect(),
            Curve::PerFrame => {
                let before = std::iter::once(0.0).chain(column(k));
                column(k).zip(before).map(|(now, before)| now - before).collect()
            }
        };
        let label = if short.is_empty() { name.strip_suffix(ending).unwrap_or(name) } else { short };
        Some(json!({ "name": label, "group": group, "unit": unit, "values": values }))
    });
    (time, curves.collect())
}

/// What the stages cost in all. Times differ from run to run, so that results, which must not, hold none of single frames.
fn stage_costs(directory: &Path) -> String {
    let report: Value = fs::read_to_string(directory.join("report.json"))
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let cost = |stage: &Value| stage["wall_seconds"].as_f64().filter(|seconds| *seconds > 0.0);
    let mut costs: Vec<(&str, f64)> =
        report["stages"].as_object().into_iter().flatten().filter_map(|(n, s)| Some((n.as_str(), cost(s)?))).collect();
    costs.sort_by(|a, b| b.1.total_cmp(&a.1));
    let told: Vec<String> = costs.iter().map(|(name, seconds)| format!("{name} {}", brief(*seconds))).collect();
    match told.is_empty() {
        true => "Stage costs were not recorded: the run has no whole report.json.".into(),
        false => format!("Stage costs are recorded for the whole run only: {}.", told.join(", ")),
    }
}

/// Two significant digits, in seconds or milliseconds.
fn brief(seconds: f64) -> String {
    let (value, unit) = if seconds < 0.1 { (1e3 * seconds, "ms") } else { (seconds, "s") };
    let digits = (1 - value.log10().floor() as i32).clamp(0, 3) as usize;
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_count_from_the_start_become_numbers_per_frame() {
        let text = "frame,time_s,kinetic_energy_J,newton_iterations,near_contacts,new_key\n0,0,1,0,3,9\n1,0.5,2,4,5,9\n2,1,3,10,4,9\n";
        let (time, curves) = curves(text);
        assert_eq!(time, [0.0, 0.5, 1.0]);
        let values = |name: &str| curves.iter().find(|c| c["name"] == name).unwrap()["values"].clone();
        assert_eq!(values("kinetic"), json!([1.0, 2.0, 3.0]));
        assert_eq!(values("Newton"), json!([0.0, 4.0, 6.0]));
        assert_eq!(values("near"), json!([3.0, 5.0, 4.0]));
        assert_eq!(curves.len(), 3, "columns that it does not know are left out");
    }

    #[test]
    fn what_was_not_recorded_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let notes =
            |series: Value| series["notes"].as_array().unwrap().iter().map(|n| n.to_string()).collect::<String>();
        let bare = notes(of(folder.path()));
        for word in ["energy", "residual", "contacts", "--format npz,csv", "Stage costs were not recorded"] {
            assert!(bare.contains(word), "{word}: {bare}");
        }
        let table = "time_s,kinetic_energy_J,worst_residual,near_contacts\n0,1,2,3\n";
        fs::write(folder.path().join("totals.csv"), table).unwrap();
        let report = r#"{"stages":{"integrate":{"wall_seconds":0.6771},"commit":{"wall_seconds":12.34},"drive":{"wall_seconds":0.0042},"later":{"odd":1}},"x":1}"#;
        fs::write(folder.path().join("report.json"), report).unwrap();
        let whole = notes(of(folder.path()));
        assert!(!whole.contains("Not recorded"), "{whole}");
        assert!(!whole.contains("no contacts"), "{whole}");
        fs::write(folder.path().join("totals.csv"), "time_s,near_contacts,crossings\n0,0,0\n1,0,0\n").unwrap();
        let none = of(folder.path());
        assert!(none["curves"].as_array().unwrap().is_empty() && notes(none).contains("no contacts"));
        assert!(whole.contains("commit 12 s, integrate 0.68 s, drive 4.2 ms"), "{whole}");
    }
}
