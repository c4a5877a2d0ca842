//! One type name has one meaning in the workspace.

use std::collections::BTreeMap;

use super::sources::sources;

/// Names that every crate or module may have, because Rust does so.
const USUAL: &[&str] = &["Error", "Result"];

#[test]
fn one_type_name_has_one_meaning_in_the_workspace() {
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in sources() {
        for name in file.code.lines().filter_map(declaration) {
            declared.entry(name.to_string()).or_default().push(format!("{}/src/{}", file.package, file.path.join("/")));
        }
    }
    for (name, places) in declared {
        // The verifier defines again what core defines: the same meaning in separate code is its promise.
        let elsewhere: Vec<&String> = places.iter().filter(|place| !place.starts_with("incrowd-verify/")).collect();
        let twice_in_verify = places.len() - elsewhere.len() > 1;
        let once = elsewhere.len() <= 1 && !twice_in_verify;
        assert!(once || USUAL.contains(&name.as_str()), "the type name {name} stands for several things: {places:?}");
    }
}

/// The name that a line at the left margin declares.
fn declaration(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub(super) ")).unwrap_or(line);
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let name = ["struct ", "enum ", "type ", "trait "].iter().find_map(|word| line.strip_prefix(word))?;
    Some(&name[..name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len())])
}
