//! What a release gives away by itself: on Adult as it was measured, and with people who have several rows.

use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role};
use incrowd_risk::attack::{Evaluation, Outcome, Published, Threshold, alone, homogeneity, marketer, prosecutor};

use super::mondrian::{mondrian, published};
use super::tables::adult_rows;

const COLUMNS: [&str; 9] =
    ["age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class", "occupation"];

/// The project's measurement of a Mondrian release at k = 10 found risks of at most 0.100 and 0.062 on average, 16.3 %
/// above 0.09; 0.07 % of the rows in one-valued classes and 11.6 % with a majority; 0.375 guessed right against 0.135.
/// It had other columns and cuts than this one, so the same is found about as much.
#[test]
fn a_mondrian_release_of_adult_gives_away_about_what_was_measured() {
    let rows = adult_rows(&COLUMNS);
    let release = published(&rows, &mondrian(&rows, 8, 10, None), "occupation");
    let found = alone(&release, &release, 0.1, &[None]);
    let of = |attack: &str| found.iter().find(|outcome| outcome.attack == attack).unwrap();
    let within = |attack: &str, figure: &str, from: f64, to: f64| {
        let value = if figure == "success" { of(attack).success } else { of(attack).figure(figure).unwrap() };
        assert!(from <= value && value <= to, "{figure} of {attack}: {value}");
    };
    within("prosecutor", "success", 0.1, 0.1);
    within("prosecutor", "mean", 0.05, 0.07);
    within("prosecutor", "above_usual_threshold", 0.1, 0.2);
    within("prosecutor", "above_threshold", 0.0, 0.0);
    assert_eq!(of("marketer").success, of("prosecutor").figure("mean").unwrap());
    within("homogeneity", "success", 0.0002, 0.003);
    within("homogeneity", "majority", 0.08, 0.14);
    within("inference", "success", 0.35, 0.4);
    assert!((of("inference").baseline - 0.135).abs() < 0.005);
    within("background", "mean_1", 0.4, 0.55);
    within("background", "mean_2", 0.5, 0.65);
    assert!(of("background").figure("certain_1") > Some(of("homogeneity").success));
    let limits = [
        Threshold::success("prosecutor", 0.1),
        Threshold::figure("prosecutor", "above_usual_threshold", 0.0),
        Threshold::success("inference", 0.5),
    ];
    let exceeded = Evaluation::of(&limits, &found).exceeded;
    assert_eq!(exceeded.iter().map(|one| &one.threshold).collect::<Vec<_>>(), [&limits[1]]);
}

#[test]
fn a_person_with_many_rows_counts_once_in_a_class() {
    let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["Ulm", "Wien"]));
    let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu"]));
    let rows =
        [([0, 0], Some(1), 7), ([0, 1], Some(2), 1), ([1, 1], Some(1), 2), ([1, 1], Some(3), 1), ([1, 1], Some(4), 1)];
    let table = FrequencyTable::from_people(vec![town, illness], rows);
    let release = Published::from_table(&table, ColumnSet::single(0), &[1]);
    assert_eq!((release.rows(), release.people(), release.find(&[1]), release.find(&[2])), (12, 5, Some(1), None));
    assert_eq!(prosecutor::attack(&release, 0.09).success, 0.5);
    assert_eq!(marketer::attack(&release).success, 0.4);
    // Values are counted by rows, and it is said so.
    let found = homogeneity::attack(&release, 0);
    assert_eq!(found.success, 4.0 / 12.0);
    assert!(found.meaning.contains("of the rows"), "{}", found.meaning);
}

#[test]
fn an_outcome_from_before_evidence_was_told_is_read_as_found() {
    let text = r#"{"attack":"learning","column":"illness","success":0.8,"baseline":0.5,"low":0.7,"high":0.9,"rows":9,
        "sampled":1.0,"figures":[],"meaning":"."}"#;
    assert_eq!(serde_json::from_str::<Outcome>(text).unwrap().evidence.name(), "found");
    let proved = Outcome::proved("marketer", "", 0.25, 0.5, 4);
    let written = serde_json::to_string(&proved.clone().found(false)).unwrap();
    assert!(written.contains(r#""evidence":"not-found""#), "{written}");
    assert_eq!(serde_json::from_str::<Outcome>(&serde_json::to_string(&proved).unwrap()).unwrap(), proved);
}
