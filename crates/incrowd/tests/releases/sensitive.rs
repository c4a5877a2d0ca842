//! Releases under the models about sensitive values.

use incrowd::core::{Parameters, Policy};
use incrowd::{AnonymizeOptions, Manifest};

use super::support::Desk;

/// Models about the diagnosis with parameters that the patients can keep.
pub(crate) fn rules() -> Vec<(&'static str, Parameters)> {
    let lists = |lists: &[&[&str]]| -> Vec<Vec<String>> {
        lists.iter().map(|list| list.iter().map(|&text| text.into()).collect()).collect()
    };
    let none = Parameters::default;
    let tree = lists(&[&["flu", "air", "*"], &["cold", "air", "*"], &["gout", "joints", "*"], &["HIV", "blood", "*"]]);
    let order: Vec<String> = ["cold", "flu", "gout", "HIV"].map(Into::into).to_vec();
    vec![
        ("p-sensitive", none().with("p", 2)),
        ("extended-p-sensitive", none().with("p", 2).with("groups", lists(&[&["flu", "cold"]]))),
        ("distinct-l-diversity", none().with("l", 3)),
        ("frequency-l-diversity", none().with("l", "3/2")),
        ("entropy-l-diversity", none().with("l", 2)),
        ("recursive-c-l-diversity", none().with("c", 3).with("l", 2)),
        ("t-closeness", none().with("t", "1/2")),
        ("t-closeness", none().with("t", "1/5").with("distance", "ordered").with("order", order)),
        ("t-closeness", none().with("t", "1/2").with("distance", "hierarchical").with("tree", tree)),
        ("beta-likeness", none().with("beta", 4).with("rule", "enhanced")),
        ("delta-disclosure", none().with("delta", 3)),
    ]
}

#[test]
fn every_model_is_kept_by_what_is_released() {
    let desk = Desk::new();
    for (at, (model, parameters)) in rules().into_iter().enumerate() {
        for (algorithm, suppression) in [("top-down", 0.0), ("incognito", 0.1), ("cheapest-first", 0.0)] {
            let name = format!("{at}-{algorithm}");
            let crowd = Policy::k_anonymity(3).suppressing(suppression);
            let policy = crowd.asking(model, parameters.clone(), &["diagnosis"]);
            let options = AnonymizeOptions { policy, algorithm: algorithm.into(), ..desk.options() };
            let made = desk.release(&name, &options).unwrap();
            assert!(made.verified && made.promises.len() == 2, "{model}, {algorithm}");
            let verdict = desk.verdict_against(&desk.path(&name));
            assert!(verdict.verified, "{model}, {algorithm}: {:?}", verdict.faults);
        }
    }
}

#[test]
fn a_model_that_no_release_can_keep_is_refused_with_the_parameter_that_would_do() {
    let desk = Desk::new();
    let policy = Policy::k_anonymity(3).asking("p-sensitive", Parameters::from_iter([("p", 5)]), &["diagnosis"]);
    let refused = desk.release("release", &AnonymizeOptions { policy, ..desk.options() }).unwrap_err();
    assert_eq!(refused.code(), "IC601");
    assert_eq!(
        refused.remedy().written(incrowd::Setting::as_in_a_plan),
        "use p = 4 or less, which leaves at most 22 classes with k = 3"
    );
}

#[test]
fn the_manifest_names_the_model_and_nothing_about_suppressed_rows() {
    let desk = Desk::new();
    let (model, parameters) = rules().swap_remove(6);
    let policy = Policy::k_anonymity(3).suppressing(0.1).asking(model, parameters, &["diagnosis"]);
    desk.release("release", &AnonymizeOptions { policy, algorithm: "incognito".into(), ..desk.options() }).unwrap();
    let manifest = Manifest::read(&desk.path("release")).unwrap();
    let rule = &manifest.policy.models[1];
    assert_eq!((rule.model.as_str(), rule.parameters.len()), ("t-closeness", 1));
}
