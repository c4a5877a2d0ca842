// The answers and requests of the server, as described in its OpenAPI description. Names are those of the JSON.

export type * from "./plan_types";
export type * from "./result_types";
export type * from "./session_types";
