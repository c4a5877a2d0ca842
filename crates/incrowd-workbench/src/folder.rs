//! The folder that the session works in. Nothing outside it is read or written.
//!
//! Names from the page are relative to it. Links are resolved before a name is accepted, so that a link inside the folder
//! cannot lead out of it.

use std::path::{Component, Path, PathBuf};

use axum::http::StatusCode;

use crate::errors::{ApiError, ApiResult};

/// A folder and what is below it.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    /// With all links resolved.
    root: PathBuf,
}

impl Folder {
    pub(crate) fn new(root: &Path) -> std::io::Result<Folder> {
        Ok(Folder { root: root.canonicalize()? })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A file or folder that exists.
    pub(crate) fn existing(&self, name: &str) -> ApiResult<PathBuf> {
        let path = self.joined(name)?;
        let resolved = path.canonicalize().map_err(|_| ApiError::not_found(format!("{name} does not exist")))?;
        if resolved.starts_with(&self.root) { Ok(path) } else { Err(outside(name)) }
    }

    /// A place for a file or folder that need not exist yet. The folder it is in has to.
    pub(crate) fn place(&self, name: &str) -> ApiResult<PathBuf> {
        let path = self.joined(name)?;
        let parent = path.parent().ok_or_else(|| outside(name))?;
        let resolved =
            parent.canonicalize().map_err(|_| ApiError::not_found(format!("the folder of {name} does not exist")))?;
        // A link in its place would be followed when it is written.
        let leads_out = path.canonicalize().is_ok_and(|there| !there.starts_with(&self.root));
        let is_dangling = path.is_symlink() && !path.exists();
        if !resolved.starts_with(&self.root) || leads_out || is_dangling { Err(outside(name)) } else { Ok(path) }
    }

    /// The name of a path as the page shows it.
    pub(crate) fn name(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    }

    fn joined(&self, name: &str) -> ApiResult<PathBuf> {
        let path = Path::new(name);
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if name.contains('\0') || name.contains('\\') || !path.components().all(plain) {
            return Err(outside(name));
        }
        Ok(self.root.join(path))
    }
}

fn outside(name: &str) -> ApiError {
    let shown: String = name.chars().filter(|letter| !letter.is_control()).take(100).collect();
    ApiError::new(StatusCode::FORBIDDEN, "outside", format!("{shown} is not below the folder of this session"))
        .with_remedy("start incrowd open in a folder that contains the file")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let outer = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(outer.path().join("desk/sub")).expect("made");
        std::fs::write(outer.path().join("secret.csv"), "a\n").expect("written");
        std::fs::write(outer.path().join("desk/a.csv"), "a\n").expect("written");
        let folder = Folder::new(&outer.path().join("desk")).expect("a folder");
        (outer, folder)
    }

    #[test]
    fn names_below_the_folder_are_found_and_others_refused() {
        let (_outer, folder) = folder();
        assert!(
            folder.existing("a.csv").is_ok() && folder.existing("./sub").is_ok() && folder.place("sub/new").is_ok()
        );
        for name in ["../secret.csv", "sub/../../secret.csv", "/etc/passwd", "..", "a\0.csv", "..\\secret.csv"] {
            assert_eq!(folder.existing(name).expect_err("refused").status, StatusCode::FORBIDDEN, "{name}");
            assert_eq!(folder.place(name).expect_err("refused").status, StatusCode::FORBIDDEN, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_out_are_refused() {
        let (outer, folder) = folder();
        std::os::unix::fs::symlink(outer.path().join("secret.csv"), folder.root().join("link.csv")).expect("linked");
        std::os::unix::fs::symlink(outer.path(), folder.root().join("up")).expect("linked");
        std::os::unix::fs::symlink(outer.path().join("not-yet"), folder.root().join("dangling")).expect("linked");
        for name in ["link.csv", "up/secret.csv", "up"] {
            assert_eq!(folder.existing(name).expect_err("refused").status, StatusCode::FORBIDDEN, "{name}");
        }
        for name in ["link.csv", "up/new.toml", "dangling"] {
            assert_eq!(folder.place(name).expect_err("refused").status, StatusCode::FORBIDDEN, "{name}");
        }
    }
}
