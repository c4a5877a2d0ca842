//! Worked examples of the papers on the models about sensitive values.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use incrowd_core::{
    Attribute, Dictionary, FrequencyTable, Members, Parameters, Positive, QuasiIdentifier, Role, Rule, TupleRows,
    Values,
};
use serde_json::Value;

fn data() -> PathBuf {
    incrowd_testdata::folder()
}

fn golden(name: &str) -> Value {
    let path = data().join("golden").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Rows of texts as a table.
fn table(columns: &[&str], rows: &[Vec<String>]) -> FrequencyTable {
    let attribute = |(at, name): (usize, &&str)| {
        Attribute::new(*name, Role::Sensitive, Dictionary::of_texts(rows.iter().map(|row| row[at].as_str())))
    };
    let attributes: Vec<Attribute> = columns.iter().enumerate().map(attribute).collect();
    let codes = |row: &Vec<String>| -> Vec<u32> {
        row.iter().zip(&attributes).map(|(cell, attribute)| attribute.dictionary.code(cell).unwrap()).collect()
    };
    let tuples: Vec<(Vec<u32>, u64)> = rows.iter().map(|row| (codes(row), 1)).collect();
    FrequencyTable::from_tuples(attributes, tuples)
}

fn holds(
    table: &FrequencyTable,
    model: &str,
    parameters: Parameters,
    sensitive: &[usize],
    class: &[TupleRows],
) -> bool {
    let rule = Rule { model: model.into(), parameters, sensitive: Vec::new() };
    rule.model().unwrap().bind(table, sensitive).unwrap().holds(&Members::new(table, class))
}

/// The classes of the first so many columns.
fn classes(table: &FrequencyTable, quasi: usize) -> Vec<Vec<TupleRows>> {
    let mut classes: BTreeMap<Vec<u32>, Vec<TupleRows>> = BTreeMap::new();
    for tuple in 0..table.tuples() {
        let key = (0..quasi).map(|column| table.code(tuple, column)).collect();
        classes.entry(key).or_default().push((tuple, table.count(tuple)));
    }
    classes.into_values().collect()
}

#[test]
fn table_1_of_the_p_sensitive_paper_is_1_sensitive_and_with_one_diagnosis_changed_2_sensitive() {
    let case = golden("p_sensitive_table1.json");
    let columns = ["Age", "ZipCode", "Diagnosis", "Income"];
    let row = |row: &Value| columns.iter().map(|column| row[*column].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let mut rows: Vec<Vec<String>> = case["input"].as_array().unwrap().iter().map(row).collect();
    let largest_p = |rows: &[Vec<String>]| {
        let table = table(&columns, rows);
        let keeps = |p: u64| {
            let parameters = || Parameters::from_iter([("p", p)]);
            classes(&table, 2).iter().all(|class| holds(&table, "p-sensitive", parameters(), &[2, 3], class))
        };
        (1..10).take_while(|&p| keeps(p)).last().unwrap()
    };
    assert_eq!(largest_p(&rows), case["expected"]["largest_p"].as_u64().unwrap());
    rows[0][2] = "Diabetes".into();
    let changed = &case["expected"]["with_row1_diagnosis_changed_to_Diabetes"];
    assert_eq!(largest_p(&rows), changed["largest_p"].as_u64().unwrap());
}

/// Section 2.3: a class of cancers only is 3-sensitive, and not even 2-sensitive when cancer as such is protected.
#[test]
fn a_class_of_different_cancers_is_one_kind_of_value_when_cancer_is_protected() {
    let rows: Vec<Vec<String>> =
        ["colon cancer", "prostate cancer", "breast cancer", "flu"].iter().map(|value| vec![(*value).into()]).collect();
    let table = table(&["Illness"], &rows);
    let cancers: Vec<TupleRows> = vec![(0, 1), (1, 1), (3, 1)];
    assert!(holds(&table, "p-sensitive", Parameters::from_iter([("p", 3)]), &[0], &cancers));
    let group: Vec<String> = rows[..3].iter().map(|row| row[0].clone()).collect();
    let extended = |p: u64| Parameters::from_iter([("p", p)]).with("groups", vec![group.clone()]);
    assert!(!holds(&table, "extended-p-sensitive", extended(2), &[0], &cancers));
    assert!(holds(&table, "extended-p-sensitive", extended(2), &[0], &[(0, 1), (2, 1)]));
}

/// Section 7.4 of Kenig and Tassa: rows over those of the most frequent value.
#[test]
fn the_diversity_of_whole_tables_is_the_printed_one() {
    let case = golden("k_anon_cf_diversity_of_whole_tables.json");
    for (file, column) in case["input"].as_object().unwrap() {
        let text = std::fs::read_to_string(data().join(file)).unwrap();
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let at = header.iter().position(|name| name == column).unwrap();
        let rows: Vec<Vec<String>> = lines.map(|line| vec![line[at].to_owned()]).collect();
        let table = table(&[column.as_str().unwrap()], &rows);
        let whole: Vec<TupleRows> = table.tuple_rows().collect();
        let most = whole.iter().map(|member| member.1).max().unwrap();
        let expected = case["expected"][file].as_f64().unwrap();
        assert!((table.rows() as f64 / most as f64 - expected).abs() < 1e-12, "{file}");
        let keeps = |above: u64| {
            let parameters = Parameters::default().with("l", Positive::new(above, most).unwrap());
            holds(&table, "frequency-l-diversity", parameters, &[0], &whole)
        };
        assert!(keeps(table.rows()) && !keeps(table.rows() + 1), "{file}");
    }
}

/// Li, Li and Venkatasubramanian, section 4: salaries 3k to 11k; {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} 0.167.
#[test]
fn the_salaries_of_the_t_closeness_paper_are_as_far_as_printed() {
    let rows: Vec<Vec<String>> = (3..12).map(|salary| vec![format!("{salary}")]).collect();
    let table = table(&["Salary"], &rows);
    let order: Vec<String> = rows.iter().map(|row| row[0].clone()).collect();
    let tuple = |salary: u64| (0..9).find(|&tuple| table.attributes()[0].dictionary.label(tuple) == salary.to_string());
    let class = |salaries: [u64; 3]| salaries.map(|salary| (tuple(salary).unwrap() as usize, 1));
    let within = |class: [TupleRows; 3], t: &str| {
        let parameters = Parameters::from_iter([("t", t), ("distance", "ordered")]).with("order", order.clone());
        holds(&table, "t-closeness", parameters, &[0], &class)
    };
    assert!(within(class([3, 4, 5]), "0.375") && !within(class([3, 4, 5]), "0.374999"));
    assert!(within(class([6, 8, 11]), "1/6") && !within(class([6, 8, 11]), "0.166666"));
}

/// Diseases in a tree of three levels, worked by hand. Level by level, {gastric ulcer, gastritis, stomach cancer} has 4/9
/// too many of the diseases of the stomach, and of its own diseases 2/9 + 1/9 + 1/9: 4/9 on the mean. {gastric ulcer,
/// stomach cancer, pneumonia} has 1/9 too many above and 2/9 + 1/9 + 2/9 among the diseases: 7/27 on the mean.
#[test]
fn diseases_are_as_far_apart_as_their_tree_says() {
    let paths = [
        ["flu", "respiratory infection", "respiratory system", "*"],
        ["pneumonia", "respiratory infection", "respiratory system", "*"],
        ["bronchitis", "respiratory infection", "respiratory system", "*"],
        ["pulmonary edema", "vascular lung disease", "respiratory system", "*"],
        ["gastric ulcer", "stomach disease", "digestive system", "*"],
        ["stomach cancer", "stomach disease", "digestive system", "*"],
        ["gastritis", "stomach disease", "digestive system", "*"],
        ["colitis", "colon disease", "digestive system", "*"],
    ];
    let tree: Vec<Vec<String>> = paths.iter().map(|path| path.map(str::to_owned).to_vec()).collect();
    let often = [(0, 1), (1, 1), (2, 2), (4, 1), (5, 2), (6, 2)];
    let rows: Vec<Vec<String>> =
        often.iter().flat_map(|&(at, times)| (0..times).map(move |_| vec![paths[at][0].to_owned()])).collect();
    let table = table(&["Disease"], &rows);
    let code = |disease: &str| table.attributes()[0].dictionary.code(disease).unwrap() as usize;
    let within = |diseases: [&str; 3], t: &str| {
        let parameters = Parameters::from_iter([("t", t), ("distance", "hierarchical")]).with("tree", tree.clone());
        holds(&table, "t-closeness", parameters, &[0], &diseases.map(|disease| (code(disease), 1)))
    };
    let stomach = ["gastric ulcer", "gastritis", "stomach cancer"];
    assert!(within(stomach, "4/9") && !within(stomach, "0.4444"));
    let mixed = ["gastric ulcer", "stomach cancer", "pneumonia"];
    assert!(within(mixed, "7/27") && !within(mixed, "0.2592"));
}

#[test]
fn numbers_become_the_interval_from_the_least_to_the_greatest() {
    let case = golden("p_sensitive_numeric_generalization.json");
    let numbers = |value: &Value| value.as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect::<Vec<i64>>();
    let (mut input, expected) = (numbers(&case["input"]), numbers(&case["expected"]["interval"]));
    input.sort_unstable();
    assert_eq!(expected[1] - expected[0], case["expected"]["size"].as_i64().unwrap());
    // A value that no row of the class has: an interval of all values would be shown as `*`.
    let column = input.iter().copied().chain([90]).collect();
    let quasi = QuasiIdentifier::intervals(0, &Dictionary::new(Values::Integers(column), false)).unwrap();
    let cells = (0..input.len() as u32).map(|code| quasi.cell(code, 0));
    let joined = cells.reduce(|a, b| quasi.domain.join(a, b)).unwrap();
    assert_eq!(quasi.domain.render(joined), format!("[{}, {}]", expected[0], expected[1]));
}
