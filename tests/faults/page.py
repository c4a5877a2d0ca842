#!/usr/bin/env python3
"""Writes docs/hardening.md from the results of the tests that try to break the program.

    python3 tests/faults/page.py           # writes the page
    python3 tests/faults/page.py --check   # fails when the page is not what would be written

The results: fuzz/results.json, and in tests/faults/results one JSON file for each kind of test. found.json lists every fault
that was found, with the subject of the commit that mended it; notes.json says when and where the tests ran.
"""

import collections
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "tests/faults/results"
PAGE = ROOT / "docs/hardening.md"


def load(name: str):
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def table(head: list[str], rows: list[list]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows] + [""]


def kinds(notes: dict):
    """Of each kind: its id, its name, how many trials, the unit, and the command."""
    fuzz = json.loads((ROOT / "fuzz/results.json").read_text()) if (ROOT / "fuzz/results.json").exists() else None
    if fuzz:
        minutes = sum(one["cpu_minutes"] + one.get("blind_cpu_minutes", 0) for one in fuzz.values())
        inputs = sum(one["runs"] + one.get("blind_runs", 0) for one in fuzz.values())
        yield "fuzzing", "Fuzzing of readers", f"{inputs:,} inputs, {len(fuzz)} targets, {minutes:.1f} CPU minutes", "fuzz/run.py fuzz"
    if calls := load("failing_calls"):
        yield "failing calls", "Calls of the system that fail", f"{sum(one['runs'] for one in calls):,} runs", "tests/faults/failing_calls.py"
    if network := load("failing_network"):
        yield "failing network", "Calls to servers that fail", f"{sum(one['runs'] for one in network):,} runs", "tests/faults/failing_network.py"
    if shapes := load("hostile_shapes"):
        yield "hostile shapes", "Hostile shapes and surroundings", f"{sum(one['run'] for one in shapes)} trials", "tests/faults/hostile_shapes.py"
    if channels := load("side_channels"):
        yield "side channels", "Side channels of a release", f"{sum(one['run'] for one in channels)} channels", "tests/faults/side_channels.py"
    if kills := load("random_kills"):
        yield "random kills", "Random kills while a release is replaced", f"{kills['kills']:,} kills", "tests/faults/random_kills.py"
    if crash := load("crash_replay"):
        yield "crash replay", "Power loss, replayed call by call", f"{crash['states']} states after {sum(crash['changes'].values())} changes", "tests/faults/crash_replay.py"
    if cluster := load("cluster_faults"):
        yield "cluster faults", "Processes, disks and stores of a cluster that fail", f"{sum(one['trials'] for one in cluster):,} runs", "tests/faults/cluster_faults.py`, `tests/faults/cluster_store_faults.py"
    if supply := load("supply_chain"):
        yield "supply chain", "Supply chain", f"{len(supply['components'])} components", "packaging/supply_chain.py"
    if both := load("two_judges"):
        yield "two judges", "Core and verifier, each with its own definitions", f"{both['cases']:,} tables", "tests/faults/two_judges.py"
    if judges := load("outside_judges"):
        yield "outside judges", "Judges from outside", f"{judges['released']:,} releases, {judges['queries']:,} queries", "tests/faults/outside_judges.py"
    if soak := load("soak"):
        trials = f"{soak['command']['runs']:,} runs, {soak['workbench']['answers']:,} answers of one server"
        yield "load", "Load", trials, "tests/faults/soak.py"
    if agree := load("readers_agree"):
        yield "readers", "Readers of the program and of the verifier", f"{sum(one['files'] for one in agree):,} files", "tests/faults/readers_agree.py"
    if mutants := load("mutants"):
        yield "mutants", "Mutation testing", f"{sum(viable(one) for one in mutants['scopes']):,} mutants", "tests/faults/mutants.py"


def faults(found: list[dict], kind: str) -> tuple[int, int]:
    of_kind = [one for one in found if one["kind"] == kind]
    return len(of_kind), sum(one["mended"] is None for one in of_kind)


def fuzzing() -> list[str]:
    path = ROOT / "fuzz/results.json"
    if not path.exists():
        return []
    results = json.loads(path.read_text())
    rows = [[name, f"{one['cpu_minutes']:.2f}", f"{one['runs']:,}", f"{one['edges']:,}" if one["edges"] else "–", f"{one.get('blind_cpu_minutes', 0):.2f}", f"{one.get('blind_runs', 0):,}"] for name, one in results.items()]
    short = sum(one["cpu_minutes"] < 30 for one in results.values())
    return [
        "## Fuzzing",
        "",
        "Each target is a reader of bytes that others write. libFuzzer changes files so that they reach new code. A fault is: a panic "
        "that nobody catches, a hang of 10 seconds, a single allocation of more than 1 GiB, or a marked cell of the table in a message. "
        "Files that together reach most of that code are in `fuzz/corpus` (at most 150 for each target, besides well-formed ones), and the gate "
        "replays it without libFuzzer: a target that accepts none of its files fails, too.",
        "",
        f"The bar is 30 CPU minutes for each target. {short} of {len(results)} targets have had less; the table has what was spent.",
        "",
        "Blind means: files of the corpus with random changes, without measuring what they reach.",
        "",
        *table(["target", "CPU minutes", "inputs", "branches reached", "blind: CPU minutes", "inputs"], rows),
    ]


def shapes() -> list[str]:
    results = load("hostile_shapes")
    if not results:
        return []
    rows = [[one["trial"], "not run" if not one["run"] else "fault" if one["fault"] else f"refused ({one['code']})" if one["exit"] == 2 else "release" if one["exit"] == 0 else "findings",
             one.get("seconds", ""), one.get("mib", "")] for one in results]
    return ["## Hostile shapes and surroundings", "",
            "A run has to end within two minutes, with a release that `verify` accepts or with a refusal that has a code.", "",
            *table(["trial", "result", "s", "MiB"], rows)]


def channels() -> list[str]:
    results = load("side_channels")
    if not results:
        return []
    figure = lambda one: "not run" if not one["run"] else f"{json.dumps(one['figure'], ensure_ascii=False)} ({one['means']})"  # noqa: E731
    rows = [[one["channel"], one["attack"], figure(one), "yes" if one.get("leaks") else "no"] for one in results]
    corrected = (load("notes") or {}).get("side_channels", "")
    return ["## Side channels of a release", "", corrected, "", *table(["channel", "attack", "figure", "gives something away"], rows)]


def kills() -> list[str]:
    lines = []
    if found := load("random_kills"):
        counts = found["found"]
        lines += ["## Kills and power loss", "",
                  f"{found['kills']:,} runs that replace an old release were killed at random instants (a whole run takes {found['seconds_of_a_run']} s). "
                  f"Afterwards the old release was there {counts['old']} times, the new one {counts['new']} times. {counts['between']} times the kill fell between the "
                  "moves of the replacement: the next run brought one of them back.", ""]
    if crash := load("crash_replay"):
        lines += [f"The {sum(crash['changes'].values())} changes that such a run makes to the disk were recorded and replayed up to each of them. Of what was not synced by then, any part may be on "
                  "the disk: a write without an older one, half of a write, a name without its content, a rename without one before it. Tried were all parts of up to six "
                  f"changes, and of more the single ones and drawn ones: {crash['states']} different states, {len(crash['faults'])} faults.", ""]
    return lines


def cluster() -> list[str]:
    results = load("cluster_faults")
    if not results:
        return []
    rows = [[one["kind"], one["trials"], one["outcomes"].get("equal", 0), one["outcomes"].get("verified", 0), one["outcomes"].get("refused", 0),
             sum(count for outcome, count in one["outcomes"].items() if outcome not in ("equal", "verified", "refused"))] for one in results]
    return ["## Clusters", "",
            "A release in shards on two executors, struck when its tasks have begun a stage. Either the bytes are those of the local release (when verifying is "
            "struck: the release is verified once more), or the run ends with a code, publishes nothing and leaves nothing. Where a store answers 503 or a disk is full, "
            "tasks exchange files in an object store on loopback; the disk is a file system of one executor, filled to the last byte.", "",
            *table(["fault: stage", "runs", "same bytes", "verified", "refused", "faults"], rows)]


def supply() -> list[str]:
    result = load("supply_chain")
    if not result:
        return []
    rows = [[name, one["version"], "yes" if one["build_script"] else "no", one["native_files"], one["kind"]] for name, one in result["native"].items()]
    lines = ["## Supply chain", "", f"The command line has {len(result['components'])} components (crates, ours included). `Cargo.lock` has the version of each, and the checksum of each that is not ours."]
    if linked := result.get("linked"):
        lines[-1] += (f" {linked['components_with_symbols']} of them have symbols in a build that was not stripped; {len(linked['without_symbols'])} have none, because all "
                      f"of their code was inlined, is of macros, or is not used. {len(linked['unlisted'])} crates are linked and not listed.")
    lines.append("")
    if twice := result.get("built_twice"):
        lines += [f"Two builds of the development profile in different folders have {twice['libraries']} libraries in common; {twice['same_bytes']} of them agree byte by byte. "
                  f"{'These differ: ' + ', '.join(twice['differ']) + ', because the path of the folder is in code that a build script writes, or in a crate that uses it.' if twice['differ'] else 'None differs.'}", ""]
    lines += [f"{len(result['native'])} dependencies run a build script or have files of C or assembler:", ""]
    return lines + table(["crate", "version", "build script", "native files", "what for"], rows)


def two_judges() -> list[str]:
    result = load("two_judges")
    if not result:
        return []
    refused = sum(one["refused"] for one in result["models"])
    return ["## Core and verifier", "",
            f"Each of the {len({one['model'] for one in result['models']})} models that protect sensitive values is defined twice, in `incrowd-core` and in `incrowd-verify`, which share no "
            f"code. Both judged {result['cases']:,} generated tables, half of them of people with several rows: {result['broken']:,} break their promise, and {refused:,} have "
            f"people with several values, for which the model is not defined. {len(result['faults'])} answers differ.", ""]


def judges() -> list[str]:
    result = load("outside_judges")
    if not result:
        return []
    return ["## Judges from outside", "",
            f"Of {result['cases']:,} small random tables with a random policy and solver, {result['released']:,} were released and {result['refused']:,} refused. DuckDB ran "
            f"the queries of `verify --sql` on each release, and again after rows were taken out of the file: {result['queries']:,} answers, {result['broken']:,} of them that "
            f"a promise is broken. pycanon computed k, distinct values, shares and t of {result['pycanon']:,} of these releases. {len(result['faults'])} answers differ from what "
            "`verify` says.", ""]


def readers() -> list[str]:
    results = load("readers_agree")
    if not results:
        return []
    names = ["refused", "agrees", "the verifier refuses", "differs"]
    rows = [[one["target"], f"{one['files']:,}", *(f"{one.get(name, 0):,}" for name in names)] for one in results]
    return ["## Readers of the program and of the verifier", "",
            "Damaged and unusual files that the program reads are released with all columns unchanged; the verifier reads the same file by its own code and compares every "
            "row. The files are those of the corpora of fuzzing, and files with one to three changes of each that is read. A fault is a file that both read, each as another "
            "table.", "",
            *table(["corpus", "files", "refused by the program", "same table", "refused by the verifier", "another table"], rows)]


def soak() -> list[str]:
    result = load("soak")
    if not result:
        return []
    rows = [[kind, f"{one['runs']:,} runs", "largest memory of a run, KiB", f"{one['KiB at first']:,}", f"{one['KiB at last']:,}"] for kind, one in result["command"]["kinds"].items()]
    rows += [["workbench", f"{result['workbench']['turns']:,} turns", what, f"{one['at first']:,.0f}", f"{one['at last']:,.0f}"] for what, one in result["workbench"]["figures"].items()]
    stayed = len(result["command"]["faults"]) + len(result["workbench"]["faults"])
    return ["## Load", "",
            "One small table, thousands of times: runs of the command in turns, and one server of the workbench that opens the table and changes ten roles in each turn. The figures are "
            "medians of the first tenth, after the first hundredth, and of the last tenth. "
            f"{'No run left a file for temporary data, and none ended otherwise than the first of its kind.' if not stayed else f'{stayed} faults.'}", "",
            *table(["what", "trials", "figure", "at first", "at last"], rows)]


def mutants() -> list[str]:
    result = load("mutants")
    if not result:
        return []
    rows = [[one["scope"], one["mutants"], one["unviable"], viable(one), one["caught"], one["timeout"], one["missed"], share(one), one["argued"], one["missed"] - one["argued"], one["not tried"]]
            for one in [*result["scopes"], *sums(result["scopes"])]]
    by_argument: dict[str, list] = {}
    for one in result["survivors"]:
        by_argument.setdefault(one["now"], []).append(one)
    left = by_argument.pop("open", [])
    argued = [["<br>".join(map(survivor, same)), why] for why, same in by_argument.items()]
    lines = ["## Mutation testing", "",
             "A mutant is one small change of the code: another operator, a condition turned into its opposite, a statement or an arm of a match left out, a body that returns a "
             "value at once. All mutants of a crate are in one build, each switched on by a number; a mutant is tried by the tests of its crate that reach it, then by the test "
             "that compares verifier and core. Unviable: it does not compile. The score is the share of viable mutants "
             "that a test notices, by failing or by not ending. An argued survivor changes nothing that matters; the argument is below.", "",
             *table(["scope", "mutants", "unviable", "viable and tried", "caught", "do not end", "missed", "score", "missed, argued", "missed, open", "not tried"], rows)]
    if argued:
        lines += ["Survivors that are argued:", "", *table(["survivors", "why no test notices"], argued)]
    if left:
        files = collections.Counter(one["file"] for one in left)
        lines += [f"{len(left)} survivors are open: no test notices them, and it is not argued that none should. `tests/faults/results/mutants.json` lists them.", "",
                  *table(["file", "open survivors"], sorted(files.items()))]
    return lines


def viable(counts: dict) -> int:
    """The mutants that compile and were tried."""
    return counts["caught"] + counts["timeout"] + counts["missed"]


def share(counts: dict) -> str:
    return f"{100 * (counts['caught'] + counts['timeout']) / viable(counts):.1f} %" if viable(counts) else "–"


def sums(scopes: list[dict]):
    """The counts of each crate."""
    crates: dict[str, dict] = {}
    for one in scopes:
        crate = one["scope"].split("/")[1]
        total = crates.setdefault(crate, {"scope": f"**{crate}**"})
        for key, count in one.items():
            if key != "scope":
                total[key] = total.get(key, 0) + count
    return crates.values()


def survivor(one: dict) -> str:
    path = one["file"].removeprefix("crates/").replace("/src/", "/")
    return f"{path}:{one['line']} `{one['in']}`: `{one['from']}` → `{one['to']}`"


def page() -> str:
    notes, found = load("notes") or {}, load("found") or []
    rows = []
    for kind, name, trials, command in kinds(notes):
        total, left = faults(found, kind)
        rows.append([name, trials, total, total - left, left, f"`{command}`"])
    lines = [
        "# Hardening",
        "",
        "<!-- Written by tests/faults/page.py. -->",
        "",
        "Tests that try to break the program, and what they found. The figures come from the result files of one campaign. "
        f"{notes.get('when', '')} The page is written by `python3 tests/faults/page.py`. What is protected against whom: "
        "[threat model](threat-model.md). What the program's sentences mean: [claims](claims.md).",
        "",
        *table(["test", "trials", "faults found", "mended", "open", "command"], rows),
        "A fault is open when it is not mended. No fault found means that these trials found none.",
        "",
        "## Faults found",
        "",
        *table(["test", "fault", "mended by the change"], [[one["kind"], one["fault"], one["mended"] or f"open: {one['why']}"] for one in found]),
        *fuzzing(), *shapes(), *channels(), *kills(), *cluster(), *supply(), *two_judges(), *judges(), *readers(), *soak(), *mutants(),
        "## What was not run",
        "",
        *[f"- {one}" for one in notes.get("not_run", [])],
    ]
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    if "--check" in sys.argv:
        if PAGE.read_text() != page():
            print("docs/hardening.md is not what tests/faults/page.py writes", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
