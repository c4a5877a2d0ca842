//! The first check: the same models, asked before a byte is written.

use std::sync::Arc;

use serde::Serialize;

use super::counted::{CountedClasses, CountedPeople};
use crate::count::ValueTally;
use crate::linked_rows::LinkedRows;
use crate::manifest::Policy;
use crate::models::{Holding, ModelQuestion, SensitiveAttribute, questions};
use crate::read::{ColumnTexts, MISSING};
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
    questions: Vec<ModelQuestion>,
    faults: Vec<Fault>,
    sizes: Vec<u64>,
    /// Each (class, person) that was met.
    people: DistinctItems<(u32, u64)>,
    rows_without_person: bool,
    /// What is promised about people with several rows, and these rows: person and class, for each row.
    linked: Option<LinkedRows>,
    linked_rows: Vec<(u64, u32)>,
    /// Whether some tuple had a code that its column has no text for.
    unknown_code: bool,
    columns: Vec<JudgedColumn>,
}

struct JudgedColumn {
    name: String,
    labels: Vec<Option<Arc<str>>>,
    /// Two codes with one text are one value to a reader of the release.
    codes: Vec<u32>,
    tally: ValueTally,
    /// The rows of each value in the whole, when the judge sees a part of it.
    whole: Option<Vec<u64>>,
    /// Which person has which value in which class, when persons are given.
    holdings: DistinctItems<Holding>,
}

/// Items of which each counts once. They are sorted and thinned now and then, when they have about tripled.
struct DistinctItems<T> {
    items: Vec<T>,
    /// How many there were when they were thinned last.
    distinct: usize,
}

/// Fewer items are not worth sorting.
const FEW: usize = 1 << 20;

impl<T: Ord> DistinctItems<T> {
    fn new() -> DistinctItems<T> {
        DistinctItems { items: Vec::new(), distinct: 0 }
    }

    fn push(&mut self, item: T) {
        self.items.push(item);
        if self.items.len() > FEW + 2 * self.distinct {
            self.thin();
        }
    }

    fn thin(&mut self) {
        self.items.sort_unstable();
        self.items.dedup();
        self.distinct = self.items.len();
    }

    /// Every item once, sorted.
    fn finish(mut self) -> Vec<T> {
        self.thin();
        self.items
    }
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
    /// Each model, for each sensitive attribute separately.
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
        let (mut questions, mut faults) = questions(policy);
        // They are asked of the written files, with the population at hand.
        questions.retain(|question| !question.of_population);
        let linked = LinkedRows::of(policy).unwrap_or_else(|fault| {
            faults.push(fault);
            None
        });
        let columns: Vec<JudgedColumn> = sensitive.into_iter().map(JudgedColumn::new).collect();
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
            people: DistinctItems::new(),
            rows_without_person: false,
            linked,
            linked_rows: Vec::new(),
            unknown_code: false,
            columns,
        }
    }

    /// For a judge of a part of what is published: this many published rows have each code of a column. Classes are then
    /// compared with these, when rows have no persons.
    pub fn compare_with(&mut self, column: &str, rows: &[u64]) {
        for column in self.columns.iter_mut().filter(|known| known.name == column) {
            let mut whole = vec![0; column.labels.len()];
            column.codes.iter().zip(rows).for_each(|(&code, rows)| whole[code as usize] += rows);
            column.whole = Some(whole);
        }
    }

    /// Adds `rows` published rows of one class. Classes are numbered from 0 with few gaps, and two rows have one number
    /// exactly when all their published quasi-identifier cells are equal, or, of two tables, when they share a class
    /// id. A person is any number that tells people apart; give one for all rows or for none.
    pub fn add(&mut self, class: u32, codes: &[u32], person: Option<u64>, rows: u64) {
        if rows == 0 {
            return;
        }
        if self.sizes.len() <= class as usize {
            self.sizes.resize(class as usize + 1, 0);
        }
        self.sizes[class as usize] += rows;
        match person {
            Some(person) => {
                self.people.push((class, person));
                if self.linked.is_some() {
                    self.linked_rows.extend((0..rows).map(|_| (person, class)));
                }
            }
            None => self.rows_without_person = true,
        }
        let known = codes.len() == self.columns.len()
            && self.columns.iter().zip(codes).all(|(column, &code)| (code as usize) < column.codes.len());
        if !known {
            self.unknown_code = true;
            return;
        }
        for (column, &code) in self.columns.iter_mut().zip(codes) {
            let code = column.codes[code as usize];
            match person {
                Some(person) => column.holdings.push(Holding { class, person, code }),
                None => column.tally.add(class, code, rows),
            }
        }
    }

    /// Puts every class before every model.
    pub fn finish(self) -> Judgement {
        let people = self.people.finish();
        let mut faults = self.faults;
        if self.unknown_code {
            faults.push(Fault::new(FaultKind::Unreadable, "a tuple has a code without a text in its column"));
        }
        if self.sizes.is_empty() {
            faults.push(Fault::new(FaultKind::Empty, "there are no rows to publish"));
        }
        if self.rows_without_person && !people.is_empty() {
            faults.push(Fault::new(FaultKind::Unreadable, "some rows have a subject and some have none"));
        }
        let linked = self.linked.map(|asked| asked.judge(self.linked_rows));
        let counted = if people.is_empty() {
            of_rows(self.sizes, self.columns)
        } else {
            of_people(self.sizes, &people, self.columns)
        };
        let mut judged = counted.judge(&self.questions);
        faults.extend(judged.faults);
        if let Some((model, fault)) = linked {
            judged.models.push(model);
            faults.extend(fault);
        }
        let sizes = counted.people.as_ref().map_or(&counted.sizes, |people| &people.sizes);
        Judgement {
            holds: faults.is_empty(),
            classes: counted.classes(),
            smallest_class: sizes.iter().copied().filter(|size| *size > 0).min().unwrap_or(0),
            models: judged.models,
            faults,
            notes: judged.notes,
        }
    }
}

/// What is counted when rows have no persons.
fn of_rows(sizes: Vec<u64>, columns: Vec<JudgedColumn>) -> CountedClasses {
    let (mut attributes, mut values) = (Vec::new(), Vec::new());
    for column in columns {
        let counted = column.tally.finish();
        let mut attribute = SensitiveAttribute::new(column.name, column.labels, &counted);
        attribute.rows = column.whole.unwrap_or(attribute.rows);
        attributes.push(attribute);
        values.push(counted);
    }
    CountedClasses { sizes, people: None, attributes, values, by_id: false }
}

/// What is counted when every row has a person: each once in a class, and once for each value there.
fn of_people(rows: Vec<u64>, people: &[(u32, u64)], columns: Vec<JudgedColumn>) -> CountedClasses {
    let (mut attributes, mut values, mut holdings) = (Vec::new(), Vec::new(), Vec::new());
    for column in columns {
        let held = column.holdings.finish();
        let mut having: Vec<(u32, u64)> = held.iter().map(|one| (one.code, one.person)).collect();
        having.sort_unstable();
        having.dedup();
        let mut all = vec![0; column.labels.len()];
        having.iter().for_each(|(code, _)| all[*code as usize] += 1);
        attributes.push(SensitiveAttribute { name: column.name, labels: column.labels, rows: all });
        let mut tally = ValueTally::default();
        held.iter().for_each(|one| tally.add(one.class, one.code, 1));
        values.push(tally.finish());
        holdings.push(held);
    }
    let mut sizes = vec![0u64; rows.len()];
    people.iter().for_each(|(class, _)| sizes[*class as usize] += 1);
    let mut all: Vec<u64> = people.iter().map(|(_, person)| *person).collect();
    all.sort_unstable();
    all.dedup();
    let people = Some(CountedPeople { sizes, all: all.len() as u64, holdings });
    CountedClasses { sizes: rows, people, attributes, values, by_id: false }
}

impl JudgedColumn {
    fn new(column: SensitiveColumn) -> JudgedColumn {
        let mut texts = ColumnTexts::default();
        let code = |label: &Option<String>| label.as_ref().map_or(MISSING, |text| texts.intern(text));
        let codes = column.labels.iter().map(code).collect();
        let (tally, holdings) = (ValueTally::default(), DistinctItems::new());
        JudgedColumn { name: column.name, codes, labels: texts.labels(), tally, whole: None, holdings }
    }
}
