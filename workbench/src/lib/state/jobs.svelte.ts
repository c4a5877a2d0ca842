import { ApiError, asApiError, get, post, request } from "../api/client";
import type { Job } from "../api/types";
import { seconds } from "../format";
import { notices } from "./notices.svelte";

// Browsers allow six connections to a server under HTTP/1.1. Event streams keep theirs open, so that only a few jobs are
// followed by events and the others by polling.
const streamsAtOnce = 2;
const pollEvery = 700;

class Jobs {
  list = $state.raw<Job[]>([]);
  #followed = new Map<number, Promise<Job>>();
  #streams = 0;
  #lastSpoken = 0;

  get running(): Job[] {
    return this.list.filter((job) => job.state === "running");
  }

  find(id: number | null | undefined): Job | null {
    return this.list.find((job) => job.id === id) ?? null;
  }

  /** Reads the jobs of the session and follows those that still run: after a reload of the page. */
  async resume(): Promise<void> {
    const { jobs } = await get<{ jobs: Job[] }>("/jobs");
    this.list = jobs;
    for (const job of jobs) if (job.state === "running") void this.follow(job.id).catch(() => undefined);
  }

  /** Waits for the end of a job. Its state is visible in `list` meanwhile. */
  follow<R>(id: number): Promise<Job<R>> {
    let followed = this.#followed.get(id);
    if (!followed) {
      followed = (this.#streams < streamsAtOnce ? this.#byEvents(id) : this.#byPolling(id)).finally(() => this.#followed.delete(id));
      this.#followed.set(id, followed);
    }
    return followed as Promise<Job<R>>;
  }

  /** Starts a job by a request and waits for its result. A failed or cancelled job is thrown as an error. */
  async run<R>(path: string, body: unknown): Promise<R> {
    const { job } = await post<{ job: number }>(path, body);
    return resultOf(await this.follow<R>(job));
  }

  async cancel(id: number): Promise<void> {
    await request("DELETE", `/jobs/${id}`);
  }

  async finish(id: number): Promise<void> {
    await post(`/jobs/${id}/finish`);
  }

  #byEvents(id: number): Promise<Job> {
    this.#streams++;
    return new Promise<Job>((resolve, reject) => {
      const source = new EventSource(`/api/jobs/${id}/events`);
      const end = (): void => {
        source.close();
        this.#streams--;
      };
      source.addEventListener("job", (event) => {
        const job = JSON.parse((event as MessageEvent<string>).data) as Job;
        this.#note(job);
        if (job.state === "running") return;
        end();
        resolve(job);
      });
      source.addEventListener("error", () => {
        // The stream may break when the machine sleeps; polling tells whether the job still exists.
        end();
        this.#byPolling(id).then(resolve, reject);
      });
    });
  }

  async #byPolling(id: number): Promise<Job> {
    for (;;) {
      const job = await get<Job>(`/jobs/${id}`);
      this.#note(job);
      if (job.state !== "running") return job;
      await new Promise((resolve) => setTimeout(resolve, pollEvery));
    }
  }

  #note(job: Job): void {
    const known = this.list.some((other) => other.id === job.id);
    this.list = known ? this.list.map((other) => (other.id === job.id ? job : other)) : [...this.list, job];
    this.#speak(job);
  }

  /** Progress for screen readers: the end always, the stages at most every five seconds. */
  #speak(job: Job): void {
    const now = Date.now();
    if (job.state === "running" && now - this.#lastSpoken < 5000) return;
    this.#lastSpoken = now;
    const words = { running: job.stage, done: `done in ${seconds(job.seconds)}`, failed: "failed", cancelled: "cancelled" };
    notices.say(`${job.name}: ${words[job.state]}`);
  }
}

/** The result of an ended job, or its error. */
export function resultOf<R>(job: Job<R>): R {
  // How long it took is known by the job alone.
  if (job.state === "done" && job.result !== null) return { seconds: job.seconds, ...job.result };
  if (job.state === "cancelled") throw new ApiError(0, "cancelled", `${job.name} was cancelled.`, null);
  if (job.error) throw new ApiError(0, job.error.code, job.error.message, job.error.remedy);
  throw asApiError(new Error(`${job.name} ended without a result.`));
}

/** Share of the work done, or null if the total is unknown. */
export function progress(job: Job): number | null {
  return job.total ? Math.min(1, job.done / job.total) : null;
}

export const jobs = new Jobs();
