# Commands for contributors; `just` lists them. Each is one line that can be typed without `just` too.

export CARGO_TARGET_DIR := env("CARGO_TARGET_DIR", env("HOME") / ".cache/incrowd/target")

# List the commands.
default:
	@just --list

# Run the fast part of the gate: format, and the crates that read no tables.
quick:
	bash .ci/run quick

# Run the whole gate.
gate:
	bash .ci/run

# Build the command line and all tests.
build:
	cargo build --locked --bins --tests

# Run the tests whose name contains TEXT.
test TEXT="":
	cargo nextest run --locked -E 'test({{TEXT}})'

# Format the code.
fmt:
	cargo fmt --all

# Print the folder of the unpacked test data.
testdata:
	@cargo run --locked --quiet --target-dir "$CARGO_TARGET_DIR/light" -p incrowd-testdata

# Update the expected output in cases/ and in the documentation after an intended change.
bless:
	INCROWD_BLESS=1 cargo nextest run --locked --test cli -E 'test(every_case)'
	python3 tests/python/docs_run.py --bless "$CARGO_TARGET_DIR/debug/incrowd"
