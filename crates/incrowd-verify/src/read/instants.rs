//! Instants as texts: what the clock of their zone shows.

use arrow::array::timezone::Tz as FixedZone;
use arrow::array::{ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, TimeUnit};
use chrono::{DateTime, NaiveDateTime, Offset, TimeDelta, TimeZone};
use chrono_tz::Tz as NamedZone;

/// The texts of a column of instants; nothing if its zone is not known.
pub(crate) fn shown(array: &ArrayRef) -> Option<Vec<Option<String>>> {
    let DataType::Timestamp(unit, zone) = array.data_type() else { return None };
    let ahead = match zone {
        None => None,
        Some(zone) => Some(clock_of(zone)?),
    };
    let (second, digits) = match unit {
        TimeUnit::Second => (1, 0),
        TimeUnit::Millisecond => (1_000, 3),
        TimeUnit::Microsecond => (1_000_000, 6),
        TimeUnit::Nanosecond => (1_000_000_000, 9),
    };
    let numbers = cast(array, &DataType::Int64).ok()?;
    let text = |number: i64| {
        // Beyond the calendar there is a number and no time.
        let Some(time) = DateTime::from_timestamp(number.div_euclid(second), 0) else {
            return format!("instant {number}");
        };
        let time = time.naive_utc();
        let ahead = ahead.as_ref().map_or(0, |ahead| ahead(&time));
        let time = time.checked_add_signed(TimeDelta::seconds(ahead.into())).unwrap_or(time);
        let rest = number.rem_euclid(second);
        let clock = time.format("%Y-%m-%dT%H:%M:%S").to_string();
        if rest == 0 { clock } else { format!("{clock}.{rest:0digits$}") }
    };
    Some(numbers.as_primitive::<Int64Type>().iter().map(|number| number.map(text)).collect())
}

/// By how many seconds a clock is ahead of universal time at an instant.
type ZoneClock = Box<dyn Fn(&NaiveDateTime) -> i32>;

/// The clock of a zone; nothing for an unknown one.
fn clock_of(zone: &str) -> Option<ZoneClock> {
    if let Ok(named) = (if zone == "Z" { "UTC" } else { zone }).parse::<NamedZone>() {
        return Some(Box::new(move |time| named.offset_from_utc_datetime(time).fix().local_minus_utc()));
    }
    let fixed: FixedZone = zone.parse().ok()?;
    Some(Box::new(move |time| fixed.offset_from_utc_datetime(time).fix().local_minus_utc()))
}

/// The day of an instant at midnight; any other text unchanged.
pub(crate) fn day(text: &str) -> &str {
    text.strip_suffix("T00:00:00").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::TimestampMillisecondArray;

    use super::*;

    #[test]
    fn an_instant_is_what_the_clock_of_its_zone_shows() {
        let times = TimestampMillisecondArray::from(vec![Some(1_577_833_200_000), Some(1_577_833_200_050), None]);
        let told = |zone: Option<&str>| {
            let times = times.clone();
            shown(&(Arc::new(if let Some(zone) = zone { times.with_timezone(zone) } else { times }) as ArrayRef))
        };
        let texts = |texts: [Option<&str>; 3]| Some(texts.map(|text| text.map(str::to_string)).to_vec());
        assert_eq!(told(None), texts([Some("2019-12-31T23:00:00"), Some("2019-12-31T23:00:00.050"), None]));
        assert_eq!(
            told(Some("Europe/Berlin")),
            texts([Some("2020-01-01T00:00:00"), Some("2020-01-01T00:00:00.050"), None])
        );
        assert_eq!(told(Some("nowhere")), None);
    }

    #[test]
    fn each_unit_has_its_digits_and_times_before_1970_too() {
        use arrow::array::{Int64Array, TimestampMicrosecondArray, TimestampNanosecondArray, TimestampSecondArray};
        let told = |array: ArrayRef| shown(&array).expect("instants").remove(0).expect("an instant");
        let cases: [(ArrayRef, &str); 8] = [
            (Arc::new(TimestampSecondArray::from(vec![-1])), "1969-12-31T23:59:59"),
            (Arc::new(TimestampMillisecondArray::from(vec![-1])), "1969-12-31T23:59:59.999"),
            (Arc::new(TimestampMicrosecondArray::from(vec![1_000_001])), "1970-01-01T00:00:01.000001"),
            (Arc::new(TimestampNanosecondArray::from(vec![-1])), "1969-12-31T23:59:59.999999999"),
            (Arc::new(TimestampNanosecondArray::from(vec![1_000_000_000])), "1970-01-01T00:00:01"),
            (Arc::new(TimestampSecondArray::from(vec![i64::MAX])), "instant 9223372036854775807"),
            (Arc::new(TimestampSecondArray::from(vec![0]).with_timezone("+05:30")), "1970-01-01T05:30:00"),
            (Arc::new(TimestampSecondArray::from(vec![0]).with_timezone("Z")), "1970-01-01T00:00:00"),
        ];
        for (array, text) in cases {
            assert_eq!(told(array), text);
        }
        assert_eq!(shown(&(Arc::new(Int64Array::from(vec![0])) as ArrayRef)), None);
    }

    #[test]
    fn only_midnight_is_a_day() {
        for (text, told) in [("2020-01-01T00:00:00", "2020-01-01"), ("2020-01-01T00:00:01", "2020-01-01T00:00:01")] {
            assert_eq!(day(text), told);
        }
        assert_eq!(day("2020-01-01T00:00:00.5"), "2020-01-01T00:00:00.5");
    }
}
