//! The flags of `anonymize`, made from the options that the library declares.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};
use incrowd::request::{NamedSettings, OptionEntry, OptionValue, release_options};
use serde_json::Value;

/// The help of an option that several commands share.
pub(crate) fn help(name: &str) -> String {
    OptionEntry::find(name).map(OptionEntry::flag_help).unwrap_or_default()
}

/// The options that only a release has, as far as they were given.
#[derive(Clone, Debug, Default)]
pub(crate) struct OptionArgs {
    pub(crate) named: NamedSettings,
    /// A flag that names a column twice, and the column.
    twice: Option<(&'static str, String)>,
}

impl OptionArgs {
    /// Refuses what is named twice: it would not be clear which of the two counts.
    pub(crate) fn check(&self) -> Result<(), incrowd::Error> {
        match &self.twice {
            Some((flag, column)) => {
                Err(incrowd::Error::Repeated { what: format!("--{flag} of column “{column}”") })
            }
            None => Ok(()),
        }
    }
}

/// The options with their flags.
fn flags() -> impl Iterator<Item = (&'static str, &'static OptionEntry)> {
    release_options().filter_map(|entry| entry.flag.map(|flag| (flag, entry)))
}

impl Args for OptionArgs {
    fn augment_args(command: Command) -> Command {
        flags().fold(command, |command, (flag, entry)| command.arg(argument(flag, entry)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn argument(flag: &'static str, entry: &'static OptionEntry) -> Arg {
    let argument = Arg::new(flag).long(flag).help(entry.flag_help()).help_heading(entry.heading);
    let argument = match entry.value {
        OptionValue::Switch | OptionValue::SwitchOff => argument.action(ArgAction::SetTrue),
        OptionValue::Columns => argument.action(ArgAction::Append).value_delimiter(','),
        value if value.is_repeatable() => argument.action(ArgAction::Append),
        _ => argument.action(ArgAction::Set),
    };
    let argument = match entry.value {
        OptionValue::Switch | OptionValue::SwitchOff => argument,
        _ => argument.value_name(entry.value_name).value_parser(parser(entry)).value_hint(hint(entry)),
    };
    let argument = entry.requires.into_iter().fold(argument, Arg::requires);
    entry.conflicts.into_iter().fold(argument, Arg::conflicts_with)
}

fn parser(entry: &'static OptionEntry) -> ValueParser {
    match entry.value {
        OptionValue::Text | OptionValue::Column | OptionValue::Columns => ValueParser::string(),
        OptionValue::Path => ValueParser::path_buf(),
        OptionValue::Word(words) => {
            let value = |&(word, help): &(&'static str, &'static str)| match help {
                "" => PossibleValue::new(word),
                help => PossibleValue::new(word).help(help),
            };
            PossibleValuesParser::new(words.iter().map(value)).into()
        }
        _ => ValueParser::new(move |text: &str| entry.read(text)),
    }
}

fn hint(entry: &OptionEntry) -> ValueHint {
    match (entry.value, entry.value_name) {
        (OptionValue::Path, "DIR") => ValueHint::DirPath,
        (OptionValue::Path, "FILE") => ValueHint::FilePath,
        (OptionValue::Path, _) => ValueHint::AnyPath,
        _ => ValueHint::Unknown,
    }
}

impl FromArgMatches for OptionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = OptionArgs::default();
        given.update_from_arg_matches(matches)?;
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (flag, entry) in flags() {
            if let Some(value) = self.value(matches, flag, entry)? {
                self.named.insert(entry.name.into(), value);
            }
        }
        Ok(())
    }
}

impl OptionArgs {
    fn value(
        &mut self,
        matches: &ArgMatches,
        flag: &'static str,
        entry: &OptionEntry,
    ) -> Result<Option<Value>, clap::Error> {
        Ok(match entry.value {
            OptionValue::Switch | OptionValue::SwitchOff => {
                matches.get_flag(flag).then_some(Value::Bool(entry.value == OptionValue::Switch))
            }
            OptionValue::Text | OptionValue::Column | OptionValue::Word(_) => {
                matches.get_one::<String>(flag).map(|text| text.as_str().into())
            }
            OptionValue::Path => matches.get_one::<PathBuf>(flag).map(|path| of_path(flag, path)).transpose()?,
            OptionValue::Columns => {
                matches.get_many::<String>(flag).map(|names| names.map(|name| Value::from(name.as_str())).collect())
            }
            value if value.is_by_column() => matches.get_many::<Value>(flag).map(|values| self.by_column(flag, values)),
            value if value.is_repeatable() => matches.get_many::<Value>(flag).map(|values| values.cloned().collect()),
            _ => matches.get_one::<Value>(flag).cloned(),
        })
    }

    /// The values by column, as one object.
    fn by_column<'v>(&mut self, flag: &'static str, values: impl Iterator<Item = &'v Value>) -> Value {
        let mut columns = NamedSettings::new();
        for (column, value) in values.filter_map(Value::as_object).flatten() {
            if columns.insert(column.clone(), value.clone()).is_some() {
                self.twice = Some((flag, column.clone()));
            }
        }
        columns.into()
    }
}

/// A path as a plan holds it.
fn of_path(flag: &str, path: &std::path::Path) -> Result<Value, clap::Error> {
    match path.to_str() {
        Some(path) => Ok(path.into()),
        None => Err(clap::Error::raw(ErrorKind::InvalidUtf8, format!("--{flag} is not valid UTF-8\n"))),
    }
}
