//! What every domain must keep, asked of plain sets of leaves.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::Values;

type Leaves = BTreeSet<u32>;

/// A domain, and the sets of leaves that are its cells; none when every set is one.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) domain: Domain,
    family: Option<Vec<Leaves>>,
}

impl Case {
    fn leaves(&self, cell: Cell) -> Leaves {
        (0..self.domain.leaf_count()).filter(|&leaf| self.domain.contains(cell, self.domain.leaf(leaf))).collect()
    }

    fn close(&self, leaves: Leaves) -> Leaves {
        match &self.family {
            None => leaves,
            Some(family) => {
                let holding = family.iter().filter(|cell| cell.is_superset(&leaves));
                holding.min_by_key(|cell| cell.len()).expect("* holds all").clone()
            }
        }
    }
}

/// The lines of a tree: each level merges neighbouring nodes, keeps or renames those it does not merge.
fn lines() -> impl Strategy<Value = Vec<Vec<String>>> {
    let level = |leaves| prop::collection::vec(any::<(bool, bool)>(), leaves);
    let shape = (1usize..24).prop_flat_map(move |leaves| prop::collection::vec(level(leaves), 1..5));
    shape.prop_map(|levels| tree_lines(&levels)).prop_shuffle()
}

fn tree_lines(levels: &[Vec<(bool, bool)>]) -> Vec<Vec<String>> {
    let mut lines: Vec<Vec<String>> = (0..levels[0].len()).map(|leaf| vec![format!("leaf {leaf}")]).collect();
    for (level, merges) in levels.iter().enumerate().skip(1) {
        let below: Vec<String> = lines.iter().map(|line| line[level - 1].clone()).collect();
        let mut label = String::new();
        for leaf in 0..lines.len() {
            let same_node = leaf > 0 && below[leaf] == below[leaf - 1];
            let (merge, keep) = merges[leaf];
            if leaf == 0 || !(same_node || merge) {
                label = if keep { below[leaf].clone() } else { format!("node {level}.{leaf}") };
            }
            lines[leaf].push(label.clone());
        }
        // A kept name that came to hold more leaves than below would stand for two sets of leaves.
        for leaf in 0..lines.len() {
            let kept = lines[leaf][level].clone();
            let holds = |level: usize| lines.iter().filter(|line| line[level] == kept).count();
            if (1..holds(level)).contains(&holds(level - 1)) {
                let alike = lines.iter_mut().filter(|line| line[level] == kept);
                alike.for_each(|line| line[level] = format!("node {level}.{leaf}"));
            }
        }
    }
    lines
}

fn text(lines: &[Vec<String>]) -> String {
    lines.iter().map(|line| line.join(";") + ";*\n").collect()
}

fn trees() -> impl Strategy<Value = Case> {
    (lines(), any::<bool>()).prop_map(|(lines, missing)| {
        let mut hierarchy = Hierarchy::read(&text(&lines)).expect("a tree");
        if missing {
            hierarchy = hierarchy.with_missing();
        }
        let code = |label: &str| hierarchy.leaf(label).expect("a leaf of the file");
        let mut family: Vec<Leaves> = (0..hierarchy.leaf_count()).map(|leaf| [leaf].into()).collect();
        for level in 0..lines[0].len() {
            for line in &lines {
                let node = lines.iter().filter(|other| other[level] == line[level]);
                family.push(node.map(|other| code(&other[0])).collect());
            }
        }
        family.push((0..hierarchy.leaf_count()).collect());
        Case { domain: Domain::tree(&hierarchy), family: Some(family) }
    })
}

fn dictionary(values: u32, missing: bool) -> Dictionary {
    Dictionary::new(Values::Integers((0..i64::from(values)).collect()), missing)
}

fn ordered() -> impl Strategy<Value = Case> {
    (1u32..20, any::<bool>()).prop_map(|(values, missing)| {
        let mut family: Vec<Leaves> =
            (0..values).flat_map(|lo| (lo..values).map(move |hi| (lo..=hi).collect())).collect();
        if missing {
            family.extend([[values].into(), (0..=values).collect()]);
        }
        Case { domain: Domain::ordered(&dictionary(values, missing)), family: Some(family) }
    })
}

fn nested() -> impl Strategy<Value = Case> {
    (1u32..40, any::<bool>(), 1u32..4, 2u32..4).prop_map(|(values, missing, fine, factor)| {
        let dictionary = dictionary(values, missing);
        let widths = [fine, fine * factor];
        let hierarchy = Hierarchy::numeric(&dictionary, &widths.map(f64::from), 0.0).expect("widths nest");
        let domain = Domain::nested(&dictionary, &hierarchy).expect("intervals");
        let all = values + u32::from(missing);
        let mut family: Vec<Leaves> = (0..all).map(|leaf| [leaf].into()).collect();
        for width in widths {
            family.extend((0..values).map(|value| (0..values).filter(|v| v / width == value / width).collect()));
        }
        family.push((0..all).collect());
        Case { domain, family: Some(family) }
    })
}

fn sets() -> impl Strategy<Value = Case> {
    (1u32..=64).prop_map(|leaves| {
        let domain = Domain::set((0..leaves).map(|leaf| leaf.to_string())).expect("at most 64");
        Case { domain, family: None }
    })
}

/// Domains of every kind, of at most 64 leaves.
pub(crate) fn cases() -> impl Strategy<Value = Case> {
    prop_oneof![2 => trees(), 1 => ordered(), 1 => nested(), 1 => sets()]
}

proptest! {
    // Twice the usual number: a case is one of four kinds of domain, and a missing value is rarely picked.
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn join_is_the_smallest_cell_that_holds_both(case in cases(), picks in any::<[u32; 6]>()) {
        let domain = &case.domain;
        let [a, b, c, d, e, f] = picks.map(|pick| domain.leaf(pick % domain.leaf_count()));
        let (x, y, z) = (domain.join(a, b), domain.join(c, d), domain.join(e, f));
        let xy = domain.join(x, y);

        let union: Leaves = case.leaves(x).union(&case.leaves(y)).copied().collect();
        prop_assert_eq!(case.leaves(xy), case.close(union));

        prop_assert_eq!(xy, domain.join(y, x), "commutative");
        prop_assert_eq!(domain.join(xy, z), domain.join(x, domain.join(y, z)), "associative");
        prop_assert_eq!(domain.join(x, x), x, "idempotent");
        prop_assert!(domain.contains(xy, x) && domain.contains(xy, y), "holds both");
        prop_assert!(domain.contains(domain.join(xy, z), domain.join(x, z)), "monotone");
        prop_assert_eq!(domain.contains(x, y), domain.join(x, y) == x, "holding is joining without effect");
        prop_assert_eq!(domain.join(x, domain.top()), domain.top());
        prop_assert_eq!(case.close(case.leaves(xy)), case.leaves(xy), "closed");
    }

    #[test]
    fn leaves_are_counted_and_grow_with_the_cell(case in cases(), picks in any::<[u32; 3]>()) {
        let domain = &case.domain;
        let [a, b, c] = picks.map(|pick| domain.leaf(pick % domain.leaf_count()));
        let small = domain.join(a, b);
        let large = domain.join(small, c);
        prop_assert_eq!(domain.leaves(a), 1);
        prop_assert_eq!(domain.leaves(small) as usize, case.leaves(small).len());
        prop_assert!(domain.leaves(small) <= domain.leaves(large));
        let codes: Vec<u32> = domain.leaf_ranges(small).flat_map(|(first, last)| first..=last).collect();
        prop_assert!(codes.is_sorted());
        prop_assert_eq!(codes.into_iter().collect::<Leaves>(), case.leaves(small));
        prop_assert_eq!(domain.leaves(domain.top()), domain.leaf_count());
    }

    #[test]
    fn each_level_holds_the_one_below_and_ends_in_the_top(case in cases(), pick in any::<u32>()) {
        let domain = &case.domain;
        let leaf = pick % domain.leaf_count();
        prop_assert_eq!(domain.at_level(leaf, 0), domain.leaf(leaf));
        for level in 0..domain.height() {
            let (below, above) = (domain.at_level(leaf, level), domain.at_level(leaf, level + 1));
            prop_assert!(domain.contains(above, below));
            prop_assert_eq!(domain.join(above, below), above, "a level is made of cells of the domain");
        }
        prop_assert_eq!(domain.at_level(leaf, domain.height()), domain.top());
    }

    #[test]
    fn a_written_hierarchy_reads_back_the_same(lines in lines(), missing in any::<bool>()) {
        let mut hierarchy = Hierarchy::read(&text(&lines)).expect("a tree");
        if missing {
            hierarchy = hierarchy.with_missing();
        }
        prop_assert_eq!(Hierarchy::read(&hierarchy.write()), Ok(hierarchy));
    }
}

#[test]
fn a_missing_value_joins_to_the_top_of_an_ordered_domain() {
    let ages = Domain::ordered(&dictionary(5, true));
    assert_eq!(ages.missing(), Some(5));
    assert_eq!(ages.render(ages.leaf(5)), "(missing)");
    assert_eq!(ages.join(ages.leaf(4), ages.leaf(5)), ages.top());
    assert_eq!(ages.render(ages.span(0, 4)), "[0, 4]");
}

#[test]
fn a_missing_value_is_below_the_root_unless_the_hierarchy_lists_it() {
    let column = Dictionary::new(Values::Texts(vec!["Bonn".into(), "Ulm".into(), "Wien".into()]), true);
    let render = |text: &str| {
        let hierarchy = Hierarchy::read(text).expect("a hierarchy");
        let (domain, leaves) = Domain::for_column(&hierarchy, &column).expect("covered");
        domain.render(domain.join(domain.leaf(leaves[2]), domain.leaf(leaves[3]))).into_owned()
    };
    assert_eq!(render("Bonn;Germany;*\nWien;Austria;*\nUlm;Germany;*\n"), "*");
    assert_eq!(render("Bonn;Germany;*\nWien;Abroad;*\nUlm;Germany;*\n;Abroad;*\n"), "Abroad");
}

#[test]
fn days_are_shown_as_intervals_of_days() {
    let days = Domain::ordered(&Dictionary::new(Values::Dates(vec![3652, 4000, 5478, 9000]), false));
    assert_eq!(days.render(days.span(0, 2)), "[1980-01-01, 1984-12-31]");
}

#[test]
fn a_single_child_is_shown_under_its_own_name() {
    let races = Hierarchy::read("White;White-race;*\nBlack;Other-race;*\nOther;Other-race;*\n").expect("a hierarchy");
    let domain = Domain::tree(&races);
    assert_eq!(domain.render(domain.at_level(0, 1)), "White");
    assert_eq!(domain.render(domain.at_level(1, 1)), "Other-race");
}

#[test]
fn a_domain_of_one_leaf_shows_its_leaf() {
    let one = Domain::tree(&Hierarchy::read("only;*\n").expect("a hierarchy"));
    assert_eq!((one.render(one.top()).as_ref(), one.leaves(one.top())), ("only", 1));
}

#[test]
fn sets_hold_64_leaves_and_no_more() {
    let labels = |leaves: usize| (0..leaves).map(|leaf| leaf.to_string());
    let full = Domain::set(labels(64)).expect("64 fit");
    assert_eq!(full.leaves(full.top()), 64);
    assert_eq!(Domain::set(labels(65)), Err(HierarchyError::TooManyForSets { leaves: 65 }));
    let sexes = Domain::sets_of(&Dictionary::new(Values::Texts(vec!["f".into(), "m".into()]), true)).expect("3 fit");
    assert_eq!(sexes.render(sexes.span(1, 2)), "{m, (missing)}");
}

#[test]
fn values_without_a_leaf_are_counted_and_not_named() {
    let domain = Domain::tree(&Hierarchy::read("Ulm;*\n").expect("a hierarchy"));
    let error = domain.bind(&Dictionary::of_texts(["Bonn", "Ulm", "Wien"])).expect_err("two are not leaves");
    assert_eq!(error, HierarchyError::Uncovered { uncovered: 2, values: 3 });
    assert!(!error.to_string().contains("Bonn"));
}

#[test]
fn a_hierarchy_that_jumps_is_not_nested_intervals() {
    let jumping = Hierarchy::read("0;even;*\n1;odd;*\n2;even;*\n").expect("a hierarchy");
    assert_eq!(Domain::nested(&dictionary(3, false), &jumping), Err(HierarchyError::NotIntervals));
    assert!(Domain::nested(&dictionary(2, true), &jumping).is_ok());
    let uncovered = HierarchyError::Uncovered { uncovered: 1, values: 5 };
    assert_eq!(Domain::nested(&dictionary(4, true), &jumping), Err(uncovered));
}
