//! How the text of an option becomes its value.

use std::num::NonZeroU64;
use std::time::Duration;

use incrowd_algorithms::Effort;
use incrowd_core::{KnownRows, NoKnownRows, Treatment, UnknownTreatment, thousands};
use incrowd_engine::{MOST_MEMORY, MOST_THREADS};
use serde::Serialize;
use serde_json::{Value, json};

use super::entry::{OptionEntry, OptionPlace, OptionValue};
use super::rule::{RuleParameter, RuleParameterKind};
use super::{AlphaPlan, BuilderEntry, HierarchyPlan, RulePlan, RuleWord, ShareWord, WeightsRule, WeightsWord};

impl OptionEntry {
    /// The value that a text on a command line stands for: one element of a list, one column of a table.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        match self.value {
            OptionValue::Switch => Ok(true.into()),
            OptionValue::SwitchOff => Ok(false.into()),
            OptionValue::OnOrOff => text.parse().map(Value::Bool).map_err(|_| "true or false".into()),
            OptionValue::Text | OptionValue::Path | OptionValue::Column | OptionValue::Columns | OptionValue::Texts => {
                Ok(text.into())
            }
            OptionValue::Word(words) => match words.iter().any(|(word, _)| *word == text) {
                true => Ok(text.into()),
                false => Err(format!("one of {}", words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", "))),
            },
            OptionValue::ClassSize => read_class_size(text).map(Value::from),
            OptionValue::Whole => {
                text.parse().map(|number: NonZeroU64| number.get().into()).map_err(|error| error.to_string())
            }
            OptionValue::KnownRows => {
                let known: KnownRows = text.parse().map_err(|error: NoKnownRows| error.to_string())?;
                as_json(&known)
            }
            OptionValue::Seed => text.parse().map(|seed: u64| seed.into()).map_err(|error| error.to_string()),
            OptionValue::Share => read_share(text).map(Value::from),
            OptionValue::Ratio => ratio(text).map(Value::from),
            OptionValue::Duration => duration(text).map(|time| time.as_secs_f64().into()),
            OptionValue::Effort => effort(text),
            OptionValue::Weights => weights(text).and_then(|weights| as_json(&weights)),
            OptionValue::Parameter => {
                // The column does not matter for whether the number is one that the model takes.
                self.parameter_of("column", text).map(|_| text.into())
            }
            OptionValue::ColumnParameters => {
                let (column, number) = text.rsplit_once('=').ok_or_else(|| format!("write {}", self.value_name))?;
                self.parameter_of(column, number).and_then(|rule| as_json(&rule))
            }
            OptionValue::TextByColumn => read_pair(text).map(|(column, word)| json!({ column: word })),
            OptionValue::Treatments => {
                let (column, word) = read_pair(text)?;
                let treatment: Treatment = word.parse().map_err(|error: UnknownTreatment| error.to_string())?;
                Ok(json!({ column: as_json(&treatment)? }))
            }
            OptionValue::Hierarchies => {
                let (column, word) = read_pair(text)?;
                Ok(json!({ column: as_json(&hierarchy(&word))? }))
            }
            OptionValue::Alphas => alpha(text).and_then(|alpha| as_json(&alpha)),
            OptionValue::Rules => rule(text).and_then(|rule| as_json(&rule)),
            OptionValue::Delimiter => read_delimiter(text).map(|byte| char::from(byte).to_string().into()),
            OptionValue::Memory => read_memory(text).map(Value::from),
            OptionValue::Threads => read_threads(text).map(Value::from),
        }
    }

    /// The rule that sets the parameter of this option for a column.
    fn parameter_of(&self, column: &str, text: &str) -> Result<RulePlan, String> {
        let (OptionPlace::EverySensitive { model, parameter } | OptionPlace::Rule { model, parameter }) = self.place
        else {
            return Err("no model has this parameter".into());
        };
        let mut rule = RulePlan { model: model.into(), column: column.into(), ..RulePlan::default() };
        set_parameter(&mut rule, parameter, text)?;
        checked(rule)
    }
}

/// A value of a plan as JSON.
fn as_json(value: &impl Serialize) -> Result<Value, String> {
    serde_json::to_value(value).map_err(|error| error.to_string())
}

/// One ASCII character, or `tab`.
pub fn read_delimiter(text: &str) -> Result<u8, String> {
    match text {
        "\\t" | "tab" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [b'"' | b'\r' | b'\n' | 0] => Err("a delimiter cannot be a quote, a line break or NUL".into()),
            [byte] if byte.is_ascii() => Ok(*byte),
            _ => Err("a delimiter is one character, or `tab`".into()),
        },
    }
}

/// `COLUMN=WORD`.
pub fn read_pair(text: &str) -> Result<(String, String), String> {
    let (column, word) = text.split_once('=').ok_or("write COLUMN=WORD")?;
    if column.is_empty() || word.is_empty() {
        return Err("neither the column nor its value may be empty".into());
    }
    Ok((column.into(), word.into()))
}

/// Bytes with a unit, such as 4GiB.
pub fn read_memory(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit: u64 = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err("a size is a number with a unit, such as 4GiB or 500MB".into()),
    };
    let number: f64 = digits.trim().parse().map_err(|_| "a size is a number with a unit, such as 4GiB")?;
    let bytes = number * unit as f64;
    match bytes {
        _ if bytes.is_nan() || bytes < (16u64 << 20) as f64 => Err("the minimum is 16MiB".into()),
        _ if bytes > MOST_MEMORY as f64 => Err("the maximum is 1024TiB".into()),
        // In range, so nothing but the fraction of a byte is lost.
        _ => Ok(bytes as u64),
    }
}

/// A number of threads.
pub fn read_threads(text: &str) -> Result<usize, String> {
    let wrong = || format!("an integer from 1 to {}", thousands(MOST_THREADS as u64));
    text.parse().ok().filter(|threads| (1..=MOST_THREADS).contains(threads)).ok_or_else(wrong)
}

/// A class size: a whole number of at least 1.
pub fn read_class_size(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|&k| k > 0).ok_or_else(|| "k must be an integer of at least 1".into())
}

/// A number from 0 to 1.
pub fn read_share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "a share is a number such as 0.02")?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a share must be between 0 and 1".into()) }
}

/// `60s`, `5m`, `1.5h`, `90`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "a time is a number with a unit, such as 60s or 5m".to_owned();
    let (number, unit) = match text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()) {
        number if number.len() == text.len() => (number, 1.0),
        number => match &text[number.len()..] {
            "ms" => (number, 0.001),
            "s" => (number, 1.0),
            "m" | "min" => (number, 60.0),
            "h" => (number, 3600.0),
            _ => return Err(wrong()),
        },
    };
    let seconds: f64 = number.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(seconds * unit).map_err(|_| wrong())
}

/// `low`, `normal`, `high`, or a multiple of `normal`.
fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse().ok().filter(|ratio: &f64| ratio.is_finite() && *ratio >= 1.0);
    ratio.ok_or_else(|| "a ratio is a number of at least 1, such as 1.05".to_owned())
}

fn effort(text: &str) -> Result<Value, String> {
    let wrong = || "an effort is low, normal, high, or a number above 0 and at most 1,000,000 (1 is normal)".to_owned();
    let effort = Effort::named(text).ok_or_else(wrong)?;
    Ok(if text.parse::<f64>().is_ok() { effort.times().into() } else { text.into() })
}

/// `equal`, `inverse`, `occupation=0.7,race=0.3`.
fn weights(text: &str) -> Result<WeightsWord, String> {
    let usage = "write equal, inverse, or COLUMN=NUMBER,COLUMN=NUMBER";
    let word = match text {
        "equal" => WeightsWord::Rule(WeightsRule::Equal),
        "inverse" => WeightsWord::Rule(WeightsRule::Inverse),
        _ => {
            let mut columns = std::collections::BTreeMap::new();
            for one in text.split(',') {
                let (column, number) = one.rsplit_once('=').ok_or(usage)?;
                let number: f64 = number.parse().map_err(|_| usage)?;
                if columns.insert(column.to_owned(), number).is_some() {
                    return Err("give each column once".into());
                }
            }
            WeightsWord::Columns(columns)
        }
    };
    word.fault().map_or(Ok(word), Err)
}

/// The word of a builder, or the name of a file.
fn hierarchy(word: &str) -> HierarchyPlan {
    match BuilderEntry::find(word) {
        Some(builder) => HierarchyPlan::Build(builder.plan),
        None => HierarchyPlan::File(word.into()),
    }
}

/// `column=0.33`, `column:value=0.5`, `column:a|b=1/2`.
fn alpha(text: &str) -> Result<AlphaPlan, String> {
    let (what, share) = text.rsplit_once('=').ok_or("write COLUMN=SHARE or COLUMN:VALUE=SHARE")?;
    let (column, values) = what.split_once(':').unwrap_or((what, ""));
    let values = values.split('|').filter(|value| !value.is_empty()).map(Into::into).collect();
    let alpha = ShareWord::Text(share.into());
    if column.is_empty() || alpha.ratio().is_none() {
        return Err(
            "α must be a share above 0 and at most 1 of a column, such as diagnosis=0.33 or diagnosis:HIV=1/2".into()
        );
    }
    Ok(AlphaPlan { column: column.into(), alpha, values, rule: RuleWord::Exact })
}

/// `t-closeness:salary,t=0.2,distance=ordered,order=low|middle|high`: any model. Groups are set apart by `/`.
fn rule(text: &str) -> Result<RulePlan, String> {
    let usage = "write MODEL:COLUMN,NAME=VALUE, such as t-closeness:diagnosis,t=0.2";
    let (model, rest) = text.split_once(':').ok_or(usage)?;
    let mut words = rest.split(',');
    let column = words.next().unwrap_or_default();
    let mut rule = RulePlan { model: model.into(), column: column.into(), ..RulePlan::default() };
    let mut named: Vec<&str> = Vec::new();
    for word in words {
        let (name, value) = word.split_once('=').ok_or(usage)?;
        if named.contains(&name) {
            return Err(format!("the parameter “{name}” is given twice"));
        }
        named.push(name);
        match name {
            "hierarchy" => rule.hierarchy = Some(value.into()),
            "protected" => rule.protected = list(value),
            _ if RuleParameter::find(name).is_none() => {
                return Err(format!("unknown parameter “{name}”; {usage}"));
            }
            _ => set_parameter(&mut rule, name, value)?,
        }
    }
    checked(rule)
}

/// Values that are set apart by `|`.
fn list(text: &str) -> Vec<String> {
    text.split('|').map(Into::into).collect()
}

/// Sets a parameter of a rule to what a text stands for.
fn set_parameter(rule: &mut RulePlan, name: &str, text: &str) -> Result<(), String> {
    let parameters = std::mem::take(&mut rule.parameters);
    rule.parameters = match RuleParameter::find(name).map(|entry| entry.kind) {
        Some(RuleParameterKind::Whole) => {
            let number: Option<u64> = text.parse().ok().filter(|&number| number > 0);
            parameters.with(name, number.ok_or_else(|| format!("{name} must be an integer of at least 1"))?)
        }
        Some(RuleParameterKind::List) => parameters.with(name, list(text)),
        Some(RuleParameterKind::Lists) => parameters.with(name, text.split('/').map(list).collect::<Vec<_>>()),
        Some(RuleParameterKind::Number | RuleParameterKind::Word) | None => parameters.with(name, text),
    };
    Ok(())
}

/// The rule, unless it is invalid.
fn checked(rule: RulePlan) -> Result<RulePlan, String> {
    if rule.column.is_empty() {
        return Err("name a sensitive column".into());
    }
    rule.fault().map_or(Ok(rule), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, text: &str) -> Result<Value, String> {
        OptionEntry::find(name).expect("an option").read(text)
    }

    #[test]
    fn a_model_is_read_with_its_parameters() {
        let read = rule("t-closeness:salary,t=1/5,distance=ordered,order=low|middle|high").expect("a rule");
        assert_eq!((read.model.as_str(), read.column.as_str()), ("t-closeness", "salary"));
        let read = serde_json::to_value(&read).expect("json");
        assert_eq!(read["order"], json!(["low", "middle", "high"]));
        let read = of("rules", "extended-p-sensitive:illness,p=2,groups=colon cancer|lung cancer/flu|cold");
        assert_eq!(read.expect("a rule")["groups"], json!([["colon cancer", "lung cancer"], ["flu", "cold"]]));
        assert_eq!(of("l_diversity", "salary=3"), of("rules", "distinct-l-diversity:salary,l=3"));
        assert_eq!(of("p_sensitive", "salary=3"), of("rules", "p-sensitive:salary,p=3"));
        assert_eq!(of("t_closeness", "salary=0.2"), of("rules", "t-closeness:salary,t=0.2"));
    }

    #[test]
    fn weights_are_a_word_or_numbers_by_column() {
        assert_eq!(weights("inverse"), Ok(WeightsWord::Rule(WeightsRule::Inverse)));
        let numbers = [("occupation".to_owned(), 0.7), ("race".to_owned(), 0.3)].into();
        assert_eq!(weights("occupation=0.7,race=0.3"), Ok(WeightsWord::Columns(numbers)));
        for wrong in ["inverted", "", "race", "race=0", "race=-1", "race=nan", "race=1,race=2"] {
            assert!(weights(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_invalid_model_is_refused_in_words() {
        let refused = |text: &str| rule(text).expect_err("refused");
        assert!(refused("t-closeness").contains("write MODEL:COLUMN"));
        assert!(refused("t-closeness:,t=0.2").contains("name a sensitive column"));
        assert!(refused("t-closeness:salary,t=2").contains("a share above 0 and at most 1"));
        assert!(refused("t-closeness:salary,k=2").contains("unknown parameter “k”"));
        assert!(refused("closeness:salary,t=0.2").contains("unknown model `closeness`"));
        assert!(of("l_diversity", "salary=0.5").is_err() && of("p_sensitive", "salary=0").is_err());
        assert!(refused("t-closeness:salary,t=0.1,t=0.6").contains("“t” is given twice"));
    }
}
