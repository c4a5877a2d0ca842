import assert from "node:assert/strict";
import { test } from "node:test";

const scale = await import("../../src/lib/charts/scale.ts");
const scatter = await import("../../src/lib/charts/scatter.ts");
const lattice = await import("../../src/lib/charts/lattice.ts");

test("ticks are round and inside the range", () => {
  assert.deepEqual(scale.ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(scale.ticks(0, 0.33, 4), [0, 0.1, 0.2, 0.3]);
  assert.ok(scale.niceEnd(0.37) >= 0.37);
});

test("three values of k around the one of the plan", () => {
  assert.deepEqual(scatter.threeValuesOfK(5), [3, 5, 10]);
  assert.deepEqual(scatter.threeValuesOfK(2), [2, 3, 4]);
  assert.deepEqual(scatter.readValuesOfK("3, 5,10"), [3, 5, 10]);
  assert.equal(scatter.readValuesOfK("3, x"), null);
});

test("the bound line has the largest bound at each risk", () => {
  const candidate = (id, risk, loss, bound) => ({ id, figures: { risk, mean_risk: risk, loss, bound } });
  const points = scatter.pointsOf([candidate(1, 0.2, 0.4, 0.3), candidate(2, 0.2, 0.5, 0.35), candidate(3, 0.1, 0.6, null), { id: 4, figures: null }], "risk");
  assert.deepEqual(points.map((point) => point.candidate.id), [3, 1, 2]);
  assert.deepEqual(scatter.boundLine(points), [{ risk: 0.2, bound: 0.35 }]);
});

test("the lattice is placed in rows, the unchanged table below", () => {
  const nodes = [[0, 0], [1, 0], [0, 1], [1, 1]].map((levels) => ({ levels, k: 1, suppressed_rows: 0, loss: 0, holds: false, chosen: false }));
  const placed = lattice.placeLattice({ columns: ["a", "b"], heights: [1, 1], nodes, cut: null }, 100, 10);
  assert.equal(placed.rows, 3);
  assert.ok(placed.nodes.find((node) => node.key === "0,0").y > placed.nodes.find((node) => node.key === "1,1").y);
  assert.equal(lattice.latticeEdges(placed.nodes).length, 4);
});
