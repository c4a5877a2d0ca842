"""Algorithms 6 and 7 of the k-ANON-CF paper, literally, with supports as Python integers (bitsets).

usage: k_anon_cf_algorithm7.py TABLE_CSV HIERARCHY_DIR K ATTR [ATTR...]
Used to confirm the counts of k_anon_cf_cube.py on smaller settings.
"""
import csv, sys

path, hdir, k, *attrs = sys.argv[1:]
k = int(k)
sys.setrecursionlimit(10000)
rows = list(csv.DictReader(open(path, encoding="utf-8")))
kids, supp, root = [], [], []
for a in attrs:
    lines = [l.rstrip("\n").split(";") for l in open(f"{hdir}/{a}.csv", encoding="utf-8")]
    leaf_set = {}
    for l in lines:
        for d, x in enumerate(l):
            leaf_set.setdefault((d, x), set()).add(l[0])
    node = {key: frozenset(s) for key, s in leaf_set.items()}       # a node is its leaf set
    ch = {}
    for l in lines:
        for d in range(1, len(l)):
            p, c = node[d, l[d]], node[d - 1, l[d - 1]]
            if p != c:
                ch.setdefault(p, set()).add(c)
    bits = {}
    for i, r in enumerate(rows):
        bits[r[a]] = bits.get(r[a], 0) | 1 << i
    s = {nd: sum(bits.get(v, 0) for v in nd) for nd in set(node.values())}   # disjoint, so sum = union
    kids.append({p: sorted((c for c in cs if s[c].bit_count() >= k), key=sorted) for p, cs in ch.items()})
    supp.append(s)
    root.append(node[len(lines[0]) - 1, "*"])
closed, processed = [], set()


def alg7(rec, sup):
    if rec in processed or sup.bit_count() < k:
        return
    processed.add(rec)
    size, is_closed = sup.bit_count(), True
    for j, a in enumerate(rec):
        for b in kids[j].get(a, ()):
            new = supp[j][b] & sup
            if new.bit_count() >= k:
                if new.bit_count() == size:
                    is_closed = False
                alg7(rec[:j] + (b,) + rec[j + 1:], new)
                if not is_closed:
                    return                                   # break double loop
    closed.append(rec)


alg7(tuple(root), (1 << len(rows)) - 1)
print(path.split("/")[-1], "k", k, "attributes", len(attrs), "closed", len(closed), "processed", len(processed))
