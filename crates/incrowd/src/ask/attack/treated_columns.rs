//! Treated columns beside the original: what was published of each row, so that an attack on them can be scored.
//!
//! What is published of a row follows from the original, the treatment, the keys and the groups of the record. The rows of
//! the original are placed into the published rows that have these cells and whose quasi-identifiers fit. A row without a
//! place was suppressed. People are looked for among the others.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use incrowd_core::{
    Decimal, Dictionary, ItemLabels, MeanGroups, NumberTreatment, Treatment, ValueGroups, date_of_text,
    distinct_numbers,
};
use incrowd_engine::{CellTreatment, Question, RowsByClass, Source};
use incrowd_risk::attack::AttackNeed;
use incrowd_risk::attack::record_linkage::{LinkageCell, LinkageTarget, LinkageWay, TreatedLook, TreatedRows};
use incrowd_verify::{ColumnEntry, Role, Technique};

use super::fitting::Fitting;
use super::placement::MOST_TUPLES;
use super::{AttackOptions, AttackedRelease};
use crate::error::Result;
use crate::exposure::within_limits;
use crate::query::published_texts;
use crate::release::Record;

/// A treated column, as an attacker knows it.
struct TreatedColumn {
    name: String,
    treatment: Treatment,
    way: LinkageWay,
    /// What is published of values that are known, by number.
    codes: HashMap<String, u32>,
}

/// The rows of the treated columns and the people who are looked for, or what is missing for that.
pub(super) fn treated_rows(
    target: &AttackedRelease<'_>,
    options: &AttackOptions<'_>,
) -> Result<std::result::Result<Box<TreatedRows>, AttackNeed>> {
    let mut columns: Vec<TreatedColumn> = target.manifest().columns.iter().filter_map(TreatedColumn::of).collect();
    if columns.is_empty() {
        return Ok(Err(AttackNeed::TreatedColumns));
    }
    let Some(original) = options.against else { return Ok(Err(AttackNeed::Original)) };
    let Some(treatments) = cell_treatments(target, original, &columns)? else {
        return Ok(Err(AttackNeed::InternalRecord));
    };
    let names: Vec<String> = target.quasi.iter().chain(columns.iter().map(|column| &column.name)).cloned().collect();
    let (Some(rows), Some(texts)) = (
        within_limits(original.rows_in_order(target.engine, &names))?,
        within_limits(original.treated_rows(target.engine, &treatments))?,
    ) else {
        return Ok(Err(AttackNeed::RowsInMemory));
    };
    if texts.first().is_some_and(|column| column.len() > MOST_TUPLES) {
        return Ok(Err(AttackNeed::SmallOriginal));
    }
    let Some(looks) = PublishedLooks::published(target, &mut columns, &names)? else {
        return Ok(Err(AttackNeed::OneTable));
    };
    let own: Vec<Option<usize>> = (0..texts[0].len())
        .map(|row| {
            let cells = columns.iter_mut().zip(&texts).map(|(column, texts)| column.published(texts[row].as_deref()));
            looks.by_cells.get(&hashable(&cells.collect::<Vec<_>>())).copied()
        })
        .collect();
    Ok(Ok(Box::new(with_targets(target, &columns, looks, &rows, &own))))
}

/// The treatments with their keys and groups; nothing when the record lacks one of them.
fn cell_treatments(
    target: &AttackedRelease<'_>,
    original: &Source,
    columns: &[TreatedColumn],
) -> Result<Option<Vec<(String, CellTreatment)>>> {
    let record = target.release.record();
    let keys = record.map(Record::treatment_keys).unwrap_or_default();
    let mut treatments = Vec::new();
    for TreatedColumn { name, treatment, .. } in columns {
        let (mut key, mut person, mut groups) = ([0; 32], None, None);
        if treatment.is_drawn() {
            let Some(known) = keys.get(name) else { return Ok(None) };
            (key, person) = (*known, record.and_then(|record| record.subject.clone()));
        }
        if let Treatment::Microaggregate { base, .. } = treatment {
            let question = Question { quasi_identifiers: vec![name.clone()], ..Question::default() };
            let counted = original.count_here(target.engine, &question)?.into_table(target.engine)?;
            let bounds = record.and_then(|record| record.group_bounds.get(name));
            let found = bounds.zip(distinct_numbers(&counted));
            let found = found.and_then(|(bounds, numbers)| MeanGroups::of_bounds(&numbers, bounds, *base));
            let Some(found) = found else { return Ok(None) };
            groups = Some(Arc::new(ValueGroups::Means(found)));
        }
        if let Treatment::Items(items) = treatment {
            let Some(labels) = record.and_then(|record| record.item_labels.get(name)) else { return Ok(None) };
            groups = Some(Arc::new(ValueGroups::Items(ItemLabels::new(*items, labels.clone()))));
        }
        treatments.push((name.clone(), CellTreatment { treatment: treatment.clone(), key, person, groups }));
    }
    Ok(Some(treatments))
}

/// The published rows by the cells of their treated columns.
struct PublishedLooks {
    looks: Vec<TreatedLook>,
    by_cells: HashMap<Vec<Option<u64>>, usize>,
}

impl PublishedLooks {
    /// Reads the release; nothing when it has several tables.
    fn published(
        target: &AttackedRelease<'_>,
        columns: &mut [TreatedColumn],
        names: &[String],
    ) -> Result<Option<PublishedLooks>> {
        let Some(published) = published_texts(target.engine, &target.release, &target.names(names))? else {
            return Ok(None);
        };
        let quasi = target.quasi.len();
        let of_texts = |(column, texts): (&mut TreatedColumn, &Vec<Option<String>>)| -> Vec<LinkageCell> {
            texts.iter().map(|text| column.published(text.as_deref())).collect()
        };
        let cells: Vec<Vec<LinkageCell>> = columns.iter_mut().zip(&published.texts[quasi..]).map(of_texts).collect();
        let rows = published.codes.first().map_or(0, Vec::len);
        let mut looks = PublishedLooks { looks: Vec::new(), by_cells: HashMap::new() };
        let mut counted: HashMap<(usize, u32), u64> = HashMap::new();
        for row in 0..rows {
            let code = |at: usize| published.codes[at][row];
            let class = target.published.find(&(0..quasi).map(code).collect::<Vec<_>>());
            let Some(class) = class.and_then(|class| u32::try_from(class).ok()) else { continue };
            let own: Vec<LinkageCell> =
                cells.iter().enumerate().map(|(at, cells)| cells[code(quasi + at) as usize]).collect();
            let look = *looks.by_cells.entry(hashable(&own)).or_insert_with(|| {
                looks.looks.push(TreatedLook { cells: own, classes: Vec::new() });
                looks.looks.len() - 1
            });
            *counted.entry((look, class)).or_default() += 1;
        }
        let mut counted: Vec<((usize, u32), u64)> = counted.into_iter().collect();
        counted.sort_unstable();
        counted.into_iter().for_each(|((look, class), rows)| looks.looks[look].classes.push((class, rows)));
        Ok(Some(looks))
    }
}

/// Places the rows of the original and draws those that are looked for.
fn with_targets(
    target: &AttackedRelease<'_>,
    columns: &[TreatedColumn],
    looks: PublishedLooks,
    rows: &RowsByClass,
    own: &[Option<usize>],
) -> TreatedRows {
    let fitting = fitting_classes(target, rows, own.len());
    // If as many rows are published as the original has, nobody was suppressed.
    let is_whole = target.manifest().rows == own.len() as u64;
    let classes = placed(&looks.looks, &fitting, own, is_whole);
    let quasi = target.quasi.len();
    let values = |row: usize| -> Vec<u32> { rows.codes[quasi..].iter().map(|codes| codes[row]).collect() };
    let mut alike: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
    for (row, class) in classes.iter().enumerate() {
        class.iter().for_each(|&class| alike.entry(values(row)).or_default().push(class));
    }
    let published: Vec<usize> = (0..own.len()).filter(|&row| classes[row].is_some()).collect();
    let aimed = |row: usize| -> Option<LinkageTarget> {
        let own = own[row]?;
        let known = columns.iter().enumerate().map(|(at, column)| {
            let dictionary = &rows.dictionaries[quasi + at];
            match column.way {
                LinkageWay::Known => looks.looks[own].cells[at],
                _ => column.known(dictionary, rows.codes[quasi + at][row]),
            }
        });
        let alike = alike.get(&values(row)).map_or(&[][..], Vec::as_slice);
        let fits = |class: &&u32| fitting[row].binary_search(class).is_ok();
        Some(LinkageTarget {
            known: known.collect(),
            own,
            fitting: fitting[row].to_vec(),
            alike: alike.len() as u64,
            alike_fitting: alike.iter().filter(fits).count() as u64,
        })
    };
    TreatedRows {
        targets: TreatedRows::drawn(&published).into_iter().filter_map(aimed).collect(),
        names: columns.iter().map(|column| column.name.clone()).collect(),
        ways: columns.iter().map(|column| column.way).collect(),
        quasi_identifiers: target.quasi.clone(),
        looks: looks.looks,
        candidates: published.len() as u64,
    }
}

/// The classes that fit each row of the original, ascending.
fn fitting_classes(target: &AttackedRelease<'_>, rows: &RowsByClass, count: usize) -> Vec<Rc<Vec<u32>>> {
    let quasi = target.quasi.len();
    let named = target.quasi.iter().zip(&rows.dictionaries);
    let columns: Vec<_> = named.filter_map(|(name, dictionary)| Some((target.view.cells(name)?, dictionary))).collect();
    let fitting = Fitting::new(target.published.classes(), &columns);
    let all: Vec<u32> = (0..).zip(target.published.classes()).map(|(class, _)| class).collect();
    let mut known: HashMap<Vec<u32>, Rc<Vec<u32>>> = HashMap::new();
    let of_row = |row: usize| {
        let codes: Vec<u32> = rows.codes[..quasi].iter().map(|codes| codes[row]).collect();
        let classes = known
            .entry(codes)
            .or_insert_with_key(|codes| Rc::new(if codes.is_empty() { all.clone() } else { fitting.of(codes) }));
        Rc::clone(classes)
    };
    (0..count).map(of_row).collect()
}

/// The class of each row, those with the fewest possible classes first; nothing for a row that was suppressed. In a whole
/// table a row for which others left no room is in one of the classes that it fits, too.
fn placed(looks: &[TreatedLook], fitting: &[Rc<Vec<u32>>], own: &[Option<usize>], is_whole: bool) -> Vec<Option<u32>> {
    let candidates = |row: usize| {
        let classes = own[row].map_or(&[][..], |look| &looks[look].classes[..]);
        classes.iter().map(|(class, _)| *class).filter(move |class| fitting[row].binary_search(class).is_ok())
    };
    let mut order: Vec<(usize, usize)> = (0..own.len()).map(|row| (candidates(row).count(), row)).collect();
    order.sort_unstable();
    let rows = looks.iter().enumerate().flat_map(|(look, one)| one.classes.iter().map(move |class| (look, class)));
    let mut room: HashMap<(usize, u32), u64> = rows.map(|(look, &(class, rows))| ((look, class), rows)).collect();
    let mut classes = vec![None; own.len()];
    for (_, row) in order {
        let Some(look) = own[row] else { continue };
        let free = candidates(row).find(|&class| room.get(&(look, class)).is_some_and(|rows| *rows > 0));
        if let Some(rows) = free.and_then(|class| room.get_mut(&(look, class))) {
            *rows -= 1;
            classes[row] = free;
        } else if is_whole {
            classes[row] = candidates(row).next();
        }
    }
    classes
}

impl TreatedColumn {
    /// A column whose treatment shows something of its values.
    fn of(column: &ColumnEntry) -> Option<TreatedColumn> {
        let is_of_values = matches!(column.role, Role::Sensitive | Role::Insensitive);
        let text = column.treatment.as_ref().filter(|_| is_of_values && column.technique == Technique::Treated)?;
        let treatment: Treatment = text.parse().ok()?;
        let way = match &treatment {
            Treatment::Blank | Treatment::Pseudonym | Treatment::PseudonymDigits => return None,
            Treatment::Number(NumberTreatment { at_random: true, base: Some(base), .. }) => {
                LinkageWay::RandomlyRounded { base: base.approximate() }
            }
            Treatment::Number(_) | Treatment::Bins { .. } | Treatment::Mask { .. } | Treatment::Items(_) => {
                LinkageWay::Known
            }
            Treatment::Shift { days } => LinkageWay::Moved { days: *days },
            Treatment::Microaggregate { base, .. } => LinkageWay::GroupMean { base: base.approximate() },
            Treatment::Noise(noise) => LinkageWay::Noise { scale: noise.scale.approximate() },
        };
        Some(TreatedColumn { name: column.name.clone(), treatment, way, codes: HashMap::new() })
    }

    /// A published cell.
    fn published(&mut self, text: Option<&str>) -> LinkageCell {
        let Some(text) = text else { return LinkageCell::Missing };
        match self.way {
            LinkageWay::Known => {
                // A number has several texts, and formats write different ones.
                let is_number = matches!(self.treatment, Treatment::Number(_));
                let number = Decimal::parse(text).filter(|_| is_number).map(|number| number.to_string());
                let next = u32::try_from(self.codes.len()).unwrap_or(u32::MAX);
                LinkageCell::Code(*self.codes.entry(number.unwrap_or_else(|| text.into())).or_insert(next))
            }
            LinkageWay::Moved { .. } => days(text).map_or(LinkageCell::Missing, LinkageCell::At),
            _ => Decimal::parse(text).map_or(LinkageCell::Missing, |number| LinkageCell::At(number.approximate())),
        }
    }

    /// An original value that an attacker knows.
    fn known(&self, dictionary: &Dictionary, code: u32) -> LinkageCell {
        let Some(text) = dictionary.text(code) else { return LinkageCell::Missing };
        let place = match &self.treatment {
            Treatment::Shift { .. } => days(&text),
            // Numbers beyond the bounds are moved to them before they are rounded.
            Treatment::Number(NumberTreatment { bottom, top, .. }) => {
                let bounds = NumberTreatment { bottom: *bottom, top: *top, base: None, at_random: false };
                let bounded = Treatment::Number(bounds).of_number(&text);
                bounded.and_then(|text| Decimal::parse(&text)).map(Decimal::approximate)
            }
            _ => Decimal::parse(&text).map(Decimal::approximate),
        };
        place.map_or(LinkageCell::Missing, LinkageCell::At)
    }
}

/// A date with its time of day, in days.
fn days(text: &str) -> Option<f64> {
    let (date, time) = date_of_text(text)?;
    let mut seconds = 0.0;
    for (part, unit) in time.get(1..).unwrap_or_default().split(':').zip([3600.0, 60.0, 1.0]) {
        let end = part.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(part.len());
        seconds += part[..end].parse::<f64>().unwrap_or(0.0) * unit;
    }
    let days = date.signed_duration_since(chrono::NaiveDate::default()).num_days();
    Some(days as f64 + seconds / 86_400.0)
}

/// Cells as a key: equal cells have equal keys, because their numbers were made from equal decimal numbers.
fn hashable(cells: &[LinkageCell]) -> Vec<Option<u64>> {
    let key = |cell: &LinkageCell| match cell {
        LinkageCell::Missing => None,
        LinkageCell::Code(code) => Some(u64::from(*code)),
        LinkageCell::At(place) => Some((place + 0.0).to_bits()),
    };
    cells.iter().map(key).collect()
}
