import { untrack } from "svelte";
import { type ApiError, asApiError } from "../api/client";

/**
 * An answer of the server that is fetched again when something changes. The old value stays visible while the new one is
 * on its way, so that the layout does not move; answers that arrive out of order are dropped.
 */
export class Resource<T> {
  value = $state.raw<T | null>(null);
  error = $state.raw<ApiError | null>(null);
  loading = $state(false);
  #ticket = 0;
  #fetch: () => Promise<T>;

  constructor(fetch: () => Promise<T>) {
    this.#fetch = fetch;
  }

  async load(): Promise<void> {
    const ticket = ++this.#ticket;
    this.loading = true;
    try {
      const value = await this.#fetch();
      if (ticket !== this.#ticket) return;
      this.value = value;
      this.error = null;
    } catch (cause) {
      if (ticket !== this.#ticket) return;
      this.error = asApiError(cause);
    } finally {
      if (ticket === this.#ticket) this.loading = false;
    }
  }

  /** Loads the value once; later calls do nothing unless loading failed. */
  async once(): Promise<void> {
    if (this.value === null && !this.loading) await this.load();
  }

  clear(): void {
    this.#ticket++;
    this.value = null;
    this.error = null;
    this.loading = false;
  }
}

/** Loads a resource now and whenever `key` changes. To be called while a component is created. */
export function loadWith(key: () => unknown, resource: { load: () => Promise<void> }): void {
  $effect(() => {
    if (key()) untrack(() => void resource.load());
  });
}
