//! Many questions on one view: the view is opened once and rows are never touched again.

use std::collections::BTreeMap;
use std::time::Instant;

use incrowd::core::query::{Condition, Query};
use incrowd::query::ReleaseView;
use incrowd::{ReadOptions, Source};

use super::support::{Desk, Draw};

#[test]
fn a_view_answers_many_questions_as_it_answers_each() {
    let desk = Desk::new();
    let mut draw = Draw(1);
    let mut data = String::from("a,b,c\n");
    for _ in 0..500 {
        data += &format!("{},\"{}\",{}\n", draw.below(9), ["x", "y", "{x, z}"][draw.below(3)], draw.below(4));
    }
    let release = desk.one_table(&[("a", "generalized"), ("b", "generalized"), ("c", "retained")], 0, &data);
    let view = ReleaseView::open(&desk.engine, &release, &["a", "b", "c"], &BTreeMap::new()).unwrap();
    assert_eq!(view.rows(), 500);
    for _ in 0..50 {
        let (a, c) = (draw.below(9).to_string(), draw.below(4).to_string());
        let b = ["x", "y", "z"][draw.below(3)];
        let query = Query::count([
            ("a", Condition::one_of([a.as_str(), "3"])),
            ("b", Condition::one_of([b])),
            ("c", Condition::one_of([c.as_str()])),
        ]);
        let sql = format!("SELECT COUNT(*) WHERE a IN ({a}, 3) AND b = '{b}' AND c = {c}");
        assert_eq!(view.answer(&query, None).unwrap().figure.unwrap(), desk.figure(&sql));
    }
}

/// Random questions of the form of paper 001 about Adult: a list of values for each of eight quasi-identifiers and
/// occupation. A thousand must take seconds in a release build; this unoptimized one has far less to spare.
#[test]
fn a_thousand_questions_on_one_view_take_seconds() {
    let adult = incrowd_testdata::file("adult.csv");
    let columns = [
        "age",
        "workclass",
        "education",
        "marital-status",
        "race",
        "sex",
        "native-country",
        "salary-class",
        "occupation",
    ];
    let desk = Desk::new();
    let source = Source::open(&desk.engine, adult.to_str().unwrap(), ReadOptions::default()).unwrap();
    let mut profiles = source.profile(&desk.engine).unwrap();
    profiles.retain(|profile| columns.contains(&profile.name.as_str()));
    let view = ReleaseView::of_original(&desk.engine, &source, &columns).unwrap();
    let mut draw = Draw(2);
    let mut questions = Vec::new();
    for _ in 0..1000 {
        let conditions = profiles.iter().map(|profile| {
            let values = profile.dictionary.len();
            let wanted = (values as f64 * 0.05f64.powf(1.0 / 9.0)).ceil() as usize;
            let labels: Vec<String> =
                (0..wanted).map(|_| profile.dictionary.label(draw.below(values) as u32).into_owned()).collect();
            (profile.name.clone(), Condition::one_of(labels.iter().map(String::as_str)))
        });
        questions.push(Query::count(conditions));
    }
    let started = Instant::now();
    let answers: Vec<f64> =
        questions.iter().map(|query| view.answer(query, None).unwrap().figure.unwrap().estimate.unwrap()).collect();
    let seconds = started.elapsed().as_secs_f64();
    assert!(answers.iter().any(|&rows| rows > 0.0) && answers.iter().all(|&rows| rows <= view.rows() as f64));
    assert!(seconds < 60.0, "{seconds:.1} s");
}
