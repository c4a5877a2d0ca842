import type { Candidate, Plan } from "./api/types";
import { percent } from "./format";

// What a candidate means for the plan: whether it is what the plan asks for, and whether it keeps the promise.

/** Whether a release of the plan can have exactly the bytes of this candidate's settings. */
export function hasSettingsOf(candidate: Candidate, plan: Plan): boolean {
  const { settings } = candidate;
  const solve = plan.solve ?? {};
  return (
    settings.k === plan.policy.k &&
    settings.suppress === (plan.policy.suppress ?? 0) &&
    settings.algorithm === (solve.algorithm ?? "auto") &&
    settings.loss === (solve.loss ?? null) &&
    settings.effort === (solve.effort ?? null) &&
    settings.time === (solve.time ?? null) &&
    settings.seed === (solve.seed ?? null)
  );
}

/** Candidates with figures that the plan, as it is now, asks for; the one that was used last comes first. */
export function candidatesInPlan(candidates: Candidate[], plan: Plan | null, usedLast: number | null = null): Candidate[] {
  if (!plan) return [];
  const matching = candidates.filter((candidate) => candidate.figures !== null && !candidate.stale && hasSettingsOf(candidate, plan));
  return matching.sort((a, b) => Number(b.id === usedLast) - Number(a.id === usedLast));
}

/** A result that was stopped early cannot be repeated, so that its bytes cannot be published. */
export const canPublishExactly = (candidate: Candidate): boolean => candidate.figures !== null && !candidate.figures.cut_short;

/** What using a candidate would weaken, such as "k from 5 to 3"; empty if it keeps the promise. */
export function weakens(candidate: Candidate, plan: Plan | null): string[] {
  if (!plan) return [];
  const { k, suppress = 0 } = plan.policy;
  const words: string[] = [];
  if (candidate.settings.k < k) words.push(`k from ${k} to ${candidate.settings.k}`);
  if (candidate.settings.suppress > suppress) words.push(`the suppression budget from ${percent(suppress)} to ${percent(candidate.settings.suppress)}`);
  return words;
}

/** The candidates with the smallest loss among those that keep the promise of the plan. */
export function leastLoss(candidates: Candidate[], plan: Plan | null): number[] {
  const keeping = candidates.filter((candidate) => candidate.figures !== null && !candidate.stale && weakens(candidate, plan).length === 0);
  const least = Math.min(...keeping.map((candidate) => candidate.figures?.loss ?? Infinity));
  return keeping.length < 2 ? [] : keeping.filter((candidate) => candidate.figures?.loss === least).map((candidate) => candidate.id);
}

export type SortKey = "loss" | "bound" | "ratio" | "risk" | "mean_risk" | "classes" | "suppressed_rows";
export interface Sorting {
  key: SortKey;
  descending: boolean;
}

/** Candidates by a figure; those without figures come last. Without a key, in the order in which they were computed. */
export function sortCandidates(candidates: Candidate[], sorting: Sorting | null): Candidate[] {
  if (!sorting) return candidates;
  const { key, descending } = sorting;
  const value = (candidate: Candidate): number | null => candidate.figures?.[key] ?? null;
  return [...candidates].sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return descending ? right - left : left - right;
  });
}

/** The first click on a heading sorts upwards, the second downwards, the third restores the order of computation. */
export function nextSorting(now: Sorting | null, key: SortKey): Sorting | null {
  if (now?.key !== key) return { key, descending: false };
  return now.descending ? null : { key, descending: true };
}

/** The candidate that a screen shows first: the one that the plan asks for, else a pinned one, else the first. */
export function firstChoice(candidates: Candidate[], plan: Plan | null, usedLast: number | null): Candidate | null {
  const usable = candidates.filter((candidate) => candidate.state === "done");
  return candidatesInPlan(usable, plan, usedLast)[0] ?? usable.find((candidate) => candidate.pinned) ?? usable[0] ?? null;
}
