//! Instants with a time zone, as the clock in that zone shows them.
//!
//! Such a column holds instants of universal time and the name of a zone. Midnight in Berlin is an hour or two earlier
//! in universal time, on the day before. A day that is published has to be the day that the table means, so instants
//! are taken as local time before anything else is done with them.

use std::sync::Arc;

use arrow::array::timezone::Tz as Distance;
use arrow::array::{ArrayRef, AsArray, Int64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use chrono::{DateTime, NaiveDateTime, Offset, TimeZone};

use crate::source::instants::ticks;

/// A zone by its name, or by its distance from universal time, such as `+02:00`.
enum Zone {
    Named(chrono_tz::Tz),
    Fixed(Distance),
}

impl Zone {
    fn parse(zone: &str) -> Option<Zone> {
        zone.parse().map(Zone::Named).ok().or_else(|| zone.parse().map(Zone::Fixed).ok())
    }

    fn seconds_ahead(&self, universal: &NaiveDateTime) -> i32 {
        match self {
            Zone::Named(zone) => zone.offset_from_utc_datetime(universal).fix().local_minus_utc(),
            Zone::Fixed(zone) => zone.offset_from_utc_datetime(universal).fix().local_minus_utc(),
        }
    }
}

/// The type of a column when its instants are taken as local time; the same type where nothing changes.
pub(crate) fn local_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Timestamp(unit, Some(zone)) if !is_universal(zone) => DataType::Timestamp(*unit, None),
        other => other.clone(),
    }
}

/// Whether the zone of a type, if it has one, is known.
pub(crate) fn is_known(data_type: &DataType) -> bool {
    match data_type {
        DataType::Timestamp(_, Some(zone)) => is_universal(zone) || Zone::parse(zone).is_some(),
        _ => true,
    }
}

/// The instants of a column with a time zone as local time; nothing where there is nothing to do.
pub(crate) fn as_local(array: &ArrayRef) -> Option<ArrayRef> {
    let DataType::Timestamp(unit, Some(zone)) = array.data_type() else { return None };
    let zone = if is_universal(zone) { return None } else { Zone::parse(zone)? };
    let second = ticks(array.data_type())?;
    let instants = cast(array, &DataType::Int64).ok()?;
    let local = |instant: i64| {
        let universal = DateTime::from_timestamp(instant.div_euclid(second), 0);
        // An instant beyond the calendar has no local time and keeps its number.
        let offset = universal.map_or(0, |time| zone.seconds_ahead(&time.naive_utc()));
        instant.saturating_add(i64::from(offset) * second)
    };
    let shown: Int64Array = instants.as_primitive::<Int64Type>().iter().map(|instant| instant.map(local)).collect();
    cast(&(Arc::new(shown) as ArrayRef), &DataType::Timestamp(*unit, None)).ok()
}

/// Zones whose clock shows universal time all year.
fn is_universal(zone: &str) -> bool {
    matches!(zone, "UTC" | "Etc/UTC" | "Z" | "+00:00" | "-00:00" | "+0000" | "GMT" | "Etc/GMT" | "Zulu" | "Universal")
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, TimestampSecondArray};

    use super::*;

    #[test]
    fn midnight_in_a_zone_is_midnight_in_summer_and_in_winter() {
        // 2020-07-01 and 2020-01-01, midnight in Berlin.
        let berlin = TimestampSecondArray::from(vec![Some(1_593_554_400), Some(1_577_833_200), None]);
        let berlin: ArrayRef = Arc::new(berlin.with_timezone("Europe/Berlin"));
        let local = as_local(&berlin).expect("another time");
        let days = cast(&local, &DataType::Int64).expect("numbers");
        let days: Vec<Option<i64>> =
            days.as_primitive::<Int64Type>().iter().map(|at| at.map(|at| at % 86_400)).collect();
        assert_eq!(days, [Some(0), Some(0), None]);
        assert_eq!(local.data_type(), &local_type(berlin.data_type()));
    }

    #[test]
    fn universal_time_stays_and_an_unknown_zone_is_detected() {
        let utc: ArrayRef = Arc::new(TimestampSecondArray::from(vec![7]).with_timezone("UTC"));
        assert!(as_local(&utc).is_none());
        let seconds = |zone: &str| DataType::Timestamp(arrow::datatypes::TimeUnit::Second, Some(zone.into()));
        assert!(
            is_known(&seconds("Europe/Berlin")) && is_known(&seconds("+05:30")) && !is_known(&seconds("Mars/Olympus"))
        );
    }
}
