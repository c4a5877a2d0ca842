//! The dependency table of ARCHITECTURE.md, held against the manifests.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// What each crate may use, separated by blanks. A crate boundary is where a promise lives: core runs anywhere, the
/// diagnosis is pure, only the engine knows DataFusion and tokio.
const MAY_USE: [(&str, &str); 6] = [
    ("incrowd-core", "serde thiserror chrono ahash"),
    ("incrowd-risk", "incrowd-core rayon serde"),
    (
        "incrowd-engine",
        "incrowd-core datafusion tokio futures csv simdutf8 memchr flate2 zstd ahash hashbrown glob url thiserror \
         rayon chrono",
    ),
    ("incrowd", "incrowd-core incrowd-risk incrowd-engine serde serde_json toml schemars rand_xoshiro rayon thiserror"),
    (
        "incrowd-cli",
        "incrowd clap clap_complete clap_mangen indicatif serde serde_json mimalloc signal-hook unicode-width \
         terminal_size",
    ),
    ("bare-engine", "datafusion tokio"),
];

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
    let manifests = manifests();
    for (name, dependencies) in &manifests {
        let allowed = MAY_USE.iter().find(|(crate_name, _)| crate_name == name).unwrap_or_else(|| {
            panic!("{name} is not in the table of this test and of ARCHITECTURE.md: say there what it may use")
        });
        for dependency in dependencies {
            assert!(allowed.1.split(' ').any(|word| word == dependency), "{name} must not use {dependency}");
        }
    }
    assert_eq!(manifests.len(), MAY_USE.len(), "a crate of the table is gone");
}

#[test]
fn no_permission_is_kept_that_nobody_uses() {
    let manifests = manifests();
    for (name, allowed) in MAY_USE {
        for permission in allowed.split_whitespace() {
            assert!(manifests[name].iter().any(|used| used == permission), "{name} does not use {permission} any more");
        }
    }
}
