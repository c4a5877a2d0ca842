//! Releases as they are made: every format and solver, and nothing when something is wrong.

use incrowd::core::{Policy, Ratio};
use incrowd::request::{BuildPlan, HierarchyPlan};
use incrowd::{AnonymizeOptions, Error, Format, HierarchyChoice, Manifest};

use super::support::Desk;

#[test]
fn every_solver_and_format_gives_a_release_that_is_true_to_its_table() {
    let desk = Desk::new();
    for entry in incrowd::algorithms::ALGORITHMS {
        for format in [Format::Csv, Format::Parquet, Format::Arrow] {
            let name = format!("{}-{}", entry.id, format.name().to_lowercase());
            let options = AnonymizeOptions { algorithm: entry.id.into(), format, ..desk.options() };
            let made = desk.release(&name, &options).unwrap();
            assert!(made.verified && made.smallest_class >= 3 && made.rows == 240, "{name}");
            let verdict = desk.verdict_against(&desk.path(&name));
            assert!(verdict.verified, "{name}: {:?}", verdict.faults);
            assert_eq!((verdict.classes, verdict.rows), (made.classes, 240), "{name}");
        }
    }
}

#[test]
fn sets_and_free_intervals_are_published_verified_and_explained() {
    let desk = Desk::new();
    for format in [Format::Csv, Format::Parquet, Format::Arrow] {
        let name = format!("sets-{}", format.name().to_lowercase());
        let choice = |build| HierarchyChoice { plan: HierarchyPlan::Build(build), folder: "".into() };
        let hierarchies = [("town", BuildPlan::Sets), ("age", BuildPlan::FreeIntervals)];
        let hierarchies = hierarchies.map(|(column, build)| (column.into(), choice(build))).into();
        let made = desk.release(&name, &AnonymizeOptions { format, hierarchies, ..desk.options() }).unwrap();
        assert!(
            made.notes
                .iter()
                .any(|note| note.starts_with("Published as sets of values instead of hierarchy nodes: town."))
        );
        let verdict = desk.verdict_against(&desk.path(&name));
        assert!(verdict.verified, "{name}: {:?}", verdict.faults);
        let explained = incrowd::explain_value(&desk.path(&name), "town", None).unwrap();
        assert!(explained.height.is_none() && !explained.levels.is_empty());
    }
    let text = std::fs::read_to_string(desk.path("sets-csv").join("data.csv")).unwrap();
    assert!(text.contains("\"{") || text.contains("\"["), "something was generalized");
}

#[test]
fn no_removed_value_stands_in_any_byte_of_a_release() {
    let desk = Desk::new();
    for format in [Format::Csv, Format::Parquet, Format::Arrow] {
        let name = format!("release-{}", format.name().to_lowercase());
        let made = desk.release(&name, &AnonymizeOptions { format, ..desk.options() }).unwrap();
        assert!(made.canaries.values >= 240 && made.canaries.found == 0);
        for entry in std::fs::read_dir(desk.path(&name)).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            assert!(!bytes.windows(10).any(|window| window == b"ZQX-PERSON"), "{name}");
        }
    }
}

#[test]
fn a_removed_value_in_a_kept_column_is_published_by_that_column_and_a_note_is_due() {
    let desk = Desk::new();
    let text = std::fs::read_to_string(desk.path("patients.csv")).unwrap();
    let copied = |line: &str| {
        let name = line.split(',').next().unwrap().to_owned();
        format!("{line},{name}")
    };
    let doubled: Vec<String> = text.lines().map(copied).collect();
    std::fs::write(desk.path("patients.csv"), doubled.join("\n").replacen(",name\n", ",remark\n", 1) + "\n").unwrap();
    let mut options = desk.options();
    options.declared.insensitive.push("remark".into());
    options.keep_identifying.push("remark".into());
    let made = desk.release("release", &options).unwrap();
    let said = made.notes.iter().any(|note| note.contains("removed") && note.contains("published column"));
    assert!(said, "{:?}", made.notes);
}

#[test]
fn an_infeasible_policy_leaves_nothing_and_says_what_would_be_feasible() {
    let desk = Desk::new();
    let policy = Policy::k_anonymity(3).deassociating("diagnosis", Ratio::new(1, 10).unwrap(), &[], false);
    let refused = desk.release("release", &AnonymizeOptions { policy, ..desk.options() }).unwrap_err();
    let Error::Infeasible(reasons) = &refused else { panic!("{refused}") };
    assert_eq!((refused.code(), refused.is_broken_promise()), ("IC601", true));
    assert!(reasons[0].remedy.starts_with("use an α of at least 0."), "{}", reasons[0].remedy);
    let policy = Policy::k_anonymity(241);
    let refused = desk.release("release", &AnonymizeOptions { policy, ..desk.options() }).unwrap_err();
    let hint = refused.remedy().written(incrowd::Setting::as_in_a_plan);
    assert!(hint.contains("use a k of at most 240"), "{hint}");
    assert!(!desk.path("release").exists() && !desk.path("release.internal").exists());
}

#[test]
fn rows_that_make_the_policy_infeasible_are_suppressed_within_the_budget() {
    let desk = Desk::new();
    let policy = Policy::k_anonymity(3).deassociating("diagnosis", Ratio::new(3, 100).unwrap(), &["HIV"], false);
    for entry in incrowd::algorithms::ALGORITHMS {
        let options =
            AnonymizeOptions { algorithm: entry.id.into(), policy: policy.clone().suppressing(0.2), ..desk.options() };
        let made = desk.release(entry.id, &options).unwrap();
        assert!(made.suppressed_rows > 0 && made.suppressed_rows <= 48, "{}: {}", entry.id, made.suppressed_rows);
        assert!(desk.verdict_against(&desk.path(entry.id)).verified, "{}", entry.id);
    }
}

#[test]
fn a_column_that_nobody_spoke_of_is_refused() {
    let desk = Desk::new();
    let mut options = desk.options();
    options.declared.insensitive.clear();
    let refused = desk.release("release", &options).unwrap_err();
    assert_eq!((refused.code(), refused.to_string().as_str()), ("IC506", "column without a role: visits"));
    options.others = incrowd::Others::Remove;
    options.keep_identifying.clear();
    desk.release("release", &options).unwrap();
    let manifest = Manifest::read(&desk.path("release")).unwrap();
    let published: Vec<&str> =
        manifest.columns.iter().filter(|column| column.is_published()).map(|column| column.name.as_str()).collect();
    assert_eq!(published, ["age", "town", "diagnosis"]);
}

#[test]
fn people_are_counted_when_a_subject_is_named() {
    let desk = Desk::new();
    let text = std::fs::read_to_string(desk.path("patients.csv")).unwrap();
    // Every person three times: rows alone would make a crowd of one person.
    let tripled: String = text.lines().skip(1).flat_map(|line| [line, "\n"].repeat(3)).collect();
    std::fs::write(desk.path("patients.csv"), format!("{}\n{tripled}", text.lines().next().unwrap())).unwrap();
    let mut options = desk.options();
    options.declared.identifiers.clear();
    options.declared.subject = Some("name".into());
    let made = desk.release("release", &options).unwrap();
    assert!(made.smallest_class >= 3, "three people");
    let manifest = Manifest::read(&desk.path("release")).unwrap();
    assert!(manifest.smallest_class >= 9, "so nine rows");
    assert!(desk.verdict_against(&desk.path("release")).verified);
}

/// The files do not say whose a row is, so nobody is told that shares of people were found there.
#[test]
fn what_holds_for_people_is_not_said_to_be_found_on_the_written_bytes() {
    let desk = Desk::new();
    let mut options = AnonymizeOptions { report: true, ..desk.options() };
    options.declared.identifiers.clear();
    options.declared.subject = Some("name".into());
    let made = desk.release("release", &options).unwrap();
    assert_eq!(made.counts, incrowd::Counts::People);
    assert!(made.promises[1].contains("50 % of the people have the protected value in their rows there"));
    let verdict = desk.verdict(&desk.path("release"));
    let checked: Vec<&str> = verdict.models.iter().map(|model| model.model.as_str()).collect();
    let not_checked: Vec<&str> = verdict.not_checked.iter().map(|model| model.model.as_str()).collect();
    assert_eq!((checked, not_checked), (vec!["k-anonymity"], vec!["k-anonymity", "alpha-deassociation"]));
    let page = std::fs::read_to_string(desk.path("release").join("report.html")).unwrap();
    assert!(
        page.contains("people of the table, before the files were written")
            && !page.contains("this was verified on the")
    );
}

#[test]
fn rows_without_a_subject_are_refused_where_people_with_a_value_are_counted() {
    let desk = Desk::new();
    let text = std::fs::read_to_string(desk.path("patients.csv")).unwrap();
    std::fs::write(desk.path("patients.csv"), text.replace("ZQX-PERSON-0003,", ",")).unwrap();
    let mut options = desk.options();
    options.declared.identifiers.clear();
    options.declared.subject = Some("name".into());
    let refused = desk.release("release", &options).unwrap_err();
    assert_eq!(refused.code(), "IC521", "{refused}");
    let only_k = AnonymizeOptions { policy: Policy::k_anonymity(3), ..options };
    assert!(desk.release("release", &only_k).unwrap().verified);
}

#[test]
fn formulas_are_escaped_when_asked_and_the_release_is_still_true() {
    let desk = Desk::new();
    let text = std::fs::read_to_string(desk.path("patients.csv")).unwrap();
    let text = text.replace(",gout\n", ",=1+1\n").replace(",flu\n", ",'@x\n").replace(",Ulm,", ",-Ulm,");
    std::fs::write(desk.path("patients.csv"), text).unwrap();
    let towns = std::fs::read_to_string(desk.path("towns.csv")).unwrap();
    std::fs::write(desk.path("towns.csv"), towns.replace("Ulm;", "-Ulm;")).unwrap();
    let share = Ratio::new(3, 5).unwrap();
    let policy = Policy::k_anonymity(3).deassociating("diagnosis", share, &["=1+1"], false);
    let options = AnonymizeOptions { escape_formulas: true, policy, ..desk.options() };
    desk.release("release", &options).unwrap();
    let written = std::fs::read_to_string(desk.path("release").join("data.csv")).unwrap();
    assert!(written.contains(",'=1+1\n") && written.contains(",''@x\n") && written.contains(",'-Ulm,"));
    assert!(!written.contains(",=1+1") && Manifest::read(&desk.path("release")).unwrap().files[0].escaped);
    let verdict = desk.verdict_against(&desk.path("release"));
    assert!(verdict.verified, "{:?}", verdict.faults);
}

#[test]
fn a_value_can_be_followed_to_the_rule_that_forced_it() {
    let desk = Desk::new();
    let release = desk.made();
    let all = incrowd::explain_value(&release, "age", None).unwrap();
    let coarsest = all.levels.last().unwrap();
    assert!(coarsest.level > 0 && coarsest.forced_by.iter().any(|rule| rule.rule != "choice"), "{all:?}");
    let text = std::fs::read_to_string(release.join("data.csv")).unwrap();
    let exact = text.lines().skip(1).find_map(|line| line.split(',').next()?.parse::<u32>().ok()).unwrap().to_string();
    let explained = incrowd::explain_value(&release, "age", Some(&exact)).unwrap();
    assert_eq!((explained.levels.len(), explained.levels[0].level), (1, 0));
    assert!(incrowd::explain_value(&release, "visits", None).is_err());
}
