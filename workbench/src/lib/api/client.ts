import type { ErrorBody } from "./types";

/** An error that the server reported, or a failure to reach it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string | null,
    message: string,
    readonly remedy: string | null,
  ) {
    super(message);
  }

  /** The plan was changed by another window or program since it was read. */
  get planChanged(): boolean {
    return this.status === 412;
  }

  /** A file is in the way and may only be replaced on request. */
  get fileExists(): boolean {
    return this.status === 409 && this.code === "exists";
  }
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Sends a request to the API. Changing requests always carry a JSON body: the server refuses other content types. */
export async function request<T>(method: Method, path: string, body?: unknown, etag?: string): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  const init: RequestInit = { method, headers, credentials: "same-origin", cache: "no-store" };
  if (method !== "GET") {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body ?? {});
  }
  if (etag !== undefined) headers["If-Match"] = etag;
  let response: Response;
  try {
    response = await fetch(`/api${path}`, init);
  } catch {
    throw new ApiError(0, null, "The workbench server does not answer.", "It may have stopped after a period without use. Start it again with `incrowd open`.");
  }
  const text = await response.text();
  const json: unknown = text === "" ? null : parse(text);
  if (!response.ok) throw errorFrom(response.status, json);
  return json as T;
}

export const get = <T>(path: string): Promise<T> => request<T>("GET", path);
export const post = <T>(path: string, body: unknown = {}, etag?: string): Promise<T> => request<T>("POST", path, body, etag);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function errorFrom(status: number, json: unknown): ApiError {
  const body = (json as { error?: ErrorBody } | null)?.error;
  if (body) return new ApiError(status, body.code, body.message, body.remedy);
  if (status === 401 || status === 403) {
    return new ApiError(status, "session", "This page has no valid session.", "Open the address that `incrowd open` printed, or start it again.");
  }
  return new ApiError(status, null, `The server answered with status ${status}.`, "Try again; if it happens again, restart `incrowd open`.");
}

/** Any thrown value as an ApiError, so that screens show one kind of message. */
export function asApiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  return new ApiError(0, null, cause instanceof Error ? cause.message : "An unexpected error occurred in the page.", "Reload the page.");
}
