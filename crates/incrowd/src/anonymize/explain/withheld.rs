//! Why rows are suppressed: how many of them, for which rule, and what was wrong with them.
//!
//! A full-domain release suppresses whole classes, the rows that are equal at the published levels. Such a row belongs
//! to the first rule that its class breaks. A model that compares a class with the whole is asked as the solver asked
//! it: first against all rows, then against those that are left, until nothing more is broken. Every other release, and
//! one on the topmost levels, which has a single class, suppresses rows before classes are made: the rows of values
//! that are too frequent for any release ([`BoundPolicy::withhold`](incrowd_core::BoundPolicy::withhold)), which tells
//! the rule that takes them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use incrowd_core::{Cell, FrequencyTable, Members, Partition, Policy, QuasiIdentifier, counted};
use incrowd_report::dossier::WithheldFor;

use super::why::name_of;
use crate::error::Result;

/// What is known of the rows that one rule takes.
#[derive(Default)]
struct Taken {
    rows: u64,
    /// The classes they stand in.
    classes: u64,
    /// The values that are too frequent, by attribute.
    values: BTreeMap<usize, BTreeSet<u32>>,
}

/// The rows that a solution suppresses, rule by rule in the order of the policy. They add up to all that are
/// suppressed.
pub(crate) fn explain(
    table: &FrequencyTable,
    quasi: &[QuasiIdentifier],
    policy: &Policy,
    partition: &Partition,
    levels: Option<&[usize]>,
) -> Result<Vec<WithheldFor>> {
    if partition.withheld().is_empty() {
        return Ok(Vec::new());
    }
    let below_top = |levels: &&[usize]| quasi.iter().zip(*levels).any(|(quasi, &level)| level < quasi.height());
    let taken = match levels.filter(below_top) {
        Some(levels) => by_classes(table, quasi, policy, partition, levels)?,
        None => by_values(table, policy, partition)?,
    };
    let mut told = Vec::new();
    for (rule, taken) in policy.models.iter().zip(&taken).filter(|(_, taken)| taken.rows > 0) {
        let model = rule.model()?;
        let breach = if table.counts_people() { model.breach_for_people() } else { model.breach() };
        let why = in_words(table, &breach, taken);
        told.push(WithheldFor { rule: name_of(rule), rows: taken.rows, why });
    }
    let rest = partition.withheld_rows() - taken.iter().map(|taken| taken.rows).sum::<u64>();
    if rest > 0 {
        let (rule, why) = match policy.known_rows {
            Some(_) => (
                "known-rows",
                "They are rows of people with rare numbers of rows: at least k people have to have the same rows.",
            ),
            None => {
                ("choice", "The solver suppressed them so that the other rows keep more detail; no rule required it.")
            }
        };
        told.push(WithheldFor { rule: rule.into(), rows: rest, why: why.into() });
    }
    Ok(told)
}

fn in_words(table: &FrequencyTable, breach: &str, taken: &Taken) -> String {
    if taken.classes > 0 {
        let classes = counted(taken.classes, "class", "classes");
        return format!("At the published levels, they are in {classes} {breach}.");
    }
    let of_column = |(&column, values): (&usize, &BTreeSet<u32>)| {
        let values = counted(values.len() as u64, "value", "values");
        format!("{values} of “{}”", table.attributes()[column].name)
    };
    let values: Vec<String> = taken.values.iter().map(of_column).collect();
    let values = values.join(" and ");
    format!("Too frequent: {values}. Even if the whole table were one class, it would be one {breach}.")
}

/// Rows of classes that break a rule at these levels.
fn by_classes(
    table: &FrequencyTable,
    quasi: &[QuasiIdentifier],
    policy: &Policy,
    partition: &Partition,
    levels: &[usize],
) -> Result<Vec<Taken>> {
    let codes: Vec<Vec<u32>> = quasi.iter().zip(levels).map(|(quasi, &level)| quasi.codes_at(level)).collect();
    let published = |tuple: usize| -> Vec<u32> {
        let code = |(quasi, codes): (&QuasiIdentifier, &Vec<u32>)| codes[table.code(tuple, quasi.column) as usize];
        quasi.iter().zip(&codes).map(code).collect()
    };
    let mut classes: BTreeMap<Vec<u32>, Vec<(usize, u64)>> = BTreeMap::new();
    for &member in partition.withheld() {
        classes.entry(published(member.0)).or_default().push(member);
    }
    let mut taken: Vec<Taken> = policy.models.iter().map(|_| Taken::default()).collect();
    let mut waiting: Vec<Vec<(usize, u64)>> = classes.into_values().collect();
    let bound = policy.bind(table)?;
    let mut asked = bound.against(&[Members::whole(table)]);
    loop {
        let before = waiting.len();
        waiting.retain(|class| {
            let cell =
                |(quasi, &level): (&QuasiIdentifier, &usize)| quasi.cell(table.code(class[0].0, quasi.column), level);
            let cells: Vec<Cell> = quasi.iter().zip(levels).map(cell).collect();
            let class = Members::new(table, class);
            let broken = asked.broken_by_published(&class, &cells);
            if let Some(rule) = broken {
                taken[rule].rows += class.rows();
                taken[rule].classes += 1;
            }
            broken.is_none()
        });
        if waiting.is_empty() || waiting.len() == before {
            return Ok(taken);
        }
        let kept = partition.classes().chain(waiting.iter().map(Vec::as_slice));
        let kept: Vec<Members<'_>> = kept.map(|class| Members::new(table, class)).collect();
        asked = bound.against(&kept);
    }
}

/// Rows that were suppressed so that the rest keeps the policy as a single class.
fn by_values(table: &FrequencyTable, policy: &Policy, partition: &Partition) -> Result<Vec<Taken>> {
    let mut left: HashMap<usize, u64> = HashMap::new();
    partition.withheld().iter().for_each(|&(tuple, rows)| *left.entry(tuple).or_default() += rows);
    let mut taken: Vec<Taken> = policy.models.iter().map(|_| Taken::default()).collect();
    for withheld in policy.bind(table)?.withhold(table, policy.budget(table.rows())).unwrap_or_default() {
        let Some(left) = left.get_mut(&withheld.tuple) else { continue };
        let rows = withheld.rows.min(*left);
        *left -= rows;
        let of_rule = &mut taken[withheld.rule];
        of_rule.rows += rows;
        let code = table.code(withheld.tuple, withheld.column);
        of_rule.values.entry(withheld.column).or_default().insert(code);
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Attribute, Dictionary, Hierarchy, Parameters, Ratio, Role};

    use super::*;

    /// Three towns of two countries, three illnesses.
    fn table(rows: &[([u32; 2], u64)]) -> (FrequencyTable, Vec<QuasiIdentifier>) {
        let towns = Dictionary::of_texts(["Bonn", "Ulm", "Wien"]);
        let hierarchy = Hierarchy::read("Bonn;Germany;*\nUlm;Germany;*\nWien;Austria;*\n").unwrap();
        let quasi = vec![QuasiIdentifier::new(0, &hierarchy, &towns).unwrap()];
        let attributes = vec![
            Attribute::new("town", Role::QuasiIdentifier, towns),
            Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu", "gout"])),
        ];
        (FrequencyTable::from_tuples(attributes, rows.iter().copied()), quasi)
    }

    fn told(found: &[WithheldFor]) -> Vec<(&str, u64, &str)> {
        found.iter().map(|one| (one.rule.as_str(), one.rows, one.why.as_str())).collect()
    }

    /// Bonn has one row, Ulm two of one illness, Wien stays: on the level of towns the first rule that each breaks.
    #[test]
    fn a_row_of_a_class_belongs_to_the_first_rule_that_the_class_breaks() {
        let (table, quasi) = table(&[([0, 0], 1), ([1, 1], 2), ([2, 0], 3), ([2, 2], 3)]);
        let policy = Policy::k_anonymity(2).asking("p-sensitive", Parameters::from_iter([("p", 2)]), &["illness"]);
        let mut partition = Partition::default();
        partition.push([(2, 3), (3, 3)]);
        partition.withhold([(0, 1), (1, 2)]);
        let found = explain(&table, &quasi, &policy, &partition, Some(&[0])).unwrap();
        let words = |classes: &str| format!("At the published levels, they are in {classes}.");
        let (k, p) = (words("1 class of fewer than k = 2"), words("1 class with fewer than p = 2 distinct values"));
        assert_eq!(told(&found), [("k-anonymity", 1, &*k), ("p-sensitive of illness", 2, &*p)]);
        assert_eq!(explain(&table, &quasi, &policy, &Partition::single(&table), Some(&[0])).unwrap(), []);
    }

    #[test]
    fn a_row_that_no_release_can_have_belongs_to_the_value_that_is_too_frequent() {
        let (table, quasi) = table(&[([0, 0], 4), ([1, 1], 2), ([2, 2], 2)]);
        let third = Ratio::new(1, 3).unwrap();
        let policy = Policy::k_anonymity(2).deassociating("illness", third, &[], false).suppressing(0.5);
        let mut partition = Partition::default();
        partition.push([(0, 2), (1, 2), (2, 2)]);
        partition.withhold([(0, 2)]);
        let why = "Too frequent: 1 value of “illness”. Even if the whole table were one class, it would be one in which one \
                   value has more than α = 1/3 of the rows.";
        for levels in [None, Some(&[2][..])] {
            let found = explain(&table, &quasi, &policy, &partition, levels).unwrap();
            assert_eq!(told(&found), [("alpha-deassociation of illness", 2, why)]);
        }
        // What a solver suppresses besides is told, too: the figures add up.
        let mut partition = Partition::default();
        partition.push([(0, 2), (1, 2)]);
        partition.withhold([(0, 2), (2, 2)]);
        let found = explain(&table, &quasi, &policy, &partition, None).unwrap();
        assert_eq!(found.iter().map(|one| (one.rule.as_str(), one.rows)).collect::<Vec<_>>()[1], ("choice", 2));
    }
}
