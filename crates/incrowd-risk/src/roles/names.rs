//! Reads a column's name: cuts it into tokens and looks them up in the table of words.
//!
//! A name may hold several known words. The last one says what the column is (`diagnosis_date` is a date), unless a
//! preposition stands between them (`age_at_diagnosis` is an age).

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::words::{
    BARE_NAMES, BARE_NUMBERS, CLASSIFYING, ENTRIES, NUMBERS, PERSON_INVOLVED, PERSON_NUMBER, PERSONS, PREPOSITIONS,
    Sense, VocabularyEntry,
};

/// What a column's name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A word of the table.
    Word {
        /// What the word says about the column.
        sense: Sense,
        /// The idea with its article.
        idea: &'static str,
        /// Whether the word is the whole name.
        whole: bool,
        /// Whether the rest of the name speaks of a number or reference: `loan_id`.
        numbered: bool,
    },
    /// An identifier of something unknown: `id`, `store_id`.
    BareNumber {
        /// Whether the word is the whole name.
        whole: bool,
    },
    /// A name of something unknown: `name`, `product_name`.
    BareName {
        /// Whether the word is the whole name.
        whole: bool,
    },
    /// Nothing that is known here.
    Nothing,
}

/// The table of words, ready to be asked.
pub(super) struct Vocabulary {
    words: HashMap<&'static str, &'static VocabularyEntry>,
    /// The same words without spaces: `GebDat` is cut into two tokens and means `gebdat`.
    compact: HashMap<String, &'static VocabularyEntry>,
    longest: usize,
    persons: HashSet<&'static str>,
    numbers: HashSet<&'static str>,
    classifying: HashSet<&'static str>,
    bare_numbers: HashSet<&'static str>,
    bare_names: HashSet<&'static str>,
    prepositions: HashSet<&'static str>,
}

impl Vocabulary {
    /// The table of words, which is read once: a table may have thousands of columns.
    pub(super) fn shared() -> &'static Vocabulary {
        static SHARED: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::new);
        &SHARED
    }

    /// Reads the table of words.
    pub(super) fn new() -> Self {
        let words: HashMap<_, _> =
            ENTRIES.iter().flat_map(|entry| list(entry.words).map(move |word| (word, entry))).collect();
        let longest = words.keys().map(|word| word.split(' ').count()).max().unwrap_or(0);
        let set = |words: &'static str| list(words).collect::<HashSet<_>>();
        let compact = words.iter().map(|(word, entry)| (word.replace(' ', ""), *entry)).collect();
        Vocabulary {
            words,
            compact,
            longest,
            persons: set(PERSONS),
            numbers: set(NUMBERS),
            classifying: set(CLASSIFYING),
            bare_numbers: set(BARE_NUMBERS),
            bare_names: set(BARE_NAMES),
            prepositions: set(PREPOSITIONS),
        }
    }

    /// What a name says.
    pub(super) fn read(&self, name: &str) -> Meaning {
        let tokens = tokens(name);
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).filter(|token| !is_number(token)).collect();
        let has = |set: &HashSet<&str>| tokens.iter().any(|token| set.contains(token));
        if let Some((entry, length)) = self.head(&tokens) {
            let names_number = |token: &&str| self.numbers.contains(*token) && !self.classifying.contains(*token);
            let numbered = length < tokens.len() && tokens.iter().any(names_number);
            return Meaning::Word { sense: entry.sense, idea: entry.idea, whole: length == tokens.len(), numbered };
        }
        if has(&self.persons) && has(&self.numbers) {
            let whole = tokens.len() == 2;
            return Meaning::Word { sense: PERSON_NUMBER.sense, idea: PERSON_NUMBER.idea, whole, numbered: true };
        }
        let whole = tokens.len() == 1;
        if has(&self.bare_numbers) {
            Meaning::BareNumber { whole }
        } else if has(&self.bare_names) {
            Meaning::BareName { whole }
        } else {
            Meaning::Nothing
        }
    }

    /// The word the name is about, and how many tokens it takes.
    fn head(&self, tokens: &[&str]) -> Option<(&'static VocabularyEntry, usize)> {
        let mut head = None;
        let mut at = 0;
        while at < tokens.len() {
            match self.longest_word(&tokens[at..]) {
                Some((entry, length)) => {
                    // Where something is treated is no treatment, in whichever order a language puts the two.
                    let stays = head.is_some_and(|(head, _): (&VocabularyEntry, usize)| {
                        head.sense == Sense::Institution
                            && matches!(entry.sense, Sense::Sensitive | Sense::SensitiveAmount)
                    });
                    if !stays {
                        head = Some((entry, length));
                    }
                    at += length;
                }
                // The person comes last: `pension_recipient` is a person and not a pension.
                None if head
                    .is_some_and(|(head, _)| matches!(head.sense, Sense::Sensitive | Sense::SensitiveAmount))
                    && at + 1 == tokens.len()
                    && self.persons.contains(tokens[at]) =>
                {
                    head = Some((&PERSON_INVOLVED, 1));
                    at += 1;
                }
                None if head.is_some() && self.prepositions.contains(tokens[at]) => break,
                None => at += 1,
            }
        }
        head
    }

    fn longest_word(&self, tokens: &[&str]) -> Option<(&'static VocabularyEntry, usize)> {
        (1..=self.longest.min(tokens.len())).rev().find_map(|length| {
            let spaced = self.words.get(tokens[..length].join(" ").as_str());
            let entry = spaced.or_else(|| self.compact.get(&tokens[..length].concat()).filter(|_| length > 1))?;
            Some((*entry, length))
        })
    }
}

/// The words of a list.
pub(super) fn list(words: &'static str) -> impl Iterator<Item = &'static str> {
    words.split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// The tokens of a name: lower case, without accents, cut at signs, at `camelCase` and between letters and digits.
pub(super) fn tokens(name: &str) -> Vec<String> {
    // An accent may stand as a character of its own after its letter.
    let characters: Vec<char> = name.chars().filter(|character| !is_accent(*character)).collect();
    let mut tokens = vec![String::new()];
    for (at, &character) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(at + 1);
        let cut = match before {
            Some(before) if character.is_uppercase() => {
                before.is_lowercase() || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            }
            Some(before) => character.is_numeric() != before.is_numeric(),
            None => false,
        };
        if cut || !character.is_alphanumeric() {
            tokens.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(token) = tokens.last_mut()
        {
            character.to_lowercase().filter(|letter| !is_accent(*letter)).for_each(|letter| fold(letter, token));
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// Writes a letter without its accent; German umlauts become two letters, as Germans write them without umlauts.
fn fold(letter: char, token: &mut String) {
    let plain = match letter {
        'ä' => "ae",
        'ö' | 'œ' => "oe",
        'ü' => "ue",
        'ß' => "ss",
        'à' | 'á' | 'â' | 'ã' | 'å' => "a",
        'ç' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' => "o",
        'ù' | 'ú' | 'û' => "u",
        other => return token.push(other),
    };
    token.push_str(plain);
}

fn is_accent(character: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&character)
}

fn is_number(token: &str) -> bool {
    token.chars().all(char::is_numeric)
}
