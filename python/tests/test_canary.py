"""Nothing that was removed is in the buffers handed out, however it came in and however it was removed.

A frame carries more than its cells: a view keeps the buffer it points into, a dictionary its unused entries, a null the
value below it, a slice what stands before and after it, a schema its metadata. Each way below plants values in one of
these places and in everything that a release removes; then the raw bytes of all buffers handed out are searched.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import incrowd

ROWS = 400
#: A whole number that is found in raw bytes when it is there.
HIDDEN = 0x7A31_4159_2653_5897


def _texts(kind: str, texts: list[str | None]) -> Any:
    if kind == "null slots":
        # The bytes of a text stand below its null bit.
        whole = pyarrow.array([text or "CANARY-below-null" for text in texts], pyarrow.string())
        valid = pyarrow.array([text is not None for text in texts]).buffers()[1]
        return pyarrow.Array.from_buffers(pyarrow.string(), len(texts), [valid, *whole.buffers()[1:]])
    plain = pyarrow.array(texts, pyarrow.string())
    if kind == "views":
        return plain.cast(pyarrow.string_view())
    if kind == "large":
        return plain.cast(pyarrow.large_string())
    if kind == "dictionary":
        coded = plain.dictionary_encode()
        unused = pyarrow.concat_arrays([coded.dictionary, pyarrow.array(["CANARY-unused-entry"])])
        return pyarrow.DictionaryArray.from_arrays(coded.indices, unused)
    if kind == "slice":
        around = pyarrow.array(["CANARY-before-slice"] * 9)
        return pyarrow.concat_arrays([around, plain, around]).slice(9, len(texts))
    return plain


def _numbers(kind: str, numbers: list[int | None]) -> Any:
    if kind != "null slots":
        return pyarrow.array(numbers, pyarrow.int64())
    below = numpy.array([HIDDEN if number is None else number for number in numbers], dtype="int64")
    valid = pyarrow.array([number is not None for number in numbers]).buffers()[1]
    return pyarrow.Array.from_buffers(pyarrow.int64(), len(numbers), [valid, pyarrow.py_buffer(below)])


def postcodes() -> list[str | None]:
    """Codes of which only the first letters are published."""
    return [f"{row % 4}Q{row:04}Z" for row in range(ROWS)]


def planted(kind: str, withheld: bool = True) -> pyarrow.Table:
    """A table in which everything that a release removes is a canary."""
    rows = range(ROWS)
    # Five people like nobody else.
    odd = [withheld and row % 80 == 79 for row in rows]
    columns = {
        "name": _texts(kind, [f"CANARY-name-{row}" for row in rows]),
        "person": _texts(kind, [f"CANARY-person-{row}" for row in rows]),
        "account": _numbers(kind, [HIDDEN for _ in rows]),
        "postcode": _texts(kind, postcodes()),
        "income": pyarrow.array([123456.789 + row for row in rows], pyarrow.float64()),
        "town": _texts(kind, ["CANARY-withheld-town" if alone else "Ulm" for alone in odd]),
        "illness": _texts(kind, ["CANARY-withheld" if alone else f"flu {row % 3}" for row, alone in zip(rows, odd)]),
        "remark": _texts(kind, [None if row % 5 == 0 else "fine" for row in rows]),
        "visits": _numbers(kind, [None if row % 7 == 0 else row % 3 for row in rows]),
    }
    fields = [pyarrow.field(name, array.type, metadata={"of": "CANARY-field"}) for name, array in columns.items()]
    schema = pyarrow.schema(fields, metadata={"note": "CANARY-schema"})
    return pyarrow.Table.from_arrays(list(columns.values()), schema=schema)


ROLES: dict[str, Any] = dict(
    identifier="name",
    subject="person",
    qi=["postcode", "income", "town"],
    sensitive="illness",
    insensitive=["remark", "visits"],
    keep_identifying=["remark", "visits"],
    others="remove",
    k=10,
    suppress=0.05,
    algorithm="incognito",
    hierarchies={"postcode": "prefix", "income": [100_000, 1_000_000], "town": "flat"},
    seed=3,
    bound=False,
)


def _buffers(array: Any) -> Iterator[bytes]:
    for buffer in array.buffers():
        if buffer is not None:
            yield buffer.to_pybytes()
    if pyarrow.types.is_dictionary(array.type):
        yield from _buffers(array.dictionary)


def raw_bytes(frame: Any) -> bytes:
    """The bytes of every buffer of a frame, whole, and of its schema."""
    table = pyarrow.table(frame)
    arrays = [chunk for column in table.columns for chunk in column.chunks]
    written = io.BytesIO()
    with pyarrow.ipc.new_stream(written, table.schema) as writer:
        writer.write_table(table)
    buffers = [part for array in arrays for part in _buffers(array)]
    return b"".join([*buffers, written.getvalue(), str(table.schema).encode()])


WAYS = ["plain", "views", "large", "dictionary", "slice", "null slots"]
IN: dict[str, Callable[[pyarrow.Table], Any]] = {
    "pyarrow": lambda table: table,
    "polars": polars.DataFrame,
    "chunked polars": lambda table: polars.concat([polars.DataFrame(table)] * 2, rechunk=False).head(ROWS),
    "pandas": lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype),
    "pandas categories": lambda table: _categories(table),
}


def _categories(table: pyarrow.Table) -> pandas.DataFrame:
    frame = table.to_pandas(types_mapper=None)
    for name in ("town", "illness", "postcode"):
        frame[name] = frame[name].astype("category").cat.add_categories(["CANARY-unused-category"])
    return frame


def assert_clean(found: bytes) -> None:
    """No canary, whatever it was, is in these bytes."""
    assert found.count(b"CANARY") == 0
    assert HIDDEN.to_bytes(8, "little") not in found
    assert all(numpy.float64(123456.789 + row).tobytes() not in found for row in range(ROWS))
    assert all(str(code).encode() not in found for code in postcodes())


@pytest.mark.parametrize("kind", WAYS)
def test_no_removed_value_is_in_the_buffers_handed_out(kind: str) -> None:
    table = planted(kind)
    release = incrowd.anonymize(table, **ROLES)
    assert release.json["suppressed_rows"] == 5, "somebody is withheld, or the test shows nothing"
    assert b"CANARY" in raw_bytes(table)
    assert_clean(raw_bytes(release.frame))


@pytest.mark.parametrize("kind", WAYS)
def test_no_removed_value_is_in_the_buffers_of_two_tables(kind: str) -> None:
    # Quasi-identifiers are published as they are; what goes are columns, what stands below nulls, and the like.
    words = dict(ROLES, qi=["town"], hierarchies={}, algorithm="anatomy", l=2, publish="two-tables")
    with pytest.warns(incrowd.IncrowdWarning, match="do not hide who is in the table"):
        release = incrowd.anonymize(planted(kind, withheld=False), **words)
    assert len(release.frames) == 2
    for frame in release.frames:
        assert_clean(raw_bytes(frame))


@pytest.mark.parametrize("how", sorted(IN))
def test_no_library_carries_a_removed_value_through(how: str) -> None:
    release = incrowd.anonymize(IN[how](planted("plain")), **ROLES)
    assert release.json["suppressed_rows"] > 0
    frame = release.frame
    assert_clean(raw_bytes(incrowd.Frame.of(frame)))
    written = io.BytesIO()
    if isinstance(frame, (polars.DataFrame, pandas.DataFrame)):
        frame.write_parquet(written) if isinstance(frame, polars.DataFrame) else frame.to_parquet(written)
        assert written.getvalue().count(b"CANARY") == 0


def test_the_files_behind_a_frame_hold_nothing_else_either() -> None:
    release = incrowd.anonymize(planted("null slots"), **ROLES)
    written = b"".join((release.path / file["name"]).read_bytes() for file in release.manifest["files"])
    written += (release.path / "manifest.json").read_bytes() + (release.path / "report.html").read_bytes()
    assert b"CANARY" not in written
    assert release.json["canaries"]["found"] == 0 < release.json["canaries"]["values"]


def test_nothing_of_a_table_is_told_by_its_repr_or_a_refusal() -> None:
    table = planted("plain")
    told = repr(incrowd.Frame.of(table)) + repr(incrowd.anonymize(table, **ROLES))
    assert "CANARY" not in told
    with pytest.raises(incrowd.IncrowdError) as refused:
        incrowd.anonymize(table, **dict(ROLES, hierarchies={"town": incrowd.Hierarchy("Wien;*\n")}))
    assert "CANARY" not in str(refused.value)
