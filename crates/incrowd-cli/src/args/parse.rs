//! How single values of the command line are parsed.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use incrowd::request::{BUILDERS, BuilderEntry};
use incrowd::risk::attack::{AttackEntry, Threshold};

pub(crate) use incrowd::request::{
    read_class_size as class_size, read_delimiter as delimiter, read_memory as size, read_pair as pair,
    read_share as share, read_threads as threads,
};

/// The builders that make a hierarchy.
pub(crate) fn builder() -> impl TypedValueParser<Value = &'static BuilderEntry> {
    let words = BUILDERS.iter().filter(|entry| entry.hierarchy.is_some()).map(|entry| entry.word);
    PossibleValuesParser::new(words).try_map(|word| BuilderEntry::find(&word).ok_or("unknown kind of hierarchy"))
}

/// A share that is not 0.
pub(crate) fn positive_share(text: &str) -> Result<f64, String> {
    share(text).ok().filter(|&share| share > 0.0).ok_or_else(|| "a share above 0 and at most 1, such as 0.09".into())
}

/// An integer of at least 1.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    let least = "an integer of at least 1";
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| least.into())
}

/// The width of an interval.
pub(crate) fn width(text: &str) -> Result<f64, String> {
    let width: Option<f64> = text.parse().ok();
    width.filter(|width| width.is_finite() && *width > 0.0).ok_or_else(|| "a width must be a number above 0".into())
}

/// `learning=0.4` or `prosecutor.mean=0.05`: the maximum success of an attack.
pub(crate) fn limit(text: &str) -> Result<Threshold, String> {
    let (name, max) = text.rsplit_once('=').ok_or("write ATTACK=MAX or ATTACK.FIGURE=MAX")?;
    let max: f64 = max.parse().map_err(|_| "a limit must be a number such as 0.4")?;
    if !(max.is_finite() && max >= 0.0) {
        return Err("a limit must be a number of at least 0, such as 0.4".into());
    }
    let (attack, figure) = name.split_once('.').map_or((name, None), |(attack, figure)| (attack, Some(figure)));
    if AttackEntry::find(attack).is_none() {
        return Err("unknown attack; see `incrowd list attacks`".into());
    }
    Ok(Threshold { attack: attack.into(), figure: figure.map(Into::into), max })
}
