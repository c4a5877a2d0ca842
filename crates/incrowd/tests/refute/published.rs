//! What lies in the public folder, read by a recipient's own code: the manifest as JSON, the data as text.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// A file of data: header and rows; an empty cell is nothing.
pub(crate) struct Data {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<Option<String>>>,
}

impl Data {
    /// Reads a CSV file as RFC 4180 describes it.
    fn read(path: &Path) -> Data {
        let text = std::fs::read_to_string(path).unwrap();
        let (mut records, mut record, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
                '"' => quoted = !quoted,
                ',' if !quoted => record.push(std::mem::take(&mut cell)),
                '\n' if !quoted => {
                    record.push(std::mem::take(&mut cell));
                    records.push(std::mem::take(&mut record));
                }
                '\r' if !quoted => {}
                letter => cell.push(letter),
            }
        }
        let mut records = records.into_iter();
        let header = records.next().unwrap();
        let cells = |record: Vec<String>| record.into_iter().map(|cell| Some(cell).filter(|cell| !cell.is_empty()));
        Data { header, rows: records.map(|record| cells(record).collect()).collect() }
    }

    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    pub(crate) fn cell(&self, row: usize, name: &str) -> Option<&str> {
        self.rows[row][self.column(name).unwrap()].as_deref()
    }
}

/// A release as a recipient holds it.
pub(crate) struct Published {
    pub(crate) manifest: Value,
    /// One table, or the two in the order of the manifest.
    pub(crate) data: Vec<Data>,
}

impl Published {
    pub(crate) fn read(folder: &Path) -> Published {
        let manifest: Value =
            serde_json::from_str(&std::fs::read_to_string(folder.join("manifest.json")).unwrap()).unwrap();
        let files = manifest["files"].as_array().unwrap().clone();
        let data = files.iter().map(|file| Data::read(&folder.join(file["name"].as_str().unwrap()))).collect();
        Published { manifest, data }
    }

    pub(crate) fn is_two_tables(&self) -> bool {
        self.data.len() == 2
    }

    /// The row numbers of each class of the first table: rows with equal cells in these columns, or with one class id.
    pub(crate) fn classes(&self, quasi: &[&str]) -> Vec<Vec<usize>> {
        let columns: Vec<&str> = if self.is_two_tables() { vec!["class"] } else { quasi.to_vec() };
        grouped(&self.data[0], &columns).into_values().collect()
    }
}

/// Rows by their cells in some columns.
pub(crate) fn grouped(data: &Data, columns: &[&str]) -> BTreeMap<Vec<Option<String>>, Vec<usize>> {
    let mut classes: BTreeMap<Vec<Option<String>>, Vec<usize>> = BTreeMap::new();
    for row in 0..data.rows.len() {
        let key = columns.iter().map(|name| data.cell(row, name).map(Into::into)).collect();
        classes.entry(key).or_default().push(row);
    }
    classes
}
