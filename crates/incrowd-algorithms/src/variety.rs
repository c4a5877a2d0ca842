//! What a policy asks of the different values of a class: of which sensitive attributes it wants how many.
//!
//! Three models ask for nothing else: p-sensitivity, its extended form, where the values of a protected group count as
//! one, and distinct ℓ-diversity, which is p-sensitivity by another name.

use incrowd_core::{FrequencyTable, ModelError, Policy, Rule};

/// At least so many different things among the values of a sensitive attribute, in every class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variety {
    /// The position of the attribute.
    pub column: usize,
    /// The fewest different things of a class: p.
    pub least: u64,
    /// For each code the number of the thing it counts as, below the number of codes.
    pub things: Vec<u32>,
}

impl Variety {
    /// What a policy asks of this kind, attribute by attribute in the order of its rules.
    pub fn of(table: &FrequencyTable, policy: &Policy) -> Result<Vec<Variety>, ModelError> {
        let mut varieties: Vec<Variety> = Vec::new();
        for rule in &policy.models {
            let (model, letter) = match rule.model.as_str() {
                "p-sensitive" => ("p-sensitive", "p"),
                "extended-p-sensitive" => ("extended-p-sensitive", "p"),
                "distinct-l-diversity" => ("distinct-l-diversity", "l"),
                _ => continue,
            };
            let least = rule.parameters.whole(model, letter)?;
            for name in &rule.sensitive {
                let unknown = || ModelError::UnknownColumn { name: name.clone() };
                let column = table.position(name).ok_or_else(unknown)?;
                let things = things(table, column, rule)?;
                // The same asked twice is asked once, and the most counts.
                match varieties.iter_mut().find(|known| known.column == column && known.things == things) {
                    Some(known) => known.least = known.least.max(least),
                    None => varieties.push(Variety { column, least, things }),
                }
            }
        }
        Ok(varieties)
    }

    /// How many rows of these there are of each thing that occurs, the most frequent first.
    pub fn frequencies(&self, table: &FrequencyTable, rows: &[(usize, u64)]) -> Vec<(u32, u64)> {
        let mut counts = vec![0u64; self.things.len()];
        for &(tuple, rows) in rows {
            counts[self.things[table.code(tuple, self.column) as usize] as usize] += rows;
        }
        let mut counts: Vec<(u32, u64)> = (0..).zip(counts).filter(|count| count.1 > 0).collect();
        counts.sort_by_key(|&(thing, rows)| (std::cmp::Reverse(rows), thing));
        counts
    }
}

/// The thing that each code of a column counts as: a group is the first of its values that occurs.
fn things(table: &FrequencyTable, column: usize, rule: &Rule) -> Result<Vec<u32>, ModelError> {
    let dictionary = &table.attributes()[column].dictionary;
    let mut things: Vec<u32> = (0..dictionary.len() as u32).collect();
    let groups = match rule.model.as_str() {
        "extended-p-sensitive" => rule.parameters.lists("extended-p-sensitive", "groups", "lists of values")?,
        _ => None,
    };
    for group in groups.unwrap_or_default() {
        let codes = group.iter().filter_map(|value| dictionary.code(value));
        let codes: Vec<u32> = codes.filter(|&code| Some(code) != dictionary.missing()).collect();
        codes.iter().for_each(|&code| things[code as usize] = codes[0]);
    }
    Ok(things)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Attribute, Dictionary, Parameters, Role};

    use super::*;

    #[test]
    fn what_is_asked_is_read_from_the_policy() {
        let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu", "hiv"]));
        let table = FrequencyTable::from_tuples(vec![illness], [([0], 3), ([1], 5), ([2], 1)]);
        let p = |p: u64| Parameters::from_iter([("p", p)]);
        let grouped = p(2).with("groups", vec![vec!["flu".to_owned(), "cold".to_owned()]]);
        let policy = Policy::k_anonymity(4)
            .asking("p-sensitive", p(2), &["illness"])
            .asking("distinct-l-diversity", Parameters::from_iter([("l", 3)]), &["illness"])
            .asking("extended-p-sensitive", grouped, &["illness"]);
        let found = Variety::of(&table, &policy).unwrap();
        let plain = Variety { column: 0, least: 3, things: vec![0, 1, 2] };
        assert_eq!(found, [plain, Variety { column: 0, least: 2, things: vec![1, 1, 2] }]);
        let rows = [(0, 3), (1, 5), (2, 1)];
        assert_eq!(found[0].frequencies(&table, &rows), [(1, 5), (0, 3), (2, 1)]);
        assert_eq!(found[1].frequencies(&table, &rows), [(1, 8), (2, 1)]);
        assert_eq!(Variety::of(&table, &Policy::k_anonymity(4)).unwrap(), []);
    }
}
