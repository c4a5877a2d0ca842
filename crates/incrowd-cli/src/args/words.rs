//! How single words of the command line are read.

use std::collections::BTreeMap;
use std::time::Duration;

use incrowd::algorithms::Effort;
use incrowd::plan::{AlphaPlan, NumberWord, RulePlan, RuleWord, ShareWord, WeightsRule, WeightsWord};
use incrowd::risk::attack::{AttackEntry, Threshold};
use incrowd::{MOST_MEMORY, MOST_THREADS};

pub(crate) fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "\\t" | "tab" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [b'"' | b'\r' | b'\n' | 0] => Err("a delimiter cannot be a quote, a line break or NUL".into()),
            [byte] if byte.is_ascii() => Ok(*byte),
            _ => Err("a delimiter is one character, or `tab`".into()),
        },
    }
}

pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    let (column, word) = text.split_once('=').ok_or("write COLUMN=WORD")?;
    if column.is_empty() || word.is_empty() {
        return Err("neither the column nor what is said of it may be empty".into());
    }
    Ok((column.into(), word.into()))
}

pub(crate) fn crowd(text: &str) -> Result<u64, String> {
    let least = "a crowd is a whole number of at least 1";
    text.parse().ok().filter(|&k| k > 0).ok_or_else(|| least.into())
}

pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "a share is a number such as 0.02")?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a share is between 0 and 1".into()) }
}

/// A share that is not 0.
pub(crate) fn positive_share(text: &str) -> Result<f64, String> {
    share(text).ok().filter(|&share| share > 0.0).ok_or_else(|| "a share above 0 and at most 1, such as 0.09".into())
}

/// A whole number of at least 1.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    let least = "a whole number of at least 1";
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| least.into())
}

/// The width of an interval.
pub(crate) fn width(text: &str) -> Result<f64, String> {
    let width: Option<f64> = text.parse().ok();
    width.filter(|width| width.is_finite() && *width > 0.0).ok_or_else(|| "a width is a number above 0".into())
}

pub(crate) fn size(text: &str) -> Result<u64, String> {
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
        _ if bytes.is_nan() || bytes < (16u64 << 20) as f64 => Err("at least 16MiB are needed".into()),
        _ if bytes > MOST_MEMORY as f64 => Err("at most 1024TiB can be used".into()),
        _ => Ok(bytes as u64),
    }
}

pub(crate) fn threads(text: &str) -> Result<usize, String> {
    let wrong = || format!("a whole number from 1 to {}", incrowd::thousands(MOST_THREADS as u64));
    text.parse().ok().filter(|threads| (1..=MOST_THREADS).contains(threads)).ok_or_else(wrong)
}

/// `column=0.33`, `column:value=0.5`, `column:a|b=1/2`.
pub(crate) fn alpha(text: &str) -> Result<AlphaPlan, String> {
    let (what, share) = text.rsplit_once('=').ok_or("write COLUMN=SHARE or COLUMN:VALUE=SHARE")?;
    let (column, values) = what.split_once(':').unwrap_or((what, ""));
    let values = values.split('|').filter(|value| !value.is_empty()).map(Into::into).collect();
    let alpha = ShareWord::Text(share.into());
    if column.is_empty() || alpha.ratio().is_none() {
        return Err(
            "α is a share above 0 and at most 1 of a column, such as diagnosis=0.33 or diagnosis:HIV=1/2".into()
        );
    }
    Ok(AlphaPlan { column: column.into(), alpha, values, rule: RuleWord::Exact })
}

/// `diagnosis=3`: p-sensitivity.
pub(crate) fn p_sensitive(text: &str) -> Result<RulePlan, String> {
    let (column, p) = text.rsplit_once('=').ok_or("write COLUMN=P")?;
    whole_rule(RulePlan { p: Some(whole(p)?), ..rule("p-sensitive", column) })
}

/// `diagnosis=3`: distinct ℓ-diversity.
pub(crate) fn l_diversity(text: &str) -> Result<RulePlan, String> {
    let (column, l) = text.rsplit_once('=').ok_or("write COLUMN=L")?;
    whole_rule(RulePlan { l: Some(NumberWord::Text(l.into())), ..rule("distinct-l-diversity", column) })
}

/// `diagnosis=0.2`: t-closeness with equal distance.
pub(crate) fn t_closeness(text: &str) -> Result<RulePlan, String> {
    let (column, t) = text.rsplit_once('=').ok_or("write COLUMN=T")?;
    whole_rule(RulePlan { t: Some(NumberWord::Text(t.into())), ..rule("t-closeness", column) })
}

/// `learning=0.4` or `prosecutor.mean=0.05`: the most an attack may achieve.
pub(crate) fn limit(text: &str) -> Result<Threshold, String> {
    let (name, max) = text.rsplit_once('=').ok_or("write ATTACK=MAX or ATTACK.FIGURE=MAX")?;
    let max: f64 = max.parse().map_err(|_| "the limit is a number such as 0.4")?;
    if !(max.is_finite() && max >= 0.0) {
        return Err("the limit is a number of at least 0, such as 0.4".into());
    }
    let (attack, figure) = name.split_once('.').map_or((name, None), |(attack, figure)| (attack, Some(figure)));
    if AttackEntry::find(attack).is_none() {
        return Err("there is no such attack; `incrowd list attacks` shows all".into());
    }
    Ok(Threshold { attack: attack.into(), figure: figure.map(Into::into), max })
}

/// `3`: p-sensitivity of a column that is named later.
pub(crate) fn every_p(text: &str) -> Result<RulePlan, String> {
    p_sensitive(&format!("column={text}"))
}

/// `3`: distinct ℓ-diversity of a column that is named later.
pub(crate) fn every_l(text: &str) -> Result<RulePlan, String> {
    l_diversity(&format!("column={text}"))
}

/// `0.2`: t-closeness of a column that is named later.
pub(crate) fn every_t(text: &str) -> Result<RulePlan, String> {
    t_closeness(&format!("column={text}"))
}

/// `t-closeness:salary,t=0.2,distance=ordered,order=low|middle|high`: any model. Groups are set apart by `/`.
pub(crate) fn model(text: &str) -> Result<RulePlan, String> {
    let usage = "write MODEL:COLUMN,NAME=VALUE, such as t-closeness:diagnosis,t=0.2";
    let (model, rest) = text.split_once(':').ok_or(usage)?;
    let mut words = rest.split(',');
    let mut rule = rule(model, words.next().unwrap_or_default());
    let mut named: Vec<&str> = Vec::new();
    for word in words {
        let (name, value) = word.split_once('=').ok_or(usage)?;
        if named.contains(&name) {
            return Err(format!("the parameter “{name}” is given twice"));
        }
        named.push(name);
        let number = || Some(NumberWord::Text(value.into()));
        let list = |value: &str| value.split('|').map(Into::into).collect::<Vec<String>>();
        match name {
            "p" => rule.p = Some(whole(value)?),
            "l" => rule.l = number(),
            "c" => rule.c = number(),
            "t" => rule.t = number(),
            "beta" => rule.beta = number(),
            "delta" => rule.delta = number(),
            "distance" => rule.distance = Some(value.into()),
            "rule" => rule.rule = Some(value.into()),
            "order" => rule.order = list(value),
            "groups" => rule.groups = value.split('/').map(list).collect(),
            "hierarchy" => rule.hierarchy = Some(value.into()),
            "protected" => rule.protected = list(value),
            other => return Err(format!("no model has a parameter “{other}”; {usage}")),
        }
    }
    whole_rule(rule)
}

fn whole(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| "p is a whole number of at least 1".into())
}

fn rule(model: &str, column: &str) -> RulePlan {
    RulePlan { model: model.into(), column: column.into(), ..RulePlan::default() }
}

fn whole_rule(rule: RulePlan) -> Result<RulePlan, String> {
    if rule.column.is_empty() {
        return Err("name a sensitive column".into());
    }
    rule.fault().map_or(Ok(rule), Err)
}

/// `equal`, `inverse`, `occupation=0.7,race=0.3`.
pub(crate) fn weights(text: &str) -> Result<WeightsWord, String> {
    let usage = "write equal, inverse, or COLUMN=NUMBER,COLUMN=NUMBER";
    let word = match text {
        "equal" => WeightsWord::Rule(WeightsRule::Equal),
        "inverse" => WeightsWord::Rule(WeightsRule::Inverse),
        _ => {
            let mut columns = BTreeMap::new();
            for one in text.split(',') {
                let (column, number) = one.rsplit_once('=').ok_or(usage)?;
                let number: f64 = number.parse().map_err(|_| usage)?;
                if columns.insert(column.to_owned(), number).is_some() {
                    return Err("name each column once".into());
                }
            }
            WeightsWord::Columns(columns)
        }
    };
    word.fault().map_or(Ok(word), Err)
}

/// `60s`, `5m`, `1.5h`, `90`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
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
pub(crate) fn effort(text: &str) -> Result<Effort, String> {
    let wrong = || "an effort is low, normal, high, or a number above 0 and at most 1,000,000 (1 is normal)".to_owned();
    Effort::named(text).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_read_with_its_parameters() {
        let read = model("t-closeness:salary,t=1/5,distance=ordered,order=low|middle|high").expect("a rule");
        assert_eq!((read.model.as_str(), read.column.as_str(), read.order.len()), ("t-closeness", "salary", 3));
        let read = model("extended-p-sensitive:illness,p=2,groups=colon cancer|lung cancer/flu|cold").expect("a rule");
        assert_eq!(read.groups, [["colon cancer", "lung cancer"], ["flu", "cold"]]);
        assert_eq!(l_diversity("salary=3"), model("distinct-l-diversity:salary,l=3"));
        assert_eq!(p_sensitive("salary=3"), model("p-sensitive:salary,p=3"));
        assert_eq!(t_closeness("salary=0.2"), model("t-closeness:salary,t=0.2"));
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
    fn a_model_that_cannot_be_is_refused_in_words() {
        let refused = |text: &str| model(text).expect_err("refused");
        assert!(refused("t-closeness").contains("write MODEL:COLUMN"));
        assert!(refused("t-closeness:,t=0.2").contains("name a sensitive column"));
        assert!(refused("t-closeness:salary,t=2").contains("a share above 0 and at most 1"));
        assert!(refused("t-closeness:salary,k=2").contains("no model has a parameter “k”"));
        assert!(refused("closeness:salary,t=0.2").contains("there is no model `closeness`"));
        assert!(l_diversity("salary=0.5").is_err() && p_sensitive("salary=0").is_err());
        assert!(refused("t-closeness:salary,t=0.1,t=0.6").contains("“t” is given twice"));
    }
}
