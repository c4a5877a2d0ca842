//! What a person sees: tables, colours with letters, wrapped sentences. Data goes to stdout, all else to stderr.

use std::io::{BufWriter, IsTerminal, Write};

use incrowd::core::{Role, Severity};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

/// Why a command could not answer.
#[derive(Debug)]
pub(crate) struct Failure {
    code: Option<&'static str>,
    message: String,
    hint: String,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure { code: None, message: message.into(), hint: hint.into() }
    }

    pub(crate) fn io(path: &std::path::Path, error: &std::io::Error) -> Self {
        Failure::new(format!("{}: {}", path.display(), error.kind()), "")
    }
}

impl From<incrowd::Error> for Failure {
    fn from(error: incrowd::Error) -> Self {
        Failure { code: Some(error.code()), message: error.to_string(), hint: error.hint() }
    }
}

/// Writes to stdout, in colour when a person looks.
pub(crate) struct Printer {
    out: BufWriter<std::io::Stdout>,
    colour: bool,
    width: usize,
    failed: Option<std::io::Error>,
}

impl Printer {
    pub(crate) fn new() -> Self {
        let stdout = std::io::stdout();
        let terminal = stdout.is_terminal();
        let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let width = columns.or_else(|| terminal_width().filter(|_| terminal)).unwrap_or(100usize).clamp(40, 160);
        Printer { out: BufWriter::new(stdout), colour, width, failed: None }
    }

    /// One line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.raw(text.as_ref());
        self.raw("\n");
    }

    /// Text as it is.
    pub(crate) fn raw(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(text.as_bytes()).err();
        }
    }

    /// Bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(bytes).err();
        }
    }

    /// A sentence, wrapped, each line after the first indented.
    pub(crate) fn wrapped(&mut self, text: &str, indent: usize) {
        let mut column = 0;
        for word in text.split(' ') {
            let width = word.width();
            if column > indent && column + 1 + width > self.width {
                self.raw("\n");
                self.raw(&" ".repeat(indent));
                column = indent;
            } else if column > 0 {
                self.raw(" ");
                column += 1;
            }
            self.raw(word);
            column += width;
        }
        self.raw("\n");
    }

    /// A value as JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value).map_err(|error| Failure::new(error.to_string(), ""))?;
        self.line(text);
        Ok(())
    }

    /// Columns aligned by their width; numbers to the right. The last column is cut to the terminal.
    pub(crate) fn table(&mut self, right: &[usize], rows: &[Vec<String>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| visible(cell)).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in rows {
            let mut line = String::new();
            let mut at = 0;
            for (column, cell) in row.iter().enumerate() {
                let pad = " ".repeat(widths[column].saturating_sub(visible(cell)));
                let last = column + 1 == columns;
                if right.contains(&column) {
                    line.push_str(&pad);
                    line.push_str(cell);
                } else if last {
                    line.push_str(&cut(cell, self.width.saturating_sub(at).max(20)));
                } else {
                    line.push_str(cell);
                    line.push_str(&pad);
                }
                line.push_str(if last { "" } else { "  " });
                at += widths[column] + 2;
            }
            self.line(line.trim_end());
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
            Role::Insensitive => "32",
            Role::Subject => "36",
        };
        self.paint(colour, text)
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
                Err(Failure::new(format!("the output could not be written: {}", error.kind()), ""))
            }
            _ => Ok(()),
        }
    }

    /// Says on stderr why there is no answer.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        let _ = self.finish();
        let code = failure.code.map(|code| format!("[{code}]")).unwrap_or_default();
        let mut stderr = std::io::stderr().lock();
        let _ = writeln!(stderr, "error{code}: {}", plain(&failure.message));
        if !failure.hint.is_empty() {
            let _ = writeln!(stderr, "  hint: {}", plain(&failure.hint));
        }
        if let Some(code) = failure.code {
            let _ = writeln!(stderr, "  more: incrowd explain {code}");
        }
    }
}

/// Text from a file, made harmless for a terminal: control characters could move the cursor or hide a line.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() && letter != '\n' { '\u{fffd}' } else { letter }).collect()
}

/// The width a person sees, escape sequences not counted.
fn visible(text: &str) -> usize {
    let mut width = text.width();
    let mut rest = text;
    while let Some(start) = rest.find('\x1b') {
        let end = rest[start..].find('m').map_or(rest.len(), |end| start + end + 1);
        width -= rest[start..end].width();
        rest = &rest[end..];
    }
    width
}

fn cut(text: &str, width: usize) -> String {
    if visible(text) <= width {
        return text.into();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}
