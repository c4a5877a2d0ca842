//! t-closeness: the earth mover's distance between the values of a class and those of all published rows is at most t.
//!
//! `equal`: half the sum of all differences of shares. `ordered`: the mean of the differences of the shares up to each
//! value but the last. `hierarchical`: the sum, over the inner nodes of the tree, of height / height of the tree times
//! the smaller of what its children have too much and too little, as printed by Li, Li and Venkatasubramanian. With
//! shares multiplied by the rows of the class and of all, everything is a whole number, so nothing is rounded.
//!
//! Without a list `order`, values that are all numbers are ordered as such, and dates `YYYY-MM-DD` too; others have no
//! order, and nothing can be vouched for. A missing value is the last in an order and directly below the root of a
//! tree.
//!
//! N. Li, T. Li and S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and ℓ-diversity", ICDE 2007.

mod queries;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::shared::exact::{ExactNumber, lists, texts};
use super::shared::{ClassCounts, SensitiveAttribute};
use super::{ClassTest, Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "t-closeness",
    protects_sensitive: true,
    of_population: false,
    parameters: &["t", "distance", "order", "tree"],
    rows_say: RowsSay::Nothing,
    read: TCloseness::read,
};

struct TCloseness {
    t: ExactNumber,
    distance: Distance,
}

enum Distance {
    Equal,
    /// In the order of this list, or of the numbers or dates.
    Ordered(Option<Vec<String>>),
    /// Each value with its node on each level, the root last; all equally long.
    Hierarchical(Vec<Vec<String>>),
}

impl TCloseness {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let share = |t: ExactNumber| t.above > 0 && t.above <= t.below;
        let t = ExactNumber::parameter(parameters, "t", share, "a share above 0 and at most 1")?;
        let (order, tree) = (parameters.get("order"), parameters.get("tree"));
        let word = match parameters.get("distance") {
            None => Some("equal"),
            Some(word) => word.as_str(),
        };
        let distance = match (word, order, tree) {
            (Some("equal"), None, None) => Distance::Equal,
            (Some("ordered"), order, None) => Distance::Ordered(order.map(read_order).transpose()?),
            (Some("hierarchical"), None, Some(tree)) => Distance::Hierarchical(read_tree(tree)?),
            _ => return Err("distance, order and tree do not go together".to_string()),
        };
        Ok(Box::new(TCloseness { t, distance }))
    }
}

fn read_order(order: &Value) -> Result<Vec<String>, String> {
    let order = texts(order).filter(|order| order.iter().collect::<BTreeSet<_>>().len() == order.len());
    order.ok_or_else(|| "order is not a list of distinct values".to_string())
}

/// The paths, when they make one tree: below one root, and with one parent for each node.
fn read_tree(tree: &Value) -> Result<Vec<Vec<String>>, String> {
    let is_tree = |paths: &Vec<Vec<String>>| {
        let (depth, root) = (paths[0].len(), paths[0].last());
        let leaves: BTreeSet<&String> = paths.iter().map(|path| &path[0]).collect();
        let steps =
            paths.iter().flat_map(|path| (0..path.len() - 1).map(|level| (level, &path[level], &path[level + 1])));
        let (steps, children): (BTreeSet<_>, BTreeSet<_>) = steps.map(|step| (step, (step.0, step.1))).unzip();
        depth > 1
            && leaves.len() == paths.len()
            && steps.len() == children.len()
            && paths.iter().all(|path| path.len() == depth && path.last() == root)
    };
    lists(tree).filter(is_tree).ok_or_else(|| "tree is not a list of equally long paths of one tree".to_string())
}

impl Model for TCloseness {
    fn promise(&self, of: &str) -> String {
        let how = match &self.distance {
            Distance::Equal => "equal distance",
            Distance::Ordered(_) => "ordered distance",
            Distance::Hierarchical(_) => "hierarchical distance",
        };
        format!(
            "In each class, the distribution of {of} is at most {} from that of all rows ({how}; 0 = the same, 1 = as \
             far as possible).",
            self.t
        )
    }

    fn promise_of_people(&self, of: &str) -> String {
        let how = match &self.distance {
            Distance::Equal => "equal",
            Distance::Ordered(_) => "ordered",
            Distance::Hierarchical(_) => "hierarchical",
        };
        format!(
            "In each class, the distribution of {} among the people is at most {} from that among all people of the release \
             ({how} distance).",
            of, self.t
        )
    }

    fn sql(&self, quasi_identifiers: &[&str], of: &str) -> String {
        match &self.distance {
            Distance::Equal => self.sql_of_levels(quasi_identifiers, of, &[]),
            Distance::Ordered(order) => self.sql_of_order(quasi_identifiers, of, order.as_deref()),
            Distance::Hierarchical(paths) => self.sql_of_levels(quasi_identifiers, of, paths),
        }
    }

    fn bind<'a>(&'a self, attribute: &'a SensitiveAttribute) -> ClassTest<'a> {
        let all = attribute.all();
        // For each code what the class has too much of it, times the rows of the class and of all.
        let surplus = move |class: &ClassCounts<'_>| -> Vec<i128> {
            let mut surplus: Vec<i128> =
                attribute.rows.iter().map(|&rows| -(i128::from(rows) * i128::from(class.size))).collect();
            class.histogram().for_each(|(code, rows)| surplus[code] += i128::from(rows) * i128::from(all));
            surplus
        };
        let within = move |work: u128, most: u128, class: &ClassCounts<'_>| {
            self.t.is_at_least(work, most * u128::from(class.size) * u128::from(all))
        };
        match &self.distance {
            Distance::Equal => {
                Box::new(move |class| within(surplus(class).into_iter().map(i128::unsigned_abs).sum(), 2, class))
            }
            Distance::Ordered(order) => {
                let Some(places) = places(attribute, order.as_deref()) else { return Box::new(|_| false) };
                Box::new(move |class| {
                    let surplus = surplus(class);
                    let below = places.iter().scan(0, |sum: &mut i128, codes| {
                        *sum += codes.iter().map(|&code| surplus[code]).sum::<i128>();
                        Some(sum.unsigned_abs())
                    });
                    within(below.sum(), (places.len().max(2) - 1) as u128, class)
                })
            }
            Distance::Hierarchical(paths) => {
                let Some(levels) = levels(attribute, paths) else { return Box::new(|_| false) };
                Box::new(move |class| within(work(&surplus(class), &levels), levels.len() as u128, class))
            }
        }
    }

    fn note(&self, attribute: &SensitiveAttribute) -> Option<String> {
        let name = &attribute.name;
        let why = match &self.distance {
            Distance::Ordered(None) => "are neither all numbers nor all dates, and no order is given",
            Distance::Ordered(Some(_)) => "are not all in the order",
            Distance::Hierarchical(_) => "are not all in the tree",
            Distance::Equal => return None,
        };
        let is_placed = match &self.distance {
            Distance::Ordered(order) => places(attribute, order.as_deref()).is_some(),
            Distance::Hierarchical(paths) => levels(attribute, paths).is_some(),
            Distance::Equal => true,
        };
        (!is_placed).then(|| format!("the values of {name} {why}: their distance cannot be verified"))
    }
}

/// The published codes in order, those on one place together; nothing when they have no order.
fn places(attribute: &SensitiveAttribute, order: Option<&[String]>) -> Option<Vec<Vec<usize>>> {
    let values = || attribute.whole().filter_map(|(code, _)| Some((code, attribute.labels[code].as_deref()?)));
    let missing = attribute.whole().find(|(code, _)| attribute.labels[*code].is_none()).map(|(code, _)| vec![code]);
    let mut placed: Vec<Vec<usize>> = Vec::new();
    if let Some(order) = order {
        let place = |(code, value)| Some((order.iter().position(|other| other == value)?, code));
        let by_place = values().map(place).collect::<Option<BTreeMap<usize, usize>>>()?;
        placed.extend(by_place.into_values().map(|code| vec![code]));
    } else if values().all(|(_, value)| is_date(value)) {
        let dates: BTreeMap<&str, usize> = values().map(|(code, value)| (value, code)).collect();
        placed.extend(dates.into_values().map(|code| vec![code]));
    } else {
        let number =
            |(code, value): (usize, &str)| value.parse().ok().filter(|n: &f64| n.is_finite()).map(|n| (n, code));
        let mut numbers = values().map(number).collect::<Option<Vec<(f64, usize)>>>()?;
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let same = numbers.chunk_by(|a, b| a.0 == b.0);
        placed.extend(same.map(|same| same.iter().map(|(_, code)| *code).collect()));
    }
    placed.extend(missing);
    Some(placed)
}

fn is_date(text: &str) -> bool {
    let is_right = |(at, byte): (usize, u8)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() == 10 && text.bytes().enumerate().all(is_right)
}

/// For each level above the values, the node below which each node of the level before stands. The missing value stands
/// below the root, through nodes of its own. Nothing when a published value has no path.
fn levels(attribute: &SensitiveAttribute, paths: &[Vec<String>]) -> Option<Vec<Vec<usize>>> {
    let height = paths[0].len() - 1;
    let of_value: BTreeMap<&str, &Vec<String>> = paths.iter().map(|path| (path[0].as_str(), path)).collect();
    let path = |code: usize| match attribute.labels[code].as_deref() {
        Some(value) => of_value.get(value).copied().map(Some),
        None => Some(None),
    };
    attribute.whole().try_for_each(|(code, _)| path(code).map(|_| ()))?;
    let mut levels: Vec<Vec<usize>> = Vec::with_capacity(height);
    // The label of each node of the level before; at first a node is a code.
    let mut labels: Vec<Option<&Vec<String>>> = (0..attribute.labels.len()).map(|code| path(code).flatten()).collect();
    for level in 1..=height {
        let mut numbers: BTreeMap<Option<&String>, usize> = BTreeMap::new();
        let mut above: Vec<Option<&Vec<String>>> = Vec::new();
        let mut parents = Vec::with_capacity(labels.len());
        for path in labels {
            let label = path.map(|path| &path[level]).or_else(|| (level == height).then(|| &paths[0][height]));
            let next = numbers.len();
            let number = *numbers.entry(label).or_insert(next);
            above.extend((number == next).then_some(path));
            parents.push(number);
        }
        levels.push(parents);
        labels = above;
    }
    Some(levels)
}

/// The work that moves the surplus along the tree, times its height.
fn work(surplus: &[i128], levels: &[Vec<usize>]) -> u128 {
    let (mut below, mut work) = (surplus.to_vec(), 0);
    for (height, parents) in (1..).zip(levels) {
        let nodes = parents.iter().max().map_or(0, |last| last + 1);
        let (mut too_much, mut too_little) = (vec![0u128; nodes], vec![0u128; nodes]);
        for (&node, &surplus) in parents.iter().zip(&below) {
            let side = if surplus > 0 { &mut too_much } else { &mut too_little };
            side[node] += surplus.unsigned_abs();
        }
        let pairs = || too_much.iter().zip(&too_little);
        work += pairs().map(|(much, little)| much.min(little)).sum::<u128>() * height;
        // One of both is the larger; what is left of it keeps its sign.
        let left = |more: u128, less: u128| i128::try_from(more.saturating_sub(less)).unwrap_or(i128::MAX);
        below = pairs().map(|(&much, &little)| left(much, little) - left(little, much)).collect();
    }
    work
}
