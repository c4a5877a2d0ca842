//! A drafted plan is a plan: it is read back, the published schema accepts it, and it says what was found.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use incrowd::core::Role;
use incrowd::request::{HierarchyPlan, Plan, draft};
use incrowd::{Declared, Engine, ReadOptions, Settings, Source, assign};

/// The draft for a table with this content.
fn drafted(content: &str, options: &ReadOptions) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, content).unwrap();
    let settings = Settings { temp: Some(folder.path().join("temp")), ..Settings::default() };
    let engine = Engine::new(&settings).unwrap();
    let source = Source::open(&engine, path.to_str().unwrap(), options.clone()).unwrap();
    let profiles = source.profile(&engine).unwrap();
    let columns = assign(&profiles, &Declared::default()).unwrap();
    draft(&source, "table.csv", options, &profiles, &columns, 5)
}

/// The plan, after the published schema has accepted it.
fn accepted(text: &str) -> Plan {
    let published = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plan.schema.json");
    let schema: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(published).unwrap()).unwrap();
    let table: toml::Table = toml::from_str(text).unwrap();
    let faults: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&serde_json::to_value(&table).unwrap())
        .map(|fault| fault.to_string())
        .collect();
    assert!(faults.is_empty(), "{faults:?}\n{text}");
    Plan::parse(text).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

#[test]
fn a_drafted_plan_is_read_and_accepted_by_the_published_schema() {
    let rows: String =
        (20..60).map(|age| format!("{age},1980-01-{:02},f,10{age}5,{}.25\n", age % 28 + 1, age * 7)).collect();
    let plan = accepted(&drafted(&format!("age,birth-date,sex,postcode,balance\n{rows}"), &ReadOptions::default()));
    assert_eq!((plan.version, plan.policy.k, plan.source.path.as_str()), (1, Some(5), "table.csv"));
    assert_eq!(plan.columns.len(), 5);
    assert!(matches!(plan.columns[0].hierarchy, Some(HierarchyPlan::Intervals(_))), "{plan:?}");
    assert_eq!(plan.columns[1].role, Some(Role::QuasiIdentifier));
}

#[test]
fn what_was_told_about_the_table_is_in_its_plan() {
    let told = ReadOptions {
        delimiter: Some(b'\t'),
        nulls: vec!["?".into(), "n/a \"unknown\"".into()],
        format: Some(incrowd::Format::Csv),
        date_formats: vec![("born".into(), "%d.%m.%Y".into())],
        ..ReadOptions::default()
    };
    let plan = accepted(&drafted("born\ttown\n03.04.1980\tUlm\n05.06.1990\t?\n", &told));
    let read = plan.read_options();
    assert_eq!((read.delimiter, read.nulls, read.format, read.date_formats), {
        (told.delimiter, told.nulls, told.format, told.date_formats)
    });
}

#[test]
fn no_column_name_breaks_out_of_its_line() {
    let names = [
        "plain",
        "with \"quotes\"",
        "role = 'identifier'",
        "two\nlines",
        "]]\n[[column]]\nname = \"forged\"\nrole = \"insensitive\"",
        "# no comment",
        "naïve 漢字 🙂",
        "back\\slash\\u0041",
        "\u{1b}[31m\u{9b}\u{202e}\u{7f}",
        "'''\"\"\"",
    ];
    let header: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    let text = drafted(&format!("{}\n{}\n", header.join(","), ["1"; 10].join(",")), &ReadOptions::default());
    let plan = accepted(&text);
    assert_eq!(plan.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), names);
    assert!(text.chars().all(|letter| letter == '\n' || !letter.is_control()), "{text:?}");
}

#[test]
fn words_that_cannot_be_meant_are_refused() {
    let plan = |source: &str, policy: &str, columns: &str| {
        Plan::parse(&format!("version = 1\n[source]\npath = \"x.csv\"\n{source}\n[policy]\n{policy}\n{columns}"))
    };
    let column = |name: &str, role: &str| format!("[[column]]\nname = \"{name}\"\nrole = \"{role}\"\n");
    assert!(plan("", "k = 2", &column("a", "subject")).is_ok());
    for (source, policy, columns, says) in [
        ("format = \"docx\"", "k = 2", String::new(), "docx"),
        ("range = \"B3\"", "k = 2", String::new(), "B3:F200"),
        ("delimiter = \"→\"", "k = 2", String::new(), "delimiter"),
        ("delimiters = \";\"", "k = 2", String::new(), "line 4"),
        ("", "k = 0", String::new(), "at least 1"),
        ("", "k = 2\nsuppress = 1.5", String::new(), "between 0 and 1"),
        ("", "k = 2\nsuppress = nan", String::new(), "between 0 and 1"),
        ("", "k = 2", column("a", "subject") + &column("b", "subject"), "only one"),
        ("", "k = 2", column("a", "sensitive") + &column("a", "insensitive"), "two entries"),
        ("", "k = 2", column("a", "quasi-identifer"), "quasi-identifier"),
    ] {
        let message = plan(source, policy, &columns).expect_err(says);
        assert!(message.contains(says), "{says}: {message}");
    }
}

#[test]
fn a_draft_suggests_only_what_the_table_can_keep() {
    let small = drafted("age,diagnosis\n34,flu\n34,cold\n71,flu\n", &ReadOptions::default());
    assert_eq!(accepted(&small).policy.k, Some(3), "three rows cannot keep k = 5");
    let share = |of_ten: usize| {
        let rows: String =
            (0..40).map(|row| format!("34,{}\n", if row % 10 < of_ten { "flu" } else { "gout" })).collect();
        drafted(&format!("age,diagnosis\n{rows}"), &ReadOptions::default())
    };
    assert!(share(5).contains("\n# alpha = 0.5\n"), "{}", share(5));
    assert!(share(7).contains("\n# alpha = 0.7\n"), "{}", share(7));
    assert!(!share(10).contains("alpha = "), "{}", share(10));
}

#[test]
fn columns_that_look_alike_are_one_decision_and_nothing_is_confirmed() {
    let names: Vec<String> = (1..=40).map(|number| format!("item_{number:02}")).collect();
    let row = |row: u64| (0..40).map(|at| ((row * 7 + at) % 5).to_string()).collect::<Vec<_>>().join(",");
    let rows: String = (0..60).map(|number| format!("{},{}\n", 20 + number % 9, row(number))).collect();
    let text = drafted(&format!("age,{}\n{rows}", names.join(",")), &ReadOptions::default());
    assert_eq!(text.matches("[[column]]").count(), 2, "{text}");
    let plan = accepted(&text);
    assert_eq!((plan.columns.len(), plan.columns[40].name.as_str()), (41, "item_40"));
    assert!(plan.is_draft() && plan.columns.iter().all(|column| !column.confirmed));
    let confirmed = incrowd::request::confirm(&text, &[]).unwrap();
    assert_eq!(confirmed.decisions.len(), 3, "k and two entries");
    assert!(!Plan::parse(&confirmed.text).unwrap().is_draft());
}
