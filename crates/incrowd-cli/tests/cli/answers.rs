//! Exit status, JSON, and what goes to which stream.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use serde_json::Value;

use super::support::{Desk, Run};

const PEOPLE: &str = "age,sex,diagnosis\n34,f,flu\n34,f,cold\n71,m,gout\n71,m,flu\n50,f,flu\n";

#[test]
fn the_exit_status_is_0_when_the_promise_holds_1_when_not_and_2_when_something_went_wrong() {
    let desk = Desk::with("people.csv", PEOPLE);
    for (code, args) in [
        (0, vec!["diagnose", "people.csv", "--qi", "sex", "--k", "2"]),
        (1, vec!["diagnose", "people.csv", "--qi", "age", "--k", "2"]),
        (0, vec!["diagnose", "people.csv", "--qi", "age", "--k", "2", "--delta", "0.2"]),
        (0, vec!["diagnose", "people.csv", "--qi", "sex"]),
        (1, vec!["diagnose", "people.csv", "--qi", "age"]),
        (1, vec!["check", "people.csv"]),
        (0, vec!["check", "people.csv", "--k", "1", "--insensitive", "age", "--sensitive", "diagnosis"]),
        (2, vec!["check", "nowhere.csv"]),
        (2, vec!["diagnose", "people.csv", "--qi", "zodiac"]),
        (2, vec!["frobnicate"]),
        (0, vec!["list"]),
        (0, vec!["--help"]),
        (0, vec!["--version"]),
    ] {
        let run = desk.run(&args);
        assert_eq!(run.code, Some(code), "{args:?}: {}", run.printed());
    }
}

#[test]
fn an_answer_goes_to_stdout_and_a_refusal_to_stderr() {
    let desk = Desk::with("people.csv", PEOPLE);
    for args in [vec!["check", "people.csv"], vec!["diagnose", "people.csv", "--qi", "age", "--format", "json"]] {
        let run = desk.run(&args);
        assert!(!run.stdout.is_empty() && run.stderr.is_empty(), "{run:?}");
    }
    for format in ["text", "json", "sarif"] {
        let run = desk.run(&["check", "nowhere.csv", "--format", format]);
        assert_eq!(run.stdout.is_empty(), format != "json", "{run:?}");
        let lines: Vec<&str> = run.stderr.lines().collect();
        assert!(lines[0].starts_with("error[IC401]: nowhere.csv") && lines[1].starts_with("  hint: "), "{run:?}");
    }
}

/// A program that asks for JSON can read why there is no answer.
#[test]
fn with_json_a_refusal_is_an_object_on_stdout_too() {
    let desk = Desk::with("people.csv", PEOPLE);
    for args in [
        &["check", "nowhere.csv"][..],
        &["diagnose", "people.csv", "--qi", "zodiac"],
        &["anonymize", "people.csv", "--qi", "zodiac", "--k", "2", "-o", "release"],
        &["verify", "nowhere"],
        &["query", "nowhere", "SELECT COUNT(*)"],
        &["attack", "nowhere"],
        &["report", "nowhere"],
        &["explain", "IC000"],
    ] {
        let run = desk.run(&[args, &["--format", "json"]].concat());
        let answer: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(run.code == Some(2) && run.stderr.contains(message.lines().next().unwrap()), "{args:?}: {run:?}");
        assert!(answer["error"]["code"].is_null() || run.stderr.contains(answer["error"]["code"].as_str().unwrap()));
    }
}

#[test]
fn findings_as_sarif_keep_its_schema() {
    let desk = Desk::with("people of K\u{f6}ln.csv", PEOPLE);
    let run = desk.run(&["check", "people of K\u{f6}ln.csv", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&run.stdout).unwrap();
    let schema = std::fs::read_to_string(incrowd_testdata::file("schemas/sarif-2.1.0.json")).unwrap();
    let mut schema: Value = serde_json::from_str(&schema).unwrap();
    // The published schema has a pattern with an unbalanced bracket, for a language that we do not state.
    for part in ["run", "toolComponent"] {
        schema["definitions"][part]["properties"]["language"].as_object_mut().unwrap().remove("pattern");
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let found = desk.json(&["check", "people of K\u{f6}ln.csv"]);
    assert_eq!(results.len(), found["findings"].as_array().unwrap().len());
    assert_eq!(run.code, Some(1));
}

/// The keys that people's scripts use.
#[test]
fn json_has_the_keys_that_are_promised() {
    let desk = Desk::with("people.csv", PEOPLE);
    let has = |value: &Value, keys: &[&str]| {
        keys.iter().for_each(|key| assert!(value.get(key).is_some(), "{key} is missing in {value}"));
    };
    let found = desk.json(&["check", "people.csv", "--k", "2"]);
    has(&found, &["source", "format", "safe", "verdict", "columns", "rows", "tuples", "people", "quasi_identifiers"]);
    has(&found, &["k_asked", "k", "classes", "unique_rows", "rows_below_k", "mean_risk", "curve", "attributes"]);
    has(&found, &["largest_safe", "dangerous_sets", "findings", "next", "seconds"]);
    has(&found["columns"][0], &["name", "kind", "distinct", "missing", "role", "declared", "confidence", "reason"]);
    has(&found["dangerous_sets"][0], &["columns", "k", "unique_rows", "rows_below_k"]);
    has(&found["findings"][0], &["code", "name", "severity", "columns", "message", "rows", "share"]);
    assert!(found.get("exposed_values").is_none(), "values are shown unasked");

    let all = ["--k", "2", "--delta", "0.2", "--sets", "--all-sets", "--curve", "--columns"];
    let found = desk.json(&[&["diagnose", "people.csv", "--qi", "age,sex"][..], &all].concat());
    has(&found, &["source", "quasi_identifiers", "rows", "tuples", "k", "unique_rows", "mean_risk", "holds"]);
    has(&found, &["rows_below_k", "least_delta", "k_suppressed", "suppressed_rows", "largest_safe", "groupings"]);
    has(&found, &["smallest_dangerous", "sets", "curve", "attributes", "spilled_bytes", "seconds"]);
    has(&found["sets"][0], &["columns", "k", "classes", "unique_rows", "least_delta", "curve"]);
    has(&found["curve"][0], &["k", "suppressed_rows", "share"]);
    assert_eq!(["rows", "tuples", "k", "unique_rows"].map(|key| found[key].as_u64().unwrap()), [5, 3, 1, 1]);
}

/// A sensitive column makes more tuples, but neither classes nor column sets.
#[test]
fn a_sensitive_column_adds_its_figures_and_changes_no_others() {
    let desk = Desk::with("people.csv", PEOPLE);
    let all = ["--k", "2", "--delta", "0.2", "--sets", "--all-sets", "--curve", "--columns", "--show-values"];
    for args in [[&["diagnose", "people.csv", "--qi", "age,sex"][..], &all].concat(), vec!["check", "people.csv"]] {
        let answer = |more: &[&str]| {
            let mut found = desk.json(&[&args[..], more].concat());
            // How the role is known, and the command that is next, differ of course.
            ["seconds", "columns", "next"].iter().for_each(|key| drop(found.as_object_mut().unwrap().remove(*key)));
            found
        };
        let (without, mut with) = (answer(&[]), answer(&["--sensitive", "diagnosis"]));
        let figures = with.as_object_mut().unwrap().remove("sensitive").unwrap();
        assert_eq!(with, without);
        assert_eq!(
            (&figures[0]["column"], &figures[0]["p"], &figures[0]["alpha"]),
            (&"diagnosis".into(), &1.into(), &1.0.into())
        );
        let null = ["recursive_c_l2", "recursive_c_l3", "t_ordered", "delta"];
        assert!(null.iter().all(|key| figures[0].get(key).is_some_and(Value::is_null)), "{figures}");
        let numbers = ["values", "distinct_l", "frequency_l", "entropy_l", "t_equal", "beta"];
        assert!(numbers.iter().all(|key| figures[0][key].is_number()), "{figures}");
        assert!(figures[0].get("beta_enhanced").is_some(), "{figures}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let desk = Desk::with("people.csv", PEOPLE);
    for args in [&["list"][..], &["completions", "bash"], &["man"], &["man", "check"], &["check", "people.csv"]] {
        let mut child = desk.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::with_capacity(1, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let code = child.wait().unwrap().code();
        assert!(!line.is_empty() && said.is_empty() && code < Some(2), "{args:?}: {code:?} {said}");
    }
}

#[test]
fn a_reader_that_went_away_before_anything_was_printed_is_no_failure() {
    let desk = Desk::with("people.csv", PEOPLE);
    let mut child =
        desk.command(&["check", "people.csv"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(1), ""));
}

#[test]
fn every_command_has_help_a_man_page_and_completions() {
    let desk = Desk::new();
    for command in ["check", "diagnose", "init", "hierarchy", "list", "explain", "sample", "completions", "man"] {
        assert_eq!(desk.run(&[command, "--help"]).code, Some(0), "{command}");
        let page = desk.run(&["man", command]).stdout;
        assert!(page.contains(&format!("incrowd\\-{command}")), "{command}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(desk.run(&["completions", shell]).stdout.contains("diagnose"), "{shell}");
    }
}

#[test]
fn lines_keep_to_the_width_of_the_terminal() {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", "500", "-o", "census.csv"]);
    for width in [80, 120] {
        let mut command = desk.command(&["check", "census.csv"]);
        let run = Run::of(command.env("COLUMNS", width.to_string()));
        let longest = run.stdout.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(width), "{longest:?} of {width}\n{}", run.stdout);
    }
}

/// One person in three classes, alone in each: no share is above 1, and nobody is counted as three people.
#[test]
fn a_person_who_is_alone_several_times_is_still_one_person() {
    let desk = Desk::with("stays.csv", "patient_id,town\np1,Ulm\np1,Bonn\np1,Jena\np1,Jena\n");
    let found = desk.json(&["diagnose", "stays.csv", "--qi", "town", "--subject", "patient_id", "--k", "2"]);
    let figures = ["rows", "people", "appearances", "k", "unique_rows"].map(|key| found[key].as_u64().unwrap());
    assert_eq!((figures, found["least_delta"].as_f64()), ([4, 1, 3, 1, 3], Some(1.0)));
    let found = desk.json(&["check", "stays.csv", "--qi", "town", "--subject", "patient_id", "--k", "2"]);
    let shares = found["findings"].as_array().unwrap().iter().filter_map(|finding| finding["share"].as_f64());
    assert!(shares.clone().count() > 0 && shares.clone().all(|share| share <= 1.0), "{found}");
    assert!(found["verdict"].as_str().unwrap().contains("3 of 3 appearances (100.0 %)"), "{found}");
}

/// For every k of the curve, the least δ for that k: both are shares of the people.
#[test]
fn the_curve_and_the_least_delta_count_the_same_people() {
    let rows = ["p1,Ulm", "p1,Bonn", "p2,Bonn", "p2,Jena", "p3,Jena", "p4,Jena", "p4,Wien"].join("\n");
    let desk = Desk::with("stays.csv", format!("patient_id,town\n{rows}\n"));
    let asked = ["diagnose", "stays.csv", "--qi", "town", "--subject", "patient_id", "--curve", "--k"];
    let curve = desk.json(&[&asked[..], &["2"]].concat())["curve"].as_array().unwrap().clone();
    assert!(curve.len() > 1, "{curve:?}");
    for point in curve {
        let found = desk.json(&[&asked[..], &[&point["k"].to_string()]].concat());
        assert_eq!(found["least_delta"], point["share"], "{point}");
    }
}
