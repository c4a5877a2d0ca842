//! What a release has to keep, computed from scratch: published cells as plain sets of leaves, counts as plain sums.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_algorithms::Solution;
use incrowd_core::FrequencyTable;

use crate::case::{Case, Cells, Shape};

/// The rows of a class: the tuple's place in the table and how many.
pub(crate) type Class = Vec<(usize, u64)>;
type Leaves = BTreeSet<usize>;

/// The smallest set that the shape allows and that holds these leaves.
fn close(shape: &Shape, leaves: &Leaves) -> Leaves {
    let lines = match &shape.cells {
        Cells::Tree(lines) => lines,
        Cells::Sets => return leaves.clone(),
        Cells::Intervals { missing } => {
            let (first, last) = (*leaves.first().unwrap(), *leaves.last().unwrap());
            let torn = *missing && last == shape.leaves - 1 && first < last;
            return (if torn { 0 } else { first }..=last).collect();
        }
    };
    let holding = (0..lines[0].len()).flat_map(|level| lines.iter().map(move |line| at_level(lines, line, level)));
    holding.filter(|node| node.is_superset(leaves)).min_by_key(BTreeSet::len).unwrap()
}

fn at_level(lines: &[Vec<usize>], line: &[usize], level: usize) -> Leaves {
    (0..lines.len()).filter(|&leaf| lines[leaf][level] == line[level]).collect()
}

/// What a level makes of a leaf.
fn raised(shape: &Shape, leaf: usize, level: usize) -> Leaves {
    match &shape.cells {
        Cells::Tree(lines) => at_level(lines, &lines[leaf], level),
        _ if level == 0 => [leaf].into(),
        _ => (0..shape.leaves).collect(),
    }
}

/// The published cells of a class.
pub(crate) fn cells(
    case: &Case,
    table: &FrequencyTable,
    class: &[(usize, u64)],
    levels: Option<&[usize]>,
) -> Vec<Leaves> {
    let cell = |(at, shape): (usize, &Shape)| {
        let leaf = |tuple: usize| table.code(tuple, at) as usize;
        match levels {
            Some(levels) => raised(shape, leaf(class[0].0), levels[at]),
            None => close(shape, &class.iter().map(|member| leaf(member.0)).collect()),
        }
    };
    case.shapes.iter().enumerate().map(cell).collect()
}

/// The classes as a reader of the release tells them apart.
pub(crate) fn published(case: &Case, table: &FrequencyTable, solution: &Solution) -> Vec<Class> {
    let mut classes: BTreeMap<Vec<Leaves>, Class> = BTreeMap::new();
    for class in solution.partition.classes() {
        classes.entry(cells(case, table, class, solution.levels.as_deref())).or_default().extend(class);
    }
    classes.into_values().collect()
}

/// Whether the release as a whole keeps the policy, which people may break though every class keeps it: a person may be
/// in several classes.
pub(crate) fn keeps_as_whole(
    case: &Case,
    table: &FrequencyTable,
    people: &[Option<u64>],
    whole: &[(usize, u64)],
) -> bool {
    whole.is_empty() || people[0].is_none() || keeps(case, table, people, whole, whole)
}

/// Whether a class keeps the policy, by the definitions, when the whole is published. People are counted once in a
/// class and once for each value that they have there.
pub(crate) fn keeps(
    case: &Case,
    table: &FrequencyTable,
    people: &[Option<u64>],
    class: &[(usize, u64)],
    whole: &[(usize, u64)],
) -> bool {
    let rows: u64 = class.iter().map(|member| member.1).sum();
    let size = match people[0] {
        Some(_) => class.iter().map(|member| people[member.0]).collect::<BTreeSet<_>>().len() as u64,
        None => rows,
    };
    let count = |rows: &[(usize, u64)], attribute: usize, values: &[u32]| -> u64 {
        let column = case.shapes.len() + attribute;
        let members = rows.iter().filter(|member| values.contains(&table.code(member.0, column)));
        match people[0] {
            Some(_) => members.map(|member| people[member.0]).collect::<BTreeSet<_>>().len() as u64,
            None => members.map(|member| member.1).sum(),
        }
    };
    let with = |attribute: usize, values: &[u32]| count(class, attribute, values);
    let allowed = |part: u64, (above, below): (u64, u64), refined: bool| match refined {
        true => part <= (above * size).div_ceil(below),
        false => part * below <= above * size,
    };
    let holds = |share: &crate::case::Share| match &share.values[..] {
        [] => (0..3).all(|value| allowed(with(share.attribute, &[value]), share.alpha, share.refined)),
        values => allowed(with(share.attribute, values), share.alpha, share.refined),
    };
    let counts = |rows: &[(usize, u64)], attribute: usize| [0, 1, 2].map(|value| count(rows, attribute, &[value]));
    let asked = |ask: &crate::asks::Ask| ask.keeps(counts(class, ask.attribute), counts(whole, ask.attribute));
    size >= case.k && case.shares.iter().all(holds) && case.asks.iter().all(asked)
}

/// The person of each tuple of the table, in its order: sorted by codes, then by person.
pub(crate) fn people(case: &Case) -> Vec<Option<u64>> {
    let keys: BTreeSet<(&Vec<u32>, Option<u64>)> =
        case.tuples.iter().map(|tuple| (&tuple.codes, tuple.person)).collect();
    keys.into_iter().map(|(_, person)| person).collect()
}
