"""The command line, carried by the wheel: the same program as the binary."""

from __future__ import annotations

import signal
import sys

from . import _incrowd


def main() -> None:
    """Run the command line and end with its exit status."""
    # The program listens for Ctrl-C itself; Python's own handler would only raise after it has finished.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_incrowd.command_line(["incrowd", *sys.argv[1:]]))
