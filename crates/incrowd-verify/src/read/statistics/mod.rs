//! Files of Stata, SPSS and SAS (transport) as CSV: how the verifier reads an original that a statistics package wrote, and a release in
//! such a format.
//!
//! The whole table is in memory, column by column. A value that the file declares missing is missing. A column in which
//! every value has a label, and no two have the same one, is taken by its labels.

mod spss;
mod stata;
mod xport;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use chrono::{Days, NaiveDate, TimeDelta};
use encoding_rs::Encoding;

use super::ReadError;

/// A column with all its cells, as texts.
#[derive(Debug, Default)]
pub(super) struct LabelledColumn {
    name: String,
    /// What the column is about.
    about: String,
    cells: Vec<Option<String>>,
    labels: BTreeMap<String, String>,
}

/// The package of a file, by its name.
fn package(path: &Path) -> Option<Package> {
    match path.extension()?.to_string_lossy().to_lowercase().as_str() {
        "dta" => Some(Package::Stata),
        "sav" | "zsav" => Some(Package::Spss),
        "xpt" => Some(Package::SasTransport),
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Package {
    Stata,
    Spss,
    SasTransport,
}

/// Whether a file is one of a statistics package, by its name.
pub(crate) fn is_statistics(path: &Path) -> bool {
    package(path).is_some()
}

fn columns(path: &Path, encoding: Option<&'static Encoding>) -> Result<Vec<LabelledColumn>, ReadError> {
    super::guarded(|| {
        let bytes = std::fs::read(path).map_err(|_| ReadError::unreadable("it cannot be read"))?;
        let read = match package(path) {
            Some(Package::Stata) => stata::columns(&bytes, encoding),
            Some(Package::Spss) => spss::columns(&bytes, encoding),
            Some(Package::SasTransport) => xport::columns(&bytes, encoding),
            None => None,
        };
        // What a library says may quote a value.
        read.ok_or_else(|| ReadError::unreadable("it cannot be read as a file of its package"))
    })
}

/// The table as CSV. Where the file does not say how texts are encoded, they are UTF-8 or what is given.
pub(crate) fn statistics_as_csv(path: &Path, encoding: Option<&'static Encoding>) -> Result<Arc<[u8]>, ReadError> {
    let unreadable = || ReadError::unreadable("its rows cannot be read");
    let mut columns = columns(path, encoding)?;
    columns.iter_mut().for_each(LabelledColumn::take_labels);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns.iter().map(|column| &column.name)).map_err(|_| unreadable())?;
    for row in 0..columns.first().map_or(0, |column| column.cells.len()) {
        let cells = columns.iter().map(|column| column.cells[row].as_deref().unwrap_or(""));
        writer.write_record(cells).map_err(|_| unreadable())?;
    }
    writer.into_inner().map(Into::into).map_err(|_| unreadable())
}

/// The labels in a file.
pub(crate) struct LabelTexts {
    /// Of its columns.
    pub(crate) of_columns: Vec<String>,
    /// Whether a value has a label that no row has.
    pub(crate) has_unused_value: bool,
}

/// All labels in a file.
pub(crate) fn label_texts_of(path: &Path) -> Result<LabelTexts, ReadError> {
    let columns = columns(path, None)?;
    let is_unused = |column: &LabelledColumn| {
        let present: BTreeSet<&str> = column.cells.iter().flatten().map(String::as_str).collect();
        column.labels.keys().any(|value| !present.contains(value.as_str()))
    };
    let has_unused_value = columns.iter().any(is_unused);
    let of_columns = columns.into_iter().map(|column| column.about).collect();
    Ok(LabelTexts { of_columns, has_unused_value })
}

impl LabelledColumn {
    fn take_labels(&mut self) {
        let present: BTreeSet<&String> = self.cells.iter().flatten().collect();
        let labels: BTreeSet<&String> =
            present.iter().filter_map(|value| self.labels.get(*value)).filter(|label| !label.is_empty()).collect();
        if labels.len() != present.len() {
            return;
        }
        let labelled = |cell: &Option<String>| cell.as_ref().and_then(|value| self.labels.get(value)).cloned();
        self.cells = self.cells.iter().map(labelled).collect();
    }
}

/// The day that is a number of days after another one.
fn day(first: NaiveDate, days: f64) -> Option<String> {
    moment(first, days * 86_400.0).map(|moment| moment.format("%Y-%m-%d").to_string())
}

/// The instant that is a number of seconds after the beginning of a day.
fn instant(first: NaiveDate, seconds: f64) -> Option<String> {
    let moment = moment(first, seconds)?;
    let milliseconds = moment.and_utc().timestamp_subsec_millis();
    let text = moment.format("%Y-%m-%dT%H:%M:%S").to_string();
    Some(if milliseconds > 0 { format!("{text}.{milliseconds:03}") } else { text })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the size is looked at")]
fn moment(first: NaiveDate, seconds: f64) -> Option<chrono::NaiveDateTime> {
    let days = (seconds / 86_400.0).floor();
    let rest = TimeDelta::milliseconds(((seconds - days * 86_400.0) * 1000.0).round() as i64);
    let date = match days {
        days if days.is_nan() || days.abs() > 4e6 => return None,
        days if days < 0.0 => first.checked_sub_days(Days::new(-days as u64))?,
        days => first.checked_add_days(Days::new(days as u64))?,
    };
    date.and_hms_opt(0, 0, 0)?.checked_add_signed(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(cells: &[&str], labels: &[(&str, &str)]) -> LabelledColumn {
        LabelledColumn {
            cells: cells.iter().map(|cell| (!cell.is_empty()).then(|| (*cell).to_owned())).collect(),
            labels: labels.iter().map(|&(value, label)| (value.to_owned(), label.to_owned())).collect(),
            ..LabelledColumn::default()
        }
    }

    #[test]
    fn labels_are_taken_only_where_each_value_has_its_own() {
        let taken = |mut column: LabelledColumn| {
            column.take_labels();
            column.cells.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>()
        };
        assert_eq!(taken(column(&["1", "", "2"], &[("1", "man"), ("2", "woman")])), ["man", "", "woman"]);
        assert_eq!(taken(column(&["34", "99"], &[("99", "refused")])), ["34", "99"]);
        assert_eq!(taken(column(&["1", "2"], &[("1", "north"), ("2", "north")])), ["1", "2"]);
    }

    #[test]
    fn days_and_instants_are_counted_from_the_first() {
        let first = NaiveDate::from_ymd_opt(1960, 1, 1).expect("a day");
        assert_eq!(day(first, -1.0).as_deref(), Some("1959-12-31"));
        assert_eq!(instant(first, 86_400.25).as_deref(), Some("1960-01-02T00:00:00.250"));
        assert_eq!(day(first, f64::NAN), None);
    }

    #[test]
    fn the_package_is_told_by_the_name_in_any_case() {
        let known = |name: &str| match package(Path::new(name)) {
            Some(Package::Stata) => "stata",
            Some(Package::Spss) => "spss",
            Some(Package::SasTransport) => "sas",
            None => "none",
        };
        let names = ["a.dta", "A.DTA", "a.sav", "a.ZSAV", "a.xpt", "a.csv", "a.dta.csv", "dta", "a."];
        let packages = ["stata", "stata", "spss", "spss", "sas", "none", "none", "none", "none"];
        assert_eq!(names.map(known), packages);
        assert_eq!(names.map(|name| is_statistics(Path::new(name))), packages.map(|name| name != "none"));
    }

    #[test]
    fn a_day_or_an_instant_is_exact_and_within_the_calendar() {
        let first = NaiveDate::from_ymd_opt(1960, 1, 1).expect("a day");
        let days = [(0.0, "1960-01-01"), (1.5, "1960-01-02"), (366.0, "1961-01-01"), (-0.5, "1959-12-31")];
        for (number, text) in days {
            assert_eq!(day(first, number).as_deref(), Some(text));
        }
        let instants = [
            (0.0, "1960-01-01T00:00:00"),
            (1.0, "1960-01-01T00:00:01"),
            (-0.5, "1959-12-31T23:59:59.500"),
            (172_799.001, "1960-01-02T23:59:59.001"),
            (86_399.999_9, "1960-01-02T00:00:00"),
        ];
        for (number, text) in instants {
            assert_eq!(instant(first, number).as_deref(), Some(text));
        }
        for days in [4e6, -4e6] {
            assert!(day(first, days).is_some() && day(first, days + days.signum()).is_none());
        }
        for none in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            assert_eq!((day(first, none), instant(first, none)), (None, None));
        }
    }

    /// An SPSS file with two columns of numbers, of which the first has labels.
    fn sav(labels: &[(f64, &str)], rows: &[[f64; 2]]) -> tempfile::NamedTempFile {
        let ints = |numbers: &[i32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let few = |many: usize| i32::try_from(many).expect("few");
        let mut file = format!("$FL2{:60}", "").into_bytes();
        file.extend(ints(&[2, 2, 0, 0, few(rows.len())]));
        file.resize(176, 0);
        for (name, about) in [("SEX     ", "sex "), ("PAY     ", "wage")] {
            file.extend([ints(&[2, 0, 1, 0, 0, 0]), name.into(), ints(&[4]), about.into()].concat());
        }
        file.extend(ints(&[3, few(labels.len())]));
        for (value, label) in labels {
            file.extend(value.to_le_bytes());
            file.push(u8::try_from(label.len()).expect("short"));
            file.extend(format!("{label:7}").bytes());
        }
        file.extend(ints(&[4, 1, 1, 999, 0]));
        file.extend(rows.iter().flatten().flat_map(|number| number.to_le_bytes()));
        let saved = tempfile::Builder::new().suffix(".sav").tempfile().expect("a temporary file");
        std::fs::write(saved.path(), file).expect("the disk has room");
        saved
    }

    #[test]
    fn a_table_is_its_names_and_rows_with_labels_in_place_of_values() {
        let file = sav(&[(1.0, "man"), (2.0, "woman")], &[[1.0, 30.5], [-f64::MAX, 20.0], [2.0, -f64::MAX]]);
        let csv = statistics_as_csv(file.path(), None).expect("a table");
        assert_eq!(std::str::from_utf8(&csv), Ok("SEX,PAY\nman,30.5\n,20\nwoman,\n"));
        let bare = sav(&[], &[]);
        assert_eq!(*statistics_as_csv(bare.path(), None).expect("a table"), *b"SEX,PAY\n");
    }

    #[test]
    fn labels_of_columns_are_told_and_whether_a_value_is_not_used() {
        let told = |labels: &[(f64, &str)]| {
            let told = label_texts_of(sav(labels, &[[1.0, 3.0], [2.0, 3.0]]).path()).expect("a table");
            assert_eq!(told.of_columns, ["sex", "wage"]);
            told.has_unused_value
        };
        assert!(!told(&[]) && !told(&[(1.0, "man")]) && !told(&[(1.0, "man"), (2.0, "woman")]));
        assert!(told(&[(3.0, "other")]) && told(&[(1.0, "man"), (3.0, "other")]));
    }

    #[test]
    fn a_file_that_is_not_read_says_no_more_than_that() {
        let refused = |path: &Path| match columns(path, None) {
            Err(ReadError::Unreadable(why)) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(Path::new("gone.sav")), "it cannot be read");
        for suffix in [".sav", ".dta", ".xpt", ".csv"] {
            let file = tempfile::Builder::new().suffix(suffix).tempfile().expect("a temporary file");
            assert_eq!(refused(file.path()), "it cannot be read as a file of its package");
        }
    }
}
