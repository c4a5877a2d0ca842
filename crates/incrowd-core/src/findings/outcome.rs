//! What an attack on a release achieved, in the same form for every attack, so that attacks can be compared.
//!
//! A *proven* result is kept separate from a *simulated* one: that a class has ten people holds whatever an attacker
//! does, but that an attack found nothing says only that this attack found nothing.

use serde::{Deserialize, Serialize};

/// What an attack achieved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The attack's id, such as `learning`.
    pub attack: String,
    /// The column that was guessed; empty when the attack is about who a row belongs to.
    pub column: String,
    /// Whether it is counted on the published rows, or simulated.
    #[serde(default)]
    pub evidence: Evidence,
    /// The share of the rows that the attacker is right about, or the worst-case probability, as the attack says.
    pub success: f64,
    /// The same without the attack: what anyone can read in the release.
    pub baseline: f64,
    /// The lower end of the 95 % interval of the success; the success itself where nothing is left to chance.
    pub low: f64,
    /// The upper end of it.
    pub high: f64,
    /// How many rows were guessed and compared with the truth.
    pub rows: u64,
    /// The share of the published rows that they are: 1 unless the release was too large to attack as a whole.
    pub sampled: f64,
    /// What else the attack counted, most telling first.
    pub figures: Vec<Figure>,
    /// The outcome in one sentence for a person.
    pub meaning: String,
}

/// How well a figure is known.
///
/// ```
/// use incrowd_core::Outcome;
/// let tried = |right| Outcome::tried("learning", "illness", right, 0.5, 100).evidence.name();
/// assert_eq!([tried(80.0), tried(52.0)], ["found", "not-found"]);
/// assert_eq!(Outcome::proved("homogeneity", "illness", 0.1, 0.0, 100).evidence.name(), "proved");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Counted on the published rows; it holds whatever the attacker does.
    Proved,
    /// The attack was run and succeeded beyond its baseline. Also the default for records that were written before this
    /// field existed.
    #[default]
    Found,
    /// The attack was run and did not; another might.
    NotFound,
}

impl Evidence {
    /// The word for it, as it is written in records.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Proved => "proved",
            Evidence::Found => "found",
            Evidence::NotFound => "not-found",
        }
    }
}

/// A figure of one attack, by its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What was counted, such as `top_decile`.
    pub name: String,
    /// The number.
    pub value: f64,
}

impl Outcome {
    /// A result that is counted on all published rows, without chance.
    pub fn proved(attack: &str, column: &str, success: f64, baseline: f64, rows: u64) -> Self {
        Outcome {
            attack: attack.to_owned(),
            column: column.to_owned(),
            evidence: Evidence::Proved,
            success,
            baseline,
            low: success,
            high: success,
            rows,
            sampled: 1.0,
            figures: Vec::new(),
            meaning: String::new(),
        }
    }

    /// What an attack got right in this number of rows. It is found when all of the [interval](wilson) is above the baseline.
    pub fn tried(attack: &str, column: &str, right: f64, baseline: f64, rows: u64) -> Self {
        let success = if rows == 0 { 0.0 } else { right / rows as f64 };
        let (low, high) = wilson(right, rows);
        Outcome { low, high, ..Outcome::proved(attack, column, success, baseline, rows) }.found(low > baseline)
    }

    /// The same outcome, as found or as not found.
    pub fn found(self, found: bool) -> Self {
        Outcome { evidence: if found { Evidence::Found } else { Evidence::NotFound }, ..self }
    }

    /// The same outcome with one more figure.
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.figures.push(Figure::new(name, value));
        self
    }

    /// The same outcome in one sentence.
    pub fn saying(self, meaning: impl Into<String>) -> Self {
        Outcome { meaning: meaning.into(), ..self }
    }

    /// A figure by its name, if the attack counts such a thing.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }
}

impl Figure {
    /// A named number.
    pub fn new(name: &str, value: f64) -> Self {
        Figure { name: name.to_owned(), value }
    }
}

/// The 95 % interval of a share that was met `right` times in `rows` (E. B. Wilson, JASA 1927). It stays between 0 and
/// 1 and says something for few rows too. `right` may be an expectation.
///
/// ```
/// let (low, high) = incrowd_core::wilson(5.0, 10);
/// assert!((low - 0.2366).abs() < 1e-4 && (high - 0.7634).abs() < 1e-4);
/// assert_eq!(incrowd_core::wilson(0.0, 0), (0.0, 1.0));
/// ```
pub fn wilson(right: f64, rows: u64) -> (f64, f64) {
    /// 95 % of a normal variable lie within this number of deviations around the mean.
    const Z: f64 = 1.959_963_984_540_054;
    if rows == 0 {
        return (0.0, 1.0);
    }
    let (rows, square) = (rows as f64, Z * Z);
    let share = right / rows;
    let middle = share + square / (2.0 * rows);
    let around = Z * (share * (1.0 - share) / rows + square / (4.0 * rows * rows)).max(0.0).sqrt();
    let part = |end: f64| (end / (1.0 + square / rows)).clamp(0.0, 1.0);
    // The share is inside; rounding does not put it out.
    (part(middle - around).min(share), part(middle + around).max(share))
}
