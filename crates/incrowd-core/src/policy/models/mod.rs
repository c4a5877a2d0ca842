//! The privacy models, one file each. Adding one = its file, its two lines here, and a case.

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

pub use alpha_deassociation::AlphaDeassociation;
pub use beta_likeness::BetaLikeness;
pub use delta_disclosure::DeltaDisclosure;
pub use distinct_l_diversity::DistinctLDiversity;
pub use entropy_l_diversity::EntropyLDiversity;
pub use extended_p_sensitive::ExtendedPSensitive;
pub use frequency_l_diversity::FrequencyLDiversity;
pub use k_anonymity::KAnonymity;
pub use p_sensitive::PSensitive;
pub use recursive_c_l_diversity::RecursiveCLDiversity;
pub use t_closeness::{Apart, TCloseness};

pub(crate) use beta_likeness::Limit;
pub(crate) use entropy_l_diversity::entropy;
pub(crate) use recursive_c_l_diversity::Shape;

use crate::{Model, ModelError, Parameters};

/// One model, as the command line, the plan, the docs and the tests know it.
#[derive(Clone, Copy, Debug)]
pub struct ModelEntry {
    /// The word that chooses it.
    pub id: &'static str,
    /// What it asks of a class, in one sentence.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Parameters to show and to test it with.
    pub example: fn() -> Parameters,
    /// Whether it is about sensitive attributes.
    pub sensitive: bool,
    /// Makes the recipe.
    pub new: fn(&Parameters) -> Result<Box<dyn Model>, ModelError>,
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
];

impl ModelEntry {
    /// The model with this word.
    pub fn find(id: &str) -> Result<&'static ModelEntry, ModelError> {
        let known = || MODELS.iter().map(|entry| entry.id).collect::<Vec<_>>().join(", ");
        let found = MODELS.iter().find(|entry| entry.id == id);
        found.ok_or_else(|| ModelError::UnknownModel { id: id.to_owned(), known: known() })
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
            let model = (entry.new)(&(entry.example)()).expect("the example is valid");
            assert_eq!(model.id(), entry.id);
            assert!(
                model.survives_merging() || !model.survives_growth(),
                "{}: what survives growth survives merging",
                entry.id
            );
            assert!(model.promise().ends_with('.') && entry.summary.ends_with('.'), "{}", entry.id);
            let letter = ["k", "p", "ℓ", "α", "c", "t", "β", "δ"].iter().any(|letter| {
                let named = format!(" {letter} = ");
                model.breach().contains(&named)
            });
            assert!(letter && !model.breach().ends_with('.'), "{}: the parameter that a class breaks", entry.id);
        }
    }

    #[test]
    fn an_unknown_model_is_refused_with_the_known_ones() {
        let refused = ModelEntry::find("k-anonimity").expect_err("misspelt").to_string();
        assert!(
            refused.starts_with("there is no model `k-anonimity`; choose one of: k-anonymity, alpha-deassociation,")
        );
    }
}
