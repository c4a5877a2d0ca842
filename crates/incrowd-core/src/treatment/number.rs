//! Rounding, top coding and bottom coding of numbers.

use std::fmt;

use super::decimal::Decimal;
use super::draws::RandomWords;

/// What is done to a number: first it is moved into its bounds, then rounded. The bounds are multiples of the base, so that a
/// rounded number is within them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumberTreatment {
    /// Smaller numbers are published as this one.
    pub bottom: Option<Decimal>,
    /// Larger numbers are published as this one.
    pub top: Option<Decimal>,
    /// The nearest multiple of this number is published; of two that are equally near, the one farther from 0.
    pub base: Option<Decimal>,
    /// Whether the lower or the upper multiple is drawn instead, so that the mean of what is published is the number.
    pub at_random: bool,
}

impl NumberTreatment {
    /// `round:BASE` or `random-round:BASE`, `top:N` and `bottom:N`, each at most once and separated by commas. Nothing for other texts, for a base
    /// that is not above 0, and for bounds that are in the wrong order or no multiples of the base.
    pub(super) fn parse(text: &str) -> Option<NumberTreatment> {
        let mut treatment = NumberTreatment::default();
        for part in text.split(',') {
            let (word, number) = part.split_once(':')?;
            let place = match word {
                "bottom" => &mut treatment.bottom,
                "top" => &mut treatment.top,
                "round" | "random-round" => {
                    treatment.at_random = word == "random-round";
                    &mut treatment.base
                }
                _ => return None,
            };
            if place.replace(Decimal::parse(number)?).is_some() {
                return None;
            }
        }
        treatment.is_sound().then_some(treatment)
    }

    fn is_sound(&self) -> bool {
        let is_multiple = |bound: Decimal| self.base.is_none_or(|base| bound.rounded(base) == Some(bound));
        self.base.is_none_or(Decimal::is_positive)
            && [self.bottom, self.top].into_iter().flatten().all(is_multiple)
            && self.bottom.is_none_or(|bottom| self.top.is_none_or(|top| bottom.is_below(top)))
    }

    /// What is published of a number; nothing when its digits do not suffice.
    pub(super) fn applied(&self, number: Decimal) -> Option<Decimal> {
        let number = self.bottom.filter(|bottom| number.is_below(*bottom)).unwrap_or(number);
        let number = self.top.filter(|top| top.is_below(number)).unwrap_or(number);
        self.base.map_or(Some(number), |base| number.rounded(base))
    }

    /// What is published of a number when it is rounded at random.
    pub(super) fn drawn(&self, number: Decimal, words: RandomWords<'_>) -> Option<Decimal> {
        let in_bounds = NumberTreatment { base: None, ..*self }.applied(number)?;
        self.base.map_or(Some(in_bounds), |base| in_bounds.randomly_rounded(base, words))
    }

    /// What a column with it is, in words that follow “is published”.
    pub(super) fn words(&self) -> String {
        let parts = [
            self.bottom.map(|bottom| format!("bottom-coded at {bottom}")),
            self.top.map(|top| format!("top-coded at {top}")),
            self.base.map(|base| {
                let how = if self.at_random { "randomly rounded" } else { "rounded" };
                format!("{how} to multiples of {base}")
            }),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for NumberTreatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let round = if self.at_random { "random-round" } else { "round" };
        let parts = [("bottom", self.bottom), ("top", self.top), (round, self.base)];
        let parts = parts.into_iter().filter_map(|(word, number)| Some(format!("{word}:{}", number?)));
        f.write_str(&parts.collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Treatment;

    #[test]
    fn a_treated_number_is_in_its_bounds_and_a_multiple_of_its_base() {
        let treatment: Treatment = "round:1000,top:200000,bottom:0".parse().expect("a treatment");
        assert_eq!(treatment.to_string(), "bottom:0,top:200000,round:1000");
        for (number, published) in
            [("52345.67", "52000"), ("1e6", "200000"), ("200499", "200000"), ("-3", "0"), ("199500", "200000")]
        {
            assert_eq!(treatment.of_number(number).as_deref(), Some(published), "{number}");
        }
        assert_eq!(treatment.of_number("none"), None);
    }

    #[test]
    fn a_randomly_rounded_number_is_the_number_on_average() {
        let treatment: Treatment = "bottom:0,top:100,random-round:10".parse().expect("a treatment");
        assert!(treatment.is_drawn());
        let published = |number: &str, word: u64| treatment.drawn_number(number, &mut || word);
        // 10 words, one of each remainder by 10.
        for (number, ups) in [("42", 2), ("-42", 0), ("49.5", 10), ("50", 0), ("99", 9), ("142", 0)] {
            let cells: Vec<String> = (0..10).map(|word| published(number, word).expect("a number")).collect();
            let low = cells.iter().min_by_key(|cell| cell.parse::<i64>().expect("whole")).expect("cells");
            assert_eq!(cells.iter().filter(|cell| *cell != low).count(), ups % 10, "{number}: {cells:?}");
        }
        let mean = |number: &str, words: u64| {
            let sum: f64 = (0..words)
                .map(|word| published(number, word).expect("a number").parse::<f64>().expect("a number"))
                .sum();
            sum / words as f64
        };
        assert!((mean("42", 1000) - 42.0).abs() < 1e-9);
        assert!((mean("42.25", 1000) - 42.25).abs() < 1e-9, "1000 words have each remainder by 10.00 once");
    }

    #[test]
    fn an_interval_holds_its_number() {
        let treatment: Treatment = "bins:2.5".parse().expect("a treatment");
        for (number, published) in [("2.5", "[2.5, 5)"), ("0", "[0, 2.5)"), ("-0.1", "[-2.5, 0)")] {
            assert_eq!(treatment.of_number(number).as_deref(), Some(published), "{number}");
        }
    }

    #[test]
    fn bounds_that_rounding_would_cross_are_refused() {
        for text in ["top:95,round:10", "bottom:5,round:10", "bottom:2,top:1", "bottom:1,top:1"] {
            assert_eq!(NumberTreatment::parse(text), None, "{text}");
        }
        assert!(NumberTreatment::parse("bottom:-10,top:90,round:10").is_some());
    }
}
