// The table of the mock: read from CSV, with the counts that the real server takes from its engine.
import { readFileSync } from "node:fs";

const folder = new URL("./data/", import.meta.url);
export const data = (name) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
export const text = (name) => readFileSync(new URL(name, folder), "utf8");

const lines = text("people.csv").trim().split("\n").map((line) => line.split(","));
export const names = lines[0];
export const cells = lines.slice(1);
export const checked = data("check.json");
const kinds = new Map(checked.columns.map((column) => [column.name, column.kind]));
export const kindOf = (column) => kinds.get(column);
export const index = (column) => names.indexOf(column);

export function valuesOf(column) {
  const at = index(column);
  const counts = new Map();
  for (const row of cells) if (row[at] !== "") counts.set(row[at], (counts.get(row[at]) ?? 0) + 1);
  return counts;
}

export function distribution(column) {
  const counts = [...valuesOf(column)];
  const ordered = kindOf(column) !== "text";
  if (!ordered) return { ordered, bars: counts.map(([, n]) => n / cells.length).sort((a, b) => b - a).slice(0, 12) };
  counts.sort(([a], [b]) => (kindOf(column) === "integer" ? a - b : a < b ? -1 : 1));
  const size = Math.ceil(counts.length / 12);
  const bars = [];
  for (let from = 0; from < counts.length; from += size) bars.push(counts.slice(from, from + size).reduce((sum, [, n]) => sum + n, 0) / cells.length);
  return { ordered, bars };
}

function classSizes(columns) {
  const at = columns.map(index);
  const sizes = new Map();
  for (const row of cells) {
    const key = at.map((position) => row[position]).join("\u0001");
    sizes.set(key, (sizes.get(key) ?? 0) + 1);
  }
  return [...sizes.values()];
}

function measure(columns, k) {
  const sizes = classSizes(columns);
  const below = sizes.filter((n) => n < k).reduce((sum, n) => sum + n, 0);
  return { k: Math.min(...sizes), classes: sizes.length, unique: sizes.filter((n) => n === 1).length, below, sizes };
}

const finding = (code, name, severity, columns, message, rows) => ({ code, name, severity, columns, message, rows, share: rows / cells.length });

export function riskOf(plan, etag) {
  const started = performance.now();
  const k = plan.policy.k;
  const quasi = plan.column.filter((entry) => entry.role === "quasi-identifier").map((entry) => entry.name);
  const all = quasi.length > 0 ? measure(quasi, k) : { k: cells.length, classes: 1, unique: 0, below: 0, sizes: [cells.length] };
  const single = quasi.map((column) => ({ columns: [column], ...measure([column], k) }));
  const bad = single.filter((set) => set.below > 0);
  const good = single.filter((set) => set.below === 0).map((set) => set.columns[0]);
  const safe = [];
  for (let i = 0; i < good.length; i++) {
    for (let j = i + 1; j < good.length; j++) {
      const set = { columns: [good[i], good[j]], ...measure([good[i], good[j]], k) };
      if (set.below > 0) bad.push(set);
      else safe.push(set.columns);
    }
  }
  const findings = [];
  const named = new Intl.NumberFormat("en-US").format;
  if (all.below > 0) findings.push(finding("IC101", "k-below-threshold", "danger", quasi, `the smallest class has ${all.k} (requested: ${k}); ${named(all.below)} of ${named(cells.length)} rows are in classes smaller than ${k}`, all.below));
  if (all.unique > 0) findings.push(finding("IC102", "unique-rows", "danger", quasi, `${named(all.unique)} of ${named(cells.length)} rows are unique`, all.unique));
  for (const set of bad.filter((one) => one.columns.length === 1)) findings.push(finding("IC103", "risky-column", "danger", set.columns, `column \`${set.columns[0]}\` alone puts ${set.below} rows in classes smaller than ${k}; the smallest has ${set.k}`, set.below));
  const pair = (sizes) => 1 - sizes.reduce((sum, n) => sum + (n * (n - 1)) / (cells.length * (cells.length - 1)), 0);
  return {
    etag, ready: true, rows: cells.length, people: cells.length, counts: "rows", k_asked: k, k: all.k, classes: all.classes, unique: all.unique, below: all.below,
    mean_risk: all.classes / cells.length, quasi_identifiers: quasi, safe: all.below === 0,
    verdict: all.below === 0 ? `All rows are in classes of at least ${k} on the ${quasi.length} quasi-identifiers.` : `Not safe to share: ${named(all.below)} of ${named(cells.length)} rows (${((100 * all.below) / cells.length).toFixed(1)} %) are in classes smaller than ${k} on the ${quasi.length} quasi-identifiers; ${named(all.unique)} of them are unique.`,
    dangerous_sets: bad.map((set) => ({ columns: set.columns, k: set.k, unique_rows: set.unique, rows_below_k: set.below })),
    largest_safe: safe.length > 0 ? safe : good.map((column) => [column]), complete: true, not_searched: [],
    attributes: single.map((set) => ({ name: set.columns[0], distinct: set.classes, separation: pair(set.sizes), k: set.k, unique_without: null, below_without: null })),
    curve: curveOf(all.sizes), findings, seconds: (performance.now() - started) / 1000,
  };
}

export function curveOf(sizes) {
  return [2, 3, 5, 10, 20, 50].map((k) => {
    const suppressed_rows = sizes.filter((n) => n < k).reduce((sum, n) => sum + n, 0);
    return { k, suppressed_rows, share: suppressed_rows / cells.length };
  });
}
