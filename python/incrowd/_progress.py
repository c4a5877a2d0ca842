"""Progress: a line in a terminal or below a notebook cell, nothing elsewhere."""

from __future__ import annotations

import sys
from typing import Any


class Line:
    """One line that is overwritten, and cleared at the end."""

    def __init__(self) -> None:
        self._width = 0

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        much = f"{100 * done // total} %" if total else (f"{done:,} rows" if done else "")
        text = f"{stage} {much}".rstrip()
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        """Clears the line."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0


def _in_notebook() -> bool:
    """Whether the interpreter is the kernel of a notebook, which shows stderr although it is not a terminal."""
    shell = sys.modules.get("IPython")
    running: Any = shell.get_ipython() if shell is not None else None
    return running is not None and type(running).__name__ == "ZMQInteractiveShell"


def listener(said: Any) -> Any:
    """The given function, a line on stderr, or None. By default a line in terminals and notebooks."""
    if callable(said):
        return said
    looked_at = said if said is not None else (sys.stderr.isatty() or _in_notebook())
    return Line() if looked_at else None
