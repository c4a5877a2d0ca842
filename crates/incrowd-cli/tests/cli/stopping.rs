//! Ended from outside: by a signal nothing is left, by kill -9 the next start sweeps.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::support::Desk;

/// The folders of runs in a temporary root, however deep.
fn runs(root: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(root).into_iter().flatten().map(|entry| entry.unwrap().path());
    let is_run = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("run-"));
    folders.flat_map(|path| if is_run(&path) { vec![path] } else { runs(&path) }).collect()
}

/// Waits until something is there, for a while.
fn wait_for(what: &str, there: impl Fn() -> bool) {
    let started = Instant::now();
    while !there() {
        assert!(started.elapsed() < Duration::from_secs(60), "waited for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

fn start(desk: &Desk, args: &[&str]) -> Child {
    desk.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A desk with a table whose check takes seconds.
fn desk_with_long_work() -> Desk {
    let desk = Desk::new();
    assert_eq!(desk.run(&["sample", "--rows", "120000", "-o", "long.csv"]).code, Some(0));
    desk
}

#[test]
fn an_interrupted_check_says_so_and_leaves_nothing() {
    let desk = desk_with_long_work();
    let root = desk.path("temp");
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let child = start(&desk, &["check", "long.csv", "--temp", "temp"]);
        wait_for("the run's folder", || !runs(&root).is_empty());
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{said}");
        assert!(said.starts_with("error[IC412]: stopped\n"), "{said}");
        assert_eq!(runs(&root), Vec::<PathBuf>::new());
    }
}

#[test]
fn an_interrupted_sample_leaves_no_file() {
    let desk = Desk::new();
    let child = start(&desk, &["sample", "--rows", "1000000000", "-o", "huge.csv"]);
    let files = || std::fs::read_dir(desk.folder()).unwrap().count();
    wait_for("the first rows", || files() > 0);
    send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error[IC412]: stopped\n"));
    assert_eq!(files(), 0);
}

#[test]
fn what_a_killed_run_leaves_is_swept_at_the_next_start() {
    let desk = desk_with_long_work();
    desk.write("short.csv", "age,sex\n1,f\n1,f\n");
    let root = desk.path("temp");
    let mut child = start(&desk, &["check", "long.csv", "--temp", "temp"]);
    wait_for("the run's folder", || !runs(&root).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(runs(&root).len(), 1, "the killed run could not clean up");
    assert_eq!(desk.run(&["diagnose", "short.csv", "--qi", "age", "--temp", "temp"]).code, Some(0));
    assert_eq!(runs(&root), Vec::<PathBuf>::new());
}

#[test]
fn a_run_in_shards_that_is_killed_leaves_nothing_after_the_next_start() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["sample", "--rows", "20000", "-o", "long.csv"]).code, Some(0));
    desk.write("short.csv", "age,sex\n1,f\n1,f\n");
    let root = desk.path("temp");
    let words = ["anonymize", "long.csv", "--qi", "age,sex,education,postcode,birth-date", "--others", "remove"];
    let words = [&words[..], &["--k", "5", "--at-once", "1500", "--temp", "temp", "-o", "release"]].concat();
    let written = |kind: &str| {
        let files = runs(&root).into_iter().flat_map(|run| std::fs::read_dir(run).into_iter().flatten());
        files.flatten().any(|file| file.file_name().to_string_lossy().starts_with(kind))
    };
    for kind in ["codes-", "shards-", "classes-"] {
        let mut child = start(&desk, &words);
        wait_for(kind, || written(kind));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(runs(&root).len(), 1, "the killed run could not clean up");
        assert!(!desk.path("release").exists());
        assert_eq!(desk.run(&["diagnose", "short.csv", "--qi", "age", "--temp", "temp"]).code, Some(0));
        assert_eq!(runs(&root), Vec::<PathBuf>::new());
    }
    let child = start(&desk, &words);
    wait_for("the first shard", || written("shards-"));
    send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(runs(&root), Vec::<PathBuf>::new(), "Ctrl-C leaves nothing");
}
