//! The least loss of all releases of a table that is small enough to try every one.

use incrowd_algorithms::Problem;
use incrowd_core::{Measures, Partition, Recoding};

/// The least LM of any partition into classes that keep the policy, rows within the budget withheld.
pub(crate) fn optimum(problem: &Problem<'_>) -> Option<f64> {
    let table = problem.table;
    let rows: Vec<usize> = (0..table.tuples()).flat_map(|tuple| (0..table.count(tuple)).map(move |_| tuple)).collect();
    let mut least: Option<f64> = None;
    let mut place = |classes: &[Vec<usize>]| {
        let members = |class: &Vec<usize>| class.iter().map(|&tuple| (tuple, 1)).collect::<Vec<(usize, u64)>>();
        let mut partition = Partition::default();
        partition.withhold(members(&classes[0]));
        classes[1..].iter().for_each(|class| partition.push(members(class)));
        if partition.withheld_rows() <= problem.budget && partition.classes().all(|class| problem.holds(class)) {
            let recoding = Recoding::tightened(table, problem.quasi_identifiers, &partition);
            let lm = Measures::of(table, problem.quasi_identifiers, &partition, &recoding, 1).lm;
            least = Some(least.map_or(lm, |least| least.min(lm)));
        }
    };
    partitions(&rows, &mut vec![vec![]], &mut place);
    least
}

/// Puts the rows into classes in every way; the first class is the rows that are withheld.
fn partitions(rows: &[usize], classes: &mut Vec<Vec<usize>>, place: &mut impl FnMut(&[Vec<usize>])) {
    let Some((&row, rest)) = rows.split_first() else { return place(classes) };
    for class in 0..classes.len() {
        classes[class].push(row);
        partitions(rest, classes, place);
        classes[class].pop();
    }
    classes.push(vec![row]);
    partitions(rest, classes, place);
    classes.pop();
}
