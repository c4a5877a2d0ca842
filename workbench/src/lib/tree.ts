import type { HierarchyNode } from "./api/types";

// The tree of a hierarchy as a flat list of visible items, and what the keys of the ARIA tree pattern do on it.

export interface TreeItem {
  node: HierarchyNode;
  id: string;
  depth: number;
  parent: string | null;
  position: number;
  siblings: number;
  expandable: boolean;
  expanded: boolean;
  /** Not a node but the entry that loads further children of `parent`. */
  more: number;
}

/** Children of a node: those that were fetched later win over those of the first answer. */
export function childrenOf(node: HierarchyNode, fetched: Map<string, HierarchyNode>): HierarchyNode | null {
  const source = fetched.get(node.id) ?? node;
  return source.children === null ? null : source;
}

export function flatten(root: HierarchyNode, expanded: Set<string>, fetched: Map<string, HierarchyNode>): TreeItem[] {
  const items: TreeItem[] = [];
  const visit = (node: HierarchyNode, depth: number, parent: string | null, position: number, siblings: number): void => {
    const source = childrenOf(node, fetched);
    const expandable = source === null || (source.children?.length ?? 0) > 0;
    const open = expandable && expanded.has(node.id);
    items.push({ node, id: node.id, depth, parent, position, siblings, expandable, expanded: open, more: 0 });
    if (!open || source === null) return;
    const children = source.children ?? [];
    const size = children.length + (source.more > 0 ? 1 : 0);
    children.forEach((child, index) => visit(child, depth + 1, node.id, index + 1, size));
    if (source.more > 0) {
      items.push({ node, id: `${node.id}:more`, depth: depth + 1, parent: node.id, position: size, siblings: size, expandable: false, expanded: false, more: source.more });
    }
  };
  visit(root, 1, null, 1, 1);
  return items;
}

export type TreeMove = { focus: string } | { expand: string } | { collapse: string } | { expandSiblings: string } | null;

/** What a key does in the tree, after the ARIA Authoring Practices: arrows, Home, End and *. */
export function treeKey(items: TreeItem[], focused: string, key: string): TreeMove {
  const at = items.findIndex((item) => item.id === focused);
  const item = items[at];
  if (!item) return items[0] ? { focus: items[0].id } : null;
  const to = (index: number): TreeMove => (items[index] && index !== at ? { focus: items[index].id } : null);
  switch (key) {
    case "ArrowDown":
      return to(Math.min(items.length - 1, at + 1));
    case "ArrowUp":
      return to(Math.max(0, at - 1));
    case "Home":
      return to(0);
    case "End":
      return to(items.length - 1);
    case "ArrowRight":
      if (item.expandable && !item.expanded) return { expand: item.id };
      return item.expanded && items[at + 1]?.parent === item.id ? to(at + 1) : null;
    case "ArrowLeft":
      if (item.expanded) return { collapse: item.id };
      return item.parent === null ? null : { focus: item.parent };
    case "*":
      return { expandSiblings: item.id };
    default:
      return null;
  }
}

/** The next item whose label starts with the typed text; a repeated letter goes on to the next one. */
export function typeAhead(items: TreeItem[], focused: string, typed: string): string | null {
  const at = items.findIndex((item) => item.id === focused);
  const same = typed.length > 1 && [...typed].every((letter) => letter === typed[0]);
  const wanted = (same ? (typed[0] ?? "") : typed).toLowerCase();
  const start = typed.length === 1 || same ? at + 1 : at;
  for (let step = 0; step < items.length; step++) {
    const item = items[(start + step) % items.length];
    if (item && item.more === 0 && (item.node.label ?? "").toLowerCase().startsWith(wanted)) return item.id;
  }
  return null;
}

/** Whether the nodes have the same parent: only siblings can be grouped or merged. */
export function areSiblings(items: TreeItem[], ids: string[]): boolean {
  const parents = new Set(ids.map((id) => items.find((item) => item.id === id)?.parent ?? null));
  return ids.length > 0 && parents.size === 1 && !parents.has(null);
}

/** Adds or removes the items between two, if they are siblings of the first: Shift+arrow and Shift+click. */
export function selectRange(items: TreeItem[], from: string, to: string): string[] {
  const [a, b] = [items.findIndex((item) => item.id === from), items.findIndex((item) => item.id === to)];
  if (a < 0 || b < 0) return [to];
  const parent = items[a]?.parent;
  return items.slice(Math.min(a, b), Math.max(a, b) + 1).filter((item) => item.parent === parent && item.more === 0).map((item) => item.id);
}

/** A label for a group of nodes when the user gives none: "a, b, c" or the ends of a run. */
export function suggestLabel(labels: (string | null)[]): string {
  const known = labels.filter((label): label is string => label !== null);
  if (known.length === 0) return "";
  return known.length <= 3 ? known.join(" or ") : `${known[0]} … ${known[known.length - 1]}`;
}
