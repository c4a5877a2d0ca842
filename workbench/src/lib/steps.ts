import type { Candidate, Feasibility, PlanAnswer, ReleaseMade, Session } from "./api/types";
import type { Screen } from "./state/route.svelte";

export interface Step {
  screen: Screen;
  name: string;
  /** What is left to do or what was chosen, in a few words. */
  note: string;
  state: "done" | "todo" | "attention" | "blocked" | "open";
}

interface Known {
  opened: Session["opened"];
  plan: PlanAnswer | null;
  feasibility: Feasibility | null;
  candidates: Candidate[];
  released: ReleaseMade | null;
}

/** The steps of the left navigation with their states. */
export function steps(known: Known): Step[] {
  const { opened, plan, feasibility, candidates, released } = known;
  const table = opened?.kind === "table";
  const blocked = (screen: Screen, name: string): Step => ({ screen, name, note: "open a table first", state: "blocked" });
  const open: Step = { screen: "open", name: "Open", note: opened?.name ?? "", state: opened ? "done" : "todo" };
  if (!table || !plan) {
    return [open, blocked("columns", "Columns"), blocked("hierarchies", "Hierarchies"), blocked("promise", "Promise"), blocked("explore", "Explore"), blocked("compare", "Before / after"), blocked("risk", "Risk"), blocked("release", "Release")];
  }
  const left = plan.unconfirmed.columns.length;
  const quasi = plan.plan.column.filter((entry) => entry.role === "quasi-identifier");
  const quasiCount = quasi.reduce((sum, entry) => sum + (entry.names?.length ?? 1), 0);
  const computed = candidates.filter((candidate) => candidate.state === "done");
  return [
    open,
    { screen: "columns", name: "Columns", note: left > 0 ? `${left} to confirm` : "confirmed", state: left > 0 ? "todo" : "done" },
    { screen: "hierarchies", name: "Hierarchies", note: `${quasiCount} ${quasiCount === 1 ? "column" : "columns"}`, state: quasiCount === 0 ? "attention" : "open" },
    promiseStep(plan, feasibility),
    { screen: "explore", name: "Explore", note: computed.length > 0 ? `${computed.length} computed` : "no candidate yet", state: computed.length > 0 ? "done" : "open" },
    { screen: "compare", name: "Before / after", note: "", state: "open" },
    { screen: "risk", name: "Risk", note: "", state: "open" },
    { screen: "release", name: "Release", note: released ? released.path : "", state: released ? (released.verified ? "done" : "attention") : "open" },
  ];
}

function promiseStep(plan: PlanAnswer, feasibility: Feasibility | null): Step {
  const rules = (plan.plan.policy.alpha?.length ?? 0) + (plan.plan.policy.rule?.length ?? 0);
  const words = `k = ${plan.plan.policy.k}${rules > 0 ? ` + ${rules} ${rules === 1 ? "rule" : "rules"}` : ""}`;
  if (feasibility?.feasible === false) return { screen: "promise", name: "Promise", note: "not feasible", state: "attention" };
  if (plan.unconfirmed.policy) return { screen: "promise", name: "Promise", note: `${words}, to confirm`, state: "todo" };
  return { screen: "promise", name: "Promise", note: words, state: "done" };
}
