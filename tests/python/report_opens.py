#!/usr/bin/env python3
"""The pages of a report in a real browser: nothing is loaded, nothing is said on the console, and they are valid HTML.

Usage: python3 tests/python/report_opens.py path/to/incrowd

Makes a table with hostile column names, a release and a check of it, and opens each page in headless Chromium, wide, narrow
and in print. Skipped, loudly, where there is no Chromium.
"""
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


def main():
    incrowd = sys.argv[1]
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hostile = '<script>alert(1)</script>'
        rows = [f"{20 + i % 30},{'fm'[i % 2]},{['flu', 'cold', 'gout'][i % 3]}" for i in range(300)]
        (folder / "t.csv").write_text(f'age,"{hostile}",illness\n' + "\n".join(rows) + "\n", encoding="utf-8")
        plan = f"""version = 1
[source]
path = "t.csv"
[policy]
k = 5
[context]
purpose = '<img src=x onerror=alert(1)>'
[[column]]
name = "age"
role = "quasi-identifier"
[[column]]
name = '{hostile}'
role = "quasi-identifier"
[[column]]
name = "illness"
role = "sensitive"
"""
        (folder / "incrowd.toml").write_text(plan, encoding="utf-8")
        run = lambda *words: subprocess.run([incrowd, *words], cwd=folder, capture_output=True, text=True)
        made = run("anonymize", "incrowd.toml", "--algorithm", "mondrian", "--no-bound", "--alpha", "illness=0.6", "-o", "release")
        assert made.returncode == 0, made.stderr
        told = run("report", "release", "--against", "t.csv", "--plan", "incrowd.toml")
        assert told.returncode == 0, told.stderr
        assert run("check", "incrowd.toml", "--report", "checked").returncode in (0, 1)
        pages = [folder / place / page for place in ("release.report", "checked") for page in ("public.html", "internal.html")]
        faults = {str(page.relative_to(folder)): parsed(page) for page in pages}
        if browser is None:
            print("SKIPPED: there is no Chromium here; pages were parsed and not opened.")
        else:
            picture = f"--screenshot={folder / 'page.png'}"
            for page in pages:
                for extra in ([picture, "--window-size=1200,2000"], [picture, "--window-size=390,2000"],
                              [f"--print-to-pdf={folder / 'page.pdf'}"]):
                    faults[str(page.relative_to(folder))] += opened(browser, page, folder, extra)
        broken = {page: found for page, found in faults.items() if found}
        if broken:
            raise SystemExit(json.dumps(broken, indent=1))
        print(f"{len(pages)} pages: valid, nothing loaded, nothing on the console" + ("" if browser else " (not opened)"))


if __name__ == "__main__":
    main()
