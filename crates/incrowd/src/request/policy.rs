//! The policy of a request: what a release has to keep, in the words a custodian writes.

use std::path::Path;

use incrowd_core::{KnownRows, NoKnownRows, Policy, Ratio};
use incrowd_risk::attack::{AttackEntry, Threshold};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::column::named_even_if_null;
use super::entry::{OptionEntry, OptionPlace, OptionValue};
use super::{Plan, RulePlan};
use crate::error::{Error, Result};
use crate::parameters;

/// What a release has to promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyPlan {
    /// Minimum class size.
    #[serde(deserialize_with = "named_even_if_null", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = 1))]
    pub k: Option<u64>,
    /// Maximum share of rows to suppress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = 0.0, max = 1.0), extend("default" = 0.0))]
    pub suppress: Option<f64>,
    /// Rows of one person that an attacker may know: a number of at least 2, or `all`. The release has to publish
    /// pseudonyms of the subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_rows: Option<KnownRowsWord>,
    /// Limits on the share of sensitive values in a class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alpha: Vec<AlphaPlan>,
    /// Further models about sensitive columns.
    #[serde(rename = "rule", default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RulePlan>,
    /// Maximum success of attacks; checked by `incrowd attack --plan`.
    #[serde(rename = "limit", default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitPlan>,
    /// Rules that are asked of every sensitive column, whichever these are. Only a call says so; a file names the
    /// columns.
    #[serde(skip)]
    pub every_sensitive: Vec<RulePlan>,
    /// Whether k and the rules are confirmed. `init` writes false, and `anonymize` refuses such a plan.
    #[serde(default = "super::column::yes", skip_serializing_if = "super::column::is_yes")]
    pub confirmed: bool,
}

impl Default for PolicyPlan {
    /// Says nothing.
    fn default() -> Self {
        PolicyPlan {
            k: None,
            suppress: None,
            known_rows: None,
            alpha: Vec::new(),
            rules: Vec::new(),
            limits: Vec::new(),
            every_sensitive: Vec::new(),
            confirmed: true,
        }
    }
}

const POLICY: OptionEntry = OptionEntry { heading: "Policy", ..OptionEntry::EMPTY };
const OF_COLUMN: OptionEntry = OptionEntry { python: false, value: OptionValue::ColumnParameters, ..POLICY };
const OF_EVERY: OptionEntry = OptionEntry { value: OptionValue::Parameter, ..POLICY };
const P_SENSITIVE: (&str, &str) = ("p-sensitive", "p");
const L_DIVERSITY: (&str, &str) = ("distinct-l-diversity", "l");
const T_CLOSENESS: (&str, &str) = ("t-closeness", "t");

const fn of_every((model, parameter): (&'static str, &'static str)) -> OptionPlace {
    OptionPlace::EverySensitive { model, parameter }
}

const fn of_column((model, parameter): (&'static str, &'static str)) -> OptionPlace {
    OptionPlace::Rule { model, parameter }
}

/// The options about the policy.
pub(super) const OPTIONS: &[OptionEntry] = &[
    OptionEntry {
        name: "k",
        flag: Some("k"),
        place: OptionPlace::Plan("policy.k"),
        value: OptionValue::ClassSize,
        value_name: "N",
        help: "Minimum class size",
        default: Some("from the plan"),
        example: "7",
        ..POLICY
    },
    OptionEntry {
        name: "alpha",
        flag: Some("alpha"),
        place: OptionPlace::Plan("policy.alpha"),
        value: OptionValue::Alphas,
        value_name: "COLUMN[:VALUES]=SHARE",
        help: "Maximum share of a sensitive value in a class: column=0.33 for every value, \"column:value=0.5\" for \
               one, \"column:a|b=0.5\" for several together",
        example: "illness=0.5 wage:low|high=1/3",
        ..POLICY
    },
    OptionEntry {
        name: "refined",
        flag: Some("refined"),
        python: false,
        place: OptionPlace::Changes(refine_alphas),
        value: OptionValue::Switch,
        help: "With --alpha, allow ⌈α · class size⌉ rows instead of α · class size",
        requires: Some("alpha"),
        ..POLICY
    },
    OptionEntry {
        name: "p",
        flag: Some("p"),
        place: of_every(P_SENSITIVE),
        value_name: "N",
        help: "Minimum number of distinct values per class, for each sensitive column (p-sensitivity)",
        example: "2",
        ..OF_EVERY
    },
    OptionEntry {
        name: "l",
        flag: Some("l"),
        place: of_every(L_DIVERSITY),
        value_name: "N",
        help: "Minimum number of distinct values per class, for each sensitive column (distinct ℓ-diversity)",
        example: "3",
        ..OF_EVERY
    },
    OptionEntry {
        name: "t",
        flag: Some("t"),
        place: of_every(T_CLOSENESS),
        value_name: "X",
        help: "Maximum distance between the distribution in a class and that in the whole release, for each sensitive \
        column (t-closeness, equal distance)",
        example: "0.2",
        ..OF_EVERY
    },
    OptionEntry {
        name: "p_sensitive",
        flag: Some("p-sensitive"),
        place: of_column(P_SENSITIVE),
        value_name: "COLUMN=P",
        help: "Minimum number of distinct values of a sensitive column per class (p-sensitivity), such as diagnosis=3",
        example: "illness=2",
        ..OF_COLUMN
    },
    OptionEntry {
        name: "l_diversity",
        flag: Some("l-diversity"),
        place: of_column(L_DIVERSITY),
        value_name: "COLUMN=L",
        help: "Minimum number of distinct values of a sensitive column per class (distinct ℓ-diversity), such as \
        diagnosis=3; for other forms see --model",
        example: "illness=2 wage=3",
        ..OF_COLUMN
    },
    OptionEntry {
        name: "t_closeness",
        flag: Some("t-closeness"),
        place: of_column(T_CLOSENESS),
        value_name: "COLUMN=T",
        help: "Maximum distance between the distribution in a class and that in the whole release, such as \
        diagnosis=0.2",
        example: "illness=1/5",
        ..OF_COLUMN
    },
    OptionEntry {
        name: "rules",
        flag: Some("model"),
        place: OptionPlace::Plan("policy.rule"),
        value: OptionValue::Rules,
        value_name: "MODEL:COLUMN,NAME=VALUE",
        help: "Model from `incrowd list models` with its parameters, such as \
        \"t-closeness:salary,t=0.2,distance=ordered,order=low|middle|high\"; separate list items with |",
        example: "beta-likeness:wage,beta=1.5,rule=enhanced t-closeness:illness,t=0.2,distance=ordered,order=flu|gout",
        ..POLICY
    },
    OptionEntry {
        name: "suppress",
        flag: Some("suppress"),
        place: OptionPlace::Plan("policy.suppress"),
        value: OptionValue::Share,
        value_name: "SHARE",
        help: "Maximum share of rows to suppress, such as 0.02",
        example: "0.02",
        ..POLICY
    },
    OptionEntry {
        name: "known_rows",
        flag: Some("known-rows"),
        place: OptionPlace::Plan("policy.known_rows"),
        value: OptionValue::KnownRows,
        value_name: "N",
        help: "Rows of one person that an attacker may know: at least k people have to have the same rows. 2 or more, or \
               all; needs --subject and its pseudonyms (--treat)",
        default: Some("1"),
        example: "3",
        ..POLICY
    },
];

/// The bounds on shares that are named in the same call are the refined ones.
fn refine_alphas(plan: &mut Plan) {
    plan.policy.alpha.iter_mut().for_each(|alpha| alpha.rule = RuleWord::Refined);
}

/// How many rows of one person an attacker may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum KnownRowsWord {
    /// At most this many.
    Number(#[schemars(range(min = 2))] u64),
    /// All of them.
    Word(AllRows),
}

/// All rows of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AllRows {
    /// All of them.
    All,
}

impl KnownRowsWord {
    /// What it stands for; refused below 2.
    pub fn known_rows(self) -> std::result::Result<KnownRows, NoKnownRows> {
        match self {
            KnownRowsWord::Number(rows) => KnownRows::at_most(rows),
            KnownRowsWord::Word(AllRows::All) => Ok(KnownRows::All),
        }
    }
}

/// Maximum success of an attack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitPlan {
    /// Attack; see `incrowd list attacks`.
    pub attack: String,
    /// One of its figures, such as `mean` of prosecutor (default: its success).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
    /// Maximum.
    pub max: f64,
}

impl From<Threshold> for LimitPlan {
    fn from(limit: Threshold) -> Self {
        LimitPlan { attack: limit.attack, figure: limit.figure, max: limit.max }
    }
}

impl LimitPlan {
    /// The threshold it stands for.
    pub fn threshold(&self) -> Threshold {
        Threshold { attack: self.attack.clone(), figure: self.figure.clone(), max: self.max }
    }

    /// What is invalid.
    pub(super) fn fault(&self) -> Option<String> {
        if AttackEntry::find(&self.attack).is_none() {
            return Some(format!("unknown attack “{}”; see `incrowd list attacks`", self.attack));
        }
        parameters::limit_fault(self.max).map(|fact| format!("max of the limit of “{}” {fact}", self.attack))
    }
}

/// A limit α on the share of values of a sensitive column in every class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlphaPlan {
    /// The sensitive column.
    pub column: String,
    /// Maximum share: a number such as 0.33, or a ratio such as "1/3".
    pub alpha: ShareWord,
    /// The protected values, counted together (default: every value separately).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// `exact` (share ≤ α) or `refined` (rows ≤ ⌈α · size⌉).
    #[serde(default, skip_serializing_if = "RuleWord::is_exact")]
    pub rule: RuleWord,
}

/// A share: a number or a ratio.
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
    /// The number of rows is at most ⌈α · size⌉.
    Refined,
}

impl RuleWord {
    fn is_exact(&self) -> bool {
        *self == RuleWord::Exact
    }
}

impl AlphaPlan {
    /// The same policy and this bound; refused when it is no share above 0.
    pub fn add_to(&self, policy: Policy) -> Result<Policy> {
        let values: Vec<&str> = self.values.iter().map(String::as_str).collect();
        let alpha = self.alpha.ratio().ok_or_else(|| Error::Senseless {
            parameter: format!("alpha of “{}”", self.column),
            fact: "must be a share above 0 and at most 1, such as 0.33 or \"1/3\"".into(),
        })?;
        Ok(policy.deassociating(&self.column, alpha, &values, self.rule == RuleWord::Refined))
    }
}

impl PolicyPlan {
    /// The policy with what `said` says besides: a bound or a rule stands for those of the same model about the same
    /// column. Rules about every sensitive column become rules about these.
    pub(super) fn overlay(self, said: PolicyPlan, sensitive: &[String]) -> PolicyPlan {
        let every = [self.every_sensitive, said.every_sensitive].concat();
        let rule_of = |column: &String| {
            let rule = |rule: &RulePlan| RulePlan { column: column.clone(), ..rule.clone() };
            every.iter().map(rule).collect::<Vec<_>>()
        };
        let given: Vec<RulePlan> = sensitive.iter().flat_map(rule_of).chain(said.rules).collect();
        let stands = |planned: &RulePlan| {
            !given.iter().any(|given| given.model == planned.model && given.column == planned.column)
        };
        let mut rules: Vec<RulePlan> = self.rules.into_iter().filter(stands).collect();
        rules.extend(given);
        let of_said = |planned: &AlphaPlan| said.alpha.iter().any(|alpha| alpha.column == planned.column);
        let mut alpha: Vec<AlphaPlan> = self.alpha.into_iter().filter(|planned| !of_said(planned)).collect();
        alpha.extend(said.alpha);
        let limited = |planned: &LimitPlan| {
            said.limits.iter().any(|limit| (&limit.attack, &limit.figure) == (&planned.attack, &planned.figure))
        };
        let planned: Vec<LimitPlan> = self.limits.into_iter().filter(|planned| !limited(planned)).collect();
        let limits = said.limits.iter().cloned().chain(planned).collect();
        PolicyPlan {
            // k that is given in a call is a decision of the caller.
            confirmed: self.confirmed || said.k.is_some(),
            k: said.k.or(self.k),
            suppress: said.suppress.or(self.suppress),
            known_rows: said.known_rows.or(self.known_rows),
            alpha,
            rules,
            limits,
            every_sensitive: if sensitive.is_empty() { every } else { Vec::new() },
        }
    }

    /// What is invalid.
    pub(super) fn fault(&self) -> Option<String> {
        if self.k == Some(0) {
            return Some("k has to be at least 1".into());
        }
        if !self.suppress.is_none_or(|share| (0.0..=1.0).contains(&share)) {
            return Some("suppress must be a share between 0 and 1".into());
        }
        if self.known_rows.is_some_and(|word| word.known_rows().is_err()) {
            return Some("known_rows must be a whole number of at least 2, or \"all\"".into());
        }
        if let Some(fault) = self.limits.iter().find_map(LimitPlan::fault) {
            return Some(fault);
        }
        let rule = self.rules.iter().find_map(RulePlan::fault);
        rule.or_else(|| self.check().err().map(|error| error.to_string()))
    }

    /// Refuses limits that are no shares, and rules that are given twice.
    pub(super) fn check(&self) -> Result<()> {
        let limits: Vec<Threshold> = self.limits.iter().map(LimitPlan::threshold).collect();
        parameters::limits(&limits)?;
        let mut policy = self.with_alphas(Policy::default())?;
        // A hierarchy is one more word of its rule; it is read later.
        for rule in &self.rules {
            let hierarchy = rule.hierarchy.iter().chain(&rule.protected).cloned().collect::<Vec<_>>();
            let mut asked = rule.without_hierarchy();
            if !hierarchy.is_empty() {
                asked.parameters = asked.parameters.with("hierarchy", hierarchy);
            }
            policy.models.push(asked);
        }
        parameters::policy(&policy)
    }

    fn with_alphas(&self, policy: Policy) -> Result<Policy> {
        self.alpha.iter().try_fold(policy, |policy, alpha| alpha.add_to(policy))
    }
}

impl Plan {
    /// The policy it promises; hierarchies of its rules are looked for in `folder`, which is the plan's.
    pub fn policy(&self, folder: &Path) -> Result<Policy> {
        let asked = &self.policy;
        // A promise about a population is one: then classes may be of one person. An estimate asks for a k of its own.
        let k = asked.k.max(self.population.least_k()?);
        let k = k.ok_or_else(|| Error::Senseless { parameter: "k".into(), fact: "is not given".into() })?;
        let mut policy = asked.with_alphas(Policy::k_anonymity(k).suppressing(asked.suppress.unwrap_or(0.0)))?;
        for rule in &asked.rules {
            policy.models.push(rule.rule(folder)?);
        }
        if let Some(word) = asked.known_rows {
            let refused =
                |fault: NoKnownRows| Error::Senseless { parameter: "known_rows".into(), fact: fault.to_string() };
            policy = policy.knowing(word.known_rows().map_err(refused)?);
        }
        self.population.add_to(policy)
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
    fn an_invalid_share_is_refused() {
        let text = format!("{HEAD}[[policy.alpha]]\ncolumn = \"diagnosis\"\nalpha = 1.5\n");
        assert!(Plan::parse(&text).expect_err("refused").contains("alpha of “diagnosis” must be a share above 0"));
    }
}
