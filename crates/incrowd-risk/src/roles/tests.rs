//! What the guesses are held to.

use incrowd_core::{ColumnProfile, Dictionary, Role, Values};

use super::names::{Meaning, Vocabulary, list, tokens};
use super::words::{BARE_NAMES, BARE_NUMBERS, CLASSIFYING, ENTRIES, NUMBERS, PERSONS, PREPOSITIONS, Sense};
use super::{Confidence, RoleGuess, guess};

/// A column of texts, each in `each` rows.
fn texts(name: &str, values: impl IntoIterator<Item = String>, each: u64) -> ColumnProfile {
    let mut values: Vec<Box<str>> = values.into_iter().map(String::into_boxed_str).collect();
    values.sort_unstable();
    values.dedup();
    profile(name, Values::Texts(values), each)
}

/// A column of the integers of a range, each in `each` rows.
fn integers(name: &str, values: std::ops::Range<i64>, each: u64) -> ColumnProfile {
    profile(name, Values::Integers(values.map(|value| value * 3).collect()), each)
}

fn profile(name: &str, values: Values, each: u64) -> ColumnProfile {
    let counts = vec![each; values.len()];
    let rows = counts.iter().sum();
    let dictionary = Dictionary::new(values, false);
    ColumnProfile { name: name.into(), rows, missing: 0, dictionary, counts, exact: true, rows_counted: rows }
}

fn words(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|number| format!("word{number:04}x"))
}

fn one(profile: ColumnProfile) -> RoleGuess {
    guess(&[profile]).remove(0)
}

/// The role of a column of forty texts, each in thirty rows, by its name alone.
fn role_of(name: &str) -> Role {
    one(texts(name, words(40), 30)).role
}

#[test]
fn the_columns_of_the_adult_table_get_sensible_roles() {
    use Role::{Identifier, QuasiIdentifier, Sensitive};
    let expected = [
        (integers("age", 17..91, 400), QuasiIdentifier),
        (texts("workclass", words(7), 4_000), QuasiIdentifier),
        (integers("fnlwgt", 12_285..32_285, 2), Identifier),
        (texts("education", words(16), 2_000), QuasiIdentifier),
        (integers("education-num", 1..17, 2_000), QuasiIdentifier),
        (texts("marital-status", words(7), 4_000), QuasiIdentifier),
        (texts("occupation", words(14), 2_000), QuasiIdentifier),
        (texts("relationship", words(6), 5_000), QuasiIdentifier),
        (texts("race", words(5), 6_000), QuasiIdentifier),
        (texts("sex", words(2), 15_000), QuasiIdentifier),
        (integers("capital-gain", 0..120, 250), Sensitive),
        (integers("capital-loss", 0..90, 300), Sensitive),
        (integers("hours-per-week", 1..95, 300), QuasiIdentifier),
        (texts("native-country", words(41), 700), QuasiIdentifier),
        (texts("salary-class", words(2), 15_000), Sensitive),
    ];
    let (profiles, roles): (Vec<_>, Vec<_>) = expected.into_iter().unzip();
    for (guess, role) in guess(&profiles).iter().zip(roles) {
        assert_eq!(guess.role, role, "{}: {}", guess.name, guess.reason);
        assert!(guess.confidence >= Confidence::Likely, "{}: {}", guess.name, guess.reason);
    }
}

#[test]
fn a_word_inside_another_word_is_not_found() {
    for name in [
        "page_count",
        "message",
        "average",
        "storage",
        "percentage",
        "usage",
        "sexton",
        "embrace",
        "xport",
        "stagecoach",
        "incoming",
        "scoreboard",
        "shipment",
        "nameplate",
        "mailman",
        "surface",
        "statement",
        "zipper",
        "ageing_of_nothing",
        "telescope",
        "jobless",
        "dateline",
    ] {
        assert_eq!(Vocabulary::new().read(name), Meaning::Nothing, "{name}");
        let guess = one(texts(name, words(40), 30));
        assert_eq!((guess.role, guess.confidence), (Role::QuasiIdentifier, Confidence::Unsure), "{name}");
    }
}

#[test]
fn an_image_url_is_a_web_address_and_not_an_age() {
    let guess = one(texts("image_url", words(4_000), 1));
    assert_eq!(guess.role, Role::Identifier);
    assert!(!guess.reason.contains("age,"), "{}", guess.reason);
}

#[test]
fn names_are_cut_at_signs_at_camel_case_and_at_digits() {
    assert_eq!(tokens("marital-status"), ["marital", "status"]);
    assert_eq!(tokens("dateOfBirth"), ["date", "of", "birth"]);
    assert_eq!(tokens("IPAddress"), ["ip", "address"]);
    assert_eq!(tokens("patientID"), ["patient", "id"]);
    assert_eq!(tokens("ICD10.code"), ["icd", "10", "code"]);
    assert_eq!(tokens("Straße Nr"), ["strasse", "nr"]);
    assert_eq!(tokens("Prénom"), ["prenom"]);
    assert_eq!(tokens("pre\u{301}nom"), ["prenom"]);
    assert_eq!(tokens("Staatsangehörigkeit"), ["staatsangehoerigkeit"]);
    assert_eq!(tokens("__"), Vec::<String>::new());
}

#[test]
fn the_last_word_says_what_a_column_is_unless_a_preposition_comes_between() {
    assert_eq!(role_of("diagnosis_date"), Role::QuasiIdentifier);
    assert_eq!(role_of("age_at_diagnosis"), Role::QuasiIdentifier);
    assert_eq!(role_of("employment_income"), Role::Sensitive);
    assert_eq!(role_of("ip_country"), Role::QuasiIdentifier);
    assert_eq!(role_of("account_balance"), Role::Sensitive);
}

#[test]
fn words_of_four_languages_are_understood() {
    let names = [
        ("Geburtsdatum", Role::QuasiIdentifier),
        ("PLZ", Role::QuasiIdentifier),
        ("Familienstand", Role::QuasiIdentifier),
        ("Hauptdiagnose", Role::Sensitive),
        ("Nachname", Role::Identifier),
        ("Gehalt", Role::Sensitive),
        ("date_de_naissance", Role::QuasiIdentifier),
        ("code_postal", Role::QuasiIdentifier),
        ("prénom", Role::Identifier),
        ("maladie", Role::Sensitive),
        ("salaire", Role::Sensitive),
        ("fecha_nacimiento", Role::QuasiIdentifier),
        ("código_postal", Role::QuasiIdentifier),
        ("apellidos", Role::Identifier),
        ("enfermedad", Role::Sensitive),
        ("estado civil", Role::QuasiIdentifier),
        ("religion", Role::Sensitive),
        ("hiv_status", Role::Sensitive),
        ("politische_einstellung", Role::Sensitive),
        ("correo electrónico", Role::Identifier),
        ("phoneNumber", Role::Identifier),
        ("license-plate", Role::Identifier),
    ];
    for (name, role) in names {
        assert_eq!(role_of(name), role, "{name}");
    }
}

#[test]
fn a_person_number_that_repeats_is_the_subject_and_one_that_does_not_is_an_identifier() {
    for name in ["patient_id", "personId", "customer no", "id_cliente", "Patientennummer", "MRN", "numéro client"] {
        assert_eq!(one(texts(name, words(400), 3)).role, Role::Subject, "{name}");
        assert_eq!(one(texts(name, words(400), 1)).role, Role::Identifier, "{name}");
    }
}

#[test]
fn a_social_security_number_that_repeats_is_the_subject_too() {
    let numbers = (0..50).map(|n| format!("900-{:02}-{n:04}", n % 90 + 10));
    assert_eq!(one(texts("ssn", numbers, 2)).role, Role::Subject);
}

#[test]
fn a_few_people_with_many_rows_each_are_still_people() {
    assert_eq!(one(texts("patient_id", words(5), 10_000)).role, Role::Subject);
}

#[test]
fn a_table_has_one_subject() {
    let guesses =
        guess(&[texts("id", words(400), 3), texts("patient_id", words(300), 4), texts("customer_id", words(300), 4)]);
    let roles: Vec<Role> = guesses.iter().map(|guess| guess.role).collect();
    assert_eq!(roles, [Role::Identifier, Role::Subject, Role::Identifier]);
}

#[test]
fn an_identifier_of_something_else_that_repeats_is_not_a_person() {
    assert_eq!(role_of("store_id"), Role::QuasiIdentifier);
    assert_eq!(role_of("product_name"), Role::QuasiIdentifier);
}

#[test]
fn a_flag_about_an_identifier_is_not_an_identifier_but_few_first_names_are() {
    let guess = one(texts("email_verified", words(2), 50));
    assert_eq!((guess.role, guess.confidence), (Role::QuasiIdentifier, Confidence::Unsure));
    let guess = one(texts("first_name", words(20), 500));
    assert_eq!((guess.role, guess.confidence), (Role::Identifier, Confidence::Unsure));
}

#[test]
fn values_that_name_people_are_identifiers_whatever_the_column_is_called() {
    let columns = [
        texts("a", (0..50).map(|n| format!("someone{n}@example.org")), 2),
        texts("b", (0..50).map(|n| format!("3f2504e0-4f89-41d3-9a0c-0305e82c{n:04}")), 1),
        texts("c", (0..50).map(|n| format!("192.0.2.{n}")), 2),
        texts("d", (0..50).map(|n| format!("+49 30 5550{n:03}")), 2),
        texts("e", (0..50).map(|n| format!("(555) 010-{n:04}")), 2),
        texts("f", (0..50).map(|n| format!("900-{:02}-{n:04}", n % 90 + 10)), 2),
        texts("g", (0..50).map(|n| format!("https://example.org/people/{n}")), 2),
        texts("h", ["DE89370400440532013000", "GB82 WEST 1234 5698 7654 32"].map(String::from), 3),
        texts("i", (0..50).map(|n| format!("00:00:5e:00:53:{n:02x}")), 2),
    ];
    for guess in guess(&columns) {
        assert_eq!(guess.role, Role::Identifier, "{}: {}", guess.name, guess.reason);
    }
}

#[test]
fn a_date_that_could_be_read_two_ways_asks_for_its_format() {
    let days = || (1..13).flat_map(|month| (1..28).map(move |day| format!("{day:02}.{month:02}.1980")));
    for name in ["geburtsdatum", "x"] {
        let guess = one(texts(name, days(), 2));
        assert_eq!(guess.role, Role::QuasiIdentifier);
        assert!(guess.date_format_unknown, "{}", guess.reason);
    }
}

#[test]
fn dates_postcodes_and_disease_codes_are_known_by_their_form() {
    let dates = profile("x", Values::Dates((0..400).collect()), 2);
    assert_eq!(one(dates).role, Role::QuasiIdentifier);
    let postcodes = one(texts("x", (0..400).map(|n| format!("{:05}", n * 97)), 5));
    assert_eq!((postcodes.role, postcodes.confidence), (Role::QuasiIdentifier, Confidence::Likely));
    let codes = one(texts("x", (10..60).map(|n| format!("E{n}.{}", n % 9)), 5));
    assert_eq!(codes.role, Role::Sensitive);
}

#[test]
fn long_unique_texts_are_taken_as_naming_people_even_under_a_harmless_name() {
    let notes = (0..50).map(|n| format!("The person of visit {n} felt better today and went home in the evening."));
    let guess = one(texts("diagnosis", notes, 1));
    assert_eq!(guess.role, Role::Identifier);
}

#[test]
fn a_column_where_nearly_every_row_differs_is_an_identifier() {
    assert_eq!(one(texts("x", words(500), 1)).role, Role::Identifier);
    assert_eq!(one(integers("x", 0..500, 1)).role, Role::Identifier);
    let measured =
        profile("x", Values::Numbers { values: (0..500).map(|n| f64::from(n) / 7.0).collect(), scale: None }, 1);
    assert_eq!(one(measured).role, Role::QuasiIdentifier);
}

#[test]
fn only_a_column_that_distinguishes_no_rows_is_surely_insensitive() {
    assert_eq!(one(texts("x", words(1), 50)).role, Role::Insensitive);
    assert_eq!(one(texts("country", words(1), 50)).role, Role::Insensitive);
    assert_eq!(one(texts("x", words(0), 50)).role, Role::Insensitive);
    assert_eq!(one(texts("diagnosis", words(1), 50)).role, Role::Sensitive);
}

#[test]
fn a_number_of_something_sensitive_is_an_identifier_even_in_a_few_rows() {
    for name in ["loan_id", "prescription_number", "payment_ref", "Steuer-ID", "BefundNr", "numero_receta"] {
        assert_eq!(one(texts(name, words(7), 1)).role, Role::Identifier, "{name}");
    }
    assert_eq!(one(integers("number_of_debts", 0..5, 40)).role, Role::Sensitive);
    assert_eq!(one(texts("diagnosis_code", words(7), 30)).role, Role::Sensitive);
}

#[test]
fn a_word_is_found_although_camel_case_cuts_it() {
    let meaning = |name: &str| Vocabulary::new().read(name);
    assert_eq!(meaning("GebDat"), meaning("gebdat"));
    assert_eq!(meaning("Geb.-Dat."), meaning("gebdat"));
    assert_eq!(meaning("SVNr"), meaning("svnr"));
    assert_ne!(meaning("GebDat"), Meaning::Nothing);
}

#[test]
fn who_treats_or_lends_is_no_treatment_and_no_loan() {
    for name in ["treatment_hospital", "hopital_traitement", "loan_officer", "pension_recipient", "Behandlung Klinik"] {
        assert_eq!(role_of(name), Role::QuasiIdentifier, "{name}");
    }
}

#[test]
fn an_empty_list_of_profiles_gives_no_guess() {
    assert_eq!(guess(&[]), []);
}

#[test]
fn a_reason_is_one_sentence_without_any_value_of_the_column() {
    let columns: Vec<ColumnProfile> = ["x", "age", "name", "email", "patient_id", "diagnosis", "fnlwgt", "id", "notes"]
        .into_iter()
        .flat_map(|name| [1, 2, 300].map(|each| texts(name, words(40), each)))
        .collect();
    for guess in guess(&columns) {
        assert!(guess.reason.ends_with('.') && guess.reason.matches(". ").count() == 0, "{}", guess.reason);
        assert!(words(40).all(|value| !guess.reason.contains(&value)), "{}", guess.reason);
    }
}

#[test]
fn the_table_of_words_is_sorted_free_of_repetition_and_written_as_names_are_cut() {
    let mut seen = std::collections::HashSet::new();
    for entry in ENTRIES {
        let words: Vec<&str> = list(entry.words).collect();
        assert!(words.is_sorted(), "{}", entry.idea);
        for word in words {
            assert!(seen.insert(word), "{word} stands twice");
            assert_eq!(tokens(word).join(" "), word);
        }
    }
    for words in [PERSONS, NUMBERS, CLASSIFYING, BARE_NUMBERS, BARE_NAMES, PREPOSITIONS] {
        assert!(list(words).is_sorted(), "{words}");
    }
    assert!(list(PERSONS).all(|word| !seen.contains(word)), "a person with a number is a person number");
    let order = |sense| match sense {
        Sense::Identifier => 0,
        Sense::PersonNumber => 1,
        Sense::QuasiIdentifier => 2,
        Sense::Institution => 3,
        Sense::Sensitive | Sense::SensitiveAmount => 4,
        Sense::Weight => 5,
        Sense::Insensitive => 6,
    };
    assert!(ENTRIES.is_sorted_by_key(|entry| order(entry.sense)));
}
