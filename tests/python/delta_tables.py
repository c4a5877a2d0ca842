"""Delta tables, written by the package deltalake with a known table, for real_files.py.

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
