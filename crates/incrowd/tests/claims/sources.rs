//! The texts that a source prints: its string literals, and the doc comments of arguments.

use std::collections::BTreeSet;

/// Literals in these are not told to a user: the text of a panic is withheld, a reference names a paper, and a test or a
/// mark is no sentence.
const NOT_TOLD: &[&str] = &["expect(", "unreachable!(", "panic!(", "assert!(", "reference: "];

/// Whether a file is part of what is built.
pub(crate) fn is_product(file: &str) -> bool {
    file.split('/').nth(2) == Some("src")
}

/// The files of modules that are for tests only: `#[cfg(test)] mod name;`.
pub(crate) fn files_of_tests(files: &[String], read: impl Fn(&str) -> String) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files {
        let folder = match file.rsplit_once('/') {
            Some((folder, "mod.rs" | "lib.rs" | "main.rs")) => folder.to_owned(),
            _ => file.trim_end_matches(".rs").to_owned(),
        };
        let text = read(file);
        for (at, mark) in text.match_indices("#[cfg(test)]") {
            let after = text[at + mark.len()..].trim_start();
            if let Some((name, _)) = after.strip_prefix("mod ").and_then(|rest| rest.split_once(';')) {
                found.insert(format!("{folder}/{name}.rs"));
            }
        }
    }
    found
}

/// The texts of a Rust source outside of its tests.
pub(crate) fn rust(source: &str, with_docs: bool) -> Vec<String> {
    let letters: Vec<char> = source.chars().collect();
    let (mut found, mut at, mut depth, mut test_depth) = (Vec::new(), 0, 0usize, None);
    let mut docs = String::new();
    while at < letters.len() {
        let rest = &letters[at..];
        if starts(rest, "//") {
            let line: String = rest.iter().take_while(|letter| **letter != '\n').collect();
            match line.strip_prefix("///").filter(|_| with_docs && test_depth.is_none()) {
                Some(doc) => docs.extend([doc.trim(), " "]),
                None => flush(&mut docs, &mut found),
            }
            at += line.chars().count();
            continue;
        }
        if !rest[0].is_whitespace() {
            flush(&mut docs, &mut found);
        }
        if starts(rest, "/*") {
            at += find(rest, "*/").unwrap_or(rest.len());
        } else if let Some((text, length)) = literal(&letters, at) {
            let before: String = letters[at.saturating_sub(24)..at].iter().collect();
            let told = !NOT_TOLD.iter().any(|call| before.trim_end().ends_with(call.trim_end()));
            if test_depth.is_none() && told {
                found.push(text);
            }
            at += length;
        } else if let Some(length) = character(rest) {
            at += length;
        } else if starts(rest, "#[cfg(test)]") && test_depth.is_none() {
            let mark = "#[cfg(test)]".len();
            let block = rest[mark..].iter().collect::<String>();
            let item = block.split(['{', ';']).next().unwrap_or_default();
            let opens = block[item.len()..].starts_with('{');
            test_depth = (opens && item.split_whitespace().any(|word| word == "mod" || word == "fn")).then_some(depth);
            at += mark;
        } else {
            match rest[0] {
                '{' => depth += 1,
                '}' => {
                    depth = depth.saturating_sub(1);
                    test_depth = test_depth.filter(|start| *start != depth);
                }
                _ => {}
            }
            at += 1;
        }
    }
    flush(&mut docs, &mut found);
    found
}

fn flush(docs: &mut String, found: &mut Vec<String>) {
    if !docs.is_empty() {
        found.push(std::mem::take(docs).trim().to_owned());
    }
}

fn starts(letters: &[char], text: &str) -> bool {
    let mut letters = letters.iter();
    text.chars().all(|letter| letters.next() == Some(&letter))
}

/// Where a text ends in the letters.
fn find(letters: &[char], text: &str) -> Option<usize> {
    (0..letters.len()).find(|&at| starts(&letters[at..], text)).map(|at| at + text.chars().count())
}

/// The string literal that begins here, and how many letters it takes.
fn literal(letters: &[char], at: usize) -> Option<(String, usize)> {
    let rest = &letters[at..];
    let in_a_name = at > 0 && (letters[at - 1].is_alphanumeric() || letters[at - 1] == '_');
    if (rest[0] == 'r' || starts(rest, "br")) && !in_a_name {
        let start = if rest[0] == 'b' { 2 } else { 1 };
        let hashes = rest[start..].iter().take_while(|letter| **letter == '#').count();
        if rest.get(start + hashes) == Some(&'"') {
            let inside = start + hashes + 1;
            let end: String = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
            let length = find(&rest[inside..], &end)?;
            return Some((rest[inside..inside + length - end.len()].iter().collect(), inside + length));
        }
    }
    (rest[0] == '"').then(|| unescaped(rest, 1, "\""))?
}

/// A text with escapes from a place in the letters to its end.
fn unescaped(letters: &[char], start: usize, end: &str) -> Option<(String, usize)> {
    let (mut text, mut at) = (String::new(), start);
    while at < letters.len() {
        if starts(&letters[at..], end) {
            return Some((text, at + end.chars().count()));
        }
        if letters[at] != '\\' {
            text.push(letters[at]);
            at += 1;
            continue;
        }
        match letters.get(at + 1)? {
            // A line that goes on: the end of it and the spaces of the next do not stand in the text.
            '\n' => at += 2 + letters[at + 2..].iter().take_while(|letter| letter.is_whitespace()).count(),
            'n' => {
                text.push('\n');
                at += 2;
            }
            other => {
                text.push(*other);
                at += 2;
            }
        }
    }
    None
}

/// How many letters a character literal takes; nothing when it is a lifetime.
fn character(rest: &[char]) -> Option<usize> {
    if rest[0] != '\'' {
        return None;
    }
    match rest.get(1)? {
        '\\' => (3..12).find(|&at| rest.get(at) == Some(&'\'')).map(|at| at + 1),
        _ => (rest.get(2) == Some(&'\'')).then_some(3),
    }
}

/// The texts of a Python source, docstrings included: they are the help of a function.
pub(crate) fn python(source: &str) -> Vec<String> {
    let letters: Vec<char> = source.chars().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < letters.len() {
        let rest = &letters[at..];
        if rest[0] == '#' {
            at += rest.iter().take_while(|letter| **letter != '\n').count();
            continue;
        }
        let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| starts(rest, quote));
        match quote.and_then(|quote| unescaped(rest, quote.len(), quote)) {
            Some((text, length)) => {
                found.push(text);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}
