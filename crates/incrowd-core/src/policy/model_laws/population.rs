//! The models about a population, against their definitions: people are matched with labels one by one.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::small_tables::Numbers;
use crate::{
    Attribute, Cell, Dictionary, FrequencyTable, GivenPopulation, Hierarchy, Infeasible, MODELS, Members, ModelEntry,
    ModelError, Parameters, Policy, QuasiIdentifier, Role, Survives, TupleRows,
};

const TOWNS: [&str; 4] = ["Bonn", "Linz", "Ulm", "Wien"];
const COUNTRIES: [&str; 4] = ["Germany", "Austria", "Germany", "Austria"];
/// What may be known of where a person of the population lives.
const PLACES: [&str; 7] = ["Austria", "Bonn", "Germany", "Linz", "Oslo", "Ulm", "Wien"];
const SEXES: [&str; 2] = ["female", "male"];

/// A sample of towns and sexes, and a population.
pub(super) struct World {
    pub(super) sample: FrequencyTable,
    quasi_identifiers: Vec<QuasiIdentifier>,
    /// The widest label of a sex: that of the only one, if there is no other in the sample, and then no label holds others.
    widest: &'static str,
    /// Place, sex and number of people.
    people: Vec<(usize, usize, u64)>,
    pub(super) population: Arc<GivenPopulation>,
}

fn table(columns: [(&str, &[&str]); 2], rows: &[(usize, usize, u64)]) -> FrequencyTable {
    let attribute = |(name, values): (&str, &[&str])| {
        Attribute::new(name, Role::QuasiIdentifier, Dictionary::of_texts(values.iter().copied()))
    };
    let tuples = rows.iter().map(|&(a, b, count)| ([a as u32, b as u32], count));
    FrequencyTable::from_tuples(columns.map(attribute).into(), tuples)
}

impl World {
    pub(super) fn new(sexes: usize, rows: &[(usize, usize, u64)], people: Vec<(usize, usize, u64)>) -> World {
        let sample = table([("town", &TOWNS), ("sex", &SEXES[..sexes])], rows);
        let lines = TOWNS.iter().zip(COUNTRIES).map(|(town, country)| format!("{town};{country};*\n"));
        let towns = Hierarchy::read(&lines.collect::<String>()).unwrap();
        let lines = SEXES[..sexes].iter().map(|sex| format!("{sex};*\n"));
        let widest = if sexes == 1 { SEXES[0] } else { "*" };
        let sexes = Hierarchy::read(&lines.collect::<String>()).unwrap();
        let quasi = |at: usize, hierarchy: &Hierarchy| {
            QuasiIdentifier::new(at, hierarchy, &sample.attributes()[at].dictionary).unwrap()
        };
        let quasi_identifiers = vec![quasi(0, &towns), quasi(1, &sexes)];
        let everyone = table([("town", &PLACES), ("sex", &SEXES)], &people);
        let hierarchies = [Some(towns), Some(sexes)];
        let population = Arc::new(GivenPopulation::new(&sample, &quasi_identifiers, &hierarchies, &everyone, |_| 1));
        World { sample, quasi_identifiers, widest, people, population }
    }

    pub(super) fn random(numbers: &mut Numbers) -> World {
        let sexes = *numbers.one_of(&[1, 2, 2]);
        let mut rows: Vec<_> =
            (0..4 * sexes).map(|at| (at % 4, at / 4, numbers.below(4))).filter(|row| row.2 > 0).collect();
        rows.push((0, 0, 1));
        // All that is known may be exact, and half of the samples are of the population.
        let exact = numbers.below(2) == 0;
        let place = |place: usize| PLACES.iter().position(|known| *known == TOWNS[place]).unwrap();
        let people = (0..14).map(|at| match exact {
            true => (place(at % 4), at % sexes, numbers.below(6)),
            false => (at % 7, at / 7, numbers.below(6)),
        });
        let mut people: Vec<_> = people.collect();
        if numbers.below(2) == 0 {
            people.extend(rows.iter().map(|&(town, sex, rows)| (place(town), sex, rows)));
        }
        World::new(sexes, &rows, people)
    }

    pub(super) fn everyone(&self) -> u64 {
        self.people.iter().map(|one| one.2).sum()
    }

    /// The people whose place and sex are under these labels, one by one.
    pub(super) fn under(&self, town: &str, sex: &str) -> u64 {
        let is_under = |place: usize| {
            let country = TOWNS.iter().position(|known| *known == PLACES[place]).map(|town| COUNTRIES[town]);
            town == "*" || town == PLACES[place] || Some(town) == country
        };
        let is_like = |of: usize| sex == "*" || sex == SEXES[of];
        self.people.iter().filter(|one| is_under(one.0) && is_like(one.1)).map(|one| one.2).sum()
    }

    /// The labels of a town on a level, and of a sex.
    pub(super) fn labels(&self, codes: [u32; 2], levels: [usize; 2]) -> [&'static str; 2] {
        let [town, sex] = codes.map(|code| code as usize);
        [[TOWNS[town], COUNTRIES[town], "*"][levels[0]], [SEXES[sex], self.widest][levels[1]]]
    }

    pub(super) fn cells(&self, codes: [u32; 2], levels: [usize; 2]) -> Vec<Cell> {
        (0..2).map(|at| self.quasi_identifiers[at].cell(codes[at], levels[at])).collect()
    }

    pub(super) fn codes(&self, tuple: usize) -> [u32; 2] {
        [0, 1].map(|at| self.sample.code(tuple, at))
    }

    /// The people under the smallest labels that hold a class.
    fn matching(&self, class: &[TupleRows]) -> u64 {
        let first = self.codes(class[0].0);
        let agree = |levels: [usize; 2]| {
            let labels = self.labels(first, levels);
            class.iter().all(|member| self.labels(self.codes(member.0), levels) == labels)
        };
        let town = (0..3).find(|&level| agree([level, 1])).unwrap();
        let sex = (0..2).find(|&level| agree([2, level])).unwrap();
        let [town, sex] = self.labels(first, [town, sex]);
        self.under(town, sex)
    }

    /// Some rows of the sample.
    pub(super) fn class(&self, numbers: &mut Numbers) -> Vec<TupleRows> {
        let some = |(tuple, rows): TupleRows| (tuple, numbers.below(rows + 1) * (1 + numbers.below(3)) / 2);
        let some = self.sample.tuple_rows().map(some).collect::<Vec<_>>();
        let mut class: Vec<TupleRows> = some.into_iter().filter(|member| member.1 > 0).collect();
        // Few tuples agree on more labels.
        class.truncate(1 + numbers.below(4) as usize);
        if class.is_empty() { vec![(0, 1)] } else { class }
    }
}

/// Whether n of N people are a share of at least δmin and at most δmax.
fn is_between(min: Option<(u64, u64)>, max: (u64, u64), rows: u64, people: u64) -> bool {
    rows * max.1 <= max.0 * people && min.is_none_or(|min| rows * min.1 >= min.0 * people)
}

#[test]
fn a_class_matches_k_people_when_as_many_are_under_its_labels() {
    let mut numbers = Numbers(3);
    for _ in 0..150 {
        let world = World::random(&mut numbers);
        for k in [1, 2, 3, 5, 8, 13, 40] {
            let model = ModelEntry::find("k-map").unwrap().model(&Parameters::from_iter([("k", k)])).unwrap();
            let bound = model.bind_population(&world.population).unwrap();
            let class = world.class(&mut numbers);
            let members = Members::new(&world.sample, &class);
            let holds = world.matching(&class) >= k;
            assert_eq!((bound.holds(&members), bound.gap(&members)), (holds, u64::from(!holds)));
            assert_eq!((bound.spare(&members), bound.excess(&members)), (0, vec![]));
            assert_eq!(bound.fails_as_whole(&members), world.under("*", world.widest) < k);
            for levels in [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]] {
                let codes = world.codes(class[0].0);
                let [town, sex] = world.labels(codes, levels);
                let published = bound.holds_published(&members, &world.cells(codes, levels));
                assert_eq!(published, world.under(town, sex) >= k, "{town} {sex} {k}");
            }
            assert!(bound.looks_at_cells() && bound.holds_for_release(&[world.cells([0, 0], [0, 0])]));
        }
    }
}

#[test]
fn the_presence_of_a_person_is_as_likely_as_the_share_of_the_people_under_the_labels() {
    let bounds = [
        (None, (1, 2)),
        (None, (1, 1)),
        (Some((1, 10)), (1, 3)),
        (Some((1, 4)), (1, 2)),
        (Some((1, 2)), (1, 1)),
        (Some((2, 5)), (3, 4)),
    ];
    let mut numbers = Numbers(5);
    for _ in 0..150 {
        let world = World::random(&mut numbers);
        let (everyone, widest) = (world.everyone(), world.under("*", world.widest));
        for (min, max) in bounds {
            let text = |share: (u64, u64)| format!("{}/{}", share.0, share.1);
            let parameters = Parameters::default().with("max", text(max).as_str());
            let parameters = min.iter().fold(parameters, |all, &min| all.with("min", text(min).as_str()));
            let model = ModelEntry::find("delta-presence").unwrap().model(&parameters).unwrap();
            let bound = model.bind_population(&world.population).unwrap();
            let class = world.class(&mut numbers);
            let (members, rows) = (Members::new(&world.sample, &class), class.iter().map(|member| member.1).sum());
            // Whatever labels it publishes: the smallest ones decide the maximum, the widest ones the minimum.
            let all_match = min.is_none() || widest == everyone;
            let holds = all_match
                && is_between(None, max, rows, world.matching(&class))
                && is_between(min, (u64::from(u32::MAX), 1), rows.max(1), everyone.max(1));
            let holds = holds && (rows > 0 || min.is_none());
            assert_eq!((bound.holds(&members), bound.gap(&members)), (holds, u64::from(!holds)), "{parameters:?}");
            assert_eq!((bound.spare(&members), bound.excess(&members)), (0, vec![]));
            let whole = Members::whole(&world.sample);
            let keeps = all_match && is_between(min, max, world.sample.rows(), widest);
            assert_eq!(bound.fails_as_whole(&whole), !keeps);
            assert!(bound.looks_at_cells());
            for levels in [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]] {
                let codes = world.codes(class[0].0);
                let [town, sex] = world.labels(codes, levels);
                let published = bound.holds_published(&members, &world.cells(codes, levels));
                assert_eq!(
                    published,
                    is_between(min, max, rows, world.under(town, sex)),
                    "{town} {sex} {parameters:?}"
                );
                // The classes of a release on these levels: every label that a row of the sample has.
                let mut labels: Vec<([&str; 2], Vec<Cell>)> = (0..world.sample.tuples())
                    .map(|tuple| world.codes(tuple))
                    .map(|codes| (world.labels(codes, levels), world.cells(codes, levels)))
                    .collect();
                labels.sort_by_key(|one| one.0);
                labels.dedup_by_key(|one| one.0);
                let known: u64 = labels.iter().map(|([town, sex], _)| world.under(town, sex)).sum();
                let cells: Vec<Vec<Cell>> = labels.into_iter().map(|one| one.1).collect();
                assert_eq!(bound.holds_for_release(&cells), min.is_none() || known == everyone);
            }
        }
    }
}

#[test]
fn only_models_about_a_population_need_one_and_are_bound_by_nothing_else() {
    let world = World::new(2, &[(0, 0, 2)], vec![(1, 0, 4)]);
    let policy = Policy::default();
    for entry in MODELS {
        let parameters = (entry.example)();
        let model = entry.model(&parameters).unwrap();
        assert_eq!(model.needs_population(), entry.population, "{}", entry.id);
        assert_eq!(model.bind_population(&world.population).is_some(), entry.population, "{}", entry.id);
        assert_eq!(model.needs_levels(), entry.id == "delta-presence", "{}", entry.id);
        if entry.population {
            let refused = model.bind(&world.sample, &[]).err();
            assert_eq!(refused, Some(ModelError::NoPopulation { model: entry.id }));
            let policy = policy.clone().asking(entry.id, parameters, &[]);
            assert!(
                policy.bind(&world.sample).is_err()
                    && policy.about(world.population.clone()).bind(&world.sample).is_ok()
            );
            let survives = if entry.id == "k-map" { Survives::Growth } else { Survives::Merging };
            assert_eq!(model.survives(), survives);
        }
    }
}

/// Why a sample of this many rows from Ulm does not conform beside these people.
fn reason(model: &str, parameters: &Parameters, rows: u64, people: &[(usize, usize, u64)]) -> String {
    let world = World::new(1, &[(2, 0, rows)], people.to_vec());
    let bound = ModelEntry::find(model).unwrap().model(parameters).unwrap();
    let reason: Infeasible =
        bound.bind_population(&world.population).unwrap().infeasible(&Members::whole(&world.sample));
    assert_eq!((reason.model, reason.columns.len()), (model, 0));
    reason.to_string()
}

#[test]
fn a_table_that_matches_too_few_people_is_told_how_many_there_are() {
    let k_map = |k: u64, people: &[(usize, usize, u64)]| reason("k-map", &Parameters::from_iter([("k", k)]), 2, people);
    assert_eq!(
        k_map(2000, &[(5, 0, 1), (3, 0, 1200)]),
        "1,201 people of the population match the widest labels, fewer than k = 2,000; use a k of at most 1,201"
    );
    assert_eq!(
        k_map(2, &[(5, 1, 9)]),
        "0 people of the population match the widest labels, fewer than k = 2; give a population whose values are written \
         as in the table"
    );
    assert_eq!(
        k_map(2, &[(5, 0, 1), (3, 0, 1)]),
        "1 person of the population matches the smallest labels that hold the whole table, fewer than k = 2; use the \
         algorithm incognito, which can publish labels that hold more people"
    );
}

#[test]
fn a_table_with_too_large_or_too_small_a_share_of_the_population_is_told_the_share() {
    let presence = |min: Option<&str>, rows: u64, people: &[(usize, usize, u64)]| {
        let parameters = Parameters::default().with("max", "1/2");
        let parameters = min.into_iter().fold(parameters, |all, min| all.with("min", min));
        reason("delta-presence", &parameters, rows, people)
    };
    assert_eq!(
        presence(None, 3, &[(5, 0, 3), (3, 0, 2)]),
        "the table has 3 rows, and 5 people of the population match the widest labels: more than δmax = 1/2; use a maximum \
         of at least 3/5"
    );
    assert_eq!(
        presence(Some("1/3"), 1, &[(5, 0, 4), (5, 1, 3)]),
        "the table has 1 row, and 4 people of the population match the widest labels: less than δmin = 1/3; use a minimum \
         of at most 1/4"
    );
    assert_eq!(
        presence(Some("1/4"), 1, &[(5, 0, 4), (5, 1, 3)]),
        "3 people match no label; use a minimum of 0, or hierarchies that hold everyone in the population"
    );
}
