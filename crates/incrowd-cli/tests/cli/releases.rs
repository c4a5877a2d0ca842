//! `anonymize`, `verify` and `explain` of a release, on Adult and on the sample.

use serde_json::Value;

use super::support::{Desk, data};

const EIGHT: [&str; 8] =
    ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"];

/// The words that name Adult, its roles and its hierarchies.
fn adult() -> Vec<String> {
    let mut words = vec!["anonymize".into(), data("adult.csv"), "--qi".into(), EIGHT.join(",")];
    words.extend(["--others", "remove", "--seed", "1"].map(Into::into));
    for column in EIGHT {
        let file = data(&format!("hierarchies/adult_wong/{column}.csv"));
        words.extend(["--hierarchy".into(), format!("{column}={file}")]);
    }
    words
}

fn solved(desk: &Desk, more: &[&str]) -> Value {
    let adult = adult();
    let words: Vec<&str> = adult.iter().map(String::as_str).chain(more.iter().copied()).collect();
    desk.json(&words)
}

#[test]
fn incognito_meets_the_figures_of_the_paper_on_adult() {
    let desk = Desk::new();
    let exact = "salary-class:>50K=0.5";
    let settings: [(&str, &[&str], [u64; 2], f64); 4] = [
        ("k2", &["--k", "2", "--sensitive", "salary-class"], [393, 97], 15.0),
        ("k2-exact", &["--k", "2", "--alpha", exact], [112, 29], 17.0),
        ("k2-refined", &["--k", "2", "--alpha", exact, "--refined"], [120, 28], 17.0),
        ("k10-exact", &["--k", "10", "--alpha", exact], [82, 30], 17.0),
    ];
    for (name, words, [holding, minimal], levels) in settings {
        let answer = solved(&desk, &[words, &["--algorithm", "incognito", "-o", name]].concat());
        assert_eq!(answer["holding_nodes"], holding, "{name}");
        assert_eq!(answer["minimal_nodes"], minimal, "{name}");
        assert_eq!(answer["loss"]["distortion_ratio"], levels / 22.0, "{name}");
        assert_eq!((&answer["verified"], &answer["suppressed_rows"]), (&Value::Bool(true), &Value::from(0)), "{name}");
        assert_eq!(desk.run(&["verify", name]).code, Some(0), "{name}");
    }
}

#[test]
fn the_local_solvers_lose_at_most_a_third_of_incognitos_optimum_on_adult() {
    let desk = Desk::new();
    for algorithm in ["progressive", "top-down"] {
        for k in ["2", "10"] {
            let name = format!("{algorithm}-{k}");
            let words = ["--k", k, "--alpha", "salary-class:>50K=0.5", "--algorithm", algorithm, "-o", &name];
            let answer = solved(&desk, &words);
            let ratio = answer["loss"]["distortion_ratio"].as_f64().unwrap();
            assert!(3.0 * ratio <= 17.0 / 22.0, "{name}: {ratio}");
            assert!(answer["smallest_class"].as_u64().unwrap() >= k.parse().unwrap(), "{name}");
            assert!(answer["classes"].as_u64().unwrap() > 32 && answer["loss"]["lm"].is_number(), "{name}");
            let against = desk.run(&["verify", &name, "--against", &data("adult.csv")]);
            assert_eq!(against.code, Some(0), "{name}: {}", against.printed());
        }
    }
}

#[test]
fn an_infeasible_policy_is_a_promise_that_does_not_hold() {
    let desk = Desk::new();
    let adult = adult();
    let words = ["--k", "2", "--alpha", "salary-class=0.5", "-o", "release"];
    let run = desk.run(&adult.iter().map(String::as_str).chain(words).collect::<Vec<_>>());
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("use an α of at least 0.7522"), "{}", run.stderr);
    let answer = solved(&desk, &words);
    assert_eq!(answer["infeasible"][0]["columns"][0], "salary-class");
    assert!(!desk.path("release").exists());
}

#[test]
fn a_plan_says_all_that_the_command_line_can_say() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["sample", "--rows", "500", "-o", "census.csv"]).code, Some(0));
    desk.write(
        "incrowd.toml",
        "version = 1\n[source]\npath = \"census.csv\"\n[policy]\nk = 4\nsuppress = 0.01\n\
         [[policy.alpha]]\ncolumn = \"occupation\"\nalpha = \"1/2\"\n\
         [solve]\nalgorithm = \"incognito\"\nloss = \"lm\"\nseed = 3\n\
         [release]\npath = \"out/census\"\nformat = \"parquet\"\nothers = \"remove\"\n[run]\nmemory_mib = 256\nthreads = 1\n\
         [[column]]\nname = \"age\"\nrole = \"quasi-identifier\"\nhierarchy = { intervals = [5, 10, 20] }\n\
         [[column]]\nname = \"sex\"\nrole = \"quasi-identifier\"\n\
         [[column]]\nname = \"occupation\"\nrole = \"sensitive\"\n",
    );
    std::fs::create_dir(desk.path("out")).unwrap();
    let answer = desk.json(&["anonymize", "incrowd.toml"]);
    assert_eq!((&answer["algorithm"], &answer["loss_minimized"]), (&"incognito".into(), &"lm".into()), "{answer}");
    assert!(desk.path("out/census/data.parquet").is_file());
    let verified = desk.json(&["verify", "out/census", "--sql"]);
    assert_eq!(verified["verified"], true);
    assert_eq!(verified["sql"].as_array().unwrap().len(), 2);
}
