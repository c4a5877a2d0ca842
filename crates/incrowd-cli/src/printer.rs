//! What a person sees: tables, colours with letters, wrapped sentences. Data goes to stdout, all else to stderr.

use std::io::{BufWriter, IsTerminal, Write};

use incrowd::core::{Role, Severity};
use serde::Serialize;

use crate::remedy::flag;
use crate::text::{obeyed, visible, wrap};

pub(crate) use crate::text::plain;

/// Why a command could not answer.
#[derive(Debug)]
pub(crate) struct Failure {
    code: Option<&'static str>,
    message: String,
    hint: String,
    broken_promise: bool,
    stopped: bool,
}

impl Failure {
    pub(crate) fn new(message: impl AsRef<str>, hint: impl AsRef<str>) -> Self {
        Failure {
            code: None,
            message: plain(message.as_ref()),
            hint: plain(hint.as_ref()),
            broken_promise: false,
            stopped: false,
        }
    }

    pub(crate) fn io(path: &std::path::Path, error: &std::io::Error) -> Self {
        incrowd::Error::file(path, error).into()
    }

    /// The output could not be written. What the command has done is done, and the message says so first.
    fn output(done: &[String], kind: std::io::ErrorKind) -> Self {
        let only = if done.is_empty() { "" } else { "only " };
        let fact = format!("{only}the output could not be written: {kind}");
        let message = done.iter().map(String::as_str).chain([fact.as_str()]).collect::<Vec<_>>().join("; ");
        let hint = match done.is_empty() {
            true => "check the output device: the disk may be full",
            false => "nothing has to be repeated; check the output device: the disk may be full",
        };
        Failure { code: Some("IC438"), ..Failure::new(message, hint) }
    }

    /// The work was stopped.
    pub(crate) fn stopped() -> Self {
        incrowd::Error::from(incrowd::EngineError::Cancelled).into()
    }

    /// Its code, if it has one.
    pub(crate) fn code(&self) -> Option<&'static str> {
        self.code
    }

    /// Whether a promise does not hold, rather than that something went wrong.
    pub(crate) fn is_broken_promise(&self) -> bool {
        self.broken_promise
    }

    /// Whether the work was stopped before it had an answer.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Its message, without the word `error` in front.
    pub(crate) fn words(&self) -> String {
        let code = self.code.map(|code| format!("[{code}]")).unwrap_or_default();
        let hint = if self.hint.is_empty() { String::new() } else { format!("\n  hint: {}", self.hint) };
        let more = self.code.map(|code| format!("\n  more: incrowd explain {code}")).unwrap_or_default();
        format!("{code}: {}{hint}{more}", self.message)
    }

    /// The same failure with the name of a file.
    pub(crate) fn in_file(self, path: &std::path::Path) -> Self {
        let message = format!("{}: {}", plain(&path.display().to_string()), self.message);
        Failure { message, ..self }
    }
}

impl From<incrowd::core::Stopped> for Failure {
    fn from(stopped: incrowd::core::Stopped) -> Self {
        incrowd::Error::from(stopped).into()
    }
}

impl From<incrowd::Error> for Failure {
    fn from(error: incrowd::Error) -> Self {
        let (message, broken_promise) = (error.to_string(), error.is_broken_promise());
        // Only the reader of plans shows a place on lines of its own.
        let message = match &error {
            incrowd::Error::Plan { .. } => message.lines().map(plain).collect::<Vec<_>>().join("\n"),
            _ => plain(&message),
        };
        let (hint, stopped) = (plain(&error.remedy().written(flag)), error.is_stopped());
        Failure { code: Some(error.code()), message, hint, broken_promise, stopped }
    }
}

/// The code of commands whose words cannot be read.
const MISREAD: &str = "IC626";

/// With fewer columns than this, a wrapped text would be a tower of single words.
const NARROW: usize = 24;

/// How far the last column of a table is indented on a line of its own.
const OWN_LINE: usize = 6;

/// A failure as the answer to `--format json`.
#[derive(Serialize)]
struct FailureAnswer<'a> {
    error: FailureReason<'a>,
}

#[derive(Serialize)]
struct FailureReason<'a> {
    code: Option<&'static str>,
    message: &'a str,
    hint: &'a str,
}

/// Writes to stdout, in colour when a person looks.
pub(crate) struct Printer {
    out: BufWriter<std::io::Stdout>,
    terminal: bool,
    colour: bool,
    width: usize,
    failed: Option<std::io::Error>,
    answered: bool,
    /// What the command has already done, each in a sentence without its full stop.
    done: Vec<String>,
}

impl Printer {
    pub(crate) fn new() -> Self {
        let stdout = std::io::stdout();
        let terminal = stdout.is_terminal();
        let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Printer {
            out: BufWriter::new(stdout),
            terminal,
            colour,
            width: width(terminal),
            failed: None,
            answered: false,
            done: Vec::new(),
        }
    }

    /// Notes what the command has done, so that a failure to print the answer does not read as a failure of the
    /// command.
    pub(crate) fn done(&mut self, what: impl Into<String>) {
        self.done.push(what.into());
    }

    /// One line that is printed immediately.
    #[cfg(feature = "cluster")]
    pub(crate) fn now(&mut self, text: &str) {
        self.line(plain(text));
        let _ = self.out.flush();
    }

    /// Forgets what was not yet sent off.
    pub(crate) fn discard(&mut self) {
        let unsent = std::mem::replace(&mut self.out, BufWriter::new(std::io::stdout()));
        drop(unsent.into_parts());
    }

    /// One line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.raw(text.as_ref());
        self.raw("\n");
    }

    /// Text, unchanged.
    fn raw(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(text.as_bytes()).err();
        }
    }

    /// The content of a file: unchanged for a program, made harmless for a terminal.
    pub(crate) fn content(&mut self, text: &str) {
        match self.terminal {
            true => text.lines().for_each(|line| self.line(plain(line))),
            false => self.raw(text),
        }
    }

    /// Bytes, unchanged.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(bytes).err();
        }
    }

    /// A sentence, wrapped.
    pub(crate) fn wrapped(&mut self, text: &str) {
        self.hanging("", text, 0);
    }

    /// A sentence after a head, wrapped, each line after the first indented.
    pub(crate) fn hanging(&mut self, head: &str, text: &str, indent: usize) {
        let lines = wrap(text, self.width, visible(head), indent);
        for (index, line) in lines.iter().enumerate() {
            let before = if index == 0 { head.into() } else { " ".repeat(indent) };
            self.line(format!("{before}{line}"));
        }
    }

    /// A value as JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value).map_err(|error| Failure::new(error.to_string(), ""))?;
        // JSON allows the control characters above ASCII as they are; a terminal may obey them.
        let harmless = |letter: char| match letter {
            '\n' => letter.to_string(),
            _ if obeyed(letter) => format!("\\u{:04x}", u32::from(letter)),
            _ => letter.to_string(),
        };
        self.line(text.chars().map(harmless).collect::<String>());
        self.answered = true;
        Ok(())
    }

    /// The failure as an object on stdout, unless an answer with the reasons is there already.
    pub(crate) fn json_failure(&mut self, failure: &Failure) {
        let Failure { code, message, hint, .. } = failure;
        if !self.answered {
            // Only an object of texts: it can always be written.
            let _ = self.json(&FailureAnswer { error: FailureReason { code: *code, message, hint } });
        }
    }

    /// Columns aligned by their width, those named to the right; a column without content is left out. The last column is
    /// wrapped, and begins on a line of its own where there is little room for it.
    pub(crate) fn table(&mut self, right: &[usize], rows: &[Vec<String>]) {
        let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> =
            (0..columns).map(|column| cells(column).map(|cell| visible(cell)).max().unwrap_or(0)).collect();
        let shown: Vec<usize> = (0..columns).filter(|&column| widths[column] > 0).collect();
        let Some((&last, others)) = shown.split_last() else { return };
        let before: usize = others.iter().map(|&column| widths[column] + 2).sum();
        let room = self.width.saturating_sub(before);
        let is_below = room < NARROW && widths[last] > room;
        for row in rows {
            let mut line = String::new();
            for &column in others {
                let cell = row.get(column).map_or("", String::as_str);
                let pad = " ".repeat(widths[column] - visible(cell));
                line += &if right.contains(&column) { format!("{pad}{cell}  ") } else { format!("{cell}{pad}  ") };
            }
            let cell = row.get(last).map_or("", String::as_str);
            let pad = if right.contains(&last) { widths[last] - visible(cell) } else { 0 };
            let head = format!("{line}{}", " ".repeat(pad));
            if cell.is_empty() {
                self.line(head.trim_end());
            } else if is_below {
                self.line(head.trim_end());
                self.hanging(&" ".repeat(OWN_LINE), cell, OWN_LINE);
            } else {
                self.hanging(&head, cell, visible(&line));
            }
        }
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    /// A role in the colour of the field; its letter stands for it without colour.
    pub(crate) fn role(&self, role: Role, text: &str) -> String {
        let colour = match role {
            Role::Identifier => "31",
            Role::QuasiIdentifier => "33",
            Role::Sensitive => "35",
            Role::Insensitive | Role::Weight => "32",
            Role::Subject => "36",
        };
        self.paint(colour, text)
    }

    /// A column's name after the letter of its role.
    pub(crate) fn column(&self, role: Role, name: &str) -> String {
        format!("{} {}", self.role(role, &role.letter().to_string()), plain(name))
    }

    /// Columns of one role, each after its letter.
    pub(crate) fn columns(&self, role: Role, names: &[String]) -> String {
        names.iter().map(|name| self.column(role, name)).collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn severity(&self, severity: Severity, text: &str) -> String {
        match severity {
            Severity::Danger | Severity::Refusal => self.paint("1;31", text),
            Severity::Warning => self.paint("33", text),
            Severity::Note => self.paint("36", text),
        }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
    }

    /// Sends everything off. A reader that went away (`| head`) is no failure.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        let ended = self.failed.take().map_or_else(|| self.out.flush(), Err);
        match ended {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::output(&self.done, error.kind()))
            }
            _ => Ok(()),
        }
    }

    /// Says on stderr why there is no answer.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        let _ = self.finish();
        let _ = writeln!(std::io::stderr().lock(), "error{}", failure.words());
    }
}

/// Says on stderr what is wrong with the words of a command, as their reader tells it, with the code of such errors.
pub(crate) fn misread(message: &str) {
    let mut stderr = std::io::stderr().lock();
    let message = match message.strip_prefix("error:") {
        Some(rest) => format!("error[{MISREAD}]:{}\n  more: incrowd explain {MISREAD}\n", rest.trim_end()),
        None => message.to_owned(),
    };
    let _ = stderr.write_all(message.as_bytes());
}

/// Says something on stderr that does not change the answer.
#[cfg(feature = "telemetry")]
pub(crate) fn remark(words: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{words}");
}

/// How wide lines may be: as `COLUMNS` says, else as the terminal is.
pub(crate) fn width(terminal: bool) -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || terminal_size::terminal_size().filter(|_| terminal).map(|(width, _)| usize::from(width.0));
    said.or_else(seen).unwrap_or(100).clamp(40, 160)
}
