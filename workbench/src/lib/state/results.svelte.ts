import type { Attacks, Comparison, Lattice, Verification } from "../api/types";

/** Results of long analyses by candidate, kept while the page is open so that changing screens does not lose them. */
class AnalysisResults {
  #attacks = $state.raw<Map<number, Attacks>>(new Map());
  #comparisons = $state.raw<Map<number, Comparison>>(new Map());

  lattice = $state.raw<{ lattice: Lattice; text: string | null } | null>(null);
  verification = $state.raw<{ path: string; result: Verification; against: boolean } | null>(null);
  /** The candidate whose settings were put into the plan last. */
  used = $state.raw<number | null>(null);
  hierarchiesSeen = $state(false);

  get compared(): number {
    return this.#comparisons.size;
  }

  get attacked(): number {
    return this.#attacks.size;
  }

  attacks(candidate: number): Attacks | null {
    return this.#attacks.get(candidate) ?? null;
  }

  keepAttacks(candidate: number, result: Attacks): void {
    this.#attacks = new Map(this.#attacks).set(candidate, result);
  }

  comparison(candidate: number): Comparison | null {
    return this.#comparisons.get(candidate) ?? null;
  }

  keepComparison(candidate: number, result: Comparison): void {
    this.#comparisons = new Map(this.#comparisons).set(candidate, result);
  }

  clear(): void {
    this.#attacks = new Map();
    this.#comparisons = new Map();
    this.lattice = null;
    this.verification = null;
    this.used = null;
    this.hierarchiesSeen = false;
  }
}

export const analysisResults = new AnalysisResults();
