//! What protects people with several known rows, in words and on a recoded table.

#![allow(clippy::unwrap_used)]

use super::small_tables::Numbers;
use crate::{
    AlikePeople, Attribute, Dictionary, FrequencyTable, Hierarchy, KnownRows, Partition, PersonRows, QuasiIdentifier,
    Recoding, Role,
};

#[test]
fn what_is_promised_names_the_rows_that_are_known_and_the_others() {
    let promises = |known: KnownRows, k: u64| [known.promise(k), known.promise_in_all_tables(k)];
    assert_eq!(
        promises(KnownRows::AtMost(3), 2),
        [
            "Any 3 published rows of a person, or fewer, are on the quasi-identifiers also rows of at least 1 other \
             person.",
            "Any 3 published rows of a person in each table, or fewer, are on the quasi-identifiers also rows of at \
             least 1 other person."
        ]
    );
    assert_eq!(
        promises(KnownRows::All, 1200),
        [
            "On the quasi-identifiers, each person has the same published rows as at least 1,199 other people.",
            "On the quasi-identifiers, each person has the same published rows in all tables as at least 1,199 \
             other people."
        ]
    );
    assert!(KnownRows::All.promise(0).contains("at least 0 other people"));
}

#[test]
fn people_are_alike_when_at_least_k_of_them_are_and_when_there_are_none() {
    let alike = |smallest, total| AlikePeople { smallest, alone: 0, total };
    assert!(alike(3, 6).holds(3) && !alike(3, 6).holds(4));
    assert!(alike(0, 0).holds(5) && AlikePeople::of([], KnownRows::All) == alike(0, 0));
    // The rows of a person come in any order and in parts.
    let parts = [(1, 0), (2, 1), (3, 0), (1, 1), (2, 0), (1, 0), (3, 1), (2, 0)];
    let parts = parts.map(|(person, look)| PersonRows { person, look, rows: 1 });
    assert_eq!(AlikePeople::of(parts, KnownRows::All), AlikePeople { smallest: 1, alone: 1, total: 3 });
    assert_eq!(AlikePeople::of(parts, KnownRows::AtMost(2)), AlikePeople { smallest: 1, alone: 1, total: 3 });
    assert_eq!(AlikePeople::of(parts[..4].iter().copied(), KnownRows::All).alone, 3);
    let empty = PersonRows { person: 1, look: 0, rows: 0 };
    assert_eq!(AlikePeople::of([empty], KnownRows::All), alike(0, 0), "a person without rows is not there");
}

/// How many people have the same rows, by comparing the rows of every two people.
fn alike_by_the_book(people: &[Vec<u32>], known: KnownRows) -> AlikePeople {
    let counted = |history: &[u32]| -> Vec<u64> {
        let times = |look: u32| history.iter().filter(|&&other| other == look).count() as u64;
        (0..3).map(|look| known.counted(times(look))).collect()
    };
    let histories: Vec<Vec<u64>> = people.iter().map(|history| counted(history)).collect();
    let same = |one: &Vec<u64>| histories.iter().filter(|other| *other == one).count() as u64;
    AlikePeople {
        smallest: histories.iter().map(same).min().unwrap_or(0),
        alone: histories.iter().filter(|&one| same(one) == 1).count() as u64,
        total: people.len() as u64,
    }
}

#[test]
fn the_rows_of_a_person_count_alike_in_any_order_and_in_any_parts() {
    let (mut numbers, mut held) = (Numbers(61), [0; 3]);
    for turn in 0..2_000 {
        let known = [KnownRows::AtMost(2), KnownRows::AtMost(3), KnownRows::All][turn % 3];
        let (looks, longest) = (1 + numbers.below(3), 1 + numbers.below(4));
        let look = |numbers: &mut Numbers| numbers.below(looks) as u32;
        let history = |numbers: &mut Numbers| (0..1 + numbers.below(longest)).map(|_| look(numbers)).collect();
        let people: Vec<Vec<u32>> = (0..1 + numbers.below(8)).map(|_| history(&mut numbers)).collect();
        let mut parts: Vec<PersonRows> = Vec::new();
        for (person, history) in (0..).zip(&people) {
            for &look in history {
                // A row joins an earlier part of the same person and look, or is one of its own; a part may be empty.
                let same = |part: &&mut PersonRows| (part.person, part.look) == (person, look);
                match parts.iter_mut().find(same).filter(|_| numbers.below(2) == 0) {
                    Some(part) => part.rows += 1,
                    None => parts.push(PersonRows { person, look, rows: 1 }),
                }
            }
            parts.push(PersonRows { person, look: look(&mut numbers), rows: 0 });
        }
        (1..parts.len()).for_each(|at| parts.swap(at, numbers.below(at as u64 + 1) as usize));
        let expected = alike_by_the_book(&people, known);
        assert_eq!(AlikePeople::of(parts, known), expected, "{people:?} {known}");
        held[expected.smallest.min(3) as usize - 1] += 1;
    }
    assert!(held.iter().all(|&tables| tables > 50), "{held:?}");
}

/// Of persons 1 to 3 each has a row in Ulm and 1 and 2 one in Wien. Classes that publish the same look alike.
#[test]
fn people_are_alike_by_what_their_classes_publish() {
    let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["Bonn", "Ulm", "Wien"]));
    let rows = [([1], 1), ([1], 2), ([1], 3), ([2], 1), ([2], 2)].map(|(codes, person)| (codes, Some(person), 1));
    let table = FrequencyTable::from_people(vec![town], rows);
    let towns = Hierarchy::read("Bonn;Germany;*\nUlm;Germany;*\nWien;Austria;*\n").unwrap();
    let quasi = [QuasiIdentifier::new(0, &towns, &table.attributes()[0].dictionary).unwrap()];
    let tuples = |code: u32| (0..5).filter(|&tuple| table.code(tuple, 0) == code).collect::<Vec<usize>>();
    let mut partition = Partition::default();
    tuples(1).into_iter().for_each(|tuple| partition.push([(tuple, 1)]));
    partition.push(tuples(2).into_iter().map(|tuple| (tuple, 1)));
    let recoding = Recoding::tightened(&table, &quasi, &partition);
    let alike = AlikePeople::of_partition(&table, &partition, &recoding, KnownRows::All);
    assert_eq!(alike, AlikePeople { smallest: 1, alone: 1, total: 3 }, "1 and 2 are alike, and 3 is alone");
    let mut without = Partition::default();
    without.push(tuples(1).into_iter().map(|tuple| (tuple, 1)));
    without.withhold(tuples(2).into_iter().map(|tuple| (tuple, 1)));
    let recoding = Recoding::tightened(&table, &quasi, &without);
    let alike = AlikePeople::of_partition(&table, &without, &recoding, KnownRows::All);
    assert_eq!(alike, AlikePeople { smallest: 3, alone: 0, total: 3 });
}
