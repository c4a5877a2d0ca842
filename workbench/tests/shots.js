// Writes a picture of every screen, light and dark, wide and narrow: npm run shots -- FOLDER
import { mkdirSync } from "node:fs";
import { allScreens, closeAll, fillAllScreens, go, openWorkbench } from "./browser.js";

const folder = process.argv[2] ?? "shots";
mkdirSync(folder, { recursive: true });
const sizes = [["wide", 1280, 720], ["narrow", 390, 844]];

const { page, problems, close } = await openWorkbench();
await page.screenshot({ path: `${folder}/empty-open.png` });
await fillAllScreens(page);
await go(page, "hierarchies");
const reveal = page.getByRole("button", { name: /^Show values/ });
if (await reveal.count()) await reveal.first().click();
await page.waitForTimeout(5000);
for (const dark of [false, true]) {
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
  for (const [size, width, height] of sizes) {
    await page.setViewportSize({ width, height });
    for (const screen of allScreens) {
      await go(page, screen);
      await page.waitForTimeout(250);
      await page.screenshot({ path: `${folder}/${screen}-${size}-${dark ? "dark" : "light"}.png`, fullPage: true });
    }
  }
}
await page.setViewportSize({ width: 1280, height: 720 });
await page.emulateMedia({ colorScheme: "light" });
await go(page, "columns");
await page.getByRole("button", { name: "Plan and commands" }).click();
await page.waitForTimeout(200);
await page.screenshot({ path: `${folder}/panel-wide-light.png` });
await close();
await closeAll();
if (problems.length > 0) console.error(problems.join("\n"));
