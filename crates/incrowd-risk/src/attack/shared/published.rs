//! A release as its reader sees it: classes, how large they are, and which sensitive values they have.

use incrowd_core::{ColumnSet, FrequencyTable, Members};

/// What a reader of a release knows without any knowledge from elsewhere.
///
/// A class are the rows that agree on the published quasi-identifiers, or that share a class id. Values are codes:
/// attacks ask whether they are equal, and never what they say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    sensitive: Vec<String>,
    classes: Vec<PublishedClass>,
    /// The numbers of the classes in the order of their cells.
    by_cells: Vec<usize>,
    counts_people: bool,
}

/// One class of a release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishedClass {
    /// Codes of its published cells, one for each quasi-identifier.
    pub cells: Vec<u32>,
    /// How many people are in it: rows, unless a person may have several.
    pub people: u64,
    /// How many rows are in it.
    pub rows: u64,
    /// For each sensitive column the codes that occur, ascending, with their rows.
    pub bags: Vec<Vec<(u32, u64)>>,
}

impl PublishedClass {
    /// A class in which everyone has one row, from the values of its rows: for each sensitive column their codes, in
    /// any order. A class without sensitive columns has the rows that are told.
    pub fn of_rows(cells: &[u32], rows: u64, values: &[&[u32]]) -> Self {
        let bags = values.iter().map(|codes| {
            let mut codes = codes.to_vec();
            codes.sort_unstable();
            codes.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u64)).collect()
        });
        PublishedClass { cells: cells.to_vec(), people: rows, rows, bags: bags.collect() }
    }

    /// The most frequent value of a sensitive column, the first of those that are equally frequent, with its rows.
    pub fn most(&self, column: usize) -> Option<(u32, u64)> {
        self.bags[column].iter().copied().reduce(|most, next| if next.1 > most.1 { next } else { most })
    }
}

impl Published {
    /// A release from its classes.
    ///
    /// # Panics
    /// If a class has no row, or not one bag for each sensitive column, or a bag has not all rows of its class.
    pub fn new(sensitive: Vec<String>, classes: Vec<PublishedClass>) -> Self {
        for class in &classes {
            assert!(class.people > 0 && class.rows >= class.people, "a class has people, and each of them a row");
            assert_eq!(class.bags.len(), sensitive.len(), "a bag for each sensitive column");
            let whole = class.bags.iter().all(|bag| bag.iter().map(|&(_, rows)| rows).sum::<u64>() == class.rows);
            assert!(whole, "every row has one value of each sensitive column");
        }
        let counts_people = classes.iter().any(|class| class.people != class.rows);
        let mut by_cells: Vec<usize> = (0..classes.len()).collect();
        by_cells.sort_by(|&a, &b| classes[a].cells.cmp(&classes[b].cells));
        Published { sensitive, classes, by_cells, counts_people }
    }

    /// A release from the published table: its classes are the rows that agree on these columns, which are the
    /// quasi-identifiers as published, or the class id alone of a release in two tables.
    ///
    /// ```
    /// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role};
    /// use incrowd_risk::attack::{Published, homogeneity};
    /// let age = Attribute::new("age", Role::QuasiIdentifier, Dictionary::of_texts(["[20, 30)", "[30, 40)"]));
    /// let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu"]));
    /// let table = FrequencyTable::from_tuples(vec![age, illness], [([0, 0], 3), ([0, 1], 1), ([1, 1], 2)]);
    /// let published = Published::from_table(&table, ColumnSet::single(0), &[1]);
    /// assert_eq!((published.rows(), published.classes().len()), (6, 2));
    /// assert_eq!(homogeneity::attack(&published, 0).success, 2.0 / 6.0);
    /// ```
    pub fn from_table(table: &FrequencyTable, quasi_identifiers: ColumnSet, sensitive: &[usize]) -> Self {
        let quasi: Vec<usize> = quasi_identifiers.iter().collect();
        let cells = |tuple: usize| quasi.iter().map(move |&column| table.code(tuple, column));
        let mut order: Vec<usize> = (0..table.tuples()).collect();
        order.sort_by(|&a, &b| cells(a).cmp(cells(b)));
        let classes = order.chunk_by(|&a, &b| cells(a).eq(cells(b))).map(|tuples| {
            let members: Vec<(usize, u64)> = tuples.iter().map(|&tuple| (tuple, table.count(tuple))).collect();
            let members = Members::new(table, &members);
            PublishedClass {
                cells: cells(tuples[0]).collect(),
                people: members.size(),
                rows: members.rows(),
                bags: sensitive.iter().map(|&column| members.row_counts(column)).collect(),
            }
        });
        let names = sensitive.iter().map(|&column| table.attributes()[column].name.clone()).collect();
        Published { counts_people: table.counts_people(), ..Published::new(names, classes.collect()) }
    }

    /// The number of a class that publishes these cells.
    pub fn find(&self, cells: &[u32]) -> Option<usize> {
        let found = self.by_cells.binary_search_by(|&class| self.classes[class].cells.as_slice().cmp(cells));
        found.ok().map(|at| self.by_cells[at])
    }

    /// The classes, none of them empty. A release that is made from a table has them in the order of their cells.
    pub fn classes(&self) -> &[PublishedClass] {
        &self.classes
    }

    /// The names of the sensitive columns.
    pub fn sensitive(&self) -> &[String] {
        &self.sensitive
    }

    /// How many rows are published.
    pub fn rows(&self) -> u64 {
        self.classes.iter().map(|class| class.rows).sum()
    }

    /// How many people stand in classes, each counted once in every class.
    pub fn people(&self) -> u64 {
        self.classes.iter().map(|class| class.people).sum()
    }

    /// How many rows have each value of a sensitive column: codes that occur, ascending, with their rows.
    pub fn totals(&self, column: usize) -> Vec<(u32, u64)> {
        let mut all: Vec<(u32, u64)> =
            self.classes.iter().flat_map(|class| class.bags[column].iter().copied()).collect();
        all.sort_unstable();
        let sum = |equal: &[(u32, u64)]| (equal[0].0, equal.iter().map(|&(_, rows)| rows).sum());
        all.chunk_by(|a, b| a.0 == b.0).map(sum).collect()
    }

    /// The sum of something over all classes as a share of all rows; of nothing it is 0.
    pub(in crate::attack) fn share(&self, of_class: impl Fn(&PublishedClass) -> f64) -> f64 {
        self.classes.iter().map(of_class).sum::<f64>() / self.rows().max(1) as f64
    }

    /// The share of the rows that stand in such classes.
    pub(in crate::attack) fn share_where(&self, is_so: impl Fn(&PublishedClass) -> bool) -> f64 {
        let rows = self.classes.iter().filter(|class| is_so(class)).map(|class| class.rows).sum::<u64>();
        rows as f64 / self.rows().max(1) as f64
    }

    /// What is counted: "people" unless a person may have several rows.
    pub(in crate::attack) fn who(&self) -> &'static str {
        if self.counts_people { "rows" } else { "people" }
    }
}
