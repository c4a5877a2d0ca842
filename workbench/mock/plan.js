// The plan of the mock: its JSON, its text, its difference from the file, undo and redo.
import { checked, valuesOf, kindOf } from "./table.js";

function drafted() {
  const build = (column) => {
    if (column.role !== "quasi-identifier") return {};
    if (column.name === "age") return { hierarchy: { intervals: [5, 10, 20] } };
    if (column.name === "postcode") return { hierarchy: { build: "prefix" } };
    if (column.kind === "date") return { hierarchy: { build: "dates" } };
    return { hierarchy: { build: "flat" } };
  };
  return {
    version: 1, source: { path: "people.csv" }, policy: { k: 5, confirmed: false, suppress: 0 },
    column: checked.columns.map((column) => ({ name: column.name, role: column.role, confirmed: false, ...build(column) })),
  };
}

const toml = (value) => (Array.isArray(value) ? `[${value.map(toml).join(", ")}]` : value !== null && typeof value === "object" ? `{ ${Object.entries(value).map(([key, inner]) => `${key} = ${toml(inner)}`).join(", ")} }` : JSON.stringify(value));
const pairs = (object) => Object.entries(object).filter(([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && typeof value[0] === "object")).map(([key, value]) => `${key} = ${toml(value)}`);

export function textOf(plan) {
  const out = [`# The plan for ${plan.source.path}.`, "", `version = ${plan.version}`, "", "[source]", ...pairs(plan.source), "", "[policy]", ...pairs(plan.policy)];
  for (const list of ["alpha", "rule", "limit"]) for (const entry of plan.policy[list] ?? []) out.push("", `[[policy.${list}]]`, ...pairs(entry));
  for (const part of ["solve", "release", "context", "run"]) if (plan[part] && Object.keys(plan[part]).length) out.push("", `[${part}]`, ...pairs(plan[part]));
  for (const entry of plan.column) out.push("", "[[column]]", ...pairs(entry));
  return `${out.join("\n")}\n`;
}

function diff(before, after) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const table = Array.from({ length: a.length + 1 }, () => new Int32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const out = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) out.push({ kind: "same", line: a[i++] }), j++;
    else if (j < b.length && (i === a.length || table[i][j + 1] > table[i + 1][j])) out.push({ kind: "added", line: b[j++] });
    else out.push({ kind: "removed", line: a[i++] });
  }
  const near = out.map((_, at) => out.slice(Math.max(0, at - 2), at + 3).some((line) => line.kind !== "same"));
  const hunks = [];
  out.forEach((line, at) => {
    if (near[at]) hunks.push(line);
    else if (hunks.length > 0 && hunks.at(-1).kind !== "gap") hunks.push({ kind: "gap", line: "" });
  });
  if (hunks.at(-1)?.kind === "gap") hunks.pop();
  return hunks;
}

export class Plan {
  constructor() {
    this.plan = drafted();
    this.past = [];
    this.future = [];
    this.version = 1;
    this.file = null;
  }
  get etag() {
    return `"${this.version}"`;
  }
  set(plan) {
    this.past.push(this.plan);
    this.future = [];
    this.plan = plan;
    this.version++;
  }
  undo() {
    if (this.past.length === 0) return;
    this.future.push(this.plan);
    this.plan = this.past.pop();
    this.version++;
  }
  redo() {
    if (this.future.length === 0) return;
    this.past.push(this.plan);
    this.plan = this.future.pop();
    this.version++;
  }
  confirm({ columns, policy, all }) {
    const plan = structuredClone(this.plan);
    for (const entry of plan.column) if (all || columns?.includes(entry.name)) entry.confirmed = true;
    if (all || policy) plan.policy.confirmed = true;
    this.set(plan);
  }
  save() {
    this.file = textOf(this.plan);
    this.version++;
  }
  answer() {
    const text = textOf(this.plan);
    return {
      etag: this.etag, plan: this.plan, text, saved: this.file === text, path: "incrowd.toml", file_exists: this.file !== null, diff: diff(this.file ?? "", text).filter((line) => !(this.file === null && line.kind === "removed")),
      undo: this.past.length > 0, redo: this.future.length > 0,
      unconfirmed: { policy: this.plan.policy.confirmed === false, columns: this.plan.column.filter((entry) => entry.confirmed === false).map((entry) => entry.name) }, fault: null,
      commands: { check: "incrowd check incrowd.toml", confirm: "incrowd confirm incrowd.toml", anonymize: "incrowd anonymize incrowd.toml -o release" },
    };
  }
}

export function feasibility(plan, etag) {
  const { k, suppress = 0 } = plan.policy;
  const rows = 500;
  const rules = [{ rule: "k-anonymity", promise: `On the quasi-identifiers, each person is indistinguishable from at least ${k - 1} others.`, feasible: k <= rows, nearest: k <= rows ? null : { parameter: "k", value: rows }, worst_off: `An attacker who knows a person's quasi-identifiers has to choose among at least ${k} rows: a chance of at most ${(100 / k).toFixed(1)} %.` }];
  for (const rule of plan.policy.rule ?? []) {
    const most = valuesOf(rule.column).size;
    const bound = rule.l ?? rule.p;
    const feasible = bound === undefined ? true : bound <= Math.min(most, 40);
    rules.push({ rule: `${rule.model} of ${rule.column}`, promise: `${rule.column}: Every class has at least ${bound ?? "the required"} distinct sensitive values.`, feasible, nearest: feasible ? null : { parameter: rule.l === undefined ? "p" : "l", value: most }, worst_off: `In the least diverse class, ${bound ?? 2} values of ${rule.column} remain possible.` });
  }
  for (const rule of plan.policy.alpha ?? []) {
    const largest = Math.max(...valuesOf(rule.column).values()) / rows;
    const feasible = Number(rule.alpha) >= largest || suppress > 0;
    rules.push({ rule: `alpha-deassociation of ${rule.column}`, promise: `${rule.column}: In every class, at most ${rule.alpha} of the rows have the same value.`, feasible, nearest: feasible ? null : { parameter: "alpha", value: Math.ceil(largest * 1000) / 1000 }, worst_off: `A guess of ${rule.column} is right with a probability of at most ${rule.alpha}.` });
  }
  const infeasible = rules.filter((rule) => rule.feasible === false);
  return {
    etag, ready: true, feasible: infeasible.length === 0, reasons: infeasible.map((rule) => `${rule.rule}: no release can keep this; the nearest feasible value is ${rule.nearest.parameter} = ${rule.nearest.value}.`), rules,
    limits: plan.column.filter((entry) => entry.role === "sensitive").map((entry) => ({ column: entry.name, most_distinct: valuesOf(entry.name).size, largest_share: Math.max(...valuesOf(entry.name).values()) / rows })),
  };
}

export const isNumber = (column) => kindOf(column) === "integer" || kindOf(column) === "decimal";
