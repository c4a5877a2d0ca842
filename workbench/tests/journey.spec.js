// The whole journey by keyboard alone: open a table, confirm roles, edit a hierarchy, set k and a rule, three candidates,
// release, verify. No click and no pointer is used. JOURNEY=adult with JOURNEY_TABLE=…/adult.csv takes ARX's copy of Adult,
// JOURNEY_ROWS another number of made-up rows; JOURNEY_WAIT is how many seconds a step may take.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readFileSync } from "node:fs";
import { openWorkbench } from "./browser.js";
import { activate, focused, step, tabTo } from "./keyboard.js";
import { incrowd } from "./server.js";

const long = 1000 * Number(process.env.JOURNEY_WAIT ?? 180);
const { removed, sensitive } = { census: { removed: "birth-date", sensitive: "diagnosis" }, adult: { removed: "native-country", sensitive: "salary-class" } }[process.env.JOURNEY ?? "census"];

describe("journey by keyboard", () => {
  let workbench;
  let page;
  before(async () => {
    workbench = await openWorkbench({ rows: Number(process.env.JOURNEY_ROWS ?? 300), open: false, copy: process.env.JOURNEY_TABLE });
    page = workbench.page;
    await page.mouse.move(0, 0);
  });
  after(async () => {
    await workbench.close();
  });

  test("open the table", async () => {
    await activate(page, "Open people.csv");
    await page.getByRole("link", { name: "Continue with the columns" }).waitFor({ timeout: long });
    await activate(page, "Continue with the columns");
    await page.getByRole("heading", { level: 1, name: "Columns" }).waitFor();
  });

  test("change a role and confirm all", async () => {
    await page.getByLabel(`Role of ${removed}`, { exact: true }).waitFor({ timeout: long });
    await tabTo(page, `Role of ${removed}`);
    await page.keyboard.type("iden");
    await page.waitForFunction((name) => document.querySelector(`[aria-label='Role of ${name}']`).value === "identifier", removed);
    await page.waitForTimeout(1200);
    // Two people have the same value of an identifier, so it has to be said what a row is.
    if (sensitive === "diagnosis") await page.getByText(/No release is made without a decision/).waitFor({ timeout: long });
    await tabTo(page, "Not decided: rows are counted");
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => document.querySelector("[name=people]").checked);
    await step(page, "Columns");
    await activate(page, "Confirm all roles");
    await page.getByText("All roles are confirmed.").first().waitFor({ timeout: long });
  });

  test("edit a hierarchy and save it as a file", async () => {
    await step(page, "Hierarchies");
    await tabTo(page, /^marital-status/);
    await page.keyboard.press("Enter");
    await page.getByRole("tree", { name: "Hierarchy of marital-status" }).waitFor({ timeout: long });
    await activate(page, "Show values of marital-status");
    await page.getByRole("button", { name: "Edit this tree" }).waitFor();
    await page.waitForFunction(() => [...document.querySelectorAll("button")].some((button) => button.textContent === "Edit this tree" && !button.disabled));
    await activate(page, "Edit this tree");
    await page.getByRole("button", { name: "Save as file…" }).waitFor({ timeout: long });
    await tabTo(page, /^\*, [\d,]+ rows/);
    assert.equal((await focused(page)).role, "treeitem");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByRole("treeitem", { selected: true }).nth(1).waitFor();
    await page.keyboard.down("Shift");
    await tabTo(page, "Group");
    await page.keyboard.up("Shift");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("Label").waitFor();
    await tabTo(page, "Label");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Not living together");
    await page.keyboard.press("Enter");
    await page.getByRole("treeitem", { name: /Not living together/ }).waitFor();
    await activate(page, "Save as file…");
    await tabTo(page, /^File, relative/);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("hierarchies/marital-status.csv");
    await page.keyboard.press("Enter");
    await page.getByText(/the plan uses it for marital-status/).first().waitFor({ timeout: long });
  });

  test("set k = 5 and distinct ℓ-diversity", async () => {
    await step(page, "Promise");
    await tabTo(page, "k, minimum number of people per class");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("5");
    await page.keyboard.press("Enter");
    await tabTo(page, /^Sensitive column/);
    await page.keyboard.type(sensitive);
    await tabTo(page, /^Model/);
    await page.keyboard.type("distinct");
    await activate(page, "Add the rule");
    await page.getByRole("article", { name: `distinct ℓ-diversity of ${sensitive}` }).waitFor({ timeout: long });
    await page.getByText("A release can keep this promise.").first().waitFor({ timeout: long });
    await page.keyboard.press("Control+Home");
    await activate(page, "Confirm the promise");
    await page.getByText("Confirmed.", { exact: true }).waitFor();
  });

  test("compute three candidates", async () => {
    await step(page, "Explore");
    await activate(page, /^Compute k = /);
    await page.waitForFunction(() => document.querySelectorAll("tbody .actions").length >= 3 && document.querySelectorAll("tbody .badge.accent").length === 0, null, { timeout: long });
    assert.deepEqual(await page.locator("tbody span.danger").allTextContents(), [], "no candidate failed");
    assert.equal(await page.getByRole("checkbox", { name: /^Pin / }).count(), 3);
  });

  test("save, release and verify", async () => {
    await page.keyboard.press("Control+s");
    await page.getByText("saved", { exact: true }).first().waitFor();
    await step(page, "Release");
    await tabTo(page, /^Folder to write/);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("release");
    await activate(page, "Write and verify the release");
    await page.getByText("verified on the written files").waitFor({ timeout: long });
    await activate(page, "Inspect this release");
    await page.getByRole("heading", { level: 1, name: /Inspect release/ }).waitFor();
    await activate(page, "Verify the release");
    await page.getByText("Verified: the release keeps its promises.").waitFor({ timeout: long });
    assert.deepEqual(workbench.problems, []);
  });

  test("the command that the page shows gives the same bytes", async () => {
    await step(page, "Release");
    const commands = await page.locator(".command pre").allTextContents();
    const repeat = commands.find((command) => command.includes("--repeat"));
    assert.match(repeat, /^incrowd anonymize incrowd\.toml -o \S+ --repeat \S+$/);
    const words = repeat.split(" ").slice(1);
    incrowd(workbench.folder, ...words, "--quiet");
    const bytes = (folder) => readFileSync(`${workbench.folder}/${folder}/data.csv`);
    assert.deepEqual(bytes(words[words.indexOf("-o") + 1]), bytes("release"));
    incrowd(workbench.folder, "verify", "release", "--against", "people.csv", "--quiet");
    if (process.env.JOURNEY_ROWS) console.log(readFileSync(`/proc/${workbench.pid}/status`, "utf8").match(/VmHWM.*/)[0]);
  });
});
