#!/usr/bin/env python3
"""pycanon and `incrowd diagnose` say the same of Adult, wherever pycanon follows the definitions.

pycanon computes the same figures by other code: loops over pandas frames. It is installed
into a virtual environment of its own, with a fixed version, so that the known defects below are those of that version.
Where it cannot be installed the test is skipped, and says so.

    INCROWD_DATA=… tests/python/pycanon_agrees.py target/debug/incrowd

Known defects of pycanon, which are shown and not matched:

- recursive (c, ℓ): counts are sorted from the *rarest* value on, so the c it names is far too small to hold. The figure is
  compared with the definition instead, computed here.
- entropy ℓ is cut to a whole number.
- enhanced β: it names the largest of min(β, −ln p) over the values. The rule asks that no value grows by more than *its own*
  min(β, −ln p): where one grows by more than −ln p, no β is kept, and it names one all the same.
- δ: values that are missing in a class are left out, although ln 0 is infinite: it names a δ where none holds.
- rows whose quasi-identifier is missing are in no class at all (the tables here have none missing).

Whether no β or no δ is kept is told by the definitions, too, so that a defect of incrowd cannot pass for one of pycanon.
"""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

from kept_environment import environment

PYCANON = "pycanon==1.3.6"

# Quasi-identifiers and a sensitive column: classes with and without all values, texts and numbers.
QUESTIONS = [
    ("sex", "salary-class"),
    ("race", "salary-class"),
    ("sex,race", "occupation"),
    ("marital-status", "workclass"),
    ("education", "salary-class"),
    ("sex,race", "education-num"),
    ("workclass", "hours-per-week"),
]

# Runs where pycanon is installed: reads the questions from stdin and answers each.
PEER = """
import json, math, sys
import pandas
from pycanon import anonymity
table = pandas.read_csv(sys.argv[1])
answers = []
for quasi, sensitive in json.load(sys.stdin):
    quasi, column = quasi.split(","), [sensitive]
    shares = table[sensitive].value_counts(normalize=True)
    counts = [sorted(group.value_counts(), reverse=True) for _, group in table.groupby(quasi)[sensitive]]
    in_classes = [group.value_counts(normalize=True) for _, group in table.groupby(quasi)[sensitive]]
    # A value that all rows have grows by nothing.
    grows = lambda q, v: v in q and q[v] / shares[v] - 1 > max(-math.log(shares[v]), 1e-12)
    tails = lambda l: [(c[0], sum(c[l - 1:])) for c in counts]
    defined = lambda l: None if any(t == 0 for _, t in tails(l)) else max(c / t for c, t in tails(l))
    answers.append({
        "k": int(anonymity.k_anonymity(table, quasi)),
        "numeric": bool(pandas.api.types.is_numeric_dtype(table[sensitive])),
        "l": int(anonymity.l_diversity(table, quasi, column)),
        "entropy_l": int(anonymity.entropy_l_diversity(table, quasi, column)),
        "recursive": [float(n) for n in anonymity.recursive_c_l_diversity(table, quasi, column)],
        "defined_c": [defined(2), defined(3)],
        "defined_c_at_l": defined(int(anonymity.l_diversity(table, quasi, column))),
        "t": float(anonymity.t_closeness(table, quasi, column)),
        "beta": float(anonymity.basic_beta_likeness(table, quasi, column)),
        "enhanced": float(anonymity.enhanced_beta_likeness(table, quasi, column)),
        "delta": float(anonymity.delta_disclosure(table, quasi, column)),
        "alpha": float(anonymity.alpha_k_anonymity(table, quasi, column)[0]),
        "rarest": float(shares.min()),
        "no_enhanced_beta": bool(any(grows(q, v) for q in in_classes for v in shares.index)),
        "no_delta": bool(any(len(q) < len(shares) for q in in_classes)),
    })
json.dump(answers, sys.stdout)
"""


def skip(reason):
    print(f"SKIPPED: pycanon was not compared with: {reason}")
    sys.exit(0)


def near(a, b):
    return a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def peer(table):
    """What pycanon says, from an environment of its own."""
    try:
        python = environment(PYCANON) / "bin" / "python"
    except subprocess.CalledProcessError as error:
        lines = str(error.stderr or error).strip().splitlines()
        skip(f"{PYCANON} cannot be installed: {lines[-1] if lines else 'no reason was given'}")
    except (OSError, subprocess.TimeoutExpired) as error:
        skip(f"{PYCANON} cannot be installed: {error}")
    command = [python, "-W", "ignore", "-c", PEER, table]
    return json.loads(subprocess.run(command, input=json.dumps(QUESTIONS), check=True, stdout=subprocess.PIPE, text=True).stdout)


def ours(incrowd, table, quasi, sensitive):
    command = [incrowd, "diagnose", table, "--qi", quasi, "--sensitive", sensitive, "--format", "json", "--quiet"]
    # Exit status 1 says that somebody stands alone, which is no error.
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if answer.returncode not in (0, 1):
        sys.exit(f"incrowd could not answer about {quasi} and {sensitive}")
    answer = json.loads(answer.stdout)
    return answer["k"], answer["sensitive"][0]


def compare(k, found, said):
    """Each figure with whether both agree; and the defects of pycanon that show."""
    t = found["t_ordered"] if said["numeric"] else found["t_equal"]
    agree = {
        "k": k == said["k"],
        "alpha": near(found["alpha"], said["alpha"]),
        "distinct_l": found["distinct_l"] == found["p"] == said["l"],
        # Cut to a whole number, one less when rounding made it fall short.
        "entropy_l": said["entropy_l"] in {math.floor(found["entropy_l"]), math.floor(found["entropy_l"] - 1e-9)},
        "t": near(t, said["t"]),
        "beta": near(found["beta"], said["beta"]),
        "whether an enhanced β is kept": (found["beta_enhanced"] is None) == said["no_enhanced_beta"],
        "whether a δ is kept": (found["delta"] is None) == said["no_delta"],
    }
    defects = []
    for name, defined in zip(["recursive_c_l2", "recursive_c_l3"], said["defined_c"]):
        agree[name] = found[name] is None if defined is None else near(found[name], defined)
    (c, l), border = said["recursive"], said["defined_c_at_l"]
    if l > 1 and c <= border:
        defects.append(f"names c = {c:g} for ℓ = {l:g}, where c must be above {border:.4f}")
    if found["beta_enhanced"] is None:
        defects.append(f"names an enhanced β of {said['enhanced']:.4f}, where no β is kept")
    else:
        # Where every β is kept that pycanon could name, it names the same, but for the cut at the rarest value's −ln p.
        expected = min(found["beta_enhanced"], -math.log(said["rarest"]))
        agree["beta_enhanced"] = near(expected, said["enhanced"])
    if found["delta"] is None:
        defects.append(f"names δ = {said['delta']:.4f}, where a value is missing in a class")
    else:
        agree["delta"] = near(found["delta"], said["delta"])
    return agree, defects


def main():
    incrowd, data = sys.argv[1], os.environ.get("INCROWD_DATA")
    table = Path(data or "") / "adult.csv"
    if not data or not table.is_file():
        skip("INCROWD_DATA names no folder with adult.csv")
    answers = peer(str(table))
    wrong, compared, shown = 0, 0, 0
    for (quasi, sensitive), said in zip(QUESTIONS, answers):
        k, found = ours(incrowd, str(table), quasi, sensitive)
        agree, defects = compare(k, found, said)
        differ = [name for name, same in agree.items() if not same]
        wrong, compared, shown = wrong + len(differ), compared + len(agree), shown + len(defects)
        print(f"{quasi} → {sensitive}: {len(agree) - len(differ)} of {len(agree)} figures agree")
        for name in differ:
            print(f"  DIFFERS: {name}: incrowd {found.get(name, k)}; the others: {said}")
        for defect in defects:
            print(f"  pycanon {defect}")
    print("recursive c, and whether an enhanced β or a δ is kept, were compared with the definitions, the rest with pycanon")
    print(f"{compared - wrong} of {compared} figures agree; {shown} known defects of {PYCANON} showed")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
