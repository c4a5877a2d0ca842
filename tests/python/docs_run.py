#!/usr/bin/env python3
"""Every command and snippet of the documentation, run as a reader would run it.

Usage: python3 tests/python/docs_run.py path/to/incrowd [--bless] [--have NAME]… [PAGE…]

Each page (README.md, CONTRIBUTING.md and all below docs/) gets an empty folder, and its fenced blocks are taken from
top to bottom:

- `console`: lines that begin with `$ ` are run by bash, with `incrowd` on the path; a line that ends in a backslash goes
  on in the next, which begins with `> `. What follows is what the command prints: stdout, then stderr, then `[exit N]`
  unless that is 0. A command that nothing follows must succeed, and what it prints is not compared.
- A block with a title, such as ```csv title="visits.csv"``` , is written as a file.
- `python`: run in one interpreter for the whole page, with `>>>` as a doctest, where the package `incrowd` is installed.
- `toml` and `json` without a title must parse. Blocks without a language are for the reader.

In expected lines `…` stands for any text, and a line of `…` alone for any lines. The page's own folder is printed as
`…`, a time in JSON too. A comment before a block says what is special about it:

    <!-- not run: why -->      cannot run in a test; counted and printed
    <!-- needs: NAME -->       runs when --have NAME says that it is there (a server, say); counted otherwise
    <!-- about: 10 % -->       numbers may differ by so much (those below 0.02 by so much of that), shares by so many points:
                               a clock decides them

`--bless` writes what was printed into the pages; where lines were left out, they stay left out.
"""
import argparse
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^( *)(`{3,})(.*)$")
MARK = re.compile(r"^ *<!-- (not run|needs|about): (.+?) -->$")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e\d+)?")
KEPT = re.compile(r"^(PG|AWS_|AZURE_|GOOGLE_|INCROWD_|PYTHON)")

# The interpreter of a page's python blocks: a block per line, answered by what went wrong, or nothing.
DRIVER = """
import doctest, io, contextlib, json, sys, traceback
names = {"__name__": "__main__"}
for line in sys.stdin:
    code, fault, said = json.loads(line), "", io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            if ">>>" in code:
                test = doctest.DocTestParser().get_doctest(code, names, "page", None, 0)
                runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
                runner.run(test, clear_globs=False)
                names.update(test.globs)
                fault = said.getvalue() if runner.failures else ""
            else:
                exec(compile(code, "page", "exec"), names)
    except BaseException:
        fault = traceback.format_exc()
    print(json.dumps(fault), file=sys.__stdout__, flush=True)
"""


class Page:
    """One page in its own folder."""

    def __init__(self, path, incrowd, have):
        self.path, self.incrowd, self.have = path, incrowd, have
        self.faults, self.left, self.ran, self.parsed, self.files = [], [], 0, 0, 0
        self.python = None

    def run(self):
        """The page with the answers of the program in the place of the expected ones."""
        with tempfile.TemporaryDirectory(prefix="incrowd-docs-") as name:
            self.folder = pathlib.Path(name).resolve() / "page"
            self.folder.mkdir()
            tools = pathlib.Path(name) / "bin"
            tools.mkdir()
            (tools / "incrowd").symlink_to(self.incrowd)
            home = pathlib.Path(name) / "home"
            home.mkdir()
            self.env = {k: v for k, v in os.environ.items() if KEPT.match(k)}
            self.env |= {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(home), "TMPDIR": str(home)}
            self.env |= {"TERM": "dumb", "LC_ALL": "C.UTF-8"}
            try:
                return self.answered(self.path.read_text(encoding="utf-8").split("\n"))
            finally:
                if self.python:
                    self.python.stdin.close()
                    self.python.wait()

    def answered(self, lines):
        out, marks, at = [], {}, 0
        while at < len(lines):
            line = lines[at]
            out.append(line)
            at += 1
            mark, fence = MARK.match(line), FENCE.match(line)
            if mark:
                marks[mark[1]] = mark[2]
            elif line.strip() and not fence:
                marks = {}
            if not fence:
                continue
            indent, ticks, info = fence.groups()
            end = next((i for i in range(at, len(lines)) if lines[i].strip() == ticks), None)
            if end is None:
                self.faults.append(f"{self.where(at)}: a block is never closed")
                return lines
            block = [text.removeprefix(indent) for text in lines[at:end]]
            out += [indent + text if text else "" for text in self.block(info, block, marks, at)]
            out.append(lines[end])
            at, marks = end + 1, {}
        return out

    def where(self, line):
        return f"{os.path.relpath(self.path, ROOT)}:{line}"

    def block(self, info, block, marks, at):
        language = info.split(" ")[0]
        title = re.search(r'title="([^"]+)"', info)
        if "not run" in marks:
            self.left.append(f"{self.where(at)}: not run: {marks['not run']}")
            return block
        needs = marks.get("needs") or ("python" if language == "python" and not title else "")
        if needs and not self.have(needs):
            self.left.append(f"{self.where(at)}: needs {needs}")
            return block
        if title:
            target = self.folder / title[1]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("".join(f"{line}\n" for line in block), encoding="utf-8")
            self.files += 1
        elif language == "console":
            return self.console(block, marks.get("about"), at)
        elif language == "python":
            self.interpret("\n".join(block) + "\n", at)
        elif language in ("toml", "json"):
            try:
                (tomllib if language == "toml" else json).loads("\n".join(block))
                self.parsed += 1
            except ValueError as error:
                self.faults.append(f"{self.where(at)}: {error}")
        elif language:
            self.faults.append(f"{self.where(at)}: a `{language}` block needs a title, or a mark why it is not run")
        return block

    def interpret(self, code, at):
        if self.python is None:
            self.python = subprocess.Popen([sys.executable, "-c", DRIVER], cwd=self.folder, env=self.env, text=True,
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.python.stdin.write(json.dumps(code) + "\n")
        self.python.stdin.flush()
        fault = json.loads(self.python.stdout.readline() or '"the interpreter ended"')
        self.ran += 1
        if fault:
            self.faults.append(f"{self.where(at)}: {fault.strip()}")

    def console(self, block, about, at):
        out, i = [], 0
        tolerance = float(about.rstrip(" %")) / 100 if about else 0
        while i < len(block):
            start = i
            command = block[i].removeprefix("$ ")
            out.append(block[i])
            i += 1
            while command.endswith("\\") and i < len(block):
                command = command[:-1] + block[i].removeprefix("> ")
                out.append(block[i])
                i += 1
            expected = []
            while i < len(block) and not block[i].startswith("$ "):
                expected.append(block[i])
                i += 1
            if not block[start].startswith("$ "):
                self.faults.append(f"{self.where(at + 1 + start)}: the block does not begin with a command")
                out += expected
                continue
            printed, status = self.shell(command)
            self.ran += 1
            if not expected and status == "[exit 0]":
                continue
            full = printed + ([status] if status != "[exit 0]" or "[exit 0]" in expected else [])
            if alike(expected, full, tolerance):
                out += expected
                continue
            shown = kept(expected, full)
            pairs = zip(expected + ["(no line)"], shown + ["(no line)"])
            unlike = (pair for pair in pairs if not alike(pair[:1], pair[1:], tolerance))
            differing = next(unlike, ("", "(other lines)"))
            told = f"$ {command}\n  expected: {differing[0]}\n  answered: {differing[1]}"
            self.faults.append(f"{self.where(at + 1 + start)}: {told}")
            out += shown
        return out

    def shell(self, command):
        try:
            ran = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                 capture_output=True, timeout=300)
        except subprocess.TimeoutExpired:
            return ["(still running after 300 s)"], "[exit 124]"
        said = [stream.decode("utf-8", "replace") for stream in (ran.stdout, ran.stderr)]
        text = "".join(part if part.endswith("\n") or not part else part + "\n" for part in said)
        text = text.replace(str(self.folder), "…")
        text = re.sub(r'(seconds": )[\d.e-]+', r"\1…", text)
        return text.split("\n")[:-1], f"[exit {ran.returncode}]"


def alike(expected, answered, tolerance):
    """Whether the lines are those expected, `…` standing for any text or any lines."""
    parts, exact = [], tolerance == 0
    for line in expected:
        if line.strip() == "…":
            parts.append(r"(?:[^\n]*\n)*?")
            continue
        text = line if exact else NUMBER.sub("\0", line)
        words = re.escape(text).replace("…", r"[^\n]*")
        if not exact:
            words = re.sub(r"(?:\\ )+", " +", words).replace("\0", f"({NUMBER.pattern})")
        parts.append(words + r"\n")
    found = re.fullmatch("".join(parts), "".join(f"{line}\n" for line in answered))
    if not found or exact:
        return bool(found)
    value = lambda text: float(text.replace(",", ""))
    wanted = [(value(number[0]), line[number.end():].lstrip().startswith("%"))
              for line in expected if line.strip() != "…" for number in NUMBER.finditer(line)]
    # What is nearly nothing may be another nearly nothing.
    far = lambda got, want, share: abs(value(got) - want) > tolerance * (100 if share else max(abs(want), 0.02))
    return not any(far(got, want, share) for got, (want, share) in zip(found.groups(), wanted))


def pairs_of(expected, answered):
    """Which answered line stands for which expected line: in order, those most alike in sum, however they are worded now."""
    plain = [[re.sub(r" +", " ", line) for line in lines] for lines in (expected, answered)]

    def likeness(a, b):
        if not a.strip("… ") or not b.strip():
            return 0.0
        ratio = difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()
        return ratio if ratio > 0.45 else 0.0

    # The best sum of likeness of what remains, from the end; then the way along it.
    best = [[0.0] * (len(answered) + 1) for _ in range(len(expected) + 1)]
    near = [[likeness(a, b) for b in plain[1]] for a in plain[0]]
    for i in reversed(range(len(expected))):
        for j in reversed(range(len(answered))):
            paired = near[i][j] + best[i + 1][j + 1] if near[i][j] else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], paired)
    place, i, j = {}, 0, 0
    while i < len(expected) and j < len(answered):
        if best[i][j] == best[i][j + 1]:
            j += 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            place[i] = j
            i, j = i + 1, j + 1
    return place


def kept(expected, answered):
    """What was printed, with the lines left out that the expectation leaves out."""
    if not any(line.strip() == "…" for line in expected):
        return answered
    place = pairs_of(expected, answered)
    # A line that leaves out a part keeps doing so where the rest is still what is printed.
    masked = {j: expected[i] for i, j in place.items() if "…" in expected[i] and alike([expected[i]], [answered[j]], 0)}
    answered = [masked.get(j, line) for j, line in enumerate(answered)]
    shown, segment = [], []

    def close():
        found = [place[i] for i in segment if i in place]
        if found:
            shown.extend(answered[min(found):max(found) + 1])
        segment.clear()

    for i, line in enumerate(expected):
        if line.strip() == "…":
            close()
            shown.append("…")
        else:
            segment.append(i)
    close()
    return shown


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("incrowd")
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    parser.add_argument("--bless", action="store_true", help="write what was printed into the pages")
    parser.add_argument("--have", action="append", default=[], help="something that blocks need is there, such as postgres")
    options = parser.parse_args()
    incrowd = pathlib.Path(options.incrowd).resolve()
    known = {name: True for name in options.have}

    def have(name):
        if name == "python" and name not in known:
            known[name] = subprocess.run([sys.executable, "-c", "import incrowd"], capture_output=True).returncode == 0
        return known.get(name, False)

    all_pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages = [Page(path, incrowd, have) for path in [path.resolve() for path in options.pages] or all_pages]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        answers = list(pool.map(Page.run, pages))
    for page, lines in zip(pages, answers):
        if options.bless and page.faults:
            page.path.write_text("\n".join(lines), encoding="utf-8")
    faults = [fault for page in pages for fault in page.faults]
    left = [line for page in pages for line in page.left]
    print("\n".join(left + faults))
    total = lambda name: sum(getattr(page, name) for page in pages)
    blessed = " and were blessed" if options.bless and faults else ""
    print(f"{len(pages)} pages: {total('ran')} commands and snippets run, {total('files')} files written,"
          f" {total('parsed')} snippets parsed, {len(left)} blocks not run, {len(faults)} differ{blessed}")
    raise SystemExit(1 if faults and not options.bless else 0)


if __name__ == "__main__":
    main()
