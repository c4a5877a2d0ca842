"""Privacy-diagnosis oracle: k of every attribute subset, a-priori call counts, suppression.

usage: diagnosis_column_sets.py ADULT_TRAIN_CSV OUT_JSON
Everything is brute force over pandas group-bys; the a-priori search only counts its calls.
"""
import itertools, json, math, sys
import pandas as pd

df = pd.read_csv(sys.argv[1], dtype=str)
ATTRS = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
n = len(df)
SUBSETS = [frozenset(c) for r in range(1, 9) for c in itertools.combinations(ATTRS, r)]
key = lambda s: [a for a in ATTRS if a in s]

# sizes of the equivalence classes of each subset, ascending
SIZES = {s: sorted(df.groupby(key(s), sort=False).size().tolist()) for s in SUBSETS}
K = {s: SIZES[s][0] for s in SUBSETS}                                   # question 2 for each S


def k_after_suppression(sizes, delta, reading):
    """Largest k after removing smallest classes whole.  Returns (k, tuples removed)."""
    budget, removed, j = delta * n, 0, 0
    if reading == "sound":              # remove a class only if the total stays within delta*n
        while j < len(sizes) and removed + sizes[j] <= budget + 1e-9:
            removed += sizes[j]
            j += 1
    elif reading == "sound_ceil":       # as above with the ceiling of Definition 3
        while j < len(sizes) and removed + sizes[j] <= math.ceil(budget - 1e-9):
            removed += sizes[j]
            j += 1
    elif reading == "paper_0based":     # pseudo-code with the array read from its first cell
        while removed < budget and j < len(sizes):
            removed += sizes[j]
            j += 1
    elif reading == "paper_literal":    # lines 4, 11, 15: filled from cell 0, read from cell 1
        j = 1
        while removed < budget and j < len(sizes):
            removed += sizes[j]
            j += 1
    return (sizes[j] if j < len(sizes) else 0), removed


def sound_k(sizes, delta):
    """Largest k such that all classes smaller than k hold at most delta*n tuples together."""
    best = sizes[0]
    for k in sorted(set(sizes)):
        if sum(c for c in sizes if c < k) <= delta * n + 1e-9:
            best = k
    return best


def apriori(measure, k, memo):
    """Algorithm 2.  memo=True: a candidate met twice in a level is measured once."""
    calls, F, levels = 0, [], []
    P = []
    for a in ATTRS:
        calls += 1
        if measure(frozenset([a])) >= k:
            P.append(frozenset([a]))
    levels.append(8)
    while P:
        N, seen, before = set(), {}, calls
        for si in P:
            NN = False
            for sj in P:
                if len(si - sj) == 1 and len(sj - si) == 1:
                    s = si | sj
                    if all(s - {a} in P for a in s):
                        if memo and s in seen:
                            ok = seen[s]
                        else:
                            calls += 1
                            ok = seen[s] = measure(s) >= k
                        if ok:
                            N.add(s)
                            NN = True
            if not NN:
                F.append(si)
        levels.append(calls - before)
        P = list(N)
    return calls, F, levels


def maximal(k, kmap):
    good = [s for s in SUBSETS if kmap[s] >= k]
    return [s for s in good if not any(s < t for t in good)]


res = {"n": n, "attributes": ATTRS}
res["k_per_subset"] = {"+".join(key(s)): K[s] for s in SUBSETS}
res["distinct_k_values"] = sorted(set(K.values()))
res["subsets_with_k_at_least"] = {k: sum(v >= k for v in K.values()) for k in range(1, 51)}
res["calls_alg2"] = {}
for k in range(1, 51):
    m, F, lv = apriori(K.get, k, True)
    d, F2, lv2 = apriori(K.get, k, False)
    assert set(F) == set(F2) == set(maximal(k, K)), k
    res["calls_alg2"][k] = {"distinct_candidates": m, "per_level": lv, "literal_double_loop": d}
res["maximal_subsets"] = {k: [key(s) for s in maximal(k, K)] for k in (1, 2, 3, 5, 10, 20, 50)}

res["suppression"] = {}
for delta in (0.01, 0.05, 0.1):
    for rd in ("sound", "sound_ceil", "paper_0based", "paper_literal"):
        KD = {s: k_after_suppression(SIZES[s], delta, rd)[0] for s in SUBSETS}
        if rd == "sound":
            # removing whole classes greedily one by one equals the size-threshold rule in k? (checked below)
            res["suppression"].setdefault("greedy_differs_from_threshold_rule", {})[delta] = sum(
                KD[s] != sound_k(SIZES[s], delta) for s in SUBSETS)
        entry = {"k_per_subset": {"+".join(key(s)): KD[s] for s in SUBSETS}, "calls_q7": {}}
        mono = sum(1 for s in SUBSETS for t in SUBSETS if s < t and KD[t] > KD[s])
        entry["monotonicity_violations_S_subset_T_but_kT_greater"] = mono
        for k in range(1, 51):
            m, F, _ = apriori(KD.get, k, True)
            d, _, _ = apriori(KD.get, k, False)
            entry["calls_q7"][k] = {"distinct_candidates": m, "literal_double_loop": d,
                                    "matches_brute_force": set(F) == set(maximal(k, KD))}
        entry["maximal_subsets"] = {k: [key(s) for s in maximal(k, KD)] for k in (2, 5, 10, 50)}
        res["suppression"][f"delta={delta} reading={rd}"] = entry

# question 4 with pruning "k=1 => every superset has k=1": calls needed for all subsets
def q4_calls(kmap):
    calls, level = 0, [frozenset()]
    alive = {frozenset()}
    for size in range(1, 9):
        nxt = set()
        for s in (t for t in SUBSETS if len(t) == size):
            if all(s - {a} in alive for a in s):
                calls += 1
                if kmap[s] > 1:
                    nxt.add(s)
        alive = nxt
    return calls
res["q4_calls_no_suppression"] = q4_calls(K)
res["q8_calls_by_delta"] = {f"{d/100:.2f}": q4_calls({s: k_after_suppression(SIZES[s], d / 100, "sound")[0] for s in SUBSETS})
                            for d in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50)}

# the twelve questions for a few settings (S = {age,sex,race} and S = all eight)
def min_removed(sizes, k):
    return sum(c for c in sizes if c < k)
q = {}
for S in (["age", "sex"], ["age", "race", "sex"], ["workclass", "education", "marital-status"], ATTRS):
    s = frozenset(S)
    z = SIZES[s]
    q["+".join(S)] = {
        "classes": len(z), "q2_k": K[s],
        "q1_is_at_least_2": K[s] >= 2, "q1_is_at_least_5": K[s] >= 5,
        "q6_k_delta_0.01": sound_k(z, .01), "q6_k_delta_0.05": sound_k(z, .05), "q6_k_delta_0.1": sound_k(z, .1),
        "q5_is_at_least_5_with_delta_0.05": sound_k(z, .05) >= 5,
        "q9_min_tuples_removed_for_k": {k: min_removed(z, k) for k in (2, 3, 5, 10, 50)},
        "q9_min_delta_for_k": {k: min_removed(z, k) / n for k in (2, 3, 5, 10, 50)},
        "q11_steps_k_and_min_removed": [[k, min_removed(z, k)] for k in sorted(set(z))[:12]],
        "largest_class": z[-1], "unique_tuples": sum(c == 1 for c in z)}
res["questions"] = q
res["q10_min_removed_for_k5_per_subset"] = {"+".join(key(s)): min_removed(SIZES[s], 5) for s in SUBSETS}
json.dump(res, open(sys.argv[2], "w"), indent=1)

c = res["calls_alg2"]
print("calls k: distinct / literal", {k: (c[k]["distinct_candidates"], c[k]["literal_double_loop"], c[k]["per_level"]) for k in (1, 2, 3, 4, 5, 7, 8, 10, 20, 30, 40, 50)})
print("singletons", {a: K[frozenset([a])] for a in ATTRS})
print("k>1 subsets", [(key(s), K[s]) for s in SUBSETS if K[s] > 1])
for name, e in res["suppression"].items():
    if "calls_q7" in e:
        print(name, {k: (e["calls_q7"][k]["distinct_candidates"], e["calls_q7"][k]["literal_double_loop"]) for k in (1, 2, 5, 10, 20, 50)},
              "mono viol", e["monotonicity_violations_S_subset_T_but_kT_greater"],
              "apriori!=brute:", sum(not v["matches_brute_force"] for v in e["calls_q7"].values()))
print(res["suppression"]["greedy_differs_from_threshold_rule"])
print("q4", res["q4_calls_no_suppression"], "q8", res["q8_calls_by_delta"])
