//! The Rust files of a place that are not for tests alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The paths below `root` of all files of `places`, in order, without those of modules that only tests have.
pub fn of(root: &Path, places: &[String]) -> Vec<String> {
    let mut files = BTreeSet::new();
    let mut tests = Vec::new();
    for place in places {
        walk(&root.join(place), &mut files);
    }
    for file in &files {
        let parsed = syn::parse_file(&std::fs::read_to_string(file).expect("a source can be read"));
        tests.extend(test_modules(file, &parsed.expect("a source is Rust")));
    }
    files
        .iter()
        .filter(|file| !tests.iter().any(|test| file.starts_with(test) || **file == test.with_extension("rs")))
        .map(|file| file.strip_prefix(root).expect("a file below the root").display().to_string())
        .collect()
}

fn walk(place: &Path, files: &mut BTreeSet<PathBuf>) {
    if place.is_dir() {
        for entry in std::fs::read_dir(place).expect("a folder can be read") {
            walk(&entry.expect("an entry").path(), files);
        }
    } else if place.extension().is_some_and(|extension| extension == "rs") {
        files.insert(place.to_owned());
    }
}

/// The folders, or files without their extension, of modules that are declared with `#[cfg(test)] mod name;`.
fn test_modules(file: &Path, parsed: &syn::File) -> Vec<PathBuf> {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let folder = file.parent().expect("a file has a folder");
    let base = if matches!(stem, "mod" | "lib" | "main") { folder.to_owned() } else { folder.join(stem) };
    let declared = parsed.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if module.content.is_none() && for_tests(&module.attrs) => Some(module),
        _ => None,
    });
    declared.map(|module| base.join(module.ident.to_string())).collect()
}

/// Whether something is compiled for tests alone.
pub fn for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|list| {
                    let condition = list.tokens.to_string().replace(' ', "");
                    condition == "test" || condition.starts_with("any(test") || condition.starts_with("all(test")
                })
    })
}
