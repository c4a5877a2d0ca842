//! Tables whose tuples outgrow what may be worked on at once: the promises hold all the same, nobody is lost or invented,
//! and no value touches the disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use incrowd::core::{Cancel, Parameters, Policy, Progress, Ratio, Stage};
use incrowd::{
    AnonymizeOptions, Anonymized, Declared, Engine, Error, Format, Publish, ReadOptions, Settings, Source,
    VerifyOptions, anonymize, verify,
};

use super::support::{DIAGNOSES, Desk};

fn lines(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut reader = csv_lines(&text);
    reader.remove(0);
    reader
}

/// Lines of plain cells, of which some are in quotes.
fn csv_lines(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| {
        let (mut cells, mut quoted) = (vec![String::new()], false);
        for letter in line.chars() {
            match letter {
                '"' => quoted = !quoted,
                ',' if !quoted => cells.push(String::new()),
                other => cells.last_mut().unwrap().push(other),
            }
        }
        cells
    };
    text.lines().map(cells).collect()
}

/// Brute force: every class has three rows and no more than half of them HIV, and the kept cells are the table's.
fn holds(desk: &Desk, release: &Path, made: &Anonymized) {
    let published = lines(&release.join("data.csv"));
    let mut classes: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    for row in &published {
        let class = classes.entry((row[0].clone(), row[1].clone())).or_default();
        *class = (class.0 + 1, class.1 + u64::from(row[3] == DIAGNOSES[3]));
    }
    assert!(classes.values().all(|&(rows, hiv)| rows >= 3 && 2 * hiv <= rows), "{classes:?}");
    assert_eq!(classes.len() as u64, made.classes);
    assert_eq!(classes.values().map(|class| class.0).min(), Some(made.smallest_class));
    let kept = |rows: Vec<Vec<String>>, from: usize| {
        let mut kept: Vec<Vec<String>> = rows.into_iter().map(|row| row[from..].to_vec()).collect();
        kept.sort();
        kept
    };
    if made.suppressed_rows == 0 {
        assert_eq!(kept(published, 2), kept(lines(&desk.path("patients.csv")), 3));
    } else {
        assert_eq!(published.len() as u64, 240 - made.suppressed_rows);
    }
}

#[test]
fn every_solver_keeps_the_policy_in_shards_and_is_true_to_its_table() {
    let desk = Desk::new();
    // Anatomy publishes two tables.
    for entry in
        incrowd::algorithms::ALGORITHMS.iter().filter(|entry| entry.for_shards().is_some() && entry.id != "anatomy")
    {
        for (at_once, format) in [(60, Format::Csv), (25, Format::Csv), (40, Format::Parquet), (90, Format::Arrow)] {
            let name = format!("{}-{at_once}", entry.id);
            let options =
                AnonymizeOptions { algorithm: entry.id.into(), at_once: Some(at_once), format, ..desk.options() };
            let made = desk.release(&name, &options).unwrap();
            assert!(made.verified && made.rows == 240, "{name}");
            assert!(made.statistics.shards > Some(1), "{name}: {:?}", made.statistics);
            let verdict = desk.verdict_against(&desk.path(&name));
            assert!(verdict.verified, "{name}: {:?}", verdict.faults);
            assert_eq!((verdict.classes, verdict.smallest_class), (made.classes, made.smallest_class), "{name}");
            if format == Format::Csv {
                holds(&desk, &desk.path(&name), &made);
            }
        }
    }
}

#[test]
fn the_recorded_key_gives_the_same_shards_and_bytes_whatever_the_threads() {
    let desk = Desk::new();
    let mut seen = Vec::new();
    for (number, threads) in [1, 2, 3, 2].into_iter().enumerate() {
        let settings = Settings { temp: Some(desk.path("temp")), threads: Some(threads), ..Settings::default() };
        let engine = Engine::new(&settings).unwrap();
        let source =
            Source::open(&engine, desk.path("patients.csv").to_str().unwrap(), ReadOptions::default()).unwrap();
        let target = desk.path(&format!("release-{number}"));
        let repeat = (number > 0).then(|| desk.path("release-0.internal"));
        let options = AnonymizeOptions { algorithm: "mondrian".into(), at_once: Some(50), repeat, ..desk.options() };
        anonymize(&engine, &source, &options, &target).unwrap();
        seen.push(std::fs::read(target.join("data.csv")).unwrap());
    }
    assert!(seen.iter().all(|bytes| *bytes == seen[0]));
}

#[test]
fn a_table_that_fits_is_solved_whole_and_gives_the_same_bytes_with_a_limit_and_without() {
    let desk = Desk::new();
    let tuples = desk.release("free", &desk.options()).unwrap().tuples;
    let limited =
        AnonymizeOptions { at_once: Some(tuples), repeat: Some(desk.path("free.internal")), ..desk.options() };
    let made = desk.release("limited", &limited).unwrap();
    assert!(!made.notes.iter().any(|note| note.contains("shard")), "{:?}", made.notes);
    let bytes = |name: &str| std::fs::read(desk.path(name).join("data.csv")).unwrap();
    assert_eq!(bytes("free"), bytes("limited"));
    let made = desk.release("parted", &AnonymizeOptions { at_once: Some(tuples - 1), ..desk.options() }).unwrap();
    assert!(made.notes.iter().any(|note| note.contains("independent shards")), "{:?}", made.notes);
}

#[test]
fn rows_may_be_suppressed_in_shards_within_the_budget_of_all() {
    let desk = Desk::new();
    let half = Ratio::new(1, 2).unwrap();
    for share in [0.02, 0.2] {
        let policy = Policy::k_anonymity(3).deassociating("diagnosis", half, &["HIV"], false).suppressing(share);
        let options = AnonymizeOptions { policy, at_once: Some(40), algorithm: "top-down".into(), ..desk.options() };
        let made = desk.release(&format!("release-{share}"), &options).unwrap();
        assert!(made.suppressed_rows as f64 <= 240.0 * share);
        holds(&desk, &desk.path(&format!("release-{share}")), &made);
    }
}

#[test]
fn what_needs_all_tuples_at_once_is_refused_with_the_memory_it_takes() {
    let desk = Desk::new();
    let parted = |change: &dyn Fn(&mut AnonymizeOptions)| {
        let mut options = AnonymizeOptions { at_once: Some(50), ..desk.options() };
        change(&mut options);
        let error = desk.release("release", &options).unwrap_err();
        assert!(matches!(error, Error::NeedsWhole { .. }), "{error}");
        assert!(!desk.path("release").exists());
        (error.to_string(), error.code(), error.remedy().written(incrowd::Setting::as_in_a_plan))
    };
    let (said, code, hint) = parted(&|options| options.algorithm = "incognito".into());
    assert!(said.starts_with("--algorithm incognito needs about ") && code == "IC410", "{said}");
    assert!(hint.starts_with("raise memory"), "{hint}");
    let said = parted(&|options| options.publish = Publish::TwoTables).0;
    assert!(said.starts_with("a release in two tables needs"), "{said}");
    let said = parted(&|options| {
        let (t, few) = (Parameters::default().with("t", "2/5"), Ratio::new(1, 100).unwrap());
        let policy = Policy::k_anonymity(3).asking("t-closeness", t, &["diagnosis"]);
        options.policy = policy.deassociating("diagnosis", few, &["HIV"], false).suppressing(0.5);
    });
    let expected = "a policy with t-closeness, for which no shards were found that meet it without suppression, needs ";
    assert!(said.0.starts_with(expected), "{}", said.0);
}

/// Brute force: how often each diagnosis occurs in a class beside all rows, for every class.
fn shares(release: &Path) -> Vec<Vec<(f64, f64)>> {
    let mut classes: BTreeMap<(String, String), BTreeMap<String, f64>> = BTreeMap::new();
    let mut all: BTreeMap<String, f64> = BTreeMap::new();
    for row in lines(&release.join("data.csv")) {
        let class = classes.entry((row[0].clone(), row[1].clone())).or_default();
        *class.entry(row[3].clone()).or_default() += 1.0;
        *all.entry(row[3].clone()).or_default() += 1.0;
    }
    let of_class = |class: &BTreeMap<String, f64>| {
        let (size, total) = (class.values().sum::<f64>(), all.values().sum::<f64>());
        all.iter().map(|(value, rows)| (rows / total, class.get(value).unwrap_or(&0.0) / size)).collect()
    };
    classes.values().map(of_class).collect()
}

#[test]
fn classes_of_shards_are_compared_with_the_whole_table() {
    let desk = Desk::new();
    let with = |name: &str, value: &str| Parameters::default().with(name, value);
    for (model, parameters) in [
        ("t-closeness", with("t", "3/10")),
        ("beta-likeness", with("beta", "2")),
        ("delta-disclosure", with("delta", "2")),
    ] {
        let policy = Policy::k_anonymity(3).asking(model, parameters, &["diagnosis"]);
        for (algorithm, at_once, suppression) in [("mondrian", 60, 0.0), ("top-down", 40, 0.0), ("mondrian", 50, 0.2)] {
            let (name, policy) = (format!("{model}-{at_once}"), policy.clone().suppressing(suppression));
            let options =
                AnonymizeOptions { policy, algorithm: algorithm.into(), at_once: Some(at_once), ..desk.options() };
            let made = desk.release(&name, &options).unwrap();
            assert!(made.verified && made.statistics.shards > Some(1), "{name}: {:?}", made.statistics);
            // They are compared with all rows of the table, so all of them are published.
            assert_eq!(made.suppressed_rows, 0, "{name}");
            let says_so = made.notes.iter().any(|note| note.starts_with("No row was suppressed, although"));
            assert_eq!(says_so, suppression > 0.0, "{name}: {:?}", made.notes);
            assert!(desk.verdict_against(&desk.path(&name)).verified, "{name}");
            let holds = |class: &Vec<(f64, f64)>| match model {
                "t-closeness" => class.iter().map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0 <= 0.3 + 1e-9,
                "beta-likeness" => class.iter().all(|(p, q)| *q <= 3.0 * p + 1e-9),
                _ => class.iter().all(|(p, q)| (q / p).ln().abs() < 2.0 + 1e-9),
            };
            let shares = shares(&desk.path(&name));
            assert!(shares.len() > 1 && shares.iter().all(holds), "{name}: {shares:?}");
        }
    }
}

/// In half of the towns the illness is a little too frequent, so that a town whose drawn rows keep the policy may not keep
/// it with all of them; then it needs its neighbours.
#[test]
fn a_shard_that_cannot_keep_the_policy_by_itself_is_put_together_with_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut text = String::from("town,road,illness\n");
    for row in 0..60_000u64 {
        let (town, road, mixed) = (row % 20, row / 20, row * 7919 % 1_000);
        let ill = mixed < if town % 2 == 0 { 501 } else { 440 };
        text += &format!("{town:02},{road},{}\n", if ill { "ill" } else { "well" });
    }
    std::fs::write(path("towns.csv"), text).unwrap();
    let settings = Settings { temp: Some(path("temp")), memory: Some(6 << 20), ..Settings::default() };
    let engine = Engine::new(&settings).unwrap();
    let source = Source::open(&engine, path("towns.csv").to_str().unwrap(), ReadOptions::default()).unwrap();
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<String>>();
    let policy = Policy::k_anonymity(2).deassociating("illness", Ratio::new(1, 2).unwrap(), &["ill"], false);
    let options = AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: names(&["town", "road"]),
            sensitive: names(&["illness"]),
            ..Declared::default()
        },
        policy,
        algorithm: "mondrian".into(),
        at_once: Some(8_000),
        seed: Some(1),
        ..AnonymizeOptions::default()
    };
    let made = anonymize(&engine, &source, &options, &path("release")).unwrap();
    assert!(made.statistics.shards > Some(2), "{:?}", made.statistics);
    let mut classes: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    for row in lines(&path("release").join("data.csv")) {
        let class = classes.entry((row[0].clone(), row[1].clone())).or_default();
        *class = (class.0 + 1, class.1 + u64::from(row[2] == "ill"));
    }
    assert!(classes.values().all(|&(rows, ill)| rows >= 2 && 2 * ill <= rows));
    assert_eq!(classes.values().map(|class| class.0).sum::<u64>(), 60_000);
}

/// Looks into every temporary file again and again while a run lasts.
struct Spy {
    temp: PathBuf,
    met: Mutex<(u64, Vec<String>)>,
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

impl Progress for Spy {
    fn update(&self, _: Stage, _: u64, _: Option<u64>) {
        for path in files_below(&self.temp) {
            // A file may be gone before it is read.
            let Ok(bytes) = std::fs::read(&path) else { continue };
            let mut met = self.met.lock().unwrap();
            met.0 += bytes.len() as u64;
            if bytes.windows(4).any(|four| four == b"ZQX-") {
                met.1.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }
}

/// A table of people who are each the only one of their kind, and whose every removed or recoded cell is a canary.
fn census(rows: u64) -> String {
    let row = |row: u64| {
        let mixed = row * 7919 % 10_007;
        let (town, street) = (mixed % 60, mixed * 31 % 997);
        format!("ZQX-WHO-{row},ZQX-TOWN-{town:02},ZQX-ROAD-{street:03},{},kept {}\n", mixed % 90, mixed % 13)
    };
    String::from("who,town,road,age,note\n") + &(0..rows).map(row).collect::<String>()
}

fn of_census(subject: bool) -> AnonymizeOptions {
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<String>>();
    AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: names(&["town", "road", "age"]),
            identifiers: names(if subject { &[] } else { &["who"] }),
            insensitive: names(&["note"]),
            subject: subject.then(|| "who".into()),
            ..Declared::default()
        },
        policy: Policy::k_anonymity(5),
        keep_identifying: names(&["note"]),
        algorithm: "mondrian".into(),
        seed: Some(3),
        at_once: Some(800),
        ..AnonymizeOptions::default()
    }
}

#[test]
fn no_value_stands_in_a_temporary_file_at_any_time_and_none_is_left() {
    for subject in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("census.csv"), census(6_000)).unwrap();
        let spy = Arc::new(Spy { temp: path("temp"), met: Mutex::default() });
        let settings = Settings { temp: Some(path("temp")), memory: Some(24 << 20), threads: Some(2) };
        let engine = Engine::watched(&settings, Cancel::default(), spy.clone()).unwrap();
        let source = Source::open(&engine, path("census.csv").to_str().unwrap(), ReadOptions::default()).unwrap();
        let made = anonymize(&engine, &source, &of_census(subject), &path("release")).unwrap();
        assert!(made.statistics.shards > Some(4) && made.spilled_bytes > 100_000, "{made:?}");
        let met = spy.met.lock().unwrap();
        assert!(met.0 > 500_000, "the files were looked at: {} bytes", met.0);
        assert_eq!(met.1, Vec::<String>::new());
        drop(engine);
        let left: Vec<PathBuf> = files_below(&path("temp"));
        assert!(left.iter().all(|path| path.ends_with(".starting")), "{left:?}");
        for memory in [None, Some(100_000)] {
            let against = Some(path("census.csv"));
            let verdict =
                verify(&path("release"), &VerifyOptions { against, memory, ..VerifyOptions::default() }).unwrap();
            assert!(verdict.verified && verdict.rows == 6_000, "{:?}", verdict.faults);
        }
    }
}

/// Whether a person has several values, and how many people have a value, is known of all shards together only.
#[test]
fn models_about_values_of_people_are_refused_in_shards() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("census.csv"), census(3_000)).unwrap();
    let engine = Engine::new(&Settings { temp: Some(path("temp")), ..Settings::default() }).unwrap();
    let source = Source::open(&engine, path("census.csv").to_str().unwrap(), ReadOptions::default()).unwrap();
    let mut options = of_census(true);
    options.declared.sensitive = std::mem::take(&mut options.declared.insensitive);
    options.policy = options.policy.asking("p-sensitive", Parameters::from_iter([("p", 2)]), &["note"]);
    let refused = anonymize(&engine, &source, &options, &path("release")).unwrap_err();
    assert_eq!(refused.code(), "IC410", "{refused}");
    assert!(refused.to_string().contains("p-sensitive with a subject column"), "{refused}");
}

#[test]
fn the_loss_of_shards_is_that_of_the_published_cells() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("census.csv"), census(3_000)).unwrap();
    let engine = Engine::new(&Settings { temp: Some(path("temp")), ..Settings::default() }).unwrap();
    let source = Source::open(&engine, path("census.csv").to_str().unwrap(), ReadOptions::default()).unwrap();
    let whole = AnonymizeOptions { at_once: None, bound: false, ..of_census(false) };
    let whole = anonymize(&engine, &source, &whole, &path("whole")).unwrap();
    let parted = anonymize(&engine, &source, &of_census(false), &path("parted")).unwrap();
    assert_eq!((whole.rows, whole.tuples), (parted.rows, parted.tuples));
    // Mondrian's first cuts are cuts into shards, or nearly so.
    assert!(parted.loss.lm < whole.loss.lm * 1.25, "{} and {}", parted.loss.lm, whole.loss.lm);
    let unchanged = |made: &Anonymized, release: &str| {
        let published = lines(&path(release).join("data.csv"));
        let plain = published.iter().filter(|row| row[2].bytes().all(|byte| byte.is_ascii_digit())).count();
        assert!((made.loss.columns[2].unchanged - plain as f64 / 3_000.0).abs() < 1e-9);
    };
    unchanged(&whole, "whole");
    unchanged(&parted, "parted");
}

/// Swaps two rows of the same length in a table, once, when the solver begins: after the codes of rows are laid out and
/// before rows are read again.
struct Swap {
    table: PathBuf,
    done: Mutex<bool>,
}

impl Progress for Swap {
    fn update(&self, stage: Stage, _: u64, _: Option<u64>) {
        let mut done = self.done.lock().unwrap();
        if stage != Stage::Solve || *done {
            return;
        }
        let text = std::fs::read_to_string(&self.table).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        let (first, length) = (2000, lines[2000].len());
        let second = (first + 1..).find(|&line| lines[line].len() == length).unwrap();
        lines.swap(first, second);
        std::fs::write(&self.table, lines.join("\n") + "\n").unwrap();
        *done = true;
    }
}

#[test]
fn rows_that_come_in_another_order_when_they_are_read_again_are_refused_in_shards_and_harmless_without() {
    for in_shards in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("census.csv"), census(6_000)).unwrap();
        let swap = Arc::new(Swap { table: path("census.csv"), done: Mutex::default() });
        let settings = Settings { temp: Some(path("temp")), threads: Some(2), ..Settings::default() };
        let engine = Engine::watched(&settings, Cancel::default(), swap.clone()).unwrap();
        let source = Source::open(&engine, path("census.csv").to_str().unwrap(), ReadOptions::default()).unwrap();
        let at_once = in_shards.then_some(800);
        let options = AnonymizeOptions { at_once, bound: false, ..of_census(false) };
        let made = anonymize(&engine, &source, &options, &path("release"));
        assert!(*swap.done.lock().unwrap());
        if in_shards {
            let refused = made.unwrap_err();
            assert_eq!(refused.code(), "IC619", "{refused}");
            assert!(!path("release").exists() && !path("release.internal").exists());
        } else {
            // There each row finds its class by its own values.
            assert!(made.unwrap().verified);
            let against = Some(path("census.csv"));
            let verdict = verify(&path("release"), &VerifyOptions { against, ..VerifyOptions::default() }).unwrap();
            assert!(verdict.verified, "{:?}", verdict.faults);
        }
    }
}
