//! An option, declared once: the command line, the plan and Python take its name, type, default and help from here.
//!
//! The entries stand in the files of the sections of a plan, beside the keys they set. To add an option: its key and its
//! entry there, the typed option in `anonymize_options.rs`, its use, and its page in docs/.

use serde_json::Value;

use super::{Plan, column, policy, population, release, run, solve, source};

/// One option of a request.
#[derive(Clone, Copy, Debug)]
pub struct OptionEntry {
    /// Its name as a keyword argument, and as a named setting of a request.
    pub name: &'static str,
    /// Its flag without the dashes; nothing when the command line has none.
    pub flag: Option<&'static str>,
    /// Whether Python takes it as a keyword argument.
    pub python: bool,
    /// Which part of the request it sets.
    pub place: OptionPlace,
    /// The type and the range of its value.
    pub value: OptionValue,
    /// The heading of the help under which it is listed.
    pub heading: &'static str,
    /// What stands for its value in the help.
    pub value_name: &'static str,
    /// What it sets or does, in one sentence.
    pub help: &'static str,
    /// What holds when it is left out, in words, where that is worth saying.
    pub default: Option<&'static str>,
    /// The flag without which it means nothing.
    pub requires: Option<&'static str>,
    /// The flag that it cannot be given with.
    pub conflicts: Option<&'static str>,
    /// A value to show and to test it with, as a command line has it.
    pub example: &'static str,
}

/// Which part of a request an option sets.
#[derive(Clone, Copy, Debug)]
pub enum OptionPlace {
    /// A key of the plan, such as `solve.time`. Lists of the plan are added to.
    Plan(&'static str),
    /// A key of the call alone: no part of a plan, which is passed on.
    Call(&'static str),
    /// A key of the entries of the columns that are named, with what it is set to, as JSON.
    EachColumn(&'static str, &'static str),
    /// A key of the entries of columns, with a value for each column.
    ByColumn(&'static str),
    /// A parameter of a model that is asked of every sensitive column.
    EverySensitive {
        /// The model.
        model: &'static str,
        /// Its parameter.
        parameter: &'static str,
    },
    /// A rule of the policy about one column, of this model with this parameter.
    Rule {
        /// The model.
        model: &'static str,
        /// Its parameter.
        parameter: &'static str,
    },
    /// Changes what another option of the same call says.
    Changes(fn(&mut Plan)),
}

/// The type and the range of an option's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionValue {
    /// Given or not.
    Switch,
    /// On unless it is switched off: the flag says no.
    SwitchOff,
    /// On, off, or left open: two flags.
    OnOrOff,
    /// A text.
    Text,
    /// A path.
    Path,
    /// One of these words, each with its meaning.
    Word(&'static [(&'static str, &'static str)]),
    /// k: a whole number of at least 1.
    ClassSize,
    /// A whole number of at least 1.
    Whole,
    /// A whole number of at least 2, or `all`.
    KnownRows,
    /// Any whole number.
    Seed,
    /// A number from 0 to 1.
    Share,
    /// A number of at least 1.
    Ratio,
    /// A duration; in a plan and in Python a number of seconds.
    Duration,
    /// `low`, `normal`, `high`, or a multiple of `normal` above 0 and at most a million.
    Effort,
    /// A rule for weights, or a weight above 0 for each column.
    Weights,
    /// A parameter of a model.
    Parameter,
    /// A parameter of a model for each of several columns.
    ColumnParameters,
    /// Names of columns.
    Columns,
    /// The name of one column.
    Column,
    /// A text for each column.
    TextByColumn,
    /// How columns are generalized.
    Hierarchies,
    /// How the cells of columns are treated.
    Treatments,
    /// Bounds on shares of sensitive values.
    Alphas,
    /// Models with their parameters.
    Rules,
    /// Several texts.
    Texts,
    /// One ASCII character.
    Delimiter,
    /// Bytes of memory; on the command line with a unit.
    Memory,
    /// From 1 to the most threads that can be used.
    Threads,
}

impl OptionValue {
    /// Whether the option may be given several times.
    pub fn is_repeatable(self) -> bool {
        use OptionValue::{Alphas, ColumnParameters, Columns, Hierarchies, Rules, TextByColumn, Texts, Treatments};
        matches!(self, Columns | TextByColumn | Hierarchies | Treatments | Alphas | Rules | ColumnParameters | Texts)
    }

    /// Whether it says something for each column that it names, each of them once.
    pub fn is_by_column(self) -> bool {
        matches!(self, OptionValue::TextByColumn | OptionValue::Hierarchies | OptionValue::Treatments)
    }

    /// The type of the keyword argument.
    pub fn python_type(self) -> String {
        let word = match self {
            OptionValue::Word(words) => {
                let words: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
                return format!("Literal[{}] | None", words.join(", "));
            }
            OptionValue::Switch => "bool",
            OptionValue::SwitchOff | OptionValue::OnOrOff => "bool | None",
            OptionValue::Text | OptionValue::Column | OptionValue::Delimiter => "str | None",
            OptionValue::Path => "str | os.PathLike[str] | None",
            OptionValue::ClassSize | OptionValue::Whole | OptionValue::Seed | OptionValue::Threads => "int | None",
            OptionValue::KnownRows => "Literal[\"all\"] | int | None",
            OptionValue::Share | OptionValue::Ratio | OptionValue::Duration => "float | None",
            OptionValue::Effort => "Literal[\"low\", \"normal\", \"high\"] | float | None",
            OptionValue::Weights => "Literal[\"equal\", \"inverse\"] | Mapping[str, float] | None",
            OptionValue::Parameter => "Number | None",
            OptionValue::ColumnParameters => "Mapping[str, Number]",
            OptionValue::Columns | OptionValue::Texts => "Names",
            OptionValue::TextByColumn | OptionValue::Treatments => "Mapping[str, str]",
            OptionValue::Hierarchies => "Mapping[str, HierarchyWord] | None",
            OptionValue::Alphas => "Mapping[str, Number] | Sequence[AlphaPlan]",
            OptionValue::Rules => "Sequence[RulePlan]",
            OptionValue::Memory => "int | str | None",
        };
        word.into()
    }
}

/// The words of [`OptionValue::Word`] for a format of a table.
pub(super) const FORMATS: OptionValue =
    OptionValue::Word(&[("csv", ""), ("parquet", ""), ("arrow", ""), ("xlsx", ""), ("dta", ""), ("sav", "")]);

/// The words of [`OptionValue::Word`] for a format of a release.
pub(super) const RELEASE_FORMATS: OptionValue = OptionValue::Word(&[
    ("csv", ""),
    ("parquet", ""),
    ("delta", "Parquet files that are a Delta table"),
    ("arrow", ""),
    ("xlsx", ""),
    ("dta", ""),
    ("sav", ""),
]);

impl OptionEntry {
    /// An entry with nothing but a name, to be filled.
    pub(super) const EMPTY: OptionEntry = OptionEntry {
        name: "",
        flag: None,
        python: true,
        place: OptionPlace::Plan(""),
        value: OptionValue::Text,
        heading: "",
        value_name: "",
        help: "",
        default: None,
        requires: None,
        conflicts: None,
        example: "",
    };

    /// The option of this name.
    pub fn find(name: &str) -> Option<&'static OptionEntry> {
        options().find(|entry| entry.name == name)
    }

    /// Its help on the command line: the sentence, whether it may be repeated, and the default.
    pub fn flag_help(&self) -> String {
        let lists_columns = matches!(self.value, OptionValue::Columns);
        let repeated = if self.value.is_repeatable() && !lists_columns { " (may be repeated)" } else { "" };
        let default = self.default.map(|default| format!(" [default: {default}]")).unwrap_or_default();
        format!("{}{repeated}{default}", self.help)
    }

    /// The key of the plan that holds what it sets; nothing when no single key does.
    pub fn plan_key(&self) -> Option<String> {
        match self.place {
            OptionPlace::Plan(key) => Some(key.into()),
            OptionPlace::EachColumn(key, _) | OptionPlace::ByColumn(key) => Some(format!("column.{key}")),
            OptionPlace::Call(_)
            | OptionPlace::EverySensitive { .. }
            | OptionPlace::Rule { .. }
            | OptionPlace::Changes(_) => None,
        }
    }

    /// The value of its example, as a named setting has it.
    pub fn example_value(&self) -> Result<Value, String> {
        let texts = || self.example.split(' ');
        match self.value {
            OptionValue::Columns => Ok(self.example.split(',').map(Value::from).collect()),
            value if value.is_by_column() => {
                let mut by_column = serde_json::Map::new();
                for text in texts() {
                    by_column.extend(self.read(text)?.as_object().cloned().unwrap_or_default());
                }
                Ok(by_column.into())
            }
            value if value.is_repeatable() => texts().map(|text| self.read(text)).collect(),
            _ => self.read(self.example),
        }
    }
}

/// Every option, in the order in which the help lists them.
pub fn options() -> impl Iterator<Item = &'static OptionEntry> {
    let of_every_question = [source::OPTIONS, column::OPTIONS, run::OPTIONS];
    of_every_question.into_iter().flatten().chain(release_options())
}

/// The options that only a release has, in the order in which the help lists them.
pub fn release_options() -> impl Iterator<Item = &'static OptionEntry> {
    [release::ROLE_OPTIONS, policy::OPTIONS, population::OPTIONS, solve::OPTIONS, release::OPTIONS]
        .into_iter()
        .flatten()
}
