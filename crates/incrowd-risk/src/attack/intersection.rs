//! Intersection: two releases about the same people say more than either.
//!
//! S. R. Ganta, S. P. Kasiviswanathan and A. Smith, "Composition attacks and auxiliary information in data privacy",
//! KDD 2008. Anyone who knows the quasi-identifiers of a person who is in both releases finds a class in each. The
//! person's value is in both classes, so it is one of the values that both have. Each class may be diverse, and the
//! intersection a single value.
//!
//! Success is counted on people who are in both releases. It is *found*, not proved: more can be got out of two
//! releases than the intersection of their values, and what a third one adds is not known. A ledger of releases is the
//! defence.

use incrowd_core::Outcome;

use super::shared::{OtherRelease, Placement, Published, part};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "intersection",
    summary: "An attacker who finds a person in two releases knows that their value is in both classes.",
    needs: AttackNeed::OtherRelease,
    bounded_by: None,
    reference: "S. R. Ganta, S. P. Kasiviswanathan and A. Smith, Composition attacks, KDD 2008",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let truth = material.truth()?;
    let (truth, second) = match (&material.other_release, truth) {
        (OtherRelease::NotGiven, _) => return Err(AttackNeed::OtherRelease.into()),
        (OtherRelease::Placed(second), Some(truth)) => (truth, second),
        _ => return Err(AttackNeed::SameColumns.into()),
    };
    let outcome = of_placements(&truth.placement, second).ok_or(AttackNeed::SameColumns)?;
    Ok(vec![outcome])
}

/// The attack on the people whom two placements of one original put into classes.
fn of_placements(first: &Placement, second: &Placement) -> Option<Outcome> {
    let name = first.published.sensitive().iter().find(|name| second.published.sensitive().contains(name))?;
    let column = |placement: &Placement| placement.published.sensitive().iter().position(|other| other == name);
    let secret = first.table.position(name)?;
    // The same original, so the same tuples when both are about the same columns.
    let names = |placement: &Placement| -> Vec<String> {
        placement.table.attributes().iter().map(|attribute| attribute.name.clone()).collect()
    };
    if names(first) != names(second) {
        return None;
    }
    let mut people = Vec::new();
    for tuple in 0..first.table.tuples() {
        let (mut ones, mut others) = (first.of_tuple[tuple].iter().copied(), second.of_tuple[tuple].iter().copied());
        let (mut one, mut other) = (ones.next(), others.next());
        while let (Some((a, left)), Some((b, right))) = (one, other) {
            let both = left.min(right);
            let value = first.table.code(tuple, secret);
            people.push(SharedPeople { first: a as usize, second: b as usize, value, people: both });
            one = if left > both { Some((a, left - both)) } else { ones.next() };
            other = if right > both { Some((b, right - both)) } else { others.next() };
        }
    }
    Some(attack((&first.published, column(first)?), (&second.published, column(second)?), &people))
}

/// People who are in two releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedPeople {
    /// The number of their class in the first release.
    pub first: usize,
    /// The number of their class in the second.
    pub second: usize,
    /// The code of their true value, for scoring only.
    pub value: u32,
    /// How many there are.
    pub people: u64,
}

/// Runs the attack: the share of the shared people for whom both classes have one value in common, the true one. The
/// baseline is the share of those for whom a class of one release alone has one value, of the release that gives away
/// more. `at_most_2` and `at_most_2_alone` count those for whom two values are left.
///
/// Both releases have the sensitive column at the given position, with the same codes.
///
/// # Panics
/// If a person is in a class that there is not.
pub fn attack(first: (&Published, usize), second: (&Published, usize), people: &[SharedPeople]) -> Outcome {
    let all: u64 = people.iter().map(|shared| shared.people).sum();
    let bags = |shared: &SharedPeople| {
        let bag = |(published, column): (&Published, usize), class: usize| -> Vec<u32> {
            published.classes()[class].bags[column].iter().map(|&(code, _)| code).collect()
        };
        (bag(first, shared.first), bag(second, shared.second))
    };
    // For each share: (left by both, left by the first, left by the second), each true to what the person has.
    let mut pinned = [0u64; 3];
    let mut at_most_2 = [0u64; 3];
    for shared in people {
        let (one, other) = bags(shared);
        let both: Vec<u32> = one.iter().copied().filter(|code| other.binary_search(code).is_ok()).collect();
        for (at, left) in [&both, &one, &other].into_iter().enumerate() {
            let is_true = left.binary_search(&shared.value).is_ok();
            pinned[at] += if is_true && left.len() == 1 { shared.people } else { 0 };
            at_most_2[at] += if is_true && left.len() <= 2 { shared.people } else { 0 };
        }
    }
    let share = |people: u64| people as f64 / all.max(1) as f64;
    let alone = |counts: [u64; 3]| share(counts[1].max(counts[2]));
    let name = &first.0.sensitive()[first.1];
    Outcome::tried(ENTRY.id, name, pinned[0] as f64, alone(pinned), all)
        .with("at_most_2", share(at_most_2[0]))
        .with("at_most_2_alone", alone(at_most_2))
        .with("pinned_first", share(pinned[1]))
        .with("pinned_second", share(pinned[2]))
        .saying(format!(
            "An attacker who finds a person in both releases knows their {name} for {} of the people; from one \
             release alone, for {}.",
            part(share(pinned[0])),
            part(alone(pinned)),
        ))
}

#[cfg(test)]
mod tests {
    use super::super::PublishedClass;
    use super::*;

    fn published(classes: &[&[u32]]) -> Published {
        let class = |(cell, values): (u32, &&[u32])| PublishedClass::of_rows(&[cell], values.len() as u64, &[values]);
        Published::new(vec!["illness".to_owned()], (0..).zip(classes).map(class).collect())
    }

    #[test]
    fn two_diverse_classes_may_have_one_value_in_common() {
        let (first, second) = (published(&[&[1, 2, 3], &[4, 4]]), published(&[&[3, 4, 5], &[1, 2, 4]]));
        let seen = |first, second, value, people| SharedPeople { first, second, value, people };
        let people = [seen(0, 0, 3, 1), seen(0, 1, 1, 2), seen(1, 0, 4, 1)];
        let found = attack((&first, 0), (&second, 0), &people);
        assert_eq!((found.success, found.baseline, found.rows), (0.5, 0.25, 4));
        assert_eq!((found.figure("at_most_2"), found.figure("at_most_2_alone")), (Some(1.0), Some(0.25)));
        assert_eq!((found.figure("pinned_first"), found.figure("pinned_second")), (Some(0.25), Some(0.0)));
    }

    #[test]
    fn what_is_left_but_is_not_true_is_no_success() {
        let (first, second) = (published(&[&[1, 2]]), published(&[&[2, 3]]));
        let person = SharedPeople { first: 0, second: 0, value: 9, people: 1 };
        let found = attack((&first, 0), (&second, 0), &[person]);
        assert_eq!((found.success, found.evidence.name()), (0.0, "not-found"));
        assert_eq!(attack((&first, 0), (&second, 0), &[]).rows, 0);
    }

    #[test]
    fn the_same_release_twice_gives_nothing_more_away() {
        let both = published(&[&[1, 2], &[5, 5]]);
        let seen = |class, value| SharedPeople { first: class, second: class, value, people: 50 };
        let found = attack((&both, 0), (&both, 0), &[seen(0, 1), seen(0, 2), seen(1, 5)]);
        assert_eq!((found.success, found.evidence.name()), (found.baseline, "not-found"));
    }
}
