import { get } from "../api/client";
import type { Candidate, Columns, Feasibility, Risk, RiskReady } from "../api/types";
import { jobs } from "./jobs.svelte";
import { plan } from "./plan.svelte";
import { Resource } from "./resource.svelte";
import { analysisResults } from "./results.svelte";

// What the server derives from the table and the present plan.

export const columns = new Resource<Columns>(() => get<Columns>("/columns"));
export const feasibility = new Resource<Feasibility>(() => get<Feasibility>("/feasibility"));
export const candidates = new Resource<Candidate[]>(async () => (await get<{ candidates: Candidate[] }>("/candidates")).candidates);

/** The risk of the table with the present roles. Waits while the server counts, then asks again. */
class RiskState {
  value = $state.raw<RiskReady | null>(null);
  /** The figures before the last change of the plan, so that the screen can show what a change did. */
  before = $state.raw<RiskReady | null>(null);
  waiting = $state.raw<string | null>(null);
  job = $state.raw<number | null>(null);
  #resource = new Resource<Risk>(() => get<Risk>("/risk"));

  get loading(): boolean {
    return this.#resource.loading || this.waiting !== null;
  }

  get error(): Resource<Risk>["error"] {
    return this.#resource.error;
  }

  async load(): Promise<void> {
    await this.#resource.load();
    const answer = this.#resource.value;
    if (!answer) return;
    if (answer.ready) {
      if (this.value && this.value.etag !== answer.etag) this.before = this.value;
      this.value = answer;
      this.waiting = null;
      this.job = null;
      return;
    }
    this.waiting = answer.why;
    this.job = answer.job;
    if (answer.job !== null) await jobs.follow(answer.job).catch(() => undefined);
    else await new Promise((resolve) => setTimeout(resolve, 500));
    if (plan.etag !== null) await this.load();
  }

  clear(): void {
    this.#resource.clear();
    this.value = null;
    this.before = null;
    this.waiting = null;
  }
}

export const risk = new RiskState();

/** Forgets what belonged to the table or release that was open before. */
export function clearAnalysis(): void {
  columns.clear();
  feasibility.clear();
  candidates.clear();
  risk.clear();
  analysisResults.clear();
}
