"""Any Arrow-capable frame in, the same kind of frame out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import incrowd

from .conftest import LIBRARIES, WORDS


def test_a_frame_of_any_library_is_checked_alike(people: incrowd.Frame, library: str) -> None:
    make, _ = LIBRARIES[library]
    expected, found = incrowd.check(people), incrowd.check(make(people))
    assert not found and found.json == expected.json


def test_a_frame_of_any_library_comes_back_as_one(
    people: incrowd.Frame, release: incrowd.Release, library: str
) -> None:
    make, kind = LIBRARIES[library]
    made = incrowd.anonymize(make(people), **WORDS)
    assert isinstance(made.frame, kind)
    # The order of the rows is drawn anew for every release, and which of several equal rows goes to which class.
    assert classes(pyarrow.table(incrowd.Frame.of(made.frame))) == classes(pyarrow.table(release.frame))


def classes(table: pyarrow.Table) -> Counter[tuple[str, ...]]:
    """How many published rows have each combination of quasi-identifiers."""
    return Counter(tuple(str(row[name]) for name in WORDS["qi"]) for row in table.to_pylist())


def test_a_path_is_a_table_as_on_the_command_line(people: incrowd.Frame, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table(people).slice(0, 1000), tmp_path / "1.parquet")
    pyarrow.parquet.write_table(pyarrow.table(people).slice(1000), tmp_path / "2.parquet")
    by_name = incrowd.diagnose(str(tmp_path / "*.parquet"), qi=["age", "sex"])
    by_folder = incrowd.diagnose(tmp_path, qi=["age", "sex"])
    held = incrowd.diagnose(people, qi=["age", "sex"])
    assert (by_name.k, by_name.tuples) == (by_folder.k, by_folder.tuples) == (held.k, held.tuples)
    made = incrowd.anonymize(tmp_path, **WORDS)
    assert isinstance(made.frame, incrowd.Frame) and made.frame.num_rows == 2000


def test_categories_views_and_chunks_are_the_values_they_stand_for(people: incrowd.Frame) -> None:
    plain = pyarrow.table(people)
    frame = plain.to_pandas()
    frame["sex"] = frame["sex"].astype("category")
    chunked = polars.concat([polars.DataFrame(plain.slice(0, 700)), polars.DataFrame(plain.slice(700))], rechunk=False)
    expected = incrowd.diagnose(plain, qi=["age", "sex"], k=5, curve=True).json
    for same in (frame, chunked, chunked.lazy(), plain.to_batches()[0], plain.to_reader()):
        assert incrowd.diagnose(same, qi=["age", "sex"], k=5, curve=True).json == expected


def test_an_index_of_pandas_that_says_something_is_a_column_and_needs_a_role() -> None:
    frame = pandas.DataFrame({"age": [30, 30, 40, 40]}, index=["Ann", "Ben", "Cay", "Dee"])
    with pytest.raises(incrowd.AskError, match="IC506.*__index_level_0__"):
        incrowd.anonymize(frame, k=2, qi="age")
    assert incrowd.anonymize(frame, k=2, qi="age", others="remove").frame.columns.tolist() == ["age"]


def test_what_is_no_table_is_refused_by_its_type_alone() -> None:
    with pytest.raises(incrowd.AskError, match="builtins.dict is not a table") as refused:
        incrowd.check({"name": ["Ann"]})  # type: ignore[arg-type]
    assert "Ann" not in str(refused.value)


def test_an_empty_frame_is_refused() -> None:
    with pytest.raises(incrowd.ReadError, match="IC403"):
        incrowd.check(pandas.DataFrame({"age": pandas.Series([], dtype="int64")}))


def test_a_frame_that_cannot_be_looked_into_is_not_called_safe() -> None:
    lists = pyarrow.table({"visits": [[1, 2], [3]]})
    with pytest.raises(incrowd.ReadError, match="IC408"):
        incrowd.check(lists)
    found = incrowd.check(lists.append_column("age", pyarrow.array([30, 31])))
    assert any("not read" in finding.message for finding in found.findings)


def test_texts_that_mean_missing_and_dates_are_read_as_told() -> None:
    frame = polars.DataFrame({"town": ["Ulm", "?", "?", "Ulm"], "born": ["01.02.1980", "03.04.1981"] * 2})
    assert incrowd.diagnose(frame, qi="town", null="?").k == 2
    found = incrowd.check(frame, qi=["town", "born"], date_format={"born": "%d.%m.%Y"})
    assert [column.kind for column in found.columns] == ["text", "date"]


def test_the_same_seed_gives_the_same_sample() -> None:
    first, second = (pyarrow.table(incrowd.sample(rows=50, seed=3)) for _ in range(2))
    assert first.equals(second) and first.num_columns == 13
    assert set(incrowd.sample_hierarchies()) < set(first.column_names)


def test_whole_numbers_of_pandas_stay_whole_where_some_are_missing() -> None:
    large = 2**53 + 1
    visits = pandas.array([large, None] * 4, dtype="Int64")
    frame = pandas.DataFrame({"sex": ["f"] * 8, "visits": visits})
    made = incrowd.anonymize(frame, k=2, qi="sex", insensitive="visits")
    assert sorted(made.frame["visits"].dropna()) == [large] * 4 and made.frame["visits"].isna().sum() == 4
