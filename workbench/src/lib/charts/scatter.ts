import type { Candidate, Figures } from "../api/types";

export type RiskMeasure = "risk" | "mean_risk";
export interface Point {
  candidate: Candidate;
  figures: Figures;
  risk: number;
}

/** Candidates that have figures, as points of the chart, the riskiest last. */
export function pointsOf(candidates: Candidate[], measure: RiskMeasure): Point[] {
  return candidates
    .flatMap((candidate) => (candidate.figures ? [{ candidate, figures: candidate.figures, risk: candidate.figures[measure] }] : []))
    .sort((a, b) => a.risk - b.risk);
}

/** The lower bounds as a line over risk: at each risk the largest bound that was proved there. */
export function boundLine(points: Point[]): { risk: number; bound: number }[] {
  const byRisk = new Map<number, number>();
  for (const { risk, figures } of points) {
    if (figures.bound !== null) byRisk.set(risk, Math.max(byRisk.get(risk) ?? 0, figures.bound));
  }
  return [...byRisk].map(([risk, bound]) => ({ risk, bound })).sort((a, b) => a.risk - b.risk);
}

/** The values of k to try around the one of the plan: about half, the same, and twice. */
export function threeValuesOfK(k: number): number[] {
  const half = Math.max(2, Math.ceil(k / 2));
  return [...new Set([half === k ? k + 1 : half, k, k * 2])].sort((a, b) => a - b);
}

/** Reads "3, 5, 10" as values of k. Null if one of them is not a whole number of at least 1. */
export function readValuesOfK(text: string): number[] | null {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== "");
  if (parts.length === 0 || !parts.every((part) => /^[1-9]\d*$/.test(part))) return null;
  return [...new Set(parts.map(Number))];
}

export interface Label {
  x: number;
  y: number;
  anchor: "start" | "end";
}

const letterWidth = 6.3;
const lineHeight = 14;

/** A place for the name of each point where it covers no other name and no point; null where there is none. */
export function placeLabels(points: { x: number; y: number; text: string }[], left: number, right: number, top: number, bottom: number): (Label | null)[] {
  const taken = points.map(({ x, y }) => ({ x0: x - 7, x1: x + 7, y0: y - 7, y1: y + 7 }));
  return points.map(({ x, y, text }) => {
    const width = text.length * letterWidth;
    for (const [dx, dy] of [[12, -7], [-12, -7], [12, 16], [-12, 16], [12, -22], [-12, -22], [12, 31], [-12, 31]] as const) {
      const x0 = dx > 0 ? x + dx : x + dx - width;
      const box = { x0, x1: x0 + width, y0: y + dy - lineHeight + 3, y1: y + dy + 3 };
      const inside = box.x0 >= left && box.x1 <= right && box.y0 >= top && box.y1 <= bottom;
      if (!inside || taken.some((other) => box.x0 < other.x1 && other.x0 < box.x1 && box.y0 < other.y1 && other.y0 < box.y1)) continue;
      taken.push(box);
      return { x: x + dx, y: y + dy, anchor: dx > 0 ? "start" : "end" };
    }
    return null;
  });
}
