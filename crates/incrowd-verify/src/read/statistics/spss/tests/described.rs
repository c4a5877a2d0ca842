//! What describes the columns: names, labels, missing values, formats, encodings.

use super::*;

/// A file with a number, a day, a text and a text of 300 bytes, in three rows.
fn whole(big: bool) -> Written {
    let mut file = Written::new(big, 0, 3);
    file.ints(&[2, 0, 1, 2, 0x05_08_02, 0]).text("AGE", 8);
    file.ints(&[9]).text("age now  ", 12).number(98.0).number(99.0);
    file.column(0, "BORN", 20, 0);
    file.column(10, "TOWN", 1, 2).text("XX", 8).text("YY", 8).rests(1);
    file.column(255, "NOTE", 1, 0).rests(31);
    file.column(48, "NOTE0", 1, 0).rests(5);
    file.ints(&[3, 3]);
    for (value, label) in [(1.0, "boy"), (2.0, " seven l"), (3.0, "eight letters 15")] {
        let size = (label.len() / 8 + 1) * 8 - 1;
        file.number(value).raw(&[u8::try_from(label.len()).expect("short")]).text(label, size);
    }
    file.ints(&[4, 1, 1]);
    file.ints(&[3, 1]).text("Ulm", 8).raw(&[7]).text("on lake", 7).ints(&[4, 1, 3]);
    file.ints(&[6, 2]).text("a document of two lines", 160);
    file.later(13, b"AGE=AgeOfPerson\tTOWN=Town\tbroken").later(14, b"NOTE=00300\0\t");
    let mut long = Written { big, bytes: Vec::new() };
    long.ints(&[4]).text("Town", 4).ints(&[10, 2]);
    long.ints(&[5]).text("Ulm X", 5).ints(&[4]).text(" big", 4).ints(&[1]).text("B", 1).ints(&[4]).text("Bonn", 4);
    file.later(21, &long.bytes).end();
    let note = format!("{}{}", "n".repeat(256), "m".repeat(48));
    let rows: [(f64, f64, &str, &str); 3] =
        [(41.5, 86_400.0, "Ulm on Don", &note), (98.0, 0.0, "XX", ""), (-f64::MAX, -f64::MAX, "", "short")];
    for (age, born, town, note) in rows {
        file.number(age).number(born).text(town, 16).text(note, 304);
    }
    file
}

#[test]
fn columns_are_read_in_both_orders_of_bytes() {
    for big in [false, true] {
        let read = whole(big).read().expect("a whole file");
        let names = read.iter().map(|column| column.name.as_str()).collect::<Vec<_>>();
        assert_eq!(names, ["AgeOfPerson", "BORN", "Town", "NOTE"]);
        let about = read.iter().map(|column| column.about.as_str()).collect::<Vec<_>>();
        assert_eq!(about, ["age now", "", "", ""]);
        assert_eq!(cells(&read[0]), ["41.5", "-", "-"]);
        assert_eq!(cells(&read[1]), ["1582-10-15", "1582-10-14", "-"]);
        assert_eq!(cells(&read[2]), ["Ulm on Don", "-", "-"]);
        let long = format!("{}{}", "n".repeat(255), "m".repeat(45));
        assert_eq!(cells(&read[3]), [long.as_str(), "-", "short"]);
        assert_eq!(labels(&read[0]), [("1", "boy"), ("2", "seven l"), ("3", "eight letters 15")]);
        assert_eq!(labels(&read[2]), [("B", "Bonn"), ("Ulm", "on lake"), ("Ulm X", "big")]);
        assert!(labels(&read[1]).is_empty() && labels(&read[3]).is_empty());
    }
}

#[test]
fn a_file_that_ends_early_is_refused() {
    let file = whole(false);
    let all = file.bytes.len();
    for length in (0..all).step_by(3).chain(all - 10..all) {
        assert!(columns(&file.bytes[..length], None).is_none(), "cut at {length}");
    }
    assert!(columns(&file.bytes, None).is_some());
}

#[test]
fn declared_missing_values_are_single_ones_or_a_range() {
    type Declared<'a> = (i32, &'a [f64], &'a [f64], &'a [f64]);
    let declared: [Declared<'_>; 6] = [
        (0, &[], &[], &[0.0, 1.0]),
        (1, &[7.0], &[7.0], &[1.0, 6.0, 8.0]),
        (2, &[1.0, 9.0], &[1.0, 9.0], &[5.0, 0.0]),
        (3, &[1.0, 5.0, 9.0], &[1.0, 5.0, 9.0], &[3.0, 7.0]),
        (-2, &[1.0, 9.0], &[1.0, 5.0, 9.0], &[0.5, 9.5]),
        (-3, &[1.0, 9.0, 20.0], &[1.0, 5.0, 9.0, 20.0], &[0.0, 15.0, 21.0]),
    ];
    for (count, values, missing, present) in declared {
        for number in missing.iter().chain(present) {
            let mut file = Written::new(false, 0, 1);
            file.column(0, "PAY", 5, count);
            for value in values {
                file.number(*value);
            }
            file.end().number(*number);
            let shown = if missing.contains(number) { "-".to_owned() } else { number.to_string() };
            assert_eq!(read_cells(&file).expect("a row"), [shown], "{count} {values:?} {number}");
        }
    }
}

#[test]
fn declared_missing_texts_are_compared_without_blanks() {
    for (text, shown) in [("XX", "-"), ("YY", "-"), ("XXY", "XXY"), ("", "-")] {
        let mut file = Written::new(true, 0, 1);
        file.column(8, "TOWN", 1, 2).text("XX", 8).text("YY", 8).end().text(text, 8);
        assert_eq!(read_cells(&file).expect("a row"), [shown]);
    }
}

/// A file with two columns of long texts, and what it says of their missing values.
fn missing_texts(big: bool, said: &[u8], rows: &[(&str, &str)]) -> Option<Vec<Vec<String>>> {
    let mut file = Written::new(big, 0, i32::try_from(rows.len()).expect("few"));
    file.column(12, "TOWN", 1, 0).rests(1).column(9, "V2", 1, 0).rests(1).later(13, b"TOWN=Town\tV2=Street");
    file.later(22, said).end();
    for (town, street) in rows {
        file.text(town, 16).text(street, 16);
    }
    Some(file.read()?.iter().map(|column| cells(column).into_iter().map(str::to_owned).collect()).collect())
}

/// How many values are declared missing, behind the name of the column.
fn declared(big: bool, name: &str, count: u8, size: i32) -> Written {
    let mut said = Written { big, bytes: Vec::new() };
    said.ints(&[i32::try_from(name.len()).expect("short")]).text(name, name.len()).raw(&[count]).ints(&[size]);
    said
}

#[test]
fn declared_missing_values_of_long_texts_are_missing() {
    let rows = [("unknown", "unknown"), ("refused", "other"), ("unknown town", ""), ("Ulm", "a")];
    for big in [false, true] {
        // By the long name or the short one; another column has others.
        for name in ["Town", "TOWN"] {
            let mut said = declared(big, name, 2, 8);
            let other = declared(big, "Street", 1, 8).text("other", 8).bytes.clone();
            said.text("unknown", 8).text("refused", 8).raw(&other);
            let read = missing_texts(big, &said.bytes, &rows).expect("a table");
            assert_eq!(read, [["-", "-", "unknown town", "Ulm"], ["unknown", "-", "-", "a"]]);
        }
        // With the length before each further value, as old files of PSPP have it.
        let mut said = declared(big, "Town", 2, 8);
        said.text("unknown", 8).ints(&[8]).text("refused", 8);
        let read = missing_texts(big, &said.bytes, &rows).expect("a table");
        assert_eq!(read[0], ["-", "-", "unknown town", "Ulm"]);
        // Cut off.
        for length in 1..said.bytes.len() {
            assert_eq!(missing_texts(big, &said.bytes[..length], &rows), None, "{length}");
        }
    }
}

#[test]
fn a_number_is_shown_as_its_format_says() {
    const DAY: f64 = 86_400.0;
    for format in [20, 23, 24, 28, 29, 30, 38, 39] {
        assert_eq!(shown(1.5 * DAY, format << 16 | 0x0a_00).as_deref(), Some("1582-10-15"), "{format}");
    }
    for format in [22, 41] {
        assert_eq!(shown(DAY + 61.5, format << 16).as_deref(), Some("1582-10-15T00:01:01.500"), "{format}");
    }
    let times = [
        (0.0, "00:00:00"),
        (-61.0, "-00:01:01"),
        (3_725.6, "01:02:06"),
        (360_000.0, "100:00:00"),
        (999_999_999_999_999.0, "277777777777:46:39"),
        (1e15, "1000000000000000"),
    ];
    for format in [21, 25, 40] {
        for (number, time) in times {
            assert_eq!(shown(number, format << 16 | 0x08_02).as_deref(), Some(time), "{format}");
        }
    }
    for format in [0, 1, 5, 26, 37, 42] {
        assert_eq!(shown(1.25, format << 16 | 0xff_ff).as_deref(), Some("1.25"), "{format}");
    }
    assert_eq!(shown(f64::NAN, 20 << 16), None);
}

#[test]
fn texts_are_decoded_as_the_file_or_the_caller_says() {
    let page = |page: i32| {
        let mut about = Written { big: false, bytes: vec![0; 28] };
        about.ints(&[page]);
        about.bytes
    };
    let (one, utf8): (&[u8], &[u8]) = (b"M\xfcnch", "Münch".as_bytes());
    // What a file says, the bytes of a text, and whether they are a text.
    type Records = Vec<(i32, Vec<u8>)>;
    let cases: [(Records, &[u8], bool); 10] = [
        (vec![], utf8, true),
        (vec![], one, false),
        (vec![(20, b" windows-1252 ".to_vec())], one, true),
        (vec![(20, b"nonsense".to_vec())], utf8, false),
        (vec![(3, page(1252)), (20, b"UTF-8".to_vec())], utf8, true),
        (vec![(3, page(1252))], one, true),
        (vec![(3, page(65_001))], utf8, true),
        (vec![(3, page(2))], utf8, true),
        (vec![(3, page(99_999))], utf8, false),
        (vec![(3, vec![0; 31])], utf8, false),
    ];
    for (at, (later, bytes, is_text)) in cases.into_iter().enumerate() {
        let mut file = Written::new(false, 0, 1);
        file.column(8, "TOWN", 1, 0);
        for (kind, bytes) in &later {
            file.later(*kind, bytes);
        }
        let mut cell = bytes.to_vec();
        cell.resize(8, b' ');
        file.end().raw(&cell);
        assert_eq!(read_cells(&file), is_text.then(|| vec!["Münch".to_owned()]), "case {at}");
    }
    let mut file = Written::new(false, 0, 1);
    file.column(8, "TOWN", 1, 0).later(20, b"UTF-8").end().raw(b"M\xfcnchen ");
    assert!(file.read().is_none());
    let read = columns(&file.bytes, Some(encoding_rs::WINDOWS_1252)).expect("the caller knows the encoding");
    assert_eq!(cells(&read[0]), ["München"]);
}

#[test]
fn a_text_is_taken_without_what_fills_it_up() {
    assert_eq!(text_in(UTF_8, b"  a b \0 \0").as_deref(), Some("  a b"));
    assert_eq!(text_in(UTF_8, b" \0"), Some(String::new()));
    assert_eq!(text_in(UTF_8, b"\xff"), None);
}
