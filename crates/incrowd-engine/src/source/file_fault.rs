//! Why the first look at a typed file refuses it.

use std::path::Path;

use crate::runtime::error::EngineError;
use crate::runtime::limits::FilePart;
use crate::source::files::Format;

/// Why a typed file is not read.
pub(super) enum FileFault {
    Io(std::io::Error),
    Damaged,
    /// The stream ends without its end-of-stream marker.
    Cut,
    /// Bytes behind the end, or two files in one.
    Trailing,
    Over(FilePart, u64),
}

impl From<std::io::Error> for FileFault {
    fn from(error: std::io::Error) -> FileFault {
        // A file that ends inside what it declares is no fault of the disk.
        if error.kind() == std::io::ErrorKind::UnexpectedEof { FileFault::Damaged } else { FileFault::Io(error) }
    }
}

impl FileFault {
    /// The refusal of this file, which was treated as one of this format.
    pub(super) fn of(self, path: &Path, format: Format) -> EngineError {
        let (path, format) = (path.to_path_buf(), format.name());
        match self {
            FileFault::Io(error) => EngineError::io(path, error),
            FileFault::Damaged => EngineError::Damaged { path, format },
            FileFault::Cut => EngineError::Incomplete { path, format },
            FileFault::Trailing => EngineError::Trailing { path, format },
            FileFault::Over(part, most) => EngineError::OverLimit { path, part, most },
        }
    }
}
