//! What `--events` and `--lineage` write.

use serde_json::Value;

use super::support::Desk;

const TABLE: &str = "age,sex,illness\n31,f,flu\n31,f,cold\n45,m,flu\n45,m,hiv\n";

fn read(desk: &Desk, file: &str) -> String {
    std::fs::read_to_string(desk.path(file)).unwrap()
}

fn ends(desk: &Desk, words: &[&str], status: i32) {
    let run = desk.run(words);
    assert_eq!(run.code, Some(status), "{run:?}");
}

fn lines(desk: &Desk, file: &str) -> Vec<Value> {
    let text = read(desk, file);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_run_is_told_from_its_beginning_to_its_end_and_the_next_run_follows() {
    let desk = Desk::new();
    desk.write("people.csv", TABLE);
    let release =
        ["anonymize", "people.csv", "--qi", "age,sex", "--others", "remove", "--k", "2", "-q", "-o", "release"];
    let told = ["--events", "events.jsonl", "--lineage", "lineage.jsonl"];
    ends(&desk, &[&release[..], &told].concat(), 0);
    ends(&desk, &[&release[..], &told].concat(), 2);
    ends(&desk, &["verify", "release", "-q", "--events", "events.jsonl"], 0);
    let events = lines(&desk, "events.jsonl");
    let of = |event: &str| events.iter().filter(|line| line["event"] == event).collect::<Vec<_>>();
    let commands: Vec<&Value> = of("begin").into_iter().map(|line| &line["command"]).collect();
    assert_eq!(commands, ["anonymize", "anonymize", "verify"]);
    let last = of("end");
    assert_eq!((&last[0]["exit"], &last[0]["code"], &last[0]["published_rows"]), (&0.into(), &Value::Null, &4.into()));
    assert_eq!((&last[1]["exit"], last[1]["code"].is_string()), (&2.into(), true), "{}", last[1]);
    let stages: Vec<&str> =
        last[0]["stages"].as_array().unwrap().iter().map(|at| at["stage"].as_str().unwrap()).collect();
    assert!(["count", "write", "verify"].iter().all(|stage| stages.contains(stage)), "{stages:?}");
    for stage in stages {
        assert!(of("progress").iter().any(|line| line["stage"] == stage), "{stage}");
    }
    let runs: std::collections::BTreeSet<&str> = events.iter().map(|line| line["run"].as_str().unwrap()).collect();
    assert_eq!(runs.len(), 3);
    let text = read(&desk, "events.jsonl") + &read(&desk, "lineage.jsonl");
    assert!(["flu", "cold", "hiv"].iter().all(|value| !text.contains(value)), "no values");
    let lineage = lines(&desk, "lineage.jsonl");
    let kinds: Vec<&Value> = lineage.iter().map(|event| &event["eventType"]).collect();
    assert_eq!(kinds, ["COMPLETE", "FAIL"]);
    assert_eq!(lineage[0]["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"], 4);
    assert!(lineage[0]["inputs"][0]["name"].as_str().unwrap().ends_with("/people.csv"));
}

#[test]
fn a_file_that_holds_something_else_is_not_written_to() {
    let desk = Desk::new();
    desk.write("people.csv", TABLE);
    for option in ["--events", "--lineage"] {
        let words =
            ["anonymize", "people.csv", "--qi", "age,sex", "--others", "remove", "--k", "2", "-q", "-o", "release"];
        ends(&desk, &[&words[..], &[option, "people.csv"]].concat(), 2);
        assert_eq!(read(&desk, "people.csv"), TABLE);
        assert!(!desk.folder().join("release").exists());
    }
}
