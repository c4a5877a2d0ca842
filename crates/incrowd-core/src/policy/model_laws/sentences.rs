//! The sentences of every model, word for word: what it promises, and what is wrong with a class that breaks it.

#![allow(clippy::unwrap_used)]

use crate::{MODELS, ModelEntry, Parameters};

/// Each model with parameters for which it has words of its own.
fn spoken() -> Vec<(&'static str, Parameters)> {
    let none = Parameters::default;
    let whole = |name: &str, number: u64| none().with(name, number);
    let values = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<String>>();
    let alpha = |rule: &str| none().with("alpha", "1/3").with("rule", rule);
    let groups = |p: u64| whole("p", p).with("groups", vec![values(&["flu", "cold"])]);
    let recursive = |l: u64| whole("l", l).with("c", "2.5");
    let t = |distance: &str| none().with("t", "0.15").with("distance", distance);
    let tree = vec![values(&["flu", "*"]), values(&["cold", "*"])];
    let by_number = |name: &'static str| move |number| (name, number);
    let counting = [1, 2, 3, 1200].map(by_number("k-anonymity")).into_iter();
    let counting = counting.chain([1, 2, 1200].map(by_number("p-sensitive")));
    let counting = counting.chain([1, 2, 1200].map(by_number("distinct-l-diversity")));
    let counting = counting.chain([1, 1200].map(by_number("k-map")));
    let first = |id: &str| MODELS.iter().find(|entry| entry.id == id).unwrap().parameters[0].name;
    let mut spoken: Vec<(&str, Parameters)> = counting.map(|(id, number)| (id, whole(first(id), number))).collect();
    spoken.extend(["exact", "refined"].map(|rule| ("alpha-deassociation", alpha(rule))));
    spoken.extend([&["flu"][..], &["flu", "cold"]].into_iter().flat_map(|protected| {
        ["exact", "refined"].map(|rule| ("alpha-deassociation", alpha(rule).with("values", values(protected))))
    }));
    spoken.extend([1, 2, 1200].map(|p| ("extended-p-sensitive", groups(p))));
    spoken.extend(["1", "2.5"].map(|l| ("frequency-l-diversity", none().with("l", l))));
    spoken.push(("entropy-l-diversity", none().with("l", "2.5")));
    spoken.extend([1, 2, 3, 4, 1200].map(|l| ("recursive-c-l-diversity", recursive(l))));
    spoken.extend(["equal", "ordered"].map(|distance| ("t-closeness", t(distance))));
    spoken.push(("t-closeness", t("hierarchical").with("tree", tree)));
    spoken.extend(["basic", "enhanced"].map(|rule| ("beta-likeness", none().with("beta", "0.5").with("rule", rule))));
    spoken.extend(["1", "0.3"].map(|delta| ("delta-disclosure", none().with("delta", delta))));
    spoken.push(("delta-presence", none().with("max", "1/2")));
    spoken.push(("delta-presence", none().with("min", "0.1").with("max", "1/2")));
    spoken
}

fn sentences(id: &str, parameters: &Parameters) -> String {
    let model = ModelEntry::find(id).unwrap().model(parameters).unwrap();
    let given: Vec<String> = parameters
        .iter()
        .filter(|(name, _)| !["tree", "groups"].contains(name))
        .map(|(name, value)| format!(" {name}={}", serde_json::to_string(value).unwrap()))
        .collect();
    let (promise, breach) = (model.promise(), model.breach());
    let (to_people, of_people) = (model.promise_for_people(), model.breach_for_people());
    let mut text = format!("{id}{}\n  {promise}\n  … {breach}\n", given.concat());
    if to_people != promise {
        text += &format!("  people: {to_people}\n");
    }
    if of_people != breach {
        text += &format!("  people: … {of_people}\n");
    }
    text
}

#[test]
fn every_model_promises_and_refuses_in_these_words() {
    let text: Vec<String> = spoken().iter().map(|(id, parameters)| sentences(id, parameters)).collect();
    assert_eq!(text.join("\n"), include_str!("sentences.txt"));
}

#[test]
fn every_model_has_its_words_tried() {
    let spoken = spoken();
    assert!(MODELS.iter().all(|entry| spoken.iter().any(|one| one.0 == entry.id)));
}
