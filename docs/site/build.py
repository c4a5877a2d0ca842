#!/usr/bin/env python3
"""Builds the documentation site: one command, no network needed to read the result.

Usage: python3 docs/site/build.py --output DIR [--incrowd PROGRAM] [--venv DIR] [--rustdoc DIR]

The pages are those of docs/, the pages about every model, attack, algorithm, loss and code that the program lists, and
the reference that is taken from its help, its plan schema and the Python sources. They are gathered in a temporary
folder (`stage.py`), and mkdocs makes HTML of them. mkdocs is installed once into a virtual environment outside the
clone, with the versions of `requirements.txt`. The list of pages is not kept anywhere: what is there is built.

`tests/python/docs_run.py` runs every command of the pages, and `tests/python/docs_site.py` checks the built site.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import venv

import stage

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "incrowd"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or CACHE / "target")

# What the theme would fetch from the network for diagrams, which no page has, and for old browsers.
NETWORK = re.compile(
    r"https?://(?:unpkg\.com|fonts\.googleapis\.com|fonts\.gstatic\.com|cdn\.jsdelivr\.net)[^\"'`\s)]*"
)
# A line of an answer that begins with a per cent sign is taken for a command by the highlighter.
ANSWER = re.compile(r'(<span id="__line-[\d-]+">)<span class="gp">(?!\$ )(.*?)\n</span>')
# A flag is not broken after its first hyphen.
FLAG = re.compile(r'(<span class="w"> </span>)(--?[a-z][\w-]*)')
# A browser gives no worker to a page that was opened from the disk, and the theme fetches a way round from the
# network. Ours: the worker's text stands in the page's own script.
SHIM = '<script src="https://unpkg.com/iframe-worker/shim"></script>'
WORKER = """// Search from the disk, where a browser starts no worker by its address.
if (location.protocol === "file:") {
  const source = %s;
  const Plain = window.Worker;
  window.Worker = class extends Plain {
    constructor() { super(URL.createObjectURL(new Blob([source], { type: "text/javascript" }))); }
  };
}
"""


def environment(folder):
    """The mkdocs of a virtual environment with the pinned versions, made when it is not there."""
    wanted = (HERE / "requirements.txt").read_bytes()
    stamp = folder / "incrowd-docs.sha256"
    digest = hashlib.sha256(wanted + sys.version.encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        venv.create(folder, clear=True, with_pip=True)
        command = [
            folder / "bin" / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
            HERE / "requirements.txt",
        ]
        subprocess.run(command, check=True)
        stamp.write_text(digest)
    return folder / "bin" / "mkdocs"


def settings(nav, docs, output):
    """What mkdocs is told. JSON is YAML."""
    return {
        "site_name": "incrowd",
        "site_description": "Anonymize tables about people and verify the files that are published",
        "docs_dir": str(docs),
        "site_dir": str(output),
        "use_directory_urls": False,
        "theme": {
            "name": "material",
            "font": False,
            "icon": {"logo": "material/account-group"},
            "palette": [
                {
                    "media": "(prefers-color-scheme: light)",
                    "scheme": "default",
                    "primary": "teal",
                    "accent": "teal",
                    "toggle": {"icon": "material/weather-night", "name": "Dark"},
                },
                {
                    "media": "(prefers-color-scheme: dark)",
                    "scheme": "slate",
                    "primary": "teal",
                    "accent": "teal",
                    "toggle": {"icon": "material/weather-sunny", "name": "Light"},
                },
            ],
            "features": [
                "navigation.tabs",
                "navigation.indexes",
                "navigation.top",
                "navigation.prune",
                "toc.follow",
                "content.code.copy",
            ],
        },
        "plugins": ["search", "offline"],
        "extra": {"generator": False},
        "extra_css": ["site.css"],
        "markdown_extensions": [
            "admonition",
            "attr_list",
            "md_in_html",
            "sane_lists",
            "tables",
            {"toc": {"permalink": "¶"}},
            {"pymdownx.highlight": {"use_pygments": True, "line_spans": "__line", "pygments_lang_class": True}},
            "pymdownx.superfences",
            "pymdownx.inlinehilite",
        ],
        "validation": {
            "omitted_files": "info",
            "absolute_links": "warn",
            "unrecognized_links": "warn",
            "anchors": "warn",
        },
        "nav": nav,
    }


def unplug(output):
    """Takes out of the built files what would be fetched from the network, and mends what is shown wrongly."""
    for page in output.rglob("*.html"):
        here = os.path.relpath(output, page.parent)
        text = ANSWER.sub(
            lambda line: f'{line[1]}<span class="go">{re.sub("<[^>]+>", "", line[2])}</span>\n</span>',
            page.read_text(encoding="utf-8"),
        )
        text = FLAG.sub(r'\1<span class="flag">\2</span>', text)
        page.write_text(text.replace(SHIM, f'<script src="{here}/assets/worker.js"></script>'), encoding="utf-8")
    for script in [*output.rglob("*.js"), *output.rglob("*.css")]:
        text = script.read_text(encoding="utf-8")
        if NETWORK.search(text):
            script.write_text(NETWORK.sub("", text), encoding="utf-8")
    # The map is for who debugs the theme; the page for missing addresses is for servers, and links from their root.
    for left in [*output.rglob("*.map"), output / "404.html"]:
        left.unlink()
    [worker] = output.glob("assets/javascripts/workers/search.*.js")
    (output / "assets" / "worker.js").write_text(
        WORKER % json.dumps(worker.read_text(encoding="utf-8")), encoding="utf-8"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--output", required=True, type=pathlib.Path, help="the folder to build into; what is in it is replaced"
    )
    parser.add_argument(
        "--incrowd",
        default=shutil.which("incrowd") or TARGET / "debug" / "incrowd",
        type=pathlib.Path,
        help="the program whose lists and help are written down",
    )
    parser.add_argument("--venv", default=CACHE / "docs-venv", type=pathlib.Path, help="where mkdocs is installed")
    parser.add_argument(
        "--rustdoc",
        default=TARGET / "check" / "doc",
        type=pathlib.Path,
        help="what `cargo doc` built; left out when not there",
    )
    options = parser.parse_args()
    mkdocs = environment(options.venv)
    output = options.output.resolve()
    with tempfile.TemporaryDirectory(prefix="incrowd-site-") as name:
        docs = pathlib.Path(name) / "docs"
        rustdoc = options.rustdoc if (options.rustdoc / "incrowd" / "index.html").exists() else None
        nav, counts = stage.gather(docs, options.incrowd.resolve(), rustdoc is not None)
        config = pathlib.Path(name) / "mkdocs.yml"
        config.write_text(json.dumps(settings(nav, docs, output), ensure_ascii=False), encoding="utf-8")
        environ = os.environ | {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
        subprocess.run(
            [mkdocs, "build", "--strict", "--clean", "--quiet", "--config-file", config], check=True, env=environ
        )
    unplug(output)
    if rustdoc:
        shutil.copytree(rustdoc, output / "rust", dirs_exist_ok=True)
    print(f"{output / 'index.html'}: " + ", ".join(f"{number} {what}" for what, number in counts.items()))


if __name__ == "__main__":
    main()
