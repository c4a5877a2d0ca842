//! The table, its columns, and what their roles reveal.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use incrowd::core::{ColumnProfile, Kind, Role};
use incrowd::request::HierarchyPlan;
use incrowd::{CheckOptions, Declared, TextEncoding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::blocking;
use super::body::Body;
use super::open::recount;
use crate::errors::{ApiError, ApiResult};
use crate::session::{OpenTable, WorkSession};

/// The most bars of a small picture.
const MOST_BARS: usize = 12;
/// The most rows of a preview.
const MOST_ROWS: usize = 100;
/// The k that is looked at when the plan has none.
const USUAL_K: u64 = 5;
/// The largest sets of columns that are searched, as by `check`.
const MAX_SET_SIZE: usize = 3;

#[derive(Serialize, JsonSchema)]
pub(super) struct TableView {
    path: String,
    format: &'static str,
    delimiter: Option<char>,
    header: Option<bool>,
    nulls: Vec<String>,
    /// The encoding of a text that is not UTF-8.
    encoding: Option<&'static str>,
    /// The sheet of a workbook.
    sheet: Option<String>,
    /// Columns whose numbers have a decimal comma.
    decimal_commas: Vec<String>,
    rows: u64,
    columns: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ColumnsView {
    columns: Vec<ColumnView>,
    rows: u64,
}

#[derive(Serialize, JsonSchema)]
struct ColumnView {
    name: String,
    kind: &'static str,
    distinct: u64,
    exact: bool,
    missing: u64,
    rows: u64,
    /// The role of the plan; nothing when the plan does not name the column.
    role: Option<&'static str>,
    letter: Option<char>,
    /// The plan names a role.
    declared: bool,
    /// It is among the columns that were counted together: as a quasi-identifier it is answered at once.
    countable: bool,
    guess: GuessView,
    confirmed: bool,
    keep_identifying: bool,
    spellings: Option<Value>,
    spellings_vary: bool,
    date_format: Option<String>,
    date_format_unknown: bool,
    distribution: SmallDistribution,
    hierarchy: Option<Value>,
    revealed: bool,
}

#[derive(Serialize, JsonSchema)]
struct GuessView {
    role: &'static str,
    confidence: &'static str,
    reason: String,
}

/// Shares of the rows, without labels.
#[derive(Serialize, JsonSchema)]
struct SmallDistribution {
    bars: Vec<f64>,
    ordered: bool,
    /// The last bar is all other values together.
    others: bool,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct RowsQuery {
    count: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RowsView {
    columns: Vec<PreviewColumn>,
    /// A hidden cell is null; a missing one is empty.
    rows: Vec<Vec<Option<String>>>,
}

#[derive(Serialize, JsonSchema)]
struct PreviewColumn {
    name: String,
    kind: &'static str,
    revealed: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RevealRequest {
    column: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RevealedView {
    revealed: Vec<String>,
}

pub(super) async fn table(State(session): State<Arc<WorkSession>>) -> ApiResult<Json<TableView>> {
    let table = session.table()?;
    let live = table.live();
    let (source, plan) = (live.source(), table.plan().0);
    Ok(Json(TableView {
        path: session.folder().name(&table.path),
        format: source.stored(),
        delimiter: source.delimiter().map(char::from),
        header: source.has_header(),
        nulls: plan.source.nulls.clone(),
        encoding: source.encoding().map(TextEncoding::name),
        sheet: source.workbook().map(|workbook| workbook.sheet.clone()),
        decimal_commas: source.read_options().decimal_commas.clone(),
        rows: live.profiles().first().map_or(0, |profile| profile.rows),
        columns: source.columns(),
    }))
}

pub(super) async fn columns(State(session): State<Arc<WorkSession>>) -> ApiResult<Json<ColumnsView>> {
    blocking(move || columns_of(&*session.table()?).map(Json)).await
}

fn columns_of(table: &OpenTable) -> ApiResult<ColumnsView> {
    let (live, (plan, _)) = (table.live(), table.plan());
    let guesses = live.columns(&Declared::default())?;
    let view = |(profile, guess): (&ColumnProfile, &incrowd::ColumnReport)| {
        let entry = plan.columns.iter().find(|column| column.name == profile.name);
        let role = entry.and_then(|entry| entry.role);
        ColumnView {
            name: profile.name.clone(),
            kind: guess.kind,
            distinct: guess.distinct,
            exact: guess.exact,
            missing: guess.missing,
            rows: profile.rows,
            role: role.map(Role::name),
            letter: role.map(Role::letter),
            declared: role.is_some(),
            countable: live.tuples().is_some_and(|tuples| tuples.position(&profile.name).is_some()),
            guess: GuessView {
                role: guess.role.name(),
                confidence: guess.confidence.name(),
                reason: guess.reason.clone(),
            },
            confirmed: entry.is_some_and(|entry| entry.confirmed),
            keep_identifying: entry.is_some_and(|entry| entry.keep_identifying),
            spellings: entry.and_then(|entry| entry.spellings).and_then(|word| serde_json::to_value(word).ok()),
            spellings_vary: live.spellings_vary(&profile.name),
            date_format: entry.and_then(|entry| entry.date_format.clone()),
            date_format_unknown: guess.date_format_unknown,
            distribution: SmallDistribution::of(profile),
            hierarchy: entry.and_then(|entry| entry.hierarchy.as_ref()).and_then(hierarchy_value),
            revealed: table.is_revealed(&profile.name),
        }
    };
    let rows = live.profiles().first().map_or(0, |profile| profile.rows);
    Ok(ColumnsView { columns: live.profiles().iter().zip(&guesses).map(view).collect(), rows })
}

fn hierarchy_value(hierarchy: &HierarchyPlan) -> Option<Value> {
    serde_json::to_value(hierarchy).ok()
}

impl SmallDistribution {
    fn of(profile: &ColumnProfile) -> SmallDistribution {
        let ordered = profile.dictionary.kind() != Kind::Text;
        let mut counts: Vec<u64> = profile.counts.clone();
        if !ordered {
            counts.sort_unstable_by(|a, b| b.cmp(a));
        }
        let all = counts.iter().sum::<u64>().max(1) as f64;
        let others = !ordered && counts.len() > MOST_BARS;
        let groups: Vec<u64> = if counts.len() <= MOST_BARS {
            counts
        } else if ordered {
            counts.chunks(counts.len().div_ceil(MOST_BARS)).map(|part| part.iter().sum()).collect()
        } else {
            let rest = counts.split_off(MOST_BARS - 1).iter().sum();
            counts.into_iter().chain([rest]).collect()
        };
        // A few digits: an exact share of a small group would be an exact count.
        let share = |rows: u64| (rows as f64 / all * 1e3).round() / 1e3;
        SmallDistribution { bars: groups.into_iter().map(share).collect(), ordered, others }
    }
}

pub(super) async fn rows(
    State(session): State<Arc<WorkSession>>,
    Query(query): Query<RowsQuery>,
) -> ApiResult<Json<RowsView>> {
    blocking(move || preview(&session, query.count.unwrap_or(8).min(MOST_ROWS)).map(Json)).await
}

fn preview(session: &WorkSession, count: usize) -> ApiResult<RowsView> {
    let table = session.table()?;
    let live = table.live();
    let columns: Vec<PreviewColumn> = live
        .profiles()
        .iter()
        .map(|profile| PreviewColumn {
            name: profile.name.clone(),
            kind: profile.dictionary.kind().name(),
            revealed: table.is_revealed(&profile.name),
        })
        .collect();
    // Hidden columns are not even read.
    let shown: Vec<String> =
        columns.iter().filter(|column| column.revealed).map(|column| column.name.clone()).collect();
    let all = live.profiles().first().map_or(0, |profile| profile.rows);
    let count = usize::try_from(all).unwrap_or(usize::MAX).min(count);
    if shown.is_empty() {
        let rows = (0..count).map(|_| vec![None; columns.len()]).collect();
        return Ok(RowsView { columns, rows });
    }
    let read = live.source().first_rows(session.engine(), &shown, count)?;
    let cell = |row: usize, column: &PreviewColumn| {
        let at = shown.iter().position(|name| *name == column.name)?;
        let code = *read.codes[at].get(row)?;
        Some(read.dictionaries[at].text(code).map(std::borrow::Cow::into_owned).unwrap_or_default())
    };
    let rows = (0..count).map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect();
    Ok(RowsView { columns, rows })
}

pub(super) async fn reveal(
    State(session): State<Arc<WorkSession>>,
    Body(request): Body<RevealRequest>,
) -> ApiResult<Json<RevealedView>> {
    let table = session.table()?;
    if !table.live().profiles().iter().any(|profile| profile.name == request.column) {
        return Err(ApiError::not_found("there is no such column"));
    }
    table.reveal(&request.column);
    session.note(format!("The values of column {} were revealed.", request.column));
    Ok(Json(RevealedView { revealed: table.revealed() }))
}

/// What the roles of the plan reveal.
pub(super) async fn risk(State(session): State<Arc<WorkSession>>) -> ApiResult<Json<Value>> {
    blocking(move || risk_of(&session).map(Json)).await
}

fn risk_of(session: &Arc<WorkSession>) -> ApiResult<Value> {
    let began = std::time::Instant::now();
    let table = session.table()?;
    let (plan, etag) = table.plan();
    let options = CheckOptions {
        declared: plan.declared(),
        remove_others: plan.removes_others(),
        k: plan.policy.k.unwrap_or(USUAL_K),
        max_set_size: MAX_SET_SIZE,
        values: 0,
    };
    let live = table.live();
    let Some(found) = live.check(session.engine(), &options)? else {
        if live.tuples().is_none() {
            return Ok(json!({ "etag": etag, "ready": false, "job": null,
                "why": "the tuples of this table do not fit in memory; use incrowd check on the command line" }));
        }
        let job = recount(session, &table, plan)?;
        return Ok(json!({ "etag": etag, "ready": false, "why": "the table is counted for these roles", "job": job }));
    };
    let not_searched: Vec<String> =
        found.diagnosis.not_searched.iter().map(incrowd::core::NotSearched::sentence).collect();
    let counts =
        if live.tuples().is_some_and(incrowd::core::FrequencyTable::counts_people) { "people" } else { "rows" };
    let mut answer = serde_json::to_value(&found).map_err(|_| ApiError::panicked())?;
    let more = json!({
        "etag": etag, "ready": true, "counts": counts, "not_searched": not_searched,
        "unique": found.diagnosis.unique, "below": found.diagnosis.below, "seconds": began.elapsed().as_secs_f64(),
    });
    if let (Some(answer), Value::Object(more)) = (answer.as_object_mut(), more) {
        answer.remove("columns");
        answer.extend(more);
    }
    Ok(answer)
}
