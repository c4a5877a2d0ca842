"""Turn the raw UCI files into clean, UTF-8, comma separated tables with a header.

usage: prepare_data.py RAW_DIR OUT_DIR
RAW_DIR holds adult.data, adult.test, nursery.data, ticdata2000.txt
"""
import csv, random, sys

raw, out = sys.argv[1], sys.argv[2]
ADULT = ("age workclass fnlwgt education education-num marital-status occupation relationship "
         "race sex capital-gain capital-loss hours-per-week native-country salary-class").split()
NURSERY = "parents has_nurs form children housing finance social health class".split()
COIL = "MOSTYPE MAANTHUI MGEMOMV MGEMLEEF MOSHOOFD MGODRK MGODPR MGODOV MGODGE MRELGE".split()


def rows(path, sep, width):
    for line in open(path, encoding="utf-8"):
        cells = [c.strip() for c in line.strip().split(sep)]
        if len(cells) == width:                      # skips blank lines, comments, count lines
            yield cells


def adult(path):
    for r in rows(path, ",", 15):
        if r[0].isdigit():                           # skips a header line
            r[14] = r[14].rstrip(".")                # adult.test ends its labels with a dot
            yield r


def write(name, header, table):
    with open(f"{out}/{name}", "w", encoding="utf-8", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(header)
        w.writerows(table)
    print(name, len(table), "rows", {h: len({r[i] for r in table}) for i, h in enumerate(header)})


train_all, test_all = list(adult(f"{raw}/adult.data")), list(adult(f"{raw}/adult.test"))
assert (len(train_all), len(test_all)) == (32561, 16281)
train = [r for r in train_all if "?" not in r]
test = [r for r in test_all if "?" not in r]
assert (len(train), len(test)) == (30162, 15060)
write("adult.csv", ADULT, train + test)
write("adult_train.csv", ADULT, train)
write("adult_raw_with_missing.csv", ADULT, train_all + test_all)

nursery = [r for r in rows(f"{raw}/nursery.data", ",", 9) if r[0] != "parents"]
assert len(nursery) == 12960
write("nursery.csv", NURSERY, nursery)

coil = [r[:10] for r in rows(f"{raw}/ticdata2000.txt", "\t", 86)]
assert len(coil) == 5822
write("coil2000.csv", COIL, coil)

random.seed(42)                                      # the sample size of Truta, Campan and Meyer's experiment
ids = sorted(random.sample(range(len(train) + len(test)), 10000))
write("adult_10k_seed42.csv", ADULT, [(train + test)[i] for i in ids])
