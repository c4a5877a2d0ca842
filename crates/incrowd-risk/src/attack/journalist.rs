//! The journalist: he has a register of the population and looks for anyone he can name.
//!
//! K. El Emam and F. K. Dankar, "Protecting privacy using k-anonymity", JAMIA 2008. He does not know who is in the
//! release, so a row may belong to anyone of the register who fits its cells: the chance is one in their number, which
//! is never less than the class when the register holds everyone.
//!
//! **When fewer people of the register fit than the class has rows**, the register lacks some of them. A person of the
//! register who fits has then one of the rows of the class at best, and which one nothing tells: the size of the class
//! counts. The figure `incomplete` says what share of the people that concerns.
//!
//! It is proved for this register; another one has other people.

use incrowd_core::Outcome;

use super::shared::{Published, Risks, part};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun, PolicyBound};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "journalist",
    summary: "An attacker with a register of the population identifies the people with the fewest matches.",
    needs: AttackNeed::Register,
    bounded_by: Some(PolicyBound::ClassSize),
    reference: "K. El Emam and F. K. Dankar, Protecting privacy using k-anonymity, JAMIA 2008",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let register = material.register.as_ref().ok_or(AttackNeed::Register)?;
    Ok(vec![attack(material.crowds, register, material.threshold)])
}

/// What a register says about a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// How many people are in it.
    pub people: u64,
    /// How many of them fit the cells of each class of the release, in the order of its classes.
    pub fitting: Vec<u64>,
}

/// Runs the attack. The baseline is to pick anyone of the register.
///
/// # Panics
/// If the register does not say how many people fit each class.
pub fn attack(published: &Published, register: &Register, threshold: f64) -> Outcome {
    let classes = published.classes();
    assert_eq!(classes.len(), register.fitting.len(), "how many people fit each class");
    let pairs = || classes.iter().zip(&register.fitting);
    let risks = Risks(pairs().map(|(class, &fitting)| (class.people, fitting.max(class.people))).collect());
    let people = risks.people();
    let lacking = pairs().filter(|&(class, &fitting)| fitting < class.people).map(|(class, _)| class.people);
    let incomplete = lacking.sum::<u64>() as f64 / people.max(1) as f64;
    let fewest = risks.0.iter().map(|&(_, crowd)| crowd).min().unwrap_or(0);
    let outcome = Outcome::proved(ENTRY.id, "", risks.max(), 1.0 / register.people.max(1) as f64, people);
    let outcome = risks.tell(outcome, threshold).with("fewest_fitting", fewest as f64).with("incomplete", incomplete);
    outcome.saying(format!(
        "An attacker with the register finds that every row matches at least {fewest} people; for {} of the rows, the \
         probability of identifying the right person is above {threshold}.",
        part(risks.above(threshold)),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::PublishedClass;
    use super::*;

    fn published() -> Published {
        let classes = [2, 5, 3].map(|rows| PublishedClass::of_rows(&[rows as u32], rows, &[]));
        Published::new(vec![], classes.to_vec())
    }

    #[test]
    fn many_matches_in_the_register_protect_a_small_class() {
        let found = attack(&published(), &Register { people: 1_000, fitting: vec![100, 5, 4] }, 0.2);
        assert_eq!((found.success, found.baseline, found.rows), (0.25, 0.001, 10));
        assert!((found.figure("mean").unwrap_or(0.0) - (2.0 / 100.0 + 1.0 + 3.0 / 4.0) / 10.0).abs() < 1e-12);
        // 1/5 is not above 0.2.
        assert_eq!((found.figure("above_threshold"), found.figure("above_usual_threshold")), (Some(0.3), Some(0.8)));
        assert_eq!((found.figure("incomplete"), found.evidence.name()), (Some(0.0), "proved"));
    }

    #[test]
    fn where_the_register_lacks_people_the_class_counts() {
        let found = attack(&published(), &Register { people: 9, fitting: vec![0, 1, 8] }, 0.09);
        assert_eq!((found.success, found.figure("incomplete")), (0.5, Some(0.7)));
    }

    #[test]
    fn without_published_rows_no_one_is_named() {
        let found = attack(&Published::new(vec![], vec![]), &Register { people: 0, fitting: vec![] }, 0.09);
        assert_eq!((found.success, found.figure("mean"), found.rows), (0.0, Some(0.0), 0));
    }
}
