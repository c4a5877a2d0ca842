//! The plan as a document: a text with undo, the file it is saved in, and what differs between the two.

use std::path::{Path, PathBuf};

use incrowd::request::{Plan, PolicyPlan, confirm, rewrite};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};
use similar::{ChangeTag, TextDiff};

use crate::errors::{ApiError, ApiResult};

/// The most steps that can be undone.
const MOST_STEPS: usize = 200;
/// Lines that are shown around a difference.
const CONTEXT: usize = 2;

/// The plan that is being edited.
pub(crate) struct Document {
    text: String,
    plan: Plan,
    path: PathBuf,
    /// The text of the file when it was read or written last; nothing when there is no file.
    on_disk: Option<String>,
    undone: Vec<String>,
    done: Vec<String>,
}

/// A line of the difference to the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DiffLine {
    kind: DiffKind,
    line: String,
}

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DiffKind {
    Same,
    Added,
    Removed,
    Gap,
}

impl Document {
    /// A draft that is in no file yet.
    pub(crate) fn draft(text: String, path: PathBuf) -> ApiResult<Document> {
        let plan = Plan::parse(&text).map_err(ApiError::invalid)?;
        Ok(Document { text, plan, path, on_disk: None, undone: vec![], done: vec![] })
    }

    /// The plan of a file.
    pub(crate) fn read(path: PathBuf) -> ApiResult<Document> {
        Plan::read(&path)?;
        let text = read(&path)?;
        let draft = Document::draft(text.clone(), path)?;
        Ok(Document { on_disk: Some(text), ..draft })
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_saved(&self) -> bool {
        self.on_disk.as_deref() == Some(&self.text)
    }

    pub(crate) fn has_file(&self) -> bool {
        self.on_disk.is_some()
    }

    pub(crate) fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    pub(crate) fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// What identifies this state of the text.
    pub(crate) fn etag(&self) -> String {
        let digest = Sha256::digest(self.text.as_bytes());
        digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Refuses to change a plan that is not the one the page has seen.
    pub(crate) fn expect(&self, etag: Option<&str>) -> ApiResult<()> {
        let given = etag.map(|etag| etag.trim_matches('"'));
        if given == Some(self.etag().as_str()) {
            return Ok(());
        }
        Err(ApiError::new(
            axum::http::StatusCode::PRECONDITION_FAILED,
            "changed",
            "the plan was changed in another window",
        )
        .with_remedy("look at the plan as it is now, then change it again"))
    }

    /// Changes the plan; comments of its text stay. Another promise than the one that was confirmed has to be confirmed
    /// again.
    pub(crate) fn set_plan(&mut self, plan: &Plan) -> ApiResult<()> {
        let mut plan = plan.clone();
        let promise = |policy: &PolicyPlan| PolicyPlan { confirmed: false, limits: Vec::new(), ..policy.clone() };
        let is_the_same =
            promise(&plan.policy) == promise(&self.plan.policy) && plan.population == self.plan.population;
        plan.policy.confirmed &= is_the_same || !self.plan.policy.confirmed;
        let text = rewrite(&self.text, &plan).map_err(ApiError::invalid)?;
        self.set_text(text)
    }

    /// Changes the text.
    pub(crate) fn set_text(&mut self, text: String) -> ApiResult<()> {
        let plan = Plan::parse(&text).map_err(ApiError::invalid)?;
        if text != self.text {
            if self.done.len() == MOST_STEPS {
                self.done.remove(0);
            }
            self.done.push(std::mem::replace(&mut self.text, text));
            self.undone.clear();
        }
        self.plan = plan;
        Ok(())
    }

    /// Confirms the entries of these columns, or all with the policy.
    pub(crate) fn confirm(&mut self, columns: &[String]) -> ApiResult<()> {
        let confirmed = confirm(&self.text, columns).map_err(ApiError::invalid)?;
        self.set_text(confirmed.text)
    }

    pub(crate) fn undo(&mut self) -> ApiResult<()> {
        match self.done.pop() {
            Some(text) => self.take(text, true),
            None => Err(ApiError::invalid("there is nothing to undo")),
        }
    }

    pub(crate) fn redo(&mut self) -> ApiResult<()> {
        match self.undone.pop() {
            Some(text) => self.take(text, false),
            None => Err(ApiError::invalid("there is nothing to redo")),
        }
    }

    fn take(&mut self, text: String, undo: bool) -> ApiResult<()> {
        self.plan = Plan::parse(&text).map_err(ApiError::invalid)?;
        let before = std::mem::replace(&mut self.text, text);
        if undo {
            self.undone.push(before);
        } else {
            self.done.push(before);
        }
        Ok(())
    }

    /// Writes the text to its file. Refused when another file is in the way, or when somebody else changed it.
    pub(crate) fn save(&mut self, path: Option<PathBuf>, name: &str, overwrite: bool) -> ApiResult<()> {
        let path = path.unwrap_or_else(|| self.path.clone());
        let there = if path.exists() { Some(read(&path)?) } else { None };
        let is_ours = path == self.path && there == self.on_disk;
        if there.is_some() && !is_ours && !overwrite {
            return Err(ApiError::exists(name));
        }
        write(&path, &self.text)?;
        self.path = path;
        self.on_disk = Some(self.text.clone());
        Ok(())
    }

    /// The difference to the file, with a few lines around each change.
    pub(crate) fn diff(&self) -> Vec<DiffLine> {
        let before = self.on_disk.as_deref().unwrap_or_default();
        let diff = TextDiff::from_lines(before, &self.text);
        let mut lines = Vec::new();
        for (at, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
            if at > 0 {
                lines.push(DiffLine { kind: DiffKind::Gap, line: String::new() });
            }
            for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
                let kind = match change.tag() {
                    ChangeTag::Equal => DiffKind::Same,
                    ChangeTag::Insert => DiffKind::Added,
                    ChangeTag::Delete => DiffKind::Removed,
                };
                lines.push(DiffLine { kind, line: change.value().trim_end_matches(['\n', '\r']).to_owned() });
            }
        }
        lines
    }
}

fn read(path: &Path) -> ApiResult<String> {
    std::fs::read_to_string(path).map_err(|error| incrowd::Error::file(path, &error).into())
}

/// Writes a file beside its place and renames it, so that it is whole or as it was.
pub(crate) fn write(path: &Path, text: &str) -> ApiResult<()> {
    let failed = |error: std::io::Error| ApiError::from(incrowd::Error::file(path, &error));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    written.inspect_err(|_| drop(std::fs::remove_file(&beside))).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# ours\nversion = 1\n[source]\npath = \"a.csv\"\n[policy]\nk = 5  # why\nconfirmed = false\n";

    fn document(folder: &Path) -> Document {
        Document::draft(TEXT.into(), folder.join("incrowd.toml")).expect("a plan")
    }

    #[test]
    fn changes_are_undone_and_keep_comments() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut document = document(folder.path());
        let mut plan = document.plan().clone();
        plan.policy.k = Some(9);
        let before = document.etag();
        document.set_plan(&plan).expect("changed");
        assert_eq!(document.text(), TEXT.replace("k = 5", "k = 9"));
        assert!(document.expect(Some(&before)).is_err() && document.expect(Some(&document.etag())).is_ok());
        document.undo().expect("undone");
        assert_eq!((document.text(), document.etag()), (TEXT, before));
        document.redo().expect("redone");
        assert_eq!(document.plan().policy.k, Some(9));
    }

    #[test]
    fn a_file_that_somebody_else_changed_is_not_overwritten_without_being_asked() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut document = document(folder.path());
        document.save(None, "incrowd.toml", false).expect("saved");
        assert!(document.is_saved() && document.diff().is_empty());
        std::fs::write(document.path(), "other").expect("written");
        let refused = document.save(None, "incrowd.toml", false).expect_err("refused");
        assert_eq!(refused.body.code.as_deref(), Some("exists"));
        document.save(None, "incrowd.toml", true).expect("overwritten");
        assert_eq!(std::fs::read_to_string(document.path()).expect("a file"), TEXT);
    }

    #[test]
    fn the_difference_shows_changed_lines_with_a_few_around_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut document = document(folder.path());
        document.save(None, "incrowd.toml", false).expect("saved");
        document.set_text(TEXT.replace("k = 5", "k = 6")).expect("a plan");
        let diff = document.diff();
        let kinds: Vec<DiffKind> = diff.iter().map(|line| line.kind).collect();
        let expected = [DiffKind::Same, DiffKind::Same, DiffKind::Removed, DiffKind::Added, DiffKind::Same];
        assert_eq!(kinds, expected);
    }
}
