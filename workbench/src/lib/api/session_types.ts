// Session, files, jobs and the table.

export type Role = "identifier" | "subject" | "quasi-identifier" | "sensitive" | "insensitive";
export type ColumnKind = "integer" | "number" | "date" | "text";
export type Severity = "danger" | "warning" | "note";

export interface ErrorBody {
  code: string | null;
  message: string;
  remedy: string | null;
}

export interface Session {
  version: string;
  folder: string;
  opened: null | { kind: "table" | "release"; path: string; name: string };
  revealed: string[];
  idle_minutes: number;
  counted: boolean;
  /** The job that opens the table named on the command line, while it runs. */
  opening?: number | null;
  draft: boolean;
}

export type EntryKind = "folder" | "table" | "plan" | "release" | "hierarchy" | "other";
export interface FileEntry {
  name: string;
  path: string;
  kind: EntryKind;
  bytes: number | null;
  modified: string | null;
}
export interface Files {
  folder: string;
  entries: FileEntry[];
  parent: string | null;
  recent: { path: string; kind: EntryKind; name: string }[];
}

export interface Reading {
  delimiter?: string;
  header?: boolean;
  nulls?: string[];
  format?: string;
  encoding?: string;
  decimal_commas?: string[];
  sheet?: string;
  range?: string;
}

export type JobState = "running" | "done" | "failed" | "cancelled";
export interface CurvePoint {
  seconds: number;
  loss: number | null;
  bound: number | null;
}
export interface Job<R = unknown> {
  id: number;
  kind: "open" | "count" | "candidate" | "lattice" | "compare" | "attack" | "release" | "verify" | "report" | "query" | "check";
  name: string;
  state: JobState;
  stage: string;
  done: number;
  total: number | null;
  seconds: number;
  curve: CurvePoint[];
  can_finish: boolean;
  warnings: string[];
  result: R | null;
  error: ErrorBody | null;
}
export interface Started {
  job: number;
}

export interface Table {
  path: string;
  format: string;
  delimiter: string | null;
  header: boolean | null;
  nulls: string[];
  encoding: string | null;
  sheet: string | null;
  decimal_commas: string[];
  rows: number | null;
  columns: string[];
}
export interface Rows {
  columns: { name: string; kind: ColumnKind; revealed: boolean }[];
  rows: (string | null)[][];
}
