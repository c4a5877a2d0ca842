//! A policy bound to a table: what solvers ask.
//!
//! **When people are counted** (the table has a subject column) a person's rows may be in several classes. Then
//!
//! - only what survives growth survives merging. If a class conforms whatever rows join it, its union with any other class
//!   conforms. Shares do not: the classes {1: v, 2: w} and {2: w, 3: v} have v for half of their people, their union for two
//!   of three;
//! - that every class conforms does not imply that the release as a whole does. A model has to hold there, too
//!   ([`BoundPolicy::whole_counts`]): otherwise two values of each person could be dealt into two classes, each of which
//!   conforms, while each person has both. So a table that does not conform as one class cannot keep the policy unless rows are
//!   suppressed, by definition and not by a lemma.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{BoundModel, BoundedShare, ExcessRows, Infeasible, OrderLimit, ShareLimits, Variety};
use crate::numbers::to_usize;
use crate::{Cell, FrequencyTable, Members, TupleRows, counted};

/// A policy that knows its table.
pub struct BoundPolicy<'t> {
    models: Vec<PolicyModel<'t>>,
}

/// A model of a bound policy with its claims.
#[derive(Clone)]
pub(crate) struct PolicyModel<'t> {
    pub(crate) model: Arc<dyn BoundModel + 't>,
    pub(crate) survives_merging: bool,
    pub(crate) survives_growth: bool,
    pub(crate) compares: bool,
}

/// Rows of a tuple that have to be suppressed, and what takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// The tuple.
    pub tuple: usize,
    /// How many of its rows.
    pub rows: u64,
    /// The model that takes them, by position in the policy.
    pub rule: usize,
    /// The attribute of which they have a value that is too frequent.
    pub column: usize,
}

/// The rows of a person with one of some values. Those are taken first that come first in this order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Having {
    /// Whether the person has no other rows.
    nothing_else: bool,
    rows: u64,
    entries: Vec<TupleRows>,
}

impl Default for Having {
    fn default() -> Self {
        Having { nothing_else: true, rows: 0, entries: Vec::new() }
    }
}

impl<'t> BoundPolicy<'t> {
    pub(crate) fn new(models: Vec<PolicyModel<'t>>) -> Self {
        BoundPolicy { models }
    }

    /// Whether a class keeps every model.
    pub fn holds(&self, class: &Members<'_>) -> bool {
        self.models.iter().all(|bound| bound.model.holds(class))
    }

    /// Whether a class keeps every model that survives merging: what Incognito may prune by.
    pub fn holds_what_survives_merging(&self, class: &Members<'_>) -> bool {
        self.models.iter().filter(|bound| bound.survives_merging).all(|bound| bound.model.holds(class))
    }

    /// Whether a class keeps every model that survives growth: what may be pruned by when rows may be suppressed.
    pub fn holds_what_survives_growth(&self, class: &Members<'_>) -> bool {
        self.models.iter().filter(|bound| bound.survives_growth).all(|bound| bound.model.holds(class))
    }

    /// Whether some model looks at the published cells of a class: then tuples with other quasi-identifiers are other
    /// tuples to the policy.
    pub fn looks_at_cells(&self) -> bool {
        self.models.iter().any(|bound| bound.model.looks_at_cells())
    }

    /// Whether a class that publishes these cells keeps every model.
    pub fn holds_published(&self, class: &Members<'_>, cells: &[Cell]) -> bool {
        self.models.iter().all(|bound| bound.model.holds_published(class, cells))
    }

    /// Whether a class that publishes these cells keeps every model that survives merging.
    pub fn holds_published_what_survives_merging(&self, class: &Members<'_>, cells: &[Cell]) -> bool {
        let mut models = self.models.iter().filter(|bound| bound.survives_merging);
        models.all(|bound| bound.model.holds_published(class, cells))
    }

    /// Whether a class that publishes these cells keeps every model that survives growth.
    pub fn holds_published_what_survives_growth(&self, class: &Members<'_>, cells: &[Cell]) -> bool {
        let mut models = self.models.iter().filter(|bound| bound.survives_growth);
        models.all(|bound| bound.model.holds_published(class, cells))
    }

    /// Whether a release keeps every model whose classes, each of which does, publish these cells on one level each.
    pub fn holds_for_release(&self, classes: &[Vec<Cell>]) -> bool {
        self.models.iter().all(|bound| bound.model.holds_for_release(classes))
    }

    /// Whether every model survives merging, and so the policy does.
    pub fn survives_merging(&self) -> bool {
        self.models.iter().all(|bound| bound.survives_merging)
    }

    /// Whether some model compares the values of a class with those of the whole.
    pub fn compares(&self) -> bool {
        self.models.iter().any(|bound| bound.compares)
    }

    /// The same policy with these rows as the whole: those that are published. See [`BoundModel::against`].
    pub fn against(&self, whole: &[Members<'_>]) -> BoundPolicy<'t> {
        let against = |bound: &PolicyModel<'t>| match bound.compares.then(|| bound.model.against(whole)).flatten() {
            Some(model) => PolicyModel { model: model.into(), ..bound.clone() },
            None => bound.clone(),
        };
        BoundPolicy { models: self.models.iter().map(against).collect() }
    }

    /// The same policy for a part of a table that is published with all of its rows. The whole are then the rows of the whole
    /// table, whatever part is judged: to the solver of the part, no model depends on which of its rows are published, and
    /// the part as one class may break one.
    pub fn within(&self, whole: &FrequencyTable) -> BoundPolicy<'t> {
        let mut policy = self.against(&[Members::whole(whole)]);
        policy.models.iter_mut().for_each(|bound| bound.compares = false);
        policy
    }

    /// Whether every model survives growth, and so the policy does.
    pub fn survives_growth(&self) -> bool {
        self.models.iter().all(|bound| bound.survives_growth)
    }

    /// Whether the rows that are published have to keep the policy as one class, too, and that does not follow from the
    /// classes: when people are counted, unless every model survives growth or compares classes with the whole.
    pub fn whole_counts(&self, table: &FrequencyTable) -> bool {
        table.counts_people() && self.models.iter().any(|bound| !bound.survives_growth && !bound.compares)
    }

    /// Whether these classes together, as one class, keep every model that does not compare classes with the whole.
    pub fn holds_as_whole(&self, classes: &[Members<'_>]) -> bool {
        let Some(first) = classes.first() else { return true };
        let entries = Members::united(classes);
        let whole = first.with_entries(&entries);
        self.models.iter().filter(|bound| !bound.compares).all(|bound| bound.model.holds(&whole))
    }

    /// How far a class is from keeping the policy: 0 when it does, else the largest gap of its models.
    pub fn gap(&self, class: &Members<'_>) -> u64 {
        self.models.iter().map(|bound| bound.model.gap(class)).max().unwrap_or(0)
    }

    /// How many rows may leave a class that keeps the policy, whichever they are, so that the rest keeps it.
    pub fn spare(&self, class: &Members<'_>) -> u64 {
        self.models.iter().map(|bound| bound.model.spare(class)).min().unwrap_or(u64::MAX)
    }

    /// The first model, by position in the policy, that a class does not keep.
    pub fn broken_by(&self, class: &Members<'_>) -> Option<usize> {
        self.models.iter().position(|bound| !bound.model.holds(class))
    }

    /// The first model, by position in the policy, that a class does not keep which publishes these cells.
    pub fn broken_by_published(&self, class: &Members<'_>, cells: &[Cell]) -> Option<usize> {
        self.models.iter().position(|bound| !bound.model.holds_published(class, cells))
    }

    /// The bound on a share of protected values, when the policy has exactly one such bound.
    pub fn bounded_share(&self) -> Option<BoundedShare<'_>> {
        let mut shares = self.models.iter().filter_map(|bound| bound.model.bounded_share());
        shares.next().filter(|_| shares.next().is_none())
    }

    /// Limits on shares of values that every class keeps which keeps the policy, when rows are counted.
    pub fn share_limits(&self) -> Vec<ShareLimits> {
        self.models.iter().flat_map(|bound| bound.model.share_limits()).collect()
    }

    /// A class of fewer rows cannot keep the policy, if all rows of the table are published.
    pub fn fewest_rows(&self) -> u64 {
        self.models.iter().map(|bound| bound.model.fewest_rows()).max().unwrap_or(1)
    }

    /// Limits on distances along an order that every class keeps which keeps the policy, when rows are counted and all are
    /// published.
    pub fn order_limits(&self) -> Vec<OrderLimit> {
        self.models.iter().flat_map(|bound| bound.model.order_limits()).collect()
    }

    /// Of which attributes the policy wants how many different things in every class. Requirements on the same attribute and things are joined,
    /// and the most counts.
    pub fn varieties(&self) -> Vec<Variety> {
        let mut varieties: Vec<Variety> = Vec::new();
        for asked in self.models.iter().flat_map(|bound| bound.model.varieties()) {
            let same = |known: &&mut Variety| known.column == asked.column && known.things == asked.things;
            match varieties.iter_mut().find(same) {
                Some(known) => known.least = known.least.max(asked.least),
                None => varieties.push(asked),
            }
        }
        varieties
    }

    /// Whether trunks make sense: besides k there is only one bound on one set of values.
    pub fn is_alpha_k(&self) -> bool {
        let share = |bound: &PolicyModel<'_>| bound.model.bounded_share().is_some();
        self.models.iter().filter(|bound| share(bound)).count() == 1
            && self.models.iter().all(|bound| share(bound) || bound.survives_growth)
    }

    /// The rows to suppress, at most `budget` of them, so that the rest of the table keeps the policy as a single
    /// class; none when it does already. The rarest tuples first: they are the hardest to hide. A tuple may be told
    /// several times, once for each model and attribute that takes some of its rows.
    ///
    /// Models that compare classes with the whole are not asked: the rows that are left are the whole, and the whole is
    /// like itself.
    pub fn withhold(&self, table: &FrequencyTable, budget: u64) -> Result<Vec<Withheld>, Vec<Infeasible>> {
        let mut rest: Vec<TupleRows> = table.tuple_rows().collect();
        let mut withheld: Vec<Withheld> = Vec::new();
        loop {
            let whole = Members::new(table, &rest);
            let fails = |bound: &PolicyModel<'_>| !bound.compares && !bound.model.holds(&whole);
            let broken = self.models.iter().position(fails);
            if broken.is_none() && !rest.is_empty() {
                return Ok(withheld);
            }
            let rule = broken.unwrap_or(0);
            if table.counts_people() && broken.is_some() {
                let more = self.of_people(&whole, rule);
                let gone: u64 = withheld.iter().chain(&more).map(|withheld| withheld.rows).sum();
                if more.is_empty() || gone > budget {
                    return Err(self.reasons(table, budget));
                }
                let mut left = more.iter().map(|gone| (gone.tuple, gone.rows)).collect::<Vec<_>>();
                left.sort_unstable();
                left.dedup_by_key(|gone| gone.0);
                rest.retain(|member| left.binary_search(member).is_err());
                withheld.extend(more);
                continue;
            }
            let excess = broken.map(|rule| self.models[rule].model.excess(&whole)).unwrap_or_default();
            let more: u64 = excess.iter().map(|excess| excess.rows).sum();
            let gone: u64 = withheld.iter().map(|withheld| withheld.rows).sum();
            if more == 0 || gone + more > budget {
                return Err(self.reasons(table, budget));
            }
            rest.sort_by_key(|&(tuple, rows)| (rows, tuple));
            for ExcessRows { attribute, code, mut rows } in excess {
                for member in rest.iter_mut().filter(|member| table.code(member.0, attribute) == code) {
                    let take = rows.min(member.1);
                    if take > 0 {
                        withheld.push(Withheld { tuple: member.0, rows: take, rule, column: attribute });
                    }
                    (member.1, rows) = (member.1 - take, rows - take);
                }
            }
            rest.retain(|&(_, rows)| rows > 0);
            rest.sort_unstable();
        }
    }

    /// Whether it is proven that no release keeps the policy with at most `budget` rows suppressed. That the table does
    /// not keep it as one class proves it for
    ///
    /// - a model that survives growth: if a class kept it, the whole would;
    /// - a model that survives merging: if all classes kept it, their union would. When rows may be suppressed, the
    ///   fewest whose suppression makes one attribute conform ([`BoundModel::excess`]) have to be more than the budget;
    /// - any model when people are counted and nothing is suppressed, because the whole has to keep the policy, too.
    ///
    /// For the refined rule of α-deassociation it proves nothing: two classes of two rows with one protected row each keep
    /// 1 ≤ ⌈α·2⌉ for every α, and their union has 2 > ⌈α·4⌉ for α ≤ 1/4.
    pub fn is_proven_infeasible(&self, table: &FrequencyTable, budget: u64) -> bool {
        let whole = Members::whole(table);
        let broken = self.models.iter().filter(|bound| !bound.compares && bound.model.fails_as_whole(&whole));
        let mut broken = broken.peekable();
        if table.tuples() == 0 && broken.peek().is_none() {
            return true;
        }
        let proves = |bound: &PolicyModel<'_>| {
            let people = table.counts_people();
            if bound.survives_growth || budget == 0 {
                return bound.survives_growth || bound.survives_merging || people;
            }
            if people || !bound.survives_merging {
                return false;
            }
            let mut by_attribute: BTreeMap<usize, u64> = BTreeMap::new();
            for excess in bound.model.excess(&whole) {
                *by_attribute.entry(excess.attribute).or_default() += excess.rows;
            }
            by_attribute.values().max().is_none_or(|&fewest| fewest > budget)
        };
        broken.any(proves)
    }

    /// Why the table cannot keep the policy as one class: a reason for each model that it breaks. The rows that are
    /// suppressed when people are counted need not be the fewest, so there nothing is claimed of all ways to suppress
    /// some.
    fn reasons(&self, table: &FrequencyTable, budget: u64) -> Vec<Infeasible> {
        let whole = Members::whole(table);
        let broken = self.models.iter().filter(|bound| !bound.compares && !bound.model.holds(&whole));
        let mut reasons: Vec<Infeasible> = broken.map(|bound| bound.model.infeasible(&whole)).collect();
        for reason in reasons.iter_mut().filter(|_| table.counts_people() && budget > 0) {
            let rows = counted(budget, "row", "rows");
            reason.fact +=
                &format!("; no way was found to suppress at most {rows} so that the other rows meet the policy");
        }
        reasons
    }

    /// When people are counted: rows whose suppression brings the whole nearer to a model that it breaks. All rows of a
    /// person with a value that too many have go, or none: any that stay would leave the person with the value. Those who
    /// have other rows come first, since the whole stays as large without these; then those with the fewest rows to go.
    fn of_people(&self, whole: &Members<'_>, rule: usize) -> Vec<Withheld> {
        let (mut withheld, mut taken): (Vec<Withheld>, BTreeSet<usize>) = Default::default();
        for too_many in self.models[rule].model.too_many(whole) {
            let (column, is_one) = (too_many.attribute, |code: &u32| too_many.codes.contains(code));
            let mut people: BTreeMap<u64, Having> = BTreeMap::new();
            whole.for_each_of_person(column, |person, code, entry, rows| {
                if taken.contains(&entry) {
                    return;
                }
                let known = people.entry(person).or_default();
                if is_one(&code) {
                    known.rows += rows;
                    known.entries.push((entry, rows));
                }
                known.nothing_else = known.nothing_else && is_one(&code);
            });
            let mut having: Vec<_> = people.into_values().filter(|known| known.rows > 0).collect();
            having.sort();
            // Of those that another value took rows from already, some may have lost this one with them.
            let gone = whole.size_with(column, |code| is_one(&code)).saturating_sub(having.len() as u64);
            for Having { entries, .. } in having.into_iter().take(to_usize(too_many.people.saturating_sub(gone))) {
                taken.extend(entries.iter().map(|entry| entry.0));
                withheld.extend(entries.into_iter().map(|(tuple, rows)| Withheld { tuple, rows, rule, column }));
            }
        }
        withheld
    }
}
