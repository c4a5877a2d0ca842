// Answers that do not depend on the state of the session: lists, glossary, explanations, candidates' figures.
import { readFileSync } from "node:fs";
import { data, text, cells, names, kindOf, valuesOf } from "./table.js";

const parameter = (name, kind, help, more = {}) => ({ name, kind, help, ...more });
const parameters = {
  "k-anonymity": [parameter("k", "whole", "minimum class size", { default: 5 })],
  "alpha-deassociation": [parameter("alpha", "share", "maximum share of one value in a class", { default: 0.5 }), parameter("values", "values", "protected values, counted together"), parameter("rule", "word", "exact or refined", { words: ["exact", "refined"], default: "exact" })],
  "p-sensitive": [parameter("p", "whole", "minimum number of distinct values per class", { default: 2 })],
  "extended-p-sensitive": [parameter("p", "whole", "minimum number of categories per class", { default: 2 }), parameter("groups", "groups", "values of each protected group")],
  "distinct-l-diversity": [parameter("l", "whole", "minimum number of distinct values per class", { default: 3 })],
  "frequency-l-diversity": [parameter("l", "number", "at most one in ℓ people has the same value", { default: 2 })],
  "entropy-l-diversity": [parameter("l", "number", "minimum effective number of values", { default: 2 })],
  "recursive-c-l-diversity": [parameter("l", "number", "ℓ", { default: 2 }), parameter("c", "number", "factor c", { default: 3 })],
  "t-closeness": [parameter("t", "share", "maximum distance", { default: 0.3 }), parameter("distance", "word", "distance between two values", { words: ["equal", "ordered", "hierarchical"], default: "equal" })],
  "beta-likeness": [parameter("beta", "number", "maximum relative gain", { default: 1 }), parameter("rule", "word", "basic or enhanced", { words: ["basic", "enhanced"], default: "basic" })],
  "delta-disclosure": [parameter("delta", "number", "limit of the logarithm of the ratio", { default: 1.1 })],
};

export const lists = () => ({
  models: data("list-models.json").map((model) => ({ id: model.id, name: model.id, sentence: model.summary, parameters: parameters[model.id], needs_sensitive: model.id !== "k-anonymity", how: model.id === "k-anonymity" ? "k" : model.id === "alpha-deassociation" ? "alpha" : "rule" })),
  losses: data("list-losses.json"),
  algorithms: data("list-algorithms.json").map((one) => ({ ...one, full_domain: one.id === "incognito" })),
  attacks: data("list-attacks.json").map((one) => ({ ...one, needs: one.id === "journalist" ? ["a register"] : [] })),
});

export const builders = () => ({ builders: data("list-hierarchies.json").filter((one) => one.id !== "file").map((one) => ({ word: one.id, summary: one.summary, kinds: { intervals: ["integer", "number"], "free-intervals": ["integer", "number", "date"], dates: ["date"], prefix: ["text", "integer"] }[one.id] ?? ["integer", "number", "date", "text"] })) });

export function glossary() {
  const page = new URL("../../docs/glossary.md", import.meta.url);
  const rows = readFileSync(page, "utf8").split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| term") && !line.startsWith("| ---"));
  const plain = (words) => words.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1").replace(/[*`]/g, "").trim();
  return { terms: rows.map((line) => { const [, term, sentence] = line.split(" | ").map((cell) => cell.replace(/^\| /, "")).reduce((all, cell) => [...all, cell], [""]); return { term: plain(term), sentence: plain(sentence), page: "glossary.md" }; }) };
}

export function explain(code) {
  let words;
  try {
    words = text(`explain-${code}.txt`);
  } catch {
    return null;
  }
  const [head, title, ...rest] = words.trim().split("\n\n");
  const [, name, severity] = /^\S+ (\S+) \((\w+)\)/.exec(head) ?? [null, code, "note"];
  const flat = rest.map((paragraph) => paragraph.replace(/\n/g, " "));
  return { code, name, severity, title, text: flat.slice(0, -1).join("\n\n"), remedy: flat.at(-1) ?? null };
}

export function figures(settings) {
  const real = data("anonymize.json");
  const factor = Math.log(settings.k + 1) / Math.log(6) * (settings.algorithm === "auto" ? 1 : settings.algorithm === "incognito" ? 1.35 : 1.12);
  const bound = real.loss.bound * (Math.log(settings.k + 1) / Math.log(6));
  const loss = Math.max(bound, Math.min(0.95, real.loss.lm * factor * (1 - settings.suppress)));
  return { loss, bound, ratio: loss / bound, risk: 1 / settings.k, mean_risk: 0.92 / settings.k, classes: Math.floor(470 / settings.k), smallest_class: settings.k, suppressed_rows: Math.floor(500 * settings.suppress * 0.8), rows: 500, optimal: false, cut_short: false, levels: settings.algorithm === "incognito" ? [3, 1, 1, 0, 1, 0, 0, 1, 5, 5] : null, columns: real.loss.columns.map((column) => ({ name: column.name, lm: Math.min(1, column.lm * factor), unchanged: column.unchanged })), promises: [`On the quasi-identifiers, each person is indistinguishable from at least ${settings.k - 1} others.`, ...real.promises.slice(1)], seconds: 1.4, why: real.why };
}

export function comparison(revealed, scale = 1) {
  const real = data("compare.json");
  const distributions = real.columns.map((column) => {
    const counts = [...valuesOf(column)].sort(([a, n], [b, m]) => (kindOf(column) === "text" ? m - n : kindOf(column) === "integer" ? a - b : a < b ? -1 : 1));
    const size = Math.ceil(counts.length / 24);
    const bars = [];
    for (let from = 0; from < counts.length && bars.length < 24; from += size) {
      const part = counts.slice(from, from + size);
      bars.push({ label: revealed.includes(column) ? (size === 1 ? part[0][0] : `${part[0][0]} – ${part.at(-1)[0]}`) : null, before: part.reduce((sum, [, n]) => sum + n, 0) / cells.length, after: 0 });
    }
    const mean = bars.reduce((sum, bar) => sum + bar.before, 0) / bars.length;
    const distance = (real.releases[0].marginals.find((one) => one.column === column)?.distance ?? 0) * 3 * scale;
    for (const bar of bars) bar.after = bar.before + (mean - bar.before) * Math.min(0.9, distance);
    return { column, ordered: kindOf(column) !== "text", bars, rows: cells.length };
  });
  return { ...real, releases: real.releases.map((release) => ({ ...release, distributions })) };
}

export function lattice() {
  const columns = ["age", "sex", "race", "marital-status"];
  const heights = [4, 1, 1, 1];
  const nodes = [];
  const visit = (levels) => {
    if (levels.length === heights.length) {
      const sum = levels.reduce((a, b) => a + b, 0);
      const holds = levels[0] >= 3 && sum >= 4;
      nodes.push({ levels, k: holds ? 5 + sum : Math.max(1, sum - 1), suppressed_rows: 0, loss: sum / 8 + levels[0] / 20, holds, chosen: false });
    } else for (let level = 0; level <= heights[levels.length]; level++) visit([...levels, level]);
  };
  visit([]);
  nodes.filter((one) => one.holds).sort((a, b) => a.loss - b.loss)[0].chosen = true;
  return { columns, heights, nodes, cut: null };
}

export const preview = (count, revealed) => ({ columns: names.map((name) => ({ name, kind: kindOf(name), revealed: revealed.includes(name) })), rows: cells.slice(0, count).map((row) => row.map((cell, at) => (revealed.includes(names[at]) ? cell : null))) });
