//! No value of a cell is printed unless it is requested, and no control character is printed raw.

use super::support::{Desk, Run};

/// Values that occur in no other words, one per column and kind.
const CANARIES: [&str; 8] = [
    "Zzyzx-Canary",
    "918273645",
    "7391.0642",
    "1907-03-29",
    "canary@zzyzx.example",
    "QX-77-QX",
    "03.04.1907",
    "Wyvernish",
];

const HEADER: &str = "name,income,weight,birth-date,email,postcode,visited,religion";

/// A table whose columns hold the canaries, each in a row of its own among ordinary ones.
fn table() -> String {
    let ordinary = ["Ann Example", "100", "70.5", "1980-01-02", "a@b.example", "10115", "05.06.1980", "none"];
    let mut rows = vec![HEADER.to_string(), CANARIES.join(",")];
    for row in 0..30 {
        let mut cells = ordinary.map(String::from);
        cells[row % 8] = CANARIES[row % 8].into();
        rows.push(cells.join(","));
    }
    rows.join("\n") + "\n"
}

/// Runs the command, in text and JSON where there is a choice, with backtraces asked for, and looks for the canaries.
fn assert_silent(desk: &Desk, args: &[&str]) -> Vec<Run> {
    let formats: &[&[&str]] = match args[0] {
        "check" | "diagnose" => &[&[], &["--format", "json"]],
        _ => &[&[]],
    };
    let run = |format: &&[&str]| {
        let run = Run::of(desk.command(&[args, format].concat()).env("RUST_BACKTRACE", "1"));
        let printed = run.printed().replace(',', "");
        for canary in CANARIES {
            assert!(!printed.contains(canary), "{args:?} says {canary}:\n{}", run.printed());
        }
        run
    };
    formats.iter().map(run).collect()
}

#[test]
fn no_value_is_shown_unless_it_is_requested() {
    let desk = Desk::with("people.csv", table());
    desk.write("religion.csv", "none;*\nother;*\n");
    for args in [
        &["check", "people.csv"][..],
        &["check", "people.csv", "--k", "1", "--max-columns", "8"],
        &["check", "people.csv", "--subject", "name", "--qi", "postcode,birth-date", "--sensitive", "religion"],
        &["diagnose", "people.csv", "--qi", HEADER],
        &["diagnose", "people.csv", "--qi", HEADER, "--k", "3", "--sets", "--all-sets", "--curve", "--columns"],
        &["diagnose", "people.csv", "--qi", HEADER, "--k", "3", "--delta", "0.5", "--memory", "16MiB"],
        &["diagnose", "people.csv", "--qi", "religion", "--subject", "name", "--at-most", "--k", "2"],
        &["hierarchy", "check", "religion.csv", "--table", "people.csv", "--column", "religion"],
        &["init", "people.csv", "-o", "-"],
        &["init", "people.csv", "-o", "plan.toml", "--force"],
    ] {
        let runs = assert_silent(&desk, args);
        assert!(runs.iter().all(|run| run.code < Some(2)), "{args:?}: {runs:?}");
    }
    let plan = std::fs::read_to_string(desk.path("plan.toml")).unwrap();
    assert!(CANARIES.iter().all(|canary| !plan.contains(canary)), "{plan}");
}

#[test]
fn a_refusal_names_lines_and_columns_and_no_value() {
    let row = CANARIES.join(",");
    let broken: [(&str, Vec<u8>); 8] = [
        ("short.csv", format!("{HEADER}\n{row}\n{}\n", CANARIES[..7].join(",")).into()),
        ("long.csv", format!("{HEADER}\n{row}\n{row},{}\n", CANARIES[0]).into()),
        ("quote.csv", format!("{HEADER}\n{row}\n\"{row}\n{row}\n").into()),
        ("nul.csv", format!("{HEADER}\n{row}\n{}\0,1,2,3,4,5,6,7\n", CANARIES[0]).into()),
        ("bytes.csv", [format!("{HEADER}\n{row}\n{}", CANARIES[0]).as_bytes(), b"\xff,1,2,3,4,5,6,7\n"].concat()),
        ("wide.csv", format!("{HEADER}\n{row}\n").encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("fake.parquet", format!("PAR1{HEADER}\n{row}\nPAR1").into()),
        ("fake.arrow", format!("ARROW1{HEADER}\n{row}\nARROW1").into()),
    ];
    let desk = Desk::with("people.csv", table());
    for (name, content) in &broken {
        desk.write(name, content);
        for args in [&["check", name][..], &["diagnose", name, "--qi", "name,religion"], &["init", name, "-o", "-"]] {
            let runs = assert_silent(&desk, args);
            assert!(runs.iter().all(|run| run.code == Some(2)), "{args:?}: {runs:?}");
        }
    }
    for args in [
        &["diagnose", "people.csv", "--qi", "religions"][..],
        &["check", "people.csv", "--date-format", "visited=%m/%d/%y"],
        &["diagnose", "people.csv", "--qi", "visited", "--date-format", "visited=%Y"],
        &["hierarchy", "build", "people.csv", "--column", "religion", "--kind", "dates"],
        &["hierarchy", "build", "people.csv", "--column", "name", "--kind", "intervals"],
        &["check", "people.csv", "--input-format", "parquet"],
        &["check", "people.csv", "--delimiter", "@"],
    ] {
        let runs = assert_silent(&desk, args);
        assert!(runs.iter().all(|run| run.code == Some(2)), "{args:?}: {runs:?}");
    }
}

#[test]
fn values_are_shown_on_request() {
    let desk = Desk::with("people.csv", table());
    for args in
        [&["check", "people.csv", "--k", "100"][..], &["diagnose", "people.csv", "--qi", "religion", "--k", "100"]]
    {
        for format in ["text", "json"] {
            let run = desk.run(&[args, &["--show-values", "--format", format]].concat());
            assert!(CANARIES.iter().any(|canary| run.stdout.contains(canary)), "{args:?}: {run:?}");
        }
    }
}

/// Escape sequences, a bell, line breaks, the 8-bit escape and a turn of the writing direction.
const HOSTILE: &str = "x\u{1b}[31m\u{7}\r\n\u{9b}2J\u{202e}y";

#[test]
fn what_a_terminal_would_obey_is_never_printed_raw() {
    let desk = Desk::new();
    desk.write("evil.csv", format!("\"age{HOSTILE}\",\"town{HOSTILE}\"\n\"1{HOSTILE}\",\"2{HOSTILE}\"\n3,4\n"));
    desk.write("evil.txt", format!("a{HOSTILE};b\u{1b}[0m;*\na{HOSTILE};c;*\n"));
    desk.write("evil.toml", format!("version = 1\n\u{1b}[31m{HOSTILE}"));
    let path = format!("odd\u{1b}[31m{HOSTILE}.csv");
    for args in [
        &["check", "evil.csv", "--show-values"][..],
        &["check", "evil.csv", "--show-values", "--format", "json"],
        &["init", "evil.csv", "-o", "-"],
        &["init", "evil.csv", "-o", "evil.out"],
        &["check", "--plan", "evil.out", "--show-values"],
        &["diagnose", "--plan", "evil.out", "--sets", "--all-sets", "--columns", "--curve", "--show-values"],
        &["diagnose", "--plan", "evil.out", "--all-sets", "--columns", "--show-values", "--format", "json"],
        &["diagnose", "evil.csv", "--qi", "zodiac"],
        &["hierarchy", "check", "evil.txt"],
        &["check", "evil.toml"],
        &["check", &path],
        &["sample", "--rows", "5", "-o", &path],
        &["check", &path],
        &["sample", "--rows", "5", "-o", &path],
    ] {
        let printed = desk.run(args).printed();
        let raw = printed.chars().find(|&letter| (letter.is_control() && letter != '\n') || letter == '\u{202e}');
        assert_eq!(raw, None, "{args:?}: {printed:?}");
        assert!(!printed.is_empty(), "{args:?}");
    }
}
