// Makes the pictures of the guide: INCROWD=…/incrowd npm run pictures -- FOLDER
// Beside them is written from which page they were made; the gate fails when the page is newer than its pictures.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeAll, fillAllScreens, go, openWorkbench } from "./browser.js";

const folder = process.argv[2];
if (!folder) {
  console.error("usage: INCROWD=…/incrowd npm run pictures -- FOLDER");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
// The page shows where it reads; a short name of its own tells nothing about this machine.
const desk = join(tmpdir(), "study");
rmSync(desk, { recursive: true, force: true });
mkdirSync(desk);
const { page, problems } = await openWorkbench({ height: 860, rows: 2000, folder: desk });
await fillAllScreens(page);

const column = "marital-status";
await go(page, `hierarchies/${column}`);
await page.getByRole("button", { name: `Show values of ${column}` }).first().click();
await page.getByRole("button", { name: "Edit this tree" }).waitFor();

for (const screen of ["columns", "hierarchies", "promise", "explore", "compare", "risk", "release"]) {
  await go(page, screen === "hierarchies" ? `${screen}/${column}` : screen);
  await page.mouse.move(0, 0);
  // Notices leave, and charts that move stand still.
  await page.waitForTimeout(6500);
  await page.screenshot({ path: `${folder}/workbench-${screen}.png`, animations: "disabled" });
}
const assets = ["workbench.js", "workbench.css"].map((name) => {
  const bytes = readFileSync(new URL(`../../crates/incrowd-workbench/assets/${name}`, import.meta.url));
  return `${createHash("sha256").update(bytes).digest("hex")}  ../../crates/incrowd-workbench/assets/${name}\n`;
});
writeFileSync(`${folder}/workbench.sha256`, assets.join(""));
await closeAll();
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
