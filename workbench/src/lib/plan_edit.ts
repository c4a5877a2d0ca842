import type { ColumnPlan, Plan, RulePlan } from "./api/types";

// Pure changes of a plan. They edit a copy that the caller made; the server turns the result into text.

function entryOf(plan: Plan, column: string): ColumnPlan | undefined {
  return plan.column.find((entry) => entry.name === column || entry.names?.includes(column));
}

/** Changes the entry of one column. A column that shares an entry with others gets its own, so that the others keep theirs. */
export function changeColumn(plan: Plan, column: string, change: Partial<ColumnPlan>): void {
  const entry = entryOf(plan, column);
  if (!entry) {
    plan.column.push({ name: column, role: "insensitive", ...change });
    return;
  }
  if (entry.names && entry.names.length > 1) {
    entry.names = entry.names.filter((name) => name !== column);
    const { names: _shared, ...rest } = entry;
    plan.column.splice(plan.column.indexOf(entry) + 1, 0, { ...rest, ...change, name: column });
    return;
  }
  Object.assign(entry, change);
}

/** Sets the role of a column. Only quasi-identifiers are generalized, and only one column can be the subject. */
export function changeRole(plan: Plan, column: string, role: ColumnPlan["role"]): void {
  if (role === "subject") {
    delete plan.source.rows_are_people;
    for (const entry of plan.column) if (entry.role === "subject" && entry.name !== column) entry.role = "identifier";
  }
  // A role that a person chose needs no second confirmation.
  changeColumn(plan, column, role === "quasi-identifier" ? { role, confirmed: true } : { role, confirmed: true, hierarchy: null });
  if (role !== "sensitive") dropRulesOf(plan, column);
}

/** Sets an entry of a section; an empty value removes it, and a section without entries goes with its last one. */
export function setEntry(plan: Plan, section: "release" | "context" | "solve", key: string, value: string | number | boolean | null): void {
  const part = (plan[section] ??= {}) as Record<string, unknown>;
  if (value === null || value === "") delete part[key];
  else part[key] = value;
  if (Object.keys(part).length === 0) delete plan[section];
}

/** How rows belong to people: each row is a person, people are counted by a column, or nobody decided. */
export type PeopleChoice = "rows" | "subject" | "open";

export function peopleOf(plan: Plan): PeopleChoice {
  if (plan.column.some((entry) => entry.role === "subject")) return "subject";
  return plan.source.rows_are_people ? "rows" : "open";
}

/** What the figures count: people if the plan says how rows belong to them, else rows. */
export function countedAs(plan: Plan | null, counts: "rows" | "people"): "rows" | "people" {
  return counts === "people" || plan?.source.rows_are_people ? "people" : "rows";
}

/** A subject and rows that are people exclude each other. */
export function changePeople(plan: Plan, choice: PeopleChoice, subject: string | null): void {
  if (choice === "rows") plan.source.rows_are_people = true;
  else delete plan.source.rows_are_people;
  if (choice === "subject" && subject) changeRole(plan, subject, "subject");
  else for (const entry of plan.column) if (entry.role === "subject") entry.role = "identifier";
}

/** Rules name sensitive columns only; a rule about another column would make the plan invalid. */
function dropRulesOf(plan: Plan, column: string): void {
  const { policy } = plan;
  if (policy.alpha) policy.alpha = policy.alpha.filter((alpha) => alpha.column !== column);
  if (policy.rule) policy.rule = policy.rule.filter((rule) => rule.column !== column);
}

/** A rule of the policy with its place, for both lists of the plan: `policy.alpha` and `policy.rule`. */
export interface PolicyRule {
  list: "alpha" | "rule";
  index: number;
  model: string;
  column: string;
  parameters: Record<string, unknown>;
}

export function policyRules(plan: Plan): PolicyRule[] {
  const alphas = (plan.policy.alpha ?? []).map((entry, index): PolicyRule => {
    const { column, ...parameters } = entry;
    return { list: "alpha", index, model: "alpha-deassociation", column, parameters };
  });
  const rules = (plan.policy.rule ?? []).map((entry, index): PolicyRule => {
    const { model, column, ...parameters } = entry;
    return { list: "rule", index, model, column, parameters };
  });
  return [...alphas, ...rules];
}

/** Sensitive columns that no rule names: k-anonymity alone does not limit what a class reveals about them. */
export function unprotectedColumns(plan: Plan): string[] {
  const named = new Set(policyRules(plan).map((rule) => rule.column));
  const sensitive = plan.column.filter((entry) => entry.role === "sensitive").flatMap((entry) => entry.names ?? entry.name ?? []);
  return sensitive.filter((name) => !named.has(name));
}

export const unprotectedWords = (column: string): string => `No rule protects ${column}: if all people of a class have the same value, it is known for all of them.`;

export function addRule(plan: Plan, model: string, column: string, parameters: Record<string, unknown>): void {
  if (model === "alpha-deassociation") {
    const alpha = (parameters["alpha"] ?? 0.5) as number | string;
    (plan.policy.alpha ??= []).push({ ...parameters, column, alpha });
  } else {
    (plan.policy.rule ??= []).push({ model, column, ...parameters } as RulePlan);
  }
}

export function changeRule(plan: Plan, rule: PolicyRule, parameter: string, value: unknown): void {
  const entry = plan.policy[rule.list]?.[rule.index] as Record<string, unknown> | undefined;
  if (!entry) return;
  if (value === null || value === undefined || value === "") delete entry[parameter];
  else entry[parameter] = value;
}

export function removeRule(plan: Plan, rule: PolicyRule): void {
  plan.policy[rule.list]?.splice(rule.index, 1);
}
