//! What the values of a column say about people: whether each stands for one person, and whether they are free text.
//!
//! The first decides whether rows may be counted as people, the second what may be published unchanged.

use incrowd_core::{ColumnProfile, Dictionary, Role, Values};

use super::evidence::are_categories;
use super::names::{Meaning, Vocabulary, list, tokens};
use super::patterns::ValuePattern;
use super::words::Sense;
use super::{ColumnEvidence, patterns};

/// Words for parts of names and addresses, which different people share: `Smith`, `High Street`.
const SHARED: &str = "\
    address, adresse, anschrift, apellido, apellidos, birth name, calle, city, cognome, direccion, domicilio, \
    familienname, family name, father name, first name, firstname, fname, forename, geburtsname, given name, \
    hausnummer, house number, last name, lastname, lname, maiden name, middle name, mother name, nachname, \
    nom de famille, ort, prenom, rue, rufname, strasse, strassenname, street, street number, surname, town, ville, \
    vorname, wohnort";

/// Fewer rows show nothing about the form of a column.
const FEW_ROWS: u64 = 20;

/// Whether each value of the column stands for one person, so that two rows with one value are two rows of one person.
///
/// It does if the name suggests a number given to each person, if the column would be treated as the subject, or if
/// the values are e-mail addresses or social security numbers. A column that was declared an identifier does too,
/// unless its name says a part of a name or of an address, or a survey weight. A few values that many rows share never
/// do.
///
/// ```
/// use incrowd_core::{ColumnProfile, Dictionary, Values};
/// use incrowd_risk::roles::stands_for_one_person;
/// let column = |name: &str| ColumnProfile {
///     name: name.into(), rows: 5, missing: 0, rows_counted: 5, exact: true,
///     dictionary: Dictionary::new(Values::Integers(vec![30, 41]), false), counts: vec![3, 2],
/// };
/// assert!(stands_for_one_person(&column("PatNr"), false));
/// assert!(!stands_for_one_person(&column("key"), false) && stands_for_one_person(&column("key"), true));
/// assert!(!stands_for_one_person(&column("last_name"), true));
/// ```
pub fn stands_for_one_person(profile: &ColumnProfile, declared_identifier: bool) -> bool {
    let evidence = ColumnEvidence::of(profile, Vocabulary::shared());
    evidence.present > 0 && !evidence.is_category() && stands_for_a_person(&evidence, declared_identifier)
}

/// The same for a column of which only the first rows were read, and which has this many values in this many rows.
pub fn counted_stands_for_one_person(
    head: &ColumnProfile,
    (values, rows): (u64, u64),
    declared_identifier: bool,
) -> bool {
    let evidence = ColumnEvidence::of(head, Vocabulary::shared());
    rows > 0 && !are_categories(values, rows) && stands_for_a_person(&evidence, declared_identifier)
}

fn stands_for_a_person(evidence: &ColumnEvidence<'_>, declared_identifier: bool) -> bool {
    let addressed = matches!(evidence.pattern, Some(ValuePattern::Email | ValuePattern::SocialSecurityNumber));
    let numbered = evidence.is_person_number() || evidence.judge().role == Role::Subject;
    numbered
        || addressed
        || (declared_identifier && !is_shared(&evidence.profile.name) && !is_weight(&evidence.meaning))
}

/// Whether a column could stand for people by its name or the form of its values, however often these occur: what is
/// worth counting before rows are treated as people.
pub fn may_stand_for_people(profile: &ColumnProfile) -> bool {
    let evidence = ColumnEvidence::of(profile, Vocabulary::shared());
    let written = [ValuePattern::Email, ValuePattern::SocialSecurityNumber, ValuePattern::Uuid];
    evidence.is_person_number()
        || matches!(evidence.meaning, Meaning::BareNumber { whole: true })
        || evidence.pattern.is_some_and(|pattern| written.contains(&pattern))
}

/// Whether a value occurs in more than one of the rows that were counted. Missing values do not.
pub fn repeats(profile: &ColumnProfile) -> bool {
    ColumnEvidence::of(profile, Vocabulary::shared()).repeats()
}

/// Whether the column holds free text: long texts, or mostly sentences, of which at least half occur once.
pub fn is_free_text(profile: &ColumnProfile) -> bool {
    let evidence = ColumnEvidence::of(profile, Vocabulary::shared());
    let varied = evidence.present >= FEW_ROWS && evidence.distinct_share() >= 0.5;
    evidence.of_prose().is_some() || (varied && is_mostly_sentences(&profile.dictionary))
}

/// Whether at least half of the values have four words or more.
fn is_mostly_sentences(dictionary: &Dictionary) -> bool {
    let Values::Texts(texts) = dictionary.values() else { return false };
    let step = texts.len().div_ceil(patterns::SAMPLE).max(1);
    let sample: Vec<&str> = texts.iter().step_by(step).map(|text| text.trim()).collect();
    let sentences = sample.iter().filter(|text| text.split_whitespace().count() >= 4 && text.len() >= 20).count();
    !sample.is_empty() && 2 * sentences >= sample.len()
}

fn is_shared(name: &str) -> bool {
    let tokens = tokens(name).join(" ");
    let whole = |word: &str| format!(" {tokens} ").contains(&format!(" {word} "));
    list(SHARED).any(whole)
}

/// Whether the name says a survey weight, which people of one stratum share.
fn is_weight(meaning: &Meaning) -> bool {
    matches!(meaning, Meaning::Word { sense: Sense::Weight, .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(name: &str, values: &[&str], each: u64) -> ColumnProfile {
        let mut values: Vec<Box<str>> = values.iter().map(|&value| value.into()).collect();
        values.sort_unstable();
        let (counts, rows) = (vec![each; values.len()], each * values.len() as u64);
        let dictionary = Dictionary::new(Values::Texts(values), false);
        ColumnProfile { name: name.into(), rows, missing: 0, dictionary, counts, exact: true, rows_counted: rows }
    }

    #[test]
    fn surnames_and_streets_are_shared_by_different_people_and_numbers_are_not() {
        let column = |name: &str| texts(name, &["a1", "b2", "c3"], 2);
        for shared in ["surname", "LastName", "Straße", "home_address", "city"] {
            assert!(!stands_for_one_person(&column(shared), true), "{shared}");
        }
        for own in ["name", "insurance", "MRN", "kürzel"] {
            assert!(stands_for_one_person(&column(own), true), "{own}");
        }
        assert!(stands_for_one_person(&column("PatNr"), false) && repeats(&column("PatNr")));
    }

    #[test]
    fn a_few_values_that_many_rows_share_identify_no_person() {
        assert!(!stands_for_one_person(&texts("patient_id", &["a", "b"], 50), true));
    }

    #[test]
    fn e_mail_addresses_identify_people_whatever_the_column_is_called() {
        assert!(stands_for_one_person(&texts("kontakt2", &["a@example.org", "b@example.org"], 2), false));
    }

    #[test]
    fn notes_are_free_text_and_diagnoses_are_not() {
        let notes: Vec<String> = (0..24).map(|number| format!("spoke to the mother of patient {number}")).collect();
        let notes: Vec<&str> = notes.iter().map(String::as_str).collect();
        assert!(is_free_text(&texts("remark", &notes, 1)));
        let diagnoses = ["Type 2 diabetes mellitus, stable", "Essential primary hypertension, mild", "Asthma"];
        assert!(!is_free_text(&texts("diagnosis", &diagnoses, 30)));
    }
}
