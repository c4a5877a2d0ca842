"""CPU seconds of each stage of a run, told from outside: the progress line says which stage it is, the kernel what it used."""
import json
import os
import pty
import re
import subprocess
import tempfile
import time

# The words of the progress line, and the stage of the model they belong to.
WORDS = {"looking at the file": "count", "reading columns": "count", "counting tuples": "count", "sorting tuples": "count",
         "laying out codes": "lay out", "solving": "solve", "refining": "solve", "recoding rows": "recode",
         "writing rows": "write", "verifying": "verify"}
STAGES = ("count", "lay out", "solve", "recode", "write", "verify")
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")
SAID = re.compile("|".join(map(re.escape, WORDS)).encode())


def used(pid):
    """CPU seconds of a process so far."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rsplit(b")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watched(command):
    """Runs a command with a terminal for its progress line; its answer in JSON, CPU seconds by stage and in all,
    wall seconds, and peak memory in MiB."""
    reader, terminal = pty.openpty()
    with tempfile.TemporaryFile() as answer:
        process = subprocess.Popen(command, stdout=answer, stderr=terminal, env={**os.environ, "TERM": "xterm"})
        os.close(terminal)
        started, spent, stage, before, told = time.perf_counter(), dict.fromkeys(STAGES, 0.0), "count", 0.0, b""
        while True:
            try:
                chunk = os.read(reader, 1 << 16)
            except OSError:
                break  # The other end is closed: the process is over.
            if not chunk:
                break
            told = ESCAPES.sub(b"", told[-64:] + chunk)
            try:
                now = used(process.pid)
            except (OSError, IndexError):
                continue
            spent[stage] += now - before
            before = now
            found = SAID.findall(told)
            stage = WORDS[found[-1].decode()] if found else stage
        os.close(reader)
        _, status, usage = os.wait4(process.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        answer.seek(0)
        if code != 0:
            raise SystemExit(f"{command[0]} failed with {code}: {told.decode(errors='replace')}")
        whole = usage.ru_utime + usage.ru_stime
        spent[stage] += whole - before
        wall = time.perf_counter() - started
        return json.load(answer), spent, {"cpu": whole, "wall": wall, "mib": usage.ru_maxrss / 1024}
