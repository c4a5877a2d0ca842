//! Homogeneity: everyone in a class has the same value, so that no one has to be found in it.
//!
//! A. Machanavajjhala, J. Gehrke, D. Kifer and M. Venkitasubramaniam, "ℓ-diversity: privacy beyond k-anonymity", ICDE
//! 2006. It is proved: the values of a class are published, and anyone who knows that a person is in it knows their
//! value.

use incrowd_core::Outcome;

use super::shared::{Published, PublishedClass, part};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun, PolicyBound};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "homogeneity",
    summary: "An attacker who finds a class with a single sensitive value knows the value of everyone in it.",
    needs: AttackNeed::SensitiveColumn,
    bounded_by: Some(PolicyBound::SeveralValues),
    reference: "A. Machanavajjhala et al., ℓ-diversity: privacy beyond k-anonymity, ICDE 2006",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    Ok(material.sensitive().map(|column| attack(material.published, column)).collect())
}

/// Runs the attack on a sensitive column: the share of the rows in classes of one value. The figure `majority` is the
/// share in classes of which more than half have one value. The baseline is what the table as a whole gives away:
/// everything when it has one value only, and nothing otherwise.
pub fn attack(published: &Published, column: usize) -> Outcome {
    let one_valued = |class: &PublishedClass| class.bags[column].len() == 1;
    let majority = |class: &PublishedClass| class.most(column).is_some_and(|(_, rows)| 2 * rows > class.rows);
    let largest = |class: &PublishedClass| class.most(column).map_or(0.0, |(_, rows)| rows as f64 / class.rows as f64);
    let success = published.share_where(one_valued);
    let baseline = if published.totals(column).len() == 1 { 1.0 } else { 0.0 };
    let name = &published.sensitive()[column];
    let classes = published.classes().iter().filter(|class| one_valued(class)).count();
    Outcome::proved(ENTRY.id, name, success, baseline, published.rows())
        .with("majority", published.share_where(majority))
        .with("largest_share", published.classes().iter().map(largest).fold(0.0, f64::max))
        .with("one_valued_classes", classes as f64)
        .saying(format!(
            "For {} of the {}, everyone in their class has the same {name}; for {}, more than half do.",
            part(success),
            published.who(),
            part(published.share_where(majority)),
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_valued_classes_and_majorities_are_counted_by_rows() {
        let class = |cell: u32, values: &[u32]| PublishedClass::of_rows(&[cell], values.len() as u64, &[values]);
        let classes = vec![class(0, &[7, 7]), class(1, &[1, 2, 2]), class(2, &[1, 1, 3, 3]), class(3, &[3])];
        let found = attack(&Published::new(vec!["illness".to_owned()], classes), 0);
        assert_eq!((found.success, found.baseline, found.rows), (0.3, 0.0, 10));
        assert_eq!((found.figure("majority"), found.figure("one_valued_classes")), (Some(0.6), Some(2.0)));
        assert_eq!((found.low, found.high, found.evidence.name()), (0.3, 0.3, "proved"));
        let meaning = "For 30 % of the people, everyone in their class has the same illness; for 60 %, more than half \
                       do.";
        assert_eq!(found.meaning, meaning);
    }

    #[test]
    fn a_table_of_one_value_gives_it_away_without_any_class() {
        let classes = vec![PublishedClass::of_rows(&[0], 2, &[&[4, 4]]), PublishedClass::of_rows(&[1], 1, &[&[4]])];
        let found = attack(&Published::new(vec!["illness".to_owned()], classes), 0);
        assert_eq!((found.success, found.baseline), (1.0, 1.0));
    }
}
