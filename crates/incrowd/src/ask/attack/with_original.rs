//! Attacks by who has the original, or that are scored with it.

use std::collections::BTreeMap;

use incrowd_core::query::named_members;
use incrowd_core::{ColumnSet, Hierarchy, Outcome, Partition, Ratio};
use incrowd_engine::{EngineError, Source};
use incrowd_risk::attack::downcoding::{self, Child, Coarse};
use incrowd_risk::attack::intersection::{self, Shared};
use incrowd_risk::attack::minimality::{self, Generalized, Promise};
use incrowd_risk::attack::{PublishedClass, Sampling, TwoTables, ids, learning, row_order};

use super::placement::Placement;
use super::{AttackOptions, Target};
use crate::error::Result;
use crate::query::{Hierarchies, published_rows};
use crate::release::OpenedRelease;

/// Every attack for which the original is needed and enough, and the share of the published rows for which it has
/// somebody.
pub(super) fn attacks(
    target: &Target<'_>,
    original: &Source,
    options: &AttackOptions<'_>,
) -> Result<(Vec<Outcome>, Option<f64>)> {
    let mut outcomes = Vec::new();
    let Some(placement) = Placement::new(target, original)? else { return Ok((outcomes, None)) };
    let orders = Orders::read(target, original, &placement)?;
    if target.manifest().two_tables.is_some() {
        outcomes.extend(learnt(target, &placement)?);
        outcomes.push(ids::attack(&orders.class_column(target), &orders.ids(&placement)));
    } else {
        outcomes.extend(orders.published.as_ref().map(|published| row_order::attack(published, &orders.original)));
        let nodes = Nodes::new(target, options, &placement)?;
        outcomes.extend(minimal(target, &placement, &nodes));
        outcomes.push(downcoding::attack(&nodes.coarse(target, &placement), k_of(target)));
    }
    if let Some(also) = &options.also {
        let also = OpenedRelease::open_with(target.engine, also, None)?;
        let other = Target::open(target.engine, also, &options.hierarchies)?;
        outcomes.extend(intersected(&placement, &Placement::new(&other, original)?));
    }
    Ok((outcomes, Some(placement.share())))
}

fn k_of(target: &Target<'_>) -> u64 {
    let asked = target.manifest().policy.models.iter().filter_map(|rule| rule.parameters.get("k")?.as_u64());
    asked.max().unwrap_or(1)
}

/// The learning attack, scored with the people who were placed.
fn learnt(target: &Target<'_>, placement: &Placement) -> Result<Vec<Outcome>> {
    let mut partition = Partition::default();
    placement.members.iter().for_each(|members| partition.push(members.iter().copied()));
    let known: ColumnSet = (0..target.quasi.len()).collect();
    let attack = |secret: usize| {
        let tables = TwoTables::new(&placement.table, &partition, known, secret, &Sampling::default());
        learning::attack(&tables, &target.engine.watch()).map_err(|_| EngineError::Cancelled.into())
    };
    (target.quasi.len()..placement.table.attributes().len()).map(attack).collect()
}

/// People of both releases, by their classes in each.
fn intersected(first: &Placement, second: &Option<Placement>) -> Option<Outcome> {
    let second = second.as_ref()?;
    let name = first.published.sensitive().iter().find(|name| second.published.sensitive().contains(name))?;
    let column = |placement: &Placement| placement.published.sensitive().iter().position(|other| other == name);
    let secret = first.table.position(name)?;
    // The same original, so the same tuples when both ask about the same columns.
    let same = |placement: &Placement| -> Vec<String> {
        placement.table.attributes().iter().map(|attribute| attribute.name.clone()).collect()
    };
    if same(first) != same(second) {
        return None;
    }
    let mut people = Vec::new();
    for tuple in 0..first.table.tuples() {
        let (mut ones, mut others) = (first.of_tuple[tuple].iter().copied(), second.of_tuple[tuple].iter().copied());
        let (mut one, mut other) = (ones.next(), others.next());
        while let (Some((a, left)), Some((b, right))) = (one, other) {
            let both = left.min(right);
            let value = first.table.code(tuple, secret);
            people.push(Shared { first: a as usize, second: b as usize, value, people: both });
            one = if left > both { Some((a, left - both)) } else { ones.next() };
            other = if right > both { Some((b, right - both)) } else { others.next() };
        }
    }
    Some(intersection::attack((&first.published, column(first)?), (&second.published, column(second)?), &people))
}

/// For each class what it would fall into if one column were one step more precise.
fn minimal(target: &Target<'_>, placement: &Placement, nodes: &Nodes) -> Option<Outcome> {
    // The attack argues with shares of rows. When people are counted the rule was about other shares.
    if target.manifest().counts == incrowd_verify::Counts::People {
        return None;
    }
    let rule = target.manifest().policy.models.iter().find(|rule| rule.model == "alpha-deassociation")?;
    let name = rule.sensitive.first()?;
    let secret = placement.table.position(name)?;
    let alpha: Ratio = rule.parameters.get("alpha")?.as_str()?.parse().ok()?;
    let dictionary = &placement.table.attributes()[secret].dictionary;
    let named: Option<Vec<u32>> = rule.parameters.get("values").and_then(|values| {
        values.as_array().map(|values| values.iter().filter_map(|value| dictionary.code(value.as_str()?)).collect())
    });
    let bag = placement.published.sensitive().iter().position(|other| other == name)?;
    let mut classes = Vec::new();
    for (class, members) in placement.whole() {
        // Without named values every one is protected; the most frequent is the nearest to its limit.
        let protected = named.clone().or_else(|| Some(vec![class.most(bag)?.0])).unwrap_or_default();
        let has = |(tuple, _): &&(usize, u64)| protected.contains(&placement.table.code(*tuple, secret));
        let sensitive = members.iter().filter(has).map(|member| member.1).sum();
        let groups = (0..target.quasi.len())
            .filter_map(|column| nodes.children(placement, column, class.cells[column], members));
        let groups = groups.map(|children| children.into_iter().map(|child| child.1).collect::<Vec<u64>>());
        let finest = groups.filter(|groups| groups.iter().filter(|&&rows| rows > 0).count() > 1).min_by_key(Vec::len);
        classes.push(Generalized { groups: finest.unwrap_or_else(|| vec![class.rows]), sensitive });
    }
    Some(minimality::attack(name, &classes, Promise { alpha, k: k_of(target) }))
}

/// Hierarchies of the quasi-identifiers and where the values of the original stand in them.
struct Nodes {
    columns: Vec<Option<Column>>,
}

struct Column {
    hierarchy: Hierarchy,
    /// The node of each published label.
    nodes: Vec<Option<usize>>,
    /// The leaf of each value of the original.
    leaves: Vec<Option<u32>>,
}

impl Nodes {
    fn new(target: &Target<'_>, options: &AttackOptions<'_>, placement: &Placement) -> Result<Nodes> {
        let record = target.release.record().cloned();
        let hierarchies = Hierarchies { record, named: &options.hierarchies, memory: None };
        let column = |(at, name): (usize, &String)| -> Result<Option<Column>> {
            let Some((hierarchy, _)) = hierarchies.of(name)? else { return Ok(None) };
            let dictionary = &placement.table.attributes()[at].dictionary;
            let place = |label: &Option<String>| {
                let label = label.as_deref().unwrap_or_default();
                hierarchy.nodes().iter().position(|node| node.label() == label)
            };
            let labels = target.view.labels(name);
            let leaf = |code: u32| match Some(code) == dictionary.missing() {
                true => hierarchy.missing(),
                false => hierarchy.leaf(&dictionary.label(code)),
            };
            let leaves = (0..dictionary.len() as u32).map(leaf).collect();
            Ok(Some(Column { nodes: labels.iter().map(place).collect(), leaves, hierarchy }))
        };
        let columns = target.quasi.iter().enumerate().map(column).collect::<Result<_>>()?;
        Ok(Nodes { columns })
    }

    /// The children of a published cell's node with the rows of a class below each; nothing when it is a value.
    fn children(
        &self,
        placement: &Placement,
        column: usize,
        cell: u32,
        members: &[(usize, u64)],
    ) -> Option<Vec<(usize, u64)>> {
        let Column { hierarchy, nodes, leaves } = self.columns[column].as_ref()?;
        let node = (*nodes.get(cell as usize)?)?;
        let below = |at: &usize| hierarchy.nodes()[*at].parent() == Some(node as u32);
        let children: Vec<usize> = (0..hierarchy.nodes().len()).filter(below).collect();
        if children.is_empty() {
            return None;
        }
        let mut counted: Vec<(usize, u64)> = children.into_iter().map(|child| (child, 0)).collect();
        for &(tuple, rows) in members {
            let leaf = leaves[placement.table.code(tuple, column) as usize]?;
            let child = counted.iter_mut().find(|(child, _)| hierarchy.nodes()[*child].leaves().contains(&leaf))?;
            child.1 += rows;
        }
        Some(counted)
    }

    /// The classes as who undoes their generalization sees them.
    fn coarse(&self, target: &Target<'_>, placement: &Placement) -> Vec<Coarse> {
        let classes = placement.published.classes();
        let known: BTreeMap<&[u32], ()> = classes.iter().map(|class| (&class.cells[..], ())).collect();
        let label_of = |column: usize, node: usize| -> Option<u32> {
            let nodes = &self.columns[column].as_ref()?.nodes;
            nodes.iter().position(|other| *other == Some(node)).map(|code| code as u32)
        };
        // Columns without a hierarchy are sets, or intervals from the least to the greatest value of a class.
        let plain = target.quasi.iter().enumerate().filter(|(column, _)| self.columns[*column].is_none());
        let plain: Vec<(usize, Vec<Option<String>>)> =
            plain.map(|(column, name)| (column, target.view.labels(name))).collect();
        let coarse = |(class, members): (&PublishedClass, &[(usize, u64)])| {
            let cells = &class.cells;
            let columns = (0..target.quasi.len()).filter_map(|column| {
                let children = self.children(placement, column, cells[column], members)?;
                let child = |(node, truth): (usize, u64)| {
                    let taken = label_of(column, node).is_some_and(|code| {
                        let mut finer = cells.clone();
                        finer[column] = code;
                        known.contains_key(&finer[..])
                    });
                    Child { taken, truth }
                };
                Some(children.into_iter().map(child).collect())
            });
            let named = plain.iter().map(|(column, labels)| {
                let label = labels[cells[*column] as usize].as_deref().unwrap_or_default();
                named(placement, *column, label, members)
            });
            let members = named.filter(|members| !members.is_empty()).collect();
            Coarse { rows: class.rows, columns: columns.collect(), members }
        };
        placement.whole().map(coarse).collect()
    }
}

/// The rows of a class that have each value which its label names as that of somebody in it.
fn named(placement: &Placement, column: usize, label: &str, members: &[(usize, u64)]) -> Vec<u64> {
    let dictionary = &placement.table.attributes()[column].dictionary;
    let code = |value: &Option<&str>| match value {
        Some(value) => dictionary.code(value),
        None => dictionary.missing(),
    };
    let rows = |code: Option<u32>| {
        let has = |(tuple, _): &&(usize, u64)| Some(placement.table.code(*tuple, column)) == code;
        members.iter().filter(has).map(|member| member.1).sum()
    };
    named_members(label).iter().map(code).map(rows).collect()
}

/// In which order rows stand.
struct Orders {
    /// The class of each row of the original; nothing when it has none.
    original: Vec<Option<u32>>,
    /// The tuple of each row of the original.
    tuples: Vec<Option<usize>>,
    /// The class of each published row, in one table.
    published: Option<Vec<u32>>,
}

impl Orders {
    fn read(target: &Target<'_>, original: &Source, placement: &Placement) -> Result<Orders> {
        let names: Vec<String> = target.quasi.iter().chain(&target.sensitive).cloned().collect();
        let rows = original.rows_in_order(target.engine, &names)?;
        let codes = |tuple: usize| -> Vec<u32> { (0..names.len()).map(|at| placement.table.code(tuple, at)).collect() };
        let tuples: BTreeMap<Vec<u32>, usize> =
            (0..placement.table.tuples()).map(|tuple| (codes(tuple), tuple)).collect();
        let mut left = placement.of_tuple.clone();
        let count = rows.codes.first().map_or(0, Vec::len);
        let key = |row: usize| -> Vec<u32> { rows.codes.iter().map(|codes| codes[row]).collect() };
        let tuples: Vec<Option<usize>> = (0..count).map(|row| tuples.get(&key(row)).copied()).collect();
        let class_of = |tuple: &Option<usize>| -> Option<u32> {
            let next = left[(*tuple)?].iter_mut().find(|class| class.1 > 0)?;
            next.1 -= 1;
            Some(next.0)
        };
        let original = tuples.iter().map(class_of).collect();
        let published = published_rows(target.engine, &target.release, &target.names(&target.quasi))?.map(|codes| {
            let classes = placement.published.classes();
            let known: BTreeMap<&[u32], u32> =
                classes.iter().zip(0..).map(|(class, at)| (&class.cells[..], at)).collect();
            let rows = codes.first().map_or(0, Vec::len);
            let class = |row: usize| {
                let key: Vec<u32> = codes.iter().map(|codes| codes[row]).collect();
                known.get(&key[..]).copied()
            };
            (0..rows).filter_map(class).collect()
        });
        Ok(Orders { original, tuples, published })
    }

    fn class_column(&self, target: &Target<'_>) -> String {
        target.manifest().two_tables.as_ref().map(|two| two.class_column.clone()).unwrap_or_default()
    }

    /// Each class id with the mean place of its people in the original. Of people who cannot be told apart nobody knows
    /// which is in which class, so their mean place counts for all of them.
    fn ids(&self, placement: &Placement) -> Vec<(f64, f64)> {
        let mut of_tuple = vec![(0.0, 0.0); placement.table.tuples()];
        for (place, tuple) in self.tuples.iter().enumerate() {
            if let Some(tuple) = tuple {
                of_tuple[*tuple] = (of_tuple[*tuple].0 + place as f64, of_tuple[*tuple].1 + 1.0);
            }
        }
        let mut of_class = vec![(0.0, 0.0); placement.published.classes().len()];
        for ((sum, count), classes) in of_tuple.into_iter().zip(&placement.of_tuple).filter(|(place, _)| place.1 > 0.0)
        {
            for &(class, rows) in classes {
                let (places, all) = &mut of_class[class as usize];
                (*places, *all) = (*places + rows as f64 * sum / count, *all + rows as f64);
            }
        }
        let classes = placement.published.classes().iter().zip(of_class).filter(|(_, place)| place.1 > 0.0);
        classes.map(|(class, place)| (f64::from(class.cells[0]), place.0 / place.1)).collect()
    }
}
