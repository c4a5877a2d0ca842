// Holds the answers of a server against the types of the page: INCROWD=…/incrowd npm run shapes
// Every answer that the page gets while all screens are filled is written as a literal and given to the compiler.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { closeAll, fillAllScreens, go, openWorkbench } from "./browser.js";

/** The type of each answer, by method and path. */
const answers = [
  [/^GET \/session$/, "Session"], [/^GET \/log$/, "SessionLog"], [/^GET \/files/, "Files"], [/^GET \/table$/, "Table"], [/^GET \/rows/, "Rows"],
  [/^GET \/lists$/, "Lists"], [/^GET \/glossary$/, "Glossary"], [/^GET \/explain\//, "Explanation"], [/^GET \/builders$/, "{ builders: Builder[] }"],
  [/^GET \/columns$/, "Columns"], [/^GET \/risk$/, "Risk"], [/^GET \/feasibility$/, "Feasibility"], [/^GET \/candidates$/, "{ candidates: Candidate[] }"],
  [/^GET \/jobs$/, "{ jobs: Job[] }"], [/^GET \/jobs\/\d+$/, "Job"], [/^GET \/release$/, "ReleaseFacts"],
  [/^(GET|PUT) \/plan$/, "PlanAnswer"], [/^POST \/plan\/(save|confirm|undo|redo)$/, "PlanAnswer"], [/^POST \/candidates\/\d+\/use$/, "PlanAnswer"],
  [/^POST \/reveal$/, "{ revealed: string[] }"], [/^GET \/hierarchies\/[^/]+$/, "Hierarchy"], [/^POST \/hierarchies\/[^/]+\/(edit|preview)$/, "Hierarchy"],
  [/^GET \/hierarchies\/[^/]+\/node/, "HierarchyNode"],
];
/** The type of the result of each kind of job. */
const results = { lattice: "Lattice", compare: "Comparison", attack: "Attacks", release: "ReleaseMade", verify: "Verification", query: "QueryAnswer", candidate: "Figures" };
const unchecked = /^(DELETE|PATCH) |\/events$|^POST \/(open|candidates|lattice|compare|attack|release|verify|query|close)$|^POST \/hierarchies\/[^/]+\/save$/;

/** Long lists say no more than their first entries. */
const shortened = (value) => (Array.isArray(value) ? value.slice(0, 4).map(shortened) : value !== null && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shortened(part)])) : value);

const seen = [];
const unknown = new Set();
const { page, problems } = await openWorkbench();
page.on("response", async (response) => {
  const { pathname } = new URL(response.url());
  if (!pathname.startsWith("/api/") || response.status() >= 300) return;
  const name = `${response.request().method()} ${pathname.slice(4)}`;
  const type = answers.find(([pattern]) => pattern.test(name))?.[1];
  if (type) {
    const body = await response.json().catch(() => undefined);
    if (body !== undefined) seen.push([name, type, body]);
  } else if (!unchecked.test(name)) unknown.add(name);
});
await page.reload();
await page.getByRole("heading", { level: 1 }).waitFor();
await fillAllScreens(page);
await page.getByRole("tab", { name: /Query/ }).click();
await page.getByLabel(/^Query without FROM/).fill("SELECT COUNT(*) WHERE sex = 'Female'");
await page.getByRole("button", { name: "Estimate the answer" }).click();
await page.getByText("guaranteed bounds").waitFor();
await go(page, "hierarchies/marital-status");
await page.getByRole("button", { name: "Show values of marital-status" }).first().click();
await page.getByRole("button", { name: "Edit this tree" }).click();
await page.getByRole("button", { name: "Save as file…" }).waitFor();
await page.getByRole("button", { name: "Discard edits" }).click();
await go(page, "columns");
await page.getByRole("button", { name: /^Explain IC/ }).first().click();
await page.waitForTimeout(500);
await page.keyboard.press("Escape");
await page.getByRole("button", { name: "Session", exact: true }).click();
await page.waitForTimeout(500);
const { jobs } = await page.evaluate(async () => (await fetch("/api/jobs")).json());
for (const job of jobs) {
  const whole = await page.evaluate(async (id) => (await fetch(`/api/jobs/${id}`)).json(), job.id);
  seen.push([`job ${job.kind}`, "Job", whole]);
  if (results[job.kind] && whole.state === "done") seen.push([`result of ${job.kind}`, results[job.kind], { seconds: whole.seconds, ...whole.result }]);
}
await closeAll();

const folder = mkdtempSync(fileURLToPath(new URL("../node_modules/.shapes-", import.meta.url)));
const file = `${folder}/answers.ts`;
const types = ["Session", "SessionLog", "Files", "Table", "Rows", "Lists", "Glossary", "Explanation", "Builder", "Columns", "Risk", "Feasibility", "Candidate", "Job", "ReleaseFacts", "PlanAnswer", "Hierarchy", "HierarchyNode", ...Object.values(results)];
const lines = [`import type { ${types.join(", ")} } from "../../src/lib/api/types";`, "type Plain<T> = { -readonly [K in keyof T]: Plain<T[K]> };"];
const names = [];
for (const [name, type, body] of seen) {
  names[lines.length] = name;
  lines.push(`{ const raw = ${JSON.stringify(shortened(body))} as const; const read: ${type} = raw as Plain<typeof raw>; void read; }`);
}
writeFileSync(file, lines.join("\n"));
const program = ts.createProgram([file], { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, skipLibCheck: true });
const faults = new Set();
for (const fault of ts.getPreEmitDiagnostics(program)) {
  const line = fault.file?.fileName === file ? fault.file.getLineAndCharacterOfPosition(fault.start).line : 0;
  const words = ts.flattenDiagnosticMessageText(fault.messageText, "\n").split("\n").map((one) => (one.length > 260 ? `${one.slice(0, 120)} … ${one.slice(-130)}` : one));
  faults.add(`${names[line] ?? "?"}\n${words.join("\n")}`);
}
rmSync(folder, { recursive: true });
for (const fault of faults) console.error(fault);
for (const name of unknown) console.error(`no type is known for ${name}`);
for (const problem of problems) console.error(problem);
console.log(`${seen.length} answers held against ${new Set(seen.map(([, type]) => type)).size} types: ${faults.size} differ`);
process.exit(faults.size + unknown.size + problems.length > 0 ? 1 : 0);
