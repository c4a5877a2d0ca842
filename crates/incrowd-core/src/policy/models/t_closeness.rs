//! t-closeness: the sensitive values of every class are spread nearly as in the whole release.
//!
//! N. Li, T. Li and S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and ℓ-diversity", ICDE 2007: the
//! earth mover's distance between the values of a class and those of the whole is at most t. How far apart two values are
//! is said by `distance`; all three have closed forms that are compared exactly (`earth_movers_distance.rs`):
//!
//! - `equal`: two distinct values are 1 apart.
//! - `ordered`: by their places in the order. Numbers and dates have one; for texts it has to be given as `order`, from
//!   the least to the greatest: the order of the alphabet says nothing about what texts mean, and a wrong order would make
//!   a promise that was not asked for. Places are counted among the values that occur.
//! - `hierarchical`: by the height of their lowest common ancestor. The tree is given as `tree`: for each value its path,
//!   that is the value, its node on each level above, and the root, as the lines of a hierarchy file are.
//!
//! A missing value is a value: the last of an order, and directly below the root of a tree. `order` and `tree` may name
//! values that do not occur, so that they say nothing about the table.

use std::collections::BTreeMap;

use super::ModelEntry;
use crate::numbers::Fraction;
use crate::policy::compared_with_whole::{ComparedAttribute, ComparedWithWhole, ComparisonRule};
use crate::policy::earth_movers_distance::{GroundDistance, WholeDistribution};
use crate::policy::parameter_entry::GivenParameters;
use crate::policy::samples::{each_with, ratios};
use crate::policy::sensitive::{Sensitive, Whole};
use crate::policy::tightest::{ExaminedClass, ExaminedColumn, TightestValue, WorstClass};
use crate::policy::{
    BoundModel, HoldsFor, Infeasible, Model, ModelError, OrderLimit, ParameterEntry, Parameters, ShareLimits, Survives,
    TightestEntry,
};
use crate::{FrequencyTable, Kind, Members, Ratio};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "In every class, the distribution of the sensitive values is at most t from that of the whole release (0 \
              = the same, 1 = as far as possible).",
    reference: "N. Li, T. Li and S. Venkatasubramanian, t-closeness, ICDE 2007",
    parameters: &[T, DISTANCE, ORDER, TREE],
    example: || Parameters::default().with("t", "1/5"),
    samples: |values| {
        let distances = sample_distances(values);
        each_with(&ratios("t", 1..19, 20), &distances, |sample, distance| {
            distance.iter().fold(sample, |sample, (name, value)| sample.with(name, value.clone()))
        })
    },
    sensitive: true,
    population: false,
    several_values: false,
    tightest: &[
        TightestEntry::of("t_equal", "t", HoldsFor::From),
        TightestEntry::with("t_ordered", "t", HoldsFor::From, |_| {
            Some(Parameters::from_iter([("distance", "ordered")]))
        }),
        TightestEntry::with("t_hierarchical", "t", HoldsFor::From, |relations| {
            Some(hierarchical(relations.tree.as_ref()?))
        }),
    ],
    new: |given| Ok(Box::new(TCloseness { t: given.share(&T)?, distance: ValueDistance::read(given)? })),
    worst_class: FarthestClass::find,
    #[cfg(test)]
    definition: tests::definition,
};

const ID: &str = "t-closeness";
const T: ParameterEntry = ParameterEntry::share(
    "t",
    "t",
    "Maximum distance between the distribution in a class and in the release: 0 = the same, 1 = as far as possible.",
);
const DISTANCE: ParameterEntry = ParameterEntry::word(
    "distance",
    &["equal", "ordered", "hierarchical"],
    "`equal`, `ordered` or `hierarchical`",
    "Distance between two values: equal, ordered or hierarchical [default: equal].",
);
const ORDER: ParameterEntry =
    ParameterEntry::values("order", "The values in ascending order, for the ordered distance of texts.");
const TREE: ParameterEntry = ParameterEntry::paths(
    "tree",
    "for each value once its path: the value, its node on each level, and the root; all paths equally long",
    "The path of each value to the root of a hierarchy, for the hierarchical distance.",
);

/// The parameters of the hierarchical distance along a tree.
fn hierarchical(tree: &[Vec<String>]) -> Parameters {
    Parameters::from_iter([("distance", "hierarchical")]).with("tree", tree.to_vec())
}

/// Each distance for an attribute with these values: orders and trees of several shapes.
fn sample_distances(values: &[String]) -> Vec<Parameters> {
    let ordered = || Parameters::from_iter([("distance", "ordered")]);
    let order = |order: Vec<&String>| {
        let unknown = "unknown".to_owned();
        ordered().with("order", order.into_iter().chain([&unknown]).cloned().collect::<Vec<String>>())
    };
    let turned = values.iter().skip(1).step_by(2).chain(values.iter().step_by(2)).collect();
    let tree = |nodes: fn(usize) -> Vec<usize>| {
        let path = |(at, value): (usize, &String)| {
            let nodes = nodes(at).into_iter().map(|node| format!("node {node}"));
            std::iter::once(value.clone()).chain(nodes).chain(["*".to_owned()]).collect::<Vec<String>>()
        };
        hierarchical(&values.iter().enumerate().map(path).collect::<Vec<_>>())
    };
    let numbers = values.iter().all(|value| value.parse::<i64>().is_ok());
    let own_order = numbers.then(ordered);
    let distances = [
        Parameters::default(),
        order(values.iter().rev().collect()),
        order(turned),
        order(values.iter().collect()),
        tree(|_| Vec::new()),
        tree(|at| vec![at / 2]),
        tree(|at| vec![at.div_ceil(2), at.div_ceil(2).min(1)]),
    ];
    distances.into_iter().chain(own_order).collect()
}

/// The values of a class are at most t away from those of the whole, for each named attribute.
///
/// **It survives merging.** The distance to the whole is convex, and the values of a union are spread as a mixture of both
/// parts: its distance is at most the mixture of both distances, neither of which is above t. It does not survive growth:
/// rows that join may all have one value. With people, who may be in both classes, it does not survive merging: the values of
/// the union are no mixture of both parts. With 1: v, 2: w, 3: v, 4: w the classes {1, 2} and {2, 3} are at distance 0, their
/// union at distance 1/6.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TCloseness {
    /// The largest distance.
    pub t: Ratio,
    /// How far apart two values are.
    pub distance: ValueDistance,
}

/// How far apart two values are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueDistance {
    /// 1 unless they are the same.
    Equal,
    /// By their places in the order that is given, or in that of the numbers or dates.
    Ordered(Option<Vec<String>>),
    /// By the height of their lowest common ancestor; for each value its path to the root.
    Hierarchical(Vec<Vec<String>>),
}

fn has_twice(values: &[String]) -> bool {
    let mut values: Vec<&String> = values.iter().collect();
    values.sort_unstable();
    values.windows(2).any(|pair| pair[0] == pair[1])
}

/// Whether paths of one length lead from distinct values to one root and never part again on the way.
fn is_tree(paths: &[Vec<String>]) -> bool {
    let depth = paths[0].len();
    let leaves: Vec<String> = paths.iter().map(|path| path[0].clone()).collect();
    let mut parents: BTreeMap<(usize, &String), &String> = BTreeMap::new();
    let steps = || paths.iter().flat_map(|path| path.windows(2).enumerate());
    depth >= 2
        && paths.iter().all(|path| path.len() == depth && path[depth - 1] == paths[0][depth - 1])
        && !has_twice(&leaves)
        && steps().all(|(level, step)| *parents.entry((level, &step[0])).or_insert(&step[1]) == &step[1])
}

impl ValueDistance {
    /// The distance that the parameters state.
    fn read(given: GivenParameters<'_>) -> Result<ValueDistance, ModelError> {
        let (order, tree) = (given.values(&ORDER)?, given.value_lists(&TREE)?);
        let wrong = |parameter: ParameterEntry, needed| Err(given.refused(&ParameterEntry { needed, ..parameter }));
        match (given.word(&DISTANCE)?, order, tree) {
            ("equal", None, None) => Ok(ValueDistance::Equal),
            ("ordered", order, None) => match order {
                Some(order) if has_twice(&order) => wrong(ORDER, "each value once, in ascending order"),
                order => Ok(ValueDistance::Ordered(order)),
            },
            ("hierarchical", None, Some(tree)) if is_tree(&tree) => Ok(ValueDistance::Hierarchical(tree)),
            ("hierarchical", None, _) => Err(given.refused(&TREE)),
            (_, Some(_), _) => wrong(ORDER, "nothing unless the distance is `ordered`"),
            _ => wrong(TREE, "nothing unless the distance is `hierarchical`"),
        }
    }

    /// How far the values of an attribute are apart; refused where they have no order or no place in the tree.
    fn ground(&self, table: &FrequencyTable, attribute: &Sensitive) -> Result<GroundDistance, ModelError> {
        let dictionary = &table.attributes()[attribute.at].dictionary;
        let own = || (0..).take(attribute.codes).collect::<Vec<u32>>();
        match self {
            ValueDistance::Equal => Ok(GroundDistance::Levels(vec![own()])),
            ValueDistance::Ordered(None) if dictionary.kind() == Kind::Text && dictionary.values().len() > 1 => {
                Err(ModelError::NoOrder { column: attribute.name.clone() })
            }
            ValueDistance::Ordered(None) => Ok(GroundDistance::Order(own())),
            ValueDistance::Ordered(Some(order)) => places(order, table, attribute).map(GroundDistance::Order),
            ValueDistance::Hierarchical(paths) => levels(paths, table, attribute).map(GroundDistance::Levels),
        }
    }
}

/// The place of each code in an order, a missing value last; refused when a value has none.
fn places(order: &[String], table: &FrequencyTable, attribute: &Sensitive) -> Result<Vec<u32>, ModelError> {
    let mut places = vec![None; attribute.codes];
    let mut last = 0;
    for (place, value) in (0..).zip(order) {
        if let Some(code) = attribute.code(table, value) {
            places[code as usize] = Some(place);
        }
        last = place + 1;
    }
    if let Some(code) = table.attributes()[attribute.at].dictionary.missing() {
        places[code as usize] = Some(last);
    }
    let places: Option<Vec<u32>> = places.into_iter().collect();
    places.ok_or_else(|| ModelError::IncompleteValues { column: attribute.name.clone(), what: "order" })
}

/// For each level below the root the number of the node of each code; refused when a value has no path.
fn levels(paths: &[Vec<String>], table: &FrequencyTable, attribute: &Sensitive) -> Result<Vec<Vec<u32>>, ModelError> {
    let missing = table.attributes()[attribute.at].dictionary.missing();
    let mut of_code: Vec<Option<&Vec<String>>> = vec![None; attribute.codes];
    for path in paths {
        if let Some(code) = attribute.code(table, &path[0]) {
            of_code[code as usize] = Some(path);
        }
    }
    if (0..).zip(&of_code).any(|(code, path)| path.is_none() && Some(code) != missing) {
        return Err(ModelError::IncompleteValues { column: attribute.name.clone(), what: "tree" });
    }
    let level = |level: usize| {
        let (mut nodes, mut next): (BTreeMap<Option<&String>, u32>, u32) = Default::default();
        let labels = of_code.iter().map(|path| path.map(|path| &path[level]));
        let number = |label| {
            *nodes.entry(label).or_insert_with(|| {
                next += 1;
                next - 1
            })
        };
        labels.map(number).collect::<Vec<u32>>()
    };
    Ok((0..paths[0].len() - 1).map(level).collect())
}

impl TCloseness {
    fn distance_name(&self) -> &'static str {
        match self.distance {
            ValueDistance::Equal => "equal",
            ValueDistance::Ordered(_) => "ordered",
            ValueDistance::Hierarchical(_) => "hierarchical",
        }
    }
}

impl Model for TCloseness {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        format!(
            "In every class, the distribution of the sensitive values is at most {} from that of the whole release \
             ({} distance; 0 = the same, 1 = as far as possible).",
            self.t,
            self.distance_name()
        )
    }

    fn breach(&self) -> String {
        format!("with a distance of more than t = {} from the whole release", self.t)
    }

    fn promise_for_people(&self) -> String {
        format!(
            "In each class, the distribution of the values among the people is at most {} from that among all people \
             of the release ({} distance; 0 = the same, 1 = as far as possible).",
            self.t,
            self.distance_name()
        )
    }

    fn survives(&self) -> Survives {
        Survives::Merging
    }

    fn compares(&self) -> bool {
        true
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        ComparedWithWhole::bind(self.clone(), table, sensitive)
    }
}

impl ComparisonRule for TCloseness {
    type Known = GroundDistance;
    type Limits = WholeDistribution;

    const ID: &'static str = ID;

    fn known(&self, table: &FrequencyTable, attribute: &Sensitive) -> Result<GroundDistance, ModelError> {
        self.distance.ground(table, attribute)
    }

    fn limits(&self, attribute: &Sensitive, ground: &GroundDistance, whole: &Whole) -> WholeDistribution {
        WholeDistribution::new(attribute.at, ground, whole)
    }

    fn least_rows(&self, whole: &WholeDistribution) -> u64 {
        whole.least_rows(self.t)
    }

    fn allows(&self, _: usize, whole: &WholeDistribution, class: &Members<'_>, _: u64) -> bool {
        whole.distance(class).is_within(self.t)
    }

    fn share_limits(&self, _: usize, whole: &WholeDistribution) -> Vec<ShareLimits> {
        whole.share_limits(self.t)
    }

    fn fewest_rows(&self, whole: &WholeDistribution) -> u64 {
        whole.fewest_rows(self.t)
    }

    fn order_limit(&self, whole: &WholeDistribution) -> Option<OrderLimit> {
        whole.order_limit(self.t)
    }

    fn lacking(&self, _: usize, whole: &WholeDistribution, class: &Members<'_>, _: u64) -> u64 {
        let distance = whole.distance(class);
        if distance.is_within(self.t) { 0 } else { distance.lacking(self.t) }
    }

    fn spare(&self, _: usize, whole: &WholeDistribution, class: &Members<'_>) -> u64 {
        whole.distance(class).to_spare(self.t)
    }

    fn infeasible(&self, attributes: &[ComparedAttribute<Self>], whole: &Members<'_>) -> Infeasible {
        let far = attributes.iter().map(|one| (one.limits.distance(whole).to_f64(), &one.attribute.name));
        let far = far.max_by(|a, b| a.0.total_cmp(&b.0));
        let (far, name) = far.map_or((0.0, String::new()), |(far, name)| (far, name.clone()));
        // Rounded up, so that the t shown is feasible.
        let least = ((far * 1e4).ceil() / 1e4).min(1.0);
        Infeasible {
            model: ID,
            columns: vec![name.clone()],
            fact: format!(
                "the distribution of “{name}” has a distance of {least} from that of the rows it is compared with, \
                 which is above t = {}",
                self.t
            ),
            remedy: format!("use a t of at least {least}"),
        }
    }
}

/// The classes that are farthest from the whole by each distance that is defined for an attribute.
struct FarthestClass {
    /// For the equal, the ordered and the hierarchical distance.
    distances: [Option<(WholeDistribution, Fraction)>; 3],
}

impl FarthestClass {
    fn find(column: &ExaminedColumn<'_>) -> Result<Option<Box<dyn WorstClass>>, ModelError> {
        let start = |ground: GroundDistance| {
            (WholeDistribution::new(column.attribute.at, &ground, &column.whole), Fraction::ZERO)
        };
        let ground = |apart: ValueDistance| apart.ground(column.table, &column.attribute);
        let hierarchical = match &column.relations.tree {
            None => None,
            Some(tree) => {
                let parameters = hierarchical(tree);
                let apart = ValueDistance::read(GivenParameters::new(ID, ENTRY.parameters, &parameters)?)?;
                Some(start(ground(apart)?))
            }
        };
        let equal = ground(ValueDistance::Equal).ok().map(start);
        let ordered = ground(ValueDistance::Ordered(None)).ok().map(start);
        let farthest = FarthestClass { distances: [equal, ordered, hierarchical] };
        Ok((column.several == 0).then(|| Box::new(farthest) as Box<dyn WorstClass>))
    }
}

impl WorstClass for FarthestClass {
    fn examine(&mut self, class: &ExaminedClass<'_>) {
        for (whole, farthest) in self.distances.iter_mut().flatten() {
            *farthest = farthest.larger(whole.distance(class.members).ratio());
        }
    }

    fn figures(&self) -> Vec<Option<TightestValue>> {
        let figure = |distance: &Option<(WholeDistribution, Fraction)>| {
            distance.as_ref().and_then(|(_, farthest)| farthest.rounded_up()).map(TightestValue::Decimal)
        };
        self.distances.iter().map(figure).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::policy::model_laws::{AskedParameters, ValueCounts, least_work};

    /// The least work that moves the values of the class to those of the whole, by brute force.
    pub(super) fn definition(asked: &AskedParameters<'_>, class: &ValueCounts, whole: &ValueCounts) -> Option<bool> {
        let (rows, all) = (class.total(), whole.total());
        let codes = ordered(asked, whole);
        let from: Vec<u64> = codes.iter().map(|&code| class.of(code) * all).collect();
        let to: Vec<u64> = codes.iter().map(|&code| whole.of(code) * rows).collect();
        let (apart, farthest) = apart(asked, &codes);
        let (above, below) = asked.ratio("t");
        Some(least_work(&from, &to, apart) * below <= above * farthest * rows * all)
    }

    /// The values of the whole, in the order that is given or that they have; a missing value last.
    fn ordered(asked: &AskedParameters<'_>, whole: &ValueCounts) -> Vec<u32> {
        let mut codes: Vec<u32> = whole.by_code().map(|(code, _)| code).collect();
        if let Some(order) = asked.list("order") {
            let place = |&code: &u32| match ValueCounts::label(code) {
                None => order.len(),
                Some(label) => order.iter().position(|value| *value == label).unwrap(),
            };
            codes.sort_by_key(place);
        }
        codes
    }

    /// How far apart two of these values are, and what counts as 1.
    fn apart(asked: &AskedParameters<'_>, codes: &[u32]) -> (Box<dyn Fn(usize, usize) -> u64>, u64) {
        if asked.is("distance", "ordered") {
            return (Box::new(|a: usize, b: usize| a.abs_diff(b) as u64), (codes.len() as u64 - 1).max(1));
        }
        if asked.is("distance", "hierarchical") {
            let paths = asked.lists("tree");
            let height = paths[0].len() - 1;
            let path = |&code: &u32| paths.iter().find(|path| Some(&path[0]) == ValueCounts::label(code).as_ref());
            let paths: Vec<Option<Vec<String>>> = codes.iter().map(|code| path(code).cloned()).collect();
            let apart = move |a: usize, b: usize| match (&paths[a], &paths[b]) {
                _ if a == b => 0,
                (Some(a), Some(b)) => (0..=height).find(|&level| a[level] == b[level]).unwrap() as u64,
                _ => height as u64,
            };
            return (Box::new(apart), height as u64);
        }
        (Box::new(|a: usize, b: usize| u64::from(a != b)), 1)
    }
}
