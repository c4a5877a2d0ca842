//! Whoever is killed, stopped or out of room: the run completes with the same rows, or ends in words with nothing published.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use super::support::{Up, desk, files, incrowd, release_words, rows, run, said};

/// Rows enough that each stage lasts long enough to be met, and few enough for a solver that splits tuples.
const ROWS: u32 = 8_000;

/// Where a run is, told by the files there are.
fn met(stage: &str, up: &Up, folder: &Path) -> bool {
    let below = |name: &str| files(folder).iter().any(|path| path.display().to_string().contains(name));
    match stage {
        // The first files between stages are there: rows are scanned.
        "scan" => files(&up.work).len() > 2,
        // Both executors have written groups for each other.
        "group" => (1..=2).all(|at| files(&up.work.join(format!("executor-{at}"))).len() > 2),
        // Tasks are told what to recode.
        "recode" => below(".executors/labels"),
        // Rows are recoded, and parts are on their way.
        _ => below(".executors/write-plan"),
    }
}

/// What came of a run: the rows of its release, or its words.
fn outcome(folder: &Path, target: &str, output: &Output) -> Result<Vec<String>, String> {
    let release = folder.join(target);
    if output.status.success() {
        return Ok(rows(&release));
    }
    assert!(!release.exists() && !folder.join(format!("{target}.internal")).exists(), "nothing is published");
    let hidden = format!("/.{target}");
    assert!(!files(folder).iter().any(|path| path.display().to_string().contains(&hidden)), "nothing is left");
    Err(said(output))
}

/// Starts a release on a cluster, does something to the cluster when it is in this stage, and waits for what comes of it.
///
/// A stage may be over before it was seen; then everything is tried again.
fn struck(folder: &Path, (stage, target): (&str, &str), strike: impl Fn(&Up)) -> Output {
    for _ in 0..4 {
        let up = Up::start(folder, "work");
        let words = [release_words("census", target), vec!["--force", "--cluster", &up.url]].concat();
        let mut client = incrowd(folder, &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let over = loop {
            if met(stage, &up, folder) {
                break false;
            }
            if client.try_wait().unwrap().is_some() {
                break true;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        if over {
            let output = client.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", said(&output));
            up.end();
            continue;
        }
        // What an earlier attempt published would hide that this one publishes nothing.
        for name in [target.to_string(), format!("{target}.internal")] {
            let _ = std::fs::remove_dir_all(folder.join(name));
        }
        strike(&up);
        let output = client.wait_with_output().unwrap();
        up.end();
        return output;
    }
    panic!("{stage} was never met");
}

#[test]
fn an_executor_killed_in_any_stage_changes_no_row() {
    let folder = desk(ROWS);
    assert!(run(folder.path(), &release_words("census", "local")).status.success());
    let local = rows(&folder.path().join("local"));
    for stage in ["scan", "group", "recode", "write"] {
        let output = struck(folder.path(), (stage, stage), |up| up.signal("-KILL", 1));
        match outcome(folder.path(), stage, &output) {
            Ok(rows) => {
                eprintln!("{stage}: completed");
                assert_eq!(rows, local, "{stage}");
            }
            // Rows that came back from a lost executor in part are noticed by their number.
            Err(words) => assert!(
                words.contains("error[IC421]: the cluster failed while") || words.contains("error[IC415]"),
                "{stage}: {words}"
            ),
        }
    }
}

#[test]
fn an_executor_that_stalls_is_taken_for_lost_and_does_no_harm_when_it_wakes() {
    let folder = desk(ROWS);
    assert!(run(folder.path(), &release_words("census", "local")).status.success());
    let output = struck(folder.path(), ("recode", "stalled"), |up| {
        up.signal("-STOP", 1);
        std::thread::sleep(Duration::from_secs(10));
        up.signal("-CONT", 1);
    });
    match outcome(folder.path(), "stalled", &output) {
        Ok(stalled) => assert_eq!(stalled, rows(&folder.path().join("local"))),
        Err(words) => assert!(words.contains("error[IC421]: the cluster failed while"), "{words}"),
    }
}

#[test]
fn without_a_scheduler_or_any_executor_the_run_ends_in_words_and_nothing_is_published() {
    let folder = desk(ROWS);
    for (target, lost) in [("no-scheduler", &[0][..]), ("no-executor", &[1, 2])] {
        let output = struck(folder.path(), ("scan", target), |up| {
            lost.iter().for_each(|&process| up.signal("-KILL", process));
        });
        let words = outcome(folder.path(), target, &output).expect_err("there is nobody to do the work");
        assert!(words.contains("error[IC421]: the cluster failed while"), "{words}");
    }
}

/// A small disk of its own; nothing where this is not allowed.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(path: &Path) -> Option<SmallDisk> {
        std::fs::create_dir(path).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(path);
        let mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        mounted.then(|| SmallDisk(path.into()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn executors_with_full_disks_end_the_run_in_words_and_nothing_is_published() {
    let folder = desk(ROWS);
    let Some(_disk) = SmallDisk::mount(&folder.path().join("small")) else {
        eprintln!("SKIPPED: no small disk can be mounted here, so a full one was not tried");
        return;
    };
    let up = Up::start(folder.path(), "small");
    let words = [release_words("census", "full"), vec!["--cluster", &up.url]].concat();
    // Plain plans keep rows on these disks; tasks of ours have another place for them.
    let output = incrowd(folder.path(), &words).env("INCROWD_CLUSTER_PLANS", "plain").output().unwrap();
    let words = outcome(folder.path(), "full", &output).expect_err("there is no room for rows between stages");
    assert!(words.contains("error[IC421]") && words.contains("is full"), "{words}");
    up.end();
}
