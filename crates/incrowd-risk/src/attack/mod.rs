//! Attacks: what an adversary gets out of a release.
//!
//! One file for each attack, one line in [`ATTACKS`]. An attack takes what that adversary can know, as plain data: the
//! release, and beside it a register, another release or the order of the original where it says so. The truth is known
//! to whoever holds the table, and is used to count how often the adversary is right. Every attack says the same thing
//! at the end, an [`Outcome`]: how far it gets, how far somebody gets who does not run it, and whether that is proved
//! or was looked for.
//!
//! What attacks have in common stands in `shared/`; the folder itself holds attacks only.

pub mod background;
pub mod downcoding;
pub mod homogeneity;
pub mod ids;
pub mod inference;
pub mod intersection;
pub mod journalist;
pub mod learning;
pub mod marketer;
pub mod minimality;
pub mod prosecutor;
pub mod row_order;
mod shared;
pub mod similarity;
pub mod skewness;
pub mod subtraction;

pub use incrowd_core::{Evidence, Figure, Outcome};
pub use shared::{Evaluation, Exceeded, Published, PublishedClass, Sampling, Threshold, TwoTables, USUAL_THRESHOLD};
pub use similarity::Likeness;

/// One attack, as the command line, the report and the tests know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttackEntry {
    /// The word for it.
    pub id: &'static str,
    /// Who does what, in one sentence.
    pub summary: &'static str,
    /// What is needed beside the release to run it.
    pub needs: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
}

/// It needs the release alone.
const NOTHING: &str = "nothing";
/// It needs the table that the release was made of.
const ORIGINAL: &str = "the original";
/// It needs a list of the population.
const REGISTER: &str = "a register";
/// It needs a second release about the same people.
const OTHER_RELEASE: &str = "another release";
/// It needs what the manifest of the release says of withheld rows.
const MANIFEST: &str = "the manifest";
/// It is about releases in two tables.
const TWO_TABLES: &str = "two tables";

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
/// is about one. `crowds` are the people who look alike: the classes themselves, unless an id tells classes apart and people
/// look as they are. `likeness` says of each sensitive column how near its values are, where that is known.
///
/// # Panics
/// If `likeness` has not one place for each sensitive column.
pub fn alone(crowds: &Published, published: &Published, threshold: f64, likeness: &[Option<Likeness>]) -> Vec<Outcome> {
    let columns = 0..published.sensitive().len();
    assert_eq!(columns.len(), likeness.len(), "a likeness or none for each sensitive column");
    let mut outcomes = vec![prosecutor::attack(crowds, threshold), marketer::attack(crowds)];
    let about: [fn(&Published, usize) -> Outcome; 4] =
        [homogeneity::attack, inference::attack, background::attack, skewness::attack];
    for attack in about {
        outcomes.extend(columns.clone().map(|column| attack(published, column)));
    }
    let known = columns.filter_map(|column| Some((column, likeness[column].as_ref()?)));
    outcomes.extend(known.map(|(column, likeness)| similarity::attack(published, column, likeness)));
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert!(
                [NOTHING, ORIGINAL, REGISTER, OTHER_RELEASE, MANIFEST, TWO_TABLES].contains(&entry.needs),
                "{}",
                entry.id
            );
            assert_eq!(AttackEntry::find(entry.id), Some(entry));
        }
        assert_eq!(AttackEntry::find("prosecuter"), None);
    }

    #[test]
    fn what_the_release_alone_gives_away_is_told_in_the_order_of_the_list() {
        let classes = vec![PublishedClass::of_rows(&[0], 2, &[&[0, 1], &[5, 5]])];
        let published = Published::new(vec!["illness".to_owned(), "income".to_owned()], classes);
        let outcomes = alone(&published, &published, 0.09, &[None, Some(Likeness::Order((0..6).collect()))]);
        let found: Vec<&str> = outcomes.iter().map(|outcome| outcome.attack.as_str()).collect();
        let mut once = found.clone();
        once.dedup();
        let needless = ATTACKS.iter().filter(|entry| entry.needs == NOTHING);
        assert_eq!(once, needless.map(|entry| entry.id).collect::<Vec<_>>());
        assert_eq!(found.len(), 2 + 4 * 2 + 1);
        assert!(outcomes.iter().all(|outcome| outcome.evidence.name() == "proved" && outcome.meaning.ends_with('.')));
    }
}
