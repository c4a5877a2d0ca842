//! Spellings that a release publishes as another one: are they spellings of the same value?

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

use crate::verdict::VerifyError;

/// Refuses spellings that differ in more than letter case, spaces and Unicode form: by them any value could be read as
/// any other. Written anew here: the verifier does not trust the code that made the release.
pub(crate) fn check(spellings: &BTreeMap<String, BTreeMap<String, String>>) -> Result<(), VerifyError> {
    for (column, spellings) in spellings {
        if spellings.iter().any(|(one, other)| plain(one) != plain(other)) {
            let why = format!("the record maps a value of {column} to one that is not a spelling of it");
            return Err(VerifyError::Original(why));
        }
    }
    Ok(())
}

/// What a reader should know: such cells are true but for their spelling.
pub(crate) fn notes(spellings: &BTreeMap<String, BTreeMap<String, String>>) -> impl Iterator<Item = String> {
    spellings.iter().map(|(column, spellings)| {
        let count = spellings.len();
        format!("spellings of {column} that are published as another spelling of the same value: {count}")
    })
}

/// A text without what a spelling may differ in.
fn plain(text: &str) -> String {
    let composed: String = text.nfkc().collect();
    let words: Vec<&str> = composed.split_whitespace().collect();
    // Upper case first: only so ß and ss become the same.
    let lower = words.join(" ").to_uppercase().to_lowercase();
    lower.nfkc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(one: &str, other: &str) -> BTreeMap<String, BTreeMap<String, String>> {
        BTreeMap::from([("illness".into(), BTreeMap::from([(one.into(), other.into())]))])
    }

    #[test]
    fn only_another_spelling_of_the_same_words_is_accepted() {
        for (one, other) in
            [("HIV ", "hiv"), ("Stra\u{df}e", "STRASSE"), ("e\u{301}te\u{301}", "\u{e9}t\u{e9}"), ("a  b", "a b")]
        {
            assert!(check(&reading(one, other)).is_ok(), "{one} {other}");
        }
        assert!(check(&reading("HIV", "flu")).is_err());
        assert!(check(&reading("a b", "ab")).is_err());
    }

    #[test]
    fn one_false_spelling_among_true_ones_is_refused() {
        let mut spellings = reading("HIV ", "hiv");
        spellings.entry("illness".into()).or_default().insert("HIV".into(), "flu".into());
        assert!(check(&spellings).is_err());
    }
}
