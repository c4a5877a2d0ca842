import { get, post } from "../api/client";
import type { Glossary, Lists, ReleaseMade, Session, Table } from "../api/types";
import { jobs } from "./jobs.svelte";
import { Resource } from "./resource.svelte";

/** The session of the server: what is open, and which columns show their values. */
class SessionState {
  now = $state.raw<Session | null>(null);
  /** The release that was made last in this session, with what the run reported. */
  released = $state.raw<ReleaseMade | null>(null);
  ended = $state(false);

  async load(): Promise<void> {
    this.now = await get<Session>("/session");
  }

  get opened(): Session["opened"] {
    return this.now?.opened ?? null;
  }

  get tableOpen(): boolean {
    return this.opened?.kind === "table";
  }

  revealed(column: string): boolean {
    return this.now?.revealed.includes(column) ?? false;
  }

  /** Asks the server for the values of a column; it notes this in the session's log. */
  async reveal(column: string): Promise<void> {
    const { revealed } = await post<{ revealed: string[] }>("/reveal", { column });
    if (this.now) this.now = { ...this.now, revealed };
  }

  async open(path: string, reading?: object): Promise<{ kind: "table" | "release"; path: string }> {
    const result = await jobs.run<{ kind: "table" | "release"; path: string }>("/open", reading ? { path, reading } : { path });
    this.released = null;
    await this.load();
    return result;
  }

  async quit(): Promise<void> {
    await post("/quit");
    this.ended = true;
  }
}

export const session = new SessionState();
export const table = new Resource<Table>(() => get<Table>("/table"));
export const lists = new Resource<Lists>(() => get<Lists>("/lists"));
export const glossary = new Resource<Glossary>(() => get<Glossary>("/glossary"));
