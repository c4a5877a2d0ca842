//! What an attack on a release achieved: the same words for every attack, so that they can be laid side by side.

use serde::{Deserialize, Serialize};

/// What an attack achieved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The attack's id, such as `learning`.
    pub attack: String,
    /// The sensitive column that was guessed.
    pub column: String,
    /// The share of the rows that the adversary is right about.
    pub success: f64,
    /// The share without the attack: by what anybody reads in the release.
    pub baseline: f64,
    /// The lower end of the 95 % interval of the success.
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

/// A figure of one attack, by its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What was counted, such as `top_decile`.
    pub name: String,
    /// The number.
    pub value: f64,
}

impl Outcome {
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

/// The 95 % interval of a share that was met `right` times in `rows` (E. B. Wilson, JASA 1927). It stays between 0 and 1
/// and says something for few rows too. `right` may be an expectation.
///
/// ```
/// let (low, high) = incrowd_core::wilson(5.0, 10);
/// assert!((low - 0.2366).abs() < 1e-4 && (high - 0.7634).abs() < 1e-4);
/// assert_eq!(incrowd_core::wilson(0.0, 0), (0.0, 1.0));
/// ```
pub fn wilson(right: f64, rows: u64) -> (f64, f64) {
    /// Of a normal variable, 95 % are so many deviations around the mean.
    const Z: f64 = 1.959_963_984_540_054;
    if rows == 0 {
        return (0.0, 1.0);
    }
    let (rows, square) = (rows as f64, Z * Z);
    let share = right / rows;
    let middle = share + square / (2.0 * rows);
    let around = Z * (share * (1.0 - share) / rows + square / (4.0 * rows * rows)).max(0.0).sqrt();
    let part = |end: f64| (end / (1.0 + square / rows)).clamp(0.0, 1.0);
    (part(middle - around), part(middle + around))
}
