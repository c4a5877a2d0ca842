//! The structure of the workspace: the dependency table of ARCHITECTURE.md against the manifests, no circle between the
//! folders of a crate, one meaning for each type name, and one way to read a release.

#[path = "architecture/circles.rs"]
mod circles;
#[path = "architecture/names.rs"]
mod names;
#[path = "architecture/sources.rs"]
mod sources;

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

/// Where manifests and records may be read: by the verifier, and by the module through which all commands open a
/// release. `verify` reports what is wrong with a release that cannot be opened.
const READERS: [&str; 3] = ["incrowd-verify/src", "incrowd/src/release", "incrowd/src/ask/verify.rs"];

#[test]
fn a_release_is_read_only_after_it_was_checked() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![crates.clone()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let name = entry.strip_prefix(&crates).expect("inside").display().to_string();
            if entry.is_dir() && !name.ends_with("/tests") {
                folders.push(entry);
            } else if name.ends_with(".rs")
                && name.contains("/src/")
                && !READERS.iter().any(|may| name.starts_with(may))
            {
                let text = std::fs::read_to_string(&entry).expect("a source");
                let reads = ["Manifest::read(", "Manifest::from_sealed_json(", "\"manifest.json\"", "\"record.json\""];
                let found = reads.iter().find(|read| text.contains(**read) && !EXEMPT.contains(&(name.as_str(), read)));
                assert!(found.is_none(), "{name} has {found:?}: open the release with OpenedRelease");
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "the sources are there");
}

/// What merely bears such a name.
const EXEMPT: [(&str, &str); 2] = [
    // The engine fetches and uploads files without reading them.
    ("incrowd-engine/src/publish/postgres/export.rs", "\"manifest.json\""),
    ("incrowd-engine/src/publish/upload.rs", "\"manifest.json\""),
];
