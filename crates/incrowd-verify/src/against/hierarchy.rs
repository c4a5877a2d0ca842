//! A hierarchy file, read plainly: one line per value, from the value up to the root.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use ahash::RandomState;

use super::interval::decimal;
use crate::verdict::VerifyError;

/// For each value, the labels that contain it.
pub(crate) struct Hierarchy {
    lines: Vec<Vec<String>>,
    by_leaf: HashMap<String, usize, RandomState>,
    /// The value `0.50` is found on the line of `0.5`.
    by_number: HashMap<String, usize, RandomState>,
    /// The root, when all lines end in the same label.
    root: Option<String>,
}

impl Hierarchy {
    pub(crate) fn read(path: &Path, memory: Option<u64>) -> Result<Hierarchy, VerifyError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let broken = |why: &str| VerifyError::Original(format!("the hierarchy {name} {why}"));
        let most = memory.map_or(1 << 30, |memory| (memory / 64).max(1 << 20));
        let mut text = String::new();
        let file = File::open(path).map_err(|_| broken("cannot be opened"))?;
        file.take(most + 1).read_to_string(&mut text).map_err(|_| broken("cannot be read as text"))?;
        if text.len() as u64 > most {
            return Err(broken("needs more memory than allowed"));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        // An even number of quotes before it: the separator stands outside of them.
        let outside = |at: usize| first[..at].matches('"').count().is_multiple_of(2);
        let delimiter = if first.match_indices(';').any(|(at, _)| outside(at)) { b';' } else { b',' };
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut lines = Vec::new();
        for line in reader.records() {
            lines.push(line.map_err(|_| broken("has a broken line"))?.iter().map(str::to_string).collect());
        }
        if lines.is_empty() {
            return Err(broken("is empty"));
        }
        Ok(Hierarchy::new(lines))
    }

    fn new(lines: Vec<Vec<String>>) -> Hierarchy {
        let (mut by_leaf, mut by_number) = (HashMap::default(), HashMap::default());
        for (at, line) in lines.iter().enumerate() {
            let leaf = line.first().cloned().unwrap_or_default();
            if let Some(number) = decimal(&leaf) {
                by_number.insert(number, at);
            }
            by_leaf.insert(leaf, at);
        }
        let last = |line: &Vec<String>| line.last().cloned();
        let root = lines.first().and_then(last).filter(|root| lines.iter().all(|line| line.last() == Some(root)));
        Hierarchy { lines, by_leaf, by_number, root }
    }

    /// Every label above the values, with the labels above it: those from it on in a line that has it.
    pub(crate) fn labels_above(&self) -> HashMap<&str, &[String], RandomState> {
        let mut above: HashMap<&str, &[String], RandomState> = HashMap::default();
        for line in &self.lines {
            for (at, label) in line.iter().enumerate().skip(1) {
                above.entry(label).or_insert(&line[at..]);
            }
        }
        above
    }

    /// Whether a value has a line of its own.
    pub(crate) fn has(&self, value: &str) -> bool {
        self.by_leaf.contains_key(value) || decimal(value).is_some_and(|number| self.by_number.contains_key(&number))
    }

    /// The labels that contain a value; nothing is the missing value, which stands below the root unless it has a line.
    pub(super) fn labels(&self, value: Option<&str>) -> impl Iterator<Item = &str> {
        let leaf = value.unwrap_or_default();
        let line = self.by_leaf.get(leaf).or_else(|| self.by_number.get(&decimal(leaf)?));
        let labels = line.map(|&at| self.lines[at].as_slice()).unwrap_or_default();
        let root = if value.is_none() { self.root.as_deref() } else { None };
        labels.iter().map(String::as_str).chain(root)
    }
}

#[cfg(test)]
mod tests {
    use super::Hierarchy;

    fn hierarchy(lines: &[&[&str]]) -> Hierarchy {
        Hierarchy::new(lines.iter().map(|line| line.iter().map(ToString::to_string).collect()).collect())
    }

    #[test]
    fn a_value_is_below_every_label_of_its_line() {
        let towns = hierarchy(&[&["Ulm", "Germany", "*"], &["Wien", "Austria", "*"]]);
        assert_eq!(towns.labels(Some("Ulm")).collect::<Vec<_>>(), ["Ulm", "Germany", "*"]);
        assert_eq!(towns.labels(Some("Graz")).count(), 0);
        assert_eq!(towns.labels(None).collect::<Vec<_>>(), ["*"]);
    }

    #[test]
    fn a_number_is_found_however_it_is_written() {
        let shares = hierarchy(&[&["0.5", "half", "all"], &["-1", "minus", "all"]]);
        assert!(shares.labels(Some("0.50")).any(|label| label == "half"));
        assert!(shares.labels(Some("-1.0")).any(|label| label == "minus"));
        assert!(shares.labels(None).any(|label| label == "all"));
    }
    #[test]
    fn a_label_has_the_labels_above_it_and_a_value_has_a_line() {
        let towns = hierarchy(&[&["Ulm", "Germany", "*"], &["Bonn", "Germany", "*"], &["5.0", "number", "*"]]);
        let above = towns.labels_above();
        assert_eq!((above["Germany"], above["*"]), (&["Germany", "*"].map(String::from)[..], &["*".to_string()][..]));
        assert!(!above.contains_key("Ulm"));
        assert!(towns.has("Bonn") && towns.has("5") && !towns.has("6") && !towns.has("Germany"));
    }

    #[test]
    fn a_missing_value_is_below_the_root_only_when_there_is_one() {
        let two_roots = hierarchy(&[&["Ulm", "Germany"], &["Bonn", "Germany"], &["Wien", "Austria"]]);
        assert_eq!(two_roots.labels(None).count(), 0);
        let its_own = hierarchy(&[&["", "unknown", "*"], &["Wien", "Austria", "*"]]);
        assert_eq!(its_own.labels(None).collect::<Vec<_>>(), ["", "unknown", "*", "*"]);
    }

    /// The labels of a value in a file with this text, read with 64 MiB of memory, of which a hierarchy may take one.
    fn read(text: &str, value: &str) -> Option<Vec<String>> {
        read_within(64 << 20, text, value)
    }

    fn read_within(memory: u64, text: &str, value: &str) -> Option<Vec<String>> {
        let file = tempfile::NamedTempFile::new().ok()?;
        std::fs::write(file.path(), text).ok()?;
        let hierarchy = Hierarchy::read(file.path(), Some(memory)).ok()?;
        Some(hierarchy.labels(Some(value)).map(str::to_string).collect())
    }

    #[test]
    fn cells_are_separated_by_semicolons_when_one_stands_outside_of_quotes() {
        let labels = |text: &str, value: &str| read(text, value).unwrap_or_default().join("|");
        assert_eq!(labels("\u{feff}Ulm;Germany, south;*\n", "Ulm"), "Ulm|Germany, south|*");
        assert_eq!(labels("\nUlm,\"a;b\",*\nBonn,north\n", "Ulm"), "Ulm|a;b|*");
        assert_eq!(labels("\"a;b\";Germany\n", "a;b"), "a;b|Germany");
        assert_eq!(labels("Ulm,Germany\nBonn,Germany\n", "Bonn"), "Bonn|Germany");
        assert!(read("", "Ulm").is_none());
    }

    #[test]
    fn a_hierarchy_takes_no_more_than_its_part_of_the_memory() {
        let text = |bytes: usize| format!("Ulm,{}\n", "x".repeat(bytes - 5));
        assert!(read(&text(1 << 20), "Ulm").is_some() && read(&text((1 << 20) + 1), "Ulm").is_none());
        let fits = |bytes: usize, memory: u64| read_within(memory, &text(bytes), "Ulm").is_some();
        assert!(fits(2 << 20, 128 << 20) && !fits((2 << 20) + 1, 128 << 20), "a 64th of the memory");
        assert!(fits(1 << 20, 1 << 20) && !fits((1 << 20) + 1, 1 << 20), "a mebibyte of little memory");
    }
}
