import { ApiError, asApiError, get, post, request } from "../api/client";
import type { Plan, PlanAnswer } from "../api/types";
import { notices } from "./notices.svelte";

/**
 * The plan of the session. Changes are sent one after the other, each with the ETag of the last answer; if somebody else
 * changed the plan meanwhile, the change is applied once more to the new plan.
 */
class PlanState {
  now = $state.raw<PlanAnswer | null>(null);
  pending = $state(0);
  #queue: Promise<unknown> = Promise.resolve();

  get etag(): string | null {
    return this.now?.etag ?? null;
  }

  get plan(): Plan | null {
    return this.now?.plan ?? null;
  }

  get busy(): boolean {
    return this.pending > 0;
  }

  async load(): Promise<void> {
    this.now = await get<PlanAnswer>("/plan");
  }

  clear(): void {
    this.now = null;
  }

  /** Applies a change to a copy of the plan and sends it. True if the server accepted it. */
  edit(change: (plan: Plan) => void): Promise<boolean> {
    return this.#enqueue((answer) => {
      const plan = structuredClone(answer.plan);
      change(plan);
      return request<PlanAnswer>("PUT", "/plan", { plan }, answer.etag);
    });
  }

  /** Replaces the text; throws the server's error so that the editor can show it at the text. */
  async setText(text: string): Promise<void> {
    const etag = this.etag;
    if (etag === null) return;
    this.now = await request<PlanAnswer>("PUT", "/plan", { text }, etag);
  }

  confirm(what: { columns?: string[]; policy?: true; all?: true }): Promise<boolean> {
    return this.#enqueue((answer) => post<PlanAnswer>("/plan/confirm", what, answer.etag));
  }

  undo(): Promise<boolean> {
    return this.#enqueue((answer) => post<PlanAnswer>("/plan/undo", {}, answer.etag));
  }

  redo(): Promise<boolean> {
    return this.#enqueue((answer) => post<PlanAnswer>("/plan/redo", {}, answer.etag));
  }

  /** Writes the plan's file. Throws so that the caller can ask before a file is replaced. */
  async save(path?: string, overwrite?: boolean): Promise<void> {
    const etag = this.etag;
    if (etag === null) return;
    this.now = await post<PlanAnswer>("/plan/save", { ...(path ? { path } : {}), ...(overwrite ? { overwrite } : {}) }, etag);
  }

  #enqueue(send: (answer: PlanAnswer) => Promise<PlanAnswer>): Promise<boolean> {
    this.pending++;
    const turn = this.#queue.then(() => this.#send(send)).finally(() => this.pending--);
    this.#queue = turn;
    return turn;
  }

  async #send(send: (answer: PlanAnswer) => Promise<PlanAnswer>): Promise<boolean> {
    try {
      if (!this.now) await this.load();
      try {
        this.now = await send(this.now as PlanAnswer);
      } catch (cause) {
        if (!(cause instanceof ApiError && cause.planChanged)) throw cause;
        await this.load();
        this.now = await send(this.now as unknown as PlanAnswer);
      }
      return true;
    } catch (cause) {
      notices.error(asApiError(cause));
      return false;
    }
  }
}

export const plan = new PlanState();
