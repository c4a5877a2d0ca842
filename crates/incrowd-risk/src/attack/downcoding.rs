//! Downcoding: undoing generalization, because a release that loses as little as possible shows where it could not lose
//! less.
//!
//! A. Cohen, "Attacks on deidentification's defenses", USENIX Security 2022. A release by hierarchical local recoding
//! is *minimal* when no cells of any rows can be made more precise so that every class still has k rows. Its reader may
//! then strike out every table for which they could. Here is the part of it that can be reasoned out soundly, one class
//! and one column at a time.
//!
//! A class has n ≥ k rows, and in one column a node with some children; n₁, n₂, … of its rows belong below each, which
//! nobody publishes. A child is *taken* when the release has a class that differs by this child only; rows could join
//! it. Rows could be made more precise when some of them, not none, go to their children so that each child that is
//! gone to is taken or gets k rows, and none or at least k rows stay. If that is possible at all, then already by one
//! of these, so in a minimal release
//!
//! 1. for n > k no row belongs to a taken child: it would have gone there alone;
//! 2. for n ≥ 2k every child has fewer than k rows: k of them would have gone;
//! 3. some child has rows, fewer than k, and is not taken: otherwise all rows would have gone.
//!
//! From these follow the least and the most rows of every child. Three children, k = 3 and n = 6: two rows belong to
//! each, for certain. Rows of a class are alike, so to *refine* rows means to say for so many of them to which child
//! they belong: as many as the least numbers add up to. `narrowed` counts rows of classes that have a child to which
//! none of them can belong.
//!
//! A set or an interval from the least to the greatest value of a class says more, and needs no minimality: every value
//! of the set, and both ends of the interval, are those of somebody in the class. For each of them one row is refined.
//!
//! **What this is not.** Cohen's adversary looks at all columns of a row at once and knows the distribution, which
//! refines more; so what is not found here may be possible. And nothing follows for a release that is not minimal: its
//! `wrong` statements are counted, and classes that no minimal release can have (`not_minimal`). It is *found* when
//! 95 % of the statements are true, because only then would an adversary believe them.

use std::collections::BTreeSet;

use incrowd_core::{Cell, FrequencyTable, Outcome, QuasiIdentifier, Recoding};

use super::shared::{named, part, spread};
use super::{AttackEntry, ORIGINAL};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "downcoding",
    summary: "Who knows that a release loses as little as possible works out how generalized rows must be spread.",
    needs: ORIGINAL,
    reference: "A. Cohen, Attacks on deidentification's defenses, USENIX Security 2022",
};

/// Statements are believed when at least this share of them is true.
const BELIEVED: f64 = 0.95;

/// A class of a release with the columns in which it is generalized.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coarse {
    /// How many rows are in the class.
    pub rows: u64,
    /// For each generalized column all children of its node.
    pub columns: Vec<Vec<Child>>,
    /// For each column that is published as a set or an interval without a hierarchy: the values that its label names
    /// as those of somebody in the class, each with the rows that have it, for scoring only.
    pub members: Vec<Vec<u64>>,
}

/// A child of a generalized cell's node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// Whether the release has a class that differs from this one by this child only.
    pub taken: bool,
    /// How many rows of the class belong to it, for scoring only.
    pub truth: u64,
}

impl Coarse {
    /// The classes of a release that was recoded along hierarchies, or by sets and intervals. Classes that publish
    /// alike must have been merged, as solvers do.
    pub fn of_recoding(
        table: &FrequencyTable,
        quasi_identifiers: &[QuasiIdentifier],
        recoding: &Recoding,
    ) -> Vec<Self> {
        let published: BTreeSet<&[Cell]> = (0..recoding.classes() as u32).map(|class| recoding.cells(class)).collect();
        let mut classes = vec![Coarse::default(); recoding.classes()];
        for tuple in 0..table.tuples() {
            let kept = recoding.targets(tuple).iter().filter(|&&(class, _)| class != Recoding::WITHHELD);
            kept.for_each(|&(class, rows)| classes[class as usize].rows += rows);
        }
        for at in 0..quasi_identifiers.len() {
            for (class, members) in named(table, quasi_identifiers, recoding, at) {
                classes[class as usize].members.push(members);
            }
            for (class, children) in (0..).zip(spread(table, quasi_identifiers, recoding, at)) {
                let child = |(cell, truth): (Cell, u64)| {
                    let mut neighbour = recoding.cells(class).to_vec();
                    neighbour[at] = cell;
                    Child { taken: published.contains(neighbour.as_slice()), truth }
                };
                let children = children.map(|children| children.into_iter().map(child).collect());
                classes[class as usize].columns.extend(children);
            }
        }
        classes
    }
}

/// Runs the attack: the share of the rows for which it is said, and is true, to which child they belong; of each class
/// the column that says most. The baseline is 0: a node by itself says nothing about its children.
pub fn attack(classes: &[Coarse], k: u64) -> Outcome {
    let rows: u64 = classes.iter().map(|class| class.rows).sum();
    let (mut right, mut wrong, mut narrowed, mut not_minimal) = (0, 0, 0, 0);
    for class in classes {
        let deduced: Vec<(&Vec<Child>, Option<Vec<Bounds>>)> =
            class.columns.iter().map(|children| (children, bounds(class.rows, k, children))).collect();
        // Whom a label names is in the class, whether the release is minimal or not.
        let named = class.members.iter().map(|members| (members.len() as u64, members.iter().all(|&rows| rows > 0)));
        let named = named.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let is_minimal = class.rows < k || deduced.iter().all(|(_, bounds)| bounds.is_some());
        not_minimal += if is_minimal { 0 } else { class.rows };
        let known = deduced.into_iter().filter_map(|(children, bounds)| Some((children, bounds?)));
        let known: Vec<(&Vec<Child>, Vec<Bounds>)> = known.filter(|_| is_minimal).collect();
        if known.iter().any(|(_, bounds)| bounds.iter().any(|bounds| bounds.most == 0)) {
            narrowed += class.rows;
        }
        let said = |bounds: &[Bounds]| bounds.iter().map(|bounds| bounds.least).sum::<u64>();
        // Of columns that say equally much the first.
        let best = known.iter().reduce(|best, next| if said(&next.1) > said(&best.1) { next } else { best });
        let of_children = best.map(|(children, bounds)| {
            let is_true = children.iter().zip(bounds).all(|(child, bounds)| child.truth >= bounds.least);
            (said(bounds), is_true)
        });
        let best = named.into_iter().chain(of_children).reduce(|best, next| if next.0 > best.0 { next } else { best });
        if let Some((said, is_true)) = best {
            *(if is_true { &mut right } else { &mut wrong }) += said;
        }
    }
    let share = |some: u64| some as f64 / rows.max(1) as f64;
    let outcome = Outcome::tried(ENTRY.id, "", right as f64, 0.0, rows);
    let believed = right as f64 >= BELIEVED * (right + wrong) as f64;
    let found = outcome.low > outcome.baseline && believed;
    outcome
        .with("narrowed", share(narrowed))
        .with("wrong", share(wrong))
        .with("not_minimal", share(not_minimal))
        .found(found)
        .saying(format!(
            "Who takes the release to be as precise as it can be works out a more precise cell for {} of the rows; \
             for {} it would be a wrong one.",
            part(share(right)),
            part(share(wrong)),
        ))
}

/// How many rows of a class may belong to a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    least: u64,
    most: u64,
}

/// How many rows of a class may belong to each child in a minimal release; nothing when no minimal release has such a
/// class, or when the class has fewer than k rows, of which nothing is known.
fn bounds(rows: u64, k: u64, children: &[Child]) -> Option<Vec<Bounds>> {
    let k = k.max(1);
    if rows < k {
        return None;
    }
    let free = children.iter().filter(|child| !child.taken).count() as u64;
    let taken = children.len() as u64 - free;
    let none = Bounds { least: 0, most: 0 };
    let of = |free: Bounds, taken: Bounds| {
        Some(children.iter().map(|child| if child.taken { taken } else { free }).collect())
    };
    if rows >= 2 * k {
        // The others can take k − 1 each.
        let rest = free.checked_sub(1)? * (k - 1);
        let least = rows.saturating_sub(rest);
        return if least < k { of(Bounds { least, most: k - 1 }, none) } else { None };
    }
    if rows > k {
        // Not all below one child.
        let least = u64::from(free == 2);
        return if free >= 2 { of(Bounds { least, most: rows - 1 }, none) } else { None };
    }
    // Not all below one child, and one at least below a child that is not taken.
    let most = rows.saturating_sub(1);
    match (free, taken) {
        _ if rows < 2 => None,
        (0, _) | (_, 0) if free < 2 => None,
        (1, 1) | (2, 0) => of(Bounds { least: 1, most }, Bounds { least: 1, most }),
        (1, _) => of(Bounds { least: 1, most }, Bounds { least: 0, most }),
        _ => of(Bounds { least: 0, most }, Bounds { least: 0, most }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn children(taken: &[bool]) -> Vec<Child> {
        taken.iter().map(|&taken| Child { taken, truth: 0 }).collect()
    }

    /// All ways to write a number as a sum of so many.
    fn sums(total: u64, parts: usize) -> Vec<Vec<u64>> {
        match parts {
            0 => (total == 0).then(Vec::new).into_iter().collect(),
            _ => (0..=total)
                .flat_map(|first| {
                    sums(total - first, parts - 1).into_iter().map(move |rest| [vec![first], rest].concat())
                })
                .collect(),
        }
    }

    /// Whether some rows can go to their children, as the definition says it.
    fn can_be_refined(spread: &[u64], k: u64, children: &[Child]) -> bool {
        let rows: u64 = spread.iter().sum();
        (1..=rows).flat_map(|gone| sums(gone, spread.len())).any(|gone| {
            let stay = rows - gone.iter().sum::<u64>();
            let each =
                |((&gone, &own), child): ((&u64, &u64), &Child)| gone <= own && (gone == 0 || gone >= k || child.taken);
            (stay == 0 || stay >= k) && gone.iter().zip(spread).zip(children).all(each)
        })
    }

    #[test]
    fn the_bounds_are_those_of_all_spreads_that_cannot_be_refined() {
        for (parts, k) in (1..=4).flat_map(|parts| (1..=3).map(move |k| (parts, k))) {
            for (rows, taken) in (k..=3 * k + 1).flat_map(|rows| (0..1 << parts).map(move |taken| (rows, taken))) {
                let children = children(&(0..parts).map(|at| taken >> at & 1 == 1).collect::<Vec<_>>());
                let possible: Vec<Vec<u64>> = sums(rows, parts as usize)
                    .into_iter()
                    .filter(|spread| !can_be_refined(spread, k, &children))
                    .collect();
                let bound = |at: usize| {
                    let of = || possible.iter().map(|spread| spread[at]);
                    Some(Bounds { least: of().min()?, most: of().max()? })
                };
                let expected: Option<Vec<Bounds>> = (0..parts as usize).map(bound).collect();
                assert_eq!(bounds(rows, k, &children), expected, "{rows} rows, k = {k}, {children:?}");
            }
        }
    }

    /// Node "Europe" with three countries, six rows in one class, k = 3: were three rows of one country, they would be
    /// told.
    #[test]
    fn a_class_of_the_most_rows_that_cannot_part_is_refined_completely() {
        let child = |truth| Child { taken: false, truth };
        let class = Coarse { rows: 6, columns: vec![vec![child(2); 3]], ..Coarse::default() };
        let told = Coarse { rows: 6, columns: vec![], ..Coarse::default() };
        let found = attack(&[class, told], 3);
        assert_eq!((found.success, found.baseline, found.figure("wrong")), (0.5, 0.0, Some(0.0)));
        assert_eq!(found.evidence.name(), "found");
    }

    #[test]
    fn a_release_that_is_not_minimal_is_not_believed() {
        let child = |truth| Child { taken: false, truth };
        let one_sided = Coarse { rows: 6, columns: vec![[6, 0, 0].map(child).to_vec()], ..Coarse::default() };
        let found = attack(&[one_sided], 3);
        assert_eq!((found.success, found.figure("wrong"), found.evidence.name()), (0.0, Some(1.0), "not-found"));
        // Of eight rows and two children one child has three.
        let large = Coarse { rows: 8, columns: vec![[4, 4].map(child).to_vec()], ..Coarse::default() };
        let found = attack(&[large], 3);
        assert_eq!((found.success, found.figure("not_minimal")), (0.0, Some(1.0)));
    }

    #[test]
    fn the_values_that_a_set_or_the_ends_of_an_interval_name_are_those_of_somebody() {
        let set = Coarse { rows: 5, members: vec![vec![1, 3, 1], vec![2, 2]], ..Coarse::default() };
        let found = attack(std::slice::from_ref(&set), 5);
        assert_eq!((found.success, found.figure("wrong"), found.evidence.name()), (0.6, Some(0.0), "found"));
        let wrong = Coarse { members: vec![vec![4, 1, 0]], ..set };
        assert_eq!(attack(&[wrong], 5).figure("wrong"), Some(0.6));
    }

    #[test]
    fn a_neighbour_narrows_a_cell() {
        let child = |taken, truth| Child { taken, truth };
        let class = Coarse {
            rows: 4,
            columns: vec![vec![child(true, 0), child(false, 1), child(false, 3)]],
            ..Coarse::default()
        };
        let found = attack(&[class], 3);
        assert_eq!((found.success, found.figure("narrowed")), (0.5, Some(1.0)));
    }
}
