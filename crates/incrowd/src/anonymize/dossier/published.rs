//! The release as its readers will see it, from the classes in memory.

use incrowd_core::{Kind, Members};
use incrowd_risk::attack::{Likeness, Published, PublishedClass};

use super::Made;

/// The protected columns, by position.
fn secrets(made: &Made<'_>) -> Vec<usize> {
    made.run.options.policy.sensitive().iter().filter_map(|name| made.classes.table.position(name)).collect()
}

fn named(made: &Made<'_>, secrets: &[usize]) -> Vec<String> {
    secrets.iter().map(|&column| made.classes.table.attributes()[column].name.clone()).collect()
}

fn class(made: &Made<'_>, number: u32, members: &[(usize, u64)], secrets: &[usize]) -> PublishedClass {
    let members = Members::new(&made.classes.table, members);
    let bags = secrets.iter().map(|&column| members.row_counts(column)).collect();
    PublishedClass { cells: vec![number], people: members.size(), rows: members.rows(), bags }
}

/// People with equal published quasi-identifiers, and the classes: in one table they are the same.
pub(super) fn one_table(made: &Made<'_>) -> (Published, Published) {
    let secrets = secrets(made);
    let mut classes = Vec::new();
    made.classes.for_each_published(|number, members| classes.push(class(made, number, members, &secrets)));
    let published = Published::new(named(made, &secrets), classes);
    let crowd = |class: &PublishedClass| PublishedClass { bags: Vec::new(), ..class.clone() };
    (Published::new(Vec::new(), published.classes().iter().map(crowd).collect()), published)
}

/// In two tables people look as they are, whatever their class.
pub(super) fn two_tables(made: &Made<'_>) -> (Published, Published) {
    let secrets = secrets(made);
    let classes = (0..).zip(made.classes.partition.classes()).map(|(at, members)| class(made, at, members, &secrets));
    let published = Published::new(named(made, &secrets), classes.collect());
    let mut rows: Vec<u64> = (0..made.classes.table.tuples()).map(|tuple| made.classes.table.count(tuple)).collect();
    made.classes.partition.withheld().iter().for_each(|&(tuple, withheld)| rows[tuple] -= withheld);
    let look = |tuple: usize| made.classes.quasi.iter().map(move |quasi| made.classes.table.code(tuple, quasi.column));
    let mut order: Vec<usize> = (0..rows.len()).filter(|&tuple| rows[tuple] > 0).collect();
    order.sort_by(|&a, &b| look(a).cmp(look(b)));
    let crowds = order.chunk_by(|&a, &b| look(a).eq(look(b))).zip(0..).map(|(tuples, number)| {
        let rows = tuples.iter().map(|&tuple| rows[tuple]).sum();
        PublishedClass { cells: vec![number], people: rows, rows, bags: Vec::new() }
    });
    (Published::new(Vec::new(), crowds.collect()), published)
}

/// How near the values of the protected columns are, where they are numbers or days.
pub(super) fn likeness(made: &Made<'_>) -> Vec<Option<Likeness>> {
    let of = |&column: &usize| {
        let dictionary = &made.classes.table.attributes()[column].dictionary;
        let ordered = matches!(dictionary.kind(), Kind::Integer | Kind::Number | Kind::Date);
        ordered.then(|| Likeness::Order((0..).take(dictionary.len()).collect()))
    };
    secrets(made).iter().map(of).collect()
}
