//! Shards by tasks, each of which runs twice, publish the rows of local shards in their order.

use incrowd_core::{Cancel, ClassSizes, FrequencyTable, QuasiIdentifier, Recoding, ShardTree};

use super::apply::apply_by_row;
use super::group::count;
use super::job::TaskCall;
use super::shards::{ExecutorClasses, ExecutorCodes, ShardTask, lay_out};
use super::space::TaskSpace;
use super::tests::{Desk, Here, SMALL, asked, classes, columns, quasi, rows};
use crate::cluster::count_by_tasks::outgrown;
use crate::count::outgrown::Outgrown;
use crate::count::question::{AtOnce, Question};
use crate::out_of_core::{ByRow, RowRecipe};
use crate::publish::text_dialect::TextDialect;
use crate::runtime::cluster_session::TaskJob;
use crate::runtime::engine::Settings;
use crate::source::files::Format;

const KEY: [u8; 32] = [9; 32];
/// The most tuples of a shard.
const MOST: u64 = 1000;
/// The rows that are drawn, about, and the seed of the drawing.
const DRAW: (u64, u64) = (500, 7);

/// More tuples than this are too many.
fn too_many() -> Question {
    Question { at_once: AtOnce { most: Some(4), ..AtOnce::default() }, ..asked() }
}

/// Three shards, of which one has no row.
fn tree() -> ShardTree {
    let mut tree = ShardTree::whole();
    let parts = tree.cut(0, 0, vec![0, 3]);
    tree.cut(parts[1], 1, vec![0, 100]);
    tree
}

fn recoded(table: &FrequencyTable, quasi: &[QuasiIdentifier]) -> Recoding {
    Recoding::tightened(table, quasi, &classes(table))
}

/// The shards of a local run, and the tuples of each.
fn here(desk: &Desk) -> (ByRow, Outgrown, Vec<FrequencyTable>, (u64, FrequencyTable)) {
    let answer = desk.source.count(&desk.engine, &too_many()).expect("counted");
    let mut outgrown = answer.outgrown.expect("too many tuples");
    let codes = desk.source.lay_out(&desk.engine, &outgrown, DRAW.0, DRAW.1).expect("laid out");
    let drawn = codes.drawn(&desk.engine, outgrown.take_columns());
    outgrown.give_columns(drawn.clone());
    let quasi = quasi(outgrown.attributes());
    let mut shards = codes.route(&desk.engine, &tree(), &quasi).expect("routed");
    let mut tables = Vec::new();
    for shard in 0..shards.count() {
        if shards.rows(shard) == 0 {
            shards.skip(shard);
            continue;
        }
        let table = shards.load(&desk.engine, shard, outgrown.take_columns(), MOST).expect("loaded");
        shards.seat(&desk.engine, shard, &table, &recoded(&table, &quasi), KEY).expect("noted");
        tables.push(table.clone());
        outgrown.give_columns(table);
    }
    (shards.finish().expect("complete"), outgrown, tables, (codes.tuples(), drawn))
}

/// Solves each shard in a task of its own, twice.
fn solved(
    space: &TaskSpace<'_>,
    codes: &ExecutorCodes,
    quasi: &[QuasiIdentifier],
) -> (ExecutorClasses, Vec<FrequencyTable>) {
    // An attempt that is given up leaves its files, and changes nothing.
    codes.route_in(space, &ShardTree::whole(), quasi).expect("routed");
    let shards = codes.route_in(space, &tree(), quasi).expect("routed");
    let (engine, mut tables, mut noted) = (space.engine(), Vec::new(), Vec::new());
    let tasks = shards.with_rows().len();
    for task in (0..tasks).rev().chain(0..tasks) {
        let job = TaskJob { folder: space.folder().0.address().into(), name: shards.of_attempt("solve"), tasks };
        let call = TaskCall { job, task, settings: Settings::default(), cancel: Cancel::default() };
        let shard = ShardTask::of(&call, space.folder()).expect("a shard");
        let table = shard.load(engine, MOST).expect("loaded");
        assert!(shard.load(engine, 1).is_err(), "too many tuples");
        noted.push(shard.note(engine, &table, &recoded(&table, quasi), KEY).expect("noted"));
        tables.push(table);
    }
    (shards.finish_in(space, codes, quasi, &noted.split_off(tasks)).expect("complete"), tables.split_off(tasks))
}

#[test]
fn shards_by_tasks_publish_the_rows_of_local_shards_in_their_order() {
    let desk = Desk::new();
    let (by_row, local, tables, (tuples, drawn)) = here(&desk);
    let space = TaskSpace::beside(&Here, &desk.engine, &desk.path("there")).expect("a space");
    let asked = too_many();
    let merged = count(&space, &desk.source, (&asked.quasi_identifiers, None), 7).expect("counted").expect("readable");
    let (mut outgrown, profiles) =
        outgrown(&space, &desk.source, &asked, (&merged, None)).expect("values").expect("too many tuples");
    assert_eq!((outgrown.attributes(), outgrown.rows()), (local.attributes(), local.rows()));
    let of_local = desk.source.profile_columns(&desk.engine, &asked.quasi_identifiers).expect("profiles");
    assert_eq!(profiles, of_local);
    let codes = lay_out(&space, &desk.source, &outgrown, DRAW).expect("laid out");
    assert_eq!(codes.tuples(), tuples);
    let of_tasks = codes.drawn(&desk.engine, outgrown.take_columns());
    assert_eq!(of_tasks, drawn);
    outgrown.give_columns(of_tasks);
    let quasi = quasi(outgrown.attributes());
    let (classes, by_tasks) = solved(&space, &codes, &quasi);
    assert_eq!(by_tasks, tables);
    assert_eq!(classes.sizes(), &ClassSizes::from_sizes(by_row.sizes().iter().copied()));
    assert!(classes.withheld() > 0 && classes.withheld() == by_row.withheld());
    for at in 0..2 {
        assert_eq!(classes.cells_of(at), by_row.cells_of(at));
    }
    for (format, one_file) in [(Format::Csv, false), (Format::Parquet, true)] {
        let recipe = RowRecipe {
            attributes: outgrown.attributes(),
            quasi_identifiers: &quasi,
            columns: &columns(),
            format,
            one_file,
            escape_formulas: true,
            dialect: &TextDialect::default(),
            key: KEY,
        };
        let here = desk.source.apply_by_row(&desk.engine, &by_row, &recipe, &desk.path("here")).expect("written here");
        let there = apply_by_row((&space, SMALL), &desk.source, &classes, &recipe, &desk.path("there"));
        let there = there.expect("written by tasks");
        assert_eq!(there.files.len(), if one_file { 1 } else { 16 });
        let [here, there] = [("here", &here), ("there", &there)].map(|(folder, applied)| {
            let files = applied.files.iter().map(|file| desk.path(folder).join(&file.name)).collect::<Vec<_>>();
            rows(&desk.engine, &files, format)
        });
        assert!(here.len() > 2000);
        assert_eq!(here, there, "{format:?}");
    }
}
