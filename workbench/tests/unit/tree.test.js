import assert from "node:assert/strict";
import { test } from "node:test";

const tree = await import("../../src/lib/tree.ts");

const leaf = (id, label) => ({ id, label, level: 0, rows: 1, values: 1, children: [], more: 0 });
const root = { id: "r", label: "*", level: 2, rows: 5, values: 5, more: 3, children: [{ id: "a", label: "Apple", level: 1, rows: 2, values: 2, children: [leaf("a1", "Alma"), leaf("a2", "Boskoop")], more: 0 }, { id: "b", label: "Banana", level: 1, rows: 3, values: 3, children: null, more: 0 }] };
const none = new Map();

test("only expanded nodes show their children, and the rest is announced", () => {
  assert.deepEqual(tree.flatten(root, new Set(), none).map((item) => item.id), ["r"]);
  const items = tree.flatten(root, new Set(["r", "a"]), none);
  assert.deepEqual(items.map((item) => item.id), ["r", "a", "a1", "a2", "b", "r:more"]);
  assert.equal(items[1].siblings, 3);
  assert.equal(items.at(-1).more, 3);
  assert.equal(items[4].expandable, true);
});

test("arrows, Home and End move as in the ARIA tree pattern", () => {
  const items = tree.flatten(root, new Set(["r"]), none);
  assert.deepEqual(tree.treeKey(items, "r", "ArrowDown"), { focus: "a" });
  assert.deepEqual(tree.treeKey(items, "a", "ArrowRight"), { expand: "a" });
  assert.deepEqual(tree.treeKey(items, "r", "ArrowRight"), { focus: "a" });
  assert.deepEqual(tree.treeKey(items, "a", "ArrowLeft"), { focus: "r" });
  assert.deepEqual(tree.treeKey(items, "r", "ArrowLeft"), { collapse: "r" });
  assert.deepEqual(tree.treeKey(items, "a", "End"), { focus: "r:more" });
  assert.equal(tree.treeKey(items, "r", "Home"), null);
  assert.deepEqual(tree.treeKey(items, "a", "*"), { expandSiblings: "a" });
});

test("letters jump to the next label, and repeated letters go on", () => {
  const items = tree.flatten(root, new Set(["r", "a"]), none);
  assert.equal(tree.typeAhead(items, "r", "b"), "a2");
  assert.equal(tree.typeAhead(items, "a2", "b"), "b");
  assert.equal(tree.typeAhead(items, "a2", "bb"), "b");
  assert.equal(tree.typeAhead(items, "r", "ban"), "b");
  assert.equal(tree.typeAhead(items, "r", "x"), null);
});

test("only siblings are grouped, and ranges stay among siblings", () => {
  const items = tree.flatten(root, new Set(["r", "a"]), none);
  assert.equal(tree.areSiblings(items, ["a", "b"]), true);
  assert.equal(tree.areSiblings(items, ["a1", "b"]), false);
  assert.equal(tree.areSiblings(items, ["r"]), false);
  assert.deepEqual(tree.selectRange(items, "a", "b"), ["a", "b"]);
});

test("fetched children replace those of the first answer", () => {
  const fetched = new Map([["b", { ...root.children[1], children: [leaf("b1", "Cavendish")] }]]);
  const items = tree.flatten(root, new Set(["r", "b"]), fetched);
  assert.deepEqual(items.map((item) => item.id), ["r", "a", "b", "b1", "r:more"]);
});
