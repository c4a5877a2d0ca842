//! The register of claims, docs/claims.md and the sections `### C-…` of concept pages, held against everything that the product says.
//!
//! A sentence with a claiming word ([`words::CLAIMING`]) claims something, unless a rule of [`words::is_no_claim`] says
//! what it is instead. A claim must match a pattern of the register, and every claim of the register must name a test that
//! tries to refute it. What is walked: string literals of `crates/*/src` outside of tests, doc comments of the command
//! line's arguments (they are its help), string literals of `python/incrowd`, and the prose of `docs/` and `README.md`. A
//! page of prose may link the register instead of matching it.

#![allow(clippy::unwrap_used)]

#[path = "claims/pages.rs"]
mod pages;
#[path = "claims/register.rs"]
mod register;
#[path = "claims/sources.rs"]
mod sources;
#[path = "claims/words.rs"]
mod words;

use std::path::{Path, PathBuf};

use register::Register;

/// Names in this file are looked for only when it is there.
const REFUTERS: &str = "crates/incrowd/tests/refute.rs";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file below a folder with this ending, sorted, with paths from the root.
fn files(folder: &str, ending: &str) -> Vec<String> {
    fn walk(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => walk(&path, ending, found),
                false if path.to_string_lossy().ends_with(ending) => found.push(path),
                false => {}
            }
        }
    }
    let (root, mut found) = (root(), Vec::new());
    walk(&root.join(folder), ending, &mut found);
    let mut names: Vec<String> =
        found.iter().map(|path| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_default()
}

/// The section of a page that registers claims; empty without one.
fn own_claims(page: &str) -> &str {
    let Some(at) = page.find("\n### C-") else { return "" };
    &page[at..page[at..].find("\n## ").map_or(page.len(), |end| at + end)]
}

/// The claims of docs/claims.md, and those that the page of a model or an attack registers itself under a heading `### C-…`.
fn the_register() -> Register {
    let mut text = read("docs/claims.md");
    for page in files("docs/concepts", ".md").iter().map(|page| read(page)) {
        text += own_claims(&page);
    }
    Register::read(&text)
}

/// The claiming sentences of a text that no pattern of the register has.
fn unregistered(register: &Register, text: &str, words: &[&str]) -> Vec<String> {
    let claims = words::sentences(text).into_iter().filter(|sentence| words::claims(sentence, words));
    claims.filter(|sentence| !words::is_no_claim(sentence) && !register.knows(sentence)).collect()
}

#[test]
fn every_claim_that_is_printed_is_in_the_register() {
    let register = the_register();
    let mut missing = Vec::new();
    let sources: Vec<String> = files("crates", ".rs").into_iter().filter(|file| sources::is_product(file)).collect();
    let of_tests = sources::files_of_tests(&sources, read);
    for file in sources.iter().filter(|file| !of_tests.contains(*file)) {
        for text in sources::rust(&read(file), file.contains("incrowd-cli/src/args")) {
            missing.extend(
                unregistered(&register, &text, words::CLAIMING)
                    .into_iter()
                    .map(|sentence| format!("{file}: {sentence}")),
            );
        }
    }
    for file in files("python/incrowd", ".py") {
        for text in sources::python(&read(&file)) {
            missing.extend(
                unregistered(&register, &text, words::CLAIMING)
                    .into_iter()
                    .map(|sentence| format!("{file}: {sentence}")),
            );
        }
    }
    assert!(sources.len() > 200, "the sources are walked, or the test shows nothing");
    assert!(
        missing.is_empty(),
        "{} claims are printed that docs/claims.md does not have: add a pattern to the claim they make, or a claim\n{}",
        missing.len(),
        missing.join("\n")
    );
}

#[test]
fn every_page_that_claims_something_is_covered_by_the_register_or_links_it() {
    let register = the_register();
    let mut missing = Vec::new();
    let pages: Vec<String> = files("docs", ".md").into_iter().chain(["README.md".to_owned()]).collect();
    for page in pages.iter().filter(|page| *page != "docs/claims.md") {
        let text = read(page);
        if text.contains("claims.md") {
            continue;
        }
        for paragraph in pages::prose(&text) {
            missing.extend(
                unregistered(&register, &paragraph, words::CLAIMING_IN_PROSE)
                    .into_iter()
                    .map(|one| format!("{page}: {one}")),
            );
        }
    }
    assert!(
        missing.is_empty(),
        "{} sentences: add a pattern, or link claims.md\n{}",
        missing.len(),
        missing.join("\n")
    );
}

#[test]
fn every_claim_of_the_register_is_whole_and_names_a_test_that_is_there() {
    let register = the_register();
    assert!(register.claims.len() > 20, "{} claims", register.claims.len());
    let mut faults = Vec::new();
    for claim in &register.claims {
        faults.extend(claim.faults());
        for test in &claim.tests {
            let Some((file, name)) = test.split_once("::") else {
                faults.push(format!("{}: {test} is not FILE::NAME", claim.id));
                continue;
            };
            let text = read(file);
            let is_there = text.contains(&format!("fn {name}(")) || text.contains(&format!("def {name}("));
            if !is_there && (file != REFUTERS || !text.is_empty()) {
                faults.push(format!("{}: there is no test {test}", claim.id));
            }
        }
    }
    let mut ids: Vec<&str> = register.claims.iter().map(|claim| claim.id.as_str()).collect();
    ids.sort_unstable();
    let twice = ids.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| format!("{} stands there twice", pair[0]));
    faults.extend(twice);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_test_that_the_threat_model_names_is_there() {
    let text = read("docs/threat-model.md");
    let named = text.split('`').skip(1).step_by(2).filter_map(|word| word.split_once("::"));
    let named: Vec<(&str, &str)> = named.collect();
    assert!(named.len() > 20, "{} tests", named.len());
    let missing: Vec<&(&str, &str)> =
        named.iter().filter(|(file, name)| !read(file).contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "there is no such test: {missing:#?}");
}

/// A pattern that no text has is out of date: the sentence was changed, or is gone.
#[test]
fn every_pattern_of_the_register_is_said_somewhere() {
    let register = the_register();
    let mut said = String::new();
    let sources: Vec<String> = files("crates", ".rs").into_iter().filter(|file| sources::is_product(file)).collect();
    let mut add = |text: &str| words::sentences(text).iter().for_each(|one| said.extend([one.as_str(), "\n"]));
    for file in &sources {
        sources::rust(&read(file), file.contains("incrowd-cli/src/args")).iter().for_each(|text| add(text));
    }
    files("python/incrowd", ".py").iter().flat_map(|file| sources::python(&read(file))).for_each(|text| add(&text));
    let pages = files("docs", ".md").into_iter().chain(["README.md".to_owned()]);
    let pages = pages.filter(|page| page != "docs/claims.md");
    // A pattern does not say itself.
    let without_claims = |page: String| read(&page).replace(own_claims(&read(&page)), "");
    pages.flat_map(|page| pages::prose(&without_claims(page))).for_each(|text| add(&text));
    let all: Vec<&str> = said.lines().collect();
    let patterns = register.claims.iter().flat_map(|claim| claim.patterns.iter().map(move |pattern| (claim, pattern)));
    let unsaid: Vec<String> = patterns
        .filter(|(_, pattern)| !all.iter().any(|sentence| register::matches(pattern, sentence)))
        .map(|(claim, pattern)| format!("{}: {pattern}", claim.id))
        .collect();
    assert!(unsaid.is_empty(), "nobody says\n{}", unsaid.join("\n"));
}

#[test]
fn the_walker_sees_what_is_printed_and_nothing_else() {
    let source = r##"
        //! Comments are not printed, "nor quoted".
        fn told() -> &'static str { "It is \
            proved." }
        const RAW: &str = r#"say "always""#;
        let letter = '"'; let life: &'static str = "two\nlines";
        thread.expect("never a poisoned lock");
        AttackEntry { reference: "An optimal algorithm, 2012" };
        #[cfg(test)]
        mod tests { fn no() { print("never seen {"); } }
        let after = "seen again";
    "##;
    assert_eq!(sources::rust(source, false), ["It is proved.", "say \"always\"", "two\nlines", "seen again"]);
    assert_eq!(sources::rust("/// Keeps the\n/// row.\n#[arg(long)]\nx: u8", true), ["Keeps the row."]);
    let python = "x = f\"never {a}\"  # always\ny = '''doc\nstring'''\nz = r'raw'";
    assert_eq!(sources::python(python), ["never {a}", "doc\nstring", "raw"]);
    let register = Register::read("### C-A: one\n\nSentences:\n- `Nobody … {k} rows.`\n\nMeans: x\n");
    assert!(register.knows("Nobody is in fewer than {k} rows.") && !register.knows("Nobody is here."));
    assert!(words::claims("It is proved.", words::CLAIMING) && !words::claims("It is improved.", words::CLAIMING));
    assert_eq!(pages::prose("# Never\n\nIt is\nso.\n\n```\nalways\n```\n- one\n- two"), ["It is so.", "one", "two"]);
}
