//! Every model is defined twice, by the solvers' crate and by the verifier's, and both say the same of the same classes.
//!
//! Neither crate sees the other. Here both are given the same policy, as it stands in a manifest, and the same classes.
//! `INCROWD_JUDGED_CASES=100000` judges as many tables for each model and test; the gate judges a few.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use incrowd::core::{
    Attribute, Dictionary, FrequencyTable, MODELS, Members, ModelEntry, ModelError, Parameters, Policy, Role, Values,
};
use incrowd_verify::{Judge, SensitiveColumn};
use std::borrow::Cow;

/// The values of the sensitive column; a further code is the missing value.
const VALUES: [i64; 4] = [2, 3, 10, 40];

/// Rows of (class, code).
type Rows = Vec<([u32; 2], u64)>;

/// Rows of (class, code) with the person whose they are.
type RowsOfPeople = Vec<([u32; 2], u64, u64)>;

fn table(rows: &Rows) -> FrequencyTable {
    FrequencyTable::from_tuples(attributes(), rows.iter().copied())
}

fn table_of_people(rows: &RowsOfPeople) -> FrequencyTable {
    FrequencyTable::from_people(attributes(), rows.iter().map(|&(codes, person, rows)| (codes, Some(person), rows)))
}

fn attributes() -> Vec<Attribute> {
    let class = Attribute::new("class", Role::QuasiIdentifier, Dictionary::of_texts(["a", "b", "c"]));
    let values = Dictionary::new(Values::Integers(VALUES.to_vec()), true);
    let sensitive = Attribute::new("s", Role::Sensitive, values);
    vec![class, sensitive]
}

fn texts(values: &[i64]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

/// The number of tables for each model.
fn cases(of_gate: u64) -> u64 {
    std::env::var("INCROWD_JUDGED_CASES").map_or(of_gate, |text| text.parse().unwrap())
}

/// Numbers that look drawn: the same in every run.
struct Dice(u64);

impl Dice {
    /// A number from 0 on and below another.
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn ratio(&mut self, least: u64, most: u64, below: u64) -> String {
        format!("{}/{below}", least + self.below(most - least))
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }

    fn rows(&mut self) -> Rows {
        let row = |dice: &mut Dice| ([dice.below(3) as u32, dice.below(5) as u32], 1 + dice.below(5));
        (0..1 + self.below(13)).map(|_| row(self)).collect()
    }

    /// Rows of up to seven people; everybody has one value, or some have several.
    fn rows_of_people(&mut self) -> RowsOfPeople {
        let several = self.below(3) == 0;
        let own: Vec<u32> = (0..7).map(|_| self.below(5) as u32).collect();
        let row = |dice: &mut Dice| {
            let person = dice.below(7);
            let code = if several { dice.below(5) as u32 } else { own[person as usize] };
            ([dice.below(3) as u32, code], person, 1 + dice.below(3))
        };
        (0..1 + self.below(15)).map(|_| row(self)).collect()
    }

    /// A model and its parameters.
    fn asked(&mut self, model: &'static str) -> Parameters {
        let none = Parameters::default;
        match model {
            "alpha-deassociation" => {
                let asked = none().with("alpha", self.ratio(1, 6, 6).as_str());
                asked.with("rule", self.one_of(&["exact", "refined"]))
            }
            "p-sensitive" => none().with("p", 1 + self.below(5)),
            "extended-p-sensitive" => {
                none().with("p", 1 + self.below(5)).with("groups", vec![texts(&[2, 10, 11]), texts(&[40])])
            }
            "distinct-l-diversity" => none().with("l", 1 + self.below(5)),
            "frequency-l-diversity" | "entropy-l-diversity" => none().with("l", self.ratio(4, 16, 4).as_str()),
            "recursive-c-l-diversity" => none().with("c", self.ratio(1, 20, 4).as_str()).with("l", 1 + self.below(4)),
            "t-closeness" => {
                let ordered = || none().with("distance", "ordered");
                let tree = |labels: [&str; 4]| {
                    let path = |(value, label): (&i64, &str)| vec![value.to_string(), label.into(), "*".into()];
                    let paths: Vec<Vec<String>> = VALUES.iter().zip(labels).map(path).collect();
                    none().with("distance", "hierarchical").with("tree", paths)
                };
                let distances = [
                    none(),
                    ordered(),
                    ordered().with("order", texts(&[40, 3, 7, 2, 10])),
                    tree(["x", "x", "y", "y"]),
                    tree(["x", "x", "x", "y"]),
                ];
                self.one_of(&distances).with("t", self.ratio(1, 20, 20).as_str())
            }
            "beta-likeness" => {
                none().with("beta", self.ratio(1, 16, 4).as_str()).with("rule", self.one_of(&["basic", "enhanced"]))
            }
            "delta-disclosure" => none().with("delta", self.ratio(1, 12, 4).as_str()),
            other => self.one_of(&(ModelEntry::find(other).unwrap().samples)(&texts(&VALUES))),
        }
    }
}

/// What the verifier says of the classes.
fn judged(policy: &Policy, table: &FrequencyTable) -> bool {
    let policy = serde_json::from_value(serde_json::to_value(policy).unwrap()).unwrap();
    let dictionary = &table.attributes()[1].dictionary;
    let label = |code: u32| dictionary.text(code).map(Cow::into_owned);
    let labels = (0..dictionary.len() as u32).map(label).collect();
    let mut judge = Judge::new(&policy, vec![SensitiveColumn { name: "s".into(), labels }]);
    for tuple in 0..table.tuples() {
        let person = table.grouping().person(tuple);
        judge.add(table.code(tuple, 0), &[table.code(tuple, 1)], person, table.count(tuple));
    }
    let judgement = judge.finish();
    assert_eq!(judgement.models.len(), 2, "{:?}", judgement.faults);
    judgement.holds
}

/// The classes of the first column.
fn classes(table: &FrequencyTable) -> Vec<Vec<(usize, u64)>> {
    let mut classes: Vec<Vec<(usize, u64)>> = vec![Vec::new(); 3];
    for tuple in 0..table.tuples() {
        classes[table.code(tuple, 0) as usize].push((tuple, table.count(tuple)));
    }
    classes.retain(|class| !class.is_empty());
    classes
}

#[test]
fn solvers_and_verifier_judge_alike() {
    let mut dice = Dice(7);
    for entry in MODELS.iter().filter(|entry| entry.sensitive) {
        // How often both said no and yes: a comparison of which one side never shows is none.
        let mut said = [0; 2];
        for _ in 0..cases(600) {
            let (rows, parameters) = (dice.rows(), dice.asked(entry.id));
            let table = table(&rows);
            let policy = Policy::k_anonymity(1).asking(entry.id, parameters.clone(), &["s"]);
            let bound = policy.bind(&table).unwrap();
            let holds = classes(&table).iter().all(|class| bound.holds(&Members::new(&table, class)));
            assert_eq!(holds, judged(&policy, &table), "{}: {parameters:?} {rows:?}", entry.id);
            said[usize::from(holds)] += 1;
        }
        assert!(said.iter().all(|&times| times > 20), "{}: {said:?}", entry.id);
        println!("{}: broken and kept {said:?}", entry.id);
    }
}

/// People have several rows, several classes and, in a third of the tables, several values.
#[test]
fn solvers_and_verifier_judge_people_alike() {
    let mut dice = Dice(11);
    for entry in MODELS.iter().filter(|entry| entry.sensitive) {
        let (mut said, mut refused) = ([0; 2], 0);
        for _ in 0..cases(900) {
            let (rows, mut parameters) = (dice.rows_of_people(), dice.asked(entry.id));
            if entry.id == "alpha-deassociation" && dice.below(2) == 0 {
                parameters = parameters.with("values", texts(&[2, 10]));
            }
            let table = table_of_people(&rows);
            let policy = Policy::k_anonymity(1).asking(entry.id, parameters.clone(), &["s"]);
            let bound = match policy.bind(&table) {
                Ok(bound) => bound,
                Err(ModelError::SeveralValues { .. }) => {
                    refused += 1;
                    assert!(!judged(&policy, &table), "{}: {rows:?}", entry.id);
                    continue;
                }
                Err(other) => panic!("{other}"),
            };
            let classes = classes(&table);
            let members: Vec<Members<'_>> = classes.iter().map(|class| Members::new(&table, class)).collect();
            let holds = members.iter().all(|class| bound.holds(class)) && bound.holds_as_whole(&members);
            assert_eq!(holds, judged(&policy, &table), "{}: {parameters:?} {rows:?}", entry.id);
            said[usize::from(holds)] += 1;
        }
        let shares = ["alpha-deassociation", "frequency-l-diversity"].contains(&entry.id);
        assert!(said.iter().all(|&times| times > 20), "{}: {said:?}", entry.id);
        assert_eq!(refused > 20, !shares, "{}: {refused}", entry.id);
        println!("{}, people: broken and kept {said:?}, several values of a person {refused}", entry.id);
    }
}

#[test]
fn the_verifier_knows_every_model() {
    let table = table(&vec![([0, 0], 1), ([0, 1], 1)]);
    for entry in MODELS.iter().filter(|entry| entry.sensitive) {
        let policy = Policy::k_anonymity(1).asking(entry.id, (entry.example)(), &["s"]);
        judged(&policy, &table);
    }
}
