//! What is internal stays internal, and what is small is not told.

#![allow(clippy::unwrap_used)]

mod support;

use incrowd_core::{ClassSizes, Diagnosis, Evidence, Figure, Finding, Outcome, SetRisk, codes};
use incrowd_report::dossier::{
    AttackConclusion, Coarse, ColumnSets, ColumnUtility, Data, FindingNumbers, InternalDossier, LevelShare,
    PublicDossier, PublicFinding, Risk, RiskThreshold, Rounded, SetNumbers, Share, SubgroupNumbers, SubgroupSpread,
    TestNumbers, ThresholdSide, WithheldFor,
};
use incrowd_report::{internal, public};
use support::{example, parse};

/// Numbers and words that stand nowhere else, as a page writes them.
const CANARIES: [&str; 16] = [
    "7,019",
    "7019",
    "8,731",
    "8731",
    "0.7321",
    "73.2 %",
    "61.9 %",
    "0.6187",
    "4,903",
    "4903",
    "CANARY-FINGERPRINT",
    "CANARY-SEED",
    "CANARY-LABEL",
    "CANARY-MEANING",
    "CANARY-MESSAGE",
    "CANARY-RESIDUAL",
];

/// A dossier whose public part is made of the same exact numbers as its internal part, by the constructors.
fn made_of_canaries() -> InternalDossier {
    let mut public: PublicDossier = example().public;
    let set = SetRisk { columns: vec!["age".into()], k: 1, unique: 4_903, below: 8_731 };
    let finding = Finding::new(&codes::UNIQUE_ROWS, "CANARY-MESSAGE 7019").about(["age"]).counting(7_019, 30_162);
    let outcome = Outcome {
        attack: "learning".into(),
        column: "occupation".into(),
        evidence: Evidence::Found,
        success: 0.7321,
        baseline: 0.6187,
        low: 0.7321,
        high: 0.7321,
        rows: 8_731,
        sampled: 1.0,
        figures: vec![Figure::new("top_decile", 0.7321)],
        meaning: "CANARY-MEANING 73.2 %".into(),
    };
    let group = SubgroupNumbers { column: "sex".into(), label: "CANARY-LABEL".into(), rows: 8_731, withheld: 4_903 };
    let threshold = RiskThreshold { value: 0.2, source: "house rule".into(), rule: ThresholdSide::AtMost };
    let classes = ClassSizes::from_sizes(std::iter::repeat_n(1, 7_019).chain([2_452]));
    let risk = Risk::of(threshold, Some(&classes), Some(&classes));

    public.data.people = Some(Coarse::of(8_731, 10));
    public.data.withheld = Some(Coarse::of(4_903, 10));
    public.data.withheld_share = Some(Share::of(4_903, 30_162, 10));
    public.findings = vec![PublicFinding::from(&finding)];
    public.attacks = vec![AttackConclusion::of(&outcome, "guesses")];
    public.risk = Some(risk.verdict());
    public.column_sets = Some(ColumnSets::from(&diagnosis(&set)));
    let utility = public.utility.as_mut().unwrap();
    utility.loss = Some(Rounded::of(0.7321));
    utility.subgroups = SubgroupSpread::of("sex", std::slice::from_ref(&group), 10).into_iter().collect();
    utility.columns = vec![ColumnUtility {
        suppressed: Some(Share::of(4_903, 30_162, 10)),
        levels: LevelShare::of(&[7_019, 8_731, 14_412], 10),
        ..ColumnUtility::new("age")
    }];

    InternalDossier {
        input_fingerprint: Some("CANARY-FINGERPRINT".into()),
        seed: Some("CANARY-SEED".into()),
        risk: Some(risk),
        tests: vec![TestNumbers { test: incrowd_report::dossier::Test::Inference, figures: outcome.figures.clone() }],
        attacks: vec![outcome],
        classes_before: Some(classes.clone()),
        classes_after: Some(classes),
        dangerous_sets: vec![SetNumbers::from(&set)],
        findings: vec![FindingNumbers::from(&finding)],
        withheld_for: vec![WithheldFor { rule: "k-anonymity".into(), rows: 4_903, why: "too few".into() }],
        subgroups: vec![group],
        residual_risk: vec!["CANARY-RESIDUAL".into()],
        intruder: vec!["CANARY-RESIDUAL".into()],
        ..InternalDossier::new(public)
    }
}

fn diagnosis(set: &SetRisk) -> Diagnosis {
    Diagnosis {
        rows: 30_162,
        tuples: 9_000,
        people: 30_162,
        appearances: 30_162,
        quasi_identifiers: vec!["age".into()],
        k_asked: 5,
        k: 1,
        classes: 7_020,
        unique: 7_019,
        below: 8_731,
        mean_risk: 0.7321,
        curve: vec![],
        attributes: vec![],
        largest_safe: vec![],
        smallest_dangerous: vec![set.clone()],
        groupings: 3,
        complete: true,
        not_searched: vec![],
        exposed_values: None,
        findings: vec![],
    }
}

#[test]
fn no_internal_number_or_text_is_in_the_public_edition() {
    let dossier = made_of_canaries();
    let (html, json) = (public(&dossier.public), serde_json::to_string(&dossier.public).unwrap());
    for canary in CANARIES {
        assert!(!html.contains(canary), "{canary} is in the page");
        assert!(!json.contains(canary), "{canary} is in the dossier");
    }
    let shown = internal(&dossier);
    let told = ["7,019", "8,731", "0.7321", "73.2 %", "61.9 %", "4,903", "CANARY-FINGERPRINT", "CANARY-SEED"];
    for canary in told.iter().chain(&CANARIES[12..]) {
        assert!(shown.contains(canary), "the custodian does not see {canary}");
    }
}

#[test]
fn the_public_edition_is_the_same_whatever_the_internal_part_says() {
    let whole = example();
    assert_eq!(public(&whole.public), public(&InternalDossier::new(whole.public.clone()).public));
    let page = parse(&public(&whole.public));
    assert!(!page.text.contains("8675309") && !page.text.contains("16,108"));
}

/// Nobody can tell from the page which small count it was made from.
#[test]
fn pages_of_all_small_counts_are_the_same_page() {
    let page = |count: u64| {
        let mut dossier = example().public;
        dossier.data = Data::of_release(995, Coarse::of(count, dossier.least_told));
        let utility = dossier.utility.as_mut().unwrap();
        utility.columns[0].levels = LevelShare::of(&[20_000, 9_000, count, 1_162 - count], 10);
        utility.columns[0].suppressed = Some(Share::of(count, 30_162, 10));
        let group = SubgroupNumbers { column: "sex".into(), label: "rare".into(), rows: 995 + count, withheld: count };
        utility.subgroups = SubgroupSpread::of("sex", &[group], 10).into_iter().collect();
        public(&dossier)
    };
    let none = page(0);
    assert!(none.contains("fewer than 10"));
    for count in 1..10 {
        assert!(page(count) == none, "a count of {count} can be told");
    }
    assert!(page(900) != none);
}
