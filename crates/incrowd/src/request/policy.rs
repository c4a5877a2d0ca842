//! The policy of a plan: what a release has to keep, in the words a custodian writes.

use std::path::Path;

use incrowd_core::{Policy, Ratio};
use incrowd_risk::attack::{AttackEntry, Threshold};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Plan, RulePlan};
use crate::error::Result;
use crate::parameters;

/// What a release has to keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyPlan {
    /// The crowd everybody stands in.
    #[schemars(range(min = 1))]
    pub k: u64,
    /// The share of rows that may be withheld.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub suppress: f64,
    /// Bounds on the share of sensitive values in a class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alpha: Vec<AlphaPlan>,
    /// Further models about sensitive columns.
    #[serde(rename = "rule", default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RulePlan>,
    /// The most that attacks may achieve; `incrowd attack --plan` asks it.
    #[serde(rename = "limit", default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitPlan>,
    /// Whether somebody has confirmed k and the rules. `init` writes false, and `anonymize` refuses such a plan.
    #[serde(default = "super::yes", skip_serializing_if = "super::is_yes")]
    pub confirmed: bool,
}

/// The most that an attack may achieve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitPlan {
    /// The attack: `incrowd list attacks`.
    pub attack: String,
    /// One of its figures, such as `mean` of prosecutor; its success when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
    /// The most it may be.
    pub max: f64,
}

impl LimitPlan {
    /// The threshold it stands for.
    pub fn threshold(&self) -> Threshold {
        Threshold { attack: self.attack.clone(), figure: self.figure.clone(), max: self.max }
    }

    /// What cannot be.
    pub(super) fn fault(&self) -> Option<String> {
        if AttackEntry::find(&self.attack).is_none() {
            return Some(format!("there is no attack “{}”: `incrowd list attacks` shows all", self.attack));
        }
        parameters::limit_fault(self.max).map(|fact| format!("max of the limit of “{}” {fact}", self.attack))
    }
}

/// A bound α on the share of values of a sensitive column in every class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlphaPlan {
    /// The sensitive column.
    pub column: String,
    /// The largest share: a number such as 0.33, or a ratio such as "1/3".
    pub alpha: ShareWord,
    /// The protected values, taken together; every value by itself when left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// `exact` (share ≤ α) or `refined` (rows ≤ ⌈α · size⌉).
    #[serde(default, skip_serializing_if = "RuleWord::is_exact")]
    pub rule: RuleWord,
}

/// A share as it is written: a number or a ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ShareWord {
    /// 0.33
    Number(f64),
    /// "1/3"
    Text(String),
}

impl ShareWord {
    /// The exact share, above 0.
    pub fn ratio(&self) -> Option<Ratio> {
        let read = match self {
            // The shortest text of a number is what its writer meant.
            ShareWord::Number(number) => number.to_string().parse().ok(),
            ShareWord::Text(text) => text.parse().ok(),
        };
        read.filter(|share: &Ratio| share.numerator() > 0)
    }
}

/// How α is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RuleWord {
    /// The share is at most α.
    #[default]
    Exact,
    /// The rows are at most ⌈α · size⌉.
    Refined,
}

impl RuleWord {
    fn is_exact(&self) -> bool {
        *self == RuleWord::Exact
    }
}

impl AlphaPlan {
    /// The same policy and this bound.
    pub fn add_to(&self, policy: Policy) -> Policy {
        let values: Vec<&str> = self.values.iter().map(String::as_str).collect();
        match self.alpha.ratio() {
            Some(alpha) => policy.deassociating(&self.column, alpha, &values, self.rule == RuleWord::Refined),
            None => policy,
        }
    }
}

impl PolicyPlan {
    /// What cannot be.
    pub(super) fn fault(&self) -> Option<String> {
        if self.k == 0 {
            return Some("k has to be at least 1".into());
        }
        if !(0.0..=1.0).contains(&self.suppress) {
            return Some("suppress is a share between 0 and 1".into());
        }
        if let Some(fault) = self.limits.iter().find_map(LimitPlan::fault) {
            return Some(fault);
        }
        if let Some(AlphaPlan { column, .. }) = self.alpha.iter().find(|alpha| alpha.alpha.ratio().is_none()) {
            return Some(format!("alpha of “{column}” is a share above 0 and at most 1, such as 0.33 or \"1/3\""));
        }
        self.rules.iter().find_map(RulePlan::fault).or_else(|| self.asked_twice())
    }

    /// What is asked for twice, so that it is not clear what counts.
    fn asked_twice(&self) -> Option<String> {
        let limits: Vec<Threshold> = self.limits.iter().map(LimitPlan::threshold).collect();
        if let Err(error) = parameters::limits(&limits) {
            return Some(error.to_string());
        }
        let mut policy = self.alpha.iter().fold(Policy::default(), |policy, alpha| alpha.add_to(policy));
        // A hierarchy is one more word of its rule; it is read later.
        for rule in &self.rules {
            let hierarchy = rule.hierarchy.iter().chain(&rule.protected).cloned().collect::<Vec<_>>();
            let mut asked = rule.without_hierarchy();
            if !hierarchy.is_empty() {
                asked.parameters = asked.parameters.with("hierarchy", hierarchy);
            }
            policy.models.push(asked);
        }
        parameters::policy(&policy).err().map(|error| error.to_string())
    }
}

impl Plan {
    /// The policy it promises; hierarchies of its rules are looked for in `folder`, which is the plan's.
    pub fn policy(&self, folder: &Path) -> Result<Policy> {
        let crowd = Policy::k_anonymity(self.policy.k).suppressing(self.policy.suppress);
        let mut policy = self.policy.alpha.iter().fold(crowd, |policy, alpha| alpha.add_to(policy));
        for rule in &self.policy.rules {
            policy.models.push(rule.rule(folder)?);
        }
        Ok(policy)
    }
}

#[cfg(test)]
mod tests {
    use incrowd_core::Parameters;

    use super::*;

    const HEAD: &str = "version = 1\n[source]\npath = \"visits.csv\"\n[policy]\nk = 5\n";

    #[test]
    fn bounds_on_values_are_read_exactly() {
        let text = format!(
            "{HEAD}[[policy.alpha]]\ncolumn = \"diagnosis\"\nalpha = 0.33\n\
             [[policy.alpha]]\ncolumn = \"diagnosis\"\nalpha = \"1/3\"\nvalues = [\"HIV\"]\nrule = \"refined\"\n"
        );
        let policy = Plan::parse(&text).expect("a plan").policy(Path::new("")).expect("nothing to read");
        let expected = Policy::k_anonymity(5)
            .deassociating("diagnosis", Ratio::new(33, 100).expect("a share"), &[], false)
            .deassociating("diagnosis", Ratio::new(1, 3).expect("a share"), &["HIV"], true);
        assert_eq!(policy, expected);
    }

    #[test]
    fn further_models_are_read_with_their_parameters() {
        let text = format!(
            "{HEAD}[[policy.rule]]\nmodel = \"t-closeness\"\ncolumn = \"diagnosis\"\nt = 0.2\ndistance = \"equal\"\n\
             [[policy.rule]]\nmodel = \"distinct-l-diversity\"\ncolumn = \"diagnosis\"\nl = 3\n"
        );
        let plan = Plan::parse(&text).expect("a plan");
        let value = serde_json::to_value(&plan).expect("json");
        assert!(jsonschema::is_valid(&Plan::schema(), &value));
        let expected = Policy::k_anonymity(5)
            .asking("t-closeness", Parameters::from_iter([("t", "0.2"), ("distance", "equal")]), &["diagnosis"])
            .asking("distinct-l-diversity", Parameters::from_iter([("l", 3)]), &["diagnosis"]);
        assert_eq!(plan.policy(Path::new("")).expect("nothing to read"), expected);
        let wrong = text.replace("t = 0.2", "t = 2");
        assert!(Plan::parse(&wrong).expect_err("refused").contains("a share above 0 and at most 1"));
    }

    #[test]
    fn a_share_that_is_none_is_refused() {
        let text = format!("{HEAD}[[policy.alpha]]\ncolumn = \"diagnosis\"\nalpha = 1.5\n");
        assert!(Plan::parse(&text).expect_err("refused").contains("alpha of “diagnosis” is a share above 0"));
    }
}
