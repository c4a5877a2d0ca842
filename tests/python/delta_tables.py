"""Delta tables, written by the package deltalake with a known table, and releases that it and polars read, for real_files.py.

Files of rows that were overwritten or deleted stay in the folder of a table; none of these rows may be read.
"""


def table(rows, names):
    import pyarrow

    types = [pyarrow.string(), pyarrow.float64(), pyarrow.date32(), pyarrow.string(), pyarrow.string()]
    return pyarrow.table({name: pyarrow.array(column, kind) for name, kind, column in zip(names, types, zip(*rows))})


def read(binary, folder, published, rows, names, expected):
    """Names of tables, what was read, and what was written."""
    from deltalake import DeltaTable, write_deltalake

    rows = list(rows)
    others = [["Gone", 1.5, row[2], "99999", "deleted"] for row in rows[:7]]

    def found(name, version=""):
        return f"{name}{version}", published(binary, folder, f"{folder / name}{version}"), [expected]

    write_deltalake(folder / "appended", table(rows[:15], names))
    write_deltalake(folder / "appended", table(rows[15:], names), mode="append")
    yield found("appended")

    write_deltalake(folder / "overwritten", table(others, names))
    write_deltalake(folder / "overwritten", table(rows, names), mode="overwrite")
    write_deltalake(folder / "overwritten", table(others, names), mode="append")
    yield found("overwritten", "@v1")

    write_deltalake(folder / "deleted", table(rows + others, names))
    DeltaTable(folder / "deleted").delete("town = 'Gone'")
    yield found("deleted")

    for part in range(0, len(rows), 4):
        write_deltalake(folder / "checkpointed", table(rows[part:part + 4] + others[:1], names), mode="append")
    at = DeltaTable(folder / "checkpointed")
    at.create_checkpoint()
    at.delete("town = 'Gone'")
    at.optimize.compact()
    yield found("checkpointed")

    # Of a log without its first commits, the checkpoint is the beginning.
    at = DeltaTable(folder / "checkpointed")
    at.create_checkpoint()
    for commit in range(3):
        (folder / "checkpointed" / "_delta_log" / f"{commit:020}.json").unlink()
    yield found("checkpointed")


def refused(folder, rows, names):
    """Tables that cannot be read, with the code of their refusal."""
    from deltalake import write_deltalake

    write_deltalake(folder / "partitioned", table(list(rows), names), partition_by=["town"])
    yield "IC439", folder / "partitioned"
    yield "IC439", folder / "appended@v7"


def released(binary, folder, incrowd):
    """Faults of a release as a Delta table, whose columns have every type that a release can have."""
    import datetime
    import decimal

    import polars
    import pyarrow
    import pyarrow.parquet
    from deltalake import DeltaTable

    moment = datetime.datetime(2020, 1, 2, 3, 4, 5, 678901)
    columns = {
        "town": pyarrow.array(["Köln", "Ulm"] * 20),
        "tiny": pyarrow.array([-1, None] * 20, pyarrow.int8()),
        "short": pyarrow.array([300, 2] * 20, pyarrow.int16()),
        "plain": pyarrow.array([70000, 3] * 20, pyarrow.int32()),
        "long": pyarrow.array([2**40, 4] * 20, pyarrow.int64()),
        "unsigned": pyarrow.array([2**32 - 1, 5] * 20, pyarrow.uint32()),
        "single": pyarrow.array([0.5, 1.25] * 20, pyarrow.float32()),
        "double": pyarrow.array([0.1, None] * 20, pyarrow.float64()),
        "money": pyarrow.array([decimal.Decimal("12.34"), None] * 20, pyarrow.decimal128(20, 2)),
        "day": pyarrow.array([moment.date(), None] * 20, pyarrow.date32()),
        "at": pyarrow.array([moment, None] * 20, pyarrow.timestamp("us", "UTC")),
        "local": pyarrow.array([moment, None] * 20, pyarrow.timestamp("us")),
        "ill": pyarrow.array([True, False] * 20),
        "a name (with marks)": pyarrow.array(["x", "y"] * 20),
    }
    written = pyarrow.table(columns)
    pyarrow.parquet.write_table(written, folder / "typed.parquet")
    kept = ",".join(written.column_names[1:])
    made = incrowd(binary, folder, "anonymize", "typed.parquet", "--qi", "town", "--others", "keep", "--keep-identifying", kept,
                   "--k", "2", "--output-format", "delta", "-o", "typed")
    if made.returncode != 0:
        yield f"a release as a Delta table: {made.stderr}"
        return
    in_order = lambda rows: sorted(map(repr, rows))
    wanted = in_order(written.to_pylist())
    found = DeltaTable(folder / "typed").to_pyarrow_table().to_pylist()
    if in_order(found) != wanted:
        yield f"deltalake reads other rows: {found[:2]}, not {written.to_pylist()[:2]}"
    frame = polars.read_delta(str(folder / "typed"))
    if in_order(frame.to_arrow().to_pylist()) != wanted:
        yield f"polars reads other rows: {frame.head(2)}"
    if DeltaTable(folder / "typed").version() != 0:
        yield "the release is not the first version of its table"
