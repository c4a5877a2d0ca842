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
