//! Values that look like those of real columns, the same in every run.

use std::collections::BTreeMap;

use incrowd_core::{ColumnProfile, Dictionary, Values};

/// The rows of a generated column.
pub(super) const ROWS: usize = 600;

const FIRST: [&str; 24] = [
    "Anna", "Ben", "Carla", "David", "Elena", "Felix", "Greta", "Hugo", "Ida", "Jan", "Klara", "Louis", "Maria",
    "Noah", "Olga", "Paul", "Rosa", "Simon", "Tina", "Uwe", "Vera", "Walter", "Yara", "Zoe",
];
const LAST: [&str; 32] = [
    "Adams", "Bauer", "Conti", "Diaz", "Ernst", "Fischer", "Garcia", "Hoffmann", "Ivanov", "Jones", "Keller", "Lopez",
    "Martin", "Neumann", "Olsen", "Petit", "Quinn", "Rossi", "Schmidt", "Thomas", "Ulrich", "Vidal", "Weber", "Xavier",
    "Young", "Ziegler", "Roux", "Leroy", "Moreau", "Ruiz", "Sanz", "Vega",
];
const WORDS: [&str; 20] = [
    "pain",
    "left",
    "knee",
    "after",
    "fall",
    "mild",
    "since",
    "Monday",
    "fever",
    "cough",
    "rash",
    "stable",
    "improved",
    "referred",
    "follow-up",
    "normal",
    "swelling",
    "sister",
    "reports",
    "night",
];

/// A small generator of numbers that never changes.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// The sum of several draws, so that the middle is frequent and the ends are rare.
    fn bell(&mut self, from: u64, to: u64) -> u64 {
        from + (0..4).map(|_| self.below((to - from) / 4 + 1)).sum::<u64>()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn words(&mut self, count: u64) -> String {
        (0..count).map(|_| self.pick(&WORDS)).collect::<Vec<_>>().join(" ")
    }

    /// A category whose first values are the most frequent.
    fn category(&mut self, values: u64) -> u64 {
        let (a, b) = (self.below(values), self.below(values));
        a.min(b)
    }

    fn hex(&mut self, digits: usize) -> String {
        (0..digits).map(|_| char::from_digit(self.below(16) as u32, 16).unwrap()).collect()
    }
}

/// One cell; `row` counts from 0.
fn cell(kind: &str, row: u64, rows: u64, dice: &mut Dice) -> String {
    let fourth = || (row * 7 % rows) / 4;
    match kind {
        "serial" => (100_001 + row * 3 + u64::from(row.is_multiple_of(2))).to_string(),
        "digits11" => (10_000_000_000 + row * 13_371_337 + dice.below(9_999)).to_string(),
        "digits11_10" => (10_000_000_000 + (row * 7 % rows) / 10 * 1_337_133).to_string(),
        "code" => format!("{}-{:06}", ["AB", "KX", "ZQ"][(row % 3) as usize], 104_729 * (row + 1) % 1_000_000),
        "code4" => format!("C{:06}", 7_919 * (fourth() + 11) % 1_000_000),
        "number4" => (40_000 + 17 * fourth()).to_string(),
        "hash" => dice.hex(40),
        "uuid" | "uuid4" => {
            let mut own = Dice(if kind == "uuid" { row + 1 } else { fourth() + 1 });
            [8, 4, 4, 4, 12].map(|digits| own.hex(digits)).join("-")
        }
        "ssn" => format!("{:03}-{:02}-{:04}", 100 + row % 700, 10 + row % 89, 1_000 + row),
        "locker" => format!("{}{:02}.{}", char::from(b'A' + (row % 26) as u8), row % 97 + 1, row % 9_973),
        "plate" => format!("{}-{} {}", dice.pick(&["B", "HH", "M", "KA"]), dice.pick(&["AB", "XY", "QR"]), 1_000 + row),
        "iban" => iban(row),
        "name" => format!("{} {} {}", dice.pick(&FIRST), char::from(b'A' + (row % 26) as u8), dice.pick(&LAST)),
        "surname" => {
            let ending = ["", "son", "er", "ez", "ova", "mann", "in", "et"][dice.below(8) as usize];
            format!("{}{ending}", dice.pick(&LAST))
        }
        "firstname" => dice.pick(&FIRST).to_owned(),
        "email" => format!("{}.{}{row}@example.org", dice.pick(&FIRST), dice.pick(&LAST)).to_lowercase(),
        "phone" => format!("+49 30 {:07}", 5_550_000 + row * 37),
        "street" => format!("{} Street {}", dice.pick(&LAST), 1 + row % 197),
        "ip" => format!("192.0.{}.{}", row / 250, row % 250),
        "url" => format!("https://example.org/people/{row}"),
        "note" => format!("{} {}", dice.words(3), 1 + row % 89),
        "note_mixed" if dice.below(10) < 3 => "o.B.".to_owned(),
        "note_mixed" => dice.words(4),
        "prose" => format!("The patient {} reports {} and went home.", dice.pick(&LAST), dice.words(6)),
        "age" => dice.bell(18, 90).to_string(),
        "year" => dice.bell(1_930, 2_006).to_string(),
        "birthdate" => day(1_930 + dice.below(75), dice),
        "date" => day(2_021 + dice.below(3), dice),
        "date_de" => format!("{:02}.{:02}.{}", 1 + dice.below(28), 1 + dice.below(12), 2_021 + dice.below(3)),
        "moment" => format!("{} {:02}:{:02}", day(2_023, dice), dice.below(24), dice.below(60)),
        "sex" => dice.pick(&["f", "m"]).to_owned(),
        "flag" => dice.pick(&["no", "no", "no", "yes"]).to_owned(),
        "postcode" => format!("{:05}", 1_067 + 97 * dice.category(90)),
        "town" => format!("{}ville", LAST[dice.category(32) as usize]),
        "icd" => {
            let code = dice.category(60);
            format!("{}{:02}.{}", char::from(b'A' + (code % 9) as u8), 10 + code, code % 7)
        }
        "amount" => format!("{}.{:02}", dice.bell(900, 90_000), dice.below(100)),
        "salary" => dice.bell(20_000, 190_000).to_string(),
        "rounded" => (dice.bell(10, 60) * 500).to_string(),
        "mostly_zero" if dice.below(100) < 92 => "0".to_owned(),
        "mostly_zero" => (dice.bell(10, 99) * 103).to_string(),
        "weight_unique" => format!("{}.{:08}", 40 + dice.below(900), dice.below(100_000_000)),
        "weight_int" => (12_285 + 131 * dice.below(rows * 3 / 2)).to_string(),
        "weight_strata" => format!("{}.{:02}", 50 + 31 * dice.category(12), 25),
        "lab1" => format!("{}.{}", dice.bell(2, 9), dice.below(10)),
        "lab4" => format!("{}.{:04}", dice.bell(3, 14), dice.below(10_000)),
        "score" => dice.bell(0, 60).to_string(),
        "grade" => (1 + dice.below(6)).to_string(),
        "count" => dice.category(6).to_string(),
        "coordinate" => format!("{}.{:06}", 47 + dice.below(7), dice.below(1_000_000)),
        "constant" => "x1".to_owned(),
        "empty" => String::new(),
        _ => {
            let values = kind.strip_prefix("cat").unwrap_or_else(|| panic!("no values of the kind {kind}"));
            format!("group {}", dice.category(values.parse().unwrap()))
        }
    }
}

fn day(year: u64, dice: &mut Dice) -> String {
    format!("{year}-{:02}-{:02}", 1 + dice.below(12), 1 + dice.below(28))
}

/// An account number with right check digits.
fn iban(row: u64) -> String {
    let account = format!("{:018}", 370_400_440_532_013_000 + row);
    // D and E are 13 and 14; the check digits count as 00.
    let remainder =
        format!("{account}131400").bytes().fold(0, |rest, digit| (rest * 10 + u64::from(digit - b'0')) % 97);
    format!("DE{:02}{account}", 98 - remainder)
}

/// The profile of a generated column.
pub(super) fn profile(name: &str, kind: &str, rows: usize) -> ColumnProfile {
    let mut dice = Dice(kind.bytes().chain(name.bytes()).fold(7, |seed, byte| seed * 31 % 1_000_003 + u64::from(byte)));
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for row in 0..rows as u64 {
        *counts.entry(cell(kind, row, rows as u64, &mut dice)).or_default() += 1;
    }
    let missing = counts.remove("").unwrap_or(0);
    let (values, mut counts) = typed(counts.into_iter().collect());
    if missing > 0 {
        counts.push(missing);
    }
    let dictionary = Dictionary::new(values, missing > 0);
    let rows = rows as u64;
    ColumnProfile { name: name.into(), rows, missing, dictionary, counts, exact: true, rows_counted: rows }
}

/// As the engine types a column: whole numbers, dates or numbers when every value comes back letter for letter.
fn typed(counted: Vec<(String, u64)>) -> (Values, Vec<u64>) {
    let whole = |text: &str| text.parse::<i64>().ok().filter(|number| number.to_string() == text);
    let date = |text: &str| {
        let parts: Vec<i32> = text.split('-').map(|part| part.parse().unwrap_or(-1)).collect();
        let is_day = text.len() == 10 && parts.len() == 3 && parts.iter().all(|part| *part > 0);
        // Days of a year of twelve months with 31 days: in the right order, which is all that is looked at.
        is_day.then(|| (parts[0] - 1970) * 372 + parts[1] * 31 + parts[2])
    };
    let decimals = |text: &str| Some(text.split_once('.')?.1.len());
    let scale = counted.first().and_then(|(text, _)| decimals(text)).filter(|_| !counted.is_empty());
    let number = |text: &str| text.parse::<f64>().ok().filter(|_| decimals(text).is_some() && decimals(text) == scale);
    if counted.iter().all(|(text, _)| whole(text).is_some()) && !counted.is_empty() {
        let mut pairs: Vec<(i64, u64)> = counted.iter().map(|(text, count)| (whole(text).unwrap(), *count)).collect();
        pairs.sort_unstable();
        return (
            Values::Integers(pairs.iter().map(|pair| pair.0).collect()),
            pairs.iter().map(|pair| pair.1).collect(),
        );
    }
    if counted.iter().all(|(text, _)| date(text).is_some()) && !counted.is_empty() {
        let mut pairs: Vec<(i32, u64)> = counted.iter().map(|(text, count)| (date(text).unwrap(), *count)).collect();
        pairs.sort_unstable();
        return (Values::Dates(pairs.iter().map(|pair| pair.0).collect()), pairs.iter().map(|pair| pair.1).collect());
    }
    if counted.iter().all(|(text, _)| number(text).is_some()) && !counted.is_empty() {
        let mut pairs: Vec<(f64, u64)> = counted.iter().map(|(text, count)| (number(text).unwrap(), *count)).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let values = pairs.iter().map(|pair| pair.0).collect();
        let scale = scale.and_then(|digits| u8::try_from(digits).ok());
        return (Values::Numbers { values, scale }, pairs.iter().map(|pair| pair.1).collect());
    }
    let (texts, counts): (Vec<String>, Vec<u64>) = counted.into_iter().unzip();
    (Values::Texts(texts.into_iter().map(String::into_boxed_str).collect()), counts)
}
