"""A plain reference k-ANON-CF: greedy cover by closed frequent generalized records, then Algorithm 2.

usage: k_anon_cf_solver.py TABLE_CSV HIERARCHY_DIR OUT_JSON K[,K...] SEED RHO ATTR [ATTR...]
RHO = paper: d(S) / min(|new|, 2k-1), line 5 of Algorithm 4;  RHO = anon: |S^R| d(S) / |new|, our variant that
weighs a set by the anonymization cost it will cause.
Open choices of the paper and what is done here: ties in rho -> larger uncovered part, then first met;
the 2k-1 uncovered records and the padding records are drawn at random (SEED); in Algorithm 2 a shared
record leaves the earlier cluster if that one has more than k records, else the later one, else merge.
rho(S) never falls, so a lazy heap finds the exact minimum.
"""
import heapq, itertools, json, random, sys, time
import numpy as np, pandas as pd

path, hdir, out, ks, seed, variant, *attrs = sys.argv[1:]
df = pd.read_csv(path, dtype=str)
r, codes, leaves = len(attrs), [], []
for a in attrs:
    lines = [l.rstrip("\n").split(";") for l in open(f"{hdir}/{a}.csv", encoding="utf-8")]
    df[a] = df[a].map({l[0]: i for i, l in enumerate(lines)})
    codes.append([np.unique([l[d] for l in lines], return_inverse=True)[1] for d in range(len(lines[0]))])
    leaves.append([np.bincount(c) for c in codes[-1]])
dist = df.groupby(attrs, sort=True).size().reset_index(name="n")
X, W = dist[attrs].to_numpy(), dist["n"].to_numpy()
n, dom = int(W.sum()), [len(c[0]) for c in codes]
cell = [[m[X[:, i]].astype(np.int32) for m in codes[i]] for i in range(r)]
row_of = {tuple(x): i for i, x in enumerate(X)}
members = [[] for _ in X]                                    # record numbers of each distinct tuple
for rec, x in enumerate(df[attrs].to_numpy()):
    members[row_of[tuple(x)]].append(rec)
owner_row = np.zeros(n, np.int64)
for i, m in enumerate(members):
    owner_row[m] = i


def mine(k):
    """All closed frequent generalized records: (cost, support size, level vector number, first, last)."""
    found, orders = [], []
    for v, node in enumerate(itertools.product(*[range(len(c)) for c in codes])):
        key = np.zeros(len(X), np.int64)
        for i, l in enumerate(node):
            key = key * len(leaves[i][l]) + cell[i][l]
        order = np.argsort(key, kind="stable").astype(np.int32)
        s = key[order]
        start = np.flatnonzero(np.r_[True, s[1:] != s[:-1]])
        size = np.add.reduceat(W[order], start)
        good = size >= k
        for i, l in enumerate(node):
            if l:
                ch = cell[i][l - 1][order]
                good &= np.minimum.reduceat(ch, start) != np.maximum.reduceat(ch, start)
        orders.append(order if good.any() else None)
        end = np.r_[start[1:], len(order)]
        f = order[start]
        cost = sum((leaves[i][l][cell[i][l][f]] - 1) / (dom[i] - 1) for i, l in enumerate(node)) / r
        for g in np.flatnonzero(good):
            found.append((float(cost[g]), int(size[g]), v, int(start[g]), int(end[g])))
    return found, orders


def closure_cost(recs):
    rows = X[np.unique(owner_row[list(recs)])]
    c = 0.0
    for i in range(r):
        for l in range(len(codes[i])):
            nd = codes[i][l][rows[:, i]]
            if (nd == nd[0]).all():
                c += (leaves[i][l][nd[0]] - 1) / (dom[i] - 1) / r
                break
    return c


def run(k, rng):
    sets = [t for t in SETS if t[1] >= k]
    cap = 2 * k - 1
    unc = [list(m) for m in members]                          # uncovered records per distinct tuple
    for u in unc:
        rng.shuffle(u)
    U = np.array([len(u) for u in unc])

    def rho_of(c, sz, now):
        got = min(now, cap)
        if variant == "paper":
            return c / got
        return c * (sz if sz <= cap else max(k, got)) / got

    heap = [(rho_of(c, sz, sz), -min(sz, cap), x) for x, (c, sz, *_) in enumerate(sets)]
    heapq.heapify(heap)
    cover, left = [], n
    while left:
        rho, neg, x = heapq.heappop(heap)
        c, sz, v, a, b = sets[x]
        rows = ORDERS[v][a:b]
        now = int(U[rows].sum())
        if not now:
            continue
        fresh = (rho_of(c, sz, now), -min(now, cap), x)
        if heap and fresh > heap[0] and fresh[:2] != (rho, neg):
            heapq.heappush(heap, fresh)
            continue
        new = [rec for y in rows[U[rows] > 0] for rec in unc[y]]
        if sz <= cap:
            chosen = [rec for y in rows for rec in members[y]]
        elif now >= cap:
            chosen = new = rng.sample(new, cap)
        else:
            chosen = list(new)
            if now < k:
                have = set(new)
                pad = [rec for y in rows for rec in members[y] if rec not in have]
                chosen += rng.sample(pad, k - now)
        gone = set(new)
        for y in {int(owner_row[rec]) for rec in new}:
            unc[y] = [rec for rec in unc[y] if rec not in gone]
            U[y] = len(unc[y])
        left -= len(new)
        cover.append(set(chosen))
        heapq.heappush(heap, fresh)
    # Algorithm 2: make the cover disjoint
    cl = {i: s for i, s in enumerate(cover)}
    where = [[] for _ in range(n)]
    for i, s in cl.items():
        for rec in s:
            where[rec].append(i)
    merged = {}
    find = lambda i: i if i not in merged else find(merged[i])
    for rec in range(n):
        while True:
            mine_ = []
            for i in where[rec]:
                j = find(i)
                if j not in mine_ and rec in cl[j]:
                    mine_.append(j)
            if len(mine_) < 2:
                break
            i, j = mine_[:2]
            if len(cl[i]) > k:
                cl[i].discard(rec)
            elif len(cl[j]) > k:
                cl[j].discard(rec)
            else:
                cl[i] |= cl.pop(j)
                merged[j] = i
    sizes = [len(s) for s in cl.values()]
    assert min(sizes) >= k and max(sizes) <= cap and sum(sizes) == n
    assert len(set().union(*cl.values())) == n
    return {"closed": len(sets), "cover_sets": len(cover), "clusters": len(cl),
            "LM": sum(len(s) * closure_cost(s) for s in cl.values()) / n}


t = time.time()
SETS, ORDERS = mine(min(map(int, ks.split(","))))
print("mined", len(SETS), "closed sets, seconds", round(time.time() - t, 1), flush=True)
res = {"seed": int(seed), "rho": variant, "attributes": attrs, "k": {}}
for k in map(int, ks.split(",")):
    t = time.time()
    res["k"][k] = run(k, random.Random(int(seed)))
    print(k, res["k"][k], "seconds", round(time.time() - t, 1), flush=True)
    json.dump(res, open(out, "w"), indent=1)
