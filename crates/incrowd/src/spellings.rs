//! Values that differ only in letter case, spaces or Unicode form: `HIV`, `hiv` and `HIV ` are three values to a program
//! and one to a reader. A class that holds all three is not diverse, although a count of different values says so.
//!
//! `check` and `diagnose` name the columns with such values. `anonymize` refuses a rule about a sensitive column with
//! such values, unless they are folded or declared to be different. Folding is a way of reading: the engine reads every
//! spelling as the most frequent one, and the record keeps which spellings were replaced. The verifier has its own code
//! for this. It accepts a spelling only as another spelling of the same value, and only in the original.

use std::collections::BTreeMap;

use incrowd_core::{Attribute, Dictionary, Policy, Values, counted};
use incrowd_engine::{Engine, EngineError, Source, Spellings};
use unicode_normalization::UnicodeNormalization;

use crate::error::{Error, Result};
use crate::roles::Declared;
pub use crate::variants::Variants;

/// What all spellings of a value have in common: compatibility composition (NFKC), one space between words and none at the
/// ends, and one letter case.
fn plain(text: &str) -> String {
    let folded: String = text.nfkc().collect::<String>().to_uppercase().to_lowercase();
    let words: Vec<&str> = folded.split_whitespace().collect();
    words.join(" ").nfkc().collect()
}

/// The codes of the values of a column by what they are to a reader, where that is more than one code.
fn spelled_alike(dictionary: &Dictionary) -> Vec<Vec<u32>> {
    let Values::Texts(texts) = dictionary.values() else { return vec![] };
    let mut alike: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (code, text) in (0..).zip(texts.iter()) {
        alike.entry(plain(text)).or_default().push(code);
    }
    alike.into_values().filter(|codes| codes.len() > 1).collect()
}

/// Whether values of a column are several spellings of one.
///
/// ```
/// use incrowd::core::Dictionary;
/// use incrowd::spellings::variants;
/// let found = variants("illness", &Dictionary::of_texts(["HIV", "HIV ", "flu", "hiv"])).unwrap();
/// assert_eq!((found.spelled, found.values), (3, 1));
/// ```
pub fn variants(column: &str, dictionary: &Dictionary) -> Option<Variants> {
    let alike = spelled_alike(dictionary);
    let spelled = alike.iter().map(|codes| codes.len() as u64).sum();
    (!alike.is_empty()).then(|| Variants { column: column.into(), spelled, values: alike.len() as u64 })
}

/// For each spelling but the most frequent one, the spelling it is read as. Of equally frequent ones it is the first in the
/// order of the values.
fn most_frequent(dictionary: &Dictionary, counts: &[u64]) -> BTreeMap<String, String> {
    let mut spellings = BTreeMap::new();
    for codes in spelled_alike(dictionary) {
        let rows = |code: &u32| counts.get(*code as usize).copied().unwrap_or(0);
        let Some(&kept) = codes.iter().max_by_key(|code| (rows(code), std::cmp::Reverse(**code))) else { continue };
        for &code in codes.iter().filter(|code| **code != kept) {
            spellings.insert(dictionary.label(code).into_owned(), dictionary.label(kept).into_owned());
        }
    }
    spellings
}

/// The table with the spellings of these columns read as one; nothing when no column is named.
pub(crate) fn folded(
    engine: &Engine,
    source: &Source,
    names: &[String],
    declared: &Declared,
) -> Result<Option<Source>> {
    if names.is_empty() {
        return Ok(None);
    }
    for name in names {
        if !declared.quasi_identifiers.contains(name) && !declared.sensitive.contains(name) {
            return Err(Error::UselessFolding(name.clone()));
        }
    }
    if engine.is_on_cluster() {
        return Err(EngineError::NotOnCluster { what: "reading several spellings as one value" }.into());
    }
    let mut spellings = Spellings::new();
    for profile in source.profile_columns(engine, names)? {
        if !profile.exact {
            let column = profile.name.clone();
            return Err(Error::TooManySpellings { column, values: profile.distinct() });
        }
        let of_column = most_frequent(&profile.dictionary, &profile.counts);
        if !of_column.is_empty() {
            spellings.insert(profile.name, of_column);
        }
    }
    Ok(Some(source.respelled(spellings)))
}

/// Refuses a rule about a sensitive column whose values are spelled in several ways, unless these are said to be different
/// values (`kept`). What was folded has one spelling for each value.
pub(crate) fn refuse(attributes: &[Attribute], policy: &Policy, kept: &[String]) -> Result<()> {
    let protected = policy.sensitive();
    let mut found = of_attributes(attributes)
        .into_iter()
        .filter(|found| protected.contains(&found.column) && !kept.contains(&found.column));
    found.next().map_or(Ok(()), |found| Err(Error::Spellings(found)))
}

/// The columns whose values are spelled in several ways.
pub(crate) fn of_attributes(attributes: &[Attribute]) -> Vec<Variants> {
    attributes.iter().filter_map(|attribute| variants(&attribute.name, &attribute.dictionary)).collect()
}

/// What the custodian should know about spellings: what was read as one, and where several are left.
pub(crate) fn notes(source: &Source, attributes: &[Attribute]) -> Vec<String> {
    let folded = source.spellings().iter().map(|(column, spellings)| {
        let spellings = counted(spellings.len() as u64, "spelling is", "spellings are");
        format!("In `{column}` {spellings} read and published as the most frequent spelling of the same value.")
    });
    let left = of_attributes(attributes).into_iter().map(|found| {
        format!("{}. Each spelling counts as a separate value; the spellings can be merged.", capital(&found.fact()))
    });
    folded.chain(left).collect()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_spaces_and_unicode_form_make_no_other_value() {
        let texts = ["HIV", "HIV ", "hiv", "h iv", "caf\u{e9}", "cafe\u{301}", "CAF\u{c9}", "a  b", "a\u{a0}b", "flu"];
        let found = variants("x", &Dictionary::of_texts(texts)).expect("several spellings");
        assert_eq!((found.spelled, found.values), (8, 3));
        assert_eq!(variants("x", &Dictionary::of_texts(["a", "b", "ab"])), None);
        assert_eq!(variants("x", &Dictionary::new(Values::Integers(vec![1, 2]), false)), None);
    }

    #[test]
    fn the_most_frequent_spelling_is_kept_and_of_equal_ones_the_first() {
        let dictionary = Dictionary::of_texts(["HIV", "HIV ", "flu", "Flu", "hiv"]);
        // Values are sorted: Flu, HIV, "HIV ", flu, hiv.
        let spellings = most_frequent(&dictionary, &[4, 1, 7, 4, 2]);
        let read_as = |spelling: &str| spellings.get(spelling).map(String::as_str);
        assert_eq!([read_as("HIV"), read_as("hiv"), read_as("HIV ")], [Some("HIV "), Some("HIV "), None]);
        assert_eq!([read_as("flu"), read_as("Flu")], [Some("Flu"), None]);
    }

    #[test]
    fn a_fact_holds_no_value() {
        let found = variants("illness", &Dictionary::of_texts(["secret", "Secret"])).expect("two spellings");
        assert_eq!(
            found.fact(),
            "column `illness`: 2 values differ only in letter case, spaces or Unicode form, and are 1 value to a reader"
        );
    }
}
