import { get, post } from "../api/client";
import type { EditAction, Hierarchy, HierarchyNode, HierarchyPlan, PlanAnswer } from "../api/types";
import { flatten, type TreeItem } from "../tree";
import { plan } from "./plan.svelte";

const path = (column: string): string => `/hierarchies/${encodeURIComponent(column)}`;

/** The hierarchy of one column: its tree, what is expanded and selected, a preview of another one, and the editor. */
export class HierarchyState {
  value = $state.raw<Hierarchy | null>(null);
  preview = $state.raw<{ hierarchy: HierarchyPlan; answer: Hierarchy } | null>(null);
  expanded = $state.raw<Set<string>>(new Set());
  selected = $state.raw<Set<string>>(new Set());
  focused = $state("");
  busy = $state(false);
  #fetched = $state.raw<Map<string, HierarchyNode>>(new Map());
  #ticket = 0;

  constructor(readonly column: string) {}

  /** The hierarchy on the screen: the preview if there is one. */
  get shown(): Hierarchy | null {
    return this.preview?.answer ?? this.value;
  }

  get items(): TreeItem[] {
    const root = this.shown?.root;
    return root ? flatten(root, this.expanded, this.#fetched) : [];
  }

  item(id: string): TreeItem | undefined {
    return this.items.find((item) => item.id === id);
  }

  /** The nodes that an action applies to: the selected ones, or else the one with the focus. */
  get targets(): TreeItem[] {
    const items = this.items.filter((item) => item.more === 0);
    const chosen = items.filter((item) => this.selected.has(item.id));
    return chosen.length > 0 ? chosen : items.filter((item) => item.id === this.focused);
  }

  async load(): Promise<void> {
    await this.#take(get<Hierarchy>(path(this.column)));
  }

  async edit(action: EditAction): Promise<void> {
    await this.#take(post<Hierarchy>(`${path(this.column)}/edit`, { action }));
    if (action.kind !== "rename") this.selected = new Set();
  }

  async showPreview(hierarchy: HierarchyPlan): Promise<void> {
    const file = "file" in hierarchy ? hierarchy.file : null;
    const answer = file === null ? await post<Hierarchy>(`${path(this.column)}/preview`, { hierarchy }) : await post<Hierarchy>(`${path(this.column)}/import`, { path: file });
    this.preview = { hierarchy, answer };
    this.#reset(answer);
  }

  closePreview(): void {
    this.preview = null;
    if (this.value) this.#reset(this.value);
  }

  /** Writes the edited tree to a file and puts it into the plan. Throws so that the caller can ask before replacing. */
  async save(file: string, overwrite: boolean): Promise<void> {
    plan.now = await post<PlanAnswer>(`${path(this.column)}/save`, { path: file, ...(overwrite ? { overwrite } : {}) });
    await this.load();
  }

  async expand(id: string): Promise<void> {
    const node = this.item(id)?.node;
    if (node && node.children === null && !this.#fetched.has(id)) await this.#fetchChildren(id, 0);
    this.expanded = new Set(this.expanded).add(id);
  }

  collapse(id: string): void {
    const next = new Set(this.expanded);
    next.delete(id);
    this.expanded = next;
  }

  async loadMore(parent: string): Promise<void> {
    const known = this.#fetched.get(parent) ?? this.item(parent)?.node;
    await this.#fetchChildren(parent, known?.children?.length ?? 0);
  }

  async #fetchChildren(id: string, from: number): Promise<void> {
    if (this.preview) return;
    const answer = await get<HierarchyNode>(`${path(this.column)}/nodes/${encodeURIComponent(id)}?from=${from}`);
    const before = from === 0 ? [] : ((this.#fetched.get(id) ?? this.item(id)?.node)?.children ?? []);
    this.#fetched = new Map(this.#fetched).set(id, { ...answer, children: [...before, ...(answer.children ?? [])] });
  }

  async #take(answer: Promise<Hierarchy>): Promise<void> {
    const ticket = ++this.#ticket;
    this.busy = true;
    try {
      const value = await answer;
      if (ticket !== this.#ticket) return;
      this.value = value;
      this.preview = null;
      this.#fetched = new Map();
      this.#keepPlace(value);
      await this.#refetchExpanded();
    } finally {
      this.busy = false;
    }
  }

  /** After a change, what was expanded stays expanded: ids of nodes survive edits. */
  #keepPlace(value: Hierarchy): void {
    if (!value.root) return;
    if (this.expanded.size === 0) this.expanded = new Set([value.root.id]);
    const items = this.items;
    if (items.length === 1) this.expanded = new Set([...this.expanded, value.root.id]);
    if (!items.some((item) => item.id === this.focused)) this.focused = value.root.id;
  }

  async #refetchExpanded(): Promise<void> {
    const hidden = this.items.filter((item) => item.expanded && item.node.children === null && !this.#fetched.has(item.id));
    for (const item of hidden) await this.#fetchChildren(item.id, 0);
  }

  #reset(answer: Hierarchy): void {
    this.#fetched = new Map();
    this.selected = new Set();
    this.expanded = new Set(answer.root ? [answer.root.id] : []);
    this.focused = answer.root?.id ?? "";
  }
}

/** "intervals of 5, 10 and 20", "file hierarchies/age.csv": what the plan says, in words. */
export function hierarchyWords(hierarchy: HierarchyPlan | null): string {
  if (hierarchy === null) return "chosen by the type of the column";
  if ("file" in hierarchy) return `file ${hierarchy.file}`;
  if ("ragged-file" in hierarchy) return `file ${hierarchy["ragged-file"]} (lines of different lengths)`;
  if ("intervals" in hierarchy) return `intervals of ${hierarchy.intervals.join(", ")}`;
  const words: Record<string, string> = { flat: "flat: a value or *", dates: "dates: month, quarter, year, decade", prefix: "prefixes: one character fewer per level", intervals: "intervals, widths chosen from the data", sets: "sets of values, no tree", "free-intervals": "free intervals, no tree" };
  return words[hierarchy.build] ?? hierarchy.build;
}
