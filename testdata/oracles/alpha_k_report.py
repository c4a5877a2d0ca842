"""Read the lattice table of alpha_k_lattice.py: optima, minimal nodes, monotonicity, Incognito counts.

usage: alpha_k_report.py LATTICE_NPZ OUT_JSON [single] [ALPHA_IN_HUNDREDTHS...]
"""
import itertools, json, sys
import numpy as np

z = np.load(sys.argv[1], allow_pickle=True)
H = [int(h) for h in z["heights"]]
shape = [h + 1 for h in H]
ALPHAS = list(z["alphas"])
attrs = list(z["attrs"])
total = sum(H)
nodes = z["nodes"]
height = nodes.sum(axis=1).reshape(shape)
min_size = z["min_size"].reshape(shape)
freq = z["freq"]
res = {"attributes": attrs, "heights": H, "nodes": int(np.prod(shape)), "sum_of_heights": total,
       "sensitive_frequencies": {str(v): int(c) for v, c in zip(z["svals"], freq)}, "settings": {}}


def below_fails(ok):
    """minimal nodes: hold, and no node strictly below them holds."""
    acc = ok.copy()
    for ax in range(len(shape)):
        acc = np.logical_or.accumulate(acc, axis=ax)
    strict = np.zeros(shape, bool)
    for ax in range(len(shape)):
        src = [slice(None)] * len(shape)
        dst = [slice(None)] * len(shape)
        src[ax], dst[ax] = slice(0, -1), slice(1, None)
        strict[tuple(dst)] |= acc[tuple(src)]
    return ok & ~strict


def monotone(ok):
    """edges that break the generalization property; nodes that hold but have a failing ancestor."""
    edges = 0
    for ax in range(len(shape)):
        lo = [slice(None)] * len(shape)
        hi = [slice(None)] * len(shape)
        lo[ax], hi[ax] = slice(0, -1), slice(1, None)
        edges += int((ok[tuple(lo)] & ~ok[tuple(hi)]).sum())
    bad_above = ~ok
    for ax in range(len(shape)):
        bad_above = np.flip(np.logical_or.accumulate(np.flip(bad_above, ax), axis=ax), ax)
    proj = 0                                    # projection = that attribute at its top level
    for ax in range(len(shape)):
        top = np.take(ok, [shape[ax] - 1], axis=ax)
        proj += int((ok & ~top).sum())
    return edges, int((ok & bad_above).sum()), proj


def incognito(ok):
    """Extended Incognito with both prunings; the projection on P equals the others at the top.
    Returns nodes it accepts for the full set, and how many nodes it tests."""
    d = len(shape)
    tests, S = 0, {}
    for size in range(1, d + 1):
        for P in itertools.combinations(range(d), size):
            acc = set()
            for lv in itertools.product(*[range(shape[i]) for i in P]):      # ascending: bottom-up
                if size > 1 and any(tuple(x for j, x in enumerate(lv) if j != m) not in
                                    S[tuple(p for j, p in enumerate(P) if j != m)] for m in range(size)):
                    continue                                                   # subset pruning
                if any(lv[m] and lv[:m] + (lv[m] - 1,) + lv[m + 1:] in acc for m in range(size)):
                    acc.add(lv)                                                # roll-up: no test
                    continue
                tests += 1
                full = [shape[i] - 1 for i in range(d)]
                for i, x in zip(P, lv):
                    full[i] = x
                if ok[tuple(full)]:
                    acc.add(lv)
            S[P] = acc
    return S[tuple(range(d))], tests


def describe(name, ok, inc):
    e = {"holding_nodes": int(ok.sum())}
    if ok.any():
        m = below_fails(ok)
        best = int(height[ok].min())
        opt = np.argwhere(ok & (height == best))
        e.update(minimal_nodes=int(m.sum()), optimum_sum_of_levels=best, optimum_distortion_ratio=best / total,
                 optimal_nodes=[list(map(int, x)) for x in opt])
    edges, nodes_bad, proj = monotone(ok)
    e.update(edges_breaking_generalization_property=edges, holding_nodes_with_failing_ancestor=nodes_bad,
             node_attribute_pairs_breaking_subset_closure=proj)
    if inc:
        acc, tests = incognito(ok)
        wrong = sum(not ok[x] for x in acc)
        e.update(incognito_tests=tests, incognito_accepted=len(acc), incognito_accepted_but_failing=wrong,
                 incognito_missed=int(ok.sum()) - (len(acc) - wrong),
                 incognito_best_sum=min(map(sum, acc)) if acc else None)
        if acc:
            b = min(map(sum, acc))
            e["incognito_best_nodes"] = [list(x) for x in acc if sum(x) == b]
            e["incognito_best_nodes_that_fail"] = [list(x) for x in acc if sum(x) == b and not ok[x]]
    res["settings"][name] = e
    print(name, {k: v for k, v in e.items() if k not in ("optimal_nodes", "incognito_best_nodes")},
          "optimal", e.get("optimal_nodes", [])[:6], flush=True)


full = set(sys.argv[3:])                     # "single" and the alphas (in hundredths) to run Incognito for
for k in (2, 5, 10, 50):
    describe(f"k={k} only", min_size >= k, k in (2, 10))
    for rule in ("single_plain", "single_refined", "general_plain", "general_refined"):
        if rule.startswith("single") and "single" not in full:
            continue
        for j, a in enumerate(ALPHAS):
            ok = (min_size >= k) & z[rule][:, j].reshape(shape)
            if k in (2, 10):
                describe(f"k={k} alpha={a / 100} {rule}", ok, str(a) in full)
json.dump(res, open(sys.argv[2], "w"), indent=1)
