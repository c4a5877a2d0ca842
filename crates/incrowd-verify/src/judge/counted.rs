//! What was counted, put before the models class by class.

use crate::models::{Attribute, Class, Model, Question};
use crate::verdict::{Fault, FaultKind, ModelVerdict};

/// That a person has a value in a class: (class, person, code).
pub(crate) type Holding = (u32, u64, u32);

/// What was counted: the classes of a table, and the values in each.
pub(crate) struct Counted {
    /// The rows of each class.
    pub(crate) sizes: Vec<u64>,
    /// The people, when they are known.
    pub(crate) people: Option<People>,
    /// The sensitive attributes.
    pub(crate) attributes: Vec<Attribute>,
    /// For each attribute, the rows (or people) of each (class, code), sorted.
    pub(crate) tallies: Vec<Vec<(u64, u64)>>,
    /// Whether a class is what shares a class id, and not what has equal quasi-identifiers.
    pub(crate) by_id: bool,
}

/// The people of a table.
pub(crate) struct People {
    /// How many are in each class.
    pub(crate) sizes: Vec<u64>,
    /// How many there are.
    pub(crate) all: u64,
    /// For each attribute, which person has which value in which class; sorted, each once.
    pub(crate) holdings: Vec<Vec<Holding>>,
}

/// What the models say: each by itself, what is wrong, and what a reader should know.
pub(crate) type Judged = (Vec<ModelVerdict>, Vec<Fault>, Vec<String>);

/// A fault for each model that fails in some of so many classes.
pub(crate) fn faults(verdicts: &[ModelVerdict], classes: usize) -> Vec<Fault> {
    let fault = |verdict: &ModelVerdict| {
        let (model, failing) = (&verdict.model, verdict.classes_failing);
        let on = verdict.sensitive.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        let message = format!("{model}{on} does not hold in {failing} of {classes} classes");
        Fault::new(FaultKind::Promise, message)
    };
    verdicts.iter().filter(|verdict| verdict.classes_failing > 0).map(fault).collect()
}

impl Counted {
    /// Puts every class before every model.
    pub(crate) fn judge(&self, questions: &[Question]) -> Judged {
        let (mut verdicts, mut notes, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
        for question in questions {
            let of = question.sensitive.as_deref();
            let at = match of.map(|name| self.attributes.iter().position(|attribute| attribute.name == name)) {
                None => None,
                Some(Some(at)) => Some(at),
                // That the attribute is not there was told when the columns were checked.
                Some(None) => continue,
            };
            let attribute = at.map(|at| &self.attributes[at]);
            let classes_failing = self.failing(&*question.asks, at);
            notes.extend(question.asks.note(attribute));
            let faults = self.faults_of_people(question, at);
            verdicts.push(ModelVerdict {
                model: question.model.to_string(),
                sensitive: question.sensitive.clone(),
                holds: classes_failing == 0 && faults.is_empty(),
                classes_failing,
                promise: match (&self.people, self.by_id) {
                    (Some(_), _) => question.asks.promise_of_people(of),
                    (None, true) => question.asks.promise_by_id(of),
                    (None, false) => question.asks.promise(of),
                },
            });
            beyond.extend(faults);
        }
        let mut failing = faults(&verdicts, self.sizes.iter().filter(|rows| **rows > 0).count());
        failing.extend(beyond);
        (verdicts, failing, notes)
    }

    fn failing(&self, model: &dyn Model, at: Option<usize>) -> u64 {
        let keeps = model.bind(at.map(|at| &self.attributes[at]));
        let mut values = at.map(|at| self.tallies[at].as_slice()).unwrap_or_default();
        let holdings = at.and_then(|at| self.people.as_ref().map(|people| people.holdings[at].as_slice()));
        let mut holdings = holdings.unwrap_or_default();
        let mut failing = 0;
        for (class, &rows) in self.sizes.iter().enumerate() {
            let here = taken(&mut values, |(key, _)| key >> 32 == class as u64);
            let held = taken(&mut holdings, |holding| holding.0 as usize == class);
            if rows > 0 {
                let size = self.people.as_ref().map_or(rows, |people| people.sizes[class]);
                let holdings = self.people.is_some().then_some(held);
                failing += u64::from(!keeps(&Class { size, values: here, holdings }));
            }
        }
        failing
    }

    /// What is wrong beyond single classes when people are known: somebody has several values though the model is about
    /// one, or the release as a whole does not keep the model.
    fn faults_of_people(&self, question: &Question, at: Option<usize>) -> Vec<Fault> {
        let Some(people) = &self.people else { return Vec::new() };
        let (attribute, mut holdings) = (at.map(|at| &self.attributes[at]), Vec::new());
        holdings.extend(at.into_iter().flat_map(|at| &people.holdings[at]).map(|&(_, person, code)| (0, person, code)));
        holdings.sort_unstable();
        holdings.dedup();
        let name = format!("{}{}", question.model, attribute.map(|of| format!(" of {}", of.name)).unwrap_or_default());
        let mut faults = Vec::new();
        if let Some(things) = attribute.and_then(|attribute| question.asks.one_each(attribute)) {
            let is_one = |person: &&[Holding]| {
                person.iter().all(|holding| things[holding.2 as usize] == things[person[0].2 as usize])
            };
            let several = holdings.chunk_by(|one, other| one.1 == other.1).filter(|person| !is_one(person)).count();
            if several > 0 {
                let why = format!("{name} is about one value per person, and {several} people have several values");
                faults.push(Fault::new(FaultKind::Policy, why));
            }
        }
        let whole = attribute.map(|attribute| attribute.whole().map(|(code, having)| (code as u64, having)));
        let values: Vec<(u64, u64)> = whole.into_iter().flatten().collect();
        let all = Class { size: people.all, values: &values, holdings: Some(&holdings) };
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
