//! A release is there as a whole or not at all: kill -9 at random moments, and a disk that fills up.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::support::{Desk, Run};

fn words(target: &str) -> Vec<&str> {
    let roles = ["--qi", "age,sex,education,postcode", "--alpha", "occupation=0.9", "--others", "remove"];
    [&["anonymize", "census.csv", "--algorithm", "top-down"], &roles[..], &["--k", "3", "-o", target]].concat()
}

/// What stands beside the table, hidden folders included.
fn beside(desk: &Desk) -> Vec<String> {
    let names = std::fs::read_dir(desk.folder()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.contains("release")).collect();
    names.sort();
    names
}

#[test]
fn killed_at_fifty_random_moments_no_release_is_incomplete_and_leftovers_are_swept() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["sample", "--rows", "1500", "-o", "census.csv"]).code, Some(0));
    let started = Instant::now();
    let whole = desk.run(&words("release"));
    assert_eq!(whole.code, Some(0), "{}", whole.printed());
    let full = started.elapsed();
    let (mut accepted, mut leftovers) = (0, 0);
    for moment in 0..50u64 {
        for name in ["release", "release.internal"] {
            std::fs::remove_dir_all(desk.path(name)).unwrap_or_default();
        }
        // A low-discrepancy sequence: fifty moments spread over the whole run, in no order.
        let share = (moment as f64 * 0.618_033_988_75).fract();
        let mut child = desk.command(&words("release")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(full.mul_f64(share * 1.05));
        child.kill().unwrap();
        child.wait().unwrap();
        leftovers += usize::from(beside(&desk).iter().any(|name| name.contains(".partial-")));
        if desk.path("release").exists() {
            let verdict = desk.run(&["verify", "release", "--against", "census.csv"]);
            assert_eq!(verdict.code, Some(0), "what bears the name is complete: {}", verdict.printed());
            accepted += 1;
        }
    }
    assert!(leftovers > 0, "some runs died while they wrote ({accepted} were done)");
    assert_eq!(desk.run(&[&words("release")[..], &["--force"]].concat()).code, Some(0));
    assert_eq!(beside(&desk), ["release", "release.internal"]);
}

#[test]
fn of_concurrent_runs_with_one_name_one_publishes_and_a_shared_ledger_has_every_run() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["sample", "--rows", "500", "-o", "census.csv"]).code, Some(0));
    let at_once = |runs: &[Vec<&str>]| -> Vec<Option<i32>> {
        let quiet =
            |words: &Vec<&str>| desk.command(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let children: Vec<_> = runs.iter().map(quiet).collect();
        children.into_iter().map(|mut child| child.wait().unwrap().code()).collect()
    };
    let mut codes = at_once(&[words("release"), words("release"), words("release")]);
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(2), Some(2)]);
    assert_eq!(desk.run(&["verify", "release", "--against", "census.csv"]).code, Some(0));
    assert_eq!(beside(&desk), ["release", "release.internal"]);
    let entered = |target| [&words(target)[..], &["--ledger", "ledger.json"]].concat();
    assert_eq!(at_once(&["a", "b", "c", "d"].map(entered)), [Some(0); 4]);
    let ledger = std::fs::read_to_string(desk.path("ledger.json")).unwrap();
    assert_eq!(ledger.matches("\"release\":").count(), 4, "no entry is lost");
}

/// A small file system of its own, unmounted when dropped.
struct Disk<'a>(&'a Path);

impl Disk<'_> {
    fn mount(path: &Path) -> Option<Disk<'_>> {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(path).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Disk(path))
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_is_reported_and_leaves_nothing() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["sample", "--rows", "20000", "-o", "census.csv"]).code, Some(0));
    let small = desk.path("small");
    std::fs::create_dir(&small).unwrap();
    let Some(disk) = Disk::mount(&small) else {
        // Mounting needs rights that not every machine gives.
        #[expect(clippy::print_stderr, reason = "a skipped test says so, loudly")]
        {
            eprintln!("SKIPPED: a tmpfs cannot be mounted here, so the full disk was not tried");
        }
        return;
    };
    for format in ["csv", "parquet", "arrow"] {
        let run: Run = desk.run(&[&words("small/release")[..], &["--output-format", format]].concat());
        assert_eq!(run.code, Some(2), "{format}: {}", run.printed());
        assert!(run.stderr.starts_with("error[IC401]"), "{format}: {}", run.stderr);
        assert!(run.stderr.contains("no storage space"), "{format}: {}", run.stderr);
        assert_eq!(std::fs::read_dir(&small).unwrap().count(), 0, "{format}");
    }
    drop(disk);
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["sample", "--rows", "60000", "-o", "census.csv"]).code, Some(0));
    let child = desk.command(&words("release")).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while beside(&desk).is_empty() {
        assert!(started.elapsed() < Duration::from_secs(20), "waited for the hidden folder");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error[IC412]: stopped\n"), "{said}");
    assert_eq!(beside(&desk), Vec::<String>::new());
}
