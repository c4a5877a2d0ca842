//! Values between two ends that are not listed: integers and days are counted, other numbers are measured.
//!
//! A condition changes its answer only at the values it names. So a stretch is cut there, and one value of each piece
//! speaks for the piece.

use super::tally::ConditionTally;
use super::{Condition, Value};

/// More numbers than these are not tested one by one.
const MOST_READ: f64 = 100_000.0;

/// Stretches that are sorted and do not overlap.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ranges {
    /// Integers, both ends in it.
    Whole(Vec<(i64, i64)>),
    /// Days since 1970-01-01, both ends in it.
    Days(Vec<(i64, i64)>),
    /// Numbers, the lower end in it; the upper one when it is closed.
    Real(Vec<(f64, f64, bool)>),
}

impl Ranges {
    /// Integers or days that are in any of the stretches.
    pub(super) fn united(mut stretches: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
        stretches.sort_unstable();
        let mut united: Vec<(i64, i64)> = Vec::new();
        for (lo, hi) in stretches {
            match united.last_mut() {
                Some(last) if lo <= last.1.saturating_add(1) => last.1 = last.1.max(hi),
                _ => united.push((lo, hi)),
            }
        }
        united
    }

    /// Numbers that are in any of the stretches.
    pub(super) fn united_reals(mut stretches: Vec<(f64, f64, bool)>) -> Vec<(f64, f64, bool)> {
        stretches.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut united: Vec<(f64, f64, bool)> = Vec::new();
        for (lo, hi, closed) in stretches {
            match united.last_mut() {
                Some(last) if lo <= last.1 => {
                    (last.1, last.2) =
                        if hi > last.1 { (hi, closed) } else { (last.1, last.2 || hi == last.1 && closed) };
                }
                _ => united.push((lo, hi, closed)),
            }
        }
        united
    }

    /// Adds up how much of the stretches satisfies the condition.
    pub(super) fn tally(&self, condition: &Condition, tally: &mut ConditionTally) {
        match self {
            Ranges::Whole(stretches) if condition.reads_letters() => by_letters(stretches, condition, tally),
            Ranges::Whole(stretches) => whole(stretches, condition, tally, Value::Integer, |literal| {
                literal.whole.map(|whole| (whole, whole.saturating_add(1))).or_else(|| {
                    // A number between two whole ones parts them; beyond all of them it parts nothing.
                    let number = literal.number?;
                    Some((saturating(number.ceil()), saturating(number.floor()).saturating_add(1)))
                })
            }),
            Ranges::Days(stretches) => {
                // The ends of a stretch are days, which have 32 bits.
                let value = |day: i64| Value::Day(i32::try_from(day).unwrap_or(i32::MAX));
                whole(stretches, condition, tally, value, |literal| {
                    literal.day.map(|day| (day.into(), i64::from(day) + 1))
                });
            }
            Ranges::Real(stretches) => reals(stretches, condition, tally),
        }
    }
}

/// An integer with 64 bits; the smallest or the largest one for a number beyond.
#[allow(clippy::cast_possible_truncation)]
fn saturating(number: f64) -> i64 {
    number as i64
}

fn whole(
    stretches: &[(i64, i64)],
    condition: &Condition,
    tally: &mut ConditionTally,
    value: impl Fn(i64) -> Value<'static>,
    cut: impl Fn(&super::Literal) -> Option<(i64, i64)>,
) {
    let mut cuts: Vec<i64> = Vec::new();
    condition.literals(&mut |literal| cuts.extend(cut(literal).into_iter().flat_map(|(at, after)| [at, after])));
    cuts.sort_unstable();
    for &(lo, hi) in stretches {
        let starts = std::iter::once(lo).chain(cuts.iter().copied().filter(|&at| at > lo && at <= hi));
        let mut starts = starts.peekable();
        while let Some(start) = starts.next() {
            let end = starts.peek().map_or(hi, |&next| next - 1);
            if end >= start {
                let measure = end as f64 - start as f64 + 1.0;
                tally.add(measure, condition.holds(value(start)), (start as f64, end as f64));
            }
        }
    }
}

/// Integers under a condition about how they are written: each separately, or half of them when they are many.
fn by_letters(stretches: &[(i64, i64)], condition: &Condition, tally: &mut ConditionTally) {
    for &(lo, hi) in stretches {
        let (ends, measure) = ((lo as f64, hi as f64), hi as f64 - lo as f64 + 1.0);
        if measure <= MOST_READ {
            let number = |whole: i64| (whole as f64, whole as f64);
            (lo..=hi).for_each(|whole| tally.add(1.0, condition.holds(Value::Integer(whole)), number(whole)));
        } else {
            tally.add(measure / 2.0, true, ends);
            tally.add(measure / 2.0, false, ends);
        }
    }
}

fn reals(stretches: &[(f64, f64, bool)], condition: &Condition, tally: &mut ConditionTally) {
    let mut cuts: Vec<f64> = Vec::new();
    condition.literals(&mut |literal| cuts.extend(literal.number));
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    for &(lo, hi, closed) in stretches {
        let inner = cuts.iter().copied().filter(|&at| at > lo && at < hi);
        let points: Vec<f64> = std::iter::once(lo).chain(inner).collect();
        // A single number has no length; it counts as much as a stretch of the length 1 would.
        let point = if hi > lo { 0.0 } else { 1.0 };
        for (at, &start) in points.iter().enumerate() {
            tally.add(point, condition.holds(Value::Number(start)), (start, start));
            let end = points.get(at + 1).copied().unwrap_or(hi);
            if end > start {
                let middle = start + (end - start) / 2.0;
                tally.add(end - start, condition.holds(Value::Number(middle)), (start, end));
            }
        }
        if closed && hi > lo {
            tally.add(0.0, condition.holds(Value::Number(hi)), (hi, hi));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Comparison, Literal};
    use super::*;

    #[test]
    fn cutting_a_stretch_counts_as_looking_at_every_number() {
        use Comparison::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
        let stretches = vec![(-3, 4), (7, 7), (9, 15)];
        let literals = ["-5", "-3", "0", "2.5", "4", "7", "8", "12.0", "15", "99"];
        for first in literals {
            for second in literals {
                for comparison in [Equal, NotEqual, Less, AtMost, Greater, AtLeast] {
                    let one = Condition::Compare(comparison, Literal::bare(first));
                    let other = Condition::Not(Box::new(Condition::one_of([second, "3"])));
                    for condition in [one.clone().and(other.clone()), Condition::Any(vec![one, other])] {
                        let mut tally = ConditionTally::default();
                        Ranges::Whole(stretches.clone()).tally(&condition, &mut tally);
                        let all: Vec<i64> = stretches.iter().flat_map(|&(lo, hi)| lo..=hi).collect();
                        let held: Vec<i64> =
                            all.iter().copied().filter(|&n| condition.holds(Value::Integer(n))).collect();
                        let spread = tally.spread();
                        let share = held.len() as f64 / all.len() as f64;
                        let moment = held.iter().sum::<i64>() as f64 / all.len() as f64;
                        assert!((spread.share.share - share).abs() < 1e-12, "{condition:?}");
                        assert!((spread.moment - moment).abs() < 1e-9, "{condition:?}");
                        assert_eq!((spread.share.all, spread.share.any), (held.len() == all.len(), !held.is_empty()));
                        if let (Some(&low), Some(&high)) = (held.first(), held.last()) {
                            assert_eq!((spread.low, spread.high), (low as f64, high as f64), "{condition:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_are_measured_by_length_and_their_ends_decide_what_is_certain() {
        let judged = |stretch: (f64, f64, bool), condition: &Condition| {
            let mut tally = ConditionTally::default();
            Ranges::Real(vec![stretch]).tally(condition, &mut tally);
            let share = tally.spread().share;
            (share.share, share.all, share.any)
        };
        let at_least = |text: &str| Condition::Compare(Comparison::AtLeast, Literal::bare(text));
        assert_eq!(judged((0.0, 2.0, false), &at_least("0.5")), (0.75, false, true));
        assert_eq!(judged((0.0, 2.0, false), &at_least("2")), (0.0, false, false));
        assert_eq!(judged((0.0, 2.0, true), &at_least("2")), (0.0, false, true));
        assert_eq!(judged((1.0, 1.0, true), &at_least("1")), (1.0, true, true));
    }

    #[test]
    fn stretches_that_meet_become_one() {
        assert_eq!(Ranges::united(vec![(5, 9), (1, 2), (3, 3), (8, 12)]), [(1, 3), (5, 12)]);
        let reals = vec![(0.0, 1.0, false), (1.0, 2.0, true), (3.0, 4.0, true), (3.0, 4.0, false)];
        assert_eq!(Ranges::united_reals(reals), [(0.0, 2.0, true), (3.0, 4.0, true)]);
    }
}
