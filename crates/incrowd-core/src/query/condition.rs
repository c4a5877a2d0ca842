//! What a column's value must satisfy: any boolean formula about that one column.
//!
//! Truth has three values, as in SQL: a comparison with a missing value is neither true nor false, and stays so under
//! `NOT`. The same three values judge a text of which only the beginning is known.

use std::cmp::Ordering;

use super::{Literal, Pattern, Value};
use crate::Kind;

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }
    }

    fn is_ordering(self) -> bool {
        !matches!(self, Comparison::Equal | Comparison::NotEqual)
    }
}

/// A formula about one column.
///
/// ```
/// use incrowd_core::query::{Condition, Value};
/// let sales = Condition::one_of(["Sales", "Tech-support"]);
/// assert!(sales.holds(Value::Text("Sales")));
/// let others = Condition::Not(Box::new(sales));
/// assert!(others.holds(Value::Text("Farming")));
/// assert!(!others.holds(Value::Missing), "a missing value is neither in the list nor outside of it");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A comparison with a literal.
    Compare(Comparison, Literal),
    /// `IN`.
    In(Vec<Literal>),
    /// `LIKE`.
    Like(Pattern),
    /// `IS NULL`.
    IsMissing,
    /// `NOT`.
    Not(Box<Condition>),
    /// `AND`.
    All(Vec<Condition>),
    /// `OR`.
    Any(Vec<Condition>),
}

/// Why a condition does not fit the kind of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Numbers are compared with something that is no number, or days with something that is no day.
    NotOfTheKind,
    /// The order of texts is asked against a number without quotes.
    OrderOfTexts,
    /// `LIKE` on something that is no text.
    LikeOnNumbers,
}

impl Condition {
    /// `low <= value AND value <= high`.
    pub fn between(low: Literal, high: Literal) -> Self {
        Condition::All(vec![Condition::Compare(Comparison::AtLeast, low), Condition::Compare(Comparison::AtMost, high)])
    }

    /// The value is written like one of these; the empty text is the missing value.
    pub fn one_of<'a>(labels: impl IntoIterator<Item = &'a str>) -> Self {
        let (missing, present): (Vec<&str>, Vec<&str>) = labels.into_iter().partition(|label| label.is_empty());
        let among = Condition::In(present.into_iter().map(Literal::new).collect());
        if missing.is_empty() { among } else { Condition::Any(vec![among, Condition::IsMissing]) }
    }

    /// The value is written like this; nothing is the missing value.
    pub fn exactly(text: Option<&str>) -> Self {
        text.map_or(Condition::IsMissing, |text| Condition::In(vec![Literal::new(text)]))
    }

    /// `IS NOT NULL`.
    pub fn present() -> Self {
        Condition::Not(Box::new(Condition::IsMissing))
    }

    /// Both conditions.
    pub fn and(self, other: Condition) -> Self {
        match self {
            Condition::All(mut all) => {
                all.push(other);
                Condition::All(all)
            }
            one => Condition::All(vec![one, other]),
        }
    }

    /// Whether a value satisfies the condition.
    pub fn holds(&self, value: Value<'_>) -> bool {
        self.judge(&|atom| atom.atom_on_value(value)) == Some(true)
    }

    /// Whether texts that begin like this satisfy it; nothing when that depends on the rest.
    pub(super) fn on_prefix(&self, kept: &str) -> Option<bool> {
        self.judge(&|atom| atom.atom_on_prefix(kept))
    }

    /// Refuses comparisons that mean nothing for values of a kind.
    pub fn fits(&self, kind: Kind) -> Result<(), Misfit> {
        let of_the_kind = |literal: &Literal| match kind {
            Kind::Integer | Kind::Number => literal.number.is_some(),
            Kind::Date => literal.day.is_some(),
            Kind::Text => true,
        };
        match self {
            Condition::Compare(comparison, literal) => match kind {
                Kind::Text if literal.bare && comparison.is_ordering() => Err(Misfit::OrderOfTexts),
                _ if !of_the_kind(literal) => Err(Misfit::NotOfTheKind),
                _ => Ok(()),
            },
            Condition::In(literals) if !literals.iter().all(of_the_kind) => Err(Misfit::NotOfTheKind),
            Condition::Like(_) if kind != Kind::Text => Err(Misfit::LikeOnNumbers),
            Condition::In(_) | Condition::Like(_) | Condition::IsMissing => Ok(()),
            Condition::Not(inner) => inner.fits(kind),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().try_for_each(|part| part.fits(kind)),
        }
    }

    /// Whether it asks how a value is written.
    pub(super) fn reads_letters(&self) -> bool {
        match self {
            Condition::Like(_) => true,
            Condition::Compare(..) | Condition::In(_) | Condition::IsMissing => false,
            Condition::Not(inner) => inner.reads_letters(),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().any(Condition::reads_letters),
        }
    }

    /// Every literal that it names.
    pub(super) fn literals<'a>(&'a self, take: &mut impl FnMut(&'a Literal)) {
        match self {
            Condition::Compare(_, literal) => take(literal),
            Condition::In(literals) => literals.iter().for_each(take),
            Condition::Like(_) | Condition::IsMissing => {}
            Condition::Not(inner) => inner.literals(take),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| part.literals(take)),
        }
    }

    fn judge(&self, atom: &impl Fn(&Condition) -> Option<bool>) -> Option<bool> {
        /// The answer that decides, else nothing when some part is open, else the other one.
        fn decided(parts: impl Iterator<Item = Option<bool>>, deciding: bool) -> Option<bool> {
            let mut open = false;
            for part in parts {
                match part {
                    Some(answer) if answer == deciding => return Some(deciding),
                    Some(_) => {}
                    None => open = true,
                }
            }
            (!open).then_some(!deciding)
        }
        match self {
            Condition::Not(inner) => inner.judge(atom).map(|answer| !answer),
            Condition::All(parts) => decided(parts.iter().map(|part| part.judge(atom)), false),
            Condition::Any(parts) => decided(parts.iter().map(|part| part.judge(atom)), true),
            single => atom(single),
        }
    }

    fn atom_on_value(&self, value: Value<'_>) -> Option<bool> {
        match (self, value) {
            (Condition::IsMissing, _) => Some(value == Value::Missing),
            (_, Value::Missing) => None,
            (Condition::Compare(comparison, literal), _) => value.compare(literal).map(|order| comparison.holds(order)),
            (Condition::In(literals), _) => {
                Some(literals.iter().any(|literal| value.compare(literal) == Some(Ordering::Equal)))
            }
            (Condition::Like(pattern), _) => Some(pattern.matches(&value.label())),
            (Condition::Not(_) | Condition::All(_) | Condition::Any(_), _) => None,
        }
    }

    fn atom_on_prefix(&self, kept: &str) -> Option<bool> {
        let equal = |literal: &Literal| if literal.text.starts_with(kept) { None } else { Some(false) };
        match self {
            Condition::IsMissing => Some(false),
            Condition::In(literals) => {
                if literals.iter().any(|literal| equal(literal).is_none()) {
                    None
                } else {
                    Some(false)
                }
            }
            Condition::Compare(Comparison::Equal, literal) => equal(literal),
            Condition::Compare(Comparison::NotEqual, literal) => equal(literal).map(|answer| !answer),
            // The first letter that differs decides the order of texts, unless one ends before.
            Condition::Compare(comparison, literal) if !literal.text.starts_with(kept) => {
                Some(comparison.holds(kept.cmp(&literal.text)))
            }
            Condition::Like(pattern) => pattern.on_prefix(kept),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(comparison: Comparison, text: &str) -> Condition {
        Condition::Compare(comparison, Literal::new(text))
    }

    #[test]
    fn a_missing_value_satisfies_only_what_asks_for_it() {
        let less = compare(Comparison::Less, "5");
        let not_less = Condition::Not(Box::new(less.clone()));
        assert!(!less.holds(Value::Missing) && !not_less.holds(Value::Missing));
        assert!(Condition::Any(vec![less.clone(), Condition::IsMissing]).holds(Value::Missing));
        assert!(!Condition::All(vec![less, Condition::IsMissing]).holds(Value::Missing));
        assert!(Condition::one_of(["5", ""]).holds(Value::Missing));
        assert!(!Condition::present().holds(Value::Missing) && Condition::present().holds(Value::Integer(1)));
    }

    #[test]
    fn what_is_said_of_a_prefix_holds_for_every_text_that_begins_so() {
        use Comparison::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
        let letters = ["", "a", "b", "aa", "ab", "ba", "bb", "aab", "aba", "abb", "bab", "abab"];
        for text in letters {
            for comparison in [Equal, NotEqual, Less, AtMost, Greater, AtLeast] {
                let one = compare(comparison, text);
                let among = Condition::one_of([text, "zz"]);
                for condition in [one.clone(), Condition::Not(Box::new(one)), among] {
                    for kept in ["a", "b", "ab"] {
                        let outcome = |value: &&str| condition.holds(Value::Text(value));
                        let begun: Vec<bool> =
                            letters.iter().filter(|value| value.starts_with(kept)).map(outcome).collect();
                        if let Some(sure) = condition.on_prefix(kept) {
                            assert!(begun.iter().all(|&one| one == sure), "{condition:?} on {kept}…");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_condition_that_means_nothing_for_its_column_is_refused() {
        let order = Condition::Compare(Comparison::Less, Literal::bare("500"));
        assert_eq!(order.fits(Kind::Text), Err(Misfit::OrderOfTexts));
        assert_eq!(order.fits(Kind::Integer), Ok(()));
        assert_eq!(Condition::one_of(["x"]).fits(Kind::Number), Err(Misfit::NotOfTheKind));
        assert_eq!(Condition::one_of(["1980"]).fits(Kind::Date), Err(Misfit::NotOfTheKind));
        assert_eq!(
            Condition::Not(Box::new(Condition::Like(Pattern::new("1%")))).fits(Kind::Integer),
            Err(Misfit::LikeOnNumbers)
        );
    }
}
