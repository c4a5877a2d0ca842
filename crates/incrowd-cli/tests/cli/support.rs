//! A folder to work in, and the real binary.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder of its own, with another one for temporary files.
pub(crate) struct Desk {
    folder: TempDir,
    temp: TempDir,
}

/// How a run of the binary ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Desk { folder: tempfile::tempdir().unwrap(), temp: tempfile::tempdir().unwrap() }
    }

    /// A desk with one table on it.
    pub(crate) fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let desk = Desk::new();
        desk.write(name, content);
        desk
    }

    /// The folder as the binary sees it.
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Where the binary puts temporary files unless it is told otherwise.
    pub(crate) fn temp(&self) -> PathBuf {
        self.temp.path().into()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// The binary, about to run in the folder with nothing inherited that changes its words.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_incrowd"));
        command.args(args).current_dir(self.folder.path()).env("TMPDIR", self.temp.path()).env("COLUMNS", "100");
        command.env_remove("NO_COLOR").env_remove("RUST_BACKTRACE").stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        Run::of(&mut self.command(args))
    }

    /// The answer as JSON, whatever the exit status.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let run = self.run(&[args, &["--format", "json"]].concat());
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}\n{run:?}"))
    }
}

impl Run {
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the binary prints UTF-8");
        Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// All that was printed.
    pub(crate) fn printed(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// A file of the test data.
pub(crate) fn data(name: &str) -> String {
    incrowd_testdata::file(name).to_str().unwrap().into()
}
