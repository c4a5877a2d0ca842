//! Values of a population lie under the labels that a hierarchy, or the label itself, says.

use std::io::Write;

use tempfile::NamedTempFile;

use super::*;
use crate::population::tests::{population, published, quasi};

const TOWNS: &str = "Ulm,Germany,Europe,*\nBonn,Germany,Europe,*\nWien,Austria,Europe,*\n25,twenties,adult,*\n";

/// The published labels above each value in the order of their codes, the missing one as `-`, and whether some overlap.
type Found = (Vec<String>, bool);

/// The labels of the values of a population, then those of published ones that it lacks.
fn under(column: &ColumnEntry, hierarchy: Option<&str>, values: &[&str], shown: &[&str]) -> Found {
    let rows: Vec<&[&str]> = shown.iter().map(std::slice::from_ref).collect();
    let published = published(values, &rows);
    let mut population = population();
    let mut file = NamedTempFile::new().expect("a temporary file");
    if let Some(lines) = hierarchy {
        file.write_all(lines.as_bytes()).expect("the disk has room");
        population.table.hierarchies.insert(column.name.clone(), file.path().to_path_buf());
    }
    let texts = &published.encoders[0].texts;
    let codes: Vec<u32> = values.iter().filter_map(|text| texts.code(text)).collect();
    let labels = LabelsOfValues::new(column, &codes, &published, 0, &population, &Options::default());
    let labels = labels.expect("a hierarchy");
    let name = |code: u32| texts.text(code).map_or("-", |text| &**text).to_string();
    let told = |code: u32| {
        let of: Vec<String> = labels.of(code).iter().map(|label| name(*label)).collect();
        assert!(labels.of(code).is_sorted(), "{of:?}");
        format!("{}: {}", name(code), of.join(" "))
    };
    // Of the missing value only when it has labels.
    let first = u32::from(labels.of(0).is_empty());
    ((first..).take(texts.codes() - first as usize).map(told).collect(), labels.overlap())
}

#[test]
fn labels_of_a_hierarchy_hold_values_by_themselves_only_if_the_manifest_says_so() {
    let column = |technique, labels| ColumnEntry { labels, ..quasi("age", technique) };
    let (itself, names) = (Some(Labels::SelfDescribing), Some(Labels::Names));
    for (technique, labels, holds) in [
        (Technique::Generalized, itself, true),
        (Technique::Generalized, names, false),
        (Technique::Generalized, None, false),
        (Technique::Suppressed, itself, true),
        (Technique::Suppressed, None, false),
        (Technique::Retained, itself, true),
        (Technique::Retained, names, true),
        (Technique::Retained, None, true),
    ] {
        let (found, overlap) = under(&column(technique, labels), Some(TOWNS), &["25", "26"], &["[20,30)", "twenties"]);
        let expected = if holds { ["25: [20,30) twenties", "26: [20,30)"] } else { ["25: twenties", "26: "] };
        assert_eq!((&found[..2], overlap), (&expected.map(String::from)[..], holds), "{technique:?} {labels:?}");
        // Without a hierarchy, labels can only be read by themselves.
        let (found, overlap) = under(&column(technique, labels), None, &["25", "26"], &["[20,30)", "twenties"]);
        let expected = ["25: [20,30)", "26: [20,30)", "[20,30): ", "twenties: "].map(String::from);
        assert_eq!((found, overlap), (expected.to_vec(), false), "{technique:?} {labels:?}");
    }
}

#[test]
fn a_label_as_a_value_is_under_itself_and_under_those_above_it() {
    let column = quasi("town", Technique::Generalized);
    let clash = "Mehlem,Bonn,Rhine,*\nBonn,town,state,*\n";
    let of = |lines: &str, values: &[&str], shown: &[&str]| under(&column, Some(lines), values, shown);
    for (lines, values, shown, expected, overlaps) in [
        (
            TOWNS,
            &["Germany", "Wien"][..],
            &["Europe", "Asia"][..],
            "Germany: Europe|Wien: Europe|Europe: Europe|Asia: Asia",
            false,
        ),
        (TOWNS, &["Germany"], &["Germany"], "Germany: Germany", false),
        (TOWNS, &["Germany"], &["Germany", "Austria"], "Germany: Germany|Austria: Austria", false),
        (TOWNS, &["Europe"], &["Germany", "*"], "Europe: *|Germany: Germany *|*: *", true),
        (TOWNS, &["Ulm"], &["Europe", "Germany"], "Ulm: Europe Germany|Europe: Europe|Germany: Europe Germany", true),
        (TOWNS, &["Paris"], &["Europe"], "Paris: |Europe: Europe", false),
        (TOWNS, &["Paris"], &["Europe", "Paris"], "Paris: Paris|Europe: Europe", false),
        (TOWNS, &["Paris"], &["*"], "Paris: *|*: *", false),
        // A value that has the name of a label is the value.
        (clash, &["Bonn"], &["Rhine", "town"], "Bonn: town|Rhine: Rhine|town: town", false),
        (clash, &["Mehlem"], &["Rhine", "town"], "Mehlem: Rhine|Rhine: Rhine|town: town", false),
        (clash, &["Bonn"], &["Bonn", "Rhine"], "Bonn: Bonn|Rhine: Rhine", false),
    ] {
        let (found, overlap) = of(lines, values, shown);
        assert_eq!((found.join("|").as_str(), overlap), (expected, overlaps), "{values:?} {shown:?}");
    }
}

#[test]
fn labels_that_two_sources_say_are_listed_once_and_sorted() {
    let column = ColumnEntry { labels: Some(Labels::SelfDescribing), ..quasi("age", Technique::Generalized) };
    let (found, overlap) = under(&column, Some(TOWNS), &["25"], &["[20,30)", "*", "twenties", "[9,10)"]);
    assert_eq!((found[0].as_str(), overlap), ("25: [20,30) * twenties", true));
    let (found, overlap) = under(&column, Some(TOWNS), &["25"], &["*"]);
    assert_eq!((found, overlap), (vec!["25: *".to_string(), "*: *".to_string()], false), "the same label twice");
}

#[test]
fn one_value_under_two_labels_is_an_overlap_and_a_missing_one_is_under_itself() {
    let column = quasi("age", Technique::Generalized);
    let of = |values: &[&str], shown: &[&str]| under(&column, None, values, shown);
    let (found, overlap) = of(&["1", "5", "9"], &["[0,5]", "[5,9]", ""]);
    assert_eq!(found[..3], ["1: [0,5]", "5: [0,5] [5,9]", "9: [5,9]"]);
    assert!(overlap);
    assert!(!of(&["1", "9"], &["[0,5]", "[5,9]", ""]).1);
    let (found, overlap) = under(&column, Some(TOWNS), &["Ulm"], &["", "Germany"]);
    let expected = ["-: -", "Ulm: Germany", "Germany: Germany"].map(String::from);
    assert_eq!((found, overlap), (expected.to_vec(), false));
}
