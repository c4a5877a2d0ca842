import type { DiffLine } from "./api/types";

/** "3 lines added, 1 removed", or null if nothing differs. */
export function diffSummary(diff: DiffLine[]): string | null {
  const added = diff.filter((line) => line.kind === "added").length;
  const removed = diff.filter((line) => line.kind === "removed").length;
  if (added + removed === 0) return null;
  const parts: string[] = [];
  if (added > 0) parts.push(`${added} ${added === 1 ? "line" : "lines"} added`);
  if (removed > 0) parts.push(added > 0 ? `${removed} removed` : `${removed} ${removed === 1 ? "line" : "lines"} removed`);
  return parts.join(", ");
}

/** The sign in front of a line, so that its kind does not depend on colour. */
export function diffSign(kind: DiffLine["kind"]): string {
  return { same: " ", added: "+", removed: "−", gap: "⋯" }[kind];
}
