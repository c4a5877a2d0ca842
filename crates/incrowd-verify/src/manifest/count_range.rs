//! A count as a manifest states it: exactly, or as a range.
//!
//! The number of suppressed rows is stated as a range when the policy allows rows to be suppressed, so that a small
//! count cannot be read off. Older manifests state the number itself.

use serde::{Deserialize, Serialize};

/// A count between two ends, both included. In JSON a number when both are the same, else `{"from": …, "to": …}`.
///
/// ```
/// use incrowd_verify::Count;
/// let told = |text: &str| serde_json::from_str::<Count>(text);
/// assert_eq!(told("7")?, Count::from(7));
/// assert!(told(r#"{"from": 0, "to": 9}"#)?.contains(9));
/// assert!(told(r#"{"from": 9, "to": 0}"#).is_err());
/// assert_eq!(serde_json::to_string(&Count::from(7))?, "7");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenCount", into = "WrittenCount")]
pub struct Count {
    from: u64,
    to: u64,
}

impl Count {
    /// A count between two ends; nothing when the first is the larger.
    pub fn between(from: u64, to: u64) -> Option<Count> {
        (from <= to).then_some(Count { from, to })
    }

    /// The least that it can be.
    pub fn least(self) -> u64 {
        self.from
    }

    /// The most that it can be.
    pub fn most(self) -> u64 {
        self.to
    }

    /// The number itself, when it is stated.
    pub fn exact(self) -> Option<u64> {
        (self.from == self.to).then_some(self.from)
    }

    /// Whether the count can be this number.
    pub fn contains(self, count: u64) -> bool {
        (self.from..=self.to).contains(&count)
    }
}

impl From<u64> for Count {
    fn from(count: u64) -> Count {
        Count { from: count, to: count }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.exact() {
            Some(count) => write!(f, "{count}"),
            None => write!(f, "{} to {}", self.from, self.to),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenCount {
    Exact(u64),
    Ends(CountEnds),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CountEnds {
    from: u64,
    to: u64,
}

impl TryFrom<WrittenCount> for Count {
    type Error = &'static str;

    fn try_from(written: WrittenCount) -> Result<Count, &'static str> {
        match written {
            WrittenCount::Exact(count) => Ok(count.into()),
            WrittenCount::Ends(CountEnds { from, to }) => {
                Count::between(from, to).ok_or("a range whose start is above its end")
            }
        }
    }
}

impl From<Count> for WrittenCount {
    fn from(Count { from, to }: Count) -> WrittenCount {
        if from == to { WrittenCount::Exact(from) } else { WrittenCount::Ends(CountEnds { from, to }) }
    }
}
