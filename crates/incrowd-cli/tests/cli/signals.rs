//! Signals at random moments of every long command: the exit status, what is left behind, and what is published.
//!
//! Nothing is asserted about seconds; a run that has not ended after [`HANGS`] is one that hangs.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::support::Desk;

const HANGS: Duration = Duration::from_secs(30);

/// Each signal with its exit status.
const SIGNALS: [(&str, i32); 4] = [("-INT", 130), ("-TERM", 143), ("-HUP", 129), ("-PIPE", 141)];

/// Every command that reads a table or a release, with its words.
const COMMANDS: [&[&str]; 9] = [
    &["check", "people.csv"],
    &["diagnose", "people.csv", "--qi", "age,sex,education,postcode", "--k", "5"],
    &["init", "people.csv", "-o", "made.toml"],
    ANONYMIZE,
    &["verify", "published", "--against", "people.csv"],
    &["attack", "published", "--against", "people.csv"],
    &["compare", "people.csv", "published"],
    &["report", "published", "--against", "people.csv", "-o", "pages"],
    &["sample", "--rows", "100000000", "-o", "made.csv"],
];

const ANONYMIZE: &[&str] = &[
    "anonymize",
    "people.csv",
    "--qi",
    "age,sex,education,postcode",
    "--sensitive",
    "occupation",
    "--others",
    "remove",
    "--k",
    "5",
    "--algorithm",
    "top-down",
    "-o",
    "made",
];

/// All files and folders below one, but for the folder of a user in the system's place and the lock that all runs share.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(entries(&path));
        }
        found.push(path);
    }
    let is_kept = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name == ".starting" || name.strip_prefix("incrowd-").is_some_and(|user| user.parse::<u32>().is_ok())
    };
    found.retain(|path| !is_kept(path));
    found.sort();
    found
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// The exit status and what was said; fails when the run hangs.
fn ended(mut child: Child, context: &str) -> (Option<i32>, String, String) {
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > HANGS {
            child.kill().unwrap();
            panic!("{context}: hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_signal_at_any_moment_ends_every_command_with_its_status_and_leaves_nothing_behind() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["sample", "--rows", "6000", "-o", "people.csv"]).code, Some(0));
    let published = [&ANONYMIZE[..ANONYMIZE.len() - 1], &["published"]].concat();
    assert_eq!(desk.run(&published).code, Some(0));
    let before = entries(&desk.folder());
    for (number, words) in COMMANDS.iter().enumerate() {
        for turn in 0..2 {
            let (signal, status) = SIGNALS[(number + 2 * turn) % SIGNALS.len()];
            let context = format!("{signal} of {words:?}");
            // A low-discrepancy sequence: spread over the first half second, in no order.
            let moment = ((2 * number + turn) as f64 * 0.618_033_988_75).fract() * 0.5;
            let child = desk.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(Duration::from_secs_f64(0.02 + moment));
            send(signal, &child);
            let (code, stdout, stderr) = ended(child, &context);
            let after = entries(&desk.folder());
            if code == Some(status) || code.is_none() {
                // Without an exit status it ended before it could ask for signals.
                assert_eq!(after, before, "{context}: {stderr}");
                assert!(stdout.is_empty(), "{context}: {stdout}");
                let says = stderr.starts_with("error[IC412]: stopped\n");
                assert!(code.is_none() || says != (signal == "-PIPE"), "{context}: {stderr}");
            } else {
                // It was done when the signal came, and what it made is complete.
                assert!(matches!(code, Some(0 | 1)), "{context}: {code:?} {stderr}");
                assert!(!stdout.is_empty() || signal == "-PIPE", "{context}: {stderr}");
                let made = after.iter().filter(|path| !before.contains(path));
                made.clone().for_each(|path| assert!(!path.to_string_lossy().contains(".partial"), "{context}"));
                if desk.path("made").exists() {
                    assert_eq!(desk.run(&["verify", "made"]).code, Some(0), "{context}");
                }
                for name in ["made", "made.internal", "pages"] {
                    std::fs::remove_dir_all(desk.path(name)).unwrap_or_default();
                }
                std::fs::remove_file(desk.path("made.toml")).unwrap_or_default();
            }
            assert_eq!(entries(&desk.temp()), Vec::<PathBuf>::new(), "{context}");
        }
    }
}

/// A flat quasi-identifier of very many values: some of the work on it does not look for signals.
#[test]
fn work_that_does_not_check_for_signals_is_ended_anyway() {
    let desk = Desk::new();
    let rows = (0..60_000u32).map(|at| format!("v{},{}\n", at.wrapping_mul(2_654_435_761) % 1_000_003, at % 3));
    desk.write("flat.csv", format!("v,s\n{}", rows.collect::<String>()));
    let words =
        ["anonymize", "flat.csv", "--qi", "v", "--hierarchy", "v=flat", "--k", "5", "--sensitive", "s", "-o", "made"];
    for (signal, status) in [("-TERM", 143), ("-HUP", 129)] {
        let child = desk.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        send(signal, &child);
        let (code, stdout, stderr) = ended(child, signal);
        assert_eq!((code, stdout.as_str()), (Some(status), ""), "{stderr}");
        let left: Vec<PathBuf> =
            entries(&desk.folder()).into_iter().filter(|path| !path.ends_with("flat.csv")).collect();
        assert_eq!((left, entries(&desk.temp())), (Vec::new(), Vec::new()), "{signal}");
    }
}

#[test]
fn a_second_signal_does_not_wait_for_the_first() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["sample", "--rows", "20000", "-o", "people.csv"]).code, Some(0));
    let child = desk.command(&["check", "people.csv"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    send("-INT", &child);
    send("-INT", &child);
    let (code, _, stderr) = ended(child, "two signals");
    assert_eq!(code, Some(130), "{stderr}");
    assert_eq!(entries(&desk.temp()), Vec::<PathBuf>::new());
}

#[test]
fn a_reader_that_goes_away_is_no_failure_and_nothing_is_said() {
    let desk = Desk::with("small.csv", "age,sex\n1,f\n1,f\n2,m\n");
    let mut child =
        desk.command(&["check", "small.csv"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    // The answer was found, and its status is the answer's.
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (desk.run(&["check", "small.csv"]).code, ""));
}
