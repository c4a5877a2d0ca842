import { asApiError } from "../api/client";

export interface Notice {
  id: number;
  kind: "done" | "error";
  message: string;
  remedy: string | null;
}

/** Short messages about what has just happened. Errors stay until they are closed; the others go after some seconds. */
class Notices {
  list = $state.raw<Notice[]>([]);
  /** Read aloud by screen readers; also for progress that is visible elsewhere. */
  spoken = $state("");
  #next = 1;

  done(message: string): void {
    const id = this.#add("done", message, null);
    setTimeout(() => this.close(id), 4500);
  }

  error(cause: unknown): void {
    const error = asApiError(cause);
    if (this.list.some((notice) => notice.message === error.message)) return;
    this.#add("error", error.message, error.remedy);
  }

  say(words: string): void {
    this.spoken = words;
  }

  close(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id);
  }

  #add(kind: Notice["kind"], message: string, remedy: string | null): number {
    const id = this.#next++;
    this.list = [...this.list.slice(-3), { id, kind, message, remedy }];
    return id;
  }
}

export const notices = new Notices();

/** Runs an action of the user; an error becomes a notice. True if it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (cause) {
    notices.error(cause);
    return false;
  }
}
