// The plan and what the server derives from it: columns, risk, hierarchies, feasibility.

import type { ColumnKind, Role, Severity } from "./session_types";

export type Build = "flat" | "dates" | "prefix" | "intervals" | "sets" | "free-intervals";
export type HierarchyPlan = { file: string } | { "ragged-file": string } | { intervals: number[] } | { build: Build };

export interface ColumnPlan {
  name?: string;
  names?: string[];
  role: Role;
  confirmed?: boolean;
  hierarchy?: HierarchyPlan | null;
  date_format?: string | null;
  decimal?: "," | null;
  keep_identifying?: boolean;
  spellings?: "fold" | "keep" | null;
}
export interface AlphaPlan {
  column: string;
  alpha: number | string;
  values?: string[];
  rule?: "exact" | "refined";
}
/** A model with its parameters; the keys besides `model` and `column` depend on the model. */
export interface RulePlan {
  model: string;
  column: string;
  [parameter: string]: unknown;
}
export interface LimitPlan {
  attack: string;
  max: number;
  figure?: string | null;
}
export interface PopulationPlan {
  path?: string | null;
  count?: string | null;
  sampling_fraction?: number | null;
  estimator?: string | null;
  k_map?: number | null;
  delta_presence?: string | null;
  risk?: number | null;
  attacker?: "journalist" | null;
}
export interface Plan {
  version: number;
  source: { path: string; format?: string | null; delimiter?: string | null; header?: boolean | null; nulls?: string[]; rows_are_people?: boolean };
  policy: { k: number; suppress?: number; alpha?: AlphaPlan[]; rule?: RulePlan[]; limit?: LimitPlan[]; confirmed?: boolean };
  solve?: { algorithm?: string | null; loss?: string | null; effort?: string | number | null; time?: number | null; seed?: number | null; [key: string]: unknown };
  population?: PopulationPlan;
  release?: {
    path?: string | null;
    format?: string | null;
    others?: "refuse" | "remove" | "keep" | null;
    publish?: "one-table" | "two-tables" | null;
    escape_formulas?: boolean;
    report?: boolean | null;
    ledger?: string | null;
  };
  context?: {
    purpose?: string | null;
    recipients?: string | null;
    release_model?: "public" | "controlled" | "enclave" | null;
    responsible?: string | null;
    next_review?: string | null;
  };
  run?: Record<string, unknown>;
  column: ColumnPlan[];
}
export interface DiffLine {
  kind: "same" | "added" | "removed" | "gap";
  line: string;
}
export interface PlanAnswer {
  etag: string;
  plan: Plan;
  text: string;
  saved: boolean;
  path: string;
  file_exists: boolean;
  diff: DiffLine[];
  undo: boolean;
  redo: boolean;
  unconfirmed: { policy: boolean; columns: string[] };
  commands: Record<string, string>;
}

export interface ColumnFacts {
  name: string;
  kind: ColumnKind;
  distinct: number;
  exact: boolean;
  missing: number;
  rows: number;
  role: Role | null;
  letter: string;
  declared: boolean;
  guess: { role: Role; confidence: "sure" | "likely" | "unsure"; reason: string };
  confirmed: boolean;
  keep_identifying: boolean;
  spellings_vary: boolean;
  distribution: { bars: number[]; ordered: boolean; others?: boolean };
  hierarchy: HierarchyPlan | null;
  date_format_unknown: boolean;
  countable: boolean;
}
export interface Columns {
  columns: ColumnFacts[];
  rows: number;
}

export interface Finding {
  code: string;
  name: string;
  severity: Severity;
  columns: string[];
  message: string;
  rows: number | null;
  share: number | null;
}
export interface SuppressionPoint {
  k: number;
  suppressed_rows: number;
  share: number;
}
export interface RiskReady {
  etag: string;
  ready: true;
  rows: number;
  people: number;
  counts: "rows" | "people";
  k_asked: number;
  k: number;
  classes: number;
  unique: number;
  below: number;
  mean_risk: number;
  quasi_identifiers: string[];
  safe: boolean;
  verdict: string;
  dangerous_sets: { columns: string[]; k: number; unique_rows: number; rows_below_k: number }[];
  largest_safe: string[][];
  complete: boolean;
  not_searched: string[];
  attributes: { name: string; distinct: number; separation: number; k: number; unique_without: number | null; below_without: number | null }[];
  curve: SuppressionPoint[];
  findings: Finding[];
  seconds: number;
}
export interface NotReady {
  etag: string;
  ready: false;
  why: string;
  job: number | null;
}
export type Risk = RiskReady | NotReady;

export interface HierarchyNode {
  id: string;
  label: string | null;
  level: number;
  rows: number;
  values: number;
  children: HierarchyNode[] | null;
  more: number;
  /** A value of the column; other nodes can have nodes below them. */
  is_value?: boolean;
}
export interface Hierarchy {
  column: string;
  kind: ColumnKind;
  plan: HierarchyPlan | null;
  editing: boolean;
  undo: boolean;
  redo: boolean;
  revealed: boolean;
  none: null | "sets" | "free-intervals";
  levels: number;
  level_sizes: number[];
  values: number;
  coverage: { values: number; covered: number; rows: number; covered_rows: number };
  problems: string[];
  root: HierarchyNode | null;
  samples: string[][] | null;
}
export interface Builder {
  word: string;
  summary: string;
  kinds: ColumnKind[];
}
export type EditAction =
  | { kind: "start" | "undo" | "redo" | "discard" }
  | { kind: "rename"; node: string; label: string }
  | { kind: "move"; nodes: string[]; to: string }
  | { kind: "group" | "merge"; nodes: string[]; label: string }
  | { kind: "dissolve"; node: string };

export interface ModelParameter {
  name: string;
  kind: "whole" | "share" | "number" | "word" | "values" | "groups" | "paths";
  words?: string[];
  help: string;
  default?: number | string | null;
}
export interface Model {
  id: string;
  sentence: string;
  parameters: ModelParameter[];
  needs_sensitive: boolean;
  how: "k" | "alpha" | "rule";
}
export interface Lists {
  models: Model[];
  losses: { id: string; summary: string }[];
  algorithms: { id: string; summary: string; full_domain: boolean }[];
  attacks: { id: string; summary: string }[];
}
export interface FeasibilityRule {
  rule: string;
  promise: string;
  feasible: boolean | null;
  nearest?: { parameter: string; value: number };
  model?: string;
  columns?: string[];
  parameters?: Record<string, unknown>;
}
export interface Feasibility {
  etag: string;
  ready: boolean;
  feasible: boolean | null;
  reasons: string[];
  rules: FeasibilityRule[];
  limits: { column: string; most_distinct: number; largest_share: number }[];
}
