//! Text in another encoding than UTF-8: written once more as UTF-8 into the run's private folder, and read from there.
//!
//! Encodings are those of the WHATWG standard, by any of its labels: `latin1` and `iso-8859-1` are Windows-1252 there,
//! as they are in practice. A wrong encoding gives wrong letters without any error, so what can be known is refused: bytes
//! that stand for no letter, and a file that is UTF-8 already. An encoding is only ever proposed ([`guess`]); a byte
//! order mark of UTF-16 is the file's own word and is believed.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::runtime::engine::Engine;
use crate::runtime::error::{CellFault, EncodingFault, EngineError, Result};
use crate::runtime::limits::{FilePart, ReadLimits, grows_too_much};
use crate::runtime::platform;
use crate::source::files::{Compression, TableFile, open_text_within, read_error};

/// How the letters of a text file are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

impl TextEncoding {
    /// The encoding with this name, or another name of it. Not those that the standard keeps for the safety of browsers
    /// only.
    pub fn named(word: &str) -> Option<TextEncoding> {
        let found = Encoding::for_label_no_replacement(word.trim().as_bytes())?;
        (found != encoding_rs::X_USER_DEFINED).then_some(TextEncoding(found))
    }

    /// Its name in the standard.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    pub(crate) fn encoding(self) -> &'static Encoding {
        self.0
    }

    pub(crate) fn is_utf8(self) -> bool {
        self.0 == UTF_8
    }
}

/// The encoding that the first bytes of a file name, unless it is UTF-8.
pub(crate) fn marked(start: &[u8]) -> Option<TextEncoding> {
    Encoding::for_bom(start).map(|(encoding, _)| TextEncoding(encoding)).filter(|encoding| !encoding.is_utf8())
}

/// What is wrong with a cell that is not UTF-8: the encoding that its file looks like, too.
pub(crate) fn not_utf8(file: &TableFile, compression: Compression, limits: &ReadLimits) -> CellFault {
    guess(file, compression, limits).map_or(CellFault::NotUtf8, |encoding| CellFault::Encoded(encoding.name()))
}

/// What the bytes of a file that is not UTF-8 look like. All of them are looked at: the first line with a letter beyond
/// ASCII may be the last.
fn guess(file: &TableFile, compression: Compression, limits: &ReadLimits) -> Result<TextEncoding> {
    let mut reader = open_text_within(file, compression, limits)?;
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let mut block = vec![0; 1 << 20];
    loop {
        let read = reader.read(&mut block).map_err(|error| read_error(file, compression, limits, error))?;
        detector.feed(&block[..read], read == 0);
        if read == 0 {
            return Ok(TextEncoding(detector.guess(None, Utf8Detection::Deny)));
        }
    }
}

/// Writes a file as UTF-8 into a private folder; where it is then.
pub(crate) fn transcribed(
    engine: &Engine,
    file: &TableFile,
    compression: Compression,
    encoding: TextEncoding,
) -> Result<PathBuf> {
    let into = engine.private_file("text", "utf-8.csv")?;
    let unwritten = |error| EngineError::temp(&into, error);
    let target = platform::private(File::options().write(true).create_new(true)).open(&into).map_err(unwritten)?;
    let mut transcription = Transcription::new(file, encoding, BufWriter::new(target));
    let limits = ReadLimits::of(engine);
    let stored = if compression == Compression::None { u64::MAX } else { file.size()? };
    let mut reader = open_text_within(file, compression, &limits)?;
    let mut block = vec![0; 1 << 20];
    let mut all = 0;
    loop {
        engine.check_cancelled()?;
        let read = match reader.read(&mut block) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(read_error(file, compression, &limits, error)),
        };
        all += read as u64;
        if grows_too_much(stored, all) {
            return Err(EngineError::OverLimit { path: file.to_path_buf(), part: FilePart::Expansion, most: all });
        }
        transcription.write(&block[..read], read == 0).map_err(|fault| fault.into_error(&into))?;
        if read == 0 {
            break;
        }
    }
    transcription.finish().map_err(|fault| fault.into_error(&into))?;
    Ok(into)
}

/// Why a text was not written as UTF-8.
enum Untranscribed {
    Refused(EngineError),
    Unwritten(std::io::Error),
}

impl Untranscribed {
    fn into_error(self, into: &Path) -> EngineError {
        match self {
            Untranscribed::Refused(error) => error,
            Untranscribed::Unwritten(error) => EngineError::temp(into, error),
        }
    }
}

/// A text on its way to UTF-8.
struct Transcription<'a, W> {
    path: &'a Path,
    encoding: TextEncoding,
    decoder: encoding_rs::Decoder,
    target: W,
    text: String,
    /// Line feeds that were written.
    lines: u64,
    /// Whether the bytes are UTF-8 so far, with the end of a letter that a block cut off.
    utf8: Option<Vec<u8>>,
    /// Whether there are letters beyond ASCII.
    beyond_ascii: bool,
}

impl<'a, W: Write> Transcription<'a, W> {
    fn new(path: &'a Path, encoding: TextEncoding, target: W) -> Self {
        let wide = encoding.0 == UTF_16LE || encoding.0 == UTF_16BE;
        Transcription {
            path,
            encoding,
            decoder: encoding.0.new_decoder_with_bom_removal(),
            target,
            text: String::with_capacity(2 << 20),
            lines: 0,
            utf8: (!wide).then(Vec::new),
            beyond_ascii: false,
        }
    }

    fn write(&mut self, block: &[u8], last: bool) -> std::result::Result<(), Untranscribed> {
        self.look_for_utf8(block);
        let mut from = 0;
        loop {
            self.text.clear();
            let (result, read) =
                self.decoder.decode_to_string_without_replacement(&block[from..], &mut self.text, last);
            from += read;
            // What Windows-1252 leaves undefined is decoded as control characters, which no table has.
            let undefined = self.text.char_indices().find(|(_, letter)| ('\u{80}'..='\u{9f}').contains(letter));
            let before = undefined.map_or(self.text.len(), |(at, _)| at);
            self.lines += memchr::memchr_iter(b'\n', &self.text.as_bytes()[..before]).count() as u64;
            let is_malformed = matches!(result, DecoderResult::Malformed(..));
            if undefined.is_some() || is_malformed {
                let fault = EncodingFault::Undefined { line: self.lines + 1 };
                return Err(Untranscribed::Refused(self.refusal(fault)));
            }
            self.target.write_all(self.text.as_bytes()).map_err(Untranscribed::Unwritten)?;
            if result == DecoderResult::InputEmpty {
                return Ok(());
            }
        }
    }

    /// Whether what came so far is UTF-8 with letters beyond ASCII: then it is hardly anything else.
    fn look_for_utf8(&mut self, block: &[u8]) {
        self.beyond_ascii |= !block.is_ascii();
        let Some(mut cut_off) = self.utf8.take() else { return };
        cut_off.extend_from_slice(block);
        self.utf8 = match simdutf8::compat::from_utf8(&cut_off) {
            Ok(_) => Some(Vec::new()),
            Err(error) if error.error_len().is_none() => Some(cut_off.split_off(error.valid_up_to())),
            Err(_) => None,
        };
    }

    fn refusal(&self, fault: EncodingFault) -> EngineError {
        EngineError::BadEncoding { path: self.path.into(), encoding: self.encoding.name(), fault }
    }

    fn finish(mut self) -> std::result::Result<(), Untranscribed> {
        if self.beyond_ascii && self.utf8.as_ref().is_some_and(Vec::is_empty) && !self.encoding.is_utf8() {
            return Err(Untranscribed::Refused(self.refusal(EncodingFault::IsUtf8)));
        }
        self.target.flush().map_err(Untranscribed::Unwritten)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(label: &str, bytes: &[u8], step: usize) -> std::result::Result<String, String> {
        let mut out = Vec::new();
        let encoding = TextEncoding::named(label).expect("an encoding");
        let mut transcription = Transcription::new(Path::new("x.csv"), encoding, &mut out);
        let done = bytes.chunks(step).try_for_each(|block| transcription.write(block, false));
        let done = done.and_then(|()| transcription.write(&[], true)).and_then(|()| transcription.finish());
        done.map_err(|fault| fault.into_error(Path::new("temp")).to_string())?;
        Ok(String::from_utf8(out).expect("UTF-8"))
    }

    #[test]
    fn letters_come_through_however_blocks_cut_them() {
        for step in 1..5 {
            assert_eq!(written("windows-1252", b"M\xfcller;\x80 5\n", step).as_deref(), Ok("Müller;€ 5\n"));
            assert_eq!(written("latin1", b"M\xfcller\n", step).as_deref(), Ok("Müller\n"));
            assert_eq!(written("iso-8859-15", b"\xa4\n", step).as_deref(), Ok("€\n"));
            assert_eq!(written("utf-16le", b"\xff\xfea\0\xfc\0\n\0", step).as_deref(), Ok("aü\n"));
            assert_eq!(written("utf-16be", b"\0a\0\xfc\0\n", step).as_deref(), Ok("aü\n"));
            assert_eq!(written("shift_jis", b"\x93\xfa\n", step).as_deref(), Ok("日\n"));
        }
    }

    #[test]
    fn bytes_without_a_letter_are_refused_with_their_line() {
        for step in [1, 2, 100] {
            let error = written("windows-1252", b"a\nb\n\x81\n", step).expect_err("refused");
            assert_eq!(error, "x.csv: line 3: the bytes are not valid windows-1252");
            let odd = written("utf-16le", b"a\0\n\0b", step).expect_err("half a letter");
            assert_eq!(odd, "x.csv: line 2: the bytes are not valid UTF-16LE");
        }
    }

    #[test]
    fn a_file_that_is_utf8_is_not_read_as_something_else() {
        for step in [1, 2, 100] {
            let error = written("windows-1252", "Müller\n".as_bytes(), step).expect_err("refused");
            assert_eq!(error, "x.csv: the file is UTF-8, not windows-1252");
        }
        assert_eq!(written("windows-1252", b"Mueller\n", 3).as_deref(), Ok("Mueller\n"), "ASCII is both");
    }

    #[test]
    fn names_are_those_of_the_standard() {
        let name = |word: &str| TextEncoding::named(word).map(TextEncoding::name);
        assert_eq!(name("Latin1"), Some("windows-1252"));
        assert_eq!(name(" CP1252 "), Some("windows-1252"));
        assert_eq!(name("utf-16"), Some("UTF-16LE"));
        assert_eq!(["ansi", "x-user-defined", "replacement", "utf-7", ""].map(name), [None; 5]);
    }
}
