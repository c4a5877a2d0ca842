//! Classes as Mondrian makes them: rows are parted at the median of a column as long as both sides keep k.

use incrowd_risk::attack::{Published, PublishedClass};

use super::tables::Draw;

/// The class of each row. The column to part along is the one that is spread most, or any when `draw` is given.
pub(crate) fn mondrian(rows: &[Vec<u32>], quasi: usize, k: usize, mut draw: Option<Draw>) -> Vec<usize> {
    let domains: Vec<f64> = (0..quasi).map(|column| rows.iter().map(|row| row[column]).max().unwrap() as f64).collect();
    let mut open = vec![(0..rows.len()).collect::<Vec<usize>>()];
    let (mut classes, mut next) = (vec![0; rows.len()], 0);
    while let Some(members) = open.pop() {
        let mut columns: Vec<usize> = (0..quasi).collect();
        let range = |column: usize| {
            let codes = || members.iter().map(|&row| rows[row][column]);
            f64::from(codes().max().unwrap() - codes().min().unwrap()) / domains[column].max(1.0)
        };
        match &mut draw {
            Some(draw) => (1..quasi).rev().for_each(|at| columns.swap(at, draw.below(at + 1))),
            None => columns.sort_by(|&a, &b| range(b).total_cmp(&range(a))),
        }
        match columns.into_iter().find_map(|column| parted(rows, &members, column, k)) {
            Some((low, high)) => open.extend([low, high]),
            None => {
                members.iter().for_each(|&row| classes[row] = next);
                next += 1;
            }
        }
    }
    classes
}

/// Both sides of the value nearest to the median that leaves k rows on each.
fn parted(rows: &[Vec<u32>], members: &[usize], column: usize, k: usize) -> Option<(Vec<usize>, Vec<usize>)> {
    if members.len() < 2 * k {
        return None;
    }
    let mut codes: Vec<u32> = members.iter().map(|&row| rows[row][column]).collect();
    codes.sort_unstable();
    let median = codes[codes.len() / 2];
    let cuts = [codes.partition_point(|&code| code < median), codes.partition_point(|&code| code <= median)];
    let fits = |&at: &usize| at >= k && codes.len() - at >= k;
    let at = cuts.into_iter().filter(fits).min_by_key(|&at| at.abs_diff(codes.len() / 2))?;
    Some(members.iter().partition(|&&row| rows[row][column] < codes[at]))
}

/// What is published of such classes, with the last column sensitive.
pub(crate) fn published(rows: &[Vec<u32>], classes: &[usize], sensitive: &str) -> Published {
    let mut values = vec![Vec::new(); classes.iter().max().map_or(0, |last| last + 1)];
    rows.iter().zip(classes).for_each(|(row, &class)| values[class].extend(row.last()));
    let class = |(cell, values): (u32, &Vec<u32>)| PublishedClass::of_rows(&[cell], values.len() as u64, &[values]);
    Published::new(vec![sensitive.to_owned()], (0..).zip(&values).map(class).collect())
}
