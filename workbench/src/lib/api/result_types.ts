// Candidates, comparisons, attacks, releases, and the help.

import type { Finding } from "./plan_types";
import type { ErrorBody, JobState, Role, Severity } from "./session_types";

export interface CandidateSettings {
  k: number;
  suppress: number;
  algorithm: string;
  loss: string | null;
  effort: number | string | null;
  time: number | null;
  seed: number | null;
}
export interface ColumnLoss {
  name: string;
  lm: number;
  unchanged: number;
}
export interface WhyColumn {
  name: string;
  levels: { level: number; share: number; forced_by?: { rule: string; share: number }[] }[];
}
export interface Figures {
  loss: number;
  bound: number | null;
  ratio: number | null;
  risk: number;
  mean_risk: number;
  classes: number;
  smallest_class: number;
  suppressed_rows: number;
  rows: number;
  optimal: boolean;
  cut_short: boolean;
  columns: ColumnLoss[];
  promises: string[];
  seconds: number;
  why: WhyColumn[];
}
export interface Candidate {
  id: number;
  name: string;
  pinned: boolean;
  state: JobState;
  job: number;
  settings: CandidateSettings;
  stale: boolean;
  figures: Figures | null;
  dominated: boolean;
  error: ErrorBody | null;
}
export interface CandidateChanges {
  k?: number;
  suppress?: number;
  algorithm?: string;
  loss?: string;
  effort?: number | string;
  time?: number;
  seed?: number;
}
export interface Lattice {
  columns: string[];
  heights: number[];
  nodes: { levels: number[]; k: number; suppressed_rows: number; loss: number; holds: boolean }[];
  cut: string | null;
}

export interface Distribution {
  column: string;
  ordered: boolean;
  /** The last bar is all other values together. */
  others?: boolean;
  bars: { label: string | null; before: number; after: number }[];
}
export interface ComparedRelease {
  release: string;
  algorithm: string;
  rows: number;
  suppressed_rows: number;
  class_sizes: { classes: number; smallest: number; mean: number; median: number; largest: number; steps: { from: number; to: number; classes: number; rows: number }[] };
  loss: { lm: number; columns: ColumnLoss[] };
  queries: { estimator: string; mean: number; median: number }[];
  marginals: { column: string; distance: number; mean_before?: number; mean_after?: number }[];
  marginal_distance: number;
  dependence: { columns: [string, string]; before: number; after: number }[];
  dependence_difference: number;
  distributions: Distribution[];
  accuracy?: number;
  notes?: string[];
}
export interface Comparison {
  original: string;
  rows: number;
  columns: string[];
  workload: { queries: number; dimensionality: number; selectivity: number; seed: number };
  releases: ComparedRelease[];
  classifier?: { target: string; accuracy: number; most_frequent: number } | null;
  notes?: string[];
}

export interface AttackResult {
  attack: string;
  column: string;
  evidence: "proved" | "found" | "not-found" | "simulated" | "estimated" | string;
  success: number;
  baseline: number;
  low: number;
  high: number;
  rows: number;
  sampled: number;
  figures: { name: string; value: number }[];
  meaning: string;
  limit: number | null;
  limit_source: string | null;
  above: boolean | null;
}
export interface Attacks {
  release: string;
  rows: number;
  placed?: number;
  attacks: AttackResult[];
  not_run: { attack: string; needs: string }[];
  exceeded: string[];
  unmeasured: string[];
  verdict: string;
  verdict_words: string;
  notes: string[];
  seconds: number;
}

export interface Pages {
  public: string | null;
  internal: string | null;
}
export interface ReleaseMade extends Figures {
  path: string;
  record: string | null;
  algorithm: string;
  withheld_for?: { rule?: string; rows?: number; [key: string]: unknown }[];
  repeatability: string;
  verified: boolean;
  canaries: { values: number; bytes: number; found: number } | null;
  findings?: Finding[];
  notes: string[];
  commands: Record<string, string>;
  pages: Pages | null;
}
export interface ReleaseFacts {
  path: string;
  has_record: boolean;
  id?: string;
  version?: string;
  algorithm?: string;
  classes?: number;
  smallest_class?: number;
  rows: number;
  columns: { name: string; role: Role; technique: string }[];
  promises: string[];
  policy?: { models: { model: string; sensitive?: string[] }[] };
  k: number;
  created: string;
  pages: Pages | null;
  original: string | null;
}
export interface Verification {
  verified: boolean;
  faults: { kind: string; message: string }[];
  notes: string[];
  rows: number;
  classes: number;
  smallest_class: number;
  models: { model: string; sensitive: string | null; holds: boolean; classes_failing: number; promise: string }[];
  bytes: number;
  seconds: number;
}
export interface QueryAnswer {
  estimator: string;
  rows: number;
  suppressed_rows: number | null;
  estimate: number;
  lower: number;
  upper: number;
  columns: { name: string; read: string }[];
  notes: string[];
  exact?: number;
}

export interface Explanation {
  code: string;
  name: string;
  severity: Severity | string;
  title: string;
  text: string;
}
export interface Glossary {
  terms: { term: string; sentence: string; page: string | null }[];
}
export interface SessionLog {
  entries: { time: string; words: string }[];
}
