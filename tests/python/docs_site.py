#!/usr/bin/env python3
"""The built documentation site: complete, without a broken link, and without anything from the network.

Usage: python3 tests/python/docs_site.py path/to/incrowd path/to/site

Everything the program lists has a page, and there is a page for nothing else; links and their anchors lead somewhere; no
page loads anything from elsewhere. In headless Chromium, wide and narrow, pages opened from the disk ask nobody for
anything, say nothing on the console, are not wider than the window, and can be searched. Skipped, loudly, where there is
no Chromium.
"""

import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs" / "site"), str(ROOT / "tests" / "python")]
import concepts
from report_opens import OWN

LOADS = {
    "script": "src",
    "link": "href",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "object": "data",
    "embed": "src",
}
OPENED = [
    "index.html",
    "first-five-minutes.html",
    "limits.html",
    "concepts/models/t-closeness.html",
    "concepts/codes/IC103.html",
    "reference/cli.html",
    "reference/plan-keys.html",
]
PHONE = 390
# Pages in frames of a phone's width say how wide they would like to be; then one is searched. The browser's clock is a
# made-up one that leaps while nothing happens, so that the index is waited for with idle work.
PROBE = """<title></title><script>
const pages = %s, answer = { widths: {} };
const frame = (page, width) => new Promise(done => {
  const onload = () => done(made.contentDocument);
  const made = Object.assign(document.createElement("iframe"), { src: page, width, height: 900, onload });
  document.body.append(made);
});
onload = async () => {
  for (const page of pages) answer.widths[page] = (await frame(page, 390)).documentElement.scrollWidth;
  const home = await frame("index.html", 1280), input = home.querySelector(".md-search__input");
  input.focus();
  input.value = "homogeneity";
  ["input", "keyup"].forEach(name => input.dispatchEvent(new Event(name, { bubbles: true })));
  const waiting = setInterval(() => {
    for (let i = 0, sum = 0; i < 3e7; i++) sum += i %% 7;
    answer.found = home.querySelectorAll(".md-search-result__article").length;
    document.title = JSON.stringify(answer);
    if (answer.found) clearInterval(waiting);
  }, 100);
};
</script><body>"""


class Page(html.parser.HTMLParser):
    """What a page loads, where it links to, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.loads, self.links, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        self.anchors.update(names[key] for key in ("id", "name") if names.get(key))
        if tag in LOADS and names.get(LOADS[tag]) and names.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(names[LOADS[tag]])
        if tag == "a" and names.get("href"):
            self.links.append(names["href"])


def foreign(address):
    return re.match(r"(?:[a-z]+:)?//", address) is not None


def linked(site):
    """What is wrong with the links and loads of the pages; the links of rustdoc are its own affair."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    faults = []
    for path, page in pages.items():
        name = path.relative_to(site)
        faults += [f"{name} loads {address}" for address in page.loads if foreign(address)]
        if name.parts[0] == "rust":
            continue
        for address in page.links + [load for load in page.loads if not load.startswith("data:")]:
            if foreign(address) or address.startswith(("mailto:", "javascript:")):
                continue
            way, _, anchor = urllib.parse.unquote(address).partition("#")
            target = (path.parent / way).resolve() if way else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                faults.append(f"{name} leads to {address}, which is not there")
            elif anchor and target in pages and not anchor.startswith("__") and anchor not in pages[target].anchors:
                faults.append(f"{name} leads to {address}, an anchor that is not there")
    for path in [*site.rglob("*.css"), *site.rglob("*.js")]:
        text = path.read_text(encoding="utf-8")
        called = re.findall(r"url\(\s*['\"]?((?:https?:)?//[^)'\"]+)", text) + re.findall(
            r"(?:unpkg\.com|jsdelivr\.net|googleapis\.com)[^'\"`\s]*", text
        )
        faults += [f"{path.relative_to(site)} names {address}" for address in called]
    return len(pages), faults


def complete(incrowd, site):
    """Listed things without a page, and pages without a listed thing."""
    faults, count = [], 0
    for kind in concepts.KINDS:
        ids = {entry["id"] for entry in json.loads(concepts.ask(incrowd, "list", kind, "--format", "json"))}
        built = {path.stem for path in (site / "concepts" / kind).glob("*.html")} - {"index"}
        count += len(ids)
        faults += [f"`{name}` of `incrowd list {kind}` has no page" for name in sorted(ids - built)]
        faults += [f"concepts/{kind}/{name}.html is about nothing that is listed" for name in sorted(built - ids)]
    # The gate of the build itself: it has to see both faults.
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "concepts" / "models"
        folder.mkdir(parents=True)
        (folder / "invented.md").touch()
        told = concepts.unfit("models", [{"id": "unwritten"}], pathlib.Path(name))
        assert len(told) == 2 and "unwritten" in told[0] and "invented" in told[1], told
    return count, faults


def opened(browser, address, width, folder, flags=()):
    """What a page asked for and said in a window of this width, and the page as it stood then."""
    log = folder / "net.json"
    command = [
        browser,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-first-run",
        "--disable-component-update",
        "--disable-sync",
        "--enable-logging=stderr",
        f"--log-net-log={log}",
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width},1200",
        "--virtual-time-budget=15000",
        *flags,
        "--dump-dom",
        address,
    ]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=180)
    faults = [line for line in ran.stderr.splitlines() if "CONSOLE" in line]
    asked = set(re.findall(r'"url":"(https?://[^"]+)', log.read_text(encoding="utf-8", errors="replace")))
    return faults + [f"asked for {url}" for url in sorted(asked) if not OWN.match(url)], ran.stdout


def browsed(browser, site):
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for page in OPENED:
            for width in (1280, 500):
                told, _ = opened(browser, (site / page).as_uri(), width, folder)
                faults += [f"{page} at {width}: {fault}" for fault in told]
        probe = site / "probe.html"
        try:
            probe.write_text(PROBE % json.dumps(OPENED), encoding="utf-8")
            _, found = opened(browser, probe.as_uri(), 1280, folder, ["--allow-file-access-from-files"])
        finally:
            probe.unlink()
    answer = json.loads(re.search(r"<title>(.*?)</title>", found)[1] or "{}")
    faults += [
        f"{page} is {wide} wide on a phone of {PHONE}"
        for page, wide in answer.get("widths", {}).items()
        if wide > PHONE
    ]
    if len(answer.get("widths", {})) != len(OPENED) or not answer.get("found"):
        faults.append(f"read from the disk, the search finds nothing, or pages do not open: {answer}")
    return faults


def main():
    incrowd, site = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    count, faults = complete(incrowd, site)
    pages, more = linked(site)
    faults += more
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("SKIPPED: there is no Chromium here; pages were parsed and not opened.")
    else:
        faults += browsed(browser, site)
    if faults:
        raise SystemExit("\n".join(dict.fromkeys(faults)))
    print(
        f"{pages} pages, {count} of them about listed things: complete, no broken link, nothing from the network"
        + ("" if browser else " (not opened)")
    )


if __name__ == "__main__":
    main()
