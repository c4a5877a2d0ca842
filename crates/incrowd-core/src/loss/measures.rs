//! What a release loses, by the measures people compare releases with.
//!
//! A suppressed row loses everything: each of its cells counts as `*`, and it is discerned from no other row.

use serde::{Deserialize, Serialize};

use crate::{Distortion, FrequencyTable, Lm, Loss, Partition, Prices, QuasiIdentifier, Recoding, Weighted};

/// The losses of a release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// LM: the mean over cells of the share of other values that the cell could also be (Iyengar 2002).
    pub lm: f64,
    /// Levels that cells were raised, divided by all levels there are (Wong et al. 2006).
    pub distortion_ratio: f64,
    /// 1 less the mean over cells of the share of levels raised (Sweeney 2002).
    pub precision: f64,
    /// Discernibility: the sum of squared class sizes; a suppressed row counts as many as the table has (Bayardo and
    /// Agrawal 2005).
    pub dm: f64,
    /// The mean class size divided by k (LeFevre, DeWitt and Ramakrishnan 2006).
    pub avg: f64,
    /// The same for each quasi-identifier.
    pub columns: Vec<ColumnMeasures>,
}

/// The losses of one quasi-identifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnMeasures {
    /// The column's name.
    pub name: String,
    /// LM of its cells.
    pub lm: f64,
    /// The share of levels raised.
    pub distortion_ratio: f64,
    /// 1 less that share.
    pub precision: f64,
    /// The share of its cells that are published as they were.
    pub unchanged: f64,
}

impl Measures {
    /// Measures a recoded partition.
    pub fn of(
        table: &FrequencyTable,
        quasi_identifiers: &[QuasiIdentifier],
        partition: &Partition,
        recoding: &Recoding,
        k: u64,
    ) -> Measures {
        let rows: Vec<u64> = partition.classes().map(|class| class.iter().map(|member| member.1).sum()).collect();
        let withheld = partition.withheld_rows();
        let total = (rows.iter().sum::<u64>() + withheld).max(1) as f64;
        let mut columns = Vec::with_capacity(quasi_identifiers.len());
        let (mut levels, mut heights) = (0.0, 0.0);
        for (at, quasi) in quasi_identifiers.iter().enumerate() {
            let weighted = [Weighted::of(table, quasi.column, &quasi.domain, &quasi.leaves)];
            let compile = |loss: &dyn Loss| Prices::compile(loss, &weighted);
            let (lm, distortion) = (compile(&Lm), compile(&Distortion));
            let level = recoding.levels().map(|levels| levels[at] as f64);
            let top = quasi.domain.top();
            let (mut lost, mut raised, mut same) = (0.0, 0.0, 0);
            for (class, &rows) in (0..).zip(&rows) {
                let cell = recoding.cells(class)[at];
                lost += rows as f64 * lm.price(0, cell);
                raised += rows as f64 * level.unwrap_or_else(|| distortion.price(0, cell));
                same += if quasi.domain.leaves(cell) == 1 { rows } else { 0 };
            }
            let height = quasi.height() as f64;
            lost += withheld as f64 * lm.price(0, top);
            raised += withheld as f64 * height;
            (levels, heights) = (levels + raised, heights + height);
            let ratio = if height > 0.0 { raised / (total * height) } else { 0.0 };
            columns.push(ColumnMeasures {
                name: table.attributes()[quasi.column].name.clone(),
                lm: lost / total,
                distortion_ratio: ratio,
                precision: 1.0 - ratio,
                unchanged: same as f64 / total,
            });
        }
        let mean = |of: fn(&ColumnMeasures) -> f64| columns.iter().map(of).sum::<f64>() / columns.len().max(1) as f64;
        let published = merged(recoding, &rows);
        let square = |rows: &u64| (*rows as f64).powi(2);
        Measures {
            lm: mean(|column| column.lm),
            distortion_ratio: if heights > 0.0 { levels / (total * heights) } else { 0.0 },
            precision: mean(|column| column.precision),
            dm: published.iter().map(square).sum::<f64>() + withheld as f64 * total,
            avg: rows.iter().sum::<u64>() as f64 / published.len().max(1) as f64 / k.max(1) as f64,
            columns,
        }
    }

    /// The same when classes are told apart by an id, so that those that publish alike are not one: discernibility and mean
    /// class size are those of the partition. What is said of cells is as if they were generalized.
    pub fn with_class_ids(self, partition: &Partition, k: u64) -> Measures {
        let rows: Vec<u64> = partition.classes().map(|class| class.iter().map(|member| member.1).sum()).collect();
        let (published, withheld) = (rows.iter().sum::<u64>(), partition.withheld_rows());
        Measures {
            dm: rows.iter().map(|&rows| (rows as f64).powi(2)).sum::<f64>()
                + withheld as f64 * (published + withheld) as f64,
            avg: published as f64 / rows.len().max(1) as f64 / k.max(1) as f64,
            ..self
        }
    }
}

impl Measures {
    /// The losses of the published rows alone, given how many were suppressed. They follow from what is published; the
    /// losses over all rows would tell how many were suppressed.
    pub fn of_published(&self, published: u64, withheld: u64) -> Measures {
        let (rows, all) = (published.max(1) as f64, (published + withheld) as f64);
        // A suppressed row counts as 1 in every mean.
        let rest = |mean: f64| ((mean * all - withheld as f64) / rows).clamp(0.0, 1.0);
        let column = |column: &ColumnMeasures| {
            let ratio = rest(column.distortion_ratio);
            // A count, whatever the sum was rounded to.
            let unchanged = (column.unchanged * all).round() / rows;
            ColumnMeasures {
                name: column.name.clone(),
                lm: rest(column.lm),
                distortion_ratio: ratio,
                precision: 1.0 - ratio,
                unchanged: unchanged.min(1.0),
            }
        };
        let columns: Vec<ColumnMeasures> = self.columns.iter().map(column).collect();
        let mean = |of: fn(&ColumnMeasures) -> f64| columns.iter().map(of).sum::<f64>() / columns.len().max(1) as f64;
        Measures {
            lm: mean(|column| column.lm),
            distortion_ratio: rest(self.distortion_ratio),
            precision: mean(|column| column.precision),
            dm: (self.dm - withheld as f64 * all).round(),
            avg: self.avg,
            columns,
        }
    }
}

/// The rows of the published classes: those that publish the same cells are one.
fn merged(recoding: &Recoding, rows: &[u64]) -> Vec<u64> {
    let mut published = vec![0; rows.len()];
    recoding.alike().iter().zip(rows).for_each(|(&class, rows)| published[class as usize] += rows);
    published.retain(|&rows| rows > 0);
    published
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Attribute, Dictionary, Hierarchy, Role, Values};

    /// Tables 8 and 9 of the (α, k)-anonymity paper: 8 of 28 levels for the whole, 6 when a pair keeps its postcode.
    #[test]
    fn the_distortion_of_the_papers_tables_is_met() {
        let column = |name: &str, values: &[&str], lines: &str| {
            let dictionary = Dictionary::of_texts(values.iter().copied());
            let hierarchy = Hierarchy::read(lines).unwrap();
            (Attribute::new(name, Role::QuasiIdentifier, dictionary), hierarchy)
        };
        let columns = [
            column("Gender", &["male"], "male;*\n"),
            column("Birth", &["5", "6", "7", "8"], "5;1965;*\n6;1965;*\n7;1965;*\n8;1965;*\n"),
            column("Postcode", &["4351", "4352"], "4351;435*;43**;4***;****\n4352;435*;43**;4***;****\n"),
        ];
        let quasi: Vec<QuasiIdentifier> = (0..)
            .zip(&columns)
            .map(|(at, (attribute, hierarchy))| QuasiIdentifier::new(at, hierarchy, &attribute.dictionary).unwrap())
            .collect();
        let attributes = columns.map(|(attribute, _)| attribute).to_vec();
        let table =
            FrequencyTable::from_tuples(attributes, [([0, 0, 0], 1), ([0, 1, 0], 1), ([0, 2, 0], 1), ([0, 3, 1], 1)]);
        let whole = Partition::single(&table);
        let levels = Recoding::full_domain(&table, &quasi, &whole, &[0, 1, 1]);
        assert!((Measures::of(&table, &quasi, &whole, &levels, 2).distortion_ratio - 8.0 / 28.0).abs() < 1e-12);
        let mut local = Partition::default();
        local.push([(0, 1), (1, 1)]);
        local.push([(2, 1), (3, 1)]);
        let recoding = Recoding::tightened(&table, &quasi, &local);
        let measures = Measures::of(&table, &quasi, &local, &recoding, 2);
        assert_eq!((measures.dm, measures.avg), (8.0, 1.0));
        assert_eq!(measures.columns[2].unchanged, 0.5);
    }

    /// Sets and free intervals have one level; a missing value in an interval makes it `*`. By hand, for 7 rows:
    ///
    /// | rows | sex | LM | age | LM |
    /// | --- | --- | --- | --- | --- |
    /// | 2 | `{f, x}` | 1/3 | `[25, 39]` | 2/4 |
    /// | 2 | `m` | 0 | `60` | 0 |
    /// | 2 | `{f, (missing)}` | 1/3 | `*` | 1 |
    /// | 1 suppressed | `*` | 1 | `*` | 1 |
    #[test]
    fn sets_and_free_intervals_are_measured_by_their_values_and_have_one_level() {
        let sexes = Dictionary::new(Values::Texts(vec!["f".into(), "m".into(), "x".into()]), true);
        let ages = Dictionary::new(Values::Integers(vec![25, 36, 39, 60]), true);
        let quasi = [QuasiIdentifier::sets(0, &sexes).unwrap(), QuasiIdentifier::intervals(1, &ages).unwrap()];
        let attributes = vec![
            Attribute::new("sex", Role::QuasiIdentifier, sexes),
            Attribute::new("age", Role::QuasiIdentifier, ages),
        ];
        let tuples = [([0, 0], 1), ([0, 4], 1), ([1, 3], 2), ([2, 2], 1), ([3, 1], 2)];
        let table = FrequencyTable::from_tuples(attributes, tuples);
        let mut partition = Partition::default();
        partition.push([(0, 1), (3, 1)]);
        partition.push([(2, 2)]);
        partition.push([(1, 1), (4, 1)]);
        partition.withhold([(4, 1)]);
        let recoding = Recoding::tightened(&table, &quasi, &partition);
        let shown = |class: u32| [0, 1].map(|at| quasi[at].domain.render(recoding.cells(class)[at]).into_owned());
        assert_eq!([shown(0), shown(1), shown(2)], [["{f, x}", "[25, 39]"], ["m", "60"], ["{f, (missing)}", "*"]]);
        let measures = Measures::of(&table, &quasi, &partition, &recoding, 2);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and {b}");
        close(measures.columns[0].lm, (2.0 / 3.0 + 2.0 / 3.0 + 1.0) / 7.0);
        close(measures.columns[1].lm, (2.0 * 2.0 / 4.0 + 2.0 + 1.0) / 7.0);
        close(measures.lm, (measures.columns[0].lm + measures.columns[1].lm) / 2.0);
        // 5 of 7 rows are raised by the one level of each column.
        close(measures.distortion_ratio, 5.0 / 7.0);
        close(measures.precision, 2.0 / 7.0);
        assert_eq!((measures.dm, measures.avg), (3.0 * 4.0 + 7.0, 1.0));
        assert_eq!(measures.columns[0].unchanged, 2.0 / 7.0);
    }

    /// The same classes without the suppressed row, measured anew.
    #[test]
    fn the_losses_of_the_published_rows_are_those_of_a_table_that_never_had_the_others() {
        let towns = Dictionary::of_texts(["Graz", "Linz", "Ulm", "Wien"]);
        let quasi = [QuasiIdentifier::sets(0, &towns).unwrap()];
        let attributes = vec![Attribute::new("town", Role::QuasiIdentifier, towns)];
        let measured = |withheld: u64| {
            let tuples = [([0], 2), ([1], 1), ([2], 4), ([3], 1 + withheld)];
            let table = FrequencyTable::from_tuples(attributes.clone(), tuples);
            let mut partition = Partition::default();
            partition.push([(0, 2), (1, 1)]);
            partition.push([(2, 4)]);
            partition.push([(3, 1)]);
            partition.withhold([(3, withheld)].into_iter().filter(|one| one.1 > 0));
            let recoding = Recoding::tightened(&table, &quasi, &partition);
            Measures::of(&table, &quasi, &partition, &recoding, 2)
        };
        let (all, published) = (measured(3).of_published(8, 3), measured(0));
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and {b}");
        close(all.lm, published.lm);
        close(all.distortion_ratio, published.distortion_ratio);
        close(all.precision, published.precision);
        assert_eq!((all.dm, all.avg), (published.dm, published.avg));
        assert_eq!(all.columns[0].unchanged, published.columns[0].unchanged);
        assert_eq!(measured(0).of_published(8, 0).columns, published.columns);
    }

    /// A full-domain recoding of columns without a hierarchy keeps a column or gives it up.
    #[test]
    fn a_full_domain_recoding_gives_up_a_column_of_sets_as_a_whole() {
        let sexes = Dictionary::of_texts(["f", "m", "x"]);
        let quasi = [QuasiIdentifier::sets(0, &sexes).unwrap()];
        let attributes = vec![Attribute::new("sex", Role::QuasiIdentifier, sexes)];
        let table = FrequencyTable::from_tuples(attributes, [([0], 1), ([1], 1)]);
        let whole = Partition::single(&table);
        let recoding = Recoding::full_domain(&table, &quasi, &whole, &[1]);
        let measures = Measures::of(&table, &quasi, &whole, &recoding, 2);
        assert_eq!((measures.lm, measures.distortion_ratio, measures.precision), (1.0, 1.0, 0.0));
        let tightened = Recoding::tightened(&table, &quasi, &whole);
        assert_eq!(Measures::of(&table, &quasi, &whole, &tightened, 2).lm, 0.5);
    }
}
