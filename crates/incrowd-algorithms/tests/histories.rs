//! People with several rows: generated tables, judged by a literal oracle.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use incrowd_algorithms::{Budget, HISTORIES, Problem, Solution, Unsolved, solve_linked};
use incrowd_core::{
    AlikePeople, Attribute, Dictionary, FrequencyTable, Hierarchy, KnownRows, Lm, Members, Policy, QuasiIdentifier,
    Ratio, Recoding, Role, Values,
};

/// A small generator: the same tables on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn code(&mut self, end: u32) -> u32 {
        u32::try_from(self.below(u64::from(end))).unwrap()
    }
}

/// Visits with age, town and illness.
fn visits(numbers: &mut Numbers, people: u64, most_rows: u64) -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let ages = Dictionary::new(Values::Integers((20..36).collect()), false);
    let towns = Dictionary::of_texts(["Bonn", "Graz", "Ulm", "Wien"]);
    let tree = Hierarchy::read("Bonn;Germany;*\nUlm;Germany;*\nWien;Austria;*\nGraz;Austria;*\n").unwrap();
    let quasi = vec![QuasiIdentifier::intervals(0, &ages).unwrap(), QuasiIdentifier::new(1, &tree, &towns).unwrap()];
    let mut rows = Vec::new();
    for person in 1..=people {
        let (age, town) = (numbers.code(16), numbers.code(4));
        for _ in 0..1 + numbers.below(most_rows) {
            let moved = if numbers.below(4) == 0 { numbers.code(4) } else { town };
            rows.push(([age, moved, numbers.code(3)], Some(person), 1));
        }
    }
    let attributes = vec![
        Attribute::new("age", Role::QuasiIdentifier, ages),
        Attribute::new("town", Role::QuasiIdentifier, towns),
        Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu", "gout"])),
    ];
    (FrequencyTable::from_people(attributes, rows), quasi)
}

fn solved(table: &FrequencyTable, quasi: &[QuasiIdentifier], policy: &Policy) -> Result<Solution, Unsolved> {
    HISTORIES.solve(&Problem::new(table, quasi, policy, &Lm, 1).unwrap(), &Budget::default())
}

/// The published rows of each person, as texts.
fn histories(table: &FrequencyTable, quasi: &[QuasiIdentifier], solution: &Solution) -> Vec<Vec<String>> {
    let recoding = Recoding::tightened(table, quasi, &solution.partition);
    let mut people: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (class, members) in (0..).zip(solution.partition.classes()) {
        let cells = quasi.iter().zip(recoding.cells(class));
        let text = cells.map(|(quasi, &cell)| quasi.domain.render(cell).into_owned()).collect::<Vec<_>>().join("|");
        for &(tuple, rows) in members {
            let person = table.grouping().person(tuple).unwrap();
            (0..rows).for_each(|_| people.entry(person).or_default().push(text.clone()));
        }
    }
    people.into_values().collect()
}

/// Whether a history has all of these rows, each as often.
fn has(history: &[String], known: &[&String]) -> bool {
    let in_history = |row: &String| history.iter().filter(|other| *other == row).count();
    known.iter().all(|row| known.iter().filter(|other| other == &row).count() <= in_history(row))
}

/// The definition, literally: the fewest people who have up to `most` rows that are known of one of them.
fn fewest_matches(people: &[Vec<String>], most: u32) -> usize {
    let mut fewest = usize::MAX;
    for history in people {
        for chosen in (1u32..1 << history.len()).filter(|chosen| chosen.count_ones() <= most) {
            let known: Vec<&String> =
                (0..history.len()).filter(|at| chosen >> at & 1 == 1).map(|at| &history[at]).collect();
            fewest = fewest.min(people.iter().filter(|other| has(other, &known)).count());
        }
    }
    fewest
}

#[test]
fn people_with_several_rows_are_protected_by_the_literal_definition() {
    let mut numbers = Numbers(7);
    let (mut found, mut suppressed) = (0, 0);
    for round in 0..150 {
        let (people, most_rows) = (6 + numbers.below(30), 1 + numbers.below(6));
        let (table, quasi) = visits(&mut numbers, people, most_rows);
        let k = 2 + round % 3;
        for known in [KnownRows::AtMost(2), KnownRows::AtMost(3), KnownRows::All] {
            let policy = Policy::k_anonymity(k).suppressing(0.5).knowing(known);
            let Ok(solution) = solved(&table, &quasi, &policy) else { continue };
            found += 1;
            suppressed += usize::from(solution.partition.withheld_rows() > 0);
            assert!(solution.partition.accounts_for(&table));
            assert!(solution.partition.withheld_rows() <= policy.budget(table.rows()));
            let recoding = Recoding::tightened(&table, &quasi, &solution.partition);
            assert!(
                AlikePeople::of_partition(&table, &solution.partition, &recoding, known).holds(k),
                "{round} {known}"
            );
            let bound = policy.bind(&table).unwrap();
            assert!(solution.partition.classes().all(|class| bound.holds(&Members::new(&table, class))));
            let most = match known {
                KnownRows::AtMost(rows) => u32::try_from(rows).unwrap(),
                KnownRows::All => 32,
            };
            let fewest = fewest_matches(&histories(&table, &quasi, &solution), most);
            assert!(fewest as u64 >= k, "{round} {known}: {fewest}");
        }
    }
    assert!(found > 400 && suppressed > 100, "{found} {suppressed}");
}

#[test]
fn fewer_known_rows_suppress_no_more_rows() {
    let mut numbers = Numbers(11);
    for _ in 0..20 {
        let (table, quasi) = visits(&mut numbers, 40, 9);
        let gone = |known| {
            let policy = Policy::k_anonymity(5).suppressing(1.0).knowing(known);
            solved(&table, &quasi, &policy).unwrap().partition.withheld_rows()
        };
        assert!(gone(KnownRows::AtMost(2)) <= gone(KnownRows::All));
    }
}

#[test]
fn rules_about_sensitive_values_hold_in_every_class_or_nothing_is_found() {
    let mut numbers = Numbers(3);
    let (mut found, mut not_found) = (0, 0);
    for _ in 0..60 {
        let people = 8 + numbers.below(30);
        let (table, quasi) = visits(&mut numbers, people, 4);
        let policy = Policy::k_anonymity(3).suppressing(0.6).knowing(KnownRows::All);
        let policy = policy.deassociating("illness", Ratio::new(4, 5).unwrap(), &[], false);
        match solved(&table, &quasi, &policy) {
            Ok(solution) => {
                found += 1;
                let bound = policy.bind(&table).unwrap();
                assert!(solution.partition.classes().all(|class| bound.holds(&Members::new(&table, class))));
                let recoding = Recoding::tightened(&table, &quasi, &solution.partition);
                assert!(AlikePeople::of_partition(&table, &solution.partition, &recoding, KnownRows::All).holds(3));
            }
            Err(Unsolved::NotFound(_)) => not_found += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(found > 5 && not_found > 0, "{found} {not_found}");
}

#[test]
fn what_cannot_be_reached_says_how_many_rows_it_would_suppress() {
    let (table, quasi) = visits(&mut Numbers(5), 12, 6);
    let refused = solved(&table, &quasi, &Policy::k_anonymity(4).knowing(KnownRows::All)).unwrap_err();
    let Unsolved::NotFound(reasons) = refused else { panic!("{refused}") };
    assert!(reasons[0].fact.contains("and at most 0 may be suppressed"), "{}", reasons[0].fact);
    let share: f64 = reasons[0].remedy.split(' ').nth(4).unwrap().parse().unwrap();
    let policy = Policy::k_anonymity(4).suppressing(share).knowing(KnownRows::All);
    assert!(solved(&table, &quasi, &policy).is_ok(), "{share}");
}

#[test]
fn the_partition_does_not_depend_on_the_number_of_threads() {
    let (table, quasi) = visits(&mut Numbers(9), 3_000, 5);
    let policy = Policy::k_anonymity(5).suppressing(0.2).knowing(KnownRows::All);
    let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
    let [one, two] = [1, 2]
        .map(|threads| HISTORIES.solve(&problem, &Budget { threads: Some(threads), ..Budget::default() }).unwrap());
    assert_eq!(one, two);
    assert!(one.partition.len() > 200, "{}", one.partition.len());
}

#[test]
fn a_deadline_leaves_larger_groups_that_keep_the_policy() {
    let (table, quasi) = visits(&mut Numbers(13), 500, 3);
    let policy = Policy::k_anonymity(5).suppressing(0.2).knowing(KnownRows::All);
    let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
    let clock = incrowd_algorithms::DeadlineClock::over_at(6);
    let solution = HISTORIES.solve(&problem, &Budget { clock, threads: Some(1), ..Budget::default() }).unwrap();
    assert!(solution.cut_short);
    let recoding = Recoding::tightened(&table, &quasi, &solution.partition);
    assert!(AlikePeople::of_partition(&table, &solution.partition, &recoding, KnownRows::All).holds(5));
}

/// Whoever is in each table, with the rows that the tables publish, as texts that name the table.
fn linked_histories(tables: &[(FrequencyTable, Vec<QuasiIdentifier>)], solutions: &[Solution]) -> Vec<Vec<String>> {
    let mut people: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (at, ((table, quasi), solution)) in tables.iter().zip(solutions).enumerate() {
        let recoding = Recoding::tightened(table, quasi, &solution.partition);
        for (class, members) in (0..).zip(solution.partition.classes()) {
            let cells = quasi.iter().zip(recoding.cells(class));
            let text = cells.map(|(quasi, &cell)| quasi.domain.render(cell).into_owned()).collect::<Vec<_>>().join("|");
            for &(tuple, rows) in members {
                let person = table.grouping().person(tuple).unwrap();
                (0..rows).for_each(|_| people.entry(person).or_default().push(format!("{at}: {text}")));
            }
        }
    }
    people.into_values().collect()
}

#[test]
fn people_with_rows_in_several_tables_are_protected_in_all_of_them_together() {
    let mut numbers = Numbers(17);
    let (mut found, mut suppressed, mut absent) = (0, 0, 0);
    for round in 0..80 {
        let people = 8 + numbers.below(30);
        // The second table has some of the people of the first, and a few others.
        let tables = [visits(&mut numbers, people, 2), visits(&mut numbers, people / 2 + 3, 3)];
        let k = 2 + round % 3;
        for known in [KnownRows::AtMost(2), KnownRows::All] {
            let policy = Policy::k_anonymity(k).suppressing(0.6).knowing(known);
            let problems = tables.each_ref().map(|(table, quasi)| Problem::new(table, quasi, &policy, &Lm, 1).unwrap());
            let [first, second] = problems;
            let Ok(solutions) = solve_linked(&[("a", first), ("b", second)], &Budget::default()) else { continue };
            found += 1;
            for ((table, _), solution) in tables.iter().zip(&solutions) {
                assert!(solution.partition.accounts_for(table));
                assert!(solution.partition.withheld_rows() <= policy.budget(table.rows()));
                suppressed += usize::from(solution.partition.withheld_rows() > 0);
                let bound = policy.bind(table).unwrap();
                assert!(solution.partition.classes().all(|class| bound.holds(&Members::new(table, class))));
            }
            let histories = linked_histories(&tables, &solutions);
            absent += histories.iter().filter(|history| history.iter().all(|row| row.starts_with("0:"))).count();
            let most = if known == KnownRows::All { 32 } else { 2 };
            // A choice of at most two rows of both tables together is one of at most two of each.
            assert!(fewest_matches(&histories, most) as u64 >= k, "{round} {known}");
        }
    }
    assert!(found > 100 && suppressed > 50 && absent > 100, "{found} {suppressed} {absent}");
}

#[test]
fn one_table_is_solved_by_the_same_groups_alone_and_in_a_list() {
    let (table, quasi) = visits(&mut Numbers(23), 300, 1);
    let policy = Policy::k_anonymity(5).knowing(KnownRows::All);
    let problem = || Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
    let alone = HISTORIES.solve(&problem(), &Budget::default()).unwrap();
    assert_eq!(solve_linked(&[("visits", problem())], &Budget::default()).unwrap(), [alone]);
    let twice = solve_linked(&[("a", problem()), ("b", problem())], &Budget { threads: Some(2), ..Budget::default() });
    assert_eq!(twice.unwrap(), solve_linked(&[("a", problem()), ("b", problem())], &Budget::default()).unwrap());
}
