//! The top-level modules of a crate form no circle: a newcomer can read them one after the other.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::{SourceFile, sources};

/// Which top-level modules a top-level module uses, each with a file that does.
type Arrows = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn the_top_level_modules_of_a_crate_form_no_circle() {
    let mut packages: BTreeMap<String, Vec<SourceFile>> = BTreeMap::new();
    sources().into_iter().for_each(|file| packages.entry(file.package.clone()).or_default().push(file));
    for (package, files) in packages {
        let arrows = arrows(&files);
        for from in arrows.keys() {
            for (to, file) in &arrows[from] {
                let back = reachable(&arrows, to).contains(from);
                assert!(!back, "{package}: {from} uses {to} (in {file}), and {to} uses {from}, at least indirectly");
            }
        }
    }
}

fn arrows(files: &[SourceFile]) -> Arrows {
    let modules: BTreeSet<&str> = files.iter().filter(|file| !file.is_root()).map(SourceFile::top).collect();
    let exported =
        files.iter().find(|file| file.path == ["lib.rs"]).map(|root| exports(root, &modules)).unwrap_or_default();
    let mut arrows = Arrows::new();
    for file in files.iter().filter(|file| !file.is_root()) {
        let words = ["crate::".to_string(), "super::".repeat(file.depth())];
        let used = words.iter().flat_map(|prefix| words_after(&file.code, prefix));
        for word in used {
            let module = modules.get(word).copied().or_else(|| exported.get(word).copied());
            if let Some(module) = module.filter(|module| *module != file.top()) {
                let from = arrows.entry(file.top().to_string()).or_default();
                from.entry(module.to_string()).or_insert_with(|| file.path.join("/"));
            }
        }
    }
    arrows
}

/// Which module defines what the root exports: `pub use module::{Name, …}`.
fn exports<'a>(root: &'a SourceFile, modules: &BTreeSet<&'a str>) -> BTreeMap<&'a str, &'a str> {
    let mut exported = BTreeMap::new();
    for statement in root.code.split(';').filter_map(|statement| statement.split("use ").nth(1)) {
        let path = statement.trim().trim_start_matches("crate::").trim_start_matches("self::");
        let Some((module, names)) = path.split_once("::") else { continue };
        if let Some(module) = modules.get(module.trim()) {
            let renamed = |name: &'a str| name.rsplit(" as ").next().unwrap_or(name).trim();
            let names = names.split([',', '{', '}', ':']).map(renamed).filter(|name| !name.is_empty());
            exported.extend(names.map(|name| (name, *module)));
        }
    }
    exported
}

/// The first word of every path that begins with the prefix; the first words of all branches of `{…}`.
fn words_after<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    let is_start = |at: usize| !code[..at].ends_with("super::") && !code[..at].ends_with(|c: char| c.is_alphanumeric());
    let starts = code.match_indices(prefix).filter(|(at, _)| is_start(*at));
    starts.flat_map(|(at, _)| first_words(&code[at + prefix.len()..])).collect()
}

fn first_words(path: &str) -> Vec<&str> {
    let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    if !path.starts_with('{') {
        return vec![&path[..word(path)]];
    }
    let (mut depth, mut begins, mut found) = (0, false, Vec::new());
    for (at, letter) in path.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if begins && depth == 1 && letter.is_alphabetic() {
            found.push(&path[at..at + word(&path[at..])]);
        }
        begins = depth == 1 && (letter == '{' || letter == ',' || begins && letter.is_whitespace());
    }
    found
}

fn reachable(arrows: &Arrows, from: &str) -> BTreeSet<String> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_string()]);
    while let Some(module) = open.pop() {
        if seen.insert(module.clone()) {
            open.extend(arrows.get(&module).into_iter().flat_map(BTreeMap::keys).cloned());
        }
    }
    seen
}
