//! The dependency table of ARCHITECTURE.md, held against the manifests.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What each crate may use, as the table of ARCHITECTURE.md says: crate, our crates, other crates, …
fn allowed() -> BTreeMap<String, Vec<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let page = std::fs::read_to_string(page).expect("ARCHITECTURE.md is there");
    let rows = page.lines().skip_while(|line| !line.starts_with("| crate | our crates | other crates |")).skip(2);
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(String::from).collect::<Vec<_>>();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').collect();
        let mut names = quoted(cells[1]);
        (names.remove(0), quoted(cells[2]).into_iter().chain(quoted(cells[3])).collect())
    };
    rows.take_while(|line| line.starts_with('|')).map(row).collect()
}

/// Every crate of the workspace with the names of its normal dependencies.
fn manifests() -> BTreeMap<String, Vec<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let normal = |package: &Value| {
        let all = package["dependencies"].as_array().cloned().unwrap_or_default();
        all.iter().filter(|one| one["kind"].is_null()).map(|one| text(&one["name"])).collect()
    };
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    packages.iter().map(|package| (text(&package["name"]), normal(package))).collect()
}

#[test]
fn every_crate_depends_only_on_what_the_architecture_allows() {
    let allowed = allowed();
    for (name, dependencies) in manifests() {
        let may_use = allowed.get(&name).unwrap_or_else(|| panic!("ARCHITECTURE.md does not say what {name} may use"));
        for dependency in dependencies {
            assert!(may_use.contains(&dependency), "{name} must not use {dependency}");
        }
    }
}

#[test]
fn no_permission_is_kept_that_nobody_uses() {
    let manifests = manifests();
    for (name, may_use) in allowed() {
        let used = manifests.get(&name).unwrap_or_else(|| panic!("ARCHITECTURE.md speaks of {name}, which is gone"));
        for permission in may_use {
            assert!(used.contains(&permission), "{name} does not use {permission} any more");
        }
    }
}
