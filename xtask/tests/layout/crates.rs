//! Who may know whom, read from `cargo metadata`.

use crate::tree;
use serde_json::Value;
use std::process::Command;

/// A crate may use only crates above it. Those that do not exist yet are not required to.
const ORDER: [&str; 12] = [
    "muslin_model",
    "muslin_dynamics",
    "muslin_collision",
    "muslin_contact",
    "muslin_sim",
    "muslin_gpu",
    "muslin_io",
    "muslin_render",
    "muslin",
    "muslin_viewer",
    "muslin_cli",
    "muslin_py",
];

/// What the order alone would allow: collision knows no mass, contact knows no force and no scheme.
const FORBIDDEN: [(&str, &str); 2] = [("muslin_collision", "muslin_dynamics"), ("muslin_contact", "muslin_dynamics")];

/// The chores start programs; they link none of ours.
const CHORES: &str = "xtask";

/// Faults of the crates in a `cargo metadata` document.
fn faults(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().expect("metadata lists packages");
    let name = |package: &Value| package["name"].as_str().expect("a package has a name").to_owned();
    let members: Vec<String> = packages.iter().map(name).collect();
    let mut faults = Vec::new();
    for package in packages {
        let user = name(package);
        let rank = ORDER.iter().position(|&other| other == user);
        if rank.is_none() && user != CHORES {
            faults.push(format!("{user} is not in the list of crates"));
        }
        // Dependencies of tests and build scripts count too: an ignorance kept only in part is not kept.
        for used in package["dependencies"].as_array().into_iter().flatten().map(name) {
            if !members.contains(&used) {
                continue;
            }
            let used_rank = ORDER.iter().position(|&other| other == used);
            if rank.is_none_or(|rank| used_rank.is_none_or(|used| used >= rank)) {
                faults.push(format!("{user} uses {used}, which is not above it"));
            }
            if FORBIDDEN.contains(&(user.as_str(), used.as_str())) {
                faults.push(format!("{user} must not know {used}"));
            }
        }
    }
    faults
}

#[test]
fn each_crate_uses_only_crates_above_it() {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(tree::root())
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    assert!(metadata["packages"].as_array().is_some_and(|packages| packages.len() > 2));
    tree::assert_none(faults(&metadata));
}

#[test]
fn a_crate_that_looks_down_or_sideways_is_found() {
    let package = |name: &str, uses: &[&str]| {
        let dependencies: Vec<Value> = uses.iter().map(|used| serde_json::json!({ "name": used })).collect();
        serde_json::json!({ "name": name, "dependencies": dependencies })
    };
    let check = |packages: Vec<Value>| faults(&serde_json::json!({ "packages": packages }));
    let model = || package("muslin_model", &["glam"]);
    assert!(check(vec![model(), package("muslin_dynamics", &["muslin_model"])]).is_empty());
    assert_eq!(check(vec![package("muslin_model", &["muslin_sim"]), package("muslin_sim", &[])]).len(), 1);
    assert_eq!(
        check(vec![package("muslin_collision", &["muslin_dynamics"]), package("muslin_dynamics", &[])]).len(),
        1
    );
    assert_eq!(check(vec![model(), package("xtask", &["muslin_model"])]).len(), 1);
    assert_eq!(check(vec![package("muslin_extra", &[])]).len(), 1);
}
