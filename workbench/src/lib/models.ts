import type { FeasibilityRule, Model, ModelParameter } from "./api/types";
import type { PolicyRule } from "./plan_edit";

// Models as sentences with their main parameter in place. Models that are not listed here show the sentence of the server.
const sentences: Record<string, { sentence: string; name: string }> = {
  "alpha-deassociation": { name: "α-deassociation", sentence: "In each class, at most a share of {alpha} of the people have the same value of {column}." },
  "p-sensitive": { name: "p-sensitivity", sentence: "In each class, {column} has at least {p} distinct values." },
  "extended-p-sensitive": { name: "extended p-sensitivity", sentence: "In each class, {column} has values of at least {p} categories; a protected group is one category." },
  "distinct-l-diversity": { name: "distinct ℓ-diversity", sentence: "In each class, {column} has at least {l} distinct values." },
  "frequency-l-diversity": { name: "frequency ℓ-diversity", sentence: "In each class, at most one in {l} people has the same value of {column}." },
  "entropy-l-diversity": { name: "entropy ℓ-diversity", sentence: "In each class, the effective number of values of {column} (exp of entropy) is at least {l}." },
  "recursive-c-l-diversity": { name: "recursive (c, ℓ)-diversity", sentence: "In each class, the most frequent value of {column} has less than {c} times the rows of all values but the {l} − 1 most frequent." },
  "t-closeness": { name: "t-closeness", sentence: "In each class, the distribution of {column} is at most {t} from that of the whole release (0 = the same, 1 = as far as possible)." },
  "beta-likeness": { name: "β-likeness", sentence: "In each class, the share of each value of {column} is at most 1 + {beta} times its share in the whole release." },
  "delta-disclosure": { name: "δ-disclosure", sentence: "In each class, the share of each value of {column} differs from that in the whole release by a factor of less than e to the power of {delta}." },
};

const defaults: Record<string, number | string> = { alpha: 0.5, p: 2, l: 2, c: 3, t: 0.3, beta: 1, delta: 1.1 };

export type SentencePart = { text: string } | { parameter: string };

export const modelName = (model: Model): string => sentences[model.id]?.name ?? model.id;

export function sentenceOf(model: Model): string {
  return sentences[model.id]?.sentence ?? model.sentence;
}

/** Splits "at least {l} values" into texts and parameters. */
export function sentenceParts(sentence: string): SentencePart[] {
  return sentence
    .split(/(\{[\w-]+\})/)
    .filter((part) => part !== "")
    .map((part) => (/^\{.+\}$/.test(part) ? { parameter: part.slice(1, -1) } : { text: part }));
}

/** The parameters that the sentence does not contain: they are shown below it. */
export function furtherParameters(model: Model): ModelParameter[] {
  const sentence = sentenceOf(model);
  return model.parameters.filter((parameter) => !sentence.includes(`{${parameter.name}}`));
}

/** Parameters for a new rule: those that the model requires, with a cautious default. */
export function defaultParameters(model: Model): Record<string, unknown> {
  const inSentence = model.parameters.filter((parameter) => sentenceOf(model).includes(`{${parameter.name}}`));
  return Object.fromEntries(inSentence.map((parameter) => [parameter.name, parameter.default ?? defaults[parameter.name] ?? 2]));
}

/** Reads a parameter as typed. Null means that it is not valid; shares and numbers may be ratios such as 1/3. */
export function readParameter(kind: ModelParameter["kind"], text: string): unknown {
  const trimmed = text.trim();
  if (kind === "word") return trimmed;
  if (kind === "values") return splitList(trimmed, ",");
  if (kind === "groups") return splitList(trimmed, "/").map((group) => splitList(group, ","));
  if (kind === "whole") return /^\d+$/.test(trimmed) && Number(trimmed) >= 1 ? Number(trimmed) : null;
  if (/^\d+\s*\/\s*[1-9]\d*$/.test(trimmed)) return trimmed.replace(/\s/g, "");
  const value = /^\d*\.?\d+$/.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (Number.isNaN(value) || value <= 0) return null;
  return kind === "share" && value > 1 ? null : value;
}

export function showParameter(value: unknown): string {
  if (Array.isArray(value)) return value.map((entry) => (Array.isArray(entry) ? entry.join(", ") : String(entry))).join(Array.isArray(value[0]) ? " / " : ", ");
  return value === null || value === undefined ? "" : String(value);
}

function splitList(text: string, separator: string): string[] {
  return text.split(separator).map((part) => part.trim()).filter((part) => part !== "");
}

/** Finds what the server says about each rule: by model and column, equal ones in the order of the plan. */
export function matchFeasibility(rules: PolicyRule[], answers: FeasibilityRule[]): (FeasibilityRule | null)[] {
  const left = [...answers];
  return rules.map((rule) => {
    const at = left.findIndex((answer) => answer.rule === `${rule.model} of ${rule.column}`);
    return at < 0 ? null : (left.splice(at, 1)[0] ?? null);
  });
}

/** What the release will say about a rule, with the column that it is about. */
export function promiseWords(rule: FeasibilityRule): string {
  const columns = rule.columns ?? [];
  return columns.length === 0 ? rule.promise : `${columns.join(", ")}: ${rule.promise}`;
}
