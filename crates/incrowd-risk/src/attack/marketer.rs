//! The marketer: he names everyone at once, and is content when many names are right.
//!
//! F. K. Dankar and K. El Emam, "A method for evaluating marketer re-identification risk", PAIS 2010. Anyone who links
//! every row of the release with a list of exactly its people gets in each class one right on average, however large it
//! is: of all people, as many as there are classes. It is proved: rows of one class are told apart by nothing, so each
//! has one chance in the size of its class.

use incrowd_core::{ClassSizes, Outcome, counted};

use super::shared::{Published, Risks, part};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun, PolicyBound};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "marketer",
    summary: "An attacker with a list of all people in the release assigns a name to every row.",
    needs: AttackNeed::Nothing,
    bounded_by: Some(PolicyBound::ClassSize),
    reference: "F. K. Dankar and K. El Emam, A method for evaluating marketer re-identification risk, PAIS 2010",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let (sizes, words) = material.known_sizes();
    let mut outcome = attack_sizes(&sizes);
    outcome.meaning += words;
    Ok(vec![outcome])
}

/// Runs the attack. The baseline is to deal out the names without looking at the quasi-identifiers: one is right.
///
/// ```
/// use incrowd_risk::attack::{Published, PublishedClass, marketer};
/// let classes = [10, 11, 20].map(|rows| PublishedClass::of_rows(&[rows as u32], rows, &[]));
/// let found = marketer::attack(&Published::new(vec![], classes.to_vec()));
/// assert_eq!((found.success, found.baseline), (3.0 / 41.0, 1.0 / 41.0));
/// ```
pub fn attack(published: &Published) -> Outcome {
    attack_sizes(&ClassSizes::from_sizes(published.classes().iter().map(|class| class.people)))
}

/// As [`attack`], on the sizes of the classes alone: rows that agree on everything that the list may hold.
pub fn attack_sizes(sizes: &ClassSizes) -> Outcome {
    let risks = Risks(sizes.histogram().iter().map(|&(size, classes)| (size * classes, size)).collect());
    let (people, classes) = (risks.people(), sizes.classes());
    let outcome = Outcome::proved(ENTRY.id, "", risks.mean(), 1.0 / people.max(1) as f64, people);
    outcome.with("people_named", classes as f64).saying(format!(
        "An attacker who has a list of everyone in the release and assigns a name to every row is right for {} on \
         average ({}).",
        counted(classes, "person", "people"),
        part(risks.mean()),
    ))
}
