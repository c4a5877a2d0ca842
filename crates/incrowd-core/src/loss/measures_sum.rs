//! The losses of a release whose parts were measured one by one.
//!
//! Loss is a mean over cells, so the loss of the whole is the mean of the parts, weighted by their rows. Only two measures
//! look at the whole: a suppressed row is discerned from all rows of the table, and classes of two parts that publish
//! alike are one to a reader of the release; both are given when the sum is taken.

use crate::{ClassSizes, ColumnMeasures, Measures};

/// Adds up measures of parts.
#[derive(Clone, Debug, Default)]
pub struct MeasuresSum {
    rows: u64,
    /// The parts' means, each times the rows of its part.
    sum: Option<Measures>,
}

impl MeasuresSum {
    /// Adds a part with this number of rows, suppressed ones included.
    pub fn add(&mut self, measures: &Measures, rows: u64) {
        let weight = rows as f64;
        self.rows += rows;
        let sum = self.sum.get_or_insert_with(|| Measures {
            lm: 0.0,
            distortion_ratio: 0.0,
            precision: 0.0,
            dm: 0.0,
            avg: 0.0,
            columns: measures.columns.iter().map(|column| none_of(&column.name)).collect(),
        });
        sum.lm += weight * measures.lm;
        sum.distortion_ratio += weight * measures.distortion_ratio;
        sum.precision += weight * measures.precision;
        for (sum, part) in sum.columns.iter_mut().zip(&measures.columns) {
            sum.lm += weight * part.lm;
            sum.distortion_ratio += weight * part.distortion_ratio;
            sum.precision += weight * part.precision;
            sum.unchanged += weight * part.unchanged;
        }
    }

    /// The measures of the whole, given the sizes of the published classes in rows and the rows that are suppressed.
    pub fn finish(self, classes: &ClassSizes, withheld: u64, k: u64) -> Option<Measures> {
        let rows = self.rows.max(1) as f64;
        let (mut published, mut count, mut squares) = (0u64, 0u64, 0.0);
        for &(size, classes) in classes.histogram() {
            (published, count) = (published + size * classes, count + classes);
            squares += (size as f64).powi(2) * classes as f64;
        }
        self.sum.map(|sum| Measures {
            lm: sum.lm / rows,
            distortion_ratio: sum.distortion_ratio / rows,
            precision: sum.precision / rows,
            dm: squares + withheld as f64 * rows,
            avg: published as f64 / count.max(1) as f64 / k.max(1) as f64,
            columns: sum.columns.into_iter().map(|column| shared_by(column, rows)).collect(),
        })
    }
}

fn none_of(name: &str) -> ColumnMeasures {
    ColumnMeasures { name: name.into(), lm: 0.0, distortion_ratio: 0.0, precision: 0.0, unchanged: 0.0 }
}

fn shared_by(column: ColumnMeasures, rows: f64) -> ColumnMeasures {
    ColumnMeasures {
        lm: column.lm / rows,
        distortion_ratio: column.distortion_ratio / rows,
        precision: column.precision / rows,
        unchanged: column.unchanged / rows,
        ..column
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{
        Attribute, Dictionary, FrequencyTable, Hierarchy, Partition, QuasiIdentifier, Recoding, Role, TupleRows,
    };

    #[test]
    fn the_measures_of_two_parts_are_those_of_the_whole() {
        let dictionary = Dictionary::of_texts(["4351", "4352", "4361", "4362"]);
        let hierarchy = Hierarchy::prefix(&dictionary, None).unwrap();
        let quasi = [QuasiIdentifier::new(0, &hierarchy, &dictionary).unwrap()];
        let attribute = Attribute::new("postcode", Role::QuasiIdentifier, dictionary);
        let measured = |tuples: &[([u32; 1], u64)], classes: &[&[TupleRows]], withheld: &[TupleRows]| {
            let table = FrequencyTable::from_tuples(vec![attribute.clone()], tuples.iter().copied());
            let mut partition = Partition::default();
            classes.iter().for_each(|class| partition.push(class.iter().copied()));
            partition.withhold(withheld.iter().copied());
            let recoding = Recoding::tightened(&table, &quasi, &partition);
            Measures::of(&table, &quasi, &partition, &recoding, 2)
        };
        let whole = measured(
            &[([0], 2), ([1], 2), ([2], 3), ([3], 1)],
            &[&[(0, 2)], &[(1, 1)], &[(2, 2), (3, 1)]],
            &[(1, 1), (2, 1)],
        );
        let mut sum = MeasuresSum::default();
        sum.add(&measured(&[([0], 2), ([1], 2)], &[&[(0, 2)], &[(1, 1)]], &[(1, 1)]), 4);
        sum.add(&measured(&[([2], 3), ([3], 1)], &[&[(0, 2), (1, 1)]], &[(0, 1)]), 4);
        let summed = sum.finish(&ClassSizes::from_sizes([2, 1, 3]), 2, 2).unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and {b}");
        close(summed.lm, whole.lm);
        close(summed.distortion_ratio, whole.distortion_ratio);
        close(summed.precision, whole.precision);
        close(summed.columns[0].unchanged, whole.columns[0].unchanged);
        close(summed.dm, whole.dm);
        close(summed.avg, whole.avg);
    }
}
