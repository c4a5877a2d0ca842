//! Very many rows, and shares so near to a bound that only rounding could decide.

#![allow(clippy::unwrap_used)]

use super::small_tables::{CODES, CodeRows, CodeTable, Numbers, entries, samples};
use crate::{Members, Parameters, Rule};

/// A class and a table of this many times as many rows are judged as they are.
const TIMES: u64 = 1_000_000_000_000_007;

#[test]
fn a_class_and_a_table_of_very_many_times_the_rows_are_judged_alike() {
    let mut numbers = Numbers(43);
    let mut judged = [0, 0];
    for entry in entries().filter(|entry| entry.parameters.iter().all(|parameter| parameter.name != "k")) {
        for asked in samples(entry) {
            let refined = asked.parameters.get("rule") == Some(&"refined".into());
            for _ in 0..if entry.id == "t-closeness" { 4 } else { 12 } {
                let rows: CodeRows = std::array::from_fn(|_| 1 + numbers.below(9));
                let class: CodeRows = if numbers.below(2) == 0 {
                    std::array::from_fn(|_| numbers.below(6))
                } else {
                    rows.map(|own| (own + numbers.below(3)).saturating_sub(1))
                };
                if refined || class == [0; CODES] {
                    continue;
                }
                let holds = |times: u64| {
                    let given = CodeTable::new(rows.map(|own| own * times));
                    let class = given.class(&class.map(|own| own * times));
                    let (bound, members) = (asked.bind(&given.table), Members::new(&given.table, &class));
                    let (holds, gap, spare) = (bound.holds(&members), bound.gap(&members), bound.spare(&members));
                    assert_eq!(holds, gap == 0, "{asked:?} {class:?}");
                    (holds, gap, spare)
                };
                let (few, many) = (holds(1), holds(TIMES));
                assert_eq!(few.0, many.0, "{asked:?} {class:?}");
                // Rows come in steps of one, and a step of very many times the rows is as large as very many steps.
                assert!(
                    many.1 <= few.1.saturating_mul(TIMES) || few.1 == u64::MAX,
                    "{asked:?} {class:?} {few:?} {many:?}"
                );
                assert!(
                    many.2 >= few.2.saturating_mul(TIMES) / 1_000_000 * 999_999,
                    "{asked:?} {class:?} {few:?} {many:?}"
                );
                judged[usize::from(few.0)] += 1;
            }
        }
    }
    assert!(judged.iter().all(|&classes| classes > 300), "{judged:?}");
}

/// Whether a class in which the first value has a share that is this many times a tenth keeps a model, and the other two values
/// share the rest; in the whole the first one has a tenth.
fn keeps(model: &str, parameters: &Parameters, times: f64) -> bool {
    const ROWS: u64 = 4_000_000_000_000_000;
    let given = CodeTable::new([ROWS / 10, ROWS / 20 * 9, ROWS / 20 * 9, 0, 0]);
    let own = (ROWS as f64 / 10.0 * times).round() as u64;
    let class = given.class(&[own, (ROWS - own) / 2, ROWS - own - (ROWS - own) / 2, 0, 0]);
    let rule = Rule { model: model.into(), parameters: parameters.clone(), sensitive: Vec::new() };
    rule.model().unwrap().bind(&given.table, &[1]).unwrap().holds(&Members::new(&given.table, &class))
}

#[test]
fn a_class_that_is_accepted_is_inside_of_a_bound_that_is_rounded() {
    let delta = Parameters::from_iter([("delta", "1/2")]);
    let times = 0.5f64.exp();
    for (inside, keeps_it) in [(-2e-12, false), (0.5e-12, false), (2e-12, true)] {
        assert_eq!(keeps("delta-disclosure", &delta, times * (1.0 - inside)), keeps_it, "{inside}");
        assert_eq!(keeps("delta-disclosure", &delta, (1.0 + inside) / times), keeps_it, "{inside}");
        let enhanced = Parameters::from_iter([("beta", "100"), ("rule", "enhanced")]);
        let most = 1.0 - 0.1f64.ln();
        assert_eq!(keeps("beta-likeness", &enhanced, most * (1.0 - inside)), keeps_it, "{inside}");
    }
    // A bound that is no rounded number is exact.
    let basic = Parameters::from_iter([("beta", "1/2")]);
    assert!(keeps("beta-likeness", &basic, 1.5) && !keeps("beta-likeness", &basic, 1.5 + 1e-14));
}
