// The routes of the mock. Every answer follows the contract of the API; the state is one session in memory.
import * as answers from "./answers.js";
import { build, Hierarchies } from "./hierarchy.js";
import { Jobs, visible } from "./jobs.js";
import { feasibility, Plan } from "./plan.js";
import { cells, checked, curveOf, data, distribution, names, riskOf, valuesOf } from "./table.js";

const letters = { identifier: "I", subject: "P", "quasi-identifier": "Q", sensitive: "S", insensitive: "N" };
class Refusal extends Error {
  constructor(status, code, message, remedy = null) {
    super(message);
    Object.assign(this, { status, code, remedy });
  }
}

export function routes() {
  const jobs = new Jobs();
  const state = { opened: null, revealed: [], log: [], plan: new Plan(), hierarchies: new Hierarchies(), candidates: [], files: new Set(["people.csv", "release"]), released: null };
  const note = (words) => state.log.push({ time: new Date().toISOString(), words });
  const accepted = (job, more = {}) => ({ status: 202, body: { job: job.id, ...more } });
  const needMatch = (request) => {
    if (request.headers["if-match"] !== state.plan.etag) throw new Refusal(412, null, "The plan changed meanwhile.", "Read it again.");
  };
  const hierarchyPlan = (column) => state.plan.plan.column.find((entry) => entry.name === column)?.hierarchy ?? null;
  const showHierarchy = (column, tree) => state.hierarchies.answer(column, hierarchyPlan(column), state.revealed.includes(column), tree);
  const candidate = (id) => {
    const found = state.candidates.find((one) => one.id === Number(id));
    if (!found) throw new Refusal(404, null, `Candidate ${id} does not exist.`);
    return found;
  };
  const dominate = () => {
    const done = state.candidates.filter((one) => one.figures);
    for (const one of done) one.dominated = done.some((other) => other !== one && other.figures.loss <= one.figures.loss && other.figures.risk <= one.figures.risk && (other.figures.loss < one.figures.loss || other.figures.risk < one.figures.risk));
  };
  const pages = () => ({ public: "/pages/release/public.html", internal: "/pages/release/internal.html" });

  const table = {
    "GET /session": () => ({ version: "0.1.0", folder: "/home/steward/census", opened: state.opened, revealed: state.revealed, idle_minutes: 60, counted: true, draft: true }),
    "GET /files": (_, __, url) => url.searchParams.get("folder") ? { folder: "hierarchies", parent: "", recent: [], entries: [{ name: "education.csv", path: "hierarchies/education.csv", kind: "hierarchy", bytes: 812, modified: "2026-11-12T09:00:00Z" }] } : { folder: "", parent: null, recent: [{ path: "people.csv", kind: "table", name: "people.csv" }], entries: [{ name: "hierarchies", path: "hierarchies", kind: "folder", bytes: 0, modified: "2026-11-12T09:00:00Z" }, { name: "people.csv", path: "people.csv", kind: "table", bytes: 64246, modified: "2026-11-16T12:00:00Z" }, { name: "release-2025", path: "release-2025", kind: "release", bytes: 280000, modified: "2025-12-01T08:30:00Z" }, { name: "notes.txt", path: "notes.txt", kind: "other", bytes: 312, modified: "2026-11-01T10:00:00Z" }, ...(state.plan.file ? [{ name: "incrowd.toml", path: "incrowd.toml", kind: "plan", bytes: 2200, modified: new Date().toISOString() }] : [])] },
    "POST /open": (body) => {
      const release = body.path.startsWith("release");
      return accepted(jobs.start("open", `Open ${body.path}`, { seconds: 0.6, stages: ["reading the table", "counting tuples"], result: () => { state.opened = { kind: release ? "release" : "table", path: body.path, name: body.path }; note(`opened ${body.path}`); return release ? { kind: "release", path: body.path } : { kind: "table", path: body.path, plan_path: "incrowd.toml" }; } }));
    },
    "POST /close": () => ((state.opened = null), {}),
    "POST /quit": () => ({}),
    "GET /log": () => ({ entries: state.log }),
    "GET /jobs": () => ({ jobs: [...jobs.list.values()].map(visible) }),
    "GET /table": () => ({ path: "people.csv", format: "CSV", delimiter: ",", header: true, nulls: [], rows: cells.length, columns: names, encoding_note: null }),
    "GET /rows": (_, __, url) => answers.preview(Number(url.searchParams.get("count") ?? 8), state.revealed),
    "POST /reveal": (body) => { if (!state.revealed.includes(body.column)) state.revealed = [...state.revealed, body.column]; note(`values of ${body.column} shown`); return { revealed: state.revealed }; },
    "GET /plan": () => state.plan.answer(),
    "PUT /plan": (body, request) => { needMatch(request); if (body.plan) state.plan.set(body.plan); else if (!/^version = 1$/m.test(body.text)) throw new Refusal(422, "IC502", "incrowd.toml: `version = 1` is missing.", "`incrowd init --schema` prints the allowed keys."); else state.plan.set({ ...state.plan.plan, policy: { ...state.plan.plan.policy, k: Number(/^k = (\d+)/m.exec(body.text)?.[1] ?? 5) } }); return state.plan.answer(); },
    "POST /plan/confirm": (body, request) => (needMatch(request), state.plan.confirm(body), state.plan.answer()),
    "POST /plan/undo": (_, request) => (needMatch(request), state.plan.undo(), state.plan.answer()),
    "POST /plan/redo": (_, request) => (needMatch(request), state.plan.redo(), state.plan.answer()),
    "POST /plan/save": (_, request) => (needMatch(request), state.plan.save(), note("saved incrowd.toml"), state.plan.answer()),
    "GET /columns": () => ({ rows: cells.length, people: cells.length, columns: checked.columns.map((column) => { const entry = state.plan.plan.column.find((one) => one.name === column.name); return { ...column, rows: cells.length, role: entry.role, letter: letters[entry.role], declared: true, guess: { role: column.role, confidence: column.confidence, reason: column.reason }, confirmed: entry.confirmed !== false, keep_identifying: false, spellings_vary: false, distribution: distribution(column.name), hierarchy: entry.hierarchy ?? null, date_format_unknown: false, countable: true }; }) }),
    "GET /risk": () => riskOf(state.plan.plan, state.plan.etag),
    "GET /feasibility": () => ({ ...feasibility(state.plan.plan, state.plan.etag), curve: curveOf([...valuesOf("education").values()].flatMap((n) => [n % 7 + 1, n])) }),
    "GET /builders": answers.builders,
    "GET /lists": answers.lists,
    "GET /glossary": answers.glossary,
    "GET /candidates": () => ({ candidates: state.candidates }),
    "POST /candidates": (body) => {
      const solve = state.plan.plan.solve ?? {};
      const settings = { k: state.plan.plan.policy.k, suppress: state.plan.plan.policy.suppress ?? 0, algorithm: solve.algorithm ?? "auto", loss: solve.loss ?? null, effort: solve.effort ?? "normal", time: null, seed: solve.seed ?? null, ...body.changes };
      const made = { id: state.candidates.length + 1, name: body.name ?? `k = ${settings.k}, ${settings.algorithm}`, pinned: false, state: "running", job: 0, settings, stale: false, figures: null, dominated: false, error: null };
      state.candidates.push(made);
      const job = jobs.start("candidate", made.name, { seconds: 1.8, stages: ["forming classes", "refining", "lower bound"], curve: true, finish: true, result: () => { made.state = "done"; made.figures = answers.figures(settings); dominate(); return { candidate: made.id }; } });
      made.job = job.id;
      return accepted(job, { candidate: made.id });
    },
    "POST /lattice": () => accepted(jobs.start("lattice", "Lattice", { seconds: 0.6, stages: ["evaluating nodes"], result: answers.lattice })),
    "POST /compare": (body) => accepted(jobs.start("compare", "Compare", { seconds: 0.8, stages: ["running queries"], result: () => answers.comparison(state.revealed, body.candidate ?? 1) })),
    "POST /attack": () => accepted(jobs.start("attack", "Attack", { seconds: 0.8, stages: ["linkage", "inference"], result: () => data("attack.json") })),
    "POST /release": (body) => {
      if (state.plan.answer().unconfirmed.columns.length > 0 || state.plan.answer().unconfirmed.policy) throw new Refusal(409, "IC530", "The plan is a draft: some entries are not confirmed.", "Confirm them on the screens Columns and Promise.");
      if (!state.plan.answer().saved) throw new Refusal(409, "unsaved", "The plan has changes that are not saved.", "Save the plan first.");
      if (state.files.has(body.path) && !body.force) throw new Refusal(409, "exists", `${body.path} exists.`, "Choose another folder, or replace it.");
      return accepted(jobs.start("release", "Release", { seconds: 1.6, stages: ["solving", "writing", "verifying"], curve: true, finish: true, result: () => { state.files.add(body.path); state.released = body.path; note(`wrote ${body.path}`); return { ...data("anonymize.json"), path: body.path, record: `${body.path}.internal`, commands: { anonymize: `incrowd anonymize incrowd.toml -o ${body.path} --seed 1`, repeat: `incrowd anonymize incrowd.toml -o again --seed 1 --key ${body.path}.internal/record.json`, verify: `incrowd verify ${body.path} --against people.csv` }, pages: pages() }; } }));
    },
    "GET /release": () => { const manifest = data("manifest.json"); return { path: state.released ?? state.opened?.path ?? "release", has_record: state.released !== null, manifest, rows: manifest.rows, columns: manifest.columns, promises: data("anonymize.json").promises, k: 5, created: manifest.created, pages: state.released ? pages() : null, original: state.released ? "people.csv" : null }; },
    "POST /verify": () => accepted(jobs.start("verify", "Verify", { seconds: 0.5, stages: ["reading the files"], result: () => data("verify.json") })),
    "POST /report": () => accepted(jobs.start("report", "Report", { seconds: 0.5, stages: ["writing the pages"], result: () => ({ pages: pages() }) })),
    "POST /query": (body) => accepted(jobs.start("query", "Query", { seconds: 0.3, result: () => { if (!/^select/i.test(body.sql)) throw new Refusal(422, "IC502", "The query does not start with SELECT.", "Write for example: SELECT COUNT(*) WHERE age BETWEEN 30 AND 40"); return data("query.json"); } })),
  };

  function dynamic(method, path, body, url) {
    const [head, id, more, node] = path.split("/").filter(Boolean).map(decodeURIComponent);
    if (head === "jobs" && !more) return method === "DELETE" ? (jobs.cancel(Number(id)), state.candidates.filter((one) => one.job === Number(id)).forEach((one) => (one.state = "cancelled")), {}) : jobs.list.has(Number(id)) ? visible(jobs.list.get(Number(id))) : null;
    if (head === "jobs" && more === "finish") return jobs.list.get(Number(id)).endNow(), {};
    if (head === "explain") return answers.explain(id);
    if (head === "candidates" && !more) return method === "DELETE" ? ((state.candidates = state.candidates.filter((one) => one.id !== Number(id))), dominate(), {}) : Object.assign(candidate(id), body);
    if (head === "candidates" && more === "use") { const { settings } = candidate(id); const plan = structuredClone(state.plan.plan); Object.assign(plan.policy, { k: settings.k, suppress: settings.suppress }); plan.solve = { ...plan.solve, algorithm: settings.algorithm, effort: settings.effort }; state.plan.set(plan); return state.plan.answer(); }
    if (head !== "hierarchies") return null;
    if (!more) return showHierarchy(id);
    if (more === "nodes") return state.hierarchies.children(id, node, Number(url.searchParams.get("from") ?? 0), state.revealed.includes(id));
    if (more === "preview") return state.hierarchies.answer(id, body.hierarchy, state.revealed.includes(id), build(id, body.hierarchy));
    if (more === "import") return { ...state.hierarchies.answer(id, { file: body.path }, state.revealed.includes(id)), coverage: { values: 15, covered: 14, rows: 500, covered_rows: 497 }, problems: ["1 value in 3 rows has no line in the file."] };
    if (more === "edit") { if (!state.revealed.includes(id)) throw new Refusal(403, "reveal", `The values of ${id} are hidden.`, "Show them first."); try { state.hierarchies.edit(id, hierarchyPlan(id), body.action); } catch (cause) { throw new Refusal(422, null, cause.message); } return showHierarchy(id); }
    if (more === "save") { const path = body.path ?? `hierarchies/${id}.csv`; if (state.files.has(path) && !body.overwrite) throw new Refusal(409, "exists", `${path} exists.`, "Choose another name, or replace it."); state.files.add(path); state.hierarchies.editors.delete(id); const plan = structuredClone(state.plan.plan); plan.column.find((entry) => entry.name === id).hierarchy = { file: path }; state.plan.set(plan); return state.plan.answer(); }
    return null;
  }

  return async function handle(request, response, url) {
    const path = url.pathname.slice(4);
    const send = (status, body) => { response.writeHead(status, { "Content-Type": "application/json" }); response.end(JSON.stringify(body)); };
    const events = /^\/jobs\/(\d+)\/events$/.exec(path);
    if (events) {
      const job = jobs.list.get(Number(events[1]));
      if (!job) return send(404, { error: { code: null, message: "no such job", remedy: null } });
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      const write = (one) => { response.write(`event: job\ndata: ${JSON.stringify(visible(one))}\n\n`); if (one.state !== "running") response.end(); };
      write(job);
      const stop = jobs.listen(job.id, write);
      return request.on("close", stop);
    }
    let raw = "";
    for await (const chunk of request) raw += chunk;
    try {
      if (request.method !== "GET" && request.headers["content-type"] !== "application/json") throw new Refusal(415, null, "Send application/json.");
      const body = raw ? JSON.parse(raw) : {};
      const handler = table[`${request.method} ${path}`];
      const answer = handler ? handler(body, request, url) : dynamic(request.method, path, body, url);
      if (answer === null) throw new Refusal(404, null, `${path} does not exist.`);
      if (answer.status === 202) send(202, answer.body);
      else send(200, answer);
    } catch (cause) {
      send(cause.status ?? 500, { error: { code: cause.code ?? null, message: cause.message, remedy: cause.remedy ?? null } });
    }
  };
}
