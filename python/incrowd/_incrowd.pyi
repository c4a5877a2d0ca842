"""The native half. Use the typed package `incrowd` instead."""

from os import PathLike
from typing import Any, Protocol, final

__all__ = [
    "__version__",
    "Frame",
    "command_line",
    "check",
    "diagnose",
    "draft_plan",
    "sample",
    "sample_hierarchies",
    "anonymize",
    "anonymize_tables",
    "verify",
    "attack",
    "compare",
    "ask",
    "write_report",
    "save",
    "tables",
    "manifest",
    "record",
    "explain_value",
    "plan_of_toml",
    "plan_to_toml",
    "plan_schema",
    "options_of",
    "option_example",
    "explain_code",
    "lists",
    "read_hierarchy",
    "build_hierarchy",
    "cover",
]

__version__: str

class _Given(Protocol):
    @property
    def plan(self) -> str | None: ...
    @property
    def folder(self) -> str: ...
    @property
    def file(self) -> str | None: ...
    @property
    def named(self) -> str: ...
    @property
    def progress(self) -> Any: ...

@final
class Frame:
    """A table in memory that every Arrow-capable library reads."""

    @staticmethod
    def of(frame: Any) -> Frame:
        """Take the rows of a frame with an Arrow stream, without copying them."""
    @property
    def num_rows(self) -> int:
        """The number of rows."""
    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
    @property
    def nbytes(self) -> int:
        """The number of bytes in its buffers."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...

_Table = str | Frame
_Path = str | PathLike[str]
_Files = dict[str, str]

def command_line(words: list[str]) -> int: ...
def check(
    table: _Table, given: _Given, max_columns: int, values: int, report: _Path | None, force: bool
) -> str: ...
def diagnose(table: _Table, given: _Given, asked: Any) -> str: ...
def draft_plan(table: _Table, given: _Given, path: str) -> str: ...
def sample(given: _Given, rows: int, seed: int) -> Frame: ...
def sample_hierarchies() -> dict[str, str]: ...
def anonymize(table: _Table, given: _Given, target: _Path) -> str: ...
def anonymize_tables(given: _Given, target: _Path) -> str: ...
def verify(
    release: _Path, given: _Given, against: _Table | None, hierarchies: _Files, population: _Path | None
) -> str: ...
def attack(
    release: _Path,
    given: _Given,
    against: _Table | None,
    register: _Table | None,
    also: _Path | None,
    hierarchies: _Files,
    risk: float | None,
    record: _Path | None,
) -> str: ...
def compare(table: _Table, releases: list[str], given: _Given, asked: Any) -> str: ...
def ask(
    release: _Path,
    sql: str,
    given: _Given,
    estimator: str | None,
    against: _Table | None,
    hierarchies: _Files,
    record: _Path | None,
) -> str: ...
def write_report(
    release: _Path,
    folder: _Path,
    given: _Given,
    against: _Table | None,
    risk: float | None,
    verify: bool,
) -> None: ...
def save(release: _Path, target: _Path, force: bool) -> None: ...
def tables(release: _Path) -> list[Frame] | None: ...
def manifest(release: _Path) -> str: ...
def record(release: _Path) -> str | None: ...
def explain_value(release: _Path, column: str, value: str | None) -> str: ...
def plan_of_toml(text: str) -> str: ...
def plan_to_toml(json: str) -> str: ...
def plan_schema() -> str: ...
def options_of(given: _Given) -> str: ...
def option_example(name: str, usual: str) -> tuple[str, str]: ...
def explain_code(word: str) -> str | None: ...
def lists() -> str: ...
def read_hierarchy(text: str, ragged: bool) -> str: ...
def build_hierarchy(table: _Table, given: _Given, column: str, word: str | None) -> str: ...
def cover(
    table: _Table, given: _Given, column: str, text: str, ragged: bool, values_shown: int
) -> str: ...
