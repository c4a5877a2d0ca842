//! What a published manifest may say if the policy allows suppression.
//!
//! The published rows, the policy and the rule of these steps are public. Everything else that is published depends on
//! them and on the step of the suppressed rows alone, so that anyone who subtracts one figure from another learns only
//! the step. Exact figures stay in the custodian's record. If the policy does not allow suppression, nothing is
//! hidden, and every figure is exact.
//!
//! The verifier judges exact counts on the staged files. They are made coarse afterwards, and `record.json` keeps them.
//! The attack `subtraction` reads the public folder as an attacker does, and tries to compute what the steps hide.

use incrowd_core::{Measures, Policy};
use incrowd_report::dossier::{Coarse, Rounded};
use incrowd_verify::{Canaries, Count, Manifest};
use serde::{Deserialize, Serialize};

/// Counts of fewer people are not published.
pub const LEAST_TOLD: u64 = 10;

/// The figures of a release that its manifest gives coarsely.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExactCounts {
    /// Rows of the original.
    pub source_rows: u64,
    /// Rows that were suppressed.
    pub suppressed_rows: u64,
    /// What a search for removed values found.
    pub canaries: Canaries,
    /// The losses over all rows, suppressed ones included.
    pub loss: Measures,
}

/// The maximum number of rows that the policy of a release allows to suppress, from the published figures.
pub(crate) fn most_withheld(manifest: &Manifest) -> u64 {
    Policy::default().suppressing(manifest.policy.suppression).most_withheld(manifest.rows)
}

/// What may be published about the number of suppressed rows. Manifests of older releases have the number itself.
pub(crate) fn withheld(manifest: &Manifest) -> Coarse {
    let told = manifest.suppressed_rows;
    match told.exact() {
        Some(count) => Coarse::withheld(count, LEAST_TOLD, most_withheld(manifest)),
        None => Coarse::between(told.least(), told.most(), LEAST_TOLD),
    }
}

/// The loss in the manifest. A suppressed row loses everything, so if rows may be suppressed, only the loss of the
/// published rows is given.
pub(crate) fn loss(measures: &Measures, policy: &Policy, published: u64, withheld: u64) -> Measures {
    if policy.most_withheld(published) == 0 {
        return measures.clone();
    }
    let round = |value: &mut f64| *value = Rounded::of(*value).value();
    let mut told = measures.of_published(published, withheld);
    [&mut told.lm, &mut told.distortion_ratio, &mut told.precision].into_iter().for_each(round);
    for column in &mut told.columns {
        // Only a column that is unchanged everywhere is published as such.
        let all = column.unchanged >= 1.0;
        let figures = [&mut column.lm, &mut column.distortion_ratio, &mut column.precision, &mut column.unchanged];
        figures.into_iter().for_each(round);
        column.unchanged = if all { 1.0 } else { column.unchanged.min(0.999) };
    }
    told
}

/// Makes a manifest with exact counts, which was verified, into one that may be published.
pub(crate) fn publish_coarsely(manifest: &mut Manifest) {
    let most = most_withheld(manifest);
    if most == 0 {
        return;
    }
    let (from, to) = withheld(manifest).range();
    let told = |rows: u64| Count::between(rows + from, rows + to.min(most)).unwrap_or(manifest.suppressed_rows);
    (manifest.suppressed_rows, manifest.source_rows) = (told(0), told(manifest.rows));
    // Removed values can be as many as the original has rows, so only a lower bound of their number is published.
    let searched = manifest.canaries.values.min(manifest.rows);
    manifest.canaries.values = searched.checked_ilog10().map_or(0, |digits| 10u64.pow(digits));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anonymize::empty_manifest;

    fn published(rows: u64, withheld: u64, share: f64) -> Manifest {
        let mut manifest = Manifest { rows, ..empty_manifest() };
        manifest.policy.suppression = share;
        (manifest.source_rows, manifest.suppressed_rows) = ((rows + withheld).into(), withheld.into());
        manifest.canaries.values = rows + withheld;
        publish_coarsely(&mut manifest);
        manifest
    }

    /// The published rows and the policy are known; all other figures are the same for every count of the step.
    #[test]
    fn manifests_of_all_counts_of_a_step_are_the_same() {
        for (rows, share) in [(40, 0.3), (95, 0.05), (100, 0.5), (991, 0.02), (1_000, 0.1), (7, 0.99)] {
            let most = Policy::default().suppressing(share).most_withheld(rows);
            for withheld in 0..=most.min(200) {
                let told = published(rows, withheld, share);
                let (from, to) = (told.suppressed_rows.least(), told.suppressed_rows.most());
                assert!(from <= withheld && withheld <= to && to <= most, "{withheld}: {told:?}");
                assert!(to - from + 1 >= LEAST_TOLD.min(most + 1), "{withheld} of at most {most}: {from} to {to}");
                assert_eq!(published(rows, from, share), told);
                assert_eq!(published(rows, to, share), told);
            }
        }
    }

    #[test]
    fn without_suppression_counts_are_published_exactly() {
        let told = published(100, 0, 0.0);
        assert_eq!((told.suppressed_rows.exact(), told.source_rows.exact()), (Some(0), Some(100)));
        assert_eq!(told.canaries.values, 100);
    }
}
