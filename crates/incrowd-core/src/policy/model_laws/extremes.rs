//! Very many rows, and shares so near to a bound that only rounding could decide.

#![allow(clippy::unwrap_used)]

use super::case::AskedModel;
use super::small_tables::{CODES, CodeRows, CodeTable, Numbers, entries, samples};
use crate::{Members, ModelEntry, Parameters};

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
    asked(model, parameters.clone()).bind(&given.table).holds(&Members::new(&given.table, &class))
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

/// A model for the first attribute.
fn asked(model: &str, parameters: Parameters) -> AskedModel {
    AskedModel { entry: ModelEntry::find(model).unwrap(), parameters, sensitive: vec![1] }
}

/// Whether a class keeps a model beside a whole, and how many rows may leave it.
fn holds_and_spares(asked: &AskedModel, whole: CodeRows, class: CodeRows) -> (bool, u64) {
    let given = CodeTable::new(whole);
    let (bound, class) = (asked.bind(&given.table), given.class(&class));
    let members = Members::new(&given.table, &class);
    (bound.holds(&members), bound.spare(&members))
}

#[test]
fn rows_that_may_be_spared_of_very_many_may_leave_whatever_their_value_is() {
    const MANY: u64 = 10_000_000_000;
    let (mut numbers, mut spared) = (Numbers(61), 0);
    let step = |entry: &ModelEntry| if entry.id == "t-closeness" { 9 } else { 1 };
    for asked in entries().flat_map(|entry| samples(entry).into_iter().step_by(step(entry))) {
        for _ in 0..6 {
            let rows: CodeRows = std::array::from_fn(|_| (300 + numbers.below(500)) * MANY + numbers.below(MANY));
            let class = rows.map(|own| own / 100 * (80 + numbers.below(40)));
            let (holds, spare) = holds_and_spares(&asked, rows, class);
            for code in (0..CODES).filter(|_| holds) {
                let mut left = class;
                left[code] -= spare.min(class[code]);
                assert!(holds_and_spares(&asked, rows, left).0, "{asked:?} {class:?}: {spare} of {code}");
                spared += u64::from(spare > 0 && spare < class[code]);
            }
        }
    }
    assert!(spared > 300, "{spared}");
}

/// With t = 8/888888888889 a little less than one of the 10¹² rows of the class may leave.
#[test]
fn a_row_is_not_spared_because_a_distance_is_rounded() {
    const ROWS: u64 = 1_000_000_000_000;
    let t = asked("t-closeness", Parameters::from_iter([("t", "8/888888888889")]));
    let answer = |own: u64| holds_and_spares(&t, [300, 30 * ROWS - 300, 0, 0, 0], [own, ROWS - 2, 0, 0, 0]);
    assert_eq!(answer(2), (true, 0));
    assert!(!answer(1).0);
}

/// Of 2n rows of two values x leave: the entropy is about x²/(8n²) below ln 2.
#[test]
fn rows_are_not_spared_because_an_entropy_is_rounded() {
    const HALF: u64 = 1_000_000_000;
    let two = asked("entropy-l-diversity", Parameters::from_iter([("l", 2)]));
    let answer = |gone: u64| holds_and_spares(&two, [1; CODES], [HALF, HALF - gone, 0, 0, 0]);
    // A class may be short of ln 2 by 5·10⁻¹³, and the answer uses half of it.
    assert!(answer(1990).0 && !answer(2010).0);
    let (holds, spare) = answer(0);
    assert!(holds && answer(spare).0 && (1400..1430).contains(&spare), "{spare}");
}

#[test]
fn a_whole_is_like_itself_however_many_of_its_rows_have_one_value() {
    for asked in entries().flat_map(samples).filter(|asked| asked.model().compares()) {
        for whole in [[TIMES, 1, 0, 0, 0], [4, 0, 0, TIMES, 0], [0, 0, 0, 0, TIMES]] {
            assert!(holds_and_spares(&asked, whole, whole).0, "{asked:?} {whole:?}");
        }
    }
}
