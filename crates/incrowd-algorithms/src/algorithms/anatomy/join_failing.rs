//! Classes and rows that fail are joined until the policy is kept.
//!
//! [`settle`](crate::solver::settle) can do that for a few of them: it looks for the best partner among all classes.
//! Here are many, and it does not matter which rows are together. So what fails is joined with whatever comes next, as
//! long as that brings it nearer to the policy. What is left joins a class that can take it, or takes in classes until
//! it holds.

use incrowd_core::Stopped;

use crate::solver::ClassMembers;
use crate::solver::donors::KindRows;
use crate::solver::kinds::Kinds;
use crate::solver::random::SplitMix64;
use crate::solver::start::add_up;
use crate::{Budget, Problem};

/// Number of refusals in a row after which something is given up for now.
const PATIENCE: usize = 64;
/// Number of classes that are tried as hosts.
const ASKED: usize = 16;
/// Maximum number of passes in which failing classes are joined with each other.
const PASSES: usize = 16;
/// Maximum number of pairs of failing and other classes that are left to be compared with each other.
const FEW: usize = 1 << 21;

/// What is needed to judge.
struct Mending<'a, 't> {
    problem: &'a Problem<'t>,
    budget: &'a Budget,
    kinds: Kinds,
}

/// Things that are joined and do not keep the policy yet.
#[derive(Default)]
struct GrowingClass {
    parts: Vec<ClassMembers>,
    pile: KindRows,
    gap: u64,
    refused: usize,
}

/// Classes that hold and those that fail as classes that hold, but for a few that fail still.
pub(super) fn join_failing(
    problem: &Problem<'_>,
    budget: &Budget,
    mut classes: Vec<ClassMembers>,
    mut fail: Vec<ClassMembers>,
    draw: &mut SplitMix64,
) -> Result<Vec<ClassMembers>, Stopped> {
    if fail.is_empty() {
        return Ok(classes);
    }
    let mending = Mending { problem, budget, kinds: Kinds::new(problem) };
    draw.shuffle(&mut fail);
    // First with what brings it nearer; when that no longer helps many, with what does no harm.
    let mut patient = false;
    for _ in 0..PASSES {
        if budget.is_over() {
            break;
        }
        let before = fail.len();
        fail = mending.pass(fail, patient, &mut classes)?;
        if fail.len() + before.div_ceil(16) > before && std::mem::replace(&mut patient, true) {
            break;
        }
    }
    fail = mending.hosted(fail, &mut classes)?;
    fail = mending.fed(fail, &mut classes, draw)?;
    if !fail.is_empty() && (fail.len().saturating_mul(classes.len()) > FEW || budget.was_late()) {
        fail = vec![mending.flooded(fail.concat(), &mut classes)?];
    }
    classes.extend(fail);
    Ok(classes)
}

impl Mending<'_, '_> {
    fn with(&self, pile: &KindRows, class: &[(usize, u64)]) -> KindRows {
        let mut with = pile.clone();
        with.extend(self.kinds.count_up(class).into_iter());
        with
    }

    /// Joins one after the other as long as the gap falls, or does not grow; adds classes that hold, and returns the
    /// rest.
    fn pass(
        &self,
        parts: Vec<ClassMembers>,
        patient: bool,
        classes: &mut Vec<ClassMembers>,
    ) -> Result<Vec<ClassMembers>, Stopped> {
        let (mut rest, mut open, mut parts) = (Vec::new(), GrowingClass::default(), parts.into_iter());
        loop {
            self.budget.check()?;
            if self.budget.is_over() {
                rest.extend(open.parts.into_iter().chain(parts));
                return Ok(rest);
            }
            // Several at once when many are joined already, so that judging them stays linear.
            let next: Vec<ClassMembers> = parts.by_ref().take(1 + open.parts.len() / 8).collect();
            if next.is_empty() {
                rest.extend(open.parts);
                return Ok(rest);
            }
            let pile = self.with(&open.pile, &next.concat());
            let gap = self.problem.gap(pile.rows());
            if open.parts.is_empty() || gap < open.gap || (patient && gap == open.gap) {
                open.parts.extend(next);
                open = GrowingClass { pile, gap, refused: 0, parts: open.parts };
            } else {
                open.refused += 1;
                rest.extend(next);
            }
            if open.gap == 0 {
                classes.push(std::mem::take(&mut open).parts.concat());
            } else if open.refused > PATIENCE {
                rest.extend(std::mem::take(&mut open).parts);
            }
        }
    }

    /// Puts what fails into classes that hold with it; returns what found none.
    fn hosted(&self, parts: Vec<ClassMembers>, classes: &mut [ClassMembers]) -> Result<Vec<ClassMembers>, Stopped> {
        let (mut refused, mut next) = (Vec::new(), 0);
        for part in parts {
            self.budget.check()?;
            if self.budget.is_over() {
                refused.push(part);
                continue;
            }
            let asked = ASKED.min(classes.len());
            let takes = |at: &usize| self.problem.holds(&[&classes[*at][..], &part].concat());
            let host = (0..asked).map(|step| (next + step) % classes.len()).find(takes);
            next = host.map_or(next + asked, |at| at + 1);
            match host {
                Some(at) => classes[at].extend(part),
                None => refused.push(part),
            }
        }
        Ok(refused)
    }

    /// Lets what fails take in classes until it holds; returns what does not.
    fn fed(
        &self,
        parts: Vec<ClassMembers>,
        classes: &mut Vec<ClassMembers>,
        draw: &mut SplitMix64,
    ) -> Result<Vec<ClassMembers>, Stopped> {
        let mut hungry = Vec::new();
        for part in parts {
            if self.budget.is_over() {
                hungry.push(part);
                continue;
            }
            let mut pile = self.with(&KindRows::default(), &part);
            let (mut gap, mut eaten) = (self.problem.gap(pile.rows()), Vec::new());
            for _ in 0..PATIENCE {
                self.budget.check()?;
                if gap == 0 || classes.is_empty() {
                    break;
                }
                let at = draw.below(classes.len());
                let with = self.with(&pile, &classes[at]);
                let nearer = self.problem.gap(with.rows());
                if nearer <= gap {
                    (pile, gap) = (with, nearer);
                    eaten.push(classes.swap_remove(at));
                }
            }
            if gap == 0 {
                classes.push([part, eaten.concat()].concat());
            } else {
                classes.extend(eaten);
                hungry.push(part);
            }
        }
        Ok(hungry)
    }

    /// Takes in classes, as many again as before each time, until these rows hold. At worst all: they hold together.
    fn flooded(&self, mut rows: ClassMembers, classes: &mut Vec<ClassMembers>) -> Result<ClassMembers, Stopped> {
        let mut next = 1;
        add_up(&mut rows);
        while !classes.is_empty() && !self.problem.holds(&rows) {
            self.budget.check()?;
            rows.extend(classes.drain(classes.len().saturating_sub(next)..).flatten());
            add_up(&mut rows);
            next *= 2;
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Attribute, Dictionary, FrequencyTable, Lm, Policy, QuasiIdentifier, Role};

    use super::*;

    /// Two rows of five have the protected value, which half of the rows of a class may have.
    fn mended(how: impl FnOnce(&Mending<'_, '_>) -> Vec<ClassMembers>) -> Vec<ClassMembers> {
        let towns = Dictionary::of_texts(["Ulm", "Wien"]);
        let quasi = [QuasiIdentifier::sets(0, &towns).unwrap()];
        let town = Attribute::new("town", Role::QuasiIdentifier, towns);
        let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["flu", "hiv"]));
        let table = FrequencyTable::from_tuples(vec![town, illness], [([0, 0], 6), ([0, 1], 4)]);
        let policy = Policy::k_anonymity(2).deassociating("illness", "0.5".parse().unwrap(), &["hiv"], false);
        let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
        let budget = Budget::default();
        let classes = how(&Mending { problem: &problem, budget: &budget, kinds: Kinds::new(&problem) });
        assert!(classes.iter().all(|class| problem.holds(class)));
        assert_eq!(classes.iter().flatten().map(|member| member.1).sum::<u64>(), 10);
        classes
    }

    /// The first ill row takes a healthy one; then healthy rows make pairs, and the ill rows that are left join those.
    #[test]
    fn what_fails_is_joined_with_what_it_lacks_or_finds_a_host() {
        let made = mended(|mending| {
            let (mut classes, fail) = (Vec::new(), [vec![vec![(1, 1)]; 4], vec![vec![(0, 1)]; 6]].concat());
            let left = mending.pass(fail, false, &mut classes).unwrap();
            assert_eq!((classes.len(), left.len()), (3, 4));
            let left = mending.pass(left, false, &mut classes).unwrap();
            assert_eq!(left, vec![vec![(1, 1)]; 2]);
            assert!(mending.hosted(left, &mut classes).unwrap().is_empty());
            classes
        });
        assert_eq!(made.len(), 4);
    }

    #[test]
    fn what_fails_takes_in_classes_until_it_holds() {
        let few = vec![vec![(0, 3)], vec![(0, 3)]];
        mended(|mending| {
            let mut classes = few.clone();
            let hungry = mending.fed(vec![vec![(1, 2)], vec![(1, 2)]], &mut classes, &mut SplitMix64::new(1)).unwrap();
            assert!(hungry.is_empty());
            classes
        });
        let flooded = mended(|mending| {
            let mut classes = few;
            let rows = mending.flooded(vec![(1, 2), (1, 2)], &mut classes).unwrap();
            assert!(classes.is_empty());
            vec![rows]
        });
        assert_eq!(flooded, [[(0, 6), (1, 4)]]);
    }
}
