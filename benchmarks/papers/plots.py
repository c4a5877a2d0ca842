"""What the papers' sweeps share: small line plots as SVG in plain Python, the binary's place, the machine in words."""
import math
import os
import pathlib
import platform
import time

HERE = pathlib.Path(__file__).resolve().parent


def binary():
    """Where the release binary is built to."""
    target = os.environ.get("CARGO_TARGET_DIR", str(HERE.parents[1] / "target"))
    return f"{target}/release/incrowd"


def machine():
    """Date and machine, in the words of every page of figures."""
    return f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} shared cores, {platform.system()} {platform.machine()}."


def two_digits(value):
    """A number for an axis, as 740 and not as 7.4e+02."""
    return f"{float(format(value, '.2g')):g}"


def opening(height, colours, left=150, step=130):
    """The first lines of a drawing that is two panels wide: styles, white ground, and whose line has which colour.

    Names stand `step` apart, or, when it is none, as far as each is long.
    """
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 660 {height}" font-family="sans-serif">',
           '<style>.title{font-size:12px;text-anchor:middle;font-weight:bold}.label,.tick{font-size:10px;'
           'text-anchor:middle;fill:#444}.end{text-anchor:end}.axis{stroke:#999}</style>'
           f'<rect width="660" height="{height}" fill="#fff"/>']
    for name, colour in colours.items():
        svg.append(f'<rect x="{left}" y="10" width="12" height="12" fill="{colour}"/>'
                   f'<text x="{left + 18}" y="20" font-size="12">{name}</text>')
        left += step or 30 + 7 * len(name)
    return svg


def panel(left, top, title, axis, points, measure, colours, log=False):
    """One small plot of `by[name][measure]` over the points `(x, by)`; a missing value leaves a gap.

    Seconds go on a logarithmic axis.
    """
    width, height = 300, 190
    value_of = lambda by, name: (by.get(name) or {}).get(measure)
    values = [value for _, by in points for name in colours if (value := value_of(by, name)) is not None]
    if not values:
        return []
    scale = (lambda v: math.log10(max(v, 1e-4))) if log else (lambda v: v)
    low, high = (scale(min(values)), scale(max(values))) if log else (0.0, max(values))
    span = (high - low) or 1.0
    x_of = lambda i: left + 44 + i * (width - 60) / max(len(points) - 1, 1)
    y_of = lambda v: top + height - 28 - (scale(v) - low) / span * (height - 60)
    floor = top + height - 26
    out = [f'<text x="{left + width / 2}" y="{top + 14}" class="title">{title}</text>',
           f'<line x1="{left + 40}" y1="{floor}" x2="{left + width}" y2="{floor}" class="axis"/>',
           f'<line x1="{left + 40}" y1="{top + 24}" x2="{left + 40}" y2="{floor}" class="axis"/>',
           f'<text x="{left + width / 2}" y="{top + height - 1}" class="label">{axis}</text>']
    for value in ([10 ** (low + span * i / 3) for i in range(4)] if log else [high * i / 3 for i in range(4)]):
        out.append(f'<text x="{left + 36}" y="{y_of(value) + 3}" class="tick end">{two_digits(value)}</text>')
    for i, (x, _) in enumerate(points):
        out.append(f'<text x="{x_of(i)}" y="{top + height - 14}" class="tick">{x}</text>')
    for name, colour in colours.items():
        runs = [[]]
        for i, (_, by) in enumerate(points):
            value = value_of(by, name)
            if value is None:
                runs.append([])
            else:
                runs[-1].append(f"{x_of(i):.1f},{y_of(value):.1f}")
        for dots in filter(None, runs):
            out.append(f'<polyline points="{" ".join(dots)}" fill="none" stroke="{colour}" stroke-width="2"/>')
            for dot in dots:
                x, y = dot.split(",")
                out.append(f'<circle cx="{x}" cy="{y}" r="2.5" fill="{colour}"/>')
    return out
