//! The findings that a diagnosis amounts to, in sentences.

use incrowd_core::{Diagnosis, Finding, SearchLimit, SetRisk, codes, counted, thousands};

/// The findings that follow from the figures, most severe first. `gaps` are the columns whose missing cells are in
/// small classes, with their numbers of rows.
pub(super) fn findings(found: &Diagnosis, counts_people: bool, gaps: &[(String, u64)]) -> Vec<Finding> {
    let told = FindingSentences::new(found, counts_people);
    let mut list = told.of_classes();
    list.extend(found.smallest_dangerous.iter().map(|set| told.of_set(set)));
    list.extend(gaps.iter().map(|(name, exposed)| told.of_gap(name, *exposed)));
    list.extend(told.of_people());
    for attribute in found.attributes.iter().filter(|attribute| attribute.distinct == 1) {
        let message = format!("column `{}` has a single value", attribute.name);
        list.push(Finding::new(&codes::CONSTANT_COLUMN, message).about([&attribute.name]));
    }
    list.extend(told.of_few_rows());
    for left in &found.not_searched {
        let code = match left.limit {
            SearchLimit::Effort => &codes::SETS_PARTLY_SEARCHED,
            SearchLimit::Columns => &codes::COLUMNS_NOT_COMBINED,
            SearchLimit::Size | SearchLimit::Memory => continue,
        };
        list.push(Finding::new(code, left.sentence()).about(&left.columns));
    }
    list.sort_by_key(|finding| finding.code.severity);
    list
}

/// From this share of unique rows on, suppressing rows is no remedy.
const ALMOST_ALL: f64 = 0.9;
/// Fewer classes of k than this leave no room for a useful release.
const FEW_CLASSES: u64 = 20;

/// The sentences of findings.
struct FindingSentences<'a> {
    found: &'a Diagnosis,
    counts_people: bool,
    /// The words for one and for several of what is counted.
    one: &'static str,
    many: &'static str,
}

impl<'a> FindingSentences<'a> {
    fn new(found: &'a Diagnosis, counts_people: bool) -> FindingSentences<'a> {
        let (one, many) = match counts_people {
            false => ("row", "rows"),
            true if found.appearances > found.people => ("appearance", "appearances"),
            true => ("person", "people"),
        };
        FindingSentences { found, counts_people, one, many }
    }

    /// “1 of 10 rows is”, “2 of 10 rows are”
    fn part(&self, part: u64, singular: &str, plural: &str) -> String {
        let verb = if part == 1 { singular } else { plural };
        format!("{} of {} {verb}", thousands(part), counted(self.found.appearances, self.one, self.many))
    }

    fn small(&self, how_many: u64) -> String {
        let classes = if how_many == 1 { "a class" } else { "classes" };
        format!("{classes} smaller than {}", thousands(self.found.k_asked))
    }

    /// The smallest class is too small; rows are unique, or nearly all are.
    fn of_classes(&self) -> Vec<Finding> {
        let Diagnosis { k, k_asked, below, unique, appearances: total, quasi_identifiers: names, .. } = self.found;
        let mut list = Vec::new();
        if k < k_asked && *total > 0 {
            let message = format!(
                "the smallest class has {} (requested: {}); {} in {}",
                thousands(*k),
                thousands(*k_asked),
                self.part(*below, "is", "are"),
                self.small(*below)
            );
            list.push(Finding::new(&codes::K_BELOW_THRESHOLD, message).about(names).counting(*below, *total));
        }
        if *unique > 0 {
            let message = self.part(*unique, "is unique", "are unique");
            list.push(Finding::new(&codes::UNIQUE_ROWS, message).about(names).counting(*unique, *total));
            if *unique as f64 >= ALMOST_ALL * *total as f64 {
                let unique_rows = self.part(*unique, "is", "are");
                let message = format!("{unique_rows} unique: the quasi-identifiers are too detailed");
                list.push(Finding::new(&codes::ALMOST_ALL_UNIQUE, message).about(names).counting(*unique, *total));
            }
        }
        list
    }

    /// A smallest set of columns that is dangerous.
    fn of_set(&self, set: &SetRisk) -> Finding {
        let (code, subject) = match &set.columns[..] {
            [name] => (&codes::RISKY_COLUMN, format!("column `{name}` alone puts")),
            _ => (&codes::RISKY_SET, format!("columns `{}` together put", set.columns.join("`, `"))),
        };
        let (below, small) = (counted(set.below, self.one, self.many), self.small(set.below));
        let message = format!("{subject} {below} in {small}; the smallest has {}", thousands(set.k));
        Finding::new(code, message).about(&set.columns).counting(set.below, self.found.appearances)
    }

    /// A column whose missing values expose rows.
    fn of_gap(&self, name: &String, exposed: u64) -> Finding {
        let verb = if exposed == 1 { "is" } else { "are" };
        let (rows, small) = (counted(exposed, "row", "rows"), self.small(exposed));
        let message = format!("{rows} without a value in `{name}` {verb} in {small}");
        Finding::new(&codes::MISSING_STANDS_OUT, message).about([name]).counting(exposed, self.found.rows)
    }

    /// People have several rows.
    fn of_people(&self) -> Option<Finding> {
        let Diagnosis { rows, people, appearances, .. } = *self.found;
        let each = if appearances > people { ", once in each of their classes" } else { "" };
        let (all, of) = (counted(rows, "row", "rows"), counted(people, "person", "people"));
        let message = format!("{all} are about {of}; people are counted{each}");
        (people < rows).then(|| Finding::new(&codes::SEVERAL_ROWS_PER_PERSON, message))
    }

    /// The table has too few rows for many classes.
    fn of_few_rows(&self) -> Option<Finding> {
        let Diagnosis { rows, people, k_asked: k, .. } = *self.found;
        if people >= k.saturating_mul(FEW_CLASSES) {
            return None;
        }
        // A person may be in several classes, a row is in one.
        let most = if people < k { 0 } else { rows / k.max(1) };
        let (classes, all) = (counted(most, "class", "classes"), counted(rows, "row", "rows"));
        let who = match self.counts_people && people < rows {
            true => format!("{all} of {}", counted(people, "person", "people")),
            false => all,
        };
        Some(Finding::new(&codes::FEW_ROWS, format!("{who} can form at most {classes} of {}", thousands(k))))
    }
}
