//! The verifier's own definition of every model it can vouch for.
//!
//! One file per model, one line in [`MODELS`]. A model reads its parameters, says what it promises in a sentence and in
//! SQL, and judges a class by the literal definition. It shares nothing with the code that formed the classes.
//!
//! Models that compare a class with the whole take for the whole what is published: nothing else can be seen, and the
//! manifest says nothing about the values of suppressed rows.
//!
//! When persons are known, every model is judged on people: a person is counted once in a class, and once for each
//! value that the person has there. Since a person may be in several classes, a model has to hold for the release as a
//! whole, too. Models about one value for each person vouch for nothing when some have several.

mod alpha_deassociation;
mod beta_likeness;
mod delta_disclosure;
mod delta_presence;
mod distinct_l_diversity;
mod entropy_l_diversity;
mod extended_p_sensitive;
mod frequency_l_diversity;
mod k_anonymity;
mod k_map;
mod p_sensitive;
mod recursive_c_l_diversity;
mod shared;
mod t_closeness;

use serde_json::{Map, Value};

use crate::manifest::Policy;
use crate::verdict::{Fault, FaultKind};

pub(crate) use shared::{ClassCounts, Holding, SensitiveAttribute};

/// Every model, by name.
pub(crate) const MODELS: &[ModelEntry] = &[
    k_anonymity::ENTRY,
    alpha_deassociation::ENTRY,
    p_sensitive::ENTRY,
    extended_p_sensitive::ENTRY,
    distinct_l_diversity::ENTRY,
    frequency_l_diversity::ENTRY,
    entropy_l_diversity::ENTRY,
    recursive_c_l_diversity::ENTRY,
    t_closeness::ENTRY,
    beta_likeness::ENTRY,
    delta_disclosure::ENTRY,
    k_map::ENTRY,
    delta_presence::ENTRY,
];

/// The parameters of a rule as the manifest states them.
pub(crate) type Parameters = Map<String, Value>;

/// One line of the list of models.
pub(crate) struct ModelEntry {
    /// The name in a policy.
    pub(crate) name: &'static str,
    /// Whether it protects sensitive attributes, each separately, or judges the class alone.
    pub(crate) protects_sensitive: bool,
    /// Whether it is about a population: it is asked only when the population is at hand (`population/`).
    pub(crate) of_population: bool,
    /// The parameters that it knows. Another one could change what is promised.
    pub(crate) parameters: &'static [&'static str],
    /// What published rows say of it when people are counted, whom they do not tell apart.
    pub(crate) rows_say: RowsSay,
    /// Reads the parameters; the error is half a sentence.
    pub(crate) read: fn(&Parameters) -> Result<Box<dyn Model>, String>,
}

/// What published rows say of a model about people when it is not known which rows are of one person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowsSay {
    /// A class that fails by its rows fails by its people.
    Necessary,
    /// Whether a class has enough distinct values: those of its rows are those of its people.
    Values,
    /// Neither whether it holds nor whether it fails.
    Nothing,
}

/// Says whether a class keeps a model.
pub(crate) type ClassTest<'a> = Box<dyn Fn(&ClassCounts<'_>) -> bool + 'a>;

/// A model with its parameters. `of` is the name of the sensitive attribute that it protects, empty when it protects
/// none.
pub(crate) trait Model: Send + Sync {
    /// What it promises, in one sentence.
    fn promise(&self, of: &str) -> String;

    /// The same when a class is what shares a class id, whatever its quasi-identifiers are.
    fn promise_by_id(&self, of: &str) -> String {
        self.promise(of)
    }

    /// The same when people are judged, with the release as a whole as one more class.
    fn promise_of_people(&self, of: &str) -> String {
        self.promise(of)
    }

    /// For a model about one value for each person: for each code the number of the thing it counts as, of which no one
    /// may have two. Nothing for a model that is defined for several values.
    fn one_each(&self, attribute: &SensitiveAttribute) -> Option<Vec<usize>> {
        Some((0..attribute.labels.len()).collect())
    }

    /// A query over the table `release` that returns no row exactly when the promise holds; empty for a model about a
    /// population, whose people are in no table of the release.
    fn sql(&self, quasi_identifiers: &[&str], of: &str) -> String;

    /// For a model about a population, what it asks of the release beyond each class.
    fn asks_of_release(&self) -> AsksOfRelease {
        AsksOfRelease::default()
    }

    /// Ties the model to a table, and gives the test of one class.
    fn bind<'a>(&'a self, attribute: &'a SensitiveAttribute) -> ClassTest<'a>;

    /// What a reader should know about the model on this table though it may hold.
    fn note(&self, _attribute: &SensitiveAttribute) -> Option<String> {
        None
    }
}

/// What a model about a population asks of a release beyond each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AsksOfRelease {
    /// No one of the population matches two classes.
    pub(crate) at_most_one_class: bool,
    /// Everyone of the population matches a class.
    pub(crate) everyone: bool,
}

/// A model that is asked about one sensitive attribute, or about the class alone.
pub(crate) struct ModelQuestion {
    pub(crate) model: &'static str,
    pub(crate) sensitive: Option<String>,
    pub(crate) of_population: bool,
    pub(crate) rows_say: RowsSay,
    pub(crate) asks: Box<dyn Model>,
}

impl ModelQuestion {
    /// The name of the sensitive attribute; empty when it is about the class alone.
    pub(crate) fn of(&self) -> &str {
        self.sensitive.as_deref().unwrap_or_default()
    }
}

/// Every question of a policy, and a fault for each rule that cannot be vouched for.
pub(crate) fn questions(policy: &Policy) -> (Vec<ModelQuestion>, Vec<Fault>) {
    let (mut questions, mut faults) = (Vec::new(), Vec::new());
    if policy.models.is_empty() {
        faults.push(Fault::new(FaultKind::Policy, "the policy has no model: nothing is promised"));
    }
    for rule in &policy.models {
        let mut refuse = |why: String| faults.push(Fault::new(FaultKind::Policy, format!("{}: {why}", rule.model)));
        let Some(entry) = MODELS.iter().find(|entry| entry.name == rule.model) else {
            refuse("unknown model: it cannot be verified".to_string());
            continue;
        };
        if let Some(unknown) = rule.parameters.keys().find(|name| !entry.parameters.contains(&name.as_str())) {
            refuse(format!("unknown parameter {unknown}: the model cannot be verified"));
            continue;
        }
        if entry.protects_sensitive == rule.sensitive.is_empty() {
            let why = if entry.protects_sensitive { "names no sensitive column" } else { "takes no sensitive column" };
            refuse(why.to_string());
            continue;
        }
        let attributes: Vec<Option<String>> =
            if entry.protects_sensitive { rule.sensitive.iter().cloned().map(Some).collect() } else { vec![None] };
        for sensitive in attributes {
            match (entry.read)(&rule.parameters) {
                Ok(asks) => {
                    let (model, of_population, rows_say) = (entry.name, entry.of_population, entry.rows_say);
                    questions.push(ModelQuestion { model, sensitive, of_population, rows_say, asks });
                }
                Err(why) => {
                    refuse(why);
                    break;
                }
            }
        }
    }
    (questions, faults)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::{MODELS, questions};

    /// Every model with parameters for each sentence and query that it can write, and the sensitive column if it has one.
    #[rustfmt::skip]
    const RULES: [(&str, &str, &str); 22] = [
        ("k-anonymity", r#"{ "k": 1 }"#, ""),
        ("k-anonymity", r#"{ "k": 5 }"#, ""),
        ("alpha-deassociation", r#"{ "alpha": "1/3", "values": ["flu"] }"#, "illness"),
        ("alpha-deassociation", r#"{ "alpha": "1/3", "values": ["flu", "(missing)"], "rule": "refined" }"#, "illness"),
        ("alpha-deassociation", r#"{ "alpha": "1/2" }"#, "illness"),
        ("p-sensitive", r#"{ "p": 3 }"#, "illness"),
        ("extended-p-sensitive", r#"{ "p": 2, "groups": [["flu", "o'clock"], ["cold"]] }"#, "illness"),
        ("distinct-l-diversity", r#"{ "l": 4 }"#, "illness"),
        ("frequency-l-diversity", r#"{ "l": 2.5 }"#, "illness"),
        // A column that has the name of a column of the query.
        ("frequency-l-diversity", r#"{ "l": 2 }"#, "Rows_of_value"),
        ("entropy-l-diversity", r#"{ "l": 3 }"#, "illness"),
        ("recursive-c-l-diversity", r#"{ "c": "3/2", "l": 2 }"#, "illness"),
        ("t-closeness", r#"{ "t": 0.5 }"#, "illness"),
        ("t-closeness", r#"{ "t": 0.5, "distance": "ordered" }"#, "illness"),
        ("t-closeness", r#"{ "t": 0.5, "distance": "ordered", "order": ["flu", "cold"] }"#, "illness"),
        ("t-closeness", r#"{ "t": 0.5, "distance": "hierarchical", "tree": [["flu", "lung", "any"], ["cold", "nose", "any"], ["cough", "lung", "any"]] }"#, "illness"),
        ("beta-likeness", r#"{ "beta": 0.5 }"#, "illness"),
        ("beta-likeness", r#"{ "beta": 1, "rule": "enhanced" }"#, "illness"),
        ("delta-disclosure", r#"{ "delta": 0.1 }"#, "illness"),
        ("k-map", r#"{ "k": 5 }"#, ""),
        ("delta-presence", r#"{ "min": 0.25, "max": 0.5 }"#, ""),
        ("delta-presence", r#"{ "max": 0.5 }"#, ""),
    ];

    /// What a reader of a release sees of each model. `INCROWD_BLESS=1` writes it; read the difference. Whether the queries
    /// say what is judged is asked of an engine by `tests/faults/outside_judges.py`.
    #[test]
    fn promises_and_queries_are_as_listed_letter_by_letter() {
        let mut said = String::new();
        for (model, parameters, of) in RULES {
            let sensitive: &[&str] = if of.is_empty() { &[] } else { &[of] };
            let read: Value = serde_json::from_str(parameters).unwrap();
            let rule = json!({ "model": model, "parameters": read, "sensitive": sensitive });
            let (asked, faults) = questions(&serde_json::from_value(json!({ "models": [rule] })).unwrap());
            assert!(faults.is_empty(), "{model} {parameters}");
            let model = &asked[0].asks;
            let asks = model.asks_of_release();
            said += &format!("# {} {parameters}\n", asked[0].model);
            let promises = [model.promise(of), model.promise_by_id(of), model.promise_of_people(of)];
            let queries = [model.sql(&["age", "the \"town\""], of), model.sql(&[], of)];
            said += &[promises.as_slice(), &queries].concat().join("\n");
            said += &format!("\n{} {}\n\n", asks.at_most_one_class, asks.everyone);
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verify/promises.txt");
        if std::env::var_os("INCROWD_BLESS").is_some() {
            std::fs::write(path, &said).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), said);
    }

    #[test]
    fn every_file_of_the_folder_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/models");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().trim_end_matches(".rs").replace('_', "-"))
            .filter(|name| name != "mod" && name != "shared")
            .collect();
        let mut listed: Vec<String> = MODELS.iter().map(|entry| entry.name.to_string()).collect();
        files.sort();
        listed.sort();
        assert_eq!(files, listed);
    }
}
