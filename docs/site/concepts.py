"""A page for each model, attack, algorithm, loss and code that the program lists.

What the program says about a thing (its summary, its source, the explanation of a code) comes from the program, so that
a page cannot contradict it; what a reader needs beyond that is prose in docs/concepts/KIND/ID.md, with examples that
are run as tests. A listed thing without prose, and prose about nothing that is listed, are refused.
"""

import json
import pathlib
import re
import subprocess

# Kind of the list: the heading, one sentence, and whether there is prose for each.
KINDS = {
    "models": (
        "Models",
        "What a release can promise. A policy is k-anonymity and any number of the other models.",
        True,
    ),
    "attacks": ("Attacks", "What an attacker can try, and what `incrowd attack` measures.", True),
    "algorithms": (
        "Algorithms",
        "How the classes of a release are found. Every algorithm supports every policy; they differ in "
        "loss and time.",
        True,
    ),
    "losses": ("Losses", "Measures of information loss, which a solver minimizes.", True),
    "codes": (
        "Findings and refusals",
        "Findings and refusals of the program, by code. The meaning of a code does not change.",
        False,
    ),
}
# How a thing is asked for, and flags of its own where there are some.
CALLED = {
    "models": '`--model "{0}:COLUMN,NAME=VALUE,…"`',
    "attacks": "`incrowd attack DIR`; the most it may achieve: `--limit {0}=SHARE`",
    "algorithms": "`--algorithm {0}`",
    "losses": "`--loss {0}`",
}
SAID = {
    "k-anonymity": "`--k N`",
    "alpha-deassociation": '`--alpha COLUMN=SHARE`, `--alpha "COLUMN:VALUE=SHARE"`',
    "p-sensitive": "`--p-sensitive COLUMN=P`, `--p P` for all sensitive columns",
    "t-closeness": "`--t-closeness COLUMN=T`, `--t T` for all"
    ' sensitive columns, `--model "t-closeness:COLUMN,t=T,distance=…"`',
    "distinct-l-diversity": "`--l-diversity COLUMN=L`, `--l L` for all" " sensitive columns",
}
DOCS = pathlib.Path(__file__).resolve().parents[1]


def ask(incrowd, *words):
    return subprocess.run([incrowd, *words], check=True, capture_output=True, text=True).stdout


def listed(incrowd):
    """What the program lists, by kind; refused when the prose does not fit it."""
    entries = {kind: json.loads(ask(incrowd, "list", kind, "--format", "json")) for kind in KINDS}
    faults = [fault for kind in KINDS if KINDS[kind][2] for fault in unfit(kind, entries[kind], DOCS)]
    if faults:
        raise SystemExit("\n".join(faults))
    return entries


def unfit(kind, entries, docs):
    """Listed things without a page, and pages without a listed thing."""
    ids = {entry["id"] for entry in entries}
    written = {path.stem for path in (docs / "concepts" / kind).glob("*.md")}
    return [
        f"docs/concepts/{kind}/{name}.md is missing: `incrowd list {kind}` has `{name}`"
        for name in sorted(ids - written)
    ] + [
        f"docs/concepts/{kind}/{name}.md is about nothing that `incrowd list {kind}` has"
        for name in sorted(written - ids)
    ]


def explained(incrowd, code):
    """Name, severity and paragraphs of a code."""
    head, *paragraphs = ask(incrowd, "explain", code).strip().split("\n\n")
    name, severity = re.fullmatch(rf"{code} (\S+) \((\w+)\)", head).groups()
    return name, severity, [" ".join(paragraph.split("\n")) for paragraph in paragraphs]


def title(kind, entry, source):
    if not KINDS[kind][2]:
        return entry["id"]
    return source.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")


def page(kind, entry, incrowd, source):
    if not KINDS[kind][2]:
        name, severity, paragraphs = explained(incrowd, entry["id"])
        return f"# {entry['id']}: {name}\n\n**{severity}** · {paragraphs[0]}\n\n" + "\n\n".join(paragraphs[1:]) + "\n"
    head, prose = source.read_text(encoding="utf-8").split("\n", 1)
    called = SAID.get(entry["id"]) or CALLED[kind].format(entry["id"])
    source = f"## Source\n\n{entry['reference']}\n"
    return f"{head}\n\n> {entry['summary']}\n\nOn the command line: {called}.\n{prose.rstrip()}\n\n{source}"


def index(kind, entries, docs):
    heading, sentence, prose = KINDS[kind]
    lines = [f"# {heading}", "", sentence, "", "| | |", "| --- | --- |"]
    for entry in entries:
        name = title(kind, entry, docs / "concepts" / kind / f"{entry['id']}.md")
        lines.append(f"| [{name}]({entry['id']}.md) | {entry['summary']} |")
    return "\n".join(lines) + "\n"


def overview(entries):
    sentence = "One page for each model, attack, algorithm, loss and code that `incrowd list` prints."
    lines = ["# Concepts", "", sentence, ""]
    lines += [
        f"- [{heading}]({kind}/index.md), {len(entries[kind])} of them: {sentence}"
        for kind, (heading, sentence, _) in KINDS.items()
    ]
    return "\n".join(lines) + "\n"
