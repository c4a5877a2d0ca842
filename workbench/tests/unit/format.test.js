import assert from "node:assert/strict";
import { test } from "node:test";

const format = await import("../../src/lib/format.ts");

test("counts have thousands separators and missing figures a dash", () => {
  assert.equal(format.count(1234567), "1,234,567");
  assert.equal(format.count(null), "–");
});

test("percentages keep a digit for small shares", () => {
  assert.equal(format.percent(0.1234), "12.3 %");
  assert.equal(format.percent(0), "0.0 %");
  assert.equal(format.percent(0.000001), "< 0.1 %");
  assert.equal(format.percent(1, 0), "100 %");
});

test("numbers are read as people type them", () => {
  assert.equal(format.readNumber("1,000"), 1000);
  assert.equal(format.readNumber("5 %"), 0.05);
  assert.equal(format.readNumber("0.25"), 0.25);
  assert.equal(format.readNumber("five"), null);
  assert.equal(format.readNumber(""), null);
});

test("sizes, times and lists", () => {
  assert.equal(format.bytes(999), "999 B");
  assert.equal(format.bytes(64246), "64 kB");
  assert.equal(format.bytes(1_500_000), "1.5 MB");
  assert.equal(format.seconds(3.21), "3.2 s");
  assert.equal(format.seconds(150), "2 min 30 s");
  assert.equal(format.list(["a", "b", "c"]), "a, b and c");
  assert.equal(format.list(["a", "b", "c", "d", "e"]), "a, b, c, d and 1 more");
  assert.equal(format.plural(1, "row"), "1 row");
});
