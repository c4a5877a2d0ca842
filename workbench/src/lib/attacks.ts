import type { Attacks, AttackResult } from "./api/types";

/** Attacks whose success is a share within one class: it cannot be compared with shares of people. */
const notAboutPeople = ["skewness"];

export const isShareOfPeople = (attack: AttackResult): boolean => !notAboutPeople.includes(attack.attack);

export const attackName = (attack: AttackResult): string => (attack.column === "" ? attack.attack : `${attack.attack} on ${attack.column}`);

/** Attacks without a limit, most successful first; those whose success is no share of people come last. */
export function withoutLimit(attacks: Attacks): AttackResult[] {
  return attacks.attacks
    .filter((attack) => attack.limit === null)
    .sort((a, b) => Number(isShareOfPeople(b)) - Number(isShareOfPeople(a)) || b.success - a.success || a.baseline - b.baseline);
}

export interface Verdict {
  tone: "danger" | "warning" | "ok";
  words: string;
}

/** The verdict for a badge: no limit is no protection, so that only attacks that all have a limit are "within the limits". */
export function verdictOf(attacks: Attacks): Verdict {
  if (attacks.exceeded.length > 0) return { tone: "danger", words: `${attacks.exceeded.length} above the limit` };
  if (attacks.unmeasured.length > 0) return { tone: "warning", words: `${attacks.unmeasured.length} ${attacks.unmeasured.length === 1 ? "limit" : "limits"} not measured` };
  const open = withoutLimit(attacks).length;
  if (open > 0) return { tone: "warning", words: open === 1 ? "1 attack has no limit" : `${open} attacks have no limit` };
  return { tone: "ok", words: "within the limits" };
}

/** What holds of the attacks that have a limit. */
export function limitWords(attacks: Attacks): string {
  const limited = attacks.attacks.filter((attack) => attack.limit !== null).length;
  if (limited === 0) return "No attack has a limit.";
  const above = attacks.exceeded.length;
  const all = limited === 1 ? "the attack" : `the ${limited} attacks`;
  return above === 0 ? `None of ${all} with a limit exceeds it.` : `${above} of ${all} with a limit ${above === 1 ? "exceeds" : "exceed"} it.`;
}
