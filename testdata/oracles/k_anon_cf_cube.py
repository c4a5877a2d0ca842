"""k-ANON-CF oracle: closed frequent generalized records and a lower bound of the optimal LM.

usage: k_anon_cf_cube.py TABLE_CSV HIERARCHY_DIR OUT_JSON ATTR [ATTR...]

Method: a generalized record fixes one level per attribute, so all generalized records with a
non-empty support appear in the group-bys of all level vectors.  A group is closed when, in every
attribute that is above the leaf level, its records lie under at least two different children.
Lower bound: every record of a k-anonymous table lies in a cluster of >= k records whose closure is a
frequent generalized record, so its cost is at least the cheapest frequent record that covers it.
|A_j| in LM is the number of leaves in the hierarchy file.
"""
import itertools, json, sys, time
import numpy as np, pandas as pd

path, hdir, out, *attrs = sys.argv[1:]
KS = [2, 3, 5, 10, 20, 30, 50, 75, 100, 150, 200]
df = pd.read_csv(path, dtype=str)
codes, leaves, heights = [], [], []          # codes[i][level] per distinct record; leaves[i][level][node]
names = []
for a in attrs:
    lines = [l.rstrip("\n").split(";") for l in open(f"{hdir}/{a}.csv", encoding="utf-8")]
    row = {l[0]: i for i, l in enumerate(lines)}
    df[a] = df[a].map(row)
    lv = []
    for d in range(len(lines[0])):           # a node is its leaf set, so repeated labels are one node
        sets = {}
        for i, l in enumerate(lines):
            sets.setdefault(l[d], set()).add(i)
        lv.append((np.unique([l[d] for l in lines], return_inverse=True)[1],
                   np.array([len(sets[x]) for x in np.unique([l[d] for l in lines])])))
    codes.append([m for m, _ in lv])
    leaves.append([c for _, c in lv])
    heights.append(len(lines[0]) - 1)
dist = df.groupby(attrs, sort=False).size().reset_index(name="n")
W = dist["n"].to_numpy(np.int64)
n, r = int(W.sum()), len(attrs)
cell = [[m[dist[a].to_numpy()] for m in codes[i]] for i, a in enumerate(attrs)]
dom = [len(codes[i][0]) for i in range(r)]
print("records", n, "distinct", len(dist), "level vectors", np.prod([h + 1 for h in heights]), flush=True)

t0 = time.time()
best = np.full((len(KS), len(dist)), np.inf)
frequent, closed, generalized = np.zeros(len(KS), np.int64), np.zeros(len(KS), np.int64), 0
closed_all = 0
full_domain = {k: (np.inf, None) for k in KS}
for node in itertools.product(*[range(h + 1) for h in heights]):
    key = np.zeros(len(dist), np.int64)
    for i, l in enumerate(node):
        key = key * len(leaves[i][l]) + cell[i][l]
    order = np.argsort(key, kind="stable")
    ks = key[order]
    start = np.flatnonzero(np.r_[True, ks[1:] != ks[:-1]])
    size = np.add.reduceat(W[order], start)
    first = order[start]
    cost = sum((leaves[i][l][cell[i][l][first]] - 1) / (dom[i] - 1) for i, l in enumerate(node)) / r
    is_closed = np.ones(len(start), bool)
    for i, l in enumerate(node):
        if l:
            child = cell[i][l - 1][order]
            same = np.minimum.reduceat(child, start) == np.maximum.reduceat(child, start)
            is_closed &= ~same
    generalized += len(start)
    closed_all += int(is_closed.sum())
    group = np.repeat(np.arange(len(start)), np.diff(np.r_[start, len(order)]))
    for x, k in enumerate(KS):
        f = size >= k
        frequent[x] += f.sum()
        closed[x] += (f & is_closed).sum()
        c = np.where(f, cost, np.inf)[group]
        best[x, order] = np.minimum(best[x, order], c)
        if f.all():
            lm = float((cost * size).sum() / n)
            if lm < full_domain[k][0]:
                full_domain[k] = (lm, node)
res = {"attributes": attrs, "records": n, "distinct": len(dist), "domain_sizes": dom, "heights": heights,
       "generalized_records_with_support": generalized, "closed_with_support": closed_all, "k": {}}
for x, k in enumerate(KS):
    lb = float((best[x] * W).sum() / n)
    res["k"][k] = {"frequent": int(frequent[x]), "closed_frequent": int(closed[x]), "LM_lower_bound": lb,
                   "full_domain_optimum_LM": full_domain[k][0], "full_domain_node": full_domain[k][1]}
    print(k, res["k"][k], flush=True)
json.dump(res, open(out, "w"), indent=1)
print("seconds", round(time.time() - t0, 1))
