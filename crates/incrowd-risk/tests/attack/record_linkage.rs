//! Record linkage against its definition, row by row on small generated tables.

use incrowd_core::Outcome;
use incrowd_risk::attack::record_linkage::{LinkageCell, LinkageTarget, LinkageWay, TreatedLook, TreatedRows, attack};

use super::tables::Draw;

/// A row: its class, its original values and what is published of them; nothing is missing.
struct Row {
    class: u32,
    original: Vec<Option<f64>>,
    published: Vec<Option<f64>>,
}

/// What is published of a number.
fn treated(way: LinkageWay, value: f64, draw: &mut Draw) -> f64 {
    let sign = if draw.below(2) == 0 { -1.0 } else { 1.0 };
    match way {
        LinkageWay::Known => (value / 4.0).round(),
        LinkageWay::Moved { days } => value + draw.below(2 * days as usize + 1) as f64 - f64::from(days),
        LinkageWay::RandomlyRounded { base } => {
            let low = (value / base).floor() * base;
            if low == value || draw.below(2) == 0 { low } else { low + base }
        }
        LinkageWay::Noise { scale } => value + sign * draw.below(4) as f64 * scale / 2.0,
        // Groups of five neighbouring numbers; the mean of a group is rounded.
        LinkageWay::GroupMean { base } => (((value / 5.0).floor() * 5.0 + 2.0) / base).round() * base,
    }
}

fn generated(seed: u64) -> (Vec<LinkageWay>, Vec<Row>) {
    let mut draw = Draw(seed);
    let ways = [
        LinkageWay::Known,
        LinkageWay::Moved { days: 3 },
        LinkageWay::Moved { days: 3 },
        LinkageWay::Moved { days: 2 },
        LinkageWay::RandomlyRounded { base: 3.0 },
        LinkageWay::Noise { scale: 2.0 },
        LinkageWay::GroupMean { base: 2.0 },
        LinkageWay::GroupMean { base: 0.5 },
    ];
    let ways: Vec<LinkageWay> = (0..1 + draw.below(4)).map(|_| ways[draw.below(ways.len())]).collect();
    let (count, range) = (1 + draw.below(25), 2 + draw.below(30));
    let rows = (0..count).map(|_| {
        let original: Vec<Option<f64>> =
            ways.iter().map(|_| (draw.below(10) > 0).then(|| draw.below(range) as f64)).collect();
        let mut moved: Vec<(u32, f64)> = Vec::new();
        let cells = ways.iter().zip(&original).map(|(&way, value)| {
            let value = (*value)?;
            let LinkageWay::Moved { days } = way else { return Some(treated(way, value, &mut draw)) };
            // All dates of a row with the same range are moved together.
            let apart = match moved.iter().find(|(other, _)| *other == days) {
                Some((_, apart)) => *apart,
                None => treated(way, 0.0, &mut draw),
            };
            moved.push((days, apart));
            Some(value + apart)
        });
        let published = cells.collect();
        Row { class: draw.below(4) as u32, original, published }
    });
    let rows = rows.collect();
    (ways, rows)
}

/// A person of class c fits classes c and c + 1.
fn fits(person: &Row, class: u32) -> bool {
    class == person.class || class == person.class + 1
}

/// The distance of a row from a person by the definition; nothing when the row cannot be the person's.
fn distance(ways: &[LinkageWay], rows: &[Row], person: &Row, row: &Row) -> Option<f64> {
    let mut sum = 0.0;
    for (column, way) in ways.iter().enumerate() {
        let (Some(known), Some(cell)) = (person.original[column], row.published[column]) else {
            if person.original[column].is_none() && row.published[column].is_none() {
                continue;
            }
            return None;
        };
        let apart = cell - known;
        let is_possible = match way {
            LinkageWay::Known => Some(cell) == person.published[column],
            LinkageWay::Moved { days } => {
                let together = (0..ways.len()).filter(|&other| ways[other] == *way).all(|other| {
                    match (person.original[other], row.published[other]) {
                        (Some(known), Some(cell)) => cell - known == apart,
                        _ => true,
                    }
                });
                apart.abs() <= f64::from(*days) && together
            }
            LinkageWay::RandomlyRounded { base } => apart.abs() < *base,
            LinkageWay::Noise { .. } => true,
            LinkageWay::GroupMean { base } => {
                let means = || rows.iter().filter_map(|row| row.published[column]);
                let below = means().any(|mean| mean + base / 2.0 < known && cell < mean);
                let above = means().any(|mean| mean - base / 2.0 > known && cell > mean);
                !below && !above
            }
        };
        if !is_possible {
            return None;
        }
        sum += match way {
            LinkageWay::Known | LinkageWay::Moved { .. } => 0.0,
            LinkageWay::RandomlyRounded { base: unit } | LinkageWay::Noise { scale: unit } => apart.abs() / unit,
            LinkageWay::GroupMean { .. } => {
                let mut means: Vec<f64> = rows.iter().filter_map(|row| row.published[column]).collect();
                means.sort_by(f64::total_cmp);
                means.dedup();
                let gaps: Vec<f64> = means.windows(2).map(|pair| pair[1] - pair[0]).collect();
                if gaps.is_empty() { 0.0 } else { apart.abs() * gaps.len() as f64 / gaps.iter().sum::<f64>() }
            }
        };
    }
    Some(sum)
}

/// The mean chance that the nearest row is the right one.
fn literal(ways: &[LinkageWay], rows: &[Row], with_classes: bool) -> f64 {
    let chance = |(at, person): (usize, &Row)| {
        let seen = rows.iter().enumerate().filter(|(_, row)| !with_classes || fits(person, row.class));
        let near: Vec<(usize, f64)> =
            seen.filter_map(|(other, row)| Some((other, distance(ways, rows, person, row)?))).collect();
        let least = near.iter().map(|(_, distance)| *distance).fold(f64::INFINITY, f64::min);
        let nearest: Vec<usize> =
            near.iter().filter(|(_, distance)| *distance <= least + 1e-9).map(|(other, _)| *other).collect();
        if nearest.contains(&at) { 1.0 / nearest.len() as f64 } else { 0.0 }
    };
    rows.iter().enumerate().map(chance).sum::<f64>() / rows.len() as f64
}

/// The share of rows with the same original values, on the whole.
fn literal_before(rows: &[Row], with_classes: bool) -> f64 {
    let alike = |person: &Row| {
        let seen = rows.iter().filter(|row| !with_classes || fits(person, row.class));
        seen.filter(|row| row.original == person.original).count()
    };
    rows.iter().map(|person| 1.0 / alike(person) as f64).sum::<f64>() / rows.len() as f64
}

fn linked(ways: &[LinkageWay], rows: &[Row]) -> [Outcome; 2] {
    let cell = |way: LinkageWay, value: Option<f64>| match value {
        None => LinkageCell::Missing,
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Small and not negative.
        Some(value) if way == LinkageWay::Known => LinkageCell::Code(value as u32),
        Some(value) => LinkageCell::At(value),
    };
    let cells = |values: &[Option<f64>]| -> Vec<LinkageCell> {
        ways.iter().zip(values).map(|(&way, &value)| cell(way, value)).collect()
    };
    let mut looks: Vec<TreatedLook> = Vec::new();
    let mut own = Vec::new();
    for row in rows {
        let cells = cells(&row.published);
        let look = looks.iter().position(|look| look.cells == cells).unwrap_or_else(|| {
            looks.push(TreatedLook { cells, classes: Vec::new() });
            looks.len() - 1
        });
        match looks[look].classes.iter_mut().find(|(class, _)| *class == row.class) {
            Some((_, rows)) => *rows += 1,
            None => looks[look].classes.push((row.class, 1)),
        }
        own.push(look);
    }
    let target = |(row, &own): (&Row, &usize)| {
        let known = ways.iter().enumerate().map(|(at, way)| match way {
            LinkageWay::Known => cell(*way, row.published[at]),
            way => cell(*way, row.original[at]),
        });
        let alike = || rows.iter().filter(|other| other.original == row.original);
        LinkageTarget {
            known: known.collect(),
            own,
            fitting: vec![row.class, row.class + 1],
            alike: alike().count() as u64,
            alike_fitting: alike().filter(|other| fits(row, other.class)).count() as u64,
        }
    };
    attack(&TreatedRows {
        names: vec!["pay".into()],
        ways: ways.to_vec(),
        quasi_identifiers: vec!["age".into()],
        targets: rows.iter().zip(&own).map(target).collect(),
        looks,
        candidates: rows.len() as u64,
    })
}

#[test]
fn the_nearest_rows_are_those_of_the_definition() {
    let mut succeeded = 0;
    for seed in 0..3_000 {
        let (ways, rows) = generated(seed);
        let [alone, with] = linked(&ways, &rows);
        for (found, with_classes) in [(alone, false), (with, true)] {
            let expected = literal(&ways, &rows, with_classes);
            assert!((found.success - expected).abs() < 1e-9, "{seed} {ways:?}: {} {expected}", found.success);
            let before = literal_before(&rows, with_classes);
            assert!(found.figure("before").is_some_and(|found| (found - before).abs() < 1e-9), "{seed}");
            succeeded += usize::from(found.success > found.baseline + 1e-9);
        }
    }
    assert!(succeeded > 1_000, "{succeeded}");
}

#[test]
fn two_dates_that_move_together_are_found_by_the_days_between_them() {
    // Every date is possible for everybody, and no two people have the same number of days between their dates.
    let days = 400;
    let row = |at: u32| {
        let (from, apart) = (f64::from(at % 5), f64::from(at * 7 % 300) - 150.0);
        let original = vec![Some(from), Some(from + f64::from(at))];
        Row { class: 0, published: original.iter().map(|day| day.map(|day| day + apart)).collect(), original }
    };
    let rows: Vec<Row> = (0..50).map(row).collect();
    let together = linked(&[LinkageWay::Moved { days }; 2], &rows);
    assert_eq!((together[0].success, together[0].evidence.name()), (1.0, "found"));
    let apart = linked(&[LinkageWay::Moved { days }, LinkageWay::Moved { days: 399 }], &rows);
    assert!(apart[0].success < 0.05, "{}", apart[0].success);
}
