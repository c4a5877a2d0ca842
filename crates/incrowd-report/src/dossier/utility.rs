//! What users of a release lose. All of it may be published, for all of it is coarse; what was suppressed of whom, in
//! numbers, is internal.

use serde::{Deserialize, Serialize};

use super::{Coarse, Rounded, Share};
use incrowd_core::Measures;

/// What users lose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Utility {
    /// The measure of loss, such as `LM`.
    #[serde(default)]
    pub measure: String,
    /// The loss over all quasi-identifiers: 0 nothing, 1 everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Rounded>,
    /// Whether losses are those of the published rows alone. A suppressed row loses everything, so a loss over all rows
    /// would tell how many were suppressed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_published: bool,
    /// What any release that keeps the policy must lose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Rounded>,
    /// The loss divided by the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Rounded>,
    /// Each published column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnUtility>,
    /// How evenly rows were suppressed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subgroups: Vec<SubgroupSpread>,
    /// The mean distance of the columns' values from those of the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marginal_distance: Option<Rounded>,
    /// The mean difference of how much pairs of columns say about each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependence_difference: Option<Rounded>,
    /// Questions that were asked of the release and of the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queries: Option<Queries>,
    /// The k of this release, to find it on the curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<u64>,
    /// What the curve was made by, in a sentence: seldom the algorithm of the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve_by: Option<String>,
    /// What other k would lose, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<LossAtK>,
    /// Which statistics keep and which do not, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keeps: Vec<String>,
}

impl Utility {
    /// Takes the losses over all rows, suppressed ones included, where losses are told.
    pub fn with_loss_of_all_rows(&mut self, measures: &Measures) {
        self.of_published = false;
        self.loss = self.loss.map(|_| Rounded::of(measures.lm));
        for column in &mut self.columns {
            let own = measures.columns.iter().find(|own| own.name == column.column);
            column.loss = column.loss.and(own.map(|own| Rounded::of(own.lm)));
        }
    }

    /// What may be published of it when rows may have been suppressed: what the published rows show alone. A bound, a
    /// curve, an error and a distance look at all rows of the original; beside the published rows they would tell
    /// whether some are missing, and how many.
    pub fn of_published_rows(&self, shown: &Utility) -> Utility {
        let column = |column: &ColumnUtility| {
            let of = shown.columns.iter().find(|other| other.column == column.column);
            let loss = of.and_then(|shown| shown.loss);
            ColumnUtility { loss, marginal_distance: None, ..column.clone() }
        };
        Utility {
            measure: self.measure.clone(),
            loss: shown.loss,
            of_published: true,
            columns: self.columns.iter().map(column).collect(),
            k: self.k,
            keeps: self.keeps.clone(),
            ..Utility::default()
        }
    }
}

/// What one column loses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnUtility {
    /// The column.
    pub column: String,
    /// Its loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Rounded>,
    /// The share of its cells that are published as they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchanged: Option<Share>,
    /// The share of its cells that are `*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Share>,
    /// The levels of its hierarchy, finest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelShare>,
    /// Half the sum of the differences of shares from the original: 0 alike, 1 nothing in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marginal_distance: Option<Rounded>,
}

impl ColumnUtility {
    /// A column of which nothing is known yet.
    pub fn new(column: &str) -> Self {
        ColumnUtility { column: column.to_owned(), ..ColumnUtility::default() }
    }
}

/// The rows that publish a column on one level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelShare {
    /// The level; 0 is the value itself.
    pub level: u32,
    /// What the level is, such as `decade`; never a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The share of rows.
    pub share: Share,
}

impl LevelShare {
    /// The levels of one column from the rows on each, finest first. Rounded together: see [`Share::parts`].
    pub fn of(rows: &[u64], threshold: u64) -> Vec<LevelShare> {
        let shares = (0..).zip(Share::parts(rows, threshold));
        shares.map(|(level, share)| LevelShare { level, name: None, share }).collect()
    }
}

/// How evenly rows were suppressed from the subgroups of one column. The subgroups are not named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubgroupSpread {
    /// The column whose published values make the subgroups.
    pub column: String,
    /// The share suppressed of the subgroup that lost least.
    pub least: Share,
    /// The share suppressed of the subgroup that lost most.
    pub most: Share,
}

impl SubgroupSpread {
    /// The spread over one column's subgroups. Nothing when the column has none.
    pub fn of(column: &str, subgroups: &[SubgroupNumbers], threshold: u64) -> Option<Self> {
        let own = subgroups.iter().filter(|group| group.column == column);
        let share = |group: &SubgroupNumbers| group.withheld as f64 / group.rows.max(1) as f64;
        let told = |group: &SubgroupNumbers| {
            Share::withheld(Coarse::of(group.withheld, threshold), group.rows.saturating_sub(group.withheld))
        };
        let by_share = |a: &&SubgroupNumbers, b: &&SubgroupNumbers| share(a).total_cmp(&share(b));
        let (least, most) = (own.clone().min_by(by_share)?, own.max_by(by_share)?);
        Some(SubgroupSpread { column: column.to_owned(), least: told(least), most: told(most) })
    }
}

/// What was suppressed of one subgroup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubgroupNumbers {
    /// The column.
    pub column: String,
    /// The published label of the subgroup.
    pub label: String,
    /// Its rows in the original.
    pub rows: u64,
    /// Of these, suppressed.
    pub withheld: u64,
}

/// Rows that were suppressed for one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WithheldFor {
    /// The rule.
    pub rule: String,
    /// How many rows.
    pub rows: u64,
    /// Why, in a sentence without a value.
    pub why: String,
}

/// Questions that were asked of the release and of the original.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queries {
    /// How many.
    pub asked: u64,
    /// Which kind, in a sentence.
    pub about: String,
    /// How well each estimator answers, the better-founded one first.
    pub errors: Vec<EstimatorErrors>,
}

/// The relative errors of one estimator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimatorErrors {
    /// The estimator.
    pub estimator: String,
    /// The mean relative error.
    pub mean: Rounded,
    /// The median relative error.
    pub median: Rounded,
}

/// What a release of the same table would lose at one k.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossAtK {
    /// The k.
    pub k: u64,
    /// The loss.
    pub loss: Rounded,
    /// What any release must lose there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Rounded>,
}
