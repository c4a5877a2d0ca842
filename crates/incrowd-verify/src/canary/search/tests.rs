//! Values are found where they stand, wherever a file is cut into pieces, and each place is told from the others.

use aho_corasick::AhoCorasickKind;

use super::*;

/// What `CanarySearch::places` says of each place.
const CELL: u8 = 1;
const WITHIN_KNOWN: u8 = 2;
const TEXT: u8 = 4;
const LOOSE: u8 = 8;

/// Whether a value of at least `least` bytes is found; all bytes must be counted.
fn is_in_stream(value: &str, bytes: &[u8], least: usize) -> bool {
    let mut search = CanarySearch::of_texts(&[value]);
    assert_eq!(search.stream(bytes, least).expect("bytes in memory"), bytes.len() as u64);
    search.places() == [TEXT]
}

#[test]
fn a_part_of_a_longer_word_is_not_the_value() {
    let mut found = CanarySearch::of_texts(&["34", "Anna"]);
    found.text(b"1340,Annabel");
    assert_eq!(found.leaks(), 0);
    found.text(b"[34, 40)");
    assert_eq!(found.leaks(), 1);
}

#[test]
fn a_value_across_two_pieces_is_found_wherever_it_is_cut() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for cut in 0..12 {
        let mut bytes = vec![b'.'; PIECE - cut];
        bytes.extend(b"Annabella S");
        bytes.extend(vec![b'.'; PIECE]);
        std::fs::write(dir.path().join("x"), &bytes).expect("the disk has room");
        let mut found = CanarySearch::of_texts(&["Annabella S", "Annabella", "nnabella"]);
        found.file(&dir.path().join("x"), 1).expect("it was written");
        assert_eq!((found.leaks(), found.bytes), (2, bytes.len() as u64), "{cut}");
    }
}

#[test]
fn what_a_cell_holds_is_no_leak() {
    let mut found = CanarySearch::of_texts(&["Ulm"]);
    found.text(b"Ulm");
    found.cell(b"Neu-Ulm");
    assert_eq!((found.leaks(), found.in_cells()), (0, 1));
}

#[test]
fn a_value_at_an_end_of_a_short_stream_is_found_as_a_word() {
    for (bytes, is_found) in [
        ("", false),
        ("Ann", false),
        ("Anna", true),
        ("Anna.", true),
        (".Anna", true),
        ("Anna.b", true),
        ("b.Anna", true),
        ("Anna and what is longer than it", true),
        ("what is longer than it, and Anna", true),
        ("Annab", false),
        ("bAnna", false),
        ("Annabel is longer than the value", false),
        ("as an end it is longer: JoAnna", false),
    ] {
        assert_eq!(is_in_stream("Anna", bytes.as_bytes(), 1), is_found, "{bytes}");
    }
}

#[test]
fn a_word_that_goes_on_in_the_next_piece_is_not_the_value() {
    // The second piece begins with what the first one ends with: one byte more than the value has.
    let again = PIECE - "Anna".len() - 1;
    for (before, word, is_found) in [
        // The word stands at the begin of the second window, and what is before it was seen with the first one only.
        (again - 1, "xAnna.", false),
        (again - 1, ".Anna.", true),
        (again - 1, ".Annax", false),
        // One byte more stands in the second window.
        (again, "xAnna.", false),
        (again, ".Anna.", true),
        (again, ".Annax", false),
        // What follows stands in the second piece.
        (PIECE - 4, "Annabel", false),
        (PIECE - 4, "Anna.", true),
        (PIECE - 4, "Anna", true),
        // The word begins with the second piece.
        (PIECE - 1, "xAnna", false),
        (PIECE - 1, ".Anna", true),
    ] {
        let mut bytes = vec![b'.'; before];
        bytes.extend(word.as_bytes());
        for behind in [0, 20] {
            bytes.extend(vec![b'.'; behind]);
            assert_eq!(is_in_stream("Anna", &bytes, 1), is_found, "{word} at {before}, then {behind}");
        }
    }
}

#[test]
fn a_value_at_the_begin_of_many_pieces_is_found() {
    let mut bytes = b"Anna".to_vec();
    bytes.extend(vec![b'.'; PIECE]);
    assert!(is_in_stream("Anna", &bytes, 1));
    bytes[4] = b'b';
    assert!(!is_in_stream("Anna", &bytes, 1));
}

#[test]
fn a_value_in_raw_bytes_is_found_from_the_length_asked_for() {
    for (value, least, is_found) in [
        ("Zoe-Leaked", 9, true),
        ("Zoe-Leaked", 10, true),
        ("Zoe-Leaked", 11, false),
        ("Zoe-Leaked1", LONG_IN_RAW, false),
        ("Zoe-Leaked12", LONG_IN_RAW, true),
    ] {
        // Far from the begin the place is a larger number than any length.
        let bytes = format!("what stands far from the begin of a file: {value}, and more");
        assert_eq!(is_in_stream(value, bytes.as_bytes(), least), is_found, "{value} of {least}");
        let bytes = format!("what stands far from the begin of a file: x{value}, and more");
        assert!(!is_in_stream(value, bytes.as_bytes(), least), "a part of a word: {value} of {least}");
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("Anna"))
        }
    }
    let mut search = CanarySearch::of_texts(&["Anna"]);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let missing = search.file(&dir.path().join("missing"), 1);
    let broken = search.stream(b"Anna, ".chain(Broken), 1).map(|_| ());
    for refused in [missing, broken] {
        assert!(matches!(refused, Err(ReadError::Unreadable(why)) if why == "it cannot be read"));
    }
    assert_eq!(search.bytes, 0);
}

#[test]
fn each_place_is_told_from_the_others() {
    type Look = fn(&mut CanarySearch, &[u8]);
    // What is said of the value as a word, and of the value within one.
    let looks: [(&str, Look, u8, u8); 4] = [
        ("cell", CanarySearch::cell, CELL | WITHIN_KNOWN, WITHIN_KNOWN),
        ("known", CanarySearch::known, WITHIN_KNOWN, WITHIN_KNOWN),
        ("text", CanarySearch::text, TEXT, 0),
        ("loose", CanarySearch::loose, LOOSE, LOOSE),
    ];
    for (name, look, as_word, within) in looks {
        for (text, places) in [("of Isabella", as_word), ("xIsabellax", within), ("Isabell", 0)] {
            let mut search = CanarySearch::of_texts(&["Zoe", "Isabella"]);
            look(&mut search, text.as_bytes());
            assert_eq!(search.places(), [0, places], "{name} of {text}");
        }
    }
}

#[test]
fn a_value_among_loose_bytes_is_found_from_six_bytes_on() {
    for (value, places) in [("Zoe-L", 0), ("Zoe-Le", LOOSE)] {
        let mut search = CanarySearch::of_texts(&[value]);
        search.loose(b"xZoe-Leakedx");
        assert_eq!(search.places(), [places], "{value}");
    }
}

#[test]
fn places_in_two_files_add_up() {
    for first in 0..16_u8 {
        for second in 0..16_u8 {
            let mut search = CanarySearch::of_texts(&["Anna", "Bert", "Cleo"]);
            search.add_places(&[first, 0, second]);
            assert_eq!(search.places(), [first, 0, second]);
            search.add_places(&[second, 0, 0]);
            assert_eq!(search.places(), [first | second, 0, second]);
        }
    }
}

#[test]
fn a_leak_is_what_no_cell_excuses() {
    for places in 0..16_u8 {
        let has = |place: u8| places & place != 0;
        let mut search = CanarySearch::of_texts(&["Anna", "Bert"]);
        search.add_places(&[places, 0]);
        let is_leak = [TEXT, TEXT | WITHIN_KNOWN, TEXT | LOOSE, TEXT | LOOSE | WITHIN_KNOWN, LOOSE].contains(&places);
        assert_eq!((search.leaks(), search.in_cells()), (u64::from(is_leak), u64::from(has(CELL))), "{places}");
    }
}

#[test]
fn cells_are_needed_once_something_was_met_or_if_a_value_has_a_quote() {
    for (values, places, is_needed) in [
        (["Anna", "Bert"], [0, 0], false),
        (["Anna", "Bert"], [CELL | WITHIN_KNOWN | LOOSE, 0], false),
        (["Anna", "Bert"], [TEXT, 0], true),
        (["Anna", "Bert"], [0, TEXT], true),
        (["Anna", "\"B\""], [0, 0], true),
        (["An\"na", "Bert"], [0, 0], true),
        (["An\"na", "\""], [0, 0], true),
    ] {
        let mut search = CanarySearch::of_texts(&values);
        search.add_places(&places);
        assert_eq!(search.needs_cells(), is_needed, "{values:?} {places:?}");
    }
    assert!(!CanarySearch::of_texts(&[]).needs_cells());
}

#[test]
fn a_table_of_all_transitions_is_for_less_than_32_kib_of_values() {
    // More values than the library itself would make such a table for. That they begin alike keeps them small.
    for (shorter, is_table) in [(1, true), (0, false)] {
        let mut values: Vec<Vec<u8>> = (0..128).map(|at| format!("{at:a>256}").into_bytes()).collect();
        values[0].drain(..shorter);
        let search = CanarySearch::new(values).expect("some values");
        assert_eq!(search.automaton.kind() == AhoCorasickKind::DFA, is_table, "{shorter} less");
        assert_eq!((search.values(), search.longest), (128, 256));
    }
}
