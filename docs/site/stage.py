"""Gathers the pages of the site in one folder: those of docs/, the generated ones, and what they link to.

A link of a page leads to a file of the project. Here it is led to the place where that file stands in the site; a link
to a file that is not part of the site becomes plain text.
"""

import os
import pathlib
import re
import shutil

import concepts
import reference

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The guides, in the order in which they are read. One that is not written yet is left out.
GUIDES = [
    ("First five minutes", "first-five-minutes.md"),
    ("Workbench", "workbench.md"),
    ("Glossary", "glossary.md"),
    ("Choosing quasi-identifiers", "choosing-quasi-identifiers.md"),
    ("Choosing a model", "choosing-a-model.md"),
    ("Risk against a given population", "population-given.md"),
    ("Diagnosis", "diagnosis.md"),
    ("Risk against a population", "population.md"),
    ("Hierarchies", "hierarchies.md"),
    ("From a table to a release", "anonymize.md"),
    ("Treatments", "treatments.md"),
    ("Several rows of one person", "linked-rows.md"),
    ("Several tables of the same people", "linked-tables.md"),
    ("Story: a hospital's visits in Excel", "story-hospital.md"),
    ("Story: a survey in SPSS", "story-survey.md"),
    ("Reading the report", "report.md"),
    ("Attacks", "attack.md"),
    ("Claims", "claims.md"),
    ("Threat model", "threat-model.md"),
    ("Hardening", "hardening.md"),
    ("Publishing two tables", "two-tables.md"),
    ("Comparing releases", "compare.md"),
    ("Querying a release", "query.md"),
    ("Large tables", "large-tables.md"),
    ("Scale", "scale.md"),
    ("Cluster", "cluster.md"),
    ("PostgreSQL", "postgresql.md"),
    ("Object stores", "object-stores.md"),
    ("Python", "python.md"),
    ("R", "r.md"),
]
REFERENCE = [
    ("The plan", "plan.md"),
    ("What a release is", "release.md"),
    ("Reading tables", "reading-tables.md"),
    ("JSON answers", "json.md"),
    ("Codes", "codes.md"),
    ("Pipelines", "pipelines.md"),
]
PROJECT = [
    ("README", "README.md"),
    ("Architecture", "ARCHITECTURE.md"),
    ("Contributing", "CONTRIBUTING.md"),
    ("Changelog", "CHANGELOG.md"),
    ("Cases", "cases/README.md"),
]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
CODE_PIPE = re.compile(r"`[^`]*`")
WARNING = re.compile(r"^## (What this does not protect against)\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^ *<!-- (not run|needs|about): .* -->\n", re.MULTILINE)


class Site:
    """The pages by the project's file they come from."""

    def __init__(self, folder):
        self.folder, self.place = folder, {}

    def add(self, source, target):
        self.place[source] = target

    def follow(self, source):
        """Also the Markdown, pictures and data that a page of the site links to."""
        for match in LINK.finditer(plain(source.read_text(encoding="utf-8"))):
            linked = (source.parent / match[3]).resolve() if match[3] and ":" not in match[3] else None
            if linked and linked.is_file() and linked.is_relative_to(ROOT) and linked not in self.place:
                if linked.suffix in (".md", ".svg", ".png", ".json"):
                    self.add(linked, f"project/{page_name(linked)}")
                    if linked.suffix == ".md":
                        self.follow(linked)

    def write(self, source, text=None):
        target = self.folder / self.place[source]
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix != ".md":
            shutil.copy(source, target)
            return
        text = MARK.sub("", text or source.read_text(encoding="utf-8"))
        if self.place[source] == "codes.md":
            text = re.sub(r"^\| (IC\d+) \|", r"| [\1](concepts/codes/\1.md) |", text, flags=re.MULTILINE)
        if self.place[source] == "index.md":
            text = WARNING.sub(boxed, text)
        if self.place[source] in ("index.md", "limits.md"):
            text = "---\nhide: [navigation]\n---\n\n" + text
        target.write_text(outside_fences(text, lambda line: self.line(line, source)), encoding="utf-8")

    def line(self, line, source):
        if line.lstrip().startswith("|"):
            # In a table Markdown of one kind wants \| inside of code, and the other shows the backslash.
            line = CODE_PIPE.sub(lambda code: code[0].replace("\\|", "|"), line)
        return LINK.sub(lambda match: self.link(match, source), line)

    def link(self, match, source):
        picture, text, address, anchor = match.groups()
        if not address or ":" in address:
            return match[0]
        linked = (source.parent / address).resolve()
        if linked not in self.place:
            return text if not picture else ""
        way = os.path.relpath(self.place[linked], pathlib.PurePosixPath(self.place[source]).parent)
        return f"{picture}[{text}]({way}{anchor or ''})"


def boxed(section):
    """A section in a red box."""
    lines = [f"    {line}" if line else "" for line in section[2].strip("\n").split("\n")]
    return f'!!! danger "{section[1]}"\n\n' + "\n".join(lines) + "\n\n"


def page_name(path):
    """Where a file of the project stands in the site; README.md would be taken for an index."""
    name = path.relative_to(ROOT).as_posix()
    return "read-me.md" if name == "README.md" else name.replace("/README.md", ".md")


def outside_fences(text, change):
    """The text with every line changed that is not in a fenced block."""
    lines, fence = [], None
    for line in text.split("\n"):
        mark = re.match(r" *(`{3,})", line)
        if mark and (fence is None or line.strip() == fence):
            fence = mark[1] if fence is None else None
            lines.append(line)
        else:
            lines.append(line if fence else change(line))
    return "\n".join(lines)


def plain(text):
    kept = []
    outside_fences(text, lambda line: kept.append(line) or line)
    return "\n".join(kept)


def gather(folder, incrowd, rust):
    """Writes all pages into a folder; what stands in the menu, and how many pages there are of each kind."""
    docs, site = ROOT / "docs", Site(folder)
    folder.mkdir(parents=True)
    there = lambda pages: [(title, name) for title, name in pages if (docs / name).exists()]
    for path in sorted(docs.glob("*.md")) + sorted(docs.glob("*.json")):
        site.add(path, path.name)
    listed = concepts.listed(incrowd)
    for kind in concepts.KINDS:
        for entry in listed[kind]:
            site.add(docs / "concepts" / kind / f"{entry['id']}.md", f"concepts/{kind}/{entry['id']}.md")
    for _, name in PROJECT:
        site.add(ROOT / name, f"project/{page_name(ROOT / name)}")
    for source in list(site.place):
        if source.suffix == ".md" and source.exists():
            site.follow(source)
    nav = [{"Home": "index.md"}, {"What it does not protect against": "limits.md"}]
    nav.append({"Guides": [{title: name} for title, name in there(GUIDES)]})
    menu = ["concepts/index.md"]
    for kind in concepts.KINDS:
        pages = []
        for entry in listed[kind]:
            source = docs / "concepts" / kind / f"{entry['id']}.md"
            site.write(source, concepts.page(kind, entry, incrowd, source))
            pages.append({concepts.title(kind, entry, source): site.place[source]})
        index = f"concepts/{kind}/index.md"
        (folder / index).write_text(concepts.index(kind, listed[kind], docs), encoding="utf-8")
        menu.append({concepts.KINDS[kind][0]: [index, *pages]})
    (folder / "concepts" / "index.md").write_text(concepts.overview(listed), encoding="utf-8")
    nav.append({"Concepts": menu})
    more = reference.pages(folder / "reference", incrowd, ROOT)
    nav.append(
        {
            "Reference": [{title: f"reference/{name}"} for title, name in more]
            + [{title: name} for title, name in there(REFERENCE)]
            + ([{"Rust library": "rust/incrowd/index.html"}] if rust else [])
        }
    )
    nav.append({"Project": [{title: site.place[ROOT / name]} for title, name in PROJECT]})
    for source in site.place:
        if source.exists() and not source.is_relative_to(docs / "concepts"):
            site.write(source)
    shutil.copy(pathlib.Path(__file__).with_name("site.css"), folder / "site.css")
    counts = {"guides": len(there(GUIDES))} | {kind: len(listed[kind]) for kind in concepts.KINDS}
    return nav, counts | {"pages of reference": len(more) + len(there(REFERENCE))}
