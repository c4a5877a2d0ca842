//! What was counted, put before the models class by class.

use crate::count::ValueRows;
use crate::models::{ClassCounts, Holding, Model, ModelQuestion, SensitiveAttribute};
use crate::verdict::{Fault, FaultKind, ModelVerdict, PolicyVerdict};

/// The classes of a table, and the values in each.
pub(crate) struct CountedClasses {
    /// The rows of each class.
    pub(crate) sizes: Vec<u64>,
    /// The people, when they are known.
    pub(crate) people: Option<CountedPeople>,
    /// The sensitive attributes.
    pub(crate) attributes: Vec<SensitiveAttribute>,
    /// For each attribute, the rows (or people) of each class and value, sorted.
    pub(crate) values: Vec<Vec<ValueRows>>,
    /// Whether a class is what shares a class id, and not what has equal quasi-identifiers.
    pub(crate) by_id: bool,
}

/// The people of a table.
pub(crate) struct CountedPeople {
    /// How many are in each class.
    pub(crate) sizes: Vec<u64>,
    /// How many there are.
    pub(crate) all: u64,
    /// For each attribute, which person has which value in which class; sorted, each once.
    pub(crate) holdings: Vec<Vec<Holding>>,
}

/// A fault for each model that fails in some of these classes.
pub(crate) fn faults(verdicts: &[ModelVerdict], classes: u64) -> Vec<Fault> {
    let fault = |verdict: &ModelVerdict| {
        let (model, failing) = (&verdict.model, verdict.classes_failing);
        let on = verdict.sensitive.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        let message = format!("{model}{on} does not hold in {failing} of {classes} classes");
        Fault::new(FaultKind::Promise, message)
    };
    verdicts.iter().filter(|verdict| verdict.classes_failing > 0).map(fault).collect()
}

impl CountedClasses {
    /// How many classes have rows.
    pub(crate) fn classes(&self) -> u64 {
        self.sizes.iter().filter(|rows| **rows > 0).count() as u64
    }

    /// Puts every class before every model.
    pub(crate) fn judge(&self, questions: &[ModelQuestion]) -> PolicyVerdict {
        let (mut models, mut notes, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
        let none = SensitiveAttribute::default();
        for question in questions {
            let place = |name: &String| self.attributes.iter().position(|attribute| attribute.name == *name);
            let at = match question.sensitive.as_ref().map(place) {
                None => None,
                Some(Some(at)) => Some(at),
                // That the attribute is not there was told when the columns were checked.
                Some(None) => continue,
            };
            let attribute = at.map_or(&none, |at| &self.attributes[at]);
            let classes_failing = self.failing(&*question.asks, at, attribute);
            notes.extend(question.asks.note(attribute));
            let faults = self.faults_of_people(question, at, attribute);
            models.push(ModelVerdict {
                model: question.model.to_string(),
                sensitive: question.sensitive.clone(),
                holds: classes_failing == 0 && faults.is_empty(),
                classes_failing,
                promise: match (&self.people, self.by_id) {
                    (Some(_), _) => question.asks.promise_of_people(question.of()),
                    (None, true) => question.asks.promise_by_id(question.of()),
                    (None, false) => question.asks.promise(question.of()),
                },
            });
            beyond.extend(faults);
        }
        let mut faults = faults(&models, self.classes());
        faults.extend(beyond);
        PolicyVerdict { models, faults, notes }
    }

    /// How many classes do not keep a model about the attribute at this place.
    fn failing(&self, model: &dyn Model, at: Option<usize>, attribute: &SensitiveAttribute) -> u64 {
        let keeps = model.bind(attribute);
        let mut values = at.map(|at| self.values[at].as_slice()).unwrap_or_default();
        let holdings = at.and_then(|at| self.people.as_ref().map(|people| people.holdings[at].as_slice()));
        let mut holdings = holdings.unwrap_or_default();
        let mut failing = 0;
        for (class, &rows) in self.sizes.iter().enumerate() {
            let here = taken(&mut values, |value| value.class as usize == class);
            let held = taken(&mut holdings, |holding| holding.class as usize == class);
            if rows > 0 {
                let size = self.people.as_ref().map_or(rows, |people| people.sizes[class]);
                let holdings = self.people.is_some().then_some(held);
                failing += u64::from(!keeps(&ClassCounts { size, values: here, holdings, matching: 0 }));
            }
        }
        failing
    }

    /// What is wrong beyond single classes when people are known: a person has several values though the model is about
    /// one, or the release as a whole does not keep the model.
    fn faults_of_people(
        &self,
        question: &ModelQuestion,
        at: Option<usize>,
        attribute: &SensitiveAttribute,
    ) -> Vec<Fault> {
        let Some(people) = &self.people else { return Vec::new() };
        let of = at.map(|_| format!(" of {}", attribute.name)).unwrap_or_default();
        let name = format!("{}{of}", question.model);
        // The release as a whole, as if it were one class.
        let holdings = at.into_iter().flat_map(|at| &people.holdings[at]);
        let mut holdings: Vec<Holding> = holdings.map(|&holding| Holding { class: 0, ..holding }).collect();
        holdings.sort_unstable();
        holdings.dedup();
        let mut faults = Vec::new();
        if let Some(things) = at.and_then(|_| question.asks.one_each(attribute)) {
            let thing = |holding: &Holding| things[holding.code as usize];
            let is_one = |person: &&[Holding]| person.iter().all(|holding| thing(holding) == thing(&person[0]));
            let people = holdings.chunk_by(|one, other| one.person == other.person);
            let several = people.filter(|person| !is_one(person)).count();
            if several > 0 {
                let why = format!("{name} needs one value per person, but {several} people have several values");
                faults.push(Fault::new(FaultKind::Policy, why));
            }
        }
        let whole = (0..).zip(&attribute.rows).filter(|(_, rows)| **rows > 0);
        let values: Vec<ValueRows> = whole.map(|(code, &rows)| ValueRows { class: 0, code, rows }).collect();
        let all = ClassCounts { size: people.all, values: &values, holdings: Some(&holdings), matching: 0 };
        if people.all > 0 && !question.asks.bind(attribute)(&all) {
            let why = format!("{name} does not hold for all people of the release taken together");
            faults.push(Fault::new(FaultKind::Promise, why));
        }
        faults
    }
}

/// Takes the first items off that belong together.
fn taken<'a, T>(rest: &mut &'a [T], belongs: impl Fn(&T) -> bool) -> &'a [T] {
    let (first, after) = rest.split_at(rest.iter().take_while(|item| belongs(item)).count());
    *rest = after;
    first
}
