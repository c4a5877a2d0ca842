//! Many questions on one view: the view is opened once and rows are never touched again.

use std::collections::BTreeMap;

use incrowd::core::query::{Condition, Query};
use incrowd::query::ReleaseView;

use super::support::{Desk, Draw};

#[test]
fn a_view_answers_many_questions_as_it_answers_each() {
    let desk = Desk::new();
    let mut draw = Draw(1);
    let mut data = String::from("a,b,c\n");
    for _ in 0..500 {
        data += &format!(
            "{},{},{}\n",
            draw.below(9),
            ["x", "y", "{x, z}"][draw.below(3)].replace(", ", "; "),
            draw.below(4)
        );
    }
    let release = desk.one_table(&[("a", "generalized"), ("b", "generalized"), ("c", "retained")], 0, &data);
    let view = ReleaseView::open(&desk.engine, &release, &["a", "b", "c"], &BTreeMap::new()).unwrap();
    assert_eq!(view.rows(), 500);
    for _ in 0..50 {
        let (a, c) = (draw.below(9).to_string(), draw.below(4).to_string());
        let query = Query::count([("a", Condition::one_of([a.as_str(), "3"])), ("c", Condition::one_of([c.as_str()]))]);
        let sql = format!("SELECT COUNT(*) WHERE a IN ({a}, 3) AND c = {c}");
        assert_eq!(view.answer(&query, None).unwrap().figure.unwrap(), desk.figure(&sql));
    }
}
