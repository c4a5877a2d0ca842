"""The runs of k_anon_cf.py: tables, one process for each release, what it took, and the file that keeps it all."""
import csv
import fcntl
import hashlib
import json
import math
import os
import pathlib
import random
import resource
import subprocess
import tempfile
import time
from collections import Counter

ALGORITHMS = ["k-anon-cf", "k-anon-cf-printed", "forest", "agglomerative", "hilbert", "auto"]
# Auto takes what it is given, so its time says nothing about growth.
UNTIMED = [a for a in ALGORITHMS if a != "auto"]
# These mine closed frequent records, of which a smaller k has more.
ON_RECORDS = ["k-anon-cf", "k-anon-cf-printed", "auto"]
# In the table's order, which Hilbert's curve and ties depend on. The paper leaves attributes out in this way.
FOURTEEN = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
            "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"]
ELEVEN = [a for a in FOURTEEN if a not in ("fnlwgt", "capital-gain", "capital-loss")]
EIGHT = [a for a in ELEVEN if a not in ("education-num", "hours-per-week", "native-country")]
FIVE = [a for a in EIGHT if a not in ("marital-status", "relationship", "race")]
NURSERY = ["parents", "has_nurs", "form", "children", "housing", "finance", "social", "health"]
COIL = ["MOSTYPE", "MAANTHUI", "MGEMOMV", "MGEMLEEF", "MOSHOOFD", "MGODRK", "MGODPR", "MGODOV", "MGODGE"]
# File, folder of hierarchies, quasi-identifiers, sensitive column.
TABLES = {"adult-5": ("adult.csv", "adult_kenig", FIVE, "salary-class"),
          "adult-8": ("adult.csv", "adult_kenig", EIGHT, "salary-class"),
          "adult-11": ("adult.csv", "adult_kenig", ELEVEN, "salary-class"),
          "adult-14": ("adult.csv", "adult_kenig", FOURTEEN, "salary-class"),
          "nursery": ("nursery.csv", "nursery_kenig", NURSERY, "class"),
          "coil-9": ("coil2000.csv", "coil_kenig", COIL, "MRELGE")}
SEED = 1
# The share of cells of a grown table that come from another row.
PERTURBED = 0.1


def built(data, name):
    """The attributes of a table that have no file: they get the hierarchy that is built by their type."""
    _, folder, attributes, _ = TABLES[name]
    return [a for a in attributes if not (data / "hierarchies" / folder / f"{a}.csv").exists()]


class Bench:
    """Runs releases, and keeps what they gave."""

    def __init__(self, args, data):
        self.args, self.data, self.file = args, data, args.resume
        self.folder = self.file.parent
        self.folder.mkdir(parents=True, exist_ok=True)
        # Two at once would spoil each other's times and the file.
        self.lock = open(self.file.with_suffix(".lock"), "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"{self.file} is in use by another run") from None
        digest = hashlib.sha256(pathlib.Path(args.bin).read_bytes()).hexdigest()
        self.kept = {"binary": digest, "runs": {}}
        self.asked = []
        if self.file.exists():
            self.kept = json.loads(self.file.read_text(encoding="utf-8"))
            if self.kept["binary"] != digest:
                raise SystemExit(f"{self.file} was made by another binary: start anew, without --resume")

    def failures(self):
        """The runs that were asked for and gave no release."""
        return {key: self.kept["runs"][key] for key in self.asked if "failed" in self.kept["runs"][key]}

    def table(self, name):
        """File, hierarchies, quasi-identifiers and sensitive column; a grown table is written when it is missing."""
        if not name.startswith("grown-"):
            file, *rest = TABLES[name]
            return self.data / file, *rest
        _, attributes, rows = name.split("-")
        path = self.folder / f"grown-{rows}.csv"
        if not path.exists():
            grow(self.data / "adult.csv", path, int(rows))
        return path, *TABLES[f"adult-{attributes}"][1:]

    def command(self, name, k, algorithm, loss, share):
        file, folder, attributes, sensitive = self.table(name)
        command = [self.args.bin, "anonymize", str(file), "--qi", ",".join(attributes), "--others", "remove",
                   "--k", str(k), "--algorithm", algorithm, "--loss", loss, "--seed", str(SEED),
                   "--format", "json", "-q"]
        # Only auto looks for the bound, which is the same for all.
        command += ["--time", self.args.time] if algorithm == "auto" else ["--no-bound"]
        if share:
            command += ["--alpha", f"{sensitive}={share}"]
        for attribute in attributes:
            hierarchy = self.data / "hierarchies" / folder / f"{attribute}.csv"
            if hierarchy.exists():
                command += ["--hierarchy", f"{attribute}={hierarchy}"]
        return command

    def solve(self, name, k, algorithm, loss, share=None):
        """One release: from the file of runs, or made now."""
        limits = f"{self.args.timeout:g}s {self.args.gib:g}GiB"
        limits += f" auto {self.args.time}" if algorithm == "auto" else ""
        key = f"{name} k={k} {algorithm} {loss}" + (f" share={share}" if share else "") + f" [{limits}]"
        self.asked.append(key)
        said = self.command(name, k, algorithm, loss, share)
        if self.kept["runs"].get(key, {}).get("command") != said:
            with tempfile.TemporaryDirectory() as folder:
                run = measure([*said, "-o", f"{folder}/release"], self.args.timeout, self.args.gib)
                if "failed" not in run:
                    run |= figures(run.pop("output"), pathlib.Path(folder), self.table(name)[0], self.table(name)[2])
            run["command"] = said
            self.kept["runs"][key] = run
            # A half-written file would lose all runs.
            part = self.file.with_suffix(".part")
            part.write_text(json.dumps(self.kept, indent=1), encoding="utf-8")
            part.replace(self.file)
            got = run.get("failed") or f"LM {run['lm']:.4f}, {run['seconds']:.1f} s"
            print(f"{key}: {got}, peak {run['mib']:,.0f} MiB", flush=True)
        return self.kept["runs"][key]


def measure(command, timeout, gib):
    """Runs a command; its wall and CPU seconds, its peak memory in MiB, and its output or why there is none."""
    limit = int(gib * 2**30)
    started = time.perf_counter()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=output, stderr=errors,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
        late = False
        try:
            while True:
                done, status, usage = os.wait4(process.pid, os.WNOHANG)
                if done:
                    break
                if not late and time.perf_counter() - started > timeout:
                    process.kill()
                    late = True
                time.sleep(0.01)
        except BaseException:
            process.kill()
            os.wait4(process.pid, 0)
            raise
        process.returncode = code = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
        run = {"wall": time.perf_counter() - started, "cpu": usage.ru_utime + usage.ru_stime,
               "mib": usage.ru_maxrss / 1024}
        if late:
            return run | {"failed": f"killed after {timeout:g} s"}
        if code != 0:
            why = f"more than {gib:g} GiB" if "memory allocation" in said else (said.splitlines() or ["no message"])[0]
            return run | {"failed": f"exit {code}: {why}"}
        return run | {"output": output.read().decode()}


def figures(output, folder, source, attributes):
    """What the answer says, and the entropy of the release, which it does not say."""
    answer = json.loads(output)
    assert answer["verified"]
    lm, entropy, bits = losses(folder, source, attributes)
    # LM by the same reading of the release must be the one in the answer.
    assert abs(lm - answer["loss"]["lm"]) < 1e-9, (lm, answer["loss"]["lm"])
    return {"lm": answer["loss"]["lm"], "bound": answer["loss"].get("bound"),
            "row_by_row": answer["loss"].get("bound_row_by_row"), "records": answer.get("records"),
            "shards": answer.get("shards"), "ratio": answer["loss"].get("ratio"),
            "optimal": answer.get("optimal"), "cut_short": answer["cut_short"], "seconds": answer["solve_seconds"],
            "total": answer["seconds"], "tuples": answer["tuples"], "classes": answer["classes"],
            "entropy": entropy, "bits": bits}


def losses(folder, source, attributes):
    """LM, the monotone entropy as a share of that of `*`, and the plain entropy in bits, as means over the cells.

    Read from the published cells, the hierarchies of the internal record and the values of the source.
    """
    published, values = columns(folder / "release" / "data.csv"), columns(source)
    lm = entropy = bits = 0.0
    for name in attributes:
        file, = (folder / "release.internal" / "hierarchies").glob(f"*-{name}.csv")
        with open(file, newline="", encoding="utf-8") as lines:
            paths = list(csv.reader(lines, delimiter=";"))
        leaves = {}
        for path in paths:
            for label in path:
                leaves.setdefault(label, set()).add(path[0])
        counts, rows = values[name], sum(values[name].values())
        known = lambda cell: sum(counts[leaf] * math.log2(counts[leaf]) for leaf in cell if counts[leaf])
        whole = rows * math.log2(rows) - known(counts)
        for label, count in published[name].items():
            cell = leaves[label]
            held = sum(counts[leaf] for leaf in cell)
            left = held * math.log2(held) - known(cell) if len(cell) > 1 else 0.0
            lm += count * (len(cell) - 1) / max(len(paths) - 1, 1)
            entropy += count * (left / whole if whole else 0.0)
            bits += count * left / held
    cells = rows * len(attributes)
    return lm / cells, entropy / cells, bits / cells


def columns(path):
    """How often each column of a file has each value."""
    with open(path, newline="", encoding="utf-8") as lines:
        header, *rows = csv.reader(lines)
    return {name: Counter(column) for name, column in zip(header, zip(*rows))}


def grow(source, target, rows):
    """Rows drawn with replacement; each cell comes, with a chance of a tenth, from another row drawn likewise.

    Repeated rows alone would add no tuples, and solvers work on tuples.
    """
    with open(source, newline="", encoding="utf-8") as lines:
        header, *known = csv.reader(lines)
    draw = random.Random(SEED)
    part = target.with_suffix(".part")
    with open(part, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        for _ in range(rows):
            row = draw.choice(known)
            other = lambda i: draw.choice(known)[i]
            writer.writerow([other(i) if draw.random() < PERTURBED else cell for i, cell in enumerate(row)])
    part.replace(target)
