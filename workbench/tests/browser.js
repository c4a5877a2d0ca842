// The browser of the tests: Debian's chromium, driven by playwright-core, on the mock or on a running server.
import { chromium } from "playwright-core";
import { startMock } from "../mock/server.js";

let browser;
let shared;
const mocks = new Set();

/** The table that the tests open: of the mock, or WORKBENCH_TABLE in the folder of a running server. */
export const tableName = process.env.WORKBENCH_TABLE ?? "people.csv";
export const onMock = process.env.WORKBENCH_URL === undefined;

async function launch() {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  return browser;
}

/** A page on a fresh mock, or the one page on a running server: its token works only once. */
export async function openWorkbench({ width = 1280, height = 720, dark = false } = {}) {
  if (!onMock && shared) {
    await shared.page.setViewportSize({ width, height });
    await shared.page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
    return shared;
  }
  const mock = onMock ? await startMock() : null;
  if (mock) mocks.add(mock);
  const context = await (await launch()).newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.stack ?? String(error)));
  await page.goto(mock?.url ?? process.env.WORKBENCH_URL);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const opened = { page, problems, close: async () => { if (mock) { await context.close(); mock.close(); } } };
  if (!onMock) shared = opened;
  return opened;
}

export async function closeBrowser() {
  if (!onMock) return;
  await closeAll();
}

/** Ends what tests left behind, also after a failure: otherwise the process would not end. */
export async function closeAll() {
  for (const mock of mocks) mock.close();
  mocks.clear();
  await browser?.close();
  browser = undefined;
  shared = undefined;
}

export async function go(page, screen) {
  await page.evaluate((name) => (location.hash = `#/${name}`), screen);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** Opens the table and waits for its columns. */
export async function openTable(page) {
  await go(page, "open");
  await page.getByRole("button", { name: `Open ${tableName}`, exact: true }).click();
  await page.getByRole("link", { name: "Continue with the columns" }).waitFor({ timeout: 60_000 });
}

/** Runs through the steps so that every screen has something to show. */
export async function fillAllScreens(page) {
  await openTable(page);
  await go(page, "columns");
  await page.getByRole("button", { name: "Confirm all roles" }).click();
  await page.getByText("All roles are confirmed.").first().waitFor();
  await go(page, "promise");
  await page.getByRole("button", { name: "Add the rule" }).click();
  await page.getByRole("article", { name: /distinct ℓ-diversity/ }).waitFor();
  await page.getByRole("button", { name: "Confirm the promise" }).click();
  await page.getByText("Confirmed.", { exact: true }).waitFor();
  await go(page, "explore");
  await page.getByRole("button", { name: /^Compute k = / }).click();
  await page.waitForFunction(() => document.querySelectorAll("tbody .actions button:disabled").length === 0 && document.querySelectorAll("tbody .actions").length >= 3, null, { timeout: 120_000 });
  await page.getByRole("checkbox", { name: /^Pin / }).first().check();
  await page.getByRole("button", { name: "Compute the lattice" }).click();
  await page.getByRole("button", { name: "Compute again" }).waitFor({ timeout: 120_000 });
  await go(page, "compare");
  await page.getByRole("button", { name: "Compare with the original" }).click();
  await page.getByRole("heading", { name: "Utility" }).waitFor({ timeout: 120_000 });
  await go(page, "risk");
  await page.getByRole("button", { name: /Run the attacks/ }).click();
  await page.getByRole("heading", { name: "Attackers" }).waitFor({ timeout: 120_000 });
  await page.keyboard.press("Control+s");
  await page.getByText("saved", { exact: true }).first().waitFor();
  await go(page, "release");
  await page.getByLabel(/Folder to write/).fill(`release-${Date.now() % 100000}`);
  await page.getByRole("button", { name: "Write and verify the release" }).click();
  await page.getByText("verified on the written files").waitFor({ timeout: 120_000 });
  await go(page, "opened");
  await page.getByRole("button", { name: "Verify the release" }).click();
  await page.getByText("Verified: the release keeps its promises.").waitFor({ timeout: 60_000 });
}

export const allScreens = ["open", "columns", "hierarchies", "promise", "explore", "compare", "risk", "release", "opened"];
