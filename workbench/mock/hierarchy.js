// Hierarchies of the mock: builders and the tree editor.
import { kindOf, valuesOf } from "./table.js";

let nextId = 1;
const node = (label, children = [], rows = 0) => ({ id: `n${nextId++}`, label, children, rows });

function paths(column, plan) {
  const values = [...valuesOf(column).keys()].sort((a, b) => (kindOf(column) === "integer" ? a - b : a < b ? -1 : 1));
  if (plan?.intervals || plan?.build === "intervals") {
    const widths = plan.intervals ?? [5, 10, 20];
    return values.map((value) => [value, ...widths.map((width) => { const low = Math.floor(value / width) * width; return `[${low}, ${low + width})`; }), "*"]);
  }
  if (plan?.build === "prefix") return values.map((value) => [value, ...Array.from({ length: value.length - 1 }, (_, i) => value.slice(0, value.length - 1 - i) + "*".repeat(i + 1)), "*"]);
  if (plan?.build === "dates") return values.map((value) => [value, value.slice(0, 7), `${value.slice(0, 4)}-Q${Math.ceil(value.slice(5, 7) / 3)}`, value.slice(0, 4), `${value.slice(0, 3)}0s`, "*"]);
  return values.map((value) => [value, "*"]);
}

export function build(column, plan) {
  const counts = valuesOf(column);
  const root = node("*");
  for (const path of paths(column, plan)) {
    let at = root;
    for (const label of path.slice(0, -1).reverse()) {
      let child = at.children.find((candidate) => candidate.label === label);
      if (!child) at.children.push((child = node(label)));
      at = child;
    }
    at.rows = counts.get(path[0]) ?? 0;
  }
  return root;
}

const height = (tree) => (tree.children.length === 0 ? 0 : 1 + Math.max(...tree.children.map(height)));
const rows = (tree) => (tree.children.length === 0 ? tree.rows : tree.children.reduce((sum, child) => sum + rows(child), 0));
const leaves = (tree) => (tree.children.length === 0 ? 1 : tree.children.reduce((sum, child) => sum + leaves(child), 0));

function shown(tree, revealed, deep, from = 0) {
  const cut = deep <= 0 && tree.children.length > 0;
  return { id: tree.id, label: revealed ? tree.label : null, level: height(tree), rows: rows(tree), values: leaves(tree), children: cut ? null : tree.children.slice(from, from + 200).map((child) => shown(child, revealed, deep - 1)), more: cut ? 0 : Math.max(0, tree.children.length - from - 200) };
}

function sizes(root) {
  const out = [];
  const levels = height(root);
  const walk = (tree) => { const level = tree.children.length === 0 ? 0 : height(tree); out[level] = (out[level] ?? 0) + 1; tree.children.forEach(walk); };
  walk(root);
  return Array.from({ length: levels + 1 }, (_, level) => out[level] ?? 0);
}

function samples(root) {
  const out = [];
  const walk = (tree, above) => { const path = [tree.label, ...above]; if (tree.children.length === 0) { if (out.length < 5) out.push(path); } else tree.children.slice(0, 3).forEach((child) => walk(child, path)); };
  walk(root, []);
  return out;
}

const find = (tree, id) => (tree.id === id ? tree : tree.children.map((child) => find(child, id)).find(Boolean));
const parentOf = (tree, id) => (tree.children.some((child) => child.id === id) ? tree : tree.children.map((child) => parentOf(child, id)).find(Boolean));

export class Hierarchies {
  constructor() {
    this.editors = new Map();
    this.shownTrees = new Map();
  }
  answer(column, plan, revealed, tree) {
    const editor = tree ? null : this.editors.get(column);
    const root = tree ?? editor?.tree ?? build(column, plan);
    this.shownTrees.set(column, root);
    const values = valuesOf(column).size;
    const total = [...valuesOf(column).values()].reduce((sum, n) => sum + n, 0);
    const none = plan?.build === "sets" || plan?.build === "free-intervals" ? plan.build : null;
    return { column, kind: kindOf(column), plan, editing: Boolean(editor), undo: (editor?.past.length ?? 0) > 0, redo: (editor?.future.length ?? 0) > 0, revealed, none, levels: height(root), level_sizes: sizes(root), values, coverage: { values, covered: values, rows: total, covered_rows: total }, problems: [], root: none ? null : shown(root, revealed, 2), samples: revealed ? samples(root) : null };
  }
  children(column, id, from, revealed) {
    const found = find(this.shownTrees.get(column) ?? node("*"), id);
    return found ? shown(found, revealed, 1, from) : null;
  }
  edit(column, plan, action) {
    if (action.kind === "start") return void this.editors.set(column, { tree: structuredClone(this.shownTrees.get(column) ?? build(column, plan)), past: [], future: [] });
    if (action.kind === "discard") return void this.editors.delete(column);
    const editor = this.editors.get(column);
    if (!editor) throw new Error("Start editing first.");
    if (action.kind === "undo") return editor.past.length && (editor.future.push(editor.tree), (editor.tree = editor.past.pop()));
    if (action.kind === "redo") return editor.future.length && (editor.past.push(editor.tree), (editor.tree = editor.future.pop()));
    const tree = structuredClone(editor.tree);
    change(tree, action);
    editor.past.push(editor.tree);
    editor.future = [];
    editor.tree = tree;
  }
}

function change(tree, action) {
  if (action.kind === "rename") find(tree, action.node).label = action.label;
  if (action.kind === "dissolve") {
    const parent = parentOf(tree, action.node);
    const at = parent.children.findIndex((child) => child.id === action.node);
    parent.children.splice(at, 1, ...parent.children[at].children);
  }
  if (action.kind === "move") {
    for (const id of action.nodes) {
      const parent = parentOf(tree, id);
      const moved = find(tree, id);
      parent.children = parent.children.filter((child) => child.id !== id);
      find(tree, action.to).children.push(moved);
    }
  }
  if (action.kind === "group" || action.kind === "merge") {
    const parent = parentOf(tree, action.nodes[0]);
    const chosen = parent.children.filter((child) => action.nodes.includes(child.id));
    if (chosen.length !== action.nodes.length) throw new Error("The nodes do not have the same parent.");
    const at = parent.children.indexOf(chosen[0]);
    const made = node(action.label, action.kind === "group" ? chosen : chosen.flatMap((child) => (child.children.length ? child.children : [])), 0);
    if (made.children.length === 0) made.rows = chosen.reduce((sum, child) => sum + rows(child), 0);
    parent.children = parent.children.filter((child) => !chosen.includes(child));
    parent.children.splice(at, 0, made);
  }
}
