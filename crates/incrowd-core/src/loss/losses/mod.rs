//! The measures, one file each. Adding one = its file, its two lines here, and a case.

mod ambiguity;
mod distortion;
mod entropy;
mod il;
mod lm;
mod tree;

pub use ambiguity::{Ambiguity, ambiguity_of};
pub use distortion::Distortion;
pub use entropy::Entropy;
pub use il::Il;
pub use lm::Lm;
pub use tree::TreeLevel;

use crate::Loss;

/// One measure, as the command line, the plan, the docs and the tests know it.
#[derive(Clone, Copy, Debug)]
pub struct LossEntry {
    /// The word that chooses it.
    pub id: &'static str,
    /// What it measures, in one sentence.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Makes the recipe.
    pub new: fn() -> Box<dyn Loss>,
}

/// Every measure, in the order in which they are shown.
pub static LOSSES: &[LossEntry] =
    &[lm::ENTRY, distortion::ENTRY, tree::ENTRY, entropy::ENTRY, ambiguity::ENTRY, il::ENTRY];

impl LossEntry {
    /// The measure with this word.
    pub fn find(id: &str) -> Option<&'static LossEntry> {
        LOSSES.iter().find(|entry| entry.id == id)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::generalize::domain::laws::cases;
    use crate::{Prices, Weighted};

    proptest! {
        #[test]
        fn a_larger_cell_is_never_cheaper(case in cases(), rows in prop::collection::vec(0u64..9, 64), pick in any::<[u32; 4]>()) {
            let domain = &case.domain;
            let attribute = Weighted::new(domain, rows[..domain.leaf_count() as usize].to_vec());
            let [a, b, c, d] = pick.map(|pick| domain.leaf(pick % domain.leaf_count()));
            let (small, large) = (domain.join(a, b), domain.join(domain.join(a, b), domain.join(c, d)));
            for entry in LOSSES {
                let prices = Prices::compile((entry.new)().as_ref(), std::slice::from_ref(&attribute));
                prop_assert_eq!(prices.price(0, a), 0.0);
                prop_assert!(prices.price(0, small) <= prices.price(0, large));
                prop_assert!(prices.price(0, large) <= prices.price(0, domain.top()));
            }
        }
    }

    #[test]
    fn every_file_of_this_folder_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/loss/losses");
        let files = std::fs::read_dir(folder).expect("the folder of the measures");
        let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
        let mut files: Vec<String> =
            names.filter(|name| name != "mod.rs").map(|name| name.trim_end_matches(".rs").replace('_', "-")).collect();
        files.sort();
        let mut ids: Vec<&str> = LOSSES.iter().map(|entry| entry.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, files);
    }

    #[test]
    fn a_measure_is_found_by_its_word() {
        assert!(LOSSES.iter().all(|entry| LossEntry::find(entry.id).is_some_and(|found| found.id == entry.id)));
        assert!(LossEntry::find("no such measure").is_none());
    }
}
