//! Effort: how much work a solver may do, counted in steps instead of seconds.
//!
//! A clock makes an answer depend on the machine and on its load. Work is counted instead: points of records that are
//! looked at, classes that are compared. A counter belongs to one sequential stretch of work ([`WorkCounter`]); work
//! that is done side by side gets shares that are fixed before it begins. So where a search ends does not depend on the
//! number of threads, and the same problem, seed and effort give the same answer.

use crate::Budget;
use crate::solver::numbers::whole_part;

/// Work units for each tuple at normal effort, up to [`FULL`] tuples. A unit is about 8 nanoseconds of one core,
/// measured on Adult (2026-11-18): 40 seconds of processor time for its 18,109 tuples at k = 10.
const UNITS: f64 = 300_000.0;
/// Number of tuples that get the full number of units each; the others get a [`BEYOND`]th part.
const FULL: u64 = 1 << 15;
/// See [`FULL`]: a long table takes longer, but not in proportion.
const BEYOND: f64 = 16.0;

/// How much work a solver may do: a multiple of the normal.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Effort(f64);

impl Effort {
    /// A twentieth of the normal.
    pub const LOW: Effort = Effort(0.05);
    /// The default.
    pub const NORMAL: Effort = Effort(1.0);
    /// Ten times the normal.
    pub const HIGH: Effort = Effort(10.0);

    /// A multiple of the normal effort, above 0 and at most a million.
    pub fn of(times: f64) -> Option<Effort> {
        (times > 0.0 && times <= 1e6).then_some(Effort(times))
    }

    /// The effort that a word or a number stands for.
    pub fn named(word: &str) -> Option<Effort> {
        match word {
            "low" => Some(Effort::LOW),
            "normal" => Some(Effort::NORMAL),
            "high" => Some(Effort::HIGH),
            number => Effort::of(number.parse().ok()?),
        }
    }

    /// How many times the normal effort it is.
    pub fn times(self) -> f64 {
        self.0
    }

    /// The work units for a table with this number of tuples.
    pub fn units(self, tuples: u64) -> u64 {
        let (full, beyond) = (tuples.min(FULL), tuples.saturating_sub(FULL));
        whole_part((self.0 * UNITS * (full as f64 + beyond as f64 / BEYOND)).max(1.0))
    }
}

impl Default for Effort {
    fn default() -> Self {
        Effort::NORMAL
    }
}

/// The work of one sequential stretch, counted against a budget.
pub(crate) struct WorkCounter<'a> {
    budget: &'a Budget,
    spent: u64,
    late: bool,
}

impl<'a> WorkCounter<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        WorkCounter { budget, spent: 0, late: false }
    }

    /// Counts units of work.
    pub(crate) fn spend(&mut self, units: u64) {
        self.spent = self.spent.saturating_add(units);
    }

    /// Whether the effort is spent, the time is over or the work was cancelled.
    pub(crate) fn is_over(&mut self) -> bool {
        if self.is_spent() {
            return true;
        }
        self.is_late()
    }

    /// Whether the time is over or the work was cancelled, however much effort is left.
    pub(crate) fn is_late(&mut self) -> bool {
        self.late |= self.budget.is_over();
        self.late
    }

    /// The budget it is counted against.
    pub(crate) fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// Whether the effort is spent.
    pub(crate) fn is_spent(&self) -> bool {
        self.budget.effort.is_some_and(|effort| self.spent >= effort)
    }

    /// Whether a deadline or a cancellation ended it.
    pub(crate) fn was_late(&self) -> bool {
        self.late
    }

    /// The units that were counted.
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_are_one_scale() {
        assert_eq!(Effort::named("normal"), Effort::of(1.0));
        assert_eq!(Effort::named("0.05"), Some(Effort::LOW));
        assert!(["0", "-1", "much", "NaN", "inf", ""].iter().all(|word| Effort::named(word).is_none()));
        assert_eq!(Effort::HIGH.units(1000), 200 * Effort::LOW.units(1000));
    }

    #[test]
    fn longer_tables_get_more_work_but_not_in_proportion() {
        let units = |tuples| Effort::NORMAL.units(tuples);
        assert_eq!(units(2 * 1024), 2 * units(1024));
        assert!(units(1 << 20) > 2 * units(1 << 15) && units(1 << 20) < 4 * units(1 << 15));
        assert!(Effort::of(1e-6).is_some_and(|least| least.units(0) == 1));
    }

    #[test]
    fn effort_that_is_spent_is_not_lateness() {
        let budget = Budget { effort: Some(10), ..Budget::default() };
        let mut work = WorkCounter::new(&budget);
        assert!(!work.is_over());
        work.spend(10);
        assert!(work.is_over() && !work.was_late());
        let late = Budget { deadline: Some(std::time::Instant::now()), ..Budget::default() };
        let mut work = WorkCounter::new(&late);
        assert!(work.is_over() && work.was_late());
    }
}
