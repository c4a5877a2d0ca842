#!/bin/sh
# Makes the canned answers of the mock server with the real command line: INCROWD=/path/to/incrowd mock/make_data.sh
set -eu
incrowd=${INCROWD:-incrowd}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
cd "$work"
"$incrowd" sample --rows 500 -o people.csv >/dev/null
"$incrowd" init people.csv >/dev/null
"$incrowd" check people.csv --format json >check.json || true
"$incrowd" confirm incrowd.toml >/dev/null
"$incrowd" anonymize incrowd.toml -o release --effort low --seed 1 --l-diversity diagnosis=3 --format json >anonymize.json
"$incrowd" compare people.csv release --queries 50 --target salary-class --format json >compare.json
"$incrowd" attack release --against people.csv --format json >attack.json
"$incrowd" verify release --against people.csv --format json >verify.json || true
"$incrowd" query release "SELECT COUNT(*) WHERE age BETWEEN 30 AND 40" --format json >query.json
for kind in models algorithms losses attacks hierarchies; do "$incrowd" list $kind --format json >list-$kind.json; done
for code in IC101 IC102 IC103 IC104 IC106 IC126 IC530 IC502; do "$incrowd" explain $code >"explain-$code.txt"; done
cp people.csv check.json anonymize.json compare.json attack.json verify.json query.json list-*.json explain-*.txt "$here/data/"
cp release/manifest.json "$here/data/"
rm -rf "$work"
