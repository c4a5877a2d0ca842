"""(alpha,k)-anonymity oracle: check every node of the full-domain generalization lattice.

usage: alpha_k_lattice.py ADULT_CSV HIERARCHY_DIR SENSITIVE OUT_NPZ ATTR [ATTR...]
For each node: size of the smallest class and, for each alpha and for the single value / all values,
whether the plain rule |(E,s)| <= alpha|E| and the refined rule |(E,s)| <= ceil(alpha|E|) hold.
alpha is held in hundredths, so no floating point enters the comparisons.
"""
import itertools, sys
import numpy as np, pandas as pd

csv_path, hdir, sens, out, *attrs = sys.argv[1:]
SINGLE = {"salary-class": ">50K"}.get(sens)          # single sensitive value; None: only "general"
ALPHAS = [10, 15, 20, 25, 30, 33, 40, 50, 60, 70, 80, 90]
df = pd.read_csv(csv_path, dtype=str)

H = []                                                # H[i][level] maps leaf code -> node code
for a in attrs:
    lines = [l.rstrip("\n").split(";") for l in open(f"{hdir}/{a}.csv", encoding="utf-8")]
    leaf = {l[0]: i for i, l in enumerate(lines)}
    df[a] = df[a].map(leaf)
    H.append([np.unique([l[d] for l in lines], return_inverse=True)[1] for d in range(len(lines[0]))])
svals, df["_s"] = np.unique(df[sens], return_inverse=True)
tab = df.groupby(attrs + ["_s"], sort=False).size().reset_index(name="n")
S, N = tab["_s"].to_numpy(), tab["n"].to_numpy()
heights = [len(h) - 1 for h in H]
single = list(svals).index(SINGLE) if SINGLE else -1
print("tuples", len(df), "distinct (qi,s)", len(tab), "heights", heights, "nodes", np.prod([h + 1 for h in heights]))

shape = [h + 1 for h in heights]
nodes = list(itertools.product(*[range(x) for x in shape]))
where = {node: x for x, node in enumerate(nodes)}
min_size = np.zeros(len(nodes), np.int32)
classes = np.zeros(len(nodes), np.int32)
ok = {r: np.zeros((len(nodes), len(ALPHAS)), bool) for r in
      ("single_plain", "single_refined", "general_plain", "general_refined")}


def visit(done, table):
    """table: one row per class so far: leaf (or node) code per attribute, then a count per sensitive value."""
    i = len(done)
    if i < len(attrs):
        for level in range(shape[i]):
            g = table.copy()
            g[:, i] = H[i][level][table[:, i]]
            visit(done + (level,), merge(g))
        return
    x = where[done]
    cnt = table[:, len(attrs):]
    size = cnt.sum(axis=1)
    min_size[x], classes[x] = size.min(), len(size)
    if size.min() < 2:                                # flags are only ever used together with k >= 2
        return
    worst = cnt.max(axis=1)
    for name, c in (("single", cnt[:, single] if single >= 0 else worst), ("general", worst)):
        for j, a in enumerate(ALPHAS):
            ok[name + "_plain"][x, j] = (100 * c <= a * size).all()
            ok[name + "_refined"][x, j] = (c <= (a * size + 99) // 100).all()


def merge(t):
    code = np.zeros(len(t), np.int64)
    for j, h in enumerate(H):
        code = code * len(h[0]) + t[:, j]
    order = np.argsort(code, kind="stable")
    start = np.flatnonzero(np.r_[True, np.diff(code[order]) != 0])
    m = t[order[start]]
    m[:, len(attrs):] = np.add.reduceat(t[order, len(attrs):], start, axis=0)
    return m


base = np.zeros((len(tab), len(attrs) + len(svals)), np.int64)
base[:, :len(attrs)] = tab[attrs].to_numpy()
base[np.arange(len(tab)), len(attrs) + S] = N
visit((), merge(base))
np.savez_compressed(out, nodes=np.array(nodes), heights=heights, alphas=ALPHAS, min_size=min_size,
                    classes=classes, attrs=attrs, freq=np.bincount(df["_s"]), svals=svals, **ok)
