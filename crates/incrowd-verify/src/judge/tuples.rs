//! The first check: the same models, asked before a byte is written.

use std::sync::Arc;

use serde::Serialize;

use super::counted::{Counted, Holding, People};
use crate::count::Tally;
use crate::manifest::Policy;
use crate::models::{Attribute, Question, questions};
use crate::read::{MISSING, Texts};
use crate::verdict::{Fault, FaultKind, ModelVerdict};

/// A sensitive column of the table that is to be published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SensitiveColumn {
    /// Its name.
    pub name: String,
    /// The published text of each code; nothing is the missing value.
    pub labels: Vec<Option<String>>,
}

/// Judges recoded tuples as they are about to be published: on people when persons are given, else on rows.
///
/// ```
/// use incrowd_verify::{Judge, Policy};
/// let policy: Policy = serde_json::from_str(r#"{ "models": [{ "model": "k-anonymity", "parameters": { "k": 2 } }] }"#)?;
/// let mut judge = Judge::new(&policy, Vec::new());
/// judge.add(0, &[], None, 5);
/// judge.add(1, &[], None, 1);
/// let judgement = judge.finish();
/// assert!(!judgement.holds);
/// assert_eq!((judgement.classes, judgement.smallest_class), (2, 1));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub struct Judge {
    questions: Vec<Question>,
    faults: Vec<Fault>,
    sizes: Vec<u64>,
    /// Each (class, person) that was met.
    people: Vec<(u32, u64)>,
    distinct_people: usize,
    rows_without_person: bool,
    columns: Vec<Column>,
}

struct Column {
    name: String,
    labels: Vec<Option<Arc<str>>>,
    /// Two codes with one text are one value to whoever reads the release.
    codes: Vec<u32>,
    tally: Tally,
    /// Which person has which value in which class, when persons are given.
    holdings: Vec<Holding>,
    distinct_holdings: usize,
}

/// What the models say before anything is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// Every model holds in every class.
    pub holds: bool,
    /// Classes that have rows.
    pub classes: u64,
    /// Rows in the smallest of them; people, when persons were given.
    pub smallest_class: u64,
    /// Each model, for each sensitive attribute by itself.
    pub models: Vec<ModelVerdict>,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// What a custodian should know though nothing is wrong.
    pub notes: Vec<String>,
}

impl Judge {
    /// A judge of a policy. `sensitive` lists the columns whose codes [`Judge::add`] is given, in order; every
    /// attribute that the policy names must be among them.
    pub fn new(policy: &Policy, sensitive: Vec<SensitiveColumn>) -> Judge {
        let (questions, mut faults) = questions(policy);
        let columns: Vec<Column> = sensitive.into_iter().map(Column::new).collect();
        for question in &questions {
            let Some(name) = &question.sensitive else { continue };
            if !columns.iter().any(|column| column.name == *name) {
                let message = format!("{}: the column {name} is not published", question.model);
                faults.push(Fault::new(FaultKind::Policy, message));
            }
        }
        Judge {
            questions,
            faults,
            sizes: Vec::new(),
            people: Vec::new(),
            distinct_people: 0,
            rows_without_person: false,
            columns,
        }
    }

    /// Adds `rows` published rows of one class. Classes are numbered from 0 without gaps worth speaking of, and two rows
    /// have one number exactly when all their published quasi-identifier cells are equal, or, of two tables, when they share
    /// a class id. A person is any number that
    /// tells people apart; give one for all rows or for none.
    pub fn add(&mut self, class: u32, codes: &[u32], person: Option<u64>, rows: u64) {
        if rows == 0 {
            return;
        }
        if self.sizes.len() <= class as usize {
            self.sizes.resize(class as usize + 1, 0);
        }
        self.sizes[class as usize] += rows;
        match person {
            Some(person) => self.add_person(class, person),
            None => self.rows_without_person = true,
        }
        let known = codes.len() == self.columns.len()
            && self.columns.iter().zip(codes).all(|(column, &code)| (code as usize) < column.codes.len());
        if !known {
            let message = "a tuple has a code that its column has no text for";
            if !self.faults.iter().any(|fault| fault.message == message) {
                self.faults.push(Fault::new(FaultKind::Unreadable, message));
            }
            return;
        }
        for (column, &code) in self.columns.iter_mut().zip(codes) {
            let code = column.codes[code as usize];
            match person {
                Some(person) => column.add_holding((class, person, code)),
                None => column.tally.add(class, code, rows),
            }
        }
    }

    fn add_person(&mut self, class: u32, person: u64) {
        self.people.push((class, person));
        if self.people.len() > (1 << 20) + 2 * self.distinct_people {
            self.settle_people();
        }
    }

    fn settle_people(&mut self) {
        self.people.sort_unstable();
        self.people.dedup();
        self.distinct_people = self.people.len();
    }

    /// Puts every class before every model.
    pub fn finish(mut self) -> Judgement {
        self.settle_people();
        let mut faults = self.faults;
        if self.sizes.is_empty() {
            faults.push(Fault::new(FaultKind::Empty, "there are no rows to publish"));
        }
        if self.rows_without_person && !self.people.is_empty() {
            faults.push(Fault::new(FaultKind::Unreadable, "some rows have a person and some have none"));
        }
        let counted = if self.people.is_empty() {
            let (mut attributes, mut tallies) = (Vec::new(), Vec::new());
            for column in self.columns {
                let tally = column.tally.finish();
                attributes.push(Attribute::new(column.name, column.labels, &tally));
                tallies.push(tally);
            }
            Counted { sizes: self.sizes, people: None, attributes, tallies, by_id: false }
        } else {
            of_people(self.sizes, &self.people, self.columns)
        };
        let (models, failing, notes) = counted.judge(&self.questions);
        faults.extend(failing);
        let sizes = counted.people.as_ref().map_or(&counted.sizes, |people| &people.sizes);
        Judgement {
            holds: faults.is_empty(),
            classes: counted.sizes.iter().filter(|rows| **rows > 0).count() as u64,
            smallest_class: sizes.iter().copied().filter(|size| *size > 0).min().unwrap_or(0),
            models,
            faults,
            notes,
        }
    }
}

/// What is counted when every row has a person: each once in a class, and once for each value there.
fn of_people(rows: Vec<u64>, people: &[(u32, u64)], columns: Vec<Column>) -> Counted {
    let (mut attributes, mut tallies, mut holdings) = (Vec::new(), Vec::new(), Vec::new());
    for mut column in columns {
        column.settle_holdings();
        let mut having: Vec<(u32, u64)> = column.holdings.iter().map(|&(_, person, code)| (code, person)).collect();
        having.sort_unstable();
        having.dedup();
        let mut all = vec![0; column.labels.len()];
        having.iter().for_each(|(code, _)| all[*code as usize] += 1);
        attributes.push(Attribute { name: column.name, labels: column.labels, rows: all });
        let mut tally = Tally::default();
        column.holdings.iter().for_each(|&(class, _, code)| tally.add(class, code, 1));
        tallies.push(tally.finish());
        holdings.push(column.holdings);
    }
    let mut sizes = vec![0u64; rows.len()];
    people.iter().for_each(|(class, _)| sizes[*class as usize] += 1);
    let mut all: Vec<u64> = people.iter().map(|(_, person)| *person).collect();
    all.sort_unstable();
    all.dedup();
    let people = Some(People { sizes, all: all.len() as u64, holdings });
    Counted { sizes: rows, people, attributes, tallies, by_id: false }
}

impl Column {
    fn new(column: SensitiveColumn) -> Column {
        let mut texts = Texts::default();
        let code = |label: &Option<String>| label.as_ref().map_or(MISSING, |text| texts.intern(text));
        let codes = column.labels.iter().map(code).collect();
        let (tally, holdings) = (Tally::default(), Vec::new());
        Column { name: column.name, codes, labels: texts.labels(), tally, holdings, distinct_holdings: 0 }
    }

    fn add_holding(&mut self, holding: Holding) {
        self.holdings.push(holding);
        if self.holdings.len() > (1 << 20) + 2 * self.distinct_holdings {
            self.settle_holdings();
        }
    }

    fn settle_holdings(&mut self) {
        self.holdings.sort_unstable();
        self.holdings.dedup();
        self.distinct_holdings = self.holdings.len();
    }
}
