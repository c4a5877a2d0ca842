"""The page and the drawing of k_anon_cf.py."""
import json
import math
import pathlib

import plots
from k_anon_cf_runs import ALGORITHMS, PERTURBED, SEED, UNTIMED, built

HERE = pathlib.Path(__file__).resolve().parent
COLOURS = {"k-anon-cf": "#1d4ed8", "k-anon-cf-printed": "#0891b2", "forest": "#b45309", "agglomerative": "#7c3aed",
           "hilbert": "#be123c", "auto": "#047857", "bound": "#6b7280"}
WORDS = {"adult-5": "Adult, 5 attributes", "adult-8": "Adult, 8 attributes", "adult-11": "Adult, 11 attributes",
         "adult-14": "Adult, 14 attributes", "nursery": "Nursery, 8 attributes", "coil-9": "CoIL, 9 attributes"}
# The oracle's names: a table's bounds, and the two ratios of its plain k-ANON-CF.
ORACLE = {"adult-5": "adult5", "adult-8": "adult8", "nursery": "nursery", "coil-9": "coil9"}
REFERENCE = {"k-anon-cf": "anon", "k-anon-cf-printed": "paper"}
RIVALS = ["forest", "agglomerative", "hilbert"]
HEAD = """# The experiments of the k-ANON-CF paper

Made by `python3 benchmarks/papers/k_anon_cf.py{quick}`. Kenig and Tassa, *A practical approximation algorithm for
optimal k-anonymity*, section 7: LM and entropy by k, ℓ-diversity, run times, growth with attributes and with rows.

{machine}

- `auto` has a time limit of {time} at each point, other solvers none. A run is killed after {timeout:g} s or at
  {gib:g} GiB.
- The reference that LM is compared with is a plain k-ANON-CF with the same ratio, which draws its free choices at
  random; equal figures are not to be expected.
- One run each, seed {seed}, one process of this script at a time. Other work shared the cores, so times hold only for
  this run, and so does what `auto` finds within its limit. The other solvers' losses do not depend on time.
- Seconds are the solver's wall time. The process also reads, verifies and writes, and `auto` also looks for the bound. Peak
  memory is the kernel's figure (`ru_maxrss`) for the whole process.
- `(cut)`: the time limit ended the search. `failed`: no release, see the last section. `not run`: it
  failed at a point that is easier: a smaller ℓ, or a larger k for solvers that mine closed frequent records.
- The bound is the one that `auto` proves: no release that keeps the same policy loses less LM. `–`: none found.
- The program does not print the entropy of a release. It is computed here from the published cells; on every run, LM computed by
  the same code is compared with the program's. Entropy is solved with `--loss entropy`, which minimizes the
  monotone form; the paper's is the plain one.
- Hierarchies are `adult_kenig`, `nursery_kenig` and `coil_kenig`; which value is in which group is not in the paper.
  An attribute without a file would be named below its table.
- ℓ-diversity is `--alpha column=1/ℓ`, exact rule, kept by each solver itself and not by Algorithm 8. The paper's
  values of ℓ are lost with its figures: these are ours.
- The paper's growth with rows has 14 attributes; here, and for ℓ on Adult, it is 8.
- Growth: rows of Adult drawn with replacement, seed {seed}; each cell comes, with a chance of {perturbed:g}, from
  another row. The paper says neither how it made its tables nor which k it took.
- A table with too many closed frequent records is solved in shards: where that happens the guarantee of k-anon-cf is
  not the paper's.
"""


def cell(run, columns):
    """The measures of a run, joined; or why there are none."""
    if "failed" in run or "skipped" in run:
        return "failed" if "failed" in run else f"not run, {run['skipped']} failed"
    return " / ".join(form.format(run[measure]) for measure, form in columns) + (" (cut)" if run["cut_short"] else "")


def rows(axis, points, algorithms, *columns, first=None):
    """A Markdown table: a line for each point, and for each algorithm a cell of the measures, joined."""
    lines = [f"| {axis} | " + (f"{first[0]} | " if first else "") + " | ".join(algorithms) + " |",
             "| --- |" + " ---: |" * (len(algorithms) + bool(first))]
    for x, by in points:
        cells = [cell(by[a], columns) for a in algorithms]
        lines.append(f"| {x} | " + (f"{first[1](by)} | " if first else "") + " | ".join(cells) + " |")
    return lines + [""]


def bound(by, which="bound"):
    """The bound of a point, the best that a run found: each looks for it again, as long as it has time."""
    return max((run[which] for run in by.values() if run.get(which) is not None), default=None)


def shown(value):
    return "–" if value is None else f"{value:.4f}"


class Page:
    """Gathers the tables and panels; the text comes first when all is known."""

    def __init__(self, args, data):
        self.args, self.data = args, data
        self.lines, self.panels, self.beaten, self.behind, self.swept = [], [], [], [], {}

    def plot(self, title, axis, points, measure, log=False, bounds=False):
        if bounds:
            points = [(x, by | {"bound": {measure: bound(by)}}) for x, by in points]
        self.panels.append((title, axis, points, measure, log))

    def sweep(self, table, points):
        """LM by k, its bound, times and memory."""
        words, self.swept[table] = WORDS[table], points
        self.lines += [f"## {words}: LM", "", *rows("k", points, ALGORITHMS, ("lm", "{:.4f}"),
                                                   first=("bound", lambda by: shown(bound(by))))]
        if built(self.data, table):
            self.lines += [f"Hierarchies built by type, because there is no file: {', '.join(built(self.data, table))}.", ""]
        self.lines += ["Solver seconds / peak MiB of the process:", ""]
        self.lines += rows("k", points, ALGORITHMS, ("seconds", "{:.2f}"), ("mib", "{:,.0f}"))
        proven = [str(k) for k, by in points if by["auto"].get("optimal")]
        if proven:
            self.lines += [f"`auto` meets the bound, so its release is optimal, at k = {', '.join(proven)}.", ""]
        self.compare(table, points)
        for k, by in points:
            self.beaten += [(words, k, rival, by["k-anon-cf"]["lm"] < by[rival]["lm"]) for rival in RIVALS
                            if "lm" in by[rival] and "lm" in by["k-anon-cf"]]
            least = min((run["lm"], run["seconds"], rival) for rival, run in by.items() if "lm" in run)
            if least[0] < by["auto"]["lm"]:
                self.behind.append(f"{words}, k = {k}: {least[2]} in {least[1]:.0f} s")
        self.plot(f"{words}: LM", "k", points, "lm", bounds=True)
        self.plot(f"{words}: solver seconds", "k", points, "seconds", log=True)

    def compare(self, table, points):
        """One line: how the figures stand to the oracle's."""
        if table not in ORACLE:
            self.lines += ["Oracle: no figures for this table.", ""]
            return
        theirs = json.loads((self.data / "figures" / f"k_anon_cf_{ORACLE[table]}.json").read_text(encoding="utf-8"))["k"]
        both = [(k, bound(by, "row_by_row"), theirs[str(k)]["LM_lower_bound"]) for k, by in points if str(k) in theirs]
        wrong = [str(k) for k, ours, known in both if ours is None or abs(ours - known) > 1e-9]
        said = [f"row-by-row bound **differs or is missing** at k = {', '.join(wrong)}" if wrong
                else f"row-by-row bound agrees to 10⁻⁹ at all {len(both)} k"]
        for algorithm, rho in REFERENCE.items():
            file = self.data / "figures" / f"k_anon_cf_kanon_cf_{ORACLE[table]}_{rho}.json"
            if not file.exists():
                continue
            theirs = json.loads(file.read_text(encoding="utf-8"))["k"]
            parts = [by[algorithm]["lm"] / theirs[str(k)]["LM"] - 1 for k, by in points
                     if str(k) in theirs and "lm" in by[algorithm]]
            if parts:
                least, most = (f"{100 * part:+.1f} %".replace("-0.0", "+0.0") for part in (min(parts), max(parts)))
                said.append(f"LM of {algorithm} differs from the plain reference's by {least} to {most}")
        self.lines += [f"Oracle: {'; '.join(said)}.", ""]

    def attributes(self):
        """k-anon-cf by the number of attributes of Adult."""
        tables = [table for table in self.swept if table.startswith("adult-")]
        points = {}
        for table in tables:
            for k, by in self.swept[table]:
                points.setdefault(k, {})[table] = by["k-anon-cf"]
        shared = [(k, by) for k, by in sorted(points.items()) if len(by) == len(tables)]
        if len(tables) > 1:
            self.lines += ["## Growth: attributes of Adult, k-anon-cf", ""]
            self.lines += ["Solver seconds / peak MiB of the process:", ""]
            self.lines += rows("k", shared, tables, ("seconds", "{:.2f}"), ("mib", "{:,.0f}"))

    def entropy(self, table, points):
        """Monotone entropy as a share, and plain entropy in bits, of releases that were solved for entropy."""
        self.lines += [f"## {WORDS[table]}: entropy", "", "Monotone entropy (`*` is 1) / plain, bits a cell:", ""]
        self.lines += rows("k", points, ALGORITHMS, ("entropy", "{:.4f}"), ("bits", "{:.3f}"))
        self.plot(f"{WORDS[table]}: monotone entropy", "k", points, "entropy")
        self.plot(f"{WORDS[table]}: plain entropy, bits a cell", "k", points, "bits")

    def diverse(self, table, k, points):
        self.lines += [f"## {WORDS[table]}: LM with k = {k} and ℓ-diversity", ""]
        self.lines += rows("ℓ", points, ALGORITHMS, ("lm", "{:.4f}"), first=("bound", lambda by: shown(bound(by))))
        self.lines += ["Solver seconds / peak MiB of the process:", ""]
        self.lines += rows("ℓ", points, ALGORITHMS, ("seconds", "{:.2f}"), ("mib", "{:,.0f}"))
        self.plot(f"{WORDS[table]}, k = {k}: LM", "ℓ", points, "lm", bounds=True)
        self.plot(f"{WORDS[table]}, k = {k}: seconds", "ℓ", points, "seconds", log=True)

    def growth(self, n, points):
        """Time and memory by rows, and the power of the rows that the time grows with."""
        self.lines += [f"## Growth: {n} attributes, k = 50", "", "Solver seconds / peak MiB of the process:", ""]
        points = [(f"{count // 1000}k", by) for count, by in points]
        tuples = lambda by: next((f"{run['tuples']:,}" for run in by.values() if "tuples" in run), "–")
        self.lines += rows("rows", points, UNTIMED, ("seconds", "{:.2f}"), ("mib", "{:,.0f}"), first=("tuples", tuples))
        powers = []
        for a in UNTIMED:
            done = [(int(x[:-1]), by[a]["seconds"]) for x, by in points if "seconds" in by[a]]
            if len(done) > 1:
                (few, short), (many, long) = done[0], done[-1]
                powers.append(f"{a} {math.log(long / short) / math.log(many / few):.2f} ({few}k to {many}k)")
        if powers:
            self.lines += [f"Seconds grow with the rows to the power of: {', '.join(powers)}.", ""]
        self.plot(f"{n} attributes, k = 50: seconds", "rows", points, "seconds", log=True)
        self.plot(f"{n} attributes, k = 50: peak MiB", "rows", points, "mib", log=True)

    def write(self, failures):
        """Writes what there is so far, so that a run that is interrupted has written all but its last section."""
        won = sum(less for *_, less in self.beaten)
        lost = [f"{rival} on {words} at k = {k}" for words, k, rival, less in self.beaten if not less]
        head = HEAD.format(quick=" --quick" if self.args.quick else "", machine=plots.machine(), time=self.args.time,
                           timeout=self.args.timeout, gib=self.args.gib, seed=SEED, perturbed=PERTURBED)
        summary = "k-anon-cf loses less LM than Forest, Agglomerative and Hilbert "
        summary += f"in {won} of {len(self.beaten)} pairs of runs that both gave a release"
        lines = [head, summary + (f"; not less than {', '.join(lost)}." if lost else "."), ""]
        if self.behind:
            lines += [f"Within its {self.args.time}, `auto` loses more LM than another solver here: {'; '.join(self.behind)}.", ""]
        lines += self.lines
        lines += ["## Runs that failed", ""]
        if failures:
            lines += ["| run | why | wall s | CPU s | peak MiB |", "| --- | --- | ---: | ---: | ---: |"]
        for key, run in failures.items():
            lines.append(f"| {key} | {run['failed']} | {run['wall']:.0f} | {run['cpu']:.0f} | {run['mib']:,.0f} |")
        text = "\n".join(lines if failures else lines + ["None."]) + "\n"
        (HERE / "k_anon_cf.md").write_text(text, encoding="utf-8")
        svg = plots.opening(30 + 205 * math.ceil(len(self.panels) / 2), COLOURS, left=10, step=None)
        for i, (title, axis, points, measure, log) in enumerate(self.panels):
            svg += plots.panel(10 + 330 * (i % 2), 30 + 205 * (i // 2), title, axis, points, measure, COLOURS, log)
        (HERE / "k_anon_cf.svg").write_text("\n".join(svg + ["</svg>"]) + "\n", encoding="utf-8")
