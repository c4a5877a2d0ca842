import type { Glossary } from "./api/types";

export interface HelpEntry {
  title: string;
  sentence: string;
  page: string | null;
}

// Terms of the screens that the documentation's glossary does not have. The glossary wins where both have a term.
const ownTerms: Record<string, string> = {
  k: "Minimum number of people in a class. With k = 5, each person is indistinguishable from at least 4 others on the quasi-identifiers.",
  separation: "Share of all pairs of rows that differ in this column (0 = all rows have the same value, 1 = no two rows have the same value).",
  "smallest class": "Number of rows, or people, in the smallest class of the table with the present roles. This is the k that the table has now.",
  "rows below k": "Rows in classes that are smaller than the requested k. They have to be generalized or suppressed.",
  "mean risk": "Mean probability that an attacker who knows a person's quasi-identifiers picks the right row, over all rows.",
  "highest risk": "Highest re-identification risk of any row: 1 divided by the size of the smallest class.",
  "dangerous set": "A set of quasi-identifiers with classes smaller than k, none of whose subsets has such classes. Removing or generalizing any one of its columns resolves it.",
  "safe set": "A set of quasi-identifiers that can be published together unchanged, because all of its classes have at least k people.",
  coverage: "Share of the column's values, and of its rows, that the hierarchy has a path for. Values without a path cannot be generalized.",
  level: "Distance from the value: level 0 is the value itself, and each level is more general, up to the root *.",
  dominated: "Another candidate has at most the same loss and at most the same risk, and is better in one of the two.",
  stale: "Roles, hierarchies or rules of the plan changed after this candidate was computed. Compute it again before you rely on it.",
  effort: "Work limit of the solver and of the lower bound: low is a twentieth of normal, high is ten times normal.",
  seed: "Start value of the solver's random choices. The same table, plan and seed give the same classes.",
  "ratio to bound": "Information loss divided by its lower bound. 1.00 means that no release with this policy and these hierarchies can have a smaller loss.",
  "marginal distance": "Distance between the distribution of a column before and after (0 = the same, 1 = as far as possible).",
  dependence: "Strength of the relation between two columns (Cramér's V: 0 = independent, 1 = one determines the other).",
  "query error": "Relative error of counting queries that are answered from the release in place of the original.",
  classifier: "A classifier is trained on the original and on the release, and both predict a column of the original. The nearer the accuracies, the more useful the release.",
  lattice: "All full-domain recodings: one level per column. A node meets k or not; other rules are not looked at.",
  prosecutor: "An attacker who knows that a certain person is in the release and looks for that person's row.",
  journalist: "An attacker who has a register of the population and looks for any person who can be identified.",
  marketer: "An attacker who has a list of all people in the release and assigns a name to as many rows as possible.",
  proven: "A figure that follows from the files: it is exact for the attacker described. A simulated attack only shows what this attempt achieved.",
  baseline: "Success of an attacker who does not have the release.",
  limit: "The highest success that the policy or the plan allows for this attack.",
  canaries: "Values of removed and generalized columns that were searched for in the published bytes. None may be found.",
  "suppression budget": "Maximum share of rows that may be suppressed so that the others keep more detail.",
  withheld: "Rows that were suppressed, and the rule that made it necessary.",
  unconfirmed: "A drafted entry that nobody has confirmed yet. A release needs every entry to be confirmed.",
};

const aliases: Record<string, string> = {
  class: "class, equivalence class",
  "equivalence class": "class, equivalence class",
  "internal record": "record, internal record",
  record: "record, internal record",
  sensitive: "sensitive column",
  insensitive: "insensitive column",
  "unique rows": "unique row",
};

/** The sentence that explains a term: from the glossary of the documentation, or from the terms of the screens. */
export function explainTerm(term: string, glossary: Glossary | null): HelpEntry {
  const key = term.toLowerCase();
  const wanted = [key, aliases[key] ?? key];
  const entry = glossary?.terms.find((candidate) => {
    const name = candidate.term.toLowerCase();
    return wanted.includes(name) || name.split(",").some((part) => part.trim() === key);
  });
  if (entry) return { title: entry.term, sentence: sentenceCase(entry.sentence), page: entry.page };
  const own = ownTerms[key];
  return { title: term, sentence: own ?? "The glossary has no entry for this term.", page: null };
}

function sentenceCase(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?)]$/.test(first) ? first : `${first}.`;
}
