//! Which words claim something, and which sentences with such a word do not.

/// Words and phrases that claim. A word is taken whole, a phrase as it stands, both whatever the case.
#[rustfmt::skip]
pub(crate) const CLAIMING: &[&str] = &[
    // What was checked, and how well it is known.
    "verified", "proven", "proved", "proves", "prove", "certain", "certainly", "certainty", "guarantee", "guarantees",
    "guaranteed", "shares no code", "removed values were found", "looked for", "searched for, not found",
    "none was found",
    // What no other release, reader or attacker can do.
    "optimal", "no release can", "no release that", "no release of", "no release with", "no such release loses",
    "any release must", "any release with", "cannot be done better", "can gain at most", "nobody", "no one",
    "everybody", "everyone", "each person is", "indistinguishable",
    "cannot tell", "no adversary", "whoever knows", "whoever finds", "even somebody who", "in every class",
    "people of a class have", "people of one class", "each class", "every class has", "each combination of",
    "an attacker who knows", "each person's",
    // What is so in every case.
    "always", "never", "whatever", "same bytes", "to the byte", "exact on", "true to", "lost or invented",
    "keeps every promise", "keeps what", "promises hold", "promise holds", "found to hold",
    "keeps its promises", "lost or added",
    // What does not come out.
    "nothing is left", "nothing was left", "left behind", "nothing was published", "no cell of", "0 found", "safe",
    "anonymous", "hides", "hidden", "of suppressed rows are consistent", "of suppressed rows is consistent",
];

/// The words of [`CLAIMING`] that are looked for in prose, which explains and defines with the others.
#[rustfmt::skip]
pub(crate) const CLAIMING_IN_PROSE: &[&str] = &[
    "verified", "proven", "proved", "proves", "certainly", "guarantee", "guarantees", "guaranteed", "optimal",
    "no release can", "no release that", "no release with", "any release must", "any release with",
    "cannot be done better", "cannot tell", "no adversary", "same bytes", "to the byte", "exact on", "true to",
    "lost or invented", "keeps what",
    "promises hold", "found to hold", "left behind", "no cell of", "anonymous", "shares no code",
];

/// What an instruction begins with: it asks the reader to do something, and claims nothing.
#[rustfmt::skip]
const INSTRUCTIONS: &[&str] = &[
    "make sure ",
    "add ", "ask ", "check ", "choose ", "compare ", "declare ", "do not ", "drop ", "generalize ", "give ", "if ",
    "keep ", "let ", "look ", "name ", "never publish", "put ", "read ", "say ", "sign ", "take ", "tell ", "use ",
    "write ", "run ", "publish ", "you ", "i ", "start with", "for each ",
];

/// A sentence with one of these says that something does not hold, or may not: it cannot claim too much.
#[rustfmt::skip]
const DISCLAIMERS: &[&str] = &[
    "not a promise", "not promised", "do not hold", "does not hold", "no guarantee", "may still", "does not say",
    "do not hide", "does not hide", "promises nothing", "promise nothing", "protects nobody", "no model protects",
    "no crowd", "nothing is certain", "not safe", "nobody can tell which", "is refused",
    "are refused", "must not be published", "nothing is promised", "holds trivially", "can pin", "does not keep",
    "not verified", "cannot be verified", "hide nothing", "whether a release is safe", "was not found may",
    "can be found there", "no proof", "not proved",
];

/// What should be, what a word or a part of the program is for, and what was not done: no statement about a release.
#[rustfmt::skip]
const DEFINITIONS: &[&str] = &[
    "no one should",
    "nobody should", "everybody should", "everybody is to", "harms nobody", "nobody thought",
    "the order of the original matches", "everyone is in it",
    "always the most frequent", "as safe as the table", 
    "which a reader of a release cannot tell",
    "looks for their row", "does not generalize without need", "infers more precise cells",
    "bound on the loss is looked for", "whatever was asked",
    "who is told: nobody", "whether one promise holds", "one in each class", "how many people fit each class",
    "a reader of a release cannot tell the two",
];

/// What a message about input or about a run that failed says: it is about a file, not about a release.
#[rustfmt::skip]
const MESSAGES: &[&str] = &[
    "holds trivially", "was found, but one may exist",
    "never closed", "cannot be r", "cannot be w", "cannot be g", "cannot be k", "cannot be p", "cannot be a",
    "check its spelling", "nearly always", "some class is always", "some class always",
    "check its spelling", "would always say yes", "nearly always", 
    "could not",
    "hidden sheet", "sheet is hidden", "hidden rows and columns are read",
    "the manifest says", "can read this file", "tells nobody apart", "please report",
];

/// The sentences of a text.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    // An example of a docstring is run by another test.
    let text = text.split(">>>").next().unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let letters: Vec<char> = text.chars().collect();
    let (mut found, mut start) = (Vec::new(), 0);
    for at in 1..letters.len() {
        let begins = letters[at].is_uppercase() || "“`*[{".contains(letters[at]);
        let ends = at >= 2 && letters[at - 1] == ' ' && ".!?".contains(letters[at - 2]);
        if ends && begins {
            found.push(letters[start..at - 1].iter().collect());
            start = at;
        }
    }
    found.push(letters[start..].iter().collect());
    found.retain(|sentence: &String| !sentence.is_empty());
    found
}

/// Whether a sentence has one of these words.
pub(crate) fn claims(sentence: &str, words: &[&str]) -> bool {
    let sentence = sentence.to_lowercase();
    words.iter().any(|word| has(&sentence, word))
}

/// Whether a text has a word or a phrase that does not go on at either end.
fn has(text: &str, word: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part) && !text[at + word.len()..].chars().next().is_some_and(part)
    })
}

/// Whether a sentence with a claiming word claims nothing about a release:
///
/// - it is a name: one or two words without a full stop, such as a heading, a key or a class of a style sheet;
/// - it is a question;
/// - it is an instruction;
/// - it says that something does not hold, or may not;
/// - it says what should be, or what a word or a part of the program is for;
/// - it is a message about input, or about a run that failed.
pub(crate) fn is_no_claim(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let is_name = sentence.split(' ').count() <= 2 && !sentence.ends_with('.');
    let begins = |with: &[&str]| with.iter().any(|start| lower.starts_with(start));
    let contains = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    is_name
        || sentence.ends_with('?')
        || lower.starts_with("not ")
        || begins(INSTRUCTIONS)
        || [DISCLAIMERS, DEFINITIONS, MESSAGES].into_iter().any(contains)
}
