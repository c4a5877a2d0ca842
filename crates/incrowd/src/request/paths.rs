//! Paths in a plan are relative to the plan, so that a folder with both can be moved.

use std::path::{Component, Path, PathBuf};

use super::{HierarchyPlan, Plan};

impl Plan {
    /// The plan of this file, with its hash, and its file names as seen from the current folder.
    pub fn of_file(self, file: &Path) -> Plan {
        let hash = self.published_hash(file);
        let mut plan = self.seen_from(folder_of(file));
        plan.call.plan_hash = hash;
        plan
    }

    /// The same plan for a caller in the current folder: file names in it are relative to `folder`.
    pub fn seen_from(mut self, folder: &Path) -> Plan {
        let joined = |file: &mut String| *file = folder.join(&file).display().to_string();
        let of_tables = self.tables.iter_mut().flat_map(|table| &mut table.columns);
        for column in self.columns.iter_mut().chain(of_tables) {
            if let Some(HierarchyPlan::File(file) | HierarchyPlan::RaggedFile(file)) = &mut column.hierarchy {
                joined(file);
            }
        }
        let of_tables = self.tables.iter_mut().flat_map(|table| &mut table.rules);
        self.policy.rules.iter_mut().chain(of_tables).filter_map(|rule| rule.hierarchy.as_mut()).for_each(joined);
        self.population.path.iter_mut().for_each(joined);
        self.release.ledger.iter_mut().for_each(joined);
        self.release.path.iter_mut().filter(|path| !is_elsewhere(path)).for_each(joined);
        let of_tables = self.tables.iter_mut().map(|table| &mut table.source);
        for source in [&mut self.source].into_iter().chain(of_tables).filter(|source| !source.path.is_empty()) {
            source.path = path_in(folder, &source.path);
        }
        self
    }

    /// Where the table is, for a plan read from this file.
    pub fn source_path(&self, plan: &Path) -> String {
        path_in(folder_of(plan), &self.source.path)
    }
}

/// Where a table is whose name is relative to a folder.
fn path_in(folder: &Path, named: &str) -> String {
    if is_elsewhere(named) {
        return named.into();
    }
    let path = folder.join(named);
    let tidied = tidy(&path);
    // Behind a link, `..` is not what it looks like.
    let same = path.canonicalize().is_ok_and(|there| tidied.canonicalize().is_ok_and(|here| here == there));
    if same { tidied } else { path }.display().to_string()
}

/// How a plan in this file names a table that the user named from the current folder. An absolute path stays one.
pub fn relative_to_plan(plan: &Path, table: &str) -> String {
    let folder = folder_of(plan);
    if is_elsewhere(table) || folder.as_os_str().is_empty() || Path::new(table).is_absolute() {
        return table.into();
    }
    let Ok(here) = std::env::current_dir() else { return table.into() };
    between(&tidy(&here.join(folder)), &tidy(&here.join(table))).display().to_string()
}

/// Whether a name is that of a table in a database or an object store, and no path.
pub(crate) fn is_elsewhere(named: &str) -> bool {
    named.starts_with(incrowd_engine::postgres::PREFIX) || named.contains("://")
}

/// The folder that names in a plan are relative to.
pub fn folder_of(plan: &Path) -> &Path {
    plan.parent().unwrap_or(Path::new(""))
}

/// The path from one absolute folder to a file.
fn between(folder: &Path, file: &Path) -> PathBuf {
    let shared = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

/// The path without `.` and `..`. Not asked of the file system: the end may be a pattern.
fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if tidied.file_name().is_some() => {
                tidied.pop();
            }
            other => tidied.push(other),
        }
    }
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_named_relative_to_the_plan() {
        let named = |plan: &str, table: &str| relative_to_plan(Path::new(plan), table);
        assert_eq!(named("incrowd.toml", "data/visits.csv"), "data/visits.csv");
        assert_eq!(named("plans/incrowd.toml", "data/*.csv"), "../data/*.csv");
        assert_eq!(named("data/incrowd.toml", "./data/visits.csv"), "visits.csv");
        assert_eq!(named("plans/incrowd.toml", "/data/visits.csv"), "/data/visits.csv");
    }

    #[test]
    fn a_table_is_found_from_where_the_plan_is() {
        let text = "version = 1\n[source]\npath = \"../visits.csv\"\n[policy]\nk = 2\n";
        let plan = Plan::parse(text).expect("a plan");
        assert_eq!(plan.source_path(Path::new("plans/incrowd.toml")), "plans/../visits.csv");
        assert_eq!(plan.source_path(Path::new("incrowd.toml")), "../visits.csv");
    }
}
