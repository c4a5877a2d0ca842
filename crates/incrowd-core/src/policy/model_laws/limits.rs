//! What a model says about every class that keeps it: limits on shares and distances, and the fewest rows. They hold for all
//! small classes that keep it, and the best of these come near.

#![allow(clippy::unwrap_used)]

use super::case::AskedModel;
use super::small_tables::{CODES, CodeRows, CodeTable, classes_of_at_most, entries, samples};
use crate::{Attribute, Dictionary, FrequencyTable, Members, OrderLimit, Parameters, Role, Rule, ShareLimits};

/// Tables that classes are compared with: all values occur in the first one, and few in the last one.
const TABLES: [CodeRows; 3] = [[4, 3, 2, 2, 1], [1, 0, 1, 5, 1], [3, 0, 0, 2, 0]];

/// By how much the limits of a model are wider than the best of the tried classes, in sum.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Wider {
    /// The largest share of each value.
    shares: f64,
    /// The fewest rows.
    rows: u64,
    /// The largest distance along an order.
    distance: f64,
}

/// By how much the limits of each model are wider at most. A model without limits allows every share.
const WIDER: &[(&str, Wider)] = &[
    ("k-anonymity", Wider { shares: 0.0, rows: 0, distance: 0.0 }),
    ("alpha-deassociation", Wider { shares: 2e-08, rows: 0, distance: 0.0 }),
    ("p-sensitive", Wider { shares: 3.75, rows: 0, distance: 0.0 }),
    ("extended-p-sensitive", Wider { shares: 9.375, rows: 0, distance: 0.0 }),
    ("distinct-l-diversity", Wider { shares: 6.25, rows: 0, distance: 0.0 }),
    ("frequency-l-diversity", Wider { shares: 1.3e-08, rows: 0, distance: 0.0 }),
    ("entropy-l-diversity", Wider { shares: 2.20552, rows: 0, distance: 0.0 }),
    ("recursive-c-l-diversity", Wider { shares: 12.3749, rows: 10, distance: 0.0 }),
    ("t-closeness", Wider { shares: 610.900001, rows: 1, distance: 13.762501 }),
    ("beta-likeness", Wider { shares: 2.91473, rows: 78, distance: 0.0 }),
    ("delta-disclosure", Wider { shares: 14.55643, rows: 1, distance: 0.0 }),
];

fn share_of(class: &CodeRows, is_in: impl Fn(usize) -> bool) -> f64 {
    let rows: u64 = (0..CODES).filter(|&code| is_in(code)).map(|code| class[code]).sum();
    rows as f64 / class.iter().sum::<u64>() as f64
}

/// By how much a class has more than the shares of its groups.
fn beyond(limits: &ShareLimits, class: &CodeRows) -> f64 {
    let share = |group: usize| share_of(class, |code| limits.groups[code] == group);
    (0..limits.most.len()).map(|group| (share(group) - limits.most[group]).max(0.0)).sum()
}

/// The largest share of one value that the limits allow.
fn allowed(limits: &[ShareLimits], code: usize) -> f64 {
    limits.iter().map(|limits| limits.most[limits.groups[code]] + limits.excess).fold(1.0, f64::min)
}

/// The distance of a class along an order, as a limit defines it.
fn along(limit: &OrderLimit, class: &CodeRows) -> f64 {
    let passing = |place: usize| (share_of(class, |code| limit.places[code] <= place) - limit.below[place]).abs();
    let gaps = limit.below.len() - 1;
    (0..gaps).map(passing).sum::<f64>() / gaps.max(1) as f64
}

/// Checks the limits of a model on all classes of values of a table, and adds up by how much they are wider than needed.
fn check(asked: &AskedModel, given: &CodeTable, classes: &[CodeRows], wider: &mut Wider) {
    let (bound, model) = (asked.bind(&given.table), asked.model());
    let (shares, orders) = (bound.share_limits(), bound.order_limits());
    let is_ordered = asked.parameters.get("distance") == Some(&"ordered".into());
    assert_eq!(orders.len(), usize::from(is_ordered), "{asked:?}");
    assert!(orders.iter().all(|limit| limit.places.iter().all(|&place| place < limit.below.len())), "{asked:?}");
    let least = model.least_rows().max(bound.fewest_rows());
    assert!(bound.fewest_rows() > 0 && model.least_rows() > 0, "{asked:?}: a class has at least one row");
    assert!(shares.iter().all(|limits| limits.attribute == 1 && limits.compares == model.compares()), "{asked:?}");
    let (mut largest, mut fewest, mut farthest) = ([0.0f64; CODES], u64::MAX, 0.0f64);
    for class in classes.iter().filter(|class| given.is_part(class)) {
        let members = given.class(class);
        let holds = bound.holds(&Members::new(&given.table, &members));
        for limit in &orders {
            let distance = along(limit, class);
            assert!(!holds || distance <= limit.most, "{asked:?} {class:?}");
            assert!(holds || distance > limit.most - 1e-8, "{asked:?} {class:?}: no other class is out of the limit");
            farthest = if holds { farthest.max(distance) } else { farthest };
        }
        if !holds {
            continue;
        }
        assert!(shares.iter().all(|limits| beyond(limits, class) <= limits.excess + 1e-12), "{asked:?} {class:?}");
        assert!(class.iter().sum::<u64>() >= least, "{asked:?} {class:?}");
        fewest = fewest.min(class.iter().sum());
        (0..CODES).for_each(|code| largest[code] = largest[code].max(share_of(class, |own| own == code)));
    }
    if fewest < u64::MAX {
        wider.rows += fewest - least;
        wider.shares += (0..CODES).map(|code| allowed(&shares, code) - largest[code]).sum::<f64>();
        wider.distance += orders.iter().map(|limit| limit.most - farthest).sum::<f64>();
    }
}

/// Tries the limits of a model on small classes: they are no wider than is known.
fn are_near(id: &str) {
    let asked = samples(entries().find(|entry| entry.id == id).unwrap());
    let tables = TABLES.map(CodeTable::new);
    // There are many parameters of the distances, and few rows are enough to tell their limits apart.
    let classes = &classes_of_at_most(if asked.len() > 100 { 5 } else { 8 })[1..];
    let mut sum = Wider::default();
    for asked in &asked {
        let tables = if asked.model().compares() { &tables[..] } else { &tables[..1] };
        tables.iter().for_each(|given| check(asked, given, classes, &mut sum));
    }
    let most = WIDER.iter().find(|one| one.0 == id).unwrap().1;
    let is_near = sum.shares <= most.shares && sum.rows <= most.rows && sum.distance <= most.distance;
    assert!(is_near, "{id}: {sum:?}");
}

#[test]
fn the_limit_of_an_entropy_is_the_share_beside_which_the_others_are_equally_frequent() {
    let given = CodeTable::new([1; CODES]);
    let part = |share: f64| if share > 0.0 { -share * share.ln() } else { 0.0 };
    for tenths in 10..=50 {
        let l = f64::from(tenths) / 10.0;
        let rule = Rule {
            model: "entropy-l-diversity".into(),
            parameters: Parameters::from_iter([("l", format!("{tenths}/10").as_str())]),
            sensitive: Vec::new(),
        };
        let limits = rule.model().unwrap().bind(&given.table, &[1]).unwrap().share_limits();
        let most = limits[0].most[0];
        let entropy = |share: f64| part(share) + 4.0 * part((1.0 - share) / 4.0);
        assert!(entropy((most - 1e-5).max(0.2)) >= l.ln(), "{l} {most}");
        assert!(most == 1.0 || entropy(most + 1e-5) < l.ln(), "{l} {most}");
        assert!(limits[0].most.iter().all(|other| *other == most));
    }
}

#[test]
fn a_single_value_has_no_limit_by_a_tail() {
    let column = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["a"]));
    let table = FrequencyTable::from_tuples(vec![column], [([0], 4)]);
    let parameters = Parameters::from_iter([("l", 2)]).with("c", 3);
    let rule = Rule { model: "recursive-c-l-diversity".into(), parameters, sensitive: Vec::new() };
    assert_eq!(rule.model().unwrap().bind(&table, &[0]).unwrap().share_limits(), []);
}

/// A distance is measured from the shares of the table. A limit may round them up, and by no more than is needed for that.
#[test]
fn the_shares_that_a_distance_is_measured_from_are_rounded_up() {
    let mut tried = 0;
    for asked in samples(entries().find(|entry| entry.id == "t-closeness").unwrap()) {
        for rows in TABLES {
            for limits in asked.bind(&CodeTable::new(rows).table).share_limits() {
                for (group, &most) in limits.most.iter().enumerate() {
                    let exact = share_of(&rows, |code| limits.groups[code] == group);
                    assert!(most >= exact && most <= exact * (1.0 + 2e-9), "{asked:?} {group}: {most} for {exact}");
                    tried += usize::from(exact > 0.0);
                }
            }
        }
    }
    assert!(tried > 1000, "{tried}");
}

#[test]
fn every_model_is_tried() {
    let tried: Vec<&str> = WIDER.iter().map(|one| one.0).collect();
    assert_eq!(tried, entries().map(|entry| entry.id).collect::<Vec<_>>());
}

#[test]
fn the_limits_of_k_anonymity_hold_and_are_near() {
    are_near("k-anonymity");
}

#[test]
fn the_limits_of_alpha_deassociation_hold_and_are_near() {
    are_near("alpha-deassociation");
}

#[test]
fn the_limits_of_p_sensitive_hold_and_are_near() {
    are_near("p-sensitive");
}

#[test]
fn the_limits_of_extended_p_sensitive_hold_and_are_near() {
    are_near("extended-p-sensitive");
}

#[test]
fn the_limits_of_distinct_l_diversity_hold_and_are_near() {
    are_near("distinct-l-diversity");
}

#[test]
fn the_limits_of_frequency_l_diversity_hold_and_are_near() {
    are_near("frequency-l-diversity");
}

#[test]
fn the_limits_of_entropy_l_diversity_hold_and_are_near() {
    are_near("entropy-l-diversity");
}

#[test]
fn the_limits_of_recursive_c_l_diversity_hold_and_are_near() {
    are_near("recursive-c-l-diversity");
}

#[test]
fn the_limits_of_t_closeness_hold_and_are_near() {
    are_near("t-closeness");
}

#[test]
fn the_limits_of_beta_likeness_hold_and_are_near() {
    are_near("beta-likeness");
}

#[test]
fn the_limits_of_delta_disclosure_hold_and_are_near() {
    are_near("delta-disclosure");
}
