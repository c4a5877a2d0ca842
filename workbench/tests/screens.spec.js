// Behaviour of the screens: what a click changes, how errors and hidden values are handled.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { allScreens, fillAllScreens, go, openWorkbench, tableOpened } from "./browser.js";

describe("screens", () => {
  let workbench;
  before(async () => {
    workbench = await openWorkbench();
    await tableOpened(workbench.page);
  });
  after(async () => {
    await workbench.close();
  });

  test("values stay hidden until the user asks for a column", async () => {
    const { page } = workbench;
    const preview = page.getByRole("region", { name: "Preview of the table" });
    await preview.getByText("••••").first().waitFor();
    assert.equal(await preview.getByText("shown").count(), 0);
    await page.getByRole("button", { name: "Show values of sex" }).click();
    await preview.getByText("Female").first().waitFor();
  });

  test("a change of role changes the figures at once", async () => {
    const { page } = workbench;
    await go(page, "columns");
    await page.getByLabel("Role of birth-date", { exact: true }).selectOption("identifier");
    await page.getByLabel("Role of postcode", { exact: true }).selectOption("identifier");
    await page.getByText(/was 500/).first().waitFor();
  });

  test("undo takes the change back and the plan panel shows the text", async () => {
    const { page } = workbench;
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Plan and commands" }).click();
    await page.getByRole("region", { name: "Text of the plan" }).getByText('name = "age"').waitFor();
    await page.getByRole("tab", { name: "Changes" }).click();
    await page.getByText(/The file does not exist yet/).waitFor();
    await page.getByRole("tab", { name: "Commands" }).click();
    await page.getByText("incrowd anonymize incrowd.toml -o release").waitFor();
    await page.getByRole("button", { name: "Close the panel" }).click();
  });

  test("a change by somebody else does not lose the change of the user", async () => {
    const { page } = workbench;
    await page.evaluate(async () => {
      const { etag } = await (await fetch("/api/plan")).json();
      await fetch("/api/plan/confirm", { method: "POST", headers: { "Content-Type": "application/json", "If-Match": etag }, body: JSON.stringify({ columns: ["age"] }) });
    });
    await page.getByLabel("Role of race", { exact: true }).selectOption("sensitive");
    await page.waitForFunction(() => document.querySelector("[aria-label='Role of race is confirmed']")?.closest("tr")?.className.includes("sensitive"));
    assert.equal(await page.getByLabel("Role of age is confirmed").isChecked(), true);
  });

  test("an infeasible rule offers the nearest feasible value", async () => {
    const { page } = workbench;
    await go(page, "promise");
    await page.getByRole("button", { name: "Add the rule" }).click();
    const input = page.getByLabel("l of distinct ℓ-diversity");
    await input.fill("400");
    await input.press("Enter");
    await page.getByText("No release can keep this promise.").first().waitFor();
    await page.getByRole("button", { name: /Use the nearest feasible value/ }).click();
    await page.getByText("A release can keep this promise.").first().waitFor();
  });

  test("a share of the population raises k, and can be removed again", async () => {
    const { page } = workbench;
    await go(page, "promise");
    await page.getByText("Promise something about the population").click();
    await page.getByLabel("Known about the population").selectOption("fraction");
    await page.getByLabel("Share of the population in the table, %").fill("50");
    await page.getByRole("button", { name: "Use it" }).click();
    await page.getByText("indistinguishable from at least 10 others").first().waitFor();
    await page.getByRole("button", { name: "Remove it" }).click();
    await page.getByText("indistinguishable from at least 4 others").first().waitFor();
  });

  test("terms and findings are explained", async () => {
    const { page } = workbench;
    await go(page, "columns");
    await page.getByRole("button", { name: "quasi-identifier: explain" }).first().click();
    await page.getByText(/outsiders may know about a person/).first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Explain IC101" }).first().click();
    await page.getByRole("dialog").getByText("On the command line").waitFor();
    await page.keyboard.press("Escape");
  });

  test("nothing is stored in the browser and no policy is violated", async () => {
    const { page, problems } = workbench;
    const stored = await page.evaluate(() => localStorage.length + sessionStorage.length);
    assert.equal(stored, 0);
    assert.deepEqual(problems, []);
  });
});

describe("a file in another encoding", () => {
  test("is opened after it was said how it is written", async () => {
    const { page, folder, close, problems } = await openWorkbench({ open: false });
    const rows = Array.from({ length: 40 }, (_, row) => `K\u00f6ln;${20 + row};${60 + (row % 9)},5\r\n`);
    writeFileSync(join(folder, "export.csv"), Buffer.from(`Ort;Alter;Gewicht\r\n${rows.join("")}`, "latin1"));
    await go(page, "open");
    await page.reload();
    await page.getByRole("button", { name: "Open export.csv" }).click();
    await page.getByText("the file looks like windows-1252").first().waitFor();
    await page.getByLabel("Encoding").selectOption("windows-1252");
    await page.getByRole("button", { name: "Read again" }).click();
    await page.getByText("encoding: windows-1252").waitFor();
    await page.getByText("Read the file differently").click();
    await page.getByRole("checkbox", { name: "Gewicht" }).check();
    await page.getByRole("button", { name: "Read again" }).click();
    await page.getByText("decimal comma in Gewicht").waitFor();
    assert.deepEqual(problems, []);
    await close();
  });
});

describe("layout", () => {
  test("no screen is wider than a narrow window, and figures do not move the layout", async () => {
    const { page, close, problems } = await openWorkbench();
    await fillAllScreens(page);
    await page.setViewportSize({ width: 390, height: 844 });
    for (const screen of allScreens) {
      await go(page, screen);
      await page.waitForTimeout(150);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 390, `${screen} is ${wide} px wide`);
    }
    assert.deepEqual(problems, []);
    await close();
  });

  test("a change of role does not shift the layout", async () => {
    const { page, close } = await openWorkbench();
    await tableOpened(page);
    await go(page, "columns");
    await page.getByLabel("Role of sex", { exact: true }).waitFor();
    await page.waitForTimeout(600);
    const shift = await page.evaluate(async () => {
      let total = 0;
      const observer = new PerformanceObserver((list) => { for (const entry of list.getEntries()) total += entry.value; });
      observer.observe({ type: "layout-shift" });
      const select = document.querySelector("[aria-label='Role of sex']");
      select.value = "insensitive";
      select.dispatchEvent(new Event("change", { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 800));
      return total;
    });
    assert.ok(shift < 0.02, `layout shift ${shift}`);
    await close();
  });
});
