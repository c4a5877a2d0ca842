//! t-closeness as SQL.

use std::collections::BTreeMap;

use super::super::shared::exact::ExactNumber;
use super::super::shared::sql::{ValueCounts, identifier, literal, literals};
use super::TCloseness;

impl TCloseness {
    /// What a class has too much of each node of a level, summed over all levels below the root: the distance is its
    /// mean.
    pub(super) fn sql_of_levels(&self, quasi_identifiers: &[&str], name: &str, paths: &[Vec<String>]) -> String {
        let attribute = identifier(name);
        let height = paths.first().map_or(1, |path| path.len() - 1);
        let leaves: Vec<String> = paths.iter().map(|path| path[0].clone()).collect();
        let level = |level: usize| {
            let told = if level == 0 { attribute.clone() } else { node_sql(&attribute, paths, level) };
            let weighed = ValueCounts::of(quasi_identifiers, name, told);
            let ValueCounts { value, own, class, whole, all, .. } = &weighed;
            let much = format!(
                "CASE WHEN {own} * {all} > {whole} * {class} THEN {own} * {all} - {whole} * {class} ELSE 0 END"
            );
            // A value that is not in the tree is too far from everything.
            let much = match level == 0 && !paths.is_empty() {
                true => format!(
                    "CASE WHEN {value} NOT IN ({}) THEN 2 * {height} * {class} * {all} ELSE {much} END",
                    literals(&leaves)
                ),
                false => much,
            };
            let (listed, rows) = (weighed.listed_before(), weighed.rows(&[class, whole, all]));
            format!("SELECT {listed}{class}, {all}, {much} AS {own} FROM {rows}")
        };
        let levels: Vec<String> = (0..height).map(level).collect();
        let weighed = ValueCounts::of_values(quasi_identifiers, name);
        let ValueCounts { own, class, all, .. } = &weighed;
        let (listed, ExactNumber { above, below }) = (weighed.listed_before(), self.t);
        format!(
            "SELECT {listed}SUM({own}) / MAX({height} * {class} * {all}) FROM ({}) AS levels{} HAVING SUM({own}) * {below} > \
             {above} * MAX({height} * {class} * {all})",
            levels.join(" UNION ALL "),
            weighed.by_class()
        )
    }

    /// For each class and each place of the order the difference of the shares up to it.
    pub(super) fn sql_of_order(&self, quasi_identifiers: &[&str], name: &str, order: Option<&[String]>) -> String {
        let attribute = identifier(name);
        let told = match order {
            Some(order) => {
                let when = |(at, value): (usize, &String)| format!("WHEN {attribute} = {} THEN {at}", literal(value));
                let whens: Vec<String> = order.iter().enumerate().map(when).collect();
                // A value that is not in the order has a place before all others.
                format!("CASE {} WHEN {attribute} IS NOT NULL THEN -1 END", whens.join(" "))
            }
            None => format!(
                "CASE WHEN {attribute} LIKE '____-__-__' THEN CAST(REPLACE({attribute}, '-', '') AS DOUBLE PRECISION) ELSE \
                 CAST({attribute} AS DOUBLE PRECISION) END"
            ),
        };
        let weighed = ValueCounts::of(quasi_identifiers, name, told);
        let ValueCounts { value, own, class, whole, all, place, met, .. } = &weighed;
        let (listed, by_class) = (weighed.listed_before(), weighed.by_class());
        let by_class_and =
            if quasi_identifiers.is_empty() { " GROUP BY ".to_string() } else { format!("{by_class}, ") };
        let ranked = format!(
            "SELECT {listed}{own}, {class}, {value}, DENSE_RANK() OVER (ORDER BY {value} NULLS LAST) AS {place} FROM {}",
            weighed.rows(&[class])
        );
        let summed = format!(
            "SELECT {place} AS {met}, SUM(SUM({own})) OVER (ORDER BY {place}) AS {whole}, SUM(SUM({own})) OVER () AS {all} FROM \
             ranked GROUP BY {place}"
        );
        let walked = format!(
            "SELECT {listed}{class}, {met}, {whole}, {all}, MIN({value}) AS {value}, SUM(CASE WHEN {place} <= {met} THEN {own} \
             ELSE 0 END) AS {own} FROM ranked CROSS JOIN summed{by_class_and}{class}, {met}, {whole}, {all}"
        );
        let (ExactNumber { above, below }, unknown) =
            (self.t, if order.is_some() { format!(" OR MIN({value}) < 0") } else { String::new() });
        let moved = format!("SUM(ABS({own} * {all} - {whole} * {class}))");
        format!(
            "WITH ranked AS ({ranked}), summed AS ({summed}) SELECT {listed}{moved} / MAX({class} * {all}) FROM ({walked}) AS \
             walked{by_class} HAVING {moved} * {below} > {above} * (COUNT(*) - 1) * MAX({class} * {all}){unknown}"
        )
    }
}

/// The number of the node of a value on a level; a missing value has none, and so is a node of its own.
fn node_sql(attribute: &str, paths: &[Vec<String>], level: usize) -> String {
    let mut nodes: BTreeMap<&String, Vec<String>> = BTreeMap::new();
    paths.iter().for_each(|path| nodes.entry(&path[level]).or_default().push(path[0].clone()));
    let when =
        |(number, values): (usize, &Vec<String>)| format!("WHEN {attribute} IN ({}) THEN {number}", literals(values));
    format!("CASE {} END", nodes.values().enumerate().map(when).collect::<Vec<_>>().join(" "))
}
