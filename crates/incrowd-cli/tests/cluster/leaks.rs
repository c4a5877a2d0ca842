//! No raw value stays: not in a work directory, not beside a release, and after a kill not after the next start.

use std::path::Path;
use std::time::Duration;

use super::support::{Up, files, incrowd, run, said, wait_for};

/// Values that stand in every row and nowhere in the release: an identifier, and a quasi-identifier that is generalized.
const CANARIES: [&str; 2] = ["Kanarienvogel", "Gelbschnabel"];

fn write_table(folder: &Path, rows: usize) {
    let mut table = String::from("name,town,age,visits\n");
    for row in 0..rows {
        table += &format!("{}-{row},{}-{:03},{},{}\n", CANARIES[0], CANARIES[1], row % 997, row % 90, row % 5);
    }
    std::fs::write(folder.join("people.csv"), table).unwrap();
}

fn words<'a>(target: &'a str, url: &'a str) -> Vec<&'a str> {
    let all = "anonymize people.csv --identifier name --qi town,age --insensitive visits --keep-identifying visits --k 50 \
               --algorithm mondrian --seed 1 --no-bound --output-format parquet -q";
    [all.split(' ').collect(), vec!["-o", target, "--cluster", url]].concat()
}

/// Files below a folder that hold a canary.
fn leaks(folder: &Path) -> Vec<String> {
    let holds = |bytes: &[u8], canary: &str| bytes.windows(canary.len()).any(|window| window == canary.as_bytes());
    let leaky = |path: &std::path::PathBuf| {
        std::fs::read(path).is_ok_and(|bytes| CANARIES.iter().any(|canary| holds(&bytes, canary)))
    };
    files(folder).into_iter().filter(leaky).map(|path| path.display().to_string()).collect()
}

#[test]
fn no_raw_value_is_left_after_a_run_nor_after_a_kill_and_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    write_table(folder.path(), 20_000);
    let up = Up::start(folder.path(), "work");
    let output = run(folder.path(), &words("out", &up.url));
    assert!(output.status.success(), "{}", said(&output));
    let hidden =
        || files(folder.path()).into_iter().filter(|path| path.display().to_string().contains("/.out")).count();
    assert_eq!(hidden(), 0, "nothing is left beside the release");
    wait_for("executors to forget the jobs", Duration::from_secs(10), || leaks(&up.work).is_empty());
    assert!(leaks(&folder.path().join("out")).is_empty());

    // An executor is killed with rows on its disk, and so is the client with files beside its release.
    let mut client = incrowd(folder.path(), &words("again", &up.url)).spawn().unwrap();
    let shuffled = || files(&up.work.join("executor-1")).len() > 1;
    wait_for("rows on the first executor's disk", Duration::from_secs(60), shuffled);
    up.signal("-KILL", 1);
    client.kill().unwrap();
    client.wait().unwrap();
    let work = up.work.clone();
    up.end();
    assert_eq!(leaks(&work), Vec::<String>::new(), "a cluster that ends sweeps for those that cannot");
    assert!(!folder.path().join("again").exists());

    // All of them killed at once: the next start sweeps.
    let up = Up::start(folder.path(), "work");
    let mut client = incrowd(folder.path(), &words("again", &up.url)).spawn().unwrap();
    wait_for("rows on a disk", Duration::from_secs(60), || files(&up.work).len() > 2);
    [1, 2, 0].iter().for_each(|&process| up.signal("-KILL", process));
    client.kill().unwrap();
    client.wait().unwrap();
    drop(up);
    let up = Up::start(folder.path(), "work");
    assert_eq!(leaks(&up.work), Vec::<String>::new());
    let output = run(folder.path(), &words("again", &up.url));
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(hidden(), 0);
    let beside: Vec<_> =
        files(folder.path()).into_iter().filter(|path| path.display().to_string().contains("/.again")).collect();
    assert!(beside.is_empty(), "{beside:?}: what a killed client staged is swept by the next run for the same target");
    up.end();
}
