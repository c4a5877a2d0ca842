"""p-sensitive k-anonymity oracle: Condition 2 (maxClusters) and the bounds it implies.

usage: p_sensitive_maxclusters.py TABLE_CSV OUT_JSON
"""
import json, sys
import pandas as pd

df = pd.read_csv(sys.argv[1], dtype=str)
SENS = ["education-num", "education", "occupation"]
n, k = len(df), 20
freq = {s: sorted(df[s].value_counts().tolist(), reverse=True) for s in SENS}


def condition2(attrs, p):
    """min over i=1..p of floor((n - cf[p-i]) / i); returns it with the smallest i reaching it."""
    cf = [0] + [max(sum(freq[a][:i]) for a in attrs) for i in range(1, p + 1)]
    vals = [(n - cf[p - i]) // i for i in range(1, p + 1)]
    return min(vals), vals.index(min(vals)) + 1, cf, vals


res = {"n": n, "k": k, "distinct": {s: len(freq[s]) for s in SENS}, "frequencies": freq, "p": {}}
for p in (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14):
    if p > min(len(f) for f in freq.values()):          # Condition 1
        continue
    mc, ival, cf, vals = condition2(SENS, p)
    v = min(mc, n // k)
    q, r = divmod(n, v)
    res["p"][p] = {"maxClusters": mc, "iValue": ival, "cf": cf, "terms_i=1..p": vals,
                   "per_attribute": {s: condition2([s], p)[:2] for s in SENS}, "v_bound": v,
                   "AVG_lower_bound": n / (v * k), "AVG_lower_bound_from_maxClusters_only": n / (mc * k),
                   "DM_lower_bound": r * (q + 1) ** 2 + (v - r) * q * q}
json.dump(res, open(sys.argv[2], "w"), indent=1)
print(n, res["distinct"])
for p, e in res["p"].items():
    print(p, e["maxClusters"], "iValue", e["iValue"], e["per_attribute"], "v", e["v_bound"], "AVG>=", round(e["AVG_lower_bound"], 4), "DM>=", e["DM_lower_bound"], e["terms_i=1..p"])
