//! Similarity: values that differ but mean nearly the same give as much away as one.
//!
//! N. Li, T. Li and S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and ℓ-diversity", ICDE 2007,
//! section 3.1: a class with three low salaries or three illnesses of the stomach is 3-diverse, and still says "poor"
//! and "ill in the stomach". How near values are is said by an order or by a tree over them. A class is *alike* when
//!
//! - in an order all its values stand within a tenth of the places;
//! - in a tree all its values are below one node of the first level above the values.
//!
//! The distances are the earth mover's: `mean_distance` and `max_distance` of a class from the whole release, 0 for the
//! same values and 1 for as far as can be. It is proved: counted on what is published, for the order or tree that is
//! given.

use incrowd_core::Outcome;

use super::shared::{Published, PublishedClass, part};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "similarity",
    summary: "An attacker learns what all values of a person's class have in common.",
    needs: AttackNeed::OrderedValues,
    bounded_by: None,
    reference: "N. Li, T. Li and S. Venkatasubramanian, t-closeness, ICDE 2007",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let known = material.sensitive().filter_map(|column| Some((column, material.likeness[column].as_ref()?)));
    let outcomes: Vec<Outcome> = known.map(|(column, near)| attack(material.published, column, near)).collect();
    if outcomes.is_empty() { Err(AttackNeed::OrderedValues.into()) } else { Ok(outcomes) }
}

/// Values of an order are near each other when no more than this part of its places lies between them.
const NEAR: f64 = 0.1;

/// How near values of a column are to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// The place of each code in an order. Places are then counted among the values that occur.
    Order(Vec<u32>),
    /// For each level of a tree below its root, the values first, the node of each code.
    Levels(Vec<Vec<u32>>),
}

/// Runs the attack on a sensitive column whose values are more or less alike: the share of the rows in classes whose
/// values are all alike. The baseline is the share in classes of one value.
///
/// # Panics
/// If a code of the column has no place, or a tree has no level.
pub fn attack(published: &Published, column: usize, likeness: &Likeness) -> Outcome {
    let ground = WholeValues::new(published, column, likeness);
    let bag = |class: &PublishedClass| ground.placed(&class.bags[column]);
    let success = published.share_where(|class| ground.alike(&bag(class)));
    let baseline = published.share_where(|class| class.bags[column].len() == 1);
    let distances: Vec<(f64, f64)> =
        published.classes().iter().map(|class| (class.rows as f64, ground.distance(&bag(class), class.rows))).collect();
    let mean = distances.iter().map(|(rows, distance)| rows * distance).sum::<f64>() / published.rows().max(1) as f64;
    let name = &published.sensitive()[column];
    let near = match likeness {
        Likeness::Order(_) => "within a tenth of the order",
        Likeness::Levels(_) => "of one category",
    };
    Outcome::proved(ENTRY.id, name, success, baseline, published.rows())
        .with("mean_distance", mean)
        .with("max_distance", distances.iter().map(|&(_, distance)| distance).fold(0.0, f64::max))
        .saying(format!(
            "For {} of the {}, all values of {name} in their class are {near}; for {}, they are the same.",
            part(success),
            published.who(),
            part(baseline),
        ))
}

/// The values of the whole, as classes are held against them. A code is replaced by a number: its place among the
/// values that occur, or itself in a tree.
enum WholeValues {
    Order {
        /// For each code its place.
        places: Vec<u32>,
        /// For each place the share of the whole up to it and with it.
        below: Vec<f64>,
        /// The sums of these up to each place.
        sums: Vec<f64>,
    },
    /// For each level the node of each code and the share of each node in the whole.
    Levels(Vec<(Vec<u32>, Vec<f64>)>),
}

impl WholeValues {
    fn new(published: &Published, column: usize, likeness: &Likeness) -> Self {
        let totals = published.totals(column);
        let whole = published.rows().max(1) as f64;
        match likeness {
            Likeness::Order(order) => {
                let mut placed: Vec<(u32, u32, u64)> =
                    totals.iter().map(|&(code, rows)| (order[code as usize], code, rows)).collect();
                placed.sort_unstable();
                let mut places = vec![0; order.len()];
                (0..).zip(&placed).for_each(|(place, &(_, code, _))| places[code as usize] = place);
                let running = |sum: &mut u64, &(_, _, rows): &(u32, u32, u64)| {
                    *sum += rows;
                    Some(*sum as f64 / whole)
                };
                let below: Vec<f64> = placed.iter().scan(0, running).collect();
                let sum = |sum: &mut f64, share: &f64| {
                    *sum += share;
                    Some(*sum)
                };
                let sums = std::iter::once(0.0).chain(below.iter().scan(0.0, sum)).collect();
                WholeValues::Order { places, below, sums }
            }
            Likeness::Levels(levels) => {
                assert!(!levels.is_empty(), "a tree has at least the level of its values");
                let level = |nodes: &Vec<u32>| {
                    let mut shares = vec![0.0; nodes.iter().max().map_or(0, |&last| last as usize + 1)];
                    totals
                        .iter()
                        .for_each(|&(code, rows)| shares[nodes[code as usize] as usize] += rows as f64 / whole);
                    (nodes.clone(), shares)
                };
                WholeValues::Levels(levels.iter().map(level).collect())
            }
        }
    }

    /// The values of a class with their rows, in order.
    fn placed(&self, bag: &[(u32, u64)]) -> Vec<(u32, u64)> {
        let mut placed = bag.to_vec();
        if let WholeValues::Order { places, .. } = self {
            placed.iter_mut().for_each(|value| value.0 = places[value.0 as usize]);
            placed.sort_unstable();
        }
        placed
    }

    fn alike(&self, bag: &[(u32, u64)]) -> bool {
        match self {
            WholeValues::Order { below, .. } => {
                let (first, last) = (bag.first().map_or(0, |value| value.0), bag.last().map_or(0, |value| value.0));
                f64::from(last - first) <= NEAR * (below.len().max(1) - 1) as f64
            }
            WholeValues::Levels(levels) => {
                let (nodes, _) = &levels[1.min(levels.len() - 1)];
                bag.windows(2).all(|pair| nodes[pair[0].0 as usize] == nodes[pair[1].0 as usize])
            }
        }
    }

    fn distance(&self, bag: &[(u32, u64)], rows: u64) -> f64 {
        match self {
            WholeValues::Order { below, sums, .. } => {
                let (mut own, mut place, mut moved) = (0, 0, 0.0);
                // Between two values of the class its share below stays, and that of the whole grows: up to some place
                // the class has too many, from there on too few.
                let ends =
                    bag.iter().copied().chain(std::iter::once((u32::try_from(below.len()).unwrap_or(u32::MAX), 0)));
                for (end, more) in ends {
                    let (end, share) = (end as usize, own as f64 / rows as f64);
                    let turn = place + below[place..end].partition_point(|&all| all < share);
                    moved += share * (turn - place) as f64 - (sums[turn] - sums[place]);
                    moved += sums[end] - sums[turn] - share * (end - turn) as f64;
                    (own, place) = (own + more, end);
                }
                (moved / (below.len().max(2) - 1) as f64).clamp(0.0, 1.0)
            }
            WholeValues::Levels(levels) => {
                let level = |(nodes, shares): &(Vec<u32>, Vec<f64>)| {
                    let mut own: Vec<(u32, u64)> =
                        bag.iter().map(|&(code, rows)| (nodes[code as usize], rows)).collect();
                    own.sort_unstable();
                    let sums = own.chunk_by(|a, b| a.0 == b.0).map(|equal| {
                        let own = equal.iter().map(|&(_, rows)| rows).sum::<u64>() as f64 / rows as f64;
                        (own - shares[equal[0].0 as usize]).max(0.0)
                    });
                    sums.sum::<f64>()
                };
                levels.iter().map(level).sum::<f64>() / levels.len() as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn published(classes: &[&[u32]]) -> Published {
        let class = |(cell, values): (u32, &&[u32])| PublishedClass::of_rows(&[cell], values.len() as u64, &[values]);
        Published::new(vec!["salary".to_owned()], (0..).zip(classes).map(class).collect())
    }

    /// The example of the paper: salaries 3k … 11k; {3k, 4k, 5k} is 0.375 away from all of them, {6k, 8k, 11k} 0.167.
    #[test]
    fn three_low_salaries_are_farther_from_all_than_three_mixed_ones() {
        let published = published(&[&[0, 1, 2], &[3, 5, 8], &[4, 6, 7]]);
        let order = Likeness::Order((0..9).collect());
        let ground = WholeValues::new(&published, 0, &order);
        let distance = |codes: &[u32]| ground.distance(&codes.iter().map(|&code| (code, 1)).collect::<Vec<_>>(), 3);
        assert!((distance(&[0, 1, 2]) - 0.375).abs() < 1e-12 && (distance(&[3, 5, 8]) - 1.0 / 6.0).abs() < 1e-12);
        assert!((attack(&published, 0, &order).figure("max_distance").unwrap_or(0.0) - 0.375).abs() < 1e-12);
    }

    #[test]
    fn values_of_one_kind_are_alike_though_they_differ() {
        let published = published(&[&[0, 1], &[0, 2], &[3, 3]]);
        let tree = Likeness::Levels(vec![vec![0, 1, 2, 3], vec![0, 0, 1, 1]]);
        let found = attack(&published, 0, &tree);
        assert_eq!((found.success, found.baseline), (4.0 / 6.0, 2.0 / 6.0));
        let flat = attack(&published, 0, &Likeness::Levels(vec![vec![0, 1, 2, 3]]));
        assert_eq!((flat.success, flat.baseline), (2.0 / 6.0, 2.0 / 6.0));
    }

    #[test]
    fn neighbours_in_a_long_order_are_alike() {
        let all: Vec<u32> = (0..21).collect();
        let published = published(&[&[3, 5], &[3, 6], &all]);
        let found = attack(&published, 0, &Likeness::Order((0..21).rev().collect()));
        assert_eq!((found.success, found.baseline), (2.0 / 25.0, 0.0));
    }

    proptest! {
        /// The definition, gap by gap.
        #[test]
        fn the_ordered_distance_is_the_mean_of_what_passes_each_gap(
            classes in prop::collection::vec(prop::collection::vec(0u32..7, 1..8), 1..5),
        ) {
            let slices: Vec<&[u32]> = classes.iter().map(Vec::as_slice).collect();
            let published = published(&slices);
            let ground = WholeValues::new(&published, 0, &Likeness::Order((0..7).collect()));
            let totals = published.totals(0);
            for class in published.classes() {
                let below = |bag: &[(u32, u64)], code: u32, rows: u64| {
                    bag.iter().filter(|value| value.0 <= code).map(|value| value.1).sum::<u64>() as f64 / rows as f64
                };
                let gap = |&(code, _): &(u32, u64)| {
                    (below(&class.bags[0], code, class.rows) - below(&totals, code, published.rows())).abs()
                };
                let expected = totals.iter().map(gap).sum::<f64>() / (totals.len().max(2) - 1) as f64;
                let found = ground.distance(&ground.placed(&class.bags[0]), class.rows);
                prop_assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        }
    }
}
