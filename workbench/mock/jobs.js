// Jobs of the mock: they advance by a timer and end with a canned result.
export class Jobs {
  constructor() {
    this.list = new Map();
    this.next = 1;
    this.listeners = new Map();
  }
  start(kind, name, { seconds = 1, stages = ["working"], curve = false, finish = false, result }) {
    const job = { id: this.next++, kind, name, state: "running", stage: stages[0], done: 0, total: 1000, seconds: 0, curve: [], can_finish: finish, warnings: [], result: null, error: null };
    this.list.set(job.id, job);
    const began = Date.now();
    const end = () => {
      clearInterval(timer);
      if (job.state !== "running") return;
      try {
        job.result = result(job);
        job.state = "done";
        job.done = job.total;
      } catch (cause) {
        job.state = "failed";
        job.error = { code: cause.code ?? null, message: cause.message, remedy: cause.remedy ?? null };
      }
      this.tell(job);
    };
    const timer = setInterval(() => {
      if (job.state !== "running") return clearInterval(timer);
      job.seconds = (Date.now() - began) / 1000;
      const share = Math.min(1, job.seconds / seconds);
      job.done = Math.floor(share * 1000);
      job.stage = stages[Math.min(stages.length - 1, Math.floor(share * stages.length))];
      if (curve) job.curve.push({ seconds: job.seconds, loss: 0.3 + 0.25 * Math.exp(-3 * share), bound: share > 0.3 ? 0.28 - 0.05 * Math.exp(-4 * share) : null });
      if (share >= 1) end();
      else this.tell(job);
    }, 120);
    job.endNow = end;
    return job;
  }
  cancel(id) {
    const job = this.list.get(id);
    if (job?.state === "running") {
      job.state = "cancelled";
      this.tell(job);
    }
  }
  tell(job) {
    for (const listener of this.listeners.get(job.id) ?? []) listener(job);
  }
  listen(id, listener) {
    if (!this.listeners.has(id)) this.listeners.set(id, new Set());
    this.listeners.get(id).add(listener);
    return () => this.listeners.get(id).delete(listener);
  }
}

export const visible = ({ endNow, ...job }) => job;
