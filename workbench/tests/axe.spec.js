// Accessibility of every screen: WCAG 2.2 AA by axe, light and dark, wide and narrow.
import { AxeBuilder } from "@axe-core/playwright";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { allScreens, fillAllScreens, go, openWorkbench } from "./browser.js";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** What axe finds; in the dark only what depends on colours. */
async function violations(page, onlyColours = false) {
  const axe = new AxeBuilder({ page });
  const { violations: found, passes } = await (onlyColours ? axe.withRules(["color-contrast"]) : axe.withTags(tags)).analyze();
  assert.ok(passes.length > (onlyColours ? 0 : 8), "axe looked at the page");
  return found.map((violation) => `${violation.id}: ${violation.help}\n${violation.nodes.slice(0, 4).map((node) => `  ${node.target.join(" ")} ${node.failureSummary?.split("\n").slice(1, 2).join("")}`).join("\n")}`);
}

describe("accessibility", () => {
  let workbench;
  before(async () => {
    workbench = await openWorkbench();
    await fillAllScreens(workbench.page);
  });
  after(async () => {
    assert.deepEqual(workbench.problems, []);
    await workbench.close();
  });

  for (const dark of [false, true]) {
    for (const [width, height] of [[1280, 720], [390, 844]]) {
      for (const screen of allScreens) {
        test(`${screen}, ${dark ? "dark" : "light"}, ${width} px`, async () => {
          const { page } = workbench;
          await page.setViewportSize({ width, height });
          await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
          await go(page, screen);
          await page.waitForTimeout(250);
          assert.deepEqual(await violations(page, dark), []);
        });
      }
    }
  }

  test("plan panel, session dialog and tree editor", async () => {
    const { page } = workbench;
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.emulateMedia({ colorScheme: "light" });
    await go(page, "hierarchies");
    const reveal = page.getByRole("button", { name: /^Show values/ });
    if (await reveal.count()) await reveal.first().click();
    await page.getByRole("button", { name: "Edit this tree" }).click();
    await page.getByRole("button", { name: "Save as file…" }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Discard edits" }).click();
    await page.getByRole("button", { name: "Plan and commands" }).click();
    for (const tab of ["Plan", "Changes", "Commands"]) {
      await page.getByRole("tab", { name: tab, exact: true }).click();
      assert.deepEqual(await violations(page), []);
    }
    await page.getByRole("button", { name: "Close the panel" }).click();
    await page.getByRole("button", { name: "Session", exact: true }).click();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
  });
});
