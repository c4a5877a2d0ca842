//! A sound release of two tables, written by hand from an original, and ways to change it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use incrowd_verify::{Against, FileEntry, Format, Manifest, Options, Role, Technique, TwoTables, Verdict, verify};
use sha2::{Digest, Sha256};

use crate::support::{Draft, POLICY, Row, write_table};

pub(crate) const FORMATS: [Format; 3] = [Format::Csv, Format::Parquet, Format::Arrow];

/// Where the class numbers stand in each table.
const CLASS_AT: [usize; 2] = [3, 0];

const ILLNESSES: [&str; 4] = ["flu", "cold", "ache", "cough"];

/// Numbers that look random (SplitMix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % most as u64) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        (1..list.len()).rev().for_each(|last| list.swap(last, self.below(last + 1)));
    }
}

/// A release of two tables that is about to be written.
pub(crate) struct Pair {
    draft: Draft,
    pub(crate) original: Vec<Row>,
    /// The class of each row of the original, from 0.
    pub(crate) class_of: Vec<usize>,
    /// The id of each class.
    pub(crate) ids: Vec<usize>,
    /// The rows of the original in the order of each table.
    pub(crate) orders: [Vec<usize>; 2],
    pub(crate) names: [Vec<String>; 2],
    pub(crate) rows: [Vec<Row>; 2],
}

impl Pair {
    /// Classes of four who are about equally old, with four illnesses each; so many classes.
    pub(crate) fn sound(format: Format, classes: usize, seed: u64) -> Pair {
        let (rows, mut dice) = (4 * classes, Dice(seed));
        let ages: Vec<usize> = (0..rows).map(|_| 20 + dice.below(60)).collect();
        let mut by_age: Vec<usize> = (0..rows).collect();
        by_age.sort_by_key(|row| ages[*row]);
        let (mut class_of, mut original) = (vec![0; rows], vec![Row::new(); rows]);
        for (place, row) in by_age.into_iter().enumerate() {
            class_of[row] = place / 4;
            let (town, pay, note) = (dice.below(9), dice.below(7), dice.below(2));
            let cells = [
                format!("p{row}"),
                ages[row].to_string(),
                ILLNESSES[place % 4].into(),
                format!("t{town}"),
                format!("{pay}00"),
                format!("n{note}"),
            ];
            original[row] = cells.into_iter().map(Some).collect();
            if pay == 0 {
                original[row][4] = None;
            }
        }
        let mut draft = Draft::new(
            format,
            &[
                ("name", Role::Identifier, Technique::Removed),
                ("age", Role::QuasiIdentifier, Technique::Retained),
                ("illness", Role::Sensitive, Technique::MovedToSecondTable),
                ("town", Role::QuasiIdentifier, Technique::Retained),
                ("pay", Role::Sensitive, Technique::MovedToSecondTable),
                ("note", Role::Insensitive, Technique::Retained),
            ],
            Vec::new(),
        );
        draft.manifest.policy = serde_json::from_str(POLICY).unwrap();
        let names = [&["age", "town", "note", "class"][..], &["class", "illness", "pay"]]
            .map(|names| names.iter().map(ToString::to_string).collect());
        let mut ids: Vec<usize> = (1..=classes).collect();
        dice.shuffle(&mut ids);
        let orders = [0, 1].map(|_| {
            let mut order: Vec<usize> = (0..rows).collect();
            dice.shuffle(&mut order);
            order
        });
        let mut pair = Pair { draft, original, class_of, ids, orders, names, rows: [Vec::new(), Vec::new()] };
        pair.fill();
        pair
    }

    /// Forms both tables anew from the original, its classes, the ids and the orders.
    pub(crate) fn fill(&mut self) -> &mut Pair {
        let id = |row: usize| Some(self.ids[self.class_of[row]].to_string());
        let cell = |row: usize, at: usize| self.original[row][at].clone();
        self.rows = [
            self.orders[0].iter().map(|&row| vec![cell(row, 1), cell(row, 3), cell(row, 5), id(row)]).collect(),
            self.orders[1].iter().map(|&row| vec![id(row), cell(row, 2), cell(row, 4)]).collect(),
        ];
        let mut sizes = BTreeMap::new();
        self.rows[1].iter().for_each(|row| *sizes.entry(row[0].clone()).or_insert(0) += 1);
        let manifest = &mut self.draft.manifest;
        (manifest.classes, manifest.smallest_class) = (sizes.len() as u64, sizes.values().min().copied().unwrap_or(0));
        manifest.source_rows = (self.original.len() as u64).into();
        manifest.rows = self.rows[1].len() as u64;
        manifest.suppressed_rows = (self.original.len() as u64 - manifest.rows).into();
        self
    }

    /// Writes another class number, or none, wherever a table has this one.
    pub(crate) fn renumber(&mut self, table: usize, from: &str, to: Option<&str>) {
        let at = CLASS_AT[table];
        let of_class = self.rows[table].iter_mut().filter(|row| row[at].as_deref() == Some(from));
        of_class.for_each(|row| row[at] = to.map(Into::into));
    }

    /// Puts the first row of a table into another class.
    pub(crate) fn move_a_row(&mut self, table: usize) {
        let (rows, at) = (&mut self.rows[table], CLASS_AT[table]);
        let other = rows.iter().find(|row| row[at] != rows[0][at]).expect("there are several classes");
        rows[0][at] = other[at].clone();
    }

    pub(crate) fn manifest(&mut self) -> &mut Manifest {
        &mut self.draft.manifest
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.draft.dir()
    }

    /// Where the first or the second table stands.
    pub(crate) fn data(&self, table: usize) -> PathBuf {
        self.dir().join(&self.draft.manifest.files[table].name)
    }

    /// Writes both tables as they are now, and a manifest that is right about the bytes.
    pub(crate) fn write(&mut self) -> &mut Pair {
        let format = self.draft.format;
        let ending = match format {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::Xlsx => "xlsx",
            Format::Dta | Format::Sav => unreachable!("these tests write no files of statistics packages"),
        };
        std::fs::create_dir_all(self.dir()).unwrap();
        let file = |name: &str, rows: &[Row]| FileEntry {
            escaped: false,
            dialect: None,
            name: format!("{name}.{ending}"),
            format,
            rows: rows.len() as u64,
            bytes: 0,
            sha256: String::new(),
        };
        let files = [file("people", &self.rows[0]), file("values", &self.rows[1])];
        for (file, (names, rows)) in files.iter().zip(self.names.iter().zip(&self.rows)) {
            write_table(&self.dir().join(&file.name), format, names, rows);
        }
        self.draft.manifest.two_tables = Some(TwoTables {
            class_column: "class".into(),
            quasi_identifiers: files[0].name.clone(),
            sensitive: files[1].name.clone(),
            does_not_hide: String::new(),
        });
        self.draft.manifest.files = files.into();
        self.seal()
    }

    /// Makes the manifest right about the bytes as they are now, and seals it: what is left is for the judgement.
    pub(crate) fn seal(&mut self) -> &mut Pair {
        for table in [0, 1] {
            let bytes = std::fs::read(self.data(table)).unwrap();
            let file = &mut self.draft.manifest.files[table];
            file.bytes = bytes.len() as u64;
            file.sha256 = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        }
        self.draft.seal_as_is();
        self
    }

    /// Seals the manifest without a look at the files.
    pub(crate) fn seal_as_is(&mut self) -> &mut Pair {
        self.draft.seal_as_is();
        self
    }

    pub(crate) fn verify(&self) -> Verdict {
        self.draft.verify()
    }

    /// Held against the original as it is now.
    pub(crate) fn verify_against(&self) -> Verdict {
        self.verify_against_as(|_| {})
    }

    /// The same with more said about the original.
    pub(crate) fn verify_against_as(&self, describe: impl FnOnce(&mut Against)) -> Verdict {
        let path = self.draft.folder.path().join("original.csv");
        let names = self.draft.manifest.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        write_table(&path, Format::Csv, &names, &self.original);
        let mut original = Against::csv(path);
        describe(&mut original);
        verify(&self.dir(), &Options { against: Some(original), ..Options::default() }).unwrap()
    }
}
