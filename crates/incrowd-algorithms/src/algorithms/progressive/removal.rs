//! Lines 6 to 13 of Algorithm 1 of Wong, Li, Fu and Wang, "(α, k)-anonymity", KDD 2006: which rows leave before the
//! rest is generalized.
//!
//! *Trunks* (Def. 8, 9): a class that keeps a bound α on one set of values, with s rows of them, gives all these s rows
//! and as many others as make their share just α. The rest is then no worse off than before. Trunks exist only for
//! policies with one such bound. *Further removal* (Lemma 5): whole classes, the largest first, of together at most as
//! many rows as may leave the rest whichever they are.

use incrowd_core::{BoundedShare, Members, Ratio};

use super::remaining::{Remaining, RemainingClass};
use crate::solver::kinds::Kinds;
use crate::{Budget, Problem};

/// At most this many rows by kind are counted in a round to find out which trunks the rest allows.
const COUNTED: usize = 1 << 26;

pub(super) struct Removal<'a, 't> {
    pub(super) problem: &'a Problem<'t>,
    pub(super) budget: &'a Budget,
    pub(super) kinds: &'a Kinds,
}

/// Rows that could leave a class.
struct Leaving {
    class: usize,
    members: Vec<(usize, u64)>,
    counts: Vec<(usize, u64)>,
}

impl Removal<'_, '_> {
    /// Removes the trunks of all classes that have one, as far as the rest allows it.
    pub(super) fn trunks(&self, remaining: &mut Remaining, out: &mut Vec<Vec<(usize, u64)>>) {
        let Some(share) = self.problem.policy.bounded_share().filter(|_| self.problem.policy.is_alpha_k()) else {
            return;
        };
        let classes = remaining.classes.iter().enumerate().filter(|(_, class)| class.keeps);
        let trunks: Vec<Leaving> = classes.filter_map(|(at, class)| self.trunk(at, class, &share)).collect();
        let mut tests = COUNTED / self.kinds.count().max(1) + 1;
        let mut taken = vec![false; trunks.len()];
        self.take_all(remaining, &trunks, &mut taken, &mut tests);
        let trunks = trunks.into_iter().zip(taken).filter(|(_, taken)| *taken);
        self.remove(remaining, trunks.map(|(trunk, _)| trunk), out);
    }

    /// The trunk of a class that keeps the policy: all its protected rows and as many others as their share needs.
    fn trunk(&self, at: usize, class: &RemainingClass, share: &BoundedShare<'_>) -> Option<Leaving> {
        let code = |tuple: usize| self.problem.table.code(tuple, share.attribute);
        let is_protected = |tuple: usize| share.protected[code(tuple) as usize];
        let protected: u64 = class.counts.iter().filter(|entry| is_protected(entry.0)).map(|entry| entry.1).sum();
        let size = match share.refined {
            _ if protected == 0 => return None,
            true => most_whole(share.alpha, protected)?.min(class.rows),
            false => share.alpha.least_whole(protected)?,
        };
        let mut others = size.checked_sub(protected)?;
        let mut members = Vec::with_capacity(class.members.len());
        for &(tuple, rows) in &class.members {
            let rows = if is_protected(tuple) { rows } else { rows.min(others) };
            others -= if is_protected(tuple) { 0 } else { rows };
            members.extend((rows > 0).then_some((tuple, rows)));
        }
        let counts = self.kinds.count_up(&members);
        self.problem.holds(&counts).then_some(Leaving { class: at, members, counts })
    }

    /// Takes all of these, or each half by itself when the rest does not allow all, and so on.
    fn take_all(&self, remaining: &mut Remaining, leaving: &[Leaving], taken: &mut [bool], tests: &mut usize) {
        if leaving.is_empty() || *tests == 0 || self.budget.is_over() {
            return;
        }
        *tests -= 1;
        leaving.iter().for_each(|one| remaining.take(self.kinds, &one.counts));
        if remaining.is_feasible(self.problem) {
            taken.fill(true);
            return;
        }
        leaving.iter().for_each(|one| remaining.put_back(self.kinds, &one.counts));
        if leaving.len() > 1 {
            let half = leaving.len() / 2;
            let (first, second) = taken.split_at_mut(half);
            self.take_all(remaining, &leaving[..half], first, tests);
            self.take_all(remaining, &leaving[half..], second, tests);
        }
    }

    /// Removes whole classes that keep the policy, the largest first; all of them when all keep it.
    pub(super) fn further(&self, remaining: &mut Remaining, out: &mut Vec<Vec<(usize, u64)>>) {
        let all = remaining.classes.iter().all(|class| class.keeps);
        let mut spare = if all { u64::MAX } else { self.spare(remaining) };
        let mut order: Vec<usize> = (0..remaining.classes.len()).filter(|&at| remaining.classes[at].keeps).collect();
        order.sort_by_key(|&at| (u64::MAX - remaining.classes[at].rows, at));
        loop {
            let before = order.len();
            order.retain(|&at| {
                let class = &mut remaining.classes[at];
                if class.rows > spare {
                    return true;
                }
                spare -= class.rows;
                class.rows = 0;
                out.push(std::mem::take(&mut class.members));
                let counts = std::mem::take(&mut class.counts);
                remaining.take(self.kinds, &counts);
                false
            });
            if order.is_empty() || order.len() == before || self.budget.is_over() {
                break;
            }
            // Classes that left may have taken protected rows with them: the bound is looked at again.
            spare = self.spare(remaining);
        }
        remaining.classes.retain(|class| class.rows > 0);
    }

    /// How many rows may leave the rest, whichever they are.
    fn spare(&self, remaining: &Remaining) -> u64 {
        self.problem.policy.spare(&Members::new(self.problem.table, &remaining.whole()))
    }

    /// Moves rows that are counted as taken out of their classes.
    fn remove(
        &self,
        remaining: &mut Remaining,
        leaving: impl Iterator<Item = Leaving>,
        out: &mut Vec<Vec<(usize, u64)>>,
    ) {
        for one in leaving {
            let class = &mut remaining.classes[one.class];
            let mut gone = one.members.iter().peekable();
            for member in &mut class.members {
                member.1 -= gone.next_if(|next| next.0 == member.0).map_or(0, |next| next.1);
            }
            class.members.retain(|member| member.1 > 0);
            *class = RemainingClass::new(self.problem, self.kinds, std::mem::take(&mut class.members));
            out.push(one.members);
        }
        remaining.classes.retain(|class| class.rows > 0);
    }
}

/// ⌊part / share⌋; nothing for a share of 0.
fn most_whole(share: Ratio, part: u64) -> Option<u64> {
    let whole = (u128::from(part) * u128::from(share.denominator())).checked_div(u128::from(share.numerator()))?;
    Some(u64::try_from(whole).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Attribute, Dictionary, Distortion, FrequencyTable, Hierarchy, Policy, QuasiIdentifier, Role};

    use super::*;
    use crate::solver::levels::LevelNodes;

    /// Rows of (postcode, protected or not) with their number, at α = 1/2 and k = 2; what the trunks take, what
    /// remains, and how many rows may be removed further.
    fn removed(rows: &[(&str, bool, u64)], refined: bool) -> (Vec<Vec<(usize, u64)>>, u64, u64) {
        let postcodes = Dictionary::of_texts(rows.iter().map(|row| row.0));
        let hierarchy = Hierarchy::prefix(&postcodes, None).unwrap();
        let quasi = [QuasiIdentifier::new(0, &hierarchy, &postcodes).unwrap()];
        let code = |postcode: &str| postcodes.code(postcode).unwrap();
        let tuples: Vec<_> = rows.iter().map(|row| ([code(row.0), u32::from(!row.1)], row.2)).collect();
        let attributes = vec![
            Attribute::new("postcode", Role::QuasiIdentifier, postcodes.clone()),
            Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["c", "n"])),
        ];
        let table = FrequencyTable::from_tuples(attributes, tuples);
        let policy = Policy::k_anonymity(2).deassociating("illness", Ratio::new(1, 2).unwrap(), &["c"], refined);
        let problem = Problem::new(&table, &quasi, &policy, &Distortion, 1).unwrap();
        let (levels, kinds) = (LevelNodes::new(&problem), Kinds::new(&problem));
        let all = (0..table.tuples()).map(|tuple| (tuple, table.count(tuple))).collect();
        let mut remaining = Remaining::new(&problem, &levels, &kinds, all);
        let removal = Removal { problem: &problem, budget: &Budget::default(), kinds: &kinds };
        let mut out = Vec::new();
        removal.trunks(&mut remaining, &mut out);
        (out, remaining.rows(), removal.spare(&remaining))
    }

    /// Definitions 8 and 9: of 7 rows with 2 protected ones the trunk has 4 rows, the stub 3 without any.
    #[test]
    fn a_trunk_has_all_protected_rows_and_the_stub_none() {
        for refined in [false, true] {
            let (trunks, stub, spare) = removed(&[("x", true, 2), ("x", false, 5)], refined);
            assert_eq!((trunks, stub, spare), (vec![vec![(0, 2), (1, 2)]], 3, 1));
        }
    }

    /// Table 10: a pair leaves as a trunk; of the other four rows two may be removed further.
    #[test]
    fn the_bound_of_the_papers_table_10_is_met() {
        let rows = [("4351", true, 1), ("4351", false, 2), ("4352", false, 1), ("4363", false, 1), ("4374", true, 1)];
        let (trunks, remaining, spare) = removed(&rows, false);
        assert_eq!((trunks, remaining, spare), (vec![vec![(0, 1), (1, 1)]], 4, 2));
    }

    #[test]
    fn a_trunk_that_would_strand_a_row_stays() {
        let (trunks, remaining, _) = removed(&[("x", true, 1), ("x", false, 1), ("y", false, 1)], false);
        assert_eq!((trunks.len(), remaining), (0, 3));
    }
}
