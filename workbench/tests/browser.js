// The browser of the tests: Debian's chromium, driven by playwright-core, each page on a server of its own.
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { startServer } from "./server.js";

let browser;
const opened = new Set();

async function launch() {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  return browser;
}

/** Takes the page as it was built last and not as the binary embeds it, so that a change of it needs no cargo build. */
async function servePageFromDisk(page) {
  for (const name of ["workbench.js", "workbench.css"]) {
    const path = fileURLToPath(new URL(`../../crates/incrowd-workbench/assets/${name}`, import.meta.url));
    await page.route(`**/${name}`, (route) => route.fulfill({ path }));
  }
}

/** A page on a new server. What it reports as an error is collected in `problems`. */
export async function openWorkbench({ width = 1280, height = 720, dark = false, ...server } = {}) {
  const running = await startServer(server);
  const context = await (await launch()).newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.stack ?? String(error)));
  if (process.env.PAGE === "disk") await servePageFromDisk(page);
  const workbench = { page, problems, folder: running.folder, pid: running.pid, close: async () => { opened.delete(workbench); await context.close(); running.close(); } };
  opened.add(workbench);
  await page.goto(running.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return workbench;
}

/** Ends what tests left behind, also after a failure: otherwise the process would not end. */
export async function closeAll() {
  for (const workbench of [...opened]) await workbench.close();
  await browser?.close();
  browser = undefined;
}

export async function go(page, screen) {
  await page.evaluate((name) => (location.hash = `#/${name}`), screen);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** Waits until the table with which the server was started is open. */
export async function tableOpened(page) {
  await go(page, "open");
  await page.getByRole("link", { name: "Continue with the columns" }).waitFor({ timeout: 60_000 });
}

/** Runs through the steps so that every screen has something to show. */
export async function fillAllScreens(page) {
  await tableOpened(page);
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
  await page.getByLabel(/Folder to write/).fill("release");
  await page.getByRole("button", { name: "Write and verify the release" }).click();
  await page.getByText("verified on the written files").waitFor({ timeout: 120_000 });
  await go(page, "opened");
  await page.getByRole("button", { name: "Verify the release" }).click();
  await page.getByText("Verified: the release keeps its promises.").waitFor({ timeout: 60_000 });
}

export const allScreens = ["open", "columns", "hierarchies", "promise", "explore", "compare", "risk", "release", "opened"];
