"""Frames of any library with the Arrow C stream interface; none of them is required."""

from __future__ import annotations

import os
from typing import Any, Protocol, Union, cast, runtime_checkable

from ._incrowd import Frame
from .errors import AskError

__all__ = ["ArrowTable", "Frame", "Table"]


@runtime_checkable
class ArrowTable(Protocol):
    """A frame of any library: pandas, polars, pyarrow, DuckDB, or another with an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as an Arrow C stream."""
        ...


#: A frame, or a path, a folder or a pattern as on the command line.
Table = Union[ArrowTable, str, os.PathLike[str]]


def held(table: Any) -> str | Frame:
    """The table as the native half takes it: a name, or a frame without a copy."""
    if isinstance(table, Frame):
        return table
    if isinstance(table, (str, os.PathLike)):
        return os.fspath(table)
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        return Frame.of(table)
    # Relations of older DuckDB, and frames that are not computed yet.
    for way in ("arrow", "to_arrow_table", "fetch_arrow_table", "collect"):
        if callable(getattr(table, way, None)):
            return held(getattr(table, way)())
    kind = f"{type(table).__module__}.{type(table).__qualname__}"
    hint = "give a pandas, polars or pyarrow frame, a DuckDB relation, another with `__arrow_c_stream__`, or a path"
    raise AskError("IC402", f"{kind} is not a table", hint)


def library_of(table: Any) -> str:
    """The library of a frame; empty for paths and for frames of other libraries."""
    module = type(table).__module__.partition(".")[0]
    # DuckDB's classes have lived in `duckdb`, `_duckdb` and `duckdb.duckdb`.
    module = module.lstrip("_")
    return module if module in ("pandas", "polars", "pyarrow", "duckdb") else ""


def like(library: str, frame: Frame) -> Any:
    """The frame as one of that library."""
    if library == "polars":
        import polars

        return polars.DataFrame(frame)
    if library == "pandas":
        return _pandas(frame)
    if library == "pyarrow":
        import pyarrow

        return pyarrow.table(cast(Any, frame))
    if library == "duckdb":
        import duckdb
        import pyarrow

        return duckdb.from_arrow(pyarrow.table(cast(Any, frame)))
    return frame


def _pandas(frame: Frame) -> Any:
    """As pandas: integers with missing values stay integers instead of becoming floats."""
    import pandas
    import pyarrow

    # Without pyarrow a frame of pandas has no Arrow stream, so it is there.
    table = pyarrow.table(cast(Any, frame))
    made = table.to_pandas()
    whole = {
        getattr(pyarrow, f"{sign.lower()}{bits}")(): getattr(pandas, f"{sign}{bits}Dtype")()
        for sign in ("Int", "UInt")
        for bits in (8, 16, 32, 64)
    }
    for name in table.column_names:
        column = table[name]
        if column.type in whole and column.null_count:
            made[name] = column.to_pandas(types_mapper=whole.get)
    return made
