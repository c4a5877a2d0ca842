//! The worked examples of Wong, Li, Fu and Wang, "(α, k)-anonymity", KDD 2006, read from the test data.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use incrowd_algorithms::{AlgorithmEntry, Budget, Problem};
use incrowd_core::{
    Attribute, Dictionary, Distortion, FrequencyTable, Hierarchy, Policy, QuasiIdentifier, Recoding, Role,
};
use serde_json::Value;

use super::adult::data;

/// A row of a release: for each quasi-identifier the leaves that its cell stands for, then the sensitive value.
pub(crate) type Row = (Vec<BTreeSet<String>>, String);

/// A worked example.
pub(crate) struct Example {
    json: Value,
}

impl Example {
    pub(crate) fn read(name: &str) -> Self {
        let text = fs::read_to_string(data().join("golden").join(name).with_extension("json")).unwrap();
        Example { json: serde_json::from_str(&text).unwrap() }
    }

    pub(crate) fn expected(&self, key: &str) -> &Value {
        &self.json["expected"][key]
    }

    fn quasi(&self) -> Vec<&str> {
        let names = self.json["parameters"]["quasi_identifier"].as_array().unwrap();
        names.iter().map(|name| name.as_str().unwrap()).collect()
    }

    fn sensitive(&self) -> &str {
        self.json["parameters"]["sensitive"].as_str().unwrap()
    }

    /// The lines of a column's hierarchy.
    fn lines(&self, column: &str) -> BTreeMap<&str, Vec<&str>> {
        let lines = self.json["hierarchies"][column].as_object().unwrap().iter();
        lines
            .map(|(leaf, labels)| {
                let labels = labels.as_array().unwrap().iter();
                (leaf.as_str(), labels.map(|label| label.as_str().unwrap()).collect())
            })
            .collect()
    }

    /// The leaves below a label of a column.
    fn leaves(&self, column: &str, label: &str) -> BTreeSet<String> {
        let lines = self.lines(column);
        lines.iter().filter(|(_, line)| line.contains(&label)).map(|(leaf, _)| (*leaf).to_owned()).collect()
    }

    /// Rows as they are printed in the example, sorted.
    pub(crate) fn rows(&self, rows: &Value) -> Vec<Row> {
        let text = |row: &Value, column: &str| row[column].as_str().unwrap().to_owned();
        let row = |row: &Value| {
            let cells = self.quasi().iter().map(|column| self.leaves(column, &text(row, column))).collect();
            (cells, text(row, self.sensitive()))
        };
        let mut rows: Vec<Row> = rows.as_array().unwrap().iter().map(row).collect();
        rows.sort();
        rows
    }

    /// The rows that a solver publishes, sorted, each cell by its leaves among those of the hierarchy.
    pub(crate) fn solve(&self, id: &str) -> Vec<Row> {
        let columns: Vec<&str> = self.quasi().into_iter().chain([self.sensitive()]).collect();
        let input = self.json["input"].as_array().unwrap();
        let values = |column: &str| input.iter().map(|row| row[column].as_str().unwrap()).collect::<Vec<&str>>();
        let attribute = |column: &&str| {
            let role = if *column == self.sensitive() { Role::Sensitive } else { Role::QuasiIdentifier };
            Attribute::new(*column, role, Dictionary::of_texts(values(column)))
        };
        let attributes: Vec<Attribute> = columns.iter().map(attribute).collect();
        let codes = |row: &Value| -> Vec<u32> {
            let code =
                |attribute: &Attribute| attribute.dictionary.code(row[&attribute.name].as_str().unwrap()).unwrap();
            attributes.iter().map(code).collect()
        };
        let tuples: Vec<(Vec<u32>, u64)> = input.iter().map(|row| (codes(row), 1)).collect();
        let hierarchy = |column: &str| {
            let lines = self.lines(column).into_values().map(|line| {
                let inner = line[..line.len() - 1].join(";");
                format!("{inner};*\n")
            });
            Hierarchy::read(&lines.collect::<String>()).unwrap()
        };
        let quasi: Vec<QuasiIdentifier> = (0..columns.len() - 1)
            .map(|at| QuasiIdentifier::new(at, &hierarchy(columns[at]), &attributes[at].dictionary).unwrap())
            .collect();
        let table = FrequencyTable::from_tuples(attributes, tuples);
        let parameters = &self.json["parameters"];
        let alpha = parameters["alpha"].to_string().parse().unwrap();
        let protected = parameters["sensitive_value"].as_str().unwrap();
        let policy = Policy::k_anonymity(parameters["k"].as_u64().unwrap());
        let policy = policy.deassociating(self.sensitive(), alpha, &[protected], false);
        let problem = Problem::new(&table, &quasi, &policy, &Distortion, 1).unwrap();
        let solver = (AlgorithmEntry::find(id).unwrap().new)();
        let solution = solver.solve(&problem, &Budget::default()).unwrap();
        let recoding = Recoding::tightened(&table, &quasi, &solution.partition);
        let mut rows = Vec::new();
        for (number, class) in (0..).zip(solution.partition.classes()) {
            let cells: Vec<BTreeSet<String>> = recoding
                .cells(number)
                .iter()
                .zip(&quasi)
                .map(|(&cell, quasi)| {
                    let leaves = (0..quasi.domain.leaf_count())
                        .filter(|&leaf| quasi.domain.contains(cell, quasi.domain.leaf(leaf)));
                    leaves.map(|leaf| quasi.domain.render(quasi.domain.leaf(leaf)).into_owned()).collect()
                })
                .collect();
            for &(tuple, count) in class {
                let sensitive = &table.attributes()[quasi.len()].dictionary;
                let sensitive = sensitive.label(table.code(tuple, quasi.len())).into_owned();
                rows.extend((0..count).map(|_| (cells.clone(), sensitive.clone())));
            }
        }
        rows.sort();
        rows
    }
}
