#!/usr/bin/env python3
"""Draws the terminal session of the README from the real output of the program.

Usage: python3 docs/pictures/session.py path/to/incrowd

Runs the commands below in a temporary folder and writes session.svg next to this file. Each screen shows the first lines
of a command's output; three dots mark lines left out. The screens follow each other by a CSS animation, which browsers
that reduce motion do not run: they show the first screen.
"""

import html
import pathlib
import subprocess
import sys
import tempfile

# What is run first and not shown, then the commands of each screen with the number of output lines to show.
BEFORE = "incrowd sample --quiet"
SCREENS = [
    [("incrowd diagnose census.csv --qi age,sex,race,education --sets --k 5", 20)],
    [
        (
            "incrowd anonymize census.csv --qi age,sex,education,postcode --alpha diagnosis=0.5 \\\n"
            "    --others remove --k 5 --effort low --seed 1 -o census-release",
            22,
        )
    ],
    [("incrowd verify census-release --against census.csv", 12), ("ls census-release", 5)],
]
WIDTH, LINE, MARGIN, SECONDS = 832, 17, 16, 6


def run(command, folder, incrowd):
    """The lines that a command prints."""
    (folder / "bin").mkdir(exist_ok=True)
    program = folder / "bin" / "incrowd"
    if not program.exists():
        program.symlink_to(incrowd)
    place = folder / "work"
    place.mkdir(exist_ok=True)
    env = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", "TERM": "dumb"}
    ran = subprocess.run(["bash", "-c", command], cwd=place, env=env, capture_output=True, text=True)
    if ran.returncode > 1:
        raise SystemExit(f"{command}\n{ran.stderr}")
    return ran.stdout.rstrip("\n").split("\n")


def screen(commands, folder, incrowd):
    """The lines of a screen, each with its style."""
    lines = []
    for command, most in commands:
        printed = run(command, folder, incrowd)
        lines += [] if not lines else [("out", "")]
        lines += [("cmd", f"$ {line}" if at == 0 else line) for at, line in enumerate(command.split("\n"))]
        lines += [("out", line) for line in printed[:most]] + ([("dim", "…")] if len(printed) > most else [])
    return lines


def drawn(screens):
    height = MARGIN * 2 + 24 + LINE * max(map(len, screens))
    total, count = SECONDS * len(screens), len(screens)
    share = 100 / count
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        ' role="img" aria-label="A terminal session with incrowd">',
        "<style>",
        "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}",
        ".cmd{fill:#9ece6a;font-weight:600}.out{fill:#c8d0e0}.dim{fill:#7a839c}",
        ".screen{opacity:0}.screen:first-of-type{opacity:1}",
        f"@media (prefers-reduced-motion:no-preference){{.screen{{animation:show {total}s step-end infinite}}}}",
        f"@keyframes show{{0%{{opacity:1}}{share:.2f}%{{opacity:0}}100%{{opacity:0}}}}",
        "</style>",
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#1b1f2b"/>',
        *(
            f'<circle cx="{MARGIN + 6 + 18 * at}" cy="{MARGIN + 2}" r="5" fill="{colour}"/>'
            for at, colour in enumerate(("#f7768e", "#e0af68", "#9ece6a"))
        ),
    ]
    for number, lines in enumerate(screens):
        # A negative delay would show later screens first; a positive one keeps them hidden until their turn.
        parts.append(f'<g class="screen" style="animation-delay:{number * SECONDS}s">')
        for at, (style, line) in enumerate(lines):
            if line:
                y = MARGIN + 36 + LINE * at
                parts.append(f'<text x="{MARGIN}" y="{y}" class="{style}">{html.escape(line, quote=False)}</text>')
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def main():
    incrowd = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="incrowd-session-") as name:
        folder = pathlib.Path(name)
        run(BEFORE, folder, incrowd)
        picture = drawn([screen(commands, folder, incrowd) for commands in SCREENS])
    target = pathlib.Path(__file__).with_name("session.svg")
    target.write_text(picture, encoding="utf-8")
    print(f"Wrote {target.name}: {len(picture.encode()):,} bytes.")


if __name__ == "__main__":
    main()
