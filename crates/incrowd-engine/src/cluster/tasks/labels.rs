//! What classes publish, as a table of labels: tasks hold no hierarchy and no domain.

use std::borrow::Cow;

use ahash::RandomState;
use hashbrown::HashMap;
use incrowd_core::{Cell, Domain, QuasiIdentifier, Recoding};
use serde::{Deserialize, Serialize};

use super::folder::TaskFolder;
use crate::publish::labels::{ColumnLabels, LabelTexts};
use crate::publish::publishing::ClassCells;
use crate::runtime::error::Result;
use crate::runtime::narrow::number32;

const TEXTS: &str = "labels";
const CLASSES: &str = "classes";

/// The labels of each recoded column, and which of them a class publishes.
pub(super) struct LabelTable {
    /// Nothing is a missing value.
    texts: LabelList,
    /// The numbers of the labels of each class, class by class.
    classes: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct LabelList(Vec<Vec<Option<String>>>);

/// Writes what the classes of a recoding publish.
pub(super) fn put(folder: TaskFolder<'_>, recoding: &Recoding, quasi: &[QuasiIdentifier]) -> Result<()> {
    let mut known: Vec<HashMap<u64, u32, RandomState>> = vec![HashMap::default(); quasi.len()];
    let mut texts: Vec<Vec<Option<String>>> = vec![Vec::new(); quasi.len()];
    let mut numbers = Vec::with_capacity(recoding.classes() * quasi.len());
    for class in 0..number32(recoding.classes()) {
        for (column, &cell) in recoding.cells(class).iter().enumerate() {
            let domain = &quasi[column].domain;
            let number = *known[column].entry(cell.bits()).or_insert_with(|| {
                texts[column].push(text(domain, cell));
                number32(texts[column].len() - 1)
            });
            numbers.push(u64::from(number));
        }
    }
    folder.put_json(TEXTS, &LabelList(texts))?;
    folder.put_words(CLASSES, numbers.into_iter())
}

/// Writes the texts of published cells, column by column: their places are their numbers.
pub(super) fn put_texts(folder: TaskFolder<'_>, cells: &[Vec<Cell>], quasi: &[QuasiIdentifier]) -> Result<()> {
    let texts =
        cells.iter().zip(quasi).map(|(cells, quasi)| cells.iter().map(|&cell| text(&quasi.domain, cell)).collect());
    folder.put_json(TEXTS, &LabelList(texts.collect()))
}

/// What a cell is published as; nothing if it is missing.
fn text(domain: &Domain, cell: Cell) -> Option<String> {
    let missing = domain.missing().map(|leaf| domain.leaf(leaf));
    (Some(cell) != missing).then(|| domain.render(cell).into_owned())
}

/// Classes of rows that carry the numbers of what they publish, as they are met.
#[derive(Default)]
pub(super) struct MetClasses {
    known: HashMap<Vec<u32>, u32, RandomState>,
    numbers: Vec<u32>,
}

impl MetClasses {
    /// The class that publishes these.
    pub(super) fn class(&mut self, numbers: &[u32]) -> u32 {
        let next = number32(self.known.len());
        let class = *self.known.entry_ref(numbers).or_insert(next);
        if class == next {
            self.numbers.extend_from_slice(numbers);
        }
        class
    }

    /// The class that publishes these, if it was met.
    pub(super) fn met(&self, numbers: &[u32]) -> Option<u32> {
        self.known.get(numbers).copied()
    }
}

impl LabelTable {
    /// The labels of classes that were met.
    pub(super) fn of_met(folder: TaskFolder<'_>, met: &MetClasses) -> Result<LabelTable> {
        LabelTable::new(folder, folder.json(TEXTS)?, met.numbers.clone())
    }

    pub(super) fn read(folder: TaskFolder<'_>) -> Result<LabelTable> {
        let numbers = folder.words(CLASSES)?.into_iter();
        let classes: Vec<u32> = numbers.map(|number| u32::try_from(number).unwrap_or(u32::MAX)).collect();
        LabelTable::new(folder, folder.json(TEXTS)?, classes)
    }

    fn new(folder: TaskFolder<'_>, texts: LabelList, classes: Vec<u32>) -> Result<LabelTable> {
        let known = |(at, &number): (usize, &u32)| {
            texts.0.get(at % texts.0.len().max(1)).is_some_and(|texts| (number as usize) < texts.len())
        };
        if !classes.iter().enumerate().all(known) {
            return Err(folder.damaged(CLASSES));
        }
        Ok(LabelTable { texts, classes })
    }
}

impl ClassCells for LabelTable {
    fn classes(&self) -> usize {
        self.classes.len() / self.texts.0.len().max(1)
    }

    fn append(&self, class: u32, cells: &mut Vec<Cell>) {
        let width = self.texts.0.len();
        let numbers = &self.classes[class as usize * width..][..width];
        // The number of a label stands for the cell.
        cells.extend(numbers.iter().map(|&number| Cell::from_bits(u64::from(number))));
    }
}

impl LabelTexts for LabelTable {
    fn columns(&self) -> usize {
        self.texts.0.len()
    }

    fn of_cells(&self, column: usize, cells: &mut dyn Iterator<Item = Cell>) -> ColumnLabels<'_> {
        let texts = &self.texts.0[column];
        ColumnLabels::written(cells, |cell| texts[cell.bits() as usize].as_deref().map(Cow::Borrowed))
    }

    fn longest(&self, column: usize) -> usize {
        self.texts.0[column].iter().flatten().map(String::len).max().unwrap_or(0)
    }
}
