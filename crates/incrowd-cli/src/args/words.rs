//! How single words of the command line are read.

use std::time::Duration;

use incrowd::plan::{AlphaPlan, RuleWord, ShareWord};

pub(crate) fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "\\t" | "tab" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() => Ok(*byte),
            _ => Err("a delimiter is one character, or `tab`".into()),
        },
    }
}

pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    let (column, format) = text.split_once('=').ok_or("write COLUMN=FORMAT")?;
    Ok((column.into(), format.into()))
}

pub(crate) fn crowd(text: &str) -> Result<u64, String> {
    let least = "a crowd is a whole number of at least 1";
    text.parse().ok().filter(|&k| k > 0).ok_or_else(|| least.into())
}

pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "a share is a number such as 0.02")?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a share is between 0 and 1".into()) }
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
    let bytes = (number * unit as f64) as u64;
    if bytes < 16 << 20 { Err("at least 16MiB are needed".into()) } else { Ok(bytes) }
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
