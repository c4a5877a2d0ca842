//! What a plan tells `anonymize`, for those who ask with a plan alone.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use super::{EffortWord, OthersWord, Plan, PublishWord, SpellingsWord, WeightsWord};
use crate::anonymize::{AnonymizeOptions, HierarchyChoice, Others, Publish};
use crate::error::Result;

impl Plan {
    /// What is promised, by which solver, and what is written. Files are looked for in `folder`. The format is left as it
    /// is by default; a plan may leave it to the table. A draft that nobody has confirmed is refused.
    pub fn anonymize_options(&self, folder: &Path) -> Result<AnonymizeOptions> {
        self.refuse_unconfirmed(false, |_| false)?;
        let usual = AnonymizeOptions::default();
        let policy = self.policy(folder)?;
        let mut declared = self.declared();
        // A column whose values are protected is sensitive, unless it was said to be something else.
        for name in policy.sensitive() {
            if declared.role(&name).is_none() {
                declared.sensitive.push(name);
            }
        }
        let generalized = self.columns.iter().filter(|column| declared.quasi_identifiers.contains(&column.name));
        let choice = |plan| HierarchyChoice { plan, folder: folder.into() };
        let hierarchies =
            generalized.filter_map(|column| Some((column.name.clone(), choice(column.hierarchy.clone()?))));
        Ok(AnonymizeOptions {
            hierarchies: hierarchies.collect(),
            declared,
            policy,
            keep_identifying: self.keep_identifying(),
            others: match self.release.others {
                Some(OthersWord::Remove) => Others::Remove,
                Some(OthersWord::Keep) => Others::Keep,
                Some(OthersWord::Refuse) | None => Others::Refuse,
            },
            publish: match self.release.publish {
                Some(PublishWord::TwoTables) => Publish::TwoTables,
                Some(PublishWord::OneTable) | None => Publish::OneTable,
            },
            algorithm: self.solve.algorithm.clone().unwrap_or(usual.algorithm),
            loss: self.solve.loss.clone(),
            effort: self.solve.effort.and_then(EffortWord::effort),
            time: self.solve.time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            shard: self.solve.shard.map(NonZeroUsize::get),
            diversity_weights: self.solve.diversity_weights.as_ref().map(WeightsWord::weights).unwrap_or_default(),
            seed: self.solve.seed,
            escape_formulas: self.release.escape_formulas,
            ledger: self.release.ledger.as_ref().map(|ledger| folder.join(ledger)),
            reading: self.read_options(),
            fold_spellings: self.with_spellings(SpellingsWord::Fold),
            keep_spellings: self.with_spellings(SpellingsWord::Keep),
            report: self.release.report.unwrap_or(usual.report),
            context: self.context.dossier(),
            ..AnonymizeOptions::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_alone_says_all_that_anonymize_needs() {
        let text = "version = 1\n[source]\npath = \"visits.csv\"\n[policy]\nk = 7\nsuppress = 0.02\n\
                    [[policy.alpha]]\ncolumn = \"illness\"\nalpha = 0.5\n[solve]\nseed = 3\neffort = \"low\"\ntime = 1.5\n\
                    [release]\nothers = \"remove\"\npublish = \"two-tables\"\nledger = \"ledger.json\"\n\
                    report = false\n\
                    [[column]]\nname = \"age\"\nrole = \"quasi-identifier\"\nhierarchy = { intervals = [5] }\n\
                    [[column]]\nname = \"town\"\nrole = \"insensitive\"\nhierarchy = { build = \"flat\" }\n";
        let plan = Plan::parse(text).expect("a plan");
        let options = plan.anonymize_options(Path::new("plans")).expect("nothing to read");
        assert_eq!((options.policy.k(), options.seed, options.time), (7, Some(3), Some(Duration::from_millis(1500))));
        assert_eq!(options.effort, Some(incrowd_algorithms::Effort::LOW));
        assert_eq!((options.others, options.publish), (Others::Remove, Publish::TwoTables));
        assert_eq!(options.declared.sensitive, ["illness"], "what is protected is sensitive");
        assert_eq!(options.hierarchies.keys().collect::<Vec<_>>(), ["age"], "only quasi-identifiers are generalized");
        assert_eq!(options.ledger.as_deref(), Some(Path::new("plans/ledger.json")));
        assert!(!options.report);
    }
}
