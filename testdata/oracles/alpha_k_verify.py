"""Cross-check of the lattice table: recompute chosen nodes with a plain pandas group-by.

usage: alpha_k_verify.py ADULT_CSV HIERARCHY_DIR SENSITIVE LATTICE_NPZ [NODE as 4,2,3,3,2,2,0,2 ...]
"""
import math, random, sys
import numpy as np, pandas as pd

path, hdir, sens, npz, *extra = sys.argv[1:]
df = pd.read_csv(path, dtype=str)
z = np.load(npz, allow_pickle=True)
attrs, alphas = list(z["attrs"]), list(z["alphas"])
maps = {a: [dict((l[0], l[d]) for l in rows) for d in range(len(rows[0]))] for a in attrs
        for rows in [[l.rstrip("\n").split(";") for l in open(f"{hdir}/{a}.csv", encoding="utf-8")]]}
random.seed(7)
pick = [tuple(map(int, e.split(","))) for e in extra]
holding = np.flatnonzero(z["min_size"] >= 2)
pick += [tuple(z["nodes"][i]) for i in random.sample(range(len(z["nodes"])), 15)]
pick += [tuple(z["nodes"][i]) for i in random.sample(list(holding), 15)]
index = {tuple(nd): i for i, nd in enumerate(z["nodes"])}
for node in pick:
    g = pd.DataFrame({a: df[a].map(maps[a][lv]) for a, lv in zip(attrs, node)})
    g["s"] = df[sens]
    size = g.groupby(attrs).size()
    x = index[tuple(node)]
    assert size.min() == z["min_size"][x] and len(size) == z["classes"][x], node
    if size.min() >= 2:
        cnt = g.groupby(attrs + ["s"]).size().unstack(fill_value=0)
        cnt = cnt.loc[size.index]
        for name, c in [("general", cnt.max(axis=1))] + ([("single", cnt[">50K"])] if ">50K" in cnt else []):
            for j, a in enumerate(alphas):
                plain = all(ci * 100 <= a * si for ci, si in zip(c, size))
                refined = all(ci <= -(-a * si // 100) for ci, si in zip(c, size))
                assert plain == z[name + "_plain"][x, j] and refined == z[name + "_refined"][x, j], (node, name, a)
    if ",".join(map(str, node)) in extra:
        c = cnt[">50K"] if ">50K" in cnt else cnt.max(axis=1)
        bad = [(tuple(i), int(ci), int(si)) for i, ci, si in zip(size.index, c, size) if 2 * ci > si]
        print(node, "classes", len(size), "min", size.min(), "classes with more than half:", bad[:6])
print("checked", len(pick), "nodes, all equal")
