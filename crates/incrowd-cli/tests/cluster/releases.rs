//! A release from a cluster has the classes of the local one.

use super::support::{Up, desk, incrowd, parts, release_words, rows, run, said};

/// The words of a release with the key and the seed of a record.
fn repeated_words<'a>(target: &'a str, record: &'a str) -> Vec<&'a str> {
    let words = release_words("census", target).into_iter().filter(|word| !["--seed", "7"].contains(word));
    words.chain(["--repeat", record]).collect()
}

#[test]
fn a_release_from_a_cluster_has_the_rows_of_the_local_one() {
    let folder = desk(6000);
    let up = Up::start(folder.path(), "work");
    let local = run(folder.path(), &release_words("census", "local"));
    assert!(local.status.success(), "{}", said(&local));
    let words = [release_words("census", "remote"), vec!["--cluster", &up.url]].concat();
    let remote = run(folder.path(), &words);
    assert!(remote.status.success(), "{}", said(&remote));
    let [local, remote] = ["local", "remote"].map(|name| rows(&folder.path().join(name)));
    assert!(local.len() > 5000, "{} rows", local.len());
    assert_eq!(local, remote);
    assert_eq!(parts(&folder.path().join("remote")).len(), 16, "a file for each task");
    // Every command reads the files together.
    let commands: [&[&str]; 4] = [
        &["verify", "remote"],
        &["attack", "remote", "--limit", "prosecutor=1", "--limit", "marketer=1"],
        &["query", "remote", "SELECT COUNT(*) WHERE age > 40"],
        &["report", "remote"],
    ];
    for words in commands {
        let read = run(folder.path(), words);
        assert!(read.status.success(), "{words:?} {}", said(&read));
    }

    // A text file, typed by its values, with missing ones under a name: the same rows, in the same formats.
    let table: String = (0..400)
        .map(|row| format!("{},{},{}\n", ["n/a", "31", "32", "45"][row % 4], ["Ulm", "Wien"][row % 2], row % 7))
        .collect();
    std::fs::write(folder.path().join("text.csv"), format!("age,town,visits\n{table}")).unwrap();
    for format in ["csv", "arrow"] {
        let words = |target: &'static str| {
            let all = "--qi age,town --insensitive visits --keep-identifying visits --k 5 --null n/a --seed 3 --algorithm mondrian -q \
                 --output-format";
            [vec!["anonymize", "text.csv", "-o", target], all.split(' ').collect(), vec![format, "--force"]].concat()
        };
        let [local, remote] = [(words("here"), vec![]), (words("there"), vec!["--cluster", &up.url])]
            .map(|(words, cluster)| run(folder.path(), &[words, cluster].concat()));
        assert!(local.status.success() && remote.status.success(), "{}{}", said(&local), said(&remote));
        if format == "csv" {
            let [here, there] = ["here", "there"].map(|name| {
                let parts = parts(&folder.path().join(name));
                let text: String = parts.iter().map(|part| std::fs::read_to_string(part).unwrap()).collect();
                // Visits are kept, and the key of a release draws them for rows of a tuple that is split.
                let cells = |line: &str| line.rsplit_once(',').map(|(cells, _)| cells.to_owned());
                let mut lines: Vec<String> = text.lines().filter_map(cells).collect();
                lines.sort_unstable();
                lines
            });
            assert_eq!(here, there);
            let against = run(folder.path(), &["verify", "there", "--against", "text.csv"]);
            assert!(against.status.success(), "{}", said(&against));
            let against = run(folder.path(), &["verify", "there", "--against", "census"]);
            assert!(said(&against).contains("the original is a folder"), "{}", said(&against));
        }
    }

    // Two runs with one seed give the same rows, in another order: nobody can undo a shuffle that follows from nothing.
    let again = [release_words("census", "again"), vec!["--cluster", &up.url]].concat();
    assert!(run(folder.path(), &again).status.success());
    let bytes = |name: &str| std::fs::read(&parts(&folder.path().join(name))[0]).unwrap();
    assert_eq!(rows(&folder.path().join("again")), remote);
    assert_ne!(bytes("again"), bytes("remote"));

    // A local release is repeated on a cluster, to the byte, and one in parts only there.
    let words = ["local", "remote"].map(|name| {
        let record = folder.path().join(format!("{name}.internal")).display().to_string();
        (record, format!("{name}-again"))
    });
    for (record, target) in &words {
        let repeated = run(folder.path(), &[repeated_words(target, record), vec!["--cluster", &up.url]].concat());
        assert!(repeated.status.success(), "{}", said(&repeated));
    }
    let [_, (record, _)] = &words;
    let here = run(folder.path(), &repeated_words("here-again", record));
    assert!(said(&here).contains("IC540") && said(&here).contains("repeat it with --cluster"), "{}", said(&here));

    // Executors without our code run plain plans: the same rows, in one file.
    let plain = [release_words("census", "plain"), vec!["--cluster", &up.url]].concat();
    let plain = incrowd(folder.path(), &plain).env("INCROWD_CLUSTER_PLANS", "plain").output().unwrap();
    assert!(plain.status.success(), "{}", said(&plain));
    assert_eq!(rows(&folder.path().join("plain")), remote);
    assert_eq!(parts(&folder.path().join("plain")).len(), 1);
    up.end();
}

/// Tuples that are too many to be solved at once are solved in shards, one by each task.
#[test]
fn shards_are_solved_on_a_cluster_as_without_one() {
    let folder = desk(6000);
    let up = Up::start(folder.path(), "work");
    let words = |target: &'static str| {
        [release_words("census", target), vec!["--at-once", "700", "--t", "0.5", "--suppress", "0.02"]].concat()
    };
    let entered = |words: Vec<&'static str>| [words, vec!["--ledger", "ledger.json"]].concat();
    let local = run(folder.path(), &entered(words("local")));
    assert!(local.status.success(), "{}", said(&local));
    let record = folder.path().join("local.internal").display().to_string();
    let again = words("remote").into_iter().filter(|word| !["--seed", "7"].contains(word));
    let again: Vec<&str> = again.chain(["--repeat", &record, "--cluster", &up.url]).collect();
    let remote = run(folder.path(), &again);
    assert!(remote.status.success(), "{}", said(&remote));
    let [local, remote] = ["local", "remote"].map(|name| {
        let manifest = std::fs::read_to_string(folder.path().join(name).join("manifest.json")).unwrap();
        assert!(manifest.contains("enhanced-pk"));
        std::fs::read(folder.path().join(name).join("data.parquet")).unwrap()
    });
    assert!(local == remote, "the same bytes");

    // Without a release to repeat, each task writes a file.
    let parted = run(folder.path(), &[&entered(words("parted"))[..], &["--cluster", &up.url]].concat());
    assert!(parted.status.success(), "{}", said(&parted));
    assert_eq!(rows(&folder.path().join("parted")), rows(&folder.path().join("local")));
    assert_eq!(parts(&folder.path().join("parted")).len(), 16);
    let ledger = std::fs::read_to_string(folder.path().join("ledger.json")).unwrap();
    let ledger: serde_json::Value = serde_json::from_str(&ledger).unwrap();
    let entry = |at: usize| ["rows", "columns", "sketch"].map(|name| ledger["releases"][at][name].clone());
    assert_eq!(entry(0), entry(1), "the people of both are the same to the ledger");
    assert_eq!(ledger["releases"][1]["rows"], 6000);

    // Of many rows, tasks count removed columns.
    let row = |row: usize| format!("p{},{},{}\n", row / 2, [31, 32, 45][row % 3], ["Ulm", "Wien"][row % 2]);
    let visits: String = ["patient,age,town\n".to_owned()].into_iter().chain((0..400).map(row)).collect();
    std::fs::write(folder.path().join("visits.csv"), visits).unwrap();
    let words = "anonymize visits.csv -o visits --identifier patient --qi age,town --k 5 -q --cluster";
    let words: Vec<&str> = words.split(' ').chain([up.url.as_str()]).collect();
    let repeated = incrowd(folder.path(), &words).env("INCROWD_CLUSTER_TASK_ROWS", "6").output().unwrap();
    let said = said(&repeated);
    assert!(said.contains("IC525") && said.contains("200 values in 400 rows"), "{said}");
    up.end();
}

/// With the key of a local release the bytes have to be the same, or nothing is published.
#[test]
fn people_and_two_tables_are_released_on_a_cluster_as_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let row = |row: u32| {
        let (town, illness) =
            (["Ulm", "Wien", "Bonn"][(row % 3) as usize], ["flu", "cold", "gout"][(row / 7 % 3) as usize]);
        format!("p{},{},{town},{illness},{row}\n", row % 1300, 20 + row * 7 % 60)
    };
    let rows: String = (0..4000).map(row).collect();
    std::fs::write(folder.path().join("visits.csv"), format!("person,age,town,illness,visit\n{rows}")).unwrap();
    let up = Up::start(folder.path(), "work");
    let of_people = "--subject person --k 5";
    let in_two_tables = "--rows-are-people --identifier person --sensitive illness --k 5 --p 2 --publish two-tables";
    for (name, policy) in [("people", of_people), ("two", in_two_tables)] {
        let words =
            format!("anonymize visits.csv --qi age,town --others remove {policy} --algorithm mondrian --no-bound -q");
        let words: Vec<&str> = words.split(' ').collect();
        let (local, record, remote) =
            (format!("{name}-local"), format!("{name}-local.internal"), format!("{name}-remote"));
        let made = run(folder.path(), &[&words[..], &["-o", &local]].concat());
        assert!(made.status.success(), "{}", said(&made));
        let again = ["-o", &remote, "--repeat", &record, "--cluster", &up.url];
        let made = run(folder.path(), &[&words[..], &again].concat());
        assert!(made.status.success(), "{name}: {}", said(&made));
        let verified = run(folder.path(), &["verify", &remote, "-q"]);
        assert!(verified.status.success(), "{}", said(&verified));
    }
    up.end();
}
