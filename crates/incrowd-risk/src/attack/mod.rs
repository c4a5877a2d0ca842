//! Attacks: what an attacker gets out of a release.
//!
//! One file for each attack, one line in [`ATTACKS`]. An entry says what the attack needs beside the release and runs
//! it on what is at hand ([`AttackMaterial`]): the release, and a register, the original or another release where they
//! were named. An attack takes what that attacker can know; the truth is known to the holder of the table, and is used
//! to count how often the attacker is right. Every attack gives the same thing, an [`Outcome`]: how far it gets, how
//! far a person gets who does not run it, and whether that is proved or was looked for.
//!
//! What attacks have in common stands in `shared/`; the folder itself holds attacks only.

pub mod background;
pub mod downcoding;
pub mod homogeneity;
pub mod ids;
pub mod inference;
pub mod intersection;
pub mod journalist;
pub mod known_items;
pub mod learning;
pub mod marketer;
pub mod minimality;
pub mod partial_history;
pub mod prosecutor;
pub mod record_linkage;
pub mod row_order;
mod shared;
pub mod similarity;
pub mod skewness;
pub mod subtraction;

pub use incrowd_core::{Evidence, Figure, Outcome};
pub use shared::{
    AttackMaterial, AttackNeed, AttackNotRun, ColumnNodes, Evaluation, Exceeded, GeneralizedColumn, KnownColumns,
    OriginalAtHand, OtherRelease, Placement, Published, PublishedClass, RowOrders, Sampling, Threshold, Truth,
    TwoTables, USUAL_THRESHOLD,
};
pub use similarity::Likeness;

/// One attack, as the command line, the report and the tests know it.
#[derive(Clone, Copy, Debug)]
pub struct AttackEntry {
    /// The word for it.
    pub id: &'static str,
    /// What the attacker does, in one sentence.
    pub summary: &'static str,
    /// What is needed beside the release to run it.
    pub needs: AttackNeed,
    /// What a policy can promise about its success.
    pub bounded_by: Option<PolicyBound>,
    /// Where it comes from.
    pub reference: &'static str,
    /// Runs it on what is at hand: an outcome for each sensitive column where it is about one.
    pub run: RunAttack,
}

/// Runs an attack, or says what is missing.
pub type RunAttack = fn(&AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun>;

/// What a rule of a policy bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyBound {
    /// The chance to pick the right one of a class: k-anonymity bounds it by 1/k.
    ClassSize,
    /// The chance to pick the right pseudonym with several known rows: 1/k, where the policy is about that many rows.
    KnownRows,
    /// Whether a class has a single value.
    SeveralValues,
    /// The share of a class that has the same value.
    LargestShare,
}

/// Every attack, in the order in which they are shown.
pub static ATTACKS: &[AttackEntry] = &[
    prosecutor::ENTRY,
    journalist::ENTRY,
    marketer::ENTRY,
    homogeneity::ENTRY,
    inference::ENTRY,
    background::ENTRY,
    skewness::ENTRY,
    similarity::ENTRY,
    minimality::ENTRY,
    intersection::ENTRY,
    partial_history::ENTRY,
    known_items::ENTRY,
    record_linkage::ENTRY,
    learning::ENTRY,
    downcoding::ENTRY,
    row_order::ENTRY,
    ids::ENTRY,
    subtraction::ENTRY,
];

impl AttackEntry {
    /// The attack with this word.
    pub fn find(id: &str) -> Option<&'static AttackEntry> {
        ATTACKS.iter().find(|entry| entry.id == id)
    }
}

/// Runs every attack that needs nothing beside the release, in the order of the list, on each sensitive column where it
/// is about one. `crowds` are the people with equal published quasi-identifiers: in one table, the classes
/// themselves. `likeness` says of each sensitive column how near its values are, where that is known.
///
/// # Panics
/// If `likeness` has not one place for each sensitive column.
pub fn alone(crowds: &Published, published: &Published, threshold: f64, likeness: &[Option<Likeness>]) -> Vec<Outcome> {
    assert_eq!(published.sensitive().len(), likeness.len(), "a likeness or none for each sensitive column");
    let material = AttackMaterial { threshold, ..AttackMaterial::of_release(crowds, published, likeness) };
    let needless = ATTACKS.iter().filter(|entry| entry.needs.is_in_release());
    needless.flat_map(|entry| (entry.run)(&material).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A release of one class, with nothing beside it.
    fn one_class() -> Published {
        let classes = vec![PublishedClass::of_rows(&[0], 2, &[&[0, 1], &[5, 5]])];
        Published::new(vec!["illness".to_owned(), "income".to_owned()], classes)
    }

    #[test]
    fn an_attack_that_needs_more_than_the_release_says_what_it_lacks() {
        let published = one_class();
        let material = AttackMaterial::of_release(&published, &published, &[None, None]);
        for entry in ATTACKS.iter().filter(|entry| !entry.needs.is_in_release()) {
            let lacks = |need| AttackNotRun::Lacks(need);
            let said = (entry.run)(&material).expect_err("the release is not enough");
            // An attack on two tables says that first, whether the original is there or not.
            assert!(said == lacks(entry.needs) || said == lacks(AttackNeed::TwoTables), "{}: {said:?}", entry.id);
        }
    }

    #[test]
    fn every_file_of_this_folder_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/attack");
        let files = std::fs::read_dir(folder).expect("the folder of the attacks");
        let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
        let attacks = names.filter(|name| name != "mod.rs" && name != "shared");
        let mut files: Vec<String> = attacks.map(|name| name.trim_end_matches(".rs").replace('_', "-")).collect();
        files.sort();
        let mut ids: Vec<&str> = ATTACKS.iter().map(|entry| entry.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, files);
    }

    #[test]
    fn every_attack_is_told_in_a_sentence_and_found_by_its_id() {
        for entry in ATTACKS {
            assert!(entry.summary.ends_with('.') && !entry.reference.is_empty(), "{}", entry.id);
            assert!(AttackEntry::find(entry.id).is_some_and(|found| found.summary == entry.summary), "{}", entry.id);
        }
        assert!(AttackEntry::find("prosecuter").is_none());
    }

    #[test]
    fn what_the_release_alone_gives_away_is_told_in_the_order_of_the_list() {
        let published = one_class();
        let outcomes = alone(&published, &published, 0.09, &[None, Some(Likeness::Order((0..6).collect()))]);
        let found: Vec<&str> = outcomes.iter().map(|outcome| outcome.attack.as_str()).collect();
        let mut once = found.clone();
        once.dedup();
        let needless = ATTACKS.iter().filter(|entry| entry.needs.is_in_release());
        assert_eq!(once, needless.map(|entry| entry.id).collect::<Vec<_>>());
        // Both columns, and the one whose values have an order.
        let outcomes_of = |need| match need {
            AttackNeed::SensitiveColumn => 2,
            _ => 1,
        };
        let each = ATTACKS.iter().filter(|entry| entry.needs.is_in_release()).map(|entry| outcomes_of(entry.needs));
        assert_eq!(found.len(), each.sum::<usize>());
        assert!(outcomes.iter().all(|outcome| outcome.evidence.name() == "proved" && outcome.meaning.ends_with('.')));
    }
}
