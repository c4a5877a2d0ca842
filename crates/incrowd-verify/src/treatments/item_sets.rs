//! Sets of labels in a cell, from the definition: any m or fewer labels that a row has together, k rows have together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most combinations that are looked at; a column with more is not judged.
const MOST: u128 = 1 << 29;

/// How a column of sets is split, and what holds for its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ItemRule {
    /// The fewest rows.
    pub(super) k: u64,
    /// The most labels of a combination.
    pub(super) known: usize,
    separator: char,
}

impl ItemRule {
    /// Reads `5,known:2,split:;`.
    pub(super) fn read(parameters: &str) -> Option<ItemRule> {
        let (k, rest) = parameters.split_once(",known:")?;
        let (known, separator) = rest.split_once(",split:")?;
        let (k, known) = (k.parse().ok()?, known.parse().ok()?);
        let separator = separator.parse().ok()?;
        (k >= 2 && (1..=5).contains(&known)).then_some(ItemRule { k, known, separator })
    }

    /// The parts of a cell, each once, in ascending order.
    fn parts<'c>(&self, cell: &'c str) -> BTreeSet<&'c str> {
        cell.split(self.separator).map(str::trim).filter(|part| !part.is_empty()).collect()
    }

    fn joined(&self, parts: &BTreeSet<&str>) -> String {
        let parts: Vec<&str> = parts.iter().copied().collect();
        parts.join(&self.separator.to_string())
    }

    /// Whether a cell is different labels in ascending order: their order and repetitions say nothing.
    pub(super) fn is_written_so(&self, cell: &str) -> bool {
        let parts = self.parts(cell);
        !parts.is_empty() && self.joined(&parts) == cell
    }

    /// What a cell of the original is published as; nothing when it has an item without a label, or none.
    pub(crate) fn labelled(&self, cell: &str, labels: &BTreeMap<String, String>) -> Option<String> {
        let items = self.parts(cell);
        let found: BTreeSet<&str> = items.iter().filter_map(|item| labels.get(*item)).map(String::as_str).collect();
        let all_known = items.iter().all(|item| labels.contains_key(*item));
        (all_known && !found.is_empty()).then(|| self.joined(&found))
    }

    /// How many combinations of labels too few rows have; nothing when there are too many combinations to look at.
    pub(super) fn rare(&self, cells: &[(&str, u64)]) -> Option<u64> {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut number = |label| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(label).or_insert(next)
        };
        let sets: Vec<(Vec<u32>, u64)> =
            cells.iter().map(|(cell, rows)| (self.parts(cell).into_iter().map(&mut number).collect(), *rows)).collect();
        let all: u128 = sets.iter().map(|(set, _)| choices(set.len(), self.known)).sum();
        if all > MOST {
            return None;
        }
        // The combinations of one first label are counted at a time, so that few are held.
        let mut beginning: BTreeMap<u32, Vec<(&[u32], u64)>> = BTreeMap::new();
        for (set, rows) in &sets {
            for (at, &first) in set.iter().enumerate() {
                beginning.entry(first).or_default().push((&set[at + 1..], *rows));
            }
        }
        let mut rare = 0;
        for rests in beginning.into_values() {
            let alone: u64 = rests.iter().map(|(_, rows)| rows).sum();
            let mut counts: HashMap<Vec<u32>, u64> = HashMap::new();
            for (rest, rows) in rests {
                each_choice(rest, self.known - 1, &mut Vec::new(), &mut |chosen| match counts.get_mut(chosen) {
                    Some(count) => *count += rows,
                    None => drop(counts.insert(chosen.to_vec(), rows)),
                });
            }
            rare += counts.values().chain([&alone]).filter(|&&rows| rows < self.k).count() as u64;
        }
        Some(rare)
    }
}

/// The number of combinations of 1 to `most` of N labels.
fn choices(labels: usize, most: usize) -> u128 {
    let mut of_size = 1u128;
    (1..=most.min(labels))
        .map(|size| {
            of_size = of_size * (labels - size + 1) as u128 / size as u128;
            of_size
        })
        .sum()
}

/// Gives each combination of 1 to `most` of the labels, as numbers in the order of the labels.
fn each_choice(labels: &[u32], most: usize, chosen: &mut Vec<u32>, found: &mut impl FnMut(&[u32])) {
    if most == 0 {
        return;
    }
    for (at, &label) in labels.iter().enumerate() {
        // Labels are in one order in every cell, so a combination is always given in the same order.
        chosen.push(label);
        found(chosen);
        each_choice(&labels[at + 1..], most - 1, chosen, found);
        chosen.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> ItemRule {
        ItemRule::read(text).expect(text)
    }

    #[test]
    fn combinations_of_too_few_rows_are_counted() {
        let cells = [("asthma;flu", 3), ("asthma;gout", 1), ("gout", 3)];
        for (text, rare) in [
            ("3,known:1,split:;", 0),
            ("4,known:1,split:;", 1),
            ("2,known:2,split:;", 1),
            ("4,known:2,split:;", 3),
            ("4,known:5,split:;", 3),
        ] {
            assert_eq!(rule(text).rare(&cells), Some(rare), "{text}");
        }
        let many: Vec<String> = (0..400).map(|at| at.to_string()).collect();
        assert_eq!(rule("2,known:5,split:;").rare(&[(&many.join(";"), 9)]), None);
    }

    #[test]
    fn a_cell_is_different_labels_in_ascending_order() {
        let rule = rule("2,known:2,split:;");
        for (cell, is_so) in
            [("a", true), ("a;b", true), ("b;a", false), ("a;a", false), ("a; b", false), ("a;", false), (";", false)]
        {
            assert_eq!(rule.is_written_so(cell), is_so, "{cell}");
        }
        let labels = [("flu", "infection"), ("measles", "infection"), ("gout", "*")];
        let labels = labels.map(|(item, label)| (item.to_string(), label.to_string())).into();
        assert_eq!(rule.labelled("measles; gout;flu", &labels).as_deref(), Some("*;infection"));
        assert_eq!(rule.labelled("measles;mumps", &labels), None);
        assert_eq!(rule.labelled(" ; ", &labels), None);
    }

    #[test]
    fn a_rule_has_at_least_2_rows_1_to_5_labels_and_one_separator() {
        for (text, k, known, separator) in
            [("2,known:1,split:;", 2, 1, ';'), ("9,known:5,split:,", 9, 5, ','), ("3,known:2,split::", 3, 2, ':')]
        {
            assert_eq!(ItemRule::read(text), Some(ItemRule { k, known, separator }), "{text}");
        }
        for text in [
            "",
            "2",
            "2,known:1",
            "1,known:1,split:;",
            "0,known:1,split:;",
            "2,known:0,split:;",
            "2,known:6,split:;",
            "x,known:1,split:;",
            "2,known:x,split:;",
            "2,known:1,split:",
            "2,known:1,split:;;",
            "-2,known:1,split:;",
        ] {
            assert_eq!(ItemRule::read(text), None, "{text}");
        }
    }

    #[test]
    fn combinations_are_counted_and_listed_each_once() {
        for (labels, most, count) in
            [(0, 3, 0), (1, 1, 1), (3, 2, 6), (4, 3, 14), (5, 5, 31), (5, 9, 31), (400, 5, 84_280_006_980)]
        {
            assert_eq!(choices(labels, most), count, "{labels} {most}");
        }
        let listed = |labels: &[u32], most| {
            let mut found = Vec::new();
            each_choice(labels, most, &mut Vec::new(), &mut |chosen| found.push(chosen.to_vec()));
            found
        };
        assert_eq!(listed(&[7, 8, 9], 0), Vec::<Vec<u32>>::new());
        assert_eq!(listed(&[7, 8, 9], 1), [vec![7], vec![8], vec![9]]);
        assert_eq!(listed(&[7, 8, 9], 2), [vec![7], vec![7, 8], vec![7, 9], vec![8], vec![8, 9], vec![9]]);
        assert_eq!(listed(&[7, 8, 9], 3).len(), 7);
    }

    #[test]
    fn rows_of_a_combination_in_different_cells_are_added_up() {
        let cells = [("a;b;c;d", 1), ("a;b", 2), ("c;b;a", 1), ("d", 5), (" b ;a;;", 1), ("", 1)];
        // Rows with a, and with b: 5; c: 2; d: 6; ab: 5; ac, bc, abc: 2; the seven others with d: 1.
        for (text, rare) in [
            ("2,known:1,split:;", 0),
            ("5,known:1,split:;", 1),
            ("6,known:1,split:;", 3),
            ("7,known:1,split:;", 4),
            ("2,known:2,split:;", 3),
            ("3,known:2,split:;", 6),
            ("2,known:3,split:;", 6),
            ("2,known:4,split:;", 7),
            ("3,known:4,split:;", 11),
        ] {
            assert_eq!(rule(text).rare(&cells), Some(rare), "{text}");
        }
        assert_eq!(rule("2,known:1,split:;").rare(&[]), Some(0));
    }

    #[test]
    fn a_set_is_labelled_only_if_each_item_has_a_label() {
        let rule = rule("2,known:2,split:;");
        let labels = [("a", "x"), ("b", "y")].map(|(item, label)| (item.to_string(), label.to_string())).into();
        for (cell, labelled) in [("a", Some("x")), ("b;a;b", Some("x;y")), ("a;c", None), ("c", None), ("", None)] {
            assert_eq!(rule.labelled(cell, &labels).as_deref(), labelled, "{cell}");
        }
    }
}
