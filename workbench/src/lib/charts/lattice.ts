import type { Lattice } from "../api/types";

export type LatticeNode = Lattice["nodes"][number];
export interface PlacedNode extends LatticeNode {
  x: number;
  y: number;
  key: string;
}

export const latticeKey = (levels: number[]): string => levels.join(",");

/** Places the nodes in rows by the sum of their levels: the unchanged table below, all generalized above. */
export function placeLattice(lattice: Lattice, width: number, rowHeight: number): { nodes: PlacedNode[]; height: number; rows: number } {
  const rows = new Map<number, LatticeNode[]>();
  for (const node of lattice.nodes) {
    const sum = node.levels.reduce((total, level) => total + level, 0);
    rows.set(sum, [...(rows.get(sum) ?? []), node]);
  }
  const sums = [...rows.keys()].sort((a, b) => b - a);
  const nodes = sums.flatMap((sum, row) => {
    const members = rows.get(sum) ?? [];
    return members.map((node, index): PlacedNode => ({ ...node, key: latticeKey(node.levels), x: ((index + 0.5) / members.length) * width, y: row * rowHeight + rowHeight / 2 }));
  });
  return { nodes, height: sums.length * rowHeight, rows: sums.length };
}

/** Pairs of nodes that differ by one level in one column. */
export function latticeEdges(nodes: PlacedNode[]): [PlacedNode, PlacedNode][] {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  return nodes.flatMap((node) =>
    node.levels.flatMap((_, at) => {
      const above = byKey.get(latticeKey(node.levels.map((level, index) => (index === at ? level + 1 : level))));
      return above ? [[node, above] as [PlacedNode, PlacedNode]] : [];
    }),
  );
}
