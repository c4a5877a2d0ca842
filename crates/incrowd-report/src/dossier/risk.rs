//! What an attacker can do: risk by threshold, the three tests, attacks. Verdicts are public, numbers internal.

use serde::{Deserialize, Serialize};

use super::Standing;
use incrowd_core::{ClassSizes, Evidence, Figure, Outcome};

/// The attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adversary {
    /// Knows that the person is in the table.
    Prosecutor,
    /// Knows a register that the person is in, and not whether the table is about them.
    Journalist,
    /// Wants as many people as possible, no matter who they are.
    Marketer,
}

impl Adversary {
    /// Every attacker, in the order in which they are shown.
    pub const ALL: [Adversary; 3] = [Adversary::Prosecutor, Adversary::Journalist, Adversary::Marketer];

    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Adversary::Prosecutor => "prosecutor",
            Adversary::Journalist => "journalist",
            Adversary::Marketer => "marketer",
        }
    }

    /// What the attacker knows and wants, as the end of a sentence.
    pub fn knows(self) -> &'static str {
        match self {
            Adversary::Prosecutor => "knows that a particular person is in the table and looks for their row",
            Adversary::Journalist => "has a register of people and looks for anyone in it",
            Adversary::Marketer => "matches as many people as possible",
        }
    }
}

/// A threshold of risk. 1 in 11 is above 0.09: the rule says which side counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskThreshold {
    /// The risk, between 0 and 1.
    pub value: f64,
    /// Where it comes from.
    pub source: String,
    /// Which side counts.
    pub rule: ThresholdSide,
}

/// Which side of a threshold counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThresholdSide {
    /// A risk that equals the threshold is acceptable.
    AtMost,
    /// A risk that equals the threshold is not.
    Below,
}

impl RiskThreshold {
    /// Whether a risk is acceptable.
    pub fn accepts(&self, risk: f64) -> bool {
        match self.rule {
            ThresholdSide::AtMost => risk <= self.value,
            ThresholdSide::Below => risk < self.value,
        }
    }
}

/// The risk by one attacker.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdversaryRisk {
    /// The attacker.
    pub adversary: Adversary,
    /// The maximum risk of a person; nothing for the marketer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The mean chance.
    pub mean: f64,
    /// The share of rows whose chance the threshold does not accept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
}

impl AdversaryRisk {
    /// The prosecutor finds a person with a probability of one in the size of their class.
    ///
    /// ```
    /// use incrowd_core::ClassSizes;
    /// use incrowd_report::dossier::{AdversaryRisk, RiskThreshold, ThresholdSide};
    /// let threshold = RiskThreshold { value: 0.25, source: "house rule".into(), rule: ThresholdSide::AtMost };
    /// let risk = AdversaryRisk::prosecutor(&ClassSizes::from_sizes([2, 4, 4]), &threshold);
    /// assert_eq!((risk.max, risk.mean, risk.above), (Some(0.5), 0.3, Some(0.2)));
    /// ```
    pub fn prosecutor(classes: &ClassSizes, threshold: &RiskThreshold) -> Self {
        let total = classes.total().max(1) as f64;
        let beyond = classes.histogram().iter().filter(|(size, _)| !threshold.accepts(1.0 / *size as f64));
        let above: u64 = beyond.map(|(size, classes)| size * classes).sum();
        AdversaryRisk {
            adversary: Adversary::Prosecutor,
            max: (classes.k() > 0).then(|| 1.0 / classes.k() as f64),
            mean: classes.mean_risk(),
            above: Some(above as f64 / total),
        }
    }

    /// The marketer is right for classes / rows of the people.
    pub fn marketer(classes: &ClassSizes) -> Self {
        AdversaryRisk { adversary: Adversary::Marketer, max: None, mean: classes.mean_risk(), above: None }
    }

    /// Whether the threshold accepts it: the greatest chance, or the mean where there is no greatest.
    pub fn is_accepted(&self, threshold: &RiskThreshold) -> bool {
        threshold.accepts(self.max.unwrap_or(self.mean))
    }
}

/// The risk before and after, by the same measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Risk {
    /// What is acceptable.
    pub threshold: RiskThreshold,
    /// Of the original table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<AdversaryRisk>,
    /// Of the release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<AdversaryRisk>,
}

impl Risk {
    /// The risk of classes before and after, from the prosecutor and from the marketer.
    pub fn of(threshold: RiskThreshold, before: Option<&ClassSizes>, after: Option<&ClassSizes>) -> Self {
        let both = |classes: Option<&ClassSizes>| {
            let of = |classes| [AdversaryRisk::prosecutor(classes, &threshold), AdversaryRisk::marketer(classes)];
            classes.map(of).into_iter().flatten().collect()
        };
        let (before, after) = (both(before), both(after));
        Risk { threshold, before, after }
    }

    /// What may be published of it: whether the risk after, or before where there is no after, is acceptable.
    pub fn verdict(&self) -> RiskVerdict {
        let judged = if self.after.is_empty() { &self.before } else { &self.after };
        let one = |risk: &AdversaryRisk| AdversaryVerdict {
            adversary: risk.adversary,
            standing: if risk.is_accepted(&self.threshold) { Standing::Proved } else { Standing::Fails },
        };
        let adversaries = judged.iter().map(one).collect();
        RiskVerdict {
            threshold: self.threshold.clone(),
            adversaries,
            counted_columns: Vec::new(),
            other_columns: Vec::new(),
            chosen: None,
        }
    }
}

/// Whether the risk is acceptable, without its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskVerdict {
    /// What is acceptable.
    pub threshold: RiskThreshold,
    /// Each attacker.
    #[serde(default)]
    pub adversaries: Vec<AdversaryVerdict>,
    /// The published columns on which rows were counted, each with its treatment if it has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted_columns: Vec<String>,
    /// The other published columns of values, which an attacker is assumed not to know or which were too many to count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_columns: Vec<String>,
    /// The attacker that the policy was made for, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<ChosenAttacker>,
}

/// The attacker that a policy was made for, and how the risk was bounded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChosenAttacker {
    /// The attacker.
    pub adversary: Adversary,
    /// How many people of the population have to match each class.
    pub people: u64,
    /// What stands for the population, by which estimator if by one, and what is assumed.
    pub basis: String,
    /// Whether that was estimated from the table alone.
    pub estimated: bool,
    /// Of an estimate: the least class size for other sampling fractions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_sampling_fraction: Vec<LeastClassSize>,
}

/// The least class size that an estimate asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeastClassSize {
    /// The share of the population that is in the table.
    pub sampling_fraction: f64,
    /// The least size of a class.
    pub k: u64,
}

/// Whether the risk by one attacker is acceptable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdversaryVerdict {
    /// The attacker.
    pub adversary: Adversary,
    /// How "the risk is acceptable" stands.
    pub standing: Standing,
}

/// The tests of the EU working party's opinion 05/2014.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Can a person be singled out?
    SinglingOut,
    /// Can records about a person be linked?
    Linkability,
    /// Can something be inferred about a person?
    Inference,
}

impl Test {
    /// Every test, in the order of the opinion.
    pub const ALL: [Test; 3] = [Test::SinglingOut, Test::Linkability, Test::Inference];

    /// The words.
    pub fn name(self) -> &'static str {
        match self {
            Test::SinglingOut => "singling out",
            Test::Linkability => "linkability",
            Test::Inference => "inference",
        }
    }

    /// The question it asks.
    pub fn question(self) -> &'static str {
        match self {
            Test::SinglingOut => "Can the row of a person be distinguished from all others?",
            Test::Linkability => "Can two records about the same person, or group of people, be linked?",
            Test::Inference => "Can a sensitive value of a person be inferred with significant probability?",
        }
    }
}

/// What comes of one test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestVerdict {
    /// The test.
    pub test: Test,
    /// How "no longer possible" stands.
    pub standing: Standing,
    /// The evidence in a sentence, without counts of few people.
    pub evidence: String,
}

/// The numbers behind one test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestNumbers {
    /// The test.
    pub test: Test,
    /// What was counted.
    pub figures: Vec<Figure>,
}

/// An attack that was run, without what it achieved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttackConclusion {
    /// The attack's id.
    pub attack: String,
    /// The sensitive column that was guessed, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What it tries, in a sentence.
    pub tries: String,
    /// How "it gains nothing" stands.
    pub standing: Standing,
}

impl AttackConclusion {
    /// The verdict on an outcome: what was tried gains something when even the lower end of its interval is above the
    /// baseline. What is counted on the release is proved to be nothing, or a number that others have to judge.
    pub fn of(outcome: &Outcome, tries: &str) -> Self {
        let standing = match outcome.evidence {
            Evidence::Proved if outcome.high <= 0.0 => Standing::Proved,
            Evidence::Proved => Standing::NotJudged,
            Evidence::Found if outcome.low > outcome.baseline => Standing::Fails,
            Evidence::Found | Evidence::NotFound => Standing::NotFound,
        };
        AttackConclusion {
            attack: outcome.attack.clone(),
            column: Some(outcome.column.clone()).filter(|column| !column.is_empty()),
            tries: tries.to_owned(),
            standing,
        }
    }
}
