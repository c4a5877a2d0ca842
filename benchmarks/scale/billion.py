#!/usr/bin/env python3
"""A billion rows on one machine: counted, solved, written and verified under --memory.

    pip install pyarrow==26.0.1
    python3 benchmarks/scale/billion.py --folder SCRATCH [--rows 1e9] [--memory 8GiB] [--no-build]

Makes a census-like table with `incrowd sample` in parts of 5·10⁷ rows with different seeds. Of each part the columns are kept that
the release publishes; those that it would remove (a number of the person, the postcode, the birth date) are three quarters of the
bytes and are left out. Then `anonymize` and `verify` with eight quasi-identifiers and k = 10. What is on the disk besides the table
is added up twice a second. Parts that are there are used again. Writes billion.md beside this file; needs about 45 GB for 10⁹ rows.
"""
import argparse
import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "papers"))
import plots  # noqa: E402
from run import EIGHT, Bench, measure  # noqa: E402

KEPT = "diagnosis,salary-class"
PART = 50_000_000


def bytes_below(folders):
    total = 0
    for folder in folders:
        for path in Path(folder).rglob("*"):
            try:
                total += path.stat().st_size if path.is_file() else 0
            except OSError:
                # It was removed meanwhile.
                pass
    return total


class Disk:
    """The most bytes below some folders while something runs."""

    def __init__(self, *folders):
        self.folders, self.most, self.ended = folders, 0, threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self):
        while not self.ended.wait(0.5):
            self.most = max(self.most, bytes_below(self.folders))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


class Billion(Bench):
    def make_part(self, number):
        import pyarrow.parquet

        part, columns = self.folder / "table" / f"part-{number:02}.parquet", f"{EIGHT},{KEPT}".split(",")
        if part.exists():
            return
        whole, unfinished = self.folder / "whole.parquet", self.folder / "unfinished.parquet"
        subprocess.run([self.incrowd, "sample", "--rows", str(PART), "--seed", str(100 + number), "-q", "--force", "-o", str(whole)], check=True)
        table = pyarrow.parquet.ParquetFile(whole)
        schema = table.schema_arrow.empty_table().select(columns).schema
        with pyarrow.parquet.ParquetWriter(unfinished, schema, compression="zstd") as writer:
            for group in range(table.num_row_groups):
                writer.write_table(table.read_row_group(group, columns=columns))
        unfinished.rename(part)
        whole.unlink()

    def run(self):
        self.build()
        rows, memory = int(float(self.arguments.rows)), self.arguments.memory
        (self.folder / "table").mkdir(exist_ok=True)
        for number in range(rows // PART):
            self.make_part(number)
        temp, target = self.folder / "temp", self.folder / "release"
        for path in (temp, target, Path(f"{target}.internal")):
            shutil.rmtree(path, ignore_errors=True)
        temp.mkdir()
        words = [self.incrowd, "anonymize", str(self.folder / "table"), "--qi", EIGHT, "--sensitive", KEPT, "--k", "10", "--algorithm",
                 "mondrian", "--seed", "1", "--no-bound", "--output-format", "parquet", "--format", "json", "--quiet", "--memory", memory,
                 "--temp", str(temp), "-o", str(target)]
        # A release in the making is in a hidden folder beside its name.
        with Disk(self.folder) as disk:
            made = measure(words)
        answer = json.loads(made["output"])
        checked = measure([self.incrowd, "verify", str(target), "--memory", memory, "--format", "json", "--quiet"])
        verdict = json.loads(checked["output"])
        assert answer["verified"] and verdict["verified"] and verdict["rows"] == answer["rows"] == rows, verdict
        self.write_page(rows, memory, (made, checked, answer), disk.most)

    def write_page(self, rows, memory, measured, most):
        made, checked, answer = measured
        table, release = bytes_below([self.folder / "table"]), bytes_below([self.folder / "release"])
        self.say(f"# {rows:,} rows on one machine\n")
        self.say(f"Written by `python3 benchmarks/scale/billion.py`. {plots.machine()} `--memory {memory}`, 8 quasi-identifiers, 2 sensitive "
                 f"columns, k = 10, Mondrian, {rows // PART} Parquet files to one, one run. The machine is shared, so CPU seconds count. "
                 "Memory is the kernel's peak resident size.\n")
        self.say("| | CPU s | wall s | peak MiB |\n| --- | ---: | ---: | ---: |")
        for name, got in ("anonymize", made), ("verify", checked):
            self.say(f"| {name} | {got['cpu']:,.0f} | {got['wall']:,.0f} | {got['mib']:,.0f} |")
        gigabytes = lambda bytes: f"{bytes / 1e9:.1f} GB"
        self.say(f"\n{answer['tuples']:,} tuples, {answer['classes']:,} classes, the smallest of {answer['smallest_class']} rows, LM "
                 f"{answer['loss']['lm']:.4f}{', ' + str(answer['shards']) + ' shards' if answer.get('shards') else ', solved as a whole'}; verified.\n")
        self.say(f"Bytes on the disk: the table {gigabytes(table)}, the release {gigabytes(release)}; during the run at most "
                 f"{gigabytes(most - table)} besides the table, with the release ({gigabytes(answer['spilled_bytes'])} of rows and codes went through temporary files, "
                 f"{answer['spilled_bytes'] / rows:.0f} bytes a row).")
        (HERE / "billion.md").write_text("\n".join(self.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", required=True, help="a scratch folder with room")
    parser.add_argument("--rows", default="1e9", help="a multiple of 5·10⁷")
    parser.add_argument("--memory", default="8GiB")
    parser.add_argument("--no-build", action="store_true", help="use the release binaries that are there")
    Billion(parser.parse_args()).run()
