//! The prosecutor: he knows that a person is in the release, and looks for their row.
//!
//! K. El Emam and F. K. Dankar, "Protecting privacy using k-anonymity", JAMIA 2008. Anyone who knows the
//! quasi-identifiers of a person in the release finds their class, and within it nothing tells rows apart: the chance
//! is one in the size of the class. The success is that of the person who is worst off; `mean` and the share above a
//! threshold say how the others fare. *Above* means greater: at 0.09 a class of 11 is above, because 1/11 = 0.0909….
//!
//! It is proved: the sizes of classes are what is published, and no attacker without knowledge from elsewhere does
//! better.

use incrowd_core::{ClassSizes, Outcome, counted};

use super::shared::{Published, Risks, part};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun, PolicyBound};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "prosecutor",
    summary: "An attacker who knows that a person is in the release looks for their row.",
    needs: AttackNeed::Nothing,
    bounded_by: Some(PolicyBound::ClassSize),
    reference: "K. El Emam and F. K. Dankar, Protecting privacy using k-anonymity, JAMIA 2008",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let (sizes, words) = material.known_sizes();
    let mut outcome = attack_sizes(&sizes, material.threshold);
    outcome.meaning += words;
    Ok(vec![outcome])
}

/// Runs the attack. The baseline is to pick any row of the release.
///
/// ```
/// use incrowd_risk::attack::{Published, PublishedClass, prosecutor};
/// let classes = [10, 11, 20].map(|rows| PublishedClass::of_rows(&[rows as u32], rows, &[]));
/// let found = prosecutor::attack(&Published::new(vec![], classes.to_vec()), 0.1);
/// assert_eq!((found.success, found.figure("mean")), (0.1, Some(3.0 / 41.0)));
/// assert_eq!(found.figure("above_usual_threshold"), Some(21.0 / 41.0)); // 1/10 and 1/11 are above 0.09
/// assert_eq!(found.figure("above_threshold"), Some(0.0)); // 1/10 is not above 0.1
/// ```
pub fn attack(published: &Published, threshold: f64) -> Outcome {
    attack_sizes(&ClassSizes::from_sizes(published.classes().iter().map(|class| class.people)), threshold)
}

/// As [`attack`], on the sizes of the classes alone: rows that agree on everything that the prosecutor may know.
pub fn attack_sizes(classes: &ClassSizes, threshold: f64) -> Outcome {
    let risks = Risks(classes.histogram().iter().map(|&(size, classes)| (size * classes, size)).collect());
    let (people, smallest) = (risks.people(), classes.k());
    let outcome = Outcome::proved(ENTRY.id, "", risks.max(), 1.0 / people.max(1) as f64, people);
    risks.tell(outcome, threshold).with("smallest_class", smallest as f64).saying(format!(
        "An attacker who knows that a person is in the release has to choose among at least {}; for {} of the people, \
         the risk is above {threshold}.",
        counted(smallest, "candidate", "candidates"),
        part(risks.above(threshold)),
    ))
}
