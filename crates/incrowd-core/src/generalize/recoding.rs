//! A recoding: what each class publishes, and where each row of each tuple goes.
//!
//! By default a class publishes, for each quasi-identifier, the join of its members: the *tightened* recoding, which
//! never loses more than what the solver had in mind. A full-domain solution publishes its levels instead, so that a
//! column looks the same everywhere.
//!
//! Two classes may publish the same cells; a reader of the release sees one class. Solvers merge such classes before
//! anything is verified, and repair what merging breaks in models that do not survive it (`solver/settle.rs` of
//! `incrowd-algorithms`).

use std::collections::HashMap;

use ahash::RandomState;

use crate::numbers::to_u32;
use crate::{Cell, FrequencyTable, Partition, QuasiIdentifier, TupleRows};

/// The published cells of every class and the classes of every tuple.
#[derive(Clone, Debug, PartialEq)]
pub struct Recoding {
    width: usize,
    /// Class by class, one cell for each quasi-identifier.
    cells: Vec<Cell>,
    /// Where the targets of each tuple end.
    ends: Vec<usize>,
    targets: Vec<(u32, u64)>,
    levels: Option<Vec<usize>>,
}

impl Recoding {
    /// The class number of rows that are suppressed.
    pub const WITHHELD: u32 = u32::MAX;

    /// The tightened recoding of a partition.
    ///
    /// # Panics
    /// If the partition does not account for every row of the table, or has more than 2³² − 2 classes.
    pub fn tightened(table: &FrequencyTable, quasi_identifiers: &[QuasiIdentifier], partition: &Partition) -> Self {
        let mut cells = Vec::with_capacity(partition.len() * quasi_identifiers.len());
        for class in partition.classes() {
            cells.extend(join(table, quasi_identifiers, class));
        }
        Self::new(table, quasi_identifiers.len(), partition, cells, None)
    }

    /// The recoding of a partition whose classes are the classes of these levels, one for each quasi-identifier.
    ///
    /// # Panics
    /// As [`Recoding::tightened`].
    pub fn full_domain(
        table: &FrequencyTable,
        quasi_identifiers: &[QuasiIdentifier],
        partition: &Partition,
        levels: &[usize],
    ) -> Self {
        let mut cells = Vec::with_capacity(partition.len() * quasi_identifiers.len());
        for class in partition.classes() {
            let cell =
                |(quasi, &level): (&QuasiIdentifier, &usize)| quasi.cell(table.code(class[0].0, quasi.column), level);
            cells.extend(quasi_identifiers.iter().zip(levels).map(cell));
        }
        Self::new(table, quasi_identifiers.len(), partition, cells, Some(levels.to_vec()))
    }

    fn new(
        table: &FrequencyTable,
        width: usize,
        partition: &Partition,
        cells: Vec<Cell>,
        levels: Option<Vec<usize>>,
    ) -> Self {
        assert!(partition.accounts_for(table), "a partition accounts for every row");
        assert!(partition.len() < Self::WITHHELD as usize, "classes are numbered with 32 bits");
        let members = || {
            let classes = (0..).zip(partition.classes());
            let classes = classes.flat_map(|(number, class)| class.iter().map(move |&member| (member, number)));
            classes.chain(partition.withheld().iter().map(|&member| (member, Self::WITHHELD)))
        };
        // Counted, then placed: the targets of a tuple stand together, in the order of the classes.
        let mut ends = vec![0usize; table.tuples()];
        members().for_each(|((tuple, _), _)| ends[tuple] += 1);
        let mut next = 0;
        for end in &mut ends {
            next += std::mem::replace(end, next);
        }
        let mut targets = vec![(0, 0); next];
        members().for_each(|((tuple, rows), class): (TupleRows, u32)| {
            targets[ends[tuple]] = (class, rows);
            ends[tuple] += 1;
        });
        Recoding { width, cells, ends, targets, levels }
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.cells.len().checked_div(self.width).unwrap_or(1)
    }

    /// What a class publishes: a cell for each quasi-identifier.
    pub fn cells(&self, class: u32) -> &[Cell] {
        &self.cells[class as usize * self.width..][..self.width]
    }

    /// Where the rows of a tuple go: (class, rows) each; [`Recoding::WITHHELD`] for those that are suppressed.
    pub fn targets(&self, tuple: usize) -> &[(u32, u64)] {
        let start = if tuple == 0 { 0 } else { self.ends[tuple - 1] };
        &self.targets[start..self.ends[tuple]]
    }

    /// The levels of a full-domain recoding.
    pub fn levels(&self) -> Option<&[usize]> {
        self.levels.as_deref()
    }

    /// For each class the first one with the same published cells: nothing else distinguishes the classes of a release.
    pub fn alike(&self) -> Vec<u32> {
        let mut first: HashMap<&[Cell], u32, RandomState> = HashMap::default();
        (0..to_u32(self.classes())).map(|class| *first.entry(self.cells(class)).or_insert(class)).collect()
    }
}

/// The smallest cells that hold all members of a class.
pub(crate) fn join(
    table: &FrequencyTable,
    quasi_identifiers: &[QuasiIdentifier],
    class: &[TupleRows],
) -> impl Iterator<Item = Cell> {
    quasi_identifiers.iter().map(move |quasi| {
        let cell = |tuple: usize| quasi.domain.leaf(quasi.leaves[table.code(tuple, quasi.column) as usize]);
        let cells = class.iter().map(|&(tuple, _)| cell(tuple));
        cells.reduce(|joined, cell| quasi.domain.join(joined, cell)).unwrap_or_else(|| quasi.domain.top())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Attribute, Dictionary, Hierarchy, Role};

    #[test]
    fn a_class_publishes_the_join_of_its_members_and_rows_of_a_tuple_may_part() {
        let dictionary = Dictionary::of_texts(["4351", "4352", "4361"]);
        let postcode = Hierarchy::prefix(&dictionary, None).unwrap();
        let quasi = [QuasiIdentifier::new(0, &postcode, &dictionary).unwrap()];
        let attribute = Attribute::new("postcode", Role::QuasiIdentifier, dictionary);
        let table = FrequencyTable::from_tuples(vec![attribute], [([0], 3), ([1], 1), ([2], 1)]);
        let mut partition = Partition::default();
        partition.push([(0, 2)]);
        partition.push([(0, 1), (1, 1)]);
        partition.withhold([(2, 1)]);
        let recoding = Recoding::tightened(&table, &quasi, &partition);
        let shown = |class| quasi[0].domain.render(recoding.cells(class)[0]);
        assert_eq!([shown(0), shown(1)], ["4351", "435*"]);
        assert_eq!(recoding.targets(0), [(0, 2), (1, 1)]);
        assert_eq!(recoding.targets(2), [(Recoding::WITHHELD, 1)]);
        assert_eq!((recoding.classes(), recoding.alike()), (2, vec![0, 1]));
    }

    /// Each of two classes is on one level of each column, as the levels say.
    #[test]
    fn a_full_domain_recoding_publishes_each_class_on_its_levels() {
        let codes = Dictionary::of_texts(["4351", "4352", "4361"]);
        let postcode = Hierarchy::prefix(&codes, None).unwrap();
        let columns = ["home", "work"].map(|name| Attribute::new(name, Role::QuasiIdentifier, codes.clone())).into();
        let quasi = [0, 1].map(|column| QuasiIdentifier::new(column, &postcode, &codes).unwrap());
        let table = FrequencyTable::from_tuples(columns, [([0, 0], 1), ([1, 0], 2), ([2, 0], 1)]);
        let mut partition = Partition::default();
        partition.push([(0, 1), (1, 2)]);
        partition.push([(2, 1)]);
        for levels in [[1, 0], [1, 2], [1, 4]] {
            let recoding = Recoding::full_domain(&table, &quasi, &partition, &levels);
            let published = |code: u32| vec![quasi[0].cell(code, levels[0]), quasi[1].cell(0, levels[1])];
            assert_eq!([recoding.cells(0), recoding.cells(1)], [published(0), published(2)]);
            assert_eq!(published(0), published(1), "the rows of a class are published alike");
            assert_eq!((recoding.levels(), recoding.classes()), (Some(&levels[..]), 2));
        }
        assert_eq!(Recoding::tightened(&table, &quasi, &partition).levels(), None);
    }

    #[test]
    fn without_quasi_identifiers_all_rows_are_published_as_one_class_without_cells() {
        let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu"]));
        let table = FrequencyTable::from_tuples(vec![illness], [([0], 3), ([1], 1)]);
        let single = Partition::single(&table);
        for recoding in [Recoding::tightened(&table, &[], &single), Recoding::full_domain(&table, &[], &single, &[])] {
            assert_eq!((recoding.classes(), recoding.cells(0), recoding.alike()), (1, &[][..], vec![0]));
            assert_eq!([recoding.targets(0), recoding.targets(1)], [[(0, 3)], [(0, 1)]]);
        }
    }
}
