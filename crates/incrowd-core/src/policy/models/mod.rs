//! The privacy models, one file each. A new model is a file with an `ENTRY`, and two lines here: `mod` and its place in
//! [`MODELS`].
//!
//! When rows are counted, all models but the refined α-deassociation survive merging. k-anonymity, both forms of
//! p-sensitivity and distinct ℓ-diversity survive growth, too.
//!
//! When people are counted, who may have several values of an attribute, α-deassociation and frequency ℓ-diversity are
//! defined for such people. The other models about sensitive values refuse a table in which some people have several
//! values.

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
mod t_closeness;

pub use alpha_deassociation::AlphaDeassociation;
pub use beta_likeness::BetaLikeness;
pub use delta_disclosure::DeltaDisclosure;
pub use delta_presence::DeltaPresence;
pub use distinct_l_diversity::DistinctLDiversity;
pub use entropy_l_diversity::EntropyLDiversity;
pub use extended_p_sensitive::ExtendedPSensitive;
pub use frequency_l_diversity::FrequencyLDiversity;
pub use k_anonymity::KAnonymity;
pub use k_map::KMap;
pub use p_sensitive::PSensitive;
pub use recursive_c_l_diversity::RecursiveCLDiversity;
pub use t_closeness::{TCloseness, ValueDistance};

use super::parameter_entry::GivenParameters;
use super::tightest::{ExaminedColumn, WorstClass};
use super::{Model, ModelError, ParameterEntry, Parameters, TightestEntry};

/// What finds the worst class of a table for one of its columns.
type FindWorstClass = fn(&ExaminedColumn<'_>) -> Result<Option<Box<dyn WorstClass>>, ModelError>;

/// One model, as the command line, the plan, the docs and the tests know it. All that is particular to a model is in its
/// file; what runs over all models reads these entries.
#[derive(Clone, Copy, Debug)]
pub struct ModelEntry {
    /// The word that chooses it.
    pub id: &'static str,
    /// What it asks of a class, in one sentence.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Its parameters, in the order in which they are shown.
    pub parameters: &'static [ParameterEntry],
    /// Parameters to show it with.
    pub example: fn() -> Parameters,
    /// Parameters to test it with, for a sensitive attribute with these values, of which there are at least three.
    pub samples: fn(&[String]) -> Vec<Parameters>,
    /// Whether it is about sensitive attributes.
    pub sensitive: bool,
    /// Whether it is about a given population: how many of its people match a class.
    pub population: bool,
    /// Whether it is defined for people with several values of a sensitive attribute.
    pub several_values: bool,
    /// The figures of a diagnosis: the tightest parameters with which a table keeps it.
    pub tightest: &'static [TightestEntry],
    /// Makes it from its parameters, whose names are known to be declared.
    pub(crate) new: fn(GivenParameters<'_>) -> Result<Box<dyn Model>, ModelError>,
    /// What finds the worst class of a table, for the figures; nothing where the model is not defined for the attribute.
    pub(crate) worst_class: FindWorstClass,
    /// Its definition, written a second time and literally, for the tests.
    #[cfg(test)]
    pub(crate) definition: super::model_laws::Definition,
}

/// Every model, in the order in which they are shown.
pub static MODELS: &[ModelEntry] = &[
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

impl ModelEntry {
    /// The model with this word.
    pub fn find(id: &str) -> Result<&'static ModelEntry, ModelError> {
        let known = || MODELS.iter().map(|entry| entry.id).collect::<Vec<_>>().join(", ");
        let found = MODELS.iter().find(|entry| entry.id == id);
        found.ok_or_else(|| ModelError::UnknownModel { id: id.to_owned(), known: known() })
    }

    /// The model with these parameters; refused when one is unknown, missing or out of its range.
    pub fn model(&self, parameters: &Parameters) -> Result<Box<dyn Model>, ModelError> {
        (self.new)(GivenParameters::new(self.id, self.parameters, parameters)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_this_folder_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/policy/models");
        let files = std::fs::read_dir(folder).expect("the folder of the models");
        let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
        let mut files: Vec<String> =
            names.filter(|name| name != "mod.rs").map(|name| name.trim_end_matches(".rs").replace('_', "-")).collect();
        files.sort();
        let mut ids: Vec<&str> = MODELS.iter().map(|entry| entry.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, files);
    }

    #[test]
    fn every_model_is_made_from_its_example_and_bears_its_id() {
        for entry in MODELS {
            let model = entry.model(&(entry.example)()).expect("the example is valid");
            assert_eq!(model.id(), entry.id);
            assert!(model.promise().ends_with('.') && entry.summary.ends_with('.'), "{}", entry.id);
            let named = |parameter: &ParameterEntry| model.breach().contains(&format!(" {} = ", parameter.symbol));
            let named = entry.parameters.iter().any(named);
            assert!(named && !model.breach().ends_with('.'), "{}: the parameter that a class breaks", entry.id);
        }
    }

    #[test]
    fn every_parameter_is_declared_with_a_sentence_and_refused_when_it_is_missing() {
        for entry in MODELS {
            for parameter in entry.parameters {
                assert!(parameter.help.ends_with('.') && !parameter.needed.is_empty(), "{}", parameter.name);
                let example = (entry.example)();
                let rest = example.iter().filter(|(name, _)| *name != parameter.name);
                let rest: Parameters = rest.map(|(name, value)| (name, value.clone())).collect();
                match entry.model(&rest) {
                    Ok(_) => assert!(!parameter.required, "{}: {}", entry.id, parameter.name),
                    Err(refused) => {
                        let words = format!("model `{}` needs `{}`: {}", entry.id, parameter.name, parameter.needed);
                        assert!(parameter.required, "{}: {}", entry.id, parameter.name);
                        assert_eq!(refused.to_string(), words);
                    }
                }
            }
        }
    }

    #[test]
    fn an_unknown_model_is_refused_with_the_known_ones() {
        let refused = ModelEntry::find("k-anonimity").expect_err("misspelt").to_string();
        assert!(refused.starts_with("unknown model `k-anonimity`. Models: k-anonymity, alpha-deassociation,"));
    }
}
