//! Downcoding on all minimal releases of small tables: no statement is ever wrong.
//!
//! The tables have one column, over a root with three children of two leaves each. A release gives each row a node
//! above its leaf; it is minimal when no other release is at least as precise for every row, and has classes of k rows.

use std::collections::BTreeMap;

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, Partition, QuasiIdentifier, Recoding, Role};
use incrowd_risk::attack::downcoding::{CoarseClass, NodeChild, attack};
use incrowd_risk::attack::minimality::Generalized;

/// What a row with this leaf publishes on a level: the leaf, its parent, or the root.
fn node(leaf: usize, level: usize) -> (usize, usize) {
    (level, [leaf, leaf / 2, 0][level])
}

fn classes(leaves: &[usize], levels: &[usize]) -> BTreeMap<(usize, usize), Vec<usize>> {
    let mut classes: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (&leaf, &level) in leaves.iter().zip(levels) {
        classes.entry(node(leaf, level)).or_default().push(leaf);
    }
    classes
}

fn holds(leaves: &[usize], levels: &[usize], k: usize) -> bool {
    classes(leaves, levels).values().all(|class| class.len() >= k)
}

/// All ways to choose a level for each row, none above its limit.
fn below(limits: &[usize]) -> Vec<Vec<usize>> {
    let add = |ways: Vec<Vec<usize>>, &limit: &usize| {
        let add = |way: Vec<usize>| (0..=limit).map(move |level| [way.clone(), vec![level]].concat());
        ways.into_iter().flat_map(add).collect()
    };
    limits.iter().fold(vec![vec![]], add)
}

/// The classes as a reader knows them, with the truth.
fn coarse(leaves: &[usize], levels: &[usize]) -> Vec<CoarseClass> {
    let all = classes(leaves, levels);
    let of = |(&(level, node), class): (&(usize, usize), &Vec<usize>)| {
        let child = |at: usize| NodeChild {
            taken: all.contains_key(&(level - 1, at)),
            truth: class.iter().filter(|&&leaf| [leaf, leaf / 2][level - 1] == at).count() as u64,
        };
        let children = match level {
            0 => None,
            1 => Some((2 * node..2 * node + 2).map(child).collect()),
            _ => Some((0..3).map(child).collect()),
        };
        CoarseClass { rows: class.len() as u64, columns: children.into_iter().collect(), ..CoarseClass::default() }
    };
    all.iter().map(of).collect()
}

/// All tables of so many rows, each once.
fn tables(rows: usize) -> Vec<Vec<usize>> {
    let all = below(&vec![5; rows]);
    all.into_iter().filter(|leaves| leaves.is_sorted()).collect()
}

#[test]
fn of_a_minimal_release_nothing_wrong_is_ever_said() {
    let six = [vec![0, 0, 2, 2, 4, 4], vec![0, 1, 2, 3, 4, 5], vec![0, 0, 1, 2, 3, 4]];
    let cases = tables(4).into_iter().map(|table| (table, 2)).chain(six.map(|table| (table, 3)));
    let (mut minimal, mut refined) = (0, 0);
    for (leaves, k) in cases {
        for levels in below(&vec![2; leaves.len()]).into_iter().filter(|levels| holds(&leaves, levels, k)) {
            if below(&levels).iter().any(|finer| *finer != levels && holds(&leaves, finer, k)) {
                continue;
            }
            let found = attack(&coarse(&leaves, &levels), k as u64);
            let errors = (found.figure("wrong"), found.figure("not_minimal"));
            assert_eq!(errors, (Some(0.0), Some(0.0)), "{leaves:?} {levels:?}");
            minimal += 1;
            refined += usize::from(found.success > 0.0);
        }
    }
    assert!(minimal > 150 && refined > 50, "{minimal} {refined}");
}

/// Two rows below each child, k = 3: nothing but the root can be published, and six rows there tell all of them.
#[test]
fn the_table_that_was_made_for_it_is_refined_row_by_row() {
    let leaves = [0, 0, 2, 2, 4, 4];
    let found = attack(&coarse(&leaves, &[2; 6]), 3);
    assert_eq!((found.success, found.evidence.name()), (1.0, "found"));
    let meaning = "An attacker who assumes that the release is as precise as possible infers the right child of \
                   a cell for 100 % of the rows and a wrong one for 0 %.";
    assert_eq!(found.meaning, meaning);
}

/// The same from a table and its recoding, with a second column that is not generalized.
#[test]
fn a_recoding_is_turned_into_what_the_attack_reads() {
    let towns = Dictionary::of_texts(["Bonn", "Graz", "Ulm", "Wien", "Zug"]);
    let hierarchy = "Bonn;Germany;*\nUlm;Germany;*\nGraz;Austria;*\nWien;Austria;*\nZug;Switzerland;*\n";
    let sexes = Dictionary::of_texts(["f", "m"]);
    let quasi = [
        QuasiIdentifier::new(0, &Hierarchy::read(hierarchy).unwrap(), &towns).unwrap(),
        QuasiIdentifier::sets(1, &sexes).unwrap(),
    ];
    let attributes = vec![
        Attribute::new("town", Role::QuasiIdentifier, towns),
        Attribute::new("sex", Role::QuasiIdentifier, sexes),
        Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu"])),
    ];
    let rows = [
        ([0, 0, 0], 2),
        ([1, 0, 1], 1),
        ([3, 0, 1], 1),
        ([4, 0, 0], 2),
        ([0, 1, 0], 1),
        ([2, 1, 1], 2),
        ([4, 1, 0], 1),
    ];
    let table = FrequencyTable::from_tuples(attributes, rows);
    let at = |town: u32, sex: u32| {
        (0..table.tuples()).find(|&at| (table.code(at, 0), table.code(at, 1)) == (town, sex)).unwrap()
    };
    let mut partition = Partition::default();
    partition.push([(at(0, 0), 2), (at(1, 0), 1), (at(3, 0), 1), (at(4, 0), 2)]);
    partition.push([(at(0, 1), 1), (at(2, 1), 2)]);
    partition.withhold([(at(4, 1), 1)]);
    let recoding = Recoding::tightened(&table, &quasi, &partition);
    let child = |truth| NodeChild { taken: false, truth };
    let classes = CoarseClass::of_recoding(&table, &quasi, &recoding);
    // Children stand in the order of the leaves; Zug is one by itself.
    assert_eq!(classes[0], CoarseClass { rows: 6, columns: vec![vec![child(2); 3]], ..CoarseClass::default() });
    assert_eq!(classes[1], CoarseClass { rows: 3, columns: vec![vec![child(1), child(2)]], ..CoarseClass::default() });
    let found = attack(&classes, 3);
    assert_eq!((found.success, found.figure("wrong")), (8.0 / 9.0, Some(0.0)));
    let generalized = Generalized::of_recoding(&table, &quasi, &recoding, 0, (2, &[1]));
    let class = |groups: &[u64], sensitive| Generalized { groups: groups.to_vec(), sensitive };
    assert_eq!(generalized, [class(&[2, 2, 2], 2), class(&[1, 2], 2)]);
    let along_sex = Generalized::of_recoding(&table, &quasi, &recoding, 1, (2, &[1]));
    assert_eq!(along_sex, [class(&[6], 2), class(&[3], 2)]);
}

/// A class at Europe beside one at Germany: were a row of the first a German one, it would have joined the second.
#[test]
fn a_neighbour_of_a_recoding_is_seen() {
    let towns = Dictionary::of_texts(["Bonn", "Graz", "Ulm", "Zug"]);
    let hierarchy = Hierarchy::read("Bonn;Germany;*\nUlm;Germany;*\nGraz;Austria;*\nZug;Switzerland;*\n").unwrap();
    let quasi = [QuasiIdentifier::new(0, &hierarchy, &towns).unwrap()];
    let table = FrequencyTable::from_tuples(
        vec![Attribute::new("town", Role::QuasiIdentifier, towns)],
        [([0], 2), ([1], 1), ([2], 1), ([3], 2)],
    );
    let mut partition = Partition::default();
    partition.push([(0, 2), (2, 1)]);
    partition.push([(1, 1), (3, 2)]);
    let classes = CoarseClass::of_recoding(&table, &quasi, &Recoding::tightened(&table, &quasi, &partition));
    let child = |taken, truth| NodeChild { taken, truth };
    assert_eq!(classes[1].columns, [[child(true, 0), child(false, 1), child(false, 2)]]);
    let found = attack(&classes, 2);
    assert_eq!((found.figure("narrowed"), found.figure("wrong"), found.success), (Some(0.5), Some(0.0), 4.0 / 6.0));
}
