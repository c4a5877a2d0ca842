#!/usr/bin/env python3
"""The models of core and those of the verifier judge the same generated tables, for each model as many as are asked for.

    two_judges.py TEST [--cases 100000] [--json FILE]

TEST is the built test `definitions` of the crate `incrowd` (`cargo test -p incrowd --test definitions --no-run` prints its path). It
draws small tables with the parameters of a model, of rows and of people with several rows, and fails at the first table on which the
two crates differ. How many tables break the promise is counted, because a comparison in which one answer never occurs would prove
nothing.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

LINE = re.compile(r"^(?:test .* \.\.\. )?([a-z-]+)(, people)?: broken and kept \[(\d+), (\d+)\](?:, several values of a person (\d+))?$", re.MULTILINE)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("test", type=Path)
    words.add_argument("--cases", type=int, default=100_000, help="tables for each model, of rows and as many of people")
    words.add_argument("--json", type=Path)
    given = words.parse_args()
    done = subprocess.run([given.test.resolve(), "--nocapture", "--test-threads", "1"], env=os.environ | {"INCROWD_JUDGED_CASES": str(given.cases)},
                          capture_output=True, text=True)
    found = [{"model": model, "of people": bool(people), "broken": int(broken), "kept": int(kept), "refused": int(refused or 0)}
             for model, people, broken, kept, refused in LINE.findall(done.stdout)]
    judged = sum(one["broken"] + one["kept"] + one["refused"] for one in found)
    differs = next((line for line in (done.stdout + done.stderr).splitlines() if "assertion" in line), None) if done.returncode else None
    print(f"{judged:,} tables for {len({one['model'] for one in found})} models: {differs or 'both crates judge alike'}")
    if given.json:
        result = {"cases": judged, "broken": sum(one["broken"] for one in found), "faults": [differs] if differs else [], "models": found}
        given.json.write_text(json.dumps(result, indent=1) + "\n")
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
