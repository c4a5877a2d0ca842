//! The options about a population.

use crate::request::entry::{OptionEntry, OptionPlace, OptionValue};

const POPULATION: OptionEntry = OptionEntry { heading: "Population", ..OptionEntry::EMPTY };

/// The options about a given population.
pub(in crate::request) const OPTIONS: &[OptionEntry] = &[
    OptionEntry {
        name: "population",
        flag: Some("population"),
        place: OptionPlace::Plan("population.path"),
        value: OptionValue::Path,
        value_name: "FILE",
        help: "Table of the population that the sample was drawn from, with the same quasi-identifier columns",
        example: "census.csv",
        ..POPULATION
    },
    OptionEntry {
        name: "population_count",
        flag: Some("population-count"),
        place: OptionPlace::Plan("population.count"),
        value: OptionValue::Column,
        value_name: "COLUMN",
        help: "Column of the population that says how many people a row stands for",
        default: Some("one person per row"),
        requires: Some("population"),
        example: "people",
        ..POPULATION
    },
    OptionEntry {
        name: "k_map",
        flag: Some("k-map"),
        place: OptionPlace::Plan("population.k_map"),
        value: OptionValue::ClassSize,
        value_name: "N",
        help: "Minimum number of people of the population per class (k-map)",
        example: "12",
        ..POPULATION
    },
    OptionEntry {
        name: "delta_presence",
        flag: Some("delta-presence"),
        place: OptionPlace::Plan("population.delta_presence"),
        value: OptionValue::Text,
        value_name: "MIN,MAX",
        help: "Minimum and maximum probability that a person of the population is in the table (δ-presence), such as \
               0,0.5; needs --algorithm incognito",
        example: "0,1/2",
        ..POPULATION
    },
    OptionEntry {
        name: "sampling_fraction",
        flag: Some("sampling-fraction"),
        place: OptionPlace::Plan("population.sampling_fraction"),
        value: OptionValue::Share,
        value_name: "SHARE",
        help: "Share of the population that is in the table, instead of --population; estimates the least k for --k-map or \
               --risk",
        example: "0.1",
        ..POPULATION
    },
    OptionEntry {
        name: "estimator",
        flag: Some("estimator"),
        place: OptionPlace::Plan("population.estimator"),
        value: OptionValue::Word(&[
            ("poisson", "the rows of a class are Poisson (D3)"),
            ("zero-truncated-poisson", "the same, given that the class has a row (D4); asks for more"),
        ]),
        value_name: "ESTIMATOR",
        help: "How --sampling-fraction estimates the least k",
        default: Some("zero-truncated-poisson"),
        requires: Some("sampling-fraction"),
        example: "poisson",
        ..POPULATION
    },
    OptionEntry {
        name: "risk",
        flag: Some("risk"),
        place: OptionPlace::Plan("population.risk"),
        value: OptionValue::Share,
        value_name: "SHARE",
        help: "Maximum risk of re-identification by --attacker, such as 0.09; promises the least k-map that suffices",
        requires: Some("attacker"),
        example: "0.09",
        ..POPULATION
    },
    OptionEntry {
        name: "attacker",
        flag: Some("attacker"),
        place: OptionPlace::Plan("population.attacker"),
        value: OptionValue::Word(&[("journalist", "has the population, and does not know who in it is in the table")]),
        value_name: "ATTACKER",
        help: "Attacker of --risk",
        requires: Some("risk"),
        example: "journalist",
        ..POPULATION
    },
    OptionEntry {
        name: "individual_risk",
        flag: Some("individual-risk"),
        place: OptionPlace::Plan("population.individual_risk"),
        value: OptionValue::Share,
        value_name: "SHARE",
        help: "Maximum individual risk of a row by --weight, such as 0.05; keeps the least k that suffices",
        requires: Some("weight"),
        example: "0.05",
        ..POPULATION
    },
    OptionEntry {
        name: "weight",
        flag: Some("weight"),
        place: OptionPlace::Plan("population.weight"),
        value: OptionValue::Column,
        value_name: "COLUMN",
        help: "Column with the survey weight of each row",
        requires: Some("individual-risk"),
        example: "weight",
        ..POPULATION
    },
];
