//! ℓ-diversifying: the classes of any partition are merged until all of them keep the policy.
//!
//! Algorithm 8 of Kenig and Tassa, "A practical approximation algorithm for optimal k-anonymity", DMKD 2012, section
//! 6.2, for any policy. The class furthest from the policy is merged with the one for which this cost is least
//! (equation 11):
//!
//! > cost(C, C′) = w · (|C ∪ C′|·d(C ∪ C′) − |C|·d(C) − |C′|·d(C′)) + (1 − w) · gap(C ∪ C′)
//!
//! with d what a row loses as a share of what `*` in every cell loses, which for LM is the paper's mean, and *gap* the
//! rows that the union still lacks, where the paper has the missing diversity ℓ − div. So both terms count rows,
//! whatever the measure: at w = ½ a row that is lacking weighs as much as a row that loses everything. **w is not
//! scale-free** all the same: what is lost grows with the rows of both classes, what is lacking does not.
//!
//! Many classes that lack a little want a large weight, a few that lack much a small one. The paper's own is the
//! default.
//!
//! Where the paper is silent: a class is what the published table shows, so classes that publish alike are one from the
//! beginning and after every merge, unless an id tells them apart. A model that does not survive merging may break in a
//! class that kept it; then that class has a gap again, and is merged too. Every step leaves fewer classes, so it ends:
//! with classes that keep the policy, or with a single one. Prices are monotone, so nothing that is merged on the way
//! loses more than that one does.

use std::sync::atomic::{AtomicBool, Ordering};

use incrowd_core::Stopped;
use rayon::prelude::*;

use super::price::join_cells;
use super::published::{TightenedClass, growth, merge_alike};
use crate::solver::kinds::Kinds;
use crate::solver::quick_merge::merge_quickly;
use crate::solver::start::add_up;
use crate::{Budget, Problem};

/// The weight of the loss that the paper's experiments settled on.
pub const WEIGHT: f64 = 0.15;

/// Merges classes of (tuple, rows) members until each keeps the policy or one is left. No two of the result publish
/// alike, unless they are told apart, and each is a union of given ones. `weight`, from 0 to 1, is that of the loss
/// against the remaining gap. The rows of all classes are the whole that models compare classes with.
///
/// Linear in the number of classes for each merge.
pub fn diversify(problem: &Problem<'_>, classes: Vec<Vec<(usize, u64)>>, weight: f64) -> Vec<Vec<(usize, u64)>> {
    let problem = &problem.publishing(classes.iter().map(Vec::as_slice));
    let unlimited = Budget::default();
    // Without a limit nothing stops it.
    let classes = merge_until_kept(problem, &unlimited, merge_alike(problem, classes), weight).unwrap_or_default();
    classes.into_iter().map(|class| class.members).collect()
}

/// The deadline is checked once for this many classes that are compared.
const LOOK: usize = 256;

/// The same for classes of which no two publish alike or all are told apart. When the time is over, the classes that
/// fail still are merged without a comparison of all with all ([`quick_merge`](super::quick_merge)).
pub(crate) fn merge_until_kept(
    problem: &Problem<'_>,
    budget: &Budget,
    mut classes: Vec<TightenedClass>,
    weight: f64,
) -> Result<Vec<TightenedClass>, Stopped> {
    let finishing = budget.finishing();
    let over = AtomicBool::new(false);
    let kinds = Kinds::new(problem);
    let count = |class: &TightenedClass| {
        let counts = kinds.count_up(&class.members);
        JudgedClass { gap: problem.gap(&counts), counts }
    };
    let mut counted: Vec<JudgedClass> = classes.par_iter().map(count).collect();
    let all = problem.star_price();
    // When nothing can be lost there is nothing to divide.
    let all = if all > 0.0 { all } else { 1.0 };
    while classes.len() > 1 {
        // The first of those with the largest gap.
        let furthest = (0..).zip(&counted).max_by(|a, b| a.1.gap.cmp(&b.1.gap).then(b.0.cmp(&a.0)));
        let Some((at, _)) = furthest.filter(|(_, class)| class.gap > 0) else { break };
        let cost = |other: usize| {
            if other.is_multiple_of(LOOK) && finishing.is_over() {
                over.store(true, Ordering::Relaxed);
            }
            if over.load(Ordering::Relaxed) {
                return 0.0;
            }
            let mut counts = [&counted[at].counts[..], &counted[other].counts].concat();
            add_up(&mut counts);
            let lost = growth(problem, &classes[at], &classes[other]) / all;
            weight * lost + (1.0 - weight) * problem.gap(&counts) as f64
        };
        let others = (0..classes.len()).into_par_iter().filter(|&other| other != at);
        let cheapest = others.map(|other| (cost(other), other)).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if over.load(Ordering::Relaxed) {
            budget.check()?;
            budget.note_late();
            return Ok(merge_quickly(problem, classes));
        }
        let Some((_, other)) = cheapest else { break };
        let mut union = TightenedClass {
            members: Vec::new(),
            cells: join_cells(problem, &classes[at].cells, &classes[other].cells).collect(),
        };
        // What publishes as the union does is part of it. From the last to the first, so that places stay valid.
        for place in (0..classes.len()).rev() {
            let alike = !problem.has_class_ids && classes[place].cells == union.cells;
            if place == at || place == other || alike {
                union.members.extend(classes.swap_remove(place).members);
                counted.swap_remove(place);
            }
        }
        add_up(&mut union.members);
        counted.push(count(&union));
        classes.push(union);
    }
    Ok(classes)
}

/// A class as a policy sees it.
struct JudgedClass {
    /// Its rows by kind.
    counts: Vec<(usize, u64)>,
    gap: u64,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{
        Attribute, Dictionary, FrequencyTable, Hierarchy, Lm, Partition, Policy, QuasiIdentifier, Ratio, Role,
    };
    use proptest::prelude::*;

    use super::*;
    use crate::solver::price::loss;

    /// A table of (postcode, shop, illness), the postcode along its digits and the shop as sets.
    fn table(rows: &[([u32; 3], u64)]) -> (FrequencyTable, [QuasiIdentifier; 2]) {
        let postcodes = Dictionary::of_texts(["4351", "4352", "5000"]);
        let hierarchy = Hierarchy::prefix(&postcodes, None).unwrap();
        let shops = Dictionary::of_texts(["x", "y", "z"]);
        let quasi =
            [QuasiIdentifier::new(0, &hierarchy, &postcodes).unwrap(), QuasiIdentifier::sets(1, &shops).unwrap()];
        let attributes = vec![
            Attribute::new("postcode", Role::QuasiIdentifier, postcodes),
            Attribute::new("shop", Role::QuasiIdentifier, shops),
            Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["c", "f", "n"])),
        ];
        (FrequencyTable::from_tuples(attributes, rows.iter().copied()), quasi)
    }

    fn diversified(policy: &Policy, rows: &[([u32; 3], u64)], weight: f64) -> Vec<Vec<(usize, u64)>> {
        let (table, quasi) = table(rows);
        let problem = Problem::new(&table, &quasi, policy, &Lm, 1).unwrap();
        let classes = (0..table.tuples()).map(|tuple| vec![(tuple, table.count(tuple))]).collect();
        let mut classes = diversify(&problem, classes, weight);
        classes.sort();
        classes
    }

    /// Two ill rows at 4351 need two others. By loss alone they join 4352 (LM ½ for 4 rows, ½ · 2 of two columns),
    /// which has one ill row of two, and then all have to join. The paper's weight sends them to 5000 at once: 0.15 · 3
    /// = 0.45 against 0.15 · 1 + 0.85 · 2 = 1.85.
    #[test]
    fn the_class_furthest_away_is_merged_where_loss_and_gap_together_are_least() {
        let policy = Policy::k_anonymity(2).deassociating("illness", Ratio::new(1, 2).unwrap(), &["c"], false);
        let rows = [([0, 0, 0], 2), ([1, 0, 0], 1), ([1, 0, 2], 1), ([2, 0, 2], 4)];
        assert_eq!(diversified(&policy, &rows, WEIGHT), [vec![(0, 2), (3, 4)], vec![(1, 1), (2, 1)]]);
        assert_eq!(diversified(&policy, &rows, 1.0), [vec![(0, 2), (1, 1), (2, 1), (3, 4)]]);
    }

    #[test]
    fn classes_that_keep_the_policy_stay_and_a_policy_that_cannot_be_kept_leaves_one() {
        let rows = [([0, 0, 0], 2), ([1, 0, 0], 3), ([2, 0, 2], 4)];
        assert_eq!(diversified(&Policy::k_anonymity(2), &rows, WEIGHT).len(), 3);
        assert_eq!(diversified(&Policy::k_anonymity(10), &rows, WEIGHT), [vec![(0, 2), (1, 3), (2, 4)]]);
    }

    proptest! {
        #[test]
        fn the_policy_is_met_or_one_class_is_left_and_no_one_is_lost(
            rows in prop::collection::vec(([0u32..3, 0..3, 0..3], 1u64..4), 1..20),
            marks in prop::collection::vec(0usize..6, 27),
            (k, alpha, refined) in (1u64..6, 1u64..5, any::<bool>()),
            weight in prop_oneof![Just(0.0), Just(WEIGHT), Just(1.0)],
        ) {
            let (table, quasi) = table(&rows);
            let alpha = Ratio::new(alpha, 5).unwrap();
            let policy = Policy::k_anonymity(k).deassociating("illness", alpha, &[], refined);
            let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
            // Rows are dealt out by the marks of their tuples; the rows of one tuple may part.
            let mut classes = vec![Vec::new(); 6];
            for tuple in 0..table.tuples() {
                let rest = table.count(tuple) - 1;
                classes[marks[tuple]].push((tuple, 1));
                classes[(marks[tuple] + marks[26 - tuple]) % 6].extend((rest > 0).then_some((tuple, rest)));
            }
            classes.retain(|class| !class.is_empty());
            let before: usize = classes.len();
            let classes = diversify(&problem, classes, weight);
            prop_assert!(!classes.is_empty() && classes.len() <= before);
            prop_assert!(classes.len() == 1 || classes.iter().all(|class| problem.holds(class)));
            let mut partition = Partition::default();
            classes.iter().for_each(|class| partition.push(class.iter().copied()));
            prop_assert!(partition.accounts_for(&table));
            let cells = |class: &Vec<(usize, u64)>| crate::solver::price::join(&problem, class).collect::<Vec<_>>();
            let published: std::collections::BTreeSet<_> = classes.iter().map(cells).collect();
            prop_assert_eq!(published.len(), classes.len(), "two classes publish alike");
            let single = vec![Partition::single(&table).class(0).to_vec()];
            prop_assert!(loss(&problem, &classes) <= loss(&problem, &single) + 1e-9);
        }
    }
}
