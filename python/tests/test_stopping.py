"""Long work: Ctrl-C stops it within a second, other threads go on, and somebody is told how far it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import incrowd

#: Work of a minute: the solver is given that much.
LONG = """
import signal, sys, time, incrowd
people = incrowd.sample(rows=60_000)
known = ["age", "sex", "education", "workclass", "occupation", "race", "marital-status", "native-country"]
words = dict(k=20, qi=known)
def started(stage, done, total):
    if stage in ("solving", "refining"):
        print("started", flush=True)
try:
    incrowd.anonymize(people, **words, others="remove", time=60, progress=started)
except KeyboardInterrupt:
    print("interrupted", time.monotonic(), flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_is_heard_within_a_second() -> None:
    worker = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    assert worker.stdout.readline().strip() == "started"
    sent = time.monotonic()
    worker.send_signal(signal.SIGINT)
    lines = [line.split() for line in worker.stdout if not line.startswith("started")]
    assert worker.wait() == 0 and lines[0][0] == "interrupted"
    assert float(lines[0][1]) - sent < 1.0, "seconds from Ctrl-C to KeyboardInterrupt"


def test_other_threads_go_on_while_work_is_done() -> None:
    people, counted, over = incrowd.sample(rows=100_000), 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not over.is_set():
            counted += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    started = time.monotonic()
    incrowd.check(people)
    took = time.monotonic() - started
    over.set()
    other.join()
    assert counted > took * 20, "the interpreter's lock was not held"


def test_a_listener_is_told_and_may_stop_the_work() -> None:
    stages: list[str] = []

    class Enough(Exception):
        pass

    def listen(stage: str, done: int, total: int | None) -> None:
        stages.append(stage)

    incrowd.check(incrowd.sample(rows=100_000), progress=listen)
    assert stages

    def refuse(stage: str, done: int, total: int | None) -> None:
        raise Enough

    with pytest.raises(Enough):
        incrowd.check(incrowd.sample(rows=200_000), progress=refuse)


def test_progress_is_silent_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    people = incrowd.sample(rows=50_000)
    incrowd.check(people)
    assert capfd.readouterr().err == ""
    incrowd.check(people, progress=True)
    line = capfd.readouterr().err
    assert line == "" or line.endswith("\r"), "a line that was shown is cleared"
