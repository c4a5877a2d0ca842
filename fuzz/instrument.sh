#!/bin/sh
# A wrapper of rustc (RUSTC_WRAPPER): our crates and the readers of files that they use report which branches they take.
rustc="$1"
shift
previous="" crate=""
for word in "$@"; do
  [ "$previous" = --crate-name ] && crate="$word"
  previous="$word"
done
case "$crate" in
incrowd | incrowd_core | incrowd_engine | incrowd_verify | incrowd_cli | incrowd_workbench | incrowd_fuzz | \
  calamine | dta | zip | csv | csv_core | quick_xml | toml | toml_edit | toml_parser | sqlparser | serde_json | parquet | arrow_ipc)
  exec "$rustc" "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares
  ;;
*) exec "$rustc" "$@" ;;
esac
