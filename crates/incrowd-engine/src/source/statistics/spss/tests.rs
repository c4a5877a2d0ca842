//! Tests with SPSS files that are written here.

use std::io::Cursor;

use super::*;

fn ints(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A file with columns `V0`, `V1`, … of these widths and so many elements for each, what records of type 7 say, and its data.
fn file(rows: i32, described: &[(i32, usize)], said: &[(i32, &[u8])], data: &[u8]) -> Vec<u8> {
    let mut bytes = [b"$FL2", &[b' '; 60][..], &ints(&[2, 0, 0, 0, rows]), &100f64.to_le_bytes(), &[0; 84]].concat();
    for (place, &(width, elements)) in described.iter().enumerate() {
        bytes.extend([ints(&[2, width, 0, 0, 0, 0]), format!("V{place:<7}").into_bytes()].concat());
        for _ in 1..elements {
            bytes.extend([ints(&[2, -1, 0, 0, 0, 0]), vec![b' '; 8]].concat());
        }
    }
    for (kind, about) in said {
        bytes.extend([&ints(&[7, *kind, 1, i32::try_from(about.len()).expect("short")])[..], about].concat());
    }
    bytes.extend([&ints(&[999, 0])[..], data].concat());
    bytes
}

/// The cells of all rows, and how many were declared missing.
fn rows(bytes: &[u8]) -> Option<(Vec<Vec<StatisticsCell>>, u64)> {
    let (facts, mut rows) = (FileFacts { size: bytes.len() as u64, encoding: None }, Vec::new());
    let done = read(Cursor::new(bytes), facts, &mut |cells| {
        rows.push(cells.to_vec());
        Ok(())
    });
    done.ok().map(|read| (rows, read.declared_missing))
}

/// The names and widths of the columns.
fn columns(described: &[(i32, usize)], long_texts: &[u8]) -> Option<Vec<(String, usize)>> {
    let bytes = file(0, described, &[(14, long_texts)], b"");
    let facts = FileFacts { size: bytes.len() as u64, encoding: None };
    let read = SpssDictionary::read(&mut Cursor::new(bytes), facts).ok()?;
    let width = |column: &SpssColumn| if let ColumnKind::Text { width } = column.kind { width } else { 0 };
    Some(read.columns.iter().map(|column| (column.variable.name.clone(), width(column))).collect())
}

#[test]
fn a_text_has_as_many_elements_as_its_bytes_need() {
    for (width, elements) in [(0, 1), (1, 1), (8, 1), (9, 2), (16, 2), (17, 3), (255, 32)] {
        for said in 1..34 {
            let read = columns(&[(width, said), (0, 1)], b"");
            assert_eq!(read.is_some(), said == elements, "{width} bytes in {said} elements");
        }
    }
}

#[test]
fn a_long_text_is_put_together_from_its_own_parts_only() {
    let named = |columns: &[(&str, usize)]| -> Option<Vec<(String, usize)>> {
        Some(columns.iter().map(|(name, width)| ((*name).to_owned(), *width)).collect())
    };
    let parts = [(255, 32), (48, 6), (0, 1)];
    assert_eq!(columns(&parts, b"V0=00300\0\t"), named(&[("V0", 300), ("V2", 0)]));
    // Said to be longer or shorter than its parts; a number; a text that is no long one.
    assert_eq!(columns(&parts, b"V0=00600\0\t"), None);
    assert_eq!(columns(&parts, b"V0=00290\0\t"), None);
    assert_eq!(columns(&parts, b"V2=00300\0\t"), None);
    assert_eq!(columns(&parts, b"V0=00255\0\t"), named(&[("V0", 255), ("V1", 48), ("V2", 0)]));
    assert_eq!(columns(&parts, b"V0=00000\0\t"), named(&[("V0", 255), ("V1", 48), ("V2", 0)]));
}

#[test]
fn a_file_has_as_many_rows_as_it_states() {
    let numbers = [1f64, 2.0, 3.0].map(f64::to_le_bytes).concat();
    let read = |stated: i32| rows(&file(stated, &[(0, 1)], &[], &numbers)).map(|(rows, _)| rows.len());
    assert_eq!((read(3), read(2), read(4)), (Some(3), None, None));
    // Below zero: it does not state it.
    assert_eq!(read(-1), Some(3));
}

#[test]
fn long_texts_that_are_declared_missing_are_missing() {
    let counted = |text: &str| [&ints(&[i32::try_from(text.len()).expect("short")])[..], text.as_bytes()].concat();
    let data = b"unknown         unknown town    refused         Ulm             ";
    let text = |text: &str| Some(StatisticsValue::Text(text.to_owned()));
    let together = [&counted("V0")[..], &[2], &counted("unknown "), b"refused "].concat();
    // Old files of PSPP have the length before each of them.
    let each = [&counted("V0")[..], &[2], &counted("unknown "), &counted("refused ")].concat();
    let other = [&counted("V9")[..], &[1], &counted("Ulm     ")].concat();
    for said in [[&together[..], &other].concat(), [&other[..], &each].concat()] {
        let (read, missing) = rows(&file(4, &[(16, 2)], &[(22, &said)], data)).expect("a table");
        let cells: Vec<StatisticsCell> = read.into_iter().flatten().collect();
        assert_eq!((cells, missing), (vec![None, text("unknown town"), None, text("Ulm")], 2));
    }
    for length in 1..together.len() {
        assert!(rows(&file(4, &[(16, 2)], &[(22, &together[..length])], data)).is_none(), "cut at {length}");
    }
}
