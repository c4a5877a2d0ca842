//! t-closeness: the sensitive values of every class are spread nearly as in the whole release.
//!
//! N. Li, T. Li and S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and ℓ-diversity", ICDE 2007: the
//! earth mover's distance between the values of a class and those of the whole is at most t. How far apart two values are
//! is said by `distance`; all three have closed forms that are compared exactly (`spread.rs`):
//!
//! - `equal`: two different values are 1 apart.
//! - `ordered`: by their places in the order. Numbers and dates have one; for texts it has to be given as `order`, from
//!   the least to the greatest: the order of the alphabet says nothing about what texts mean, and a wrong order would make
//!   a promise that nobody asked for. Places are counted among the values that occur.
//! - `hierarchical`: by the height of their lowest common ancestor. The tree is given as `tree`: for each value its path,
//!   that is the value, its node on each level above, and the root, as the lines of a hierarchy file are.
//!
//! A missing value is a value: the last of an order, and directly below the root of a tree. `order` and `tree` may name
//! values that do not occur, so that they say nothing about the table.
//!
//! **What the whole is.** The rows that are published. A reader knows no others, the verifier sees no others, and the
//! manifest says nothing about the values of withheld rows. So a solver that withholds rows takes the model against the
//! rest ([`BoundModel::against`]).
//!
//! **When people are counted** both distributions are of people, each with one value: those of the class, and those whose rows
//! are published. A table in which some people have several values is refused.

use std::collections::BTreeMap;

use super::ModelEntry;
use crate::policy::earth_movers_distance::{Ground, Spread};
use crate::policy::sensitive::Sensitive;
use crate::{BoundModel, FrequencyTable, Infeasible, Kind, Members, Model, ModelError, Parameters, Ratio, percent};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "Among people who look alike, sensitive values are spread nearly as in the whole release: at most t away, \
              where 0 is alike and 1 as far as can be.",
    reference: "N. Li, T. Li and S. Venkatasubramanian, t-closeness, ICDE 2007",
    example: || Parameters::default().with("t", "1/5"),
    sensitive: true,
    new: |parameters| {
        parameters.only(ID, &["t", "distance", "order", "tree"])?;
        let t = parameters.share(ID, "t")?;
        let (order, tree) = (parameters.list(ID, "order")?, parameters.lists(ID, "tree", TREE)?);
        let wrong = |name, needed| Err(ModelError::Parameter { model: ID, name, needed });
        let words = &["equal", "ordered", "hierarchical"];
        let word = parameters.word(ID, "distance", words, "`equal`, `ordered` or `hierarchical`")?;
        let distance = match (word, order, tree) {
            ("equal", None, None) => Apart::Equal,
            ("ordered", order, None) => match order {
                Some(order) if has_twice(&order) => return wrong("order", ORDER),
                order => Apart::Ordered(order),
            },
            ("hierarchical", None, Some(tree)) if is_tree(&tree) => Apart::Hierarchical(tree),
            ("hierarchical", None, _) => return wrong("tree", TREE),
            (_, Some(_), _) => return wrong("order", "nothing unless the distance is `ordered`"),
            _ => return wrong("tree", "nothing unless the distance is `hierarchical`"),
        };
        Ok(Box::new(TCloseness { t, distance }))
    },
};

const ID: &str = "t-closeness";
const ORDER: &str = "each value once, from the least to the greatest";
const TREE: &str =
    "for each value once its path: the value, its node on each level, and the root; all paths equally long";

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
    pub distance: Apart,
}

/// How far apart two values are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Apart {
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

/// Whether paths of one length lead from different values to one root and never part again on the way.
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

impl Apart {
    /// How far the values of an attribute are apart; refused where they have no order or no place in the tree.
    pub(crate) fn ground(&self, table: &FrequencyTable, attribute: &Sensitive) -> Result<Ground, ModelError> {
        let dictionary = &table.attributes()[attribute.at].dictionary;
        let own = || (0..attribute.codes as u32).collect::<Vec<u32>>();
        let incomplete = |what| ModelError::IncompleteValues { column: attribute.name.clone(), what };
        match self {
            Apart::Equal => Ok(Ground::Levels(vec![own()])),
            Apart::Ordered(None) if dictionary.kind() == Kind::Text && dictionary.values().len() > 1 => {
                Err(ModelError::NoOrder { column: attribute.name.clone() })
            }
            Apart::Ordered(None) => Ok(Ground::Order(own())),
            Apart::Ordered(Some(order)) => {
                let mut places = vec![None; attribute.codes];
                for (place, value) in (0..).zip(order) {
                    if let Some(code) = attribute.code(table, value) {
                        places[code as usize] = Some(place);
                    }
                }
                if let Some(code) = dictionary.missing() {
                    places[code as usize] = Some(order.len() as u32);
                }
                let places: Option<Vec<u32>> = places.into_iter().collect();
                places.map(Ground::Order).ok_or_else(|| incomplete("order"))
            }
            Apart::Hierarchical(paths) => {
                let mut of_code: Vec<Option<&Vec<String>>> = vec![None; attribute.codes];
                for path in paths {
                    if let Some(code) = attribute.code(table, &path[0]) {
                        of_code[code as usize] = Some(path);
                    }
                }
                if (0..).zip(&of_code).any(|(code, path)| path.is_none() && Some(code) != dictionary.missing()) {
                    return Err(incomplete("tree"));
                }
                let level = |level: usize| {
                    let mut nodes: BTreeMap<Option<&String>, u32> = BTreeMap::new();
                    let labels = of_code.iter().map(|path| path.map(|path| &path[level]));
                    let mut number = |label| {
                        let next = nodes.len() as u32;
                        *nodes.entry(label).or_insert(next)
                    };
                    labels.map(&mut number).collect::<Vec<u32>>()
                };
                Ok(Ground::Levels((0..paths[0].len() - 1).map(level).collect()))
            }
        }
    }
}

impl Model for TCloseness {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        let share = percent(self.t.to_f64());
        let but = match self.distance {
            Apart::Equal => format!("but for at most {share} of the rows"),
            Apart::Ordered(_) => format!("but for a shift of at most {share} of their whole range on average"),
            Apart::Hierarchical(_) => {
                format!("but for at most {share} of the rows, fewer when the values are less akin")
            }
        };
        format!("In every class the sensitive values are spread as in the whole release, {but}.")
    }

    fn breach(&self) -> String {
        format!("whose values are spread more than t = {} away from the whole", self.t)
    }

    fn promise_for_people(&self) -> String {
        let distance = match self.distance {
            Apart::Equal => "equal",
            Apart::Ordered(_) => "ordered",
            Apart::Hierarchical(_) => "hierarchical",
        };
        format!(
            "In each class, the distribution of the values among the people is at most {} from that among all people of the \
             release ({distance} distance; 0 = the same, 1 = as far as possible).",
            self.t
        )
    }

    fn survives_merging(&self) -> bool {
        true
    }

    fn survives_growth(&self) -> bool {
        false
    }

    fn compares(&self) -> bool {
        true
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        let ground = |attribute: Sensitive| {
            let ground = self.distance.ground(table, &attribute)?;
            Ok((attribute, ground))
        };
        let attributes = Sensitive::one_each(ID, table, sensitive)?.into_iter().map(ground);
        let attributes = attributes.collect::<Result<Vec<_>, ModelError>>()?;
        Ok(Box::new(Bound::new(self.t, attributes, &[Members::whole(table)])))
    }
}

/// The rule for the attributes of one table, against one whole.
struct Bound {
    t: Ratio,
    attributes: Vec<(Sensitive, Ground)>,
    spreads: Vec<Spread>,
    /// A class of fewer rows cannot keep it.
    least: u64,
}

impl Bound {
    fn new(t: Ratio, attributes: Vec<(Sensitive, Ground)>, whole: &[Members<'_>]) -> Self {
        let spread =
            |(attribute, ground): &(Sensitive, Ground)| Spread::new(attribute.at, ground, &attribute.whole(whole));
        let spreads: Vec<Spread> = attributes.iter().map(spread).collect();
        let least = spreads.iter().map(|spread| spread.least_rows(t)).max().unwrap_or(1);
        Bound { t, attributes, spreads, least }
    }
}

impl BoundModel for Bound {
    fn gap(&self, class: &Members<'_>) -> u64 {
        let lacks = |spread: &Spread| {
            let distance = spread.distance(class);
            if distance.is_within(self.t) { 0 } else { distance.lacking(self.t) }
        };
        let lacking = self.spreads.iter().map(lacks).max().unwrap_or(0);
        if lacking == 0 { 0 } else { lacking.max(self.least.saturating_sub(class.size())) }
    }

    fn holds(&self, class: &Members<'_>) -> bool {
        class.size() >= self.least && self.spreads.iter().all(|spread| spread.distance(class).is_within(self.t))
    }

    fn spare(&self, class: &Members<'_>) -> u64 {
        let spare = |spread: &Spread| spread.distance(class).to_spare(self.t);
        self.spreads.iter().map(spare).min().unwrap_or(u64::MAX)
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let far = self.attributes.iter().zip(&self.spreads).map(|(of, spread)| (spread.distance(whole).to_f64(), of));
        let far = far.max_by(|a, b| a.0.total_cmp(&b.0));
        let (far, name) = far.map_or((0.0, String::new()), |(far, of)| (far, of.0.name.clone()));
        // Rounded up, so that the t shown is feasible.
        let least = ((far * 1e4).ceil() / 1e4).min(1.0);
        Infeasible {
            model: ID,
            columns: vec![name.clone()],
            fact: format!(
                "the values of “{name}” are {least} away from those they are compared with, more than t = {}",
                self.t
            ),
            way_out: format!("take t of at least {least}"),
        }
    }

    /// The rows that are left are the whole, and the whole is like itself: nothing has to be withheld.
    fn excess(&self, _: &Members<'_>) -> Vec<(usize, u32, u64)> {
        Vec::new()
    }

    fn against(&self, whole: &[Members<'_>]) -> Option<Box<dyn BoundModel>> {
        Some(Box::new(Bound::new(self.t, self.attributes.clone(), whole)))
    }
}
