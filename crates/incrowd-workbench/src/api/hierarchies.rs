//! Hierarchies: what the plan gives a column, previews, and the editor.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use incrowd::core::{ColumnProfile, Hierarchy, Role};
use incrowd::request::{BUILDERS, HierarchyPlan};
use incrowd::{EditError, HierarchyEditor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::blocking;
use super::body::Body;
use super::plan::PlanView;
use super::tree::{CoverageView, NodeView, TreeView, node_id};
use crate::document::write;
use crate::errors::{ApiError, ApiResult};
use crate::jobs::lock;
use crate::session::{OpenTable, WorkSession};

/// How many example paths are shown.
const SAMPLES: u32 = 5;

#[derive(Serialize, JsonSchema)]
pub(super) struct HierarchyView {
    column: String,
    kind: &'static str,
    plan: Option<Value>,
    editing: bool,
    undo: bool,
    redo: bool,
    revealed: bool,
    /// The word of a plan that has no tree: `sets` or `free-intervals`.
    none: Option<String>,
    levels: usize,
    level_sizes: Vec<usize>,
    values: usize,
    coverage: Option<CoverageView>,
    problems: Vec<String>,
    root: Option<NodeView>,
    /// Example paths from a value to the root; nothing while the values are hidden.
    samples: Option<Vec<Vec<String>>>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct BuilderList {
    builders: Vec<BuilderView>,
}

#[derive(Serialize, JsonSchema)]
struct BuilderView {
    word: &'static str,
    summary: &'static str,
    /// The kinds of columns that it takes.
    kinds: Vec<&'static str>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PreviewRequest {
    hierarchy: HierarchyPlan,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ImportRequest {
    path: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EditRequest {
    action: EditAction,
}

/// One step of the editor.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum EditAction {
    Start {},
    Rename { node: String, label: String },
    Move { nodes: Vec<String>, to: String },
    Group { nodes: Vec<String>, label: String },
    Merge { nodes: Vec<String>, label: String },
    Dissolve { node: String },
    Undo {},
    Redo {},
    Discard {},
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SaveHierarchyRequest {
    path: Option<String>,
    #[serde(default)]
    overwrite: bool,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct NodeQuery {
    from: Option<usize>,
}

pub(super) async fn builders() -> Json<BuilderList> {
    let builder = |entry: &incrowd::request::BuilderEntry| BuilderView {
        word: entry.word,
        summary: entry.summary,
        kinds: entry.kinds.iter().map(|kind| kind.name()).collect(),
    };
    Json(BuilderList { builders: BUILDERS.iter().map(builder).collect() })
}

/// A column of the open table.
struct EditedColumn {
    table: Arc<OpenTable>,
    live: Arc<incrowd::LiveTable>,
    at: usize,
}

impl EditedColumn {
    fn find(session: &WorkSession, name: &str) -> ApiResult<EditedColumn> {
        let table = session.table()?;
        let live = table.live();
        let at = live.profiles().iter().position(|profile| profile.name == name);
        let at = at.ok_or_else(|| ApiError::not_found("there is no such column"))?;
        Ok(EditedColumn { table, live, at })
    }

    fn profile(&self) -> &ColumnProfile {
        &self.live.profiles()[self.at]
    }

    fn name(&self) -> &str {
        &self.profile().name
    }

    fn planned(&self) -> Option<HierarchyPlan> {
        let (plan, _) = self.table.plan();
        plan.columns.into_iter().find(|column| column.name == self.name()).and_then(|column| column.hierarchy)
    }

    fn is_revealed(&self) -> bool {
        self.table.is_revealed(self.name())
    }

    /// The hierarchy that a plan gives this column; nothing where it needs none.
    fn build(&self, session: &WorkSession, plan: Option<&HierarchyPlan>) -> ApiResult<Option<Hierarchy>> {
        let profile = self.profile();
        if !profile.exact {
            return Err(ApiError::invalid("this column has too many distinct values to show its hierarchy"));
        }
        if let Some(HierarchyPlan::File(file) | HierarchyPlan::RaggedFile(file)) = plan {
            let below = self.table.plan_folder().join(file);
            session.folder().existing(&session.folder().name(&below))?;
        }
        Ok(match plan {
            Some(plan) => plan.build(&profile.dictionary, &self.table.plan_folder(), session.engine().memory())?,
            None => Some(Hierarchy::suggest(&profile.dictionary).map_err(incrowd::Error::from)?.hierarchy),
        })
    }

    fn view(&self, session: &WorkSession, plan: Option<HierarchyPlan>) -> ApiResult<HierarchyView> {
        let hierarchy = self.build(session, plan.as_ref())?;
        let editor = hierarchy.as_ref().map(HierarchyEditor::new);
        self.view_of(plan, hierarchy.as_ref(), editor.as_ref(), false)
    }

    fn view_of(
        &self,
        plan: Option<HierarchyPlan>,
        hierarchy: Option<&Hierarchy>,
        editor: Option<&HierarchyEditor>,
        editing: bool,
    ) -> ApiResult<HierarchyView> {
        let (profile, revealed) = (self.profile(), self.is_revealed());
        let plan = plan.and_then(|plan| serde_json::to_value(plan).ok());
        let coverage = hierarchy.map(|hierarchy| CoverageView::of(hierarchy, profile));
        let mut problems = Vec::new();
        if coverage.as_ref().is_some_and(|coverage| !coverage.is_complete()) {
            problems
                .push("Values of the column are missing in the hierarchy. incrowd refuses such a hierarchy.".into());
        }
        let sample = |hierarchy: &Hierarchy| {
            let leaves = (0..hierarchy.leaf_count()).step_by((hierarchy.leaf_count() / SAMPLES).max(1) as usize);
            let path = |leaf| hierarchy.path(leaf).map(|node| node.label().to_owned()).collect();
            leaves.take(SAMPLES as usize).map(path).collect::<Vec<Vec<String>>>()
        };
        let none =
            plan.as_ref().filter(|_| hierarchy.is_none()).and_then(|plan| plan["build"].as_str().map(Into::into));
        Ok(HierarchyView {
            column: self.name().into(),
            kind: profile.dictionary.kind().name(),
            plan,
            editing,
            undo: editor.is_some_and(HierarchyEditor::can_undo),
            redo: editor.is_some_and(HierarchyEditor::can_redo),
            revealed,
            none,
            levels: hierarchy.map_or(0, Hierarchy::height),
            level_sizes: hierarchy.map(Hierarchy::level_sizes).unwrap_or_default(),
            values: profile.dictionary.len(),
            coverage,
            problems,
            root: editor.and_then(|editor| TreeView::new(editor, profile, revealed).root()),
            samples: hierarchy.filter(|_| revealed).map(sample),
        })
    }

    /// The state of the editor, or what the plan gives.
    fn current(&self, session: &WorkSession) -> ApiResult<HierarchyView> {
        let editors = lock(&self.table.editors);
        match editors.get(self.name()) {
            Some(editor) => match editor.hierarchy() {
                Ok(hierarchy) => self.view_of(self.planned(), Some(&hierarchy), Some(editor), true),
                Err(error) => {
                    let mut view = self.view_of(self.planned(), None, Some(editor), true)?;
                    view.problems.push(incrowd::Error::from(error).to_string());
                    Ok(view)
                }
            },
            None => {
                drop(editors);
                self.view(session, self.planned())
            }
        }
    }
}

pub(super) async fn view(
    State(session): State<Arc<WorkSession>>,
    Path(name): Path<String>,
) -> ApiResult<Json<HierarchyView>> {
    blocking(move || EditedColumn::find(&session, &name)?.current(&session).map(Json)).await
}

pub(super) async fn node(
    State(session): State<Arc<WorkSession>>,
    Path((name, node)): Path<(String, String)>,
    Query(query): Query<NodeQuery>,
) -> ApiResult<Json<NodeView>> {
    blocking(move || {
        let column = EditedColumn::find(&session, &name)?;
        let editors = lock(&column.table.editors);
        let built;
        let editor = match editors.get(column.name()) {
            Some(editor) => editor,
            None => {
                let hierarchy = column.build(&session, column.planned().as_ref())?;
                built = HierarchyEditor::new(&hierarchy.ok_or_else(no_tree)?);
                &built
            }
        };
        let view = TreeView::new(editor, column.profile(), column.is_revealed());
        let part = node_id(&node).and_then(|id| view.part(id, query.from.unwrap_or(0)));
        part.map(Json).ok_or_else(|| ApiError::not_found("there is no such node"))
    })
    .await
}

fn no_tree() -> ApiError {
    ApiError::invalid("sets and free intervals have no tree")
}

pub(super) async fn preview(
    State(session): State<Arc<WorkSession>>,
    Path(name): Path<String>,
    Body(request): Body<PreviewRequest>,
) -> ApiResult<Json<HierarchyView>> {
    blocking(move || EditedColumn::find(&session, &name)?.view(&session, Some(request.hierarchy)).map(Json)).await
}

pub(super) async fn import(
    State(session): State<Arc<WorkSession>>,
    Path(name): Path<String>,
    Body(request): Body<ImportRequest>,
) -> ApiResult<Json<HierarchyView>> {
    blocking(move || {
        let column = EditedColumn::find(&session, &name)?;
        let path = session.folder().existing(&request.path)?;
        let plan = HierarchyPlan::File(relative(&column, &path));
        column.view(&session, Some(plan)).map(Json)
    })
    .await
}

/// A path as the plan names it.
fn relative(column: &EditedColumn, path: &std::path::Path) -> String {
    let folder = column.table.plan_folder();
    let below = path.strip_prefix(&folder).map_or_else(|_| path.to_owned(), std::path::Path::to_owned);
    below.display().to_string()
}

pub(super) async fn edit(
    State(session): State<Arc<WorkSession>>,
    Path(name): Path<String>,
    Body(request): Body<EditRequest>,
) -> ApiResult<Json<HierarchyView>> {
    blocking(move || {
        let column = EditedColumn::find(&session, &name)?;
        if !column.is_revealed() {
            return Err(ApiError::needs_reveal(&name));
        }
        step(&session, &column, &request.action)?;
        column.current(&session).map(Json)
    })
    .await
}

fn step(session: &WorkSession, column: &EditedColumn, action: &EditAction) -> ApiResult<()> {
    if let EditAction::Discard {} = action {
        lock(&column.table.editors).remove(column.name());
        return Ok(());
    }
    let mut editors = lock(&column.table.editors);
    if !editors.contains_key(column.name()) {
        let hierarchy = column.build(session, column.planned().as_ref())?.ok_or_else(no_tree)?;
        editors.insert(column.name().into(), HierarchyEditor::new(&hierarchy));
    }
    let Some(editor) = editors.get_mut(column.name()) else { return Err(ApiError::panicked()) };
    let id = |name: &String| node_id(name).ok_or(EditError::NoSuchNode);
    let ids = |names: &[String]| names.iter().map(id).collect::<Result<Vec<_>, _>>();
    let taken = match action {
        EditAction::Start {} | EditAction::Discard {} => Ok(()),
        EditAction::Rename { node, label } => id(node).and_then(|node| editor.rename(node, label)),
        EditAction::Move { nodes, to } => ids(nodes).and_then(|nodes| editor.move_to(&nodes, id(to)?)),
        EditAction::Group { nodes, label } => ids(nodes).and_then(|nodes| editor.group(&nodes, label)),
        EditAction::Merge { nodes, label } => ids(nodes).and_then(|nodes| editor.merge(&nodes, label)),
        EditAction::Dissolve { node } => id(node).and_then(|node| editor.dissolve(node)),
        EditAction::Undo {} => {
            editor.undo();
            Ok(())
        }
        EditAction::Redo {} => {
            editor.redo();
            Ok(())
        }
    };
    taken.map_err(|error| ApiError::invalid(error.to_string()))
}

/// Writes the edited hierarchy and gives it to the column in the plan.
pub(super) async fn save(
    State(session): State<Arc<WorkSession>>,
    Path(name): Path<String>,
    Body(request): Body<SaveHierarchyRequest>,
) -> ApiResult<PlanView> {
    blocking(move || {
        let column = EditedColumn::find(&session, &name)?;
        let text = lock(&column.table.editors).get(column.name()).map(HierarchyEditor::text);
        let text = text.ok_or_else(|| ApiError::invalid("this hierarchy is not being edited"))?;
        Hierarchy::read(&text).map_err(incrowd::Error::from)?;
        let file = request.path.unwrap_or_else(|| usual_file(&session, &column));
        if let Some((folder, _)) = file.rsplit_once('/') {
            let folder = session.folder().place(folder)?;
            std::fs::create_dir_all(&folder).map_err(|error| incrowd::Error::file(&folder, &error))?;
        }
        let path = session.folder().place(&file)?;
        if path.exists() && !request.overwrite {
            return Err(ApiError::exists(&file));
        }
        write(&path, &text)?;
        let hierarchy = HierarchyPlan::File(relative(&column, &path));
        lock(&column.table.editors).remove(column.name());
        let mut document = column.table.document();
        let mut plan = document.plan().clone();
        let entry = plan.columns.iter_mut().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| ApiError::invalid("the plan has no entry for this column"))?;
        entry.role = entry.role.or(Some(Role::QuasiIdentifier));
        entry.hierarchy = Some(hierarchy);
        document.set_plan(&plan)?;
        session.note(format!("The hierarchy of column {name} was saved to {file}."));
        PlanView::of(&session, &document)
    })
    .await
}

/// `hierarchies/COLUMN.csv` beside the plan.
fn usual_file(session: &WorkSession, column: &EditedColumn) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
    let name: String = column.name().chars().map(plain).collect();
    let folder = column.table.plan_folder().join("hierarchies");
    session.folder().name(&folder.join(format!("{name}.csv")))
}
