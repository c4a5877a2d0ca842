//! Does the first line of a text file name the columns, or is it a row?
//!
//! A file without a header would lose its first person as a row and publish their values as column names. Three signs
//! count, column by column: the name is a number or a date and the cells below it are, too; the name occurs again as a
//! cell below; the name is empty, or another column has it. A line is treated as a row when half of its columns show a
//! sign, or a third of them and at least two.
//!
//! Numbers and dates are names in wide tables: years, months, days, doses, numbered questions. So they are no sign
//! where all other columns have ordinary names and they go on evenly: three or more with equal steps, three or more
//! dates or six or more numbers in order, or years; four for three where one of them occurs again below.

use std::collections::{HashMap, HashSet};

use csv::ByteRecord;

/// What a name says as a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FirstLineValue {
    /// A number, or what is written like one.
    Number(f64),
    /// Digits in groups: a date, a time, a telephone number. Comparable by its groups.
    Groups([u32; 4]),
}

/// What makes the first line look like a row, in words without any cell; nothing when it looks like names.
///
/// The first of the records is the line itself.
pub(crate) fn signs_of_a_row(names: &[String], records: &[ByteRecord]) -> Option<String> {
    let below = records.get(1..).unwrap_or_default();
    let mut times: HashMap<&str, usize> = HashMap::new();
    names.iter().for_each(|name| *times.entry(name).or_default() += 1);
    let unclear: HashSet<usize> =
        (0..names.len()).filter(|&at| names[at].is_empty() || times[&*names[at]] > 1).collect();
    let mut again: HashSet<usize> = (0..names.len()).filter(|&at| occurs_again(at, &names[at], below)).collect();
    let mut values: Vec<(usize, FirstLineValue)> =
        names.iter().enumerate().filter_map(|(at, name)| Some((at, value(name)?))).collect();
    values.retain(|&(at, _)| below.is_empty() || are_values(at, below));
    let numbered: HashSet<usize> = values.iter().map(|&(at, _)| at).collect();
    // Answers to numbered questions are numbers as well, and one may be that of its question.
    let least = if again.is_empty() { 3 } else { 4 };
    let others_are_names = again.is_subset(&numbered) && unclear.is_empty() && values.len() < names.len();
    if others_are_names && go_on_evenly(&values.iter().map(|&(_, value)| value).collect::<Vec<_>>(), least) {
        values.clear();
        again.clear();
    }
    let mut signs: HashSet<usize> = values.iter().map(|&(at, _)| at).collect();
    signs.extend(again.iter().chain(&unclear));
    let (showing, all) = (signs.len(), names.len());
    // Names that are only empty or repeated are refused elsewhere, with a more specific message.
    let is_row = showing > unclear.len() && (2 * showing >= all || (showing >= 2 && 3 * showing >= all));
    if !is_row {
        return None;
    }
    let told = [
        (values.len(), ("is a number or date", "are numbers or dates")),
        (again.len(), ("occurs again in a cell below", "occur again in cells below")),
        (unclear.len(), ("is empty or the same as another", "are empty or the same as another")),
    ];
    let word = |&(count, (one, several)): &(usize, (&'static str, &'static str))| {
        format!("{count} {}", if count == 1 { one } else { several })
    };
    let told = told.iter().filter(|(count, _)| *count > 0).map(word);
    Some(format!("of {all} names, {}", told.collect::<Vec<_>>().join(", ")))
}

fn cell(record: &ByteRecord, at: usize) -> &str {
    record.get(at).and_then(|cell| std::str::from_utf8(cell).ok()).unwrap_or_default().trim()
}

fn occurs_again(at: usize, name: &str, below: &[ByteRecord]) -> bool {
    !name.is_empty() && below.iter().any(|record| cell(record, at) == name)
}

/// Whether at least half of the cells of a column are numbers or dates, those that are missing not counted.
fn are_values(at: usize, below: &[ByteRecord]) -> bool {
    let cells: Vec<&str> = below.iter().map(|record| cell(record, at)).filter(|cell| !cell.is_empty()).collect();
    2 * cells.iter().filter(|cell| value(cell).is_some()).count() >= cells.len()
}

/// A text of digits and what stands between digits, without a letter.
fn value(text: &str) -> Option<FirstLineValue> {
    if let Ok(number) = text.parse::<f64>() {
        return text.bytes().any(|byte| byte.is_ascii_digit()).then_some(FirstLineValue::Number(number));
    }
    let is_between = |letter: char| letter.is_ascii_digit() || " +-.,:/()%€$£'’TZ".contains(letter);
    let letters = text.chars().filter(char::is_ascii_alphabetic).count();
    if !text.starts_with(|letter: char| letter.is_ascii_digit() || "+-(€$£.".contains(letter))
        || !text.chars().all(is_between)
        || letters > 2
    {
        return None;
    }
    let groups: Vec<u32> =
        text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|group| group.parse().ok()).collect();
    if groups.is_empty() {
        return None;
    }
    let mut first = [0; 4];
    // The year is compared first, at whichever end it is.
    let years_last = groups.len() >= 3 && groups[0] <= 31 && groups[2] > 31
        || groups.len() == 3 && groups[0] <= 12 && text.contains('/');
    let order: Vec<u32> = match (years_last, groups.as_slice()) {
        (true, [a, b, year, ..]) if text.contains('/') => vec![*year, *a, *b],
        (true, [a, b, year, ..]) => vec![*year, *b, *a],
        _ => groups,
    };
    first.iter_mut().zip(order).for_each(|(place, group)| *place = group);
    Some(FirstLineValue::Groups(first))
}

/// Whether these are names that go on evenly, at least this many where few could do so by chance.
fn go_on_evenly(values: &[FirstLineValue], least: usize) -> bool {
    let numbers: Vec<f64> = values
        .iter()
        .filter_map(|value| if let FirstLineValue::Number(number) = value { Some(*number) } else { None })
        .collect();
    if numbers.len() == values.len() {
        let steps: Vec<f64> = numbers.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let even = steps.iter().all(|step| step.abs() > 0.0 && (step - steps[0]).abs() <= steps[0].abs() * 1e-6);
        let in_order = steps.iter().all(|step| *step > 0.0) || steps.iter().all(|step| *step < 0.0);
        let years = numbers.iter().all(|number| (1800.0..2200.0).contains(number) && number.fract() == 0.0);
        return years && in_order && least == 3 || numbers.len() >= least && even || numbers.len() >= 6 && in_order;
    }
    let groups: Vec<[u32; 4]> = values
        .iter()
        .filter_map(|value| if let FirstLineValue::Groups(groups) = value { Some(*groups) } else { None })
        .collect();
    let rising = groups.windows(2).all(|pair| pair[0] < pair[1]);
    let falling = groups.windows(2).all(|pair| pair[0] > pair[1]);
    groups.len() == values.len() && groups.len() >= least && (rising || falling)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks_like_a_row(text: &str) -> bool {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        let records: Vec<ByteRecord> = reader.byte_records().map(|record| record.expect("a record")).collect();
        let names: Vec<String> = (0..records[0].len()).map(|at| cell(&records[0], at).to_string()).collect();
        signs_of_a_row(&names, &records).is_some()
    }

    #[test]
    fn a_row_in_the_place_of_the_header_is_seen() {
        for text in [
            "34,f,flu\n35,m,cold\n34,f,gout\n",
            "Anna,34,1980-02-03\nBerta,41,1971-12-24\n",
            "Anna,34\nBerta,41\n",
            "1,Anna,34,f\n2,Berta,41,f\n3,Carl,50,m\n",
            "Anna,Bonn\nBerta,Ulm\nCarl,Bonn\n",
            "34\n35\n36\n",
            "Anna,1980,f,flu\nBerta,1971,f,flu\n",
            "53111,03.04.1980,f,1.80\n53113,24.12.1971,m,1.75\n",
            "f,,flu\nm,,flu\nf,x,flu\n",
            "34,35,36\n44,35,26\n",
            "Anna,1980,1999\nBerta,1971,1999\nCarl,1980,2001\n",
        ] {
            assert!(looks_like_a_row(text), "{text}");
        }
    }

    #[test]
    fn ordinary_names_are_names() {
        for text in [
            "age,sex,illness\n34,f,flu\n41,m,cold\n",
            "country,2019,2020,2021\nAT,1,2,3\nDE,4,5,6\n",
            "country,2010,2015,2020\nAT,1,2,3\n",
            "name,2020\nAnna,7\n",
            "id,1,2,3,4,5\na,5,4,3,2,1\n",
            "gene,0.5,1.0,1.5,2.0\na,5,4,3,2\n",
            "region,1/22/20,1/23/20,1/24/20\nUlm,0,1,2\n",
            "region,2020-01,2020-02,2020-03\nUlm,0,1,2\n",
            "dose,10,30,100,300,1000,3000\na,1,2,3,4,5,6\n",
            "name,smoker,town,age,weight\nAnna,smoker,Ulm,34,70\nBerta,no,Bonn,41,81\n",
            "age,sex,,\n34,f,,\n",
            "age,age\n34,35\n",
            "a,b\n",
            "t.1,t.2\n1,2\n",
        ] {
            assert!(!looks_like_a_row(text), "{text}");
        }
    }

    #[test]
    fn what_is_said_of_a_row_has_none_of_its_cells() {
        let record = |cells: &[&str]| ByteRecord::from(cells.to_vec());
        let names = ["Anna".to_string(), "34".to_string(), "f".to_string()];
        let said = signs_of_a_row(&names, &[record(&["Anna", "34", "f"]), record(&["Berta", "41", "f"])]);
        assert_eq!(said.as_deref(), Some("of 3 names, 1 is a number or date, 1 occurs again in a cell below"));
    }
}
