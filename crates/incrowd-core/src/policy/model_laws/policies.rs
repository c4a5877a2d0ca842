//! A policy of several models answers what its models answer together.

#![allow(clippy::unwrap_used)]

use super::case::{AskedModel, SampleClass, attributes, whole};
use super::population::World;
use super::small_tables::{Numbers, entries, samples};
use crate::{
    BoundModel, BoundPolicy, FrequencyTable, Members, Model, ModelError, Parameters, Policy, Rule, Survives, Variety,
};

/// The names of the columns.
pub(super) const COLUMNS: [&str; 3] = ["town", "illness", "salary"];

/// A model that any table keeps or breaks, with one of its samples.
pub(super) fn asked_model(numbers: &mut Numbers) -> AskedModel {
    let all: Vec<_> = entries().collect();
    let entry = *numbers.one_of(&all);
    let samples = samples(entry);
    let mut asked = numbers.one_of(&samples).clone();
    if asked.entry.sensitive {
        asked.sensitive = numbers.one_of(&[vec![1], vec![2], vec![1, 2]]).clone();
    }
    asked
}

pub(super) fn policy_of(models: &[AskedModel]) -> Policy {
    let rule = |asked: &AskedModel| {
        let sensitive = asked.sensitive.iter().map(|&at| COLUMNS[at].to_owned()).collect();
        Rule { model: asked.entry.id.into(), parameters: asked.parameters.clone(), sensitive }
    };
    Policy { models: models.iter().map(rule).collect(), ..Policy::default() }
}

/// A table of rows, or of people with one value each; all values occur.
pub(super) fn random_table(numbers: &mut Numbers, of_people: bool) -> FrequencyTable {
    let values: Vec<[u32; 2]> = (0..8).map(|_| [numbers.below(5) as u32, numbers.below(5) as u32]).collect();
    let mut rows: Vec<([u32; 3], Option<u64>, u64)> = (0..2 + numbers.below(8))
        .map(|_| {
            let (town, person) = (numbers.below(4) as u32, numbers.below(8));
            let [illness, salary] = values[person as usize];
            ([town, illness, salary], of_people.then_some(person), 1 + numbers.below(3))
        })
        .collect();
    let all = (0..5u32).map(|code| ([code % 4, code, (code + 2) % 5], of_people.then_some(10 + u64::from(code)), 1));
    rows.extend(all);
    FrequencyTable::from_people(attributes(), rows)
}

/// Some rows of a table, at least one.
pub(super) fn random_class(numbers: &mut Numbers, table: &FrequencyTable) -> SampleClass {
    let few = 1 + numbers.below(3);
    let some = table.tuple_rows().map(|(tuple, rows)| (tuple, (numbers.below(rows + few)).min(rows)));
    let class: SampleClass = some.filter(|member| member.1 > 0).collect();
    if class.is_empty() { vec![(0, 1)] } else { class }
}

/// The models of a policy, each bound by itself.
struct Apart<'t> {
    table: &'t FrequencyTable,
    models: Vec<(Box<dyn Model>, Box<dyn BoundModel + 't>)>,
}

impl<'t> Apart<'t> {
    fn new(table: &'t FrequencyTable, asked: &[AskedModel]) -> Self {
        Apart { table, models: asked.iter().map(|asked| (asked.model(), asked.bind(table))).collect() }
    }

    fn all(&self, says: impl Fn(&dyn Model, &dyn BoundModel) -> bool) -> bool {
        self.models.iter().all(|(model, bound)| says(&**model, &**bound))
    }

    fn any(&self, says: impl Fn(&dyn Model, &dyn BoundModel) -> bool) -> bool {
        !self.all(|model, bound| !says(model, bound))
    }

    /// Whether a model survives merging, when people are counted, who may be in both classes.
    fn merges(&self, model: &dyn Model) -> bool {
        match model.survives() {
            Survives::Growth => true,
            Survives::Merging => !self.table.counts_people(),
            Survives::Nothing => false,
        }
    }

    fn varieties(&self) -> Vec<Variety> {
        let mut all: Vec<Variety> = Vec::new();
        for one in self.models.iter().flat_map(|(_, bound)| bound.varieties()) {
            let same = |other: &&Variety| (other.column, &other.things) == (one.column, &one.things);
            let least = self.models.iter().flat_map(|(_, bound)| bound.varieties());
            let least = least.filter(|other| same(&other)).map(|other| other.least).max().unwrap();
            if !all.iter().any(|other| same(&other)) {
                all.push(Variety { least, ..one });
            }
        }
        all
    }

    /// What the policy says about a class is what its models say.
    fn agree_on_class(&self, policy: &BoundPolicy<'_>, class: &Members<'_>) {
        let holds = self.all(|_, bound| bound.holds(class));
        assert_eq!((policy.holds(class), policy.holds_published(class, &[])), (holds, holds));
        assert_eq!(policy.gap(class), self.models.iter().map(|(_, bound)| bound.gap(class)).max().unwrap());
        assert_eq!(policy.spare(class), self.models.iter().map(|(_, bound)| bound.spare(class)).min().unwrap());
        let broken = self.models.iter().position(|(_, bound)| bound.gap(class) > 0);
        assert_eq!((policy.broken_by(class), policy.broken_by_published(class, &[])), (broken, broken));
        let merging = self.all(|model, bound| !self.merges(model) || bound.holds(class));
        assert_eq!(policy.holds_what_survives_merging(class), merging);
        assert_eq!(policy.holds_published_what_survives_merging(class, &[]), merging);
        let growing = self.all(|model, bound| model.survives() != Survives::Growth || bound.holds(class));
        assert_eq!(policy.holds_what_survives_growth(class), growing);
        assert_eq!(policy.holds_published_what_survives_growth(class, &[]), growing);
    }

    /// What the policy says about its models is so.
    fn agree_on_claims(&self, policy: &BoundPolicy<'_>) {
        let grows = |model: &dyn Model| model.survives() == Survives::Growth;
        assert_eq!(policy.survives_merging(), self.all(|model, _| self.merges(model)));
        assert_eq!(policy.survives_growth(), self.all(|model, _| grows(model)));
        assert_eq!(policy.compares(), self.any(|model, _| model.compares()));
        let counts = self.any(|model, _| !grows(model) && !model.compares());
        assert_eq!(policy.whole_counts(self.table), self.table.counts_people() && counts);
        let shares = self.models.iter().filter(|(_, bound)| bound.bounded_share().is_some()).count();
        assert_eq!(policy.bounded_share().is_some(), shares == 1);
        let others = self.all(|model, bound| bound.bounded_share().is_some() || grows(model));
        assert_eq!(policy.is_alpha_k(), shares == 1 && others);
        let bounds = || self.models.iter().map(|(_, bound)| bound);
        assert_eq!(policy.share_limits(), bounds().flat_map(|bound| bound.share_limits()).collect::<Vec<_>>());
        assert_eq!(policy.order_limits(), bounds().flat_map(|bound| bound.order_limits()).collect::<Vec<_>>());
        assert_eq!(policy.fewest_rows(), bounds().map(|bound| bound.fewest_rows()).max().unwrap());
        assert_eq!(policy.varieties(), self.varieties());
        assert!(!policy.looks_at_cells() && policy.holds_for_release(&[]));
    }

    /// Models that compare are taken against other rows, and the others stay.
    fn agree_on_whole(&self, policy: &BoundPolicy<'_>, published: &SampleClass, class: &SampleClass) {
        let members = Members::new(self.table, class);
        let halves = published.split_at(published.len() / 2);
        let halves = [halves.0, halves.1].map(|half| Members::new(self.table, half));
        let against = |whole: &[Members<'_>]| {
            self.all(|_, bound| {
                bound.against(whole).map_or_else(|| bound.holds(&members), |bound| bound.holds(&members))
            })
        };
        assert_eq!(policy.against(&halves).holds(&members), against(&halves));
        assert_eq!(policy.against(&halves).compares(), policy.compares());
        let within = policy.within(self.table);
        assert_eq!(within.holds(&members), against(&[Members::whole(self.table)]));
        assert!(!within.compares());
        let together = Members::new(self.table, published);
        let as_whole = self.all(|model, bound| model.compares() || bound.holds(&together));
        assert_eq!(policy.holds_as_whole(&halves), as_whole);
        assert!(policy.holds_as_whole(&[]), "nothing is published");
    }
}

#[test]
fn a_policy_answers_what_its_models_answer_together() {
    let mut numbers = Numbers(11);
    for turn in 0..900 {
        let table = random_table(&mut numbers, turn % 3 == 0);
        let asked: Vec<AskedModel> = (0..1 + numbers.below(3)).map(|_| asked_model(&mut numbers)).collect();
        let policy = policy_of(&asked);
        let (bound, apart) = (policy.bind(&table).unwrap(), Apart::new(&table, &asked));
        let class = if turn % 4 == 0 { whole(&table) } else { random_class(&mut numbers, &table) };
        apart.agree_on_class(&bound, &Members::new(&table, &class));
        apart.agree_on_claims(&bound);
        apart.agree_on_whole(&bound, &random_class(&mut numbers, &table), &class);
        let least = asked.iter().map(|asked| asked.model().least_rows()).max();
        assert_eq!(policy.least_rows().ok(), least);
        assert_eq!(policy.survives_merging(), Ok(asked.iter().all(|asked| asked.model().survives_merging())));
    }
}

#[test]
fn a_policy_of_one_bound_on_a_share_and_of_models_that_survive_growth_is_one_of_alpha_and_k() {
    let table = random_table(&mut Numbers(2), false);
    let protecting =
        |values: &[&str]| Policy::k_anonymity(2).deassociating("illness", "1/2".parse().unwrap(), values, false);
    let is_alpha_k = |policy: &Policy| policy.bind(&table).unwrap().is_alpha_k();
    let bounded = |policy: &Policy| policy.bind(&table).unwrap().bounded_share().map(|share| share.protected.to_vec());
    assert!(!is_alpha_k(&Policy::k_anonymity(2)) && bounded(&Policy::k_anonymity(2)).is_none());
    let one = protecting(&["20"]);
    assert!(
        is_alpha_k(&one)
            && is_alpha_k(&one.clone().asking("p-sensitive", Parameters::from_iter([("p", 2)]), &["salary"]))
    );
    assert_eq!(bounded(&one), Some(vec![false, true, false, false, false]));
    assert!(!is_alpha_k(&protecting(&[])), "each value is bounded");
    let people = random_table(&mut Numbers(2), true);
    let of_people = one.bind(&people).unwrap();
    assert!(of_people.bounded_share().is_none() && of_people.share_limits().is_empty(), "people do not add up");
    let two = one.clone().deassociating("salary", "1/2".parse().unwrap(), &["10"], true);
    assert!(!is_alpha_k(&two) && bounded(&two).is_none());
    let entropy = one.asking("entropy-l-diversity", Parameters::from_iter([("l", 2)]), &["illness"]);
    assert!(!is_alpha_k(&entropy) && bounded(&entropy).is_some());
}

#[test]
fn a_policy_about_a_population_looks_at_published_cells() {
    let mut numbers = Numbers(13);
    let k_map = |k: u64| Parameters::from_iter([("k", k)]);
    let presence = || Parameters::from_iter([("min", "1/8"), ("max", "1/2")]);
    for _ in 0..200 {
        let world = World::random(&mut numbers);
        let parts = [("k-anonymity", k_map(2)), ("k-map", k_map(4)), ("delta-presence", presence())];
        let policy = parts.iter().fold(Policy::default(), |all, (id, given)| all.asking(id, given.clone(), &[]));
        let policy = policy.about(world.population.clone());
        assert_eq!(policy.of_population().count(), 2);
        let bound = policy.bind(&world.sample).unwrap();
        let class = world.class(&mut numbers);
        let (members, codes) = (Members::new(&world.sample, &class), world.codes(class[0].0));
        let levels = [numbers.below(3) as usize, numbers.below(2) as usize];
        let (cells, [town, sex]) = (world.cells(codes, levels), world.labels(codes, levels));
        let (rows, people) = (members.rows(), world.under(town, sex));
        let keeps = [rows >= 2, people >= 4, rows * 2 <= people && rows * 8 >= people];
        assert_eq!(bound.holds_published(&members, &cells), keeps == [true; 3]);
        assert_eq!(bound.broken_by_published(&members, &cells), keeps.iter().position(|keeps| !keeps));
        assert_eq!(bound.holds_published_what_survives_merging(&members, &cells), keeps == [true; 3]);
        assert_eq!(bound.holds_published_what_survives_growth(&members, &cells), keeps[..2] == [true; 2]);
        assert_eq!(bound.holds_for_release(std::slice::from_ref(&cells)), people == world.everyone());
        assert!(bound.looks_at_cells() && bound.survives_merging() && !bound.survives_growth());
    }
}

#[test]
fn a_policy_about_a_population_fits_rows_without_a_subject_and_no_sensitive_column() {
    let world = World::new(2, &[(0, 0, 2)], vec![(1, 0, 4)]);
    let k_map = |sensitive: &[&str]| {
        let policy = Policy::default().asking("k-map", Parameters::from_iter([("k", 2)]), sensitive);
        policy.about(world.population.clone())
    };
    let (rows, people) = (random_table(&mut Numbers(2), false), random_table(&mut Numbers(2), true));
    assert_eq!(k_map(&["illness"]).bind(&rows).err(), Some(ModelError::NotAboutSensitive { model: "k-map" }));
    assert_eq!(k_map(&[]).bind(&people).err(), Some(ModelError::PopulationOfRows { model: "k-map" }));
    assert_eq!(Policy::default().bind(&rows).err(), Some(ModelError::Nothing));
}
