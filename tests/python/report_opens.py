#!/usr/bin/env python3
"""The pages of a report in a real browser: nothing is loaded, nothing is said on the console, and they are valid HTML.

Usage: python3 tests/python/report_opens.py path/to/incrowd

Makes a table with hostile column names and cells, a release and a check of it, and opens each page in headless Chromium, wide,
narrow and in print: those that `anonymize` wrote and those of `report`. A public page holds no cell, none of the numbers that
are internal, and no count of few people. Skipped, loudly, where there is no Chromium.
"""
import csv
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

VOID = {"meta", "br", "hr", "img", "link", "input", "wbr", "col"}
LOADS = {"script", "link", "iframe", "object", "embed", "img", "audio", "video", "source"}
# What the browser itself asks for, whatever page is open.
OWN = re.compile(r"https?://[a-z0-9.-]*(google|googleapis|gvt1|gstatic)\.com[:/]")


class Page(html.parser.HTMLParser):
    """Elements that are closed in the order in which they were opened, and nothing that loads."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.ids = [], [], set()

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        names = dict(attributes)
        if tag in LOADS:
            self.faults.append(f"<{tag}> would load something")
        for name, value in attributes:
            if name.startswith("on") or name in ("src", "srcset", "background", "poster", "data"):
                self.faults.append(f"attribute {name} of <{tag}>")
            if name == "href" and not (value or "").startswith("#"):
                self.faults.append(f"<{tag}> leads outside")
        if "id" in names:
            if names["id"] in self.ids:
                self.faults.append("an id stands twice")
            self.ids.add(names["id"])

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes what is not open")


def parsed(path):
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page.faults + [f"<{tag}> is never closed" for tag in page.open]


def opened(browser, path, folder, extra):
    log = folder / "net.json"
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
               "--disable-component-update", "--disable-sync", "--enable-logging=stderr", f"--log-net-log={log}",
               f"--user-data-dir={folder / 'profile'}", *extra, path.as_uri()]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    faults = [line for line in ran.stderr.splitlines() if "CONSOLE" in line]
    asked = set(re.findall(r'"url":"(https?://[^"]+)', log.read_text(encoding="utf-8", errors="replace")))
    return faults + [f"asked for {url}" for url in sorted(asked) if not OWN.match(url)]


LONG = ("a very long name " * 12).strip()
# As names of columns and, with a number, as cells.
HOSTILE = ["<script>alert(1)</script>", "\"quoted\" 'twice'", "`back` ${tick}", "</style><b>", "ab\u202ecd\u2066ef\u200f", LONG,
           "&amp;&lt;", "two\nlines", "</title><svg onload=alert(1)>"]
# What changes the direction of text around it: never in a page as it is.
DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
CANARY = "ZQXCANARY"
CELL = "ZQXCELL"
# How far a page is scrolled sideways: a script of the test in a page of its own around it.
FRAME = """<!DOCTYPE html><meta charset=utf-8><iframe id=f style="border:0;width:{width}px;height:900px" src="{page}"></iframe>
<script>onload = () => {{ const d = document.getElementById("f").contentDocument.documentElement;
document.title = "width " + d.scrollWidth + " of " + d.clientWidth; document.body.dataset.told = document.title; }}</script>"""


def made(incrowd, folder):
    """A release and a check of a hostile table: the pages to look at."""
    people = []
    for i in range(400):
        cells = [f"{text} {CELL} {i % 4}" for text in HOSTILE]
        people.append([f"{CANARY}-{i:04}", 20 + i * 7 % 31, *cells, ["flu", "cold", "gout"][i % 3] + HOSTILE[i % len(HOSTILE)]])
    names = ["name", "age", *HOSTILE, "illness"]
    with open(folder / "t.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *people])
    role = lambda name, role: f"[[column]]\nname = {json.dumps(name)}\nrole = \"{role}\"\n"
    plan = 'version = 1\n[source]\npath = "t.csv"\n[policy]\nk = 5\nsuppress = 0.02\n[context]\n'
    plan += f"purpose = '<img src=x onerror=alert(1)>'\nrecipients = {json.dumps(LONG * 3)}\n"
    plan += role("name", "identifier") + role("age", "quasi-identifier") + role("illness", "sensitive")
    plan += "".join(role(name, "quasi-identifier") for name in HOSTILE[:5])
    plan += "".join(role(name, "insensitive") + "keep_identifying = true\n" for name in HOSTILE[5:])
    (folder / "incrowd.toml").write_text(plan, encoding="utf-8")

    def run(*words, codes=(0,)):
        ran = subprocess.run([incrowd, *words], cwd=folder, capture_output=True, text=True)
        assert ran.returncode in codes, ran.stderr
        return ran.stdout

    run("anonymize", "incrowd.toml", "--algorithm", "mondrian", "--alpha", "illness=0.6", "--seed", "81549", "-o", "release")
    run("report", "release", "--against", "t.csv", "--plan", "incrowd.toml")
    run("report", "release", "-o", "kept")
    run("check", "incrowd.toml", "--report", "checked", codes=(0, 1))
    run("verify", "release", "--against", "t.csv")
    public = [folder / "release" / "report.html", *(folder / place / "public.html" for place in ("release.report", "kept", "checked"))]
    internal = [folder / "release.internal" / "internal.html",
                *(folder / place / "internal.html" for place in ("release.report", "kept", "checked"))]
    return public, internal


class Words(html.parser.HTMLParser):
    """What a reader sees."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.texts, self.hidden = [], 0

    def handle_starttag(self, tag, attributes):
        self.hidden += tag == "style"

    def handle_endtag(self, tag):
        self.hidden -= tag == "style"

    def handle_data(self, data):
        if not self.hidden:
            self.texts.append(data)


def kept_secret(path, folder):
    """What stands in a public page that should not."""
    text = path.read_text(encoding="utf-8")
    words = Words()
    words.feed(text)
    seen = " ".join(words.texts)
    faults = [f"the cell {CANARY}"] if CANARY in text else []
    faults += ["a cell of a hostile column"] if CELL in text else []
    faults += [f"a value of illness: {value}" for value in ("flu<", "gout<", "cold<") if value in seen]
    faults += ["the seed"] if "81549" in text else []
    faults += ["the folder"] if str(folder) in text else []
    dossier = json.loads((path.parent / "dossier.json").read_text()) if (path.parent / "dossier.json").exists() else \
        json.loads((folder / "release.internal" / "dossier.json").read_text())
    secrets = [dossier.get("input_fingerprint"), dossier.get("manifest_seal")]
    # Numbers with many digits stand for themselves; 0.1 may be anything.
    numbers = [figure["value"] for outcome in dossier.get("attacks", []) for figure in outcome.get("figures", [])]
    numbers += [outcome[key] for outcome in dossier.get("attacks", []) for key in ("success", "baseline")]
    secrets += [f"{number:.4f}".rstrip("0") for number in numbers if len(f"{number:.4f}".rstrip("0").split(".")[1]) == 4]
    faults += [f"internal: {secret}" for secret in secrets if secret and secret in seen]
    faults += [f"internal: {outcome['meaning']}" for outcome in dossier.get("attacks", []) if outcome["meaning"] in seen]
    few = re.findall(r"\b([1-9]) (?:rows?|people|person|classes|class)\b", seen)
    return faults + [f"a count of few: {count}" for count in few]


def wide(browser, page, folder, width):
    """Whether a page is wider than the screen."""
    frame = folder / "frame.html"
    frame.write_text(FRAME.format(width=width, page=page.as_uri()), encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--virtual-time-budget=4000",
               f"--user-data-dir={folder / 'profile'}", "--dump-dom", frame.as_uri()]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    told = re.search(r'data-told="width (\d+) of (\d+)"', ran.stdout)
    if told is None:
        return ["the width could not be measured"]
    return [f"{told[1]} pixels wide on a screen of {told[2]}"] if int(told[1]) > int(told[2]) else []


def main():
    incrowd = sys.argv[1]
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        public, internal = made(incrowd, folder)
        pages = public + internal
        faults = {str(page.relative_to(folder)): parsed(page) for page in pages}
        for page in pages:
            text = page.read_text(encoding="utf-8")
            found = [f"a mark of direction U+{ord(mark):04X}" for mark in sorted(set(DIRECTIONS.findall(text)))]
            faults[str(page.relative_to(folder))] += found + ([f"the cell {CANARY}"] if CANARY in text else [])
        for page in public:
            faults[str(page.relative_to(folder))] += kept_secret(page, folder)
        if browser is None:
            print("SKIPPED: there is no Chromium here; pages were parsed and not opened.")
        else:
            picture = f"--screenshot={folder / 'page.png'}"
            for page in pages:
                told = faults[str(page.relative_to(folder))]
                for extra in ([picture, "--window-size=1200,2000"], [picture, "--window-size=390,2000"],
                              [f"--print-to-pdf={folder / 'page.pdf'}"]):
                    told += opened(browser, page, folder, extra)
                for width in (1200, 390):
                    told += wide(browser, page, folder, width)
        broken = {page: found for page, found in faults.items() if found}
        if broken:
            raise SystemExit(json.dumps(broken, indent=1))
        print(f"{len(pages)} pages: valid, nothing loaded, nothing on the console, no secret" + ("" if browser else " (not opened)"))


if __name__ == "__main__":
    main()
