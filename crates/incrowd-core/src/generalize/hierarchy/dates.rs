//! The calendar as a hierarchy: day, month, quarter, year, decade, `*`.

use chrono::{Datelike, NaiveDate};

use super::{Hierarchy, HierarchyError};
use crate::{Dictionary, Values, date_label};

impl Hierarchy {
    /// Days below months (`1980-03`), quarters (`1980-Q1`), years (`1980`), decades (`1980s`) and `*`.
    ///
    /// ```
    /// use incrowd_core::{Dictionary, Hierarchy, Values};
    /// let days = Dictionary::new(Values::Dates(vec![0, 31]), false);
    /// assert_eq!(
    ///     Hierarchy::dates(&days)?.write(),
    ///     "1970-01-01;1970-01;1970-Q1;1970;1970s;*\n1970-02-01;1970-02;1970-Q1;1970;1970s;*\n"
    /// );
    /// # Ok::<(), incrowd_core::HierarchyError>(())
    /// ```
    pub fn dates(dictionary: &Dictionary) -> Result<Self, HierarchyError> {
        let Values::Dates(days) = dictionary.values() else {
            return Err(HierarchyError::WrongKind { wanted: "dates", kind: dictionary.kind().name() });
        };
        Self::from_values(dictionary, 5, |index, line| match NaiveDate::from_epoch_days(days[index]) {
            Some(day) => {
                let year = day.year();
                line.push(format!("{year:04}-{:02}", day.month()));
                line.push(format!("{year:04}-Q{}", day.month0() / 3 + 1));
                line.push(format!("{year:04}"));
                line.push(format!("{:04}s", year - year.rem_euclid(10)));
            }
            // A day beyond the calendar is a node of its own up to the root.
            None => line.resize(5, date_label(days[index])),
        })
    }
}
