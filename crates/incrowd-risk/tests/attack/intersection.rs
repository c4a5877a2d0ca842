//! Two releases of Adult, each parted along columns drawn at random.

use incrowd_risk::attack::Outcome;
use incrowd_risk::attack::intersection::{SharedPeople, attack};

use super::mondrian::{mondrian, published};
use super::tables::{Draw, adult_rows};

const COLUMNS: [&str; 9] =
    ["age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class", "occupation"];

fn attacked(rows: &[Vec<u32>], k: usize) -> Outcome {
    let classes = [1, 2].map(|seed| mondrian(rows, 8, k, Some(Draw(seed))));
    let [first, second] = [0, 1].map(|release| published(rows, &classes[release], "occupation"));
    let shared =
        |row: usize| SharedPeople { first: classes[0][row], second: classes[1][row], value: rows[row][8], people: 1 };
    let people: Vec<SharedPeople> = (0..rows.len()).map(shared).collect();
    attack((&first, 0), (&second, 0), &people)
}

/// The project's measurement found 4.5 % pinned by two releases and 0.8 % by one at k = 5.
#[test]
fn two_releases_pin_more_people_than_one_and_the_more_the_smaller_k() {
    let rows = adult_rows(&COLUMNS);
    let [five, ten] = [5, 10].map(|k| attacked(&rows, k));
    assert_eq!((five.rows, five.evidence.name(), ten.evidence.name()), (45_222, "found", "found"));
    assert!(five.success > 3.0 * five.baseline && five.success > 0.03 && five.success < 0.09, "{five:?}");
    assert!(five.success > 2.0 * ten.success && ten.success > ten.baseline, "{five:?} {ten:?}");
    assert!(five.figure("at_most_2") > ten.figure("at_most_2"), "{five:?} {ten:?}");
}
