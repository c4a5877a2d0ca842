//! The literate cases in `/cases`: Markdown that a person reads and the binary answers.
//!
//! A fenced block with a `title` is written as a file. In a `console` block every `$ incrowd …` line is run; the lines
//! after it are what it prints (stdout, then stderr), the last one `[exit N]`, which may be left out for 0.
//! In an expected line `…` stands for any text: for what is drawn anew in every run, such as the order of published rows.
//! `INCROWD_BLESS=1` writes what it prints into the case instead of comparing.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::support::Desk;

#[test]
fn every_case_is_answered_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_case = |path: &PathBuf| {
        // A binary with clusters has no reason to say how to get one.
        let others = ["README", if cfg!(feature = "cluster") { "without-a-cluster" } else { "" }];
        let is_other = |name: &std::ffi::OsStr| others.iter().any(|other| name == *other);
        path.extension().is_some_and(|ending| ending == "md") && !path.file_stem().is_some_and(is_other)
    };
    let cases = Mutex::new(files.filter(is_case).collect::<Vec<_>>());
    assert!(!cases.lock().unwrap().is_empty(), "there are no cases");
    let faults = Mutex::new(Vec::new());
    let work = || {
        loop {
            let next = cases.lock().unwrap().pop();
            let Some(path) = next else { break };
            let fault = check(&path);
            faults.lock().unwrap().extend(fault);
        }
    };
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{}\nINCROWD_BLESS=1 rewrites the cases", faults.join("\n"));
}

/// Runs one case; what differs, if something does.
fn check(path: &Path) -> Option<String> {
    let expected = std::fs::read_to_string(path).unwrap();
    let answered = answer(&expected);
    if answered == expected {
        return None;
    }
    if std::env::var_os("INCROWD_BLESS").is_some() {
        std::fs::write(path, answered).unwrap();
        return None;
    }
    let (said, says) = expected
        .lines()
        .chain(std::iter::repeat("(no line)"))
        .zip(answered.lines().chain(std::iter::repeat("(no line)")))
        .find(|(expected, answered)| expected != answered)?;
    Some(format!("{}\n  expected: {said}\n  answered: {says}", path.display()))
}

/// The case with the answers of the binary in the place of the expected ones.
fn answer(case: &str) -> String {
    let desk = Desk::new();
    let mut answered = String::new();
    let mut lines = case.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(answered, "{line}");
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if info == "console" {
            let starts = |line: &&&str| line.starts_with("$ incrowd ");
            for (at, command) in block.iter().enumerate().filter(|(_, line)| starts(line)) {
                let expected: Vec<_> = block[at + 1..].iter().take_while(|line| !starts(line)).collect();
                let silent = !expected.is_empty() && !expected.iter().any(|line| line.starts_with("[exit "));
                let _ = writeln!(answered, "{command}");
                let printed = run(&desk, &command[2..], silent);
                for (at, line) in printed.lines().enumerate() {
                    let stands = expected.get(at).filter(|expected| stands_for(expected, line));
                    let _ = writeln!(answered, "{}", stands.map_or(line, |expected| expected));
                }
            }
        } else {
            let content: String = block.iter().map(|line| format!("{line}\n")).collect();
            if let Some(name) = info.split_once("title=\"").and_then(|(_, rest)| rest.strip_suffix('"')) {
                desk.write(name, &content);
            }
            answered += &content;
        }
        answered += "```\n";
    }
    answered
}

/// Whether an expected line with `…` stands for a printed one.
fn stands_for(expected: &str, printed: &str) -> bool {
    let Some((first, rest)) = expected.split_once('…') else { return false };
    let Some(mut left) = printed.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('…').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

/// What a command prints, without the folder's own path and the time it took, and its exit status; a case
/// may be silent about the status 0.
fn run(desk: &Desk, command: &str, silent: bool) -> String {
    let words = words(command);
    let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let run = desk.run(&args);
    let mut printed = run.printed().replace(&format!("{}/", desk.folder().display()), "");
    if !printed.is_empty() && !printed.ends_with('\n') {
        printed.push('\n');
    }
    let code = match run.code {
        Some(0) if silent => String::new(),
        Some(code) => format!("[exit {code}]\n"),
        None => "[ended by a signal]\n".into(),
    };
    let line = |line: &str| match line.split_once("seconds\": ") {
        Some((before, _)) => format!("{before}seconds\": …\n"),
        None => format!("{line}\n"),
    };
    printed.lines().map(line).collect::<String>() + &code
}

/// The words of a command line, as a shell reads plain words and quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut begun = false;
    for letter in line.chars() {
        match (letter, quote) {
            ('\'' | '"', None) => (quote, begun) = (Some(letter), true),
            (_, Some(open)) if letter == open => quote = None,
            (' ', None) if begun => {
                words.push(std::mem::take(&mut word));
                begun = false;
            }
            (' ', None) => {}
            _ => {
                word.push(letter);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}
