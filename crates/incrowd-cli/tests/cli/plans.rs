//! `init`: the plan it writes is one that can be used, whatever the columns are called.

use super::support::Desk;

const PEOPLE: &str = "age,sex\n34,f\n34,f\n71,m\n71,m\n";

#[test]
fn a_plan_is_never_overwritten_without_force() {
    let desk = Desk::with("people.csv", PEOPLE);
    desk.write("incrowd.toml", "mine");
    let run = desk.run(&["init", "people.csv"]);
    assert_eq!((run.code, run.stderr.contains("--force")), (Some(2), true), "{run:?}");
    assert_eq!(std::fs::read_to_string(desk.path("incrowd.toml")).unwrap(), "mine");
    assert_eq!(desk.run(&["init", "people.csv", "--force"]).code, Some(0));
    assert_ne!(std::fs::read_to_string(desk.path("incrowd.toml")).unwrap(), "mine");
}

#[test]
fn a_drafted_plan_finds_its_table_from_anywhere() {
    let desk = Desk::with("data/people.csv", PEOPLE);
    desk.write("plans/.keep", "");
    for plan in ["incrowd.toml", "data/incrowd.toml", "plans/incrowd.toml"] {
        assert_eq!(desk.run(&["init", "data/people.csv", "--k", "2", "-o", plan]).code, Some(0), "{plan}");
        for args in [&["check", plan][..], &["check", "--plan", plan], &["check", "data/people.csv", "--plan", plan]] {
            let run = desk.run(args);
            assert_eq!(run.code, Some(0), "{args:?}: {}", run.printed());
        }
        let mut from_elsewhere = desk.command(&["check", desk.path(plan).to_str().unwrap()]);
        assert_eq!(from_elsewhere.current_dir("/").status().unwrap().code(), Some(0), "{plan}");
    }
}

#[test]
fn a_drafted_plan_reads_the_table_as_it_was_read() {
    let desk = Desk::with("people.txt", "birth|town\n03.04.1980|?\n03.04.1980|NA\n05.06.1990|Ulm\n05.06.1990|Ulm\n");
    let told = ["--delimiter", "|", "--null", "?", "--null", "NA", "--date-format", "birth=%d.%m.%Y"];
    let told = [&told[..], &["--input-format", "csv"]].concat();
    assert_eq!(desk.run(&[&["init", "people.txt"][..], &told].concat()).code, Some(0));
    let planned = desk.json(&["check", "incrowd.toml", "--k", "2"]);
    let direct = desk.json(&[&["check", "people.txt", "--qi", "birth,town", "--k", "2"][..], &told].concat());
    for key in ["rows", "tuples", "k", "unique_rows", "safe", "curve", "attributes"] {
        assert_eq!(planned[key], direct[key], "{key}");
    }
    let date = |found: &serde_json::Value| found["columns"][0]["kind"].clone();
    assert_eq!((date(&planned), date(&direct)), ("date".into(), "date".into()));
}

#[test]
fn the_policy_of_a_plan_is_used_unless_another_is_given() {
    let desk = Desk::with("people.csv", PEOPLE);
    desk.run(&["init", "people.csv", "--k", "2"]);
    assert_eq!(desk.json(&["check", "incrowd.toml"])["k_asked"], 2);
    assert_eq!(desk.json(&["check", "incrowd.toml", "--k", "3"])["k_asked"], 3);
    assert_eq!(desk.json(&["check", "people.csv"])["k_asked"], 5);
}

#[test]
fn hostile_column_names_survive_a_plan() {
    let names =
        ["a \"quoted\" name", "two\nlines", "]] # [table]", "naïve 漢字 🙂", "back\\slash", "tab\there", "'''", "a,b"];
    let cells = |texts: &[String]| texts.join(",") + "\n";
    let header: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    let row = |value: &str| cells(&names.map(|_| value.to_string()));
    let desk = Desk::with("odd.csv", cells(&header) + &row("1") + &row("1") + &row("2") + &row("2"));
    assert_eq!(desk.run(&["init", "odd.csv"]).code, Some(0));
    let found = desk.json(&["check", "incrowd.toml", "--k", "2"]);
    let kept: Vec<&str> = found["columns"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(kept, names);
    assert!(found["columns"].as_array().unwrap().iter().all(|column| column["declared"] == true));
}

#[test]
fn the_schema_that_is_printed_is_the_one_that_is_published() {
    let published = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plan.schema.json");
    assert_eq!(Desk::new().run(&["init", "--schema"]).stdout, std::fs::read_to_string(published).unwrap());
}
