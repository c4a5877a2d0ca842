//! Downcoding: undoing generalization, because a release that loses as little as possible shows where it could not lose
//! less.
//!
//! A. Cohen, "Attacks on deidentification's defenses", USENIX Security 2022. A release by hierarchical local recoding
//! is *minimal* when no cells of any rows can be made more precise so that every class still has k rows. Its reader may
//! then strike out every table for which they could. Here is the part of it that can be reasoned out soundly, one class
//! and one column at a time.
//!
//! A class has n ≥ k rows, and in one column a node with some children; n₁, n₂, … of its rows belong below each, which
//! no one publishes. A child is *taken* when the release has a class that differs by this child only; rows could join
//! it. Rows could be made more precise when some of them, not none, go to their children so that each child that is
//! gone to is taken or gets k rows, and none or at least k rows stay. If that is possible, then by one
//! of these, so in a minimal release
//!
//! 1. for n > k no row belongs to a taken child: it would have gone there alone;
//! 2. for n ≥ 2k every child has fewer than k rows: k of them would have gone;
//! 3. some child has rows, fewer than k, and is not taken: otherwise all rows would have gone.
//!
//! From these follow the least and the most rows of every child. Three children, k = 3 and n = 6: two rows belong to
//! each, for certain. Rows of a class are alike, so to *refine* rows means to say for a number of them to which child
//! they belong: as many as the least numbers add up to. `narrowed` counts rows of classes that have a child to which
//! none of them can belong.
//!
//! A set or an interval from the least to the greatest value of a class says more, and needs no minimality: every value
//! of the set, and both ends of the interval, are those of a person in the class. For each of them one row is refined.
//!
//! **What this is not.** Cohen's attacker looks at all columns of a row at once and knows the distribution, which
//! refines more; so what is not found here may be possible. And nothing follows for a release that is not minimal: its
//! `wrong` statements are counted, and classes that no minimal release can have (`not_minimal`). It is *found* when
//! 95 % of the statements are true, because only then would an attacker believe them.

mod bounds;
mod classes;

use incrowd_core::Outcome;

use super::shared::part;
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};

use bounds::{ChildBounds, bounds};
pub use classes::{CoarseClass, NodeChild};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "downcoding",
    summary: "An attacker who knows that the loss is minimal infers more precise cells.",
    needs: AttackNeed::Original,
    bounded_by: None,
    reference: "A. Cohen, Attacks on deidentification's defenses, USENIX Security 2022",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let truth = material.truth_of_one_table()?;
    Ok(vec![attack(&CoarseClass::of_truth(truth), material.k())])
}

/// Statements are believed when at least this share of them is true.
const BELIEVED: f64 = 0.95;

/// Runs the attack: the share of the rows for which it is said, and is true, to which child they belong; of each class
/// the column that says most. The baseline is 0: a node alone says nothing about its children.
pub fn attack(classes: &[CoarseClass], k: u64) -> Outcome {
    let rows: u64 = classes.iter().map(|class| class.rows).sum();
    let (mut right, mut wrong, mut narrowed, mut not_minimal) = (0, 0, 0, 0);
    for class in classes {
        let deduced = Deduced::of(class, k);
        not_minimal += if deduced.is_minimal { 0 } else { class.rows };
        narrowed += if deduced.is_narrowed { class.rows } else { 0 };
        if let Some(Statement { rows, is_true }) = deduced.best {
            *(if is_true { &mut right } else { &mut wrong }) += rows;
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
            "An attacker who assumes that the release is as precise as possible infers the right child of a cell \
             for {} of the rows and a wrong one for {}.",
            part(share(right)),
            part(share(wrong)),
        ))
}

/// For how many rows of a class it is said to which child they belong, and whether it is true.
#[derive(Clone, Copy)]
struct Statement {
    rows: u64,
    is_true: bool,
}

/// What is worked out about one class.
struct Deduced {
    /// Whether a minimal release can have the class.
    is_minimal: bool,
    /// Whether some child has none of its rows.
    is_narrowed: bool,
    /// What is said by the column that says most; of columns that say equally much by the first.
    best: Option<Statement>,
}

impl Deduced {
    fn of(class: &CoarseClass, k: u64) -> Deduced {
        let deduced: Vec<(&Vec<NodeChild>, Option<Vec<ChildBounds>>)> =
            class.columns.iter().map(|children| (children, bounds(class.rows, k, children))).collect();
        // The values that a label names are those of a person in the class, whether the release is minimal or not.
        let named = class
            .members
            .iter()
            .map(|members| Statement { rows: members.len() as u64, is_true: members.iter().all(|&rows| rows > 0) });
        let is_minimal = class.rows < k || deduced.iter().all(|(_, bounds)| bounds.is_some());
        let known = deduced.into_iter().filter_map(|(children, bounds)| Some((children, bounds?)));
        let known: Vec<(&Vec<NodeChild>, Vec<ChildBounds>)> = known.filter(|_| is_minimal).collect();
        let is_narrowed = known.iter().any(|(_, bounds)| bounds.iter().any(|bounds| bounds.most == 0));
        let of_children = known.iter().map(|(children, bounds)| Statement {
            rows: bounds.iter().map(|bounds| bounds.least).sum(),
            is_true: children.iter().zip(bounds).all(|(child, bounds)| child.truth >= bounds.least),
        });
        let best = named.chain(of_children).reduce(|best, next| if next.rows > best.rows { next } else { best });
        Deduced { is_minimal, is_narrowed, best }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Node "Europe" with three countries, six rows in one class, k = 3: were three rows of one country, they would be
    /// told.
    #[test]
    fn a_class_of_the_most_rows_that_cannot_part_is_refined_completely() {
        let child = |truth| NodeChild { taken: false, truth };
        let class = CoarseClass { rows: 6, columns: vec![vec![child(2); 3]], ..CoarseClass::default() };
        let told = CoarseClass { rows: 6, columns: vec![], ..CoarseClass::default() };
        let found = attack(&[class, told], 3);
        assert_eq!((found.success, found.baseline, found.figure("wrong")), (0.5, 0.0, Some(0.0)));
        assert_eq!(found.evidence.name(), "found");
    }

    #[test]
    fn a_release_that_is_not_minimal_is_not_believed() {
        let child = |truth| NodeChild { taken: false, truth };
        let one_sided = CoarseClass { rows: 6, columns: vec![[6, 0, 0].map(child).to_vec()], ..CoarseClass::default() };
        let found = attack(&[one_sided], 3);
        assert_eq!((found.success, found.figure("wrong"), found.evidence.name()), (0.0, Some(1.0), "not-found"));
        // Of eight rows and two children one child has three.
        let large = CoarseClass { rows: 8, columns: vec![[4, 4].map(child).to_vec()], ..CoarseClass::default() };
        let found = attack(&[large], 3);
        assert_eq!((found.success, found.figure("not_minimal")), (0.0, Some(1.0)));
    }

    #[test]
    fn the_values_of_a_set_and_the_ends_of_an_interval_occur_in_the_class() {
        let set = CoarseClass { rows: 5, members: vec![vec![1, 3, 1], vec![2, 2]], ..CoarseClass::default() };
        let found = attack(std::slice::from_ref(&set), 5);
        assert_eq!((found.success, found.figure("wrong"), found.evidence.name()), (0.6, Some(0.0), "found"));
        let wrong = CoarseClass { members: vec![vec![4, 1, 0]], ..set };
        assert_eq!(attack(&[wrong], 5).figure("wrong"), Some(0.6));
    }

    #[test]
    fn a_neighbour_narrows_a_cell() {
        let child = |taken, truth| NodeChild { taken, truth };
        let class = CoarseClass {
            rows: 4,
            columns: vec![vec![child(true, 0), child(false, 1), child(false, 3)]],
            ..CoarseClass::default()
        };
        let found = attack(&[class], 3);
        assert_eq!((found.success, found.figure("narrowed")), (0.5, Some(1.0)));
    }
}
