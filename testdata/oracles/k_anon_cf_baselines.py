"""Simple k-anonymization heuristics scored by LM, as an upper end of the achievable range.

usage: k_anon_cf_baselines.py TABLE_CSV HIERARCHY_DIR OUT_JSON METHODS K[,K...] ATTR [ATTR...]
METHODS: comma list of topdown, sorted, kmember
 topdown  split a group along one attribute into its children while each part keeps >= k records
          (children too small are pooled; if the pool stays below k the smallest kept child joins it,
          pooled records keep the parent's value); best attribute = lowest resulting cost
 sorted   sort by (attribute order, leaf order), cut into runs of k, last run takes the rest
 kmember  repeat: furthest-from-last seed, add the k-1 records that raise the closure cost least;
          left-over records join the cluster whose cost rises least (Byun et al. style)
Every result is checked: clusters are disjoint, cover the table, have >= k records.
"""
import json, sys, time
import numpy as np, pandas as pd

path, hdir, out, methods, ks, *attrs = sys.argv[1:]
df = pd.read_csv(path, dtype=str)
r = len(attrs)
A, lca_cost, node_of, depth = [], [], [], []
for a in attrs:
    lines = [l.rstrip("\n").split(";") for l in open(f"{hdir}/{a}.csv", encoding="utf-8")]
    m = len(lines)
    # nodes = distinct (level,label); anc[leaf][level] = node id; size[node] = leaves below
    ids, anc = {}, np.zeros((m, len(lines[0])), np.int32)
    for i, l in enumerate(lines):
        for d, x in enumerate(l):
            anc[i, d] = ids.setdefault((d, x), len(ids))
    size = np.bincount(anc.ravel(), minlength=len(ids))
    up = np.full(len(ids), -1, np.int32)
    for i in range(m):
        up[anc[i, :-1]] = anc[i, 1:]
    lvl = np.array([d for d, _ in ids])
    leaf_id = anc[:, 0]
    L = np.zeros((len(ids), m), np.int32)             # L[node, leaf] = lowest common ancestor
    for x in range(len(ids)):
        y = np.full(m, -1, np.int32)
        node, d = x, lvl[x]
        todo = np.ones(m, bool)
        while True:
            hit = todo & (anc[:, d] == node)
            y[hit] = node
            todo &= ~hit
            if up[node] < 0:
                break
            node, d = up[node], d + 1
        L[x] = y
    A.append(dict(anc=anc, size=size, up=up, lvl=lvl, L=L, cost=(size - 1) / (m - 1) / r, leaf=leaf_id,
                  root=anc[0, -1]))
    df[a] = df[a].map({l[0]: i for i, l in enumerate(lines)})
X = df[attrs].to_numpy(np.int32)
n = len(X)


def closure_cost(rows):
    c = 0.0
    for j in range(r):
        v = np.unique(X[rows, j])
        node = A[j]["leaf"][v[0]]
        for u in v[1:]:
            node = A[j]["L"][node, u]
        c += A[j]["cost"][node]
    return c


def score(clusters, k):
    seen = np.zeros(n, int)
    for c in clusters:
        assert len(c) >= k
        seen[c] += 1
    assert (seen == 1).all()
    return sum(len(c) * closure_cost(c) for c in clusters) / n


def topdown(k):
    todo, done = [(np.arange(n), [a["root"] for a in A])], []
    while todo:
        rows, nodes = todo.pop()
        pick = None
        for j in range(r):
            l = A[j]["lvl"][nodes[j]]
            if l == 0:
                continue
            child = A[j]["anc"][X[rows, j], l - 1]
            ids, cnt = np.unique(child, return_counts=True)
            keep, pool = ids[cnt >= k], int(cnt[cnt < k].sum())
            if len(keep) and 0 < pool < k:           # the smallest kept child joins the pool
                small = keep[np.argmin(cnt[np.isin(ids, keep)])]
                pool += int(cnt[ids == small][0])
                keep = keep[keep != small]
            if not len(keep) or 0 < pool < k:
                continue
            gain = sum(int(cnt[ids == x][0]) * (A[j]["cost"][nodes[j]] - A[j]["cost"][x]) for x in keep)
            if pick is None or gain > pick[0]:
                pick = (gain, j, child, keep)
        if pick is None:
            done.append(rows)
            continue
        _, j, child, keep = pick
        for x in keep:
            todo.append((rows[child == x], nodes[:j] + [x] + nodes[j + 1:]))
        rest = rows[~np.isin(child, keep)]
        if len(rest):
            todo.append((rest, nodes)) if len(rest) < len(rows) else done.append(rest)
    return done


def sorted_runs(k):
    order = np.lexsort(X.T[::-1])
    cut = [order[i:i + k] for i in range(0, n - n % k, k)]
    if n % k:
        cut[-1] = np.r_[cut[-1], order[n - n % k:]]
    return cut


def kmember(k):
    """On distinct records with multiplicities, so equal records are taken together."""
    uniq, inv = np.unique(X, axis=0, return_inverse=True)
    pools = [list(np.flatnonzero(inv == u)) for u in range(len(uniq))] if len(uniq) < 2000 else None
    if pools is None:
        order = np.argsort(inv, kind="stable")
        pools = [list(p) for p in np.split(order, np.cumsum(np.bincount(inv))[:-1])]
    left = np.array([len(p) for p in pools])
    Lc = [A[j]["cost"][A[j]["L"]] for j in range(r)]        # cost of lca(node, leaf)
    def costs(nodes, idx):
        return sum(Lc[j][nodes[j]][uniq[idx, j]] for j in range(r))
    clusters, closure, last = [], [], 0
    while left.sum() >= k:
        idx = np.flatnonzero(left)
        nodes = [A[j]["leaf"][uniq[last, j]] for j in range(r)]
        s = idx[np.argmax(costs(nodes, idx))]
        members, nodes = [], [A[j]["leaf"][uniq[s, j]] for j in range(r)]
        nxt = s
        while True:
            t = min(k - len(members), left[nxt])
            members += [pools[nxt].pop() for _ in range(t)]
            left[nxt] -= t
            nodes = [A[j]["L"][nodes[j], uniq[nxt, j]] for j in range(r)]
            last = nxt
            if len(members) >= k:
                break
            idx = np.flatnonzero(left)
            nxt = idx[np.argmin(costs(nodes, idx))]
        clusters.append(members)
        closure.append(nodes)
    for u in np.flatnonzero(left):
        for _ in range(left[u]):
            now = np.array([sum(A[j]["cost"][c[j]] for j in range(r)) for c in closure])
            new = np.array([sum(Lc[j][c[j], uniq[u, j]] for j in range(r)) for c in closure])
            sz = np.array([len(c) for c in clusters])
            b = int(np.argmin((sz + 1) * new - sz * now))
            clusters[b].append(pools[u].pop())
            closure[b] = [A[j]["L"][closure[b][j], uniq[u, j]] for j in range(r)]
    return [np.array(c) for c in clusters]


res = {}
for m in methods.split(","):
    for k in map(int, ks.split(",")):
        t = time.time()
        cl = {"topdown": topdown, "sorted": sorted_runs, "kmember": kmember}[m](k)
        lm = score(cl, k)
        res.setdefault(m, {})[k] = {"LM": lm, "clusters": len(cl), "largest": max(map(len, cl))}
        print(m, k, res[m][k], "seconds", round(time.time() - t, 1), flush=True)
        json.dump(res, open(out, "w"), indent=1)
