//! The settings that the arguments of several commands name.

use incrowd::request::{NamedSettings, Plan, partial_plan};
use incrowd::{Error, Format, ReadOptions, Settings};
use serde_json::Value;

use super::{ClusterArgs, InputFormat, ReadArgs, RoleArgs, RunArgs};

/// Settings without those that are not set.
fn given<const N: usize>(named: [(&str, Value); N]) -> NamedSettings {
    let says_nothing = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    let given = named.into_iter().filter(|(_, value)| !says_nothing(value));
    given.map(|(name, value)| (name.to_owned(), value)).collect()
}

impl ReadArgs {
    pub(crate) fn named(&self) -> NamedSettings {
        let dates = self.date_format.iter().map(|(column, format)| (column.clone(), format.as_str().into()));
        let mut named = given([
            ("delimiter", self.delimiter.map(|delimiter| char::from(delimiter).to_string()).into()),
            ("encoding", self.encoding.clone().into()),
            ("sheet", self.sheet.clone().into()),
            ("range", self.range.clone().into()),
            ("null", self.null.clone().into()),
            ("date_format", Value::Object(dates.collect())),
            ("decimal_comma", self.decimal_comma.clone().into()),
            ("input_format", self.input_format.map(InputFormat::word).into()),
            ("connection", self.connection.as_ref().map(|file| file.to_string_lossy().into_owned()).into()),
        ]);
        named.extend(header(self.header, self.no_header).map(|header| ("header".to_owned(), header.into())));
        named
    }

    /// How a table is read, as far as the arguments say so.
    pub(crate) fn options(&self) -> Result<ReadOptions, Error> {
        Ok(partial_plan(&self.named())?.read_options())
    }
}

impl RoleArgs {
    pub(crate) fn named(&self) -> NamedSettings {
        given([
            ("qi", self.qi.clone().into()),
            ("sensitive", self.sensitive.clone().into()),
            ("identifier", self.identifier.clone().into()),
            ("insensitive", self.insensitive.clone().into()),
            ("subject", self.subject.clone().into()),
            ("rows_are_people", self.rows_are_people.into()),
        ])
    }
}

impl RunArgs {
    /// What the run may use, as far as the arguments say so.
    pub(crate) fn settings(&self) -> Settings {
        Settings { memory: self.memory, threads: self.threads, temp: self.temp.clone() }
    }

    pub(crate) fn named(&self) -> NamedSettings {
        given([
            ("memory", self.memory.into()),
            ("threads", self.threads.into()),
            ("temp", self.temp.as_ref().map(|folder| folder.to_string_lossy().into_owned()).into()),
        ])
    }
}

impl ClusterArgs {
    pub(crate) fn named(&self) -> NamedSettings {
        given([("cluster", self.cluster.clone().into())])
    }
}

/// Whether the first line is a header, if it was given.
pub(crate) fn header(header: bool, no_header: bool) -> Option<bool> {
    (header || no_header).then_some(header)
}

impl InputFormat {
    pub(crate) fn format(self) -> Format {
        match self {
            InputFormat::Csv => Format::Csv,
            InputFormat::Parquet => Format::Parquet,
            InputFormat::Arrow => Format::Arrow,
            InputFormat::Xlsx => Format::Xlsx,
            InputFormat::Dta => Format::Dta,
            InputFormat::Sav => Format::Sav,
        }
    }

    /// The word for it in a plan.
    pub(crate) fn word(self) -> String {
        self.format().name().to_lowercase()
    }
}

/// The request of a command: its settings override those of the plan.
pub(crate) fn request(plan: Plan, named: &NamedSettings) -> Result<Plan, Error> {
    Ok(plan.overlay(partial_plan(named)?))
}
