//! The sources of the workspace as text, without comments and without test code.

use std::path::{Path, PathBuf};

/// One source file of a crate.
pub(crate) struct SourceFile {
    /// The name of its crate, as its folder has it.
    pub(crate) package: String,
    /// Its path below `src`, in parts.
    pub(crate) path: Vec<String>,
    /// Its code.
    pub(crate) code: String,
}

impl SourceFile {
    /// The module of the crate's root that it belongs to.
    pub(crate) fn top(&self) -> &str {
        self.path[0].trim_end_matches(".rs")
    }

    /// How many `super::` lead from it to the crate's root.
    pub(crate) fn depth(&self) -> usize {
        self.path.len() - usize::from(self.path.last().is_some_and(|name| name == "mod.rs"))
    }

    /// Whether it is the root of its crate.
    pub(crate) fn is_root(&self) -> bool {
        self.path.len() == 1 && ["lib.rs", "main.rs"].contains(&self.path[0].as_str())
    }
}

/// Every source file of our crates; files that hold tests only are left out.
pub(crate) fn sources() -> Vec<SourceFile> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for package in std::fs::read_dir(&crates).expect("the crates can be listed") {
        let package = package.expect("the crates can be listed").path();
        let source = package.join("src");
        let name = package.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        for path in files_below(&source) {
            let below = path.strip_prefix(&source).expect("a file below src");
            let parts: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let is_test = parts.iter().any(|part| part == "tests" || part.trim_end_matches(".rs").ends_with("tests"));
            if !is_test {
                let text = std::fs::read_to_string(&path).expect("a source is text");
                found.push(SourceFile { package: name.clone(), path: parts, code: without_tests(&text) });
            }
        }
    }
    found
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder can be listed").path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
    let rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    paths.into_iter().flat_map(below).filter(rust).collect()
}

/// The text without comments and without what stands under `#[cfg(test)]`.
fn without_tests(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            code.push_str(line);
            code.push('\n');
            continue;
        }
        let mut open = 0usize;
        for line in lines.by_ref().skip_while(|line| line.trim().starts_with("#[")) {
            open = (open + line.matches('{').count()).saturating_sub(line.matches('}').count());
            if open == 0 && (line.contains('}') || line.trim_end().ends_with(';')) {
                break;
            }
        }
    }
    code
}
