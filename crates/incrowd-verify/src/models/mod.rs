//! The verifier's own definition of every model it can vouch for.
//!
//! One file per model, one line in [`MODELS`]. A model reads its parameters, says what it promises in a sentence and in
//! SQL, and judges a class by the literal definition. It shares nothing with the code that formed the classes.
//!
//! Models that compare a class with the whole take for the whole what is published: nothing else can be seen, and nothing
//! about withheld rows is told by the manifest.

mod alpha_deassociation;
mod beta_likeness;
mod delta_disclosure;
mod distinct_l_diversity;
mod entropy_l_diversity;
mod extended_p_sensitive;
mod frequency_l_diversity;
mod k_anonymity;
mod p_sensitive;
mod recursive_c_l_diversity;
mod t_closeness;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::policy::Policy;
use crate::verdict::{Fault, FaultKind, ModelVerdict};

/// Every model, by name.
pub(crate) const MODELS: &[Entry] = &[
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
];

/// The parameters of a rule as the manifest states them.
pub(crate) type Parameters = Map<String, Value>;

/// One line of the list of models.
pub(crate) struct Entry {
    /// The name in a policy.
    pub(crate) name: &'static str,
    /// Whether it protects sensitive attributes, each by itself, or judges the class alone.
    pub(crate) protects_sensitive: bool,
    /// The parameters that it knows. Another one could change what is promised.
    pub(crate) parameters: &'static [&'static str],
    /// Reads the parameters; the error is half a sentence.
    pub(crate) read: fn(&Parameters) -> Result<Box<dyn Model>, String>,
}

/// A model with its parameters.
pub(crate) trait Model: Send + Sync {
    /// What it promises, in one sentence.
    fn promise(&self, sensitive: Option<&str>) -> String;

    /// The same when a class is what shares a class id, whatever its quasi-identifiers are.
    fn promise_by_id(&self, sensitive: Option<&str>) -> String {
        self.promise(sensitive)
    }

    /// A query over the table `release` that returns no row exactly when the promise holds.
    fn sql(&self, quasi_identifiers: &[&str], sensitive: Option<&str>) -> String;

    /// Ties the model to a table, and gives the test of one class.
    fn bind<'a>(&'a self, attribute: Option<&'a Attribute>) -> Box<dyn Fn(&Class<'_>) -> bool + 'a>;

    /// What a reader should know about the model on this table though it may hold.
    fn note(&self, _attribute: Option<&Attribute>) -> Option<String> {
        None
    }
}

/// A sensitive attribute of the whole table.
pub(crate) struct Attribute {
    pub(crate) name: String,
    /// The value of each code; nothing is the missing value.
    pub(crate) labels: Vec<Option<Arc<str>>>,
    /// How many rows of the whole table have each code.
    pub(crate) rows: Vec<u64>,
}

impl Attribute {
    /// The attribute whose rows of each (class, code) are these.
    pub(crate) fn new(name: String, labels: Vec<Option<Arc<str>>>, tally: &[(u64, u64)]) -> Attribute {
        let mut rows = vec![0; labels.len()];
        for &(key, count) in tally {
            rows[code_of(key)] += count;
        }
        Attribute { name, labels, rows }
    }

    /// The values that published rows have, but for the missing one.
    pub(crate) fn published(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().zip(&self.rows).filter(|(_, rows)| **rows > 0).filter_map(|(label, _)| label.as_deref())
    }

    /// The codes that published rows have, each with its rows.
    pub(crate) fn whole(&self) -> impl Iterator<Item = (usize, u64)> {
        self.rows.iter().copied().enumerate().filter(|(_, rows)| *rows > 0)
    }
}

/// The code in a key of (class, code): its lower half.
fn code_of(key: u64) -> usize {
    (key & u64::from(u32::MAX)) as usize
}

/// One published class, put before a model.
pub(crate) struct Class<'a> {
    /// Its rows.
    pub(crate) rows: u64,
    /// Its people, when they are known.
    pub(crate) people: Option<u64>,
    /// How many rows have each value of the sensitive attribute, by code; empty for a model without one.
    pub(crate) values: &'a [(u64, u64)],
}

impl Class<'_> {
    /// The rows of each value, by its code.
    pub(crate) fn histogram(&self) -> impl Iterator<Item = (usize, u64)> {
        self.values.iter().map(|&(key, rows)| (code_of(key), rows))
    }
}

/// A model that is asked about one sensitive attribute, or about the class alone.
pub(crate) struct Question {
    pub(crate) model: &'static str,
    pub(crate) sensitive: Option<String>,
    pub(crate) asks: Box<dyn Model>,
}

/// Every question of a policy, and a fault for each rule that cannot be vouched for.
pub(crate) fn questions(policy: &Policy) -> (Vec<Question>, Vec<Fault>) {
    let (mut questions, mut faults) = (Vec::new(), Vec::new());
    if policy.models.is_empty() {
        faults.push(Fault::new(FaultKind::Policy, "the policy has no model: nothing is promised"));
    }
    for rule in &policy.models {
        let mut refuse = |why: String| faults.push(Fault::new(FaultKind::Policy, format!("{}: {why}", rule.model)));
        let Some(entry) = MODELS.iter().find(|entry| entry.name == rule.model) else {
            refuse("this verifier does not know the model and cannot vouch for it".to_string());
            continue;
        };
        if let Some(unknown) = rule.parameters.keys().find(|name| !entry.parameters.contains(&name.as_str())) {
            refuse(format!("this verifier does not know the parameter {unknown} and cannot vouch for it"));
            continue;
        }
        if entry.protects_sensitive == rule.sensitive.is_empty() {
            let why =
                if entry.protects_sensitive { "names no sensitive attribute" } else { "takes no sensitive attribute" };
            refuse(why.to_string());
            continue;
        }
        let attributes: Vec<Option<String>> =
            if entry.protects_sensitive { rule.sensitive.iter().cloned().map(Some).collect() } else { vec![None] };
        for sensitive in attributes {
            match (entry.read)(&rule.parameters) {
                Ok(asks) => questions.push(Question { model: entry.name, sensitive, asks }),
                Err(why) => {
                    refuse(why);
                    break;
                }
            }
        }
    }
    (questions, faults)
}

/// What was counted: the classes of a table, and the values in each.
pub(crate) struct Counted {
    /// The rows of each class.
    pub(crate) sizes: Vec<u64>,
    /// The people of each class, when they are known.
    pub(crate) people: Option<Vec<u64>>,
    /// The sensitive attributes.
    pub(crate) attributes: Vec<Attribute>,
    /// For each attribute, the rows of each (class, code), sorted.
    pub(crate) tallies: Vec<Vec<(u64, u64)>>,
    /// Whether a class is what shares a class id, and not what has equal quasi-identifiers.
    pub(crate) by_id: bool,
}

/// What the models say: each by itself, what is wrong, and what a reader should know.
pub(crate) type Judged = (Vec<ModelVerdict>, Vec<Fault>, Vec<String>);

/// A fault for each model that fails in some of so many classes.
pub(crate) fn faults(verdicts: &[ModelVerdict], classes: usize) -> Vec<Fault> {
    let fault = |verdict: &ModelVerdict| {
        let (model, failing) = (&verdict.model, verdict.classes_failing);
        let on = verdict.sensitive.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        let message = format!("{model}{on} does not hold in {failing} of {classes} classes");
        Fault::new(FaultKind::Promise, message)
    };
    verdicts.iter().filter(|verdict| verdict.classes_failing > 0).map(fault).collect()
}

impl Counted {
    /// Puts every class before every model.
    pub(crate) fn judge(&self, questions: &[Question]) -> Judged {
        let (mut verdicts, mut notes) = (Vec::new(), Vec::new());
        for question in questions {
            let of = question.sensitive.as_deref();
            let at = of.map(|name| self.attributes.iter().position(|attribute| attribute.name == name));
            let (attribute, tally) = match at {
                None => (None, None),
                Some(Some(at)) => (Some(&self.attributes[at]), Some(self.tallies[at].as_slice())),
                // That the attribute is not there was told when the columns were checked.
                Some(None) => continue,
            };
            let classes_failing = self.failing(&*question.asks, attribute, tally);
            notes.extend(question.asks.note(attribute));
            verdicts.push(ModelVerdict {
                model: question.model.to_string(),
                sensitive: question.sensitive.clone(),
                holds: classes_failing == 0,
                classes_failing,
                promise: if self.by_id { question.asks.promise_by_id(of) } else { question.asks.promise(of) },
            });
        }
        let failing = faults(&verdicts, self.sizes.iter().filter(|rows| **rows > 0).count());
        (verdicts, failing, notes)
    }

    fn failing(&self, model: &dyn Model, attribute: Option<&Attribute>, tally: Option<&[(u64, u64)]>) -> u64 {
        let keeps = model.bind(attribute);
        let mut rest = tally.unwrap_or_default();
        let mut failing = 0;
        for (class, &rows) in self.sizes.iter().enumerate() {
            let here = rest.iter().take_while(|(key, _)| key >> 32 == class as u64).count();
            let (values, after) = rest.split_at(here);
            rest = after;
            if rows > 0 {
                let people = self.people.as_ref().map(|people| people[class]);
                failing += u64::from(!keeps(&Class { rows, people, values }));
            }
        }
        failing
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::MODELS;

    #[test]
    fn every_file_of_the_folder_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/models");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().trim_end_matches(".rs").replace('_', "-"))
            .filter(|name| name != "mod")
            .collect();
        let mut listed: Vec<String> = MODELS.iter().map(|entry| entry.name.to_string()).collect();
        files.sort();
        listed.sort();
        assert_eq!(files, listed);
    }
}
