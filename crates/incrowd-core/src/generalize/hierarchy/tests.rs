//! What the file form means, trap by trap.

use super::*;
use crate::{Dictionary, Values};

fn read(text: &str) -> Hierarchy {
    Hierarchy::read(text).expect("a hierarchy")
}

fn refused(text: &str) -> HierarchyError {
    Hierarchy::read(text).expect_err("refused")
}

fn ragged(text: &str) -> Result<Hierarchy, HierarchyError> {
    Hierarchy::read_with(text, HierarchyReadOptions { ragged: true, ..HierarchyReadOptions::default() })
}

#[test]
fn a_label_repeated_over_the_same_leaves_is_one_node() {
    let nursery = read("proper;proper;*\nimproper;not_proper;*\ncritical;not_proper;*\n");
    assert_eq!(nursery.find("proper").count(), 1);
    assert_eq!(nursery.nodes().len(), 5);
    assert_eq!((nursery.height(), nursery.level_sizes()), (2, vec![3, 2, 1]));
    assert_eq!(nursery.at_level(0, 1).level(), 0);
}

#[test]
fn a_label_that_stands_for_different_leaves_is_refused_with_both_places_and_without_the_label() {
    let error = refused("secret;X;*\nb;secret;*\nc;secret;*\n");
    assert_eq!(error, HierarchyError::SameLabel { line: 2, level: 1, first: 1, first_level: 0 });
    assert_eq!(
        error.to_string(),
        "line 1, cell 1 and line 2, cell 2 have the same label for different values, so they could not be \
         distinguished in a release: rename one of the two"
    );
    // The value Other below a node of the same name that holds another value, too.
    let error = refused("Other;Other;*\nUnknown;Other;*\nUlm;Germany;*\n");
    assert_eq!(error, HierarchyError::SameLabel { line: 1, level: 0, first: 1, first_level: 1 });
    let error = refused("a;X;X;*\nb;Y;X;*\nc;Y;X;*\n");
    assert_eq!(error, HierarchyError::SameLabel { line: 1, level: 1, first: 1, first_level: 2 });
    // A value like the root, whether the file has the root or not.
    let star = HierarchyError::SameAsRoot { line: 2, level: 0 };
    assert_eq!((refused("a;X;*\n*;X;*\n"), refused("Any;X;*\n*;Y;*\n")), (star.clone(), star.clone()));
    assert_eq!(refused("a\n*\n"), star);
    assert_eq!(refused("a;X;Any\nAny;X;Any\n"), star);
}

#[test]
fn a_value_written_like_a_label_of_its_built_hierarchy_is_refused_without_the_value() {
    let refused = |hierarchy: Result<Hierarchy, HierarchyError>| hierarchy.expect_err("refused");
    let star = Dictionary::of_texts(["f", "m", "*"]);
    assert_eq!(refused(Hierarchy::flat(&star)), HierarchyError::ValueLikeLabel);
    let prefixes = Dictionary::of_texts(["10", "11", "1*"]);
    assert_eq!(refused(Hierarchy::prefix(&prefixes, None)), HierarchyError::ValueLikeLabel);
    let starred = Dictionary::of_texts(["SW1", "*"]);
    assert_eq!(refused(Hierarchy::prefix(&starred, None)), HierarchyError::ValueLikeLabel);
    // Alone below its prefix the value and the label are one cell.
    assert!(Hierarchy::prefix(&Dictionary::of_texts(["1*", "20"]), None).is_ok());
}

#[test]
fn the_leaves_below_a_node_are_contiguous_whatever_the_order_of_lines() {
    let hierarchy = read("a;X;*\nb;Y;*\nc;X;*\nd;Y;*\n");
    assert_eq!(hierarchy.leaf_labels().collect::<Vec<_>>(), ["a", "c", "b", "d"]);
    assert_eq!(hierarchy.find("Y").next().map(Node::leaves), Some(2..=3));
}

#[test]
fn separators_quotes_line_ends_and_a_byte_order_mark_are_taken_as_they_come() {
    let plain = read("a;X;*\nb;Y;*\n");
    for text in
        ["a,X,*\nb,Y,*\n", "\u{feff}a;X;*\r\nb;Y;*", "\n\na;X;*\n\r\nb;Y;*\r\n\n", "\"a\",\"X\",*\r\nb,\"Y\",\"*\""]
    {
        assert_eq!(read(text), plain, "{text:?}");
    }
    let odd = read("\"a;1\";\"say \"\"X\"\"\";*\n[15, 20);\"two\nlines\";*\n\"\";5\" & (%);*\n");
    assert_eq!(odd.leaf_labels().collect::<Vec<_>>(), ["a;1", "[15, 20)", ""]);
    assert_eq!(odd.at_level(0, 1).label(), "say \"X\"");
    assert_eq!(odd.at_level(1, 1).label(), "two\nlines");
    assert_eq!(odd.at_level(2, 1).label(), "5\" & (%)");
    assert_eq!(read(&odd.write()), odd);
    let commas = HierarchyReadOptions { separator: Some(','), ..HierarchyReadOptions::default() };
    assert_eq!(Hierarchy::read_with("a;1,*\n", commas).map(|h| h.leaf("a;1")), Ok(Some(0)));
}

#[test]
fn a_root_is_added_only_where_no_line_has_one() {
    assert_eq!(read("Ulm;Germany\nWien;Austria\n").write(), "Ulm;Germany;*\nWien;Austria;*\n");
    assert_eq!(read("f\nm\n").write(), "f;*\nm;*\n");
    assert_eq!(read("shoes;clothing\nboots;clothing\n").height(), 1);
    let error = refused("Ulm;Germany;*\nWien;Austria;Europe\n");
    assert_eq!(error, HierarchyError::NoRoot { line: 2, first: 1 });
    assert_eq!(error.to_string(), "line 2 does not end in \"*\" and line 1 does: end every line in \"*\", or none");
}

#[test]
fn the_root_repeated_at_the_end_of_a_line_is_the_root() {
    let hierarchy = read("a;*;*\nb;X;*\nc;X;*\n");
    let a = hierarchy.leaf("a").expect("a leaf");
    assert_eq!(hierarchy.at_level(a, 1), &hierarchy.nodes()[0]);
    assert_eq!(hierarchy.level_sizes(), [3, 2, 1]);
    assert_eq!(read(&hierarchy.write()), hierarchy);
    assert_eq!(refused("a;*;X;Y\nb;Z;X;Y\n"), HierarchyError::StarBelowRoot { line: 1, level: 1 });
}

#[test]
fn short_lines_are_refused_unless_allowed() {
    let text = "a;*\nb;X;*\nc;Y;Z;*\nd;Y;Z;*\n";
    let error = refused(text);
    assert_eq!(error, HierarchyError::Ragged { line: 2, cells: 3, first: 1, expected: 2 });
    assert!(error.to_string().contains("line 2 has 3 cells and line 1 has 2"));
    let tree = ragged(text).expect("allowed");
    assert_eq!(tree.write(), "a;a;a;*\nb;X;X;*\nc;Y;Z;*\nd;Y;Z;*\n");
    assert_eq!(tree.find("a").count() + tree.find("X").count(), 2);
    assert!(matches!(ragged("a\nb;*\n"), Err(HierarchyError::NoRoot { line: 1, .. })));
}

#[test]
fn one_long_line_among_many_short_ones_is_refused() {
    let short: String = (0..10_000).map(|leaf| format!("{leaf};*\n")).collect();
    let long = format!("{short}Ulm{};*\n", ";x".repeat(200));
    assert_eq!(ragged(&long), Err(HierarchyError::TooManyCells { lines: 10_001, levels: 201 }));
    assert!(ragged(&format!("{short}Ulm;x;y;*\n")).is_ok());
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    assert_eq!(refused(""), HierarchyError::Empty);
    assert_eq!(refused("\u{feff}\r\n\n"), HierarchyError::Empty);
    assert_eq!(refused("a;X;*\n\nb;\"X;*\n"), HierarchyError::Quote { line: 3 });
    assert_eq!(refused("\"a\"b;*\n"), HierarchyError::Quote { line: 1 });
    assert_eq!(refused("a;;*\n"), HierarchyError::EmptyLabel { line: 1, level: 1 });
    assert_eq!(refused("a;X;\nb;X;\n"), HierarchyError::EmptyLabel { line: 1, level: 2 });
    let error = refused("\"a\n1\";*\nb;*\nb;*\n");
    assert_eq!(error, HierarchyError::DuplicateLeaf { line: 4, first: 3 });
    assert_eq!(error.to_string(), "line 4 and line 3 have the same value: remove one of the two lines");
    assert_eq!(
        refused("a;X;West;*\nb;Y;East;*\nc;X;East;*\n").to_string(),
        "line 3 and line 1 have the same label in cell 2 and different labels above it: give the label one \
         parent, or use two different labels"
    );
}

#[test]
fn a_line_without_a_leaf_stands_for_the_missing_value() {
    let hierarchy = read("1;low;*\n;;*\n2;low;*\n");
    assert_eq!(hierarchy.missing(), Some(2));
    assert_eq!(hierarchy.nodes()[hierarchy.nodes().len() - 1].parent(), Some(0));
    assert_eq!(hierarchy, read("1;low;*\n2;low;*\n").with_missing());
    assert_eq!(hierarchy.clone().with_missing(), hierarchy);
}

#[test]
fn parents_come_before_children_and_contain_them() {
    let hierarchy = read("a;A;AB;*\nb;B;AB;*\nc;C;C;*\n");
    for (number, node) in hierarchy.nodes().iter().enumerate().skip(1) {
        let parent = node.parent().expect("only the root has none") as usize;
        let holds = hierarchy.nodes()[parent].leaves();
        assert!(parent < number && holds.contains(node.leaves().start()) && holds.contains(node.leaves().end()));
    }
}

#[test]
fn days_go_up_the_calendar_on_both_sides_of_the_epoch() {
    let days = Dictionary::new(Values::Dates(vec![-4000, 3651, 3652, 3700, i32::MAX]), true);
    let lines = Hierarchy::dates(&days).expect("days").write();
    assert_eq!(
        lines,
        "1959-01-19;1959-01;1959-Q1;1959;1950s;*\n1979-12-31;1979-12;1979-Q4;1979;1970s;*\n\
         1980-01-01;1980-01;1980-Q1;1980;1980s;*\n1980-02-18;1980-02;1980-Q1;1980;1980s;*\n\
         day 2147483647;day 2147483647;day 2147483647;day 2147483647;day 2147483647;*\n;;;;;*\n"
    );
    let texts = Dictionary::of_texts(["1980-01-01"]);
    assert_eq!(Hierarchy::dates(&texts), Err(HierarchyError::WrongKind { wanted: "dates", kind: "text" }));
}

#[test]
fn codes_of_mixed_length_stay_themselves_until_a_prefix_is_shorter() {
    let codes = Dictionary::of_texts(["SW1", "SW1A", "SÜ"]);
    assert_eq!(
        Hierarchy::prefix(&codes, None).expect("prefixes").write(),
        "SW1;SW1;SW**;S***;*\nSW1A;SW1*;SW**;S***;*\nSÜ;SÜ;SÜ;S***;*\n"
    );
    for lengths in [&[4][..], &[2, 2], &[0], &[1, 2]] {
        let error = Hierarchy::prefix(&codes, Some(lengths)).expect_err("refused");
        assert!(matches!(error, HierarchyError::BadPrefix { longest: 4, .. }), "{lengths:?}");
    }
}

#[test]
fn built_hierarchies_need_a_value() {
    let none = Dictionary::of_texts([]);
    assert_eq!(Hierarchy::flat(&none), Err(HierarchyError::NoValues));
    assert_eq!(Hierarchy::prefix(&none, None), Err(HierarchyError::NoValues));
    let only_missing = Dictionary::new(Values::Integers(vec![]), true);
    assert_eq!(Hierarchy::flat(&only_missing).map(|flat| flat.write()), Ok(";*\n".to_owned()));
}
