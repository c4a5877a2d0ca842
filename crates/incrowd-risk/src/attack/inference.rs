//! Inference: guessing for everyone the most frequent value of their class.
//!
//! It is what a class teaches beyond the table when nothing else is known; t-closeness bounds it (N. Li, T. Li and S.
//! Venkatasubramanian, ICDE 2007). It is proved: within a class nothing published tells rows apart, so no other guess
//! is right more often.

use incrowd_core::Outcome;

use super::shared::{Published, part};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun, PolicyBound};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "inference",
    summary: "An attacker without other knowledge guesses the most frequent value of each class.",
    needs: AttackNeed::SensitiveColumn,
    bounded_by: Some(PolicyBound::LargestShare),
    reference: "N. Li, T. Li and S. Venkatasubramanian, t-closeness, ICDE 2007",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    Ok(material.sensitive().map(|column| attack(material.published, column)).collect())
}

/// Runs the attack on a sensitive column. The baseline is to guess the most frequent value of the whole release for
/// everyone.
///
/// ```
/// use incrowd_risk::attack::{Published, PublishedClass, inference};
/// let class = |cell, values: &[u32]| PublishedClass::of_rows(&[cell], values.len() as u64, &[values]);
/// let classes = vec![class(0, &[1, 1, 2]), class(1, &[2, 2, 3]), class(2, &[3, 3, 1, 1])];
/// let found = inference::attack(&Published::new(vec!["illness".to_owned()], classes), 0);
/// assert_eq!((found.success, found.baseline), (0.6, 0.4));
/// ```
pub fn attack(published: &Published, column: usize) -> Outcome {
    let most = published.totals(column).iter().map(|&(_, rows)| rows).max().unwrap_or(0);
    let baseline = most as f64 / published.rows().max(1) as f64;
    let success = published.share(|class| class.most(column).map_or(0.0, |(_, rows)| rows as f64));
    let name = &published.sensitive()[column];
    Outcome::proved(ENTRY.id, name, success, baseline, published.rows()).with("gain", success - baseline).saying(
        format!(
            "Guessing the most frequent {name} of each class is right for {} of the {}; guessing the most frequent \
             one of the whole release, for {}.",
            part(success),
            published.who(),
            part(baseline),
        ),
    )
}
